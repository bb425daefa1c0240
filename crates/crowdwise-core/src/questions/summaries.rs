//! Short descriptions of long lists: counts, values, comparisons.

use super::inspect::{Bin, Comparisons, Spread, ValueSummary};
use crate::{Preference, Table};
use hashbrown::{HashMap, HashSet};

impl Spread {
    /// Of any number of counts. Small ones, as those of items are, take no memory.
    pub fn of(counts: impl Iterator<Item = u64>) -> Spread {
        const SMALL: usize = 4096;
        let (mut small, mut large) = (vec![0u64; SMALL], Vec::new());
        let (mut n, mut sum) = (0u64, 0u128);
        for x in counts {
            n += 1;
            sum += x as u128;
            if (x as usize) < SMALL { small[x as usize] += 1 } else { large.push(x) }
        }
        if n == 0 {
            return Spread::default();
        }
        large.sort_unstable();
        // the value at a place of the sorted list
        let nth = |at: u64| {
            let mut before = 0;
            for (x, &c) in small.iter().enumerate() {
                before += c;
                if at < before {
                    return x as u64;
                }
            }
            large[(at - before) as usize]
        };
        let max = nth(n - 1);
        let mut histogram = Vec::new();
        let (mut low, exact) = (0, max <= 24);
        while low <= max {
            let high = if exact || low == 0 { low } else { 2 * low - 1 };
            let count = small.iter().take(high as usize + 1).skip(low as usize).sum::<u64>()
                + (large.partition_point(|&x| x <= high) - large.partition_point(|&x| x < low)) as u64;
            histogram.push(Bin { low, high, count });
            low = high + 1;
        }
        let leading = histogram.iter().take_while(|b| b.count == 0).count();
        histogram.drain(..leading);
        Spread {
            min: nth(0),
            mean: sum as f64 / n as f64,
            median: 0.5 * (nth((n - 1) / 2) + nth(n / 2)) as f64,
            max,
            histogram,
        }
    }
}

/// Distinct values are counted up to this many.
const DISTINCT: usize = 100_000;

pub fn value_summary(table: &Table, values: &[f64]) -> Option<ValueSummary> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let total: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    let (mut within, mut freedom) = (0.0, 0.0);
    for u in 0..table.n_units() {
        let here = &values[table.rows(u)];
        if here.len() >= 2 {
            let m = here.iter().sum::<f64>() / here.len() as f64;
            within += here.iter().map(|x| (x - m).powi(2)).sum::<f64>();
            freedom += here.len() as f64 - 1.0;
        }
    }
    let mut distinct: HashSet<u64, foldhash::fast::FixedState> = HashSet::default();
    for x in values {
        if distinct.len() == DISTINCT {
            break;
        }
        distinct.insert((x + 0.0).to_bits());
    }
    Some(ValueSummary {
        min: values.iter().copied().fold(f64::INFINITY, f64::min),
        max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        mean,
        sd: (total / (n - 1.0).max(1.0)).sqrt(),
        sd_within: (freedom > 0.0).then(|| (within / freedom).sqrt()),
        distinct: distinct.len(),
    })
}

pub fn comparisons(table: &Table) -> Option<Comparisons> {
    let (pairs, said) = table.preferences()?;
    // bit 1: shown as (small, large), bit 2: as (large, small)
    let mut shown: HashMap<[u32; 2], u8, foldhash::fast::FixedState> = HashMap::default();
    let mut both = 0;
    let (mut won, mut lost) = (vec![false; table.n_items()], vec![false; table.n_items()]);
    let mut outcomes = [0u64; 3];
    for (u, &[l, r]) in pairs.iter().enumerate() {
        if table.degree(u) == 0 {
            continue;
        }
        let seen = shown.entry([l.min(r), l.max(r)]).or_default();
        let bit = if l < r { 1 } else { 2 };
        both += usize::from(*seen != 0 && *seen & bit == 0);
        *seen |= bit;
        for row in table.rows(u) {
            outcomes[said[row] as usize] += 1;
            let (l, r) = (l as usize, r as usize);
            match said[row] {
                Preference::Left => (won[l], lost[r]) = (true, true),
                Preference::Right => (won[r], lost[l]) = (true, true),
                // a tie is neither always won nor always lost
                Preference::Tie => [l, r].into_iter().for_each(|i| (won[i], lost[i]) = (true, true)),
            }
        }
    }
    let n = table.n_items() as u64;
    let all: u64 = outcomes.iter().sum();
    let share = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
    Some(Comparisons {
        pairs: shown.len(),
        both_orders: both,
        both_orders_share: share(both as u64, shown.len() as u64),
        left: outcomes[0],
        right: outcomes[1],
        ties: outcomes[2],
        tie_share: share(outcomes[2], all),
        always_won: (0..won.len()).filter(|&i| won[i] && !lost[i]).count(),
        always_lost: (0..won.len()).filter(|&i| lost[i] && !won[i]).count(),
        possible_pairs: n * n.saturating_sub(1) / 2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelKind, TableBuilder};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn spread_is_that_of_the_sorted_list(mut x in prop::collection::vec(prop_oneof![0..30u64, 0..20_000u64], 1..60)) {
            let s = Spread::of(x.iter().copied());
            x.sort_unstable();
            let n = x.len();
            prop_assert_eq!((s.min, s.max), (x[0], x[n - 1]));
            prop_assert_eq!(s.median, (x[(n - 1) / 2] + x[n / 2]) as f64 / 2.0);
            prop_assert!((s.mean - x.iter().sum::<u64>() as f64 / n as f64).abs() < 1e-9);
            prop_assert_eq!(s.histogram.iter().map(|b| b.count).sum::<u64>(), n as u64);
            for b in &s.histogram {
                prop_assert_eq!(b.count, x.iter().filter(|&&v| b.low <= v && v <= b.high).count() as u64);
            }
            prop_assert!(s.histogram.windows(2).all(|w| w[0].high + 1 == w[1].low));
        }
    }

    #[test]
    fn comparisons_are_counted_by_pair_order_and_outcome() {
        let mut b = TableBuilder::new(LabelKind::Preference);
        use Preference::{Left, Right, Tie};
        for (l, r, o) in [("x", "y", Left), ("y", "x", Right), ("y", "z", Left), ("z", "w", Tie), ("x", "v", Left)] {
            b.preference(l, r, "a", o);
        }
        let c = comparisons(&b.finish().unwrap()).unwrap();
        assert_eq!((c.pairs, c.both_orders, c.left, c.right, c.ties, c.possible_pairs), (4, 1, 3, 1, 1, 10));
        // x won all, v lost all; z and w have a tie
        assert_eq!((c.always_won, c.always_lost), (1, 1));
    }

    #[test]
    fn values_are_described_with_their_spread_within_units() {
        let mut b = TableBuilder::new(LabelKind::Real);
        for (i, a, x) in [("p", "a", 1.0), ("p", "b", 3.0), ("q", "a", 10.0), ("q", "b", 12.0), ("r", "a", 4.0)] {
            b.value(i, a, x);
        }
        let t = b.finish().unwrap();
        let v = value_summary(&t, t.real().unwrap()).unwrap();
        assert_eq!((v.min, v.max, v.mean, v.distinct), (1.0, 12.0, 6.0, 5));
        assert!((v.sd_within.unwrap() - 2f64.sqrt()).abs() < 1e-12); // two units, each 2 squared deviations, 1 freedom
    }
}
