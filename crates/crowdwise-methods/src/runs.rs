//! Fixed runs of units, so that parallel sums are the same bits on any number of threads, and class codes of either width.

use std::ops::Range;

/// Cuts units into runs of about equally many labels. The cut depends on the data alone, never on the threads, so
/// that sums added in run order are the same bits on any number of threads. `width` is the number of accumulators
/// that each run needs: their total stays below four per label.
pub(crate) fn runs(offsets: &[u32], width: usize) -> Vec<Range<usize>> {
    let n = offsets.len() - 1;
    let labels = offsets[n] as usize;
    let most = (4 * labels / width.max(1)).clamp(1, 64);
    let count = (labels / 50_000).clamp(1, most);
    let mut out = Vec::with_capacity(count);
    let mut start = 0;
    for c in 1..=count {
        let goal = (labels as u64).saturating_mul(c as u64) / count as u64;
        let end = if c == count { n } else { offsets.partition_point(|&o| u64::from(o) < goal).clamp(start, n) };
        if end > start || c == count {
            out.push(start..end);
        }
        start = end;
    }
    out
}

/// Splits a slice into the parts that belong to `runs`, `per` values a unit.
pub(crate) fn split_runs<'a, T>(mut values: &'a mut [T], runs: &[Range<usize>], per: usize) -> Vec<&'a mut [T]> {
    runs.iter()
        .map(|r| {
            let (head, rest) = std::mem::take(&mut values).split_at_mut(r.len() * per);
            values = rest;
            head
        })
        .collect()
}

/// Splits the labels of units into the parts that belong to `runs`, `per` values a label.
pub(crate) fn split_labels<'a, T>(
    mut values: &'a mut [T],
    runs: &[Range<usize>],
    offsets: &[u32],
    per: usize,
) -> Vec<&'a mut [T]> {
    runs.iter()
        .map(|r| {
            let labels = (offsets[r.end] - offsets[r.start]) as usize;
            let (head, rest) = std::mem::take(&mut values).split_at_mut(labels * per);
            values = rest;
            head
        })
        .collect()
}

/// Class codes of either width.
pub(crate) trait Code: Copy + Send + Sync {
    fn index(self) -> usize;
}

impl Code for u8 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

impl Code for u16 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_every_unit_once() {
        let offsets: Vec<u32> = (0..=60_000u32).map(|u| u * 5).collect();
        for (width, want) in [(10, 6), (1_000_000, 1)] {
            let r = runs(&offsets, width);
            assert_eq!(r.len(), want);
            assert_eq!((r[0].start, r[r.len() - 1].end), (0, 60_000));
            assert!(r.windows(2).all(|w| w[0].end == w[1].start));
        }
        assert_eq!(runs(&[0, 0, 2, 2], 1), vec![0..3]);
    }
}
