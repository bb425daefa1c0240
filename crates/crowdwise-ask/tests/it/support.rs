//! Answers to ask about.
#![allow(clippy::print_stderr)] // a test that is skipped says so

use crowdwise_ask::answers::{Answers, Label};
use crowdwise_core::{GoldValues, LabelKind};
use crowdwise_io::{ReadOptions, Source, read_answers, read_truth};
use crowdwise_numerics::stream;
use rand::RngExt;
use std::path::{Path, PathBuf};

pub struct Set {
    pub answers: Answers,
    pub truth: Vec<(u32, u16)>,
}

/// A real set, or nothing where there are none.
pub fn real(name: &str) -> Option<Set> {
    let folder = std::env::var_os("CROWDWISE_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let folder = folder.join(name);
    if !folder.join("answers.csv").is_file() {
        eprintln!("SKIPPED: no {} (set CROWDWISE_DATA to the folder of real datasets)", folder.display());
        return None;
    }
    let options = ReadOptions { kind: Some(LabelKind::Categorical), ..ReadOptions::default() };
    let mut table = read_answers(&Source::from(folder.join("answers.csv").as_path()), &options).unwrap().value.table;
    let truth = read_truth(&Source::from(folder.join("truth.csv").as_path()), &table, &ReadOptions::default()).unwrap();
    table.add_classes(truth.value.extra_classes.iter());
    let GoldValues::Classes(truth) = truth.value.values else { panic!("classes") };
    let answers = Answers::of_table(&table).unwrap();
    Some(Set { answers, truth: truth.into_iter().map(|(i, c)| (i, c as u16)).collect() })
}

/// A crowd in which everybody could label everything: accuracies from .35 to .95.
pub struct World {
    pub k: usize,
    pub truth: Vec<u16>,
    pub skill: Vec<f64>,
    seed: u64,
}

impl World {
    pub fn new(items: usize, annotators: usize, k: usize, seed: u64) -> World {
        let mut rng = stream(seed, "world", 0);
        let skill = (0..annotators).map(|_| rng.random_range(0.35..0.95)).collect();
        let truth = (0..items).map(|_| rng.random_range(0..k as u16)).collect();
        World { k, truth, skill, seed }
    }

    /// What this annotator says of this item: the same whenever they are asked.
    pub fn answer(&self, item: u32, annotator: u32) -> Label {
        let mut rng = stream(self.seed, "answer", u64::from(item) << 32 | u64::from(annotator));
        let truth = self.truth[item as usize];
        let right = rng.random::<f64>() < self.skill[annotator as usize];
        let other = (truth + rng.random_range(1..self.k as u16)) % self.k as u16;
        Label { item, annotator, class: if right { truth } else { other } }
    }

    pub fn none(&self) -> Answers {
        Answers::new(self.truth.len(), self.skill.len(), self.k)
    }

    pub fn everything(&self) -> Answers {
        let mut out = self.none();
        for item in 0..self.truth.len() as u32 {
            (0..self.skill.len() as u32).for_each(|j| out.add(self.answer(item, j)));
        }
        out
    }
}
