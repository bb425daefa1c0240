//! What the plain votes say against a result: guards that no score can outweigh, and how majority vote differs.
//!
//! One assumption gives the limits: that up to a third of the labels are worth nothing, worse than a guess. Were it more, no method
//! could learn anything from the crowd. Then a third of the items with one label, and a ninth of those with two, have nothing but such
//! labels, and a fit may have a reason to overrule them all. A fit that overrules more than that has not found bad annotators: it
//! has lost the classes.

use crowdwise_core::Categorical;
use crowdwise_core::stats::tied;

/// Part of the labels that may be worth nothing.
const WORTHLESS: f64 = 1.0 / 3.0;
/// Part of the items with one label whose only label may be overruled: these may be few and come from one bad annotator, so that more of
/// them may be worth nothing than of all labels, but not most.
const SINGLE: f64 = 0.5;
/// Counts are given so many standard errors before they speak against a fit.
const CHANCE: f64 = 2.0;
/// A class is missed if it is the most voted one of more than this share of the items …
const MISSED: f64 = 0.05;
/// … and lost if fewer than this part of them get it, or any others in their place.
const LOST: f64 = 0.1;
/// Majority vote is enough if it differs on less than this share of the items.
const ENOUGH: f64 = 0.01;

/// How a result differs from the votes. Items of known class and items without labels do not count.
#[derive(Clone, Debug, PartialEq)]
pub struct Departure {
    /// Items that count.
    pub items: usize,
    /// Items whose answer is a label that nobody gave them.
    pub unheard: usize,
    /// How many of these bad labels could explain.
    unheard_limit: f64,
    /// Items with one label, and how many of these labels are overruled.
    pub single: usize,
    pub single_overruled: usize,
    /// Items with two and more labels, all alike, and how many of these are overruled.
    pub unanimous: usize,
    pub unanimous_overruled: usize,
    /// Class, items of which it is the most voted one, items that get it; of classes that are lost.
    pub lost: Vec<(usize, usize, usize)>,
    /// Items whose answer is not the most voted class; any of several first ones counts as agreeing.
    pub differ: usize,
}

impl Departure {
    /// Compares a posterior (units x K) with the labels that it was made from.
    pub fn of(labels: &Categorical<'_>, gold: Option<&[Option<u32>]>, posterior: &[f64]) -> Departure {
        let k = labels.k();
        let mut out = Departure {
            items: 0,
            unheard: 0,
            unheard_limit: 0.0,
            single: 0,
            single_overruled: 0,
            unanimous: 0,
            unanimous_overruled: 0,
            lost: Vec::new(),
            differ: 0,
        };
        let (mut votes, mut most, mut given) = (vec![0.0; k], vec![0usize; k], vec![0usize; k]);
        let mut spread = 0.0;
        for (u, row) in posterior.chunks_exact(k.max(1)).enumerate() {
            let n = labels.table.degree(u);
            if n == 0 || gold.is_some_and(|g| g[u].is_some()) {
                continue;
            }
            out.items += 1;
            votes.fill(0.0);
            labels.votes(u, &mut votes);
            let top = row.iter().copied().fold(0.0, f64::max);
            let first = votes.iter().copied().fold(0.0, f64::max);
            let wins = |c: usize| tied(row[c], top);
            let unheard = !(0..k).any(|c| votes[c] > 0.0 && wins(c));
            let limit = WORTHLESS.powi(n.min(2) as i32);
            out.unheard += usize::from(unheard);
            out.unheard_limit += limit;
            spread += limit * (1.0 - limit);
            out.differ += usize::from(!(0..k).any(|c| votes[c] == first && wins(c)));
            if n == 1 {
                out.single += 1;
                out.single_overruled += usize::from(unheard);
            } else if first as usize == n {
                out.unanimous += 1;
                out.unanimous_overruled += usize::from(unheard);
            }
            let leaders = votes.iter().filter(|v| **v == first).count();
            for c in 0..k {
                most[c] += usize::from(leaders == 1 && votes[c] == first);
                given[c] += usize::from(wins(c));
            }
        }
        out.unheard_limit += CHANCE * f64::sqrt(spread);
        let missed = |c: usize| {
            let (n, items) = (most[c] as f64, out.items as f64);
            n > MISSED * items + CHANCE * (MISSED * (1.0 - MISSED) * items).sqrt() && (given[c] as f64) < LOST * n
        };
        out.lost = (0..k).filter(|&c| missed(c)).map(|c| (c, most[c], given[c])).collect();
        out
    }

    /// Why a fit with this result is to be rejected, whatever its score.
    pub fn rejects(&self, labels: &Categorical<'_>) -> Option<String> {
        let percent = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        if self.unheard as f64 > self.unheard_limit {
            return Some(format!(
                "it gives {:.0} % of the items a label that nobody gave them",
                percent(self.unheard, self.items)
            ));
        }
        if let Some(&(c, most, given)) = self.lost.iter().max_by_key(|l| l.1) {
            return Some(format!(
                "it loses the class `{}`, which wins the vote on {:.0} % of the items but is the answer on {:.1} %",
                labels.classes.name(c),
                percent(most, self.items),
                percent(given, self.items)
            ));
        }
        if beyond(self.single_overruled, self.single, SINGLE) {
            return Some(format!(
                "it overrules the only label of {:.0} % of the items with one label",
                percent(self.single_overruled, self.single)
            ));
        }
        beyond(self.unanimous_overruled, self.unanimous, WORTHLESS * WORTHLESS).then(|| {
            format!(
                "it overrules the annotators on {:.0} % of the items on which they all agree",
                percent(self.unanimous_overruled, self.unanimous)
            )
        })
    }

    /// Whether majority vote gives the same answer on nearly all items, and no item has a label that nobody gave.
    pub fn majority_vote_is_enough(&self) -> bool {
        self.unheard == 0 && (self.differ as f64) < ENOUGH * self.items as f64
    }

    /// How majority vote differs, in words.
    pub fn beside_majority_vote(&self) -> String {
        let share = 100.0 * self.differ as f64 / self.items.max(1) as f64;
        if self.majority_vote_is_enough() {
            return format!(
                "majority vote is enough here: it gives a different answer on only {share:.1} % of the items"
            );
        }
        let unheard = match self.unheard {
            0 => String::new(),
            1 => "; 1 item gets a label that nobody gave it".into(),
            n => format!("; {} items get a label that nobody gave them", crowdwise_core::group(n as u64)),
        };
        format!("majority vote gives a different answer on {share:.1} % of the items{unheard}")
    }
}

/// More than this share, and not by chance.
fn beyond(part: usize, all: usize, share: f64) -> bool {
    part as f64 > share * all as f64 + CHANCE * (share * (1.0 - share) * all as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::simulate::{SimModel, Simulation, Simulator};
    use crowdwise_core::{Context, Dataset, stats};

    fn functions(seed: u64) -> Dataset {
        let s = Simulation {
            model: SimModel::LabellingFunctions,
            items: 1777,
            annotators: 14,
            classes: 7,
            votes: 1.4,
            accuracy: 0.56,
            ..Simulation::default()
        };
        Simulator::new(&s, seed).unwrap().dataset().unwrap().0
    }

    /// Probability 0.9 for the class that is chosen.
    fn answers(data: &Dataset, class: impl Fn(usize) -> usize) -> Vec<f64> {
        let k = data.table.n_classes();
        let mut q = vec![0.1 / (k - 1) as f64; data.table.n_units() * k];
        (0..data.table.n_units()).for_each(|u| q[u * k + class(u)] = 0.9);
        q
    }

    fn fitted(data: &Dataset, method: &str) -> Vec<f64> {
        let method = crate::find(method).unwrap().default();
        method.fit(data, &mut Context::new(0, 1)).unwrap().posterior().unwrap().1.to_vec()
    }

    #[test]
    fn one_class_for_all_items_is_rejected() {
        let data = functions(0);
        let labels = data.table.categorical().unwrap();
        let d = Departure::of(&labels, None, &answers(&data, |_| 3));
        let why = d.rejects(&labels).unwrap();
        assert!(why.contains("a label that nobody gave"), "{why}");
        assert!(d.unheard * 2 > d.items && !d.majority_vote_is_enough(), "{d:?}");
        assert!(
            d.beside_majority_vote().contains("majority vote gives a different answer on"),
            "{}",
            d.beside_majority_vote()
        );
        // the votes themselves, and a model for such sources, are not
        for method in ["majority-vote", "one-class-sources"] {
            let d = Departure::of(&labels, None, &fitted(&data, method));
            assert_eq!((d.rejects(&labels), d.unheard), (None, 0), "{method}");
        }
    }

    #[test]
    fn a_lost_class_is_named() {
        let data = functions(1);
        let labels = data.table.categorical().unwrap();
        let votes = fitted(&data, "majority-vote");
        let k = labels.k();
        let own = |u: usize| stats::argmax(&votes[u * k..(u + 1) * k]);
        let mut count = vec![0usize; k];
        (0..data.table.n_units()).filter(|&u| data.table.degree(u) > 0).for_each(|u| count[own(u)] += 1);
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by_key(|&c| count[c]);
        let lost = order[k / 2];
        // a seventh of the items: too few for the first guard
        let d = Departure::of(&labels, None, &answers(&data, |u| if own(u) == lost { (lost + 1) % k } else { own(u) }));
        let why = d.rejects(&labels).unwrap();
        assert!(why.contains(&format!("loses the class `c{lost}`")), "{why}");
    }

    #[test]
    fn single_and_unanimous_items_are_not_overruled_wholesale() {
        let s = Simulation { annotators: 30, per_item: 1, classes: 4, items: 600, ..Simulation::default() };
        let next = |s: &Simulation, every: usize| {
            let data = Simulator::new(s, 2).unwrap().dataset().unwrap().0;
            let labels = data.table.categorical().unwrap();
            let own = |u: usize| labels.codes.get(data.table.rows(u).start);
            let q = answers(&data, |u| (own(u) + usize::from(u.is_multiple_of(every))) % 4);
            Departure::of(&labels, None, &q).rejects(&labels)
        };
        assert!(next(&s, 2).is_some());
        assert_eq!(next(&s, 4), None);
        let sure = Simulation { per_item: 2, accuracy: 0.99, concentration: 1000.0, ..s };
        assert!(next(&sure, 5).is_some());
        assert_eq!(next(&sure, 12), None);
    }

    #[test]
    fn few_single_items_among_many_are_looked_at_on_their_own() {
        let mut b = crowdwise_core::TableBuilder::new(crowdwise_core::LabelKind::Categorical);
        for i in 0..1000 {
            for j in 0..if i < 100 { 1 } else { 3 } {
                b.label(&format!("i{i}"), &format!("a{j}"), ["x", "y", "z"][(i / 2 + j / 2) % 3]).unwrap();
            }
        }
        let data = Dataset::new(b.finish().unwrap());
        let labels = data.table.categorical().unwrap();
        let why = |overruled: usize| {
            let own = |u: usize| labels.codes.get(data.table.rows(u).start);
            let q = answers(&data, |u| (own(u) + usize::from(u < overruled)) % 3);
            Departure::of(&labels, None, &q).rejects(&labels)
        };
        assert!(why(70).unwrap().contains("the only label of 70 %"), "{:?}", why(70));
        assert_eq!(why(45), None);
    }

    #[test]
    fn known_items_and_items_without_labels_do_not_count() {
        let data = functions(3);
        let labels = data.table.categorical().unwrap();
        let gold: Vec<Option<u32>> = vec![Some(3); data.table.n_units()];
        let d = Departure::of(&labels, Some(&gold), &answers(&data, |_| 3));
        assert_eq!((d.items, d.rejects(&labels)), (0, None));
        let covered = (0..data.table.n_units()).filter(|&u| data.table.degree(u) > 0).count();
        assert_eq!(Departure::of(&labels, None, &answers(&data, |_| 3)).items, covered);
    }

    #[test]
    fn good_fits_of_bad_crowds_pass() {
        for seed in 0..3 {
            for (spammers, per_item, imbalance) in [(0.3, 3, 1.0), (0.3, 5, 3.0), (0.0, 2, 2.0), (0.3, 1, 1.0)] {
                let s = Simulation { spammers, per_item, imbalance, classes: 4, ..Simulation::default() };
                let data = Simulator::new(&s, seed).unwrap().dataset().unwrap().0;
                let labels = data.table.categorical().unwrap();
                let d = Departure::of(&labels, None, &fitted(&data, "pooled-dawid-skene"));
                assert_eq!(d.rejects(&labels), None, "{s:?}");
            }
        }
    }

    #[test]
    fn majority_vote_is_enough_only_if_nobody_is_overheard() {
        let s = Simulation { items: 1000, classes: 3, accuracy: 0.95, ..Simulation::default() };
        let data = Simulator::new(&s, 0).unwrap().dataset().unwrap().0;
        let labels = data.table.categorical().unwrap();
        let mut q = fitted(&data, "majority-vote");
        let d = Departure::of(&labels, None, &q);
        assert!(d.majority_vote_is_enough() && d.differ == 0);
        // one item of a thousand gets what nobody said
        let mut votes = vec![0.0; 3];
        let (u, c) = (0..1000)
            .find_map(|u| {
                votes.fill(0.0);
                labels.votes(u, &mut votes);
                votes.iter().position(|v| *v == 0.0).map(|c| (u, c))
            })
            .unwrap();
        q[u * 3..(u + 1) * 3].fill(0.0);
        q[u * 3 + c] = 1.0;
        let d = Departure::of(&labels, None, &q);
        assert_eq!((d.differ, d.unheard, d.majority_vote_is_enough()), (1, 1, false));
        assert!(d.beside_majority_vote().ends_with("1 item gets a label that nobody gave it"));
    }
}
