//! What comparisons tell of the annotators who gave them.

use crowdwise_core::Table;

/// How much of the comparisons comes from annotators who gave enough of them to show how reliable they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// Annotators with enough comparisons.
    pub annotators: usize,
    /// Their share of all comparisons.
    pub share: f64,
}

impl Told {
    /// Comparisons of an annotator that tell something of the annotator.
    pub const ENOUGH: u64 = 10;
    /// Share of the comparisons from which on reliabilities are worth a try. Where visitors come once, as in most arenas, they
    /// are not, and would cost most of the time.
    const SHARE: f64 = 0.2;

    pub fn of(table: &Table) -> Told {
        let per = table.labels_per_annotator();
        let known = || per.iter().filter(|n| **n >= Told::ENOUGH);
        let all: u64 = per.iter().sum();
        Told { annotators: known().count(), share: known().sum::<u64>() as f64 / all.max(1) as f64 }
    }

    /// Whether a model of the annotators is worth a try.
    pub fn worth_a_try(self) -> bool {
        self.annotators > 1 && self.share >= Told::SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, Preference, TableBuilder};

    fn told(counts: &[usize]) -> Told {
        let mut b = TableBuilder::new(LabelKind::Preference);
        for (j, &n) in counts.iter().enumerate() {
            (0..n).for_each(|i| b.preference(&format!("i{i}"), "x", &format!("a{j}"), Preference::Left));
        }
        Told::of(&b.finish().unwrap())
    }

    #[test]
    fn two_annotators_with_a_fifth_of_all_are_enough() {
        assert_eq!(told(&[10, 10]), Told { annotators: 2, share: 1.0 });
        assert!(told(&[10, 10]).worth_a_try());
        assert!(!told(&[30, 9]).worth_a_try(), "one annotator alone");
        let visitors = |n: usize| [vec![10, 10], vec![2; n]].concat();
        assert!(told(&visitors(40)).worth_a_try() && !told(&visitors(41)).worth_a_try());
        assert!(!told(&[]).worth_a_try());
    }
}
