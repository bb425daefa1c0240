//! Every `crowdwise` command that the documentation shows runs.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The `crowdwise …` lines of all `sh` blocks, without their comments.
fn commands(markdown: &str) -> Vec<Vec<String>> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in markdown.lines() {
        if line.starts_with("```") {
            inside = line.trim() == "```sh";
        } else if inside && let Some(words) = line.strip_prefix("crowdwise ") {
            found.push(split(words.split(" # ").next().unwrap_or_default()));
        }
    }
    found
}

/// Words as a shell sees them: what stands in single quotes is one.
fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (n, part) in line.split('\'').enumerate() {
        let mut pieces = if n % 2 == 1 { vec![part] } else { part.split(' ').collect() }.into_iter();
        words.last_mut().unwrap().push_str(pieces.next().unwrap_or_default());
        words.extend(pieces.map(str::to_owned));
    }
    words.retain(|w| !w.is_empty());
    words
}

/// The Markdown of a folder and of the folders in it, by its path from the root.
fn markdown(folder: &str, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(root().join(folder)).unwrap().map(Result::unwrap) {
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            markdown(&path, found);
        } else if entry.path().extension().is_some_and(|e| e == "md") {
            found.push((path, std::fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

#[test]
fn every_command_of_the_documentation_runs() {
    let mut pages: Vec<(String, String)> = ["README.md", "examples/README.md"]
        .iter()
        .map(|p| ((*p).to_owned(), std::fs::read_to_string(root().join(p)).unwrap()))
        .collect();
    let mut book = Vec::new();
    markdown("docs", &mut book);
    // the generated pages are those of the methods, which follow
    book.retain(|(path, _)| !path.starts_with("docs/methods/"));
    pages.extend(book);
    pages.extend(crowdwise::methods().map(|e| (format!("page of {}", e.info.id), e.info.doc.to_owned())));
    let mut ran = 0;
    for (page, text) in &pages {
        // commands write where they stand: every page has a folder of its own, with the example data in it
        let here = tempfile::tempdir().unwrap();
        std::fs::create_dir(here.path().join("examples")).unwrap();
        for file in std::fs::read_dir(root().join("examples")).unwrap().map(Result::unwrap) {
            std::fs::copy(file.path(), here.path().join("examples").join(file.file_name())).unwrap();
        }
        let all = commands(text);
        // other pages of the book may explain without showing
        let shows = !page.starts_with("docs/") || page.starts_with("docs/guide/");
        assert!(!shows || !all.is_empty(), "{page} shows no command");
        for args in all {
            let run = Command::cargo_bin("crowdwise").unwrap().args(&args).current_dir(here.path()).output().unwrap();
            let said = String::from_utf8_lossy(&run.stderr);
            assert!(run.status.success(), "{page}: crowdwise {}\n{said}", args.join(" "));
            ran += 1;
        }
    }
    assert!(ran > 30, "only {ran} commands were found");
}
