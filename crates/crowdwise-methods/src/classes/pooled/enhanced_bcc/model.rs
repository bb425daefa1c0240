//! The model: states are (class, sub-type), class by class; every annotator has a row for each state.

use super::EnhancedBcc;
use crate::classes::confusion::em::Adaptive;
use crate::classes::confusion::kernel::{Model, Sums};
use crowdwise_core::stats::{digamma, ln_gamma};

pub(super) struct SubTypes {
    /// Classes.
    k: usize,
    /// Sub-types of each.
    pub r: usize,
    pub seed: u64,
    alpha: f64,
    /// Dirichlet parameter of one sub-type.
    share: f64,
    diagonal: f64,
    off: f64,
}

impl SubTypes {
    pub fn new(p: &EnhancedBcc, k: usize, r: usize, seed: u64) -> SubTypes {
        SubTypes {
            k,
            r,
            seed,
            alpha: p.alpha,
            share: p.alpha_subtypes / r as f64,
            diagonal: p.beta_diagonal,
            off: p.beta_off,
        }
    }

    fn cell(&self, l: usize, state: usize) -> f64 {
        if l == state / self.r { self.diagonal } else { self.off }
    }

    /// Dirichlet parameters of a row, all together.
    fn prior_total(&self) -> f64 {
        self.diagonal + (self.k - 1) as f64 * self.off
    }

    /// Expected number of items of each class.
    fn by_class(&self, state: &[f64]) -> Vec<f64> {
        state.chunks_exact(self.r).map(|z| z.iter().sum()).collect()
    }

    /// Posterior mean of the class shares.
    pub fn classes(&self, state: &[f64]) -> Vec<f64> {
        let counts = self.by_class(state);
        let total: f64 = counts.iter().map(|c| c + self.alpha).sum();
        counts.iter().map(|c| (c + self.alpha) / total).collect()
    }

    /// Posterior mean shares of the sub-types, class by class.
    pub fn shares(&self, state: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity(state.len());
        for z in state.chunks_exact(self.r) {
            let total: f64 = z.iter().map(|c| c + self.share).sum();
            out.extend(z.iter().map(|c| (c + self.share) / total));
        }
        out
    }

    /// Mean confusion matrix of an annotator (truth x label), sub-types weighted by their shares.
    pub fn confusion(&self, state: &[f64], counts: &[f64], mut set: impl FnMut(usize, f64)) {
        let (k, r, states) = (self.k, self.r, self.k * self.r);
        let shares = self.shares(state);
        let mut row = vec![0.0; k];
        for t in 0..k {
            row.fill(0.0);
            for s in t * r..(t + 1) * r {
                let total = self.prior_total() + (0..k).map(|l| counts[l * states + s]).sum::<f64>();
                for (l, p) in row.iter_mut().enumerate() {
                    *p += shares[s] * (counts[l * states + s] + self.cell(l, s)) / total;
                }
            }
            row.iter().enumerate().for_each(|(l, &p)| set(t * k + l, p));
        }
    }
}

impl Model for SubTypes {
    fn table(&self, states: usize, _j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let k = self.k;
        let prior_total = self.prior_total();
        let mut bound = 0.0;
        let mut psi_total = vec![0.0; states];
        for (s, psi) in psi_total.iter_mut().enumerate() {
            let n: f64 = (0..k).map(|l| counts[l * states + s]).sum();
            *psi = digamma(prior_total + n);
            bound += ln_gamma(prior_total) - ln_gamma(prior_total + n);
        }
        let (ln_diagonal, ln_off) = (ln_gamma(self.diagonal), ln_gamma(self.off));
        // labels that this annotator never gave are read by nobody, and add nothing to the bound
        for l in (0..k).filter(|l| counts[l * states..][..states].iter().any(|&c| c > 0.0)) {
            for s in 0..states {
                let (at, right) = (l * states + s, l == s / self.r);
                let b = counts[at] + self.cell(l, s);
                let expected_ln = digamma(b) - psi_total[s];
                bound += ln_gamma(b) - if right { ln_diagonal } else { ln_off } - counts[at] * expected_ln;
                table[at] = expected_ln.max(-230.0).exp();
            }
        }
        [bound, 0.0, 0.0, 0.0]
    }

    fn prior(&self, state: &[f64], prior: &mut [f64]) -> f64 {
        let classes = self.by_class(state);
        let mut expected = vec![0.0; self.k];
        let mut bound = dirichlet(&classes, self.alpha, &mut expected);
        let mut inner = vec![0.0; state.len()];
        for (z, e) in state.chunks_exact(self.r).zip(inner.chunks_exact_mut(self.r)) {
            bound += dirichlet(z, self.share, e);
        }
        for (s, p) in prior.iter_mut().enumerate() {
            *p = (expected[s / self.r] + inner[s]).max(-230.0).exp();
        }
        bound
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        0.0
    }

    fn prior_penalty(&self, _prior: &[f64]) -> f64 {
        0.0
    }
}

/// Expected logarithms of a Dirichlet with parameters counts + `add`; returns minus its divergence from one without counts.
fn dirichlet(counts: &[f64], add: f64, expected: &mut [f64]) -> f64 {
    let n = counts.len() as f64;
    let total: f64 = counts.iter().map(|c| c + add).sum();
    let psi_total = digamma(total);
    let mut bound = ln_gamma(n * add) - n * ln_gamma(add) - ln_gamma(total);
    for (e, &c) in expected.iter_mut().zip(counts) {
        *e = digamma(c + add) - psi_total;
        bound += ln_gamma(c + add) - c * *e;
    }
    bound
}

impl Adaptive for SubTypes {}
