//! DLC that goes on learning as labels arrive: what to ask next depends on it, and the answers change it.

use super::dlc::{Dlc, votes};
use super::turns::{Expertise, InTurns};
use crate::learn::Recipe;
use crate::model::{Heard, Model, diverged};
use crate::network::Network;
use crate::params::{Choose, Training};
use crate::readout::Readout;
use crate::train::{Task, train};
use crate::{Labels, Matrix, McDropout, Mode, Probabilities, Scaler, scores};
use crowdwise_core::{Context, Dataset, Error, Features, Method, Problems, Stop};
use std::sync::Arc;

/// A fit of [`Dlc`] that is kept between refits: the network, the annotators and the map that they share start from where they
/// were. The items and annotators are fixed, their labels are not.
pub struct KeptDlc {
    dlc: Dlc,
    seed: u64,
    scaler: Scaler,
    x: Arc<Matrix>,
    net: Network,
    /// Absent only while they are being learned.
    experts: Option<Box<dyn Expertise>>,
    /// What the annotators see of every item.
    looks: Vec<Vec<f64>>,
    k: usize,
    m: usize,
    refits: u64,
}

impl std::fmt::Debug for KeptDlc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptDlc").field("dlc", &self.dlc).field("refits", &self.refits).finish_non_exhaustive()
    }
}

impl KeptDlc {
    /// Knows nothing yet. `features` has a row for every item that may be asked about.
    pub fn new(dlc: &Dlc, features: &Features, k: usize, m: usize, seed: u64) -> Result<Self, Error> {
        let mut problems = Problems::default();
        dlc.check(&mut problems);
        Error::all(problems.0)?;
        let network = &dlc.network;
        let by_channel = network.architecture(features, 1)?.input.channels != features.dim;
        let scaler = Scaler::new(features, network.standardise, network.limit, by_channel);
        let x: Arc<Matrix> = scaler.apply(features)?.into();
        let net = Network::new(network.architecture(features, k)?, dlc.training.optimiser(), seed);
        let experts = dlc.experts(k, m, x.cols, seed)?;
        let mut kept = KeptDlc {
            dlc: dlc.clone(),
            seed,
            scaler,
            x,
            net,
            experts: Some(experts),
            looks: Vec::new(),
            k,
            m,
            refits: 0,
        };
        kept.look();
        Ok(kept)
    }

    fn look(&mut self) {
        let (x, experts) = (&self.x, self.experts.as_ref().expect("not being learned").experts());
        self.looks = (0..x.rows).map(|i| experts.look(x.row(i))).collect();
    }

    fn experts(&self) -> &super::words::Experts {
        self.experts.as_ref().expect("not being learned").experts()
    }

    /// Learns from all labels that there are by now: `epochs` passes over the labelled items, a turn after each. The first time
    /// the votes are learned before annotators are judged, later what is known by now is the start.
    pub fn refit(&mut self, labels: &Labels, epochs: usize, cx: &mut Context<'_>) -> Result<(), Error> {
        if (labels.items(), labels.k, labels.m) != (self.x.rows, self.k, self.m) {
            return Err(Error::BadData {
                file: "the labels".into(),
                what: format!(
                    "{} items, {} classes and {} annotators, but learning began with {}, {} and {}",
                    labels.items(),
                    labels.k,
                    labels.m,
                    self.x.rows,
                    self.k,
                    self.m
                ),
                hint: Some("items and annotators are fixed from the beginning; those without labels take part".into()),
            });
        }
        let first = self.refits == 0;
        let q = if first { votes(labels) } else { self.posterior(labels, cx)? };
        let train_on = labels.split(0.0, 0).0;
        let task = Task { x: self.x.clone(), labels: labels.clone(), train: train_on, held_out: Vec::new() };
        let turns = self.dlc.turns(if first { self.dlc.warm_up } else { 0 });
        let training =
            Training { epochs, holdout: 0.0, choose: Choose::Last, patience: 0, ..self.dlc.training.clone() };
        let experts = self.experts.take().expect("not being learned");
        let mut objective = InTurns::new(&task, q, experts, turns);
        // every refit draws batches of its own
        let seed = std::mem::replace(&mut cx.seed, self.seed.wrapping_add(self.refits << 32));
        let history = train(&mut self.net, &mut objective, &task, &training, cx);
        cx.seed = seed;
        self.experts = Some(objective.into_experts());
        if history?.stop == Stop::NotFinite {
            return Err(diverged("not one epoch ended with numbers"));
        }
        self.refits += 1;
        self.look();
        Ok(())
    }

    fn rows(&mut self, x: &Matrix, mode: Mode) -> Result<Probabilities, Error> {
        let all: Vec<u32> = (0..x.rows as u32).collect();
        Ok(Probabilities::of(&scores(&mut self.net, x, &all, mode)?))
    }

    /// What the classifier says of the items without their labels, by `passes` draws of dropout.
    pub fn sample(&mut self, passes: usize, cx: &mut Context<'_>) -> Result<McDropout, Error> {
        let x = self.x.clone();
        // no draw comes twice: every refit has numbers of its own
        let first = self.refits << 32;
        cx.install(|| McDropout::draw(passes, first, |mode| self.rows(&x, mode)))?
    }

    /// What classifier and labels say of the items.
    pub fn posterior(&mut self, labels: &Labels, cx: &mut Context<'_>) -> Result<Vec<f64>, Error> {
        let f = self.sample(self.dlc.turns(0).passes.max(1), cx)?.mean;
        let items: Vec<u32> = (0..labels.items() as u32).collect();
        let (experts, x) = (self.experts(), self.x.as_ref());
        cx.install(|| experts.infer_all(x, labels, &items, &f, 0.0))
    }

    /// P(annotator `j` is right on item `i`).
    pub fn expertise(&self, i: usize, j: usize) -> f64 {
        self.experts().right_at(&self.looks[i], j, &[])
    }

    /// Class probabilities of new items.
    pub fn predict(&mut self, features: &Features) -> Result<Probabilities, Error> {
        let x = self.scaler.apply(features)?;
        self.rows(&x, Mode::Eval)
    }

    /// The model as it is by now; `data` names the classes and annotators.
    pub fn model(&self, data: &Dataset) -> Result<Model, Error> {
        let recipe = Recipe::new(&self.dlc, &self.dlc.network, &self.dlc.training);
        let experts = self.experts();
        let mut heard = Heard::confusion(&experts.confusion(&self.x, &Labels::new(data)), self.k);
        heard.experts = Some(experts.clone());
        let readout = (Readout::Softmax, Vec::new());
        Model::new(&recipe, self.seed, data, self.scaler.clone(), &self.net, readout, heard)
    }

    /// Whether dropout draws different networks.
    pub fn draws(&self) -> bool {
        self.dlc.turns(0).passes > 0
    }
}
