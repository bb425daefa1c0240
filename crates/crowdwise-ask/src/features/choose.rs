//! Which items, and whom: a batch of questions from what a learner knows.

use super::learner::{Known, Learner, entropies};
use super::quality::active_lab;
use crowdwise_core::{Error, stats};
use crowdwise_learn::Labels;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How questions are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Items and annotators at random.
    Rd,
    /// Items of which the classifier is unsure, annotators at random.
    Ad,
    /// Items at random, of each the annotator who knows it best.
    Ac,
    /// Items of which the classifier is unsure, of each the annotator who knows it best.
    Dalc,
    /// As `dalc`, but an item with labels counts as unsure only where classifier and labels together leave it open.
    #[default]
    DalcQ,
    /// As `dalc`, by what the class of an item would tell about the classifier.
    Bald,
    /// The pairs whose answers say most of the truth, given classifier and labels.
    Gain,
    /// Items whose consensus of classifier and labels is worst, annotators at random.
    #[serde(rename = "activelab")]
    ActiveLab,
    /// Items where the classifier's own function is least certain (Gaussian processes), of each the annotator who knows it best.
    Variance,
}

/// What decides about the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Items {
    Random,
    Classifier,
    Posterior,
    Bald,
    Gain,
    Consensus,
    Variance,
}

impl Strategy {
    pub const ALL: [Strategy; 9] = [
        Strategy::Rd,
        Strategy::Ad,
        Strategy::Ac,
        Strategy::Dalc,
        Strategy::DalcQ,
        Strategy::Bald,
        Strategy::Gain,
        Strategy::ActiveLab,
        Strategy::Variance,
    ];

    /// As in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Rd => "rd",
            Strategy::Ad => "ad",
            Strategy::Ac => "ac",
            Strategy::Dalc => "dalc",
            Strategy::DalcQ => "dalc-q",
            Strategy::Bald => "bald",
            Strategy::Gain => "gain",
            Strategy::ActiveLab => "activelab",
            Strategy::Variance => "variance",
        }
    }

    fn items(self) -> Items {
        match self {
            Strategy::Rd | Strategy::Ac => Items::Random,
            Strategy::Ad | Strategy::Dalc => Items::Classifier,
            Strategy::DalcQ => Items::Posterior,
            Strategy::Bald => Items::Bald,
            Strategy::Gain => Items::Gain,
            Strategy::ActiveLab => Items::Consensus,
            Strategy::Variance => Items::Variance,
        }
    }

    /// Whether annotators are chosen by what they know.
    fn knows_annotators(self) -> bool {
        !matches!(self, Strategy::Rd | Strategy::Ad | Strategy::ActiveLab)
    }
}

/// Why a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Nothing was chosen.
    Random,
    /// The item was chosen, the annotator drawn.
    Item,
    /// The annotator was chosen, the item drawn.
    Annotator,
    /// Both were chosen.
    Both,
    /// The item was chosen, the annotator drawn so that others stay known.
    Explore,
}

/// One question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    pub item: u32,
    pub annotator: u32,
    pub why: Why,
    /// What the strategy ranks items by; the larger, the sooner asked.
    pub score: f64,
    /// P(the annotator is right), as the learner sees it.
    pub right: f64,
    /// What the answer says of the truth, in bits.
    pub gain: f64,
}

/// Who may still be asked about an item.
pub trait Free {
    /// Annotators by number, in order.
    fn of(&self, item: usize) -> Vec<u32>;
}

/// How a batch is chosen.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub strategy: Strategy,
    /// Number of questions.
    pub want: usize,
    /// Share of the items whose annotator is drawn all the same.
    pub explore: f64,
}

/// Pairs that are all compared; with more, only pairs of the most open items.
const PAIRS: usize = 1 << 21;

/// A batch of questions, the most wanted first: at most one an item. Fewer than wanted where items run out.
pub fn choose(
    choice: &Choice,
    learner: &dyn Learner,
    known: &Known,
    labels: &Labels,
    free: &dyn Free,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Question>, Error> {
    let n = labels.items();
    let rule = choice.strategy.items();
    let score = match rule {
        Items::Random => vec![0.0; n],
        Items::Classifier => entropies(&known.p, known.k),
        Items::Posterior | Items::Gain => entropies(&known.q, known.k),
        Items::Bald => known.bald.clone().ok_or_else(|| lacks("bald", "draws of dropout (dlc with a network)"))?,
        Items::Consensus => active_lab(labels, &known.p)?.iter().map(|quality| -quality).collect(),
        Items::Variance => known.variance.clone().ok_or_else(|| lacks("variance", "a Gaussian process (gp-crowd)"))?,
    };
    // equals in an order of their own each time
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(rng);
    order.sort_by(|&a, &b| score[b].total_cmp(&score[a]));
    let mut found = Vec::with_capacity(choice.want);
    if rule == Items::Gain {
        let look_at = (PAIRS / labels.m.max(1)).max(4 * choice.want);
        for &i in order.iter().take(look_at) {
            found.extend(pick(choice, learner, known, free, i, 0.0, rng));
        }
        found.sort_by(|a: &Question, b: &Question| b.gain.total_cmp(&a.gain).then(a.item.cmp(&b.item)));
        found.truncate(choice.want);
        found.iter_mut().for_each(|q| q.score = q.gain);
        return Ok(found);
    }
    for i in order {
        if found.len() == choice.want {
            break;
        }
        found.extend(pick(choice, learner, known, free, i, score[i], rng));
    }
    Ok(found)
}

/// Whom to ask about item `i`, if anybody.
fn pick(
    choice: &Choice,
    learner: &dyn Learner,
    known: &Known,
    free: &dyn Free,
    i: usize,
    score: f64,
    rng: &mut ChaCha8Rng,
) -> Option<Question> {
    let who = free.of(i);
    let drawn = *who.get(if who.is_empty() { 0 } else { rng.random_range(0..who.len()) })?;
    let (strategy, belief) = (choice.strategy, known.by_both(i));
    let explores = rng.random::<f64>() < choice.explore;
    let chosen = strategy.knows_annotators() && !explores;
    let annotator = if chosen { best(&who, drawn, |j| learner.right(i, j as usize, belief)) } else { drawn };
    let random = strategy.items() == Items::Random;
    let why = match (random, chosen, strategy.knows_annotators()) {
        (true, true, _) => Why::Annotator,
        (true, false, _) => Why::Random,
        (false, true, _) => Why::Both,
        (false, false, true) => Why::Explore,
        (false, false, false) => Why::Item,
    };
    let j = annotator as usize;
    Some(Question {
        item: i as u32,
        annotator,
        why,
        score,
        right: learner.right(i, j, belief),
        gain: stats::information_bits(belief, &learner.confusion(i, j)),
    })
}

/// The annotator with the largest value; `drawn` where several share it.
fn best(who: &[u32], drawn: u32, value: impl Fn(u32) -> f64) -> u32 {
    let mut out = (drawn, value(drawn));
    for &j in who {
        let v = value(j);
        if v > out.1 {
            out = (j, v);
        }
    }
    out.0
}

fn lacks(strategy: &str, what: &str) -> Error {
    Error::Unsupported {
        what: format!("the strategy `{strategy}` needs {what}"),
        hint: Some("take the strategy ⟦dalc-q⟧, which works with every learner".into()),
    }
}
