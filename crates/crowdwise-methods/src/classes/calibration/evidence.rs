//! What the labels of an item say for its most probable class and against every other.

use crowdwise_core::Categorical;

/// Log tables of a fitted model, and the labels that they are read with.
pub(crate) struct Evidence<'a> {
    pub labels: Categorical<'a>,
    /// ln P(says l | truth k), annotators x label x truth.
    ln: Vec<f64>,
    ln_prior: Vec<f64>,
}

/// The evidence on one item. Vectors are by class; their entries at `top` are 0.
pub(crate) struct Weighed {
    /// The most probable class.
    pub top: usize,
    /// Exact log-odds of `top` against each class.
    pub lead: Vec<f64>,
    /// Sum of what every label, and the class shares, say for or against `top`, signs left out.
    pub total: Vec<f64>,
    /// The same, squared before it is added.
    pub squares: Vec<f64>,
}

impl Weighed {
    pub fn new(k: usize) -> Weighed {
        Weighed { top: 0, lead: vec![0.0; k], total: vec![0.0; k], squares: vec![0.0; k] }
    }

    /// Evidence that is known as a posterior only: as if `n` labels of equal weight had given it.
    pub fn read_posterior(&mut self, row: &[f64], n: usize) {
        self.top = (0..row.len()).fold(0, |a, b| if row[b] > row[a] { b } else { a });
        for (c, &p) in row.iter().enumerate() {
            let lead = row[self.top].ln() - p.max(f64::MIN_POSITIVE).ln();
            self.lead[c] = lead;
            self.total[c] = lead;
            self.squares[c] = lead * lead / n.max(1) as f64;
        }
    }
}

/// A table entry of 0 would veto a class for good.
const LEAST: f64 = 1e-100;

impl<'a> Evidence<'a> {
    pub fn new(labels: Categorical<'a>, tables: &[f64], prior: &[f64]) -> Evidence<'a> {
        let ln = |x: &[f64]| x.iter().map(|p| p.max(LEAST).ln()).collect();
        Evidence { labels, ln: ln(tables), ln_prior: ln(prior) }
    }

    pub fn k(&self) -> usize {
        self.ln_prior.len()
    }

    fn row(&self, r: usize) -> &[f64] {
        let k = self.k();
        let at = (self.labels.table.annotator()[r] as usize * k + self.labels.codes.get(r)) * k;
        &self.ln[at..at + k]
    }

    /// Logarithm of the posterior of unit `u`, up to a constant.
    pub fn scores(&self, u: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.ln_prior);
        for r in self.labels.table.rows(u) {
            out.iter_mut().zip(self.row(r)).for_each(|(s, x)| *s += x);
        }
    }

    /// The evidence on unit `u`.
    pub fn weigh(&self, u: usize, w: &mut Weighed) {
        self.scores(u, &mut w.lead);
        w.top = (0..self.k()).fold(0, |a, b| if w.lead[b] > w.lead[a] { b } else { a });
        let (top, best) = (w.top, w.lead[w.top]);
        w.lead.iter_mut().for_each(|s| *s = best - *s);
        w.total.fill(0.0);
        w.squares.fill(0.0);
        let mut add = |row: &[f64]| {
            for ((t, q), x) in w.total.iter_mut().zip(&mut w.squares).zip(row) {
                let d = row[top] - x;
                *t += d.abs();
                *q += d * d;
            }
        };
        add(&self.ln_prior);
        self.labels.table.rows(u).for_each(|r| add(self.row(r)));
    }
}
