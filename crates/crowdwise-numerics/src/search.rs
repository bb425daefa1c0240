//! Searches along a line.

/// Where `below` changes from true to false between `low` and `high`, by halving the interval at most `steps` times.
pub fn bisect(mut low: f64, mut high: f64, steps: usize, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..steps {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Where a function with one valley between `low` and `high` is smallest, and its value there: golden section with `calls`
/// calls of it (at least two).
pub fn golden_section(mut low: f64, mut high: f64, calls: usize, mut f: impl FnMut(f64) -> f64) -> (f64, f64) {
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    let (mut x, mut y) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_x, mut at_y) = (f(x), f(y));
    for _ in 2..calls {
        if at_x <= at_y {
            (high, y, at_y) = (y, x, at_x);
            x = high - ratio * (high - low);
            at_x = f(x);
        } else {
            (low, x, at_x) = (x, y, at_y);
            y = low + ratio * (high - low);
            at_y = f(y);
        }
    }
    if at_x <= at_y { (x, at_x) } else { (y, at_y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_by_halving() {
        assert!((bisect(0.0, 2.0, 200, |x| x * x < 2.0) - 2f64.sqrt()).abs() < 1e-15);
        // ten halvings of an interval of length 2
        assert!((bisect(0.0, 2.0, 10, |x| x * x < 2.0) - 2f64.sqrt()).abs() < 2.0 / 1024.0);
    }

    #[test]
    fn bottoms_by_golden_section() {
        let mut calls = 0;
        let (x, value) = golden_section(-1.0, 4.0, 50, |x| {
            calls += 1;
            (x - 1.5).powi(2) + 3.0
        });
        assert!((x - 1.5).abs() < 1e-7 && (value - 3.0).abs() < 1e-12, "{x} {value}");
        assert_eq!(calls, 50);
    }
}
