//! Leading eigenpairs of a symmetric operator by filtered subspace iteration, and k-means; both without random numbers, so that
//! groups depend on the labels only.

/// Eigenvalues of a small symmetric matrix (n x n), largest first, with eigenvectors as rows, by Jacobi rotations.
pub(super) fn symmetric_eigen(matrix: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut a = matrix.to_vec();
    let mut v: Vec<f64> = (0..n * n).map(|x| f64::from(u8::from(x / n == x % n))).collect();
    for _ in 0..60 {
        let off: f64 = (0..n * n).filter(|x| x / n != x % n).map(|x| a[x] * a[x]).sum();
        let all: f64 = a.iter().map(|x| x * x).sum();
        if off <= 1e-28 * all {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let apq = a[p * n + q];
                if apq.abs() < 1e-300 {
                    continue;
                }
                let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
                let t = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (v[p * n + k], v[q * n + k]);
                    (v[p * n + k], v[q * n + k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&x, &y| a[y * n + y].total_cmp(&a[x * n + x]));
    let vectors = order.iter().flat_map(|&x| v[x * n..(x + 1) * n].to_vec()).collect();
    (order.iter().map(|&x| a[x * n + x]).collect(), vectors)
}

/// Makes the rows orthonormal; rows that vanish stay 0.
fn orthonormal(rows: &mut [Vec<f64>]) {
    for x in 0..rows.len() {
        // twice: rounding of the first pass is removed by the second
        for _ in 0..2 {
            for y in 0..x {
                let (before, own) = rows.split_at_mut(x);
                let d: f64 = own[0].iter().zip(&before[y]).map(|(a, b)| a * b).sum();
                own[0].iter_mut().zip(&before[y]).for_each(|(a, b)| *a -= d * b);
            }
        }
        let norm = rows[x].iter().map(|a| a * a).sum::<f64>().sqrt();
        let scale = if norm > 1e-150 { 1.0 / norm } else { 0.0 };
        rows[x].iter_mut().for_each(|a| *a *= scale);
    }
}

/// Maximum number of rounds.
const ROUNDS: usize = 200;

/// Degree of the polynomial that a round applies.
const DEGREE: usize = 10;

/// The `want` algebraically largest eigenpairs of a symmetric operator of size `n` with eigenvalues of at least -`shift`:
/// values and vectors. `apply` writes the product into its second argument.
///
/// Every round multiplies the basis with a Chebyshev polynomial of the operator, which is small from -`shift` to the least
/// eigenvalue that the basis has found and grows fast beyond: eigenvalues that lie close together, as those of noise do,
/// would take the plain power method a thousand rounds.
pub(super) fn leading(
    n: usize,
    want: usize,
    shift: f64,
    mut apply: impl FnMut(&[f64], &mut [f64]),
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let size = (want + 6).min(n);
    // fixed, irregular start: a golden-ratio sequence hits no symmetry of the data
    let start = |v: usize, i: usize| ((i + 1) as f64 * (v + 1) as f64 * 0.618_033_988_749_895).fract() - 0.5;
    let mut basis: Vec<Vec<f64>> = (0..size).map(|v| (0..n).map(|i| start(v, i)).collect()).collect();
    if let Some(first) = basis.first_mut() {
        first.fill(1.0);
    }
    orthonormal(&mut basis);
    let mut values = vec![f64::INFINITY; size];
    let mut image = vec![vec![0.0; n]; size];
    for round in 0..ROUNDS {
        for (x, y) in basis.iter().zip(&mut image) {
            apply(x, y);
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let mut small = vec![0.0; size * size];
        for a in 0..size {
            for b in 0..size {
                small[a * size + b] = 0.5 * (dot(&basis[a], &image[b]) + dot(&basis[b], &image[a]));
            }
        }
        let (found, turn) = symmetric_eigen(&small, size);
        let change = found.iter().zip(&values).take(want).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        values = found;
        let mix = |of: &[Vec<f64>], v: usize| {
            let mut out = vec![0.0; n];
            for (b, row) in of.iter().enumerate() {
                let t = turn[v * size + b];
                out.iter_mut().zip(row).for_each(|(o, x)| *o += t * x);
            }
            out
        };
        let turned: Vec<Vec<f64>> = (0..size).map(|v| mix(&basis, v)).collect();
        if change < 1e-10 || round + 1 == ROUNDS {
            basis = turned;
            break;
        }
        let low = -shift;
        // never so narrow that the polynomial leaves the range of numbers
        let high = values[size - 1].max(low + 0.05 * (values[0] - low)).max(low + 1e-12);
        let (centre, half) = (0.5 * (low + high), 0.5 * (high - low));
        let mut next: Vec<Vec<f64>> = Vec::with_capacity(size);
        for (v, mut before) in turned.into_iter().enumerate() {
            let mut now = mix(&image, v);
            now.iter_mut().zip(&before).for_each(|(y, x)| *y = (*y - centre * x) / half);
            let mut product = vec![0.0; n];
            for _ in 2..=DEGREE {
                apply(&now, &mut product);
                for i in 0..n {
                    let after = 2.0 * (product[i] - centre * now[i]) / half - before[i];
                    (before[i], now[i]) = (now[i], after);
                }
            }
            next.push(now);
        }
        orthonormal(&mut next);
        basis = next;
    }
    values.truncate(want);
    basis.truncate(want);
    (values, basis)
}

/// Starts of k-means.
const STARTS: usize = 20;

/// Clusters `points` (rows of `dim` numbers) into `k`: the best of several starts, each the farthest points from one of
/// them. `order` says which points are tried first.
pub(super) fn k_means(points: &[f64], dim: usize, k: usize, order: &[usize]) -> Vec<usize> {
    let n = order.len();
    let point = |i: usize| &points[i * dim..(i + 1) * dim];
    let far = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    let mut best: (f64, Vec<usize>) = (f64::INFINITY, vec![0; n]);
    for start in 0..STARTS.min(n) {
        let mut centres: Vec<Vec<f64>> = vec![point(order[start * n / STARTS.min(n)]).to_vec()];
        while centres.len() < k {
            let nearest = |i: usize| centres.iter().map(|c| far(point(i), c)).fold(f64::INFINITY, f64::min);
            let Some(&next) = order.iter().max_by(|&&a, &&b| nearest(a).total_cmp(&nearest(b))) else { break };
            centres.push(point(next).to_vec());
        }
        let mut own = vec![0; n];
        for _ in 0..100 {
            let near = |i: usize| {
                (0..centres.len())
                    .min_by(|&a, &b| far(point(i), &centres[a]).total_cmp(&far(point(i), &centres[b])))
                    .unwrap_or(0)
            };
            let next: Vec<usize> = (0..n).map(near).collect();
            let done = next == own;
            own = next;
            for (c, centre) in centres.iter_mut().enumerate() {
                let members: Vec<usize> = (0..n).filter(|&i| own[i] == c).collect();
                if members.is_empty() {
                    continue;
                }
                centre.fill(0.0);
                for &i in &members {
                    centre.iter_mut().zip(point(i)).for_each(|(a, b)| *a += b / members.len() as f64);
                }
            }
            if done {
                break;
            }
        }
        let inertia: f64 = (0..n).map(|i| far(point(i), &centres[own[i]])).sum();
        if inertia < best.0 - 1e-9 {
            best = (inertia, own);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_pairs_of_a_known_matrix() {
        // a path of n nodes: eigenvalues 2 cos(pi j / (n + 1))
        let n = 30;
        let apply = |x: &[f64], y: &mut [f64]| {
            for i in 0..n {
                y[i] = if i > 0 { x[i - 1] } else { 0.0 } + if i + 1 < n { x[i + 1] } else { 0.0 };
            }
        };
        let (values, vectors) = leading(n, 3, 2.0, apply);
        for (j, value) in values.iter().enumerate() {
            let want = 2.0 * (std::f64::consts::PI * (j + 1) as f64 / (n + 1) as f64).cos();
            assert!((value - want).abs() < 1e-8, "{value} {want}");
            let mut image = vec![0.0; n];
            apply(&vectors[j], &mut image);
            let off = image.iter().zip(&vectors[j]).map(|(a, b)| (a - value * b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-3, "{off}");
        }
    }

    #[test]
    fn a_small_matrix_is_taken_apart_exactly() {
        let (values, vectors) = symmetric_eigen(&[2.0, 1.0, 1.0, 2.0], 2);
        assert!((values[0] - 3.0).abs() < 1e-12 && (values[1] - 1.0).abs() < 1e-12);
        assert!((vectors[0] - vectors[1]).abs() < 1e-12 && (vectors[2] + vectors[3]).abs() < 1e-12);
    }

    #[test]
    fn clusters_far_apart_are_found() {
        let points: Vec<f64> = (0..30).flat_map(|i| [(i % 3) as f64 * 10.0 + 0.01 * i as f64, 0.0]).collect();
        let own = k_means(&points, 2, 3, &(0..30).collect::<Vec<_>>());
        for i in 0..30 {
            assert_eq!(own[i], own[i % 3]);
        }
        assert!(own[0] != own[1] && own[1] != own[2] && own[0] != own[2]);
    }
}
