//! How much annotators' labels tell about their accuracy when the truth is not known but inferred.
//!
//! An interval that counts every label as a trial takes the posterior for the truth. What is lost by not knowing the
//! truth is a part of the information: observed information = complete information - missing information (Louis 1982).
//! In the coordinates u = d log P(label | truth), with the inner product <u, v> = Σ N u v over expected counts N, the
//! missing part is the derivative D of one EM step, which is self-adjoint there, and the variance of a function with
//! gradient g is <g, (I - D)⁻¹ P g>, P being the projection on the changes that the model allows. The accuracy of
//! annotator j has the gradient E_j = 1 on its diagonal. A label costs K operations per step of the solver, whatever the
//! model: nothing here knows how the posterior was found.

use super::tally::Tally;
use crate::{Annotators, Categorical, Dataset, Fit, stream};
use rand::RngExt;

/// What an annotator's matrix can do: the changes that are told apart from the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Freedom {
    /// One accuracy.
    Coin,
    /// One accuracy per class.
    PerClass,
    /// Every row free.
    Full,
}

/// Operations, about, that all solutions together may take.
const WORK: usize = 200_000_000;
/// Numbers that a vector of the solver may have.
const ENTRIES: usize = 2_000_000;
/// Fewest random probes that are worth more than neglecting what annotators have in common.
const PROBES: usize = 24;
/// Steps of the solver.
const STEPS: usize = 40;
/// The solver stops when a step adds less than this part.
const ENOUGH: f64 = 1e-4;

/// The part of its labels that each annotator's accuracy rests on in effect: 1 if the truth is certain, near 0 if its
/// labels could as well be right as wrong. `None` unless the fit has a model of annotators.
pub fn certainty(data: &Dataset, fit: &Fit, t: &Tally) -> Option<Vec<f64>> {
    let c = data.table.categorical()?;
    let (_, q) = fit.model_posterior()?;
    let freedom = match &fit.annotators {
        Annotators::Accuracy { .. } | Annotators::Ability { .. } => Freedom::Coin,
        Annotators::ClassAccuracy { .. } | Annotators::Competence { .. } => Freedom::PerClass,
        // not a model of labels given classes: the reckoning below does not hold
        Annotators::Confusion { .. } if few_parameters(fit, t.k) => return None,
        Annotators::Confusion { .. } => Freedom::Full,
        Annotators::None | Annotators::Weight { .. } | Annotators::Gaussian { .. } => return None,
    };
    if fit.annotators.len() != t.n.len() {
        return None;
    }
    // shares that are given have no uncertainty
    let learned = fit.class_prior.as_ref().is_some_and(|p| p.iter().any(|x| (x - p[0]).abs() > 1e-9));
    let (k, m) = (t.k, t.n.len());
    let once = data.table.n_labels().saturating_mul(k).saturating_mul(2) + m.saturating_mul(k * k).saturating_mul(4);
    let solutions = WORK / once.saturating_mul(STEPS / 2).max(1);
    let fits = m.saturating_mul(k).saturating_mul(k) <= ENTRIES && solutions >= PROBES.min(m);
    let own = own_part(c, q, t, freedom);
    let variance = if fits {
        let system = System::new(c, q, t, freedom, learned);
        if m <= solutions { system.exact(&own) } else { system.probed(&own, solutions.min(200)) }
    } else {
        own.iter().map(Own::missing).collect()
    };
    let part = |(j, extra): (usize, &f64)| {
        let n = t.n[j] as f64;
        let a = t.hits[j] / n.max(1.0);
        let whole = a * (1.0 - a) / n.max(1.0);
        if whole > 0.0 && extra.is_finite() { (whole / (whole + extra.max(0.0))).clamp(1e-6, 1.0) } else { 1.0 }
    };
    Some(variance.iter().enumerate().map(part).collect())
}

/// Matrices that follow from fewer numbers per annotator than there are classes, such as a bias and a noise on a scale,
/// by what the fit says of itself.
fn few_parameters(fit: &Fit, k: usize) -> bool {
    let said = fit.diagnostics.details.get("annotator_parameters").and_then(serde_json::Value::as_u64);
    said.is_some_and(|n| n < k as u64)
}

/// What an annotator's own labels say, taking the others' matrices as known.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    n: f64,
    /// <E, P E>.
    complete: f64,
    /// <E, D E> with the annotator's own part of D.
    lost: f64,
}

impl Own {
    /// Variance of the accuracy beyond that with known truth.
    fn missing(&self) -> f64 {
        let share = if self.complete > 0.0 { (self.lost / self.complete).clamp(0.0, 0.999) } else { 0.0 };
        self.complete * share / (1.0 - share) / (self.n * self.n).max(1.0)
    }
}

/// One pass: P E is 1 - p on the diagonal and - p beside it, p being the accuracy (for the class).
fn own_part(c: Categorical<'_>, q: &[f64], t: &Tally, freedom: Freedom) -> Vec<Own> {
    let (k, m, table) = (t.k, t.n.len(), c.table);
    let by_class = freedom != Freedom::Coin && !t.seen.is_empty();
    let mut right = vec![0.0; if by_class { m * k } else { 0 }];
    if by_class {
        for u in 0..table.n_units() {
            for r in table.rows(u) {
                let l = c.codes.get(r);
                right[table.annotator()[r] as usize * k + l] += q[u * k + l];
            }
        }
        right.iter_mut().zip(&t.seen).for_each(|(h, n)| *h = if *n > 0.0 { *h / n } else { 0.0 });
    }
    let mut out: Vec<Own> = t.n.iter().map(|&n| Own { n: n as f64, ..Own::default() }).collect();
    for u in 0..table.n_units() {
        let q = &q[u * k..(u + 1) * k];
        for r in table.rows(u) {
            let (j, l) = (table.annotator()[r] as usize, c.codes.get(r));
            let o = &mut out[j];
            if by_class {
                let p = &right[j * k..(j + 1) * k];
                let (mut mean, mut square) = (0.0, 0.0);
                for t in 0..k {
                    let s = if t == l { 1.0 - p[t] } else { -p[t] };
                    mean += q[t] * s;
                    square += q[t] * s * s;
                }
                o.complete += q[l] * (1.0 - p[l]);
                o.lost += (square - mean * mean).max(0.0);
            } else {
                let p = t.hits[j] / o.n.max(1.0);
                o.complete += q[l] * (1.0 - p);
                o.lost += q[l] * (1.0 - q[l]);
            }
        }
    }
    out
}

/// The equations of all annotators together. Tables are annotators x label x truth.
struct System<'a> {
    c: Categorical<'a>,
    q: &'a [f64],
    k: usize,
    freedom: Freedom,
    /// Whether class shares are learned too.
    learned: bool,
    n: Vec<f64>,
    /// Expected counts.
    counts: Vec<f64>,
    /// Expected units of each class.
    class: Vec<f64>,
}

/// A change of all log tables and of the log class shares.
#[derive(Clone)]
struct Change {
    tables: Vec<f64>,
    class: Vec<f64>,
}

impl Change {
    fn add(&mut self, f: f64, other: &Change) {
        self.tables.iter_mut().zip(&other.tables).for_each(|(x, y)| *x += f * y);
        self.class.iter_mut().zip(&other.class).for_each(|(x, y)| *x += f * y);
    }
}

impl<'a> System<'a> {
    fn new(c: Categorical<'a>, q: &'a [f64], t: &Tally, freedom: Freedom, learned: bool) -> System<'a> {
        let (k, table) = (t.k, c.table);
        let mut counts = vec![0.0; t.n.len() * k * k];
        let mut class = vec![0.0; k];
        for u in 0..table.n_units() {
            let q = &q[u * k..(u + 1) * k];
            if table.degree(u) > 0 {
                class.iter_mut().zip(q).for_each(|(s, x)| *s += x);
            }
            for r in table.rows(u) {
                let at = (table.annotator()[r] as usize * k + c.codes.get(r)) * k;
                counts[at..at + k].iter_mut().zip(q).for_each(|(s, x)| *s += x);
            }
        }
        System { c, q, k, freedom, learned, n: t.n.iter().map(|&n| n as f64).collect(), counts, class }
    }

    fn dot(&self, a: &Change, b: &Change) -> f64 {
        let sum = |n: &[f64], a: &[f64], b: &[f64]| -> f64 { (0..n.len()).map(|x| n[x] * a[x] * b[x]).sum() };
        sum(&self.counts, &a.tables, &b.tables) + sum(&self.class, &a.class, &b.class)
    }

    /// The nearest change that the model allows.
    fn project(&self, u: &mut Change) {
        let k = self.k;
        for (own, n) in u.tables.chunks_exact_mut(k * k).zip(self.counts.chunks_exact(k * k)) {
            match self.freedom {
                Freedom::Full => {
                    for t in 0..k {
                        let all: f64 = (0..k).map(|l| n[l * k + t]).sum();
                        let mean: f64 = (0..k).map(|l| n[l * k + t] * own[l * k + t]).sum::<f64>() / all.max(1e-300);
                        (0..k).for_each(|l| own[l * k + t] -= mean);
                    }
                }
                Freedom::PerClass => (0..k).for_each(|t| two_values(own, n, k, t..t + 1)),
                Freedom::Coin => two_values(own, n, k, 0..k),
            }
        }
        let all: f64 = self.class.iter().sum();
        let mean = self.class.iter().zip(&u.class).map(|(n, x)| n * x).sum::<f64>() / all.max(1e-300);
        u.class.iter_mut().for_each(|x| *x = if self.learned { *x - mean } else { 0.0 });
    }

    /// D u: what one EM step makes of the change.
    fn step(&self, u: &Change) -> Change {
        let (k, table) = (self.k, self.c.table);
        let who = table.annotator();
        let mut out = Change { tables: vec![0.0; u.tables.len()], class: vec![0.0; k] };
        let mut s = vec![0.0; k];
        for (unit, q) in self.q.chunks_exact(k).enumerate() {
            let rows = table.rows(unit);
            if rows.is_empty() || q.iter().any(|&x| x >= 1.0) {
                continue;
            }
            s.copy_from_slice(&u.class);
            for r in rows.clone() {
                let at = (who[r] as usize * k + self.c.codes.get(r)) * k;
                s.iter_mut().zip(&u.tables[at..at + k]).for_each(|(s, x)| *s += x);
            }
            let mean: f64 = s.iter().zip(q).map(|(s, q)| s * q).sum();
            s.iter_mut().zip(q).for_each(|(s, q)| *s = q * (*s - mean));
            out.class.iter_mut().zip(&s).for_each(|(o, s)| *o += s);
            for r in rows {
                let at = (who[r] as usize * k + self.c.codes.get(r)) * k;
                out.tables[at..at + k].iter_mut().zip(&s).for_each(|(o, s)| *o += s);
            }
        }
        // counts become changes of logarithms
        let divide = |x: &mut f64, n: &f64| *x = if *n > 1e-12 { *x / n } else { 0.0 };
        out.tables.iter_mut().zip(&self.counts).for_each(|(x, n)| divide(x, n));
        out.class.iter_mut().zip(&self.class).for_each(|(x, n)| divide(x, n));
        self.project(&mut out);
        out
    }

    /// E of some annotators with signs, projected.
    fn right_side(&self, sign: &[f64]) -> Change {
        let k = self.k;
        let mut b = Change { tables: vec![0.0; self.counts.len()], class: vec![0.0; k] };
        for (own, s) in b.tables.chunks_exact_mut(k * k).zip(sign) {
            (0..k).for_each(|t| own[t * k + t] = *s);
        }
        self.project(&mut b);
        b
    }

    /// <E_j, x>.
    fn read(&self, j: usize, x: &Change) -> f64 {
        let (k, at) = (self.k, j * self.k * self.k);
        (0..k).map(|t| self.counts[at + t * k + t] * x.tables[at + t * k + t]).sum()
    }

    /// ((I - D)⁻¹ - I) b by conjugate gradients; `None` where the posterior is not at a maximum, so that it has no meaning.
    fn solve(&self, b: &Change) -> Option<Change> {
        let mut x = Change { tables: vec![0.0; b.tables.len()], class: vec![0.0; b.class.len()] };
        let mut r = self.step(b);
        let mut p = r.clone();
        let mut left = self.dot(&r, &r);
        let first = self.dot(b, b);
        if left <= ENOUGH * ENOUGH * first {
            return Some(r);
        }
        let mut gained = 0.0;
        for _ in 0..STEPS {
            let mut a = self.step(&p);
            a.tables.iter_mut().zip(&p.tables).for_each(|(a, p)| *a = p - *a);
            a.class.iter_mut().zip(&p.class).for_each(|(a, p)| *a = p - *a);
            let curve = self.dot(&p, &a);
            if curve <= 1e-6 * self.dot(&p, &p) {
                return None;
            }
            let f = left / curve;
            x.add(f, &p);
            r.add(-f, &a);
            gained += f * left;
            if f * left <= ENOUGH * gained {
                break;
            }
            let next = self.dot(&r, &r);
            let turn = next / left;
            left = next;
            p.tables.iter_mut().zip(&r.tables).for_each(|(p, r)| *p = r + turn * *p);
            p.class.iter_mut().zip(&r.class).for_each(|(p, r)| *p = r + turn * *p);
        }
        Some(x)
    }

    /// Variances beyond those with known truth, one annotator after the other.
    fn exact(&self, own: &[Own]) -> Vec<f64> {
        let m = self.n.len();
        let mut sign = vec![0.0; m];
        let mut one = |j: usize| {
            sign[j] = 1.0;
            let x = self.solve(&self.right_side(&sign));
            sign[j] = 0.0;
            x.map_or(own[j].missing(), |x| self.read(j, &x) / (self.n[j] * self.n[j]).max(1.0)).max(own[j].missing())
        };
        (0..m).map(|j| if own[j].n > 0.0 && own[j].lost > 0.0 { one(j) } else { 0.0 }).collect()
    }

    /// The same from random signs: what others add has mean zero.
    fn probed(&self, own: &[Own], probes: usize) -> Vec<f64> {
        let m = self.n.len();
        let mut sum = vec![0.0; m];
        let mut rng = stream(0, "certainty", 0);
        let mut used = 0;
        for _ in 0..probes {
            let sign: Vec<f64> = (0..m).map(|_| if rng.random_bool(0.5) { 1.0 } else { -1.0 }).collect();
            if let Some(x) = self.solve(&self.right_side(&sign)) {
                used += 1;
                (0..m).for_each(|j| sum[j] += sign[j] * self.read(j, &x));
            }
        }
        let of = |j: usize| sum[j] / (used.max(1) as f64 * (self.n[j] * self.n[j]).max(1.0));
        (0..m).map(|j| of(j).max(own[j].missing())).collect()
    }
}

/// Replaces the columns `truths` of a table by the nearest change of one accuracy: one value on the diagonal, another
/// beside it, with a mean of zero.
fn two_values(own: &mut [f64], n: &[f64], k: usize, truths: std::ops::Range<usize>) {
    let (mut right, mut wrong, mut sum_right, mut sum_wrong) = (0.0, 0.0, 0.0, 0.0);
    for t in truths.clone() {
        for l in 0..k {
            let (n, x) = (n[l * k + t], own[l * k + t]);
            if l == t {
                right += n;
                sum_right += n * x;
            } else {
                wrong += n;
                sum_wrong += n * x;
            }
        }
    }
    // d = (1 / p, - 1 / (1 - p)): <x, d> / <d, d> d
    let all = right + wrong;
    let (mut on, mut off) = (0.0, 0.0);
    if right > 1e-12 && wrong > 1e-12 {
        let (p, e) = (right / all, wrong / all);
        let change = (sum_right / p - sum_wrong / e) / (all / (p * e));
        (on, off) = (change / p, -change / e);
    }
    for t in truths {
        (0..k).for_each(|l| own[l * k + t] = if l == t { on } else { off });
    }
}

#[cfg(test)]
mod tests;
