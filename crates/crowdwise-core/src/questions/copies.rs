//! Annotators who repeat each other's mistakes. Agreeing on what is right proves nothing; saying the same wrong class as
//! another one, more often than the rest of the annotators of the item do, is hard to explain otherwise.

mod stands_out;
mod words;

pub use words::copy_findings;

use super::pairs::Pairs;
use super::patterns::last_labels;
use super::sets::is_sets;
use crate::{Dataset, Finding, Fit, Structure, stats};
use serde::{Deserialize, Serialize};

/// Two annotators who err together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CopyPair {
    pub a: usize,
    pub b: usize,
    /// Items that both labelled.
    pub common: u64,
    /// Expected errors of the one, on these items, and how many of them the other repeats.
    pub errors: f64,
    pub repeated: f64,
    /// How many would be repeated by somebody who errs on these items like the others, or by habit.
    pub chance: f64,
    /// Probability of as many by chance, corrected for all pairs that were looked at (Holm).
    pub p: f64,
    /// Share of the common items on which both say the same, and the most that either says the same as anybody outside
    /// their group.
    pub agreement: f64,
    pub next: f64,
    /// The two agree more than either agrees with anybody outside their group, and hardly err apart: what all annotators find
    /// hard, and a view that several share, do not explain it.
    pub stands_out: bool,
}

/// Items in common that make a pair worth a look.
const MIN_COMMON: u64 = 10;
/// Pairs at most: those with the most items in common.
const MOST: usize = 200_000;
/// Corrected probability below which a pair is reported, and the share of errors that must be repeated.
const SURE: f64 = 0.01;
const REPEATED: f64 = 0.5;

#[derive(Clone, Copy, Debug, Default)]
struct Way {
    errors: f64,
    repeated: f64,
    chance: f64,
}

/// The pairs that surely err together under a posterior (units x K), the surest first, and how many pairs were looked at. The chance of an error to be
/// repeated is the share of the *other* annotators of the item who make it, mixed with one label of the annotator's usual
/// errors, and at least the annotator's own habit of saying so: items on which everybody errs are no sign of copying, and
/// neither is to say the same class always. Each pair is tested from both sides; the weaker counts.
pub fn copies(data: &Dataset, q: &[f64]) -> (Vec<CopyPair>, usize) {
    let Some(labels) = data.table.categorical() else { return (Vec::new(), 0) };
    let (table, k) = (&data.table, labels.k());
    if k < 2 {
        return (Vec::new(), 0);
    }
    let pairs = Pairs::of(table, MIN_COMMON);
    let mut found = pairs.with_at_least(MIN_COMMON);
    found.truncate(MOST);
    let slots = pairs.slots(&found);
    // how often each annotator is wrong
    let (mut n, mut wrong) = (vec![1.0; table.n_annotators()], vec![0.5; table.n_annotators()]);
    for u in 0..table.n_units() {
        for r in last_labels(table, u) {
            let j = table.annotator()[r] as usize;
            n[j] += 1.0;
            wrong[j] += 1.0 - q[u * k + labels.codes.get(r)];
        }
    }
    let usual: Vec<f64> = wrong.iter().zip(&n).map(|(w, n)| w / n / (k - 1) as f64).collect();
    let habits = Habits::of(data, q, k);
    let mut ways = vec![[Way::default(); 2]; found.len()];
    let mut agreed = vec![0.0; found.len()];
    let mut here: Vec<(u32, usize)> = Vec::new();
    let mut votes = vec![0.0; k];
    let mut likely: Vec<(usize, f64)> = Vec::new();
    for u in 0..table.n_units() {
        likely.clear();
        likely.extend(q[u * k..(u + 1) * k].iter().copied().enumerate().filter(|z| z.1 > UNLIKELY));
        here.clear();
        here.extend(last_labels(table, u).map(|r| (table.annotator()[r], labels.codes.get(r))));
        votes.fill(0.0);
        here.iter().for_each(|x| votes[x.1] += 1.0);
        let others = here.len() as f64 - 2.0;
        pairs.each_slot(&slots, &here, |s, a, b| {
            let (ja, jb) = (found[s].0 as usize, found[s].1 as usize);
            let both = f64::from(u8::from(a == b));
            agreed[s] += both;
            // (said by the one who errs, who may repeat it)
            for (way, said, other) in [(0, a, jb), (1, b, ja)] {
                let error = 1.0 - q[u * k + said];
                let w = &mut ways[s][way];
                w.errors += error;
                w.repeated += error * both;
                let share = ((votes[said] - 1.0 - both) + usual[other]) / (others + 1.0);
                w.chance += (error * share).max(habits.expected(other, said, &likely));
            }
        });
    }
    let mut out: Vec<CopyPair> = Vec::new();
    for ((&(a, b, common), ways), &agreed) in found.iter().zip(&ways).zip(&agreed) {
        let tested = ways.map(|w| {
            let p = (w.chance / w.errors.max(1e-9)).clamp(0.0, 1.0);
            (if w.errors < 1.0 { 1.0 } else { stats::binomial_tail(w.repeated, w.errors, p) }, w)
        });
        let (p, w) = if tested[0].0 >= tested[1].0 { tested[0] } else { tested[1] };
        let Way { errors, repeated, chance } = w;
        let agreement = agreed / f64::from(common.max(1));
        let (a, b, common) = (a as usize, b as usize, common.into());
        out.push(CopyPair { a, b, common, errors, repeated, chance, p, agreement, next: 0.0, stands_out: false });
    }
    let tests = out.len();
    out.sort_by(|x, y| x.p.total_cmp(&y.p).then(y.repeated.total_cmp(&x.repeated)).then((x.a, x.b).cmp(&(y.a, y.b))));
    // Holm: the smallest probability times the number of tests, the next times one less, never falling
    let mut least = 0.0f64;
    for (rank, c) in out.iter_mut().enumerate() {
        least = least.max((c.p * (tests - rank) as f64).min(1.0));
        c.p = least;
    }
    out.retain(|c| c.p < SURE && c.repeated >= REPEATED * c.errors);
    stands_out::beside_the_others(&mut out, &found, &agreed, table.n_annotators());
    (out, tests)
}

/// Share of the errors of one annotator that another repeats if the two are one voice.
const ONE_VOICE: f64 = 0.8;

/// For every annotator, how many there are of those, over links of two, who repeat each other's errors under a posterior (units x K): they are
/// as good as one.
pub fn voices(data: &Dataset, q: &[f64]) -> Vec<f64> {
    let mut group: Vec<usize> = (0..data.table.n_annotators()).collect();
    for c in copies(data, q).0.iter().filter(|c| c.repeated >= ONE_VOICE * c.errors) {
        let (from, to) = (group[c.a].max(group[c.b]), group[c.a].min(group[c.b]));
        if from != to {
            group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
    let mut size = vec![0.0; group.len()];
    group.iter().for_each(|&g| size[g] += 1.0);
    group.iter().map(|&g| size[g]).collect()
}

/// How often each annotator says each class instead of each other one. Two who always say the same class repeat all errors of
/// each other, and copy nobody.
struct Habits {
    k: usize,
    /// P(says l | truth z), annotators x K x K; empty where that is too much.
    rate: Vec<f64>,
}

/// Numbers of all habits at most.
const HABITS: usize = 10_000_000;
/// Classes that are less likely are no truth to think of.
const UNLIKELY: f64 = 1e-3;

impl Habits {
    fn of(data: &Dataset, q: &[f64], k: usize) -> Habits {
        let table = &data.table;
        let Some(labels) = table.categorical().filter(|_| table.n_annotators().saturating_mul(k * k) <= HABITS) else {
            return Habits { k, rate: Vec::new() };
        };
        // one label's worth of saying anything
        let mut rate = vec![1.0 / k as f64; table.n_annotators() * k * k];
        for u in 0..table.n_units() {
            for r in last_labels(table, u) {
                let (j, l) = (table.annotator()[r] as usize, labels.codes.get(r));
                (0..k).for_each(|z| rate[(j * k + z) * k + l] += q[u * k + z]);
            }
        }
        for row in rate.chunks_exact_mut(k) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x /= sum);
        }
        Habits { k, rate }
    }

    /// Probability that `said` is wrong and that the annotator says it by habit; `truth` are the classes to think of.
    fn expected(&self, annotator: usize, said: usize, truth: &[(usize, f64)]) -> f64 {
        if self.rate.is_empty() {
            return 0.0;
        }
        let own = &self.rate[annotator * self.k * self.k..];
        truth.iter().filter(|(z, _)| *z != said).map(|(z, p)| p * own[z * self.k + said]).sum()
    }
}

/// Annotators, classes and pairs of labels up to which every fit looks for copies: more would take longer than many a fit.
const FEW_ANNOTATORS: usize = 300;
const FEW_CLASSES: usize = 64;
const FEW_PAIRS: u64 = 1_000_000;
/// A posterior that is wrong on some items, as plain votes are among spammers, makes good annotators err together: a fit that was
/// not asked for copies tells only of those that nothing else explains. Those who copy hundreds of labels are far below this.
const BEYOND_DOUBT: f64 = 1e-4;
/// For the same reason the posterior must be that of a model, and sure on average: shares of votes are no such thing.
const SURE_ON_AVERAGE: f64 = 0.9;

/// Copies under the posterior of any fit of classes, where looking for them is cheap and means something: tokens of a
/// sequence, and classes of a set, err together by themselves. Nothing if the method has told of them already.
pub(super) fn of_fit(data: &Dataset, fit: &Fit) -> Vec<Finding> {
    let (Some((k, q)), Structure::Independent | Structure::Graph(_)) = (fit.model_posterior(), &data.structure) else {
        return Vec::new();
    };
    let table = &data.table;
    let told = fit.findings.iter().any(|f| ["copies", "shared-errors"].contains(&f.code.as_str()));
    if told || table.n_annotators() > FEW_ANNOTATORS || k > FEW_CLASSES || is_sets(data) {
        return Vec::new();
    }
    let sure = q.chunks_exact(k.max(1)).map(|row| row.iter().copied().fold(0.0, f64::max)).sum::<f64>();
    if fit.diagnostics.objective.is_none() || sure < SURE_ON_AVERAGE * table.n_units() as f64 {
        return Vec::new();
    }
    let mut work = 0u64;
    for u in 0..table.n_units() {
        let d = table.degree(u) as u64;
        work += d * d.saturating_sub(1) / 2;
        if work > FEW_PAIRS {
            return Vec::new();
        }
    }
    let (mut found, tests) = copies(data, q);
    found.retain(|c| c.p < BEYOND_DOUBT);
    copy_findings(data, &found, tests)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelKind, Severity, Subject, TableBuilder};

    /// 200 items of two classes, labelled by four good annotators and two more; their answers by item and truth.
    fn crowd(two: impl Fn(usize, usize) -> [usize; 2]) -> (Dataset, Vec<f64>) {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let mut q = Vec::new();
        for i in 0..200 {
            let z = i * 7 % 3 % 2;
            q.extend(if z == 0 { [1.0, 0.0] } else { [0.0, 1.0] });
            for j in 0..4 {
                let wrong = (i * 13 + j * 29) % 10 == 0;
                b.label(&format!("i{i}"), &format!("a{j}"), ["n", "y"][if wrong { 1 - z } else { z }]).unwrap();
            }
            for (name, said) in ["x", "y"].iter().zip(two(i, z)) {
                b.label(&format!("i{i}"), name, ["n", "y"][said]).unwrap();
            }
        }
        (Dataset::new(b.finish().unwrap()), q)
    }

    fn found(two: impl Fn(usize, usize) -> [usize; 2]) -> usize {
        let (data, q) = crowd(two);
        copies(&data, &q).0.len()
    }

    fn told(two: impl Fn(usize, usize) -> [usize; 2]) -> Vec<Finding> {
        let (data, q) = crowd(two);
        let (found, tests) = copies(&data, &q);
        copy_findings(&data, &found, tests)
    }

    fn wrong_if(wrong: bool, z: usize) -> usize {
        if wrong { 1 - z } else { z }
    }

    #[test]
    fn the_same_habit_is_no_copy_but_the_same_errors_are() {
        assert_eq!(found(|_, _| [1, 1]), 0, "both always say y");
        // both err on the same third of the items, which nobody else finds hard
        let same = |i: usize, z: usize| wrong_if(i.is_multiple_of(3), z);
        assert_eq!(found(|i, z| [same(i, z); 2]), 1);
        // each errs on a third of its own
        let other = |i: usize, z: usize| wrong_if(i % 3 == 1, z);
        assert_eq!(found(|i, z| [same(i, z), other(i, z)]), 0);
    }

    #[test]
    fn only_who_agrees_with_nobody_else_as_much_is_said_to_copy() {
        let accused = told(|i, z| [wrong_if(i.is_multiple_of(3), z); 2]);
        assert_eq!(accused.len(), 1);
        assert!(accused[0].code == "copies" && accused[0].message.contains("with nobody else"), "{accused:?}");
        // both err on the same 29 items, and the second on 25 of its own: they agree no more than with the good ones
        let neutral = told(|i, z| [wrong_if(i % 7 == 0, z), wrong_if(i % 7 == 0 || i % 8 == 1, z)]);
        assert_eq!(neutral.len(), 1, "{neutral:?}");
        let f = &neutral[0];
        assert!(f.code == "shared-errors" && f.severity == Severity::Info && f.subject == Subject::Data, "{f:?}");
        assert!(f.message.contains("`x` and `y` agree on errors") && !f.message.contains("cop"), "{}", f.message);
    }

    #[test]
    fn a_school_of_three_shares_a_view_and_copies_nobody() {
        // three say `y` of a fifth of the items, where four others do not, and have errors of their own
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let mut q = Vec::new();
        for i in 0..300usize {
            let z = usize::from(i % 5 != 0 && i % 2 == 0);
            q.extend(if z == 0 { [1.0, 0.0] } else { [0.0, 1.0] });
            for j in 0..7 {
                let slip = (i * 31 + j * j * 17) % 12 == 0;
                let said = if j < 3 && i % 5 == 0 { 1 } else { z };
                b.label(&format!("i{i}"), &format!("a{j}"), ["n", "y"][wrong_if(slip, said)]).unwrap();
            }
        }
        let data = Dataset::new(b.finish().unwrap());
        let (found, tests) = copies(&data, &q);
        let told = copy_findings(&data, &found, tests);
        assert!(!told.is_empty() && told.iter().all(|f| f.code == "shared-errors"), "{told:?}");
    }
}
