//! CoNLL files: one token a line with its columns, a blank line between sequences.
//!
//! The first column is the token, every further one an annotator, as in the files of crowd-annotated text; `?` or `_` is no
//! answer. `# global.columns = FORM NAME …` (CoNLL-U Plus) names the annotators and `# sent_id = NAME` a sequence; without,
//! they are numbered. Columns are separated by tabs, or by blanks where the line has no tab.

use crate::collect::{brief, count};
use crate::source::unreadable;
use crate::tagged::{Sequence, Tagged, assemble, chains, refuse, said};
use crate::{Read, Source};
use crowdwise_core::questions::MergedSpan;
use crowdwise_core::{Dataset, Error, Fit, Names, memory, stats};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};

/// Reads a CoNLL file with a column per annotator.
///
/// IOB1 (`B-` only between two spans of a type) and BIOES tags become IOB2, which the notes say.
pub fn read_conll(source: &Source) -> Result<Read<Tagged>, Error> {
    let file = source.name();
    let Parsed { mut sequences, columns, seen } = parse(source)?;
    check_tags(&file, &seen, None)?;
    let mut annotators = Names::new();
    let most = sequences.iter().flat_map(|s| s.tags.iter().map(|t| t.0 + 1)).max().unwrap_or(0) as usize;
    for c in 0..most.max(columns.len()) {
        let name = columns.get(c).cloned().unwrap_or_else(|| format!("a{}", c + 1));
        if annotators.intern(&name) as usize != c {
            refuse(&file, &[format!("the column `{name}` comes twice")], "give every annotator a name")?;
        }
    }
    let mut notes = vec![format!("columns: token, and {} (CoNLL)", count(most as u64, "annotator"))];
    notes.extend(to_iob2(&mut sequences));
    Ok(Read { value: assemble(&sequences, annotators, &file)?, notes })
}

/// Reads one CoNLL file per annotator: the last column is what the annotator said. Sequences are matched by `# sent_id`, or by
/// their number where a file has none, and must have the same tokens in every file.
pub fn read_conll_files(files: &[(String, Source)]) -> Result<Read<Tagged>, Error> {
    let mut annotators = Names::new();
    let mut merged: Vec<Sequence> = Vec::new();
    let mut places: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    let mut problems = Vec::new();
    for (annotator, source) in files {
        let j = annotators.intern(annotator);
        let parsed = parse(source)?;
        let last = parsed.seen.keys().map(|x| x.0).max();
        check_tags(&source.name(), &parsed.seen, last)?;
        for mut s in parsed.sequences {
            let last = s.tags.pop().map(|t| t.1).unwrap_or_default();
            let at = *places.entry(s.name.clone()).or_insert_with(|| {
                merged.push(Sequence { name: s.name.clone(), tokens: s.tokens.clone(), tags: Vec::new() });
                merged.len() - 1
            });
            if merged[at].tokens == s.tokens {
                merged[at].tags.push((j, last));
            } else {
                problems.push(format!(
                    "the tokens of `{}` in {} differ from those before ({} and {})",
                    s.name,
                    source.name(),
                    s.tokens.len(),
                    merged[at].tokens.len()
                ));
            }
        }
    }
    let file = files.first().map_or_else(|| "no file".into(), |f| f.1.name());
    refuse(&file, &problems, "all files must split the text in the same way")?;
    let mut notes = vec![format!("{}, one per annotator (CoNLL)", count(files.len() as u64, "file"))];
    notes.extend(to_iob2(&mut merged));
    Ok(Read { value: assemble(&merged, annotators, &file)?, notes })
}

/// What is in a file.
struct Parsed {
    sequences: Vec<Sequence>,
    /// Names of the columns after the token, where the file gives them.
    columns: Vec<String>,
    /// Every tag of each column, with the line where it comes first.
    seen: BTreeMap<(u32, String), usize>,
}

/// Refuses what is no tag in columns of tags (in one column, or in all): the scheme is that of the other tags. Columns of
/// other classes, such as parts of speech, have no `O` beside `B-…`.
fn check_tags(file: &str, seen: &BTreeMap<(u32, String), usize>, column: Option<u32>) -> Result<(), Error> {
    let tags = || seen.iter().filter(|x| column.is_none_or(|c| x.0.0 == c));
    let typed =
        |t: &str| t.split_once('-').is_some_and(|(p, kind)| p.len() == 1 && "BIESLU".contains(p) && !kind.is_empty());
    if !(tags().any(|x| x.0.1 == "O") && tags().any(|x| typed(&x.0.1))) {
        return Ok(());
    }
    let mut bad: Vec<(usize, &str)> =
        tags().filter(|x| x.0.1 != "O" && !typed(&x.0.1)).map(|x| (*x.1, x.0.1.as_str())).collect();
    bad.sort_unstable();
    let problems: Vec<String> =
        bad.iter().map(|(line, tag)| format!("`{}` on line {line} is not a span tag", brief(tag))).collect();
    refuse(
        file,
        &problems,
        "a tag is `O`, or `B-`, `I-` (also E-, S-, L-, U-) with a type behind it, as in `B-PER`; `?` means no answer",
    )
}

/// Memory for a token with its name in the table, and for one tag.
pub(crate) const PER_TOKEN: u64 = 120;
pub(crate) const PER_TAG: u64 = 64;

fn parse(source: &Source) -> Result<Parsed, Error> {
    let file = source.name();
    let reader = BufReader::new(source.open_within(2)?);
    let (mut out, mut columns, mut problems) = (Vec::new(), Vec::<String>::new(), Vec::new());
    let mut now = Sequence::default();
    let (mut width, mut seen, mut taken) = (None, BTreeMap::new(), 0u64);
    for (n, line) in reader.split(b'\n').enumerate() {
        let line = line.map_err(|e| unreadable(&file, &e))?;
        let n = n + 1;
        let Ok(line) = std::str::from_utf8(&line) else {
            problems.push(format!("line {n} is not UTF-8 text"));
            continue;
        };
        let line = line.trim_start_matches('\u{feff}').trim_end_matches('\r');
        if line.trim().is_empty() {
            close(&mut now, &mut out);
            continue;
        }
        if let Some((key, value)) = comment(line) {
            match key {
                "global.columns" => columns = split(value).skip(1).map(Into::into).collect(),
                "sent_id" => value.clone_into(&mut now.name),
                _ => {}
            }
            continue;
        }
        let mut fields = split(line);
        let token = fields.next().unwrap_or_default();
        if token == "-DOCSTART-" {
            continue;
        }
        let tags: Vec<&str> = fields.collect();
        let wanted = *width.get_or_insert(if columns.is_empty() { tags.len() } else { columns.len() });
        if tags.len() != wanted || wanted == 0 {
            problems.push(format!("line {n} has {} columns after the token, not {wanted}", tags.len()));
            continue;
        }
        // short tokens take many times their bytes
        taken += PER_TOKEN + PER_TAG * wanted as u64 + line.len() as u64;
        memory::check(Some(taken), || format!("{file} up to line {n}"))?;
        if now.tokens.is_empty() {
            now.tags = (0..wanted as u32).map(|c| (c, Vec::new())).collect();
        }
        now.tokens.push(token.to_owned());
        for ((c, column), tag) in now.tags.iter_mut().zip(&tags) {
            if !matches!(*tag, "?" | "_" | "") {
                seen.entry((*c, (*tag).to_owned())).or_insert(n);
            }
            column.push((!matches!(*tag, "?" | "_" | "")).then(|| (*tag).to_owned()));
        }
    }
    close(&mut now, &mut out);
    refuse(&file, &problems, "every token has its line with the token and one tag per annotator; `?` means no answer")?;
    Ok(Parsed { sequences: out, columns, seen })
}

fn close(now: &mut Sequence, out: &mut Vec<Sequence>) {
    if !now.tokens.is_empty() {
        let mut done = std::mem::take(now);
        if done.name.is_empty() {
            done.name = format!("s{}", out.len() + 1);
        }
        out.push(done);
    }
}

/// `# key = value`: a token `#` has tags after it and no equals sign.
fn comment(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.strip_prefix('#')?.split_once(" = ")?;
    let key = key.trim();
    (!key.contains([' ', '\t'])).then(|| (key, value.trim()))
}

fn split(line: &str) -> Box<dyn Iterator<Item = &str> + '_> {
    if line.contains('\t') { Box::new(line.split('\t').map(str::trim)) } else { Box::new(line.split_whitespace()) }
}

/// Turns BIOES and IOB1 tags into IOB2, and says so.
fn to_iob2(sequences: &mut [Sequence]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut renamed = 0usize;
    let all =
        |s: &Sequence, f: &mut dyn FnMut(&str)| s.tags.iter().flat_map(|t| t.1.iter().flatten()).for_each(|t| f(t));
    let (mut scheme, mut ends) = (true, false);
    for s in sequences.iter() {
        all(s, &mut |t| {
            scheme &= t == "O"
                || t.split_once('-').is_some_and(|(p, kind)| "BIESLU".contains(p) && p.len() == 1 && !kind.is_empty());
            ends |= t.starts_with("E-") || t.starts_with("S-") || t.starts_with("L-") || t.starts_with("U-");
        });
    }
    if !scheme {
        return notes;
    }
    if ends {
        for tag in sequences.iter_mut().flat_map(|s| s.tags.iter_mut().flat_map(|t| t.1.iter_mut().flatten())) {
            let now = match tag.get(..2) {
                Some("E-" | "L-") => "I-",
                Some("S-" | "U-") => "B-",
                _ => continue,
            };
            tag.replace_range(..2, now);
            renamed += 1;
        }
        notes.push(format!("{renamed} tags of spans' ends and of single tokens became I- and B- (IOB2)"));
    }
    // In IOB1 a span begins with I-, and with B- only right behind another span of its type.
    let (mut by_inside, mut by_begin) = (0usize, 0usize);
    let before = |tags: &[Option<String>], n: usize, kind: &str| {
        n > 0 && tags[n - 1].as_deref().is_some_and(|t| t.len() > 1 && &t[2..] == kind)
    };
    for tags in sequences.iter().flat_map(|s| &s.tags) {
        for (n, tag) in tags.1.iter().enumerate() {
            let Some((place, kind)) = tag.as_deref().and_then(|t| t.split_once('-')) else { continue };
            if !before(&tags.1, n, kind) {
                by_inside += usize::from(place == "I");
                by_begin += usize::from(place == "B");
            }
        }
    }
    if by_inside > 0 && by_begin == 0 {
        for tags in sequences.iter_mut().flat_map(|s| &mut s.tags) {
            for n in (0..tags.1.len()).rev() {
                let begins = tags.1[n]
                    .as_deref()
                    .and_then(|t| t.split_once('-'))
                    .is_some_and(|(place, kind)| place == "I" && !before(&tags.1, n, kind));
                if begins && let Some(tag) = &mut tags.1[n] {
                    tag.replace_range(..1, "B");
                }
            }
        }
        notes.push(format!("{by_inside} spans that began with I- now begin with B- (IOB1 became IOB2)"));
    }
    notes
}

/// Writes tagged sequences with a column per annotator; reading them again gives the same table. Without `tokens` the first
/// column is `_`.
pub fn write_conll(out: &mut dyn Write, data: &Dataset, tokens: &[String]) -> Result<(), Error> {
    let names: Vec<&str> = data.table.annotators().iter().collect();
    let classes = data.table.categorical().map(|c| c.classes);
    let tag = |c: usize| classes.map_or("?", |n| n.name(c));
    table(out, data, tokens, &names, |units, row| {
        for j in 0..names.len() {
            let column = said(data, units.clone(), j as u32);
            column.iter().enumerate().for_each(|(n, c)| row[n].push(c.map_or("?", tag).to_owned()));
        }
    })
}

/// Writes the answer of a fit of tagged sequences: token and tag.
pub fn write_conll_answer(out: &mut dyn Write, fit: &Fit, data: &Dataset, tokens: &[String]) -> Result<(), Error> {
    let classes = data.table.categorical().map(|c| c.classes);
    let (Some((k, posterior)), Some(classes)) = (fit.posterior(), classes) else { return chains(data).map(|_| ()) };
    table(out, data, tokens, &["TAG"], |units, row| {
        for (n, u) in units.enumerate() {
            row[n].push(classes.name(stats::argmax(&posterior[u * k..(u + 1) * k])).to_owned());
        }
    })
}

fn table(
    out: &mut dyn Write,
    data: &Dataset,
    tokens: &[String],
    columns: &[&str],
    fill: impl Fn(std::ops::Range<usize>, &mut [Vec<String>]),
) -> Result<(), Error> {
    let (starts, names) = chains(data)?;
    let classes = data.table.categorical().expect("tags are classes").classes;
    let bad: Vec<String> = columns
        .iter()
        .copied()
        .chain(classes.iter())
        .chain(names.iter())
        .chain(tokens.iter().map(String::as_str))
        .filter(|t| t.contains(['\t', '\n', '\r']) || t.trim() != *t || t.is_empty())
        .map(|t| format!("`{}` cannot stand in a column", t.escape_debug()))
        .collect();
    refuse(&data.source, &bad, "write csv, which can hold any text")?;
    let failed = |e: std::io::Error| Error::Unwritable { file: "the CoNLL file".into(), what: e.to_string() };
    let mut text = format!("# global.columns = FORM\t{}\n", columns.join("\t"));
    for (c, w) in starts.windows(2).enumerate() {
        let units = w[0] as usize..w[1] as usize;
        let mut rows: Vec<Vec<String>> = vec![Vec::new(); units.len()];
        fill(units.clone(), &mut rows);
        text.push_str(&format!("# sent_id = {}\n", names.name(c)));
        for (u, row) in units.zip(&rows) {
            text.push_str(tokens.get(u).map_or("_", String::as_str));
            row.iter().for_each(|t| {
                text.push('\t');
                text.push_str(t);
            });
            text.push('\n');
        }
        text.push('\n');
        out.write_all(text.as_bytes()).map_err(failed)?;
        text.clear();
    }
    out.flush().map_err(failed)
}

/// Writes the spans that a fit found, one JSON object a line: sequence, start, end (the token after the last), type and
/// probability.
pub fn write_merged_spans(out: &mut dyn Write, spans: &[MergedSpan]) -> Result<(), Error> {
    let failed = |e: String| Error::Unwritable { file: "the spans".into(), what: e };
    for s in spans {
        let line = serde_json::to_string(s).map_err(|e| failed(e.to_string()))?;
        writeln!(out, "{line}").map_err(|e| failed(e.to_string()))?;
    }
    out.flush().map_err(|e| failed(e.to_string()))
}
