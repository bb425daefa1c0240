use super::mean::CAPABILITIES;
use super::{Centre, POOLING, estimate, median, variance};
use crowdwise_core::{
    Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Situation, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The mean of each item without its smallest and largest values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrimmedMean {
    /// Share of the values to cut off at each end.
    pub trim: f64,
    /// Cuts exactly that share, the last value cut in part (five values, 10 %: the smallest and the largest count
    /// half). Otherwise whole values only, rounded down: nothing is then cut from fewer than 1/trim values.
    pub fractional: bool,
    /// How many labels' worth of the pooled variance is mixed into an item's own variance for its standard error: 0 =
    /// the textbook one (unknown from one label, zero where all agree), large = the same noise for all items. Likewise
    /// for annotators.
    pub pooling: f64,
}

impl Default for TrimmedMean {
    fn default() -> Self {
        TrimmedMean { trim: 0.1, fractional: true, pooling: POOLING }
    }
}

impl Method for TrimmedMean {
    const INFO: MethodInfo = MethodInfo {
        id: "trimmed-mean",
        name: "Trimmed mean",
        summary: "The mean of each item's values, leaving out a share of the smallest and largest.",
        doc: include_str!("trimmed_mean.md"),
        aliases: &["reg-trimmed"],
        accepts: &[LabelKind::Real],
        capabilities: CAPABILITIES,
        references: &[
            Reference {
                text: "P. J. Huber. Robust estimation of a location parameter. Annals of Mathematical Statistics 35(1), 1964.",
                doi: Some("10.1214/aoms/1177703732"),
            },
            Reference {
                text: "K. K. Yuen, The two-sample trimmed t for unequal population variances, Biometrika 61(1), 1974",
                doi: Some("10.1093/biomet/61.1.165"),
            },
        ],
        status: Status::Stable,
        compared: &[Situation::Values],
        ..MethodInfo::of(Family::Real)
    };

    fn check(&self, problems: &mut Problems) {
        problems.require(
            self.trim >= 0.0 && self.trim < 0.5,
            "trim",
            self.trim,
            "at least 0 and less than 0.5 (for 0.5 use `median`)",
        );
        problems.at_least("pooling", self.pooling, 0.0);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        estimate(data, cx, self.pooling, |x| self.centre(x))
    }
}

impl TrimmedMean {
    fn centre(&self, x: &[f64]) -> Centre {
        let n = x.len() as f64;
        // 0.1 x 10 must cut one value, whatever rounding makes of it
        let whole = (self.trim * n + 1e-9).floor() as usize;
        let part = if self.fractional { (self.trim * n - whole as f64).max(0.0) } else { 0.0 };
        let kept = &x[whole..x.len() - whole];
        if kept.len() < 3 {
            return median::centre(x); // so much is cut that the middle is left
        }
        let last = kept.len() - 1;
        let (low, below, above, high) = (kept[0], kept[1], kept[last - 1], kept[last]);
        // all kept values count once, less `part` of each end; taken about the middle to keep digits
        let middle = 0.5 * low + 0.5 * high;
        let weight = kept.len() as f64 - 2.0 * part;
        let sum = kept.iter().map(|v| v - middle).sum::<f64>() - part * ((low - middle) + (high - middle));
        let value = middle + sum / weight;
        if weight < 3.0 {
            return Centre { value, ..median::centre(x) }; // too few are left for a variance of their own
        }
        // Tukey and McLaughlin: the variance of the values with the cut ones moved to the nearest kept one, in part
        // where they are cut in part; degrees of freedom after Yuen
        let (floor, ceiling) = (low + part * (below - low), high - part * (high - above));
        let moved: Vec<f64> = x.iter().map(|v| v.max(floor).min(ceiling)).collect();
        Centre { value, variance: variance(&moved), factor: ((n - 1.0) / (weight * (weight - 1.0))).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_and_part_values_are_cut() {
        let x = [0.0, 1.0, 2.0, 3.0, 100.0];
        let value = |trim, fractional| TrimmedMean { trim, fractional, pooling: 1.0 }.centre(&x).value;
        assert_eq!(value(0.2, false), 2.0);
        assert_eq!(value(0.2, true), 2.0);
        assert!((value(0.1, false) - 106.0 / 5.0).abs() < 1e-12);
        // ends count half: (0 + 1 + 2 + 3 + 50) / 4
        assert!((value(0.1, true) - 56.0 / 4.0).abs() < 1e-12);
        assert!((value(0.0, true) - 106.0 / 5.0).abs() < 1e-12);
        // 0.3 of five: one whole value and half of the next
        assert!((value(0.3, true) - 2.0).abs() < 1e-12);
    }
}
