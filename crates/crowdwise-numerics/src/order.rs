//! Medians and quantiles.

/// The middle value, or the mean of the two in the middle; NaN of nothing. Reorders the values.
pub fn median(values: &mut [f64]) -> f64 {
    let n = values.len();
    if n == 0 {
        return f64::NAN;
    }
    let (below, &mut middle, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    if n % 2 == 1 {
        return middle;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    0.5 * (lower + middle)
}

/// The value below which a share `p` of the draws lies, by linear interpolation. Sorts the draws.
pub fn quantile(draws: &mut [f32], p: f64) -> f64 {
    draws.sort_unstable_by(f32::total_cmp);
    let at = p * (draws.len() - 1) as f64;
    let (low, part) = (at.floor() as usize, at.fract());
    let high = (low + 1).min(draws.len() - 1);
    draws[low] as f64 * (1.0 - part) + draws[high] as f64 * part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [3.0, 1.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 9.0, 2.0]), 3.0);
        assert!(median(&mut []).is_nan());
    }

    #[test]
    fn quantiles_interpolate() {
        let mut x = [3.0f32, 1.0, 2.0, 5.0, 4.0];
        assert_eq!([quantile(&mut x, 0.0), quantile(&mut x, 0.5), quantile(&mut x, 0.625)], [1.0, 3.0, 3.5]);
    }
}
