//! What the rows of a file are.

use crowdwise_core::{Error, LabelKind};

/// What the rows of a file are, and where their parts stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    pub shape: Shape,
    pub kind: LabelKind,
    /// The kind still depends on whether the values are numbers.
    pub by_values: bool,
    /// Names of all columns of the file.
    pub names: Vec<String>,
    pub note: String,
    /// The column that says which rows were rejected by whoever asked for them.
    pub status: Option<usize>,
}

impl Layout {
    /// The columns that matter, in a fixed order.
    pub(crate) fn used(&self) -> Vec<usize> {
        let mut used = self.shape.used();
        used.extend(self.status);
        used
    }

    /// Rows are truth, not answers: nobody is named.
    pub(crate) fn is_truth(&self) -> bool {
        match &self.shape {
            Shape::Labels { annotator, .. } | Shape::Pairs { annotator, .. } | Shape::Sequence { annotator, .. } => {
                annotator.is_none()
            }
            Shape::Wide { .. } | Shape::Places { .. } | Shape::Ballots { .. } => false,
        }
    }

    /// Refuses a kind of label that the rows cannot hold: comparisons need two items each, which the exports of annotation
    /// tools do not tell.
    pub(crate) fn check_kind(&self, file: &str) -> Result<(), Error> {
        let compares = matches!(self.kind, LabelKind::Preference | LabelKind::Similarity);
        let has_two = matches!(self.shape, Shape::Pairs { .. } | Shape::Places { .. } | Shape::Ballots { .. });
        if !compares || has_two {
            return Ok(());
        }
        Err(Error::Unsupported {
            what: format!(
                "{file}: {} labels need two items in each row, and here it has one ({})",
                self.kind, self.note
            ),
            hint: Some(
                "give a table with columns left, right, annotator and winner (or same), or leave out ⟦--kind⟧".into(),
            ),
        })
    }

    /// For files where each row names its annotators itself: a wide table becomes one of single labels.
    pub(crate) fn with_named_annotators(mut self) -> Layout {
        if let Shape::Wide { item, .. } = self.shape {
            self.note = format!("columns: item = {}, every other one is an annotator", self.names[item]);
            self.shape = Shape::Labels { item, annotator: Some(item), label: item };
        }
        self
    }
}

/// Indices of the columns. Without an annotator the rows are known truth.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Labels {
        item: usize,
        annotator: Option<usize>,
        label: usize,
    },
    Pairs {
        left: usize,
        right: usize,
        annotator: Option<usize>,
        outcome: usize,
    },
    Sequence {
        sequence: usize,
        position: usize,
        annotator: Option<usize>,
        label: usize,
    },
    Wide {
        item: usize,
        annotators: Vec<usize>,
    },
    /// One place of a ranking; without a column of rankings every annotator gave one.
    Places {
        ranking: Option<usize>,
        annotator: usize,
        item: usize,
        position: usize,
    },
    /// One whole ranking, or the best of what was shown.
    Ballots {
        annotator: usize,
        ranking: usize,
        shown: Option<usize>,
    },
}

impl Shape {
    /// The columns that matter, in a fixed order.
    fn used(&self) -> Vec<usize> {
        match self {
            Shape::Labels { item, annotator, label } => {
                [Some(*item), *annotator, Some(*label)].into_iter().flatten().collect()
            }
            Shape::Pairs { left, right, annotator, outcome } => {
                [Some(*left), Some(*right), *annotator, Some(*outcome)].into_iter().flatten().collect()
            }
            Shape::Sequence { sequence, position, annotator, label } => {
                [Some(*sequence), Some(*position), *annotator, Some(*label)].into_iter().flatten().collect()
            }
            Shape::Places { ranking, annotator, item, position } => {
                [*ranking, Some(*annotator), Some(*item), Some(*position)].into_iter().flatten().collect()
            }
            Shape::Ballots { annotator, ranking, shown } => {
                [Some(*annotator), Some(*ranking), *shown].into_iter().flatten().collect()
            }
            Shape::Wide { item, annotators } => std::iter::once(*item).chain(annotators.iter().copied()).collect(),
        }
    }

    /// Columns of item, annotator and label where a row is just that, as [`crate::pending::Pending`] takes it.
    pub(crate) fn labels(&self) -> [usize; 3] {
        match *self {
            Shape::Labels { item, annotator: Some(annotator), label } => [item, annotator, label],
            _ => [0; 3],
        }
    }

    /// Rows are rankings, or places in these.
    pub(crate) fn ranks(&self) -> bool {
        matches!(self, Shape::Places { .. } | Shape::Ballots { .. })
    }

    /// The column of labels, values or outcomes; none in a wide table.
    pub(crate) fn label(&self) -> Option<usize> {
        match self {
            Shape::Labels { label, .. } | Shape::Sequence { label, .. } => Some(*label),
            Shape::Pairs { outcome, .. } => Some(*outcome),
            Shape::Places { position, .. } => Some(*position),
            Shape::Ballots { ranking, .. } => Some(*ranking),
            Shape::Wide { .. } => None,
        }
    }
}
