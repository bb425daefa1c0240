//! Learners with their types: a method that gives a classifier returns it.

use crate::{Classifier, Model};
use crowdwise_core::{AnyMethod, Context, Dataset, Entry, Error, Fit, Method, Outcome, entry, fit_by, parse};
use serde_json::Value;

/// A classifier of another framework, which takes the place of the built-in network and sees the features as they are.
pub type Own = Option<Box<dyn Classifier>>;

/// What a learner returns.
#[derive(Debug)]
pub struct Learned {
    pub outcome: Outcome,
    /// The classifier; none if it was one of another framework, whose trained state is its owner's to keep.
    pub model: Option<Model>,
}

/// A method that learns a classifier.
pub trait Learn: Method {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error>;
}

/// A learner with its parameters set, whatever its type.
pub trait AnyLearner: AnyMethod {
    /// As [`AnyMethod::fit`], with the classifier.
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<(Fit, Model), Error>;
    /// Trains a classifier of another framework.
    fn train(&self, data: &Dataset, cx: &mut Context<'_>, own: Box<dyn Classifier>) -> Result<Fit, Error>;
}

impl<L: Learn> AnyLearner for L {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<(Fit, Model), Error> {
        fit_by(self, data, cx, |data, cx| {
            let learned = Learn::learn(self, data, cx, None)?;
            let none = || Error::Unsupported { what: format!("{} left no classifier", L::INFO.id), hint: None };
            Ok((learned.outcome, learned.model.ok_or_else(none)?))
        })
    }

    fn train(&self, data: &Dataset, cx: &mut Context<'_>, own: Box<dyn Classifier>) -> Result<Fit, Error> {
        let found = fit_by(self, data, cx, |data, cx| Ok((Learn::learn(self, data, cx, Some(own))?.outcome, ())))?;
        Ok(found.0)
    }
}

/// The error of a method that has no network which another one could replace.
pub(crate) fn no_network<M: Method>() -> Error {
    Error::Unsupported {
        what: format!("{} has a way of its own and trains no network", M::INFO.id),
        hint: Some("take another method, such as aggnet".into()),
    }
}

/// Makes a learner of some of its parameters.
type Make = fn(&[(String, Value)]) -> Result<Box<dyn AnyLearner>, Error>;

/// A line of the list of learners.
#[derive(Clone, Copy, Debug)]
pub struct LearnerEntry {
    pub entry: Entry,
    make: Make,
}

/// The list entry of a learner.
pub const fn learner<L: Learn>() -> LearnerEntry {
    LearnerEntry { entry: entry::<L>(), make: |pairs| Ok(Box::new(parse::<L>(pairs)?)) }
}

impl LearnerEntry {
    /// As [`Entry::with`], with its type.
    pub fn with(&self, pairs: &[(String, Value)]) -> Result<Box<dyn AnyLearner>, Error> {
        (self.make)(pairs)
    }
}

/// The entries of a list of learners, as the list of methods has them.
pub(crate) const fn entries<const N: usize>(learners: &[LearnerEntry; N]) -> [Entry; N] {
    let mut out = [learners[0].entry; N];
    let mut n = 1;
    while n < N {
        out[n] = learners[n].entry;
        n += 1;
    }
    out
}
