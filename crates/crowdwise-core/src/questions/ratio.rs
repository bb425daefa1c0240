//! Krippendorff's alpha at the ratio level: numbers with a true zero, whose distance is ((a - b) / (a + b))².

use super::coefficients::{Bootstrap, DRAWN, interval};
use crate::stream;
use rand::RngExt;

/// Different numbers that are told apart where all are compared with all. More are rounded to so many: the distances of
/// all pairs are kept, and every resample needs all of them.
const NUMBERS: usize = 1000;

/// Units with two numbers or more, as counts of numbers.
pub struct Ratio {
    /// Distances of the numbers, squared.
    distance: Vec<f64>,
    numbers: usize,
    /// (number, count) of unit u are `counts[starts[u]..starts[u + 1]]`.
    starts: Vec<usize>,
    counts: Vec<(u32, f64)>,
    /// Each unit's part of the observed disagreement.
    observed: Vec<f64>,
    /// Whether numbers were rounded.
    pub rounded: bool,
    pub labels: u64,
}

impl Ratio {
    /// Of units, each with its numbers, none of which is negative. Units with fewer than two numbers are left out.
    pub fn of(units: impl Iterator<Item = Vec<f64>> + Clone) -> Ratio {
        let mut all: Vec<f64> = units.clone().filter(|u| u.len() > 1).flatten().map(|x| x + 0.0).collect();
        let labels = all.len() as u64;
        all.sort_unstable_by(f64::total_cmp);
        all.dedup();
        let rounded = all.len() > NUMBERS;
        let (group, values) = grouped(&all);
        let n = values.len();
        let mut distance = vec![0.0; n * n];
        for a in 0..n {
            for b in 0..n {
                distance[a * n + b] = squared(values[a], values[b]);
            }
        }
        let mut out =
            Ratio { distance, numbers: n, starts: vec![0], counts: Vec::new(), observed: Vec::new(), rounded, labels };
        let mut tally: Vec<f64> = vec![0.0; n];
        for unit in units.filter(|u| u.len() > 1) {
            let mut used: Vec<u32> = Vec::with_capacity(unit.len());
            for x in &unit {
                let at = all.partition_point(|y| y < x);
                let number = group[at];
                if tally[number as usize] == 0.0 {
                    used.push(number);
                }
                tally[number as usize] += 1.0;
            }
            used.sort_unstable();
            let first = out.counts.len();
            out.counts.extend(used.iter().map(|&c| (c, std::mem::take(&mut tally[c as usize]))));
            out.starts.push(out.counts.len());
            let own = &out.counts[first..];
            // within a unit the numbers are compared as they are, unless they are too many
            let apart: f64 = if rounded && unit.len() <= NUMBERS {
                unit.iter().flat_map(|&a| unit.iter().map(move |&b| squared(a, b))).sum()
            } else {
                own.iter().map(|&(a, x)| x * out.from(a, own)).sum()
            };
            out.observed.push(apart / (unit.len() as f64 - 1.0));
        }
        out
    }

    pub fn units(&self) -> usize {
        self.observed.len()
    }

    /// Summed distance of a number from counted others.
    fn from(&self, a: u32, others: &[(u32, f64)]) -> f64 {
        others.iter().map(|&(b, y)| y * self.distance[a as usize * self.numbers + b as usize]).sum()
    }

    /// Alpha of the units that are named, as often as they are named. `None` if all their numbers are equal.
    fn alpha_of(&self, units: impl Iterator<Item = usize>, share: &mut Vec<f64>) -> Option<f64> {
        share.clear();
        share.resize(self.numbers, 0.0);
        let mut observed = 0.0;
        for u in units {
            observed += self.observed[u];
            self.counts[self.starts[u]..self.starts[u + 1]].iter().for_each(|&(c, x)| share[c as usize] += x);
        }
        let n: f64 = share.iter().sum();
        let mut expected = 0.0;
        for (a, row) in self.distance.chunks_exact(self.numbers.max(1)).enumerate().filter(|(a, _)| share[*a] > 0.0) {
            expected += share[a] * row.iter().zip(&*share).map(|(d, s)| d * s).sum::<f64>();
        }
        expected /= n - 1.0;
        (n > 1.0 && expected > 0.0).then(|| 1.0 - observed / expected)
    }

    pub fn alpha(&self) -> Option<f64> {
        self.alpha_of(0..self.units(), &mut Vec::new())
    }

    /// Percentile interval of alpha at the usual level, by resampling units.
    pub fn bootstrap(&self, alpha_all: f64, seed: u64, count: usize) -> Bootstrap {
        let (n, drawn) = (self.units(), self.units().min(DRAWN));
        let (mut values, mut share) = (Vec::with_capacity(count), Vec::new());
        for b in 0..count {
            let mut rng = stream(seed, "agreement-bootstrap", b as u64);
            values.extend(self.alpha_of((0..drawn).map(|_| rng.random_range(0..n)), &mut share));
        }
        let used = values.len();
        Bootstrap { interval: interval(values, alpha_all, drawn as f64 / n as f64), used, drawn }
    }
}

/// The squared distance of two numbers.
fn squared(a: f64, b: f64) -> f64 {
    // 0 and 0 are equal
    if a == b { 0.0 } else { ((a - b) / (a + b)).powi(2) }
}

/// The group of each of some growing numbers, and what the groups stand for. A group is neither a large part of the
/// numbers nor wide in logarithms, so that neither a crowd of close numbers nor one far away makes others coarse. Zero is
/// never rounded to something else.
fn grouped(all: &[f64]) -> (Vec<u32>, Vec<f64>) {
    // numbers further apart are as different as can be
    const FAR: f64 = 20.0;
    if all.len() <= NUMBERS {
        return ((0..all.len() as u32).collect(), all.to_vec());
    }
    let half = NUMBERS / 2 - 1;
    let most = all.len().div_ceil(half);
    let gap = |w: &[f64]| if w[0] > 0.0 { (w[1] / w[0]).ln().min(FAR) } else { 0.0 };
    let width = all.windows(2).map(gap).sum::<f64>() / half as f64;
    let (mut group, mut values): (Vec<u32>, Vec<(f64, usize)>) = (Vec::with_capacity(all.len()), Vec::new());
    let mut across = 0.0;
    for (at, &x) in all.iter().enumerate() {
        across += if at > 0 { gap(&all[at - 1..=at]) } else { 0.0 };
        let full = values.last().is_none_or(|&(_, n)| n == most);
        if full || across > width || all[at - 1] == 0.0 {
            values.push((0.0, 0));
            across = 0.0;
        }
        group.push(values.len() as u32 - 1);
        let (sum, n) = values.last_mut().expect("one was added");
        (*sum, *n) = (*sum + x, *n + 1);
    }
    (group, values.into_iter().map(|(sum, n)| sum / n as f64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Krippendorff 2011: 4 observers, 12 units, 41 values; the units of one value are left out.
    fn example() -> Vec<Vec<f64>> {
        let rows = [
            "1 2 3 3 2 1 4 1 2 * * *",
            "1 2 3 3 2 2 4 1 2 5 * 3",
            "* 3 3 3 2 3 4 2 2 5 1 *",
            "1 2 3 3 2 4 4 1 2 5 1 *",
        ];
        let mut units = vec![Vec::new(); 12];
        for row in rows {
            for (u, x) in row.split(' ').enumerate().filter(|(_, x)| *x != "*") {
                units[u].push(x.parse().unwrap());
            }
        }
        units
    }

    /// The definition, pair by pair.
    fn plain(units: &[Vec<f64>]) -> f64 {
        let d = |a: f64, b: f64| if a == b { 0.0 } else { ((a - b) / (a + b)).powi(2) };
        let units: Vec<&Vec<f64>> = units.iter().filter(|u| u.len() > 1).collect();
        let all: Vec<f64> = units.iter().flat_map(|u| u.iter().copied()).collect();
        let sum = |v: &[f64]| v.iter().flat_map(|&a| v.iter().map(move |&b| d(a, b))).sum::<f64>();
        let observed: f64 = units.iter().map(|u| sum(u) / (u.len() as f64 - 1.0)).sum();
        1.0 - observed / (sum(&all) / (all.len() as f64 - 1.0))
    }

    #[test]
    fn krippendorffs_example() {
        let units = example();
        let r = Ratio::of(units.iter().cloned());
        let a = r.alpha().unwrap();
        // published as 0.797; the digits by a program of its own
        assert!((a - 0.797403).abs() < 5e-7, "{a}");
        assert!((a - plain(&units)).abs() < 1e-12);
        assert_eq!((r.units(), r.labels, r.rounded), (11, 40, false));
        let b = r.bootstrap(a, 0, 200);
        let [low, high] = b.interval.unwrap();
        assert!(low < a && a < high && b.used == 200);
    }

    #[test]
    fn zeros_and_equal_numbers() {
        // 0 and 0 are equal, 0 and anything else as far apart as can be
        assert_eq!(Ratio::of([vec![0.0, 0.0], vec![1.0, 1.0]].into_iter()).alpha(), Some(1.0));
        assert_eq!(Ratio::of([vec![2.0, 2.0], vec![2.0]].into_iter()).alpha(), None);
        assert_eq!(Ratio::of(std::iter::empty()).alpha(), None);
        let units = [vec![0.0, 3.0], vec![-0.0, 0.0, 1.0]];
        assert!((Ratio::of(units.iter().cloned()).alpha().unwrap() - plain(&units)).abs() < 1e-12);
    }

    #[test]
    fn thousands_of_different_numbers_are_rounded_a_little() {
        let mut rng = stream(3, "ratio", 0);
        let units: Vec<Vec<f64>> = (0..1500)
            .map(|u| {
                let truth = if u == 0 { 0.0 } else { (rng.random_range(-3.0..3.0f64)).exp() };
                (0..3).map(|_| truth * rng.random_range(0.6..1.6)).collect()
            })
            .collect();
        let r = Ratio::of(units.iter().cloned());
        assert!(r.rounded);
        assert!((r.alpha().unwrap() - plain(&units)).abs() < 1e-4);
    }

    #[test]
    fn one_number_far_away_makes_others_no_coarser() {
        let mut rng = stream(4, "ratio", 0);
        let close: Vec<Vec<f64>> = (0..700)
            .map(|_| {
                let truth = rng.random_range(1.0..1.1f64);
                (0..2).map(|_| truth * rng.random_range(0.99..1.01)).collect()
            })
            .collect();
        for odd in [[1e-9, 1e-9], [1e-300, 1e-300], [1e-300, 1.05], [0.0, 1e300]] {
            let units: Vec<Vec<f64>> = close.iter().cloned().chain([odd.to_vec()]).collect();
            let r = Ratio::of(units.iter().cloned());
            assert!(r.rounded && r.numbers <= NUMBERS);
            let (got, want) = (r.alpha().unwrap(), plain(&units));
            assert!((got - want).abs() < 1e-3, "{odd:?}: {got} {want}");
        }
    }
}
