//! JSON lines, and JSON arrays of rows: one object a row, one key a column.

use crate::blocks::{Block, Blocks};
use crate::collect::{Collector, Fields, brief};
use crate::columns::{Layout, Shape};
use crate::label_studio::LabelStudio;
use crate::pipeline::{Parse, Sink};
use crate::prodigy::Prodigy;
use crowdwise_core::Error;
use memchr::memchr_iter;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt::{self, Write};

/// Objects that are looked at to learn the keys of an array, and more of them as long as all annotations are empty.
const SAMPLE: usize = 1000;

/// What an object is.
#[derive(Clone, Debug)]
pub(crate) enum Element {
    /// A row with these keys.
    Row {
        keys: Vec<(String, usize)>,
        columns: usize,
        /// The column of labels or values; all others hold ids.
        label: Option<usize>,
    },
    /// An item under this key, and one label under the name of each annotator.
    Wide {
        item: String,
    },
    Prodigy(Prodigy),
    LabelStudio(LabelStudio),
}

impl Element {
    /// Rows of this layout.
    pub fn row(layout: &Layout) -> Element {
        if let Shape::Wide { item, .. } = &layout.shape {
            return Element::Wide { item: layout.names[*item].clone() };
        }
        let keys = layout.used().into_iter().map(|c| (layout.names[c].clone(), c)).collect();
        Element::Row { keys, columns: layout.names.len(), label: layout.shape.label() }
    }

    /// Takes one object.
    fn take(&self, line: u64, text: &str, scratch: &mut Texts, out: &mut Collector<'_>) {
        let done = match self {
            Element::Row { keys, columns, label } => {
                scratch.0.resize(*columns, String::new());
                scratch.0.iter_mut().for_each(String::clear);
                read(text, RowSeed { keys, label: *label, texts: &mut scratch.0 }).map(|()| out.row(line, scratch))
            }
            Element::Wide { item } => wide(line, text, item, out),
            Element::Prodigy(p) => object(text).map(|o| p.take(line, &o, out)),
            Element::LabelStudio(l) => object(text).map(|o| l.take(line, &o, out)),
        };
        if let Err(what) = done {
            out.tally.total += 1;
            out.tally.bad(line, || what);
        }
    }
}

/// The texts of a row's columns; the memory is used again for the next row.
#[derive(Default)]
struct Texts(Vec<String>);

impl Fields for Texts {
    fn get(&self, column: usize) -> &str {
        &self.0[column]
    }
}

/// One object a line.
#[derive(Clone, Debug)]
pub(crate) struct JsonLines(pub Element);

impl Parse<Block> for JsonLines {
    fn parse(&self, block: &Block, out: &mut Collector<'_>) -> Result<(), Error> {
        let bytes = &block.bytes;
        let mut scratch = Texts::default();
        let (mut start, mut number) = (0, 0);
        let ends = memchr_iter(b'\n', bytes).chain((!bytes.ends_with(b"\n")).then_some(bytes.len()));
        for end in ends {
            match std::str::from_utf8(&bytes[start..end]) {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => self.0.take(number, line, &mut scratch, out),
                Err(_) => {
                    out.tally.total += 1;
                    out.tally.not_utf8 += 1;
                    out.tally.bad(number, || "not UTF-8 text".into());
                }
            }
            start = end + 1;
            number += 1;
        }
        out.tally.lines = block.lines;
        Ok(())
    }
}

/// A JSON array, one object an element, held in memory.
#[derive(Debug)]
pub(crate) struct JsonArray {
    pub text: String,
    pub file: String,
}

impl JsonArray {
    pub fn read(blocks: Blocks, file: &str) -> Result<JsonArray, Error> {
        let mut bytes = blocks.rest()?;
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            let line = memchr_iter(b'\n', &e.as_bytes()[..e.utf8_error().valid_up_to()]).count() as u64 + 1;
            crate::delimited::not_utf8(file, line, 1)
        })?;
        if text.trim().is_empty() {
            return Err(Error::NoData { file: file.into(), what: "is empty".into(), hint: None });
        }
        Ok(JsonArray { text, file: file.into() })
    }

    /// Calls `take` with the line and the text of each element until it says no.
    fn each<'s>(&'s self, mut take: impl FnMut(u64, &'s str) -> bool) -> Result<(), Error> {
        let (mut at, mut line) = (0, 0);
        let base = self.text.as_ptr() as usize;
        let each = |raw: &'s RawValue| {
            let here = raw.get().as_ptr() as usize - base;
            line += memchr_iter(b'\n', &self.text.as_bytes()[at..here]).count() as u64;
            at = here;
            take(line, raw.get())
        };
        let mut json = serde_json::Deserializer::from_str(&self.text);
        let result = json.deserialize_seq(Elements(each)).and_then(|()| json.end());
        result.map_err(|e| Error::Unreadable {
            file: self.file.clone(),
            what: format!("line {}: {}", e.line(), reason(&e)),
            hint: Some("a .json file must be an array of objects; one object per line is .jsonl".into()),
        })
    }

    /// The first objects.
    pub fn sample(&self) -> Result<Vec<Map<String, Value>>, Error> {
        let mut found = Vec::new();
        let mut answered = false;
        self.each(|_, text| {
            if found.len() < SAMPLE || !answered {
                let next = object(text).ok();
                let tasks = next.as_ref().and_then(|o| o.get("annotations")).and_then(Value::as_array);
                // anything but a task of an annotation tool tells its keys at once
                let tells = tasks.is_none_or(|all| !all.is_empty());
                answered |= tells;
                if found.len() < SAMPLE || tells {
                    found.extend(next);
                }
            }
            found.len() < SAMPLE || !answered
        })?;
        Ok(found)
    }

    /// All rows, on one thread.
    pub fn run<'a>(&self, element: &Element, layout: &'a Layout, sink: &mut impl Sink<'a>) -> Result<(), Error> {
        let mut out = Collector::new(layout);
        let mut scratch = Texts::default();
        self.each(|line, text| {
            element.take(line, text, &mut scratch, &mut out);
            true
        })?;
        sink.absorb(&mut out)?;
        sink.close(out);
        Ok(())
    }
}

/// Hands the elements of an array on one by one, until the function says no.
struct Elements<F>(F);

impl<'de, F: FnMut(&'de RawValue) -> bool> Visitor<'de> for Elements<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let mut go = true;
        while let Some(raw) = seq.next_element::<&RawValue>()? {
            // The rest is still read, so that damage further on is found.
            go = go && (self.0)(raw);
        }
        Ok(())
    }
}

/// The first objects of JSON lines, left in place.
pub(crate) fn sample(blocks: &mut Blocks, file: &str) -> Result<Vec<Map<String, Value>>, Error> {
    let start = blocks.peek()?;
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    if start.iter().all(u8::is_ascii_whitespace) {
        return Err(Error::NoData { file: file.into(), what: "is empty".into(), hint: None });
    }
    let lines = start.split(|&b| b == b'\n').filter_map(|l| std::str::from_utf8(l).ok());
    let found: Vec<_> = lines.filter_map(|l| object(l).ok()).collect();
    if found.is_empty() {
        let first = start.split(|&b| b == b'\n').next().unwrap_or_default();
        let hint = if first.starts_with(b"{") || !first.iter().any(|b| matches!(b, b',' | b'\t' | b';')) {
            "JSON lines have one object per line, such as {\"item\":\"a\",\"annotator\":\"w\",\"label\":\"x\"}"
        } else {
            "it looks like CSV: ⟦--input-format csv⟧ reads it as such"
        };
        return Err(Error::Unreadable {
            file: file.into(),
            what: "its first lines hold no JSON object".into(),
            hint: Some(hint.into()),
        });
    }
    Ok(found)
}

/// Every key of these objects, in the order of appearance.
pub(crate) fn keys(objects: &[Map<String, Value>]) -> Vec<String> {
    let mut names = crowdwise_core::Names::new();
    objects.iter().flat_map(Map::keys).for_each(|k| {
        names.intern(k);
    });
    names.iter().map(str::to_owned).collect()
}

/// The values of these objects by key, for a look at them.
pub(crate) fn rows(objects: &[Map<String, Value>], keys: &[String]) -> Vec<Vec<String>> {
    let cell = |o: &Map<String, Value>, key: &String| o.get(key).and_then(|v| text_of(v).ok()).unwrap_or_default();
    objects.iter().map(|o| keys.iter().map(|k| cell(o, k)).collect()).collect()
}

/// A scalar as text; nothing for null, an error for lists and objects.
pub(crate) fn text_of(value: &Value) -> Result<String, &'static str> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(s) => Ok(s.clone()),
        Value::Bool(b) => Ok(b.to_string()),
        Value::Number(n) => Ok(n.to_string()),
        Value::Array(_) => Err("a list"),
        Value::Object(_) => Err("an object"),
    }
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(o)) => Ok(o),
        Ok(_) => Err("not a JSON object".into()),
        Err(e) => Err(reason(&e)),
    }
}

fn wide(line: u64, text: &str, item: &str, out: &mut Collector<'_>) -> Result<(), String> {
    let o = object(text)?;
    let mut labels = Vec::new();
    for (key, value) in o.iter().filter(|(k, _)| *k != item) {
        labels.push((key, text_of(value).map_err(|what| format!("`{}` is {what}", brief(key)))?));
    }
    let name = text_of(o.get(item).unwrap_or(&Value::Null)).map_err(|what| format!("`{item}` is {what}"))?;
    out.tally.total += 1;
    if crate::collect::is_blank(&name) {
        out.tally.bad(line, || "no item".into());
        return Ok(());
    }
    out.items.intern(&name);
    for (annotator, label) in labels {
        out.label(line, &name, Some(annotator), &label);
    }
    Ok(())
}

/// The message of an error without its place, which is told as the line of the file.
fn reason(e: &serde_json::Error) -> String {
    let whole = e.to_string();
    let what = whole.split(" at line ").next().unwrap_or_default();
    match e.classify() {
        serde_json::error::Category::Data => what.to_owned(),
        _ => format!("not JSON: {what} at column {}", e.column()),
    }
}

fn read<'t>(text: &'t str, seed: RowSeed<'_>) -> Result<(), String> {
    let mut json = serde_json::Deserializer::from_str(text);
    let seed: Result<(), serde_json::Error> = DeserializeSeed::<'t>::deserialize(seed, &mut json);
    seed.and_then(|()| json.end()).map_err(|e| reason(&e))
}

/// Reads only the wanted keys of an object, without building it.
struct RowSeed<'a> {
    keys: &'a [(String, usize)],
    label: Option<usize>,
    texts: &'a mut [String],
}

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(column) = map.next_key_seed(KeySeed(self.keys))? {
            match column {
                Some((name, column)) => {
                    let text = &mut self.texts[column];
                    text.clear();
                    map.next_value_seed(TextSeed { name, is_id: self.label != Some(column), text })?;
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Which column a key is.
struct KeySeed<'a>(&'a [(String, usize)]);

impl<'de, 'a> DeserializeSeed<'de> for KeySeed<'a> {
    type Value = Option<(&'a str, usize)>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for KeySeed<'a> {
    type Value = Option<(&'a str, usize)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().find(|(k, _)| k == key).map(|(k, c)| (k.as_str(), *c)))
    }
}

/// A scalar into a text.
struct TextSeed<'a> {
    name: &'a str,
    is_id: bool,
    text: &'a mut String,
}

impl<'de> DeserializeSeed<'de> for TextSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a text or a number for `{}`", self.name)
    }

    fn visit_str<E>(self, s: &str) -> Result<(), E> {
        self.text.push_str(s);
        Ok(())
    }

    fn visit_bool<E>(self, b: bool) -> Result<(), E> {
        self.text.push_str(if b { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E>(self, x: i64) -> Result<(), E> {
        let _ = write!(self.text, "{x}");
        Ok(())
    }

    fn visit_u64<E>(self, x: u64) -> Result<(), E> {
        let _ = write!(self.text, "{x}");
        Ok(())
    }

    fn visit_f64<E: serde::de::Error>(self, x: f64) -> Result<(), E> {
        // whole numbers beyond 64 bits come rounded, so that different ids would become one
        if self.is_id && x.fract() == 0.0 && x.abs() >= 9_007_199_254_740_992.0 {
            return Err(E::custom(format!(
                "`{}` is a number with too many digits for an id: put it in quotes",
                self.name
            )));
        }
        let _ = write!(self.text, "{x:?}");
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(serde::de::Error::custom(format!("`{}` is a list", self.name)))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(serde::de::Error::custom(format!("`{}` is an object", self.name)))
    }
}
