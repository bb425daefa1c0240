//! Weights from losses, truths from weights, in turn: what CRH and CATD share.

use crate::classes::voting::{Ballot, Form};
use crate::numbers::errors::{of_mean, squared_errors};
use crate::numbers::{loss_of_median, residuals};
use crate::runs::runs;
use crowdwise_core::stats::{n_tied, tied};
use crowdwise_core::{Annotators, Context, Dataset, Error, GoldValues, Objective, Outcome, Run, Step, Table, Truth};
use crowdwise_numerics::add_into;
use rayon::prelude::*;
use serde_json::json;

/// From total loss and number of labels of every annotator its weight (0 or more).
pub(super) trait Rule: Sync {
    fn weights(&self, loss: &[f64], labels: &[f64]) -> Vec<f64>;
}

/// What a real estimate minimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Centre {
    /// Weighted absolute deviations: the weighted median.
    Median,
    /// Weighted squares: the weighted mean.
    Mean,
}

/// How a deviation becomes a loss: |r|^power / s^divided, s the standard deviation of the item's values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loss {
    pub power: i32,
    pub divided: i32,
    /// Items whose values all agree: left out of the losses, or counted with s = 1.
    pub skip_unanimous: bool,
}

/// Sums a loss over the labels of every annotator, in runs of items that do not depend on the threads.
fn by_annotator(
    table: &Table,
    cx: &mut Context<'_>,
    loss: impl Fn(usize, usize) -> f64 + Sync,
) -> Result<Vec<f64>, Error> {
    let m = table.n_annotators();
    let parts: Vec<Vec<f64>> = cx.install(|| {
        runs(table.offsets(), m)
            .into_par_iter()
            .map(|run| {
                let mut sum = vec![0.0; m];
                for u in run {
                    table.rows(u).for_each(|r| sum[table.annotator()[r] as usize] += loss(u, r));
                }
                sum
            })
            .collect()
    })?;
    let mut total = vec![0.0; m];
    parts.iter().for_each(|p| add_into(&mut total, p));
    Ok(total)
}

fn counts(table: &Table) -> Vec<f64> {
    table.labels_per_annotator().iter().map(|&n| n as f64).collect()
}

/// Categorical labels: 0/1 loss and weighted votes. A tie is shared: of t classes with the most weight each is right with
/// probability 1/t, so that no order of classes matters.
pub(super) fn classes(
    data: &Dataset,
    cx: &mut Context<'_>,
    max_iter: usize,
    rule: &impl Rule,
) -> Result<Outcome, Error> {
    let ballot = Ballot::new(data);
    let (labels, table) = (&ballot.labels, &data.table);
    let (k, n) = (labels.k(), counts(table));
    let mut posterior = ballot.posterior(None, Form::Share, cx)?;
    let decided = |q: &[f64]| -> Vec<(u32, u32)> {
        let of = |row: &[f64]| (crowdwise_core::stats::argmax(row) as u32, n_tied(row) as u32);
        q.chunks_exact(k).map(of).collect()
    };
    let mut truth = decided(&posterior);
    let mut weight = Vec::new();
    let mut total = 0.0;
    let run = cx.iterate(max_iter, f64::MIN_POSITIVE, |cx, _| {
        let loss = by_annotator(table, cx, |u, r| {
            let row = &posterior[u * k..(u + 1) * k];
            let (best, ties) = truth[u];
            if tied(row[labels.codes.get(r)], row[best as usize]) { 1.0 - 1.0 / ties as f64 } else { 1.0 }
        })?;
        weight = rule.weights(&loss, &n);
        total = loss.iter().zip(&weight).map(|(l, w)| l * w).sum();
        posterior = ballot.posterior(Some(&weight), Form::Share, cx)?;
        let next = decided(&posterior);
        let moved = next.iter().zip(&truth).filter(|(a, b)| a != b).count();
        truth = next;
        Ok(Step { objective: None, change: moved as f64 / truth.len() as f64 })
    })?;
    let mut diagnostics = run.diagnostics("");
    diagnostics.objective = Some(Objective { kind: "weighted-loss".into(), value: total });
    let mut out = Outcome::classes(k, posterior, Annotators::Weight { weight }, diagnostics);
    out.class_prior = Some(vec![1.0 / k as f64; k]);
    Ok(out)
}

/// Real values: weighted mean or median.
pub(super) fn values(
    data: &Dataset,
    cx: &mut Context<'_>,
    max_iter: usize,
    tol: f64,
    centre: Centre,
    loss: Loss,
    rule: &impl Rule,
) -> Result<Outcome, Error> {
    let table = &data.table;
    let x = table.real().expect("the kind was checked");
    let n = counts(table);
    let mut known = vec![None; table.n_units()];
    if let Some(GoldValues::Real(v)) = data.gold.as_ref().map(|g| &g.values) {
        v.iter().for_each(|&(u, y)| known[u as usize] = Some(y));
    }
    let spread: Vec<f64> = (0..table.n_units()).map(|u| spread(&x[table.rows(u)])).collect();
    let typical = {
        let some: Vec<f64> = spread.iter().copied().filter(|s| *s > 0.0).collect();
        if some.is_empty() { 1.0 } else { some.iter().sum::<f64>() / some.len() as f64 }
    };
    let estimate = |weight: Option<&[f64]>, centre: Centre, cx: &mut Context<'_>| -> Result<Vec<f64>, Error> {
        let mut out = vec![f64::NAN; table.n_units()];
        cx.install(|| {
            out.par_chunks_mut(1024).enumerate().for_each(|(c, out)| {
                let mut pairs = Vec::new();
                for (at, y) in out.iter_mut().enumerate() {
                    let u = c * 1024 + at;
                    if let Some(known) = known[u] {
                        *y = known;
                        continue;
                    }
                    pairs.clear();
                    let w = |r: usize| weight.map_or(1.0, |w| w[table.annotator()[r] as usize]);
                    pairs.extend(table.rows(u).map(|r| (x[r], w(r))));
                    *y = self::centre(&mut pairs, centre);
                }
            });
        })?;
        Ok(out)
    };
    let mut y = estimate(None, Centre::Median, cx)?;
    let mut weight = vec![1.0; table.n_annotators()];
    let mut total = 0.0;
    let run: Run = cx.iterate(max_iter, tol.max(f64::MIN_POSITIVE), |cx, _| {
        let losses = by_annotator(table, cx, |u, r| {
            let s = match spread[u] {
                s if s > 0.0 => s,
                _ if loss.skip_unanimous => return 0.0,
                _ => 1.0,
            };
            (x[r] - y[u]).abs().powi(loss.power) / s.powi(loss.divided)
        })?;
        weight = rule.weights(&losses, &n);
        total = losses.iter().zip(&weight).map(|(l, w)| l * w).sum();
        let next = estimate(Some(&weight), centre, cx)?;
        let moved = |(a, b): (&f64, &f64)| if a.is_nan() { 0.0 } else { (a - b).abs() / typical };
        let change = next.iter().zip(&y).map(moved).fold(0.0, f64::max);
        y = next;
        Ok(Step { objective: None, change })
    })?;
    let mut diagnostics = run.diagnostics("");
    diagnostics.objective = Some(Objective { kind: "weighted-loss".into(), value: total });
    diagnostics.details.insert("weight".into(), json!(weight));
    let annotators = residuals::annotators(table, x, &y, 1.0);
    let sd = errors(table, x, &weight, &known, centre);
    Ok(Outcome {
        truth: Truth::Real { value: y, sd },
        uncalibrated: None,
        annotators,
        class_prior: None,
        difficulty: None,
        diagnostics,
        findings: Vec::new(),
    })
}

/// Standard deviation of the values of an item, divided by n.
fn spread(x: &[f64]) -> f64 {
    if x.is_empty() {
        return 0.0;
    }
    let mean = crate::numbers::average(x);
    (x.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / x.len() as f64).sqrt()
}

/// Weighted mean, or the lower weighted median; the plain one where nobody has weight. NaN without values.
fn centre(pairs: &mut [(f64, f64)], centre: Centre) -> f64 {
    let Some(first) = pairs.first().copied() else { return f64::NAN };
    let mut total: f64 = pairs.iter().map(|p| p.1).sum();
    if total <= 0.0 {
        pairs.iter_mut().for_each(|p| p.1 = 1.0);
        total = pairs.len() as f64;
    }
    if centre == Centre::Mean {
        // about the first value: equal values give exactly that value
        return first.0 + pairs.iter().map(|p| p.1 * (p.0 - first.0)).sum::<f64>() / total;
    }
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let even = pairs.iter().all(|p| p.1 == first.1);
    if even {
        let n = pairs.len();
        return 0.5 * pairs[(n - 1) / 2].0 + 0.5 * pairs[n / 2].0;
    }
    let mut below = 0.0;
    for p in &*pairs {
        below += p.1;
        if below >= 0.5 * total {
            return p.0;
        }
    }
    pairs[pairs.len() - 1].0
}

/// Standard errors of weighted means if annotators err independently, each with its own mean squared error; those of
/// medians are larger by the factor of normal noise.
fn errors(table: &Table, x: &[f64], weight: &[f64], known: &[Option<f64>], centre: Centre) -> Vec<f64> {
    let v = squared_errors(table, x, known);
    let who = table.annotator();
    (0..table.n_units())
        .map(|u| {
            if known[u].is_some() {
                return 0.0;
            }
            let dearer = match (centre, table.degree(u)) {
                (Centre::Mean, _) | (_, 0) => 1.0,
                (Centre::Median, n) => loss_of_median(n).sqrt(),
            };
            dearer * of_mean(table.rows(u).map(|r| (weight[who[r] as usize], v[who[r] as usize])))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighted_centres() {
        let pairs = || vec![(5.0, 1.0), (1.0, 3.0), (9.0, 1.5)];
        assert_eq!(centre(&mut pairs(), Centre::Median), 1.0);
        assert!((centre(&mut pairs(), Centre::Mean) - 21.5 / 5.5).abs() < 1e-15);
        assert_eq!(centre(&mut [(4.0, 1.0), (2.0, 1.0)], Centre::Median), 3.0);
        assert_eq!(centre(&mut [(4.0, 0.0), (2.0, 0.0)], Centre::Mean), 3.0);
        assert!(centre(&mut [], Centre::Mean).is_nan());
    }
}
