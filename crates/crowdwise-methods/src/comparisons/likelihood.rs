//! The penalised log-likelihood of scores, with its derivatives, pair by pair.

use super::bradley_terry::TieModel;
use super::pairs::{Comparisons, Pair};

/// What is to be maximised.
#[derive(Debug)]
pub(super) struct Problem<'a> {
    pub data: &'a Comparisons,
    pub ties: TieModel,
    /// Whether the position effect is a parameter.
    pub position: bool,
    pub ridge: f64,
    pub virtual_wins: f64,
}

/// A point: scores, then the tie parameter (if the model has one), then the position effect (if wanted).
pub(super) type Point = Vec<f64>;

/// Gradient and second derivatives of the negative penalised log-likelihood. The part of the scores is a weighted
/// Laplacian: a diagonal and one weight per pair.
#[derive(Debug)]
pub(super) struct Derivatives {
    pub value: f64,
    pub gradient: Vec<f64>,
    pub diagonal: Vec<f64>,
    pub weight: Vec<f64>,
    /// Cross derivatives of scores and further parameters, parameter by parameter.
    pub border: Vec<Vec<f64>>,
    /// Second derivatives of the further parameters, row-major.
    pub corner: Vec<f64>,
}

/// Negative log-likelihood of one pair and its derivatives in the difference d and the tie parameter t.
#[derive(Clone, Copy, Debug, Default)]
struct Local {
    value: f64,
    d: f64,
    t: f64,
    dd: f64,
    dt: f64,
    tt: f64,
}

impl Problem<'_> {
    pub fn n(&self) -> usize {
        self.data.n_items
    }

    pub fn has_tie(&self) -> bool {
        self.ties != TieModel::Half
    }

    /// Number of parameters beside the scores.
    pub fn n_extra(&self) -> usize {
        usize::from(self.has_tie()) + usize::from(self.position)
    }

    pub fn tie(&self, x: &[f64]) -> f64 {
        if self.has_tie() { x[self.n()] } else { 0.0 }
    }

    pub fn position(&self, x: &[f64]) -> f64 {
        if self.position { x[self.n() + usize::from(self.has_tie())] } else { 0.0 }
    }

    /// Whether nothing but differences of scores matters, so that the scores of a component can be shifted at will.
    pub fn shift_free(&self) -> bool {
        self.ridge == 0.0 && self.virtual_wins == 0.0
    }

    pub fn start(&self) -> Point {
        let mut x = vec![0.0; self.n() + self.n_extra()];
        if self.has_tie() {
            // the tie parameter that makes the observed share of ties between equal items
            let share = (self.data.ties / (self.data.ties + self.data.decided)).clamp(1e-6, 1.0 - 1e-6);
            x[self.n()] = match self.ties {
                TieModel::RaoKupper => ((1.0 + share) / (1.0 - share)).ln(),
                TieModel::Davidson | TieModel::Half => (2.0 * share / (1.0 - share)).ln(),
            };
        }
        x
    }

    /// Negative penalised log-likelihood.
    pub fn value(&self, x: &[f64]) -> f64 {
        let (tie, position) = (self.tie(x), self.position(x));
        let mut f = self.ties_value(tie);
        for p in &self.data.pairs {
            f += self.pair(p, x[p.left as usize] - x[p.right as usize] + position, tie).value;
        }
        for &s in &x[..self.n()] {
            f += 0.5 * self.ridge * s * s;
            if self.virtual_wins > 0.0 {
                f += self.virtual_wins * (2.0 * win(s).1 + s);
            }
        }
        f
    }

    pub fn derivatives(&self, x: &[f64]) -> Derivatives {
        let (n, e) = (self.n(), self.n_extra());
        let (tie, position) = (self.tie(x), self.position(x));
        let mut out = Derivatives {
            value: self.ties_value(tie),
            gradient: vec![0.0; n + e],
            diagonal: vec![self.ridge; n],
            weight: Vec::with_capacity(self.data.pairs.len()),
            border: vec![vec![0.0; n]; e],
            corner: vec![0.0; e * e],
        };
        let (at_tie, at_position) = (0, usize::from(self.has_tie()));
        let mut sum = Local::default();
        for p in &self.data.pairs {
            let (i, j) = (p.left as usize, p.right as usize);
            let l = self.pair(p, x[i] - x[j] + position, tie);
            sum.value += l.value;
            sum.d += l.d;
            sum.t += l.t;
            sum.dd += l.dd;
            sum.dt += l.dt;
            sum.tt += l.tt;
            out.gradient[i] += l.d;
            out.gradient[j] -= l.d;
            out.diagonal[i] += l.dd;
            out.diagonal[j] += l.dd;
            out.weight.push(l.dd);
            if self.has_tie() {
                out.border[at_tie][i] += l.dt;
                out.border[at_tie][j] -= l.dt;
            }
            if self.position {
                out.border[at_position][i] += l.dd;
                out.border[at_position][j] -= l.dd;
            }
        }
        out.value += sum.value;
        if self.has_tie() {
            let (d, dd) = self.ties_slope(tie);
            out.gradient[n + at_tie] = sum.t + d;
            out.corner[at_tie * e + at_tie] = sum.tt + dd;
        }
        if self.position {
            out.gradient[n + at_position] = sum.d;
            out.corner[at_position * e + at_position] = sum.dd;
            if self.has_tie() {
                out.corner[at_tie * e + at_position] = sum.dt;
                out.corner[at_position * e + at_tie] = sum.dt;
            }
        }
        for (i, &s) in x[..n].iter().enumerate() {
            out.value += 0.5 * self.ridge * s * s;
            out.gradient[i] += self.ridge * s;
            if self.virtual_wins > 0.0 {
                let (p, cost) = win(s);
                out.value += self.virtual_wins * (2.0 * cost + s);
                out.gradient[i] += self.virtual_wins * (2.0 * p - 1.0);
                out.diagonal[i] += 2.0 * self.virtual_wins * p * (1.0 - p);
            }
        }
        out
    }

    fn pair(&self, p: &Pair, d: f64, tie: f64) -> Local {
        match self.ties {
            TieModel::Half => half(p, d),
            TieModel::RaoKupper => rao_kupper(p, d, tie),
            TieModel::Davidson => davidson(p, d, tie),
        }
    }

    /// The part of the ties that no score enters: with η > 0 the threshold of Rao and Kupper,
    /// P(tie) = (e^2η - 1) P(left) P(right).
    fn ties_value(&self, tie: f64) -> f64 {
        match self.ties {
            TieModel::RaoKupper => -self.data.ties * (2.0 * tie + (-(-2.0 * tie).exp_m1()).ln()),
            TieModel::Davidson | TieModel::Half => 0.0,
        }
    }

    fn ties_slope(&self, tie: f64) -> (f64, f64) {
        match self.ties {
            TieModel::RaoKupper => {
                let gap = -(-2.0 * tie).exp_m1();
                (-2.0 * self.data.ties / gap, 4.0 * self.data.ties * (-2.0 * tie).exp() / (gap * gap))
            }
            TieModel::Davidson | TieModel::Half => (0.0, 0.0),
        }
    }
}

/// A tie is half a win for both.
fn half(p: &Pair, d: f64) -> Local {
    let (a, b) = (p.left_wins + 0.5 * p.ties, p.right_wins + 0.5 * p.ties);
    let (left, cost) = win(d);
    Local {
        value: (a + b) * cost + b * d,
        d: (a + b) * left - a,
        dd: (a + b) * left * (1.0 - left),
        ..Local::default()
    }
}

/// P(left) = σ(d - η), P(right) = σ(-d - η); the tie is the product of both times a factor of η alone, so that it
/// enters here as one win for each side.
fn rao_kupper(p: &Pair, d: f64, eta: f64) -> Local {
    let (a, b) = (p.left_wins + p.ties, p.right_wins + p.ties);
    let ((left, cost_left), (right, cost_right)) = (win(d - eta), win(-d - eta));
    let (va, vb) = (a * left * (1.0 - left), b * right * (1.0 - right));
    let (ga, gb) = (a * (1.0 - left), b * (1.0 - right));
    Local { value: a * cost_left + b * cost_right, d: gb - ga, t: ga + gb, dd: va + vb, dt: vb - va, tt: va + vb }
}

/// P(left) : P(tie) : P(right) = e^(d/2) : ν : e^(-d/2), with t = ln ν.
fn davidson(p: &Pair, d: f64, t: f64) -> Local {
    let n = p.total();
    let top = t.max(0.5 * d.abs());
    let (l, m, r) = ((0.5 * d - top).exp(), (t - top).exp(), (-0.5 * d - top).exp());
    let z = l + m + r;
    let (l, m, r) = (l / z, m / z, r / z);
    Local {
        value: n * (top + z.ln()) - 0.5 * d * (p.left_wins - p.right_wins) - t * p.ties,
        d: 0.5 * (n * (l - r) - (p.left_wins - p.right_wins)),
        t: n * m - p.ties,
        dd: 0.25 * n * (l + r - (l - r) * (l - r)),
        dt: -0.5 * n * m * (l - r),
        tt: n * m * (1.0 - m),
    }
}

/// σ(x) and -ln σ(x), from one exponential and without overflow.
fn win(x: f64) -> (f64, f64) {
    let e = (-x.abs()).exp();
    let more = e.ln_1p();
    if x >= 0.0 { (1.0 / (1.0 + e), more) } else { (e / (1.0 + e), more - x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> Comparisons {
        let pair = |left, right, left_wins, right_wins, ties| Pair { left, right, left_wins, right_wins, ties };
        let pairs = vec![
            pair(0, 1, 3.0, 1.0, 2.0),
            pair(1, 2, 0.0, 2.0, 1.0),
            pair(2, 0, 4.0, 4.0, 0.0),
            pair(0, 2, 1.0, 0.0, 3.0),
        ];
        Comparisons { n_items: 3, pairs, decided: 15.0, ties: 6.0, with_itself: 0, repeated: 4, both_orders: 0.5 }
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let data = data();
        for ties in [TieModel::Half, TieModel::RaoKupper, TieModel::Davidson] {
            for position in [false, true] {
                let problem = Problem { data: &data, ties, position, ridge: 0.1, virtual_wins: 0.3 };
                let (n, e) = (3, problem.n_extra());
                let mut x = vec![0.4, -0.7, 1.1];
                x.extend([0.35, -0.2].into_iter().skip(usize::from(!problem.has_tie())).take(e));
                let at = problem.derivatives(&x);
                assert!((at.value - problem.value(&x)).abs() < 1e-12);
                let h = 1e-5;
                for a in 0..n + e {
                    let shifted = |by: f64| {
                        let mut y = x.clone();
                        y[a] += by;
                        y
                    };
                    let slope = (problem.value(&shifted(h)) - problem.value(&shifted(-h))) / (2.0 * h);
                    assert!((slope - at.gradient[a]).abs() < 1e-7, "{ties:?} gradient {a}: {slope} {}", at.gradient[a]);
                    let (up, down) = (problem.derivatives(&shifted(h)), problem.derivatives(&shifted(-h)));
                    for b in 0..n + e {
                        let curve = (up.gradient[b] - down.gradient[b]) / (2.0 * h);
                        let have = entry(&at, &data, a, b);
                        assert!((curve - have).abs() < 1e-6, "{ties:?} {position} {a} {b}: {curve} {have}");
                    }
                }
            }
        }
    }

    fn entry(at: &Derivatives, data: &Comparisons, a: usize, b: usize) -> f64 {
        let (n, e) = (data.n_items, at.border.len());
        match (a < n, b < n) {
            (true, true) if a == b => at.diagonal[a],
            (true, true) => {
                let meets = |p: &Pair| {
                    (p.left as usize, p.right as usize) == (a, b) || (p.left as usize, p.right as usize) == (b, a)
                };
                -data.pairs.iter().zip(&at.weight).filter(|(p, _)| meets(p)).map(|(_, w)| w).sum::<f64>()
            }
            (true, false) => at.border[b - n][a],
            (false, true) => at.border[a - n][b],
            (false, false) => at.corner[(a - n) * e + b - n],
        }
    }

    #[test]
    fn probabilities_of_the_three_outcomes_sum_to_one() {
        let one = |l, r, t| Pair { left: 0, right: 1, left_wins: l, right_wins: r, ties: t };
        for d in [-40.0, -1.3, 0.0, 0.2, 35.0] {
            for t in [0.05f64, 0.7, 3.0] {
                let data = data();
                for (ties, t) in [(TieModel::RaoKupper, t), (TieModel::Davidson, t.ln())] {
                    let problem = Problem { data: &data, ties, position: false, ridge: 0.0, virtual_wins: 0.0 };
                    let p = |pair: &Pair| {
                        let shared = problem.ties_value(t) / data.ties * pair.ties;
                        (-(problem.pair(pair, d, t).value + shared)).exp()
                    };
                    let sum = p(&one(1.0, 0.0, 0.0)) + p(&one(0.0, 1.0, 0.0)) + p(&one(0.0, 0.0, 1.0));
                    assert!((sum - 1.0).abs() < 1e-12, "{ties:?} {d} {t}: {sum}");
                }
            }
        }
    }
}
