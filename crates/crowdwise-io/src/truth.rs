//! Known truth: of items, of tokens, of compared pairs.

use crate::blocks::BLOCK;
use crate::collect::{Collector, Tally, brief, count};
use crate::columns::{Purpose, Shape};
use crate::conll::read_conll_files;
use crate::merge::{check, nothing, outcome};
use crate::pipeline::Sink;
use crate::read::prepare;
use crate::{Format, Read, ReadOptions, Source};
use crowdwise_core::{BadRow, Error, Gold, GoldValues, LabelKind, Names, Preference, Table, Units};
use std::collections::HashMap;

/// Reads known truth and matches it to the items of `table`.
///
/// A file has the columns item and label (or value, score, truth …), for tokens sequence, position and label, for
/// comparisons left, right and winner. An item that occurs twice must have the same truth both times.
pub fn read_truth(source: &Source, table: &Table, options: &ReadOptions) -> Result<Read<Gold>, Error> {
    read_known(source, table, options, "truth")
}

/// The same of gold that a fit is to use; only the words of the notes differ.
pub fn read_gold(source: &Source, table: &Table, options: &ReadOptions) -> Result<Read<Gold>, Error> {
    read_known(source, table, options, "gold")
}

/// Known truth of a table whose units are the classes of items, yes or no.
#[derive(Clone, Debug)]
pub enum SetTruth {
    /// The file names units.
    Units(Gold),
    /// Rows (item, set of classes) as they stand: the file names items.
    Rows(Vec<(String, String)>),
}

/// Reads known truth of sets, of either kind, in one go.
pub fn read_set_truth(
    source: &Source,
    table: &Table,
    options: &ReadOptions,
    word: &str,
) -> Result<Read<SetTruth>, Error> {
    let file = source.name();
    let mut units = table.items().clone();
    units.thaw();
    let mut read = with_rows(source, LabelKind::Categorical, options, word, |c, shape| {
        if matches!(shape, Shape::Pairs { .. }) {
            return Err(Error::BadData {
                file: file.clone(),
                what: format!("the {word} is about pairs of items, but the answers are about single ones"),
                hint: Some("give one row for each item, with its classes".into()),
            });
        }
        if c.items.iter().any(|item| units.get(item).is_some()) {
            return items(c, table, &file, word).map(SetTruth::Units);
        }
        Ok(SetTruth::Rows(texts(c)))
    })?;
    if let SetTruth::Units(gold) = &read.value {
        let more = remarks(gold, word);
        read.notes.extend(more);
    }
    Ok(read)
}

/// The rows (item, label) as they stand.
fn texts(c: &Collector<'_>) -> Vec<(String, String)> {
    let text = |r: usize| {
        let (item, label) = (c.rows.unit[r] as usize, c.rows.code[r] as usize);
        (c.items.name(item).to_owned(), c.classes.name(label).to_owned())
    };
    (0..c.rows.len()).map(text).collect()
}

fn read_known(source: &Source, table: &Table, options: &ReadOptions, word: &str) -> Result<Read<Gold>, Error> {
    let file = source.name();
    if source.format() == Some(Format::Conll) {
        return tags(source, table, word);
    }
    let mut read = with_rows(source, table.kind(), options, word, |rows, shape| match shape {
        Shape::Pairs { .. } => pairs(rows, table, &file, word),
        _ => items(rows, table, &file, word),
    })?;
    read.notes.extend(remarks(&read.value, word));
    Ok(read)
}

/// Reads the rows of a truth file and makes something of them.
fn with_rows<T>(
    source: &Source,
    kind: LabelKind,
    options: &ReadOptions,
    word: &str,
    make: impl FnOnce(&Collector<'_>, &Shape) -> Result<T, Error>,
) -> Result<Read<T>, Error> {
    let file = source.name();
    // What the answers are is known already; the truth file only has to fit.
    let options = ReadOptions { kind: None, wide: false, threads: 1, columns: None, format: None, ..options.clone() };
    let prepared = prepare(source, &options, Purpose::Truth(kind), BLOCK)?;
    let mut whole = Whole::new(prepared.lines);
    prepared.input.run(&prepared.layout, 1, &mut whole)?;
    let mut notes = vec![prepared.layout.note.replacen("columns", &format!("columns of the {word}"), 1)];
    notes.extend(check(&whole.tally, &file, options.skip_bad_rows, "row")?);
    notes.extend(prepared.notes);
    let rows =
        whole.collector.filter(|c| c.rows.len() > 0).ok_or_else(|| nothing(&whole.tally, &file, &prepared.layout))?;
    Ok(Read { value: make(&rows, &prepared.layout.shape)?, notes })
}

/// The truth of tokens in a CoNLL file: its last column.
fn tags(source: &Source, table: &Table, word: &str) -> Result<Read<Gold>, Error> {
    let read = read_conll_files(&[(word.into(), source.clone())])?;
    let known = &read.value.data.table;
    let labels = known.categorical().expect("tags are classes");
    let rows: Vec<(String, String)> = (0..known.n_units())
        .flat_map(|u| known.rows(u).map(move |r| (u, r)))
        .map(|(u, r)| (known.items().name(u).into(), labels.classes.name(labels.codes.get(r)).into()))
        .collect();
    let gold = Gold::from_items(table, &rows, &source.name())?;
    let mut notes = read.notes;
    notes.extend(remarks(&gold, word));
    Ok(Read { value: gold, notes })
}

/// All rows of a file in one collector, with their lines.
struct Whole<'a> {
    collector: Option<Collector<'a>>,
    tally: Tally,
    seen: usize,
}

impl Whole<'_> {
    fn new(lines: u64) -> Self {
        Whole { collector: None, tally: Tally { lines: lines + 1, ..Tally::default() }, seen: 0 }
    }
}

impl<'a> Sink<'a> for Whole<'a> {
    fn merge(&mut self, block: Collector<'a>) -> Result<(), Error> {
        // Truth is read on one thread: the only block is the whole file.
        debug_assert!(self.collector.is_none());
        self.collector = Some(block);
        Ok(())
    }

    fn absorb(&mut self, collector: &mut Collector<'a>) -> Result<(), Error> {
        let lines = &mut collector.rows.line;
        lines[self.seen..].iter_mut().for_each(|l| *l += self.tally.lines);
        self.seen = lines.len();
        self.tally.append(std::mem::take(&mut collector.tally));
        Ok(())
    }

    fn close(&mut self, collector: Collector<'a>) {
        self.collector = Some(collector);
    }
}

fn items(c: &Collector<'_>, table: &Table, file: &str, word: &str) -> Result<Gold, Error> {
    if table.kind() == LabelKind::Similarity && word == "gold" {
        return Err(Error::Unsupported {
            what: format!("{file}: no method uses gold of similarity judgements"),
            hint: Some("⟦--truth⟧ compares the clusters with it".into()),
        });
    }
    let tokens = matches!(c.layout.shape, Shape::Sequence { .. });
    let name = |r: usize| {
        let unit = c.items.name(c.rows.unit[r] as usize);
        if tokens { format!("{unit}:{}", c.rows.second[r]) } else { unit.to_owned() }
    };
    let key = |r: usize| (c.rows.unit[r], if tokens { c.rows.second[r] } else { 0 });
    let numbers = matches!(table.kind(), LabelKind::Real | LabelKind::Preference);
    let number =
        |r: usize| c.classes.name(c.rows.code[r] as usize).trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let equal = |a: usize, b: usize| numbers && number(a).is_some() && number(a) == number(b);
    if numbers {
        let bad: Vec<usize> = (0..c.rows.len()).filter(|&r| number(r).is_none()).collect();
        if !bad.is_empty() {
            return Err(Error::BadRows {
                file: file.into(),
                bad: bad.len() as u64,
                total: c.rows.len() as u64,
                examples: bad
                    .iter()
                    .take(5)
                    .map(|&r| BadRow {
                        line: c.rows.line[r],
                        what: format!("`{}` is not a finite number", brief(c.classes.name(c.rows.code[r] as usize))),
                    })
                    .collect(),
            });
        }
    }
    let mut first: HashMap<(u32, u32), usize> = HashMap::new();
    let mut clashes = Vec::new();
    let mut rows: Vec<(String, String)> = Vec::new();
    for r in 0..c.rows.len() {
        match first.get(&key(r)) {
            None => {
                first.insert(key(r), r);
                rows.push((name(r), c.classes.name(c.rows.code[r] as usize).to_owned()));
            }
            Some(&f) if c.rows.code[f] != c.rows.code[r] && !equal(f, r) => clashes.push(format!(
                "`{}` is `{}` on line {} but `{}` on line {}",
                brief(&name(r)),
                brief(c.classes.name(c.rows.code[f] as usize)),
                c.rows.line[f],
                brief(c.classes.name(c.rows.code[r] as usize)),
                c.rows.line[r]
            )),
            Some(_) => {}
        }
    }
    two_truths(clashes, file)?;
    Gold::from_items(table, &rows, file)
}

/// Truth of compared pairs. A pair that was shown in both orders has it in both.
fn pairs(c: &Collector<'_>, table: &Table, file: &str, word: &str) -> Result<Gold, Error> {
    let Units::Pairs(units) = table.units() else {
        return Err(Error::BadData {
            file: file.into(),
            what: format!("it has comparisons, but the answers are {} labels of single items", table.kind()),
            hint: Some(format!("give a {word} file with the columns item and label")),
        });
    };
    let mut known = table.items().clone();
    known.thaw();
    let unit_of: HashMap<[u32; 2], u32> = units.iter().enumerate().map(|(u, &p)| (p, u as u32)).collect();
    // Truth by pair of local codes, smaller first, so that a pair and its mirror image are one.
    let mut said: HashMap<[u32; 2], (Preference, usize)> = HashMap::new();
    let (mut clashes, mut order) = (Vec::new(), Vec::new());
    for r in 0..c.rows.len() {
        let (l, r2) = (c.rows.unit[r], c.rows.second[r]);
        let mut winner = outcome(c.rows.code[r]);
        let mut pair = [l, r2];
        if l > r2 {
            pair = [r2, l];
            winner = mirror(winner);
        }
        match said.get(&pair) {
            None => {
                said.insert(pair, (winner, r));
                order.push(pair);
            }
            Some(&(w, f)) if w != winner => clashes.push(format!(
                "`{}` against `{}` has another winner on line {} than on line {}",
                brief(c.items.name(pair[0] as usize)),
                brief(c.items.name(pair[1] as usize)),
                c.rows.line[r],
                c.rows.line[f]
            )),
            Some(_) => {}
        }
    }
    two_truths(clashes, file)?;
    let (mut values, mut outside) = (Vec::new(), Vec::new());
    for pair in order {
        let winner = said[&pair].0;
        let [a, b] = pair.map(|i| known.get(c.items.name(i as usize)));
        let mut found = false;
        if let (Some(a), Some(b)) = (a, b) {
            for (key, w) in [([a, b], winner), ([b, a], mirror(winner))] {
                if let Some(&u) = unit_of.get(&key) {
                    values.push((u, w));
                    found = true;
                }
            }
        }
        if !found {
            outside.push((outside.len() as u32, winner));
        }
    }
    if values.is_empty() {
        return Err(Error::BadData {
            file: file.into(),
            what: "none of its pairs was compared in the answers".into(),
            hint: Some("check that both files use the same item ids".into()),
        });
    }
    values.sort_unstable_by_key(|v| v.0);
    Ok(Gold {
        values: GoldValues::Preferences(values),
        unlabelled: GoldValues::Preferences(outside),
        extra_classes: Names::new(),
    })
}

fn mirror(p: Preference) -> Preference {
    match p {
        Preference::Left => Preference::Right,
        Preference::Right => Preference::Left,
        Preference::Tie => Preference::Tie,
    }
}

fn two_truths(mut clashes: Vec<String>, file: &str) -> Result<(), Error> {
    if clashes.is_empty() {
        return Ok(());
    }
    let n = clashes.len();
    clashes.truncate(5);
    let more = if n > 5 { ", …" } else { "" };
    Err(Error::BadData {
        file: file.into(),
        what: format!("{}: {}{more}", count(n as u64, "contradiction"), clashes.join(", ")),
        hint: Some("leave one line for each".into()),
    })
}

fn remarks(gold: &Gold, word: &str) -> Vec<String> {
    let mut notes = Vec::new();
    if !gold.unlabelled.is_empty() {
        let what = if matches!(gold.values, GoldValues::Preferences(_)) { "pair" } else { "item" };
        notes.push(format!("{word} of {} without answers", count(gold.unlabelled.len() as u64, what)));
    }
    if !gold.extra_classes.is_empty() {
        let names: Vec<String> = gold.extra_classes.iter().take(5).map(|n| format!("`{}`", brief(n))).collect();
        let more = if gold.extra_classes.len() > 5 { ", …" } else { "" };
        notes.push(format!(
            "{} of the {word} in no answer: {}{more}",
            count(gold.extra_classes.len() as u64, "class"),
            names.join(", ")
        ));
    }
    notes
}
