//! Which questions come first.

use crowdwise_core::{Error, nearest};
use serde::{Deserialize, Serialize};

/// How items and annotators are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// The pair whose label tells most, under confusions drawn from what is known of each annotator; a share of the batch goes to the
    /// items with the fewest labels.
    #[default]
    Gain,
    /// The items with the fewest labels, annotators at random: the same number of labels for every item.
    Fewest,
    /// One more label for every item that is not sure yet.
    Sure,
    /// One more label for every item where it is worth its price.
    Worth,
    /// Items and annotators at random.
    Random,
    /// The items whose class is least certain, annotators at random.
    Entropy,
    /// The items whose two likeliest classes are closest, annotators at random.
    Margin,
    /// The items whose votes are most evenly split, annotators at random.
    Votes,
    /// The items where one vote can add most certainty (optimistic knowledge gradient), annotators at random.
    Okg,
    /// The items with the poorest consensus by ActiveLab, annotators at random.
    Activelab,
    /// The items with the fewest labels, and the annotators who tell most.
    BestAnnotator,
    /// As gain, with the confusions as they are estimated and nothing set aside: may follow a clique that errs together.
    Greedy,
}

impl Strategy {
    pub const ALL: [Strategy; 12] = [
        Strategy::Gain,
        Strategy::Fewest,
        Strategy::Sure,
        Strategy::Worth,
        Strategy::Random,
        Strategy::Entropy,
        Strategy::Margin,
        Strategy::Votes,
        Strategy::Okg,
        Strategy::Activelab,
        Strategy::BestAnnotator,
        Strategy::Greedy,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Strategy::Gain => "gain",
            Strategy::Fewest => "fewest",
            Strategy::Sure => "sure",
            Strategy::Worth => "worth",
            Strategy::Random => "random",
            Strategy::Entropy => "entropy",
            Strategy::Margin => "margin",
            Strategy::Votes => "votes",
            Strategy::Okg => "okg",
            Strategy::Activelab => "activelab",
            Strategy::BestAnnotator => "best-annotator",
            Strategy::Greedy => "greedy",
        }
    }

    /// The strategy of this name; if there is none, the error offers the nearest.
    pub fn find(name: &str) -> Result<Strategy, Error> {
        Strategy::ALL.into_iter().find(|s| s.name() == name).ok_or_else(|| {
            let names = Strategy::ALL.map(Strategy::name);
            let near = nearest(name, names).map(|n| format!("did you mean `{n}`?"));
            Error::Usage {
                what: format!("there is no strategy `{name}`"),
                hint: near.or_else(|| Some(format!("one of {}", names.join(", ")))),
            }
        })
    }

    /// Whether the annotator of a question is chosen by what they tell.
    pub(crate) fn chooses_annotators(self) -> bool {
        use Strategy::{BestAnnotator, Gain, Greedy, Sure, Worth};
        matches!(self, Gain | Sure | Worth | BestAnnotator | Greedy)
    }

    /// Whether pairs are ranked by information.
    pub(crate) fn ranks_pairs(self) -> bool {
        matches!(self, Strategy::Gain | Strategy::Greedy)
    }

    /// Whether items that are done are left alone without being told so.
    pub fn stops(self) -> bool {
        matches!(self, Strategy::Sure | Strategy::Worth)
    }
}
