//! `cargo xtask deny`: licences and duplicates of everything that is built in, by `deny.toml`.
//!
//! The licences are looked at here, which takes a second and needs nothing; advisories want their database and therefore
//! `cargo deny`, which runs if it is installed.

use crate::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

pub fn run() -> Result<(), String> {
    println!("== licences and duplicates: deny.toml");
    let text = std::fs::read_to_string(root().join("deny.toml")).map_err(|e| format!("deny.toml: {e}"))?;
    let allowed = quoted(&text, "allow");
    let known: BTreeSet<String> = names(&text, "skip");
    let packages = packages()?;
    let refused = refused(&packages, &allowed);
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for p in &packages {
        versions.entry(&p.name).or_default().push(&p.version);
    }
    for (name, several) in versions.iter().filter(|(name, v)| v.len() > 1 && !known.contains(**name)) {
        println!("warning: {name} is built in {} versions: {}", several.len(), several.join(", "));
    }
    for name in known.iter().filter(|n| versions.get(n.as_str()).is_none_or(|v| v.len() < 2)) {
        println!("warning: deny.toml excuses {name}, which is there once or not at all");
    }
    if !refused.is_empty() {
        return Err(format!("licences that deny.toml does not allow:\n  {}", refused.join("\n  ")));
    }
    println!("   {} packages, all under licences that deny.toml allows", packages.len());
    cargo_deny()
}

/// `cargo deny check`, where it is installed.
fn cargo_deny() -> Result<(), String> {
    let there = Command::new(env!("CARGO")).args(["deny", "--version"]).current_dir(root()).output();
    if !there.is_ok_and(|out| out.status.success()) {
        println!(
            "SKIPPED: cargo-deny is not installed, so that nobody looked for advisories (`cargo install cargo-deny`)"
        );
        return Ok(());
    }
    // without a network there is no database of advisories
    let fetched = Command::new(env!("CARGO")).args(["deny", "fetch", "db"]).current_dir(root()).output();
    let mut checks = vec!["deny", "check", "licenses", "bans", "sources"];
    if fetched.is_ok_and(|out| out.status.success()) {
        checks.push("advisories");
    } else {
        println!("SKIPPED: the database of advisories could not be fetched");
    }
    match Command::new(env!("CARGO")).args(&checks).current_dir(root()).status() {
        Ok(s) if s.success() => Ok(()),
        Ok(_) => Err("cargo deny found something".into()),
        Err(e) => Err(format!("cargo deny could not start: {e}")),
    }
}

struct Package {
    name: String,
    version: String,
    licence: String,
}

fn packages() -> Result<Vec<Package>, String> {
    let args = ["metadata", "--format-version", "1", "--locked"];
    let out = Command::new(env!("CARGO")).args(args).current_dir(root()).output();
    let out = out.map_err(|e| format!("cargo metadata could not start: {e}"))?;
    if !out.status.success() {
        return Err(format!("cargo metadata failed: {}", String::from_utf8_lossy(&out.stderr)));
    }
    let all: Value = serde_json::from_slice(&out.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let text = |p: &Value, key: &str| p[key].as_str().unwrap_or_default().to_owned();
    let list = all["packages"].as_array().into_iter().flatten();
    Ok(list
        .map(|p| Package { name: text(p, "name"), version: text(p, "version"), licence: text(p, "license") })
        .collect())
}

fn refused(packages: &[Package], allowed: &[String]) -> Vec<String> {
    let bad = |p: &&Package| !permitted(&p.licence, allowed);
    packages.iter().filter(bad).map(|p| format!("{} {}: `{}`", p.name, p.version, p.licence)).collect()
}

/// Whether one of the alternatives of an expression is allowed as a whole. `AND` binds closer than `OR`; a slash is an old
/// way to write `OR`.
fn permitted(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let fine = either(&words, &mut at, allowed);
    fine && at == words.len()
}

fn either(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut fine = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        fine |= both(words, at, allowed);
    }
    fine
}

fn both(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut fine = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        fine &= one(words, at, allowed);
    }
    fine
}

fn one(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let fine = either(words, at, allowed);
        let closed = words.get(*at) == Some(&")");
        *at += usize::from(closed);
        return fine && closed;
    }
    let mut name = (*word).to_owned();
    if words.get(*at) == Some(&"WITH") {
        name = format!("{name} WITH {}", words.get(*at + 1).unwrap_or(&""));
        *at += 2;
    }
    allowed.contains(&name)
}

/// The lines of the list called `key`.
fn list<'a>(text: &'a str, key: &str) -> impl Iterator<Item = &'a str> {
    let head = format!("{key} = [");
    text.lines().skip_while(move |l| *l != head).skip(1).take_while(|l| *l != "]")
}

fn quoted(text: &str, key: &str) -> Vec<String> {
    list(text, key).filter_map(|l| l.split('"').nth(1)).map(str::to_owned).collect()
}

fn names(text: &str, key: &str) -> BTreeSet<String> {
    list(text, key).filter_map(|l| l.split("name = \"").nth(1)?.split('"').next()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_are_read_as_expressions() {
        let allowed = ["MIT", "Zlib", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(String::from);
        let may = |e: &str| permitted(e, &allowed);
        for fine in [
            "MIT",
            "MIT/GPL-3.0",
            "GPL-3.0 OR Zlib",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(may(fine), "{fine}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "GPL-3.0 OR MIT AND AGPL-3.0", "Apache-2.0", "(MIT", "MIT MIT"] {
            assert!(!may(bad), "{bad}");
        }
    }

    #[test]
    fn deny_toml_is_understood() {
        let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
        assert!(quoted(&text, "allow").len() > 5 && quoted(&text, "allow").contains(&"MIT".to_owned()));
        assert!(names(&text, "skip").contains("syn"));
    }
}
