//! How easy an item is: labels come from the annotator's confusions as far as it is easy, from their habits as far as it is not.

use crate::answers::Answers;
use crate::model::{Known, Model};
use crowdwise_numerics::fast;

/// Levels of easiness …
pub const EASE: [f64; 3] = [1.0, 0.5, 0.0];
/// … and how common they are taken to be.
const SHARES: [f64; 3] = [0.8, 0.15, 0.05];
/// Labels by which the habit of an annotator is drawn to that of the crowd.
const SMOOTHING: f64 = 4.0;

/// How often each annotator gives each label, whatever the item (annotators x K).
#[derive(Clone, Debug, PartialEq)]
pub struct Habits {
    k: usize,
    /// Of the crowd.
    pub crowd: Vec<f64>,
    of: Vec<f64>,
}

impl Habits {
    pub fn of(answers: &Answers) -> Habits {
        let k = answers.k();
        let all = answers.n_labels().max(1) as f64;
        let crowd: Vec<f64> = answers.by_class().iter().map(|&n| n as f64 / all).collect();
        let mut of = vec![0.0; answers.n_annotators() * k];
        for l in answers.iter() {
            of[l.annotator as usize * k + l.class as usize] += 1.0;
        }
        for (own, &n) in of.chunks_exact_mut(k).zip(answers.by_annotator()) {
            for (x, c) in own.iter_mut().zip(&crowd) {
                *x = (*x + SMOOTHING * c) / (f64::from(n) + SMOOTHING);
            }
        }
        Habits { k, crowd, of }
    }

    pub fn of_annotator(&self, annotator: usize) -> &[f64] {
        &self.of[annotator * self.k..(annotator + 1) * self.k]
    }
}

/// Logarithms of the labels' probabilities at every level, so that many items can be asked.
#[derive(Clone, Debug)]
pub struct Ease<'a> {
    model: &'a Model,
    /// Annotators x K x K, level by level in the innermost places: only what is not 1.
    logs: Vec<[f64; 2]>,
}

impl<'a> Ease<'a> {
    pub fn new(model: &'a Model, habits: &Habits) -> Ease<'a> {
        let k = model.k;
        let log = |(at, &a): (usize, &f64)| {
            let u = habits.of[at / k];
            [1, 2].map(|g| fast::ln((EASE[g] * a + (1.0 - EASE[g]) * u).max(1e-12)))
        };
        Ease { model, logs: model.confusions().iter().enumerate().map(log).collect() }
    }

    /// Joint posterior of class and level of an item into `out` (K x levels).
    pub fn of_item(&self, answers: &Answers, known: &Known, item: usize, out: &mut [[f64; 3]]) {
        let k = self.model.k;
        let logs = known.class_logs.get(item * k..(item + 1) * k).unwrap_or(&self.model.log_prior);
        for (z, prior) in out.iter_mut().zip(logs) {
            *z = SHARES.map(|s| s.ln() + prior);
        }
        if let Some(class) = known.gold(item) {
            out.iter_mut().enumerate().filter(|(c, _)| *c != class as usize).for_each(|(_, z)| *z = [-1e300; 3]);
        }
        let (who, what) = answers.of(item);
        for (&j, &l) in who.iter().zip(what) {
            let at = (j as usize * k + l as usize) * k;
            for (c, z) in out.iter_mut().enumerate() {
                z[0] += self.model.log_b[at + c];
                z[1] += self.logs[at + c][0];
                z[2] += self.logs[at + c][1];
            }
        }
        let max = out.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for x in out.iter_mut().flatten() {
            *x = fast::exp(*x - max);
            sum += *x;
        }
        out.iter_mut().flatten().for_each(|x| *x /= sum);
    }
}

/// The posterior of an item with `labels` labels as it should be claimed: annotators err together, so that more labels tell less than
/// the model believes. The probability of the likeliest class.
pub fn tempered(q: &[f64], labels: usize) -> f64 {
    let power = (1.0 / (1.0 + 0.7 * labels.saturating_sub(1) as f64)).max(0.1);
    let max = q.iter().copied().fold(0.0, f64::max);
    1.0 / q.iter().map(|x| (x.max(1e-12) / max).powf(power)).sum::<f64>()
}

/// What the joint posterior says in short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// Probability of the likeliest class.
    pub sure: f64,
    /// Probability that labels tell nothing.
    pub hopeless: f64,
}

impl Doubt {
    pub fn of(joint: &[[f64; 3]]) -> Doubt {
        Doubt {
            sure: joint.iter().map(|z| z.iter().sum::<f64>()).fold(0.0, f64::max),
            hopeless: joint.iter().map(|z| z[2]).sum(),
        }
    }
}

/// The channel of the next label of an item with this joint posterior, and the posterior of its class: the annotator's confusions as
/// far as the item is easy, their habit as far as it is not.
pub fn dimmed(joint: &[[f64; 3]], a: &[f64], habit: &[f64], q: &mut [f64], channel: &mut [f64]) {
    let k = q.len();
    for c in 0..k {
        q[c] = joint[c].iter().sum();
        let ease = (joint[c][0] + EASE[1] * joint[c][1]) / q[c].max(1e-300);
        for l in 0..k {
            channel[l * k + c] = ease * a[l * k + c] + (1.0 - ease) * habit[l];
        }
    }
}
