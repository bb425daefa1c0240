//! What a label is worth when that depends on the item: as a fit uses it and as a model keeps it.

use super::mixed::logits;
use crate::objective::TINY;
use crate::{Labels, Matrix, Probabilities};
use crowdwise_core::{Error, stats};
use crowdwise_numerics::{dot, logistic};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How P(says l | truth k, features x) is written down. Everywhere z is the features over the root of their number, then a
/// 1: standardised features give a z of about the same length whatever their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Form {
    /// Right with probability σ(u_j · F z), errors spread evenly. Numbers: u (annotators x rank), F (rank x z).
    LowRank { rank: usize },
    /// Right with probability σ(w_j · z), errors spread evenly. Numbers: w (annotators x z).
    Gate,
    /// Confusion matrix = soft-max of the rows of C_j + Σ_r v_r U_jr with v = V z, V without the constant. Numbers: for every
    /// annotator and cell (truth x label) C and the U of each r; then V (rank x features).
    Heads { rank: usize },
    /// Soft-max of the rows of fixed and random effects: see `mixed`. Numbers: for every annotator B (label x hidden) and w
    /// (hidden and a constant); then G1 and G2 (hidden x z), C (truth x label x hidden) and c (truth x label).
    Mixed { hidden: usize },
}

/// The annotators of a fit, each with an expertise of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Experts {
    pub form: Form,
    /// Classes, annotators and features.
    pub k: usize,
    pub m: usize,
    pub d: usize,
    pub numbers: Vec<f64>,
}

/// Nobody is right or wrong for certain: a single label never decides alone.
const SURE: f64 = 0.99;

/// Most numbers of all annotators together (1 GB).
const MOST: usize = 1 << 27;

/// Features as the annotators' side sees them.
pub(crate) fn seen(x: &[f32], out: &mut Vec<f64>) {
    let scale = 1.0 / (x.len().max(1) as f64).sqrt();
    out.clear();
    out.extend(x.iter().map(|x| f64::from(*x) * scale));
    out.push(1.0);
}

impl Form {
    /// How many numbers it needs; none if there are more than can be counted.
    pub fn numbers(self, k: usize, m: usize, d: usize) -> Option<usize> {
        let z = d.checked_add(1)?;
        match self {
            Form::LowRank { rank } => m.checked_add(z)?.checked_mul(rank),
            Form::Gate => m.checked_mul(z),
            Form::Heads { rank } => {
                let own = k.checked_mul(k)?.checked_mul(rank.checked_add(1)?)?;
                m.checked_mul(own)?.checked_add(rank.checked_mul(d)?)
            }
            Form::Mixed { hidden } => {
                let (own, cells) = (k.checked_add(1)?.checked_mul(hidden)?.checked_add(1)?, k.checked_mul(k)?);
                let shared =
                    hidden.checked_mul(2)?.checked_mul(z)?.checked_add(cells.checked_mul(hidden.checked_add(1)?)?)?;
                m.checked_mul(own)?.checked_add(shared)
            }
        }
    }

    /// Refuses more numbers than fit into memory.
    pub fn check(self, k: usize, m: usize, d: usize) -> Result<(), Error> {
        if self.numbers(k, m, d).is_some_and(|n| n <= MOST) {
            return Ok(());
        }
        Err(Error::Unsupported {
            what: format!("expertise of {m} annotators in {k} classes by {d} features does not fit into memory"),
            hint: Some("⟦-m dlc⟧ needs a few numbers per annotator only; else give fewer features".into()),
        })
    }
}

impl Experts {
    /// What all annotators see of an item, worked out once for all its labels.
    pub fn look(&self, x: &[f32]) -> Vec<f64> {
        let mut z = Vec::with_capacity(self.d + 1);
        seen(x, &mut z);
        match self.form {
            Form::Gate => z,
            Form::LowRank { rank } => {
                self.numbers[self.m * rank..].chunks_exact(self.d + 1).map(|f| dot(f, &z)).collect()
            }
            Form::Heads { rank } => {
                let shared = &self.numbers[self.m * self.k * self.k * (rank + 1)..];
                shared.chunks_exact(self.d.max(1)).map(|v| dot(v, &z)).collect()
            }
            Form::Mixed { hidden } => {
                let maps = &self.numbers[self.own() * self.m..][..2 * hidden * z.len()];
                maps.chunks_exact(z.len()).map(|g| dot(g, &z).tanh()).collect()
            }
        }
    }

    /// Numbers of one annotator.
    fn own(&self) -> usize {
        match self.form {
            Form::LowRank { rank } => rank,
            Form::Gate => self.d + 1,
            Form::Heads { rank } => self.k * self.k * (rank + 1),
            Form::Mixed { hidden } => (self.k + 1) * hidden + 1,
        }
    }

    /// P(right) and P(one of the wrong classes) of annotator `j` on the item, where errors are spread evenly.
    fn coin(&self, look: &[f64], j: usize) -> Option<(f64, f64)> {
        matches!(self.form, Form::LowRank { .. } | Form::Gate).then(|| {
            let own = &self.numbers[j * look.len()..][..look.len()];
            let right = logistic(dot(own, look)).clamp(1.0 - SURE, SURE);
            (right, (1.0 - right) / (self.k.max(2) - 1) as f64)
        })
    }

    /// P(says | truth) of annotator `j` on the item, truth x label.
    pub fn matrix(&self, look: &[f64], j: usize) -> Vec<f64> {
        let (k, cells) = (self.k, self.k * self.k);
        if let Some((right, wrong)) = self.coin(look, j) {
            return (0..cells).map(|n| if n / k == n % k { right } else { wrong }).collect();
        }
        let own = &self.numbers[j * self.own()..(j + 1) * self.own()];
        let mut out: Vec<f64> = if let Form::Mixed { hidden } = self.form {
            let rest = &self.numbers[self.own() * self.m + 2 * hidden * (self.d + 1)..];
            (0..k).flat_map(|t| logits(own, rest, look, k, t)).collect()
        } else {
            own.chunks_exact(look.len() + 1).map(|w| w[0] + dot(&w[1..], look)).collect()
        };
        out.chunks_exact_mut(k).for_each(|row| _ = stats::softmax(row));
        out
    }

    /// Adds ln P(annotator `j` says `l` | truth) to `row`.
    pub fn hear(&self, look: &[f64], j: usize, l: usize, row: &mut [f64]) {
        if let Some((right, wrong)) = self.coin(look, j) {
            let (right, wrong) = (right.ln(), wrong.ln());
            row.iter_mut().enumerate().for_each(|(t, x)| *x += if t == l { right } else { wrong });
            return;
        }
        let matrix = self.matrix(look, j);
        row.iter_mut().zip(matrix.chunks_exact(self.k)).for_each(|(x, says)| *x += says[l].max(1e-12).ln());
    }

    fn add_matrix(&self, look: &[f64], j: usize, out: &mut [f64]) {
        out.iter_mut().zip(self.matrix(look, j)).for_each(|(x, p)| *x += p);
    }

    /// P(annotator `j` is right) on an item that is seen so and has these class probabilities.
    pub fn right_at(&self, look: &[f64], j: usize, f: &[f64]) -> f64 {
        self.coin(look, j).map_or_else(
            || f.iter().zip(self.matrix(look, j).iter().step_by(self.k + 1)).map(|(f, a)| f * a).sum(),
            |(right, _)| right,
        )
    }

    /// Mean confusion matrix of every annotator over the items that it labelled; that of an item with all features at
    /// their mean where there are none.
    pub fn confusion(&self, x: &Matrix, labels: &Labels) -> Vec<f64> {
        let (k, size) = (self.k, self.k * self.k);
        let mut out = vec![0.0; self.m * size];
        let mut silent = vec![true; self.m];
        for i in (0..labels.items()).filter(|&i| labels.degree(i) > 0) {
            let look = self.look(x.row(i));
            for (j, _) in labels.of(i) {
                silent[j] = false;
                self.add_matrix(&look, j, &mut out[j * size..(j + 1) * size]);
            }
        }
        let mean = self.look(&vec![0.0; self.d]);
        for j in (0..self.m).filter(|&j| silent[j]) {
            self.add_matrix(&mean, j, &mut out[j * size..(j + 1) * size]);
        }
        crate::confusion::normalise(&mut out, k);
        out
    }

    /// Turns a classifier's probabilities of an item into those with its labels; returns the log-likelihood of the labels.
    pub fn infer(&self, x: &[f32], labels: impl Iterator<Item = (usize, usize)>, row: &mut [f64]) -> f64 {
        row.iter_mut().for_each(|p| *p = p.max(TINY).ln());
        let look = self.look(x);
        labels.for_each(|(j, l)| self.hear(&look, j, l, row));
        stats::softmax(row)
    }

    /// [`Experts::infer`] for these items, whose classifier's probabilities are the rows of `f`, each raised by `floor`.
    pub fn infer_all(&self, x: &Matrix, labels: &Labels, items: &[u32], f: &Probabilities, floor: f64) -> Vec<f64> {
        let mut q: Vec<f64> = f.rows.iter().map(|p| p + floor).collect();
        q.par_chunks_mut(self.k).zip(items).for_each(|(row, &i)| match labels.gold(i as usize) {
            Some(g) => {
                row.fill(0.0);
                row[g] = 1.0;
            }
            None => _ = self.infer(x.row(i as usize), labels.of(i as usize), row),
        });
        q
    }

    /// Log-likelihood of the labels of these items.
    pub fn log_likelihood(&self, x: &Matrix, labels: &Labels, items: &[u32], f: &Probabilities) -> f64 {
        let each: Vec<f64> = items
            .par_iter()
            .enumerate()
            .map(|(b, &i)| self.infer(x.row(i as usize), labels.of(i as usize), &mut f.row(b).to_vec()))
            .collect();
        each.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::some_labels;

    #[test]
    fn what_does_not_fit_is_refused_before_it_is_made() {
        let labels = some_labels(5, 4, 3);
        let large = 1 << 40;
        for form in [Form::Gate, Form::LowRank { rank: 10 }, Form::Heads { rank: 4 }, Form::Mixed { hidden: 8 }] {
            form.check(labels.k, labels.m, 100).unwrap();
            let e = form.check(labels.k, labels.m, large).unwrap_err();
            assert!(e.to_string().contains("does not fit into memory") && e.hint().is_some(), "{e}");
        }
        assert!(Form::Heads { rank: usize::MAX }.numbers(3, 4, 5).is_none());
    }

    #[test]
    fn labels_are_worth_what_the_expert_knows_of_the_item() {
        // one annotator, one feature: right with probability σ(2) where it is 1, σ(-2) where it is -1
        let experts = Experts { form: Form::Gate, k: 3, m: 1, d: 1, numbers: vec![2.0, 0.0] };
        let knows = logistic(2.0);
        let mut row = vec![1.0 / 3.0; 3];
        experts.infer(&[1.0], [(0, 1)].into_iter(), &mut row);
        assert!((row[1] - knows).abs() < 1e-12 && (row[0] - (1.0 - knows) / 2.0).abs() < 1e-12, "{row:?}");
        let mut row = vec![1.0 / 3.0; 3];
        experts.infer(&[-1.0], [(0, 1)].into_iter(), &mut row);
        assert!((row[1] - (1.0 - knows)).abs() < 1e-12, "{row:?}");
        assert!((experts.right_at(&experts.look(&[1.0]), 0, &[1.0, 0.0, 0.0]) - knows).abs() < 1e-12);
        assert!((experts.matrix(&experts.look(&[1.0]), 0)[4] - knows).abs() < 1e-12);
    }
}
