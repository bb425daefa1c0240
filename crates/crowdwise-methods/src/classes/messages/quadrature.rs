//! Gauss-Jacobi quadrature: integrals of smooth functions against a Beta density.

/// Nodes in (0, 1) and weights that sum to 1.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub node: Vec<f64>,
    pub weight: Vec<f64>,
}

/// The rule with `n` nodes for the density proportional to x^left (1 - x)^right on (0, 1), both exponents above -1: exact
/// for polynomials of degree 2n - 1. Golub and Welsch: nodes are the eigenvalues of the matrix of the three-term
/// recurrence, weights the squared first components of its eigenvectors.
pub(super) fn gauss_jacobi(n: usize, left: f64, right: f64) -> Rule {
    let s = left + right;
    let (mut diagonal, mut off) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let t = 2.0 * i as f64 + s;
        let d = if i == 0 { (left - right) / (s + 2.0) } else { (left - right) * s / (t * (t + 2.0)) };
        diagonal[i] = 0.5 * (1.0 + d); // from (-1, 1) to (0, 1)
        if i > 0 {
            let i = i as f64;
            let square = if i == 1.0 {
                // the general form divides 0 by 0 when the exponents sum to -1
                4.0 * (1.0 + right) * (1.0 + left) / ((2.0 + s) * (2.0 + s) * (3.0 + s))
            } else {
                4.0 * i * (i + right) * (i + left) * (i + s) / (t * t * (t + 1.0) * (t - 1.0))
            };
            off[i as usize - 1] = 0.5 * square.sqrt();
        }
    }
    let mut first = vec![0.0; n];
    first[0] = 1.0;
    eigen(&mut diagonal, &mut off, &mut first);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|&a, &b| diagonal[a].total_cmp(&diagonal[b]));
    let total: f64 = first.iter().map(|v| v * v).sum();
    Rule {
        // rounding must not push a node out of the open interval
        node: order.iter().map(|&i| diagonal[i].clamp(1e-17, 1.0 - 1.2e-16)).collect(),
        weight: order.iter().map(|&i| first[i] * first[i] / total).collect(),
    }
}

/// Eigenvalues of a symmetric tridiagonal matrix into `d`, and one row of its eigenvectors (the one that starts as `row`)
/// by the implicit QL method with shifts. `e[i]` couples i and i + 1.
fn eigen(d: &mut [f64], e: &mut [f64], row: &mut [f64]) {
    let n = d.len();
    for l in 0..n {
        for _ in 0..60 {
            let m =
                (l..n - 1).find(|&m| e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs()) * 0.5).unwrap_or(n - 1);
            if m == l {
                break;
            }
            let g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let r = g.hypot(1.0);
            let mut g = d[m] - d[l] + e[l] / (g + r.copysign(g));
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut early = false;
            for i in (l..m).rev() {
                let f = s * e[i];
                let b = c * e[i];
                let r = f.hypot(g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[m] = 0.0;
                    early = true;
                    break;
                }
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                let r = (d[i] - g) * s + 2.0 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                let f = row[i + 1];
                row[i + 1] = s * row[i] + c * f;
                row[i] = c * row[i] - s * f;
            }
            if early {
                continue;
            }
            d[l] -= p;
            e[l] = g;
            e[m] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stats::ln_gamma;

    /// Moments of Beta(a, b) up to the exact degree, for shapes below, at and above 1.
    #[test]
    fn moments_of_beta_densities_are_exact() {
        for (a, b) in [(2.0, 1.0), (1.0, 1.0), (0.2, 0.1), (0.5, 0.5), (0.6, 0.4), (30.0, 3.0), (1.0, 40.0)] {
            for n in [1, 2, 3, 7, 20, 64] {
                let rule = gauss_jacobi(n, a - 1.0, b - 1.0);
                assert!(rule.node.windows(2).all(|w| w[0] < w[1]) && rule.weight.iter().all(|w| *w > 0.0));
                for d in 0..2 * n {
                    let have: f64 = rule.node.iter().zip(&rule.weight).map(|(x, w)| w * x.powi(d as i32)).sum();
                    let d = d as f64;
                    let want = (ln_gamma(a + d) - ln_gamma(a) + ln_gamma(a + b) - ln_gamma(a + b + d)).exp();
                    assert!((have / want - 1.0).abs() < 1e-11, "({a}, {b}), {n} nodes, degree {d}: {have} {want}");
                }
            }
        }
    }

    /// scipy.special.roots_jacobi(3, 0, 1), mapped to (0, 1), weights divided by their sum.
    #[test]
    fn three_nodes_of_the_usual_prior() {
        let rule = gauss_jacobi(3, 1.0, 0.0);
        let node = [0.212_340_538_239_153, 0.590_533_135_559_265, 0.911_412_040_487_296];
        let weight = [0.139_653_959_802_908, 0.458_482_212_719_173, 0.401_863_827_477_919];
        for i in 0..3 {
            assert!((rule.node[i] - node[i]).abs() < 1e-14 && (rule.weight[i] - weight[i]).abs() < 1e-12, "{rule:?}");
        }
    }
}
