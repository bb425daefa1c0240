//! Values that do not fit what the others say.

use crowdwise_core::{Dataset, Finding, Severity, Subject, group};

/// A value and where it was expected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surprise {
    pub unit: usize,
    pub row: usize,
    /// Distance in standard deviations.
    pub z: f64,
    pub expected: f64,
}

/// Distance from which a value is an outlier: one of 16 000 by normal noise.
const FAR: f64 = 4.0;
const NAMED: usize = 5;

pub(super) fn findings(data: &Dataset, all: &[Surprise]) -> Option<Finding> {
    let values = data.table.real()?;
    let mut far: Vec<&Surprise> = all.iter().filter(|s| s.z.abs() > FAR).collect();
    if far.is_empty() {
        return None;
    }
    far.sort_by(|a, b| b.z.abs().total_cmp(&a.z.abs()).then(a.row.cmp(&b.row)));
    let one = |s: &&Surprise| {
        let who = data.table.annotators().name(data.table.annotator()[s.row] as usize);
        format!(
            "{} of `{who}` for `{}`, where {:.4} was expected",
            values[s.row],
            data.table.unit_name(s.unit),
            s.expected
        )
    };
    let named: Vec<String> = far.iter().take(NAMED).map(one).collect();
    Some(Finding::new(
        "outlying-values",
        if far.len() as f64 > 0.01 * values.len() as f64 { Severity::Warning } else { Severity::Info },
        Subject::Data,
        format!(
            "{} of {} values lie more than {FAR} standard deviations from what the others and the annotator's habits say: {}{}",
            group(far.len() as u64),
            group(values.len() as u64),
            named.join("; "),
            if far.len() > NAMED { "; …" } else { "" }
        ),
        "look for slips of the pen and other units; `degrees_of_freedom=4` forgives single wild values",
    ))
}
