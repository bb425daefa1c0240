//! Linear systems with an operator that is known only by its products.

use crate::fast::dot;

/// When conjugate gradients stop.
#[derive(Clone, Copy, Debug)]
pub struct ConjugateGradients {
    /// Maximum number of products, beside one for a start that is not 0.
    pub max_iter: usize,
    /// What may be left of the right side, relatively (both in the norm that `scale` gives).
    pub accuracy: f64,
}

impl ConjugateGradients {
    /// Solves A x = b for a symmetric A without negative eigenvalues, from the start in `x`. `apply(p, out)` writes A p;
    /// `scale` is the inverse of the diagonal of A, roughly. A direction on which `b` has no part is never entered, so that
    /// A need not be regular.
    pub fn solve(&self, x: &mut [f64], b: &[f64], scale: &[f64], mut apply: impl FnMut(&[f64], &mut [f64])) {
        let n = x.len();
        let mut product = vec![0.0; n];
        let mut left = b.to_vec();
        if x.iter().any(|x| *x != 0.0) {
            apply(x, &mut product);
            left.iter_mut().zip(&product).for_each(|(l, p)| *l -= p);
        }
        let mut scaled: Vec<f64> = b.iter().zip(scale).map(|(b, s)| b * s).collect();
        let goal = self.accuracy * self.accuracy * dot(b, &scaled);
        scaled.iter_mut().zip(left.iter().zip(scale)).for_each(|(z, (l, s))| *z = l * s);
        let mut direction = scaled.clone();
        let mut size = dot(&left, &scaled);
        for _ in 0..self.max_iter {
            if size <= goal || size <= 0.0 {
                break;
            }
            apply(&direction, &mut product);
            let curve = dot(&direction, &product);
            if curve <= 0.0 {
                break;
            }
            let step = size / curve;
            for i in 0..n {
                x[i] += step * direction[i];
                left[i] -= step * product[i];
                scaled[i] = left[i] * scale[i];
            }
            let next = dot(&left, &scaled);
            let keep = next / size;
            size = next;
            for i in 0..n {
                direction[i] = scaled[i] + keep * direction[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: ConjugateGradients = ConjugateGradients { max_iter: 1000, accuracy: 1e-12 };

    /// A path with weights: its Laplacian plus `ridge`.
    fn laplacian(ridge: f64, x: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(x).for_each(|(o, x)| *o = ridge * x);
        for i in 1..x.len() {
            let by = (1.0 + i as f64) * (x[i] - x[i - 1]);
            out[i] += by;
            out[i - 1] -= by;
        }
    }

    #[test]
    fn solutions_solve_from_any_start() {
        let b: Vec<f64> = (0..60).map(|i| (i as f64 * 0.7).sin()).collect();
        let scale: Vec<f64> = (0..60).map(|i| 1.0 / (0.1 + 2.0 * i as f64 + 1.0)).collect();
        let mut found = Vec::new();
        for start in [0.0, 3.0] {
            let mut x = vec![start; 60];
            EXACT.solve(&mut x, &b, &scale, |p, out| laplacian(0.1, p, out));
            let mut back = vec![0.0; 60];
            laplacian(0.1, &x, &mut back);
            assert!(back.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-9));
            found.push(x);
        }
        assert!(found[0].iter().zip(&found[1]).all(|(x, y)| (x - y).abs() < 1e-8));
    }

    #[test]
    fn a_shift_that_nothing_fixes_is_left_alone() {
        let b: Vec<f64> = (0..10).map(|i| if i < 5 { 1.0 } else { -1.0 }).collect();
        let mut x = vec![0.0; 10];
        EXACT.solve(&mut x, &b, &[0.1; 10], |p, out| laplacian(0.0, p, out));
        assert!(x.iter().sum::<f64>().abs() < 1e-9 && x.iter().all(|x| x.is_finite()));
        // nothing wanted, nothing done
        let mut x = vec![0.0; 10];
        EXACT.solve(&mut x, &[0.0; 10], &[0.1; 10], |_, _| unreachable!("the start solves it"));
        assert_eq!(x, [0.0; 10]);
    }
}
