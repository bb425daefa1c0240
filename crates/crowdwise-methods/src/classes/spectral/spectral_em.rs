//! Zhang, Chen, Zhou and Jordan: confusion matrices from third moments, then EM.

use super::crowd::Crowd;
use super::moments::{Groups, Moments, beside};
use super::tensor::{Component, component};
use crate::classes::confusion::em::{self, Fitted, Settings, Start};
use crate::classes::confusion::kernel::{Begin, Engine};
use crate::classes::confusion::shared::{self, Shares};
use crate::classes::confusion::{ClassPrior, Rows, Zeros};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Event, Family, Finding, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Severity, Status, Subject,
};
use crowdwise_numerics::{Matrix, best_assignment};
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// EM from a start by spectral decomposition of third moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpectralEm {
    /// Maximum number of EM iterations (passes over the labels) from each start.
    pub max_iter: usize,
    /// Stop when one EM step changes no probability, of a confusion matrix or of a class, by more than this.
    pub tol: f64,
    /// Smoothing: added to every cell of the expected counts of the EM stage.
    pub alpha: f64,
    /// Class shares of the EM stage: learned, all alike, or as given in `class_shares`.
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
    /// Added to every class count when class shares are learned.
    pub beta: f64,
    /// What a probability of exactly zero becomes (only without smoothing): `floor` 1e-10, `eps` 2.2e-16, or `skip`.
    pub zeros: Zeros,
    /// How annotators are first split into three groups: at `random` (with the seed, equal numbers of labels), or in
    /// `order` of the table, every third one. Further starts are always random.
    pub split: Split,
    /// Number of splits to try; the one with the best objective after EM is kept.
    pub restarts: usize,
    /// Extrapolate (SQUAREM): the same optimum in fewer iterations.
    pub accelerate: bool,
}

/// How annotators are split into three groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Drawn with the seed, such that the groups gave about equally many labels.
    #[default]
    Random,
    /// Annotator j of the table is in group j mod 3.
    Order,
}

impl Default for SpectralEm {
    fn default() -> Self {
        SpectralEm {
            max_iter: 1000,
            tol: 1e-6,
            alpha: 0.01,
            class_prior: ClassPrior::Learn,
            class_shares: BTreeMap::new(),
            beta: 0.0,
            zeros: Zeros::Floor,
            split: Split::Random,
            restarts: 5,
            accelerate: true,
        }
    }
}

/// Entries of confusion matrices from moments are at least this.
const FLOOR: f64 = 1e-6;
/// Third moments have the cube of so many classes as entries.
const MOST_CLASSES: usize = 125;

impl Method for SpectralEm {
    const INFO: MethodInfo = MethodInfo {
        id: "spectral-em",
        name: "Spectral EM",
        summary: "Confusion matrices from third moments of three groups of annotators, then Dawid-Skene EM.",
        doc: include_str!("spectral_em.md"),
        aliases: &["opt-dawid-skene"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { stochastic: true, ..shared::CAPABILITIES },
        references: &[Reference {
            text: "Y. Zhang, X. Chen, D. Zhou, M. I. Jordan. Spectral Methods Meet EM: A Provably Optimal Algorithm \
                   for Crowdsourcing. JMLR 17, 2016.",
            doi: Some("10.48550/arXiv.1406.3824"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Spectral)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("alpha", self.alpha, 0.0, 1e9);
        p.count("restarts", self.restarts);
        Shares::check(self.class_prior, self.beta, &self.class_shares, p);
    }

    /// A split in the order of annotators is asked for to have theirs, not one that we make up.
    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.split == Split::Random
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let (k, units) = (labels.k(), data.table.n_units());
        let shares = Shares::new(self.class_prior, self.beta, &self.class_shares, &labels)?;
        let prior = shares.given.clone();
        let mut model = Rows { alpha: self.alpha, diagonal: 0.0, zeros: self.zeros, shares };
        let accelerate = self.accelerate && (self.alpha > 0.0 || self.zeros != Zeros::Skip);
        let settings = Settings::soft(self.max_iter, self.tol, accelerate);
        let mut engine = Engine::new(&labels, gold.as_deref(), cx.threads)?;
        let mut best: Option<Fitted> = None;
        let mut objectives = Vec::new();
        let mut finding = None;
        if let Some(start) = shared::warm_start(data, cx) {
            best = Some(em::fit(&mut engine, &mut model, start, &settings, units, cx)?);
        } else {
            let crowd = Crowd::new(&labels);
            let mut failures = Vec::new();
            for restart in 0..self.restarts {
                if self.restarts > 1 {
                    cx.event(&Event::Stage { name: format!("split {} of {}", restart + 1, self.restarts) });
                }
                let groups = match self.split {
                    Split::Order if restart == 0 => crowd.annotator.iter().map(|j| (j % 3) as u8).collect(),
                    _ => split(&crowd, cx, restart),
                };
                match tables(&crowd, &groups, data.table.n_annotators(), cx, restart) {
                    Err(why) => failures.push(why),
                    Ok(tables) => {
                        let start = Start::Tables { tables, prior: prior.clone() };
                        let fitted = em::fit(&mut engine, &mut model, start, &settings, units, cx)?;
                        objectives.push(fitted.objective);
                        if best.as_ref().is_none_or(|b| fitted.objective > b.objective) {
                            best = Some(fitted);
                        }
                    }
                }
                if cx.cancelled() {
                    break;
                }
            }
            // when most splits cannot tell the classes apart, the others do so by chance
            if best.is_none() || 2 * failures.len() > self.restarts {
                finding = failures.first().map(no_start);
                let start = Start::Posterior(Begin::VoteShares);
                best = Some(em::fit(&mut engine, &mut model, start, &settings, units, cx)?);
            }
        }
        let kind = shared::objective_kind(self.alpha + self.beta);
        let best = best.expect("at least the votes");
        let mut out = shared::outcome(best, data, gold.as_deref(), kind, |t| Annotators::Confusion {
            k,
            matrix: shared::transpose(t, k),
        });
        out.diagnostics.details.insert("restart_objectives".into(), objectives.into());
        out.findings.extend(finding);
        Ok(out)
    }
}

/// Why third moments give no start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum NoStart {
    /// One class, or fewer than three annotators.
    TooSmall,
    TooManyClasses,
    /// The smallest over the largest singular value of a second moment.
    Ratio(f64),
}

impl std::fmt::Display for NoStart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoStart::TooSmall => f.write_str("there are fewer than three annotators, or one class only"),
            NoStart::TooManyClasses => write!(f, "there are more than {MOST_CLASSES} classes"),
            NoStart::Ratio(r) => write!(
                f,
                "the common answers of the groups hardly tell all classes apart (smallest over largest singular value {r:.1e})"
            ),
        }
    }
}

fn no_start(why: &NoStart) -> Finding {
    Finding::new(
        "no-spectral-start",
        Severity::Warning,
        Subject::Fit,
        format!("EM began at the votes, because the third moments give no start: {why}"),
        "the result is that of a start at the votes; add labels on items of rare classes, or merge them",
    )
}

/// Three groups drawn at random: the annotators in order of their numbers of labels, three by three, one into each group.
fn split(crowd: &Crowd, cx: &Context<'_>, restart: usize) -> Groups {
    let mut rng = cx.rng("spectral split", restart as u64);
    let mut order: Vec<usize> = (0..crowd.annotator.len()).collect();
    order.shuffle(&mut rng);
    order.sort_by_key(|&j| std::cmp::Reverse(crowd.by(j).len()));
    let mut groups = vec![0; order.len()];
    for three in order.chunks(3) {
        let mut to = [0, 1, 2];
        to.shuffle(&mut rng);
        three.iter().zip(to).for_each(|(&j, g)| groups[j] = g);
    }
    groups
}

/// Tables (annotators x label x truth) by the moments of three groups.
fn tables(
    crowd: &Crowd,
    groups: &Groups,
    annotators: usize,
    cx: &Context<'_>,
    restart: usize,
) -> Result<Vec<f64>, NoStart> {
    let k = crowd.k;
    if k < 2 || crowd.annotator.len() < 3 {
        return Err(NoStart::TooSmall);
    }
    if k > MOST_CLASSES {
        return Err(NoStart::TooManyClasses);
    }
    let moments = Moments::new(crowd, groups);
    let mut found = Vec::with_capacity(3);
    for c in 0..3 {
        let mut rng = cx.rng("spectral power", (3 * restart + c) as u64);
        found.push(component(&moments, c, &mut rng).map_err(NoStart::Ratio)?);
    }
    drop(moments);
    let mut group_of = vec![0u8; annotators];
    crowd.annotator.iter().zip(groups).for_each(|(&j, &g)| group_of[j as usize] = g);
    // moments of single annotators are means over all items too: what is rare has few entries above the floor
    let items = crowd.unit.len() as f64;
    let inverse: Vec<Matrix> = (0..3).map(|g| inverse_of_others(&found, g, items)).collect();
    let mut tables = beside(crowd, groups, annotators);
    let mut total = vec![0.0; k * k];
    for (own, &g) in tables.chunks_exact_mut(k * k).zip(&group_of) {
        let n: f64 = own.iter().sum();
        let a = Matrix::new(k, k, own.to_vec()).times(&inverse[g as usize]);
        own.copy_from_slice(a.values());
        to_columns(own, k);
        total.iter_mut().zip(own).for_each(|(t, x)| *t += n * *x);
    }
    // the classes of all annotators together, as most labels would have them
    let order = best_assignment(&total, k);
    let mut row = vec![0.0; k];
    for own in tables.chunks_exact_mut(k) {
        row.copy_from_slice(own);
        own.iter_mut().zip(&order).for_each(|(x, &t)| *x = row[t]);
    }
    Ok(tables)
}

/// (diag(share) Cᵀ)⁺ / items, where C and the shares are those of the two groups other than `g`.
fn inverse_of_others(found: &[Component], g: usize, items: f64) -> Matrix {
    let (a, b) = (&found[(g + 1) % 3], &found[(g + 2) % 3]);
    let k = a.share.len();
    let weighted = |t: usize, l: usize| 0.5 * (a.share[t] + b.share[t]) * (a.answers[(l, t)] + b.answers[(l, t)]);
    Matrix::from_fn(k, k, |t, l| items * weighted(t, l)).pseudo_inverse()
}

/// Columns that are distributions: entries of at least [`FLOOR`] that sum to 1; even ones where nothing is known.
fn to_columns(table: &mut [f64], k: usize) {
    table.iter_mut().for_each(|x| *x = if *x > FLOOR { *x } else { FLOOR });
    for t in 0..k {
        let sum: f64 = (0..k).map(|l| table[l * k + t]).sum();
        (0..k).for_each(|l| table[l * k + t] /= sum);
    }
}

/// Tables to begin any EM with, of as many random splits as `spectral-em` tries; and why one gave none, if any did.
pub(crate) fn starts(data: &Dataset, cx: &Context<'_>, restart: usize) -> (Vec<Vec<f64>>, Option<String>) {
    let labels = data.table.categorical().expect("the kind was checked");
    let crowd = Crowd::new(&labels);
    let tries = SpectralEm::default().restarts;
    let (mut found, mut why) = (Vec::new(), None);
    for number in restart * tries..(restart + 1) * tries {
        match tables(&crowd, &split(&crowd, cx, number), data.table.n_annotators(), cx, number) {
            Ok(tables) => found.push(tables),
            Err(reason) => why = Some(reason.to_string()),
        }
    }
    // when most splits cannot tell the classes apart, the others do so by chance
    if 2 * found.len() < tries {
        found.clear();
    }
    (found, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder, stats, stream};
    use rand::RngExt;

    /// The reference program's generator (three classes, 25 annotators of whom three are experts, 30 % of 5,000 items
    /// each) and its error of the start: the mean over annotators of the squared error of a matrix is 0.0080.
    #[test]
    fn the_start_is_as_good_as_that_of_the_reference_program() {
        let (n, m, k) = (5000, 25, 3);
        let mut mse = 0.0;
        for seed in 0..3 {
            let mut rng = stream(seed, "start", 0);
            let mut matrices = vec![0.0; m * k * k]; // annotators x label x truth
            for (x, own) in matrices.chunks_exact_mut(k * k).enumerate() {
                for t in 0..k {
                    let mut column: Vec<f64> = (0..k).map(|_| rng.random()).collect();
                    let largest = stats::argmax(&column);
                    column.swap(largest, t);
                    let sum: f64 = column.iter().sum();
                    for l in 0..k {
                        let expert = 0.02 * column[l] / sum + if l == t { 0.98 } else { 0.0 };
                        own[l * k + t] = if x < 3 { expert } else { column[l] / sum };
                    }
                }
            }
            let mut b = TableBuilder::new(LabelKind::Categorical);
            (0..k).map(|c| c.to_string()).for_each(|c| assert!(b.classes.intern(&c) < 3));
            (0..m).map(|j| j.to_string()).for_each(|j| assert!(b.annotators.intern(&j) < 25));
            for i in 0..n {
                let z = rng.random_range(0..k);
                for j in 0..m {
                    if rng.random_bool(0.3) {
                        let (u, p) = (rng.random::<f64>(), |l: usize| matrices[j * k * k + l * k + z]);
                        let l = if u < p(0) { 0 } else { 1 + usize::from(u >= p(0) + p(1)) };
                        b.label(&i.to_string(), &j.to_string(), &l.to_string()).unwrap();
                    }
                }
            }
            let data = Dataset::new(b.finish().unwrap());
            let found = starts(&data, &Context::default(), 0).0.swap_remove(0);
            mse += found.iter().zip(&matrices).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / (3 * m) as f64;
        }
        assert!((mse - 0.008).abs() < 0.004, "{mse}");
    }
}
