//! What limits the questions.

use serde::{Deserialize, Serialize};

/// Of one annotator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnnotatorLimits {
    /// Price of an answer.
    pub price: f64,
    /// Answers that the annotator can still give, those to questions that are out included; `None` is no limit.
    pub capacity: Option<u32>,
    /// Available from and to, in seconds.
    pub from: Option<f64>,
    pub to: Option<f64>,
    /// Largest share of all answers.
    pub max_share: Option<f64>,
    /// Group, by number, where annotators stand in groups.
    pub group: Option<u32>,
}

impl Default for AnnotatorLimits {
    fn default() -> Self {
        AnnotatorLimits { price: 1.0, capacity: None, from: None, to: None, max_share: None, group: None }
    }
}

impl AnnotatorLimits {
    /// Whether the annotator can be asked at this time; without a clock everybody can.
    pub fn available(&self, now: Option<f64>) -> bool {
        let Some(now) = now else { return true };
        self.from.is_none_or(|from| now >= from) && self.to.is_none_or(|to| now < to)
    }
}

/// Of one item.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ItemLimits {
    /// No answer is wanted any more after this, in seconds.
    pub deadline: Option<f64>,
    /// What it is worth to have it right, beside other items: gains are multiplied by it.
    pub value: f64,
    /// It may not be asked.
    pub closed: bool,
}

impl Default for ItemLimits {
    fn default() -> Self {
        ItemLimits { deadline: None, value: 1.0, closed: false }
    }
}

/// Of all questions together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Money for all answers, those that are there included.
    pub money: Option<f64>,
    /// Questions out at the same time.
    pub in_flight: Option<usize>,
    /// Questions out at the same time to one annotator.
    pub in_flight_each: Option<u32>,
    /// Labels and questions of an item.
    pub max_per_item: Option<usize>,
    /// Largest share of all answers that one annotator may give.
    pub max_share: Option<f64>,
    /// Seconds of a lease; `None`: ten minutes, or three typical answers of the annotator if that is longer.
    pub lease: Option<f64>,
    /// An annotator who did not answer in time may be asked the same again.
    pub ask_again: bool,
}
