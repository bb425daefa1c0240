//! What a rule would have saved on values that are there already.

use super::{AskNumbers, NumberStrategy};
use crowdwise_core::{
    AnyMethod, Context, Dataset, Error, Fit, Gold, GoldValues, LabelKind, TableBuilder, Truth, stream,
};
use crowdwise_methods::numbers::GaussianAnnotators;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// How old values are uncovered again.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberReplay {
    pub strategies: Vec<NumberStrategy>,
    pub orderings: usize,
    /// Values per item to begin with, drawn.
    pub start: usize,
    /// Values of a batch, in parts of the number of items.
    pub batch: f64,
    pub seed: u64,
}

impl Default for NumberReplay {
    fn default() -> Self {
        let strategies = vec![NumberStrategy::Fewest, NumberStrategy::Gain, NumberStrategy::Random];
        NumberReplay { strategies, orderings: 10, start: 1, batch: 0.1, seed: 0 }
    }
}

/// Root mean square error as values come in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NumberCurve {
    pub strategy: NumberStrategy,
    /// Values per item at each point.
    pub per_item: Vec<f64>,
    /// For every ordering, at each point.
    pub rmse: Vec<Vec<f64>>,
}

impl NumberCurve {
    /// The mean over orderings.
    pub fn mean(&self) -> Vec<f64> {
        let n = self.rmse.len() as f64;
        (0..self.per_item.len()).map(|at| self.rmse.iter().map(|r| r[at]).sum::<f64>() / n).collect()
    }

    /// The mean over the whole curve.
    pub fn area(&self) -> f64 {
        self.mean().iter().sum::<f64>() / self.per_item.len() as f64
    }

    /// Values per item from which on the error, averaged over five neighbouring points, is at most so much.
    pub fn needed(&self, rmse: f64) -> Option<f64> {
        let mean = self.mean();
        let smooth = |at: usize| {
            let near = &mean[at.saturating_sub(2)..(at + 3).min(mean.len())];
            near.iter().sum::<f64>() / near.len() as f64
        };
        (0..mean.len()).find(|&at| smooth(at) <= rmse).map(|at| self.per_item[at])
    }
}

impl NumberReplay {
    /// One curve for each strategy, and the error of all values together.
    pub fn run(&self, data: &Dataset, truth: &Gold) -> Result<(Vec<NumberCurve>, f64), Error> {
        let (GoldValues::Real(known), LabelKind::Real) = (&truth.values, data.table.kind()) else {
            return Err(Error::Usage {
                what: format!(
                    "a replay of numbers needs values and their truth, but {} has {} labels",
                    data.source,
                    data.table.kind()
                ),
                hint: None,
            });
        };
        let all = fit(data)?;
        let last = error(&all, known);
        let runs: Vec<(usize, usize)> =
            (0..self.strategies.len()).flat_map(|s| (0..self.orderings).map(move |o| (s, o))).collect();
        let found: Vec<Result<Vec<(f64, f64)>, Error>> =
            runs.par_iter().map(|&(s, o)| self.one(data, known, self.strategies[s], o as u64)).collect();
        let found = found.into_iter().collect::<Result<Vec<_>, Error>>()?;
        let per = found.chunks(self.orderings);
        let curves = self.strategies.iter().zip(per).map(|(&strategy, of)| {
            let points = of.iter().map(Vec::len).min().unwrap_or(0);
            NumberCurve {
                strategy,
                per_item: of[0][..points].iter().map(|p| p.0).collect(),
                rmse: of.iter().map(|r| r[..points].iter().map(|p| p.1).collect()).collect(),
            }
        });
        Ok((curves.collect(), last))
    }

    fn one(
        &self,
        data: &Dataset,
        known: &[(u32, f64)],
        strategy: NumberStrategy,
        ordering: u64,
    ) -> Result<Vec<(f64, f64)>, Error> {
        let t = &data.table;
        let values = t.real().expect("values");
        let mut rng = stream(self.seed, "replay of numbers", ordering);
        // the answers that are left: of one who gave several, one after the other
        let mut left: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        let mut shown: Vec<(u32, u32, f64)> = Vec::with_capacity(t.n_labels());
        for u in 0..t.n_units() {
            let mut rows: Vec<usize> = t.rows(u).collect();
            rows.shuffle(&mut rng);
            for (n, r) in rows.into_iter().enumerate() {
                let j = t.annotator()[r];
                if n < self.start {
                    shown.push((u as u32, j, values[r]));
                } else {
                    left.entry((u, j as usize)).or_default().push(values[r]);
                }
            }
        }
        // whoever gave a second value of an item cannot be asked for it: the pair is done
        shown.iter().for_each(|&(u, j, _)| _ = left.remove(&(u as usize, j as usize)));
        let batch = ((self.batch * t.n_units() as f64) as usize).max(1);
        let mut out = Vec::new();
        for number in 0.. {
            let now = table(data, &shown)?;
            let fit = fit(&now)?;
            out.push((shown.len() as f64 / t.n_units() as f64, error(&fit, known)));
            let ask =
                AskNumbers { strategy, n: batch, seed: self.seed ^ (ordering << 20 | number), ..AskNumbers::default() };
            let possible = |u: usize, j: usize| left.contains_key(&(u, j));
            let asked = ask.next_of(&now, &fit, &possible)?;
            if asked.is_empty() {
                break;
            }
            for q in asked {
                let answers = left.remove(&(q.item as usize, q.annotator as usize)).unwrap_or_default();
                shown.extend(answers.into_iter().map(|x| (q.item, q.annotator, x)));
            }
        }
        Ok(out)
    }
}

/// The values so far, with all items and annotators.
fn table(data: &Dataset, shown: &[(u32, u32, f64)]) -> Result<Dataset, Error> {
    let mut b = TableBuilder::new(LabelKind::Real);
    (b.items, b.annotators) = (data.table.items().clone(), data.table.annotators().clone());
    let mut rows = shown.to_vec();
    rows.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    rows.iter().for_each(|&(u, j, x)| b.value_codes(u, j, x));
    Ok(Dataset::new(b.finish()?))
}

fn fit(data: &Dataset) -> Result<Fit, Error> {
    AnyMethod::fit(&GaussianAnnotators::default(), data, &mut Context::new(0, 1).with_count_copies(true))
}

fn error(fit: &Fit, known: &[(u32, f64)]) -> f64 {
    let Truth::Real { value, .. } = &fit.truth else { return f64::NAN };
    let at: Vec<f64> = known.iter().map(|&(u, x)| value[u as usize] - x).filter(|d| d.is_finite()).collect();
    (at.iter().map(|d| d * d).sum::<f64>() / at.len().max(1) as f64).sqrt()
}
