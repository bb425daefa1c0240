//! One row per annotator.

use super::accuracy::rates;
use super::fairness::fairness;
use super::suspects::{self, CONSTANT, CONSTANT_N, suspicions};
use super::tally::{Tally, bias_and_error};
use crate::stats::{self, LEVEL};
use crate::{Annotators, Dataset, Fit, Preference, Statistic, Truth, Values};
use serde::{Deserialize, Serialize};

/// What is known of one annotator. Fields without a meaning for the kind of label are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnotatorRow {
    pub annotator: usize,
    /// Labels given: what everything else here rests on.
    pub n: u64,
    /// Chance of being right about an item, as the other annotators (and whatever else the method looked at) tell what the
    /// items are: the median of its posterior, by the same rule for every method. Preferences: share that agrees with
    /// the ranking.
    pub accuracy: Option<f64>,
    /// Central interval of the accuracy from the same posterior, at the level [`LEVEL`] unless asked otherwise: it holds
    /// the point, and the doubt about the items is in it. Preferences and pairs: Jeffreys' interval of the share, the
    /// ranking taken as given.
    pub interval: Option<[f64; 2]>,
    /// Mutual information between truth and label, for classes as frequent as the mean posterior of the labelled units
    /// says. That is the same reckoning for every method, whatever class shares its model has, so that methods can be
    /// compared; `bias` and `error` are reckoned with the same shares.
    pub information_bits: Option<f64>,
    /// P(says l | truth k), K x K, row = truth: the method's own, else estimated from the posterior with one
    /// pseudo-label per row.
    pub confusion: Option<Vec<f64>>,
    /// Mean share of the other labels on the same units that say the same (`agreement_n` labels have others).
    pub agreement: Option<f64>,
    pub agreement_n: u64,
    /// The number by which the method itself ranks annotators.
    pub weight: Option<f64>,
    /// Classes: the part of the error rate that knowing the confusion matrix recovers. Real values: mean excess over
    /// the truth.
    pub bias: Option<f64>,
    /// Classes: the error rate that is left after every label was replaced by the best guess given it. 1 minus the
    /// largest class share = useless.
    pub error: Option<f64>,
    /// Real values: standard deviation around truth plus bias.
    pub sd: Option<f64>,
    /// 0 = labels carry no information, 1 = perfect or perfectly permuted; shrunk by n / (n + 10).
    pub spammer_score: Option<f64>,
    /// Standard error of the unshrunk spammer score.
    pub spammer_se: Option<f64>,
    /// Codes of the findings about this annotator, e.g. `spammer`.
    pub flags: Vec<String>,
}

/// The table of annotators, in the order of the table, with intervals at the usual level.
pub fn annotators(data: &Dataset, fit: &Fit) -> Vec<AnnotatorRow> {
    annotators_at(data, fit, LEVEL)
}

/// The same with intervals at another level, between 0 and 1.
pub fn annotators_at(data: &Dataset, fit: &Fit, level: f64) -> Vec<AnnotatorRow> {
    let n = data.table.labels_per_annotator();
    let mut rows: Vec<AnnotatorRow> = n
        .iter()
        .enumerate()
        .map(|(j, &n)| AnnotatorRow {
            annotator: j,
            n,
            accuracy: None,
            interval: None,
            information_bits: None,
            confusion: None,
            agreement: None,
            agreement_n: 0,
            weight: if j < fit.annotators.len() { fit.annotators.weight(j).filter(|w| w.is_finite()) } else { None },
            bias: None,
            error: None,
            sd: None,
            spammer_score: None,
            spammer_se: None,
            flags: if n < suspects::FEW { vec!["few-labels".into()] } else { Vec::new() },
        })
        .collect();
    match &fit.truth {
        Truth::Classes { .. } => classes(data, fit, level, &mut rows),
        Truth::Real { value, .. } => real(data, fit, value, &mut rows),
        Truth::Scores { score, .. } => scores(data, score, level, &mut rows),
        Truth::Clusters { same, .. } => pairs(data, same, level, &mut rows),
    }
    rows
}

fn classes(data: &Dataset, fit: &Fit, level: f64, rows: &mut [AnnotatorRow]) {
    let Some(t) = Tally::of(data, fit, true) else { return };
    let rates = rates(data, fit, &t, level);
    let fairness = fairness(data, fit, None, None);
    for (j, row) in rows.iter_mut().enumerate() {
        if row.n == 0 {
            continue;
        }
        if let Some(rate) = rates.as_ref().and_then(|r| r[j]) {
            (row.accuracy, row.interval) = (Some(rate.point), Some(rate.interval));
        } else {
            (row.accuracy, row.interval) = (t.accuracy(j), t.interval(j));
        }
        row.agreement_n = t.agreed_n[j];
        row.agreement = (t.agreed_n[j] > 0).then(|| t.agreed[j] / t.agreed_n[j] as f64);
        row.flags.extend(suspicions(&t, fit, j).iter().map(|s| s.code().to_owned()));
        if fairness.as_ref().is_some_and(|f| f.annotators[j].unfair) {
            row.flags.push("unfair-annotator".into());
        }
        let Some(c) = t.confusion(fit, j) else { continue };
        row.information_bits = Some(stats::information_bits(&t.posterior, &c));
        let (bias, error) = bias_and_error(&t.posterior, &c);
        (row.bias, row.error) = (Some(bias), Some(error));
        if let Some((score, se)) = t.spammer_score(&c, j) {
            (row.spammer_score, row.spammer_se) = (Some(suspects::shrink(score, row.n)), Some(se));
        }
        row.confusion = Some(c);
    }
}

fn real(data: &Dataset, fit: &Fit, value: &[f64], rows: &mut [AnnotatorRow]) {
    for (row, r) in rows.iter_mut().zip(Residuals::of(data, value)) {
        if let Annotators::Gaussian { bias, sd } = &fit.annotators
            && row.annotator < sd.len()
        {
            (row.bias, row.sd) = (Some(bias[row.annotator]), Some(sd[row.annotator]));
        } else {
            (row.bias, row.sd) = (r.bias(), r.sd());
        }
        row.flags.extend(r.suspicion().map(|s| s.0.to_owned()));
    }
}

fn scores(data: &Dataset, score: &[f64], level: f64, rows: &mut [AnnotatorRow]) {
    for (row, r) in rows.iter_mut().zip(Choices::of(data, score)) {
        row.agreement_n = r.decided;
        if r.decided > 0 {
            let n = r.decided as f64;
            (row.accuracy, row.agreement) = (Some(r.agreed / n), Some(r.agreed / n));
            row.interval = Some(stats::rate_interval_at(r.agreed, n, level));
        }
        row.flags.extend(r.suspicion().map(|s| s.0.to_owned()));
    }
}

/// Accuracy of yes/no answers about pairs against what is believed of them.
fn pairs(data: &Dataset, same: &[f64], level: f64, rows: &mut [AnnotatorRow]) {
    for (row, r) in rows.iter_mut().zip(Verdicts::of(data, same)) {
        row.agreement_n = r.n;
        if r.n > 0 {
            let n = r.n as f64;
            (row.accuracy, row.agreement) = (Some(r.agreed / n), Some(r.agreed / n));
            row.interval = Some(stats::rate_interval_at(r.agreed, n, level));
        }
        row.flags.extend(r.suspicion().map(|s| s.0.to_owned()));
    }
}

/// The values of one annotator against the estimates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Residuals {
    n: f64,
    /// Sums of residual, value and estimate, their squares and product; values and estimates about the mean of all.
    r: f64,
    rr: f64,
    x: f64,
    xx: f64,
    t: f64,
    tt: f64,
    xt: f64,
}

impl Residuals {
    pub fn of(data: &Dataset, value: &[f64]) -> Vec<Residuals> {
        let table = &data.table;
        let mut out = vec![Residuals::default(); table.n_annotators()];
        let Some(said) = table.real() else { return out };
        let centre = said.iter().sum::<f64>() / said.len().max(1) as f64;
        for u in (0..table.n_units()).filter(|&u| value[u].is_finite()) {
            for row in table.rows(u) {
                let (x, t) = (said[row] - centre, value[u] - centre);
                let o = &mut out[table.annotator()[row] as usize];
                o.n += 1.0;
                o.r += x - t;
                o.rr += (x - t) * (x - t);
                o.x += x;
                o.xx += x * x;
                o.t += t;
                o.tt += t * t;
                o.xt += x * t;
            }
        }
        out
    }

    fn bias(&self) -> Option<f64> {
        (self.n > 0.0).then(|| self.r / self.n)
    }

    fn sd(&self) -> Option<f64> {
        (self.n > 1.0).then(|| ((self.rr - self.r * self.r / self.n).max(0.0) / (self.n - 1.0)).sqrt())
    }

    /// A code, the sentence and the number for it, from the correlation with the estimates (90 % interval by Fisher's z).
    pub fn suspicion(&self) -> Option<(&'static str, String, Statistic)> {
        let n = self.n;
        if n < CONSTANT_N as f64 {
            return None;
        }
        let (vx, vt) = (self.xx - self.x * self.x / n, self.tt - self.t * self.t / n);
        if vt <= 1e-12 * self.tt {
            return None; // nothing to correlate with
        }
        if vx <= 1e-12 * self.xx {
            let always = Statistic::rate("favourite-share", n, n as u64);
            return Some(("near-constant", format!("gave the same value all {n} times"), always));
        }
        let c = ((self.xt - self.x * self.t / n) / (vx * vt).sqrt()).clamp(-0.999_999, 0.999_999);
        let (low, high) =
            ((c.atanh() - 1.645 / (n - 3.0).sqrt()).tanh(), (c.atanh() + 1.645 / (n - 3.0).sqrt()).tanh());
        let text = format!("values correlate {c:.2} [{low:.2}, {high:.2}] with the estimates, {n} labels");
        let number = Statistic { name: "correlation".into(), value: c, interval: [low, high], se: None, n: n as u64 };
        // of many who guess some correlate below 0 by chance: the effect must also be large
        if high < 0.0 && c < -0.2 {
            Some(("adversary", text, number))
        } else if high < 0.3 {
            Some(("spammer", text, number))
        } else {
            None
        }
    }
}

/// The same/different answers of one annotator against what is believed of the pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Verdicts {
    n: u64,
    agreed: f64,
    yes: u64,
}

impl Verdicts {
    pub fn of(data: &Dataset, same: &[f64]) -> Vec<Verdicts> {
        let table = &data.table;
        let mut out = vec![Verdicts::default(); table.n_annotators()];
        let Values::Similarity { same: said } = table.values() else { return out };
        for (u, &p) in same.iter().enumerate() {
            for row in table.rows(u) {
                let o = &mut out[table.annotator()[row] as usize];
                o.n += 1;
                o.yes += u64::from(said[row]);
                o.agreed += if said[row] { p } else { 1.0 - p };
            }
        }
        out
    }

    /// A code, the sentence and the number for it.
    pub fn suspicion(&self) -> Option<(&'static str, String, Statistic)> {
        if self.n < CONSTANT_N {
            return None;
        }
        let share = self.agreed / self.n as f64;
        let [low, high] = stats::rate_interval(self.agreed, self.n as f64);
        let text = format!("is right in {share:.2} [{low:.2}, {high:.2}] of {} pairs, as the fit sees them", self.n);
        let number = Statistic { name: "agreement".into(), value: share, interval: [low, high], se: None, n: self.n };
        let often = self.yes.max(self.n - self.yes);
        if high < 0.5 && share < 0.4 {
            Some(("adversary", text, number))
        } else if often as f64 >= CONSTANT * self.n as f64 && high < 0.8 {
            let word = if self.yes == often { "same" } else { "different" };
            Some((
                "near-constant",
                format!("said {word} of {often} of {} pairs", self.n),
                Statistic::rate("favourite-share", often as f64, self.n),
            ))
        } else if high < 0.6 {
            Some(("spammer", text, number))
        } else {
            None
        }
    }
}

/// The choices of one annotator against the ranking.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Choices {
    /// Comparisons between items of one component that were not ties; of these, won by the item with the higher score.
    decided: u64,
    agreed: f64,
    n: u64,
    left: u64,
    right: u64,
}

impl Choices {
    pub fn of(data: &Dataset, score: &[f64]) -> Vec<Choices> {
        let table = &data.table;
        let mut out = vec![Choices::default(); table.n_annotators()];
        let Some((pairs, said)) = table.preferences() else { return out };
        for (u, &[l, r]) in pairs.iter().enumerate() {
            let d = score[l as usize] - score[r as usize];
            for row in table.rows(u) {
                let o = &mut out[table.annotator()[row] as usize];
                o.n += 1;
                let wins = match said[row] {
                    Preference::Left => d,
                    Preference::Right => -d,
                    Preference::Tie => continue,
                };
                *(if said[row] == Preference::Left { &mut o.left } else { &mut o.right }) += 1;
                if d.is_finite() {
                    o.decided += 1;
                    o.agreed += if wins > 0.0 {
                        1.0
                    } else if wins == 0.0 {
                        0.5
                    } else {
                        0.0
                    };
                }
            }
        }
        out
    }

    /// A code, the sentence and the number for it.
    pub fn suspicion(&self) -> Option<(&'static str, String, Statistic)> {
        if self.n < CONSTANT_N {
            return None;
        }
        let side = if self.left > self.right { ("left", self.left) } else { ("right", self.right) };
        if side.1 as f64 >= CONSTANT * self.n as f64 {
            return Some((
                "near-constant",
                format!("chose the {} one in {} of {} comparisons", side.0, side.1, self.n),
                Statistic::rate("favourite-share", side.1 as f64, self.n),
            ));
        }
        if self.decided < CONSTANT_N {
            return None;
        }
        let share = self.agreed / self.decided as f64;
        if share >= 0.6 {
            return None; // the interval cannot end below, so it need not be computed
        }
        let [low, high] = stats::rate_interval(self.agreed, self.decided as f64);
        let text = format!("agrees with the ranking in {share:.2} [{low:.2}, {high:.2}] of {} choices", self.decided);
        let number =
            Statistic { name: "agreement".into(), value: share, interval: [low, high], se: None, n: self.decided };
        if high < 0.5 && share < 0.4 {
            Some(("adversary", text, number))
        } else if high < 0.6 {
            Some(("spammer", text, number))
        } else {
            None
        }
    }
}
