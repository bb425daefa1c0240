//! The two inner loops of a one-coin annotator: products over all of its labels at many accuracies at once, and from
//! them the message to every item.
//!
//! At accuracy q a label whose item is otherwise believed to be right with probability p has probability
//! p q + (1 - p) (1 - q) / (K - 1).

/// Accuracies are worked on in groups of this many.
pub(super) const LANES: usize = 8;

/// Accuracies q with P(one wrong label) beside them, and logarithms of their weights; padded to whole groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    pub right: Vec<f64>,
    pub wrong: Vec<f64>,
    pub ln_weight: Vec<f64>,
}

impl Nodes {
    pub fn clear(&mut self) {
        self.right.clear();
        self.wrong.clear();
        self.ln_weight.clear();
    }

    pub fn push(&mut self, right: f64, wrong: f64, ln_weight: f64) {
        self.right.push(right);
        self.wrong.push(wrong);
        self.ln_weight.push(ln_weight);
    }

    /// Fills the last group with nodes of no weight.
    pub fn pad(&mut self) {
        while !self.right.len().is_multiple_of(LANES) {
            self.push(0.5, 0.5, f64::NEG_INFINITY);
        }
    }

    pub fn len(&self) -> usize {
        self.right.len()
    }
}

/// ln of the product over all labels of p r + (1 - p) w, for every node.
pub(super) fn ln_products(p: &[f64], right: &[f64], wrong: &[f64], out: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { ln_products_avx2(p, right, wrong, out) };
        return;
    }
    ln_products_body(p, right, wrong, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn ln_products_avx2(p: &[f64], right: &[f64], wrong: &[f64], out: &mut [f64]) {
    ln_products_body(p, right, wrong, out);
}

/// Mantissas are multiplied and exponents added, so that no product leaves the range of numbers.
#[inline(always)]
fn ln_products_body(p: &[f64], right: &[f64], wrong: &[f64], out: &mut [f64]) {
    const MANTISSA: u64 = (1 << 52) - 1;
    const ONE: u64 = 1023 << 52;
    let groups = right.chunks_exact(LANES).zip(wrong.chunks_exact(LANES)).zip(out.chunks_exact_mut(LANES));
    for ((r, w), out) in groups {
        let (mut mantissa, mut exponent) = ([1.0f64; LANES], [0u64; LANES]);
        let mut folds = 0u64;
        for labels in p.chunks(256) {
            for &p in labels {
                let not = 1.0 - p;
                for l in 0..LANES {
                    let bits = (p * r[l] + not * w[l]).to_bits();
                    exponent[l] += bits >> 52;
                    mantissa[l] *= f64::from_bits(bits & MANTISSA | ONE);
                }
            }
            for l in 0..LANES {
                let bits = mantissa[l].to_bits();
                exponent[l] += bits >> 52;
                mantissa[l] = f64::from_bits(bits & MANTISSA | ONE);
            }
            folds += 1;
        }
        let bias = 1023 * (p.len() as u64 + folds);
        for l in 0..LANES {
            out[l] = mantissa[l].ln() + (exponent[l] as f64 - bias as f64) * std::f64::consts::LN_2;
        }
    }
}

/// For every label ln of the message "right" over the message "another class": sums over the nodes of weight times
/// probability, with the label's own factor taken out of the weight.
pub(super) fn ratios(p: &[f64], nodes: &Nodes, weight: &[f64], out: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { ratios_avx2(p, nodes, weight, out) };
        return;
    }
    ratios_body(p, nodes, weight, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn ratios_avx2(p: &[f64], nodes: &Nodes, weight: &[f64], out: &mut [f64]) {
    ratios_body(p, nodes, weight, out);
}

#[inline(always)]
fn ratios_body(p: &[f64], nodes: &Nodes, weight: &[f64], out: &mut [f64]) {
    for (&p, out) in p.iter().zip(out) {
        let not = 1.0 - p;
        let (mut yes, mut no) = ([0.0f64; LANES], [0.0f64; LANES]);
        let groups = nodes.right.chunks_exact(LANES).zip(nodes.wrong.chunks_exact(LANES));
        for ((r, w), v) in groups.zip(weight.chunks_exact(LANES)) {
            for l in 0..LANES {
                let t = v[l] / (p * r[l] + not * w[l]);
                yes[l] += t * r[l];
                no[l] += t * w[l];
            }
        }
        let sum = |x: &[f64; LANES]| ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
        *out = (sum(&yes) / sum(&no)).ln();
    }
}
