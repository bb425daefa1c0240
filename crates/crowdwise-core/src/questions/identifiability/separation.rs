//! How far apart the classes are, given confusion matrices.

use super::{Matrices, WORK};
use crowdwise_numerics::golden_section;
use serde::{Deserialize, Serialize};

/// The label that gives a class away best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Separation {
    pub class: usize,
    /// Probability of the class given that label, all classes being equally frequent: 1 if some annotator says the label
    /// for this class only. `None` if nobody has enough labels.
    pub score: Option<f64>,
    pub annotator: Option<usize>,
    pub label: Option<usize>,
    /// How often the annotator gave that label.
    pub n: u64,
}

/// Two classes and how hard they are to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassPair {
    pub a: usize,
    pub b: usize,
    /// Chernoff's exponent for the labels that an item has on average: confusing the two has a probability of about
    /// exp(-exponent), up to a factor.
    pub exponent: f64,
}

/// Labels of one kind that an annotator must have given before they are taken to give a class away.
const MIN_SAID: u32 = 10;
/// Pairs of classes that are listed.
const LISTED: usize = 20;
/// Evaluations of the golden section.
const STEPS: usize = 40;

pub fn separation(m: &Matrices) -> Vec<Separation> {
    let k = m.k;
    let none = |class| Separation { class, score: None, annotator: None, label: None, n: 0 };
    let mut out: Vec<Separation> = (0..k).map(none).collect();
    for j in 0..m.n.len() {
        let c = m.of(j);
        for l in (0..k).filter(|&l| m.said[j * k + l] >= MIN_SAID) {
            let sum: f64 = (0..k).map(|t| c[t * k + l]).sum();
            for (t, best) in out.iter_mut().enumerate() {
                let score = c[t * k + l] / sum.max(f64::MIN_POSITIVE);
                if best.score.is_none_or(|s| score > s) {
                    let n = m.said[j * k + l] as u64;
                    *best = Separation { class: t, score: Some(score), annotator: Some(j), label: Some(l), n };
                }
            }
        }
    }
    out
}

/// The class pairs with the smallest exponents, and the bound of the error: the sum over pairs of what the labels leave
/// undecided between the two. An annotator labels an item with the probability of its number of labels over the items.
pub fn hardest(m: &Matrices, units: usize) -> (Vec<ClassPair>, Option<f64>) {
    let k = m.k;
    let per_pair = m.n.len() * k;
    let all = k * (k - 1) / 2 * per_pair;
    if all > 5 * WORK {
        return (Vec::new(), None);
    }
    let exact = all.saturating_mul(STEPS) <= WORK / 4;
    let part: Vec<f64> = m.n.iter().map(|&n| (n as f64 / units.max(1) as f64).min(1.0)).collect();
    let mut pairs = Vec::new();
    let mut bound = 0.0;
    for a in 0..k {
        for b in a + 1..k {
            // the exponent is concave in t
            let minus = |t: f64| -exponent(m, &part, a, b, t);
            let (t, least) = if exact { golden_section(0.001, 0.999, STEPS, minus) } else { (0.5, minus(0.5)) };
            let exponent = -least;
            pairs.push(ClassPair { a, b, exponent });
            bound += m.shares[a].powf(t) * m.shares[b].powf(1.0 - t) * (-exponent).exp();
        }
    }
    pairs.sort_by(|x, y| x.exponent.total_cmp(&y.exponent).then((x.a, x.b).cmp(&(y.a, y.b))));
    pairs.truncate(LISTED);
    (pairs, Some(bound.min(1.0)))
}

/// - Σ_j ln(1 - p_j + p_j Σ_l π_jal^t π_jbl^(1-t))
fn exponent(m: &Matrices, part: &[f64], a: usize, b: usize, t: f64) -> f64 {
    let k = m.k;
    let mut sum = 0.0;
    for (j, &p) in part.iter().enumerate().filter(|x| *x.1 > 0.0) {
        let c = m.of(j);
        let (x, y) = (&c[a * k..(a + 1) * k], &c[b * k..(b + 1) * k]);
        let overlap: f64 = if t == 0.5 {
            x.iter().zip(y).map(|(x, y)| (x * y).sqrt()).sum()
        } else {
            x.iter().zip(y).filter(|(x, y)| **x > 0.0 && **y > 0.0).map(|(x, y)| x.powf(t) * y.powf(1.0 - t)).sum()
        };
        sum -= (1.0 - p + p * overlap).max(f64::MIN_POSITIVE).ln();
    }
    sum
}

/// The two classes whose rows are most alike over all labels, of the classes with `wanted` set: Bhattacharyya's distance
/// per label, the mean over annotators weighted by their labels.
pub fn closest(
    k: usize,
    n: &[u64],
    wanted: &[bool],
    mut confusion: impl FnMut(usize) -> Option<Vec<f64>>,
) -> Option<ClassPair> {
    let pairs: Vec<(usize, usize)> =
        (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).filter(|&(a, b)| wanted[a] && wanted[b]).collect();
    if pairs.is_empty() || n.len().saturating_mul(pairs.len() * k) > WORK / 4 {
        return None;
    }
    let mut sums = vec![0.0; pairs.len()];
    let mut total = 0.0;
    for (j, &n) in n.iter().enumerate().filter(|x| *x.1 > 0) {
        let c = confusion(j)?;
        total += n as f64;
        for (s, &(a, b)) in sums.iter_mut().zip(&pairs) {
            let (x, y) = (&c[a * k..(a + 1) * k], &c[b * k..(b + 1) * k]);
            let overlap: f64 = x.iter().zip(y).map(|(x, y)| (x * y).sqrt()).sum();
            *s -= n as f64 * overlap.clamp(1e-12, 1.0).ln();
        }
    }
    let best = (0..pairs.len()).min_by(|&x, &y| sums[x].total_cmp(&sums[y]))?;
    Some(ClassPair { a: pairs[best].0, b: pairs[best].1, exponent: sums[best] / f64::max(total, 1.0) })
}

/// Cycles of length two or more in `next`, each from its smallest member.
pub fn cycles(next: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut out = Vec::new();
    let mut seen = vec![false; next.len()];
    for start in 0..next.len() {
        let mut path = Vec::new();
        let mut at = Some(start);
        while let Some(x) = at.filter(|&x| !seen[x]) {
            seen[x] = true;
            path.push(x);
            at = next[x];
        }
        if let Some(x) = at
            && let Some(from) = path.iter().position(|&y| y == x)
            && path.len() - from >= 2
        {
            let mut cycle = path[from..].to_vec();
            let least = (0..cycle.len()).min_by_key(|&i| cycle[i]).unwrap_or(0);
            cycle.rotate_left(least);
            out.push(cycle);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::identifiability::Basis;

    fn one_coin(p: f64, annotators: usize) -> Matrices {
        Matrices {
            basis: Basis::Fit,
            k: 2,
            confusion: [p, 1.0 - p, 1.0 - p, p].repeat(annotators),
            shares: vec![0.5, 0.5],
            n: vec![100; annotators],
            said: vec![50; 2 * annotators],
        }
    }

    /// One coin with p = 0.7: the exponent is -ln(2 √(p (1 - p))) = 0.0872 per annotator, and the error of the best
    /// decision, which is the majority's, falls like exp(-exponent) / √M.
    #[test]
    fn the_exponent_is_that_of_the_error() {
        let p: f64 = 0.7;
        let theory = -(2.0 * (p * (1.0 - p)).sqrt()).ln();
        assert!((theory - 0.0872).abs() < 1e-4);
        // exact error of an odd number of annotators: the lower tail of a binomial
        let error = |m: usize| -> f64 {
            let mut term = (1.0 - p).powi(m as i32);
            (0..=m / 2)
                .map(|right| {
                    let now = term;
                    term *= (m - right) as f64 / (right + 1) as f64 * p / (1.0 - p);
                    now
                })
                .take(m.div_ceil(2))
                .sum()
        };
        let points: Vec<(f64, f64)> =
            (21..=41).step_by(2).map(|m| (m as f64, error(m).ln() + 0.5 * (m as f64).ln())).collect();
        let n = points.len() as f64;
        let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
        let slope = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>()
            / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>();
        assert!((slope / -theory - 1.0).abs() < 0.1, "slope {slope}");
        for m in [1, 5, 21] {
            let (pairs, bound) = hardest(&one_coin(p, m), 100);
            assert!((pairs[0].exponent - m as f64 * theory).abs() < 1e-6, "{pairs:?}");
            let bound = bound.unwrap();
            assert!(bound >= error(m) && bound < 8.0 * error(m), "{m}: bound {bound}, error {}", error(m));
        }
    }

    #[test]
    fn an_uneven_pair_has_its_best_weight_off_the_middle() {
        // one annotator: class 0 says (0.9, 0.1), class 1 says (0.5, 0.5)
        let m = Matrices { confusion: vec![0.9, 0.1, 0.5, 0.5], ..one_coin(0.7, 1) };
        let f = |t: f64| -(0.9f64.powf(t) * 0.5f64.powf(1.0 - t) + 0.1f64.powf(t) * 0.5f64.powf(1.0 - t)).ln();
        let best = (1..10_000).map(|x| f(x as f64 / 1e4)).fold(0.0, f64::max);
        let (pairs, _) = hardest(&m, 100);
        assert!((pairs[0].exponent - best).abs() < 1e-7 && best > f(0.5) + 1e-4, "{pairs:?} {best}");
    }

    #[test]
    fn separation_names_the_telling_label() {
        let mut m = one_coin(0.7, 3);
        // annotator 2 says 1 for class 1 only
        m.confusion[8..].copy_from_slice(&[1.0, 0.0, 0.4, 0.6]);
        let s = separation(&m);
        assert_eq!((s[1].annotator, s[1].label, s[1].score), (Some(2), Some(1), Some(1.0)));
        assert!((s[0].score.unwrap() - 1.0 / 1.4).abs() < 1e-12);
        m.said.fill(3);
        assert_eq!(separation(&m)[0].score, None);
    }

    #[test]
    fn cycles_are_found_once() {
        assert_eq!(cycles(&[Some(0), Some(2), Some(1)]), [vec![1, 2]]);
        assert_eq!(cycles(&[Some(1), Some(1), Some(1)]), Vec::<Vec<usize>>::new());
        assert_eq!(cycles(&[Some(2), None, Some(3), Some(0)]), [vec![0, 2, 3]]);
    }

    #[test]
    fn classes_that_nobody_tells_apart() {
        let rows = vec![0.8, 0.1, 0.1, 0.1, 0.5, 0.4, 0.1, 0.5, 0.4];
        let pair = closest(3, &[10, 10], &[true; 3], |_| Some(rows.clone())).unwrap();
        assert_eq!((pair.a, pair.b), (1, 2));
        assert!(pair.exponent.abs() < 1e-12);
        assert!(closest(3, &[10, 10], &[true, true, false], |_| Some(rows.clone())).unwrap().exponent > 0.1);
    }
}
