//! Communities: who belongs where, what their rows are, and the tables of their members.

use super::{Cells, CommunityBcc};
use crate::classes::confusion::em::Adaptive;
use crate::classes::confusion::kernel::{Engine, Model, Sums};
use crate::classes::confusion::shared;
use crowdwise_core::stats::{digamma, ln_gamma, softmax};
use crowdwise_core::{Context, Dataset, Error};
use serde_json::{Map, Value};

/// Refinements of the communities' rows in an iteration.
const REFINEMENTS: usize = 3;

/// No cell of a community's rows is smaller.
const SMALLEST: f64 = 1e-6;

pub(super) struct Communities {
    g: usize,
    strength: f64,
    alpha: f64,
    /// Prior of a community's rows, label x truth.
    base: Vec<f64>,
    /// Rows, communities x label x truth; columns sum to 1.
    rows: Vec<f64>,
    /// ψ and ln Γ of strength x rows.
    psi: Vec<f64>,
    ln_gamma: Vec<f64>,
    weights: Vec<f64>,
    /// P(community | annotator), annotators x communities.
    member: Cells,
    /// Logarithm of the evidence of all annotators' counts.
    evidence: f64,
}

impl Communities {
    /// Begins with rows half way between those of the chosen annotators and the prior. The engine holds counts.
    pub fn new(
        p: &CommunityBcc,
        k: usize,
        annotators: usize,
        engine: &mut Engine,
        chosen: &[usize],
        cx: &mut Context<'_>,
    ) -> Result<Communities, Error> {
        let g = chosen.len();
        let base: Vec<f64> = (0..k * k).map(|x| if x / k == x % k { p.beta_diagonal } else { p.beta_off }).collect();
        let mut rows = engine.gather(cx, g * k * k, |j, counts, sums| {
            if let Some(c) = chosen.iter().position(|&x| x == j) {
                sums[c * k * k..][..k * k].copy_from_slice(counts);
            }
        })?;
        let prior_total = p.beta_diagonal + (k - 1) as f64 * p.beta_off;
        for row in rows.chunks_exact_mut(k * k) {
            for t in 0..k {
                let total: f64 = (0..k).map(|l| row[l * k + t] + 1.0).sum();
                for at in (0..k).map(|l| l * k + t) {
                    row[at] = 0.5 * (row[at] + 1.0) / total + 0.5 * base[at] / prior_total;
                }
            }
        }
        let mut model = Communities {
            g,
            strength: p.strength,
            alpha: p.alpha,
            base,
            psi: vec![0.0; rows.len()],
            ln_gamma: vec![0.0; rows.len()],
            rows,
            weights: vec![1.0 / g as f64; g],
            member: Cells::new((0..annotators * g).map(|_| 1.0 / g as f64)),
            evidence: 0.0,
        };
        model.prepare();
        Ok(model)
    }

    fn prepare(&mut self) {
        for (at, f) in self.rows.iter().enumerate() {
            self.psi[at] = digamma(self.strength * f);
            self.ln_gamma[at] = ln_gamma(self.strength * f);
        }
    }

    /// Evidence of these counts under each community: Dirichlet-multinomial, row by row.
    fn evidence(&self, k: usize, counts: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for t in 0..k {
            let n: f64 = (0..k).map(|l| counts[l * k + t]).sum();
            if n > 0.0 {
                let norm = ln_gamma(self.strength) - ln_gamma(self.strength + n);
                out.iter_mut().for_each(|e| *e += norm);
            }
        }
        for (at, &c) in counts.iter().enumerate().filter(|(_, c)| **c > 0.0) {
            for (g, e) in out.iter_mut().enumerate() {
                let at = g * k * k + at;
                *e += ln_gamma(c + self.strength * self.rows[at]) - self.ln_gamma[at];
            }
        }
    }

    /// Dirichlet parameter of a cell for annotator `j`, without its counts.
    fn cell(&self, k: usize, j: usize, at: usize) -> f64 {
        let mean: f64 = (0..self.g).map(|g| self.member.get(j * self.g + g) * self.rows[g * k * k + at]).sum();
        self.strength * mean
    }

    /// What chooses among starts: evidence of the annotators' counts, entropy of the posterior, likelihood of the classes.
    pub fn score(&self, posterior: &[f64], data: &Dataset) -> f64 {
        let k = data.table.n_classes();
        let (mut entropy, mut class, mut n) = (0.0, vec![0.0; k], 0.0);
        for (u, row) in posterior.chunks_exact(k).enumerate().filter(|(u, _)| data.table.degree(*u) > 0) {
            debug_assert!(u < data.table.n_units());
            entropy -= row.iter().filter(|&&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>();
            class.iter_mut().zip(row).for_each(|(c, p)| *c += p);
            n += 1.0;
        }
        let classes: f64 = class.iter().filter(|&&c| c > 0.0).map(|c: &f64| c * (c / n).ln()).sum();
        self.evidence + entropy + classes
    }

    /// Communities for the result: weights, mean accuracy, rows (truth x label), and the likeliest one of each annotator.
    pub fn describe(&self, prior: &[f64], details: &mut Map<String, Value>) {
        let k = prior.len();
        // by weight, so that their numbers mean something
        let mut order: Vec<usize> = (0..self.g).collect();
        order.sort_by(|&a, &b| self.weights[b].total_cmp(&self.weights[a]).then(a.cmp(&b)));
        let rows: Vec<Vec<f64>> =
            order.iter().map(|g| shared::transpose(self.rows[g * k * k..][..k * k].to_vec(), k)).collect();
        let total: f64 = prior.iter().sum();
        let accuracy: Vec<f64> =
            rows.iter().map(|r| (0..k).map(|t| prior[t] * r[t * k + t]).sum::<f64>() / total).collect();
        let weights: Vec<f64> = order.iter().map(|&g| self.weights[g]).collect();
        let of: Vec<usize> = (0..self.member.0.len() / self.g)
            .map(|j| {
                let row: Vec<f64> = order.iter().map(|g| self.member.get(j * self.g + g)).collect();
                crowdwise_core::stats::argmax(&row)
            })
            .collect();
        details.insert("community_weights".into(), weights.into());
        details.insert("community_accuracy".into(), accuracy.into());
        details.insert("community_rows".into(), rows.into());
        details.insert("community_of_annotator".into(), of.into());
    }
}

impl Model for Communities {
    fn table(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let total = |t: usize| self.strength + (0..k).map(|l| counts[l * k + t]).sum::<f64>();
        let psi_total: Vec<f64> = (0..k).map(total).map(digamma).collect();
        // labels that this annotator never gave are read by nobody
        for l in (0..k).filter(|l| counts[l * k..][..k].iter().any(|&c| c > 0.0)) {
            for t in 0..k {
                let at = l * k + t;
                let b = counts[at] + self.cell(k, j, at);
                table[at] = (digamma(b) - psi_total[t]).max(-230.0).exp();
            }
        }
        Sums::default()
    }

    fn report(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) {
        for t in 0..k {
            let n: f64 = (0..k).map(|l| counts[l * k + t]).sum();
            for at in (0..k).map(|l| l * k + t) {
                table[at] = (counts[at] + self.cell(k, j, at)) / (self.strength + n);
            }
        }
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        let psi_total = digamma(class.iter().map(|c| c + self.alpha).sum());
        prior.iter_mut().zip(class).for_each(|(p, c)| *p = (digamma(c + self.alpha) - psi_total).exp());
        0.0
    }

    fn report_prior(&self, class: &[f64], prior: &mut [f64]) {
        let total: f64 = class.iter().map(|c| c + self.alpha).sum();
        prior.iter_mut().zip(class).for_each(|(p, c)| *p = (c + self.alpha) / total);
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        0.0
    }

    fn prior_penalty(&self, _prior: &[f64]) -> f64 {
        0.0
    }
}

impl Adaptive for Communities {
    fn pool_width(&self, k: usize, round: usize) -> usize {
        match round {
            0 => self.g + 1,
            1..=REFINEMENTS => self.g * k * k,
            _ => 0,
        }
    }

    fn pool(&self, k: usize, round: usize, j: usize, counts: &[f64], sums: &mut [f64]) {
        let g = self.g;
        if round == 0 {
            let mut score = vec![0.0; g];
            self.evidence(k, counts, &mut score);
            score.iter_mut().zip(&self.weights).for_each(|(s, w)| *s += w.ln());
            sums[g] += softmax(&mut score);
            for (c, &r) in score.iter().enumerate() {
                sums[c] += r;
                self.member.set(j * g + c, r);
            }
            return;
        }
        for (at, &c) in counts.iter().enumerate().filter(|(_, c)| **c > 0.0) {
            for community in 0..g {
                let r = self.member.get(j * g + community);
                if r > 1e-12 {
                    let at = community * k * k + at;
                    let f = self.strength * self.rows[at];
                    sums[at] += r * f * (digamma(c + f) - self.psi[at]);
                }
            }
        }
    }

    fn pooled(&mut self, k: usize, round: usize, sums: &[f64]) {
        if round == 0 {
            let total: f64 = sums[..self.g].iter().map(|r| r + 1.0).sum();
            self.weights.iter_mut().zip(sums).for_each(|(w, r)| *w = (r + 1.0) / total);
            self.evidence = sums[self.g];
            return;
        }
        for (rows, sums) in self.rows.chunks_exact_mut(k * k).zip(sums.chunks_exact(k * k)) {
            for t in 0..k {
                let cells = (0..k).map(|l| l * k + t);
                let total: f64 = cells.clone().map(|at| sums[at] + self.base[at]).sum();
                cells.clone().for_each(|at| rows[at] = ((sums[at] + self.base[at]) / total).max(SMALLEST));
                let total: f64 = cells.clone().map(|at| rows[at]).sum();
                cells.for_each(|at| rows[at] /= total);
            }
        }
        self.prepare();
    }

    fn has_objective(&self) -> bool {
        // memberships maximise the evidence, rows a bound on it, posteriors another: nothing that only rises
        false
    }
}
