//! A table with what is known beside it: structure, gold, features.

use crate::{Error, LabelKind, Names, Preference, Rankings, Table};

/// What orders or links the units.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Structure {
    #[default]
    Independent,
    /// Items are tokens; chain c covers the items `starts[c]..starts[c+1]` and is called `names[c]`.
    Chains { starts: Vec<u64>, names: Names },
    /// Edges between items.
    Graph(Vec<[u32; 2]>),
    /// The comparisons of the table are those of these rankings.
    Rankings(Rankings),
}

/// Known truth of some units. Items that the table does not know are kept apart: nothing is lost silently.
#[derive(Clone, Debug, PartialEq)]
pub struct Gold {
    pub values: GoldValues,
    /// Truth of items that nobody labelled, in the same terms.
    pub unlabelled: GoldValues,
    /// Classes that occur in the gold only; their codes follow those of the table.
    pub extra_classes: Names,
}

#[derive(Clone, Debug, PartialEq)]
pub enum GoldValues {
    /// (unit, class) in unit order.
    Classes(Vec<(u32, u32)>),
    /// (unit, value).
    Real(Vec<(u32, f64)>),
    /// (unit, outcome) of compared pairs.
    Preferences(Vec<(u32, Preference)>),
    /// (item, score) of compared items.
    Scores(Vec<(u32, f64)>),
    /// (item, cluster) of items judged same or different; clusters are numbered, their names do not matter.
    Clusters(Vec<(u32, u32)>),
}

impl GoldValues {
    pub fn len(&self) -> usize {
        match self {
            GoldValues::Classes(v) | GoldValues::Clusters(v) => v.len(),
            GoldValues::Real(v) | GoldValues::Scores(v) => v.len(),
            GoldValues::Preferences(v) => v.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Gold {
    /// The known class of every unit (`None` where unknown), for tables with `n` units.
    pub fn classes(&self, n: usize) -> Vec<Option<u32>> {
        let mut out = vec![None; n];
        if let GoldValues::Classes(v) = &self.values {
            for &(u, c) in v {
                out[u as usize] = Some(c);
            }
        }
        out
    }

    /// Truth of items as text, matched to the table. `rows` are (item, value) without duplicates; a value of a
    /// preference table is the item's score.
    pub fn from_items(table: &Table, rows: &[(String, String)], file: &str) -> Result<Gold, Error> {
        let mut lookup = table.items().clone();
        lookup.thaw();
        let mut extra = Names::new();
        let mut problems = Vec::new();
        let mut known: Vec<(u32, usize)> = Vec::new();
        let mut unknown: Vec<usize> = Vec::new();
        for (r, (item, _)) in rows.iter().enumerate() {
            match lookup.get(item) {
                Some(i) => known.push((i, r)),
                None => unknown.push(r),
            }
        }
        known.sort_unstable();
        if known.is_empty() && !rows.is_empty() {
            return Err(Error::BadData {
                file: file.into(),
                what: format!(
                    "none of its {} items occurs in the answers (the first is `{}` here and `{}` there)",
                    rows.len(),
                    rows[0].0,
                    if table.n_items() > 0 { table.items().name(0) } else { "" }
                ),
                hint: Some("check that both files use the same item ids".into()),
            });
        }
        let (values, unlabelled) = match table.kind() {
            LabelKind::Categorical => {
                let mut classes = table.categorical().expect("categorical").classes.clone();
                classes.thaw();
                let k = classes.len() as u32;
                // blanks around a class are a slip of the pen, unless the answers have them too
                let mut code = |r: usize| {
                    let (exact, bare) = (rows[r].1.as_str(), rows[r].1.trim());
                    classes.get(exact).or_else(|| classes.get(bare)).unwrap_or_else(|| k + extra.intern(bare))
                };
                let inside: Vec<(u32, u32)> = known.iter().map(|&(i, r)| (i, code(r))).collect();
                if !inside.is_empty() && inside.iter().all(|&(_, c)| c >= k) {
                    let some = |n: &Names| n.iter().take(5).map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ");
                    return Err(Error::BadData {
                        file: file.into(),
                        what: format!(
                            "none of its classes ({}) is a class of the answers ({})",
                            some(&extra),
                            some(&classes)
                        ),
                        hint: Some("spell the classes as the answers do, or choose the column with ⟦--label⟧".into()),
                    });
                }
                let outside = unknown.iter().enumerate().map(|(n, &r)| (n as u32, code(r))).collect();
                (GoldValues::Classes(inside), GoldValues::Classes(outside))
            }
            LabelKind::Similarity => {
                let mut names = Names::new();
                let mut code = |r: usize| names.intern(rows[r].1.trim());
                let inside = known.iter().map(|&(i, r)| (i, code(r))).collect();
                let outside = unknown.iter().enumerate().map(|(n, &r)| (n as u32, code(r))).collect();
                (GoldValues::Clusters(inside), GoldValues::Clusters(outside))
            }
            LabelKind::Real | LabelKind::Preference => {
                let mut number = |r: usize| match rows[r].1.trim().parse::<f64>() {
                    Ok(x) if x.is_finite() => x,
                    _ => {
                        problems.push(Error::BadData {
                            file: file.into(),
                            what: format!("the truth of `{}` is `{}`, which is not a number", rows[r].0, rows[r].1),
                            hint: None,
                        });
                        f64::NAN
                    }
                };
                let inside = known.iter().map(|&(i, r)| (i, number(r))).collect();
                let outside = unknown.iter().enumerate().map(|(n, &r)| (n as u32, number(r))).collect();
                match table.kind() {
                    LabelKind::Real => (GoldValues::Real(inside), GoldValues::Real(outside)),
                    _ => (GoldValues::Scores(inside), GoldValues::Scores(outside)),
                }
            }
        };
        problems.truncate(5);
        Error::all(problems)?;
        Ok(Gold { values, unlabelled, extra_classes: extra })
    }
}

/// One row of numbers per item, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    pub dim: usize,
    pub values: Vec<f32>,
    /// Height, width and channels of images (dim = their product; the channel runs fastest).
    pub image: Option<[usize; 3]>,
}

impl Features {
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.dim).unwrap_or(0)
    }

    pub fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.dim..(i + 1) * self.dim]
    }

    /// Mean and 1 / deviation of each of `groups` groups of columns (column d belongs to group d mod `groups`: as many
    /// groups as columns for single ones, as channels for those of an image) over the rows that `counts` names. The factor
    /// of what never changes is 0: it says nothing.
    pub fn standard(&self, groups: usize, counts: impl Fn(usize) -> bool) -> (Vec<f64>, Vec<f64>) {
        let groups = groups.max(1);
        let rows: Vec<usize> = (0..self.rows()).filter(|&i| counts(i)).collect();
        let mean = self.means(&rows, groups, |_, x| x);
        let square = self.means(&rows, groups, |g, x| (x - mean[g]).powi(2));
        // what is left of a constant after rounding is no deviation
        let inverse = |(v, m): (&f64, &f64)| {
            let sd = v.sqrt();
            if sd > 1e-6 * m.abs() && sd > 1e-12 { 1.0 / sd } else { 0.0 }
        };
        let factor = square.iter().zip(&mean).map(inverse).collect();
        (mean, factor)
    }

    /// Mean of `value` (group, number) over these rows, group by group.
    fn means(&self, rows: &[usize], groups: usize, value: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let n = (rows.len() * self.dim / groups).max(1) as f64;
        let mut sum = vec![0.0; groups];
        for &i in rows {
            for part in self.row(i).chunks(groups) {
                sum.iter_mut().zip(part).enumerate().for_each(|(g, (s, &x))| *s += value(g, f64::from(x)));
            }
        }
        sum.iter().map(|s| s / n).collect()
    }
}

/// What a classifier, or any other model, believes of every item: one row of class probabilities per item.
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities {
    /// Columns: the first `k` classes of the table. Classes that came later have probability 0.
    k: usize,
    values: Vec<f64>,
}

/// Rows of probabilities may miss 1 by this much; they are scaled.
const ROW_SUM: f64 = 0.01;

impl Probabilities {
    /// Rows in the order of the items, columns in that of the classes. Every row that is none is a problem.
    pub fn new(k: usize, mut values: Vec<f64>, file: &str) -> Result<Probabilities, Error> {
        let mut bad = Vec::new();
        for (i, row) in values.chunks_exact_mut(k.max(1)).enumerate() {
            let sum: f64 = row.iter().sum();
            let fine = row.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() <= ROW_SUM;
            if fine {
                row.iter_mut().for_each(|p| *p /= sum);
            } else {
                bad.push(i);
            }
        }
        if let Some(first) = bad.first() {
            return Err(Error::BadData {
                file: file.into(),
                what: format!(
                    "{} of {} rows are not probabilities (each at least 0, together 1), the first that of item {}",
                    crate::group(bad.len() as u64),
                    crate::group((values.len() / k.max(1)) as u64),
                    first + 1
                ),
                hint: Some("scores must be turned into probabilities first".into()),
            });
        }
        Ok(Probabilities { k, values })
    }

    /// The same rows in another order: the new n-th is the old `order[n]`-th.
    pub(crate) fn renumbered(&self, order: &[u32]) -> Probabilities {
        if self.rows() != order.len() {
            return self.clone(); // rows that are missing are a matter for whoever uses them
        }
        let values = order.iter().flat_map(|&o| &self.values[o as usize * self.k..(o as usize + 1) * self.k]);
        Probabilities { k: self.k, values: values.copied().collect() }
    }

    /// Probability of class `c` for item `i`.
    pub fn get(&self, i: usize, c: usize) -> f64 {
        if c < self.k { self.values[i * self.k + c] } else { 0.0 }
    }

    /// Number of items that have a row.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.k).unwrap_or(0)
    }
}

/// The group of every item by one attribute of the items: the dialect of a text, the hospital of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Names of the groups, sorted.
    pub groups: Names,
    /// Group of each item, in item order; `None` where nothing was said of it.
    of: Vec<Option<u32>>,
}

impl Attribute {
    /// From the group of every item by name.
    pub fn new<'a>(of: impl IntoIterator<Item = Option<&'a str>>) -> Attribute {
        let of: Vec<Option<&str>> = of.into_iter().collect();
        let mut names: Vec<&str> = of.iter().flatten().copied().collect();
        names.sort_unstable();
        names.dedup();
        let code = |name: &str| names.binary_search(&name).ok().map(|g| g as u32);
        let of = of.iter().map(|name| name.and_then(code)).collect();
        Attribute { groups: names.into_iter().collect(), of }
    }

    /// The group of item `i`; items that came later have none.
    pub fn group(&self, i: usize) -> Option<usize> {
        self.of.get(i).copied().flatten().map(|g| g as usize)
    }

    /// The same with the items in another order: the new n-th is the old `order[n]`-th.
    pub(crate) fn renumbered(&self, order: &[u32]) -> Attribute {
        let of = order.iter().map(|&o| self.of.get(o as usize).copied().flatten()).collect();
        Attribute { groups: self.groups.clone(), of }
    }
}

/// Everything a method may look at.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub table: Table,
    pub structure: Structure,
    /// Known truth to be used in fitting.
    pub gold: Option<Gold>,
    pub features: Option<Features>,
    /// Class probabilities of a classifier that did not learn from the item's own labels.
    pub probabilities: Option<Probabilities>,
    /// Groups of items between which annotators and labels should be fair.
    pub attribute: Option<Attribute>,
    /// Text of every item for people to read (the words of a text whose items are its tokens); empty where there is none.
    pub words: Vec<String>,
    /// Where it came from, for messages.
    pub source: String,
}

impl Dataset {
    pub fn new(table: Table) -> Self {
        Dataset {
            table,
            structure: Structure::Independent,
            gold: None,
            features: None,
            probabilities: None,
            attribute: None,
            words: Vec::new(),
            source: "the data".into(),
        }
    }

    /// The same labels without the features, for a method that would not look at them.
    #[must_use]
    pub fn without_features(&self) -> Self {
        Dataset {
            table: self.table.clone(),
            structure: self.structure.clone(),
            gold: self.gold.clone(),
            features: None,
            probabilities: self.probabilities.clone(),
            attribute: self.attribute.clone(),
            words: self.words.clone(),
            source: self.source.clone(),
        }
    }

    /// The same items, annotators and classes without some of the labels.
    #[must_use]
    pub fn without_rows(&self, hidden: impl Fn(usize) -> bool) -> Self {
        self.with_table(self.table.filter_rows(|r| !hidden(r)))
    }

    /// The same with other labels of the same items, annotators and classes.
    #[must_use]
    pub fn with_table(&self, table: Table) -> Self {
        Dataset {
            table,
            structure: self.structure.clone(),
            gold: self.gold.clone(),
            features: self.features.clone(),
            probabilities: self.probabilities.clone(),
            attribute: self.attribute.clone(),
            words: self.words.clone(),
            source: self.source.clone(),
        }
    }

    /// Uses `gold` in fitting; classes that only the gold knows become classes of the table.
    #[must_use]
    pub fn with_gold(mut self, gold: Gold) -> Self {
        self.table.add_classes(gold.extra_classes.iter());
        self.gold = Some(gold);
        self
    }

    /// The text of item `i`, where it has one.
    pub fn word(&self, i: usize) -> Option<&str> {
        self.words.get(i).map(String::as_str).filter(|w| !w.is_empty())
    }

    /// The known class of every unit, if the dataset has gold classes.
    pub fn gold_classes(&self) -> Option<Vec<Option<u32>>> {
        self.gold.as_ref().map(|g| g.classes(self.table.n_units()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TableBuilder;

    fn table() -> Table {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (i, l) in [("x", "1"), ("y", "2")] {
            b.label(i, "a", l).unwrap();
        }
        b.finish().unwrap()
    }

    fn gold(rows: &[(&str, &str)]) -> Result<Gold, Error> {
        let rows: Vec<(String, String)> = rows.iter().map(|&(i, l)| (i.into(), l.into())).collect();
        Gold::from_items(&table(), &rows, "truth.csv")
    }

    #[test]
    fn blanks_around_a_class_are_forgiven_and_unknown_items_kept_apart() {
        let g = gold(&[("y", " 2 "), ("nobody", "1"), ("x", "3")]).unwrap();
        assert_eq!(g.values, GoldValues::Classes(vec![(0, 2), (1, 1)]));
        assert_eq!(g.unlabelled, GoldValues::Classes(vec![(0, 0)]));
        assert_eq!(g.extra_classes.iter().collect::<Vec<_>>(), ["3"]);
    }

    #[test]
    fn columns_are_brought_to_a_common_scale() {
        let f = Features { dim: 2, values: vec![1.0, 7.1, 3.0, 7.1, 99.0, 7.1, 5.0, 7.1], image: None };
        let (mean, factor) = f.standard(2, |i| i != 2);
        assert!((mean[0] - 3.0).abs() < 1e-12 && (mean[1] - f64::from(7.1f32)).abs() < 1e-12);
        // variance 8/3; the second column never changes
        assert!((factor[0] - (3.0f64 / 8.0).sqrt()).abs() < 1e-12 && factor[1] == 0.0);
        // both columns as one group: mean of 1, 3, 5, 7 and their deviation
        let f = Features { dim: 2, values: vec![1.0, 3.0, 5.0, 7.0], image: None };
        let (mean, factor) = f.standard(1, |_| true);
        assert_eq!(mean, [4.0]);
        assert!((factor[0] - 1.0 / 5f64.sqrt()).abs() < 1e-12);
        // nothing to learn from
        assert_eq!(f.standard(2, |_| false), (vec![0.0; 2], vec![0.0; 2]));
    }

    #[test]
    fn rows_that_are_no_probabilities_are_refused() {
        let p = Probabilities::new(2, vec![0.25, 0.7501, 1.0, 0.0], "p.csv").unwrap();
        assert!((p.get(0, 0) + p.get(0, 1) - 1.0).abs() < 1e-15);
        assert_eq!((p.rows(), p.get(1, 0), p.get(1, 7)), (2, 1.0, 0.0));
        let e = Probabilities::new(2, vec![0.5, 0.5, -3.0, 4.0, 0.5, 0.6], "p.csv").unwrap_err().to_string();
        assert!(e.contains("2 of 3 rows") && e.contains("item 2"), "{e}");
    }

    #[test]
    fn a_truth_of_another_data_set_is_refused() {
        assert!(gold(&[("q", "1")]).unwrap_err().to_string().contains("none of its 1 items"));
        assert!(gold(&[("x", "1.0"), ("y", "2.0")]).unwrap_err().to_string().contains("none of its classes"));
    }
}
