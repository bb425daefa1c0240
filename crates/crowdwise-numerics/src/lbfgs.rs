//! Smooth unconstrained minimisation: limited-memory BFGS with a diagonal scale and a weak Wolfe line search.

use crate::fast::dot;

/// When to stop, and how much to remember.
#[derive(Clone, Copy, Debug)]
pub struct Lbfgs {
    pub max_iter: usize,
    /// Stop when no variable would move by more than this in a scaled gradient step.
    pub tol: f64,
    /// Pairs of steps and gradient changes that are kept.
    pub history: usize,
}

/// How the search went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Searched {
    pub value: f64,
    pub steps: usize,
    pub evaluations: usize,
    pub converged: bool,
}

struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    rho: f64,
}

impl Lbfgs {
    /// Minimises from `x`, leaving the best point in it. `f` returns the value and writes the gradient; it is called
    /// once per point. `scale` is an approximate inverse of the diagonal of the second derivative. The value never
    /// rises: if no better point is found, `x` stays.
    pub fn minimise(&self, x: &mut Vec<f64>, scale: &[f64], mut f: impl FnMut(&[f64], &mut [f64]) -> f64) -> Searched {
        let mut search = Search::new(std::mem::take(x), self.history, &mut f);
        let mut out = Searched { value: search.value, steps: 0, evaluations: 1, converged: false };
        if out.value.is_finite() {
            for _ in 0..self.max_iter {
                // without descent left at the precision of the numbers, this is the end as well
                if search.distance(scale) <= self.tol || !search.step(scale, &mut f) {
                    out.converged = true;
                    break;
                }
                out.steps += 1;
            }
        }
        (out.value, out.evaluations) = (search.value, search.evaluations);
        *x = search.x;
        out
    }
}

/// A search step by step, for whoever has something to do between the steps.
pub struct Search {
    pub x: Vec<f64>,
    pub value: f64,
    pub evaluations: usize,
    g: Vec<f64>,
    next_x: Vec<f64>,
    next_g: Vec<f64>,
    d: Vec<f64>,
    pairs: Vec<Pair>,
    history: usize,
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("value", &self.value).finish_non_exhaustive()
    }
}

impl Search {
    pub fn new(x: Vec<f64>, history: usize, mut f: impl FnMut(&[f64], &mut [f64]) -> f64) -> Search {
        let n = x.len();
        let mut g = vec![0.0; n];
        let value = f(&x, &mut g);
        let (next_x, next_g, d) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        Search { x, value, evaluations: 1, g, next_x, next_g, d, pairs: Vec::new(), history }
    }

    /// How far a variable would move at most in a scaled gradient step.
    pub fn distance(&self, scale: &[f64]) -> f64 {
        self.g.iter().zip(scale).fold(0.0, |a, (g, h)| (g * h).abs().max(a))
    }

    /// Forgets the steps so far, for a new scale.
    pub fn forget(&mut self) {
        self.pairs.clear();
    }

    /// One step down; false if there is none, and `x` stays.
    pub fn step(&mut self, scale: &[f64], mut f: impl FnMut(&[f64], &mut [f64]) -> f64) -> bool {
        let n = self.x.len();
        direction(&self.pairs, &self.g, scale, &mut self.d);
        let mut slope = dot(&self.d, &self.g);
        if slope >= 0.0 || !slope.is_finite() {
            // the memory has gone bad (it cannot with exact arithmetic): fall back to the scaled gradient
            self.pairs.clear();
            direction(&self.pairs, &self.g, scale, &mut self.d);
            slope = dot(&self.d, &self.g);
        }
        let Some(value) = line_search(
            &self.x,
            self.value,
            slope,
            &self.d,
            &mut self.next_x,
            &mut self.next_g,
            &mut self.evaluations,
            &mut f,
        ) else {
            return false;
        };
        let mut oldest = if self.pairs.len() == self.history.max(1) {
            self.pairs.remove(0)
        } else {
            Pair { s: vec![0.0; n], y: vec![0.0; n], rho: 0.0 }
        };
        for i in 0..n {
            oldest.s[i] = self.next_x[i] - self.x[i];
            oldest.y[i] = self.next_g[i] - self.g[i];
        }
        let sy = dot(&oldest.s, &oldest.y);
        if sy > 1e-12 * dot(&oldest.y, &oldest.y).sqrt() * dot(&oldest.s, &oldest.s).sqrt() {
            oldest.rho = 1.0 / sy;
            self.pairs.push(oldest);
        }
        std::mem::swap(&mut self.x, &mut self.next_x);
        std::mem::swap(&mut self.g, &mut self.next_g);
        self.value = value;
        true
    }
}

/// -H g by the two-loop recursion.
fn direction(pairs: &[Pair], g: &[f64], scale: &[f64], d: &mut [f64]) {
    d.copy_from_slice(g);
    let mut a = vec![0.0; pairs.len()];
    for (p, a) in pairs.iter().zip(&mut a).rev() {
        *a = p.rho * dot(&p.s, d);
        add_scaled(d, -*a, &p.y);
    }
    d.iter_mut().zip(scale).for_each(|(d, h)| *d *= h);
    for (p, a) in pairs.iter().zip(&a) {
        let b = p.rho * dot(&p.y, d);
        add_scaled(d, a - b, &p.s);
    }
    for d in &mut *d {
        *d = -*d;
    }
}

fn add_scaled(d: &mut [f64], c: f64, v: &[f64]) {
    d.iter_mut().zip(v).for_each(|(d, v)| *d += c * v);
}

/// Bisection between too long (no sufficient decrease) and too short (still steep) steps. Returns the value at the
/// point left in `next_x`, or `None` if no step lowers the value.
fn line_search(
    x: &[f64],
    value: f64,
    slope: f64,
    d: &[f64],
    next_x: &mut [f64],
    next_g: &mut [f64],
    evaluations: &mut usize,
    f: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Option<f64> {
    const DECREASE: f64 = 1e-4;
    const CURVATURE: f64 = 0.9;
    let (mut low, mut high, mut t) = (0.0, f64::INFINITY, 1.0);
    let mut held = None; // longest step so far with enough decrease
    for tries in 0.. {
        for i in 0..x.len() {
            next_x[i] = x[i] + t * d[i];
        }
        let v = f(next_x, next_g);
        *evaluations += 1;
        if v.is_finite() && v <= value + DECREASE * t * slope {
            held = Some(t);
            if dot(next_g, d) >= CURVATURE * slope || tries >= 10 {
                return Some(v);
            }
            low = t;
        } else {
            high = t;
        }
        if tries >= 30 {
            break;
        }
        t = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * t };
    }
    let t = held?;
    for i in 0..x.len() {
        next_x[i] = x[i] + t * d[i];
    }
    *evaluations += 1;
    Some(f(next_x, next_g))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH: Lbfgs = Lbfgs { max_iter: 200, tol: 1e-10, history: 10 };

    #[test]
    fn finds_the_bottom_of_the_curved_valley() {
        // Rosenbrock in ten dimensions: minimum 0 at (1, …, 1)
        let f = |x: &[f64], g: &mut [f64]| {
            g.fill(0.0);
            let mut v = 0.0;
            for i in 0..9 {
                let (a, b) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
                v += 100.0 * a * a + b * b;
                g[i] += -400.0 * a * x[i] - 2.0 * b;
                g[i + 1] += 200.0 * a;
            }
            v
        };
        let mut x = vec![-1.2; 10];
        let out = SEARCH.minimise(&mut x, &[0.01; 10], f);
        assert!(out.converged && out.value < 1e-16, "{out:?}");
        assert!(x.iter().all(|v| (v - 1.0).abs() < 1e-7));
    }

    #[test]
    fn scales_make_a_stretched_bowl_round() {
        let h: Vec<f64> = (0..40).map(|i| 10f64.powi(i % 7)).collect();
        let f = |x: &[f64], g: &mut [f64]| {
            (0..40).for_each(|i| g[i] = h[i] * (x[i] - i as f64));
            0.5 * (0..40).map(|i| h[i] * (x[i] - i as f64).powi(2)).sum::<f64>()
        };
        let scale: Vec<f64> = h.iter().map(|h| 1.0 / h).collect();
        let mut x = vec![0.0; 40];
        let out = SEARCH.minimise(&mut x, &scale, f);
        assert!(out.converged && out.steps <= 2, "{out:?}");
    }

    #[test]
    fn a_start_at_the_minimum_or_beyond_reason_stays() {
        let f = |x: &[f64], g: &mut [f64]| {
            g[0] = 2.0 * x[0];
            x[0] * x[0]
        };
        let mut x = vec![0.0];
        assert_eq!(SEARCH.minimise(&mut x, &[1.0], f).steps, 0);
        let mut x = vec![f64::NAN];
        let out = SEARCH.minimise(&mut x, &[1.0], f);
        assert!(!out.converged && out.steps == 0);
    }
}
