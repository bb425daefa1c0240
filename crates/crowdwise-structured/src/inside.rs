//! Any method for classes inside another one, and what both ends of that need.

use crowdwise_core::{Annotators, AnyMethod, Context, Dataset, Error, Fit, LabelKind, Outcome, Problems, Table};

/// Matrices of annotators, in numbers, above which one accuracy per annotator is reported.
const MOST: usize = 30_000_000;

/// The method called `name` with its defaults, if it takes classes.
fn find(name: &str) -> Option<Box<dyn AnyMethod>> {
    let entry = crowdwise_methods::find(name).ok()?;
    entry.info.accepts.contains(&LabelKind::Categorical).then(|| entry.default())
}

/// Notes a name that is no method for classes.
pub(crate) fn check(p: &mut Problems, name: &str) {
    let must = "the id of a method for classes, such as `majority-vote` or `dawid-skene`";
    p.require(find(name).is_some(), "inside", format!("`{}`", name.escape_default()), must);
}

/// A fit of the method called `name`.
pub(crate) fn fit(name: &str, data: &Dataset, cx: &mut Context<'_>) -> Result<Fit, Error> {
    find(name).expect("the name was checked").fit(data, cx)
}

/// The fit as an outcome of the method around it; its findings are made again.
pub(crate) fn passed_on(fit: Fit) -> Outcome {
    Outcome {
        truth: fit.truth,
        uncalibrated: fit.uncalibrated,
        annotators: fit.annotators,
        class_prior: fit.class_prior,
        difficulty: fit.difficulty,
        diagnostics: fit.diagnostics,
        findings: Vec::new(),
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
