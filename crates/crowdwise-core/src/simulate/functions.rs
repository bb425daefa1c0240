//! Labelling functions: sources that decide themselves where they vote.

use super::crowd::beta;
use super::generate::{Block, SimLabel, SimRow, Simulator};
use super::random::Purpose;
use super::{Role, Simulation, TrueAnnotator};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

/// No function votes on more than this share of a class.
const MOST: f64 = 0.95;

/// Draws a function: its class (or all), how often it votes, and how often a vote is right.
///
/// What is drawn is the share of right *votes*, since that is what whoever writes a function looks at. The rates follow: a function
/// for class c with coverage v and accuracy a votes on v a / share(c) of the items of c and v (1 - a) / (1 - share(c)) of the others.
pub(super) fn draw(s: &Simulation, a: &mut TrueAnnotator, rng: &mut ChaCha8Rng) {
    let (k, shares) = (s.classes, s.shares());
    let own = beta(s, rng);
    // some functions speak often, some seldom: a quarter of the mean and four times it are both rare
    let spread: f64 = Gamma::new(4.0, 0.25).expect("positive shape").sample(rng);
    let cover = (s.votes / s.annotators as f64 * spread).min(1.0);
    let one = rng.random::<f64>() < s.one_class;
    let class = a.annotator % k;
    let mut c = vec![0.0; k * k];
    let right = match a.role {
        Role::Adversary => 0.0,
        // the label does not depend on the truth
        Role::Spammer if one => shares[class],
        Role::Spammer => 1.0 / k as f64,
        _ => own,
    };
    for t in 0..k {
        if one {
            let rest = (1.0 - shares[class]).max(f64::MIN_POSITIVE);
            let share = shares[class].max(f64::MIN_POSITIVE);
            c[t * k + class] = (cover * if t == class { right / share } else { (1.0 - right) / rest }).min(MOST);
        } else {
            c[t * k..(t + 1) * k].fill(cover * (1.0 - right) / (k - 1) as f64);
            c[t * k + t] = cover * right;
        }
    }
    // after the limit, what is true of the votes that are cast
    let votes = |t: usize, l: usize| shares[t] * c[t * k + l];
    let hits: f64 = (0..k).map(|t| votes(t, t)).sum();
    let all: f64 = (0..k).flat_map(|t| (0..k).map(move |l| (t, l))).map(|(t, l)| votes(t, l)).sum();
    a.accuracy = (all > 0.0).then(|| hits / all);
    a.confusion = Some(c);
}

impl Simulator {
    pub(super) fn functions(&mut self, block: &mut Block) {
        let (item, k) = (self.next, self.s.classes);
        let truth = self.class_of(item as u32);
        block.truth.push(SimLabel::Class(truth as u32));
        // the noise of the first feature, so that what attracts votes can be seen in the features
        let z = self.key.normal(Purpose::Feature, Purpose::FeaturePhase, item, 0);
        let sd = self.s.activity_sd;
        let activity = (sd * z - 0.5 * sd * sd).exp();
        for j in 0..self.s.annotators {
            let speaker = self.speaker(j, item);
            let row = &self.annotators[speaker].confusion.as_ref().expect("functions have rates")[truth * k..][..k];
            let total: f64 = row.iter().sum();
            let scale = activity.min(MOST / total.max(MOST * f64::MIN_POSITIVE));
            let mut u = self.key.uniform(Purpose::Answer, speaker as u64, item);
            let vote = row.iter().position(|p| {
                u -= p * scale;
                u < 0.0
            });
            if let Some(class) = vote {
                let label = SimLabel::Class(class as u32);
                block.rows.push(SimRow { item: item as u32, right: item as u32, annotator: j as u32, label });
            }
        }
        self.features_of(item, truth, block);
    }
}

#[cfg(test)]
mod tests {
    use super::super::SimModel;
    use super::*;

    fn made(s: &Simulation, seed: u64) -> (Simulator, Vec<SimRow>, Vec<usize>) {
        let mut simulator = Simulator::new(s, seed).unwrap();
        let mut block = Block::new(s.items as usize);
        assert!(simulator.next_block(&mut block));
        let truth = (0..s.items as u32).map(|i| simulator.class_of(i)).collect();
        (simulator, block.rows, truth)
    }

    fn functions() -> Simulation {
        Simulation {
            model: SimModel::LabellingFunctions,
            items: 20_000,
            annotators: 12,
            classes: 4,
            votes: 1.5,
            accuracy: 0.7,
            ..Simulation::default()
        }
    }

    #[test]
    fn functions_vote_one_class_as_often_and_as_well_as_asked_for() {
        let s = Simulation { imbalance: 1.5, ..functions() };
        let (simulator, rows, truth) = made(&s, 3);
        let class = |r: &SimRow| if let SimLabel::Class(c) = r.label { c as usize } else { panic!() };
        assert!(rows.iter().all(|r| class(r) == r.annotator as usize % 4));
        // coverage differs by function: the mean of twelve has a standard error of 0.22
        let votes = rows.len() as f64 / 20_000.0;
        assert!((0.9..2.2).contains(&votes), "{votes}");
        for (j, a) in simulator.annotators().iter().enumerate() {
            let own: Vec<&SimRow> = rows.iter().filter(|r| r.annotator as usize == j).collect();
            let right = own.iter().filter(|r| truth[r.item as usize] == class(r)).count() as f64;
            let (got, want) = (right / own.len() as f64, a.accuracy.unwrap());
            assert!((got - want).abs() < 4.0 * (0.25 / own.len() as f64).sqrt() + 0.02, "{j}: {got} {want}");
        }
    }

    #[test]
    fn others_may_vote_any_class_and_spammers_know_nothing() {
        let s = Simulation { one_class: 0.0, spammers: 0.25, ..functions() };
        let (simulator, rows, truth) = made(&s, 4);
        for (j, a) in simulator.annotators().iter().enumerate() {
            let own: Vec<&SimRow> = rows.iter().filter(|r| r.annotator as usize == j).collect();
            let right = own.iter().filter(|r| SimLabel::Class(truth[r.item as usize] as u32) == r.label).count();
            let share = right as f64 / own.len() as f64;
            let near = 4.0 * (0.25 / own.len() as f64).sqrt();
            assert!((share - a.accuracy.unwrap()).abs() < near, "{j}: {share} {:?}", a.accuracy);
            assert!(a.role != Role::Spammer || (share - 0.25).abs() < near, "{share}");
        }
    }

    #[test]
    fn what_attracts_votes_is_seen_in_the_first_feature() {
        let s = Simulation { features: 4, separation: 0.0, activity_sd: 1.0, ..functions() };
        let mut simulator = Simulator::new(&s, 5).unwrap();
        let mut block = Block::new(20_000);
        simulator.next_block(&mut block);
        let mut votes = vec![0.0; 20_000];
        block.rows.iter().for_each(|r| votes[r.item as usize] += 1.0);
        let mean = |high: bool| {
            let of: Vec<f64> =
                (0..20_000).filter(|i| (block.features[i * 4] > 0.0) == high).map(|i| votes[i]).collect();
            of.iter().sum::<f64>() / of.len() as f64
        };
        assert!(mean(true) > 2.0 * mean(false), "{} {}", mean(true), mean(false));
    }

    #[test]
    fn bad_values_are_named() {
        let s = Simulation { votes: 13.0, one_class: 1.5, activity_sd: -1.0, per_item: 50, ..functions() };
        let text = s.check().unwrap_err().to_string();
        for word in ["votes", "one_class", "activity_sd"] {
            assert!(text.contains(word), "{text}");
        }
        assert!(!text.contains("per_item"), "{text}");
    }
}
