//! A crowd of groups, for comparisons: each group has an answer of its own, and its members follow it.

use crowdwise_core::{Dataset, Error, LabelKind, TableBuilder, stream};
use rand::RngExt;

/// Groups of annotators; all label all items.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupCrowd {
    pub items: usize,
    pub classes: usize,
    /// Members of each group, and how often the group is right; errors are spread evenly.
    pub groups: Vec<(usize, f64)>,
    /// How often a member says what the group says, give or take 0.05.
    pub follow: f64,
}

impl GroupCrowd {
    /// 80 annotators and 3 classes: a large group that is right with 0.55, and three of ten that are right with 0.75.
    pub fn survey(items: usize) -> GroupCrowd {
        GroupCrowd { items, classes: 3, groups: vec![(50, 0.55), (10, 0.75), (10, 0.75), (10, 0.75)], follow: 0.7 }
    }

    /// Labels, true class of every item, and group of every annotator.
    pub fn draw(&self, seed: u64) -> Result<(Dataset, Vec<usize>, Vec<usize>), Error> {
        let mut rng = stream(seed, "groups of annotators", self.items as u64);
        let k = self.classes;
        let group: Vec<usize> = self.groups.iter().enumerate().flat_map(|(g, x)| std::iter::repeat_n(g, x.0)).collect();
        let follow: Vec<f64> =
            group.iter().map(|_| (self.follow + rng.random_range(-0.05..0.05)).clamp(0.0, 1.0)).collect();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let classes: Vec<u32> = (0..k).map(|c| b.classes.intern(&c.to_string())).collect();
        let who: Vec<u32> = (0..group.len()).map(|j| b.annotators.intern(&format!("a{j}"))).collect();
        let mut truth = Vec::with_capacity(self.items);
        let mut noisy = |said: usize, right: f64| {
            if k < 2 || rng.random_bool(right) { said } else { (said + rng.random_range(1..k)) % k }
        };
        for i in 0..self.items {
            let item = b.items.intern(&format!("i{i}"));
            let t = noisy(0, 1.0 / k as f64);
            truth.push(t);
            let answers: Vec<usize> = self.groups.iter().map(|x| noisy(t, x.1)).collect();
            for (j, &g) in group.iter().enumerate() {
                b.label_codes(item, who[j], classes[noisy(answers[g], follow[j])])?;
            }
        }
        Ok((Dataset::new(b.finish()?), truth, group))
    }
}
