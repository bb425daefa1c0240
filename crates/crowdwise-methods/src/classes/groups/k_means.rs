//! k-means without random numbers, so that groups depend on the labels only.

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
    fn clusters_far_apart_are_found() {
        let points: Vec<f64> = (0..30).flat_map(|i| [(i % 3) as f64 * 10.0 + 0.01 * i as f64, 0.0]).collect();
        let own = k_means(&points, 2, 3, &(0..30).collect::<Vec<_>>());
        for i in 0..30 {
            assert_eq!(own[i], own[i % 3]);
        }
        assert!(own[0] != own[1] && own[1] != own[2] && own[0] != own[2]);
    }
}
