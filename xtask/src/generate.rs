//! What is generated from the list of methods and from the command line's own definition.

use crate::python::FOLDER;
use crate::root;
use crowdwise::{Entry, LabelKind};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const BEGIN: &str = "<!-- methods: begin (cargo xtask gen) -->";
const END: &str = "<!-- methods: end -->";

/// Writes the Python classes: all that the Python package needs of this.
pub fn python_only() -> Result<(), String> {
    std::fs::create_dir_all(root().join(FOLDER)).map_err(|e| format!("{FOLDER}: {e}"))?;
    for (path, text) in crate::python::files() {
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", shown(&path)))?;
    }
    Ok(())
}

/// Writes every generated file, or with `check` only says which are out of date.
pub fn run(check: bool) -> Result<(), String> {
    let mut files = vec![(root().join("README.md"), readme()?)];
    files.push((root().join("docs/methods/README.md"), index()));
    for entry in crowdwise::methods() {
        files.push((root().join(format!("docs/methods/{}.md", entry.info.id)), page(entry)));
    }
    for (shell, file) in [("bash", "crowdwise.bash"), ("zsh", "_crowdwise"), ("fish", "crowdwise.fish")] {
        files.push((root().join("completions").join(file), command(&["completions", shell])?));
    }
    files.extend(crate::python::files());
    let mut stale = Vec::new();
    for (path, text) in &files {
        if std::fs::read_to_string(path).ok().as_deref() == Some(text) {
            continue;
        }
        if check {
            stale.push(shown(path));
        } else {
            std::fs::create_dir_all(path.parent().expect("a file has a folder")).map_err(|e| e.to_string())?;
            std::fs::write(path, text).map_err(|e| format!("{}: {e}", shown(path)))?;
            println!("wrote {}", shown(path));
        }
    }
    stale.extend(left_over(&files).into_iter().map(|p| format!("{} (no such method)", shown(&p))));
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("out of date: {}; run `cargo xtask gen`", stale.join(", ")))
}

/// Pages and classes of methods that are no longer in the list.
fn left_over(files: &[(PathBuf, String)]) -> Vec<PathBuf> {
    let mut extra = Vec::new();
    for folder in ["docs/methods", FOLDER] {
        let Ok(dir) = std::fs::read_dir(root().join(folder)) else { continue };
        let found = dir.filter_map(Result::ok).map(|d| d.path()).filter(|p| p.is_file());
        extra.extend(found.filter(|p| !files.iter().any(|(f, _)| f == p)));
    }
    extra.sort();
    extra
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn readme() -> Result<String, String> {
    let old = std::fs::read_to_string(root().join("README.md")).map_err(|e| format!("README.md: {e}"))?;
    let missing = || format!("README.md lacks the lines `{BEGIN}` and `{END}`");
    let (before, rest) = old.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok(format!("{before}{BEGIN}\n{}{END}{after}", table("docs/methods/")))
}

fn index() -> String {
    format!(
        "# Methods\n\nGenerated from the list of methods; each page is also `crowdwise methods ID`.\n\n{}",
        table("")
    )
}

fn page(entry: &Entry) -> String {
    crowdwise::method_page(entry)
}

fn table(folder: &str) -> String {
    let mut out = String::from("| method | labels | gold | what it does | reference |\n|---|---|---|---|---|\n");
    for e in crowdwise::methods() {
        let i = e.info;
        let kinds: Vec<&str> = i.accepts.iter().map(|k: &LabelKind| k.name()).collect();
        let reference = &i.references[0];
        let cite = short(reference.text);
        let cite = match reference.doi {
            Some(doi) => format!("[{cite}](https://doi.org/{doi})"),
            None => cite,
        };
        let gold = if i.capabilities.gold { "yes" } else { "" };
        let kinds = kinds.join(", ");
        let _ = writeln!(out, "| [`{0}`]({folder}{0}.md) | {kinds} | {gold} | {1} | {cite} |", i.id, i.summary);
    }
    out
}

/// "Dawid and Skene 1979" or "Ghosh et al. 2011" from a full reference.
fn short(text: &str) -> String {
    let initial =
        |w: &str| w.ends_with('.') && w.len() <= 6 && w.split('-').all(|p| p.trim_end_matches('.').len() <= 2);
    let mut words = text.split_whitespace().filter(|w| !initial(w));
    let first = words.next().unwrap_or_default();
    let name = first.trim_end_matches([',', '.']);
    let authors = if first.ends_with('.') {
        name.to_owned()
    } else if first.ends_with(',') {
        // two names with a comma between them, or more
        let second = words.next().unwrap_or_default();
        if second.ends_with('.') {
            format!("{name} and {}", second.trim_end_matches('.'))
        } else {
            format!("{name} et al.")
        }
    } else {
        let second = words.find(|w| *w != "and").unwrap_or_default();
        format!("{name} and {}", second.trim_end_matches([',', '.']))
    };
    // the first number that can be a year: page numbers come later
    let year = |w: &str| w.len() == 4 && w.parse::<u32>().is_ok_and(|y| (1700..2031).contains(&y));
    let year = text.split(|c: char| !c.is_ascii_digit()).find(|w| year(w)).unwrap_or_default();
    format!("{authors} {year}").trim_end().to_owned()
}

/// What the command itself prints.
fn command(args: &[&str]) -> Result<String, String> {
    let out = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--bin", "crowdwise", "--"])
        .args(args)
        .current_dir(root())
        .output()
        .map_err(|e| format!("cargo run: {e}"))?;
    if !out.status.success() {
        return Err(format!("crowdwise {}: {}", args.join(" "), String::from_utf8_lossy(&out.stderr)));
    }
    String::from_utf8(out.stdout).map_err(|e| e.to_string())
}
