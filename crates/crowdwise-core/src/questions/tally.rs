//! Sums over the labels that the questions about annotators and classes need, in one pass.

use crate::{Annotators, Codes, Dataset, Fit, Table, stats};

/// Tables over annotators and classes may take this many numbers; above that the parts that need them are left out.
const LIMIT: usize = 30_000_000;

/// Matrices that the model of the annotators only implies (one accuracy, say) are written out if all together have at
/// most this many numbers: 2,000 annotators times 5,000 x 5,000 would be hours and terabytes.
const IMPLIED: usize = 100_000_000;

/// Sums of a categorical dataset under a posterior.
#[derive(Clone, Debug)]
pub struct Tally {
    pub k: usize,
    /// Labels per annotator, and expected number of right ones.
    pub n: Vec<u64>,
    pub hits: Vec<f64>,
    /// Annotators x K: how often each class was said, and the expected number of units of each class seen.
    /// Empty if too large.
    pub said: Vec<u32>,
    pub seen: Vec<f64>,
    /// Annotators x K x K (truth, label), only where the fit has no confusion matrices; empty if too large.
    counts: Vec<f64>,
    /// Sum of leave-one-out agreement and the labels that have others beside them, if asked for.
    pub agreed: Vec<f64>,
    pub agreed_n: Vec<u64>,
    /// Mean vote share and mean posterior of the labelled units. The latter are the class shares for information and
    /// costs, whatever shares the model has: numbers of different methods can be compared.
    pub votes: Vec<f64>,
    pub posterior: Vec<f64>,
    pub labelled: usize,
    /// Mean of the largest probability over the labelled units.
    pub top: f64,
}

impl Tally {
    /// `None` unless labels and fit are of classes.
    pub fn of(data: &Dataset, fit: &Fit, agreement: bool) -> Option<Tally> {
        let table = &data.table;
        let c = table.categorical()?;
        let (k, post) = fit.model_posterior()?;
        let m = table.n_annotators();
        if k != c.k() || post.len() != k * table.n_units() {
            return None; // a fit of other data
        }
        let fits = |x: usize, of: usize| if x.saturating_mul(of) <= LIMIT { x * of } else { 0 };
        let own = fit.annotators.len() == m && m > 0 && fit.annotators.classes() == Some(k);
        let mut t = Tally {
            k,
            n: vec![0; m],
            hits: vec![0.0; m],
            said: Vec::new(),
            seen: Vec::new(),
            counts: vec![0.0; if own { 0 } else { fits(m, k.saturating_mul(k)) }],
            agreed: vec![0.0; if agreement { m } else { 0 }],
            agreed_n: vec![0; if agreement { m } else { 0 }],
            votes: vec![0.0; k],
            posterior: vec![0.0; k],
            labelled: 0,
            top: 0.0,
        };
        match c.codes {
            Codes::U8(codes) => t.fill(table, codes, post, fits(m, k) > 0),
            Codes::U16(codes) => t.fill(table, codes, post, fits(m, k) > 0),
        }
        let units = t.labelled.max(1) as f64;
        t.votes.iter_mut().for_each(|x| *x /= units);
        t.posterior.iter_mut().for_each(|x| *x /= units);
        t.top /= units;
        Some(t)
    }

    fn fill<C: Copy + Into<usize>>(&mut self, table: &Table, codes: &[C], post: &[f64], classes: bool) {
        let small = classes && self.n.len().saturating_mul(64) <= LIMIT;
        match self.k {
            2 if small => self.pass_few::<2, 4, C>(table, codes, post),
            3 if small => self.pass_few::<3, 6, C>(table, codes, post),
            4 if small => self.pass_few::<4, 6, C>(table, codes, post),
            5 if small => self.pass_few::<5, 8, C>(table, codes, post),
            6 if small => self.pass_few::<6, 8, C>(table, codes, post),
            7 => self.pass::<7, C>(table, codes, post, classes),
            8 => self.pass::<8, C>(table, codes, post, classes),
            9 => self.pass::<9, C>(table, codes, post, classes),
            10 => self.pass::<10, C>(table, codes, post, classes),
            _ => self.pass::<0, C>(table, codes, post, classes),
        }
        if !self.agreed.is_empty() {
            self.agree(table, codes);
        }
    }

    /// The one pass, for `K` classes, 0 = any number. Everything that a label adds to its annotator lies together:
    /// number, right ones, classes said, classes seen.
    fn pass<const K: usize, C: Copy + Into<usize>>(&mut self, table: &Table, codes: &[C], post: &[f64], classes: bool) {
        let k = if K == 0 { self.k } else { K };
        let width = if classes { 2 + 2 * k } else { 2 };
        let mut sums = vec![0.0; self.n.len() * width];
        for u in 0..table.n_units() {
            let rows = table.rows(u);
            let (who, said) = (&table.annotator()[rows.clone()], &codes[rows]);
            if who.is_empty() {
                continue;
            }
            let q = &post[u * k..(u + 1) * k];
            self.labelled += 1;
            self.posterior.iter_mut().zip(q).for_each(|(s, x)| *s += x);
            self.top += q.iter().copied().fold(0.0, f64::max);
            let share = 1.0 / who.len() as f64;
            for (&j, &l) in who.iter().zip(said) {
                let (j, l) = (j as usize, l.into());
                self.votes[l] += share;
                let own = &mut sums[j * width..(j + 1) * width];
                own[0] += 1.0;
                own[1] += q[l];
                if classes {
                    own[2 + l] += 1.0;
                    own[2 + k..][..k].iter_mut().zip(q).for_each(|(s, x)| *s += x);
                }
                if !self.counts.is_empty() {
                    let own = &mut self.counts[j * k * k..(j + 1) * k * k];
                    own[l..].iter_mut().step_by(k).zip(q).for_each(|(s, x)| *s += x);
                }
            }
        }
        for (j, own) in sums.chunks_exact(width).enumerate() {
            (self.n[j], self.hits[j]) = (own[0] as u64, own[1]);
            if classes {
                self.said.extend(own[2..2 + k].iter().map(|&x| x as u32));
                self.seen.extend_from_slice(&own[2 + k..]);
            }
        }
    }

    /// The same for a number of classes known to the compiler. Every label adds one row of `W` numbers, the same for
    /// all labels of a unit (posterior, 1, 1 / labels of the unit), to the cell of its annotator and class: all sums
    /// follow from these cells, and a label costs a few vector additions.
    fn pass_few<const K: usize, const W: usize, C: Copy + Into<usize>>(
        &mut self,
        table: &Table,
        codes: &[C],
        post: &[f64],
    ) {
        const { assert!(W >= K + 2) };
        let mut cells = vec![[0.0f64; W]; self.n.len() * K];
        let (mut shares, mut top, mut labelled) = ([0.0f64; W], 0.0f64, 0usize);
        for (u, q) in post.chunks_exact(K).enumerate() {
            let rows = table.rows(u);
            let (who, said) = (&table.annotator()[rows.clone()], &codes[rows]);
            if who.is_empty() {
                continue;
            }
            let mut add = [0.0f64; W];
            add[..K].copy_from_slice(q);
            add[K] = 1.0;
            add[K + 1] = 1.0 / who.len() as f64;
            (0..W).for_each(|x| shares[x] += add[x]);
            top += q.iter().copied().fold(0.0, |a, b| if b > a { b } else { a });
            labelled += 1;
            for (&j, &l) in who.iter().zip(said) {
                let cell = &mut cells[j as usize * K + l.into()];
                (0..W).for_each(|x| cell[x] += add[x]);
            }
        }
        (self.labelled, self.top) = (labelled, top);
        self.posterior.copy_from_slice(&shares[..K]);
        self.said = vec![0; self.n.len() * K];
        self.seen = vec![0.0; self.n.len() * K];
        for (x, cell) in cells.iter().enumerate() {
            let (j, l) = (x / K, x % K);
            self.n[j] += cell[K] as u64;
            self.hits[j] += cell[l];
            self.said[x] = cell[K] as u32;
            self.votes[l] += cell[K + 1];
            (0..K).for_each(|t| self.seen[j * K + t] += cell[t]);
            if !self.counts.is_empty() {
                (0..K).for_each(|t| self.counts[(j * K + t) * K + l] = cell[t]);
            }
        }
    }

    /// Leave-one-out agreement of every annotator.
    fn agree<C: Copy + Into<usize>>(&mut self, table: &Table, codes: &[C]) {
        let mut here = vec![0u32; self.k];
        for u in 0..table.n_units() {
            let rows = table.rows(u);
            let (who, said) = (&table.annotator()[rows.clone()], &codes[rows]);
            if who.len() < 2 {
                continue;
            }
            for &l in said {
                here[l.into()] += 1;
            }
            for (&j, &l) in who.iter().zip(said) {
                self.agreed[j as usize] += (here[l.into()] - 1) as f64 / (who.len() - 1) as f64;
                self.agreed_n[j as usize] += 1;
            }
            for &l in said {
                here[l.into()] = 0;
            }
        }
    }

    /// The confusion matrix of annotator `j`: the fit's own, else the expected counts with one pseudo-label per row
    /// spread over the classes, so that a row seen rarely stays near "says anything". `None` if it was too large.
    pub fn confusion(&self, fit: &Fit, j: usize) -> Option<Vec<f64>> {
        let k = self.k;
        if j < fit.annotators.len() && fit.annotators.classes().is_some() {
            return if self.has_matrices(fit) { fit.annotators.confusion(j) } else { None };
        }
        let counts = self.counts.get(j * k * k..(j + 1) * k * k)?;
        let mut c = counts.to_vec();
        for row in c.chunks_exact_mut(k) {
            let n: f64 = row.iter().sum();
            for x in row.iter_mut() {
                *x = (*x + 1.0 / k as f64) / (n + 1.0);
            }
        }
        Some(c)
    }

    /// Whether [`Tally::confusion`] gives matrices, or they would be too many and too large.
    pub fn has_matrices(&self, fit: &Fit) -> bool {
        match (&fit.annotators, fit.annotators.classes()) {
            (Annotators::Confusion { k, .. }, _) => *k == self.k,
            (_, Some(k)) => k == self.k && k.saturating_mul(k).saturating_mul(self.n.len()) <= IMPLIED,
            (_, None) => !self.counts.is_empty() || self.n.is_empty(),
        }
    }

    /// Half the sum of differences between the class shares of the posterior and of the votes.
    pub fn drift(&self) -> f64 {
        0.5 * self.votes.iter().zip(&self.posterior).map(|(a, b)| (a - b).abs()).sum::<f64>()
    }

    pub fn accuracy(&self, j: usize) -> Option<f64> {
        (self.n[j] > 0).then(|| self.hits[j] / self.n[j] as f64)
    }

    pub fn interval(&self, j: usize) -> Option<[f64; 2]> {
        (self.n[j] > 0).then(|| stats::rate_interval(self.hits[j], self.n[j] as f64))
    }

    /// The class that annotator `j` says most, its share of its labels, and that class's share of the units it saw.
    pub fn favourite(&self, j: usize) -> Option<(usize, f64, f64)> {
        let said = self.said.get(j * self.k..(j + 1) * self.k)?;
        let (class, &most) = said.iter().enumerate().max_by_key(|&(l, n)| (*n, std::cmp::Reverse(l)))?;
        let n = self.n[j] as f64;
        (n > 0.0).then(|| (class, most as f64 / n, self.seen[j * self.k + class] / n))
    }

    /// Spammer score of annotator `j` and its standard error, not shrunk.
    pub fn spammer_score(&self, confusion: &[f64], j: usize) -> Option<(f64, f64)> {
        let seen = self.seen.get(j * self.k..(j + 1) * self.k)?;
        (self.k >= 2).then(|| spammer_score(confusion, seen))
    }
}

/// How much the rows of a confusion matrix differ: the mean squared distance of two rows, halved, so that 0 = labels
/// carry no information and 1 = perfect or perfectly permuted; for two classes (sensitivity + specificity - 1)^2.
/// With its standard error when row k rests on `seen[k]` labels: the delta method, and beside it the bias by noise,
/// which is what is left of the error when the rows are equal.
pub fn spammer_score(confusion: &[f64], seen: &[f64]) -> (f64, f64) {
    let k = seen.len();
    let kf = k as f64;
    let mut column = vec![0.0; k];
    let mut squares = 0.0;
    for row in confusion.chunks_exact(k) {
        for (l, x) in row.iter().enumerate() {
            column[l] += x;
            squares += x * x;
        }
    }
    let scale = 1.0 / (kf * (kf - 1.0));
    let score = scale * (kf * squares - column.iter().map(|c| c * c).sum::<f64>());
    let (mut variance, mut bias) = (0.0, 0.0);
    for (row, n) in confusion.chunks_exact(k).zip(seen) {
        let (mut g2, mut g1) = (0.0, 0.0);
        for (l, &x) in row.iter().enumerate() {
            let g = 2.0 * scale * (kf * x - column[l]);
            g2 += x * g * g;
            g1 += x * g;
            bias += x * (1.0 - x) / (n + 1.0) / kf;
        }
        variance += (g2 - g1 * g1).max(0.0) / (n + 1.0);
    }
    (score.clamp(0.0, 1.0), (variance + bias * bias).sqrt())
}

/// The error rate of labels taken as they are, and of the best guess given each label: what is recovered by knowing the
/// confusion matrix is bias, what is left is error (after Ipeirotis, Provost and Wang 2010, all mistakes costing 1).
pub fn bias_and_error(prior: &[f64], confusion: &[f64]) -> (f64, f64) {
    let k = prior.len();
    let sum: f64 = prior.iter().sum();
    let joint = |truth: usize, l: usize| prior[truth] / sum * confusion[truth * k + l];
    let naive = 1.0 - (0..k).map(|t| joint(t, t)).sum::<f64>();
    let best = 1.0 - (0..k).map(|l| (0..k).map(|t| joint(t, l)).fold(0.0, f64::max)).sum::<f64>();
    ((naive - best).max(0.0), best.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{Simulation, Simulator};

    /// Every number of two tallies, in one order.
    fn flat(t: &Tally) -> Vec<f64> {
        let whole = t.n.iter().map(|&x| x as f64).chain(t.said.iter().map(|&x| f64::from(x)));
        let real = [&t.hits, &t.seen, &t.counts, &t.votes, &t.posterior].into_iter().flatten().copied();
        whole.chain(real).chain([t.top, t.labelled as f64]).collect()
    }

    #[test]
    fn the_pass_for_few_classes_gives_the_sums_of_the_general_one() {
        for k in 2..=11 {
            let s = Simulation { items: 200, annotators: 17, classes: k, per_item: 3, ..Simulation::default() };
            let (mut data, _) = Simulator::new(&s, k as u64).unwrap().dataset().unwrap();
            data.table.add_items(["nobody"]);
            let k = data.table.n_classes();
            let mut rng = crate::stream(1, "test", k as u64);
            let mut post: Vec<f64> =
                (0..k * data.table.n_units()).map(|_| rand::RngExt::random::<f64>(&mut rng) * 3.0).collect();
            post.chunks_exact_mut(k).for_each(|row| {
                stats::softmax(row);
            });
            let empty = Tally {
                k,
                n: vec![0; 17],
                hits: vec![0.0; 17],
                said: Vec::new(),
                seen: Vec::new(),
                counts: vec![0.0; 17 * k * k],
                agreed: Vec::new(),
                agreed_n: Vec::new(),
                votes: vec![0.0; k],
                posterior: vec![0.0; k],
                labelled: 0,
                top: 0.0,
            };
            let Codes::U8(codes) = data.table.categorical().unwrap().codes else { panic!("few classes") };
            let (mut general, mut few) = (empty.clone(), empty);
            general.pass::<0, u8>(&data.table, codes, &post, true);
            few.fill(&data.table, codes, &post, true);
            let (a, b) = (flat(&general), flat(&few));
            assert_eq!(a.len(), b.len());
            assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-9), "{k}: {a:?} {b:?}");
            assert_eq!(few.labelled, 200);
        }
    }

    #[test]
    fn spammer_score_of_two_classes_is_the_squared_informedness() {
        let (a, b) = (0.8, 0.65);
        let (s, se) = spammer_score(&[a, 1.0 - a, 1.0 - b, b], &[1e9, 1e9]);
        assert!((s - (a + b - 1.0f64).powi(2)).abs() < 1e-12 && se < 1e-3);
        assert_eq!(spammer_score(&[1.0, 0.0, 0.0, 1.0], &[5.0, 5.0]).0, 1.0);
        assert!(spammer_score(&[0.3, 0.7, 0.3, 0.7], &[5.0, 5.0]).0 < 1e-12);
        // a permuted perfect annotator is as informative as a perfect one
        assert!((spammer_score(&[0., 1., 0., 0., 0., 1., 1., 0., 0.], &[9.0; 3]).0 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn spammer_score_is_the_sum_over_pairs_of_rows() {
        let c: [f64; 9] = [0.7, 0.2, 0.1, 0.25, 0.5, 0.25, 0.0, 0.4, 0.6];
        let mut direct = 0.0;
        for a in 0..3 {
            for b in 0..a {
                direct += (0..3).map(|l| (c[a * 3 + l] - c[b * 3 + l]).powi(2)).sum::<f64>() / 6.0;
            }
        }
        assert!((spammer_score(&c, &[10.0; 3]).0 - direct).abs() < 1e-12);
    }

    #[test]
    fn standard_error_is_that_of_repeated_sampling() {
        use rand::RngExt;
        let (c, n) = ([0.8, 0.2, 0.35, 0.65], 60);
        let mut rng = crate::stream(1, "test", 0);
        let mut draw = |p: f64| (0..n).filter(|_| rng.random::<f64>() < p).count() as f64 / n as f64;
        let scores: Vec<f64> = (0..4000)
            .map(|_| {
                let (a, b) = (draw(c[0]), draw(c[2]));
                spammer_score(&[a, 1.0 - a, b, 1.0 - b], &[n as f64; 2]).0
            })
            .collect();
        let mean = scores.iter().sum::<f64>() / 4000.0;
        let sd = (scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / 4000.0).sqrt();
        let (_, se) = spammer_score(&c, &[n as f64; 2]);
        assert!((se / sd - 1.0).abs() < 0.1, "{se} {sd}");
    }

    #[test]
    fn bias_is_recoverable_and_error_is_not() {
        // exchanged labels: all bias; a constant: error of the smaller class; a coin: half
        let close = |x: (f64, f64), y: (f64, f64)| assert!((x.0 - y.0).abs() + (x.1 - y.1).abs() < 1e-12, "{x:?}");
        close(bias_and_error(&[0.5, 0.5], &[0.0, 1.0, 1.0, 0.0]), (1.0, 0.0));
        close(bias_and_error(&[0.7, 0.3], &[1.0, 0.0, 1.0, 0.0]), (0.0, 0.3));
        close(bias_and_error(&[0.5, 0.5], &[0.5; 4]), (0.0, 0.5));
        close(bias_and_error(&[0.5, 0.5], &[0.9, 0.1, 0.1, 0.9]), (0.0, 0.1));
    }
}
