//! Crowds whose annotators treat two groups of items differently.

use crowdwise_core::{Attribute, Dataset, Features, Gold, GoldValues, LabelKind, Names, TableBuilder, stream};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// A crowd of two classes and two groups of items, half of whose annotators call items of the second group positive too easily.
#[derive(Clone, Debug, PartialEq)]
pub struct UnfairCrowd {
    pub items: usize,
    pub annotators: usize,
    /// Chance that an annotator labels an item.
    pub density: f64,
    /// Added to the false positive rate of the unfair annotators in the second group; a third of it is taken from their false
    /// negative rate there.
    pub bias: f64,
    /// Share of positive items in each group.
    pub positive: [f64; 2],
}

impl Default for UnfairCrowd {
    fn default() -> Self {
        UnfairCrowd { items: 2000, annotators: 12, density: 0.25, bias: 0.25, positive: [0.5, 0.5] }
    }
}

/// What was drawn.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub data: Dataset,
    /// Truth for evaluation.
    pub truth: Gold,
    pub group: Vec<usize>,
    /// (FPR, FNR) of every annotator in the first group, and in the second.
    pub rates: Vec<[(f64, f64); 2]>,
}

impl UnfairCrowd {
    pub fn draw(&self, seed: u64) -> Drawn {
        let mut rng = stream(seed, "unfair crowd", 0);
        let rates: Vec<[(f64, f64); 2]> = (0..self.annotators)
            .map(|j| {
                let (fpr, fnr) = (rng.random_range(0.1..0.25), rng.random_range(0.1..0.3));
                let unfair = if j < self.annotators / 2 { self.bias } else { 0.0 };
                [(fpr, fnr), (fpr + unfair, (fnr - unfair * 0.32).max(0.0))]
            })
            .collect();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        ["0", "1"].iter().for_each(|c| _ = b.classes.intern(c));
        (0..self.annotators).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
        let (mut group, mut truth) = (Vec::new(), Vec::new());
        for i in 0..self.items {
            let g = usize::from(rng.random_bool(0.5));
            let z = rng.random_bool(self.positive[g]);
            group.push(g);
            truth.push((i as u32, u32::from(z)));
            let item = b.items.intern(&format!("i{i}"));
            for (j, rate) in rates.iter().enumerate() {
                if rng.random_bool(self.density) {
                    let (fpr, fnr) = rate[g];
                    let one = rng.random_bool(if z { 1.0 - fnr } else { fpr });
                    b.label_codes(item, j as u32, u32::from(one)).expect("two classes");
                }
            }
        }
        let mut data = Dataset::new(b.finish().expect("a table"));
        data.attribute = Some(Attribute::new(group.iter().map(|&g| Some(["first", "second"][g]))));
        let (values, unlabelled) = (GoldValues::Classes(truth), GoldValues::Classes(Vec::new()));
        Drawn { data, truth: Gold { values, unlabelled, extra_classes: Names::new() }, group, rates }
    }
}

impl Drawn {
    /// Eight normal numbers for every item: the first tells the class (84 % right by itself), the second the group.
    pub fn features(&self, seed: u64) -> Features {
        const DIM: usize = 8;
        let mut rng = stream(seed, "unfair crowd features", 0);
        let GoldValues::Classes(truth) = &self.truth.values else { unreachable!("a crowd of classes") };
        let sign = |yes: bool| if yes { 1.0 } else { -1.0 };
        let mut values = Vec::with_capacity(truth.len() * DIM);
        for (&(_, z), &g) in truth.iter().zip(&self.group) {
            for d in 0..DIM {
                let mean = [sign(z == 1), sign(g == 1)].get(d).copied().unwrap_or(0.0);
                let noise: f64 = StandardNormal.sample(&mut rng);
                values.push((mean + noise) as f32);
            }
        }
        Features { dim: DIM, values, image: None }
    }
}
