//! What annotators say, compared with what the others say, without any fit.

use super::inspect::{ClassRow, Expert, Unipolar};
use super::suspects::{CONSTANT, CONSTANT_N};
use crate::{Table, stats};

/// Counts per annotator and class.
#[derive(Clone, Debug)]
pub struct Habits {
    k: usize,
    votes: Vec<u64>,
    labels: u64,
    /// Annotators x K; empty if too large. How often each class was said at all.
    said: Vec<u32>,
    /// On units whose other labels have one majority: cases of it, cases found, and classes said there.
    cases: Vec<u32>,
    found: Vec<u32>,
    claimed: Vec<u32>,
}

const LIMIT: usize = 30_000_000;
/// Cases below which nobody counts as an expert.
const MIN_CASES: u32 = 5;

impl Habits {
    /// `None` unless the labels are classes.
    pub fn of(table: &Table) -> Option<Habits> {
        let c = table.categorical()?;
        let k = c.k();
        let size = table.n_annotators().saturating_mul(k);
        let size = if size <= LIMIT { size } else { 0 };
        let mut h = Habits {
            k,
            votes: vec![0; k],
            labels: table.n_labels() as u64,
            said: vec![0; size],
            cases: vec![0; size],
            found: vec![0; size],
            claimed: vec![0; size],
        };
        let mut here = vec![0u32; k];
        let mut used: Vec<usize> = Vec::new();
        for u in 0..table.n_units() {
            used.clear();
            for r in table.rows(u) {
                let l = c.codes.get(r);
                h.votes[l] += 1;
                if here[l] == 0 {
                    used.push(l);
                }
                here[l] += 1;
            }
            if size > 0 {
                for r in table.rows(u) {
                    let (j, l) = (table.annotator()[r] as usize, c.codes.get(r));
                    h.said[j * k + l] += 1;
                    if let Some(major) = majority_without(&here, &used, l) {
                        h.cases[j * k + major] += 1;
                        h.claimed[j * k + l] += 1;
                        h.found[j * k + major] += (major == l) as u32;
                    }
                }
            }
            for &l in &used {
                here[l] = 0;
            }
        }
        Some(h)
    }

    pub fn class_shares(&self) -> Vec<ClassRow> {
        let all = self.labels.max(1) as f64;
        self.votes
            .iter()
            .enumerate()
            .map(|(class, &votes)| ClassRow { class, votes, share: votes as f64 / all })
            .collect()
    }

    /// Annotators with at least 20 labels of which 98 % are one class. With one class only there is nothing to say.
    pub fn unipolar(&self) -> Unipolar {
        let mut out = Unipolar::default();
        if self.k < 2 {
            return out;
        }
        let mut labels = 0;
        for (j, said) in self.said.chunks_exact(self.k).enumerate() {
            let n: u64 = said.iter().map(|&x| x as u64).sum();
            let best = (0..self.k).max_by_key(|&l| (said[l], std::cmp::Reverse(l))).unwrap_or(0);
            if n >= CONSTANT_N && said[best] as f64 >= CONSTANT * n as f64 {
                out.sources.push((j, best));
                labels += n;
            }
        }
        out.label_share = labels as f64 / self.labels.max(1) as f64;
        out
    }

    /// The best annotator of each class by the lower end of its recall, among those who do not say the class more
    /// often wrongly than rightly.
    pub fn experts(&self) -> Vec<Expert> {
        if self.said.is_empty() {
            return Vec::new();
        }
        (0..self.k).map(|class| self.expert(class)).collect()
    }

    fn expert(&self, class: usize) -> Expert {
        let k = self.k;
        let mut best: Option<(bool, f64, usize)> = None;
        for j in 0..self.said.len() / k {
            let (n, hits) = (self.cases[j * k + class], self.found[j * k + class]);
            if n < MIN_CASES {
                continue;
            }
            let precise = 2 * hits >= self.claimed[j * k + class];
            // a cheap lower end to rank by; the interval of the best is computed properly
            let p = (hits as f64 + 1.0) / (n as f64 + 2.0);
            let low = p - 1.645 * (p * (1.0 - p) / (n as f64 + 2.0)).sqrt();
            if best.is_none_or(|b| (precise, low) > (b.0, b.1)) {
                best = Some((precise, low, j));
            }
        }
        let Some((precise, _, j)) = best else {
            return Expert {
                class,
                annotator: None,
                recall: None,
                interval: None,
                n: 0,
                precision: None,
                evident: false,
            };
        };
        let (n, hits) = (self.cases[j * k + class] as f64, self.found[j * k + class] as f64);
        let interval = stats::rate_interval(hits, n);
        let claimed = self.claimed[j * k + class] as f64;
        Expert {
            class,
            annotator: Some(j),
            recall: Some(hits / n),
            interval: Some(interval),
            n: n as u64,
            precision: (claimed > 0.0).then(|| hits / claimed),
            evident: precise && interval[0] > 0.5,
        }
    }
}

/// The class that most of the other labels have when one label `without` is taken away; `None` if there is no single
/// one.
fn majority_without(here: &[u32], used: &[usize], without: usize) -> Option<usize> {
    let (mut best, mut most, mut tied) = (None, 0, false);
    for &l in used {
        let n = here[l] - u32::from(l == without);
        if n > most {
            (best, most, tied) = (Some(l), n, false);
        } else if n == most && n > 0 {
            tied = true;
        }
    }
    if tied { None } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelKind, TableBuilder};

    #[test]
    fn experts_and_one_class_sources() {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for i in 0..60 {
            let truth = if i % 2 == 0 { "x" } else { "y" };
            for a in ["good1", "good2", "good3"] {
                b.label(&format!("i{i}"), a, truth).unwrap();
            }
            b.label(&format!("i{i}"), "always", "x").unwrap();
        }
        let h = Habits::of(&b.finish().unwrap()).unwrap();
        assert_eq!(h.unipolar(), Unipolar { sources: vec![(3, 0)], label_share: 0.25 });
        let e = h.experts();
        assert!(e[1].evident && e[1].recall == Some(1.0) && e[1].annotator != Some(3), "{e:?}");
        // class y: the three good ones see 30 cases each, of which every one has two others saying y
        assert_eq!(e[1].n, 30);
    }

    #[test]
    fn majority_of_the_others() {
        assert_eq!(majority_without(&[2, 1], &[0, 1], 0), None); // one each is left
        assert_eq!(majority_without(&[2, 1], &[0, 1], 1), Some(0));
        assert_eq!(majority_without(&[1, 0], &[0], 0), None); // nobody else
    }
}
