//! Assignment of rows to columns.

/// The permutation p that maximises the sum of `score[i][p[i]]` (K x K): the Hungarian method, K^3 steps.
pub fn best_assignment(score: &[f64], k: usize) -> Vec<usize> {
    // potentials u (rows) and v (columns), 1-based with 0 as "none"; costs are negative scores
    let cost = |i: usize, j: usize| -score[(i - 1) * k + (j - 1)];
    let (mut u, mut v) = (vec![0.0; k + 1], vec![0.0; k + 1]);
    let mut row_of = vec![0usize; k + 1];
    for row in 1..=k {
        let mut column = 0;
        row_of[0] = row;
        let mut slack = vec![f64::INFINITY; k + 1];
        let mut from = vec![0usize; k + 1];
        let mut done = vec![false; k + 1];
        while row_of[column] != 0 {
            done[column] = true;
            let i = row_of[column];
            let (mut step, mut next) = (f64::INFINITY, 0);
            for j in 1..=k {
                if done[j] {
                    continue;
                }
                let reduced = cost(i, j) - u[i] - v[j];
                if reduced < slack[j] {
                    slack[j] = reduced;
                    from[j] = column;
                }
                if slack[j] < step {
                    step = slack[j];
                    next = j;
                }
            }
            for j in 0..=k {
                if done[j] {
                    u[row_of[j]] += step;
                    v[j] -= step;
                } else {
                    slack[j] -= step;
                }
            }
            column = next;
        }
        while column != 0 {
            let before = from[column];
            row_of[column] = row_of[before];
            column = before;
        }
    }
    let mut out = vec![0; k];
    (1..=k).for_each(|j| out[row_of[j] - 1] = j - 1);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream;
    use rand::RngExt;

    #[test]
    fn assignment_is_the_best_of_all() {
        let mut rng = stream(3, "assignment", 0);
        for _ in 0..200 {
            let score: Vec<f64> = (0..16).map(|_| rng.random::<f64>() - 0.3).collect();
            let total = |p: &[usize]| (0..4).map(|i| score[i * 4 + p[i]]).sum::<f64>();
            let mut best = f64::MIN;
            for code in 0..256usize {
                let p: Vec<usize> = (0..4).map(|i| code >> (2 * i) & 3).collect();
                if (0..4).all(|x| p.contains(&x)) {
                    best = best.max(total(&p));
                }
            }
            let p = best_assignment(&score, 4);
            assert!((0..4).all(|x| p.contains(&x)));
            assert!((total(&p) - best).abs() < 1e-12);
        }
        assert_eq!(best_assignment(&[1.0], 1), [0]);
    }
}
