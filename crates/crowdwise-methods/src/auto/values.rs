//! Real values: the choice between rules and models, by how well labels that were held out are predicted.

use super::held_out::{FOLDS, Fitter, Losses, Verdict, fitter};
use super::words;
use crate::classes::optimisation::{Catd, Crh};
use crate::numbers::{GaussianAnnotators, Mean, Median, TrimmedMean};
use crowdwise_core::questions::folds;
use crowdwise_core::stats::ln_gamma;
use crowdwise_core::{Context, Dataset, Error, Event, Method, Outcome, Table, Truth};

/// Labels that the choice rests on at most; of larger tables every n-th item.
const MOST: usize = 100_000;
/// Annotators without whom there is nothing to weigh.
const FEWEST: usize = 3;
/// Degrees of freedom of the noise in the comparison: single wild values must not decide it.
const NU: f64 = 4.0;
/// Labels' worth of the common annotator in each annotator of the comparison.
const POOLED: f64 = 4.0;

/// In the order in which they are preferred where the labels do not tell: models of annotators first.
fn candidates() -> Vec<(&'static str, Fitter)> {
    let model = GaussianAnnotators::default;
    vec![
        ("gaussian-annotators scale=true", fitter(GaussianAnnotators { scale: true, ..model() })),
        ("gaussian-annotators", fitter(model())),
        (
            "gaussian-annotators degrees_of_freedom=4",
            fitter(GaussianAnnotators { degrees_of_freedom: Some(4.0), ..model() }),
        ),
        ("catd", fitter(Catd::default())),
        ("crh", fitter(Crh::default())),
        ("trimmed-mean", fitter(TrimmedMean::default())),
        ("median", fitter(Median::default())),
        ("mean", fitter(Mean::default())),
    ]
}

pub(super) fn fit(data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    let table = &data.table;
    let sample = sampled(table);
    let fold = folds(&sample, FOLDS, 0);
    let held_out = fold.iter().filter(|&&f| (f as usize) < FOLDS).count();
    if table.n_annotators() < FEWEST || held_out == 0 {
        let why = if held_out == 0 {
            "no item has labels of two annotators"
        } else {
            "there are fewer than three annotators"
        };
        let out = Mean::default().fit(data, cx)?;
        return Ok(words::simple(out, data, "mean", why));
    }
    let all = candidates();
    let mut losses: Vec<Losses> = vec![vec![(0.0, 0.0); sample.n_units()]; all.len()];
    for f in 0..FOLDS {
        cx.event(&Event::Stage { name: format!("held-out part {} of {FOLDS}", f + 1) });
        let mut train = Dataset::new(sample.filter_rows(|r| fold[r] as usize != f));
        train.gold.clone_from(&data.gold);
        if train.table.n_labels() == 0 {
            continue;
        }
        for (x, (_, fitter)) in all.iter().enumerate() {
            let out = fitter(&train, cx)?;
            let Truth::Real { value, .. } = &out.truth else { unreachable!("a method for values") };
            Lines::new(&train.table, value).add(&sample, &fold, f, value, &mut losses[x]);
        }
    }
    let verdict = Verdict::of(all.iter().map(|x| x.0.to_owned()).collect(), &losses);
    let mut out = (all[verdict.used].1)(data, cx)?;
    verdict.tell(&mut out, "log density", "labels", "a model of the annotators says more about them", "");
    Ok(out)
}

/// The whole table, or every n-th item of a large one.
fn sampled(table: &Table) -> Table {
    let every = table.n_labels().div_ceil(MOST).max(1);
    if every == 1 {
        return table.clone();
    }
    let mut keep = vec![false; table.n_labels()];
    (0..table.n_units()).step_by(every).for_each(|u| keep[table.rows(u)].fill(true));
    table.filter_rows(|r| keep[r])
}

/// The same annotators for every candidate: each a line of its own on the estimates, with Student's t noise.
struct Lines {
    middle: f64,
    bias: Vec<f64>,
    scale: Vec<f64>,
    variance: Vec<f64>,
}

impl Lines {
    fn new(table: &Table, value: &[f64]) -> Lines {
        let x = table.real().expect("a table of values");
        let m = table.n_annotators();
        let labelled: Vec<usize> = (0..table.n_units()).filter(|&u| table.degree(u) > 0).collect();
        let count = labelled.len() as f64;
        let middle = labelled.iter().map(|&u| value[u]).sum::<f64>() / count;
        let spread = labelled.iter().map(|&u| (value[u] - middle).powi(2)).sum::<f64>() / count;
        let each = |f: &mut dyn FnMut(usize, usize, f64)| {
            for &u in &labelled {
                for r in table.rows(u) {
                    f(table.annotator()[r] as usize, r, value[u] - middle);
                }
            }
        };
        let mut typical = 0.0;
        each(&mut |_, r, y| typical += (x[r] - middle - y).powi(2) / x.len() as f64);
        let least = 1e-9 * (spread + typical) + f64::MIN_POSITIVE;
        typical = typical.max(least);
        let mut out = Lines { middle, bias: vec![0.0; m], scale: vec![1.0; m], variance: vec![typical; m] };
        let mut weight = vec![1.0; x.len()];
        for _ in 0..20 {
            let mut s = vec![[0.0; 5]; m];
            each(&mut |j, r, y| {
                let (o, v) = (weight[r] / out.variance[j], x[r] - middle);
                s[j].iter_mut().zip([o, o * y, o * y * y, o * v, o * v * y]).for_each(|(a, b)| *a += b);
            });
            for j in 0..m {
                let [one, y, yy, v, vy] = s[j];
                let (a, prior) = (one + POOLED / typical, POOLED * spread / typical);
                let (c, d) = (yy + prior, vy + prior);
                let det = a * c - y * y;
                if det > 0.0 {
                    (out.bias[j], out.scale[j]) = ((c * v - y * d) / det, (a * d - y * v) / det);
                }
            }
            let (mut sum, mut n, mut all) = (vec![0.0; m], vec![0.0; m], 0.0);
            each(&mut |j, r, y| {
                let e = x[r] - middle - out.bias[j] - out.scale[j] * y;
                weight[r] = (NU + 1.0) / (NU + e * e / out.variance[j]);
                sum[j] += weight[r] * e * e;
                n[j] += 1.0;
                all += weight[r] * e * e / x.len() as f64;
            });
            typical = all.max(least);
            for j in 0..m {
                out.variance[j] = (sum[j] + POOLED * typical) / (n[j] + POOLED);
            }
        }
        out
    }

    /// Adds -ln density of the labels that were held out in `part`.
    fn add(&self, table: &Table, fold: &[u8], part: usize, value: &[f64], losses: &mut Losses) {
        let x = table.real().expect("a table of values");
        let constant = ln_gamma(0.5 * NU) - ln_gamma(0.5 * (NU + 1.0)) + 0.5 * (NU * std::f64::consts::PI).ln();
        for u in 0..table.n_units() {
            for r in table.rows(u).filter(|&r| fold[r] as usize == part) {
                let j = table.annotator()[r] as usize;
                let e = x[r] - self.middle - self.bias[j] - self.scale[j] * (value[u] - self.middle);
                let variance = self.variance[j];
                let loss = constant + 0.5 * variance.ln() + 0.5 * (NU + 1.0) * (e * e / (NU * variance)).ln_1p();
                losses[u].0 += loss;
                losses[u].1 += 1.0;
            }
        }
    }
}
