//! Who labels what.

use super::{Assignment, Simulation};
use crate::stream;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::Distribution;
use rand_distr::weighted::WeightedAliasIndex;

/// Deals annotators to one unit after another.
#[derive(Clone, Debug)]
pub struct Assigner {
    rng: ChaCha8Rng,
    annotators: usize,
    per_unit: usize,
    how: How,
    /// Marks the annotators of the current unit.
    taken: Vec<bool>,
}

#[derive(Clone, Debug)]
enum How {
    Even,
    Weighted {
        alias: WeightedAliasIndex<f64>,
        weight: Vec<f64>,
    },
    /// Shuffled decks of all annotators, dealt one after the other: nobody is dealt again before all others were.
    Decks {
        deck: Vec<u32>,
        next: usize,
    },
}

impl Assigner {
    pub fn new(s: &Simulation, seed: u64) -> Self {
        let weight: Vec<f64> = (0..s.annotators).map(|j| ((j + 1) as f64).powf(-s.zipf)).collect();
        let how = match s.assignment {
            Assignment::Regular => How::Decks { deck: (0..s.annotators as u32).collect(), next: s.annotators },
            Assignment::Random if s.zipf == 0.0 => How::Even,
            Assignment::Random => {
                How::Weighted { alias: WeightedAliasIndex::new(weight.clone()).expect("weights are positive"), weight }
            }
        };
        Assigner {
            rng: stream(seed, "simulate-assign", 0),
            annotators: s.annotators,
            per_unit: s.per_item,
            how,
            taken: vec![false; s.annotators],
        }
    }

    /// The annotators of the next unit, all different, in increasing order.
    pub fn next(&mut self, out: &mut Vec<u32>) {
        out.clear();
        match &mut self.how {
            How::Even => {
                // Floyd's algorithm: exactly per_unit draws
                for top in self.annotators - self.per_unit..self.annotators {
                    let j = self.rng.random_range(0..=top);
                    let j = if self.taken[j] { top } else { j };
                    self.taken[j] = true;
                    out.push(j as u32);
                }
            }
            How::Weighted { alias, weight } => {
                let mut tries = 20 * self.per_unit + 100;
                while out.len() < self.per_unit && tries > 0 {
                    let j = alias.sample(&mut self.rng);
                    tries -= 1;
                    if !self.taken[j] {
                        self.taken[j] = true;
                        out.push(j as u32);
                    }
                }
                if out.len() < self.per_unit {
                    // Few heavy annotators are all taken: the rest at once, by exponential keys, which is the same law
                    let mut keys: Vec<(f64, u32)> = (0..self.annotators)
                        .filter(|&j| !self.taken[j])
                        .map(|j| (-(1.0 - self.rng.random::<f64>()).ln() / weight[j], j as u32))
                        .collect();
                    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
                    out.extend(keys.iter().take(self.per_unit - out.len()).map(|k| k.1));
                    for &j in out.iter() {
                        self.taken[j as usize] = true;
                    }
                }
            }
            How::Decks { deck, next } => {
                while out.len() < self.per_unit {
                    if *next == deck.len() {
                        deck.shuffle(&mut self.rng);
                        *next = 0;
                        // those already dealt to this unit from the deck before go below the ones it still needs
                        let need = self.per_unit - out.len();
                        for at in 0..need {
                            while self.taken[deck[at] as usize] {
                                let other = self.rng.random_range(need..deck.len());
                                deck.swap(at, other);
                            }
                        }
                    }
                    let j = deck[*next];
                    *next += 1;
                    self.taken[j as usize] = true;
                    out.push(j);
                }
            }
        }
        for &j in out.iter() {
            self.taken[j as usize] = false;
        }
        out.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(s: &Simulation, units: usize) -> Vec<usize> {
        let mut a = Assigner::new(s, 3);
        let (mut n, mut out) = (vec![0; s.annotators], Vec::new());
        for _ in 0..units {
            a.next(&mut out);
            assert_eq!(out.len(), s.per_item);
            assert!(out.windows(2).all(|w| w[0] < w[1]), "{out:?}");
            for &j in &out {
                n[j as usize] += 1;
            }
        }
        n
    }

    #[test]
    fn regular_graphs_are_regular() {
        let s = Simulation { annotators: 7, per_item: 3, assignment: Assignment::Regular, ..Simulation::default() };
        assert_eq!(counts(&s, 70), [30; 7]);
        assert!(counts(&s, 71).iter().all(|&n| n == 30 || n == 31));
        let all = Simulation { per_item: 7, ..s };
        assert_eq!(counts(&all, 5), [5; 7]);
    }

    #[test]
    fn weights_make_heavy_tails_and_full_rows_end() {
        let s = Simulation { annotators: 40, per_item: 2, zipf: 1.0, ..Simulation::default() };
        let n = counts(&s, 20_000);
        // first draw: weight 1 / H(40) = 0.2337; second: close to it from the rest
        assert!(n[0] > 4 * n[9] && n[0] > 20 * n[39], "{n:?}");
        let full = Simulation { per_item: 40, zipf: 6.0, ..s };
        assert_eq!(counts(&full, 3), [3; 40]);
    }

    #[test]
    fn even_assignment_is_even() {
        let s = Simulation { annotators: 10, per_item: 4, ..Simulation::default() };
        // binomial(10000, 0.4): standard deviation 49
        assert!(counts(&s, 10_000).iter().all(|&n| (3_750..4_250).contains(&n)));
    }
}
