//! Logarithms of determinants of Gram matrices, with what their derivatives need.

use crowdwise_numerics::Cholesky;

/// Added to the diagonal; what is summed up are probabilities, so that its size is known.
const RIDGE: f64 = 1e-6;

/// Sum over rows of row rowᵀ, times `scale`.
pub(super) fn gram_of_rows(rows: &[f64], k: usize, scale: f64) -> Vec<f64> {
    let mut out = vec![0.0; k * k];
    for row in rows.chunks_exact(k) {
        for a in 0..k {
            for b in 0..k {
                out[a * k + b] += scale * row[a] * row[b];
            }
        }
    }
    out
}

/// Adds A Aᵀ of a confusion matrix (row = truth), times `scale`: truth x truth.
pub(super) fn gram_of_matrix(a: &[f64], k: usize, scale: f64, out: &mut [f64]) {
    for s in 0..k {
        for t in 0..k {
            out[s * k + t] += scale * (0..k).map(|l| a[s * k + l] * a[t * k + l]).sum::<f64>();
        }
    }
}

/// ln det (G + a small ridge) and the inverse; none if G is not positive.
pub(super) fn log_det(gram: &[f64], k: usize) -> Option<(f64, Vec<f64>)> {
    let mut ridged = gram.to_vec();
    (0..k).for_each(|i| ridged[i * k + i] += RIDGE);
    let factor = Cholesky::new(k, ridged)?;
    let value = factor.ln_det();
    value.is_finite().then(|| (value, factor.inverse()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn determinants_and_inverses() {
        // det of [[2, 1], [1, 3]] is 5
        let (value, inverse) = log_det(&[2.0, 1.0, 1.0, 3.0], 2).unwrap();
        assert!((value - 5f64.ln()).abs() < 1e-5);
        let want = [0.6, -0.2, -0.2, 0.4];
        assert!(inverse.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-5), "{inverse:?}");
        assert!(log_det(&[-1.0; 4], 2).is_none() && log_det(&[f64::NAN; 4], 2).is_none());
        let mut g = vec![0.0; 4];
        gram_of_matrix(&[1.0, 2.0, 3.0, 4.0], 2, 1.0, &mut g);
        assert_eq!(g, [5.0, 11.0, 11.0, 25.0]);
        assert_eq!(gram_of_rows(&[1.0, 2.0, 3.0, 4.0], 2, 0.5), [5.0, 7.0, 7.0, 10.0]);
    }
}
