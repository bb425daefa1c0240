//! One Markov chain of IBCC.

use super::Ibcc;
use crowdwise_core::stats::{ln_gamma, softmax};
use crowdwise_core::{Categorical, Dataset};
use crowdwise_numerics::best_assignment;
use crowdwise_numerics::fast::LnProduct;
use crowdwise_numerics::mcmc::dirichlet;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The labels and priors, the same for all chains.
pub(super) struct Labels<'a> {
    pub table: Categorical<'a>,
    pub k: usize,
    pub m: usize,
    /// The known class of units, if there are any.
    pub gold: Option<Vec<Option<u32>>>,
    /// Labels per annotator.
    pub n: Vec<f64>,
    /// Where the row of every label (annotator x label) begins in tables of annotators x labels x truths.
    rows: Vec<u32>,
    alpha: f64,
    diagonal: f64,
    off: f64,
    /// Logarithm of the normalising constants of all priors.
    ln_constant: f64,
}

impl<'a> Labels<'a> {
    /// Their tables must have been checked to fit: see [`crate::classes::confusion::shared::check_entries`].
    pub fn new(p: &Ibcc, data: &'a Dataset) -> Option<Self> {
        let table = data.table.categorical()?;
        let (k, m) = (table.k(), data.table.n_annotators());
        let rows = data.table.annotator().iter().enumerate();
        let rows = rows.map(|(r, &j)| ((j as usize * k + table.codes.get(r)) * k) as u32).collect();
        let kf = k as f64;
        let of_shares = ln_gamma(kf * p.alpha) - kf * ln_gamma(p.alpha);
        let of_row = ln_gamma(p.beta_diagonal + (kf - 1.0) * p.beta_off)
            - ln_gamma(p.beta_diagonal)
            - (kf - 1.0) * ln_gamma(p.beta_off);
        Some(Labels {
            table,
            k,
            m,
            gold: data.gold_classes().filter(|g| g.iter().any(Option::is_some)),
            n: data.table.labels_per_annotator().iter().map(|&n| n as f64).collect(),
            rows,
            alpha: p.alpha,
            diagonal: p.beta_diagonal,
            off: p.beta_off,
            ln_constant: of_shares + (m * k) as f64 * of_row,
        })
    }

    pub fn known(&self, u: usize) -> Option<u32> {
        self.gold.as_ref().and_then(|g| g[u])
    }
}

/// Which draws a chain remembers.
#[derive(Clone, Default)]
pub(super) struct Watch {
    /// Units and classes whose probability is followed.
    pub cells: Vec<(usize, usize)>,
    /// Keep the annotators' accuracies of every `thin`-th sweep; 0 = of none.
    pub thin: usize,
}

pub(super) struct Chain {
    rng: ChaCha8Rng,
    /// The drawn truth of every unit.
    truth: Vec<u16>,
    /// Labels l said by annotator j on units drawn as class t (j, l, t), and units of every drawn class.
    counts: Vec<u32>,
    classes: Vec<f64>,
    /// P(says l | truth k), by annotator, label, truth: a label's row is contiguous.
    said: Vec<f64>,
    shares: Vec<f64>,
    /// Sums over the sweeps since the last [`Chain::forget`].
    pub sums: Sums,
    pub watch: Watch,
    /// Mean accuracy (weighted by labels) of every sweep since then.
    pub mean_accuracy: Vec<f64>,
    /// Probabilities of the watched cells, cell by cell.
    pub cells: Vec<Vec<f64>>,
    /// Accuracies of all annotators, draw by draw.
    pub accuracies: Vec<f32>,
    /// Class shares of the same sweeps.
    pub share_draws: Vec<f32>,
    pub relabelled: usize,
    /// Log joint density of labels, confusion matrices and class shares in the last sweep, the truth summed out.
    pub log_joint: f64,
    /// Share of units whose class changed in the last sweep.
    pub moved: f64,
}

#[derive(Clone)]
pub(super) struct Sums {
    pub sweeps: usize,
    /// Conditional probabilities, units x K.
    pub posterior: Vec<f64>,
    /// Confusion matrices, row = truth, and their squares.
    pub confusion: Vec<f64>,
    pub squares: Vec<f64>,
    pub shares: Vec<f64>,
}

impl Chain {
    /// Starts at the majority class, ties at random, or at classes drawn from given posteriors (units x K); a unit that
    /// nobody labelled has no part in the chain.
    pub fn new(labels: &Labels<'_>, first: Option<&[f64]>, mut rng: ChaCha8Rng) -> Self {
        let (k, m) = (labels.k, labels.m);
        let table = labels.table.table;
        let units = table.n_units();
        let mut votes = vec![0.0; k];
        let mut truth = vec![0u16; units];
        for u in 0..units {
            if let Some(t) = labels.known(u) {
                truth[u] = t as u16;
                continue;
            }
            if let Some(q) = first {
                let mut left: f64 = rng.random();
                let drawn = q[u * k..(u + 1) * k].iter().position(|p| {
                    left -= p;
                    left < 0.0
                });
                truth[u] = drawn.unwrap_or(k - 1) as u16;
                continue;
            }
            votes.fill(0.0);
            labels.table.votes(u, &mut votes);
            let most = votes.iter().copied().fold(0.0, f64::max);
            let tied = votes.iter().filter(|&&v| v == most).count();
            let mut skip = if tied > 1 { rng.random_range(0..tied) } else { 0 };
            for (c, &v) in votes.iter().enumerate() {
                if v == most {
                    if skip == 0 {
                        truth[u] = c as u16;
                        break;
                    }
                    skip -= 1;
                }
            }
        }
        let mut counts = vec![0; m * k * k];
        let mut classes = vec![0.0; k];
        for (u, &t) in truth.iter().enumerate() {
            let rows = table.rows(u);
            if !rows.is_empty() || labels.known(u).is_some() {
                classes[t as usize] += 1.0;
                labels.rows[rows].iter().for_each(|&at| counts[at as usize + t as usize] += 1);
            }
        }
        Chain {
            rng,
            truth,
            counts,
            classes,
            said: vec![0.0; m * k * k],
            shares: vec![0.0; k],
            sums: Sums {
                sweeps: 0,
                posterior: vec![0.0; units * k],
                confusion: vec![0.0; m * k * k],
                squares: vec![0.0; m * k * k],
                shares: vec![0.0; k],
            },
            watch: Watch::default(),
            mean_accuracy: Vec::new(),
            cells: Vec::new(),
            accuracies: Vec::new(),
            share_draws: Vec::new(),
            relabelled: 0,
            log_joint: 0.0,
            moved: 0.0,
        }
    }

    /// Drops what burn-in summed up, and watches these cells from now on.
    pub fn forget(&mut self, watch: Watch) {
        self.sums.sweeps = 0;
        self.sums.posterior.fill(0.0);
        self.sums.confusion.fill(0.0);
        self.sums.squares.fill(0.0);
        self.sums.shares.fill(0.0);
        self.mean_accuracy.clear();
        self.accuracies.clear();
        self.share_draws.clear();
        self.cells = vec![Vec::new(); watch.cells.len()];
        self.watch = watch;
    }

    /// Confusion matrices, class shares and truth, each given the others.
    pub fn sweep(&mut self, labels: &Labels<'_>) {
        self.draw_annotators(labels);
        let shapes: Vec<f64> = self.classes.iter().map(|c| c + labels.alpha).collect();
        dirichlet(&mut self.rng, &shapes, &mut self.shares);
        if labels.gold.is_none() {
            self.keep_names(labels);
        }
        self.sums.sweeps += 1;
        let prior = self.record(labels);
        let at = |c: &Self, (u, class): (usize, usize)| c.sums.posterior[u * labels.k + class];
        let before: Vec<f64> = self.watch.cells.iter().map(|&cell| at(self, cell)).collect();
        self.log_joint = self.draw_truth(labels) + prior + labels.ln_constant;
        for (w, before) in before.into_iter().enumerate() {
            let now = at(self, self.watch.cells[w]);
            self.cells[w].push(now - before);
        }
    }

    fn draw_annotators(&mut self, labels: &Labels<'_>) {
        let k = labels.k;
        let (mut shapes, mut row) = (vec![0.0; k], vec![0.0; k]);
        for j in 0..labels.m {
            for t in 0..k {
                for l in 0..k {
                    let count = self.counts[(j * k + l) * k + t];
                    shapes[l] = count as f64 + if l == t { labels.diagonal } else { labels.off };
                }
                dirichlet(&mut self.rng, &shapes, &mut row);
                for l in 0..k {
                    self.said[(j * k + l) * k + t] = row[l];
                }
            }
        }
    }

    /// If this sweep's classes no longer match their names (annotators on average worse than chance), renames them so
    /// that as many labels as possible agree with their own class.
    fn keep_names(&mut self, labels: &Labels<'_>) {
        let k = labels.k;
        let total: f64 = labels.n.iter().sum();
        let mut agree = 0.0;
        for j in 0..labels.m {
            agree += labels.n[j] / total * (0..k).map(|t| self.said[(j * k + t) * k + t]).sum::<f64>();
        }
        if agree >= 1.0 || k == 1 {
            return;
        }
        let mut score = vec![0.0; k * k];
        for j in 0..labels.m {
            for l in 0..k {
                for t in 0..k {
                    score[t * k + l] += labels.n[j] * self.said[(j * k + l) * k + t];
                }
            }
        }
        let to = best_assignment(&score, k);
        if to.iter().enumerate().all(|(t, &n)| t == n) {
            return;
        }
        self.relabelled += 1;
        let mut row = vec![0.0; k];
        for said in self.said.chunks_exact_mut(k).chain(std::iter::once(&mut self.shares[..])) {
            (0..k).for_each(|t| row[to[t]] = said[t]);
            said.copy_from_slice(&row);
        }
    }

    /// Adds this sweep's parameters to the sums; returns the log density of the priors without constants.
    fn record(&mut self, labels: &Labels<'_>) -> f64 {
        let k = labels.k;
        let total: f64 = labels.n.iter().sum();
        let keep = self.watch.thin > 0 && (self.sums.sweeps - 1).is_multiple_of(self.watch.thin);
        let (mut ln, mut overall) = (0.0, 0.0);
        for j in 0..labels.m {
            let mut accuracy = 0.0;
            for l in 0..k {
                for t in 0..k {
                    let p = self.said[(j * k + l) * k + t];
                    self.sums.confusion[(j * k + t) * k + l] += p;
                    self.sums.squares[(j * k + t) * k + l] += p * p;
                    let weight = if l == t { labels.diagonal } else { labels.off } - 1.0;
                    if weight != 0.0 {
                        ln += weight * p.ln();
                    }
                    if l == t {
                        accuracy += self.shares[t] * p;
                    }
                }
            }
            overall += labels.n[j] / total * accuracy;
            if keep {
                self.accuracies.push(accuracy as f32);
            }
        }
        for (s, &p) in self.sums.shares.iter_mut().zip(&self.shares) {
            *s += p;
            ln += (labels.alpha - 1.0) * p.ln();
        }
        if keep {
            self.share_draws.extend(self.shares.iter().map(|&p| p as f32));
        }
        self.mean_accuracy.push(overall);
        ln
    }

    /// Draws the truth of every unit; the conditional probabilities, not the draws, are summed up (less noise).
    /// Returns the log-likelihood of the labels.
    fn draw_truth(&mut self, labels: &Labels<'_>) -> f64 {
        // the small loops unroll when the number of classes is a constant
        match labels.k {
            2 => self.draw_truth_of::<2>(labels),
            3 => self.draw_truth_of::<3>(labels),
            4 => self.draw_truth_of::<4>(labels),
            5 => self.draw_truth_of::<5>(labels),
            _ => self.draw_truth_of::<0>(labels),
        }
    }

    /// `K` is the number of classes, 0 = any.
    fn draw_truth_of<const K: usize>(&mut self, labels: &Labels<'_>) -> f64 {
        let k = if K == 0 { labels.k } else { K };
        let table = labels.table.table;
        let mut p = vec![0.0; k];
        let p = &mut p[..k];
        let (mut ln, mut moved, mut units) = (LnProduct::new(), 0u64, 0u64);
        for u in 0..table.n_units() {
            let rows = &labels.rows[table.rows(u)];
            let sums = &mut self.sums.posterior[u * k..(u + 1) * k];
            let known = labels.known(u).map(|c| c as usize);
            if rows.is_empty() && known.is_none() {
                sums.iter_mut().zip(&self.shares).for_each(|(s, p)| *s += p);
                continue;
            }
            units += 1;
            p.copy_from_slice(&self.shares[..k]);
            for &at in rows {
                p.iter_mut().zip(&self.said[at as usize..][..k]).for_each(|(p, a)| *p *= a);
            }
            let mut z: f64 = p.iter().sum();
            if z < 1e-280 || known.is_some_and(|c| p[c] < 1e-280) {
                // dozens of contradicting labels leave the range of numbers: again in logarithms
                p.iter_mut().zip(&self.shares).for_each(|(p, s)| *p = s.ln());
                for &at in rows {
                    p.iter_mut().zip(&self.said[at as usize..][..k]).for_each(|(p, a)| *p += a.ln());
                }
                if let Some(c) = known {
                    ln.add(p[c]);
                } else {
                    ln.add(softmax(p));
                    z = 1.0;
                }
            } else {
                let here = known.map_or(z, |c| p[c]);
                if here.is_nan() { ln.add(here) } else { ln.push(here) }
            }
            if let Some(c) = known {
                sums[c] += 1.0;
                continue;
            }
            let mut at = self.rng.random::<f64>() * z;
            let scale = 1.0 / z;
            let mut drawn = k - 1;
            let mut open = true;
            for c in 0..k {
                sums[c] += p[c] * scale;
                at -= p[c];
                if open && at < 0.0 {
                    drawn = c;
                    open = false;
                }
            }
            let before = self.truth[u] as usize;
            if before != drawn {
                // few units move: counting them beats counting all labels again
                moved += 1;
                self.truth[u] = drawn as u16;
                self.classes[before] -= 1.0;
                self.classes[drawn] += 1.0;
                for &at in rows {
                    self.counts[at as usize + before] -= 1;
                    self.counts[at as usize + drawn] += 1;
                }
            }
        }
        self.moved = moved as f64 / units.max(1) as f64;
        ln.value()
    }
}
