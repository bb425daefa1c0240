//! Correlations of estimates with the truth.

/// Pearson's correlation; `None` where one side does not vary.
pub fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let (ma, mb) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        ab += (a - ma) * (b - mb);
        aa += (a - ma).powi(2);
        bb += (b - mb).powi(2);
    }
    (aa > 0.0 && bb > 0.0).then(|| ab / (aa * bb).sqrt())
}

/// Ranks from 1; equal values share the mean of their places.
pub fn mean_ranks(x: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    let mut ranks = vec![0.0; x.len()];
    let mut before = 0;
    for group in order.chunk_by(|&a, &b| x[a] == x[b]) {
        for &i in group {
            ranks[i] = before as f64 + (group.len() + 1) as f64 / 2.0;
        }
        before += group.len();
    }
    ranks
}

/// Kendall's tau-b in n log n: pairs in the order of the first value, exchanges counted by merge sort (Knight 1966).
pub fn kendall(pairs: &[(f64, f64)]) -> Option<f64> {
    let mut p = pairs.to_vec();
    p.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let choose = |n: usize| (n * n.saturating_sub(1) / 2) as f64;
    let tied_a: f64 = p.chunk_by(|x, y| x.0 == y.0).map(|g| choose(g.len())).sum();
    let tied_both: f64 = p.chunk_by(|x, y| x == y).map(|g| choose(g.len())).sum();
    let mut b: Vec<f64> = p.iter().map(|x| x.1).collect();
    let mut space = b.clone();
    let exchanges = merge_count(&mut b, &mut space) as f64;
    let tied_b: f64 = b.chunk_by(|x, y| x == y).map(|g| choose(g.len())).sum();
    let all = choose(p.len());
    let below = ((all - tied_a) * (all - tied_b)).sqrt();
    (below > 0.0).then(|| (all - tied_a - tied_b + tied_both - 2.0 * exchanges) / below)
}

/// Sorts and returns the number of pairs that were out of order.
fn merge_count(x: &mut [f64], space: &mut [f64]) -> u64 {
    let n = x.len();
    if n < 2 {
        return 0;
    }
    let mid = n / 2;
    let mut count = {
        let (left, right) = x.split_at_mut(mid);
        merge_count(left, &mut space[..mid]) + merge_count(right, &mut space[mid..])
    };
    let (mut i, mut j) = (0, mid);
    for slot in space.iter_mut() {
        if j >= n || (i < mid && x[i] <= x[j]) {
            *slot = x[i];
            i += 1;
        } else {
            count += (mid - i) as u64;
            *slot = x[j];
            j += 1;
        }
    }
    x.copy_from_slice(space);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_and_correlations() {
        assert_eq!(mean_ranks(&[10.0, 5.0, 10.0, 7.0]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(correlation(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]), Some(1.0));
        assert_eq!(correlation(&[(1.0, 2.0), (1.0, 4.0)]), None);
    }

    proptest! {
        #[test]
        fn kendall_is_the_count_over_all_pairs(x in prop::collection::vec((0..6u8, 0..6u8), 0..25)) {
            let x: Vec<(f64, f64)> = x.iter().map(|&(a, b)| (a as f64, b as f64)).collect();
            let (mut s, mut ta, mut tb, mut n) = (0.0, 0.0, 0.0, 0.0);
            for i in 0..x.len() {
                for j in 0..i {
                    let (da, db) = (x[i].0 - x[j].0, x[i].1 - x[j].1);
                    if da != 0.0 && db != 0.0 {
                        s += (da * db).signum();
                    }
                    ta += f64::from(da == 0.0);
                    tb += f64::from(db == 0.0);
                    n += 1.0;
                }
            }
            let below = ((n - ta) * (n - tb)).sqrt();
            match kendall(&x) {
                Some(t) => prop_assert!((t - s / below).abs() < 1e-12),
                None => prop_assert!(below <= 0.0),
            }
        }
    }
}
