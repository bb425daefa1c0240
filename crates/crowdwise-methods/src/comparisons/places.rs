//! Places of items in a ranking, with what the data leaves open.

/// Draws of the scores from which places are counted.
pub const DRAWS: usize = 2000;
/// Components of up to this many items get places from draws.
pub const SAMPLED_ITEMS: usize = 500;

/// Best and worst place of every item within its component at `level`, from draws: `draw` fills in by how much all
/// scores differ from `score`. Every draw is used twice, as it is and with all signs turned: that is as good a draw of
/// a normal distribution, and the more expensive half of the work is saved. 1 = best.
pub fn sampled(
    score: &[f64],
    component: &[u32],
    draws: usize,
    level: f64,
    mut draw: impl FnMut(&mut [f64]),
) -> Vec<[u32; 2]> {
    let n = score.len();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); component.iter().max().map_or(0, |&c| c as usize + 1)];
    component.iter().enumerate().for_each(|(i, &c)| members[c as usize].push(i));
    // a score and its item in one number: the last bits of the score, which no order depends on, give way to the item
    let item_bits = n.next_power_of_two() as u64 - 1;
    let mut count = vec![0u32; n * n];
    let (mut x, mut keys) = (vec![0.0; n], Vec::with_capacity(n));
    for _ in 0..draws.div_ceil(2) {
        draw(&mut x);
        for sign in [1.0, -1.0] {
            for items in &members {
                keys.clear();
                keys.extend(items.iter().map(|&i| (falling(score[i] + sign * x[i]) & !item_bits) | i as u64));
                keys.sort_unstable();
                for (place, key) in keys.iter().enumerate() {
                    count[(key & item_bits) as usize * n + place] += 1;
                }
            }
        }
    }
    let below = 0.5 * (1.0 - level) * (2 * draws.div_ceil(2)) as f64;
    count
        .chunks_exact(n.max(1))
        .map(|row| {
            let reached = |places: &mut dyn Iterator<Item = usize>| {
                let mut sum = 0.0;
                for place in places {
                    sum += f64::from(row[place]);
                    if sum > below {
                        return place as u32 + 1;
                    }
                }
                1
            };
            [reached(&mut (0..n)), reached(&mut (0..n).rev())]
        })
        .collect()
}

/// A whole number that is the smaller, the larger `x` is.
fn falling(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 1 { bits } else { !(bits | 1 << 63) }
}

/// Best and worst place of every item if only items whose intervals do not overlap are told apart: wider than
/// [`sampled`], and cheap for any number of items.
pub fn separated(interval: &[[f64; 2]]) -> Vec<[u32; 2]> {
    let n = interval.len();
    let sorted = |end: usize| {
        let mut v: Vec<f64> = interval.iter().map(|i| i[end]).collect();
        v.sort_unstable_by(f64::total_cmp);
        v
    };
    let (lows, highs) = (sorted(0), sorted(1));
    interval
        .iter()
        .map(|&[low, high]| {
            let above = n - lows.partition_point(|&x| x <= high);
            let below = highs.partition_point(|&x| x < low);
            [above as u32 + 1, (n - below) as u32]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_that_do_not_overlap_fix_the_places() {
        let all = separated(&[[0.0, 1.0], [2.0, 3.0], [0.5, 2.5], [9.0, 9.0]]);
        assert_eq!(all, [[3, 4], [2, 3], [2, 4], [1, 1]]);
    }

    #[test]
    fn larger_numbers_come_first() {
        let all = [f64::INFINITY, 2.5, 1.0, 1e-300, 0.0, -1e-300, -1.0, -7.0, f64::NEG_INFINITY];
        assert!(all.windows(2).all(|w| falling(w[0]) < falling(w[1])));
    }

    #[test]
    fn places_of_draws_are_quantiles() {
        // two items 1 apart whose difference is drawn evenly from -1 to 3: the second leads in a quarter
        let draws = || {
            let mut n = 0;
            move |x: &mut [f64]| {
                x[0] = 2.0 * (f64::from(n) + 0.5) / 500.0;
                n += 1;
            }
        };
        assert_eq!(sampled(&[1.0, 0.0], &[0, 0], 1000, 0.9, draws()), [[1, 2], [1, 2]]);
        assert_eq!(sampled(&[1.0, 0.0], &[0, 0], 1000, 0.4, draws()), [[1, 1], [2, 2]]);
        // each in a part of its own is always first there
        assert_eq!(sampled(&[1.0, 0.0], &[0, 1], 1000, 0.9, draws()), [[1, 1], [1, 1]]);
    }
}
