//! The message passing of Karger, Oh and Shah for any number of classes, in one pass over the labels per exchange.
//!
//! A label l stands for the vector u_l = e_l - c (two classes and c = 1/2: half of ±1). Items send x_e = Σ_{e' ≠ e} y_e' u_l',
//! annotators send y_e = Σ_{e' ≠ e} <u_l', x_e'>. Only t_e = <u_l, x_e> is ever needed, so that one number per label and one
//! per annotator (T_j, the sum of its t) hold the whole state: y_e = T_j - t_e.

use crate::runs::{runs, split_labels, split_runs};
use crowdwise_core::{Context, Error, Table};
use crowdwise_numerics::add_into;
use rand_distr::{Distribution, Normal};
use rayon::prelude::*;
use std::ops::Range;

/// One problem: labels as codes of `k` classes.
pub(super) struct Problem<'a> {
    pub table: &'a Table,
    pub code: &'a (dyn Fn(usize) -> usize + Sync),
    pub k: usize,
    /// What is taken off every class.
    pub centre: &'a [f64],
    /// Known classes, in the codes of this problem.
    pub known: &'a (dyn Fn(usize) -> Option<usize> + Sync),
    /// Divide by the number of other labels on either side.
    pub by_degree: bool,
}

/// The messages of a problem.
pub(super) struct Messages<'a> {
    problem: Problem<'a>,
    runs: Vec<Range<usize>>,
    n: Vec<u64>,
    /// The class of each label, looked up once.
    codes: Vec<u16>,
    /// What T_j - t_e is multiplied by: 1, or 1 / (n_j - 1).
    share: Vec<f64>,
    any_known: bool,
    /// t_e in table order.
    t: Vec<f64>,
    /// Room for the next t_e.
    next: Vec<f64>,
    /// T_j.
    total: Vec<f64>,
    /// What items of known truth add to T_j in every exchange.
    gold: Vec<f64>,
    /// First messages y_e, used up by the first exchange.
    first: Option<Vec<f64>>,
}

/// What all labels say of the items.
pub(super) struct Verdict {
    /// Σ y_e by class, centred; units x K.
    pub score: Vec<f64>,
    /// Σ |y_e| by unit.
    pub size: Vec<f64>,
    /// Σ |y_e| over the labels with a negative y_e, by unit.
    pub against: Vec<f64>,
    /// T_j / n_j.
    pub quality: Vec<f64>,
}

impl<'a> Messages<'a> {
    /// First messages are 1, or drawn from N(1, 1) with the stream `index`.
    pub fn new(problem: Problem<'a>, random: bool, index: u64, cx: &Context<'_>) -> Messages<'a> {
        let table = problem.table;
        let mut t = vec![0.0; table.n_labels()];
        let mut gold = vec![0.0; table.n_annotators()];
        for u in 0..table.n_units() {
            if let Some(c) = (problem.known)(u) {
                for r in table.rows(u) {
                    // as large as a typical message
                    t[r] = if (problem.code)(r) == c { 1.0 } else { -1.0 / (problem.k - 1) as f64 };
                    gold[table.annotator()[r] as usize] += t[r];
                }
            }
        }
        let n = table.labels_per_annotator();
        let share = |&n: &u64| if problem.by_degree { 1.0 / (n as f64 - 1.0).max(1.0) } else { 1.0 };
        let mut rng = cx.rng("kos", index);
        let unit = Normal::new(1.0, 1.0).expect("the deviation is positive");
        let mut draw = || if random { unit.sample(&mut rng) } else { 1.0 };
        Messages {
            runs: runs(table.offsets(), table.n_annotators()),
            codes: (0..table.n_labels()).map(|r| (problem.code)(r) as u16).collect(),
            share: n.iter().map(share).collect(),
            any_known: (0..table.n_units()).any(|u| (problem.known)(u).is_some()),
            n,
            total: vec![0.0; table.n_annotators()],
            first: Some((0..table.n_labels()).map(|_| draw()).collect()),
            next: vec![0.0; t.len()],
            problem,
            t,
            gold,
        }
    }

    /// What the annotator of row `r` tells its item.
    #[inline]
    fn said(&self, r: usize) -> f64 {
        if let Some(first) = &self.first {
            return first[r];
        }
        let j = self.problem.table.annotator()[r] as usize;
        (self.total[j] - self.t[r]) * self.share[j]
    }

    /// One exchange; returns how far the messages moved, relative to their size.
    pub fn exchange(&mut self, cx: &mut Context<'_>) -> Result<f64, Error> {
        let mut next = std::mem::take(&mut self.next);
        let parts: Vec<(Vec<f64>, f64, u64)> = cx.install(|| {
            let t = split_labels(&mut next, &self.runs, self.problem.table.offsets(), 1);
            (&self.runs, t).into_par_iter().map(|(run, t)| self.run(run.clone(), t)).collect()
        })?;
        let (mut total, mut square, mut count) = (vec![0.0; self.total.len()], 0.0, 0);
        for (part, s, n) in &parts {
            add_into(&mut total, part);
            square += s;
            count += n;
        }
        let size = (square / count.max(1) as f64).sqrt();
        let scale = if size > 0.0 { 1.0 / size } else { 1.0 };
        total.iter_mut().zip(&self.gold).for_each(|(x, g)| *x = *x * scale + g);
        let mut moved = 0.0;
        let mut take = |old: &mut [f64], new: &[f64]| {
            for (old, new) in old.iter_mut().zip(new) {
                let new = new * scale;
                moved += (new - *old) * (new - *old);
                *old = new;
            }
        };
        if self.any_known {
            for u in 0..self.problem.table.n_units() {
                if (self.problem.known)(u).is_none() {
                    let rows = self.problem.table.rows(u);
                    take(&mut self.t[rows.clone()], &next[rows]);
                }
            }
        } else {
            take(&mut self.t, &next);
        }
        self.next = next;
        self.total = total;
        self.first = None;
        Ok((moved / count.max(1) as f64).sqrt())
    }

    /// New t of the units of a run, with sums by annotator, sum of squares and count; known units keep theirs.
    fn run(&self, run: Range<usize>, t: &mut [f64]) -> (Vec<f64>, f64, u64) {
        let p = &self.problem;
        let mut total = vec![0.0; self.total.len()];
        let (mut square, mut count) = (0.0, 0);
        let (mut votes, mut base) = (vec![0.0; p.k], vec![0.0; p.k]);
        let c2: f64 = p.centre.iter().map(|c| c * c).sum();
        let own: Vec<f64> = p.centre.iter().map(|c| 1.0 - 2.0 * c + c2).collect();
        let first = p.table.rows(run.start).start;
        for u in run {
            let rows = p.table.rows(u);
            if rows.is_empty() || (self.any_known && (p.known)(u).is_some()) {
                continue;
            }
            let (t, codes) = (&mut t[rows.start - first..rows.end - first], &self.codes[rows.clone()]);
            let who = &p.table.annotator()[rows.clone()];
            if let Some(first) = &self.first {
                t.copy_from_slice(&first[rows.clone()]);
            } else {
                for ((y, &j), t) in t.iter_mut().zip(who).zip(&self.t[rows.clone()]) {
                    *y = (self.total[j as usize] - t) * self.share[j as usize];
                }
            }
            let scale = if p.by_degree { 1.0 / (rows.len() - 1).max(1) as f64 } else { 1.0 };
            count += rows.len() as u64;
            if p.k == 2 {
                square += two(t, codes, who, [p.centre[0], p.centre[1]], scale, &mut total);
                continue;
            }
            votes.fill(0.0);
            t.iter().zip(codes).for_each(|(y, &l)| votes[l as usize] += y);
            let all: f64 = votes.iter().sum();
            let shift: f64 = votes.iter().zip(p.centre).map(|(v, c)| v * c).sum::<f64>() - c2 * all;
            for ((b, v), c) in base.iter_mut().zip(&votes).zip(p.centre) {
                *b = v - c * all - shift;
            }
            let mut here = 0.0;
            for ((x, &l), &j) in t.iter_mut().zip(codes).zip(who) {
                *x = (base[l as usize] - *x * own[l as usize]) * scale;
                total[j as usize] += *x;
                here += *x * *x;
            }
            square += here;
        }
        (total, square, count)
    }

    /// The sums over all messages.
    pub fn verdict(&self, cx: &mut Context<'_>) -> Result<Verdict, Error> {
        let (p, n) = (&self.problem, self.problem.table.n_units());
        let mut out = Verdict {
            score: vec![0.0; n * p.k],
            size: vec![0.0; n],
            against: vec![0.0; n],
            quality: self.total.iter().zip(&self.n).map(|(t, &n)| t / n.max(1) as f64).collect(),
        };
        cx.install(|| {
            let score = split_runs(&mut out.score, &self.runs, p.k);
            let (size, against) =
                (split_runs(&mut out.size, &self.runs, 1), split_runs(&mut out.against, &self.runs, 1));
            (&self.runs, score, size, against).into_par_iter().for_each(|(run, score, size, against)| {
                for (i, u) in run.clone().enumerate() {
                    let row = &mut score[i * p.k..(i + 1) * p.k];
                    for r in p.table.rows(u) {
                        let y = self.said(r);
                        row[self.codes[r] as usize] += y;
                        size[i] += y.abs();
                        against[i] += (-y).max(0.0);
                    }
                    let all: f64 = row.iter().sum();
                    row.iter_mut().zip(p.centre).for_each(|(s, c)| *s -= c * all);
                }
            });
        })?;
        Ok(out)
    }
}

/// One item of two classes: turns the messages `t` from annotators into those to them, adds these up by annotator and
/// returns the sum of their squares. Labels are numbers here, so that no branch depends on them.
#[inline]
fn two(t: &mut [f64], codes: &[u16], who: &[u32], centre: [f64; 2], scale: f64, total: &mut [f64]) -> f64 {
    let (mut all, mut yes) = (0.0, 0.0);
    for (y, &l) in t.iter().zip(codes) {
        all += y;
        yes += y * f64::from(l);
    }
    let c2 = centre[0] * centre[0] + centre[1] * centre[1];
    let no = all - yes;
    let shift = no * centre[0] + yes * centre[1] - c2 * all;
    let (base, other) = (no - centre[0] * all - shift, yes - centre[1] * all - shift);
    let (own, others) = (1.0 - 2.0 * centre[0] + c2, 1.0 - 2.0 * centre[1] + c2);
    let (step, own_step) = (other - base, others - own);
    let mut square = 0.0;
    for ((x, &l), &j) in t.iter_mut().zip(codes).zip(who) {
        let l = f64::from(l);
        *x = (base + step * l - *x * (own + own_step * l)) * scale;
        total[j as usize] += *x;
        square += *x * *x;
    }
    square
}

impl Verdict {
    /// Turns every message round.
    pub fn flip(&mut self) {
        self.score.iter_mut().for_each(|s| *s = -*s);
        self.quality.iter_mut().for_each(|q| *q = -*q);
        self.against.iter_mut().zip(&self.size).for_each(|(a, s)| *a = s - *a);
    }
}
