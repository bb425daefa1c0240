//! Any method for classes inside another one, and what both ends of that need.

use crowdwise_core::{
    Annotators, AnyMethod, Context, Dataset, Error, Gold, GoldValues, LabelKind, Names, Outcome, Problems, Table,
    TableBuilder,
};

/// Matrices of annotators, in numbers, above which one accuracy per annotator is reported.
const MOST: usize = 30_000_000;

/// The method called `name` with its defaults, if it takes classes.
fn find(name: &str) -> Option<Box<dyn AnyMethod>> {
    let entry = crate::find(name).ok()?;
    entry.info.accepts.contains(&LabelKind::Categorical).then(|| entry.default())
}

/// Notes a name that is no method for classes.
pub(crate) fn check(p: &mut Problems, name: &str) {
    let must = "the id of a method for classes, such as `majority-vote` or `dawid-skene`";
    p.require(find(name).is_some(), "inside", format!("`{}`", name.escape_default()), must);
}

/// What the method called `name` estimates; its findings are made again by whoever shows the result.
pub(crate) fn fit(name: &str, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    let out = find(name).expect("the name was checked").estimate(data, cx)?;
    Ok(Outcome { findings: Vec::new(), ..out })
}

/// Some units of a dataset, asked something else.
pub(crate) struct Question {
    /// Unit x is the x-th of those wanted; annotators keep their numbers.
    pub data: Dataset,
    /// Where each of the answers is among its classes, which are sorted.
    pub place: Vec<usize>,
}

impl Question {
    /// Labels and known classes become the answer, one of `answers`, that `answer` makes of a class.
    pub fn new(
        data: &Dataset,
        units: &[usize],
        gold: Option<&[Option<u32>]>,
        answers: &[&str],
        ordered: bool,
        answer: impl Fn(usize) -> usize,
    ) -> Result<Question, Error> {
        let table = &data.table;
        let labels = table.categorical().expect("the kind was checked");
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let codes: Vec<u32> = answers.iter().map(|c| b.classes.intern(c)).collect();
        b.ordered = ordered;
        for j in 0..table.n_annotators() {
            b.annotators.intern(table.annotators().name(j));
        }
        for &u in units {
            let item = b.items.intern(&table.unit_name(u));
            for r in table.rows(u) {
                b.label_codes(item, table.annotator()[r], codes[answer(labels.codes.get(r))])?;
            }
        }
        let mut out = Dataset::new(b.finish()?);
        out.source.clone_from(&data.source);
        let sorted: Vec<&str> = out.table.categorical().expect("classes").classes.iter().collect();
        let at = |c: &&str| sorted.iter().position(|s| s == c).expect("every answer was added");
        let place: Vec<usize> = answers.iter().map(at).collect();
        if let Some(gold) = gold {
            let known = |(x, &u): (usize, &usize)| gold[u].map(|c| (x as u32, place[answer(c as usize)] as u32));
            let values = GoldValues::Classes(units.iter().enumerate().filter_map(known).collect());
            out.gold = Some(Gold { values, unlabelled: GoldValues::Classes(Vec::new()), extra_classes: Names::new() });
        }
        Ok(Question { data: out, place })
    }
}

/// Sets known rows to their truth and unlabelled rows to `prior`.
pub(crate) fn complete(posterior: &mut [f64], table: &Table, gold: Option<&[Option<u32>]>, prior: &[f64]) {
    for (u, row) in posterior.chunks_exact_mut(prior.len()).enumerate() {
        if let Some(c) = gold.and_then(|g| g[u]) {
            row.fill(0.0);
            row[c as usize] = 1.0;
        } else if table.degree(u) == 0 {
            row.copy_from_slice(prior);
        }
    }
}

/// Confusion matrices by counting labels under a posterior, with `alpha` of a label in every cell; one accuracy where the
/// matrices would be too large.
pub(crate) fn confusion(data: &Dataset, posterior: &[f64], alpha: f64) -> Annotators {
    let labels = data.table.categorical().expect("the kind was checked");
    let (table, k, m) = (&data.table, labels.k(), data.table.n_annotators());
    if m.saturating_mul(k * k) > MOST {
        return accuracy(data, posterior);
    }
    let mut matrix = vec![alpha; m * k * k];
    for u in 0..table.n_units() {
        for r in table.rows(u) {
            let at = table.annotator()[r] as usize * k * k + labels.codes.get(r);
            for (t, q) in posterior[u * k..(u + 1) * k].iter().enumerate() {
                matrix[at + t * k] += q;
            }
        }
    }
    for row in matrix.chunks_exact_mut(k) {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|x| *x = if sum > 0.0 { *x / sum } else { 1.0 / k as f64 });
    }
    Annotators::Confusion { k, matrix }
}

/// One accuracy per annotator, with one label at chance.
pub(crate) fn accuracy(data: &Dataset, posterior: &[f64]) -> Annotators {
    let labels = data.table.categorical().expect("the kind was checked");
    let (table, k, m) = (&data.table, labels.k(), data.table.n_annotators());
    let (mut n, mut hits) = (vec![1.0; m], vec![1.0 / k as f64; m]);
    for u in 0..table.n_units() {
        for r in table.rows(u) {
            let j = table.annotator()[r] as usize;
            n[j] += 1.0;
            hits[j] += posterior[u * k + labels.codes.get(r)];
        }
    }
    Annotators::Accuracy { k, accuracy: hits.iter().zip(&n).map(|(h, n)| (h / n).min(1.0)).collect() }
}
