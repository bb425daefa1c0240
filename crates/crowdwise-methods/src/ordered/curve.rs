//! What the labels of one annotator say of its bias, its noise and the thresholds: value, gradient and curvature of the
//! expected log-likelihood. Loops run over the whole grid with plain arithmetic, so that they become vector instructions.

use super::grid::{POINTS, RANGE, spacing};
use super::scale::Reading;
use crate::fast::{exp, ln};

/// Points of the grid, rounded up so that no loop has a rest; nothing is ever expected at those beyond.
pub(super) const WIDE: usize = 32;

/// A number for each point.
pub(super) type Grid = [f64; WIDE];

/// Positions; the one too many lies next to the last.
pub(super) fn positions() -> Grid {
    const { assert!(POINTS <= WIDE) }
    std::array::from_fn(|g| g as f64 * spacing() - RANGE)
}

/// What all annotators share.
pub(super) struct Scale<'a> {
    pub tau: &'a [f64],
    pub slip: f64,
    pub z: Grid,
}

impl<'a> Scale<'a> {
    pub fn new(tau: &'a [f64], slip: f64) -> Scale<'a> {
        Scale { tau, slip, z: positions() }
    }

    /// The probability of a slip to one class.
    fn floor(&self) -> f64 {
        self.slip / (self.tau.len() + 1) as f64
    }
}

/// Expected log-likelihood of an annotator's labels, its derivatives by bias and log noise, and minus the second ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    pub value: f64,
    pub by_bias: f64,
    pub by_noise: f64,
    pub bias_bias: f64,
    pub bias_noise: f64,
    pub noise_noise: f64,
}

/// Derivatives by the two thresholds of a label, and minus the second ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    pub by_low: f64,
    pub by_high: f64,
    pub low_low: f64,
    pub low_high: f64,
    pub high_high: f64,
}

/// A threshold as an annotator sees it from every position: distance in units of the noise, probability beyond that
/// distance from 0, density.
#[derive(Clone, Copy)]
struct End {
    at: Grid,
    tail: Grid,
    density: Grid,
}

/// Distances are cut here: nothing that is left of a normal distribution beyond matters, and squares of it are numbers.
const FAR: f64 = 24.0;

const BELOW_ALL: End = End { at: [-FAR; WIDE], tail: [0.0; WIDE], density: [0.0; WIDE] };
const ABOVE_ALL: End = End { at: [FAR; WIDE], tail: [0.0; WIDE], density: [0.0; WIDE] };

impl End {
    /// The lower end of class `l`.
    #[inline(always)]
    fn new(s: &Scale<'_>, l: usize, r: Reading) -> End {
        if l == 0 {
            return BELOW_ALL;
        }
        let Some(&t) = s.tau.get(l - 1) else { return ABOVE_ALL };
        let (from, per) = (t - r.bias, 1.0 / r.noise);
        let mut end = ABOVE_ALL;
        for g in 0..WIDE {
            let x = (from - s.z[g]) * per;
            let x = if x < FAR { x } else { FAR };
            let x = if x > -FAR { x } else { -FAR };
            let e = exp(-0.5 * x * x);
            end.at[g] = x;
            end.density[g] = e * (1.0 / 2.506_628_274_631_000_5);
            end.tail[g] = e * mills(x.abs());
        }
        end
    }
}

/// (1 - Φ(x)) e^(x²/2) for x >= 0: the rational approximation 5666 of J. F. Hart et al., Computer Approximations, 1968.
#[inline(always)]
#[allow(clippy::inline_always)] // inside vectorised loops
fn mills(x: f64) -> f64 {
    const P: [f64; 7] = [
        0.035_262_496_599_891_1,
        0.700_383_064_443_688,
        6.373_962_203_531_65,
        33.912_866_078_383,
        112.079_291_497_871,
        221.213_596_169_931,
        220.206_867_912_376,
    ];
    const Q: [f64; 8] = [
        0.088_388_347_648_318_4,
        1.755_667_163_182_64,
        16.064_177_579_207,
        86.780_732_202_946_1,
        296.564_248_779_674,
        637.333_633_378_831,
        793.826_512_519_948,
        440.413_735_824_752,
    ];
    let (mut p, mut q) = (P[0], Q[0]);
    for c in &P[1..] {
        p = p * x + c;
    }
    for c in &Q[1..] {
        q = q * x + c;
    }
    p / q
}

/// P(label) at every position from its two ends: differences of tails on the side where they are small.
#[inline(always)]
#[allow(clippy::inline_always)] // inside vectorised loops
fn between(low: &End, high: &End, s: &Scale<'_>) -> Grid {
    let (right, floor) = (1.0 - s.slip, s.floor());
    let mut p = [0.0; WIDE];
    for g in 0..WIDE {
        let (a, b) = (low.tail[g], high.tail[g]);
        let inside = 1.0 - a - b;
        let inside = if low.at[g] > 0.0 { a - b } else { inside };
        let inside = if high.at[g] < 0.0 { b - a } else { inside };
        let inside = if inside > 0.0 { inside } else { 0.0 };
        let at = right * inside + floor;
        p[g] = if at > 1e-200 { at } else { 1e-200 };
    }
    p
}

#[inline(always)]
#[allow(clippy::inline_always)] // inside vectorised loops
fn dot(a: &Grid, b: &Grid) -> f64 {
    let mut lanes = [0.0; 8];
    for (x, y) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for l in 0..8 {
            lanes[l] += x[l] * y[l];
        }
    }
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

/// The labels of one annotator that occur, and how often each is expected at every position.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    pub labels: &'a [u16],
    /// Labels x WIDE.
    pub counts: &'a [f64],
}

impl<'a> Given<'a> {
    #[inline(always)]
    fn rows(self) -> impl Iterator<Item = (usize, &'a Grid)> {
        let counts = self.counts.chunks_exact(WIDE).map(|n| n.try_into().expect("a row of the grid"));
        self.labels.iter().map(|&l| l as usize).zip(counts)
    }

    /// Value and derivatives; those by thresholds go to `ends`, one entry a label.
    pub fn derivatives(self, s: &Scale<'_>, r: Reading, ends: &mut Vec<Ends>) -> Own {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { self.derivatives_avx2(s, r, ends) };
        }
        self.derivatives_body(s, r, ends)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn derivatives_avx2(self, s: &Scale<'_>, r: Reading, ends: &mut Vec<Ends>) -> Own {
        self.derivatives_body(s, r, ends)
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // compiled once for each instruction set
    fn derivatives_body(self, s: &Scale<'_>, r: Reading, ends: &mut Vec<Ends>) -> Own {
        let per = 1.0 / r.noise;
        let mut own = Own::default();
        ends.clear();
        let mut high = BELOW_ALL;
        let mut next = 0;
        for (l, n) in self.rows() {
            // the upper end of the class before is the lower end of this one
            let low = if l == next { high } else { End::new(s, l, r) };
            high = End::new(s, l + 1, r);
            next = l + 1;
            let p = between(&low, &high, s);
            let mut lns = [0.0; WIDE];
            let (mut a, mut b) = ([0.0; WIDE], [0.0; WIDE]); // density of the ends by probability
            let (mut d, mut e) = ([0.0; WIDE], [0.0; WIDE]); // minus the derivatives by bias (times noise) and log noise
            let (mut dd, mut de, mut ee) = ([0.0; WIDE], [0.0; WIDE], [0.0; WIDE]);
            let (mut aa, mut ab, mut bb) = ([0.0; WIDE], [0.0; WIDE], [0.0; WIDE]);
            for g in 0..WIDE {
                lns[g] = ln(p[g]);
                let u = (1.0 - s.slip) / p[g];
                let (x, y) = (low.at[g], high.at[g]);
                a[g] = u * low.density[g];
                b[g] = u * high.density[g];
                let (xa, yb) = (x * a[g], y * b[g]);
                d[g] = b[g] - a[g];
                e[g] = yb - xa;
                dd[g] = e[g] + d[g] * d[g];
                de[g] = (y * yb - x * xa) - d[g] + d[g] * e[g];
                ee[g] = (y * y * yb - x * x * xa) - e[g] + e[g] * e[g];
                aa[g] = a[g] * a[g] - xa;
                ab[g] = a[g] * b[g];
                bb[g] = b[g] * b[g] + yb;
            }
            own.value += dot(n, &lns);
            own.by_bias -= dot(n, &d) * per;
            own.by_noise -= dot(n, &e);
            own.bias_bias += dot(n, &dd) * per * per;
            own.bias_noise += dot(n, &de) * per;
            own.noise_noise += dot(n, &ee);
            ends.push(Ends {
                by_low: -dot(n, &a) * per,
                by_high: dot(n, &b) * per,
                low_low: dot(n, &aa) * per * per,
                low_high: -dot(n, &ab) * per * per,
                high_high: dot(n, &bb) * per * per,
            });
        }
        own
    }

    /// P(label) at every position into rows `label` of `table` (labels x POINTS), and the expected log-likelihood.
    pub fn table(self, s: &Scale<'_>, r: Reading, table: &mut [f64]) -> f64 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { self.table_avx2(s, r, table) };
        }
        self.table_body(s, r, table)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn table_avx2(self, s: &Scale<'_>, r: Reading, table: &mut [f64]) -> f64 {
        self.table_body(s, r, table)
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // compiled once for each instruction set
    fn table_body(self, s: &Scale<'_>, r: Reading, table: &mut [f64]) -> f64 {
        let mut value = 0.0;
        let mut high = BELOW_ALL;
        let mut next = 0;
        for (l, n) in self.rows() {
            let low = if l == next { high } else { End::new(s, l, r) };
            high = End::new(s, l + 1, r);
            next = l + 1;
            let p = between(&low, &high, s);
            table[l * POINTS..][..POINTS].copy_from_slice(&p[..POINTS]);
            value += dot(n, &p.map(ln));
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::super::scale::{normal_cdf, normal_pdf, probability};
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;

    #[test]
    fn ends_agree_with_the_normal_distribution() {
        let s = Scale::new(&[0.4], 0.02);
        for noise in [0.05, 0.3, 1.0, 12.0] {
            let r = Reading { bias: -0.7, noise };
            let end = End::new(&s, 1, r);
            for g in 0..POINTS {
                let x = (0.4 + 0.7 - s.z[g]) / noise;
                assert!((end.density[g] - normal_pdf(x)).abs() < 1e-14);
                assert!((end.tail[g] - normal_cdf(-x.abs())).abs() < 1e-14, "{x}");
                // far out only the size counts
                let far = end.tail[g] / normal_cdf(-x.abs()) - 1.0;
                assert!(x.abs() > FAR || far.abs() < if x.abs() < 7.0 { 1e-8 } else { 1e-3 }, "{x}: {far}");
            }
        }
    }

    #[test]
    fn the_table_is_the_probability() {
        let tau = [-1.0, 0.2, 0.5];
        let s = Scale::new(&tau, 0.03);
        let r = Reading { bias: 0.3, noise: 0.4 };
        let counts = vec![0.0; 3 * WIDE];
        let mut table = vec![0.0; 4 * POINTS];
        Given { labels: &[0, 1, 3], counts: &counts }.table(&s, r, &mut table);
        for l in [0, 1, 3] {
            for g in 0..POINTS {
                let want = probability(r, &tau, 0.03, s.z[g], l);
                assert!((table[l * POINTS + g] - want).abs() < 1e-14, "{l} {g}");
            }
        }
    }

    /// First derivatives against differences of the value, second ones against differences of the first.
    #[test]
    fn derivatives_agree_with_differences() {
        let mut rng = stream(1, "ordinal", 0);
        let labels = [0, 1, 3, 4];
        let mut counts: Vec<f64> = (0..labels.len() * WIDE).map(|_| rng.random()).collect();
        counts.chunks_exact_mut(WIDE).for_each(|row| row[POINTS..].fill(0.0));
        let given = Given { labels: &labels, counts: &counts };
        let base = [0.2, -0.5, -1.1, -0.3, 0.35, 1.2]; // bias, log noise, thresholds
        let at = |v: &[f64; 6]| {
            let mut ends = Vec::new();
            let s = Scale::new(&v[2..], 0.02);
            let own = given.derivatives(&s, Reading { bias: v[0], noise: v[1].exp() }, &mut ends);
            let mut first = [own.by_bias, own.by_noise, 0.0, 0.0, 0.0, 0.0];
            let mut second = [[0.0; 6]; 6];
            second[0][..2].copy_from_slice(&[own.bias_bias, own.bias_noise]);
            second[1][..2].copy_from_slice(&[own.bias_noise, own.noise_noise]);
            for (&l, e) in labels.iter().zip(&ends) {
                let (low, high) = ((l > 0).then_some(l as usize + 1), (l < 4).then_some(l as usize + 2));
                if let Some(a) = low {
                    first[a] += e.by_low;
                    second[a][a] += e.low_low;
                }
                if let Some(b) = high {
                    first[b] += e.by_high;
                    second[b][b] += e.high_high;
                }
                if let (Some(a), Some(b)) = (low, high) {
                    second[a][b] += e.low_high;
                    second[b][a] += e.low_high;
                }
            }
            (own.value, first, second)
        };
        let (_, first, second) = at(&base);
        let h = 1e-5;
        for i in 0..6 {
            let (mut up, mut down) = (base, base);
            up[i] += h;
            down[i] -= h;
            let (up, down) = (at(&up), at(&down));
            let want = (up.0 - down.0) / (2.0 * h);
            assert!((first[i] - want).abs() < 1e-6 * want.abs().max(1.0), "{i}: {} {want}", first[i]);
            // own and thresholds are never wanted together
            for j in (0..6).filter(|&j| (j < 2) == (i < 2)) {
                let want = -(up.1[j] - down.1[j]) / (2.0 * h);
                assert!((second[i][j] - want).abs() < 1e-6 * want.abs().max(1.0), "{i} {j}: {} {want}", second[i][j]);
            }
        }
    }
}
