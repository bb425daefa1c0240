//! What an annotator with a whole confusion matrix tells the items: a sum over matrices that stand for the prior.

use super::prior::FLOOR;
use super::quadrature::gauss_jacobi;
use crowdwise_numerics::dot;
use crowdwise_numerics::mcmc::dirichlet;
use rand::Rng;

/// Matrices with logarithms of their weights.
#[derive(Clone, Debug)]
pub(super) struct Atoms {
    k: usize,
    ln_weight: Vec<f64>,
    /// P(says l | truth z) of atom s at (l K + z) S + s: what one label needs is contiguous.
    theta: Vec<f64>,
}

/// Most nodes of each of the two rows of a two-class matrix: exact up to 62 labels, beyond that 1,024 kinds of annotator.
const NODES: usize = 32;

/// How the matrix is integrated out.
pub(super) enum MatrixFactor {
    /// The same matrices for everybody: draws or kinds.
    Fixed(Atoms),
    /// Two classes, by quadrature: rules by number of nodes per row, as far as needed.
    TwoCoins(Vec<Option<Atoms>>),
}

/// Room for the work of one annotator after the other.
#[derive(Default)]
pub(super) struct Scratch {
    mantissa: Vec<f64>,
    exponent: Vec<i64>,
    value: Vec<f64>,
}

impl Atoms {
    /// From weights and matrices (atoms x truth x label).
    pub fn new(k: usize, weight: &[f64], matrices: &[f64]) -> Atoms {
        let s = weight.len();
        let mut theta = vec![0.0; k * k * s];
        for (n, m) in matrices.chunks_exact(k * k).enumerate() {
            for z in 0..k {
                for l in 0..k {
                    theta[(l * k + z) * s + n] = m[z * k + l].max(FLOOR);
                }
            }
        }
        Atoms { k, ln_weight: weight.iter().map(|w| w.ln()).collect(), theta }
    }

    /// `draws` matrices from independent Dirichlet rows.
    pub fn draw(k: usize, shape: &[f64], draws: usize, rng: &mut impl Rng) -> Atoms {
        let mut matrices = vec![0.0; draws * k * k];
        for m in matrices.chunks_exact_mut(k * k) {
            for (row, shape) in m.chunks_exact_mut(k).zip(shape.chunks_exact(k)) {
                dirichlet(rng, shape, row);
            }
        }
        Atoms::new(k, &vec![1.0 / draws as f64; draws], &matrices)
    }

    fn two_coins(shape: &[f64], nodes: usize) -> Atoms {
        let first = gauss_jacobi(nodes, shape[0] - 1.0, shape[1] - 1.0);
        let second = gauss_jacobi(nodes, shape[3] - 1.0, shape[2] - 1.0);
        let (mut weight, mut matrices) = (Vec::new(), Vec::new());
        for (&a, &wa) in first.node.iter().zip(&first.weight) {
            for (&b, &wb) in second.node.iter().zip(&second.weight) {
                weight.push(wa * wb);
                matrices.extend([a, 1.0 - a, 1.0 - b, b]);
            }
        }
        Atoms::new(2, &weight, &matrices)
    }

    fn of_label(&self, l: usize, z: usize) -> &[f64] {
        let s = self.ln_weight.len();
        &self.theta[(l * self.k + z) * s..][..s]
    }

    /// P(label l) at every matrix, the truth believed to be as in `p`.
    fn label(&self, l: usize, p: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (z, &p) in p.iter().enumerate() {
            out.iter_mut().zip(self.of_label(l, z)).for_each(|(o, t)| *o += p * t);
        }
    }
}

impl MatrixFactor {
    /// Two classes: rules as exact as `sizes` (numbers of labels) need.
    pub fn two_coins(shape: &[f64], sizes: impl Iterator<Item = usize>) -> MatrixFactor {
        let mut rules = vec![None; NODES + 1];
        for n in sizes {
            let g = Self::nodes(n);
            if rules[g].is_none() {
                rules[g] = Some(Atoms::two_coins(shape, g));
            }
        }
        MatrixFactor::TwoCoins(rules)
    }

    fn nodes(labels: usize) -> usize {
        (labels / 2 + 1).min(NODES)
    }

    /// Messages to the items of an annotator: ln of K probabilities per label into `out`. `p` is what each item believes
    /// without this annotator. The posterior mean of the matrix (truth x label) goes to `mean`; ln of the expected
    /// probability of all labels is returned.
    pub fn messages(&self, labels: &[usize], p: &[f64], s: &mut Scratch, out: &mut [f64], mean: &mut [f64]) -> f64 {
        const MANTISSA: u64 = (1 << 52) - 1;
        const ONE: u64 = 1023 << 52;
        let atoms = match self {
            MatrixFactor::Fixed(a) => a,
            MatrixFactor::TwoCoins(rules) => rules[Self::nodes(labels.len())].as_ref().expect("every size was told"),
        };
        let (k, n) = (atoms.k, atoms.ln_weight.len());
        s.value.resize(n, 0.0);
        s.mantissa.clear();
        s.mantissa.resize(n, 1.0);
        s.exponent.clear();
        s.exponent.resize(n, 0);
        for (e, (&l, p)) in labels.iter().zip(p.chunks_exact(k)).enumerate() {
            atoms.label(l, p, &mut s.value);
            for ((m, x), v) in s.mantissa.iter_mut().zip(&mut s.exponent).zip(&s.value) {
                let bits = v.to_bits();
                *x += (bits >> 52) as i64 - 1023;
                *m *= f64::from_bits(bits & MANTISSA | ONE);
            }
            if e % 256 == 255 {
                for (m, x) in s.mantissa.iter_mut().zip(&mut s.exponent) {
                    let bits = m.to_bits();
                    *x += (bits >> 52) as i64 - 1023;
                    *m = f64::from_bits(bits & MANTISSA | ONE);
                }
            }
        }
        // posterior weight of every matrix, in place of its likelihood
        let weight = &mut s.mantissa;
        for ((m, x), w) in weight.iter_mut().zip(&s.exponent).zip(&atoms.ln_weight) {
            *m = m.ln() + *x as f64 * std::f64::consts::LN_2 + w;
        }
        let top = weight.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        weight.iter_mut().for_each(|w| *w = (*w - top).exp());
        let total: f64 = weight.iter().sum();
        for z in 0..k {
            for l in 0..k {
                mean[z * k + l] = dot(weight, atoms.of_label(l, z)) / total;
            }
        }
        for ((&l, p), out) in labels.iter().zip(p.chunks_exact(k)).zip(out.chunks_exact_mut(k)) {
            atoms.label(l, p, &mut s.value);
            // the label's own factor is taken out again
            s.value.iter_mut().zip(&*weight).for_each(|(v, w)| *v = w / *v);
            for (z, o) in out.iter_mut().enumerate() {
                *o = dot(&s.value, atoms.of_label(l, z));
            }
            let sum: f64 = out.iter().sum();
            out.iter_mut().for_each(|o| *o = (*o / sum).max(FLOOR).ln());
        }
        top + total.ln()
    }
}
