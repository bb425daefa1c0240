//! The likelihood of comparisons by annotators who sometimes answer the other way round.

use super::TieModel;
use super::outcome::{Outcomes, Ties};
use crowdwise_core::{Preference, Table};
use crowdwise_numerics::{logistic, logistic_both};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the item shown first (left) has an advantage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    #[default]
    None,
    Shared,
    Annotators,
}

/// One shown pair and its rows.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub left: u32,
    pub right: u32,
    pub start: u32,
    pub end: u32,
}

/// What is to be minimised: the negative penalised log-likelihood of scores s, reliabilities w = σ(t), a tie parameter and
/// position effects. Variables in this order: scores, t, tie parameter (if the model has one), position effects.
#[derive(Clone, Debug)]
pub struct Mixture {
    pub n_items: usize,
    pub n_annotators: usize,
    pub shown: Vec<Shown>,
    pub annotator: Vec<u32>,
    /// `Preference` as a number.
    pub code: Vec<u8>,
    pub ties: TieModel,
    pub position: Position,
    /// Exponents of w and 1 - w in the prior, plus 1.
    pub prior: [f64; 2],
    /// Whether the prior follows from these comparisons, so that its place is in doubt as well.
    pub prior_estimated: bool,
    pub ridge: f64,
    pub virtual_wins: f64,
}

/// Precision of the normal prior of position effects of single annotators.
pub const POSITION_PRECISION: f64 = 1.0;
/// No outcome is less probable: what annotators do by mistake has no certainty, and logarithms stay finite.
const LEAST: f64 = 1e-100;

/// Second derivatives that one comparison is expected to have, in (difference, t, tie, position), row-major.
pub type Block = [[f64; 4]; 4];

impl Mixture {
    /// The comparisons of a table, without those of an item with itself.
    pub fn new(table: &Table) -> Mixture {
        let (units, codes) = table.preferences().expect("the kind was checked");
        let mut out = Mixture {
            n_items: table.n_items(),
            n_annotators: table.n_annotators(),
            shown: Vec::with_capacity(units.len()),
            annotator: Vec::with_capacity(codes.len()),
            code: Vec::with_capacity(codes.len()),
            ties: TieModel::Half,
            position: Position::None,
            prior: [1.0, 1.0],
            prior_estimated: false,
            ridge: 0.0,
            virtual_wins: 0.0,
        };
        for (u, &[left, right]) in units.iter().enumerate() {
            if left != right && table.degree(u) > 0 {
                let start = out.annotator.len() as u32;
                for r in table.rows(u) {
                    out.annotator.push(table.annotator()[r]);
                    out.code.push(codes[r] as u8);
                }
                out.shown.push(Shown { left, right, start, end: out.annotator.len() as u32 });
            }
        }
        out
    }

    pub fn has_tie(&self) -> bool {
        self.ties != TieModel::Half
    }

    /// Where the tie parameter is.
    pub fn tie_at(&self) -> usize {
        self.n_items + self.n_annotators
    }

    /// Where the position effects are.
    pub fn position_at(&self) -> usize {
        self.tie_at() + usize::from(self.has_tie())
    }

    pub fn size(&self) -> usize {
        self.position_at()
            + match self.position {
                Position::None => 0,
                Position::Shared => 1,
                Position::Annotators => self.n_annotators,
            }
    }

    /// All scores 0, everybody rather reliable (t = 2, w = 0.88).
    pub fn start(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.size()];
        x[self.n_items..self.tie_at()].fill(2.0);
        if self.has_tie() {
            let ties: f64 = self.code.iter().map(|&c| f64::from(u8::from(c == Preference::Tie as u8))).sum();
            x[self.tie_at()] = Ties::start(self.ties, ties / self.code.len().max(1) as f64);
        }
        x
    }

    pub fn ties_of(&self, x: &[f64]) -> Ties {
        Ties::at(self.ties, if self.has_tie() { x[self.tie_at()] } else { 0.0 })
    }

    /// Position effect of annotator `j`.
    #[inline]
    pub fn position_of(&self, x: &[f64], j: usize) -> f64 {
        match self.position {
            Position::None => 0.0,
            Position::Shared => x[self.position_at()],
            Position::Annotators => x[self.position_at() + j],
        }
    }

    /// The value at `x`; the gradient goes to `g`.
    pub fn evaluate(&self, x: &[f64], g: &mut [f64]) -> f64 {
        let (n, m) = (self.n_items, self.n_annotators);
        let w: Vec<f64> = x[n..n + m].iter().map(|&t| logistic(t)).collect();
        let ties = self.ties_of(x);
        g.fill(0.0);
        let each = self.position == Position::Annotators;
        let shared = if each { 0.0 } else { self.position_of(x, 0) };
        let (mut sum, mut product) = (0.0, 1.0f64);
        let (mut by_tie, mut by_position) = (0.0, 0.0);
        let (head, tail) = g.split_at_mut(n);
        for u in &self.shown {
            let (l, r) = (u.left as usize, u.right as usize);
            let d = x[l] - x[r];
            let (mut a, mut b) = if each { Default::default() } else { meant(&ties, d, shared) };
            let mut by_difference = 0.0;
            for row in u.start as usize..u.end as usize {
                let j = self.annotator[row] as usize;
                if each {
                    (a, b) = meant(&ties, d, x[self.position_at() + j]);
                }
                // a tie that counts half to each side is two half outcomes
                let half = self.code[row] == 2 && ties.model == TieModel::Half;
                let (first, last, weight) = if half { (0, 1, 0.5) } else { (self.code[row], self.code[row], 1.0) };
                for c in first as usize..=last as usize {
                    let p = (w[j] * a.p[c] + (1.0 - w[j]) * b.p[c]).max(LEAST);
                    if half {
                        sum -= weight * p.ln();
                    } else {
                        product *= p;
                        if product < 1e-200 {
                            sum -= product.ln();
                            product = 1.0;
                        }
                    }
                    let q = weight / p;
                    let (up, down) = (w[j] * a.by_difference[c], (1.0 - w[j]) * b.by_difference[c]);
                    by_difference -= q * (up - down);
                    tail[j] -= q * w[j] * (1.0 - w[j]) * (a.p[c] - b.p[c]);
                    by_tie -= q * (w[j] * a.by_tie[c] + (1.0 - w[j]) * b.by_tie[c]);
                    if each {
                        tail[self.position_at() - n + j] -= q * (up + down);
                    } else {
                        by_position -= q * (up + down);
                    }
                }
            }
            head[l] += by_difference;
            head[r] -= by_difference;
        }
        sum -= product.ln();
        if self.has_tie() {
            g[self.tie_at()] = by_tie;
        }
        if self.position == Position::Shared {
            g[self.position_at()] = by_position;
        }
        sum + self.penalty(x, &w, g)
    }

    /// Every answer with a winner: the annotator, and the probability of the answer if it is meant and if it is turned round.
    /// Ties are left out, since they are as likely either way.
    pub fn each_decision(&self, x: &[f64], mut f: impl FnMut(usize, f64, f64)) {
        let ties = self.ties_of(x);
        for u in &self.shown {
            let d = x[u.left as usize] - x[u.right as usize];
            for row in u.start as usize..u.end as usize {
                let (j, c) = (self.annotator[row] as usize, self.code[row] as usize);
                if c != Preference::Tie as usize {
                    let (a, b) = meant(&ties, d, self.position_of(x, j));
                    f(j, a.p[c], b.p[c]);
                }
            }
        }
    }

    /// What the priors cost; adds their gradient.
    fn penalty(&self, x: &[f64], w: &[f64], g: &mut [f64]) -> f64 {
        let n = self.n_items;
        let mut f = 0.0;
        for i in 0..n {
            f += 0.5 * self.ridge * x[i] * x[i];
            g[i] += self.ridge * x[i];
            if self.virtual_wins > 0.0 {
                let (p, q) = logistic_both(x[i]);
                f -= self.virtual_wins * (ln(p) + ln(q));
                g[i] += self.virtual_wins * (p - q);
            }
        }
        let [a, b] = self.prior.map(|e| e - 1.0);
        for (j, &w) in w.iter().enumerate() {
            let not = logistic_both(x[n + j]).1;
            f -= a * ln(w) + b * ln(not);
            g[n + j] -= a * not - b * w;
        }
        if self.position == Position::Annotators {
            for at in self.position_at()..self.size() {
                f += 0.5 * POSITION_PRECISION * x[at] * x[at];
                g[at] += POSITION_PRECISION * x[at];
            }
        }
        f
    }

    /// What one comparison of the pair with difference `d` by annotator `j` is expected to tell.
    pub fn expected(&self, x: &[f64], ties: &Ties, d: f64, j: usize) -> Block {
        let w = logistic(x[self.n_items + j]);
        let (a, b) = meant(ties, d, self.position_of(x, j));
        let mut out = Block::default();
        for c in 0..if self.has_tie() { 3 } else { 2 } {
            let p = (w * a.p[c] + (1.0 - w) * b.p[c]).max(LEAST);
            let (up, down) = (w * a.by_difference[c], (1.0 - w) * b.by_difference[c]);
            let g =
                [up - down, w * (1.0 - w) * (a.p[c] - b.p[c]), w * a.by_tie[c] + (1.0 - w) * b.by_tie[c], up + down];
            for r in 0..4 {
                for k in 0..4 {
                    out[r][k] += g[r] * g[k] / p;
                }
            }
        }
        out
    }

    /// Inverse of the expected second derivatives, variable by variable: the scale of the steps.
    pub fn scale(&self, x: &[f64]) -> Vec<f64> {
        let (n, ties) = (self.n_items, self.ties_of(x));
        let mut h = vec![0.0; self.size()];
        for u in &self.shown {
            let (l, r) = (u.left as usize, u.right as usize);
            let d = x[l] - x[r];
            for row in u.start as usize..u.end as usize {
                let j = self.annotator[row] as usize;
                let e = self.expected(x, &ties, d, j);
                h[l] += e[0][0];
                h[r] += e[0][0];
                // at equal scores nothing is told about reliability; a step must not be endless for that
                h[n + j] += e[1][1].max(0.01);
                if self.has_tie() {
                    h[self.tie_at()] += e[2][2];
                }
                match self.position {
                    Position::None => {}
                    Position::Shared => h[self.position_at()] += e[3][3],
                    Position::Annotators => h[self.position_at() + j] += e[3][3],
                }
            }
        }
        self.add_prior_curvature(x, &mut h);
        h.iter().map(|h| 1.0 / h.max(1e-8)).collect()
    }

    /// Adds the second derivatives of the priors.
    pub fn add_prior_curvature(&self, x: &[f64], h: &mut [f64]) {
        let n = self.n_items;
        for i in 0..n {
            let (p, q) = logistic_both(x[i]);
            h[i] += self.ridge + 2.0 * self.virtual_wins * p * q;
        }
        for j in 0..self.n_annotators {
            let (p, q) = logistic_both(x[n + j]);
            h[n + j] += (self.prior[0] + self.prior[1] - 2.0) * p * q;
        }
        if self.position == Position::Annotators {
            h[self.position_at()..].iter_mut().for_each(|h| *h += POSITION_PRECISION);
        }
    }
}

/// What happens if the annotator means it, and if the annotator turns it round.
#[inline]
fn meant(ties: &Ties, d: f64, position: f64) -> (Outcomes, Outcomes) {
    let straight = Outcomes::at(ties, d + position);
    let turned = if position == 0.0 { straight.opposite() } else { Outcomes::at(ties, position - d) };
    (straight, turned)
}

/// A logarithm that stays finite.
fn ln(x: f64) -> f64 {
    x.max(f64::MIN_POSITIVE).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder};

    fn small() -> Mixture {
        use Preference::{Left, Right, Tie};
        let rows = [
            ("a", "b", "p", Left),
            ("a", "b", "q", Right),
            ("b", "c", "p", Tie),
            ("c", "a", "q", Left),
            ("c", "a", "q", Tie),
            ("b", "a", "r", Left),
            ("a", "a", "r", Left),
        ];
        let mut b = TableBuilder::new(LabelKind::Preference);
        rows.iter().for_each(|&(l, r, j, said)| b.preference(l, r, j, said));
        let mut m = Mixture::new(&b.finish().unwrap());
        (m.prior, m.ridge, m.virtual_wins) = ([2.0, 1.1], 0.2, 0.5);
        m
    }

    #[test]
    fn the_gradient_is_that_of_the_value() {
        let mut m = small();
        assert_eq!(m.code.len(), 6); // without the one with itself
        for ties in [TieModel::Half, TieModel::RaoKupper, TieModel::Davidson] {
            for position in [Position::None, Position::Shared, Position::Annotators] {
                (m.ties, m.position) = (ties, position);
                let x: Vec<f64> = (0..m.size()).map(|i| (1.7 * i as f64).sin()).collect();
                let mut g = vec![0.0; x.len()];
                let value = m.evaluate(&x, &mut g);
                assert!(value.is_finite());
                let mut rest = vec![0.0; x.len()];
                for i in 0..x.len() {
                    let mut at = |by: f64| {
                        let mut y = x.clone();
                        y[i] += by;
                        m.evaluate(&y, &mut rest)
                    };
                    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                    assert!((slope - g[i]).abs() < 1e-8, "{ties:?} {position:?} {i}: {slope} {}", g[i]);
                }
            }
        }
    }

    #[test]
    fn expected_information_is_the_mean_of_squared_slopes() {
        // by definition: the sum over outcomes of P times the outer product of the gradients of ln P
        let mut m = small();
        (m.ties, m.position) = (TieModel::RaoKupper, Position::Shared);
        let x: Vec<f64> = (0..m.size()).map(|i| (1.7 * i as f64).sin()).collect();
        let (d, ties) = (x[0] - x[1], m.ties_of(&x));
        let e = m.expected(&x, &ties, d, 1);
        let ln_p = |d: f64, t: f64, u: f64, gamma: f64, c: usize| {
            let (w, ties) = (logistic(t), Ties::at(m.ties, u));
            let (a, b) = (Outcomes::at(&ties, d + gamma), Outcomes::at(&ties, gamma - d));
            (w * a.p[c] + (1.0 - w) * b.p[c]).ln()
        };
        let at = [d, x[m.n_items + 1], x[m.tie_at()], x[m.position_at()]];
        let h = 1e-5;
        let mut want = Block::default();
        for c in 0..3 {
            let slope = |k: usize| {
                let shifted = |by: f64| {
                    let mut y = at;
                    y[k] += by;
                    ln_p(y[0], y[1], y[2], y[3], c)
                };
                (shifted(h) - shifted(-h)) / (2.0 * h)
            };
            let p = ln_p(at[0], at[1], at[2], at[3], c).exp();
            for a in 0..4 {
                for b in 0..4 {
                    want[a][b] += p * slope(a) * slope(b);
                }
            }
        }
        for a in 0..4 {
            for b in 0..4 {
                assert!((e[a][b] - want[a][b]).abs() < 1e-8, "{a} {b}: {} {}", e[a][b], want[a][b]);
            }
        }
    }
}
