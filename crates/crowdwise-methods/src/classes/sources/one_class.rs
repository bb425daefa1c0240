//! Whether the annotators are sources that vote for one class only.

use crowdwise_core::Categorical;

/// Sources that never give more than one label, beyond chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneClass {
    /// How many there are.
    pub sources: usize,
    /// Their part of all labels.
    pub share: f64,
    /// The part of all labels from those of them who choose what they vote on: where they vote, others name their class more often
    /// than elsewhere. Somebody who says the same of everything does not.
    pub choosing: f64,
}

/// An annotator whose labels are all of one class is a one-class source if labels drawn like those of everybody would all be of that
/// class less often than this.
const CHANCE: f64 = 1e-3;

/// Standard errors by which others must name the class of a source more often where it votes.
const FIRM: f64 = 3.0;

/// Less than this part of the labels is too little to give up the matrices of the others for.
const FEW: f64 = 0.1;

impl OneClass {
    /// Whether most labels come from such sources. Then confusion matrices are not identified: the label of such a source follows from
    /// its having voted, and tells nothing that a matrix could be learned from.
    pub fn most(&self) -> bool {
        self.share > 0.5
    }

    /// Whether sources who choose what they vote on matter. A matrix takes their silence for an accident; it is what they say of all
    /// other items.
    pub fn matter(&self) -> bool {
        self.most() || self.choosing > FEW
    }
}

/// Whether others name a class more often on these items than they do elsewhere, beyond chance.
fn named_more(labels: &Categorical<'_>, units: &[u32], class: usize, elsewhere: f64, votes: &mut [f64]) -> bool {
    let (mut items, mut named) = (0.0, 0.0);
    for &u in units {
        votes.fill(0.0);
        labels.votes(u as usize, votes);
        let others = votes.iter().sum::<f64>() - 1.0;
        if others > 0.0 {
            items += 1.0;
            named += (votes[class] - 1.0) / others;
        }
    }
    named - items * elsewhere > FIRM * (items * elsewhere * (1.0 - elsewhere)).sqrt()
}

/// Counts the sources that vote for one class only. A few labels of one class are no sign: with the class in a share s of all
/// labels, n labels of it have probability s^n.
pub fn one_class_sources(labels: &Categorical<'_>) -> OneClass {
    const MIXED: u32 = u32::MAX;
    let table = labels.table;
    let (m, n) = (table.n_annotators(), table.n_labels());
    let mut own: Vec<Option<u32>> = vec![None; m];
    let mut votes = vec![0u64; labels.k()];
    for (r, &j) in table.annotator().iter().enumerate() {
        let class = labels.codes.get(r);
        votes[class] += 1;
        let own = &mut own[j as usize];
        *own = Some(if own.is_none_or(|c| c == class as u32) { class as u32 } else { MIXED });
    }
    let counts = table.labels_per_annotator();
    let mut out = OneClass { sources: 0, share: 0.0, choosing: 0.0 };
    let (mut theirs, mut chosen) = (0, 0);
    let mut named = vec![0.0; labels.k()];
    for (j, class) in own.iter().enumerate() {
        let Some(class) = class.filter(|c| *c != MIXED) else { continue };
        let share = votes[class as usize] as f64 / n as f64;
        if counts[j] as f64 * share.ln() < CHANCE.ln() {
            out.sources += 1;
            theirs += counts[j];
            // what others say, wherever they say it
            let rest = (n as u64 - counts[j]).max(1) as f64;
            let elsewhere = (votes[class as usize] - counts[j]) as f64 / rest;
            if named_more(labels, table.by_annotator().units(j), class as usize, elsewhere, &mut named) {
                chosen += counts[j];
            }
        }
    }
    out.share = theirs as f64 / n.max(1) as f64;
    out.choosing = chosen as f64 / n.max(1) as f64;
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::simulate::{SimModel, Simulation, Simulator};

    fn of(s: &Simulation, seed: u64) -> OneClass {
        let (data, _) = Simulator::new(s, seed).unwrap().dataset().unwrap();
        one_class_sources(&data.table.categorical().unwrap())
    }

    #[test]
    fn labelling_functions_are_told_from_crowds() {
        let functions = Simulation {
            model: SimModel::LabellingFunctions,
            items: 1777,
            annotators: 14,
            classes: 7,
            votes: 1.4,
            ..Simulation::default()
        };
        for seed in 0..5 {
            let found = of(&functions, seed);
            assert_eq!((found.sources, found.share), (14, 1.0));
            assert!(found.most() && found.choosing > 0.9, "{found:?}");
            let mixed = of(&Simulation { one_class: 0.5, annotators: 40, ..functions.clone() }, seed);
            assert!((0.2..0.8).contains(&mixed.share) && mixed.matter(), "{mixed:?}");
            // ordinary crowds: few labels each, unequal classes, always-the-same spammers among them
            for annotators in [20, 200] {
                let crowd = Simulation { annotators, imbalance: 5.0, spammers: 0.2, ..Simulation::default() };
                let found = of(&crowd, seed);
                assert!(found.share < 0.1 && found.choosing == 0.0, "{found:?}");
            }
        }
    }

    #[test]
    fn one_class_in_all_labels_tells_nothing() {
        let mut b = crowdwise_core::TableBuilder::new(crowdwise_core::LabelKind::Categorical);
        for i in 0..500 {
            b.label(&format!("i{i}"), &format!("a{}", i % 5), "yes").unwrap();
        }
        let table = b.finish().unwrap();
        let found = one_class_sources(&table.categorical().unwrap());
        assert_eq!((found.sources, found.most()), (0, false));
    }
}
