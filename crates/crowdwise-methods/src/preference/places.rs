//! Places of items in a ranking, with what the data leaves open.

/// Draws of the scores from which places are counted.
pub const DRAWS: usize = 2000;
/// Components of up to this many items get places from draws.
pub const SAMPLED_ITEMS: usize = 500;

/// Best and worst place of every item within its component at `level`, from draws: `draw` fills in by how much all
/// scores differ from `score`. 1 = best.
pub fn sampled(
    score: &[f64],
    component: &[u32],
    draws: usize,
    level: f64,
    mut draw: impl FnMut(&mut [f64]),
) -> Vec<[u32; 2]> {
    let n = score.len();
    let mut first = vec![0usize; component.iter().max().map_or(0, |&c| c as usize + 1) + 1];
    component.iter().for_each(|&c| first[c as usize + 1] += 1);
    (1..first.len()).for_each(|c| first[c] += first[c - 1]);
    let mut count = vec![0u32; n * n];
    let (mut x, mut order) = (vec![0.0; n], (0..n as u32).collect::<Vec<_>>());
    for _ in 0..draws {
        draw(&mut x);
        x.iter_mut().zip(score).for_each(|(x, s)| *x += s);
        order.sort_unstable_by(|&a, &b| {
            let (a_, b_) = (a as usize, b as usize);
            component[a_].cmp(&component[b_]).then(x[b_].total_cmp(&x[a_])).then(a.cmp(&b))
        });
        for (at, &i) in order.iter().enumerate() {
            count[i as usize * n + at - first[component[i as usize] as usize]] += 1;
        }
    }
    let below = 0.5 * (1.0 - level) * draws as f64;
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
    fn places_of_draws_are_quantiles() {
        // two items 1 apart; the difference is drawn evenly from -1.5 to 0.5 around it, so the second leads in a quarter
        let mut n = 0;
        let mut draw = |x: &mut [f64]| {
            x[0] = -2.0 * (f64::from(n) + 0.5) / 1000.0 + 0.5;
            x[1] = 0.0;
            n += 1;
        };
        assert_eq!(sampled(&[1.0, 0.0], &[0, 0], 1000, 0.9, &mut draw), [[1, 2], [1, 2]]);
        n = 0;
        let mut draw = |x: &mut [f64]| {
            x[0] = -2.0 * (f64::from(n) + 0.5) / 1000.0 + 0.5;
            x[1] = 0.0;
            n += 1;
        };
        assert_eq!(sampled(&[1.0, 0.0], &[0, 0], 1000, 0.4, &mut draw), [[1, 1], [2, 2]]);
    }
}
