//! From the counts of a pass to the next tables, annotator by annotator.

use super::engine::{Model, Shared, Sums};
use super::packed::Packed;

/// The counts that a pass has left in the rows.
pub(super) struct Counts<'a> {
    pub packed: &'a Packed,
    pub bases: Vec<Shared<f64>>,
    pub kp: usize,
    pub clamped: Option<&'a [f64]>,
    pub quantum: f64,
}

impl Counts<'_> {
    /// Writes the counts of annotator `j` (label x truth) and, if asked to, clears them. Different threads must ask for
    /// different annotators. `K` is the number of classes, 0 = any.
    #[inline(always)]
    pub fn of<const K: usize>(&self, j: usize, counts: &mut [f64], clear: bool) {
        let (packed, kp) = (self.packed, self.kp);
        let k = if K == 0 { packed.k } else { K };
        let stride = packed.stride;
        let (bits, scale) = (self.quantum.to_bits(), self.quantum / (1u64 << 52) as f64);
        counts.fill(0.0);
        for r in packed.rows_of(j) {
            let into = &mut counts[packed.label[r] as usize * k..][..k];
            let take = (packed.n[r] as u64).wrapping_mul(bits);
            // SAFETY: row r lies inside every copy, and no other thread reads or writes annotator j.
            let counted = |copy: usize| unsafe {
                let at = self.bases[copy].get().add(r * stride + kp).cast::<u64>();
                std::slice::from_raw_parts_mut(at, kp)
            };
            if let [_] = self.bases[..] {
                let one = counted(0);
                for t in 0..k {
                    into[t] = one[t].wrapping_sub(take) as i64 as f64 * scale;
                }
            } else {
                for t in 0..k {
                    let sum = (0..self.bases.len()).fold(0u64, |sum, c| sum.wrapping_add(counted(c)[t]));
                    into[t] = sum.wrapping_sub(take) as i64 as f64 * scale;
                }
            }
            if clear {
                (0..self.bases.len()).for_each(|c| counted(c).fill(0));
            }
            if let Some(fixed) = self.clamped {
                into.iter_mut().zip(&fixed[r * k..][..k]).for_each(|(a, b)| *a += b);
            }
        }
    }
}

pub(super) struct Maximisation<'a, M> {
    pub counts: Counts<'a>,
    pub dense: Option<Shared<f64>>,
    pub report: bool,
    pub model: &'a M,
}

impl<M: Model> Maximisation<'_, M> {
    pub fn block(&self, annotators: std::ops::Range<usize>) -> (f64, Sums) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { self.block_avx2(annotators) };
        }
        self.select(annotators)
    }

    /// The same arithmetic in wider vectors, nothing fused: the same bits.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn block_avx2(&self, annotators: std::ops::Range<usize>) -> (f64, Sums) {
        self.select(annotators)
    }

    /// The small loops unroll when the number of classes is a constant.
    #[inline(always)]
    fn select(&self, annotators: std::ops::Range<usize>) -> (f64, Sums) {
        match self.counts.packed.k {
            2 => self.block_of::<2>(annotators),
            3 => self.block_of::<3>(annotators),
            4 => self.block_of::<4>(annotators),
            5 => self.block_of::<5>(annotators),
            8 => self.block_of::<8>(annotators),
            10 => self.block_of::<10>(annotators),
            _ => self.block_of::<0>(annotators),
        }
    }

    #[inline(always)]
    fn block_of<const K: usize>(&self, annotators: std::ops::Range<usize>) -> (f64, Sums) {
        let packed = self.counts.packed;
        let k = if K == 0 { packed.k } else { K };
        let stride = packed.stride;
        let size = packed.classes * k;
        let mut counts = vec![0.0; size];
        let mut table = vec![0.0; size];
        let mut change = 0f64;
        let mut sums = Sums::default();
        for j in annotators {
            let rows = packed.rows_of(j);
            self.counts.of::<K>(j, &mut counts, true);
            let s = self.model.table(k, j, &counts, &mut table);
            sums.iter_mut().zip(s).for_each(|(a, b)| *a += b);
            for r in rows {
                let from = &table[packed.label[r] as usize * k..][..k];
                for (copy, base) in self.counts.bases.iter().enumerate() {
                    // SAFETY: row r lies inside every copy, and annotator j belongs to this block only.
                    let row = unsafe { std::slice::from_raw_parts_mut(base.get().add(r * stride), k) };
                    if copy == 0 {
                        change = furthest(change, row, from);
                    }
                    row.copy_from_slice(from);
                }
            }
            if let Some(dense) = self.dense {
                if self.report {
                    self.model.report(k, j, &counts, &mut table);
                }
                // SAFETY: annotator j belongs to this block only.
                unsafe { std::ptr::copy_nonoverlapping(table.as_ptr(), dense.get().add(j * size), size) };
            }
        }
        (change, sums)
    }
}

/// The largest of `least` and the distances of two rows. Four at a time: a maximum waits for the one before.
#[inline(always)]
fn furthest(least: f64, a: &[f64], b: &[f64]) -> f64 {
    let larger = |most: f64, x: f64| if x > most { x } else { most };
    let mut lanes = [least; 4];
    let (fours_a, fours_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = fours_a.remainder().iter().zip(fours_b.remainder());
    let most = rest.fold(least, |most, (a, b)| larger(most, (a - b).abs()));
    for (a, b) in fours_a.zip(fours_b) {
        lanes = std::array::from_fn(|i| larger(lanes[i], (a[i] - b[i]).abs()));
    }
    lanes.into_iter().fold(most, larger)
}
