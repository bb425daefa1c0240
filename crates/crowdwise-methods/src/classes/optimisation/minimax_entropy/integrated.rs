//! Items integrated out: every class is judged by how well the labels are explained when the leanings of the item are
//! averaged over, not by the one set of leanings that suits the class believed so far. Annotators are drawn to what they
//! have in common, and how much items differ is learned. With few labels, or items that do not differ, this becomes a
//! pooled Dawid-Skene model instead of an item that explains its own labels away.

use super::label::ln_row;
use crate::classes::confusion::em::Fitted;
use crate::classes::confusion::shared;
use crate::classes::pooled::vote_shares;
use crate::classes::voting::{Ballot, Form};
use crowdwise_core::stats::softmax;
use crowdwise_core::{Categorical, Context, Dataset, Error, Run, Step, Watch};
use rayon::prelude::*;

/// Steps of annotators and of items in a round; more in the first, which starts from nothing.
const STEPS: usize = 4;
const FIRST: usize = 25;

/// The common matrix is held to 0 like a quarter of an annotator's: it must not grow without bound either.
const COMMON: f64 = 0.25;

/// What is believed of the spread of items before the labels are seen: so many rows of spread 1.
const ROWS: f64 = 2.0;

/// Where the ridge of items may go: from a spread of 2 to none to speak of.
const BETA: (f64, f64) = (0.25, 400.0);

/// How items and annotators are held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holds {
    /// Ridge of annotators around the common matrix: one over the variance of their scores.
    pub alpha: f64,
    /// Ridge of items; `None`: learned.
    pub beta: Option<f64>,
    pub max_iter: usize,
    pub tol: f64,
}

impl Default for Holds {
    fn default() -> Self {
        Holds { alpha: 1.0, beta: None, max_iter: 500, tol: 2e-3 }
    }
}

pub(super) struct Solved {
    pub mu: Vec<f64>,
    /// Scores of annotators and of items, each truth x label.
    pub annotators: Vec<f64>,
    pub items: Vec<f64>,
    pub prior: Vec<f64>,
    pub beta: f64,
    pub run: Run,
}

/// The scores, and what they were fitted to.
struct State<'a> {
    labels: Categorical<'a>,
    gold: Option<&'a [Option<u32>]>,
    k: usize,
    alpha: f64,
    beta: f64,
    annotators: Vec<f64>,
    common: Vec<f64>,
    items: Vec<f64>,
}

/// What the E-step says of one item.
#[derive(Clone, Copy, Default)]
struct Seen {
    change: f64,
    /// Expected square of its row of scores.
    square: f64,
    counted: f64,
}

/// For two classes or more.
pub(super) fn solve(
    data: &Dataset,
    gold: Option<&[Option<u32>]>,
    holds: Holds,
    cx: &mut Context<'_>,
) -> Result<Solved, Error> {
    let labels = data.table.categorical().expect("the kind was checked");
    let (k, m, n) = (labels.k(), data.table.n_annotators(), data.table.n_units());
    let mut mu = Ballot::new(data).posterior(None, Form::Share, cx)?;
    let prior = vote_shares(data, gold);
    shared::complete(&mut mu, data, gold, &prior);
    let ln_prior: Vec<f64> = prior.iter().map(|p| p.ln()).collect();
    let mut state = State {
        labels,
        gold,
        k,
        alpha: holds.alpha,
        beta: holds.beta.unwrap_or(1.0),
        annotators: vec![0.0; m * k * k],
        common: vec![0.0; k * k],
        items: vec![0.0; n * k * k],
    };
    let mut watch = Watch::all(holds.max_iter);
    let run = cx.iterate(holds.max_iter, holds.tol, |cx, round| {
        let step = cx.install(|| {
            state.move_annotators(&mu, if round == 1 { FIRST } else { STEPS });
            let seen = state.items(&mut mu, &ln_prior, round > 1);
            if holds.beta.is_none() && round > 1 {
                let (counted, square) = (seen.counted * k as f64, seen.square);
                state.beta = ((counted + ROWS) / (square + ROWS)).clamp(BETA.0, BETA.1);
            }
            // without item terms so far: this cannot be the end
            let change = if round < 3 { seen.change.max(holds.tol) } else { seen.change };
            Step { objective: None, change }
        })?;
        if watch.looks(round)
            && let Some(how) = watch.look(&mu, k)
        {
            cx.settle(how);
        }
        Ok(step)
    })?;
    Ok(Solved { mu, annotators: state.annotators, items: state.items, prior, beta: state.beta, run })
}

impl State<'_> {
    /// Steps up the expected log-likelihood. The curvature of a softmax is at most 1/2, so that no step goes too far.
    fn move_annotators(&mut self, mu: &[f64], steps: usize) {
        let (k, labels) = (self.k, self.labels);
        let index = labels.table.by_annotator();
        for _ in 0..steps {
            let (items, common, alpha) = (&self.items, &self.common, self.alpha);
            self.annotators.par_chunks_mut(k * k).enumerate().for_each(|(j, own)| {
                let (mut z, mut up, mut weight) = (vec![0.0; k], vec![0.0; k * k], vec![0.0; k]);
                for (&r, &u) in index.rows(j).iter().zip(index.units(j)) {
                    let (u, l) = (u as usize, labels.codes.get(r as usize));
                    let item = &items[u * k * k..][..k * k];
                    for (c, &q) in mu[u * k..][..k].iter().enumerate().filter(|(_, q)| **q > 1e-9) {
                        ln_row(&mut z, c, l, own, item);
                        z[l] -= 1.0;
                        weight[c] += q;
                        up[c * k..][..k].iter_mut().zip(&z).for_each(|(g, p)| *g -= q * p);
                    }
                }
                for (at, x) in own.iter_mut().enumerate() {
                    let pull = up[at] - alpha * (*x - common[at]);
                    *x += pull / (0.5 * weight[at / k] + alpha);
                }
            });
            self.meet();
        }
    }

    /// The common matrix: the mean of those who gave labels, held to 0 a little.
    fn meet(&mut self) {
        let (k, alpha) = (self.k, self.alpha);
        let mut sum = vec![0.0; k * k];
        let mut n = 0.0;
        let active = self.labels.table.labels_per_annotator();
        for (own, _) in self.annotators.chunks_exact(k * k).zip(&active).filter(|(_, n)| **n > 0) {
            n += 1.0;
            crowdwise_numerics::add_into(&mut sum, own);
        }
        self.common = sum.into_iter().map(|s| alpha * s / (alpha * n + COMMON)).collect();
    }

    /// Moves every item, then what is believed of it. `own` is false in the round before items have scores.
    fn items(&mut self, mu: &mut [f64], ln_prior: &[f64], own: bool) -> Seen {
        let (k, beta, labels, annotators) = (self.k, self.beta, &self.labels, &self.annotators);
        let gold = self.gold;
        let each: Vec<Seen> = (self.items.par_chunks_mut(k * k), mu.par_chunks_mut(k))
            .into_par_iter()
            .enumerate()
            .map(|(u, (item, mu))| {
                let rows = labels.table.rows(u);
                if rows.is_empty() {
                    return Seen::default();
                }
                let said: Vec<(usize, usize)> =
                    rows.map(|r| (labels.table.annotator()[r] as usize * k * k, labels.codes.get(r))).collect();
                let known = gold.and_then(|g| g[u]);
                let mut work = Row::new(k);
                let mut score = ln_prior.to_vec();
                let mut squares = vec![0.0; k];
                for (c, (score, square)) in score.iter_mut().zip(&mut squares).enumerate() {
                    if own {
                        work.climb(c, &said, annotators, item, beta);
                    }
                    let (value, expected) = work.integrate(c, &said, annotators, item, beta, own);
                    *score += value;
                    *square = expected;
                }
                if let Some(c) = known {
                    score.fill(f64::NEG_INFINITY);
                    score[c as usize] = 0.0;
                }
                softmax(&mut score);
                let mut seen = Seen { counted: 1.0, ..Seen::default() };
                for ((old, new), square) in mu.iter_mut().zip(score).zip(squares) {
                    seen.change = f64::max(seen.change, (*old - new).abs());
                    seen.square += new * square;
                    *old = new;
                }
                seen
            })
            .collect();
        each.iter().fold(Seen::default(), |a, b| Seen {
            change: a.change.max(b.change),
            square: a.square + b.square,
            counted: a.counted + b.counted,
        })
    }
}

/// Room for the row of an item under one truth.
struct Row {
    k: usize,
    z: Vec<f64>,
    up: Vec<f64>,
    /// I + H / beta, then its Cholesky factor.
    h: Vec<f64>,
}

impl Row {
    fn new(k: usize) -> Row {
        Row { k, z: vec![0.0; k], up: vec![0.0; k], h: vec![0.0; k * k] }
    }

    fn climb(&mut self, c: usize, said: &[(usize, usize)], annotators: &[f64], item: &mut [f64], beta: f64) {
        let k = self.k;
        for _ in 0..STEPS {
            self.up.fill(0.0);
            for &(j, l) in said {
                ln_row(&mut self.z, c, l, &annotators[j..][..k * k], item);
                self.z[l] -= 1.0;
                self.up.iter_mut().zip(&self.z).for_each(|(g, p)| *g -= p);
            }
            let hold = 0.5 * said.len() as f64 + beta;
            for (x, g) in item[c * k..][..k].iter_mut().zip(&self.up) {
                *x += (g - beta * *x) / hold;
            }
        }
    }

    /// ln of the labels' probability with the row integrated out (Laplace), and the expected square of the row.
    fn integrate(
        &mut self,
        c: usize,
        said: &[(usize, usize)],
        annotators: &[f64],
        item: &[f64],
        beta: f64,
        own: bool,
    ) -> (f64, f64) {
        let k = self.k;
        self.h.fill(0.0);
        let mut value = 0.0;
        for &(j, l) in said {
            value += ln_row(&mut self.z, c, l, &annotators[j..][..k * k], item);
            if own {
                for a in 0..k {
                    self.h[a * k + a] += self.z[a] / beta;
                    for b in 0..=a {
                        self.h[a * k + b] -= self.z[a] * self.z[b] / beta;
                    }
                }
            }
        }
        if !own {
            return (value, 0.0);
        }
        (0..k).for_each(|a| self.h[a * k + a] += 1.0);
        let square: f64 = item[c * k..][..k].iter().map(|x| x * x).sum();
        let (ln_det, trace) = self.factor();
        (value - 0.5 * beta * square - 0.5 * ln_det, square + trace / beta)
    }

    /// Cholesky in place: logarithm of the determinant and trace of the inverse.
    fn factor(&mut self) -> (f64, f64) {
        let (k, h) = (self.k, &mut self.h);
        let mut ln_det = 0.0;
        for a in 0..k {
            for b in 0..=a {
                let dot: f64 = (0..b).map(|i| h[a * k + i] * h[b * k + i]).sum();
                let rest = h[a * k + b] - dot;
                h[a * k + b] = if a == b { rest.max(1e-12).sqrt() } else { rest / h[b * k + b] };
            }
            ln_det += 2.0 * h[a * k + a].ln();
        }
        // |L⁻¹|² is the trace of the inverse
        let mut trace = 0.0;
        for e in 0..k {
            self.up.fill(0.0);
            for a in e..k {
                let dot: f64 = (e..a).map(|i| h[a * k + i] * self.up[i]).sum();
                self.up[a] = (f64::from(u8::from(a == e)) - dot) / h[a * k + a];
                trace += self.up[a] * self.up[a];
            }
        }
        (ln_det, trace)
    }
}

/// Spread of items, as a share of the one that annotators are given, below which their leanings change no class for a
/// reason: what they are mistaken for is then mostly noise, or items are hard without leaning anywhere.
const SPREAD: f64 = 0.5;

/// A fit for `auto`, to be asked for where [`super::items_differ`] says yes: posterior of every item and matrices of the
/// annotators (label x truth) on an item without leanings. The inner error says in plain words why the fit should not be
/// used.
pub(crate) fn fit_integrated(
    data: &Dataset,
    gold: Option<&[Option<u32>]>,
    max_iter: usize,
    cx: &mut Context<'_>,
) -> Result<Result<Fitted, String>, Error> {
    let holds = Holds { max_iter, ..Holds::default() };
    let solved = solve(data, gold, holds, cx)?;
    let spread = (holds.alpha / solved.beta).sqrt();
    if spread < SPREAD {
        return Ok(Err(format!(
            "items hardly lean towards wrong classes (by {spread:.2} of what annotators may differ by; {SPREAD} would count)"
        )));
    }
    let k = data.table.n_classes();
    let mut tables = solved.annotators;
    tables.chunks_exact_mut(k).for_each(|row| _ = softmax(row));
    let mut posterior = solved.mu;
    shared::complete(&mut posterior, data, gold, &solved.prior);
    Ok(Ok(Fitted {
        posterior,
        tables: shared::transpose(tables, k),
        prior: solved.prior,
        run: solved.run,
        objective: f64::NAN,
        hard: false,
        findings: Vec::new(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::pooled::PooledDawidSkene;
    use crowdwise_core::{LabelKind, Method, TableBuilder, Truth, stream};
    use rand::RngExt;

    /// Determinant and inverse of a 3 x 3 matrix by hand, and the integral against one on a grid for two classes.
    #[test]
    fn factors_and_integrals_are_right() {
        let mut row = Row::new(3);
        row.h = vec![4.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.5, 0.2, 2.0];
        // determinant 4 (6 - .04) - 1 (2 - .1) + .5 (.2 - 1.5); cofactors of the diagonal 5.96, 7.75, 11
        let (ln_det, trace) = row.factor();
        let det: f64 = 4.0 * 5.96 - 1.9 + 0.5 * (0.2 - 1.5);
        assert!((ln_det - det.ln()).abs() < 1e-12);
        assert!((trace - (5.96 + 7.75 + 11.0) / det).abs() < 1e-12);

        let annotators = [1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 2.0];
        let said: Vec<(usize, usize)> = (0..12).map(|n| (4 * (n % 2), usize::from(n % 3 == 0))).collect();
        let (beta, mut item) = (1.5, vec![0.0; 4]);
        let mut row = Row::new(2);
        (0..200).for_each(|_| row.climb(0, &said, &annotators, &mut item, beta));
        let (value, _) = row.integrate(0, &said, &annotators, &item, beta, true);
        // scores of two classes count by their difference, which has the variance 2 / beta
        let (mut sum, mut all) = (0.0, 0.0);
        for n in -400..=400 {
            let d = f64::from(n) * 0.02;
            let weight = (-0.25 * beta * d * d).exp();
            let at = [0.5 * d, -0.5 * d, 0.0, 0.0];
            let mut z = vec![0.0; 2];
            let ln: f64 = said.iter().map(|&(j, l)| ln_row(&mut z, 0, l, &annotators[j..][..4], &at)).sum();
            sum += weight * ln.exp();
            all += weight;
        }
        let want = (sum / all).ln();
        assert!((value - want).abs() < 0.03, "{value} {want}");
    }

    /// 200 items, 20 labels each, accuracies from .55 to .9; four in ten have a wrong class that attracts, or none has.
    fn crowd(misleading: bool) -> (Dataset, Vec<usize>) {
        let mut rng = stream(7, "integrated", 0);
        let skill: Vec<f64> = (0..20).map(|_| rng.random_range(0.55..0.9)).collect();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..2).for_each(|c| _ = b.classes.intern(&c.to_string()));
        let mut truth = Vec::new();
        for i in 0..200 {
            let z: usize = rng.random_range(0..2);
            let pull: f64 = if rng.random_bool(0.4) && misleading { rng.random_range(0.8..2.5) } else { 0.0 };
            for (j, s) in skill.iter().enumerate() {
                let right = s / (s + (1.0 - s) * pull.exp());
                let l = if rng.random_bool(right) { z } else { 1 - z };
                b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
            }
            truth.push(z);
        }
        (Dataset::new(b.finish().unwrap()), truth)
    }

    fn right(q: &[f64], truth: &[usize]) -> f64 {
        let hits = q.chunks_exact(2).zip(truth).filter(|(row, z)| row[**z] > 0.5).count();
        hits as f64 / truth.len() as f64
    }

    /// Misleading items: far better than the pooled model. Items alike: level with it, and refused for `auto`.
    #[test]
    fn misleading_items_are_seen_through() {
        for misleading in [true, false] {
            let (data, truth) = crowd(misleading);
            let mut cx = Context::new(0, 1);
            let pooled = PooledDawidSkene::default().fit(&data, &mut cx).unwrap();
            let Truth::Classes { posterior, .. } = pooled.truth else { panic!("classes wanted") };
            let pooled = right(&posterior, &truth);
            let own = right(&solve(&data, None, Holds::default(), &mut cx).unwrap().mu, &truth);
            let fit = fit_integrated(&data, None, 500, &mut cx).unwrap();
            if misleading {
                assert!(own > pooled + 0.05, "{own} {pooled}");
                assert!((right(&fit.unwrap().posterior, &truth) - own).abs() < 1e-12);
            } else {
                assert!(own > pooled - 0.02, "{own} {pooled}");
                assert!(fit.err().unwrap().contains("hardly lean"));
            }
        }
    }
}
