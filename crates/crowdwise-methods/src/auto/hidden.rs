//! Which of two answers predicts labels better that were hidden from both: of an annotator's whole sequences.
//!
//! Answers are compared, not probabilities: a model that takes neighbouring tokens for independent witnesses is too sure, and
//! its answers may be the better ones all the same. And a label is predicted from the annotator's own label before as well as from the answer,
//! so that a run of twenty equal tags counts where it begins and ends, not twenty times.

use crate::sequences::Tokens;
use crowdwise_core::{Context, Dataset, Error};

/// One annotator's labels of one sequence are hidden together, in one of so many parts: few enough are missing in each that
/// a model still sees nearly what it would see.
const PARTS: u64 = 10;
/// Parts that are tried: each costs a fit of either model.
const TRIED: u64 = 3;
/// Labels' worth of all annotators together in what is known of one. Which is right depends on how far annotators differ and on
/// how much each labelled, so either answer gets the best for it; without end means an annotator of whom nothing is known.
const POOLED: [f64; 4] = [4.0, 20.0, 100.0, f64::INFINITY];
/// Numbers of all annotators' habits at most; above, annotators are not told apart.
const MOST: usize = 20_000_000;

/// What predicting the hidden labels cost, in nats per label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    pub tokens: f64,
    pub sequence: f64,
    /// Standard error of their difference, over sequences.
    pub error: f64,
    pub labels: u64,
}

/// A way to get answers from labels: a class for every token.
type Answers = fn(&Dataset, &mut Context<'_>) -> Result<Vec<u32>, Error>;

/// Hides, fits and predicts, with answers token by token and of a sequence model; `before` are the annotators' own labels of
/// the token before. `None` if there is nothing to hide, or if there are too many classes for it.
pub(super) fn compare(
    t: &Tokens<'_>,
    before: &[u16],
    cx: &mut Context<'_>,
    answers: [Answers; 2],
) -> Result<Option<Verdict>, Error> {
    let k = t.k();
    if k.pow(2).saturating_mul(k + 1) > MOST {
        return Ok(None);
    }
    let part = parts(t);
    let n_sequences = t.sequences.starts.len() - 1;
    let mut loss = [vec![[0.0; POOLED.len()]; n_sequences], vec![[0.0; POOLED.len()]; n_sequences]];
    let mut labels = 0;
    for p in 0..TRIED {
        let train = t.data.without_rows(|r| part[r] == p);
        if train.table.n_labels() == t.data.table.n_labels() || train.table.n_labels() == 0 {
            continue;
        }
        let hidden = Hidden { t, part: &part, before, p, seen: &train };
        for (own, answers) in loss.iter_mut().zip(answers) {
            let answer = answers(&train, cx)?;
            labels += hidden.add(&answer, own);
        }
        if cx.cancelled() {
            return Ok(None);
        }
    }
    labels /= 2; // both answers were asked
    if labels == 0 {
        return Ok(None);
    }
    let n = labels as f64;
    let best = |of: &[[f64; POOLED.len()]]| {
        let total = |g: usize| of.iter().map(|s| s[g]).sum::<f64>();
        (0..POOLED.len()).min_by(|&a, &b| total(a).total_cmp(&total(b))).map_or((0, 0.0), |g| (g, total(g) / n))
    };
    let ((a, tokens), (b, sequence)) = (best(&loss[0]), best(&loss[1]));
    let squares: f64 = loss[0].iter().zip(&loss[1]).map(|(x, y)| (y[b] - x[a]).powi(2)).sum();
    Ok(Some(Verdict { tokens, sequence, error: squares.sqrt() / n, labels }))
}

/// The part in which each row is hidden. It follows from the names of sequence and annotator, so that the order of the rows of a
/// file does not matter; nor does the seed: the choice is no matter of chance.
fn parts(t: &Tokens<'_>) -> Vec<u64> {
    let table = &t.data.table;
    let names: Vec<u64> = (0..table.n_annotators()).map(|j| fnv(0, table.annotators().name(j).as_bytes())).collect();
    let mut out = vec![PARTS; table.n_labels()];
    for w in t.sequences.starts.windows(2).filter(|w| w[0] < w[1]) {
        let sequence = fnv(0, table.unit_name(w[0]).as_bytes());
        for r in (w[0]..w[1]).flat_map(|u| table.rows(u)) {
            let both = fnv(sequence, &names[table.annotator()[r] as usize].to_le_bytes());
            // the upper bits are mixed best
            out[r] = (both >> 32) % PARTS;
        }
    }
    out
}

/// A hash that is the same on every machine and in every version (FNV-1a).
fn fnv(seed: u64, bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = bytes.iter().fold(start, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// One part of the labels, hidden.
struct Hidden<'a> {
    t: &'a Tokens<'a>,
    part: &'a [u64],
    before: &'a [u16],
    p: u64,
    seen: &'a Dataset,
}

impl Hidden<'_> {
    /// Adds to every sequence what its hidden labels cost under `answer`; the number of labels. Tokens of which nobody's label is
    /// left are not asked.
    fn add(&self, answer: &[u32], loss: &mut [[f64; POOLED.len()]]) -> u64 {
        let (table, k) = (&self.t.data.table, self.t.k());
        let codes = table.categorical().expect("categorical labels").codes;
        let size = (k + 1) * k * k;
        let at = |u: usize, r: usize| (self.before[r] as usize * k + answer[u] as usize) * k + codes.get(r);
        let single = table.n_annotators().saturating_mul(size) > MOST;
        let mut all = vec![1.0 / k as f64; size];
        let mut own = vec![0.0; if single { 0 } else { table.n_annotators() * size }];
        for u in 0..table.n_units() {
            for r in table.rows(u).filter(|&r| self.part[r] != self.p) {
                all[at(u, r)] += 1.0;
                if !single {
                    own[table.annotator()[r] as usize * size + at(u, r)] += 1.0;
                }
            }
        }
        for row in all.chunks_exact_mut(k) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x /= sum);
        }
        let mut labels = 0;
        for (w, loss) in self.t.sequences.starts.windows(2).zip(loss) {
            for u in (w[0]..w[1]).filter(|&u| self.seen.table.degree(u) > 0) {
                for r in table.rows(u).filter(|&r| self.part[r] == self.p) {
                    let cell = at(u, r);
                    let base = table.annotator()[r] as usize * size;
                    for (x, s) in loss.iter_mut().zip(POOLED) {
                        *x -= if single || s.is_infinite() {
                            all[cell].ln()
                        } else {
                            let row = &own[base + cell / k * k..][..k];
                            ((row[cell % k] + s * all[cell]) / (row.iter().sum::<f64>() + s)).ln()
                        };
                    }
                    labels += 1;
                }
            }
        }
        labels
    }
}
