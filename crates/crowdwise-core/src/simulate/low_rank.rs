//! Annotators who know some items better than others, by a few numbers each (Yang et al. 2018).

use super::random::{Keyed, Purpose};
use super::{Role, Simulation, TrueAnnotator};
use crowdwise_numerics::{dot, logistic, normal_cdf};
use std::f64::consts::PI;

/// What annotators' numbers and the map are drawn evenly from: more often right than wrong.
const RANGE: (f64, f64) = (-0.3, 0.6);
/// Items whose mean says how good an annotator is.
const SHOWN: u64 = 1000;

#[derive(Clone, Debug)]
pub(super) struct LowRank {
    key: Keyed,
    items: u64,
    rank: usize,
    certain: bool,
    /// annotators x rank
    u: Vec<f64>,
    /// rank x features
    view: Vec<f64>,
    /// The class goes with this direction of the features.
    w: Vec<f64>,
    /// Mean and deviation of the items along it.
    mean: f64,
    sd: f64,
}

impl LowRank {
    pub fn new(s: &Simulation, key: Keyed) -> Self {
        let (rank, d) = (s.rank, s.features);
        let even =
            |purpose, a: usize, b: usize| RANGE.0 + (RANGE.1 - RANGE.0) * key.uniform(purpose, a as u64, b as u64);
        let w: Vec<f64> = (0..d).map(|n| key.normal(Purpose::Weight, Purpose::WeightPhase, n as u64, 0)).collect();
        // features are |N(0, 1)| / sqrt(d): mean sqrt(2 / pi / d), variance (1 - 2 / pi) / d
        let mean = w.iter().sum::<f64>() * (2.0 / PI / d as f64).sqrt();
        let sd = (dot(&w, &w) * (1.0 - 2.0 / PI) / d as f64).sqrt();
        LowRank {
            key,
            items: s.items,
            rank,
            certain: s.certain,
            u: (0..s.annotators * rank).map(|n| s.spread * even(Purpose::Embedding, n / rank, n % rank)).collect(),
            view: (0..rank * d).map(|n| even(Purpose::View, n / d, n % d)).collect(),
            w,
            mean,
            sd,
        }
    }

    /// Numbers of an item, none of them negative.
    pub fn features(&self, item: u32) -> Vec<f64> {
        let scale = (self.w.len() as f64).sqrt();
        let one = |d: usize| self.key.normal(Purpose::Feature, Purpose::FeaturePhase, u64::from(item), d as u64);
        (0..self.w.len()).map(|d| one(d).abs() / scale).collect()
    }

    /// Where an item stands among all, from 0 to 1, by the direction that its class goes with. As if items were normal along it:
    /// class shares are right to within a few percent.
    pub fn place(&self, x: &[f64]) -> f64 {
        normal_cdf((dot(x, &self.w) - self.mean) / self.sd)
    }

    /// P(right) of an annotator who has no matrix.
    pub fn right(&self, x: &[f64], a: &TrueAnnotator) -> f64 {
        let u = &self.u[a.annotator * self.rank..][..self.rank];
        let p = logistic(self.view.chunks_exact(x.len()).zip(u).map(|(row, u)| u * dot(row, x)).sum());
        let p = if self.certain { f64::from(u8::from(p > 0.5)) } else { p };
        if a.role == Role::Adversary { 1.0 - p } else { p }
    }

    /// The mean over the first items as the accuracy of everybody who has no matrix.
    pub fn say_accuracy(&self, annotators: &mut [TrueAnnotator]) {
        let shown: Vec<Vec<f64>> = (0..self.items.min(SHOWN)).map(|i| self.features(i as u32)).collect();
        for a in annotators.iter_mut().filter(|a| a.confusion.is_none()) {
            a.accuracy = Some(shown.iter().map(|x| self.right(x, a)).sum::<f64>() / shown.len() as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::simulate::{SimModel, Simulation, Simulator};

    fn made(certain: bool, classes: usize) -> Simulation {
        Simulation {
            model: SimModel::LowRank,
            items: 3000,
            annotators: 40,
            classes,
            features: 20,
            certain,
            spammers: 0.1,
            adversaries: 0.1,
            ..Simulation::default()
        }
    }

    #[test]
    fn labels_are_right_as_often_as_expertise_says_and_classes_have_their_shares() {
        for classes in [2, 4] {
            let s = made(false, classes);
            let all = Simulator::new(&s, 3).unwrap();
            let (mut hits, mut said, mut n) = (0.0, 0.0, 0.0);
            let mut counts = vec![0.0; classes];
            for i in 0..s.items as u32 {
                let truth = all.class_of(i);
                counts[truth] += 1.0 / s.items as f64;
                for j in 0..s.annotators {
                    let Some(p) = all.expertise(i, j) else { continue };
                    hits += f64::from(u8::from(all.answer(i, j) == truth));
                    said += p;
                    n += 1.0;
                }
            }
            assert!((n - 36.0 * 3000.0).abs() < 0.5, "a tenth are spammers: {n}");
            // the standard error of a share of 108 000 is 0.0015
            assert!((hits / n - said / n).abs() < 0.006, "{} {}", hits / n, said / n);
            assert!(counts.iter().all(|c| (c - 1.0 / classes as f64).abs() < 0.05), "{counts:?}");
        }
    }

    #[test]
    fn expertise_differs_by_item_and_the_dataset_is_what_is_answered() {
        let s = made(false, 2);
        let all = Simulator::new(&s, 4).unwrap();
        let ordinary = (0..40).find(|&j| all.annotators()[j].role == crate::simulate::Role::Ordinary).unwrap();
        let p: Vec<f64> = (0..200).map(|i| all.expertise(i, ordinary).unwrap()).collect();
        let mean = p.iter().sum::<f64>() / 200.0;
        let sd = (p.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / 200.0).sqrt();
        assert!(sd > 0.005 && (0.4..0.9).contains(&mean), "{mean} {sd}");
        let adversary = all.annotators().iter().find(|a| a.role == crate::simulate::Role::Adversary).unwrap();
        assert!(adversary.accuracy.unwrap() < 0.5, "{adversary:?}");
        let (data, _) = all.dataset().unwrap();
        let labels = data.table.categorical().unwrap();
        for i in 0..50 {
            for r in data.table.rows(i) {
                assert_eq!(labels.codes.get(r), all.answer(i as u32, data.table.annotator()[r] as usize));
            }
        }
        let features = data.features.unwrap();
        assert!(features.dim == 20 && features.values.iter().all(|x| *x >= 0.0));
    }

    #[test]
    fn the_certain_are_always_right_or_never() {
        let s = made(true, 2);
        let all = Simulator::new(&s, 5).unwrap();
        for i in 0..100 {
            for j in 0..40 {
                let Some(p) = all.expertise(i, j) else { continue };
                assert_eq!(f64::from(u8::from(all.answer(i, j) == all.class_of(i))), p);
            }
        }
        let none = Simulation { features: 0, ..s };
        assert!(Simulator::new(&none, 1).unwrap_err().to_string().contains("`features`"));
    }
}
