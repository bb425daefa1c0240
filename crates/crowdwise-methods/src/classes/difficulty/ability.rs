//! The ability-times-ease model behind GLAD: P(right) = sigmoid(α_j e^{b_i}), errors spread evenly.
//!
//! With x = α_j e^{b_i} the odds of a label are e^x (K - 1), so the truth step needs no logarithm, and the expected
//! log-likelihood of a label that is right with probability c is c x - ln(1 + e^x). Its sum and gradient are computed in
//! blocks: gather x, a vectorised exponential and one division, then scatter.

use crate::runs::{Code, runs, split_labels, split_runs};
use crowdwise_core::stats::softmax;
use crowdwise_core::{Categorical, Codes, Dataset};
use crowdwise_numerics::add_into;
use crowdwise_numerics::fast::{self, BLOCK, LnProduct, Softplus};
use rayon::prelude::*;
use std::ops::Range;

/// Log eases are kept within these bounds inside the model.
pub(super) const LOG_EASE: f64 = 10.0;

/// The labels as the model sees them.
pub(super) struct Labels<'a> {
    pub k: usize,
    pub m: usize,
    pub units: usize,
    offsets: &'a [u32],
    annotator: &'a [u32],
    codes: &'a Codes,
    runs: Vec<Range<usize>>,
    votes: Categorical<'a>,
    gold: Option<Vec<Option<u32>>>,
    /// ln(K - 1)
    ln_others: f64,
}

/// Sums of an expectation step.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub log_likelihood: f64,
    /// Largest change of a posterior.
    pub change: f64,
    /// Sum of the posteriors of labelled or known units.
    pub class_sums: Vec<f64>,
}

impl<'a> Labels<'a> {
    pub fn new(data: &'a Dataset) -> Option<Self> {
        let c = data.table.categorical()?;
        let (k, m) = (c.k(), data.table.n_annotators());
        let offsets = data.table.offsets();
        Some(Labels {
            k,
            m,
            units: data.table.n_units(),
            offsets,
            annotator: data.table.annotator(),
            codes: c.codes,
            votes: c,
            runs: runs(offsets, 2 * m),
            gold: data.gold_classes().filter(|g| g.iter().any(Option::is_some)),
            ln_others: ((k - 1) as f64).ln(),
        })
    }

    pub fn labels(&self) -> usize {
        self.annotator.len()
    }

    pub fn labelled(&self, u: usize) -> bool {
        self.offsets[u + 1] > self.offsets[u]
    }

    /// Vote shares as posteriors, known units clamped; units without labels get even shares.
    pub fn vote_shares(&self, posterior: &mut [f64]) {
        for (u, row) in posterior.chunks_exact_mut(self.k).enumerate() {
            if let Some(truth) = self.gold.as_ref().and_then(|g| g[u]) {
                row.fill(0.0);
                row[truth as usize] = 1.0;
            } else {
                self.votes.vote_shares(u, row);
            }
        }
    }

    /// P(right) of every label under the posteriors; the class sums of the posteriors are returned.
    pub fn spread(&self, posterior: &[f64], right: &mut [f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.k];
        for (u, row) in posterior.chunks_exact(self.k).enumerate() {
            let rows = self.offsets[u] as usize..self.offsets[u + 1] as usize;
            if !rows.is_empty() || self.gold.as_ref().is_some_and(|g| g[u].is_some()) {
                add_into(&mut sums, row);
            }
            rows.for_each(|r| right[r] = row[self.codes.get(r)]);
        }
        sums
    }

    /// The E step: posteriors and P(right) of every label, in place.
    pub fn expect(
        &self,
        ability: &[f64],
        log_ease: &[f64],
        ln_prior: &[f64],
        posterior: &mut [f64],
        right: &mut [f64],
    ) -> Expected {
        match self.codes {
            Codes::U8(c) => self.expect_codes(c, ability, log_ease, ln_prior, posterior, right),
            Codes::U16(c) => self.expect_codes(c, ability, log_ease, ln_prior, posterior, right),
        }
    }

    fn expect_codes<C: Code>(
        &self,
        codes: &[C],
        ability: &[f64],
        log_ease: &[f64],
        ln_prior: &[f64],
        posterior: &mut [f64],
        right: &mut [f64],
    ) -> Expected {
        let rows = split_runs(posterior, &self.runs, self.k);
        let right = split_labels(right, &self.runs, self.offsets, 1);
        let parts: Vec<Expected> = (self.runs.par_iter(), rows, right)
            .into_par_iter()
            .map(|(run, rows, right)| self.expect_run(codes, ability, log_ease, ln_prior, run.clone(), rows, right))
            .collect();
        let mut all = Expected { log_likelihood: 0.0, change: 0.0, class_sums: vec![0.0; self.k] };
        for p in &parts {
            all.log_likelihood += p.log_likelihood;
            all.change = if p.change.is_nan() || p.change > all.change { p.change } else { all.change };
            add_into(&mut all.class_sums, &p.class_sums);
        }
        all
    }

    fn expect_run<C: Code>(
        &self,
        codes: &[C],
        ability: &[f64],
        log_ease: &[f64],
        ln_prior: &[f64],
        run: Range<usize>,
        posterior: &mut [f64],
        right: &mut [f64],
    ) -> Expected {
        let k = self.k;
        let mut out = Expected { log_likelihood: 0.0, change: 0.0, class_sums: vec![0.0; k] };
        let mut score = vec![0.0; k];
        let mut softplus = Softplus::new();
        let first = self.offsets[run.start] as usize;
        for (u, old) in run.zip(posterior.chunks_exact_mut(k)) {
            let rows = self.offsets[u] as usize..self.offsets[u + 1] as usize;
            let ease = ease(log_ease[u]);
            score.copy_from_slice(ln_prior);
            for (&j, &l) in self.annotator[rows.clone()].iter().zip(&codes[rows.clone()]) {
                let x = ability[j as usize] * ease;
                softplus.push(x);
                score[l.index()] += x + self.ln_others;
            }
            if let Some(truth) = self.gold.as_ref().and_then(|g| g[u]) {
                out.log_likelihood += score[truth as usize];
                score.fill(0.0);
                score[truth as usize] = 1.0;
            } else {
                out.log_likelihood += softmax(&mut score);
            }
            if !rows.is_empty() || self.gold.as_ref().is_some_and(|g| g[u].is_some()) {
                add_into(&mut out.class_sums, &score);
            }
            for (&l, c) in codes[rows.clone()].iter().zip(&mut right[rows.start - first..rows.end - first]) {
                *c = score[l.index()];
            }
            for (old, &new) in old.iter_mut().zip(&score) {
                let d = (*old - new).abs();
                out.change = if d.is_nan() || d > out.change { d } else { out.change };
                *old = new;
            }
        }
        // ln P(all labels | none is right) is the same for every class
        out.log_likelihood -= softplus.value() + right.len() as f64 * self.ln_others;
        out
    }

    /// The expected log-likelihood given P(right) of every label, with its gradient by ability and by log ease; the
    /// diagonal of its (Gauss-Newton) curvature as well if asked.
    pub fn value(
        &self,
        ability: &[f64],
        log_ease: &[f64],
        right: &[f64],
        by_ability: &mut [f64],
        by_log_ease: &mut [f64],
        curvature: Option<(&mut [f64], &mut [f64])>,
    ) -> f64 {
        let mut unused: Vec<f64> = Vec::new();
        let wanted = curvature.is_some();
        let (curve_ability, curve_ease) = match curvature {
            Some((a, e)) => (Some(a), e),
            None => (None, &mut unused[..]),
        };
        let by_log_ease = split_runs(by_log_ease, &self.runs, 1);
        let curve_parts = split_runs(curve_ease, &self.runs, usize::from(wanted));
        let parts: Vec<(f64, Vec<f64>, Vec<f64>)> = (self.runs.par_iter(), by_log_ease, curve_parts)
            .into_par_iter()
            .map(|(run, by_ease, curve_ease)| {
                let mut block = Block {
                    ability,
                    log_ease: &log_ease[run.clone()],
                    annotator: self.annotator,
                    right,
                    offsets: &self.offsets[run.start..=run.end],
                    by_ability: vec![0.0; self.m],
                    by_ease,
                    curve_ability: vec![0.0; if wanted { self.m } else { 0 }],
                    curve_ease,
                };
                let value = if wanted { block.run::<true>() } else { block.run::<false>() };
                (value, block.by_ability, block.curve_ability)
            })
            .collect();
        by_ability.fill(0.0);
        for p in &parts {
            add_into(by_ability, &p.1);
        }
        if let Some(total) = curve_ability {
            total.fill(0.0);
            for p in &parts {
                add_into(total, &p.2);
            }
        }
        parts.iter().map(|p| p.0).sum()
    }
}

/// e^b within the bounds of the model.
#[inline(always)]
#[allow(clippy::inline_always)] // must end up inside the caller's vectorised loop
pub(super) fn ease(log_ease: f64) -> f64 {
    fast::exp(log_ease.clamp(-LOG_EASE, LOG_EASE))
}

/// One run of units with its own sums.
struct Block<'a> {
    ability: &'a [f64],
    log_ease: &'a [f64],
    annotator: &'a [u32],
    right: &'a [f64],
    offsets: &'a [u32],
    by_ability: Vec<f64>,
    by_ease: &'a mut [f64],
    curve_ability: Vec<f64>,
    curve_ease: &'a mut [f64],
}

impl Block<'_> {
    fn run<const CURVE: bool>(&mut self) -> f64 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { self.run_avx2::<CURVE>() };
        }
        self.body::<CURVE>()
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn run_avx2<const CURVE: bool>(&mut self) -> f64 {
        self.body::<CURVE>()
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // compiled once for each instruction set
    fn body<const CURVE: bool>(&mut self) -> f64 {
        let (mut x, mut left, mut curve) = ([0.0f64; BLOCK], [0.0f64; BLOCK], [0.0f64; BLOCK]);
        let (first, end) = (self.offsets[0] as usize, self.offsets[self.offsets.len() - 1] as usize);
        let (annotator, right) = (&self.annotator[..end], &self.right[..end]);
        self.by_ease.fill(0.0);
        let mut ease = vec![0.0; self.log_ease.len()];
        for (e, &b) in ease.iter_mut().zip(self.log_ease) {
            *e = self::ease(b); // a loop here, not a collected iterator: this one is vectorised
        }
        if CURVE {
            self.curve_ease.fill(0.0);
        }
        let mut ln = LnProduct::new();
        let mut linear = 0.0;
        let (mut start, mut unit) = (first, 0);
        while start < end {
            let stop = end.min(start + BLOCK);
            let len = stop - start;
            // a unit may begin in one block and end in a later one
            let (mut at, mut u) = (start, unit);
            while at < stop {
                let until = stop.min(self.offsets[u + 1] as usize);
                let e = ease[u];
                for (x, &j) in x[at - start..until - start].iter_mut().zip(&annotator[at..until]) {
                    *x = self.ability[j as usize] * e;
                }
                at = until;
                u += usize::from(until == self.offsets[u + 1] as usize);
            }
            let mut sums = [0.0f64; 8];
            let mut products = [1.0f64; 8];
            x[len..].fill(0.0);
            left[..len].copy_from_slice(&right[start..stop]);
            left[len..].fill(0.0);
            let lanes = x.chunks_exact(8).zip(left.chunks_exact_mut(8)).zip(curve.chunks_exact_mut(8));
            for ((x, left), curve) in lanes {
                for l in 0..8 {
                    let (x, c) = (x[l], left[l]);
                    let t = fast::exp(-x.abs());
                    let o = 1.0 + t;
                    let r = 1.0 / o;
                    sums[l] += c * x - if x > 0.0 { x } else { 0.0 };
                    products[l] *= o;
                    left[l] = c - if x >= 0.0 { r } else { t * r };
                    if CURVE {
                        curve[l] = t * r * r;
                    }
                }
            }
            linear += ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
            for &p in &products {
                ln.push(p);
            }
            // the empty places of the last block each added ln 2
            ln.add(-((BLOCK - len) as f64) * std::f64::consts::LN_2);
            let mut at = start;
            while at < stop {
                let until = stop.min(self.offsets[unit + 1] as usize);
                let inside = (-LOG_EASE..=LOG_EASE).contains(&self.log_ease[unit]);
                let e = ease[unit];
                let mut by_ease = 0.0;
                let mut bend = 0.0;
                let here = at - start..until - start;
                let parts = left[here.clone()].iter().zip(&x[here.clone()]).zip(&curve[here]);
                for (&j, ((&left, &x), &curve)) in annotator[at..until].iter().zip(parts) {
                    by_ease += left * x;
                    self.by_ability[j as usize] += left * e;
                    if CURVE {
                        bend += curve * x * x;
                        self.curve_ability[j as usize] += curve * e * e;
                    }
                }
                if inside {
                    self.by_ease[unit] += by_ease;
                }
                if CURVE {
                    self.curve_ease[unit] += bend;
                }
                at = until;
                unit += usize::from(until == self.offsets[unit + 1] as usize);
            }
            start = stop;
        }
        linear - ln.value()
    }
}
