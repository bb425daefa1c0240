//! What is known of a method before it runs, as far as it is not plain text: what it needs, what it gives, for which data it is
//! the one to take. Whoever has to choose a method asks these; nobody decides by a method's name.

use crate::questions::is_sets;
use crate::{Dataset, LabelKind, Structure};
use serde::Serialize;

/// The idea that a method belongs to: the folder of its source, and the module of its Python class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    Auto,
    Voting,
    Confusion,
    Pooled,
    Competence,
    Difficulty,
    Ordered,
    Messages,
    Moments,
    Optimisation,
    Sources,
    Spammers,
    Spectral,
    Real,
    Preference,
    Chains,
    Graphs,
    Groups,
    Fairness,
    Pairs,
    Sets,
    Em,
    Bayes,
    Layer,
    Expert,
    Information,
    Process,
}

impl Family {
    /// The name in small letters, as folders and modules have it.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// How items may hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StructureKind {
    Sequences,
    /// Neighbours; features may stand in for them.
    Graph,
    Rankings,
}

impl StructureKind {
    pub fn name(self) -> &'static str {
        match self {
            StructureKind::Sequences => "sequences",
            StructureKind::Graph => "graph",
            StructureKind::Rankings => "rankings",
        }
    }
}

/// What a method cannot work without, besides answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Needs {
    /// A row of features per item.
    pub features: bool,
    /// Class probabilities of a classifier.
    pub probabilities: bool,
    pub structure: Option<StructureKind>,
}

impl Needs {
    pub const NOTHING: Needs = Needs { features: false, probabilities: false, structure: None };
    pub const FEATURES: Needs = Needs { features: true, ..Needs::NOTHING };

    pub const fn structure(kind: StructureKind) -> Needs {
        Needs { structure: Some(kind), ..Needs::NOTHING }
    }

    /// Whether the data have all of it.
    pub fn met_by(&self, data: &Dataset) -> bool {
        let structure = match self.structure {
            None => true,
            Some(StructureKind::Sequences) => matches!(data.structure, Structure::Chains { .. }),
            Some(StructureKind::Graph) => matches!(data.structure, Structure::Graph(_)),
            Some(StructureKind::Rankings) => matches!(data.structure, Structure::Rankings(_)),
        };
        structure
            && (!self.features || data.features.is_some())
            && (!self.probabilities || data.probabilities.is_some())
    }
}

/// What a method gives besides labels and what it thinks of the annotators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Gives {
    /// A classifier for items that nobody labelled.
    pub classifier: bool,
    /// How hard every item is.
    pub difficulty: bool,
}

impl Gives {
    pub const LABELS: Gives = Gives { classifier: false, difficulty: false };
    pub const CLASSIFIER: Gives = Gives { classifier: true, ..Gives::LABELS };
    pub const DIFFICULTY: Gives = Gives { difficulty: true, ..Gives::LABELS };
}

/// What data are, as far as the choice of a method goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Situation {
    /// Classes of items that have nothing to do with each other.
    Classes,
    /// The same with classes in an order that means something.
    Grades,
    /// Classes of tokens.
    Sequences,
    /// Classes of items that have neighbours.
    Graph,
    /// Sets of classes, a yes-or-no item for each.
    Sets,
    Values,
    Comparisons,
    Rankings,
    Similarities,
}

impl Situation {
    /// All in which labels are classes.
    pub const OF_CLASSES: &'static [Situation] =
        &[Situation::Classes, Situation::Grades, Situation::Sequences, Situation::Graph, Situation::Sets];

    pub const ALL: &'static [Situation] = &[
        Situation::Classes,
        Situation::Grades,
        Situation::Sequences,
        Situation::Graph,
        Situation::Sets,
        Situation::Values,
        Situation::Comparisons,
        Situation::Rankings,
        Situation::Similarities,
    ];

    /// The kind of its labels.
    pub fn kind(self) -> LabelKind {
        match self {
            Situation::Values => LabelKind::Real,
            Situation::Comparisons | Situation::Rankings => LabelKind::Preference,
            Situation::Similarities => LabelKind::Similarity,
            _ => LabelKind::Categorical,
        }
    }

    pub fn of(data: &Dataset) -> Situation {
        match (data.table.kind(), &data.structure) {
            (LabelKind::Real, _) => Situation::Values,
            (LabelKind::Similarity, _) => Situation::Similarities,
            (LabelKind::Preference, Structure::Rankings(_)) => Situation::Rankings,
            (LabelKind::Preference, _) => Situation::Comparisons,
            (LabelKind::Categorical, Structure::Chains { .. }) => Situation::Sequences,
            (LabelKind::Categorical, Structure::Graph(_)) => Situation::Graph,
            (LabelKind::Categorical, _) if is_sets(data) => Situation::Sets,
            (LabelKind::Categorical, _) => {
                let grades = data.table.categorical().is_some_and(|c| c.ordered && c.k() > 2);
                if grades { Situation::Grades } else { Situation::Classes }
            }
        }
    }
}
