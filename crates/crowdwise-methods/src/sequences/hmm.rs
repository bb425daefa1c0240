//! Forward-backward and Viterbi for one sequence.
//!
//! Weights need not sum to one: variational methods bring the exponentials of expected logarithms. Every weight is at least
//! [`FLOOR`], so that no observation is impossible and nothing is divided by zero.

/// The least weight of a step: e^-230, beyond what a few labels can outweigh, far from underflow.
pub(crate) const FLOOR: f64 = 1e-100;

/// Start weights (K) and step weights (K x K, row = from).
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    pub k: usize,
    pub start: Vec<f64>,
    pub step: Vec<f64>,
}

impl Weights {
    pub fn new(start: Vec<f64>, step: Vec<f64>) -> Weights {
        let least = |x: Vec<f64>| x.into_iter().map(|p| p.max(FLOOR)).collect();
        Weights { k: start.len(), start: least(start), step: least(step) }
    }
}

/// What one sequence adds to the expected counts.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    /// First tokens by class.
    pub start: Vec<f64>,
    /// Steps by class before and after.
    pub step: Vec<f64>,
    pub log_z: f64,
}

impl Counts {
    pub fn new(k: usize) -> Counts {
        Counts { start: vec![0.0; k], step: vec![0.0; k * k], log_z: 0.0 }
    }

    pub fn add(&mut self, other: &Counts) {
        self.start.iter_mut().zip(&other.start).for_each(|(a, b)| *a += b);
        self.step.iter_mut().zip(&other.step).for_each(|(a, b)| *a += b);
        self.log_z += other.log_z;
    }
}

/// Turns the log-emissions of a sequence (tokens x K) into the probabilities of its classes and adds its expected steps to
/// `counts`. An emission of minus infinity rules a class out.
pub(crate) fn forward_backward(w: &Weights, rows: &mut [f64], counts: &mut Counts, scratch: &mut Vec<f64>) {
    let k = w.k;
    let n = rows.len() / k;
    // emissions relative to the best class, then alpha over them
    scratch.clear();
    scratch.resize(n * k + 2 * k, 0.0);
    let (alpha, rest) = scratch.split_at_mut(n * k);
    let (beta, next) = rest.split_at_mut(k);
    for t in 0..n {
        let b = &mut rows[t * k..(t + 1) * k];
        let top = b.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        b.iter_mut().for_each(|x| *x = (*x - top).exp());
        let (before, now) = alpha.split_at_mut(t * k);
        let now = &mut now[..k];
        if t == 0 {
            now.copy_from_slice(&w.start);
        } else {
            let before = &before[(t - 1) * k..];
            for i in 0..k {
                let p = before[i];
                now.iter_mut().zip(&w.step[i * k..]).for_each(|(x, s)| *x += p * s);
            }
        }
        now.iter_mut().zip(b.iter()).for_each(|(x, e)| *x *= e);
        let sum: f64 = now.iter().sum();
        now.iter_mut().for_each(|x| *x /= sum);
        counts.log_z += sum.ln() + top;
    }
    // beta is scaled by its largest entry: only its proportions matter
    beta.fill(1.0);
    for t in (0..n).rev() {
        let row = &mut rows[t * k..(t + 1) * k];
        let here = &alpha[t * k..(t + 1) * k];
        if t > 0 {
            // emission and future of each class at t
            next.iter_mut().zip(row.iter()).zip(beta.iter()).for_each(|((x, e), f)| *x = e * f);
        }
        row.iter_mut().zip(here).zip(beta.iter()).for_each(|((g, a), f)| *g = a * f);
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|g| *g /= sum);
        if t == 0 {
            counts.start.iter_mut().zip(row.iter()).for_each(|(c, g)| *c += g);
            break;
        }
        let before = &alpha[(t - 1) * k..t * k];
        for i in 0..k {
            let step = &w.step[i * k..(i + 1) * k];
            beta[i] = step.iter().zip(next.iter()).map(|(s, x)| s * x).sum();
        }
        let total: f64 = before.iter().zip(beta.iter()).map(|(a, f)| a * f).sum();
        for i in 0..k {
            let p = before[i] / total;
            let step = &w.step[i * k..(i + 1) * k];
            let out = &mut counts.step[i * k..(i + 1) * k];
            for j in 0..k {
                out[j] += p * step[j] * next[j];
            }
        }
        let largest = beta.iter().copied().fold(0.0, f64::max);
        beta.iter_mut().for_each(|f| *f /= largest);
    }
}

/// The path with the largest sum of emissions and steps (both logarithms); of equal ones that with the first classes.
/// `start` has K entries, `step` K x K, `rows` tokens x K; minus infinity rules out.
pub(crate) fn viterbi(start: &[f64], step: &[f64], rows: &[f64], path: &mut [u32]) {
    let k = start.len();
    let n = rows.len() / k;
    let mut score: Vec<f64> = start.iter().zip(rows).map(|(s, e)| s + e).collect();
    let mut back = vec![0u32; n * k];
    let mut now = vec![0.0; k];
    for t in 1..n {
        for j in 0..k {
            let (mut best, mut from) = (f64::NEG_INFINITY, 0);
            for i in 0..k {
                let s = score[i] + step[i * k + j];
                if s > best {
                    (best, from) = (s, i);
                }
            }
            back[t * k + j] = from as u32;
            now[j] = best + rows[t * k + j];
        }
        std::mem::swap(&mut score, &mut now);
    }
    let mut at = crowdwise_core::stats::argmax(&score);
    for t in (0..n).rev() {
        path[t] = at as u32;
        at = back[t * k + at] as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;

    /// Every path of `n` tokens over `k` classes with its log-weight.
    fn all_paths(w: &Weights, rows: &[f64]) -> Vec<(Vec<usize>, f64)> {
        let (k, n) = (w.k, rows.len() / w.k);
        (0..k.pow(n as u32))
            .map(|mut code| {
                let path: Vec<usize> = (0..n)
                    .map(|_| {
                        let c = code % k;
                        code /= k;
                        c
                    })
                    .collect();
                let mut ln = w.start[path[0]].ln();
                for t in 0..n {
                    ln += rows[t * k + path[t]];
                    if t > 0 {
                        ln += w.step[path[t - 1] * k + path[t]].ln();
                    }
                }
                (path, ln)
            })
            .collect()
    }

    fn made(seed: u64, k: usize, n: usize) -> (Weights, Vec<f64>) {
        let mut rng = stream(seed, "hmm", 0);
        let mut draw = |len: usize| (0..len).map(|_| rng.random_range(0.01..1.0)).collect::<Vec<f64>>();
        let (start, step) = (draw(k), draw(k * k));
        let rows = draw(n * k).into_iter().map(|x| 8.0 * x.ln()).collect();
        (Weights::new(start, step), rows)
    }

    #[test]
    fn viterbi_is_the_best_of_all_paths() {
        for seed in 0..20 {
            let (w, rows) = made(seed, 3, 8);
            let best = all_paths(&w, &rows).into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            let mut path = vec![0; 8];
            let ln = |x: &[f64]| x.iter().map(|p| p.ln()).collect::<Vec<f64>>();
            viterbi(&ln(&w.start), &ln(&w.step), &rows, &mut path);
            assert_eq!(path.iter().map(|c| *c as usize).collect::<Vec<_>>(), best.0, "seed {seed}");
        }
    }

    #[test]
    fn forward_backward_sums_over_all_paths() {
        for seed in 0..5 {
            let (k, n) = (3, 6);
            let (w, mut rows) = made(seed, k, n);
            rows[2 * k] = f64::NEG_INFINITY; // ruled out
            let paths = all_paths(&w, &rows);
            let z: f64 = paths.iter().map(|p| p.1.exp()).sum();
            let (mut gamma, mut step) = (vec![0.0; n * k], vec![0.0; k * k]);
            for (path, ln) in &paths {
                let p = ln.exp() / z;
                for t in 0..n {
                    gamma[t * k + path[t]] += p;
                    if t > 0 {
                        step[path[t - 1] * k + path[t]] += p;
                    }
                }
            }
            let mut counts = Counts::new(k);
            forward_backward(&w, &mut rows, &mut counts, &mut Vec::new());
            assert!((counts.log_z - z.ln()).abs() < 1e-10);
            let far = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(far(&rows, &gamma) < 1e-12 && far(&counts.step, &step) < 1e-12);
            assert!(far(&counts.start, &gamma[..k]) < 1e-12);
        }
    }

    #[test]
    fn known_classes_that_contradict_the_steps_stay_finite() {
        // classes 0 and 1 in turn, where only 0 -> 0 and 1 -> 1 are likely
        let w = Weights::new(vec![1.0, 0.0], vec![1.0, 0.0, 0.0, 1.0]);
        let mut rows: Vec<f64> = (0..600)
            .flat_map(|t| if t % 2 == 0 { [0.0, f64::NEG_INFINITY] } else { [f64::NEG_INFINITY, 0.0] })
            .collect();
        let mut counts = Counts::new(2);
        forward_backward(&w, &mut rows, &mut counts, &mut Vec::new());
        assert!(rows.iter().all(|p| *p == 0.0 || *p == 1.0));
        assert!(counts.log_z.is_finite() && (counts.step[1] - 300.0).abs() < 1e-9);
    }
}
