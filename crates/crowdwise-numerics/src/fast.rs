//! Arithmetic for loops over many numbers: an exponential and a logarithm that compilers can vectorise, sums of logarithms
//! without logarithms, sums of products in lanes.

/// e^x in plain arithmetic, so that a loop over an array becomes vector instructions. Relative error below 1e-14 on
/// [-708, 709]; arguments outside are moved to its ends. No fused operations: the same bits on every processor.
#[inline(always)]
#[allow(clippy::inline_always)] // must end up inside the caller's vectorised loop
pub fn exp(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: adding it leaves the nearest integer in the low bits
    const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // 1/n!, n = 0..=12
    const C: [f64; 13] = [
        1.0,
        1.0,
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5040.0,
        1.0 / 40320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
    ];
    let x = if x > -708.0 { x } else { -708.0 };
    let x = if x < 709.0 { x } else { 709.0 };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    let mut p = C[12];
    let mut d = 12;
    while d > 0 {
        d -= 1;
        p = p * r + C[d];
    }
    f64::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// ln x of a normal positive number in plain arithmetic, for the same loops. Error below 1e-15 of the larger of 1 and the
/// result.
#[inline(always)]
#[allow(clippy::inline_always)] // as above
pub fn ln(x: f64) -> f64 {
    const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd; // sqrt(1/2)
    const MANTISSA: u64 = (1 << 52) - 1;
    const TWO_52: u64 = 0x4330_0000_0000_0000; // 2^52: small integers in its low bits are added to it
    // 1 / (2n + 1), n = 0..=10
    const C: [f64; 11] = [
        1.0,
        1.0 / 3.0,
        1.0 / 5.0,
        1.0 / 7.0,
        1.0 / 9.0,
        1.0 / 11.0,
        1.0 / 13.0,
        1.0 / 15.0,
        1.0 / 17.0,
        1.0 / 19.0,
        1.0 / 21.0,
    ];
    // x = 2^n m with m from sqrt(1/2) to sqrt(2)
    let shifted = x.to_bits().wrapping_sub(HALF_ROOT).wrapping_add(1023 << 52);
    let n = f64::from_bits(shifted >> 52 | TWO_52) - (4_503_599_627_370_496.0 + 1023.0);
    let m = f64::from_bits((shifted & MANTISSA).wrapping_add(HALF_ROOT));
    // ln m = 2 artanh((m - 1) / (m + 1))
    let s = (m - 1.0) / (m + 1.0);
    let s2 = s * s;
    let mut p = C[10];
    let mut d = 10;
    while d > 0 {
        d -= 1;
        p = p * s2 + C[d];
    }
    2.0 * s * p + n * std::f64::consts::LN_2
}

/// The sum of ln z over many z >= 1: mantissas are multiplied, exponents added, and one logarithm is taken per 512.
#[derive(Debug)]
pub struct LnProduct {
    mantissa: f64,
    exponent: i64,
    since: u32,
    sum: f64,
}

impl Default for LnProduct {
    fn default() -> Self {
        LnProduct::new()
    }
}

impl LnProduct {
    #[inline]
    pub fn new() -> Self {
        LnProduct { mantissa: 1.0, exponent: 0, since: 0, sum: 0.0 }
    }

    /// Adds ln z for a normal positive z.
    #[inline(always)]
    #[allow(clippy::inline_always)] // one multiplication in the hottest loops
    pub fn push(&mut self, z: f64) {
        const MANTISSA: u64 = (1 << 52) - 1;
        const ONE: u64 = 1023 << 52;
        let bits = z.to_bits();
        self.exponent += (bits >> 52) as i64 - 1023;
        self.mantissa *= f64::from_bits(bits & MANTISSA | ONE);
        self.since += 1;
        if self.since == 512 {
            self.sum += self.mantissa.ln();
            self.mantissa = 1.0;
            self.since = 0;
        }
    }

    /// Adds a logarithm that is known already.
    #[inline]
    pub fn add(&mut self, ln: f64) {
        self.sum += ln;
    }

    #[inline]
    pub fn value(&self) -> f64 {
        self.sum + self.mantissa.ln() + self.exponent as f64 * std::f64::consts::LN_2
    }
}

/// Values that vectorised loops work on at once: enough to fill the vectors, few enough for the first-level cache.
pub const BLOCK: usize = 256;

/// The sum of ln(1 + e^x) over many x, in blocks.
#[derive(Debug)]
pub struct Softplus {
    held: [f64; BLOCK],
    len: usize,
    linear: f64,
    ln: LnProduct,
}

impl Default for Softplus {
    fn default() -> Self {
        Softplus::new()
    }
}

impl Softplus {
    pub fn new() -> Self {
        Softplus { held: [0.0; BLOCK], len: 0, linear: 0.0, ln: LnProduct::new() }
    }

    #[inline]
    pub fn push(&mut self, x: f64) {
        self.held[self.len] = x;
        self.len += 1;
        if self.len == BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            unsafe { self.flush_avx2() };
            return;
        }
        self.flush_body();
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn flush_avx2(&mut self) {
        self.flush_body();
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // compiled once for each instruction set
    fn flush_body(&mut self) {
        let (mut sums, mut products) = ([0.0f64; 8], [1.0f64; 8]);
        for x in self.held.chunks_exact(8) {
            for l in 0..8 {
                sums[l] += if x[l] > 0.0 { x[l] } else { 0.0 };
                products[l] *= 1.0 + exp(-x[l].abs());
            }
        }
        self.linear += sum_of_lanes(sums);
        for &p in &products {
            self.ln.push(p);
        }
        self.len = 0;
    }

    pub fn value(mut self) -> f64 {
        let empty = BLOCK - self.len;
        self.held[self.len..].fill(0.0);
        self.flush();
        // each empty place added ln 2
        self.linear + self.ln.value() - empty as f64 * std::f64::consts::LN_2
    }
}

/// Sum of products in eight lanes, over the shorter of the two lengths: several times faster than one running sum, and
/// still one fixed order.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (wide_a, wide_b) = (a[..n].chunks_exact(8), b[..n].chunks_exact(8));
    let tail: f64 = wide_a.remainder().iter().zip(wide_b.remainder()).map(|(x, y)| x * y).sum();
    let mut lanes = [0.0; 8];
    for (x, y) in wide_a.zip(wide_b) {
        for l in 0..8 {
            lanes[l] += x[l] * y[l];
        }
    }
    sum_of_lanes(lanes) + tail
}

/// Euclidean length.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// Always in the same order.
#[inline(always)]
#[allow(clippy::inline_always)] // the end of vectorised loops
fn sum_of_lanes(x: [f64; 8]) -> f64 {
    ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]))
}

/// Σ w ln x over normal positive x, in eight lanes.
pub fn dot_ln(w: &[f64], x: &[f64]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { dot_ln_avx2(w, x) };
    }
    dot_ln_body(w, x)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_ln_avx2(w: &[f64], x: &[f64]) -> f64 {
    dot_ln_body(w, x)
}

#[inline(always)]
#[allow(clippy::inline_always)] // compiled once for each instruction set
fn dot_ln_body(w: &[f64], x: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (cw, cx) = (w.chunks_exact(8), x.chunks_exact(8));
    let tail: f64 = cw.remainder().iter().zip(cx.remainder()).map(|(w, x)| w * ln(*x)).sum();
    for (w, x) in cw.zip(cx) {
        for l in 0..8 {
            lanes[l] += w[l] * ln(x[l]);
        }
    }
    sum_of_lanes(lanes) + tail
}

/// Adds `part` to `total`, number by number.
#[inline]
pub fn add_into(total: &mut [f64], part: &[f64]) {
    for (t, p) in total.iter_mut().zip(part) {
        *t += p;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_agrees_with_the_standard_one() {
        for n in -7000..7000 {
            let x = n as f64 * 0.1;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-14, "{x}");
        }
        assert!(exp(-1e9) < 1e-300 && exp(1e9).is_finite());
    }

    #[test]
    fn logarithm_agrees_with_the_standard_one() {
        for n in -6900..7000 {
            let x = (n as f64 * 0.1).exp();
            assert!((ln(x) - x.ln()).abs() <= 1e-15 * x.ln().abs().max(1.0), "{x}");
        }
        for n in 1..4000 {
            let x = n as f64 * 0.001;
            assert!((ln(x) - x.ln()).abs() <= 1e-15 * x.ln().abs().max(1.0), "{x}");
        }
    }

    #[test]
    fn products_are_summed_over_the_shorter_length() {
        let a: Vec<f64> = (0..30).map(|i| 0.3 * i as f64 - 2.0).collect();
        for n in [0, 1, 7, 8, 9, 30] {
            let b: Vec<f64> = (0..n).map(|i| 1.0 - 0.1 * i as f64).collect();
            let want: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!((dot(&a, &b) - want).abs() < 1e-12 && (dot(&b, &a) - want).abs() < 1e-12, "{n}");
        }
        assert_eq!(norm(&[3.0, 4.0]), 5.0);
    }

    #[test]
    fn weighted_logarithms() {
        for n in [0, 1, 8, 21] {
            let w: Vec<f64> = (0..n).map(|i| 0.1 * i as f64 - 0.7).collect();
            let x: Vec<f64> = (0..n).map(|i| 1e-6 + 0.37 * i as f64).collect();
            let want: f64 = w.iter().zip(&x).map(|(w, x)| w * x.ln()).sum();
            assert!((dot_ln(&w, &x) - want).abs() < 1e-13, "{n}");
        }
    }

    #[test]
    fn sum_of_logarithms() {
        let mut p = LnProduct::new();
        let mut want = 0.0;
        for n in 1..3000 {
            let z = 1.0 + (n as f64 * 0.37).sin().abs() * 10f64.powi(n % 200);
            p.push(z);
            want += z.ln();
        }
        assert!((p.value() / want - 1.0).abs() < 1e-13);
    }

    #[test]
    fn softplus_of_any_number_of_values() {
        for n in [0, 1, 255, 256, 1000] {
            let mut s = Softplus::new();
            let x = |i: usize| ((i * 37) % 101) as f64 - 50.0;
            (0..n).for_each(|i| s.push(x(i)));
            let want: f64 = (0..n).map(|i| x(i).max(0.0) + (-x(i).abs()).exp().ln_1p()).sum();
            assert!((s.value() - want).abs() < 1e-11 * want.max(1.0), "{n}");
        }
    }
}
