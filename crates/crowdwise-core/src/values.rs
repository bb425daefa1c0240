//! What a label can be, and columns of labels.

use crate::Names;
use serde::{Deserialize, Serialize};

/// What a label is. Sequences and graphs are structures beside the table, not kinds of label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelKind {
    Categorical,
    Real,
    Preference,
    Similarity,
}

impl LabelKind {
    pub fn name(self) -> &'static str {
        match self {
            LabelKind::Categorical => "categorical",
            LabelKind::Real => "real",
            LabelKind::Preference => "preference",
            LabelKind::Similarity => "similarity",
        }
    }
}

impl std::fmt::Display for LabelKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Outcome of a comparison as it was shown: left item, right item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preference {
    Left,
    Right,
    Tie,
}

/// What is judged: an item, or a pair of items in the order in which it was shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Units {
    Items,
    Pairs(Vec<[u32; 2]>),
}

/// Class codes in one byte where they fit (up to 256 classes), else in two.
#[derive(Clone, Debug, PartialEq)]
pub enum Codes {
    U8(Vec<u8>),
    U16(Vec<u16>),
}

/// Most classes a categorical table can have.
pub const MAX_CLASSES: usize = 65_535;

impl Codes {
    pub fn len(&self) -> usize {
        match self {
            Codes::U8(v) => v.len(),
            Codes::U16(v) => v.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn get(&self, row: usize) -> usize {
        match self {
            Codes::U8(v) => v[row] as usize,
            Codes::U16(v) => v[row] as usize,
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).map(|r| self.get(r))
    }
}

/// The values of all annotations, in table order.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Categorical { classes: Names, ordered: bool, codes: Codes },
    Real { values: Vec<f64>, range: Option<(f64, f64)> },
    Preference { codes: Vec<Preference> },
    Similarity { same: Vec<bool> },
}

impl Values {
    pub fn len(&self) -> usize {
        match self {
            Values::Categorical { codes, .. } => codes.len(),
            Values::Real { values, .. } => values.len(),
            Values::Preference { codes } => codes.len(),
            Values::Similarity { same } => same.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn kind(&self) -> LabelKind {
        match self {
            Values::Categorical { .. } => LabelKind::Categorical,
            Values::Real { .. } => LabelKind::Real,
            Values::Preference { .. } => LabelKind::Preference,
            Values::Similarity { .. } => LabelKind::Similarity,
        }
    }
}
