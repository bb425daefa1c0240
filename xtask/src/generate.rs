//! What is generated from the list of methods and from the command line's own definition.

use crate::python::FOLDER;
use crate::root;
use crowdwise::{Entry, Family, LabelKind};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const BEGIN: &str = "<!-- methods: begin (cargo xtask gen) -->";
const END: &str = "<!-- methods: end -->";
const SUMMARY: &str = "docs/SUMMARY.md";

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
    let mut files = vec![(root().join(SUMMARY), summary()?)];
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

/// The book's list of pages, with the methods by family.
fn summary() -> Result<String, String> {
    let old = std::fs::read_to_string(root().join(SUMMARY)).map_err(|e| format!("{SUMMARY}: {e}"))?;
    let missing = || format!("{SUMMARY} lacks the lines `{BEGIN}` and `{END}`");
    let (before, rest) = old.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    let mut list = String::from("- [All methods](methods/README.md)\n");
    for (family, entries) in by_family() {
        let _ = writeln!(list, "- [{}]()", title(family));
        for e in entries {
            let _ = writeln!(list, "  - [{0}](methods/{0}.md)", e.info.id);
        }
    }
    Ok(format!("{before}{BEGIN}\n\n{list}\n{END}{after}"))
}

fn index() -> String {
    let mut out = String::from(
        "# Methods\n\nBy family. Every page can also be read with `crowdwise methods ID`. Which method to choose:\n\
         [README](../../README.md#which-method-should-i-use). How they do on real data: [benches/QUALITY.md](../../benches/QUALITY.md).\n",
    );
    for (family, entries) in by_family() {
        let _ = write!(out, "\n## {}\n\n{}", title(family), table(&entries));
    }
    out
}

/// The methods by family, families in the order in which people should meet them.
fn by_family() -> Vec<(Family, Vec<&'static Entry>)> {
    let mut families: Vec<(Family, Vec<&'static Entry>)> = Vec::new();
    for entry in crowdwise::methods() {
        match families.iter_mut().find(|(f, _)| *f == entry.info.family) {
            Some((_, entries)) => entries.push(entry),
            None => families.push((entry.info.family, vec![entry])),
        }
    }
    families
}

/// What a reader calls a family.
fn title(family: Family) -> &'static str {
    match family {
        Family::Auto => "Automatic choice",
        Family::Voting => "Votes",
        Family::Confusion => "Confusion matrices",
        Family::Pooled => "Annotators who resemble each other",
        Family::Competence => "Knowing or guessing",
        Family::Difficulty => "Items of different difficulty",
        Family::Ordered => "Ordered classes",
        Family::Messages => "Message passing",
        Family::Moments => "Moments and factorisations",
        Family::Optimisation => "Weights by optimisation",
        Family::Sources => "Labelling functions and classifiers",
        Family::Spammers => "Leaving out spammers",
        Family::Spectral => "Spectral methods",
        Family::Real => "Ratings and measurements",
        Family::Preference => "Comparisons",
        Family::Chains => "Sequences",
        Family::Graphs => "Items with neighbours",
        Family::Groups => "Annotators who depend on each other",
        Family::Fairness => "Groups of items that annotators may treat differently",
        Family::Pairs => "Rankings, preferences and similarities",
        Family::Sets => "Sets of labels, and one method inside another",
        Family::Em => "Learning from features: EM",
        Family::Bayes => "Learning from features: a network as prior",
        Family::Layer => "Learning from features: crowd layers",
        Family::Expert => "Learning from features: expertise that depends on the item",
        Family::Information => "Learning from features: shared information",
        Family::Process => "Learning from features: Gaussian processes",
    }
}

fn page(entry: &Entry) -> String {
    crowdwise::method_page(entry)
}

fn table(entries: &[&Entry]) -> String {
    let mut out = String::from("| method | labels | gold | what it does | reference |\n|---|---|---|---|---|\n");
    for e in entries {
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
        let _ = writeln!(out, "| [`{0}`]({0}.md) | {kinds} | {gold} | {1} | {cite} |", i.id, i.summary);
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
