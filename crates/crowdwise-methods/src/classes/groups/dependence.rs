//! Crowds whose annotators depend on each other, and crowds that only look like it.

use crowdwise_core::{Dataset, Error, LabelKind, TableBuilder, stream};
use rand::RngExt;

/// How annotators depend on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dependence {
    /// Not at all.
    None,
    /// Not beyond items that are hard for all: on every fourth item all are right half as often above chance.
    Difficulty,
    /// The last two annotators say what the first one says with this probability.
    Copies(f64),
    /// Two schools: the second half of the annotators, less one, takes this share of the items of the first class for the second.
    Schools(f64),
    /// Three families of equal size: each has a view that is right with this probability, and its members follow it.
    Families(f64),
}

/// A dense or half-dense panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DependentCrowd {
    pub dependence: Dependence,
    pub items: usize,
    pub annotators: usize,
    pub classes: usize,
    /// Mean probability that an annotator says what it believes, give or take 0.1.
    pub accuracy: f64,
    /// Probability that an annotator labels an item.
    pub share: f64,
}

/// Labels, true classes, and who depends on whom.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub data: Dataset,
    pub truth: Vec<usize>,
    /// Groups of annotators who depend on each other given the class.
    pub groups: Vec<Vec<u32>>,
}

fn noisy(rng: &mut impl rand::Rng, z: usize, right: f64, k: usize) -> usize {
    if rng.random_bool(right.clamp(0.0, 1.0)) { z } else { (z + rng.random_range(1..k)) % k }
}

impl DependentCrowd {
    /// Who depends on whom.
    pub fn groups(&self) -> Vec<Vec<u32>> {
        let m = self.annotators as u32;
        match self.dependence {
            Dependence::None | Dependence::Difficulty => Vec::new(),
            Dependence::Copies(_) => vec![vec![0, m - 2, m - 1]],
            Dependence::Schools(_) => vec![(m / 2 + 1..m).collect()],
            Dependence::Families(_) => (0..3).map(|f| (0..m).filter(|j| j * 3 / m == f).collect()).collect(),
        }
    }

    pub fn draw(&self, seed: u64) -> Result<Drawn, Error> {
        let mut rng = stream(seed, "dependent crowd", self.items as u64);
        let (k, m) = (self.classes, self.annotators);
        let skill: Vec<f64> = (0..m).map(|_| self.accuracy + rng.random_range(-0.1..0.1)).collect();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let classes: Vec<u32> = (0..k).map(|c| b.classes.intern(&format!("c{c}"))).collect();
        let who: Vec<u32> = (0..m).map(|j| b.annotators.intern(&format!("a{j:02}"))).collect();
        let mut truth = Vec::with_capacity(self.items);
        let mut said = vec![0; m];
        for i in 0..self.items {
            let item = b.items.intern(&format!("i{i}"));
            let z = rng.random_range(0..k);
            truth.push(z);
            let chance = 1.0 / k as f64;
            let easy = if self.dependence == Dependence::Difficulty && i % 4 == 0 { 0.5 } else { 1.0 };
            let mut view = vec![z; m];
            match self.dependence {
                Dependence::Schools(share) if z == 0 && rng.random_bool(share) => view[m / 2 + 1..].fill(1),
                Dependence::Families(right) => {
                    let views: Vec<usize> = (0..3).map(|_| noisy(&mut rng, z, right, k)).collect();
                    view.iter_mut().enumerate().for_each(|(j, v)| *v = views[j * 3 / m]);
                }
                _ => {}
            }
            for j in 0..m {
                said[j] = noisy(&mut rng, view[j], chance + easy * (skill[j] - chance), k);
            }
            if let Dependence::Copies(p) = self.dependence {
                for j in [m - 2, m - 1] {
                    if rng.random_bool(p) {
                        said[j] = said[0];
                    }
                }
            }
            for j in 0..m {
                if rng.random_bool(self.share) {
                    b.label_codes(item, who[j], classes[said[j]])?;
                }
            }
        }
        Ok(Drawn { data: Dataset::new(b.finish()?), truth, groups: self.groups() })
    }
}
