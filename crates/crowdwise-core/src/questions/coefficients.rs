//! Coefficients of agreement from counts, and the bootstrap of Krippendorff's alpha.

use super::agreement::Level;
use super::patterns::Patterns;
use crate::stats::LEVEL;
use crate::stream;
use rand::RngExt;
use rand_distr::{Binomial, Distribution};

/// Krippendorff's alpha of patterns `which`, pattern `which[x]` counted `weight[x]` times. `None` if no value could
/// have been different: only one class was used.
///
/// The ordinal distance of classes c and k, all labels between them and half of those on them, is the difference of
/// their mid-ranks; so both levels need sums only, in time linear in the entries.
pub fn alpha(p: &Patterns, which: &[usize], weight: &[f64], level: Level, share: &mut Vec<f64>) -> Option<f64> {
    share.clear();
    share.resize(p.classes, 0.0);
    for (&x, &w) in which.iter().zip(weight) {
        p.row(x).iter().for_each(|&(c, t)| share[c as usize] += w * t as f64);
    }
    p.symmetrise(share);
    let n: f64 = share.iter().sum();
    let (observed, expected);
    if level == Level::Nominal {
        let disagree = |x: usize| {
            let (m, squares) =
                p.row(x).iter().fold((0.0, 0.0), |(m, s), &(_, t)| (m + t as f64, s + (t as f64) * (t as f64)));
            (m * m - squares) / (m - 1.0)
        };
        observed = which.iter().zip(weight).map(|(&x, w)| w * disagree(x)).sum::<f64>();
        expected = (n * n - share.iter().map(|s| s * s).sum::<f64>()) / (n - 1.0);
    } else {
        // mid-ranks, centred so that sums of squares keep their digits
        let (mut before, mut all) = (-0.5 * n, 0.0);
        for s in share.iter_mut() {
            let count = *s;
            *s = before + 0.5 * count;
            before += count;
            all += count * *s * *s;
        }
        let disagree = |x: usize| {
            let (mut m, mut sum, mut squares) = (0.0, 0.0, 0.0);
            for &(c, t) in p.row(x) {
                let (t, r) = (t as f64, share[c as usize]);
                m += t;
                sum += t * r;
                squares += t * r * r;
            }
            2.0 * (m * squares - sum * sum).max(0.0) / (m - 1.0)
        };
        observed = which.iter().zip(weight).map(|(&x, w)| w * disagree(x)).sum::<f64>();
        // the weighted mean of centred mid-ranks is 0
        expected = 2.0 * n * all / (n - 1.0);
    }
    (expected > 0.0 && n > 1.0).then(|| 1.0 - observed / expected)
}

/// Kendall's coefficient of agreement of comparisons (classes: first, second, tie), two judgements of a unit at a time.
pub fn kendall_tau(p: &Patterns, which: &[usize]) -> Option<f64> {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for &x in which {
        let mut count = [0.0; 3];
        p.row(x).iter().for_each(|&(c, t)| count[(c as usize).min(2)] += t as f64);
        let [first, second, _] = count;
        let m: f64 = count.iter().sum();
        let same = 0.5 * (first * (first - 1.0) + second * (second - 1.0));
        sum += p.units[x] as f64 * (same - first * second);
        pairs += p.units[x] as f64 * 0.5 * m * (m - 1.0);
    }
    (pairs > 0.0).then(|| sum / pairs)
}

/// A unit of real values for the interval alpha: number, sum, sum of squares (about the mean of all), and its part of
/// the observed disagreement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    pub m: f64,
    pub sum: f64,
    pub squares: f64,
    pub observed: f64,
}

impl Moments {
    /// `values` are centred.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Moments {
        let (mut m, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for x in values.clone() {
            m += 1.0;
            sum += x;
            squares += x * x;
        }
        let within: f64 = values.map(|x| (x - sum / m).powi(2)).sum();
        Moments { m, sum, squares, observed: 2.0 * m * within / (m - 1.0) }
    }

    pub fn add(&mut self, other: &Moments) {
        self.m += other.m;
        self.sum += other.sum;
        self.squares += other.squares;
        self.observed += other.observed;
    }

    /// Interval alpha of the units that were added up.
    pub fn alpha(&self) -> Option<f64> {
        let expected = 2.0 * (self.m * self.squares - self.sum * self.sum) / (self.m - 1.0);
        (self.m > 1.0 && expected > 0.0).then(|| 1.0 - self.observed / expected)
    }
}

/// Units drawn in one resample at most. More are not needed: the width of the interval shrinks with the square root of
/// the number, and is corrected for that ("m out of n" bootstrap).
pub(super) const DRAWN: usize = 20_000;

/// An interval, the resamples that it rests on (those in which alpha is defined) and the units drawn in each.
#[derive(Clone, Copy, Debug)]
pub struct Bootstrap {
    pub interval: Option<[f64; 2]>,
    pub used: usize,
    pub drawn: usize,
}

/// Percentile interval of alpha at the usual level, by resampling units.
pub fn bootstrap(p: &Patterns, which: &[usize], level: Level, alpha_all: f64, seed: u64, count: usize) -> Bootstrap {
    let units: Vec<u64> = which.iter().map(|&x| p.units[x]).collect();
    let n: u64 = units.iter().sum();
    let drawn = (n as usize).min(DRAWN);
    // many different patterns: draw units one by one; few: draw how many units each pattern gets
    let single = which.len() * 4 >= drawn;
    let mut of_unit: Vec<u32> = Vec::new();
    if single {
        for (&x, &u) in which.iter().zip(&units) {
            of_unit.extend(std::iter::repeat_n(x as u32, u as usize));
        }
    }
    let (mut weight, mut picked) = (vec![1.0; if single { drawn } else { which.len() }], vec![0; drawn]);
    let (mut values, mut share) = (Vec::with_capacity(count), Vec::new());
    for b in 0..count {
        let mut rng = stream(seed, "agreement-bootstrap", b as u64);
        if single {
            for x in &mut picked {
                *x = of_unit[rng.random_range(0..of_unit.len())] as usize;
            }
            values.extend(alpha(p, &picked, &weight, level, &mut share));
            continue;
        }
        // multinomial, as a chain of binomials
        let (mut left, mut rest) = (drawn as u64, n);
        for (w, &u) in weight.iter_mut().zip(&units) {
            let x = if u == rest {
                left
            } else {
                Binomial::new(left, u as f64 / rest as f64).expect("a share").sample(&mut rng)
            };
            *w = x as f64;
            left -= x;
            rest -= u;
        }
        values.extend(alpha(p, which, &weight, level, &mut share));
    }
    let used = values.len();
    Bootstrap { interval: interval(values, alpha_all, drawn as f64 / n as f64), used, drawn }
}

/// The same for real values.
pub fn bootstrap_moments(units: &[Moments], alpha_all: f64, seed: u64, count: usize) -> Bootstrap {
    let drawn = units.len().min(DRAWN);
    let mut values = Vec::with_capacity(count);
    for b in 0..count {
        let mut rng = stream(seed, "agreement-bootstrap", b as u64);
        let mut sum = Moments::default();
        (0..drawn).for_each(|_| sum.add(&units[rng.random_range(0..units.len())]));
        values.extend(sum.alpha());
    }
    let used = values.len();
    Bootstrap { interval: interval(values, alpha_all, drawn as f64 / units.len() as f64), used, drawn }
}

/// The points between which the usual level lies, drawn in towards the estimate by the root of the share of units that each resample had.
pub(super) fn interval(mut values: Vec<f64>, centre: f64, share: f64) -> Option<[f64; 2]> {
    if values.len() < 20 {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let at = |q: f64| {
        let x = q * (values.len() - 1) as f64;
        let (low, part) = (x.floor() as usize, x.fract());
        let point = values[low] + part * (values[(low + 1).min(values.len() - 1)] - values[low]);
        if share < 1.0 { (centre + (point - centre) * share.sqrt()).min(1.0) } else { point }
    };
    Some([at(0.5 - 0.5 * LEVEL), at(0.5 + 0.5 * LEVEL)])
}

/// Mean over units of the share of pairs of labels that are equal.
pub fn percent(p: &Patterns, which: &[usize]) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0.0);
    for &x in which {
        let m = p.size(x);
        let equal: f64 = p.row(x).iter().map(|&(_, t)| t as f64 * (t as f64 - 1.0)).sum();
        sum += p.units[x] as f64 * equal / (m * (m - 1.0));
        n += p.units[x] as f64;
    }
    (n > 0.0).then(|| sum / n)
}

/// Fleiss' kappa: class shares pooled over the labels of units with two or more.
pub fn fleiss(p: &Patterns, which: &[usize]) -> Option<f64> {
    let mut share = vec![0.0; p.classes];
    for &x in which {
        p.row(x).iter().for_each(|&(c, t)| share[c as usize] += p.units[x] as f64 * t as f64);
    }
    p.symmetrise(&mut share);
    let n: f64 = share.iter().sum();
    let chance = share.iter().map(|s| (s / n).powi(2)).sum::<f64>();
    let agree = percent(p, which)?;
    (chance < 1.0).then(|| (agree - chance) / (1.0 - chance))
}

/// Gwet's AC1: class shares are means over all labelled units; `classes` are the possible ones.
pub fn gwet_ac1(p: &Patterns, which: &[usize]) -> Option<f64> {
    let v = p.classes as f64;
    if p.classes < 2 {
        return None;
    }
    let (mut share, mut n) = (vec![0.0; p.classes], 0.0);
    for x in 0..p.len() {
        let (m, u) = (p.size(x), p.units[x] as f64);
        p.row(x).iter().for_each(|&(c, t)| share[c as usize] += u * t as f64 / m);
        n += u;
    }
    p.symmetrise(&mut share);
    let chance = share.iter().map(|s| s / n * (1.0 - s / n)).sum::<f64>() / (v - 1.0);
    Some((percent(p, which)? - chance) / (1.0 - chance))
}

/// Cohen's kappa from the number of common units, the number of equal answers and both annotators' counts.
pub fn cohen(n: f64, equal: f64, a: &[u32], b: &[u32]) -> f64 {
    let chance: f64 = a.iter().zip(b).map(|(&x, &y)| x as f64 * y as f64).sum::<f64>() / (n * n);
    // both constant: equal is full agreement, and different ones have chance 0
    if chance >= 1.0 { 1.0 } else { (equal / n - chance) / (1.0 - chance) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Krippendorff's reliability data: 4 observers, 12 units.
    fn krippendorff() -> Patterns {
        let rows = [
            "1 2 3 3 2 1 4 1 2 * * *",
            "1 2 3 3 2 2 4 1 2 5 * 3",
            "* 3 3 3 2 3 4 2 2 5 1 *",
            "1 2 3 3 2 4 4 1 2 5 1 *",
        ];
        let mut t = vec![vec![0; 5]; 12];
        for row in rows {
            for (u, x) in row.split(' ').enumerate().filter(|(_, x)| *x != "*") {
                t[u][x.parse::<usize>().unwrap() - 1] += 1;
            }
        }
        Patterns::from_counts(&t)
    }

    /// Fleiss 1971: 30 patients, 6 raters, 5 diagnoses.
    fn fleiss_1971() -> Patterns {
        let table = "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 00501 \
                     30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006";
        let rows: Vec<Vec<u32>> =
            table.split_whitespace().map(|r| r.bytes().map(|b| (b - b'0') as u32).collect()).collect();
        assert!(rows.iter().all(|r| r.iter().sum::<u32>() == 6) && rows.len() == 30);
        Patterns::from_counts(&rows)
    }

    fn whole(p: &Patterns, level: Level) -> f64 {
        let which = p.pairable();
        let weight: Vec<f64> = which.iter().map(|&x| p.units[x] as f64).collect();
        alpha(p, &which, &weight, level, &mut Vec::new()).unwrap()
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-7, "{a} is not {b}");
    }

    #[test]
    fn krippendorffs_example() {
        let p = krippendorff();
        let which = p.pairable();
        close(whole(&p, Level::Nominal), 0.743421);
        close(whole(&p, Level::Ordinal), 0.815388);
        close(percent(&p, &which).unwrap(), 0.818182);
        close(fleiss(&p, &which).unwrap(), 0.760766);
        close(gwet_ac1(&p, &which).unwrap(), 0.775444);
        // the interval level from the same numbers as real values
        let mut sum = Moments::default();
        for &x in &which {
            let values: Vec<f64> = p.row(x).iter().flat_map(|&(c, t)| vec![c as f64 - 2.0; t as usize]).collect();
            (0..p.units[x]).for_each(|_| sum.add(&Moments::of(values.iter().copied())));
        }
        close(sum.alpha().unwrap(), 0.849107);
    }

    #[test]
    fn fleiss_example_and_its_relation_to_alpha() {
        let p = fleiss_1971();
        let which = p.pairable();
        let kappa = fleiss(&p, &which).unwrap();
        close(kappa, 0.430245);
        close(percent(&p, &which).unwrap(), 0.555556);
        close(gwet_ac1(&p, &which).unwrap(), 0.447885);
        let a = whole(&p, Level::Nominal);
        close(a, 0.433410);
        close(a, 1.0 - (1.0 - kappa) * 179.0 / 180.0);
    }

    #[test]
    fn cohens_table() {
        close(cohen(50.0, 35.0, &[25, 25], &[30, 20]), 0.4);
        close(cohen(10.0, 10.0, &[10, 0], &[10, 0]), 1.0);
        close(cohen(10.0, 0.0, &[10, 0], &[0, 10]), 0.0);
    }

    #[test]
    fn ordinal_alpha_is_that_of_the_pairwise_definition() {
        let p = krippendorff();
        let which = p.pairable();
        let mut nv = [0.0; 5];
        for &x in &which {
            p.row(x).iter().for_each(|&(c, t)| nv[c as usize] += p.units[x] as f64 * t as f64);
        }
        let distance = |a: usize, b: usize| {
            let (a, b) = (a.min(b), a.max(b));
            if a == b { 0.0 } else { (nv[a..=b].iter().sum::<f64>() - f64::midpoint(nv[a], nv[b])).powi(2) }
        };
        let (mut observed, mut expected) = (0.0, 0.0);
        for &x in &which {
            for &(c, s) in p.row(x) {
                for &(d, t) in p.row(x) {
                    observed +=
                        p.units[x] as f64 * (s * t) as f64 * distance(c as usize, d as usize) / (p.size(x) - 1.0);
                }
            }
        }
        let n: f64 = nv.iter().sum();
        for c in 0..5 {
            (0..5).for_each(|d| expected += nv[c] * nv[d] * distance(c, d) / (n - 1.0));
        }
        assert!((whole(&p, Level::Ordinal) - (1.0 - observed / expected)).abs() < 1e-12);
    }

    #[test]
    fn bootstrap_interval_is_wide_for_few_units_and_repeats_with_the_seed() {
        let p = krippendorff();
        let which = p.pairable();
        let a = whole(&p, Level::Nominal);
        let b = bootstrap(&p, &which, Level::Nominal, a, 0, 10_000);
        let [low, high] = b.interval.unwrap();
        // numpy with another generator: .471 and .933
        assert!((low - 0.47).abs() < 0.03 && (high - 0.93).abs() < 0.03, "{low} {high}");
        assert_eq!(b.interval, bootstrap(&p, &which, Level::Nominal, a, 0, 10_000).interval);
    }

    #[test]
    fn drawing_fewer_units_than_all_gives_the_width_of_all() {
        // the same shares of three patterns in 20 000 units, drawn whole, and in 80 000, drawn in part
        let rows = |n: usize| {
            let mut p = Patterns::from_counts(&[vec![3, 0], vec![2, 1], vec![0, 3]]);
            p.units = vec![n as u64 / 2, n as u64 / 4, n as u64 / 4];
            p
        };
        let width = |n: usize| {
            let p = rows(n);
            let b = bootstrap(&p, &p.pairable(), Level::Nominal, whole(&p, Level::Nominal), 3, 2000);
            assert_eq!(b.drawn, 20_000);
            let [low, high] = b.interval.unwrap();
            high - low
        };
        let (small, large) = (width(20_000), width(80_000));
        assert!((small / large - 2.0).abs() < 0.2, "{small} {large}");
    }

    #[test]
    fn only_resamples_with_an_alpha_are_counted() {
        // two units of one class each: half of the resamples draw one unit twice, which leaves a single class
        let p = Patterns::from_counts(&[vec![2, 0], vec![0, 2]]);
        let b = bootstrap(&p, &p.pairable(), Level::Nominal, 1.0, 5, 2000);
        assert!((900..1100).contains(&b.used), "{}", b.used);
        let units = [Moments::of([1.0, 1.0].into_iter()), Moments::of([-1.0, -1.0].into_iter())];
        let b = bootstrap_moments(&units, 1.0, 5, 2000);
        assert!((900..1100).contains(&b.used), "{}", b.used);
    }

    #[test]
    fn one_class_only_has_no_alpha() {
        let p = Patterns::from_counts(&[vec![3, 0], vec![2, 0]]);
        let which = p.pairable();
        assert_eq!(alpha(&p, &which, &[1.0, 1.0], Level::Nominal, &mut Vec::new()), None);
        assert_eq!(fleiss(&p, &which), None);
    }
}
