//! How often each annotator is right, with an interval: one rule for every method.
//!
//! Counting an annotator's labels as right or wrong under a method's posterior counts each label as evidence for itself,
//! and a posterior that is too sure passes its error on. Here point and interval come from one posterior of the
//! annotator's accuracy instead:
//!
//! 1. *What the items are* is reckoned again from the labels, beginning at the method's posterior, with a matrix per
//!    annotator that leans on the matrix of the whole crowd as much as annotators are alike (`crowd`). That neither
//!    overfits annotators with few labels nor believes single ones too much.
//! 2. *How good one annotator is* is judged by what everything but its own labels says of its items (`tilt`): the
//!    likelihood of its labels as a function of its accuracy, the classes summed out, times Jeffreys' prior. Doubt about
//!    the classes makes it flat, and without errors it ends at 1 as Jeffreys' interval does.
//!
//! 3. *What else is not known exactly*, the other annotators and the class shares, is let in as a loss of information: the
//!    likelihood is raised to the share of it that is left (`doubt`).

mod crowd;
mod doubt;
mod tilt;

use super::tally::Tally;
use crate::{Dataset, Fit};
use crowd::Crowd;

/// An accuracy: the median of its posterior, and the central interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    pub point: f64,
    pub interval: [f64; 2],
}

/// The accuracy of every annotator who gave labels, at the class shares of all items. `None` unless labels and fit are
/// of two or more classes.
pub fn rates(data: &Dataset, fit: &Fit, t: &Tally, level: f64) -> Option<Vec<Option<Rate>>> {
    let crowd = Crowd::of(data, fit, t)?;
    Some(tilt::rates(&crowd, level))
}

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod tests;
