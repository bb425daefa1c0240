//! Probabilities of the three outcomes of a comparison, and how they change.

use super::TieModel;
use crowdwise_numerics::logistic_both;

/// The tie parameter at one point: u = ln η (Rao and Kupper) or ln ν (Davidson), so that any number is allowed.
#[derive(Clone, Copy, Debug)]
pub struct Ties {
    pub model: TieModel,
    /// η, or ln ν.
    value: f64,
    /// e^2η - 1.
    growth: f64,
}

impl Ties {
    pub fn at(model: TieModel, u: f64) -> Ties {
        match model {
            TieModel::RaoKupper => {
                let eta = u.clamp(-40.0, 5.0).exp();
                Ties { model, value: eta, growth: (2.0 * eta).exp_m1() }
            }
            TieModel::Davidson | TieModel::Half => Ties { model, value: u, growth: 0.0 },
        }
    }

    /// The u that makes the observed share of ties between equal items.
    pub fn start(model: TieModel, share: f64) -> f64 {
        let share = share.clamp(1e-6, 1.0 - 1e-6);
        match model {
            TieModel::RaoKupper => ((1.0 + share) / (1.0 - share)).ln().ln(),
            TieModel::Davidson => (2.0 * share / (1.0 - share)).ln(),
            TieModel::Half => 0.0,
        }
    }

    /// η or ν, as people know it.
    pub fn parameter(&self) -> f64 {
        if self.model == TieModel::Davidson { self.value.exp() } else { self.value }
    }
}

/// P(left), P(right), P(tie) in the order of `Preference`, with their derivatives in the difference and in u.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcomes {
    pub p: [f64; 3],
    pub by_difference: [f64; 3],
    pub by_tie: [f64; 3],
}

impl Outcomes {
    #[inline]
    pub fn at(ties: &Ties, d: f64) -> Outcomes {
        match ties.model {
            TieModel::Half => {
                let (l, r) = logistic_both(d);
                let v = l * r;
                Outcomes { p: [l, r, 0.0], by_difference: [v, -v, 0.0], by_tie: [0.0; 3] }
            }
            TieModel::RaoKupper => {
                let eta = ties.value;
                let ((l, not_l), (r, not_r)) = (logistic_both(d - eta), logistic_both(-d - eta));
                let tie = ties.growth * l * r;
                let (vl, vr) = (l * not_l, r * not_r);
                Outcomes {
                    p: [l, r, tie],
                    by_difference: [vl, -vr, tie * (not_l - not_r)],
                    by_tie: [-vl * eta, -vr * eta, (vl + vr) * eta],
                }
            }
            TieModel::Davidson => {
                let t = ties.value;
                let top = t.max(0.5 * d.abs());
                let (l, m, r) = ((0.5 * d - top).exp(), (t - top).exp(), (-0.5 * d - top).exp());
                let z = l + m + r;
                let (l, m, r) = (l / z, m / z, r / z);
                let lean = 0.5 * (l - r);
                Outcomes {
                    p: [l, r, m],
                    by_difference: [l * (0.5 - lean), r * (-0.5 - lean), -m * lean],
                    by_tie: [-l * m, -r * m, m * (1.0 - m)],
                }
            }
        }
    }

    /// The outcomes at the opposite difference; derivatives are in its own argument.
    #[inline]
    pub fn opposite(&self) -> Outcomes {
        let ([l, r, m], [dl, dr, dm], [tl, tr, tm]) = (self.p, self.by_difference, self.by_tie);
        Outcomes { p: [r, l, m], by_difference: [-dr, -dl, -dm], by_tie: [tr, tl, tm] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_sum_to_one_and_derivatives_are_theirs() {
        for model in [TieModel::Half, TieModel::RaoKupper, TieModel::Davidson] {
            for d in [-30.0, -2.0, -0.1, 0.0, 1.5, 25.0] {
                for u in [-2.0, -0.3, 0.7] {
                    let at = |d: f64, u: f64| Outcomes::at(&Ties::at(model, u), d);
                    let o = at(d, u);
                    assert!((o.p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{model:?} {d} {u}");
                    let h = 1e-5;
                    for c in 0..3 {
                        let by_d = (at(d + h, u).p[c] - at(d - h, u).p[c]) / (2.0 * h);
                        let by_u = (at(d, u + h).p[c] - at(d, u - h).p[c]) / (2.0 * h);
                        assert!((by_d - o.by_difference[c]).abs() < 1e-9, "{model:?} {d} {u} {c}");
                        assert!((by_u - o.by_tie[c]).abs() < 1e-9, "{model:?} {d} {u} {c}");
                        let other = at(-d, u);
                        assert!((other.p[c] - o.opposite().p[c]).abs() < 1e-12);
                        assert!((other.by_difference[c] - o.opposite().by_difference[c]).abs() < 1e-12);
                        assert!((other.by_tie[c] - o.opposite().by_tie[c]).abs() < 1e-12);
                    }
                }
            }
        }
    }
}
