//! Choosing by labels that were held out: what values and comparisons have in common.

use crowdwise_core::{Context, Dataset, Error, Finding, Method, Outcome, Severity, Subject};
use crowdwise_numerics::normal_reach;
use serde_json::{Value, json};

/// Every label is held out once, a fifth at a time.
pub(super) const FOLDS: usize = 5;
/// How often the best may be passed over for a candidate that is truly worse, all candidates together.
const LEVEL: f64 = 0.05;

/// A method with its parameters set.
pub(super) type Fitter = Box<dyn Fn(&Dataset, &mut Context<'_>) -> Result<Outcome, Error>>;

pub(super) fn fitter<M: Method>(m: M) -> Fitter {
    Box::new(move |data, cx| Method::fit(&m, data, cx))
}

/// Loss of the held-out labels, unit by unit: (sum, labels).
pub(super) type Losses = Vec<(f64, f64)>;

/// What the labels say about the candidates, which stand in the order in which they are preferred where the labels do
/// not tell.
pub(super) struct Verdict {
    names: Vec<String>,
    /// Mean loss, and the standard error of its difference from the best.
    means: Vec<f64>,
    error: Vec<f64>,
    best: usize,
    pub used: usize,
    held_out: usize,
}

impl Verdict {
    /// The first candidate that is not worse than the best beyond chance: by a paired test at 5 % that allows for as many
    /// comparisons with the best as there are candidates.
    pub fn of(names: Vec<String>, losses: &[Losses]) -> Verdict {
        let n: f64 = losses[0].iter().map(|u| u.1).sum();
        let means: Vec<f64> = losses.iter().map(|l| l.iter().map(|u| u.0).sum::<f64>() / n).collect();
        let best = (0..means.len())
            .filter(|&x| means[x].is_finite())
            .min_by(|&a, &b| means[a].total_cmp(&means[b]))
            .unwrap_or(0);
        let error: Vec<f64> = losses.iter().map(|l| difference_error(l, &losses[best])).collect();
        let far = may_be_chance(means.len());
        let used = (0..means.len()).find(|&x| means[x] - means[best] <= far * error[x]).unwrap_or(best);
        Verdict { names, means, error, best, used, held_out: n as usize }
    }

    pub fn name(&self, x: usize) -> &str {
        &self.names[x]
    }

    /// Mean loss of `a` minus that of `b`.
    pub fn behind(&self, a: usize, b: usize) -> f64 {
        self.means[a] - self.means[b]
    }

    /// Says it: the finding comes first, the numbers go to the details. `what` is measured of `labels`; `over` tells why the
    /// one that is used goes before a better one within the error; `more` is added at the end.
    pub fn tell(&self, out: &mut Outcome, what: &str, labels: &str, over: &str, more: &str) {
        let used = &self.names[self.used];
        let why = if self.used == self.best {
            "it predicted them best".to_owned()
        } else {
            format!("`{}` did slightly better, but that may be chance and {over}", self.names[self.best])
        };
        let n = self.names.len();
        let held_out = crowdwise_core::group(self.held_out as u64);
        out.findings.insert(
            0,
            Finding::new(
                "chosen",
                Severity::Info,
                Subject::Fit,
                format!("`{used}` was used: {n} models were tested on {held_out} held-out {labels}; {why}{more}"),
                "`compare` shows how other methods answer; a few hundred items of known truth would show which is best",
            ),
        );
        let key = format!("held_out_{}", what.replace(' ', "_"));
        let row = |x: usize| -> Value {
            json!({"model": self.names[x], key.as_str(): -self.means[x], "se_of_difference": self.error[x]})
        };
        out.diagnostics.details.insert("candidates".into(), (0..self.names.len()).map(row).collect());
        out.diagnostics.details.insert("used".into(), json!([used]));
    }
}

/// Standard errors that a difference between a candidate and the best one may have by chance.
fn may_be_chance(candidates: usize) -> f64 {
    normal_reach(1.0 - LEVEL / (candidates - 1).max(1) as f64)
}

/// Standard error of the difference of two mean losses, units as clusters.
fn difference_error(a: &Losses, b: &Losses) -> f64 {
    let n: f64 = a.iter().map(|x| x.1).sum();
    let each: Vec<(f64, f64)> = a.iter().zip(b).filter(|x| x.0.1 > 0.0).map(|(x, y)| (x.0 - y.0, x.1)).collect();
    let mean = each.iter().map(|x| x.0).sum::<f64>() / n;
    each.iter().map(|x| (x.0 - mean * x.1).powi(2)).sum::<f64>().sqrt() / n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_chance_does_not_decide() {
        // three candidates on 100 units; the last is best, the second behind it by far less than the spread of differences
        let unit = |f: &dyn Fn(usize) -> f64| -> Losses { (0..100).map(|u| (f(u), 1.0)).collect() };
        let noise = |u: usize| if u.is_multiple_of(2) { 1.0 } else { -1.0 };
        let losses = [unit(&|_| 1.5), unit(&|u| 1.05 + noise(u)), unit(&|_| 1.0)];
        let names = || ["worst", "simple", "best"].map(str::to_owned).to_vec();
        let v = Verdict::of(names(), &losses);
        assert_eq!((v.best, v.used), (2, 1));
        assert!((v.error[1] - 0.1).abs() < 1e-12 && v.error[2] == 0.0);
        // two comparisons at 5 % together
        assert!((v.behind(1, 2) - 0.05).abs() < 1e-12 && (may_be_chance(3) - 2.241_402_7).abs() < 1e-6);
        // a constant difference is no chance, however small
        let v = Verdict::of(names(), &[unit(&|_| 1.001), unit(&|_| 1.002), unit(&|_| 1.0)]);
        assert_eq!(v.used, 2);
        // a candidate that failed never wins
        let v = Verdict::of(names(), &[unit(&|_| f64::NAN), unit(&|_| 2.0), unit(&|_| 1.0)]);
        assert_eq!(v.used, 2);
    }
}
