//! The memory that the pass works on: per (annotator, label) a row `[table; kp][counts; kp]`.
//!
//! Table and counts lie side by side so that one cache line (four classes) or one prefetch brings both. Counts are sums
//! in fixed point: `p + Q` as f64, its bits added as integers, so they are exact and do not depend on the order in which
//! threads add.

/// 64 bytes, aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "read through pointers only")] [u64; 8]);

pub(crate) struct Rows {
    memory: Vec<Line>,
    /// Classes padded to an even number (a multiple of 4 above 16).
    pub kp: usize,
    /// Length of a row in 8-byte units.
    pub stride: usize,
    count: usize,
}

/// Classes padded to what the pass wants.
pub(crate) fn padded(k: usize) -> usize {
    if k <= 16 { k.next_multiple_of(2) } else { k.next_multiple_of(4) }
}

impl Rows {
    pub fn new(count: usize, k: usize) -> Rows {
        let kp = padded(k);
        let stride = 2 * kp;
        // room behind the last row: wide loads of an unpadded tail stay inside the allocation
        let lines = (count * stride + 16).div_ceil(8);
        Rows { memory: vec![Line([0; 8]); lines], kp, stride, count }
    }

    pub fn base(&self) -> *const f64 {
        self.memory.as_ptr().cast()
    }

    pub fn base_mut(&mut self) -> *mut f64 {
        self.memory.as_mut_ptr().cast()
    }

    /// Bytes of all rows, tables and counts.
    pub fn bytes(&self) -> usize {
        self.count * self.stride * 8
    }
}

/// The scale of the fixed-point counts: a power of two large enough that no row of `max` labels can overflow.
///
/// A sum of n terms `p + Q` has integer value `n * bits(Q) + sum p / (Q 2^-52)`; the second part must stay below 2^63.
pub(crate) fn quantum(max: u32) -> f64 {
    let mut q = 2.0;
    while max as f64 >= q * 2048.0 {
        q *= 2.0;
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantum_never_overflows() {
        for max in [1u32, 4095, 4096, 1_000_000, u32::MAX] {
            let q = quantum(max);
            assert!(max as f64 / (q * 2f64.powi(-52)) < 2f64.powi(63), "{max} {q}");
        }
    }
}
