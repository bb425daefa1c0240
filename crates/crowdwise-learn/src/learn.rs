//! From a dataset with features to a fit and a model: what all methods have in common.

use crate::classifier::{Classifier, scores};
use crate::entry::{Learned, Own};
use crate::model::{Heard, Model, Readout, diverged};
use crate::network::Network;
use crate::params::{Choose, NetworkKind, NetworkParams, Training};
use crate::train::{Task, train};
use crate::{Labels, Mode, Objective, Probabilities, Scaler};
use crowdwise_core::{
    Annotators, Context, Dataset, Error, Event, Finding, Method, MethodInfo, Outcome, Severity, Stop, Subject,
};

/// What a method brings to [`learn`].
pub(crate) struct Recipe<'a> {
    pub info: &'a MethodInfo,
    pub params: serde_json::Value,
    pub network: &'a NetworkParams,
    pub training: &'a Training,
    pub output: Output,
}

/// A network with larger weights than this has not learned, it has run away.
const SANE: f32 = 1e12;

/// What comes out of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// A score for every class.
    Classes,
    /// The last hidden layer: the method has its own way from there.
    Trunk,
}

impl<'a> Recipe<'a> {
    /// A network that scores classes, for the method with these parameters.
    pub fn new<M: Method>(method: &M, network: &'a NetworkParams, training: &'a Training) -> Self {
        let params = serde_json::to_value(method).expect("parameters are plain data");
        Recipe { info: &M::INFO, params, network, training, output: Output::Classes }
    }
}

/// A method that is trained: its side of the work, and how scores are read afterwards.
pub(crate) trait Learner: Objective {
    /// How a saved model turns scores into probabilities, and the numbers that it needs for that.
    fn readout(&self) -> (Readout, Vec<f64>) {
        (Readout::Softmax, Vec::new())
    }

    /// What labels are worth on an item, where that depends on its features.
    fn experts(&self) -> Option<crate::expert::words::Experts> {
        None
    }

    /// What only the method knows.
    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    /// Numbers for the diagnostics.
    fn details(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::new()
    }
}

/// Features as the network sees them, and the labels in their parts.
pub(crate) fn task(
    data: &Dataset,
    network: &NetworkParams,
    training: &Training,
    seed: u64,
) -> Result<(Task, Scaler), Error> {
    let features = data.features.as_ref().expect("the contract brings features");
    if features.dim == 0 || features.rows() != data.table.n_items() {
        return Err(Error::BadData {
            file: data.source.clone(),
            what: format!("{} rows of {} features for {} items", features.rows(), features.dim, data.table.n_items()),
            hint: Some("every item needs one row of features".into()),
        });
    }
    let by_channel = network.architecture(features, 1)?.input.channels != features.dim;
    let scaler = Scaler::new(features, network.standardise, network.limit, by_channel);
    let labels = Labels::new(data);
    let (train, held_out) = labels.split(training.holdout, seed);
    Ok((Task { x: scaler.apply(features)?.into(), labels, train, held_out }, scaler))
}

/// Trains a network with the objective that `make` sets up, and makes the fit.
pub(crate) fn learn<L: Learner>(
    recipe: &Recipe<'_>,
    data: &Dataset,
    cx: &mut Context<'_>,
    own: Own,
    make: impl Fn(&Task, &mut Context<'_>) -> Result<L, Error>,
) -> Result<Learned, Error> {
    let plain = NetworkParams { network: NetworkKind::Linear, standardise: false, ..recipe.network.clone() };
    let seen = if own.is_some() { &plain } else { recipe.network };
    let (mut task, scaler) = task(data, seen, recipe.training, cx.seed)?;
    let features = data.features.as_ref().expect("the contract brings features");
    let mut architecture = recipe.network.architecture(features, task.labels.k)?;
    if recipe.output == Output::Trunk {
        architecture.layers.pop();
    }
    let mut learner = make(&task, cx)?;
    let mut net = match own {
        Some(own) => Net::Brought(fitting(own, recipe, &learner, &task)?),
        None => Net::Own(Box::new(Network::new(architecture.clone(), recipe.training.optimiser(), cx.seed))),
    };
    let start = if matches!(net, Net::Brought(_)) { Some(net.get().snapshot()?) } else { None };
    let history = train(net.get(), &mut learner, &task, recipe.training, cx)?;
    let held_out = task.held_out.len();
    let t = recipe.training;
    let mut refitted = false;
    if t.refit && held_out > 0 && t.choose == Choose::Best && matches!(history.stop, Stop::Converged | Stop::MaxIter) {
        // the held-out part has said how long to train: once more with it, from the same start
        cx.event(&Event::Stage { name: "once more with the held-out labels".into() });
        task.train.append(&mut task.held_out);
        task.train.sort_unstable();
        let again = Training { epochs: history.chosen, choose: Choose::Last, patience: 0, ..t.clone() };
        let mut whole = make(&task, cx)?;
        let trained = start.as_ref().map(|_| net.get().snapshot()).transpose()?;
        let mut fresh = match &start {
            Some(start) => {
                net.get().restore(start)?;
                None
            }
            None => Some(Net::Own(Box::new(Network::new(architecture, t.optimiser(), cx.seed)))),
        };
        let second = train(fresh.as_mut().unwrap_or(&mut net).get(), &mut whole, &task, &again, cx)?;
        if second.stop == Stop::Direct && second.rescues == 0 {
            (learner, refitted) = (whole, true);
            net = fresh.unwrap_or(net);
        } else if let Some(trained) = trained {
            net.get().restore(&trained)?;
        }
    }
    let everyone: Vec<u32> = (0..task.labels.items() as u32).collect();
    if history.stop == Stop::NotFinite && history.chosen == 0 {
        return Err(diverged("not one epoch ended with numbers"));
    }
    let z = cx.install(|| scores(net.get(), &task.x, &everyone, Mode::Eval))??;
    if z.values.iter().any(|z| !z.is_finite()) {
        return Err(diverged("the scores of the items are no longer numbers"));
    }
    let f = learner.probabilities(&z);
    let mut outcome = outcome(&learner, &f, &task.labels);
    outcome.diagnostics = history.diagnostics();
    if cx.cancelled() {
        outcome.diagnostics.stop = Stop::Cancelled;
    }
    outcome.diagnostics.details.extend(learner.details());
    outcome.diagnostics.details.insert("held_out_items".into(), held_out.into());
    outcome.diagnostics.details.insert("refitted".into(), refitted.into());
    outcome.findings = learner.findings();
    if history.rescues > 0 {
        outcome.findings.push(Finding::new(
            "steps-too-long",
            Severity::Warning,
            Subject::Fit,
            format!("the loss was no longer a number {} times; training went on with shorter steps", history.rescues),
            "a smaller learning rate (⟦-p learning_rate=…⟧) avoids that",
        ));
    }
    let largest = net.get().snapshot()?.0.iter().fold(0f32, |most, w| most.max(w.abs()));
    if largest > SANE {
        outcome.findings.push(Finding::new(
            "diverged",
            Severity::Problem,
            Subject::Fit,
            format!("the training diverged: weights have grown to {largest:.0e}, so that the classifier is of no use"),
            "a smaller learning rate (⟦-p learning_rate=…⟧) avoids that",
        ));
    }
    let model = match &net {
        Net::Own(net) => {
            let heard = Heard::of(&learner, task.labels.k);
            Some(Model::new(recipe, cx.seed, data, scaler, net, learner.readout(), heard)?)
        }
        Net::Brought(_) => None,
    };
    Ok(Learned { outcome, model })
}

/// The built-in network, or one that was brought.
enum Net {
    Own(Box<Network>),
    Brought(Box<dyn Classifier>),
}

impl Net {
    fn get(&mut self) -> &mut dyn Classifier {
        match self {
            Net::Own(net) => net.as_mut(),
            Net::Brought(net) => net.as_mut(),
        }
    }
}

/// A classifier that was brought, if the method can train it.
fn fitting(
    own: Box<dyn Classifier>,
    recipe: &Recipe<'_>,
    learner: &impl Learner,
    task: &Task,
) -> Result<Box<dyn Classifier>, Error> {
    if recipe.output == Output::Trunk || learner.readout().0 != Readout::Softmax {
        return Err(Error::Unsupported {
            what: format!("{} has heads of its own and cannot train a network of another framework", recipe.info.id),
            hint: Some("leave out the network, or take another method".into()),
        });
    }
    let (has, wants) = ((own.width(), own.outputs()), (task.x.cols, task.labels.k));
    if has != wants {
        return Err(Error::BadData {
            file: "the network".into(),
            what: format!(
                "it maps {} numbers to {}, but there are {} features and {} classes",
                has.0, has.1, wants.0, wants.1
            ),
            hint: Some("its last layer needs one number per class, without a soft-max".into()),
        });
    }
    Ok(own)
}

/// Truth and annotators as the objective sees them.
pub(crate) fn outcome(learner: &impl Learner, f: &Probabilities, labels: &Labels) -> Outcome {
    let k = labels.k;
    let posterior = learner.posterior(f, labels);
    let mut prior = vec![0.0; k];
    for row in posterior.chunks_exact(k) {
        prior.iter_mut().zip(row).for_each(|(p, q)| *p += q / labels.items() as f64);
    }
    let annotators = Annotators::Confusion { k, matrix: learner.confusion() };
    let mut out = Outcome::classes(k, posterior, annotators, crowdwise_core::Diagnostics::direct());
    out.class_prior = Some(prior);
    out
}
