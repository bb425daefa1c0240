//! How often an annotator says what the (weighted) majority says.

use super::Ballot;
use crowdwise_core::stats::tied;

/// Agreement of every annotator with a reference: the gold label where it is known, else the vote.
#[derive(Debug)]
pub(super) struct Agreement {
    /// Credit over labels; chance 1/K for an annotator without labels.
    pub share: Vec<f64>,
    /// Labels of each annotator.
    pub labels: Vec<u64>,
    /// The class each item is decided for, as all votes have it (first of tied); K where nobody voted.
    pub decision: Vec<u32>,
}

/// Votes of one item, class by class, only for the classes that occur: K may be 65,535.
#[derive(Debug, Default)]
struct Tally {
    class: Vec<u32>,
    weight: Vec<f64>,
    count: Vec<u32>,
}

impl Tally {
    fn clear(&mut self) {
        self.class.clear();
        self.weight.clear();
        self.count.clear();
    }

    fn add(&mut self, class: u32, weight: f64) {
        if let Some(at) = self.class.iter().position(|&c| c == class) {
            self.weight[at] += weight;
            self.count[at] += 1;
        } else {
            self.class.push(class);
            self.weight.push(weight);
            self.count.push(1);
        }
    }

    /// Credit of `class` if the votes in `without` are left out: 1/t when it is among the t best, else 0. Where nothing
    /// is left to compare with, all `k` classes are tied.
    fn credit(&self, class: u32, without: &Tally, k: usize) -> f64 {
        // an item on which every weight is 0 is decided by its plain votes, and so is its agreement
        let plain = self.weight.iter().sum::<f64>() <= 0.0;
        let left = |at: usize| {
            let out = without.class.iter().position(|&c| c == self.class[at]);
            let (w, n) = out.map_or((0.0, 0), |o| (without.weight[o], without.count[o]));
            // a class that loses its last vote has exactly nothing, whatever rounding says
            if self.count[at] == n {
                0.0
            } else if plain {
                (self.count[at] - n) as f64
            } else {
                self.weight[at] - w
            }
        };
        let best = (0..self.class.len()).map(left).fold(0.0, f64::max);
        if best <= 0.0 {
            return 1.0 / k as f64;
        }
        let t = (0..self.class.len()).filter(|&at| tied(left(at), best)).count();
        let own = self.class.iter().position(|&c| c == class).map_or(0.0, left);
        if tied(own, best) { 1.0 / t as f64 } else { 0.0 }
    }

    /// The class with most weight, the first of tied ones.
    fn decision(&self) -> u32 {
        let value =
            |at: usize| if self.weight.iter().all(|&w| w <= 0.0) { self.count[at] as f64 } else { self.weight[at] };
        let best = (0..self.class.len()).map(value).fold(0.0, f64::max);
        let winners = (0..self.class.len()).filter(|&at| tied(value(at), best)).map(|at| self.class[at]);
        winners.min().unwrap_or(u32::MAX)
    }
}

impl Agreement {
    /// With `leave_one_out` an annotator's own labels of an item do not count in the vote that they are compared with
    /// and ties give 1/t; otherwise the vote is everybody's and the first of tied classes wins.
    pub fn new(ballot: &Ballot<'_>, weight: Option<&[f64]>, leave_one_out: bool) -> Self {
        let (table, k) = (ballot.labels.table, ballot.labels.k());
        let mut credit = vec![0.0; table.n_annotators()];
        let mut decision = vec![k as u32; table.n_units()];
        let (mut all, mut own) = (Tally::default(), Tally::default());
        for u in 0..table.n_units() {
            let rows = table.rows(u);
            if rows.is_empty() {
                continue;
            }
            let vote = |r: usize| {
                let j = table.annotator()[r] as usize;
                (ballot.labels.codes.get(r) as u32, weight.map_or(1.0, |w| w[j]))
            };
            all.clear();
            for r in rows.clone() {
                let (c, w) = vote(r);
                all.add(c, w);
            }
            decision[u] = ballot.gold(u).map_or_else(|| all.decision(), |c| c as u32);
            if ballot.gold(u).is_some() || !leave_one_out {
                for r in rows {
                    credit[table.annotator()[r] as usize] += f64::from(vote(r).0 == decision[u]);
                }
                continue;
            }
            // rows of one annotator are neighbours
            let mut start = rows.start;
            while start < rows.end {
                let j = table.annotator()[start];
                let end = (start..rows.end).find(|&r| table.annotator()[r] != j).unwrap_or(rows.end);
                own.clear();
                for r in start..end {
                    let (c, w) = vote(r);
                    own.add(c, w);
                }
                for r in start..end {
                    credit[j as usize] += all.credit(vote(r).0, &own, k);
                }
                start = end;
            }
        }
        let labels = table.labels_per_annotator();
        let share =
            credit.iter().zip(&labels).map(|(c, &n)| if n > 0 { c / n as f64 } else { 1.0 / k as f64 }).collect();
        Agreement { share, labels, decision }
    }
}
