//! Where questions can be asked: items with features, annotators who answer, items to test on.

use super::super::digits::Digits;
use super::super::labelme;
use super::super::world::{Items, World};
use crate::sets;
use crowdwise::ask::features::{Oracle, Recorded, Simulated};
use crowdwise::io::{self, ReadOptions, Source};
use crowdwise::learn::Labels;
use crowdwise::simulate::{SimModel, Simulation, Simulator};
use crowdwise::{Context, Error, Features};
use rand::RngExt;
use std::path::Path;

/// Who answers.
enum Says {
    /// What was recorded.
    Recorded(Labels),
    /// Anybody about anything.
    Made(Box<dyn Fn(usize, usize) -> usize>),
}

/// One set with its crowd.
pub struct Pool {
    pub k: usize,
    pub annotators: usize,
    pub train: Items,
    /// Classes of the items, where known.
    pub truth: Vec<Option<usize>>,
    pub test: Items,
    says: Says,
    /// P(annotator is right on an item), where that is known.
    pub right: Option<Box<dyn Fn(usize, usize) -> f64>>,
}

impl Pool {
    pub fn oracle(&self) -> Box<dyn Oracle + '_> {
        match &self.says {
            Says::Recorded(labels) => Box::new(Recorded::new(labels)),
            Says::Made(says) => Box::new(Simulated::new(self.train.len(), self.annotators, self.k, says)),
        }
    }

    /// What an annotator says of an item; none where that was not recorded.
    pub fn answer(&self, i: usize, j: usize) -> Option<usize> {
        match &self.says {
            Says::Made(says) => Some(says(i, j)),
            Says::Recorded(_) => None,
        }
    }
}

/// The generator of the paper with noise: right with probability σ(u · F x), u and F of rank 10 uniform in (-0.3, 0.6). With
/// `certain` right where that is above 1/2, never elsewhere.
pub fn low_rank(n: usize, annotators: usize, spread: f64, certain: bool, seed: u64) -> Result<Pool, Error> {
    let s = Simulation {
        model: SimModel::LowRank,
        items: 2 * n as u64,
        annotators,
        per_item: 1,
        classes: 2,
        features: 20,
        spread,
        certain,
        ..Simulation::default()
    };
    let made = std::sync::Arc::new(Simulator::new(&s, seed)?);
    let all = made.dataset()?.0.features.unwrap_or(Features { dim: 20, values: Vec::new(), image: None });
    let part = |rows: std::ops::Range<usize>| Items {
        features: Features { dim: 20, values: all.values[rows.start * 20..rows.end * 20].to_vec(), image: None },
        truth: rows.map(|i| made.class_of(i as u32)).collect(),
    };
    let (train, test) = (part(0..n), part(n..2 * n));
    let (says, right) = (made.clone(), made.clone());
    Ok(Pool {
        k: 2,
        annotators,
        truth: train.truth.iter().copied().map(Some).collect(),
        train,
        test,
        says: Says::Made(Box::new(move |i, j| says.answer(i as u32, j))),
        right: Some(Box::new(move |i, j| right.expertise(i as u32, j).unwrap_or(0.5))),
    })
}

/// Numbers of an annotator of digits, and topics of an image.
const TOPICS: usize = 10;
/// Annotators are right with probability σ(this times u · topics).
const SHARP: f64 = 0.5;

/// Digits 0 to 4 against 5 to 9, 64 principal components; annotators have ten numbers, uniform in (-0.3, 0.6), and the topics of
/// an image are the sizes of its first ten components.
pub fn digits(folder: &Path, n: usize, test: usize, annotators: usize, seed: u64) -> Result<Pool, Error> {
    let all: Vec<usize> = (0..10).collect();
    let mut world: World = Digits::read(folder)?.only(&all, n, test).components(64, false);
    world.k = 2;
    for items in [&mut world.train, &mut world.test] {
        items.truth.iter_mut().for_each(|z| *z = usize::from(*z >= 5));
    }
    let d = world.train.features.dim;
    let mut mean = [0.0; TOPICS];
    for row in world.train.features.values.chunks_exact(d) {
        mean.iter_mut().zip(row).for_each(|(m, x)| *m += f64::from(x.abs()) / n as f64);
    }
    let topics: Vec<[f64; TOPICS]> = world
        .train
        .features
        .values
        .chunks_exact(d)
        .map(|row| std::array::from_fn(|t| f64::from(row[t].abs()) / mean[t].max(1e-12)))
        .collect();
    let mut rng = Context::new(seed, 1).rng("topics", 0);
    let u: Vec<[f64; TOPICS]> = (0..annotators).map(|_| std::array::from_fn(|_| rng.random_range(-0.3..0.6))).collect();
    let right = std::sync::Arc::new(move |i: usize, j: usize| {
        let s: f64 = topics[i].iter().zip(&u[j]).map(|(t, u)| t * u).sum();
        1.0 / (1.0 + (-SHARP * s).exp())
    });
    let truth = world.train.truth.clone();
    let (known, also) = (truth.clone(), right.clone());
    let says = move |i: usize, j: usize| {
        let mut rng = Context::new(seed, 1).rng("answers", (i * annotators + j) as u64);
        if rng.random_bool(right(i, j)) { truth[i] } else { 1 - truth[i] }
    };
    Ok(Pool {
        k: 2,
        annotators,
        truth: known.into_iter().map(Some).collect(),
        train: world.train,
        test: world.test,
        says: Says::Made(Box::new(says)),
        right: Some(Box::new(move |i, j| also(i, j))),
    })
}

/// LabelMe or Music: the recorded labels are all that can be asked; 64 principal components.
pub fn recorded(folder: &Path, name: &'static str, threads: usize) -> Result<Pool, Error> {
    sets::check(folder, &[name])?;
    let crowd = labelme::read(folder, name, threads)?;
    let source = Source::from(folder.join(name).join("truth.csv").as_path());
    let gold = io::read_truth(&source, &crowd.data.table, &ReadOptions::default())?.value;
    let truth: Vec<Option<usize>> =
        gold.classes(crowd.data.table.n_items()).into_iter().map(|c| c.map(|c| c as usize)).collect();
    let labels = Labels::new(&crowd.data);
    let features = crowd.data.features.clone().unwrap_or(Features { dim: 0, values: Vec::new(), image: None });
    // who is not known counts as none of the classes
    let train = Items { features, truth: truth.iter().map(|t| t.unwrap_or(labels.k)).collect() };
    let world = World { k: labels.k, train, test: crowd.test }.components(64, true);
    Ok(Pool {
        k: world.k,
        annotators: labels.m,
        train: world.train,
        truth,
        test: world.test,
        says: Says::Recorded(labels),
        right: None,
    })
}
