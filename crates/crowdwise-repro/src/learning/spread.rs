//! Figures of several runs.

/// Mean and deviation over runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
    pub n: usize,
}

impl Spread {
    pub fn of(values: &[f64]) -> Spread {
        let n = values.len();
        let mean = values.iter().sum::<f64>() / n as f64;
        Spread { mean, squares: values.iter().map(|x| (x - mean).powi(2)).sum(), n }
    }

    /// Deviation of one run; a single run has none.
    pub fn sd(self) -> Option<f64> {
        (self.n > 1).then(|| (self.squares / (self.n - 1) as f64).sqrt())
    }

    /// Standard error of the mean.
    pub fn error(self) -> Option<f64> {
        self.sd().map(|sd| sd / (self.n as f64).sqrt())
    }

    pub fn with_error(self) -> String {
        self.error().map_or_else(|| format!("{:.1}", self.mean), |e| format!("{:.1} ± {e:.1}", self.mean))
    }

    /// Half the width of the 99 % interval of the mean.
    pub fn interval(self) -> Option<f64> {
        self.sd().map(|sd| student(self.n - 1) * sd / (self.n as f64).sqrt())
    }

    pub fn with_sd(self) -> String {
        self.sd().map_or_else(|| format!("{:.1}", self.mean), |sd| format!("{:.1} ± {sd:.1}", self.mean))
    }

    pub fn with_interval(self) -> String {
        self.interval().map_or_else(|| format!("{:.1}", self.mean), |w| format!("{:.1} ± {w:.1}", self.mean))
    }
}

/// The 99.5 % point of Student's distribution: tabled for 1 to 4 degrees of freedom, then its expansion about the normal one.
fn student(freedom: usize) -> f64 {
    let (z, v) = (2.575_829_f64, freedom as f64);
    match freedom {
        1 => 63.657,
        2 => 9.925,
        3 => 5.841,
        4 => 4.604,
        _ => {
            z + (z.powi(3) + z) / (4.0 * v)
                + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * v * v)
                + (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / (384.0 * v.powi(3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_deviations_and_intervals() {
        let s = Spread::of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!((s.mean - 3.0).abs() < 1e-12 && (s.sd().unwrap() - 2.5f64.sqrt()).abs() < 1e-12);
        assert_eq!(s.with_sd(), "3.0 ± 1.6");
        assert_eq!(Spread::of(&[71.23]).with_sd(), "71.2");
        // printed tables: 4.604 for 4, 3.250 for 9, 2.861 for 19 degrees of freedom
        for (v, t) in [(4, 4.604), (9, 3.250), (19, 2.861)] {
            assert!((student(v) - t).abs() < 0.03, "{v}: {}", student(v));
        }
    }
}
