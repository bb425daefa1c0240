//! Data with known truth: a description of a crowd, and a generator that never holds more than a block of it.

mod assign;
mod coverage;
mod crowd;
mod functions;
mod generate;
mod kinds;
mod low_rank;
mod random;
mod reorder;

pub use coverage::{Coverage, Design, Z, coverage, designs};
pub use crowd::{Role, TrueAnnotator};
pub use generate::{Block, SimLabel, SimRow, Simulator};
pub use reorder::{Change, change, reordered};

use crate::{Error, LabelKind, MAX_CLASSES, Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How labels come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SimModel {
    /// Every annotator has a confusion matrix, its rows drawn around a diagonal one.
    DawidSkene,
    /// Every annotator has one probability of being right; errors are spread evenly.
    OneCoin,
    /// One probability of being right per class; errors are spread evenly.
    ConfusionVector,
    /// A share of the annotators is right with probability `accuracy`, the others guess evenly.
    SpammerHammer,
    /// Knows the answer with a probability (mean `accuracy`), otherwise draws from a habit of its own.
    Mace,
    /// P(right) = sigmoid(ability x ease of the item).
    Glad,
    /// value = truth + bias + noise.
    Real,
    /// Comparisons of two items with scores, ties after Davidson.
    BradleyTerry,
    /// The truth is a Markov chain; every token is labelled as under `dawid-skene`.
    Sequences,
    /// Whether two items are of the same class; annotators are right with one probability.
    Similarities,
    /// Sets of classes; of each class of the set an annotator is right with one probability.
    Sets,
    /// Items of a square grid, where neighbours are alike; every item is labelled as under `dawid-skene`.
    Graph,
    /// Rankings of some items after Plackett and Luce.
    Rankings,
    /// Sources that vote for a class, or are silent: patterns, lookups, rules.
    LabellingFunctions,
    /// P(right) = sigmoid(u · F x): annotators are short rows of numbers u, and a map F that all share says what the features x
    /// of an item ask of them. The class is a linear function of the features.
    LowRank,
}

impl SimModel {
    /// Every model, in the order in which people should meet them.
    pub const ALL: [SimModel; 15] = [
        SimModel::DawidSkene,
        SimModel::OneCoin,
        SimModel::ConfusionVector,
        SimModel::SpammerHammer,
        SimModel::Mace,
        SimModel::Glad,
        SimModel::Real,
        SimModel::BradleyTerry,
        SimModel::Sequences,
        SimModel::Similarities,
        SimModel::Sets,
        SimModel::Graph,
        SimModel::Rankings,
        SimModel::LabellingFunctions,
        SimModel::LowRank,
    ];

    /// As in JSON and on the command line.
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// What it is, in a few words.
    pub fn summary(self) -> &'static str {
        self.words().1
    }

    /// Whether a property of [`Simulation`] has any effect under this model.
    pub fn uses(self, property: &str) -> bool {
        use SimModel::{
            BradleyTerry, Glad, Graph, LabellingFunctions, LowRank, Rankings, Real, Sequences, Sets, Similarities,
            SpammerHammer,
        };
        let has_classes = !matches!(self, Real | BradleyTerry | Rankings);
        match property {
            "classes" | "class_shares" | "imbalance" => has_classes,
            "features" => has_classes && !matches!(self, Similarities | Sets),
            "separation" => has_classes && !matches!(self, Similarities | Sets | LowRank),
            "accuracy" => has_classes && !matches!(self, Glad | LowRank),
            "concentration" => has_classes && !matches!(self, Glad | SpammerHammer | LowRank),
            "rank" | "spread" | "certain" => self == LowRank,
            "hammers" => self == SpammerHammer,
            "ability" | "ability_sd" | "ease_sd" => self == Glad,
            "truth_mean" | "bias_sd" | "noise" => self == Real,
            "truth_sd" | "noise_spread" => matches!(self, Real | BradleyTerry | Rankings),
            "pairs" => matches!(self, BradleyTerry | Similarities | Rankings),
            "set_size" => self == Sets,
            "ranked" | "top" => self == Rankings,
            "ties" => self == BradleyTerry,
            "chain_length" => self == Sequences,
            "stay" => matches!(self, Sequences | Graph),
            "votes" | "one_class" | "activity_sd" => self == LabellingFunctions,
            // a function decides itself where it votes
            "per_item" | "assignment" | "zipf" => self != LabellingFunctions,
            _ => true,
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            SimModel::DawidSkene => ("dawid-skene", "Every annotator has a confusion matrix"),
            SimModel::OneCoin => ("one-coin", "One probability of being right per annotator"),
            SimModel::ConfusionVector => ("confusion-vector", "One probability of being right per annotator and class"),
            SimModel::SpammerHammer => ("spammer-hammer", "Some annotators know, the others guess"),
            SimModel::Mace => ("mace", "Knows the answer, or draws from a habit"),
            SimModel::Glad => ("glad", "Ability of the annotator times ease of the item"),
            SimModel::Real => ("real", "value = truth + bias + noise"),
            SimModel::BradleyTerry => ("bradley-terry", "Comparisons of two items, with ties"),
            SimModel::Sequences => ("sequences", "Tokens of sequences"),
            SimModel::Similarities => ("similarities", "Whether two items are of the same class"),
            SimModel::Sets => ("sets", "Sets of classes, written a|b"),
            SimModel::Graph => ("graph", "Items of a grid, neighbours alike"),
            SimModel::Rankings => ("rankings", "Rankings of some items"),
            SimModel::LabellingFunctions => ("labelling-functions", "Sources that vote for a class, or are silent"),
            SimModel::LowRank => ("low-rank", "Annotators who know some items better than others"),
        }
    }
}

/// Who labels what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Assignment {
    /// Every item gets `per_item` different annotators, drawn by their weight (see `zipf`).
    Random,
    /// Every item gets `per_item` different annotators and every annotator the same number of items, to within one.
    Regular,
}

/// A crowd and its task. All fields have defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Simulation {
    /// How labels come about.
    pub model: SimModel,
    /// Number of items (of tokens for sequences).
    pub items: u64,
    /// Number of annotators.
    pub annotators: usize,
    /// Number of classes.
    pub classes: usize,
    /// Labels per item (per pair for comparisons, annotators per chain for sequences).
    pub per_item: usize,
    /// Who labels what.
    pub assignment: Assignment,
    /// Heavy-tailed participation: annotator a_j is drawn with weight (j+1)^-zipf; 0 = all alike.
    pub zipf: f64,
    /// Share of each class; empty = by `imbalance`.
    pub class_shares: Vec<f64>,
    /// Each class is this many times as frequent as the next; 1 = all alike.
    pub imbalance: f64,
    /// Mean probability that an ordinary annotator is right (labelling-functions: that a vote is).
    pub accuracy: f64,
    /// How much alike ordinary annotators are: the number of labels that their spread is worth.
    pub concentration: f64,
    /// Share of annotators whose labels do not depend on the truth: each has a habit drawn evenly from all.
    pub spammers: f64,
    /// Share of annotators who never say what they believe, but one of the other classes (comparisons: the other item;
    /// real values: the truth mirrored at the mean).
    pub adversaries: f64,
    /// Number of groups in which followers copy a leader.
    pub copy_groups: usize,
    /// Followers in each of these groups.
    pub copy_followers: usize,
    /// Probability that a follower says what its leader says, or would have said, of the item.
    pub copy_probability: f64,
    /// Numbers per item that tell of its class; 0 = none.
    pub features: usize,
    /// Distance between the means of two classes in the features, in standard deviations.
    pub separation: f64,
    /// spammer-hammer: share of hammers.
    pub hammers: f64,
    /// glad: mean ability of the annotators.
    pub ability: f64,
    /// glad: standard deviation of the ability.
    pub ability_sd: f64,
    /// glad: standard deviation of the logarithm of an item's ease.
    pub ease_sd: f64,
    /// real: mean of the true values.
    pub truth_mean: f64,
    /// real: standard deviation of the true values; bradley-terry, rankings: of the true scores.
    pub truth_sd: f64,
    /// real: standard deviation of the annotators' biases.
    pub bias_sd: f64,
    /// real: typical standard deviation of an annotator's noise.
    pub noise: f64,
    /// real, bradley-terry, rankings: standard deviation of the logarithm of an annotator's noise (of its sharpness).
    pub noise_spread: f64,
    /// bradley-terry, similarities: number of pairs shown, rankings: of sets of items; 0 = five times the items.
    pub pairs: u64,
    /// bradley-terry: Davidson's tie parameter; 0 = no ties.
    pub ties: f64,
    /// sequences: mean length of a chain.
    pub chain_length: usize,
    /// sequences: probability that the next token keeps the class; otherwise it is drawn by the class shares. graph: the
    /// same of an item and a neighbour before it.
    pub stay: f64,
    /// sets: mean number of classes of an item.
    pub set_size: f64,
    /// rankings: items that are shown together.
    pub ranked: usize,
    /// rankings: how many of these are put in order, the others behind them; 0 = all.
    pub top: usize,
    /// labelling-functions: mean number of votes per item.
    pub votes: f64,
    /// labelling-functions: share of the functions that vote for one class only; the others may vote for any.
    pub one_class: f64,
    /// labelling-functions: standard deviation of the logarithm of how many votes an item attracts. It goes with the first of
    /// the features, if there are any.
    pub activity_sd: f64,
    /// low-rank: numbers of an annotator.
    pub rank: usize,
    /// low-rank: factor on the annotators' numbers, which are drawn evenly from -0.3 to 0.6; 2 = expertise differs twice as much.
    pub spread: f64,
    /// low-rank: annotators are always right where they are more likely right than wrong, and never elsewhere.
    pub certain: bool,
}

impl Default for Simulation {
    fn default() -> Self {
        Simulation {
            model: SimModel::DawidSkene,
            items: 1000,
            annotators: 50,
            classes: 3,
            per_item: 5,
            assignment: Assignment::Random,
            zipf: 0.0,
            class_shares: Vec::new(),
            imbalance: 1.0,
            accuracy: 0.75,
            concentration: 10.0,
            spammers: 0.0,
            adversaries: 0.0,
            copy_groups: 0,
            copy_followers: 2,
            copy_probability: 0.9,
            features: 0,
            separation: 2.0,
            hammers: 0.5,
            ability: 1.0,
            ability_sd: 1.0,
            ease_sd: 1.0,
            truth_mean: 0.0,
            truth_sd: 1.0,
            bias_sd: 0.3,
            noise: 0.5,
            noise_spread: 0.5,
            pairs: 0,
            ties: 0.3,
            chain_length: 10,
            stay: 0.7,
            set_size: 1.5,
            ranked: 4,
            top: 0,
            votes: 1.5,
            one_class: 1.0,
            activity_sd: 0.5,
            rank: 10,
            spread: 1.0,
            certain: false,
        }
    }
}

/// Items of a ranking, and classes that sets are made of.
const MOST_RANKED: u64 = 1000;
const MOST_IN_SETS: usize = 64;
/// Numbers of an annotator.
const MOST_RANK: usize = 1024;
/// Confusion matrices of all annotators may take this many numbers.
const MAX_PARAMETERS: usize = 200_000_000;

impl Simulation {
    pub fn kind(&self) -> LabelKind {
        match self.model {
            SimModel::Real => LabelKind::Real,
            SimModel::BradleyTerry | SimModel::Rankings => LabelKind::Preference,
            SimModel::Similarities => LabelKind::Similarity,
            _ => LabelKind::Categorical,
        }
    }

    /// The share of each class: as given (scaled to sum to 1), or geometric.
    pub fn shares(&self) -> Vec<f64> {
        let raw: Vec<f64> = if self.class_shares.is_empty() {
            (0..self.classes).map(|k| self.imbalance.powi(-(k as i32))).collect()
        } else {
            self.class_shares.clone()
        };
        let sum: f64 = raw.iter().sum();
        raw.into_iter().map(|x| x / sum).collect()
    }

    /// Class `k` by name; the names sort in the order of the classes.
    pub fn class_name(&self, k: usize) -> String {
        let width = self.classes.saturating_sub(1).to_string().len();
        format!("c{k:0width$}")
    }

    /// What is judged: items, or pairs of items.
    pub fn units(&self) -> u64 {
        match (self.kind(), self.pairs) {
            (LabelKind::Preference | LabelKind::Similarity, 0) => self.items.saturating_mul(5),
            (LabelKind::Preference | LabelKind::Similarity, pairs) => pairs,
            _ => self.items,
        }
    }

    /// How many annotators are spammers, adversaries, members of copying groups.
    fn special(&self) -> (usize, usize, usize) {
        let of = |share: f64| (share * self.annotators as f64).round() as usize;
        (
            of(self.spammers),
            of(self.adversaries),
            self.copy_groups.saturating_mul(self.copy_followers.saturating_add(1)),
        )
    }

    /// Every bad value at once.
    pub fn check(&self) -> Result<(), Error> {
        let mut p = Problems::default();
        let share = |p: &mut Problems, name: &str, x: f64| {
            p.require((0.0..=1.0).contains(&x), name, x, "between 0 and 1");
        };
        p.require(self.items >= 1, "items", self.items, "at least 1");
        p.require(u32::try_from(self.items).is_ok(), "items", self.items, "at most 4,294,967,295");
        p.count("annotators", self.annotators);
        p.count("per_item", self.per_item);
        p.require(
            self.per_item <= self.annotators || !self.model.uses("per_item"),
            "per_item",
            self.per_item,
            &format!("at most the number of annotators ({})", self.annotators),
        );
        p.at_least("zipf", self.zipf, 0.0);
        p.require(
            self.assignment == Assignment::Random || self.zipf == 0.0,
            "zipf",
            self.zipf,
            "0 with the regular assignment, which gives every annotator the same number of items",
        );
        share(&mut p, "spammers", self.spammers);
        share(&mut p, "adversaries", self.adversaries);
        share(&mut p, "copy_probability", self.copy_probability);
        let (s, a, c) = self.special();
        p.require(
            s.saturating_add(a).saturating_add(c) <= self.annotators,
            "annotators",
            self.annotators,
            &format!("at least the {s} spammers, {a} adversaries and {c} members of copying groups together"),
        );
        if self.kind() != LabelKind::Categorical {
            p.require(self.features == 0, "features", self.features, "0 unless the labels are classes");
        }
        if matches!(self.kind(), LabelKind::Categorical | LabelKind::Similarity) {
            self.check_classes(&mut p);
        } else {
            p.positive("truth_sd", self.truth_sd);
            p.at_least("noise_spread", self.noise_spread, 0.0);
        }
        if self.model == SimModel::Real {
            p.require(self.truth_mean.is_finite(), "truth_mean", self.truth_mean, "a finite number");
            p.at_least("bias_sd", self.bias_sd, 0.0);
            p.positive("noise", self.noise);
        }
        if matches!(self.kind(), LabelKind::Preference | LabelKind::Similarity) {
            p.require(self.items >= 2, "items", self.items, "at least 2 to be compared");
        }
        if self.model == SimModel::BradleyTerry {
            p.at_least("ties", self.ties, 0.0);
        }
        if self.model == SimModel::Rankings {
            let most = self.items.min(MOST_RANKED);
            let must = format!("between 2 and {most} (the items, at most {MOST_RANKED})");
            p.require((2..=most).contains(&(self.ranked as u64)), "ranked", self.ranked, &must);
            let below = self.top < self.ranked.max(1);
            p.require(below, "top", self.top, &format!("below the {} items of a ranking", self.ranked));
        }
        if self.model == SimModel::LabellingFunctions {
            p.positive("votes", self.votes);
            let most = self.annotators as f64;
            p.require(self.votes <= most, "votes", self.votes, &format!("at most the number of annotators ({most})"));
            share(&mut p, "one_class", self.one_class);
            p.at_least("activity_sd", self.activity_sd, 0.0);
        }
        if self.model == SimModel::LowRank {
            let must = "at least 1, since class and expertise depend on them (20 are usual)";
            p.require(self.features >= 1, "features", self.features, must);
            p.require((1..=MOST_RANK).contains(&self.rank), "rank", self.rank, &format!("from 1 to {MOST_RANK}"));
            p.at_least("spread", self.spread, 0.0);
        }
        if self.model == SimModel::Sets {
            let k = self.classes;
            p.require(k <= MOST_IN_SETS, "classes", k, &format!("at most {MOST_IN_SETS} in sets"));
            p.positive("set_size", self.set_size);
        }
        Error::all(p.0)
    }

    fn check_classes(&self, p: &mut Problems) {
        let k = self.classes;
        p.require((2..=MAX_CLASSES).contains(&k), "classes", k, &format!("between 2 and {MAX_CLASSES}"));
        p.require(
            self.class_shares.is_empty() || self.class_shares.len() == k,
            "class_shares",
            format!("a list of {}", self.class_shares.len()),
            &format!("one share for each of the {k} classes"),
        );
        p.require(
            self.class_shares.iter().all(|x| x.is_finite() && *x >= 0.0)
                && (self.class_shares.is_empty() || self.class_shares.iter().sum::<f64>() > 0.0),
            "class_shares",
            format!("{:?}", self.class_shares),
            "numbers of at least 0, not all 0",
        );
        p.at_least("imbalance", self.imbalance, 1.0);
        p.between("accuracy", self.accuracy, 0.0, 1.0);
        p.positive("concentration", self.concentration);
        p.at_least("separation", self.separation, 0.0);
        p.require((0.0..=1.0).contains(&self.hammers), "hammers", self.hammers, "between 0 and 1");
        p.require(self.ability.is_finite(), "ability", self.ability, "a finite number");
        p.at_least("ability_sd", self.ability_sd, 0.0);
        p.at_least("ease_sd", self.ease_sd, 0.0);
        p.count("chain_length", self.chain_length);
        p.require((0.0..=1.0).contains(&self.stay), "stay", self.stay, "between 0 and 1");
        if k.saturating_mul(k).saturating_mul(self.annotators) > MAX_PARAMETERS {
            p.0.push(Error::TooLarge {
                what: format!(
                    "{} annotators with {k} x {k} confusion matrices (at most {MAX_PARAMETERS} numbers in all)",
                    self.annotators
                ),
            });
        }
    }
}
