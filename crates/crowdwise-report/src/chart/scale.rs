//! From data to pixels: linear scales and round ticks.

use crate::number::{decimal, trimmed};

/// A linear map from a domain to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    pub domain: (f64, f64),
    pub pixels: (f64, f64),
}

impl Scale {
    pub fn new(domain: (f64, f64), pixels: (f64, f64)) -> Self {
        Scale { domain, pixels }
    }

    /// Position of `x`; the middle if the domain is a single point, the nearer end if `x` lies outside.
    pub fn at(&self, x: f64) -> f64 {
        let ((a, b), (from, to)) = (self.domain, self.pixels);
        if a == b || !x.is_finite() {
            return 0.5 * (from + to);
        }
        from + ((x - a) / (b - a)).clamp(0.0, 1.0) * (to - from)
    }

    /// Position of the end of an interval: one without end reaches the edge.
    pub fn end(&self, x: f64) -> f64 {
        self.at(x.clamp(self.domain.0.min(self.domain.1), self.domain.0.max(self.domain.1)))
    }
}

/// Round numbers (1, 2 or 5 times a power of ten) in the domain, about `want` of them.
pub fn ticks(domain: (f64, f64), want: usize) -> Vec<f64> {
    let (a, b) = domain;
    if !(a.is_finite() && b.is_finite()) || a >= b {
        return if a.is_finite() { vec![a] } else { Vec::new() };
    }
    let step = tick_step(domain, want);
    let first = (a / step - 1e-9).ceil();
    let last = (b / step + 1e-9).floor();
    // + 0.0 turns a negative zero into zero
    (0..=(last - first) as usize).map(|i| (first + i as f64) * step + 0.0).collect()
}

fn tick_step((a, b): (f64, f64), want: usize) -> f64 {
    let raw = (b - a) / want.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= raw * (1.0 - 1e-9)).unwrap_or(10.0);
    step * power
}

/// The domain opened to the next round numbers, so that lines end inside the plot.
pub fn nice(domain: (f64, f64), want: usize) -> (f64, f64) {
    let (a, b) = domain;
    if a == b {
        let pad = if a == 0.0 { 1.0 } else { 0.1 * a.abs() };
        return (a - pad, b + pad);
    }
    let step = tick_step(domain, want);
    ((a / step + 1e-9).floor() * step, (b / step - 1e-9).ceil() * step)
}

/// Labels of ticks, all with as many decimals as their step needs.
pub fn tick_labels(ticks: &[f64]) -> Vec<String> {
    let largest = ticks.iter().fold(0.0f64, |m, t| m.max(t.abs()));
    let step = ticks.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
    if largest >= 1e6 || (largest > 0.0 && largest < 1e-4) {
        return ticks.iter().map(|&t| power_label(t, step)).collect();
    }
    let digits = if step.is_finite() { (-step.log10().floor()).clamp(0.0, 9.0) as usize } else { 3 };
    ticks.iter().map(|&t| if ticks.len() == 1 { trimmed(t, digits) } else { decimal(t, digits) }).collect()
}

fn power_label(t: f64, step: f64) -> String {
    if t == 0.0 {
        return "0".into();
    }
    let e = t.abs().log10().floor();
    let digits = if step.is_finite() { (e - step.log10().floor()).clamp(0.0, 6.0) as usize } else { 2 };
    format!("{}e{}", trimmed(t / 10f64.powi(e as i32), digits), e as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_maps_ends_to_ends_and_keeps_outsiders_in() {
        let s = Scale::new((0.0, 10.0), (100.0, 0.0));
        assert_eq!((s.at(0.0), s.at(10.0), s.at(2.5)), (100.0, 0.0, 75.0));
        assert_eq!((s.at(-5.0), s.at(50.0)), (100.0, 0.0));
        assert_eq!(Scale::new((3.0, 3.0), (0.0, 8.0)).at(3.0), 4.0);
        assert_eq!(s.at(f64::NAN), 50.0);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks((0.0, 1.0), 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks((-7.0, 12.0), 4), [-5.0, 0.0, 5.0, 10.0]);
        assert_eq!(ticks((0.0, 1e9), 2), [0.0, 5e8, 1e9]);
        assert_eq!(ticks((4.0, 4.0), 5), [4.0]);
        assert!(ticks((f64::NAN, 1.0), 5).is_empty());
        for (a, b) in [(0.013, 0.017), (-1e-7, 3e-7), (123456.0, 123999.0), (-3e15, 1e14)] {
            let t = ticks((a, b), 6);
            assert!((2..=8).contains(&t.len()), "{a}..{b}: {t:?}");
            assert!(t.iter().all(|&x| x >= a - 1e-6 * (b - a) && x <= b + 1e-6 * (b - a)));
        }
    }

    #[test]
    fn a_nice_domain_contains_the_data_and_ends_on_ticks() {
        assert_eq!(nice((0.3, 9.2), 5), (0.0, 10.0));
        assert_eq!(nice((-2680.0, -1010.0), 5), (-3000.0, -1000.0));
        let (a, b) = nice((5.0, 5.0), 4);
        assert!(a < 5.0 && b > 5.0);
        assert_eq!(nice((0.0, 0.0), 4), (-1.0, 1.0));
    }

    #[test]
    fn labels_share_their_decimals() {
        assert_eq!(tick_labels(&ticks((0.0, 1.0), 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(tick_labels(&[-2000.0, -1000.0, 0.0]), ["−2000", "−1000", "0"]);
        assert_eq!(tick_labels(&[0.0, 5e6, 1e7]), ["0", "5e6", "1e7"]);
        assert_eq!(tick_labels(&[0.25]), ["0.25"]);
    }
}
