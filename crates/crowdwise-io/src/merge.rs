//! Rows of all blocks become one dataset.

use crate::ReadOptions;
use crate::collect::{Collector, Rows, Tally, brief, count};
use crate::columns::{Layout, Shape};
use crate::delimited::not_utf8;
use crate::pipeline::Sink;
use crate::rankings;
use crate::sequences::Tokens;
use crowdwise_core::{
    Dataset, Error, LabelKind, MAX_CLASSES, Names, Preference, Rankings, Structure, TableBuilder, Units, group, memory,
};

/// Memory for an answer: its codes or value, and the index by unit and by annotator that is sorted from them.
const PER_ROW: u64 = 40;
/// Memory for a name: its text, and its place in the table of names.
const PER_NAME: u64 = 48;

/// Builds the table in file order, so that it does not depend on how the file was cut.
pub(crate) struct Merger<'a> {
    layout: &'a Layout,
    file: &'a str,
    builder: TableBuilder,
    /// Tokens and places wait until all positions are known.
    tokens: Rows,
    /// Whole rankings so far.
    ballots: u32,
    undecided: Names,
    pub tally: Tally,
}

/// How local codes become those of the table.
struct Maps<'m> {
    items: Option<&'m [u32]>,
    annotators: Option<&'m [u32]>,
    classes: Option<&'m [u32]>,
    /// Lines before these rows, and whole rankings.
    lines: u64,
    ballots: u32,
}

#[inline]
fn look(map: Option<&[u32]>, code: u32) -> u32 {
    map.map_or(code, |m| m[code as usize])
}

impl<'a> Merger<'a> {
    /// `lines` are those before the first row.
    pub fn new(layout: &'a Layout, file: &'a str, lines: u64) -> Self {
        // Lines are told from 1.
        let tally = Tally { lines: lines + 1, ..Tally::default() };
        Merger {
            layout,
            file,
            builder: TableBuilder::new(layout.kind),
            tokens: Rows::default(),
            ballots: 0,
            undecided: Names::new(),
            tally,
        }
    }

    fn add(&mut self, rows: &Rows, maps: &Maps<'_>) -> Result<(), Error> {
        self.check_memory(rows.unit.len())?;
        if let Shape::Sequence { .. } = self.layout.shape {
            self.tokens.unit.extend(rows.unit.iter().map(|&u| look(maps.items, u)));
            self.tokens.annotator.extend(rows.annotator.iter().map(|&a| look(maps.annotators, a)));
            self.tokens.code.extend(rows.code.iter().map(|&c| look(maps.classes, c)));
            self.tokens.second.extend_from_slice(&rows.second);
            self.tokens.silent.extend(rows.silent.iter().map(|&[u, p]| [look(maps.items, u), p]));
            return Ok(());
        }
        if self.layout.shape.ranks() {
            let all = &mut self.tokens;
            all.unit.extend(rows.unit.iter().map(|&u| look(maps.items, u)));
            all.annotator.extend(rows.annotator.iter().map(|&a| look(maps.annotators, a)));
            let whole = matches!(self.layout.shape, Shape::Ballots { .. });
            all.code.extend(rows.code.iter().map(|&c| if whole { c + maps.ballots } else { look(maps.classes, c) }));
            all.second.extend_from_slice(&rows.second);
            all.line.extend(rows.line.iter().map(|l| l + maps.lines));
            return Ok(());
        }
        for r in 0..rows.len() {
            let unit = look(maps.items, rows.unit[r]);
            let annotator = look(maps.annotators, rows.annotator[r]);
            match self.layout.kind {
                LabelKind::Categorical => {
                    let class = look(maps.classes, rows.code[r]);
                    if class as usize >= MAX_CLASSES {
                        return Err(self.too_many_classes());
                    }
                    self.builder.label_codes(unit, annotator, class)?;
                }
                LabelKind::Real => self.builder.value_codes(unit, annotator, rows.value[r]),
                LabelKind::Preference => {
                    let right = look(maps.items, rows.second[r]);
                    self.builder.preference_codes(unit, right, annotator, outcome(rows.code[r]));
                }
                LabelKind::Similarity => {
                    let right = look(maps.items, rows.second[r]);
                    self.builder.similarity_codes(unit, right, annotator, rows.code[r] == 1);
                }
            }
        }
        Ok(())
    }

    /// A packed file of a megabyte may hold a hundred million rows.
    fn check_memory(&self, more: usize) -> Result<(), Error> {
        let rows = (self.builder.len() + self.tokens.unit.len() + more) as u64;
        let names = (self.builder.items.len() + self.builder.annotators.len() + self.builder.classes.len()) as u64;
        let bytes = rows.saturating_mul(PER_ROW).saturating_add(names.saturating_mul(PER_NAME));
        memory::check(Some(bytes), || format!("{}: more than {} answers", self.file, group(rows)))
    }

    fn too_many_classes(&self) -> Error {
        let column =
            self.layout.shape.label().map_or(String::new(), |c| format!(" in column `{}`", self.layout.names[c]));
        Error::BadData {
            file: self.file.into(),
            what: format!("there are more than {} classes{column}", group(MAX_CLASSES as u64)),
            hint: Some("if these are amounts: ⟦--kind real⟧; otherwise choose another column with ⟦--label⟧".into()),
        }
    }

    /// The finished dataset and what is to be said about it.
    pub fn finish(mut self, options: &ReadOptions) -> Result<(Dataset, Vec<String>), Error> {
        let mut notes = vec![self.layout.note.clone()];
        let ranked = self.layout.shape.ranks().then(|| self.rankings()).transpose()?;
        notes.extend(check(&self.tally, self.file, options.skip_bad_rows, "answer")?);
        if ranked.is_none() && self.builder.is_empty() && self.tokens.unit.is_empty() {
            return Err(nothing(&self.tally, self.file, self.layout));
        }
        if let Some((rankings, items, annotators)) = ranked {
            if rankings.is_empty() {
                return Err(nothing(&self.tally, self.file, self.layout));
            }
            let (mut data, note) = rankings::dataset(rankings, items, annotators)?;
            notes.push(note);
            data.source = self.file.into();
            return Ok((data, notes));
        }
        let gone: Vec<&str> = self.undecided.iter().filter(|n| self.builder.items.get(n).is_none()).collect();
        if !gone.is_empty() {
            notes.push(format!(
                "{} in no comparison with an outcome left out: {}",
                count(gone.len() as u64, "item"),
                first_names(&gone)
            ));
        }
        let structure = if let Shape::Sequence { .. } = self.layout.shape {
            self.chains(&mut notes)?
        } else {
            Structure::Independent
        };
        let mut data = Dataset::new(self.builder.finish()?);
        if structure == Structure::Independent {
            notes.extend(data.table.put_in_order(&options.order)?);
        }
        data.structure = structure;
        notes.extend(without_label(&data));
        data.source = self.file.into();
        Ok((data, notes))
    }

    fn rankings(&mut self) -> Result<(Rankings, Names, Names), Error> {
        let rows = std::mem::take(&mut self.tokens);
        let [items, annotators, names] =
            [&mut self.builder.items, &mut self.builder.annotators, &mut self.builder.classes].map(std::mem::take);
        rankings::assemble(&rows, items, annotators, names, &mut self.tally)
    }

    /// Items of a sequence table: tokens by sequence, then position.
    fn chains(&mut self, notes: &mut Vec<String>) -> Result<Structure, Error> {
        let names = std::mem::take(&mut self.builder.items);
        let placed = Tokens::place(&names, || self.tokens.places()).map_err(|what| self.bad_positions(what))?;
        notes.extend(placed.note.clone());
        placed.items(&names).for_each(|(_, _, name)| _ = self.builder.items.intern(&name));
        let tokens = std::mem::take(&mut self.tokens);
        for r in 0..tokens.len() {
            if tokens.code[r] as usize >= MAX_CLASSES {
                return Err(self.too_many_classes());
            }
            let item = placed.item(tokens.unit[r], tokens.second[r]);
            self.builder.label_codes(item, tokens.annotator[r], tokens.code[r])?;
        }
        Ok(Structure::Chains { starts: placed.starts, names })
    }

    fn bad_positions(&self, what: String) -> Error {
        Error::BadData { file: self.file.into(), what, hint: Some(Tokens::HINT.into()) }
    }
}

/// Items that nobody labelled stay: what is to be said about them.
fn without_label(data: &Dataset) -> Option<String> {
    let table = &data.table;
    if *table.units() != Units::Items {
        return None;
    }
    let silent: Vec<&str> =
        (0..table.n_items()).filter(|&i| table.rows(i).is_empty()).map(|i| table.items().name(i)).collect();
    let what = if matches!(data.structure, Structure::Chains { .. }) { "token" } else { "item" };
    let n = count(silent.len() as u64, what);
    (!silent.is_empty()).then(|| format!("{n} without any label kept: {}", first_names(&silent)))
}

fn first_names(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(5).map(|n| format!("`{}`", brief(n))).collect();
    format!("{}{}", shown.join(", "), if names.len() > 5 { ", …" } else { "" })
}

pub(crate) fn outcome(code: u32) -> Preference {
    match code {
        0 => Preference::Left,
        1 => Preference::Right,
        _ => Preference::Tie,
    }
}

impl<'a> Sink<'a> for Merger<'a> {
    fn merge(&mut self, block: Collector<'a>) -> Result<(), Error> {
        let items = numbers(&mut self.builder.items, &block.items);
        let annotators = numbers(&mut self.builder.annotators, &block.annotators);
        let classes = numbers(&mut self.builder.classes, &block.classes);
        numbers(&mut self.undecided, &block.undecided);
        let (lines, ballots) = (self.tally.lines, self.ballots);
        self.ballots += block.ballots;
        self.tally.append(block.tally);
        let maps = Maps { items: Some(&items), annotators: Some(&annotators), classes: Some(&classes), lines, ballots };
        self.add(&block.rows, &maps)
    }

    fn absorb(&mut self, collector: &mut Collector<'a>) -> Result<(), Error> {
        let lines = self.tally.lines;
        self.tally.append(std::mem::take(&mut collector.tally));
        let rows = std::mem::take(&mut collector.rows);
        self.add(&rows, &Maps { items: None, annotators: None, classes: None, lines, ballots: 0 })?;
        collector.rows = rows;
        collector.rows.clear();
        Ok(())
    }

    fn close(&mut self, collector: Collector<'a>) {
        self.builder.items = collector.items;
        self.builder.annotators = collector.annotators;
        self.builder.classes = collector.classes;
        self.undecided = collector.undecided;
    }
}

/// The numbers of a block's names among those of the table.
fn numbers(table: &mut Names, block: &Names) -> Vec<u32> {
    let names: Vec<&str> = block.iter().collect();
    let mut out = Vec::with_capacity(names.len());
    table.intern_all(&names, &mut out);
    out
}

/// Rows of more lines than this are pointed at: a forgotten quote takes everything up to the next one into its field.
const MANY_LINES: u64 = 20;

/// Bad rows are an error, or counted in a note; empty labels are counted in a note.
///
/// `what` is what a row is called.
pub(crate) fn check(tally: &Tally, file: &str, skip: bool, what: &str) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    if !skip {
        Error::all(problems(tally, file))?;
    }
    if tally.bad > 0 {
        let lines: Vec<String> = tally.examples.iter().map(|r| format!("line {} ({})", r.line, r.what)).collect();
        let more = if tally.bad > tally.examples.len() as u64 { ", …" } else { "" };
        notes.push(format!(
            "{} of {} rows were skipped: {}{more}",
            group(tally.bad),
            group(tally.total),
            lines.join(", ")
        ));
    }
    if let Some((line, lost)) = tally.unclosed {
        let lost = count(lost, "line");
        notes.push(format!("a quote is opened on line {line} and never closed: {lost} from there to the end lost"));
    }
    if tally.longest.0 > MANY_LINES {
        let (lines, line) = tally.longest;
        notes.push(format!("the row on line {line} spans {}: is a quote missing there?", count(lines, "line")));
    }
    if tally.rejected > 0 {
        let n = count(tally.rejected, "rejected assignment");
        let them = if tally.rejected == 1 { "it" } else { "them" };
        notes.push(format!("{n} left out (⟦--keep-rejected⟧ uses {them})"));
    }
    if tally.empty > 0 {
        notes.push(format!("{} without a label left out", count(tally.empty, what)));
    }
    if tally.padded > 0 {
        notes.push(format!("spaces around {} kept: `x ` and `x` are different names", count(tally.padded, "value")));
    }
    Ok(notes)
}

/// What is wrong with the rows.
fn problems(tally: &Tally, file: &str) -> Vec<Error> {
    let mut all = Vec::new();
    if tally.bad > 0 && tally.not_utf8 == tally.bad {
        all.push(not_utf8(file, tally.examples[0].line, tally.bad));
    } else if tally.bad > 0 {
        all.push(Error::BadRows {
            file: file.into(),
            bad: tally.bad,
            total: tally.total,
            examples: tally.examples.clone(),
        });
    }
    if tally.not_number > 0 {
        all.push(Error::Usage {
            what: format!("{} not a number", count(tally.not_number, "value")),
            hint: Some("⟦--kind categorical⟧ if the values are classes".into()),
        });
    }
    if let Some((line, lost)) = tally.unclosed {
        let lost = count(lost, "line");
        all.push(Error::BadData {
            file: file.into(),
            what: format!(
                "a quote is opened on line {line} and never closed, so the remaining {lost} are read as one row"
            ),
            hint: Some("close it, or pass ⟦--skip-bad-rows⟧ to read what comes before".into()),
        });
    }
    all
}

/// Why there is nothing to build a table from.
pub(crate) fn nothing(tally: &Tally, file: &str, layout: &Layout) -> Error {
    let (what, hint) = if let Some((line, _)) = tally.unclosed {
        (format!("has no label before line {line}, where a quote is opened and never closed"), None)
    } else if tally.total == 0 {
        ("has a header but no rows".to_owned(), None)
    } else if tally.bad == tally.total {
        (format!("has no good row among its {}", group(tally.total)), None)
    } else if tally.rejected > 0 {
        (
            format!("has {}, but no label except in rejected assignments", count(tally.total, "row")),
            Some("⟦--keep-rejected⟧ uses these".into()),
        )
    } else {
        let hint = layout
            .shape
            .label()
            .map(|c| format!("labels were looked for in column `{}`; ⟦--label⟧ names another", layout.names[c]));
        (format!("has {}, but no label", count(tally.total, "row")), hint)
    };
    Error::NoData { file: file.into(), what, hint }
}
