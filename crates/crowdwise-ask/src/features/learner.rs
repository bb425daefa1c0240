//! Learners that go on learning while questions are asked.

use crowdwise_core::{Context, Dataset, Error, Features, Fit, LabelKind, TableBuilder, stats};
use crowdwise_learn::expert::{Dlc, KeptDlc};
use crowdwise_learn::{AnyLearner, Labels, Model, Probabilities};

/// What a learner says of the items before a batch of questions.
#[derive(Clone, Debug)]
pub struct Known {
    pub k: usize,
    /// Class probabilities by the classifier alone, items x K.
    pub p: Vec<f64>,
    /// With the labels that there are.
    pub q: Vec<f64>,
    /// What an item's class would tell about the classifier, in bits; only where dropout draws classifiers.
    pub bald: Option<Vec<f64>>,
    /// How uncertain the function behind the probabilities is; only where that is known.
    pub variance: Option<Vec<f64>>,
}

impl Known {
    /// Class probabilities of item `i` by the classifier alone.
    pub fn by_classifier(&self, i: usize) -> &[f64] {
        &self.p[i * self.k..(i + 1) * self.k]
    }

    /// Class probabilities of item `i` with its labels.
    pub fn by_both(&self, i: usize) -> &[f64] {
        &self.q[i * self.k..(i + 1) * self.k]
    }
}

/// A classifier and annotators, learned again after every batch of answers. Items, annotators and classes are fixed.
pub trait Learner {
    fn refit(&mut self, labels: &Labels, cx: &mut Context<'_>) -> Result<(), Error>;
    fn known(&mut self, labels: &Labels, cx: &mut Context<'_>) -> Result<Known, Error>;
    /// P(annotator `j` says l | truth k) on item `i`, truth x label.
    fn confusion(&self, i: usize, j: usize) -> Vec<f64>;
    /// P(annotator `j` is right on item `i`), which has these class probabilities.
    fn right(&self, i: usize, j: usize, belief: &[f64]) -> f64;
    /// Class probabilities of new items.
    fn predict(&mut self, features: &Features) -> Result<Probabilities, Error>;
}

/// DLC, kept from batch to batch.
#[derive(Debug)]
pub struct Dalc {
    kept: KeptDlc,
    k: usize,
    /// Epochs of the first fit and of every later one.
    epochs: (usize, usize),
    passes: usize,
    fitted: bool,
}

impl Dalc {
    /// Networks drawn by dropout to see how unsure the classifier is.
    pub const PASSES: usize = 20;

    /// `epochs` of the first fit and of every later one, which begins where the one before ended.
    pub fn new(
        dlc: &Dlc,
        features: &Features,
        k: usize,
        m: usize,
        epochs: (usize, usize),
        seed: u64,
    ) -> Result<Self, Error> {
        let kept = KeptDlc::new(dlc, features, k, m, seed)?;
        let passes = if kept.draws() { Self::PASSES } else { 1 };
        Ok(Dalc { kept, k, epochs, passes, fitted: false })
    }

    /// The fit as it is by now.
    pub fn kept(&self) -> &KeptDlc {
        &self.kept
    }
}

impl Learner for Dalc {
    fn refit(&mut self, labels: &Labels, cx: &mut Context<'_>) -> Result<(), Error> {
        let epochs = if self.fitted { self.epochs.1 } else { self.epochs.0 };
        self.kept.refit(labels, epochs, cx)?;
        self.fitted = true;
        Ok(())
    }

    fn known(&mut self, labels: &Labels, cx: &mut Context<'_>) -> Result<Known, Error> {
        let drawn = self.kept.sample(self.passes, cx)?;
        let q = self.kept.posterior(labels, cx)?;
        Ok(Known { k: self.k, p: drawn.mean.rows, q, bald: Some(drawn.bald), variance: None })
    }

    fn confusion(&self, i: usize, j: usize) -> Vec<f64> {
        let (k, right) = (self.k, self.kept.expertise(i, j));
        let wrong = (1.0 - right) / (k.max(2) - 1) as f64;
        (0..k * k).map(|n| if n / k == n % k { right } else { wrong }).collect()
    }

    fn right(&self, i: usize, j: usize, _: &[f64]) -> f64 {
        self.kept.expertise(i, j)
    }

    fn predict(&mut self, features: &Features) -> Result<Probabilities, Error> {
        self.kept.predict(features)
    }
}

/// Any learner, fitted from the beginning each time: what needs no warm start (a Gaussian process), or cannot have one.
pub struct Cold {
    learner: Box<dyn AnyLearner>,
    features: Features,
    classes: Vec<String>,
    m: usize,
    fitted: Option<(Fit, Model)>,
    /// Names of its annotators, in its own order: where each of ours is.
    place: Vec<Option<usize>>,
    /// Expertise that depends on the item, items x annotators, where there is one.
    expertise: Option<Vec<f64>>,
}

impl std::fmt::Debug for Cold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cold")
            .field("method", &self.learner.info().id)
            .field("items", &self.features.rows())
            .finish_non_exhaustive()
    }
}

impl Cold {
    pub fn new(learner: Box<dyn AnyLearner>, features: Features, k: usize, m: usize) -> Self {
        let width = k.saturating_sub(1).to_string().len();
        let classes = (0..k).map(|c| format!("c{c:0width$}")).collect();
        Cold { learner, features, classes, m, fitted: None, place: Vec::new(), expertise: None }
    }

    fn fitted(&self) -> Result<&(Fit, Model), Error> {
        self.fitted.as_ref().ok_or_else(|| Error::Unsupported {
            what: "nothing was learned yet: there are no answers".into(),
            hint: None,
        })
    }

    /// Confusion matrix of annotator `j`, truth x label; of somebody who has not answered yet, that of a fair one.
    fn matrix(&self, j: usize) -> Vec<f64> {
        let k = self.classes.len();
        let found = self.fitted.as_ref().and_then(|(fit, _)| fit.annotators.confusion((*self.place.get(j)?)?));
        found.unwrap_or_else(|| {
            let wrong = (1.0 - UNKNOWN) / (k.max(2) - 1) as f64;
            (0..k * k).map(|n| if n / k == n % k { UNKNOWN } else { wrong }).collect()
        })
    }
}

/// How often somebody of whom nothing is known is right.
const UNKNOWN: f64 = 0.7;

/// Labels as a table with names that sort as the numbers do.
pub(super) fn dataset(labels: &Labels, classes: &[String], features: Option<&Features>) -> Result<Dataset, Error> {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..labels.items()).for_each(|i| _ = b.items.intern(&format!("i{i}")));
    (0..labels.m).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    classes.iter().for_each(|c| _ = b.classes.intern(c));
    for (i, j, l) in labels.rows() {
        b.label_codes(i, j, l)?;
    }
    let mut data = Dataset::new(b.finish()?);
    data.features = features.cloned();
    Ok(data)
}

impl Learner for Cold {
    fn refit(&mut self, labels: &Labels, cx: &mut Context<'_>) -> Result<(), Error> {
        let data = dataset(labels, &self.classes, Some(&self.features))?;
        let (fit, model) = self.learner.learn(&data, cx)?;
        // a fit has annotators in the order of the data, which is ours
        self.place = (0..self.m).map(|j| (j < data.table.n_annotators()).then_some(j)).collect();
        self.expertise = None;
        if model.has_expertise() {
            let of = model.expertise_of(&self.features)?;
            let name = |j: usize| format!("a{j}");
            let own: Vec<Option<usize>> =
                (0..self.m).map(|j| model.annotators.iter().position(|n| *n == name(j))).collect();
            let one = |i: usize| own.iter().map(move |o| (i, *o));
            self.expertise =
                Some((0..of.items()).flat_map(one).map(|(i, o)| o.map_or(UNKNOWN, |o| of.at(i, o))).collect());
        }
        self.fitted = Some((fit, model));
        Ok(())
    }

    fn known(&mut self, _: &Labels, cx: &mut Context<'_>) -> Result<Known, Error> {
        let (fit, model) = self.fitted()?;
        let k = self.classes.len();
        let p = cx.install(|| model.predict(&self.features))??;
        let variance = model.variance(&self.features)?;
        let q = fit.posterior().map_or_else(|| p.rows.clone(), |(_, q)| q.to_vec());
        Ok(Known { k, p: p.rows, q, bald: None, variance })
    }

    fn confusion(&self, i: usize, j: usize) -> Vec<f64> {
        let k = self.classes.len();
        let Some(known) = &self.expertise else { return self.matrix(j) };
        let right = known[i * self.m + j];
        let wrong = (1.0 - right) / (k.max(2) - 1) as f64;
        (0..k * k).map(|n| if n / k == n % k { right } else { wrong }).collect()
    }

    fn right(&self, i: usize, j: usize, belief: &[f64]) -> f64 {
        match &self.expertise {
            Some(known) => known[i * self.m + j],
            None => belief.iter().zip(self.matrix(j).iter().step_by(belief.len() + 1)).map(|(b, a)| b * a).sum(),
        }
    }

    fn predict(&mut self, features: &Features) -> Result<Probabilities, Error> {
        self.fitted()?.1.predict(features)
    }
}

/// Entropy of every row, in bits.
pub(super) fn entropies(rows: &[f64], k: usize) -> Vec<f64> {
    rows.chunks_exact(k.max(1)).map(stats::entropy_bits).collect()
}
