//! How well a fit predicts labels that it did not see.

use crate::{Annotators, Dataset, Outcome, Preference, Table, Truth, Values, stats, stream};
use rand::seq::SliceRandom;

/// The fold in which each row is hidden; `NEVER` where one annotator gave all labels of a unit.
pub const NEVER: u8 = u8::MAX;

/// Deals the annotators of every unit to the folds in random order, as evenly as can be: a unit with two annotators or
/// more keeps one at least in every fold, a unit with one is never hidden. All labels that an annotator gave to a unit
/// are hidden together: a repetition left in the training labels would give the hidden one away.
pub fn folds(table: &Table, folds: usize, seed: u64) -> Vec<u8> {
    let mut out = vec![NEVER; table.n_labels()];
    let mut rng = stream(seed, "held-out", 0);
    let mut deck: Vec<u8> = (0..folds.clamp(2, 254) as u8).collect();
    for u in 0..table.n_units() {
        // rows are in annotator order, so repetitions are neighbours
        let rows = table.rows(u);
        let who = &table.annotator()[rows.clone()];
        if who.first() == who.last() {
            continue;
        }
        deck.shuffle(&mut rng);
        let mut rest = &mut out[rows];
        for (x, same) in who.chunk_by(|a, b| a == b).enumerate() {
            let (own, after) = rest.split_at_mut(same.len());
            own.fill(deck[x % deck.len()]);
            rest = after;
        }
    }
    out
}

/// Sums of losses per unit: labels of one unit are not independent, so the standard error is over units.
#[derive(Clone, Debug)]
pub struct Losses {
    unit: Vec<(f64, f64)>,
}

impl Losses {
    pub fn new(units: usize) -> Self {
        Losses { unit: vec![(0.0, 0.0); units] }
    }

    /// Mean loss per label, its standard error and the number of labels.
    pub fn mean(&self) -> Option<(f64, f64, u64)> {
        let (sum, n) = self.unit.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        if n == 0.0 {
            return None;
        }
        let mean = sum / n;
        let clusters = self.unit.iter().filter(|u| u.1 > 0.0).count() as f64;
        let spread: f64 = self.unit.iter().map(|u| (u.0 - mean * u.1).powi(2)).sum();
        let small = if clusters > 1.0 { clusters / (clusters - 1.0) } else { 1.0 };
        Some((mean, (small * spread).sqrt() / n, n as u64))
    }

    /// Adds -ln P of the rows hidden in `fold` under a fit to the others.
    pub fn add(&mut self, data: &Dataset, train: &Dataset, fit: &Outcome, fold: &[u8], which: u8) {
        match &fit.truth {
            Truth::Classes { .. } => {
                let (k, posterior) = fit.model_posterior().expect("a fit of classes");
                let p = Classes::of(train, fit, k, posterior);
                let mut column = vec![0.0; k];
                self.each(&data.table, fold, which, |u, r| p.loss(data, u, r, &mut column));
            }
            Truth::Real { value, sd } => {
                let p = Reals::of(train, value, sd);
                self.each(&data.table, fold, which, |u, r| p.loss(data, u, r));
            }
            Truth::Scores { score, .. } => {
                let p = Scores::of(train, score, &fit.annotators);
                self.each(&data.table, fold, which, |u, r| p.loss(data, u, r));
            }
            Truth::Clusters { same, .. } => {
                self.each(&data.table, fold, which, |u, r| pair_loss(data, fit, same[u], r));
            }
        }
    }

    fn each(&mut self, table: &Table, fold: &[u8], which: u8, mut loss: impl FnMut(usize, usize) -> f64) {
        for u in 0..table.n_units() {
            for r in table.rows(u).filter(|&r| fold[r] == which) {
                self.unit[u].0 += loss(u, r);
                self.unit[u].1 += 1.0;
            }
        }
    }
}

/// Posterior times confusion matrix.
struct Classes<'a> {
    k: usize,
    posterior: &'a [f64],
    matrix: Matrices<'a>,
}

enum Matrices<'a> {
    Own(&'a Outcome),
    /// Annotators x K x K, or one matrix for all.
    Common(Vec<f64>),
}

/// A hidden label is never impossible: its probability is mixed with this share of an even one.
const EVEN: f64 = 1e-3;
/// Strength of the pooled matrix beside an annotator's own labels, in labels per row.
const POOLED: f64 = 4.0;
const LIMIT: usize = 30_000_000;

impl<'a> Classes<'a> {
    fn of(train: &Dataset, fit: &'a Outcome, k: usize, posterior: &'a [f64]) -> Self {
        let m = train.table.n_annotators();
        let own = fit.annotators.len() == m && m > 0 && fit.annotators.classes() == Some(k);
        let matrix = if own { Matrices::Own(fit) } else { Matrices::Common(common(train, k, posterior)) };
        Classes { k, posterior, matrix }
    }

    /// `column` is room for K numbers.
    fn loss(&self, data: &Dataset, u: usize, r: usize, column: &mut [f64]) -> f64 {
        let k = self.k;
        let l = data.table.categorical().expect("a fit of classes").codes.get(r);
        let j = data.table.annotator()[r] as usize;
        let q = &self.posterior[u * k..(u + 1) * k];
        let p: f64 = match &self.matrix {
            Matrices::Own(fit) => {
                fit.annotators.column(j, l, column);
                q.iter().zip(column.iter()).map(|(q, p)| q * p).sum()
            }
            Matrices::Common(c) => {
                let at = if c.len() == k * k { 0 } else { j * k * k };
                (0..k).map(|t| q[t] * c[at + t * k + l]).sum()
            }
        };
        -((1.0 - EVEN) * p + EVEN / k as f64).ln()
    }
}

/// The annotator model for methods that have none: expected counts of the training labels under the posterior, with
/// [`POOLED`] labels per row from the matrix of all annotators together. One matrix for all if they would be too large.
fn common(train: &Dataset, k: usize, posterior: &[f64]) -> Vec<f64> {
    let table = &train.table;
    let codes = table.categorical().expect("a fit of classes").codes;
    let m = table.n_annotators();
    let single = m.saturating_mul(k * k) > LIMIT;
    let mut pooled = vec![0.0; k * k];
    let mut own = vec![0.0; if single { 0 } else { m * k * k }];
    for u in 0..table.n_units() {
        for r in table.rows(u) {
            let (j, l) = (table.annotator()[r] as usize, codes.get(r));
            for t in 0..k {
                let q = posterior[u * k + t];
                pooled[t * k + l] += q;
                if !single {
                    own[(j * k + t) * k + l] += q;
                }
            }
        }
    }
    for row in pooled.chunks_exact_mut(k) {
        let n: f64 = row.iter().sum();
        for x in row.iter_mut() {
            *x = (*x + 1.0 / k as f64) / (n + 1.0);
        }
    }
    if single {
        return pooled;
    }
    for matrix in own.chunks_exact_mut(k * k) {
        for (row, base) in matrix.chunks_exact_mut(k).zip(pooled.chunks_exact(k)) {
            let n: f64 = row.iter().sum();
            row.iter_mut().zip(base).for_each(|(x, b)| *x = (*x + POOLED * b) / (n + POOLED));
        }
    }
    own
}

/// Real values: normal around estimate plus bias. Bias and spread of each annotator come from the training residuals,
/// with [`POOLED`] labels' worth of no bias and of the spread of all; the standard error of the estimate is added.
struct Reals<'a> {
    value: &'a [f64],
    sd: &'a [f64],
    annotator: Vec<(f64, f64)>,
    all: (f64, f64),
}

impl<'a> Reals<'a> {
    fn of(train: &Dataset, value: &'a [f64], sd: &'a [f64]) -> Self {
        let table = &train.table;
        let said = table.real().unwrap_or(&[]);
        let n = said.len().max(1) as f64;
        let mean = said.iter().sum::<f64>() / n;
        let spread = (said.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).max(1e-12);
        let mut sums = vec![(0.0, 0.0, 0.0); table.n_annotators()];
        for u in (0..table.n_units()).filter(|&u| value[u].is_finite()) {
            for r in table.rows(u) {
                let e = said[r] - value[u];
                let s = &mut sums[table.annotator()[r] as usize];
                *s = (s.0 + 1.0, s.1 + e, s.2 + e * e);
            }
        }
        let (count, squares) = sums.iter().fold((0.0, 0.0), |a, s| (a.0 + s.0, a.1 + s.2));
        let typical = if count > 0.0 { (squares / count).max(1e-9 * spread) } else { spread };
        let annotator = sums
            .iter()
            .map(|&(n, e, ee)| {
                let bias = e / (n + POOLED);
                let around = (ee - 2.0 * bias * e + n * bias * bias).max(0.0);
                (bias, (around + POOLED * typical) / (n + POOLED))
            })
            .collect();
        Reals { value, sd, annotator, all: (mean, spread) }
    }

    fn loss(&self, data: &Dataset, u: usize, r: usize) -> f64 {
        let x = data.table.real().expect("a fit of values")[r];
        let (bias, variance) = self.annotator[data.table.annotator()[r] as usize];
        let (centre, variance) = if self.value[u].is_finite() {
            let own = if self.sd[u].is_finite() { self.sd[u].powi(2) } else { 0.0 };
            (self.value[u] + bias, variance + own)
        } else {
            (self.all.0 + bias, variance + self.all.1)
        };
        0.5 * ((std::f64::consts::TAU * variance).ln() + (x - centre).powi(2) / variance)
    }
}

/// A same/different answer: right with the annotator's accuracy on pairs of that kind, if the fit has it.
fn pair_loss(data: &Dataset, fit: &Outcome, same: f64, r: usize) -> f64 {
    let Values::Similarity { same: said } = data.table.values() else { return 0.0 };
    let (j, l) = (data.table.annotator()[r] as usize, usize::from(said[r]));
    let mut column = [0.0; 2];
    if j < fit.annotators.len() && fit.annotators.classes() == Some(2) {
        fit.annotators.column(j, l, &mut column);
    } else {
        column[l] = 1.0;
    }
    let p = (1.0 - same) * column[0] + same * column[1];
    -((1.0 - EVEN) * p + EVEN / 2.0).ln()
}

/// Comparisons: left, right and tie in the ratio e^(d/2) : e^(-d/2) : ties, d the difference of the scores; the tie
/// parameter is the one that gives the training labels their number of ties. With a reliability per annotator, left and
/// right are exchanged with the probability that the annotator answers the other way round.
struct Scores<'a> {
    score: &'a [f64],
    ties: f64,
    reliability: Option<&'a [f64]>,
}

impl<'a> Scores<'a> {
    fn of(train: &Dataset, score: &'a [f64], annotators: &'a Annotators) -> Self {
        let reliability = match annotators {
            Annotators::Accuracy { accuracy, .. } if accuracy.len() == train.table.n_annotators() => Some(&**accuracy),
            _ => None,
        };
        let mut out = Scores { score, ties: 0.0, reliability };
        let Some((pairs, said)) = train.table.preferences() else { return out };
        let observed = 0.5 + said.iter().filter(|&&s| s == Preference::Tie).count() as f64;
        let (mut low, mut high) = (-20.0f64, 20.0f64);
        for _ in 0..40 {
            out.ties = (0.5 * (low + high)).exp();
            let expected: f64 =
                (0..pairs.len()).map(|u| train.table.degree(u) as f64 * out.outcomes(pairs[u])[2]).sum();
            if expected < observed { low = out.ties.ln() } else { high = out.ties.ln() }
        }
        out
    }

    fn outcomes(&self, [l, r]: [u32; 2]) -> [f64; 3] {
        let d = 0.5 * (self.score[l as usize] - self.score[r as usize]);
        let d = if d.is_finite() { d } else { 0.0 };
        let mut p = [d, -d, self.ties.ln()];
        stats::softmax(&mut p);
        p
    }

    fn loss(&self, data: &Dataset, u: usize, r: usize) -> f64 {
        let (pairs, _) = data.table.preferences().expect("a fit of scores");
        let Values::Preference { codes } = data.table.values() else { return 0.0 };
        let p = self.outcomes(pairs[u]);
        let said = codes[r];
        let w = self.reliability.map_or(1.0, |w| w[data.table.annotator()[r] as usize]);
        let other = match said {
            Preference::Left => Preference::Right,
            Preference::Right => Preference::Left,
            Preference::Tie => Preference::Tie,
        };
        -((1.0 - EVEN) * (w * p[said as usize] + (1.0 - w) * p[other as usize]) + EVEN / 3.0).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{SimModel, Simulation, Simulator};
    use crate::{LabelKind, TableBuilder};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_unit_with_two_annotators_keeps_one(
            rows in prop::collection::vec((0..10u8, 0..6u8), 1..60), n in 2..8usize, seed: u64,
        ) {
            let mut b = TableBuilder::new(LabelKind::Categorical);
            for (i, a) in &rows {
                b.label(&format!("i{i}"), &format!("a{a}"), "x").unwrap();
            }
            let t = b.finish().unwrap();
            let fold = folds(&t, n, seed);
            for u in 0..t.n_units() {
                // one entry per annotator: repeated labels are hidden together
                let mut own: Vec<(u32, usize)> = t.rows(u).map(|r| (t.annotator()[r], fold[r] as usize)).collect();
                own.dedup();
                let who: std::collections::BTreeSet<u32> = own.iter().map(|x| x.0).collect();
                prop_assert_eq!(who.len(), own.len());
                if own.len() == 1 {
                    prop_assert_eq!(own[0].1, NEVER as usize);
                } else {
                    // as evenly as can be: the folds differ by one at most, so none has them all
                    let count = |f: usize| own.iter().filter(|x| x.1 == f).count();
                    let counts: Vec<usize> = (0..n).map(count).collect();
                    let (most, least) = (counts.iter().max().unwrap(), counts.iter().min().unwrap());
                    prop_assert!(counts.iter().sum::<usize>() == own.len() && most - least <= 1 && *most < own.len());
                }
            }
        }
    }

    #[test]
    fn known_values_cost_the_entropy_of_the_noise() {
        let s = Simulation { model: SimModel::Real, items: 4000, annotators: 10, ..Simulation::default() };
        let sim = Simulator::new(&s, 1).unwrap();
        let (data, gold) = sim.dataset().unwrap();
        let crate::GoldValues::Real(truth) = gold.values else { panic!() };
        let value: Vec<f64> = truth.iter().map(|t| t.1).collect();
        let sd = vec![0.0; value.len()];
        let p = Reals::of(&data, &value, &sd);
        let (mut loss, mut entropy) = (0.0, 0.0);
        for u in 0..data.table.n_units() {
            for r in data.table.rows(u) {
                loss += p.loss(&data, u, r);
                let noise = sim.annotators()[data.table.annotator()[r] as usize].sd.unwrap();
                entropy += 0.5 * (std::f64::consts::TAU * std::f64::consts::E * noise * noise).ln();
            }
        }
        let n = data.table.n_labels() as f64;
        assert!((loss / n - entropy / n).abs() < 0.02, "{} {}", loss / n, entropy / n);
    }

    #[test]
    fn the_tie_parameter_gives_the_ties_that_were_seen() {
        let s = Simulation {
            model: SimModel::BradleyTerry,
            items: 50,
            pairs: 4000,
            noise_spread: 0.0,
            ties: 0.8,
            ..Simulation::default()
        };
        let (data, gold) = Simulator::new(&s, 1).unwrap().dataset().unwrap();
        let crate::GoldValues::Scores(truth) = gold.values else { panic!() };
        let score: Vec<f64> = truth.iter().map(|t| t.1).collect();
        // 20 000 comparisons, a quarter of them ties: standard error about 0.015
        assert!((Scores::of(&data, &score, &Annotators::None).ties - 0.8).abs() < 0.06);
    }

    #[test]
    fn the_standard_error_is_over_units() {
        // two labels of a unit that always cost the same: half as many independent ones
        let l = Losses { unit: (0..100).map(|u| (2.0 * f64::from(u % 2), 2.0)).collect() };
        let (mean, se, n) = l.mean().unwrap();
        assert_eq!((mean, n), (0.5, 200));
        assert!((se - 0.5 / 99f64.sqrt()).abs() < 1e-12, "{se}");
    }
}
