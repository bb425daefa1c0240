//! A question in words.

use super::{Question, Reason};

impl Question {
    /// Why this is asked, for people: "split 2:2; w17 is right 94 % of the time on such items".
    pub fn words(&self, annotator: &str, class: impl Fn(usize) -> String) -> String {
        let [(first, most), (_, second)] = self.votes;
        let item = match (self.labels, most, second) {
            (0, ..) => "no label yet".to_owned(),
            (1, ..) => format!("one label, {}", class(first as usize)),
            (n, a, b) if a == b && (a + b) as usize == n => format!("split {a}:{b}"),
            (n, a, b) if a == b => format!("split {a}:{b}, {} for others", n - (a + b) as usize),
            (_, a, 0) => format!("{a} of {a} say {}", class(first as usize)),
            (n, a, b) if (a + b) as usize == n => format!("{a}:{b} for {}", class(first as usize)),
            (n, a, _) => format!("{a} of {n} say {}", class(first as usize)),
        };
        let out = match self.pending {
            0 => String::new(),
            1 => ", one question out".to_owned(),
            n => format!(", {n} questions out"),
        };
        let whom = match self.reason {
            Reason::Gain => format!("{annotator} is right {:.0} % of the time on such items", 100.0 * self.right),
            Reason::OnlyOneLeft => format!("nobody but {annotator} is left to ask"),
            Reason::Coverage => "coverage: few labels so far, anybody may answer".to_owned(),
            Reason::Rule => format!("{annotator} by the rule of the strategy"),
        };
        format!("{item}{out}; {whom}")
    }
}
