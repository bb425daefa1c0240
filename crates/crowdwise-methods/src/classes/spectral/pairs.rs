//! How often two annotators of a part say the same of the items that both labelled. Only pairs with common items are
//! kept; items with very many labels give a part of their pairs.

use super::crowd::{Crowd, Part};
use crowdwise_core::{Context, Error};
use rayon::prelude::*;
use std::ops::Range;

/// Pairs of labels (each seen from both sides) that may be looked at, per label and in all. If every two annotators
/// could be held in a table of a few entries a label, only time counts; else memory does.
const PER_LABEL: [usize; 2] = [64, 16];
const AT_LEAST: [usize; 2] = [200_000_000, 4_000_000];
/// Annotators per piece of parallel work.
const CHUNK: usize = 64;

/// One annotator seen from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seen {
    /// Position within the part.
    pub other: u32,
    /// Common items, and those of which both say the same.
    pub n: u32,
    pub same: u32,
}

/// All pairs of a part, from both sides, in order.
#[derive(Debug)]
pub(super) struct Pairs {
    offsets: Vec<usize>,
    seen: Vec<Seen>,
}

/// How many others a label is compared with at most, so that all pairs together keep within the limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Partners(usize);

impl Partners {
    pub fn of(crowd: &Crowd) -> Partners {
        let (labels, m) = (crowd.labels(), crowd.annotator.len());
        let scarce = usize::from(m.saturating_mul(m) > 4 * labels + 1_000_000);
        Partners::within(crowd, (labels * PER_LABEL[scarce]).max(AT_LEAST[scarce]))
    }

    /// The largest even number with which at most `limit` pairs of labels are looked at.
    fn within(crowd: &Crowd, limit: usize) -> Partners {
        let degrees: Vec<usize> = (0..crowd.unit.len()).map(|i| crowd.on(i).len()).collect();
        let most = degrees.iter().copied().max().unwrap_or(0).next_multiple_of(2);
        let work = |cap: usize| degrees.iter().fold(0usize, |s, &d| s.saturating_add(d * d.saturating_sub(1).min(cap)));
        if work(most) <= limit {
            return Partners(most);
        }
        let (mut low, mut high) = (1, most / 2);
        while high - low > 1 {
            let mid = usize::midpoint(low, high);
            if work(2 * mid) <= limit { low = mid } else { high = mid }
        }
        Partners(2 * low)
    }

    /// Positions of the labels with which label `x` of `d` is compared: all others, or those at the same distances on
    /// both sides in a circle, so that y is compared with x just if x is with y.
    fn each(self, x: usize, d: usize, mut f: impl FnMut(usize)) {
        if d <= self.0 + 1 {
            (0..d).filter(|&y| y != x).for_each(f);
            return;
        }
        let half = self.0 / 2;
        for t in 0..half {
            let step = 1 + t * ((d - 1) / 2) / half;
            f((x + step) % d);
            f((x + d - step) % d);
        }
    }
}

impl Pairs {
    /// Pairs of `part`; `same` tells whether two classes count as the same answer.
    pub fn new(
        crowd: &Crowd,
        part: &Part,
        partners: Partners,
        cx: &mut Context<'_>,
        same: impl Fn(usize, usize) -> bool + Sync,
    ) -> Result<Pairs, Error> {
        let m = part.annotators.len();
        let piece = |range: Range<usize>| {
            let mut counts = vec![(0u32, 0u32); m];
            let (mut touched, mut rows) = (Vec::new(), Vec::with_capacity(range.len()));
            let mut seen: Vec<Seen> = Vec::new();
            for a in range {
                for (item, class) in crowd.by(part.annotators.start + a) {
                    let (first, others) = crowd.list(item);
                    let x = first.binary_search(&((part.annotators.start + a) as u32)).expect("labels it");
                    partners.each(x, first.len(), |y| {
                        let b = first[y] as usize - part.annotators.start;
                        let cell = &mut counts[b];
                        if cell.0 == 0 {
                            touched.push(b as u32);
                        }
                        cell.0 += 1;
                        cell.1 += u32::from(same(class, others[y] as usize));
                    });
                }
                touched.sort_unstable();
                for &b in &touched {
                    let (n, same) = std::mem::take(&mut counts[b as usize]);
                    seen.push(Seen { other: b, n, same });
                }
                rows.push(touched.len());
                touched.clear();
            }
            (rows, seen)
        };
        let pieces: Vec<(Vec<usize>, Vec<Seen>)> = if cx.threads == 1 || m <= CHUNK {
            vec![piece(0..m)]
        } else {
            // a piece for every thread at a time would do, but more pieces share the work better
            let size = CHUNK.max(m.div_ceil(64 * cx.threads));
            let ranges: Vec<Range<usize>> = (0..m).step_by(size).map(|s| s..(s + size).min(m)).collect();
            cx.install(|| ranges.into_par_iter().map(piece).collect())?
        };
        let mut offsets = vec![0];
        let mut seen = Vec::with_capacity(pieces.iter().map(|p| p.1.len()).sum());
        for (rows, part) in pieces {
            rows.iter().for_each(|n| offsets.push(offsets.last().expect("begins with 0") + n));
            seen.extend(part);
        }
        Ok(Pairs { offsets, seen })
    }

    /// Those with whom annotator `a` has common items.
    pub fn near(&self, a: usize) -> &[Seen] {
        &self.seen[self.offsets[a]..self.offsets[a + 1]]
    }

    pub fn annotators(&self) -> usize {
        self.offsets.len() - 1
    }

    /// y_a = x_a + Σ_b f(pair) x_b.
    pub fn product(&self, x: &[f64], y: &mut [f64], f: impl Fn(&Seen) -> f64) {
        for (a, y) in y.iter_mut().enumerate() {
            *y = x[a] + self.near(a).iter().map(|s| f(s) * x[s.other as usize]).sum::<f64>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder, stream};
    use rand::RngExt;

    fn crowd(items: usize, annotators: usize, share: f64) -> Crowd {
        let mut rng = stream(1, "pairs", (items + annotators) as u64);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for i in 0..items {
            for j in 0..annotators {
                if rng.random_bool(share) {
                    let l = rng.random_range(0..3);
                    b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
                }
            }
        }
        Crowd::new(&b.finish().unwrap().categorical().unwrap())
    }

    #[test]
    fn pairs_equal_brute_force_on_any_number_of_threads() {
        let crowd = crowd(60, 150, 0.08);
        assert_eq!(crowd.parts.len(), 1);
        let part = &crowd.parts[0];
        let of = |threads| {
            Pairs::new(&crowd, part, Partners::of(&crowd), &mut Context::new(0, threads), |a, b| a == b).unwrap()
        };
        let pairs = of(1);
        for a in 0..pairs.annotators() {
            for b in 0..pairs.annotators() {
                let (mut n, mut same) = (0, 0);
                for (i, c) in crowd.by(a) {
                    for (_, d) in crowd.by(b).filter(|&(x, _)| x == i && a != b) {
                        n += 1;
                        same += u32::from(c == d);
                    }
                }
                let found = pairs.near(a).iter().find(|s| s.other as usize == b);
                assert_eq!(found.map_or((0, 0), |s| (s.n, s.same)), (n, same), "{a} {b}");
            }
        }
        let three = of(3);
        assert_eq!((pairs.offsets, pairs.seen), (three.offsets, three.seen));
    }

    #[test]
    fn a_limit_takes_the_same_pairs_from_both_sides() {
        let crowd = crowd(40, 30, 0.7);
        let all: usize = (0..40).map(|i| crowd.on(i).len() * (crowd.on(i).len() - 1)).sum();
        let partners = Partners::within(&crowd, all / 3);
        let pairs = Pairs::new(&crowd, &crowd.parts[0], partners, &mut Context::default(), |a, b| a == b).unwrap();
        let looked: usize = pairs.seen.iter().map(|s| s.n as usize).sum();
        assert!(looked <= all / 3 && looked > all / 5, "{looked} of {all}");
        for a in 0..pairs.annotators() {
            for s in pairs.near(a) {
                let back = pairs.near(s.other as usize).iter().find(|t| t.other as usize == a).expect("both sides");
                assert_eq!((back.n, back.same), (s.n, s.same));
                assert!(s.other as usize != a);
            }
        }
        assert_eq!(Partners::within(&crowd, usize::MAX), Partners(crowd_most(&crowd)));
    }

    fn crowd_most(crowd: &Crowd) -> usize {
        (0..crowd.unit.len()).map(|i| crowd.on(i).len()).max().unwrap().next_multiple_of(2)
    }
}
