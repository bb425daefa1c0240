//! Options of a run, and parameters as they are typed.

use crate::progress::Style;
use clap::ValueEnum;
use crowdwise::{AnyMethod, Error, Severity, Stop};
use serde_json::Value;

/// What belongs to a run and not to a method.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Run")]
pub struct RunOptions {
    /// Random seed
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), allow_negative_numbers = true)]
    pub threads: Option<u16>,
    /// Count annotators who copy each other separately, instead of as one voice
    #[arg(long, hide_short_help = true)]
    pub count_copies: bool,
    /// How to show progress on stderr [default: a bar on a terminal]
    #[arg(long, value_enum, value_name = "HOW", hide_short_help = true)]
    pub progress: Option<Style>,
}

impl RunOptions {
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
    }
}

/// A count or a seed: says what it takes instead of how reading failed.
pub fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| "expected a whole number of at least 0".into())
}

/// Every name that was given more than once: the earlier value would be ignored.
pub fn check_repeated<'a>(what: &str, names: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    names.into_iter().for_each(|n| *counts.entry(n).or_default() += 1);
    let problem = |(name, _): (&str, usize)| Error::Usage {
        what: format!("the {what} `{name}` was given more than once"),
        hint: Some("give it once".into()),
    };
    Error::all(counts.into_iter().filter(|c| c.1 > 1).map(problem).collect())
}

/// `key=value`.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyValue(String, String);

impl KeyValue {
    pub fn new(key: &str, value: &str) -> KeyValue {
        KeyValue(key.into(), value.into())
    }

    pub fn key(&self) -> &str {
        &self.0
    }

    pub fn pair(&self) -> (String, Value) {
        (self.0.clone(), Value::String(self.1.clone()))
    }
}

impl std::str::FromStr for KeyValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => Ok(KeyValue(key.trim().into(), value.trim().into())),
            _ => Err("expected KEY=VALUE, such as tol=1e-6".into()),
        }
    }
}

/// A method by name with parameters.
pub fn method(name: &str, params: &[KeyValue]) -> Result<Box<dyn AnyMethod>, Error> {
    let entry = crowdwise::find(name)?;
    entry.with(&pairs(params)?)
}

/// Parameters by name; a name that is given twice is an error.
pub fn pairs(params: &[KeyValue]) -> Result<Vec<(String, Value)>, Error> {
    check_repeated("parameter", params.iter().map(|p| p.0.as_str()))?;
    Ok(params.iter().map(KeyValue::pair).collect())
}

/// Conditions under which a command that did its work still ends with exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailIf {
    /// The fit did not converge
    NotConverged,
    /// There is any warning or problem
    Findings,
    /// There is a problem
    Problem,
}

impl FailIf {
    /// Why the condition holds, if it does.
    pub fn holds(self, stop: Option<Stop>, severities: &[Severity]) -> Option<String> {
        let level = match self {
            FailIf::NotConverged => {
                let bad = stop.filter(|s| !s.is_end())?;
                let name = serde_json::to_value(bad).unwrap_or_default();
                return Some(format!("not converged (stop: {})", name.as_str().unwrap_or_default()));
            }
            FailIf::Findings => Severity::Warning,
            FailIf::Problem => Severity::Problem,
        };
        let n = severities.iter().filter(|s| **s >= level).count();
        let word = if level == Severity::Problem { "problem" } else { "finding" };
        (n > 0).then(|| format!("{n} {word}{}", if n == 1 { "" } else { "s" }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_need_an_equals_sign() {
        assert_eq!("tol=1=2".parse(), Ok(KeyValue("tol".into(), "1=2".into())));
        assert!("tol".parse::<KeyValue>().is_err() && "=3".parse::<KeyValue>().is_err());
    }
}
