//! The generator: units in order, block by block.

use super::assign::Assigner;
use super::crowd::crowd;
use super::low_rank::LowRank;
use super::random::{Keyed, Purpose};
use super::{Role, SimModel, Simulation, TrueAnnotator};
use crate::dataset::{Features, GoldValues, Structure};
use crate::{Dataset, Error, Gold, LabelKind, Names, Preference, TableBuilder};
use serde::{Deserialize, Serialize};

/// What an annotator said.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SimLabel {
    Class(u32),
    Value(f64),
    Outcome(Preference),
    Same(bool),
    /// The classes of a set, one bit each.
    Set(u64),
    /// Items of a ranking in [`Block::ranked`]: first, number, and how many of them are in order.
    Ranking(u32, u32, u32),
}

/// One annotation. Items are called `i0`, `i1` …, annotators `a0`, `a1` …, classes by [`Simulation::class_name`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimRow {
    /// The item; the left one of a pair.
    pub item: u32,
    /// The right item of a pair; equal to `item` otherwise.
    pub right: u32,
    pub annotator: u32,
    pub label: SimLabel,
}

/// Some consecutive units with all their labels.
#[derive(Clone, Debug, Default)]
pub struct Block {
    units: usize,
    /// Number of the first unit.
    pub first: u64,
    /// The truth of each unit; empty for pairs, where it belongs to the items ([`Simulator::score`], [`Simulator::class_of`]).
    pub truth: Vec<SimLabel>,
    /// Chain and position in it of each unit; empty unless these are sequences.
    pub chain: Vec<(u32, u32)>,
    /// Numbers of each unit, row by row; empty unless asked for.
    pub features: Vec<f32>,
    pub rows: Vec<SimRow>,
    /// Items of rankings, best first.
    pub ranked: Vec<u32>,
    /// Neighbours, each pair once; empty unless these are items of a grid.
    pub edges: Vec<[u32; 2]>,
}

impl Block {
    /// A block of up to `units` units. The size changes nothing in the data.
    pub fn new(units: usize) -> Self {
        Block { units: units.max(1), ..Block::default() }
    }
}

/// Makes the data of a [`Simulation`].
#[derive(Clone, Debug)]
pub struct Simulator {
    pub(super) s: Simulation,
    pub(super) key: Keyed,
    pub(super) annotators: Vec<TrueAnnotator>,
    /// Cumulated class shares, and cumulated rows of the confusion matrices.
    pub(super) shares: Vec<f64>,
    rows: Vec<f64>,
    means: Vec<f64>,
    low_rank: Option<LowRank>,
    pub(super) assigner: Assigner,
    pub(super) next: u64,
    chain: Chain,
    /// Classes of the last row of a grid.
    pub(super) above: Vec<u32>,
    pub(super) assigned: Vec<u32>,
}

/// Where in the sequences the generator is.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    started: u32,
    position: u32,
    left: u32,
    class: usize,
}

impl Simulator {
    /// All bad values of the description come at once.
    pub fn new(simulation: &Simulation, seed: u64) -> Result<Self, Error> {
        simulation.check()?;
        let s = simulation.clone();
        let k = s.classes;
        let key = Keyed(seed);
        let mut annotators = crowd(&s, seed);
        let low_rank = (s.model == SimModel::LowRank).then(|| LowRank::new(&s, key));
        low_rank.iter().for_each(|l| l.say_accuracy(&mut annotators));
        let mut rows = Vec::new();
        if s.kind() == LabelKind::Categorical && s.model != SimModel::Sets {
            rows.reserve(annotators.len() * k * k);
            for a in &annotators {
                match &a.confusion {
                    Some(c) => c.chunks_exact(k).for_each(|row| rows.extend(cumulated(row))),
                    None => rows.resize(rows.len() + k * k, 0.0), // the answer depends on the item
                }
            }
        }
        let assigner = Assigner::new(&s, seed);
        let classes = matches!(s.kind(), LabelKind::Categorical | LabelKind::Similarity);
        let shares = if classes { cumulated(&s.shares()) } else { Vec::new() };
        let means = class_means(&s, key);
        Ok(Simulator {
            key,
            annotators,
            shares,
            rows,
            means,
            low_rank,
            assigner,
            next: 0,
            chain: Chain::default(),
            above: Vec::new(),
            assigned: Vec::new(),
            s,
        })
    }

    pub fn simulation(&self) -> &Simulation {
        &self.s
    }

    /// The true parameters of the annotators.
    pub fn annotators(&self) -> &[TrueAnnotator] {
        &self.annotators
    }

    /// Comparisons: the true score of an item.
    pub fn score(&self, item: u32) -> f64 {
        self.s.truth_sd * self.key.normal(Purpose::Score, Purpose::ScorePhase, item as u64, 0)
    }

    /// Classes of independent items: the true class of an item.
    pub fn class_of(&self, item: u32) -> usize {
        if let Some(low_rank) = &self.low_rank {
            return pick(&self.shares, low_rank.place(&low_rank.features(item)));
        }
        pick(&self.shares, self.key.uniform(Purpose::Truth, item as u64, 0))
    }

    /// Classes of independent items: what an annotator says of an item, or would say if it were asked.
    pub fn answer(&self, item: u32, annotator: usize) -> usize {
        self.class_answer(annotator, u64::from(item), self.class_of(item))
    }

    /// P(annotator is right about an item), where that depends on the features of the item.
    pub fn expertise(&self, item: u32, annotator: usize) -> Option<f64> {
        let (low_rank, a) = (self.low_rank.as_ref()?, &self.annotators[annotator]);
        a.confusion.is_none().then(|| low_rank.right(&low_rank.features(item), a))
    }

    /// Fills the block with the next units; false when there are none left.
    pub fn next_block(&mut self, block: &mut Block) -> bool {
        block.first = self.next;
        block.truth.clear();
        block.chain.clear();
        block.features.clear();
        block.rows.clear();
        block.ranked.clear();
        block.edges.clear();
        let end = self.s.units().min(self.next + block.units.max(1) as u64);
        while self.next < end {
            match self.s.model {
                SimModel::BradleyTerry => self.comparison(block),
                SimModel::Similarities => self.similarity(block),
                SimModel::Real => self.value(block),
                SimModel::Sets => self.set(block),
                SimModel::Rankings => self.ranking(block),
                SimModel::LabellingFunctions => self.functions(block),
                _ => self.class(block),
            }
            self.next += 1;
        }
        block.first < end
    }

    fn class(&mut self, block: &mut Block) {
        let item = self.next;
        let mut fresh = true;
        let truth = if self.s.model == SimModel::Sequences {
            fresh = self.step(item);
            block.chain.push((self.chain.started - 1, self.chain.position));
            self.chain.class
        } else if self.s.model == SimModel::Graph {
            self.on_grid(item, block)
        } else {
            self.class_of(item as u32)
        };
        if fresh {
            self.assigner.next(&mut self.assigned);
        }
        block.truth.push(SimLabel::Class(truth as u32));
        for &j in &self.assigned {
            let label = SimLabel::Class(self.class_answer(j as usize, item, truth) as u32);
            block.rows.push(SimRow { item: item as u32, right: item as u32, annotator: j, label });
        }
        self.features_of(item, truth, block);
    }

    /// Adds the numbers of an item: the mean of its class, and noise.
    pub(super) fn features_of(&self, item: u64, truth: usize, block: &mut Block) {
        if let Some(low_rank) = &self.low_rank {
            block.features.extend(low_rank.features(item as u32).iter().map(|x| *x as f32));
            return;
        }
        for d in 0..self.s.features {
            let z = self.key.normal(Purpose::Feature, Purpose::FeaturePhase, item, d as u64);
            block.features.push((self.means[truth * self.s.features + d] + z) as f32);
        }
    }

    /// Moves to the next token; true when it begins a chain.
    fn step(&mut self, item: u64) -> bool {
        let fresh = self.chain.left == 0;
        if fresh {
            // a geometric number of further tokens gives the mean length that was asked for
            let mean = self.s.chain_length as f64 - 1.0;
            let u = 1.0 - self.key.uniform(Purpose::Length, self.chain.started as u64, 0);
            let more = if mean > 0.0 { (u.ln() / (mean / (mean + 1.0)).ln()).floor() } else { 0.0 };
            let rest = self.s.items - item;
            self.chain.left = (1.0 + more).min(rest as f64) as u32;
            self.chain.started += 1;
            self.chain.position = 0;
        } else {
            self.chain.position += 1;
        }
        self.chain.left -= 1;
        if fresh || self.key.uniform(Purpose::Stay, item, 0) >= self.s.stay {
            self.chain.class = pick(&self.shares, self.key.uniform(Purpose::Truth, item, 0));
        }
        fresh
    }

    /// Whose answer annotator `j` gives: its own, or its leader's.
    pub(super) fn speaker(&self, j: usize, unit: u64) -> usize {
        match self.annotators[j].leader {
            Some(l) if self.key.uniform(Purpose::Copy, j as u64, unit) < self.s.copy_probability => l,
            _ => j,
        }
    }

    fn class_answer(&self, j: usize, item: u64, truth: usize) -> usize {
        let k = self.s.classes;
        let j = self.speaker(j, item);
        let u = self.key.uniform(Purpose::Answer, j as u64, item);
        let p = if let Some(p) = self.expertise(item as u32, j) {
            p
        } else if let Some(ability) = self.annotators[j].ability {
            let ease = (self.s.ease_sd * self.key.normal(Purpose::Ease, Purpose::EasePhase, item, 0)).exp();
            1.0 / (1.0 + (-ability * ease).exp())
        } else {
            let row = (j * k + truth) * k;
            return pick(&self.rows[row..row + k], u);
        };
        if u < p {
            return truth;
        }
        let wrong = (((u - p) / (1.0 - p) * (k - 1) as f64) as usize).min(k - 2);
        wrong + usize::from(wrong >= truth)
    }

    fn value(&mut self, block: &mut Block) {
        let item = self.next;
        let draw = |a: u64| {
            self.s.truth_mean + self.s.truth_sd * self.key.normal(Purpose::Score, Purpose::ScorePhase, item, a)
        };
        let truth = draw(0);
        block.truth.push(SimLabel::Value(truth));
        self.assigner.next(&mut self.assigned);
        for &j in &self.assigned {
            let a = &self.annotators[self.speaker(j as usize, item)];
            let value = match (a.bias, a.sd) {
                (Some(bias), Some(sd)) => {
                    let z = self.key.normal(Purpose::Noise, Purpose::NoisePhase, a.annotator as u64, item);
                    let side = if a.role == Role::Adversary { 2.0 * self.s.truth_mean - truth } else { truth };
                    side + bias + sd * z
                }
                _ => draw(1 + a.annotator as u64),
            };
            let label = SimLabel::Value(value);
            block.rows.push(SimRow { item: item as u32, right: item as u32, annotator: j, label });
        }
    }

    /// The two items of a unit.
    fn pair(&self, unit: u64) -> (u32, u32) {
        let n = self.s.items;
        // every item is compared at least once when there are as many pairs as items
        let a = if unit < n { unit } else { self.key.below(Purpose::Left, unit, 0, n) };
        let b = (a + 1 + self.key.below(Purpose::Right, unit, 0, n - 1)) % n;
        let (left, right) = if self.key.uniform(Purpose::Order, unit, 0) < 0.5 { (a, b) } else { (b, a) };
        (left as u32, right as u32)
    }

    fn similarity(&mut self, block: &mut Block) {
        let unit = self.next;
        let (left, right) = self.pair(unit);
        let same = self.class_of(left) == self.class_of(right);
        self.assigner.next(&mut self.assigned);
        for &j in &self.assigned {
            let speaker = self.speaker(j as usize, unit);
            let table = self.annotators[speaker].confusion.as_ref().expect("judges of pairs have a matrix");
            let says = self.key.uniform(Purpose::Answer, speaker as u64, unit) < table[2 * usize::from(same) + 1];
            block.rows.push(SimRow { item: left, right, annotator: j, label: SimLabel::Same(says) });
        }
    }

    fn comparison(&mut self, block: &mut Block) {
        let unit = self.next;
        let (left, right) = self.pair(unit);
        let difference = self.score(left) - self.score(right);
        self.assigner.next(&mut self.assigned);
        for &j in &self.assigned {
            let speaker = self.speaker(j as usize, unit);
            let sharp = self.annotators[speaker].sharpness.expect("comparing annotators are sharp");
            // Davidson: left, right and tie in the ratio e^(d/2) : e^(-d/2) : ties
            let d = 0.5 * sharp * difference;
            let mut p = [d, -d, if self.s.ties > 0.0 { self.s.ties.ln() } else { f64::NEG_INFINITY }];
            crate::stats::softmax(&mut p);
            let outcome = match pick(&cumulated(&p), self.key.uniform(Purpose::Answer, speaker as u64, unit)) {
                0 => Preference::Left,
                1 => Preference::Right,
                _ => Preference::Tie,
            };
            block.rows.push(SimRow { item: left, right, annotator: j, label: SimLabel::Outcome(outcome) });
        }
    }

    /// Everything at once, for tests and small studies. Starts from the first unit, whatever was generated before.
    pub fn dataset(&self) -> Result<(Dataset, Gold), Error> {
        if self.s.model == SimModel::Rankings {
            return self.ranking_dataset();
        }
        let mut all = Simulator::new(&self.s, self.key.0)?;
        let mut b = TableBuilder::new(self.s.kind());
        (0..self.s.items).for_each(|i| _ = b.items.intern(&format!("i{i}")));
        (0..self.s.annotators).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
        if self.s.kind() == LabelKind::Categorical && self.s.model != SimModel::Sets {
            (0..self.s.classes).for_each(|k| _ = b.classes.intern(&self.s.class_name(k)));
        }
        let mut block = Block::new(4096);
        let (mut classes, mut values, mut features) = (Vec::new(), Vec::new(), Vec::new());
        let (mut edges, mut sets) = (Vec::new(), Vec::new());
        let (mut starts, mut names) = (Vec::new(), Names::new());
        while all.next_block(&mut block) {
            for (n, t) in block.truth.iter().enumerate() {
                let item = block.first as u32 + n as u32;
                match *t {
                    SimLabel::Class(c) => classes.push((item, c)),
                    SimLabel::Value(v) => values.push((item, v)),
                    SimLabel::Set(set) => sets.push((format!("i{item}"), self.s.set_name(set))),
                    SimLabel::Outcome(_) | SimLabel::Same(_) | SimLabel::Ranking(..) => {}
                }
                if let Some(&(chain, 0)) = block.chain.get(n) {
                    starts.push(item as u64);
                    names.intern(&format!("s{chain}"));
                }
            }
            features.extend_from_slice(&block.features);
            edges.extend_from_slice(&block.edges);
            for r in &block.rows {
                match r.label {
                    SimLabel::Class(c) => b.label_codes(r.item, r.annotator, c)?,
                    SimLabel::Value(v) => b.value_codes(r.item, r.annotator, v),
                    SimLabel::Outcome(o) => b.preference_codes(r.item, r.right, r.annotator, o),
                    SimLabel::Same(same) => b.similarity_codes(r.item, r.right, r.annotator, same),
                    SimLabel::Set(set) => {
                        let class = b.classes.intern(&self.s.set_name(set));
                        b.label_codes(r.item, r.annotator, class)?;
                    }
                    SimLabel::Ranking(..) => {}
                }
            }
        }
        let mut data = Dataset::new(b.finish()?);
        data.source = "the simulation".into();
        if !starts.is_empty() {
            starts.push(self.s.items);
            data.structure = Structure::Chains { starts, names };
        }
        if !edges.is_empty() {
            data.structure = Structure::Graph(edges);
        }
        if self.s.model == SimModel::Sets {
            let gold = Gold::from_items(&data.table, &sets, "the truth")?;
            return Ok((data, gold));
        }
        if self.s.features > 0 {
            data.features = Some(Features { dim: self.s.features, values: features, image: None });
        }
        let (values, unlabelled) = match self.s.kind() {
            LabelKind::Real => (GoldValues::Real(values), GoldValues::Real(Vec::new())),
            LabelKind::Categorical => (GoldValues::Classes(classes), GoldValues::Classes(Vec::new())),
            LabelKind::Similarity => {
                let of = |i: u32| (i, self.class_of(i) as u32);
                let clusters = (0..self.s.items as u32).map(of).collect();
                (GoldValues::Clusters(clusters), GoldValues::Clusters(Vec::new()))
            }
            LabelKind::Preference => {
                let scores = (0..self.s.items as u32).map(|i| (i, self.score(i))).collect();
                (GoldValues::Scores(scores), GoldValues::Scores(Vec::new()))
            }
        };
        Ok((data, Gold { values, unlabelled, extra_classes: Names::new() }))
    }
}

/// Means of the classes in feature space, exactly `separation` apart where there are as many dimensions as classes,
/// else in random directions.
fn class_means(s: &Simulation, key: Keyed) -> Vec<f64> {
    let dim = s.features;
    let mut means = vec![0.0; dim * s.classes];
    if dim == 0 {
        return means;
    }
    for (k, mean) in means.chunks_exact_mut(dim).enumerate() {
        if dim >= s.classes {
            mean[k] = 1.0;
        } else {
            for (d, x) in mean.iter_mut().enumerate() {
                *x = key.normal(Purpose::Feature, Purpose::FeaturePhase, u64::MAX - k as u64, d as u64);
            }
            let norm = mean.iter().map(|x| x * x).sum::<f64>().sqrt();
            for x in mean.iter_mut() {
                *x /= norm;
            }
        }
        for x in mean.iter_mut() {
            *x *= s.separation / std::f64::consts::SQRT_2;
        }
    }
    means
}

fn cumulated(p: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    p.iter()
        .map(|x| {
            sum += x;
            sum
        })
        .collect()
}

/// The first place whose cumulated probability exceeds `u`; rounding at the end goes to the last possible class.
pub(super) fn pick(cumulated: &[f64], u: f64) -> usize {
    let last = cumulated.last().copied().unwrap_or(0.0);
    let at = cumulated.partition_point(|&c| c <= u);
    if at < cumulated.len() { at } else { cumulated.partition_point(|&c| c < last) }
}
