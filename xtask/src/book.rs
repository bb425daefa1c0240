//! The documentation as a book: links that resolve, no page left out, and the built pages where mdBook is installed.

use crate::links::{Pages, destinations, local, pages, problems};
use crate::root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the book's pages, and the page that lists them.
const DOCS: &str = "docs";
const SUMMARY: &str = "docs/SUMMARY.md";

/// Checks all pages of the repository, and builds the book into `target/book`.
pub fn run() -> Result<(), String> {
    let root = root();
    let pages = pages(&root)?;
    let mut wrong = problems(&root, &pages);
    wrong.extend(not_listed(&pages)?);
    if !wrong.is_empty() {
        return Err(format!("{}\n{} problems in the documentation", wrong.join("\n"), wrong.len()));
    }
    println!("== book: all links of {} pages resolve, and every page of {DOCS} is in {SUMMARY}", pages.len());
    build(&root, &pages)
}

/// Pages that no reader of the book would find.
fn not_listed(pages: &Pages) -> Result<Vec<String>, String> {
    let summary = Path::new(SUMMARY);
    let text = pages.get(summary).ok_or_else(|| format!("{SUMMARY} is missing"))?;
    let listed: Vec<PathBuf> =
        destinations(text).into_iter().filter_map(|r| local(summary, &text[r])).map(|(path, _)| path).collect();
    let left_out = |p: &&PathBuf| p.starts_with(DOCS) && *p != summary && !listed.contains(p);
    Ok(pages.keys().filter(left_out).map(|p| format!("{}: is not in {SUMMARY}", p.display())).collect())
}

fn build(root: &Path, pages: &Pages) -> Result<(), String> {
    if Command::new("mdbook").arg("--version").output().is_err() {
        println!("SKIPPED: the book is not built, because mdbook is not installed (`cargo install mdbook`)");
        return Ok(());
    }
    let source = root.join("target/book-source");
    // an earlier source may hold pages that have gone since
    let _ = std::fs::remove_dir_all(&source);
    let io = |e: std::io::Error| format!("{}: {e}", source.display());
    copy(&root.join(DOCS), &source).map_err(io)?;
    for (page, text) in pages {
        if let Ok(inside) = page.strip_prefix(DOCS) {
            std::fs::write(source.join(inside), for_the_web(page, text)).map_err(io)?;
        }
    }
    match Command::new("mdbook").arg("build").arg(&source).arg("--dest-dir").arg(root.join("target/book")).status() {
        Ok(s) if s.success() => Ok(()),
        Ok(_) => Err("mdbook failed".into()),
        Err(e) => Err(format!("mdbook could not start: {e}")),
    }
}

/// Links to files outside the book lead to the repository instead: the built pages stand alone.
fn for_the_web(page: &Path, text: &str) -> String {
    let mut out = text.to_owned();
    let mut places = destinations(text);
    places.sort_by_key(|r| std::cmp::Reverse(r.start));
    for at in places {
        if let Some((path, _)) = local(page, &text[at.clone()])
            && !path.starts_with(DOCS)
        {
            out.replace_range(at, &format!("{}/blob/main/{}", env!("CARGO_PKG_REPOSITORY"), path.display()));
        }
    }
    out
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        if old.is_dir() {
            copy(&old, &new)?;
        } else {
            std::fs::copy(&old, &new)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(of: &[(&str, &str)]) -> Pages {
        of.iter().map(|(p, t)| (PathBuf::from(p), (*t).to_owned())).collect()
    }

    #[test]
    fn a_page_that_is_not_in_the_summary_is_told() {
        let all =
            pages(&[("docs/SUMMARY.md", "- [a](a.md)\n"), ("docs/a.md", ""), ("docs/b.md", ""), ("README.md", "")]);
        assert_eq!(not_listed(&all).unwrap(), ["docs/b.md: is not in docs/SUMMARY.md"]);
        assert!(not_listed(&pages(&[("docs/a.md", "")])).is_err());
    }

    #[test]
    fn links_out_of_the_book_lead_to_the_repository() {
        let text = "[in](b.md), [out](../benches/QUALITY.md), [web](https://example.org)";
        let seen = for_the_web(Path::new("docs/a.md"), text);
        assert!(seen.starts_with("[in](b.md), [out](https://"), "{seen}");
        assert!(seen.contains("/blob/main/benches/QUALITY.md)") && seen.ends_with("(https://example.org)"), "{seen}");
    }
}
