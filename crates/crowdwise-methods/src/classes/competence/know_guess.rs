//! The know-or-guess model behind MACE: one pass over the items, one update of the annotators.
//!
//! With g the share of guessing, t of knowing and ξ the strategy, a label l of annotator j has the probability
//! `base = g ξ_l` under every class but l, and `full = base + t` under l. Only their ratio `odds = full / base`
//! matters for the truth, it is one number per (annotator, label), and the only statistic that the update needs is the
//! expected number of right labels per (annotator, label). So an iteration is one walk over the labels without any
//! logarithm or exponential.

use crate::runs::{Code, runs, split_runs};
use crowdwise_core::stats::{digamma, ln_gamma};
use crowdwise_core::{Codes, Dataset};
use crowdwise_numerics::add_into;
use crowdwise_numerics::fast::LnProduct;
use rayon::prelude::*;
use std::ops::Range;

/// How the annotators are updated.
#[derive(Clone, Copy, Debug)]
pub(super) enum Update {
    /// Posterior expectations under Beta(beta, alpha) on knowing and a symmetric Dirichlet on the strategy.
    Variational { alpha: f64, beta: f64, strategy: f64 },
    /// Shares of smoothed expected counts.
    Smoothed { add: f64 },
}

/// The labels as the model sees them.
pub(super) struct Labels<'a> {
    pub k: usize,
    pub m: usize,
    offsets: &'a [u32],
    annotator: &'a [u32],
    codes: &'a Codes,
    runs: Vec<Range<usize>>,
    /// Labels per (annotator, label).
    n: Vec<f64>,
    /// The known class of units, if there are any.
    gold: Option<Vec<Option<u32>>>,
    /// Right labels on known units per (annotator, label): a constant part of the statistics.
    known: Vec<f64>,
}

/// One set of annotator parameters with its statistics.
#[derive(Clone)]
pub(super) struct State {
    /// P(label | it is right) / P(label | it is wrong), per (annotator, label).
    pub odds: Vec<f64>,
    /// Expected number of right labels, per (annotator, label).
    right: Vec<f64>,
    /// Expected number of guesses, per (annotator, label).
    guesses: Vec<f64>,
    /// P(knows) per annotator.
    pub competence: Vec<f64>,
    /// Sum over labels of ln base.
    ln_base: f64,
    /// What the priors add to the objective.
    penalty: f64,
    /// Sum over units of ln P(labels), in VB with the expected logarithms in place of the parameters.
    pub log_likelihood: f64,
}

impl State {
    /// What the iterations maximise: the evidence bound (VB) or the penalised log-likelihood (EM).
    pub fn objective(&self) -> f64 {
        self.log_likelihood + self.penalty
    }
}

impl<'a> Labels<'a> {
    pub fn new(data: &'a Dataset) -> Option<Self> {
        let c = data.table.categorical()?;
        let (k, m) = (c.k(), data.table.n_annotators());
        let gold = data.gold_classes().filter(|g| g.iter().any(Option::is_some));
        let (mut n, mut known) = (vec![0.0; m * k], vec![0.0; if gold.is_some() { m * k } else { 0 }]);
        for u in 0..data.table.n_units() {
            let truth = gold.as_ref().and_then(|g| g[u]);
            for row in data.table.rows(u) {
                let l = c.codes.get(row);
                let at = data.table.annotator()[row] as usize * k + l;
                n[at] += 1.0;
                if truth == Some(l as u32) {
                    known[at] += 1.0;
                }
            }
        }
        let offsets = data.table.offsets();
        let annotator = data.table.annotator();
        Some(Labels { k, m, offsets, annotator, codes: c.codes, runs: runs(offsets, m * k), n, gold, known })
    }

    /// A state with given shares of knowing and strategies; `guess + know` and the strategy rows sum to 1.
    pub fn start(&self, know: &[f64], strategy: &[f64]) -> State {
        let (k, m) = (self.k, self.m);
        let mut s = State {
            odds: vec![1.0; m * k],
            right: vec![0.0; m * k],
            guesses: vec![0.0; m * k],
            competence: know.to_vec(),
            ln_base: 0.0,
            penalty: 0.0,
            log_likelihood: 0.0,
        };
        for j in 0..m {
            for l in 0..k {
                let at = j * k + l;
                s.set(at, (1.0 - know[j]) * strategy[at], know[j], self.n[at]);
            }
        }
        s
    }

    /// The state whose posterior means are `competence` and `strategy`: the counts behind them are recovered.
    pub fn resume(&self, update: Update, competence: &[f64], strategy: &[f64]) -> State {
        let k = self.k;
        let mut s = self.start(competence, strategy);
        if let Update::Variational { alpha, beta, strategy: c } = update {
            for j in 0..self.m {
                let n: f64 = self.n[j * k..(j + 1) * k].iter().sum();
                let know = (competence[j] * (n + alpha + beta) - beta).clamp(0.0, n);
                for at in j * k..(j + 1) * k {
                    s.guesses[at] = (strategy[at] * (n - know + k as f64 * c) - c).clamp(0.0, self.n[at]);
                }
            }
            self.set_parameters(update, &mut s);
        }
        s
    }

    /// Posterior means of the strategies, annotators x K.
    pub fn strategies(&self, update: Update, s: &State) -> Vec<f64> {
        let add = match update {
            Update::Variational { strategy, .. } => strategy,
            Update::Smoothed { add } => add,
        };
        let mut out = s.guesses.clone();
        for row in out.chunks_exact_mut(self.k) {
            let sum: f64 = row.iter().sum::<f64>() + add * self.k as f64;
            for x in row {
                *x = if sum > 0.0 { (*x + add) / sum } else { 1.0 / self.k as f64 };
            }
        }
        out
    }

    /// The E step: fills the expected right labels and the log-likelihood; writes posteriors if asked.
    pub fn expect(&self, s: &mut State, posterior: Option<&mut [f64]>) {
        match self.codes {
            Codes::U8(codes) => self.expect_codes(codes, s, posterior),
            Codes::U16(codes) => self.expect_codes(codes, s, posterior),
        }
    }

    fn expect_codes<C: Code>(&self, codes: &[C], s: &mut State, posterior: Option<&mut [f64]>) {
        let odds = &s.odds;
        let ln = if self.runs.len() == 1 {
            s.right.fill(0.0);
            self.pass(codes, odds, self.runs[0].clone(), &mut s.right, posterior)
        } else {
            let mut parts: Vec<Option<&mut [f64]>> = match posterior {
                Some(p) => split_runs(p, &self.runs, self.k).into_iter().map(Some).collect(),
                None => self.runs.iter().map(|_| None).collect(),
            };
            let done: Vec<(f64, Vec<f64>)> = self
                .runs
                .par_iter()
                .zip(&mut parts)
                .map(|(run, part)| {
                    let mut right = vec![0.0; self.m * self.k];
                    let ln = self.pass(codes, odds, run.clone(), &mut right, part.as_deref_mut());
                    (ln, right)
                })
                .collect();
            s.right.fill(0.0);
            for (_, right) in &done {
                add_into(&mut s.right, right);
            }
            done.iter().map(|(ln, _)| ln).sum()
        };
        s.log_likelihood = ln + s.ln_base;
        if self.gold.is_some() {
            add_into(&mut s.right, &self.known);
            s.log_likelihood +=
                self.known.iter().zip(&s.odds).filter(|(n, _)| **n > 0.0).map(|(n, o)| n * o.ln()).sum::<f64>();
            let known = self.gold.iter().flatten().flatten().count();
            s.log_likelihood -= known as f64 * (self.k as f64).ln();
        }
    }

    /// One run of units. Every odds is at least 1, so a class product only grows from 1 and the sum over classes is
    /// K plus the growth of the named ones: the cost is that of the labels, whatever K.
    fn pass<C: Code>(
        &self,
        codes: &[C],
        odds: &[f64],
        run: Range<usize>,
        right: &mut [f64],
        mut posterior: Option<&mut [f64]>,
    ) -> f64 {
        let (k, kf) = (self.k, self.k as f64);
        let mut product = vec![1.0f64; k];
        let mut ln = LnProduct::new();
        let mut units = 0u64;
        let first = run.start;
        for u in run {
            let row = posterior.as_deref_mut().map(|p| &mut p[(u - first) * k..(u - first + 1) * k]);
            if let Some(truth) = self.gold.as_ref().and_then(|g| g[u]) {
                if let Some(row) = row {
                    row.fill(0.0);
                    row[truth as usize] = 1.0;
                }
                continue;
            }
            units += 1;
            let rows = self.offsets[u] as usize..self.offsets[u + 1] as usize;
            let (js, ls) = (&self.annotator[rows.clone()], &codes[rows]);
            let mut z = kf;
            for (&j, &l) in js.iter().zip(ls) {
                let p = &mut product[l.index()];
                let grown = *p * odds[j as usize * k + l.index()];
                z += grown - *p;
                *p = grown;
            }
            let in_range = z < 1e280;
            if in_range {
                ln.push(z);
            } else {
                ln.add(rescue(js, ls, odds, &mut product));
                z = 1.0;
            }
            let scale = 1.0 / z;
            for (&j, &l) in js.iter().zip(ls) {
                right[j as usize * k + l.index()] += product[l.index()] * scale;
            }
            if let Some(row) = row {
                row.iter_mut().zip(&product).for_each(|(q, p)| *q = p * scale);
            }
            if in_range && js.len() < k {
                for l in ls {
                    product[l.index()] = 1.0;
                }
            } else {
                product.fill(1.0);
            }
        }
        ln.value() - units as f64 * kf.ln()
    }

    /// The M step.
    pub fn update(&self, update: Update, s: &mut State) {
        for at in 0..s.odds.len() {
            // P(knew | right) = t / full = 1 - 1 / odds
            s.guesses[at] = (self.n[at] - s.right[at] * (1.0 - 1.0 / s.odds[at])).max(0.0);
        }
        self.set_parameters(update, s);
    }

    /// Parameters from the expected guesses.
    fn set_parameters(&self, update: Update, s: &mut State) {
        let k = self.k;
        s.ln_base = 0.0;
        s.penalty = 0.0;
        match update {
            Update::Variational { alpha, beta, strategy } => {
                let unused = digamma(strategy);
                for j in 0..self.m {
                    let n: f64 = self.n[j * k..(j + 1) * k].iter().sum();
                    let guess: f64 = s.guesses[j * k..(j + 1) * k].iter().sum();
                    let (a, b) = (guess + alpha, (n - guess).max(0.0) + beta);
                    let both = digamma(a + b);
                    let (ln_guess, ln_know) = (digamma(a) - both, digamma(b) - both);
                    let all = guess + k as f64 * strategy;
                    let psi_all = digamma(all);
                    s.competence[j] = b / (a + b);
                    s.penalty -= ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) - ln_gamma(alpha + beta)
                        + ln_gamma(alpha)
                        + ln_gamma(beta)
                        + (a - alpha) * ln_guess
                        + (b - beta) * ln_know;
                    s.penalty -= ln_gamma(all) - ln_gamma(k as f64 * strategy);
                    let know = ln_know.exp();
                    for at in j * k..(j + 1) * k {
                        let used = self.n[at] > 0.0;
                        let c = s.guesses[at] + strategy;
                        let ln_strategy = if used { digamma(c) } else { unused } - psi_all;
                        if used {
                            s.penalty -= s.guesses[at] * ln_strategy - ln_gamma(c) + ln_gamma(strategy);
                        }
                        s.set_ln(at, ln_guess + ln_strategy, know, self.n[at]);
                    }
                }
            }
            Update::Smoothed { add } => {
                for j in 0..self.m {
                    let n: f64 = self.n[j * k..(j + 1) * k].iter().sum();
                    let guess: f64 = s.guesses[j * k..(j + 1) * k].iter().sum();
                    let (a, b) = (guess + add, (n - guess).max(0.0) + add);
                    let know = if a + b > 0.0 { b / (a + b) } else { s.competence[j] };
                    let all = guess + k as f64 * add;
                    s.competence[j] = know;
                    if add > 0.0 {
                        s.penalty += add * (know.ln() + (1.0 - know).ln());
                    }
                    for at in j * k..(j + 1) * k {
                        let xi = if all > 0.0 { (s.guesses[at] + add) / all } else { 1.0 / k as f64 };
                        if add > 0.0 {
                            s.penalty += add * xi.ln();
                        }
                        s.set(at, (a / (a + b).max(f64::MIN_POSITIVE)) * xi, know, self.n[at]);
                    }
                }
            }
        }
    }
}

/// The smallest P(label | it is wrong): keeps the odds finite when an annotator never seems to guess.
const FLOOR: f64 = 1e-100;

impl State {
    fn set(&mut self, at: usize, base: f64, know: f64, n: f64) {
        let base = base.max(FLOOR);
        self.odds[at] = 1.0 + know / base;
        if n > 0.0 {
            self.ln_base += n * base.ln();
        }
    }

    fn set_ln(&mut self, at: usize, ln_base: f64, know: f64, n: f64) {
        let ln_base = ln_base.max(-230.0);
        self.odds[at] = 1.0 + know * (-ln_base).exp();
        self.ln_base += n * ln_base;
    }
}

/// The same for a unit whose products leave the range of numbers (hundreds of labels): in logarithms. Leaves the
/// posterior in `product` and returns the logarithm of the sum over classes.
#[cold]
#[inline(never)]
fn rescue<C: Code>(annotator: &[u32], labels: &[C], odds: &[f64], product: &mut [f64]) -> f64 {
    let k = product.len();
    product.fill(0.0);
    for (&j, &l) in annotator.iter().zip(labels) {
        product[l.index()] += odds[j as usize * k + l.index()].ln();
    }
    crowdwise_core::stats::softmax(product)
}
