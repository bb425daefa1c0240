//! Rows of text become rows of codes.

use crate::columns::{Layout, Shape};
use crate::words::{same_or_not, winner};
use crowdwise_core::{BadRow, LabelKind, Names};

/// How many bad rows are shown.
const EXAMPLES: usize = 5;

/// The text of one row, column by column; what is missing is empty.
pub(crate) trait Fields {
    fn get(&self, column: usize) -> &str;
}

impl Fields for [&str] {
    fn get(&self, column: usize) -> &str {
        self[column]
    }
}

/// Columns of codes; only those are filled that the layout needs.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// Item, left item, or sequence.
    pub unit: Vec<u32>,
    /// Right item, position in the sequence, or place in a ranking.
    pub second: Vec<u32>,
    pub annotator: Vec<u32>,
    /// Class, outcome of a comparison, or ranking.
    pub code: Vec<u32>,
    pub value: Vec<f64>,
    /// Line of each row, kept only for truth files and rankings (duplicates are reported by line).
    pub line: Vec<u64>,
    /// Tokens (sequence and position) of rows without a label. Other items need no such list: their name is enough.
    pub silent: Vec<[u32; 2]>,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.unit.len()
    }

    /// Sequence and position of every token, also of those without a label.
    pub fn places(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.unit.iter().zip(&self.second).map(|(&s, &p)| [s, p]).chain(self.silent.iter().copied())
    }

    pub fn clear(&mut self) {
        self.unit.clear();
        self.second.clear();
        self.annotator.clear();
        self.code.clear();
        self.value.clear();
        self.line.clear();
        self.silent.clear();
    }
}

/// What was not taken, and why.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Rows seen.
    pub total: u64,
    pub bad: u64,
    /// Of the bad ones, those whose bytes are not UTF-8.
    pub not_utf8: u64,
    /// Of the bad ones, those with a value that is not a number.
    pub not_number: u64,
    /// The first few, by line.
    pub examples: Vec<BadRow>,
    /// Rows (in a wide table: cells) without a label.
    pub empty: u64,
    /// Values with blanks around them: they are kept as they are, and said.
    pub padded: u64,
    /// Assignments that were rejected, and so left out.
    pub rejected: u64,
    /// The row that spans the most lines: how many, and the line where it begins.
    pub longest: (u64, u64),
    /// The line of a quote that is never closed, and how many lines from there to the end are lost by it.
    pub unclosed: Option<(u64, u64)>,
    /// Lines seen.
    pub lines: u64,
}

impl Tally {
    pub fn bad(&mut self, line: u64, what: impl FnOnce() -> String) {
        self.bad += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(BadRow { line, what: what() });
        }
    }

    /// Adds problems that were seen when all rows were there; their lines are those of the file.
    pub fn add_bad(&mut self, later: Vec<(u64, String)>) {
        self.bad += later.len() as u64;
        self.examples.extend(later.into_iter().map(|(line, what)| BadRow { line, what }));
        self.examples.sort_by_key(|row| row.line);
        self.examples.truncate(EXAMPLES);
    }

    /// Adds what came after; its lines count from the end of these.
    pub fn append(&mut self, later: Tally) {
        for row in later.examples {
            if self.examples.len() < EXAMPLES {
                self.examples.push(BadRow { line: row.line + self.lines, what: row.what });
            }
        }
        if later.longest.0 > self.longest.0 {
            self.longest = (later.longest.0, later.longest.1 + self.lines);
        }
        self.unclosed = self.unclosed.or(later.unclosed.map(|(line, lost)| (line + self.lines, lost)));
        self.total += later.total;
        self.bad += later.bad;
        self.not_utf8 += later.not_utf8;
        self.not_number += later.not_number;
        self.empty += later.empty;
        self.padded += later.padded;
        self.rejected += later.rejected;
        self.lines += later.lines;
    }
}

/// Collects the rows of one block (or of the whole file), with names numbered by first appearance in it.
#[derive(Debug)]
pub(crate) struct Collector<'a> {
    pub layout: &'a Layout,
    pub items: Names,
    pub annotators: Names,
    pub classes: Names,
    /// Items of comparisons without an outcome. These are not kept: a ranking has no place for what nobody compared.
    pub undecided: Names,
    pub rows: Rows,
    pub tally: Tally,
    /// Whole rankings taken so far.
    pub ballots: u32,
    keep_lines: bool,
}

impl<'a> Collector<'a> {
    pub fn new(layout: &'a Layout) -> Self {
        let mut annotators = Names::new();
        if let Shape::Wide { annotators: columns, .. } = &layout.shape {
            columns.iter().for_each(|&c| {
                annotators.intern(&layout.names[c]);
            });
        }
        Collector {
            layout,
            items: Names::new(),
            annotators,
            classes: Names::new(),
            undecided: Names::new(),
            rows: Rows::default(),
            tally: Tally::default(),
            ballots: 0,
            keep_lines: layout.is_truth() || layout.shape.ranks(),
        }
    }

    /// Takes one row, or counts it as bad or empty.
    #[inline]
    pub fn row<F: Fields + ?Sized>(&mut self, line: u64, fields: &F) {
        self.tally.total += 1;
        if self.layout.status.is_some_and(|c| fields.get(c).trim().eq_ignore_ascii_case("rejected")) {
            return self.rejected(fields);
        }
        match &self.layout.shape {
            Shape::Labels { item, annotator, label } => {
                let who = annotator.map(|a| self.seen(fields.get(a)));
                let (item, label) = (self.seen(fields.get(*item)), self.seen(fields.get(*label)));
                self.label(line, item, who, label);
            }
            Shape::Pairs { left, right, annotator, outcome } => {
                let who = annotator.map(|a| self.seen(fields.get(a)));
                let [left, right, outcome] = [left, right, outcome].map(|&c| self.seen(fields.get(c)));
                self.pair(line, left, right, who, outcome);
            }
            Shape::Sequence { sequence, position, annotator, label } => {
                let who = annotator.map(|a| self.seen(fields.get(a)));
                let (sequence, label) = (self.seen(fields.get(*sequence)), self.seen(fields.get(*label)));
                self.token(line, sequence, fields.get(*position), who, label);
            }
            Shape::Places { ranking, annotator, item, position } => {
                let [who, item] = [annotator, item].map(|&c| self.seen(fields.get(c)));
                let ranking = ranking.map_or(who, |c| self.seen(fields.get(c)));
                self.place(line, ranking, who, item, fields.get(*position));
            }
            Shape::Ballots { annotator, ranking, shown } => {
                let who = self.seen(fields.get(*annotator));
                self.ballot(line, who, fields.get(*ranking), shown.map(|c| fields.get(c)));
            }
            Shape::Wide { item, annotators } => {
                let (name, bad) = (self.seen(fields.get(*item)), self.tally.bad);
                if is_blank(name) {
                    return self.tally.bad(line, || "no item".into());
                }
                let unit = self.items.intern(name);
                for (code, &column) in annotators.iter().enumerate() {
                    let label = self.seen(fields.get(column));
                    if is_blank(label) {
                        self.tally.empty += 1;
                        continue;
                    }
                    if !self.take_value(line, label) {
                        continue;
                    }
                    self.rows.unit.push(unit);
                    self.rows.annotator.push(code as u32);
                }
                // a row with several bad cells is one bad row
                self.tally.bad = self.tally.bad.min(bad + 1);
            }
        }
    }

    /// A value, with a look at blanks around it: `x ` is another class than `x`, which hardly anybody means.
    #[inline]
    pub fn seen<'t>(&mut self, text: &'t str) -> &'t str {
        let plain = |b: Option<&u8>| b.is_some_and(|b| *b > b' ' && *b < 0x80);
        if !(plain(text.as_bytes().first()) && plain(text.as_bytes().last())) {
            let bare = text.trim().len();
            self.tally.padded += u64::from(bare > 0 && bare != text.len());
        }
        text
    }

    #[inline]
    pub fn label(&mut self, line: u64, item: &str, annotator: Option<&str>, label: &str) {
        if is_blank(label) {
            return self.no_label(line, item, annotator);
        }
        if self.blank(line, &[("item", Some(item)), ("annotator", annotator)]) {
            return;
        }
        if !self.take_value(line, label) {
            return;
        }
        let unit = again(&mut self.items, self.rows.unit.last(), item);
        self.rows.unit.push(unit);
        self.take_annotator(line, annotator);
    }

    /// A row without a label: the item is known all the same. Nobody said nothing of it if no annotator is named either,
    /// as in a list of all items that was joined with the labels there are.
    pub fn no_label(&mut self, line: u64, item: &str, annotator: Option<&str>) {
        if self.blank(line, &[("item", Some(item))]) {
            return;
        }
        if !annotator.is_some_and(is_blank) {
            self.tally.empty += 1;
        }
        self.items.intern(item);
    }

    /// An assignment that was rejected: its item remains, as one that still wants an answer.
    fn rejected<F: Fields + ?Sized>(&mut self, fields: &F) {
        self.tally.rejected += 1;
        if let Shape::Labels { item, .. } = self.layout.shape
            && !is_blank(fields.get(item))
        {
            self.items.intern(fields.get(item));
        }
    }

    fn pair(&mut self, line: u64, left: &str, right: &str, annotator: Option<&str>, outcome: &str) {
        if self.blank(line, &[("left item", Some(left)), ("right item", Some(right)), ("annotator", annotator)]) {
            return;
        }
        if is_blank(outcome) {
            self.tally.empty += 1;
            self.undecided.intern(left);
            self.undecided.intern(right);
            return;
        }
        if left == right {
            return self.tally.bad(line, || format!("`{}` is compared with itself", brief(left)));
        }
        let code = if self.layout.kind == LabelKind::Similarity {
            same_or_not(outcome).map(u32::from)
        } else {
            winner(outcome, left, right).map(|w| w as u32)
        };
        let Some(code) = code else {
            let similar = self.layout.kind == LabelKind::Similarity;
            return self.tally.bad(line, || {
                if similar {
                    format!("`{}` is neither yes nor no", brief(outcome))
                } else {
                    format!(
                        "the winner `{}` is neither `{}` nor `{}` nor a tie",
                        brief(outcome),
                        brief(left),
                        brief(right)
                    )
                }
            });
        };
        let left = again(&mut self.items, self.rows.unit.last(), left);
        let right = again(&mut self.items, self.rows.second.last(), right);
        self.rows.unit.push(left);
        self.rows.second.push(right);
        self.rows.code.push(code);
        self.take_annotator(line, annotator);
    }

    fn token(&mut self, line: u64, sequence: &str, position: &str, annotator: Option<&str>, label: &str) {
        let silent = is_blank(label);
        let named = annotator.filter(|a| !(silent && is_blank(a)));
        if self.blank(line, &[("sequence", Some(sequence)), ("annotator", named)]) {
            return;
        }
        let Ok(at) = position.trim().parse::<u32>() else {
            return self.tally.bad(line, || format!("the position `{}` is not a whole number", brief(position)));
        };
        if silent {
            self.tally.empty += u64::from(named.is_some() || annotator.is_none());
            let unit = again(&mut self.items, self.rows.unit.last(), sequence);
            return self.rows.silent.push([unit, at]);
        }
        if !self.take_value(line, label) {
            return;
        }
        let unit = again(&mut self.items, self.rows.unit.last(), sequence);
        self.rows.unit.push(unit);
        self.rows.second.push(at);
        self.take_annotator(line, annotator);
    }

    pub(crate) fn take_annotator(&mut self, line: u64, annotator: Option<&str>) {
        if let Some(name) = annotator {
            let code = again(&mut self.annotators, self.rows.annotator.last(), name);
            self.rows.annotator.push(code);
        }
        if self.keep_lines {
            self.rows.line.push(line);
        }
    }

    /// Adds the label itself; false (and counted) if it is not a value of this kind.
    #[inline]
    fn take_value(&mut self, line: u64, label: &str) -> bool {
        if self.layout.kind != LabelKind::Real {
            let code = again(&mut self.classes, self.rows.code.last(), label);
            self.rows.code.push(code);
            return true;
        }
        match label.trim().parse::<f64>() {
            Ok(x) if x.is_finite() => {
                self.rows.value.push(x);
                true
            }
            Ok(_) => {
                self.tally.bad(line, || format!("`{}` is not a finite number", brief(label)));
                false
            }
            Err(_) => {
                self.tally.not_number += 1;
                self.tally.bad(line, || format!("`{}` is not a number", brief(label)));
                false
            }
        }
    }

    /// Counts a row with blank ids as bad.
    #[inline]
    pub fn blank(&mut self, line: u64, parts: &[(&str, Option<&str>)]) -> bool {
        if !parts.iter().any(|(_, text)| text.is_some_and(is_blank)) {
            return false;
        }
        let missing: Vec<&str> = parts.iter().filter(|(_, t)| t.is_some_and(is_blank)).map(|(n, _)| *n).collect();
        self.tally.bad(line, || format!("no {}", missing.join(", no ")));
        true
    }
}

/// The code of `name`, without a look-up if it is the one of the row before, as in files grouped by item or annotator.
#[inline]
pub(crate) fn again(names: &mut Names, last: Option<&u32>, name: &str) -> u32 {
    match last {
        Some(&code) if names.name(code as usize) == name => code,
        _ => names.intern(name),
    }
}

#[inline]
pub(crate) fn is_blank(text: &str) -> bool {
    text.as_bytes().first().is_none_or(|b| *b <= b' ' || *b >= 0x80) && text.trim().is_empty()
}

/// "1 item", "2 items", "10 412 items".
pub(crate) fn count(n: u64, thing: &str) -> String {
    let plural = match (n, thing) {
        (1, _) => "",
        (_, t) if t.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {thing}{plural}", crowdwise_core::group(n))
}

/// At most 40 characters of a text, for a message.
pub(crate) fn brief(text: &str) -> String {
    let line: String = text.chars().take(41).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() > 40 { line.chars().take(39).chain(['…']).collect() } else { line }
}
