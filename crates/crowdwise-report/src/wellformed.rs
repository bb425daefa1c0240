//! A check for tests: tags are balanced, attributes quoted, text escaped, nothing points outside of the file.

const VOID: [&str; 6] = ["meta", "br", "hr", "input", "link", "img"];

/// What is wrong with a piece of HTML, if anything. Strict: `<` only as part of a tag, attributes in double quotes.
pub fn check(html: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        if rest[..at].contains('>') {
            return Err(format!("unescaped > in `{}`", &rest[..at]));
        }
        rest = &rest[at + 1..];
        let end = tag_end(rest)
            .ok_or_else(|| format!("a tag does not end: {}", rest.chars().take(40).collect::<String>()))?;
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if tag.starts_with('!') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop();
            if last != Some(name) {
                return Err(format!("</{name}> closes {last:?}"));
            }
            continue;
        }
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(format!("`{tag}` is not a tag"));
        }
        attributes(tag)?;
        if name == "style" || name == "script" {
            let close = format!("</{name}>");
            let at = rest.find(&close).ok_or_else(|| format!("{close} is missing"))?;
            rest = &rest[at + close.len()..];
        } else if !VOID.contains(&name) {
            open.push(name);
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("never closed: {open:?}")) }
}

fn tag_end(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.bytes().position(|b| {
        quoted ^= b == b'"';
        b == b'>' && !quoted
    })
}

fn attributes(tag: &str) -> Result<(), String> {
    for (i, part) in tag.split('"').enumerate() {
        let inside = i % 2 == 1;
        if inside && part.contains('<') {
            return Err(format!("unescaped < in an attribute of `{tag}`"));
        }
        if !inside && i > 0 && !part.is_empty() && !part.starts_with([' ', '\n']) {
            return Err(format!("no blank between attributes of `{tag}`"));
        }
    }
    if tag.matches('"').count() % 2 == 1 {
        return Err(format!("odd quotes in `{tag}`"));
    }
    Ok(())
}

/// Whether the page would ask the network for anything.
pub fn external(html: &str) -> Option<&str> {
    ["http:", "https:", "src=", "url(", "@import", "<link", "fetch(", "//"].into_iter().find(|s| html.contains(s))
}

#[test]
fn the_check_finds_mistakes() {
    assert!(check("<p class=\"a\">x &lt; y<br></p>").is_ok());
    for bad in ["<p>", "<p></b>", "<p class=\"a>x</p>", "<p>a < b</p>", "<p>a > b</p>", "<p a=\"<\"></p>"] {
        assert!(check(bad).is_err(), "{bad}");
    }
    assert!(external("<img src=\"x\">").is_some());
}
