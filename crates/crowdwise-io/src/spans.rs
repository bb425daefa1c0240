//! Span files: JSON lines, one annotator's spans of one sequence each.
//!
//! `{"sequence": "s1", "annotator": "w3", "tokens": ["Ada", "Byron", "wrote"], "spans": [{"start": 0, "end": 2, "type": "PER"}]}`.
//! `end` is the token after the last; `length` may stand instead of `tokens`. The lines of Prodigy's span interfaces are read
//! as well (`token_start`, `token_end` that is the last token, `label`, `_annotator_id`, `_input_hash`). Tokens outside every span
//! are `O`: a sequence that an annotator did not see has no line.

use crate::conll::{PER_TAG, PER_TOKEN};
use crate::source::unreadable;
use crate::tagged::{Sequence, Tagged, assemble, chains, refuse, said, who};
use crate::{Read, Source};
use crowdwise_core::questions::TagSet;
use crowdwise_core::{Dataset, Error, Names, memory};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};

/// Reads a span file as tags `B-type`, `I-type` and `O`.
pub fn read_spans(source: &Source) -> Result<Read<Tagged>, Error> {
    let file = source.name();
    let reader = BufReader::new(source.open_within(2)?);
    let (mut sequences, mut annotators, mut problems): (Vec<Sequence>, Names, Vec<String>) =
        (Vec::new(), Names::new(), Vec::new());
    let mut places: HashMap<String, usize> = HashMap::new();
    let (mut lines, mut spans, mut ignored, mut taken) = (0usize, 0usize, 0usize, 0u64);
    for (n, line) in reader.lines().enumerate() {
        let line = line.map_err(|e| unreadable(&file, &e))?;
        if line.trim().is_empty() {
            continue;
        }
        lines += 1;
        let read = serde_json::from_str::<Map<String, Value>>(&line)
            .map_err(|_| "is not a JSON object".to_owned())
            .and_then(|o| Line::of(&o));
        match read {
            Err(what) => problems.push(format!("line {} {what}", n + 1)),
            Ok(None) => ignored += 1,
            Ok(Some(line)) => {
                taken += (PER_TOKEN + PER_TAG) * line.tokens.len() as u64;
                memory::check(Some(taken), || format!("{file} up to line {}", n + 1))?;
                let at = *places.entry(line.sequence.clone()).or_insert_with(|| {
                    sequences.push(Sequence {
                        name: line.sequence.clone(),
                        tokens: line.tokens.clone(),
                        tags: Vec::new(),
                    });
                    sequences.len() - 1
                });
                let s = &mut sequences[at];
                let j = annotators.intern(&line.annotator);
                if s.tokens != line.tokens {
                    let (a, b) = (s.tokens.len(), line.tokens.len());
                    problems.push(format!("line {}: `{}` had other tokens before ({a} and {b})", n + 1, s.name));
                } else if s.tags.iter().any(|t| t.0 == j) {
                    problems.push(format!("line {}: `{}` comes twice for `{}`", n + 1, s.name, line.annotator));
                } else {
                    spans += line.spans;
                    s.tags.push((j, line.tags));
                }
            }
        }
    }
    let hint = "a line has sequence, annotator, tokens (or length) and spans with start, end and type";
    refuse(&file, &problems, hint)?;
    let mut notes = vec![format!("{lines} lines with {spans} spans, as tags B-, I- and O")];
    if ignored > 0 {
        notes.push(format!("{ignored} lines that were rejected or ignored left out"));
    }
    Ok(Read { value: assemble(&sequences, annotators, &file)?, notes })
}

struct Line {
    sequence: String,
    annotator: String,
    tokens: Vec<String>,
    tags: Vec<Option<String>>,
    spans: usize,
}

fn text(o: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|k| match o.get(*k)? {
        Value::String(s) if !s.is_empty() => Some(s.clone()),
        Value::Number(n) => Some(n.to_string()),
        _ => None,
    })
}

fn whole(o: &Map<String, Value>, key: &str) -> Option<usize> {
    o.get(key)?.as_u64().map(|x| x as usize)
}

/// Longest sequence that a `length` without tokens may ask for.
const LONGEST: usize = 10_000_000;

impl Line {
    /// What a line says; nothing if Prodigy marks it as rejected or ignored.
    fn of(o: &Map<String, Value>) -> Result<Option<Line>, String> {
        if o.get("answer").and_then(Value::as_str).is_some_and(|a| a != "accept") {
            return Ok(None);
        }
        let sequence = text(o, &["sequence", "id", "_input_hash"]).ok_or("has no `sequence`")?;
        let annotator =
            text(o, &["annotator", "worker", "_annotator_id", "_session_id"]).ok_or("has no `annotator`")?;
        let tokens: Vec<String> = match o.get("tokens").and_then(Value::as_array) {
            Some(list) => list
                .iter()
                .map(|t| {
                    t.as_str().or_else(|| t.get("text")?.as_str()).map(Into::into).ok_or("has a token without text")
                })
                .collect::<Result<_, _>>()?,
            None => match whole(o, "length") {
                Some(n) if n <= LONGEST && n as u64 <= memory::limit() / (PER_TOKEN + PER_TAG) => vec!["_".into(); n],
                Some(n) => return Err(format!("has a length of {n}")),
                None => return Err("has neither `tokens` nor `length`".into()),
            },
        };
        let list = o.get("spans").and_then(Value::as_array).ok_or("has no list `spans`")?;
        let mut tags: Vec<Option<String>> = vec![Some("O".into()); tokens.len()];
        for s in list {
            let s = s.as_object().ok_or("has a span that is not an object")?;
            let kind = text(s, &["type", "label"]).ok_or("has a span without `type`")?;
            let range = match (whole(s, "token_start"), whole(s, "token_end")) {
                (Some(a), Some(b)) => a..b.saturating_add(1),
                _ => match (whole(s, "start"), whole(s, "end")) {
                    (Some(a), Some(b)) => a..b,
                    _ => return Err("has a span without `start` and `end`".into()),
                },
            };
            if range.is_empty() || range.end > tokens.len() {
                return Err(format!("has a span {}..{} of {} tokens", range.start, range.end, tokens.len()));
            }
            if tags[range.clone()].iter().any(|t| t.as_deref() != Some("O")) {
                return Err(format!("has spans that overlap at {}..{}", range.start, range.end));
            }
            for n in range.clone() {
                tags[n] = Some(format!("{}-{kind}", if n == range.start { "B" } else { "I" }));
            }
        }
        Ok(Some(Line { sequence, annotator, tokens, tags, spans: list.len() }))
    }
}

/// Writes what annotators marked as spans. Reading it again gives the same table where annotators labelled whole sequences and
/// kept to the tag scheme; tokens that an annotator skipped become `O`.
pub fn write_spans(out: &mut dyn Write, data: &Dataset, tokens: &[String]) -> Result<(), Error> {
    let (starts, names) = chains(data)?;
    let classes = data.table.categorical().expect("tags are classes").classes;
    let Some(set) = TagSet::read(classes.iter(), &data.source)? else {
        return Err(Error::Unsupported {
            what: format!("the classes of {} are not span tags", data.source),
            hint: Some("tags are O, B-type and I-type".into()),
        });
    };
    let failed = |e: std::io::Error| Error::Unwritable { file: "the spans".into(), what: e.to_string() };
    for (c, w) in starts.windows(2).enumerate() {
        let units = w[0] as usize..w[1] as usize;
        for j in who(data, units.clone()) {
            let spans: Vec<Value> = set
                .spans(said(data, units.clone(), j))
                .iter()
                .map(|s| json!({"start": s.start, "end": s.end, "type": set.types.name(s.kind as usize)}))
                .collect();
            let mut line = json!({"sequence": names.name(c), "annotator": data.table.annotators().name(j as usize)});
            match tokens.get(units.clone()) {
                Some(t) if !t.is_empty() => line["tokens"] = json!(t),
                _ => line["length"] = json!(units.len()),
            }
            line["spans"] = Value::Array(spans);
            writeln!(out, "{line}").map_err(failed)?;
        }
    }
    out.flush().map_err(failed)
}
