//! A trained classifier.

mod dropout;
mod expertise;
mod likelihood;
pub(crate) mod saved;

pub use dropout::McDropout;
pub use expertise::ExpertiseOf;

use crate::classifier::scores;
use crate::confusion::{Words, log_transposed, normalise};
use crate::em::{Attack, ranges};
use crate::expert::words::Experts;
use crate::learn::{Learner, Recipe};
use crate::network::{Architecture, Network, Optimiser, OptimiserKind};
pub(crate) use crate::readout::Readout;
use crate::{Classifier, Matrix, Mode, Probabilities, Scaler, Weights};
use crowdwise_core::{Dataset, Error, Features, stream};
use serde_json::Value;

/// A classifier with everything that it needs to classify: method, parameters, classes, scaling, weights, and what the
/// labels of the annotators it knows are worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub method: String,
    pub params: Value,
    pub seed: u64,
    /// Version of the library that trained it.
    pub version: String,
    pub classes: Vec<String>,
    pub annotators: Vec<String>,
    pub readout: Readout,
    scaler: Scaler,
    architecture: Architecture,
    weights: Weights,
    heard: Heard,
    /// What the readout needs.
    numbers: Vec<f64>,
}

/// What labels are worth to a model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heard {
    /// annotators x label x class, logarithms
    pub evidence: Vec<f64>,
    /// Added for every item with labels, a number per class.
    pub offset: Vec<f64>,
    /// Largest probability that the classifier may give to a class when labels speak, too.
    pub bound: f64,
    /// What speaks instead of `evidence` where expertise depends on the item.
    pub experts: Option<Experts>,
}

/// The error of a training that came to nothing.
pub(crate) fn diverged(what: &str) -> Error {
    Error::NotFinite {
        what: format!("the training diverged: {what}"),
        hint: "take smaller steps: ⟦-p learning_rate=…⟧ below its default".into(),
    }
}

impl Heard {
    pub fn of(learner: &impl Learner, k: usize) -> Self {
        let evidence = learner.evidence().unwrap_or_else(|| log_transposed(&learner.confusion(), k));
        let mut offset = learner.offset();
        offset.resize(k, 0.0);
        Heard { evidence, offset, bound: learner.bound(), experts: learner.experts() }
    }

    /// Confusion matrices and nothing else.
    pub fn confusion(confusion: &[f64], k: usize) -> Self {
        Heard { evidence: log_transposed(confusion, k), offset: vec![0.0; k], bound: 1.0, experts: None }
    }
}

impl Model {
    pub(crate) fn new(
        recipe: &Recipe<'_>,
        seed: u64,
        data: &Dataset,
        scaler: Scaler,
        net: &Network,
        (readout, numbers): (Readout, Vec<f64>),
        heard: Heard,
    ) -> Result<Self, Error> {
        let classes = data.table.categorical().expect("categorical labels").classes;
        let model = Model {
            method: recipe.info.id.into(),
            params: recipe.params.clone(),
            seed,
            version: env!("CARGO_PKG_VERSION").into(),
            classes: classes.iter().map(Into::into).collect(),
            annotators: data.table.annotators().iter().map(Into::into).collect(),
            readout,
            scaler,
            architecture: net.architecture().clone(),
            weights: net.snapshot()?,
            heard,
            numbers,
        };
        if let Some(what) = model.not_finite() {
            return Err(diverged(&format!("{what} are no longer numbers")));
        }
        Ok(model)
    }

    /// The part that is not made of finite numbers, if there is one.
    fn not_finite(&self) -> Option<&'static str> {
        let singles = |x: &[f32]| x.iter().all(|x| x.is_finite());
        let doubles = |x: &[f64]| x.iter().all(|x| x.is_finite());
        let h = &self.heard;
        let experts = h.experts.as_ref().is_none_or(|e| doubles(&e.numbers));
        [
            ("its weights", singles(&self.weights.0)),
            ("the numbers that scale the features", singles(&self.scaler.mean) && singles(&self.scaler.factor)),
            ("its numbers of the annotators", doubles(&h.evidence) && doubles(&h.offset) && experts),
            ("the numbers of its last step", doubles(&self.numbers)),
        ]
        .into_iter()
        .find(|part| !part.1)
        .map(|part| part.0)
    }

    /// Numbers in a row of features.
    pub fn width(&self) -> usize {
        self.scaler.width
    }

    fn network(&self) -> Result<Network, Error> {
        let optimiser = Optimiser::new(OptimiserKind::Sgd, 0.0, 0.0);
        let mut net = Network::new(self.architecture.clone(), optimiser, self.seed);
        net.restore(&self.weights)?;
        Ok(net)
    }

    fn rows(&self, net: &mut Network, x: &Matrix, mode: Mode) -> Result<Probabilities, Error> {
        let all: Vec<u32> = (0..x.rows as u32).collect();
        let z = scores(net, x, &all, mode)?;
        if z.values.iter().any(|z| !z.is_finite()) {
            return Err(Error::NotFinite {
                what: "the classifier gives scores that are not numbers: the features are too large for it".into(),
                hint: "give features as those that it was trained on".into(),
            });
        }
        Ok(self.readout.probabilities(&self.numbers, self.classes.len(), &z))
    }

    /// Class probabilities of new items.
    pub fn predict(&self, features: &Features) -> Result<Probabilities, Error> {
        self.rows(&mut self.network()?, &self.scaler.apply(features)?, Mode::Eval)
    }

    /// How uncertain the function behind the probabilities is at new items, for models that know it (Gaussian processes: the
    /// predictive variance, the mean over their questions).
    pub fn variance(&self, features: &Features) -> Result<Option<Vec<f64>>, Error> {
        let x = self.scaler.apply(features)?;
        let all: Vec<u32> = (0..x.rows as u32).collect();
        let z = scores(&mut self.network()?, &x, &all, Mode::Eval)?;
        Ok(self.readout.variances(&self.numbers, &z))
    }

    /// Class probabilities of the items of `data` from their features and the labels that they have. Labels by annotators
    /// whom the model does not know count nothing; their number is given back. A class that it does not know is an error.
    pub fn predict_with_labels(&self, data: &Dataset) -> Result<(Probabilities, usize), Error> {
        let features = data
            .features
            .as_ref()
            .ok_or_else(|| Error::Unsupported { what: "a classifier needs features".into(), hint: None })?;
        let labels = data.table.categorical().ok_or_else(|| Error::Unsupported {
            what: format!("the model knows classes, but {} has {} labels", data.source, data.table.kind()),
            hint: None,
        })?;
        let k = self.classes.len();
        let place = |names: &[String], name: &str| names.iter().position(|n| n == name);
        let mut class = Vec::new();
        for name in labels.classes.iter() {
            class.push(place(&self.classes, name).ok_or_else(|| Error::BadData {
                file: data.source.clone(),
                what: format!("the class `{name}` is none of the model's ({})", self.classes.join(", ")),
                hint: Some("the model can only use labels of the classes that it was trained on".into()),
            })?);
        }
        let known: std::collections::HashMap<&str, usize> =
            self.annotators.iter().enumerate().map(|(j, n)| (n.as_str(), j)).collect();
        let who: Vec<Option<usize>> = data.table.annotators().iter().map(|n| known.get(n).copied()).collect();
        let x = self.scaler.apply(features)?;
        let mut f = self.rows(&mut self.network()?, &x, Mode::Eval)?;
        let words = Words { evidence: &self.heard.evidence, offset: &self.heard.offset, bound: self.heard.bound };
        let mut strangers = 0;
        for (i, row) in f.rows.chunks_exact_mut(k).enumerate() {
            let all = data.table.rows(i).map(|r| (who[data.table.annotator()[r] as usize], class[labels.codes.get(r)]));
            let heard: Vec<(usize, usize)> = all.clone().filter_map(|(j, l)| Some((j?, l))).collect();
            strangers += all.len() - heard.len();
            match &self.heard.experts {
                _ if heard.is_empty() => {}
                Some(experts) => _ = experts.infer(x.row(i), heard.into_iter(), row),
                None => words.hear(row, heard.into_iter()),
            }
            normalise(row, k);
        }
        Ok((f, strangers))
    }

    /// Class probabilities after somebody who knows the model has changed the features of every item to make it look like
    /// anything but its class: how robust the classifier is. Changes stay within the range of each feature.
    pub fn attacked(&self, features: &Features, classes: &[usize], attack: Attack) -> Result<Probabilities, Error> {
        if self.readout != Readout::Softmax {
            let what = format!("`{}` has no slope by which features could be changed", self.method);
            return Err(Error::Unsupported { what, hint: None });
        }
        let (mut x, k) = (self.scaler.apply(features)?, self.classes.len());
        let bad = classes.len() != x.rows || classes.iter().any(|c| *c >= k);
        if bad {
            let what = format!("{} classes for {} items, each below {k}", classes.len(), x.rows);
            return Err(Error::BadData { file: "the classes".into(), what, hint: None });
        }
        let sure: Vec<Vec<f64>> = (0..k).map(|c| (0..k).map(|t| f64::from(u8::from(t == c))).collect()).collect();
        let mut net = self.network()?;
        let bounds = ranges(&x);
        attack.perturb(&mut net, &mut x, |b| &sure[classes[b]], &bounds, &mut stream(self.seed, "attacked", 0))?;
        self.rows(&mut net, &x, Mode::Eval)
    }

    /// Predictions of `passes` networks drawn by dropout.
    pub fn sample(&self, features: &Features, passes: usize) -> Result<McDropout, Error> {
        let x = self.scaler.apply(features)?;
        let mut net = self.network()?;
        McDropout::draw(passes, 0, |mode| self.rows(&mut net, &x, mode))
    }
}
