//! Which column holds what: by name where the names are usual ones, by option otherwise.

use crate::ReadOptions;
pub(crate) use crate::layout::{Layout, Shape};
use crowdwise_core::{Error, LabelKind, nearest};

const ITEM: &[&str] = &["item", "task", "unit", "example", "question", "object", "id"];
pub(crate) const ANNOTATOR: &[&str] =
    &["annotator", "worker", "rater", "user", "judge", "performer", "labeler", "labeller"];
const LABEL: &[&str] = &[
    "label",
    "value",
    "answer",
    "rating",
    "response",
    "score",
    "class",
    "category",
    "judgment",
    "judgement",
    "choice",
    "tag",
    "winner",
];
/// Words for the truth, which a truth file may use instead of those for a label.
const TRUTH: &[&str] =
    &["truth", "gold", "label", "value", "score", "answer", "class", "category", "rating", "text", "tag", "agglabel"];
/// The two sides of a comparison; those after the first four may be other things in a table that has a column of items.
const LEFT: &[&str] = &["left", "leftitem", "itema", "item1", "modela", "a", "first"];
const RIGHT: &[&str] = &["right", "rightitem", "itemb", "item2", "modelb", "b", "second"];
const SURE_SIDES: usize = 4;
/// Words for an outcome; those after the first four are also words for other labels.
const WINNER: &[&str] = &["winner", "preferred", "preference", "better", "label", "answer", "choice"];
const SAME: &[&str] = &["same", "similar", "similarity", "label", "answer"];
const SEQUENCE: &[&str] = &["sequence", "sentence", "seq", "chain"];
const POSITION: &[&str] = &["position", "pos", "token", "index"];
/// Names of a ranking, then the place in it.
const RANKING: &[&str] = &["ranking", "ballot", "list", "question", "task", "session"];
const PLACE: &[&str] = &["position", "rank", "place", "pos"];
/// A whole ranking in one field, and what was shown where only the best of it is named.
const RANKED: &[&str] = &["ranking", "order", "ballot", "ranked", "choice", "chosen", "winner", "best"];
const SHOWN: &[&str] = &["shown", "options", "candidates", "alternatives", "choices", "set"];

/// What a file is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Answers,
    /// Truth for a table of this kind.
    Truth(LabelKind),
}

/// Finds the layout of a file with these columns; every column that is missing is reported.
pub(crate) fn resolve(names: &[String], options: &ReadOptions, purpose: Purpose, file: &str) -> Result<Layout, Error> {
    Resolver { names, options, purpose, file, anonymous: false }.resolve()
}

/// Finds the layout of a table that is no file: of a frame, or of Arrow columns. Its comparisons may come without annotators.
/// `table` is what messages call it.
pub fn recognise(names: &[String], options: &ReadOptions, table: &str) -> Result<Layout, Error> {
    Resolver { names, options, purpose: Purpose::Answers, file: table, anonymous: true }.resolve()
}

/// Finds the layout of known truth for a table of this kind of labels.
pub fn recognise_truth(names: &[String], kind: LabelKind, table: &str) -> Result<Layout, Error> {
    resolve(names, &ReadOptions::default(), Purpose::Truth(kind), table)
}

struct Resolver<'a> {
    names: &'a [String],
    options: &'a ReadOptions,
    purpose: Purpose,
    file: &'a str,
    /// Comparisons may come without annotators.
    anonymous: bool,
}

/// A part of a row: what it is called in messages, the option that names it, the usual names of its column.
struct Role<'a> {
    name: &'static str,
    flag: Option<&'static str>,
    given: Option<&'a String>,
    usual: &'static [&'static str],
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
        let named_items = self.options.item.is_some();
        let pairs_wanted = matches!(self.options.kind, Some(LabelKind::Preference | LabelKind::Similarity));
        let both_sides = self.has_sides();
        let rankings = !both_sides && self.purpose == Purpose::Answers && self.is_ranking();
        if (pairs_wanted && !rankings) || (both_sides && !named_items && self.options.kind.is_none()) {
            return self.pairs();
        }
        let token = self.usual(SEQUENCE).is_some() && self.usual(POSITION).is_some();
        if token && !named_items && self.usual(&ITEM[..5]).is_none() {
            return self.sequence();
        }
        if self.purpose == Purpose::Answers && !named_items && self.is_ranking() {
            return self.rankings();
        }
        self.labels()
    }

    /// Columns for both sides of a comparison.
    fn has_sides(&self) -> bool {
        let sides = |n: usize| self.usual(&LEFT[..n]).is_some() && self.usual(&RIGHT[..n]).is_some();
        sides(SURE_SIDES) || (sides(LEFT.len()) && self.usual(ITEM).is_none())
    }

    /// Rankings have places or a whole order, and nothing that could be a label.
    fn is_ranking(&self) -> bool {
        let kind = matches!(self.options.kind, None | Some(LabelKind::Preference));
        let label = self.options.label.is_some() || self.usual(LABEL).is_some();
        let places = self.usual(PLACE).is_some() && self.usual(ITEM).is_some() && !label;
        // what was chosen of a set may be called a choice or a winner, which elsewhere are labels
        let others: Vec<&str> = LABEL.iter().copied().filter(|l| !RANKED.contains(l)).collect();
        let chosen = self.options.label.is_none() && self.usual(&others).is_none() && self.usual(RANKED).is_some();
        let ballots = (self.usual(&RANKED[..4]).is_some() && !label) || (self.usual(SHOWN).is_some() && chosen);
        kind && (places || ballots)
    }

    fn rankings(&self) -> Result<Layout, Error> {
        let role = |name, usual| Role { name, flag: None, given: None, usual };
        let optional = |usual: &[&str], taken: &[Option<usize>]| {
            self.usual(usual).filter(|c| !taken.contains(&Some(*c)) && self.names.len() > taken.len())
        };
        if self.usual(PLACE).is_some() && self.usual(ITEM).is_some() {
            let mut roles = vec![self.annotator(), self.item(), role("position", PLACE)];
            let mut found = self.find_all(&roles)?;
            let ranking = optional(RANKING, &found);
            if ranking.is_some() {
                roles.insert(0, role("ranking", RANKING));
                found.insert(0, ranking);
            }
            let [annotator, item, position] = [3, 2, 1].map(|n| found[found.len() - n].expect("found"));
            let shape = Shape::Places { ranking, annotator, item, position };
            let mut layout = self.layout(shape, LabelKind::Preference, false, &roles, &found);
            layout.note.push_str(if ranking.is_some() { " (rankings)" } else { " (one ranking an annotator)" });
            return Ok(layout);
        }
        let mut roles = vec![self.annotator(), role("ranking", RANKED)];
        let mut found = self.find_all(&roles)?;
        let shown = optional(SHOWN, &found);
        if shown.is_some() {
            roles.push(role("shown", SHOWN));
            found.push(shown);
        }
        let shape = Shape::Ballots { annotator: found[0].expect("found"), ranking: found[1].expect("found"), shown };
        Ok(self.layout(shape, LabelKind::Preference, false, &roles, &found))
    }

    fn labels(&self) -> Result<Layout, Error> {
        let roles = [self.item(), self.annotator(), self.label_role(LABEL, "label")];
        let found = self.find_all(&roles)?;
        let (item, annotator, label) = (found[0].expect("item"), found[1], found[2].expect("label"));
        let (kind, by_values) = match (self.options.kind, self.purpose) {
            (Some(k), _) => (k, false),
            // Truth is matched as text; the table decides what it means.
            (None, Purpose::Truth(_)) => (LabelKind::Categorical, false),
            (None, Purpose::Answers) => {
                (LabelKind::Categorical, matches!(plain(&self.names[label]).as_str(), "value" | "score"))
            }
        };
        Ok(self.layout(Shape::Labels { item, annotator, label }, kind, by_values, &roles, &found))
    }

    fn sequence(&self) -> Result<Layout, Error> {
        let roles = [
            Role { name: "sequence", flag: None, given: None, usual: SEQUENCE },
            Role { name: "position", flag: None, given: None, usual: POSITION },
            self.annotator(),
            self.label_role(LABEL, "label"),
        ];
        let found = self.find_all(&roles)?;
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
        Ok(self.layout(shape, LabelKind::Categorical, false, &roles, &found))
    }

    fn pairs(&self) -> Result<Layout, Error> {
        let same = match self.options.kind {
            Some(kind) => kind == LabelKind::Similarity,
            None => {
                self.options.label.is_none() && self.usual(&WINNER[..4]).is_none() && self.usual(&SAME[..3]).is_some()
            }
        };
        let outcome = if same { self.label_role(SAME, "same") } else { self.label_role(WINNER, "winner") };
        let mut roles = vec![
            Role { name: "left", flag: None, given: None, usual: LEFT },
            Role { name: "right", flag: None, given: None, usual: RIGHT },
            self.annotator(),
            outcome,
        ];
        let nobody = self.anonymous && self.options.annotator.is_none() && self.usual(ANNOTATOR).is_none();
        let found = if nobody {
            let who = roles.remove(2);
            let mut found = self.find_all(&roles)?;
            roles.insert(2, who);
            found.insert(2, None);
            found
        } else {
            self.find_all(&roles)?
        };
        let shape = Shape::Pairs {
            left: found[0].expect("left"),
            right: found[1].expect("right"),
            annotator: found[2],
            outcome: found[3].expect("outcome"),
        };
        let kind = if same { LabelKind::Similarity } else { LabelKind::Preference };
        Ok(self.layout(shape, kind, false, &roles, &found))
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
            None => self.usual(ITEM).unwrap_or(0),
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

    fn item(&self) -> Role<'_> {
        Role { name: "item", flag: Some("--item"), given: self.options.item.as_ref(), usual: ITEM }
    }

    fn annotator(&self) -> Role<'_> {
        Role { name: "annotator", flag: Some("--annotator"), given: self.options.annotator.as_ref(), usual: ANNOTATOR }
    }

    fn label_role(&self, usual: &'static [&'static str], name: &'static str) -> Role<'_> {
        let usual = match self.purpose {
            Purpose::Truth(_) if name == "label" => TRUTH,
            _ => usual,
        };
        Role { name, flag: Some("--label"), given: self.options.label.as_ref(), usual }
    }

    /// The column with a usual name, the most usual first.
    fn usual(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|u| self.names.iter().position(|n| plain(n) == *u))
    }

    /// The column of every role; truth needs no annotators, so these are not looked for there.
    fn find_all(&self, roles: &[Role<'_>]) -> Result<Vec<Option<usize>>, Error> {
        let is_truth = self.purpose != Purpose::Answers;
        let mut found: Vec<Option<usize>> = Vec::new();
        for role in roles {
            found.push(match role.given {
                _ if is_truth && role.name == "annotator" => None,
                // The options name the columns of the answers; a truth file may have its own.
                Some(name) if is_truth => self.by_name(name).or_else(|| self.usual(role.usual)),
                Some(name) => self.by_name(name),
                None => self.usual(role.usual),
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
        for (role, column) in roles.iter().zip(&found) {
            match column {
                None if is_truth && role.name == "annotator" => {}
                None => problems.push(self.missing(role, &found)),
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
                        roles[m].name,
                        roles[n].name
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

    fn missing(&self, role: &Role<'_>, found: &[Option<usize>]) -> Error {
        let wanted = role.given.map_or(role.name, String::as_str);
        let free: Vec<&str> =
            (0..self.names.len()).filter(|c| !found.contains(&Some(*c))).map(|c| self.names[c].as_str()).collect();
        let mut candidates = vec![wanted];
        candidates.extend(role.usual);
        // When only one column is left for the only role that is left, that is the one.
        let missing = found.iter().filter(|f| f.is_none()).count();
        let close = nearest(wanted, free.iter().copied())
            .or_else(|| candidates.iter().find_map(|c| nearest(c, free.iter().copied())))
            .or_else(|| (free.len() == 1 && missing == 1).then(|| free[0]));
        let suggestion = match (role.flag, close) {
            (Some(flag), Some(c)) => format!("⟦{flag} {}⟧", shell(c)),
            (Some(flag), None) => format!("name it with ⟦{flag} COLUMN⟧"),
            (None, Some(c)) => format!("rename the column `{c}` to `{}`", role.name),
            (None, None) => format!("call the column `{}`", role.name),
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
        roles: &[Role<'_>],
        found: &[Option<usize>],
    ) -> Layout {
        let chosen: Vec<String> =
            roles.iter().zip(found).filter_map(|(r, c)| c.map(|c| format!("{} = {}", r.name, self.names[c]))).collect();
        let note = format!("columns: {}", chosen.join(", "));
        Layout { shape, kind, by_values, names: self.names.to_vec(), note, status: None }
    }
}

/// Whether a column of this name is recognised as anything.
pub(crate) fn is_usual(name: &str) -> bool {
    let all = [ITEM, ANNOTATOR, LABEL, TRUTH, LEFT, RIGHT, WINNER, SAME, SEQUENCE, POSITION, RANKED, SHOWN, PLACE];
    all.iter().any(|names| names.contains(&plain(name).as_str()))
}

/// The column of items in a header of this kind, if it is one.
pub(crate) fn usual_item(fields: &[&str]) -> Option<usize> {
    ITEM.iter().find_map(|u| fields.iter().position(|n| plain(n) == *u))
}

/// The column that holds the truth, by its usual names.
pub(crate) fn usual_truth(fields: &[&str]) -> Option<usize> {
    TRUTH.iter().find_map(|u| fields.iter().position(|n| plain(n) == *u))
}

/// A column name as it is compared: lower case, without separators, without a trailing "id" or "name".
pub(crate) fn plain(name: &str) -> String {
    let mut s: String =
        name.trim().chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.')).collect::<String>().to_lowercase();
    for end in ["id", "name"] {
        if s.len() > end.len() && s.ends_with(end) {
            s.truncate(s.len() - end.len());
        }
    }
    s
}

/// An argument as it must be typed in a shell.
fn shell(name: &str) -> String {
    let safe = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.:/".contains(c));
    if safe { name.into() } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
