//! Newton's method for the scores: dense for few items, conjugate gradients for many.

use super::likelihood::{Derivatives, Point, Problem};
use crowdwise_core::{Context, Error, Run, Step};
use crowdwise_numerics::{Cholesky, ConjugateGradients, dot};

/// Up to so many parameters the linear system is solved by elimination.
const DENSE: usize = 400;
/// How well the conjugate gradients solve for a step: each step then leaves this much of the distance, beside what is
/// left because the likelihood is not quadratic.
const ACCURACY: f64 = 1e-4;
/// Maximum number of steps of one conjugate gradient run; a step that is not quite solved is still a step uphill.
const MAX_CG: usize = 2000;

/// The second derivatives as a linear map.
#[derive(Debug)]
pub(super) struct Curvature<'a> {
    pub problem: &'a Problem<'a>,
    pub at: &'a Derivatives,
}

impl Curvature<'_> {
    /// out = H x.
    pub fn apply(&self, x: &[f64], out: &mut [f64]) {
        let (n, e) = (self.problem.n(), self.at.border.len());
        for i in 0..n {
            out[i] = self.at.diagonal[i] * x[i];
        }
        for (p, &w) in self.problem.data.pairs.iter().zip(&self.at.weight) {
            let (i, j) = (p.left as usize, p.right as usize);
            out[i] -= w * x[j];
            out[j] -= w * x[i];
        }
        for a in 0..e {
            let border = &self.at.border[a];
            for i in 0..n {
                out[i] += border[i] * x[n + a];
            }
            out[n + a] = dot(border, &x[..n]) + dot(&self.at.corner[a * e..(a + 1) * e], &x[n..]);
        }
    }

    /// H in full, with a multiple of the shift of every component added where the data says nothing about it.
    fn dense(&self, component: &[u32]) -> Vec<f64> {
        let (n, e) = (self.problem.n(), self.at.border.len());
        let size = n + e;
        let mut h = vec![0.0; size * size];
        if self.problem.shift_free() {
            let scale = self.at.diagonal.iter().sum::<f64>() / n as f64 / n as f64;
            for i in 0..n {
                for j in 0..n {
                    if component[i] == component[j] {
                        h[i * size + j] = scale.max(f64::MIN_POSITIVE);
                    }
                }
            }
        }
        for i in 0..n {
            h[i * size + i] += self.at.diagonal[i];
        }
        for (p, &w) in self.problem.data.pairs.iter().zip(&self.at.weight) {
            let (i, j) = (p.left as usize, p.right as usize);
            h[i * size + j] -= w;
            h[j * size + i] -= w;
        }
        for a in 0..e {
            for i in 0..n {
                h[i * size + n + a] = self.at.border[a][i];
                h[(n + a) * size + i] = self.at.border[a][i];
            }
            for b in 0..e {
                h[(n + a) * size + n + b] = self.at.corner[a * e + b];
            }
        }
        h
    }

    /// Solves H x = b to the relative accuracy `accuracy` by conjugate gradients, scaled by the diagonal. A direction
    /// without curvature (a shift, on which `b` has no part) is never entered.
    pub fn solve_iteratively(&self, b: &[f64], accuracy: f64) -> Vec<f64> {
        let (n, e) = (self.problem.n(), self.at.border.len());
        let scale: Vec<f64> = (0..n + e)
            .map(|i| if i < n { self.at.diagonal[i] } else { self.at.corner[(i - n) * e + i - n] })
            .map(|d| if d > 0.0 { 1.0 / d } else { 0.0 })
            .collect();
        let mut x = vec![0.0; n + e];
        ConjugateGradients { max_iter: MAX_CG.min(4 * (n + e)), accuracy }
            .solve(&mut x, b, &scale, |p, out| self.apply(p, out));
        x
    }

    /// The direction -H⁻¹ g.
    fn direction(&self, component: &[u32]) -> Vec<f64> {
        let down: Vec<f64> = self.at.gradient.iter().map(|g| -g).collect();
        if down.len() > DENSE {
            return self.solve_iteratively(&down, ACCURACY);
        }
        let h = self.dense(component);
        let size = down.len();
        // scores that run away leave no curvature; a little is then lent
        for lent in [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1.0] {
            let mut h = h.clone();
            (0..size).for_each(|i| h[i * size + i] += lent * (1.0 + h[i * size + i]));
            if let Some(c) = Cholesky::new(size, h) {
                let mut x = down.clone();
                c.solve(&mut x);
                return x;
            }
        }
        down
    }
}

/// Maximises from `x`; the trace holds the penalised log-likelihood.
pub(super) fn maximise(
    problem: &Problem<'_>,
    component: &[u32],
    x: &mut Point,
    max_iter: usize,
    tol: f64,
    cx: &mut Context<'_>,
) -> Result<Run, Error> {
    let mut at = problem.derivatives(x);
    cx.iterate(max_iter, tol, |cx, _| {
        let curvature = Curvature { problem, at: &at };
        let by = cx.install(|| curvature.direction(component))?;
        let slope = dot(&at.gradient, &by);
        let mut length = longest(problem, x, &by);
        let moved = |length: f64| -> Point { x.iter().zip(&by).map(|(a, b)| a + length * b).collect() };
        // a gain below rounding cannot be tested, and Newton's step is right by then
        let testable = -slope > 1e-12 * (1.0 + at.value.abs());
        let enough = |value: f64, length: f64| !testable || value <= at.value + 1e-4 * length * slope;
        // the full step is nearly always good: its derivatives are those of the next step
        let mut next = moved(length);
        let mut then = problem.derivatives(&next);
        let mut halvings = 0;
        while !enough(then.value, length) && halvings < 60 {
            length *= 0.5;
            halvings += 1;
            next = moved(length);
            if enough(problem.value(&next), length) {
                then = problem.derivatives(&next);
                break;
            }
        }
        if halvings == 60 {
            return Ok(Step { objective: Some(-at.value), change: 0.0 }); // no way up from here
        }
        if !then.value.is_finite() {
            return Ok(Step { objective: Some(-at.value), change: f64::NAN });
        }
        let change = by.iter().fold(0.0f64, |a, b| a.max(b.abs())) * length;
        *x = next;
        at = then;
        Ok(Step { objective: Some(-at.value), change })
    })
}

/// The longest step along `by` that keeps the threshold of Rao and Kupper above 0.
fn longest(problem: &Problem<'_>, x: &[f64], by: &[f64]) -> f64 {
    let tie = problem.n();
    if problem.ties == super::TieModel::RaoKupper && by[tie] < 0.0 { (-0.9 * x[tie] / by[tie]).min(1.0) } else { 1.0 }
}
