//! Hints are data: what to do next, with options, parameters and commands marked, so that each front end spells them in its
//! own syntax. A mark stands between `⟦` and `⟧` and holds words of the command line: `⟦--kind categorical⟧`, `⟦-p tol=1e-6⟧`,
//! `⟦-m glad⟧`, `⟦crowdwise inspect⟧`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Whose words a hint is spelled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Options of the command line: `--kind categorical`.
    Command,
    /// Keyword arguments: `kind="categorical"`.
    Python,
}

/// Marks of options that take no value.
const SWITCHES: [&str; 6] = ["--skip-bad-rows", "--keep-rejected", "--wide", "--ordered", "--sets", "--count-copies"];

/// A text whose marks each front end spells in its own syntax. Shown and written as it is, it is that of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint(String);

impl Hint {
    pub fn spelled(&self, syntax: Syntax) -> String {
        spell(&self.0, syntax)
    }
}

impl<T: Into<String>> From<T> for Hint {
    fn from(text: T) -> Hint {
        Hint(text.into())
    }
}

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.spelled(Syntax::Command))
    }
}

impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        // what people read is spelled; what is kept for another run keeps its marks
        if s.is_human_readable() { s.serialize_str(&self.spelled(Syntax::Command)) } else { s.serialize_str(&self.0) }
    }
}

impl<'de> Deserialize<'de> for Hint {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Hint, D::Error> {
        Ok(Hint(String::deserialize(d)?))
    }
}

/// A text with its marks spelled. A hint that is one mark and nothing else is something to type, and stands without quotes.
pub fn spell(text: &str, syntax: Syntax) -> String {
    let write = |words: &str| match syntax {
        Syntax::Command => words.to_owned(),
        Syntax::Python => python(words),
    };
    if let Some(only) = text.strip_prefix('⟦').and_then(|t| t.strip_suffix('⟧')).filter(|t| !t.contains('⟦')) {
        return write(only);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, mark)) = rest.split_once('⟦') {
        let (words, after) = mark.split_once('⟧').unwrap_or((mark, ""));
        out += before;
        out.push('`');
        out += &write(words);
        out.push('`');
        rest = after;
    }
    out + rest
}

/// Words of the command line as calls and keyword arguments.
fn python(words: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    match words.as_slice() {
        ["crowdwise", "learn", ..] => "crowdwise.Aggnet().fit(X, answers)".into(),
        ["crowdwise", "fit", rest @ ..] => {
            let from = rest.iter().position(|w| w.starts_with('-')).unwrap_or(rest.len());
            format!("fit(data, {})", arguments(&rest[from..]).join(", "))
        }
        ["crowdwise", "methods"] => "crowdwise.methods()".into(),
        ["crowdwise", command, ..] => format!("crowdwise.{command}(data)"),
        ["--unordered"] => "ordered=False".into(),
        ["--order", ..] => "ordered=[...]".into(),
        ["--max-memory", ..] => "crowdwise.limit_memory(...)".into(),
        ["-m", "METHOD"] => "crowdwise.aggregate(data, METHOD)".into(),
        ["-m", id] => format!("crowdwise.aggregate(data, \"{id}\")"),
        words => arguments(words).join(", "),
    }
}

fn arguments(words: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let value = words.next_if(|w| !w.starts_with('-'));
        match (word.strip_prefix("--"), value) {
            // the class says which method it is
            (None, _) if *word == "-m" => {}
            (None, Some(set)) => {
                let (name, value) = set.split_once('=').unwrap_or((set, "…"));
                out.push(format!("{name}={}", literal(value)));
            }
            (None, None) => out.push((*word).to_owned()),
            (Some(name), None) if SWITCHES.contains(word) => out.push(format!("{}=True", name.replace('-', "_"))),
            (Some(name), None) => out.push(name.replace('-', "_")),
            (Some(name), Some(value)) => out.push(format!("{}={}", name.replace('-', "_"), literal(value))),
        }
    }
    out
}

/// A value as Python writes it; dots for what the caller has to fill in.
fn literal(value: &str) -> String {
    let to_fill = value.contains('…') || value.chars().all(|c| c.is_ascii_uppercase() || c == '.') || value == "X.npy";
    match value {
        _ if to_fill => "...".into(),
        "true" => "True".into(),
        "false" => "False".into(),
        v if v.parse::<f64>().is_ok() => v.into(),
        v => format!("\"{}\"", v.trim_matches('\'')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_front_end_spells_a_hint_in_its_own_words() {
        for (text, command, in_python) in [
            ("⟦--annotator rater⟧", "--annotator rater", "annotator=\"rater\""),
            ("try ⟦--wide⟧", "try `--wide`", "try `wide=True`"),
            ("name it with ⟦--item COLUMN⟧", "name it with `--item COLUMN`", "name it with `item=...`"),
            ("leave out ⟦--kind⟧", "leave out `--kind`", "leave out `kind`"),
            (
                "⟦-p max_iter=9⟧ or ⟦-p rule=given⟧",
                "`-p max_iter=9` or `-p rule=given`",
                "`max_iter=9` or `rule=\"given\"`",
            ),
            ("⟦-m glad⟧ does", "`-m glad` does", "`crowdwise.aggregate(data, \"glad\")` does"),
            ("⟦crowdwise methods⟧ lists", "`crowdwise methods` lists", "`crowdwise.methods()` lists"),
            (
                "⟦crowdwise fit ANSWERS -m pref-e2e --features X.npy⟧ reads",
                "`crowdwise fit ANSWERS -m pref-e2e --features X.npy` reads",
                "`fit(data, features=...)` reads",
            ),
            ("no marks", "no marks", "no marks"),
        ] {
            assert_eq!(spell(text, Syntax::Command), command);
            assert_eq!(spell(text, Syntax::Python), in_python);
        }
    }
}
