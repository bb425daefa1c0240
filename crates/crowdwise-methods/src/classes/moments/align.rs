//! Classes of factors put in the order of the data's classes, and columns put on the simplex. Tables are K x K with
//! `table[label * K + truth]`; a column is the distribution of labels for one truth.

use crowdwise_numerics::best_assignment;

/// The permutation of columns that makes `tables` most like `target` (both places x K x K), one for all places, each
/// place counted with its weight: column t of the aligned tables is column `p[t]` of the given ones. The sum of squared
/// differences is smallest where the sum of products is largest.
pub(super) fn common_order(tables: &[f64], target: &[f64], weight: &[f64], k: usize) -> Vec<usize> {
    let mut score = vec![0.0; k * k];
    for ((a, v), &w) in tables.chunks_exact(k * k).zip(target.chunks_exact(k * k)).zip(weight) {
        add_products(&mut score, a, v, w, k);
    }
    best_assignment(&score, k)
}

/// The same for one place.
pub(super) fn own_order(table: &[f64], target: &[f64], k: usize) -> Vec<usize> {
    common_order(table, target, &[1.0], k)
}

/// The permutation with the largest trace, for one place.
pub(super) fn trace_order(table: &[f64], k: usize) -> Vec<usize> {
    let score: Vec<f64> = (0..k * k).map(|x| table[x]).collect();
    best_assignment(&score, k)
}

fn add_products(score: &mut [f64], a: &[f64], v: &[f64], w: f64, k: usize) {
    for l in 0..k {
        for t in 0..k {
            let x = w * v[l * k + t];
            (0..k).for_each(|c| score[t * k + c] += x * a[l * k + c]);
        }
    }
}

/// Columns of every table in a new order.
pub(super) fn reorder(tables: &mut [f64], order: &[usize], k: usize) {
    let mut row = vec![0.0; k];
    for own in tables.chunks_exact_mut(k) {
        row.copy_from_slice(own);
        own.iter_mut().zip(order).for_each(|(x, &c)| *x = row[c]);
    }
}

/// Raises the entries of tables to at least `floor` and makes columns sum to 1.
pub(super) fn clip(tables: &mut [f64], floor: f64, k: usize) {
    for table in tables.chunks_exact_mut(k * k) {
        for t in 0..k {
            let mut sum = 0.0;
            for l in 0..k {
                let x = table[l * k + t].max(floor);
                table[l * k + t] = x;
                sum += x;
            }
            (0..k).for_each(|l| table[l * k + t] /= sum);
        }
    }
}

/// Projects a vector onto the probability simplex: the nearest point that is non-negative and sums to 1.
pub(super) fn to_simplex(x: &mut [f64], sorted: &mut Vec<f64>) {
    sorted.clear();
    sorted.extend_from_slice(x);
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (n, &v) in sorted.iter().enumerate() {
        sum += v;
        let s = (sum - 1.0) / (n + 1) as f64;
        if v > s {
            shift = s;
        }
    }
    x.iter_mut().for_each(|v| *v = (*v - shift).max(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;

    #[test]
    fn the_projection_is_the_nearest_point() {
        let mut rng = stream(1, "simplex", 0);
        let mut scratch = Vec::new();
        for _ in 0..200 {
            let x: Vec<f64> = (0..4).map(|_| rng.random_range(-1.0..1.5)).collect();
            let mut p = x.clone();
            to_simplex(&mut p, &mut scratch);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p.iter().all(|&v| v >= 0.0));
            let distance = |q: &[f64]| q.iter().zip(&x).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            let best = distance(&p);
            for _ in 0..50 {
                let mut q: Vec<f64> = (0..4).map(|_| rng.random_range(0.0f64..1.0)).collect();
                let s: f64 = q.iter().sum();
                q.iter_mut().for_each(|v| *v /= s);
                assert!(distance(&q) >= best - 1e-12);
            }
        }
    }

    #[test]
    fn shuffled_classes_are_put_back() {
        let mut rng = stream(2, "order", 0);
        let (k, m) = (4, 6);
        let mut truth: Vec<f64> = (0..m * k * k).map(|_| rng.random_range(0.0..1.0)).collect();
        clip(&mut truth, 1e-6, k);
        let mut mixed = truth.clone();
        reorder(&mut mixed, &[2, 0, 3, 1], k);
        let order = common_order(&mixed, &truth, &vec![1.0; m], k);
        reorder(&mut mixed, &order, k);
        assert_eq!(mixed, truth);
        let mut one = truth[..k * k].to_vec();
        reorder(&mut one, &[1, 0, 2, 3], k);
        let order = own_order(&one, &truth[..k * k], k);
        reorder(&mut one, &order, k);
        assert_eq!(one, truth[..k * k]);
        assert_eq!(trace_order(&[0.1, 0.8, 0.9, 0.2], 2), [1, 0]);
    }
}
