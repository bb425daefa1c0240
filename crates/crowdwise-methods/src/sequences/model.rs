//! What the methods for sequences share: the E-step over all sequences, the start, and the decoding.

use super::cells::Cells;
use super::hmm::{Counts, Weights, forward_backward, viterbi};
use super::sequence::{Sequences, Steps};
use crate::classes::confusion::DawidSkene;
use crowdwise_core::{Annotators, Context, Dataset, Error, Method, stats};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How one sequence of classes is made of the probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decode {
    /// The most probable sequence as a whole.
    Viterbi,
    /// The sequence with the most tokens expected to be right: where all sequences are possible, the most probable class of
    /// every token.
    Posterior,
}

/// The data as every method for sequences sees it.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    pub data: &'a Dataset,
    pub sequences: Sequences,
    pub steps: Steps,
    pub gold: Option<Vec<Option<u32>>>,
}

/// Weight of an impossible step when a path is looked for: worse than anything that labels say, but gold stays gold.
const FORBIDDEN: f64 = -1e9;

impl<'a> Tokens<'a> {
    pub fn of(data: &'a Dataset, method: &str) -> Result<Tokens<'a>, Error> {
        let sequences = Sequences::of(data, method);
        let steps = Steps::of(data);
        match (sequences, steps) {
            (Ok(sequences), Ok(steps)) => Ok(Tokens { data, sequences, steps, gold: data.gold_classes() }),
            (a, b) => Err(Error::all([a.err(), b.err()].into_iter().flatten().collect()).unwrap_err()),
        }
    }

    pub fn k(&self) -> usize {
        self.steps.k()
    }

    /// Log-emissions of the tokens `units`: the sum over their labels of the log-probabilities of the cells.
    pub fn emissions(&self, cells: &Cells, log: &[f64], temper: f64, units: std::ops::Range<usize>, rows: &mut [f64]) {
        let k = self.k();
        for (row, u) in rows.chunks_exact_mut(k).zip(units) {
            row.fill(0.0);
            for r in self.data.table.rows(u) {
                let c = cells.of_row[r] as usize;
                row.iter_mut().zip(&log[c * k..(c + 1) * k]).for_each(|(x, l)| *x += l);
            }
            row.iter_mut().for_each(|x| *x *= temper);
            if let Some(z) = self.gold.as_ref().and_then(|g| g[u]) {
                row.fill(f64::NEG_INFINITY);
                row[z as usize] = 0.0;
            }
        }
    }

    /// One E-step: the probabilities of all tokens into `gamma`, and the expected steps.
    pub fn expect(&self, cells: &Cells, log: &[f64], temper: f64, weights: &Weights, gamma: &mut [f64]) -> Counts {
        let k = self.k();
        let parts: Vec<Counts> = self
            .blocks(gamma)
            .into_par_iter()
            .map(|(b, rows)| {
                let (mut counts, mut scratch) = (Counts::new(k), Vec::new());
                let units = self.sequences.units(b);
                self.emissions(cells, log, temper, units.clone(), rows);
                for tokens in self.sequences.of_block(b) {
                    let own = &mut rows[(tokens.start - units.start) * k..(tokens.end - units.start) * k];
                    forward_backward(weights, own, &mut counts, &mut scratch);
                }
                counts
            })
            .collect();
        let mut sum = Counts::new(k);
        parts.iter().for_each(|p| sum.add(p));
        sum
    }

    /// The rows of each block.
    fn blocks<'r>(&self, rows: &'r mut [f64]) -> Vec<(usize, &'r mut [f64])> {
        let mut rest = rows;
        (0..self.sequences.n_blocks())
            .map(|b| {
                let (own, after) = std::mem::take(&mut rest).split_at_mut(self.sequences.units(b).len() * self.k());
                rest = after;
                (b, own)
            })
            .collect()
    }

    /// Vote shares, gold where it is known.
    pub fn vote_shares(&self) -> Vec<f64> {
        let labels = self.data.table.categorical().expect("categorical labels");
        let k = self.k();
        let mut q = vec![0.0; self.data.table.n_units() * k];
        for (u, row) in q.chunks_exact_mut(k).enumerate() {
            match self.gold.as_ref().and_then(|g| g[u]) {
                Some(z) => row[z as usize] = 1.0,
                None => labels.vote_shares(u, row),
            }
        }
        q
    }

    /// Probabilities and annotators of Dawid-Skene, which knows nothing of the order.
    pub fn dawid_skene(&self, alpha: f64, cx: &mut Context<'_>) -> Result<(Vec<f64>, Annotators), Error> {
        let out = Method::fit(
            &DawidSkene { alpha, max_iter: 30, accelerate: false, ..DawidSkene::default() },
            self.data,
            cx,
        )?;
        match out.truth {
            crowdwise_core::Truth::Classes { posterior, .. } => Ok((posterior, out.annotators)),
            _ => unreachable!("dawid-skene gives classes"),
        }
    }

    /// Steps as if tokens were independent, from pairs of tokens of which both are labelled or known.
    pub fn independent_steps(&self, q: &[f64]) -> Counts {
        let k = self.k();
        let says = |u: usize| self.data.table.degree(u) > 0 || self.gold.as_ref().is_some_and(|g| g[u].is_some());
        let mut counts = Counts::new(k);
        for w in self.sequences.starts.windows(2) {
            if says(w[0]) {
                counts.start.iter_mut().zip(&q[w[0] * k..]).for_each(|(c, p)| *c += p);
            }
            for u in w[0] + 1..w[1] {
                if says(u - 1) && says(u) {
                    for i in 0..k {
                        let p = q[(u - 1) * k + i];
                        counts.step[i * k..(i + 1) * k].iter_mut().zip(&q[u * k..]).for_each(|(c, x)| *c += p * x);
                    }
                }
            }
        }
        counts
    }

    /// The sequence of classes that `decode` asks for, over all tokens; `strict` leaves out impossible ones. `start` and `step`
    /// are log-weights.
    pub fn path(
        &self,
        strict: bool,
        emissions: impl Fn(std::ops::Range<usize>, &mut [f64]) + Sync,
        (start, step): (&[f64], &[f64]),
        decode: Decode,
        gamma: &[f64],
    ) -> Vec<u32> {
        let k = self.k();
        let fine = |before, next| !strict || self.steps.allows(before, next);
        let allowed = |before, next, x: f64| if fine(before, next) { x.max(FORBIDDEN) } else { FORBIDDEN };
        let weigh = |x: f64| if decode == Decode::Viterbi { x } else { 0.0 };
        let start: Vec<f64> = (0..k).map(|j| allowed(None, j, weigh(start[j]))).collect();
        let step: Vec<f64> = (0..k * k).map(|c| allowed(Some(c / k), c % k, weigh(step[c]))).collect();
        let mut path = vec![0u32; self.data.table.n_units()];
        let mut rest = path.as_mut_slice();
        let blocks: Vec<(usize, &mut [u32])> = (0..self.sequences.n_blocks())
            .map(|b| {
                let (own, after) = std::mem::take(&mut rest).split_at_mut(self.sequences.units(b).len());
                rest = after;
                (b, own)
            })
            .collect();
        blocks.into_par_iter().for_each(|(b, own)| {
            let first = self.sequences.units(b).start;
            let mut rows = Vec::new();
            for tokens in self.sequences.of_block(b) {
                rows.clear();
                match decode {
                    Decode::Viterbi => {
                        rows.resize(tokens.len() * k, 0.0);
                        emissions(tokens.clone(), &mut rows);
                    }
                    Decode::Posterior => {
                        rows.extend_from_slice(&gamma[tokens.start * k..tokens.end * k]);
                        if let Some(gold) = &self.gold {
                            for (row, u) in rows.chunks_exact_mut(k).zip(tokens.clone()) {
                                if let Some(z) = gold[u] {
                                    row.fill(f64::NEG_INFINITY);
                                    row[z as usize] = 0.0;
                                }
                            }
                        }
                    }
                }
                viterbi(&start, &step, &rows, &mut own[tokens.start - first..tokens.end - first]);
            }
        });
        path
    }
}

/// Makes a path possible: a token that continues nothing begins a span, and what was believed of the one is believed of the
/// other. Gold stays. The number of such tokens.
pub(crate) fn repair(t: &Tokens<'_>, gamma: &mut [f64], path: &mut [u32]) -> usize {
    let k = t.k();
    let mut repaired = 0;
    for w in t.sequences.starts.windows(2) {
        let mut before = None;
        for u in w[0]..w[1] {
            let class = path[u] as usize;
            let gold = t.gold.as_ref().is_some_and(|g| g[u].is_some());
            if !gold
                && !t.steps.allows(before, class)
                && let Some(begin) = t.steps.begin_of(class)
            {
                let row = &mut gamma[u * k..(u + 1) * k];
                row[begin] += row[class];
                row[class] = 0.0;
                path[u] = begin as u32;
                repaired += 1;
            }
            before = Some(path[u] as usize);
        }
    }
    repaired
}

/// Rows whose most probable class is the one of the path, and how many had another one.
///
/// Where the best sequence and the best class of a token differ, the class of the sequence and those above it get the same
/// probability, and the former one millionth more: the sequence is what is answered, and nobody is told that it is sure.
pub(crate) fn answer(k: usize, gamma: &[f64], path: &[u32]) -> (Vec<f64>, usize) {
    const NUDGE: f64 = 1e-6;
    let mut out = gamma.to_vec();
    let mut moved = 0;
    let mut order: Vec<usize> = Vec::new();
    for (row, &class) in out.chunks_exact_mut(k).zip(path) {
        let class = class as usize;
        if stats::argmax(row) == class && (k == 1 || stats::n_tied(row) == 1) {
            continue;
        }
        moved += 1;
        order.clear();
        order.extend((0..k).filter(|c| *c != class));
        order.sort_by(|a, b| row[*b].total_cmp(&row[*a]));
        // the level at which the classes above it and that of the path meet
        let (mut level, mut n) = (row[class], 1.0);
        let mut above = 0;
        while above < order.len() && row[order[above]] >= level {
            level = (level * n + row[order[above]]) / (n + 1.0);
            n += 1.0;
            above += 1;
        }
        let share = NUDGE / n;
        order[..above].iter().for_each(|c| row[*c] = level - share);
        row[class] = level + share * above as f64;
    }
    (out, moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_the_path_and_rows_still_sum_to_one() {
        let gamma = [0.4, 0.35, 0.25, 0.1, 0.2, 0.7, 0.5, 0.5, 0.0, 0.0, 0.0, 1.0];
        let (out, moved) = answer(3, &gamma, &[2, 2, 1, 0]);
        assert_eq!(moved, 3);
        for (row, class) in out.chunks_exact(3).zip([2, 2, 1, 0]) {
            assert_eq!(stats::argmax(row), class, "{row:?}");
            assert_eq!(stats::n_tied(row), 1);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|p| *p >= 0.0));
        }
        assert_eq!(out[3..6], gamma[3..6]);
        assert!((out[2] - 1.0 / 3.0).abs() < 1e-5 && (out[9] - 0.5).abs() < 1e-5);
    }
}
