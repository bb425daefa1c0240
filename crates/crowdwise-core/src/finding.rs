//! Findings: problems in the data or the fit, with advice.

use crate::Hint;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Info,
    Warning,
    Problem,
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    Data,
    Fit,
    Annotator(String),
    Item(String),
    Class(String),
}

/// The number that a finding rests on, with its uncertainty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// What it is: `spammer-score`, `accuracy`, `favourite-share`, `correlation`, `agreement`.
    pub name: String,
    pub value: f64,
    /// 90 % interval.
    pub interval: [f64; 2],
    /// Standard error, where the interval comes from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub se: Option<f64>,
    /// Labels that it rests on.
    pub n: u64,
}

impl Statistic {
    /// A share of `n` labels, with the interval of a rate.
    pub fn rate(name: &str, hits: f64, n: u64) -> Self {
        let nf = n as f64;
        let value = if n > 0 { hits / nf } else { 0.0 };
        Statistic { name: name.into(), value, interval: crate::stats::rate_interval(hits, nf), se: None, n }
    }
}

/// A problem with advice. `code` is stable, the text is for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub code: String,
    pub severity: Severity,
    pub subject: Subject,
    pub message: String,
    /// What to do about it.
    pub advice: Hint,
    /// What it rests on, for findings about single annotators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
}

impl Finding {
    pub fn new(
        code: &str,
        severity: Severity,
        subject: Subject,
        message: impl Into<String>,
        advice: impl Into<Hint>,
    ) -> Self {
        Finding {
            code: code.into(),
            severity,
            subject,
            message: message.into(),
            advice: advice.into(),
            statistic: None,
        }
    }

    /// The same with the number that it rests on.
    #[must_use]
    pub fn with(mut self, statistic: Statistic) -> Self {
        self.statistic = Some(statistic);
        self
    }
}
