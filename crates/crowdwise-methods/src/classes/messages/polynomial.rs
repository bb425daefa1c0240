//! The exact one-coin message by expanding the product over labels.
//!
//! ∏ (p q + (1 - p) (1 - q) / (K - 1)) is a polynomial in q. Liu, Peng and Ihler sum its coefficients against moments of the
//! Beta prior. Here it stands in the Bernstein basis, Σ_c b_c C(n, c) q^c (1 - q)^(n - c): all coefficients are positive
//! means of products, the moments lose their factor of up to 2^n, and nothing cancels or underflows that matters.

use super::coin_factor::Known;
use crowdwise_core::stats::ln_gamma;
use crowdwise_numerics::dot;

/// As [`super::coin_factor::Factor::messages`]; quadratic in the number of labels (times its logarithm).
pub(super) fn messages(p: &[f64], a: f64, b: f64, others: f64, out: &mut [f64]) -> Known {
    let n = p.len();
    if n == 0 {
        return Known { ln_evidence: 0.0, accuracy: a / (a + b) };
    }
    let factors: Vec<[f64; 2]> = p.iter().map(|&p| [p, (1.0 - p) / others]).collect();
    let whole = factors.iter().fold(Product::one(), |acc, f| acc.times(*f));
    let moments = Moments::new(a, b, n);
    let (total, right) = (dot(&whole.b, &moments.plain), dot(&whole.b, &moments.right));
    let rest = Moments::new(a, b, n - 1);
    leave_one_out(&factors, &mut |at: usize, product: &Product| {
        // a wrong class is one of K - 1
        out[at] = (dot(&product.b, &rest.right) * others / dot(&product.b, &rest.wrong)).ln();
    });
    Known { ln_evidence: total.ln() + whole.ln_scale, accuracy: right / total }
}

/// Coefficients in the Bernstein basis, the largest scaled to 1.
#[derive(Clone)]
struct Product {
    b: Vec<f64>,
    ln_scale: f64,
}

impl Product {
    fn one() -> Product {
        Product { b: vec![1.0], ln_scale: 0.0 }
    }

    /// Times f0 q + f1 (1 - q).
    fn times(mut self, [f0, f1]: [f64; 2]) -> Product {
        let d = self.b.len(); // new degree
        self.b.push(0.0);
        for c in (0..=d).rev() {
            let up = if c > 0 { c as f64 / d as f64 * f0 * self.b[c - 1] } else { 0.0 };
            let stay = (d - c) as f64 / d as f64 * f1 * self.b[c];
            self.b[c] = up + stay;
        }
        if d.is_multiple_of(16) {
            let top = self.b.iter().copied().fold(0.0, f64::max);
            self.b.iter_mut().for_each(|x| *x /= top);
            self.ln_scale += top.ln();
        }
        self
    }
}

/// Moments of the Beta prior against the Bernstein polynomials of degree n: alone, times q, times 1 - q.
struct Moments {
    plain: Vec<f64>,
    right: Vec<f64>,
    wrong: Vec<f64>,
}

impl Moments {
    fn new(a: f64, b: f64, n: usize) -> Moments {
        let rising = |x: f64, c: usize| ln_gamma(x + c as f64) - ln_gamma(x);
        let ln_factorial = |c: usize| ln_gamma(c as f64 + 1.0);
        let (ln_n, ln_sum, total) = (ln_factorial(n), rising(a + b, n), a + b + n as f64);
        let plain: Vec<f64> = (0..=n)
            .map(|c| {
                let ln_choose = ln_n - ln_factorial(c) - ln_factorial(n - c);
                (ln_choose + rising(a, c) + rising(b, n - c) - ln_sum).exp()
            })
            .collect();
        let right = plain.iter().enumerate().map(|(c, w)| w * (a + c as f64) / total).collect();
        let wrong = plain.iter().enumerate().map(|(c, w)| w * (b + (n - c) as f64) / total).collect();
        Moments { plain, right, wrong }
    }
}

/// Calls `leaf` for every factor with the product of all others, by halving: at each level every product takes on half of
/// the factors that it still lacks.
fn leave_one_out(factors: &[[f64; 2]], leaf: &mut impl FnMut(usize, &Product)) {
    fn descend(factors: &[[f64; 2]], first: usize, rest: &Product, leaf: &mut impl FnMut(usize, &Product)) {
        if factors.len() == 1 {
            leaf(first, rest);
            return;
        }
        let (left, right) = factors.split_at(factors.len() / 2);
        let with = |half: &[[f64; 2]]| half.iter().fold(rest.clone(), |acc, f| acc.times(*f));
        descend(left, first, &with(right), leaf);
        descend(right, first + left.len(), &with(left), leaf);
    }
    descend(factors, 0, &Product::one(), leaf);
}
