//! The model: what pools annotators, and the tables that follow from it.

use super::super::common;
use super::{PooledDawidSkene, PooledPrior, Structure};
use crate::classes::by_name;
use crate::classes::confusion::em::Adaptive;
use crate::classes::confusion::kernel::{Model, Sums};
use crate::classes::confusion::shared::sum_ln;
use crowdwise_core::Dataset;
use crowdwise_core::stats::{digamma, ln_gamma};
use crowdwise_numerics::ln_beta;

pub(super) struct Pooled {
    structure: Structure,
    strength: f64,
    accuracy: f64,
    beta: f64,
    /// Fixed class shares; `None`: learned.
    shares: Option<Vec<f64>>,
    /// Power of the likelihood and of the class prior.
    pub temperature: f64,
    /// The fixed half of the prior, label x truth: columns sum to 1.
    base: Vec<f64>,
    /// `full`: the pooled confusion matrix. `one`: how errors spread, 0 on the diagonal. Label x truth, columns sum to 1.
    pub common: Vec<f64>,
    /// `full`: Dirichlet parameters of a matrix, label x truth. `one`: logarithms of `common`.
    cells: Vec<f64>,
    /// `full`: ln Γ of `cells`.
    ln_gamma: Vec<f64>,
    /// What annotators bring from elsewhere, in place of `cells`: label x truth, and the sum of every column.
    own: Vec<Option<(Vec<f64>, Vec<f64>)>>,
}

impl Pooled {
    pub fn new(p: &PooledDawidSkene, data: &Dataset, gold: Option<&[Option<u32>]>) -> Pooled {
        let k = data.table.n_classes();
        let shares = match p.class_prior {
            PooledPrior::Learn => None,
            PooledPrior::Uniform => Some(vec![1.0 / k as f64; k]),
            PooledPrior::Votes => Some(vote_shares(data, gold)),
        };
        let base = common::diagonal(k, p.prior_accuracy);
        let mut model = Pooled {
            structure: p.structure,
            strength: p.strength,
            accuracy: p.prior_accuracy,
            beta: p.beta,
            shares,
            temperature: 1.0,
            common: vec![0.0; k * k],
            cells: vec![0.0; k * k],
            ln_gamma: vec![0.0; k * k],
            base,
            own: Vec::new(),
        };
        model.pooled(k, 0, &vec![0.0; k * k]);
        if let Some(labels) = data.table.categorical().filter(|_| !p.prior.is_empty()) {
            let given = by_name::tables(&p.prior, data, &labels);
            model.own = given.into_iter().map(|own| own.map(|own| model.brought(k, &own))).collect();
        }
        model
    }

    /// Dirichlet parameters of an annotator who brings these counts (truth x label, NaN where nothing is known), and their sums by
    /// truth. A tenth of the fixed prior stays: what was never seen may still happen.
    fn brought(&self, k: usize, counts: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let known = |t: usize| counts[t * k..(t + 1) * k].iter().any(|c| *c > 0.0);
        let cell = |l: usize, t: usize| {
            let fixed = self.strength * self.base[l * k + t];
            if known(t) { counts[t * k + l].max(0.0) + 0.1 * fixed } else { fixed }
        };
        let cells: Vec<f64> = (0..k * k).map(|x| cell(x / k, x % k)).collect();
        let sums = (0..k).map(|t| (0..k).map(|l| cells[l * k + t]).sum()).collect();
        (cells, sums)
    }

    /// Dirichlet parameter of a cell of annotator `j`, and the sum of its column.
    fn prior_of(&self, k: usize, j: usize, at: usize) -> (f64, f64) {
        match self.own.get(j) {
            Some(Some((cells, sums))) => (cells[at], sums[at % k]),
            _ => (self.cells[at], self.strength),
        }
    }

    /// Right and wrong labels with their prior.
    fn coin(&self, k: usize, counts: &[f64]) -> (f64, f64) {
        let right: f64 = (0..k).map(|t| counts[t * k + t]).sum();
        let all: f64 = counts[..k * k].iter().sum();
        (right + self.strength * self.accuracy, (all - right).max(0.0) + self.strength * (1.0 - self.accuracy))
    }

    fn full_table(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) -> f64 {
        let mut bound = 0.0;
        // labels that this annotator never gave are read by nobody
        let given = |l: usize| counts[l * k..][..k].iter().any(|&c| c > 0.0);
        let brings = self.own.get(j).is_some_and(Option::is_some);
        let total = |t: usize| self.prior_of(k, j, t).1 + (0..k).map(|l| counts[l * k + t]).sum::<f64>();
        let totals: Vec<f64> = (0..k).map(total).collect();
        for (t, &n) in totals.iter().enumerate() {
            bound += ln_gamma(self.prior_of(k, j, t).1) - ln_gamma(n);
        }
        let psi_total: Vec<f64> = totals.into_iter().map(digamma).collect();
        for l in (0..k).filter(|&l| given(l)) {
            for t in 0..k {
                let at = l * k + t;
                let cell = self.prior_of(k, j, at).0;
                let b = counts[at] + cell;
                let expected_ln = digamma(b) - psi_total[t];
                let first = if brings { ln_gamma(cell) } else { self.ln_gamma[at] };
                bound += ln_gamma(b) - first - counts[at] * expected_ln;
                table[at] = (self.temperature * expected_ln).max(-230.0).exp();
            }
        }
        bound
    }

    fn one_table(&self, k: usize, counts: &[f64], table: &mut [f64]) -> f64 {
        let (x, y) = self.coin(k, counts);
        let psi_total = digamma(x + y);
        let (right, wrong) = (digamma(x) - psi_total, digamma(y) - psi_total);
        for l in 0..k {
            for t in 0..k {
                let ln = if l == t { right } else { wrong + self.cells[l * k + t] };
                table[l * k + t] = (self.temperature * ln).max(-230.0).exp();
            }
        }
        let (a, b) = (self.strength * self.accuracy, self.strength * (1.0 - self.accuracy));
        ln_beta(x, y) - ln_beta(a, b) - (x - a) * right - (y - b) * wrong
    }
}

/// Mean vote shares of the labelled items, with one vote of each class; known items count for their class.
pub(crate) fn vote_shares(data: &Dataset, gold: Option<&[Option<u32>]>) -> Vec<f64> {
    let labels = data.table.categorical().expect("the kind was checked");
    let k = labels.k();
    let mut sum = vec![1.0; k];
    let mut votes = vec![0.0; k];
    for u in 0..data.table.n_units() {
        if let Some(class) = gold.and_then(|g| g[u]) {
            sum[class as usize] += 1.0;
            continue;
        }
        let n = data.table.degree(u);
        if n == 0 {
            continue;
        }
        votes.fill(0.0);
        labels.votes(u, &mut votes);
        sum.iter_mut().zip(&votes).for_each(|(s, v)| *s += v / n as f64);
    }
    let total: f64 = sum.iter().sum();
    sum.iter().map(|s| s / total).collect()
}

impl Model for Pooled {
    #[inline(always)]
    fn table(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let bound = match self.structure {
            Structure::Full => self.full_table(k, j, counts, table),
            Structure::One => self.one_table(k, counts, table),
        };
        [bound, 0.0, 0.0, 0.0]
    }

    fn report(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) {
        match self.structure {
            Structure::Full => {
                for t in 0..k {
                    let total = self.prior_of(k, j, t).1 + (0..k).map(|l| counts[l * k + t]).sum::<f64>();
                    (0..k).for_each(|l| {
                        table[l * k + t] = (counts[l * k + t] + self.prior_of(k, j, l * k + t).0) / total;
                    });
                }
            }
            Structure::One => {
                let (x, y) = self.coin(k, counts);
                let p = if k > 1 { x / (x + y) } else { 1.0 };
                for l in 0..k {
                    for t in 0..k {
                        table[l * k + t] = if l == t { p } else { (1.0 - p) * self.common[l * k + t] };
                    }
                }
            }
        }
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        self.report_prior(class, prior);
        let penalty = if self.shares.is_none() { self.beta * sum_ln(prior) } else { 0.0 };
        if self.temperature < 1.0 {
            prior.iter_mut().for_each(|p| *p = p.powf(self.temperature));
        }
        penalty
    }

    fn report_prior(&self, class: &[f64], prior: &mut [f64]) {
        if let Some(shares) = &self.shares {
            prior.copy_from_slice(shares);
        } else {
            let total: f64 = class.iter().map(|c| c + self.beta).sum();
            prior.iter_mut().zip(class).for_each(|(p, c)| *p = (c + self.beta) / total);
        }
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        0.0
    }

    fn prior_penalty(&self, _prior: &[f64]) -> f64 {
        0.0
    }
}

impl Adaptive for Pooled {
    fn pool_width(&self, k: usize, round: usize) -> usize {
        if round == 0 { k * k } else { 0 }
    }

    fn pool(&self, k: usize, _round: usize, _j: usize, counts: &[f64], sums: &mut [f64]) {
        match self.structure {
            Structure::Full => common::add(k, self.strength, counts, sums),
            Structure::One => sums.iter_mut().zip(counts).for_each(|(s, c)| *s += c),
        }
    }

    fn pooled(&mut self, k: usize, _round: usize, sums: &[f64]) {
        for t in 0..k {
            let column = |x: &[f64]| (0..k).map(|l| x[l * k + t]).sum::<f64>();
            match self.structure {
                Structure::Full => {
                    let total = column(sums) + column(&self.base);
                    for at in (0..k).map(|l| l * k + t) {
                        self.common[at] = (self.base[at] + sums[at]) / total;
                        self.cells[at] = self.strength * (self.common[at] + self.base[at]) / 2.0;
                        self.ln_gamma[at] = ln_gamma(self.cells[at]);
                    }
                }
                Structure::One if k > 1 => {
                    let wrong = column(sums) - sums[t * k + t];
                    let add = 1.0 + 0.1 * wrong / (k - 1) as f64;
                    let total = wrong + add * (k - 1) as f64;
                    for l in (0..k).filter(|&l| l != t) {
                        self.common[l * k + t] = (sums[l * k + t] + add) / total;
                        self.cells[l * k + t] = self.common[l * k + t].ln();
                    }
                }
                Structure::One => {}
            }
        }
    }
}
