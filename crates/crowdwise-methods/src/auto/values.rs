//! Real values: the choice between rules and models, by how well labels that were held out are predicted.

use super::words;
use crate::optimisation::{Catd, Crh};
use crate::real::{GaussianAnnotators, Mean, Median, TrimmedMean};
use crowdwise_core::questions::folds;
use crowdwise_core::stats::ln_gamma;
use crowdwise_core::{Context, Dataset, Error, Event, Finding, Method, Outcome, Severity, Subject, Table, Truth};
use serde_json::json;

/// Every label is held out once, a fifth at a time.
const FOLDS: usize = 5;
/// Labels that the choice rests on at most; of larger tables every so manieth item.
const MOST: usize = 100_000;
/// Annotators without whom there is nothing to weigh.
const FEWEST: usize = 3;
/// Degrees of freedom of the noise in the comparison: single wild values must not decide it.
const NU: f64 = 4.0;
/// Labels' worth of the common annotator in each annotator of the comparison.
const POOLED: f64 = 4.0;

/// Log densities closer than this tell how the labels scatter, not where the truth is.
const CLOSE: f64 = 0.02;

type Fitter = Box<dyn Fn(&Dataset, &mut Context<'_>) -> Result<Outcome, Error>>;

/// In the order in which they are preferred where the labels do not tell: models of annotators first.
fn candidates() -> Vec<(&'static str, Fitter)> {
    fn of<M: Method>(m: M) -> Fitter {
        Box::new(move |data, cx| Method::fit(&m, data, cx))
    }
    let model = GaussianAnnotators::default;
    vec![
        ("gaussian-annotators scale=true", of(GaussianAnnotators { scale: true, ..model() })),
        ("gaussian-annotators", of(model())),
        (
            "gaussian-annotators degrees_of_freedom=4",
            of(GaussianAnnotators { degrees_of_freedom: Some(4.0), ..model() }),
        ),
        ("catd", of(Catd::default())),
        ("crh", of(Crh::default())),
        ("trimmed-mean", of(TrimmedMean::default())),
        ("median", of(Median::default())),
        ("mean", of(Mean::default())),
    ]
}

/// Loss of each held-out label by item: (sum, labels).
type Losses = Vec<(f64, f64)>;

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
    let mean = |l: &Losses| {
        let (sum, n) = l.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        sum / n
    };
    let means: Vec<f64> = losses.iter().map(mean).collect();
    let best = (0..all.len())
        .filter(|&x| means[x].is_finite())
        .min_by(|&a, &b| means[a].total_cmp(&means[b]))
        .unwrap_or(all.len() - 1);
    let error: Vec<f64> = losses.iter().map(|l| difference_error(l, &losses[best])).collect();
    let used = (0..all.len()).find(|&x| means[x] - means[best] <= error[x].max(CLOSE)).unwrap_or(best);
    let mut out = (all[used].1)(data, cx)?;
    out.findings.insert(0, said(&all, used, best, &means, &error, held_out));
    let rows: Vec<_> = (0..all.len())
        .map(|x| json!({"model": all[x].0, "held_out_log_density": -means[x], "se_of_difference": error[x]}))
        .collect();
    out.diagnostics.details.insert("candidates".into(), rows.into());
    out.diagnostics.details.insert("used".into(), json!([all[used].0]));
    Ok(out)
}

/// The whole table, or every so manieth item of a large one.
fn sampled(table: &Table) -> Table {
    let every = table.n_labels().div_ceil(MOST).max(1);
    if every == 1 {
        return table.clone();
    }
    let mut keep = vec![false; table.n_labels()];
    (0..table.n_units()).step_by(every).for_each(|u| keep[table.rows(u)].fill(true));
    table.filter_rows(|r| keep[r])
}

/// Standard error of the difference of two mean losses, items as clusters.
fn difference_error(a: &Losses, b: &Losses) -> f64 {
    let n: f64 = a.iter().map(|x| x.1).sum();
    let each: Vec<(f64, f64)> = a.iter().zip(b).filter(|x| x.0.1 > 0.0).map(|(x, y)| (x.0 - y.0, x.1)).collect();
    let mean = each.iter().map(|x| x.0).sum::<f64>() / n;
    each.iter().map(|x| (x.0 - mean * x.1).powi(2)).sum::<f64>().sqrt() / n
}

fn said(
    all: &[(&'static str, Fitter)],
    used: usize,
    best: usize,
    means: &[f64],
    error: &[f64],
    held_out: usize,
) -> Finding {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| means[a].total_cmp(&means[b]));
    let list: Vec<String> = order.iter().map(|&x| format!("`{}` {:.3}", all[x].0, -means[x])).collect();
    let why = if used == best {
        "it predicts held-out labels best".into()
    } else {
        format!(
            "`{}` predicts held-out labels better by {:.4} only (a difference below {:.3} decides nothing), and a model of \
             the annotators tells more",
            all[best].0,
            means[used] - means[best],
            error[used].max(CLOSE)
        )
    };
    Finding::new(
        "chosen",
        Severity::Info,
        Subject::Fit,
        format!(
            "`{}` was used: {why}; mean log density of {} held-out labels: {}",
            all[used].0,
            crowdwise_core::group(held_out as u64),
            list.join(", ")
        ),
        "`compare` shows the candidates beside other methods; a few hundred items of known truth would settle it",
    )
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
