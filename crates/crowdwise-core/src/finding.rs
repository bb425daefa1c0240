//! Findings: problems in the data or the fit, with advice.

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

/// A problem with advice. `code` is stable, the text is for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub code: String,
    pub severity: Severity,
    pub subject: Subject,
    pub message: String,
    pub advice: String,
}

impl Finding {
    pub fn new(
        code: &str,
        severity: Severity,
        subject: Subject,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Finding { code: code.into(), severity, subject, message: message.into(), advice: advice.into() }
    }
}
