//! How many gold questions, to whom, and when.

use super::evidence::{Record, half_width};
use super::sequential::{Fixed, SequentialTest};
use crate::answers::Answers;
use crate::model::{Known, Model, Settings};
use crate::named::{Named, inverse};
use crate::next::credit;
use crate::score::tempered;
use crowdwise_core::{Dataset, Error, Hint, stats};
use serde::Serialize;

/// Gold items that show the level of a crowd, once: fewer leave it open by more than 10 points, more tell little new.
const LEVEL: [usize; 2] = [30, 50];
/// Standard errors below the claim from which a crowd counts as misled.
const MISLED: f64 = 2.0;
/// Share of the questions that are gold for a crowd that is misled.
const MISLED_SHARE: [f64; 2] = [0.1, 0.2];
/// The same for any other crowd: enough to notice that somebody drifts.
const DRIFT_SHARE: [f64; 2] = [0.02, 0.05];
/// A gold item is retired after as many uses as a fifth of the annotators: by then they may know it.
const RETIRE: f64 = 0.2;

/// What is known when advice is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Knowledge<'a> {
    pub answers: &'a Answers,
    /// The model of these answers, fitted *without* the gold: otherwise it is right on gold items because it was told.
    pub model: &'a Model,
    /// The true class of every gold item.
    pub gold: &'a [Option<u16>],
    /// How right the labels are claimed to be, such as the mean of tempered posteriors; the model's own posteriors claim too much.
    pub claim: f64,
    /// Questions that will be asked.
    pub questions: usize,
    /// Accuracy of an annotator who is wanted.
    pub good: f64,
}

/// How right the labels are on gold items, beside what is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Level {
    /// Gold items with labels.
    pub n: usize,
    pub accuracy: f64,
    /// 90 % interval.
    pub low: f64,
    pub high: f64,
    pub claim: f64,
    /// Standard errors by which the accuracy is below the claim (negative: above).
    pub below: f64,
}

/// What gold questions are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// Too little is known of how right the labels are.
    Level,
    /// The crowd agrees on wrong answers: only gold tells who is good.
    Misled,
    /// A few, to notice annotators who get worse.
    Drift,
}

/// A gold item for an annotator who has not seen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GoldQuestion {
    pub item: u32,
    pub annotator: u32,
}

/// What to do about gold questions. Lists of numbers are not written: they mean nothing without names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    pub level: Option<Level>,
    pub purpose: Use,
    /// Gold items that are still wanted for the level.
    pub more_items: usize,
    /// Share of the coming questions that should be gold, from … to.
    pub share: [f64; 2],
    /// The test with which a new annotator is admitted, the questions that it takes in the mean for a guesser and for a good
    /// annotator, and the test of fixed length with the same errors.
    pub admission: SequentialTest,
    pub admission_means: [f64; 2],
    pub admission_fixed: Option<Fixed>,
    /// Annotators whose gold answers are those of a guesser.
    #[serde(skip)]
    pub suspend: Vec<u32>,
    /// Uses after which a gold item is retired.
    pub retire_after: usize,
    /// The items that are.
    #[serde(skip)]
    pub retired: Vec<u32>,
    /// Which to ask now: where the confusions are least certain.
    #[serde(skip)]
    pub ask: Vec<GoldQuestion>,
    /// The same in words.
    pub reasons: Vec<String>,
    pub advice: Hint,
}

/// What to do about gold questions, by the answers and the gold of a dataset, whose numbers are given back. The claim is the mean of
/// the tempered posteriors.
pub fn advise_on(data: &Dataset, questions: usize, good: f64) -> Result<Advice, Error> {
    let named = Named::of(&data.table)?;
    let answers = &named.answers;
    SequentialTest::for_classes(answers.k(), good).check()?;
    let model = Model::fitted(answers, &Known::default(), Settings::default());
    let gold = named.gold(&data.gold_classes().unwrap_or_default());
    let labelled = (0..answers.n_items()).filter(|&n| answers.degree(n) > 0);
    let claim = labelled.map(|n| tempered(model.posterior(n), answers.degree(n))).sum::<f64>();
    let claim = claim / answers.n_labelled().max(1) as f64;
    let mut out = advise(&Knowledge { answers, model: &model, gold: &gold, claim, questions, good });
    let (items, annotators) = (inverse(named.items.iter().copied()), inverse(named.annotators.iter().copied()));
    out.suspend.iter_mut().for_each(|j| *j = annotators[*j as usize]);
    out.retired.iter_mut().for_each(|n| *n = items[*n as usize]);
    for q in &mut out.ask {
        (q.item, q.annotator) = (items[q.item as usize], annotators[q.annotator as usize]);
    }
    Ok(out)
}

/// What to do about gold questions, by the answers so far.
pub fn advise(known: &Knowledge<'_>) -> Advice {
    let Knowledge { answers, gold, .. } = *known;
    let k = answers.k();
    let items: Vec<(usize, u16)> = gold
        .iter()
        .enumerate()
        .filter_map(|(n, g)| g.map(|g| (n, g)))
        .filter(|(n, _)| *n < answers.n_items())
        .collect();
    let level = level(known, &items);
    let n = level.map_or(0, |l| l.n);
    let misled = level.is_some_and(|l| l.n >= LEVEL[0] && l.below > MISLED);
    let (purpose, share) = match level {
        _ if misled => (Use::Misled, MISLED_SHARE),
        Some(l) if l.n >= LEVEL[0] => (Use::Drift, DRIFT_SHARE),
        _ => (Use::Level, DRIFT_SHARE),
    };
    // nobody shall be able to tell a gold item by being asked more often than others are
    let usual = answers.n_labels().div_ceil(answers.n_labelled().max(1));
    let retire_after = ((RETIRE * answers.n_annotators() as f64).ceil() as usize).max(usual);
    let (retired, fresh): (Vec<_>, Vec<_>) =
        items.iter().copied().partition(|&(n, _)| answers.degree(n) >= retire_after);
    let want = (0.5 * (share[0] + share[1]) * known.questions as f64).round() as usize;
    let want = if purpose == Use::Level { 0 } else { want };
    let ask = least_certain(known, &fresh, retire_after, want);
    let admission = SequentialTest::for_classes(k, known.good);
    let sound = admission.check().is_ok();
    let records = records(answers, &items);
    let suspend = (0..records.len() as u32).filter(|&j| records[j as usize].suspend(k)).collect();
    let reasons = reasons(level, purpose, n, ask.len(), want, retired.len());
    let advice = match purpose {
        Use::Level => "have the true label of 30 to 50 random items found out, once, and give them as gold",
        Use::Misled => "make 10 to 20 % of the questions gold, and never say which",
        Use::Drift => "test new annotators before they work, and make 2 to 5 % of the questions gold",
    };
    Advice {
        level,
        purpose,
        more_items: if purpose == Use::Level { LEVEL[1].saturating_sub(n) } else { 0 },
        share,
        admission,
        admission_means: if sound {
            [admission.walk(admission.guesser).mean, admission.walk(admission.good).mean]
        } else {
            [f64::NAN; 2]
        },
        admission_fixed: if sound { admission.fixed() } else { None },
        suspend,
        retire_after,
        retired: retired.iter().map(|r| r.0 as u32).collect(),
        ask,
        reasons,
        advice: advice.into(),
    }
}

/// Accuracy of the model's labels on the gold items that have labels; ties are shared.
fn level(known: &Knowledge<'_>, items: &[(usize, u16)]) -> Option<Level> {
    let (mut n, mut right) = (0usize, 0.0);
    for &(item, class) in items.iter().filter(|(i, _)| known.answers.degree(*i) > 0) {
        n += 1;
        right += credit(known.model.posterior(item), class as usize);
    }
    if n == 0 {
        return None;
    }
    let count = n as f64;
    let accuracy = right / count;
    let [low, high] = stats::rate_interval(right, count);
    // the error that a crowd would have whose claim is true: that of the accuracy itself is 0 at 0 and at 1
    let claim = known.claim.clamp(0.01, 0.99);
    let se = (claim * (1.0 - claim)).max(accuracy * (1.0 - accuracy)) / count;
    Some(Level { n, accuracy, low, high, claim: known.claim, below: (known.claim - accuracy) / se.sqrt() })
}

/// Gold answers of every annotator.
fn records(answers: &Answers, items: &[(usize, u16)]) -> Vec<Record> {
    let mut out = vec![Record::default(); answers.n_annotators()];
    for &(item, class) in items {
        let (who, what) = answers.of(item);
        for (&j, &l) in who.iter().zip(what) {
            let record = &mut out[j as usize];
            *(if l == class { &mut record.right } else { &mut record.wrong }) += 1.0;
        }
    }
    out
}

/// Variance of a column of a confusion matrix and the labels that it rests on, as a Dirichlet distribution.
fn column(model: &Model, annotator: usize, class: usize) -> (f64, f64) {
    let (b, k) = (model.of_annotator(annotator), model.k);
    let sum: f64 = (0..k).map(|l| b[l * k + class]).sum();
    let spread = (0..k).map(|l| b[l * k + class] / sum).map(|p| p * (1.0 - p)).sum();
    (spread, sum)
}

/// Pairs of gold items and annotators who have not labelled them, such that each answer narrows the columns of the confusion
/// matrices that are least certain, weighed by how common their class is. A pair is given once, an item until it is to be retired.
fn least_certain(known: &Knowledge<'_>, fresh: &[(usize, u16)], retire_after: usize, want: usize) -> Vec<GoldQuestion> {
    let (answers, model) = (known.answers, known.model);
    let mut columns: Vec<Vec<(f64, f64)>> =
        (0..answers.n_annotators()).map(|j| (0..model.k).map(|c| column(model, j, c)).collect()).collect();
    let share: Vec<f64> = model.log_prior.iter().map(|l| l.exp()).collect();
    let mut uses: Vec<usize> = fresh.iter().map(|f| answers.degree(f.0)).collect();
    let mut out: Vec<GoldQuestion> = Vec::new();
    let mut asked = std::collections::BTreeSet::new();
    while out.len() < want {
        // what one more label takes from the variance spread / (n + 1)
        let gain = |j: usize, c: u16| {
            let (spread, n) = columns[j][c as usize];
            share[c as usize] * spread / ((n + 1.0) * (n + 2.0))
        };
        let mut best: Option<(f64, usize, usize)> = None;
        for (at, &(item, class)) in fresh.iter().enumerate().filter(|(at, _)| uses[*at] < retire_after) {
            for j in 0..columns.len() {
                let g = gain(j, class);
                let better = best.is_none_or(|b| g > b.0);
                if better && !answers.has(item, j as u32) && !asked.contains(&(at, j)) {
                    best = Some((g, at, j));
                }
            }
        }
        let Some((_, at, j)) = best else { break };
        let (item, class) = fresh[at];
        asked.insert((at, j));
        uses[at] += 1;
        columns[j][class as usize].1 += 1.0;
        out.push(GoldQuestion { item: item as u32, annotator: j as u32 });
    }
    out
}

fn reasons(level: Option<Level>, purpose: Use, n: usize, asked: usize, want: usize, retired: usize) -> Vec<String> {
    let percent = |x: f64| format!("{:.0} %", 100.0 * x);
    let mut out = Vec::new();
    match (level, purpose) {
        (Some(l), Use::Misled) => out.push(format!(
            "{} of the labels are right on {} gold items, but {} are claimed: {:.1} standard errors more, so the crowd agrees on wrong \
             answers",
            percent(l.accuracy),
            l.n,
            percent(l.claim),
            l.below
        )),
        (Some(l), Use::Drift) => out.push(format!(
            "{} of the labels are right on {} gold items ({} to {}); {} are claimed",
            percent(l.accuracy),
            l.n,
            percent(l.low),
            percent(l.high),
            percent(l.claim)
        )),
        _ => out.push(format!(
            "{n} gold items with labels: at least {} are needed to know how right the labels are (then within {} points)",
            LEVEL[0],
            (100.0 * half_width(0.8, LEVEL[0])).round()
        )),
    }
    if asked < want {
        out.push(format!(
            "{asked} of {want} gold questions can be asked: there are too few gold items that are not used up ({retired} are)"
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Label;
    use crowdwise_core::stream;
    use rand::RngExt;

    /// 300 items, 20 annotators, 3 labels per item, right with `p`; on a share of the items all lean to the wrong class.
    fn crowd(p: f64, misled: f64) -> (Answers, Vec<u16>) {
        let mut rng = stream(4, "crowd", 0);
        let truth: Vec<u16> = (0..300).map(|_| rng.random_range(0..2)).collect();
        let mut labels = Vec::new();
        for (item, &t) in truth.iter().enumerate() {
            let seems = if rng.random::<f64>() < misled { 1 - t } else { t };
            for annotator in [item, item + 7, item + 13].map(|j| (j % 20) as u32) {
                let class = if rng.random::<f64>() < p { seems } else { 1 - seems };
                labels.push(Label { item: item as u32, annotator, class });
            }
        }
        (Answers::from_labels(300, 20, 2, &labels), truth)
    }

    fn advice(p: f64, misled: f64, gold: usize) -> Advice {
        let (answers, truth) = crowd(p, misled);
        let model = Model::fitted(&answers, &Known::default(), Settings::default());
        let gold: Vec<Option<u16>> = truth.iter().enumerate().map(|(n, &t)| (n < gold).then_some(t)).collect();
        advise(&Knowledge { answers: &answers, model: &model, gold: &gold, claim: 0.88, questions: 200, good: 0.8 })
    }

    #[test]
    fn a_misled_crowd_gets_gold_where_least_is_known() {
        let a = advice(0.85, 0.25, 120);
        assert_eq!((a.purpose, a.share), (Use::Misled, [0.1, 0.2]));
        assert_eq!(a.ask.len(), 30);
        let (answers, _) = crowd(0.85, 0.25);
        // nobody is asked what they have answered, nor the same twice; no item more often than it may be
        let mut seen = std::collections::BTreeSet::new();
        for q in &a.ask {
            assert!(q.item < 120 && !answers.has(q.item as usize, q.annotator) && seen.insert((q.item, q.annotator)));
        }
        assert_eq!(a.retire_after, 4);
        for item in 0..120u32 {
            assert!(3 + a.ask.iter().filter(|q| q.item == item).count() <= 4);
        }
        // spread over the crowd: nobody gets a third of the questions
        let most = (0..20).map(|j| a.ask.iter().filter(|q| q.annotator == j).count()).max();
        assert!(most < Some(10), "{most:?}");
    }

    #[test]
    fn an_honest_crowd_is_left_to_work() {
        let a = advice(0.85, 0.0, 60);
        assert_eq!((a.purpose, a.share, a.more_items), (Use::Drift, [0.02, 0.05], 0));
        assert_eq!(a.ask.len(), 7);
        let l = a.level.unwrap();
        assert!(l.n == 60 && l.low < l.accuracy && l.accuracy < l.high && l.below < 2.0);
        // the admission test is the one of the table: .6 against .8
        assert!((a.admission.guesser - 0.6).abs() < 1e-12 && a.admission_means[0] > 20.0);
    }

    #[test]
    fn without_gold_the_level_comes_first() {
        let a = advice(0.85, 0.25, 12);
        assert_eq!((a.purpose, a.more_items, a.ask.len()), (Use::Level, 38, 0));
        assert!(a.reasons[0].contains("12 gold items"), "{:?}", a.reasons);
        assert_eq!(advice(0.85, 0.0, 0).level, None);
    }
}
