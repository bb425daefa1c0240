//! Links of Markdown pages: where they are in the text, and whether they lead somewhere.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// Pages by their path from the root.
pub type Pages = BTreeMap<PathBuf, String>;

/// All Markdown below `root`, but for hidden folders and what builds leave behind.
pub fn pages(root: &Path) -> Result<Pages, String> {
    let mut found = Pages::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let dir = std::fs::read_dir(root.join(&folder)).map_err(|e| format!("{}: {e}", folder.display()))?;
        for entry in dir.filter_map(Result::ok) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = folder.join(&name);
            if name.starts_with('.') || name == "target" {
                continue;
            }
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                let text = std::fs::read_to_string(entry.path()).map_err(|e| format!("{}: {e}", path.display()))?;
                found.insert(path, text);
            }
        }
    }
    Ok(found)
}

/// Everything that is wrong with the links of these pages, one line each.
pub fn problems(root: &Path, pages: &Pages) -> Vec<String> {
    let anchors: HashMap<&Path, Vec<String>> = pages.iter().map(|(p, t)| (p.as_path(), anchors(t))).collect();
    let mut wrong = Vec::new();
    for (page, text) in pages {
        for at in destinations(text) {
            let link = &text[at.clone()];
            let Some((path, anchor)) = local(page, link) else { continue };
            let line = text[..at.start].matches('\n').count() + 1;
            let mut say = |what: &str| wrong.push(format!("{}:{line}: `{link}` {what}", page.display()));
            match anchors.get(path.as_path()) {
                _ if !root.join(&path).exists() => say("leads nowhere"),
                Some(known) if !anchor.is_empty() && !known.contains(&anchor) => say("names no heading of that page"),
                _ => {}
            }
        }
    }
    wrong
}

/// The path from the root and the anchor that a link of `page` means; `None` for addresses.
pub fn local(page: &Path, link: &str) -> Option<(PathBuf, String)> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    if file.is_empty() {
        return Some((page.to_owned(), anchor.to_owned()));
    }
    let mut path = PathBuf::new();
    for part in page.parent().unwrap_or(Path::new("")).join(file).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    Some((path, anchor.to_owned()))
}

/// Where the destinations of all links and images stand: `[text](here)` and `[name]: here`, outside code.
pub fn destinations(text: &str) -> Vec<Range<usize>> {
    let plain = without_code(text);
    let mut found = Vec::new();
    for (at, _) in plain.match_indices("](") {
        let start = at + 2;
        let end = plain[start..].find([')', ' ', '\n']).map_or(plain.len(), |n| start + n);
        if end > start {
            found.push(start..end);
        }
    }
    let mut begin = 0;
    for line in plain.split_inclusive('\n') {
        // `[^1]:` is a footnote, whose text may hold links of the first kind
        if line.starts_with('[')
            && !line.starts_with("[^")
            && let Some(at) = line.find("]: ")
        {
            let start = begin + at + 3;
            let length = line[at + 3..].find(char::is_whitespace).unwrap_or(line.len() - at - 3);
            found.push(start..start + length);
        }
        begin += line.len();
    }
    found
}

/// The text with code blanked out: every byte of it a space, line ends kept, so that places stay what they are.
fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        if fence || fenced {
            out.extend(line.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
            fenced ^= fence;
            continue;
        }
        let pieces: Vec<&str> = line.split('`').collect();
        for (n, piece) in pieces.iter().enumerate() {
            if n > 0 {
                out.push('`');
            }
            // between an odd and an even tick is code; a tick without a partner is a tick
            if n % 2 == 1 && n + 1 < pieces.len() {
                out.extend(std::iter::repeat_n(' ', piece.len()));
            } else {
                out.push_str(piece);
            }
        }
    }
    out
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if fenced || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let anchor = slug(title.trim());
        let times = seen.entry(anchor.clone()).or_default();
        found.push(if *times == 0 { anchor } else { format!("{anchor}-{times}") });
        *times += 1;
    }
    found
}

fn slug(title: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    title.to_lowercase().chars().filter_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_code_only() {
        let text = "[a](x.md) `[b](no.md)` ![c](d/y.png \"title\")\n```\n[e](no.md)\n```\n[ref]: z.md#part\n[^1]: a [n](w.md).\n";
        let mut found: Vec<&str> = destinations(text).into_iter().map(|r| &text[r]).collect();
        found.sort_unstable();
        assert_eq!(found, ["d/y.png", "w.md", "x.md", "z.md#part"]);
    }

    #[test]
    fn places_stay_right_behind_letters_of_several_bytes() {
        let text = "`π → ρ` und π: [a](b.md)";
        assert_eq!(destinations(text).into_iter().map(|r| &text[r]).collect::<Vec<_>>(), ["b.md"]);
    }

    #[test]
    fn anchors_are_those_of_the_usual_renderers() {
        let page = "# How sure, and `why`?\n```\n# no heading\n```\n## Part\n## Part\n";
        assert_eq!(anchors(page), ["how-sure-and-why", "part", "part-1"]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_told_with_its_line() {
        let folder = std::env::temp_dir().join(format!("crowdwise-links-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("docs")).unwrap();
        std::fs::write(folder.join("a.md"), "# Top\n[ok](docs/b.md#part) [own](#top)\n[gone](docs/c.md)\n").unwrap();
        std::fs::write(folder.join("docs/b.md"), "## Part\n[up](../a.md#nothing) [out](https://example.org/x)\n")
            .unwrap();
        let told = problems(&folder, &pages(&folder).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            told,
            ["a.md:3: `docs/c.md` leads nowhere", "docs/b.md:2: `../a.md#nothing` names no heading of that page"]
        );
    }
}
