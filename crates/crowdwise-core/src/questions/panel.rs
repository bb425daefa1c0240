//! How many independent judges a panel is worth: the design effect of survey sampling, n / (1 + (n - 1) ρ), where ρ is
//! the mean correlation of two judges. All in one pass over the labels; no pair of annotators is stored.

use super::patterns::last_labels;
use super::sets::is_sets;
use crate::{Dataset, Finding, Fit, Severity, Structure, Subject, group};
use serde::{Deserialize, Serialize};

/// Judges on an item and what they are worth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// Mean number of annotators on the items that have two or more.
    pub judges: f64,
    /// Mean correlation of two annotators on an item.
    pub correlation: f64,
    /// So many judges without correlation would be worth as much.
    pub effective: f64,
}

/// Classes up to which labels are looked at: each costs that many steps.
const MOST_CLASSES: usize = 256;

/// Sums over items: of products of two different judges, and of pairs.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    products: f64,
    pairs: f64,
    judges: f64,
    items: f64,
}

impl Sums {
    fn panel(&self) -> Option<Panel> {
        if self.items == 0.0 || self.pairs == 0.0 {
            return None;
        }
        let judges = self.judges / self.items;
        let correlation = (self.products / self.pairs).clamp(-1.0, 1.0);
        Some(Panel { judges, correlation, effective: judges / (1.0 + (judges - 1.0) * correlation.max(0.0)) })
    }
}

/// From the labels alone: each label against how often its annotator says each class. What is true makes annotators agree
/// too, so this is the least that the panel is worth. Constant annotators do not count.
pub fn panel_of_labels(data: &Dataset) -> Option<Panel> {
    let labels = data.table.categorical()?;
    let (table, k) = (&data.table, labels.k());
    if !(2..=MOST_CLASSES).contains(&k) {
        return None;
    }
    let m = table.n_annotators();
    let (mut share, mut n) = (vec![0.0; m * k], vec![0.0; m]);
    for u in 0..table.n_units() {
        for r in last_labels(table, u) {
            let j = table.annotator()[r] as usize;
            share[j * k + labels.codes.get(r)] += 1.0;
            n[j] += 1.0;
        }
    }
    let mut spread = vec![0.0; m];
    for j in (0..m).filter(|&j| n[j] > 0.0) {
        let own = &mut share[j * k..(j + 1) * k];
        own.iter_mut().for_each(|x| *x /= n[j]);
        spread[j] = (1.0 - own.iter().map(|x| x * x).sum::<f64>()).max(0.0).sqrt();
    }
    let mut sums = Sums::default();
    let (mut total, mut own) = (vec![0.0; k], vec![0.0; k]);
    for u in 0..table.n_units() {
        total.fill(0.0);
        let (mut squares, mut judges) = (0.0, 0.0);
        for r in last_labels(table, u) {
            let j = table.annotator()[r] as usize;
            if spread[j] < 1e-9 {
                continue;
            }
            for (c, x) in own.iter_mut().enumerate() {
                *x = (f64::from(u8::from(labels.codes.get(r) == c)) - share[j * k + c]) / spread[j];
            }
            squares += own.iter().map(|x| x * x).sum::<f64>();
            total.iter_mut().zip(&own).for_each(|(t, x)| *t += x);
            judges += 1.0;
        }
        if judges >= 2.0 {
            sums.products += total.iter().map(|x| x * x).sum::<f64>() - squares;
            sums.pairs += judges * (judges - 1.0);
            sums.judges += judges;
            sums.items += 1.0;
        }
    }
    sums.panel()
}

/// From the errors under a posterior (units x K): how far two annotators err on the same items, beyond how often each errs. Annotators who
/// never err, or always, do not count.
pub fn panel_of_errors(data: &Dataset, q: &[f64]) -> Option<Panel> {
    let labels = data.table.categorical()?;
    let (table, k) = (&data.table, labels.k());
    let m = table.n_annotators();
    let wrong = |u: usize, r: usize| 1.0 - q[u * k + labels.codes.get(r)];
    let (mut n, mut sum, mut square) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
    for u in 0..table.n_units() {
        for r in last_labels(table, u) {
            let (j, e) = (table.annotator()[r] as usize, wrong(u, r));
            n[j] += 1.0;
            sum[j] += e;
            square[j] += e * e;
        }
    }
    let mut sums = Sums::default();
    for u in 0..table.n_units() {
        let (mut total, mut squares, mut judges) = (0.0, 0.0, 0.0);
        for r in last_labels(table, u) {
            let j = table.annotator()[r] as usize;
            let mean = sum[j] / n[j];
            let variance = square[j] / n[j] - mean * mean;
            if variance < 1e-9 {
                continue;
            }
            let x = (wrong(u, r) - mean) / variance.sqrt();
            total += x;
            squares += x * x;
            judges += 1.0;
        }
        if judges >= 2.0 {
            sums.products += total * total - squares;
            sums.pairs += judges * (judges - 1.0);
            sums.judges += judges;
            sums.items += 1.0;
        }
    }
    sums.panel()
}

/// Labels of an item from which on it matters how many independent ones they are worth: with fewer, nobody takes them for many.
const DENSE: f64 = 10.0;
/// They must be worth less than one in so many.
const WORTH: f64 = 3.0;

/// The panel, where its errors are so much alike that many labels are worth few.
pub(super) fn dependent(data: &Dataset, q: &[f64]) -> Option<Panel> {
    let units = matches!(data.structure, Structure::Independent | Structure::Graph(_));
    // tokens of a sequence, and classes of a set, err together by themselves
    if !units || is_sets(data) || data.table.n_labels() as f64 <= DENSE {
        return None;
    }
    panel_of_errors(data, q).filter(|p| p.judges >= DENSE && WORTH * p.effective < p.judges)
}

/// Many labels per item, and few independent opinions: every method that takes annotators for independent is too sure.
pub(super) fn of_fit(data: &Dataset, fit: &Fit) -> Option<Finding> {
    let (_, q) = fit.model_posterior()?;
    let p = dependent(data, q)?;
    Some(Finding::new(
        "dependent-annotators",
        Severity::Warning,
        Subject::Data,
        format!(
            "{} annotators label an item on average, but they err on the same items (correlation {:.2}): together they are worth \
             about {:.0} who err independently, and their labels cannot show where all of them are wrong",
            group(p.judges.round() as u64),
            p.correlation,
            p.effective.round().max(1.0)
        ),
        "more annotators of the same kind would add little: add some of another kind, check the surest answers on known truth, \
         or try `group-aware-em`",
    ))
}

/// The most voted class of every unit (units x K); shared first places are shared.
pub(super) fn plurality(data: &Dataset) -> Option<Vec<f64>> {
    let labels = data.table.categorical()?;
    let k = labels.k();
    let mut q = vec![0.0; data.table.n_units() * k];
    for (u, row) in q.chunks_exact_mut(k).enumerate() {
        labels.votes(u, row);
        let most = row.iter().copied().fold(0.0, f64::max);
        let n = row.iter().filter(|v| **v == most).count() as f64;
        row.iter_mut().for_each(|v| *v = if *v == most { 1.0 / n } else { 0.0 });
    }
    Some(q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelKind, TableBuilder, stream};
    use rand::RngExt;

    /// `copies` annotators who say the same, and `free` who say anything.
    fn crowd(copies: usize, free: usize) -> Dataset {
        let mut rng = stream(3, "panel", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for i in 0..4000 {
            let common = rng.random_range(0..2u32);
            for j in 0..copies + free {
                let l = if j < copies { common } else { rng.random_range(0..2) };
                b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
            }
        }
        Dataset::new(b.finish().unwrap())
    }

    #[test]
    fn copies_are_one_judge_and_strangers_are_as_many_as_they_are() {
        let p = panel_of_labels(&crowd(6, 0)).unwrap();
        assert!(p.judges == 6.0 && (p.effective - 1.0).abs() < 1e-9 && (p.correlation - 1.0).abs() < 1e-9, "{p:?}");
        let p = panel_of_labels(&crowd(0, 6)).unwrap();
        assert!(p.effective > 5.5, "{p:?}");
        // of 15 pairs 3 are correlated: 6 / (1 + 5 x 0.2)
        let p = panel_of_labels(&crowd(3, 3)).unwrap();
        assert!((p.effective - 3.0).abs() < 0.15, "{p:?}");
    }

    /// Thirty judges of two classes, right in four fifths; `families` of them share their errors, or none.
    fn judges(families: Option<usize>) -> Dataset {
        let mut rng = stream(4, "judges", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for i in 0..400 {
            let z = rng.random_range(0..2u32);
            let view: Vec<u32> =
                (0..families.unwrap_or(0)).map(|_| if rng.random_bool(0.8) { z } else { 1 - z }).collect();
            for j in 0..30 {
                let own = if rng.random_bool(0.8) { z } else { 1 - z };
                let said = match families {
                    Some(n) if rng.random_bool(0.9) => view[j % n],
                    _ => own,
                };
                b.label(&format!("i{i}"), &format!("a{j}"), &said.to_string()).unwrap();
            }
        }
        Dataset::new(b.finish().unwrap())
    }

    #[test]
    fn judges_of_few_families_are_few_and_independent_ones_are_not_accused() {
        let data = judges(Some(5));
        let p = dependent(&data, &plurality(&data).unwrap()).unwrap();
        assert!(p.judges == 30.0 && p.effective < 10.0, "{p:?}");
        let data = judges(None);
        let q = plurality(&data).unwrap();
        assert_eq!(dependent(&data, &q), None, "{:?}", panel_of_errors(&data, &q));
    }
}
