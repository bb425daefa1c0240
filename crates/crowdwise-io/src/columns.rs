//! Which column holds what: by name where the names are usual ones, by option otherwise.

use crate::ReadOptions;
pub(crate) use crate::layout::{Layout, Shape};
use crate::roles::{Role, one_of, plain, recognise};
use crowdwise_core::{Error, LabelKind, nearest};

/// What a file is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Answers,
    /// Truth for a table of this kind.
    Truth(LabelKind),
}

/// Finds the layout of a file with these columns; every column that is missing is reported.
pub(crate) fn resolve(names: &[String], options: &ReadOptions, purpose: Purpose, file: &str) -> Result<Layout, Error> {
    Resolver { names, options, purpose, file }.resolve()
}

/// What the rows of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An item, an annotator, a label.
    Labels,
    /// Two items, and which of them is better.
    Comparisons,
    /// Two items, and whether they are the same.
    Similarities,
    /// A token of a sequence, and its label.
    Tokens,
    /// A ranking of several items, or one place in it.
    Rankings,
}

/// What the rows of a table of answers are: by the names of its columns, and by what the options say about the kind of
/// label, about items and about labels. For tables that are no files; those of annotation tools are not looked for.
pub fn form(names: &[String], options: &ReadOptions) -> Form {
    Resolver { names, options, purpose: Purpose::Answers, file: "" }.form()
}

struct Resolver<'a> {
    names: &'a [String],
    options: &'a ReadOptions,
    purpose: Purpose,
    file: &'a str,
}

/// A part of a row: what it is called in messages, the option that names it, what its column holds.
struct Part<'a> {
    name: &'static str,
    flag: Option<&'static str>,
    given: Option<&'a String>,
    role: Role,
}

impl Resolver<'_> {
    fn resolve(&self) -> Result<Layout, Error> {
        if self.names.len() == 1 && !self.options.wide {
            let only = &self.names[0];
            let hint = if only.contains(';') || only.contains('|') || only.contains(' ') {
                "are the fields separated by something other than commas? Commas (csv) and tabs (tsv) are understood"
            } else {
                "an item, an annotator and a label are needed in each row"
            };
            return Err(Error::BadData {
                file: self.file.into(),
                what: format!("there is only one column, `{only}`"),
                hint: Some(hint.into()),
            });
        }
        if self.options.wide {
            return self.wide();
        }
        if self.is_mturk() {
            return self.mturk();
        }
        match self.form() {
            Form::Labels => self.labels(),
            Form::Comparisons => self.pairs(LabelKind::Preference),
            Form::Similarities => self.pairs(LabelKind::Similarity),
            Form::Tokens => self.sequence(),
            Form::Rankings => self.rankings(),
        }
    }

    fn form(&self) -> Form {
        let named_items = self.options.item.is_some();
        let pairs_wanted = matches!(self.options.kind, Some(LabelKind::Preference | LabelKind::Similarity));
        let both_sides = self.has_sides();
        let rankings = self.purpose == Purpose::Answers && self.is_ranking();
        if (pairs_wanted && (both_sides || !rankings)) || (both_sides && !named_items && self.options.kind.is_none()) {
            return if self.is_similarity() { Form::Similarities } else { Form::Comparisons };
        }
        let token = self.usual(Role::Sequence).is_some() && self.usual(Role::Position).is_some();
        if token && !named_items && self.sure(Role::Item).is_none() {
            return Form::Tokens;
        }
        if rankings && !named_items { Form::Rankings } else { Form::Labels }
    }

    /// Columns for both sides of a comparison. Names that may be other things in a table with a column of items are sides
    /// only if there is none; two models of which one wins are sides always.
    fn has_sides(&self) -> bool {
        let sides = |names: fn(Role) -> &'static [&'static str]| {
            [Role::Left, Role::Right].into_iter().all(|side| one_of(self.names, names(side)).is_some())
        };
        let models = || {
            one_of(self.names, &["modela"]).is_some()
                && one_of(self.names, &["modelb"]).is_some()
                && self.sure(Role::Winner).is_some()
        };
        sides(Role::sure) || models() || (sides(Role::usual) && self.usual(Role::Item).is_none())
    }

    /// Whether two sides are judged to be the same, not compared.
    fn is_similarity(&self) -> bool {
        match self.options.kind {
            Some(kind) => kind == LabelKind::Similarity,
            None => {
                self.options.label.is_none() && self.sure(Role::Winner).is_none() && self.sure(Role::Same).is_some()
            }
        }
    }

    /// Rankings have places or a whole order, and nothing that could be a label.
    fn is_ranking(&self) -> bool {
        let kind = matches!(self.options.kind, None | Some(LabelKind::Preference));
        let label = self.options.label.is_some() || self.usual(Role::Label).is_some();
        let places = self.usual(Role::Place).is_some() && self.usual(Role::Item).is_some() && !label;
        // what was chosen of a set may be called a choice or a winner, which elsewhere are labels
        let ranked = Role::Ranked.usual();
        let others: Vec<&str> = Role::Label.usual().iter().copied().filter(|l| !ranked.contains(l)).collect();
        let other = self.options.label.is_some() || one_of(self.names, &others).is_some();
        let chosen = self.usual(Role::Shown).is_some() && self.usual(Role::Ranked).is_some() && !other;
        kind && (places || chosen || (self.sure(Role::Ranked).is_some() && !label))
    }

    fn rankings(&self) -> Result<Layout, Error> {
        let part = |name, role| Part { name, flag: None, given: None, role };
        let optional = |role: Role, taken: &[Option<usize>]| {
            let free = self.names.iter().enumerate().map(|(c, n)| if taken.contains(&Some(c)) { "" } else { n });
            recognise(&free.collect::<Vec<_>>(), role)
        };
        if self.usual(Role::Place).is_some() && self.usual(Role::Item).is_some() {
            let mut parts = vec![self.annotator(), self.item(), part("position", Role::Place)];
            let mut found = self.find_all(&parts)?;
            let ranking = optional(Role::Ranking, &found);
            if ranking.is_some() {
                parts.insert(0, part("ranking", Role::Ranking));
                found.insert(0, ranking);
            }
            let [annotator, item, position] = [3, 2, 1].map(|n| found[found.len() - n].expect("found"));
            let shape = Shape::Places { ranking, annotator, item, position };
            let mut layout = self.layout(shape, LabelKind::Preference, false, &parts, &found);
            layout.note.push_str(if ranking.is_some() { " (rankings)" } else { " (one ranking an annotator)" });
            return Ok(layout);
        }
        let mut parts = vec![self.annotator(), part("ranking", Role::Ranked)];
        let mut found = self.find_all(&parts)?;
        let shown = optional(Role::Shown, &found);
        if shown.is_some() {
            parts.push(part("shown", Role::Shown));
            found.push(shown);
        }
        let shape = Shape::Ballots { annotator: found[0].expect("found"), ranking: found[1].expect("found"), shown };
        Ok(self.layout(shape, LabelKind::Preference, false, &parts, &found))
    }

    fn labels(&self) -> Result<Layout, Error> {
        let parts = [self.item(), self.annotator(), self.label_part(Role::Label, "label")];
        let found = self.find_all(&parts)?;
        let (item, annotator, label) = (found[0].expect("item"), found[1], found[2].expect("label"));
        let (kind, by_values) = match (self.options.kind, self.purpose) {
            (Some(k), _) => (k, false),
            // Truth is matched as text; the table decides what it means.
            (None, Purpose::Truth(_)) => (LabelKind::Categorical, false),
            (None, Purpose::Answers) => {
                (LabelKind::Categorical, matches!(plain(&self.names[label]).as_str(), "value" | "score"))
            }
        };
        Ok(self.layout(Shape::Labels { item, annotator, label }, kind, by_values, &parts, &found))
    }

    fn sequence(&self) -> Result<Layout, Error> {
        let parts = [
            Part { name: "sequence", flag: None, given: None, role: Role::Sequence },
            Part { name: "position", flag: None, given: None, role: Role::Position },
            self.annotator(),
            self.label_part(Role::Label, "label"),
        ];
        let found = self.find_all(&parts)?;
        let shape = Shape::Sequence {
            sequence: found[0].expect("sequence"),
            position: found[1].expect("position"),
            annotator: found[2],
            label: found[3].expect("label"),
        };
        if let Some(k) = self.options.kind.filter(|&k| k != LabelKind::Categorical) {
            return Err(Error::Unsupported {
                what: format!("{}: the labels of a sequence are classes, not {k} ones", self.file),
                hint: Some("leave out ⟦--kind⟧".into()),
            });
        }
        Ok(self.layout(shape, LabelKind::Categorical, false, &parts, &found))
    }

    fn pairs(&self, kind: LabelKind) -> Result<Layout, Error> {
        let (outcome, name) =
            if kind == LabelKind::Similarity { (Role::Same, "same") } else { (Role::Winner, "winner") };
        let parts = [
            Part { name: "left", flag: None, given: None, role: Role::Left },
            Part { name: "right", flag: None, given: None, role: Role::Right },
            self.annotator(),
            self.label_part(outcome, name),
        ];
        let found = self.find_all(&parts)?;
        let shape = Shape::Pairs {
            left: found[0].expect("left"),
            right: found[1].expect("right"),
            annotator: found[2],
            outcome: found[3].expect("outcome"),
        };
        Ok(self.layout(shape, kind, false, &parts, &found))
    }

    fn wide(&self) -> Result<Layout, Error> {
        if self.names.len() < 2 {
            return Err(Error::BadData {
                file: self.file.into(),
                what: "a wide table needs a column of items and one column for each annotator".into(),
                hint: None,
            });
        }
        if let Some(kind @ (LabelKind::Preference | LabelKind::Similarity)) = self.options.kind {
            return Err(Error::Unsupported {
                what: format!("{}: a wide table cannot hold {kind} labels", self.file),
                hint: Some("use one row for each comparison, with columns left, right, annotator, winner".into()),
            });
        }
        let item = match &self.options.item {
            Some(_) => self.find_all(&[self.item()])?[0].expect("item"),
            // Without a usual name the first column is the one of items.
            None => self.usual(Role::Item).unwrap_or(0),
        };
        let annotators: Vec<usize> = (0..self.names.len()).filter(|&c| c != item).collect();
        let mut seen: Vec<&str> = annotators.iter().map(|&c| self.names[c].as_str()).collect();
        seen.sort_unstable();
        if let Some(twice) = seen.windows(2).find(|w| w[0] == w[1]) {
            return Err(self.doubled(twice[0]));
        }
        let kind = self.options.kind.unwrap_or(LabelKind::Categorical);
        let note = format!("columns: item = {}, {} annotators in columns", self.names[item], annotators.len());
        let shape = Shape::Wide { item, annotators };
        Ok(Layout { shape, kind, by_values: false, names: self.names.to_vec(), note, status: None })
    }

    /// Batch results of Amazon Mechanical Turk.
    fn is_mturk(&self) -> bool {
        let has = |name: &str| self.names.iter().any(|n| n == name);
        has("WorkerId") && (has("HITId") || self.names.iter().any(|n| n.starts_with("Input.")))
    }

    fn mturk(&self) -> Result<Layout, Error> {
        let starting = |prefix: &str| -> Vec<&String> { self.names.iter().filter(|n| n.starts_with(prefix)).collect() };
        let (inputs, answers) = (starting("Input."), starting("Answer."));
        let mut options = self.options.clone();
        options.annotator.get_or_insert_with(|| "WorkerId".into());
        if options.item.is_none() {
            // One input column tells what was shown; several do not, and the task's own id is the safe choice.
            options.item = Some(if inputs.len() == 1 { inputs[0].clone() } else { "HITId".into() });
        }
        if options.label.is_none() {
            match answers.as_slice() {
                [one] => options.label = Some((*one).clone()),
                [] => {}
                several => {
                    let list: Vec<String> = several.iter().map(|n| format!("`{n}`")).collect();
                    return Err(Error::BadData {
                        file: self.file.into(),
                        what: format!("there are {} columns of answers: {}", several.len(), list.join(", ")),
                        hint: Some(format!("choose one, for example ⟦--label {}⟧", several[0])),
                    });
                }
            }
        }
        Resolver { options: &options, ..*self }.labels().map(|mut l| {
            l.note.push_str(" (Mechanical Turk batch results)");
            // Work that the requester rejected is no answer: it was sent back, and usually done again by another.
            let status = self.names.iter().position(|n| n == "AssignmentStatus");
            l.status = status.filter(|_| self.purpose == Purpose::Answers && !self.options.keep_rejected);
            l
        })
    }

    fn item(&self) -> Part<'_> {
        Part { name: "item", flag: Some("--item"), given: self.options.item.as_ref(), role: Role::Item }
    }

    fn annotator(&self) -> Part<'_> {
        Part {
            name: "annotator",
            flag: Some("--annotator"),
            given: self.options.annotator.as_ref(),
            role: Role::Annotator,
        }
    }

    fn label_part(&self, role: Role, name: &'static str) -> Part<'_> {
        let role = match self.purpose {
            Purpose::Truth(_) if role == Role::Label => Role::Truth,
            _ => role,
        };
        Part { name, flag: Some("--label"), given: self.options.label.as_ref(), role }
    }

    /// The column with a usual name.
    fn usual(&self, role: Role) -> Option<usize> {
        recognise(self.names, role)
    }

    /// The column with a name that is hardly used for anything else.
    fn sure(&self, role: Role) -> Option<usize> {
        one_of(self.names, role.sure())
    }

    /// The column of every part; truth needs no annotators, so these are not looked for there.
    fn find_all(&self, parts: &[Part<'_>]) -> Result<Vec<Option<usize>>, Error> {
        let is_truth = self.purpose != Purpose::Answers;
        let mut found: Vec<Option<usize>> = Vec::new();
        for part in parts {
            found.push(match part.given {
                _ if is_truth && part.name == "annotator" => None,
                // The options name the columns of the answers; a truth file may have its own.
                Some(name) if is_truth => self.by_name(name).or_else(|| self.usual(part.role)),
                Some(name) => self.by_name(name),
                None => self.usual(part.role),
            });
        }
        if is_truth
            && self.names.len() == 2
            && let [Some(item), None, None] = found[..]
        {
            // Two columns, one of them the items: the other is the truth, whatever its name.
            found[2] = Some(1 - item);
        }
        let mut problems = Vec::new();
        for (part, column) in parts.iter().zip(&found) {
            match column {
                None if is_truth && part.name == "annotator" => {}
                None => problems.push(self.missing(part, &found)),
                Some(c) => {
                    let name = &self.names[*c];
                    if self.names.iter().filter(|n| *n == name).count() > 1 {
                        problems.push(self.doubled(name));
                    }
                }
            }
        }
        Error::all(problems)?;
        for (n, column) in found.iter().enumerate() {
            if let Some(m) = column.and_then(|c| found[..n].iter().position(|&other| other == Some(c))) {
                return Err(Error::BadData {
                    file: self.file.into(),
                    what: format!(
                        "the column `{}` cannot be both {} and {}",
                        self.names[column.expect("some")],
                        parts[m].name,
                        parts[n].name
                    ),
                    hint: None,
                });
            }
        }
        Ok(found)
    }

    /// A column by the name that the user gave: as written, else without regard to case.
    fn by_name(&self, name: &str) -> Option<usize> {
        self.names
            .iter()
            .position(|n| n == name)
            .or_else(|| self.names.iter().position(|n| n.eq_ignore_ascii_case(name)))
    }

    fn missing(&self, part: &Part<'_>, found: &[Option<usize>]) -> Error {
        let wanted = part.given.map_or(part.name, String::as_str);
        let free: Vec<&str> =
            (0..self.names.len()).filter(|c| !found.contains(&Some(*c))).map(|c| self.names[c].as_str()).collect();
        let mut candidates = vec![wanted];
        candidates.extend(part.role.usual());
        // When only one column is left for the only part that is left, that is the one.
        let missing = found.iter().filter(|f| f.is_none()).count();
        let close = nearest(wanted, free.iter().copied())
            .or_else(|| candidates.iter().find_map(|c| nearest(c, free.iter().copied())))
            .or_else(|| (free.len() == 1 && missing == 1).then(|| free[0]));
        let suggestion = match (part.flag, close) {
            (Some(flag), Some(c)) => format!("⟦{flag} {}⟧", shell(c)),
            (Some(flag), None) => format!("name it with ⟦{flag} COLUMN⟧"),
            (None, Some(c)) => format!("rename the column `{c}` to `{}`", part.name),
            (None, None) => format!("call the column `{}`", part.name),
        };
        Error::MissingColumn {
            wanted: wanted.into(),
            file: self.file.into(),
            found: self.names.to_vec(),
            suggestion: Some(suggestion),
        }
    }

    fn doubled(&self, name: &str) -> Error {
        Error::BadData {
            file: self.file.into(),
            what: format!("the column `{name}` occurs more than once"),
            hint: Some("rename one of them".into()),
        }
    }

    fn layout(
        &self,
        shape: Shape,
        kind: LabelKind,
        by_values: bool,
        parts: &[Part<'_>],
        found: &[Option<usize>],
    ) -> Layout {
        let chosen: Vec<String> =
            parts.iter().zip(found).filter_map(|(p, c)| c.map(|c| format!("{} = {}", p.name, self.names[c]))).collect();
        let note = format!("columns: {}", chosen.join(", "));
        Layout { shape, kind, by_values, names: self.names.to_vec(), note, status: None }
    }
}

/// An argument as it must be typed in a shell.
fn shell(name: &str) -> String {
    let safe = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.:/".contains(c));
    if safe { name.into() } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
