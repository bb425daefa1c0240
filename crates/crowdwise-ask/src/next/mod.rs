//! What to ask next: a function of the state, the model, options and a seed, which the command line, Python, a server and a replay share.

mod choose;
mod items;
mod room;
mod summary;
mod whom;
mod words;

pub(crate) use summary::credit;
pub use summary::{Accuracy, GoldAccuracy, ItemCounts, Money};

use crate::model::Model;
use crate::state::State;
use crate::strategy::Strategy;
use crowdwise_numerics::stream;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// How much to ask.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Want {
    Questions(usize),
    /// As much as this buys.
    Money(f64),
}

/// How to choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub strategy: Strategy,
    pub want: Want,
    /// Questions to this annotator only.
    pub only: Option<u32>,
    /// Share of a batch that goes to the items with the fewest labels and annotators at random (`gain` only).
    pub coverage: f64,
    /// Gains are divided by price to this power.
    pub price_power: f64,
    /// Items whose class is this sure are left alone. Without it only `sure` and `worth` leave items alone, at [`SURE`].
    pub stop_at: Option<f64>,
    /// What a right item is worth, in prices (`worth` only).
    pub value: f64,
    /// The time, in the seconds of the limits. Without it nobody is out of their hours and nothing is too late.
    pub now: Option<f64>,
    pub seed: u64,
}

/// How sure the class of an item is when it counts as done.
pub const SURE: f64 = 0.9;
/// Labels that an item has before it can be done.
pub const LEAST: usize = 2;
/// Labels that an item has before it can be hopeless.
pub const HOPELESS_FROM: usize = 5;

impl Default for Options {
    fn default() -> Self {
        Options {
            strategy: Strategy::Gain,
            want: Want::Questions(100),
            only: None,
            coverage: 0.2,
            price_power: 1.0,
            stop_at: None,
            value: 100.0,
            now: None,
            seed: 0,
        }
    }
}

impl Options {
    /// How sure an item must be to be left alone, if items are left alone.
    pub fn stops_at(&self) -> Option<f64> {
        self.stop_at.or_else(|| (self.strategy == Strategy::Sure).then_some(SURE))
    }
}

/// Why a question was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Its label tells most.
    Gain,
    /// The item has few labels, or it was its turn: so that a wrong belief cannot keep itself alive.
    Coverage,
    /// Nobody else can be asked about the item.
    OnlyOneLeft,
    /// The rule of the strategy.
    Rule,
}

impl Reason {
    pub fn name(self) -> &'static str {
        match self {
            Reason::Gain => "gain",
            Reason::Coverage => "coverage",
            Reason::OnlyOneLeft => "only-one-left",
            Reason::Rule => "rule",
        }
    }
}

/// A pair that was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    pub item: u32,
    pub annotator: u32,
    pub reason: Reason,
}

/// A question, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub item: u32,
    pub annotator: u32,
    pub reason: Reason,
    /// Information that the label is expected to bring, in bits, by the confusions as they are estimated.
    pub gain: f64,
    /// Accuracy of the item that is expected of this and a few more such labels, per label.
    pub accuracy_gain: f64,
    /// The likeliest class, unless nothing is known of the item.
    pub class: Option<u16>,
    /// Probability of the likeliest class.
    pub p: f64,
    pub labels: usize,
    /// Questions of the item that are out.
    pub pending: usize,
    pub price: f64,
    /// The two classes with the most votes, and how many.
    pub votes: [(u16, u32); 2],
    /// How often this annotator is right on such an item.
    pub right: f64,
}

/// Why there is nothing to ask, or less than was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nothing {
    NoItems,
    BudgetSpent,
    TooManyOut,
    NobodyAvailable,
    EverybodyWasAsked,
    AllItemsDone,
    NothingWanted,
}

/// What to ask, and where the collection stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Number of the call, from 0.
    pub number: u64,
    pub questions: Vec<Question>,
    pub items: ItemCounts,
    pub accuracy: Accuracy,
    pub money: Money,
    /// Why there are no questions.
    pub nothing: Option<Nothing>,
    pub warnings: Vec<String>,
}

/// The next questions. The same state, model, options and seed give the same ones.
pub fn next(state: &State, model: &Model, options: &Options) -> Batch {
    let chosen = choose::choose(state, model, options);
    summary::batch(state, model, options, &chosen)
}

/// The pairs alone, without a look at where the collection stands.
pub fn picks(state: &State, model: &Model, options: &Options) -> Vec<Pick> {
    choose::choose(state, model, options).picks
}

/// Random numbers of a call, for a purpose.
fn draws(seed: u64, batch: u64, purpose: &str, index: u64) -> ChaCha8Rng {
    stream(seed ^ batch.wrapping_mul(0x9e37_79b9_7f4a_7c15), &format!("ask {purpose}"), index)
}
