//! The training loop: epochs, held-out labels, the best so far.

use crate::classifier::scores;
use crate::objective::{Batch, Outputs};
use crate::params::{Choose, Training};
use crate::{Classifier, Labels, Matrix, Mode, Objective, Probabilities, Weights};
use crowdwise_core::{Context, Diagnostics, Error, Event, Stop, TracePoint, stats};
use rand::seq::SliceRandom;
use serde_json::{Value, json};
use std::sync::Arc;

/// What is learned from.
#[derive(Debug)]
pub struct Task {
    /// Features of all items, as the network sees them; shared with methods whose annotators see them, too.
    pub x: Arc<Matrix>,
    pub labels: Labels,
    /// Items that are trained on.
    pub train: Vec<u32>,
    /// Items whose labels judge the epochs.
    pub held_out: Vec<u32>,
}

/// One epoch as it went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    pub epoch: usize,
    pub loss: f64,
    /// Mean log-likelihood of a held-out label.
    pub held_out: Option<f64>,
}

/// How the training went.
#[derive(Clone, Debug)]
pub struct History {
    pub stop: Stop,
    pub epochs: Vec<Epoch>,
    /// The epoch that is the result (counted from 1).
    pub chosen: usize,
    /// The learning rate was lowered so often because the loss was no longer a number.
    pub rescues: usize,
}

/// Batches between two looks at the cancel flag.
const STRIDE: usize = 64;
/// Times that training is taken back to the best epoch with a tenth of the learning rate before it is given up.
const RESCUES: usize = 3;

/// Trains until the epochs are over, no epoch is better for `patience` epochs, or the run is cancelled; then both sides
/// are taken back to the chosen epoch.
pub fn train(
    net: &mut dyn Classifier,
    objective: &mut dyn Objective,
    task: &Task,
    t: &Training,
    cx: &mut Context<'_>,
) -> Result<History, Error> {
    let judged: usize = task.held_out.iter().map(|&i| task.labels.degree(i as usize)).sum();
    let mut history = History { stop: Stop::MaxIter, epochs: Vec::new(), chosen: 0, rescues: 0 };
    let mut best: Option<(f64, usize, Weights, Vec<f64>)> = None;
    let start = (net.snapshot()?, objective.snapshot());
    let mut order = task.train.clone();
    let mut rescue = 1.0;
    for epoch in 1..=t.epochs {
        let factor = rescue * t.learning_rate_decay.powi(epoch as i32 - 1);
        net.set_rate(factor);
        order.copy_from_slice(&task.train);
        order.shuffle(&mut cx.rng("batches", epoch as u64));
        objective.begin_epoch(epoch, factor);
        let (loss, whole) = one_epoch(net, objective, task, &order, t.batch_size, cx)?;
        let held_out = cx.install(|| -> Result<Option<f64>, Error> {
            let mut all = |mode| scores(&mut *net, &task.x, &task.train, mode);
            objective.end_epoch(epoch, &mut Outputs { items: &task.train, labels: &task.labels, scores: &mut all })?;
            if judged == 0 {
                return Ok(None);
            }
            let f = objective.probabilities(&scores(&mut *net, &task.x, &task.held_out, Mode::Eval)?);
            Ok(Some(judge(&*objective, &f, task) / judged as f64))
        })??;
        let last_counts = t.choose == Choose::Last || held_out.is_none();
        let score = if last_counts { epoch as f64 } else { held_out.unwrap_or(f64::NEG_INFINITY) };
        // a part of an epoch is better than nothing, and worse than a whole one
        let better = best.is_none() || (whole && best.as_ref().is_some_and(|b| score > b.0));
        let mut finite = loss.is_finite() && held_out.is_none_or(f64::is_finite);
        let mut state = None;
        if finite && better {
            // soft-max hides weights that are none any more: the loss is a number all the same
            let now = (net.snapshot()?, objective.snapshot());
            finite = now.0.0.iter().all(|w| w.is_finite()) && now.1.iter().all(|x| !x.is_nan());
            state = Some(now);
        }
        if !finite {
            // back to the best state with smaller steps; what cannot be rescued is marked
            let (weights, annotators) = best.as_ref().map_or((&start.0, &start.1), |b| (&b.2, &b.3));
            net.restore(weights)?;
            objective.restore(annotators);
            history.rescues += 1;
            rescue *= 0.1;
            if history.rescues > RESCUES {
                history.stop = Stop::NotFinite;
                break;
            }
            continue;
        }
        history.epochs.push(Epoch { epoch, loss, held_out });
        cx.event(&Event::Epoch { epoch, epochs: t.epochs, loss, held_out });
        if let Some((weights, annotators)) = state {
            best = Some((score, epoch, weights, annotators));
        }
        if !whole || cx.cancelled() {
            history.stop = Stop::Cancelled;
            break;
        }
        let chosen = best.as_ref().map_or(epoch, |b| b.1);
        if t.patience > 0 && !last_counts && epoch - chosen >= t.patience {
            break;
        }
    }
    if let Some((_, epoch, weights, annotators)) = best {
        history.chosen = epoch;
        net.restore(&weights)?;
        objective.restore(&annotators);
    }
    if history.stop == Stop::MaxIter {
        history.stop = if judged == 0 { Stop::Direct } else { peak(&history, t) };
    }
    net.set_rate(1.0);
    Ok(history)
}

/// Powers of the classifier's probabilities that are tried when an epoch is judged.
const POWERS: [f64; 7] = [0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0];

/// Log-likelihood of the held-out labels, with the classifier sharpened or softened by one power for all items: an epoch
/// is judged by what it tells apart, not by how sure of itself it has become.
fn judge(objective: &dyn Objective, f: &Probabilities, task: &Task) -> f64 {
    let of = |power: &f64| {
        let mut rows: Vec<f64> = f.rows.iter().map(|p| power * p.ln()).collect();
        rows.chunks_exact_mut(f.k).for_each(|row| _ = stats::softmax(row));
        objective.log_likelihood(&Probabilities { k: f.k, rows }, &task.held_out, &task.labels)
    };
    POWERS.iter().map(of).fold(f64::NEG_INFINITY, |best, x| if x.is_nan() { x } else { best.max(x) })
}

/// Whether held-out labels say that training went on long enough.
fn peak(history: &History, t: &Training) -> Stop {
    let by = |a: &&Epoch, b: &&Epoch| a.held_out.unwrap_or(f64::MIN).total_cmp(&b.held_out.unwrap_or(f64::MIN));
    match history.epochs.iter().max_by(by) {
        Some(best) if best.epoch == t.epochs && t.epochs > 1 => Stop::MaxIter,
        _ => Stop::Converged,
    }
}

/// Mean loss of the epoch, and whether it was finished before the run was cancelled.
fn one_epoch(
    net: &mut dyn Classifier,
    objective: &mut dyn Objective,
    task: &Task,
    order: &[u32],
    batch_size: usize,
    cx: &mut Context<'_>,
) -> Result<(f64, bool), Error> {
    let n = order.len();
    let size = if batch_size == 0 { n } else { batch_size.min(n) };
    // batches of equal size but for one: no small rest that pulls as hard as a whole batch
    let batches = n.div_ceil(size.max(1)).max(1);
    let bounds = |b: usize| n * b / batches;
    let mut sum = 0.0;
    let (mut x, mut d) = (Matrix::default(), Matrix::default());
    let mut done = 0;
    while done < batches {
        let until = (done + STRIDE).min(batches);
        sum += cx.install(|| -> Result<f64, Error> {
            let mut sum = 0.0;
            for b in done..until {
                let items = &order[bounds(b)..bounds(b + 1)];
                x.gather(&task.x, items);
                objective.perturb(net, items, &mut x)?;
                let z = net.forward_kept(&mut x)?;
                d.resize(z.rows, z.cols);
                d.values.fill(0.0);
                let loss = objective.step(&z, &Batch { items, x: net.seen(&x), labels: &task.labels }, &mut d);
                sum += loss * items.len() as f64;
                if !loss.is_finite() || d.values.iter().any(|v| !v.is_finite()) {
                    return Ok(f64::NAN);
                }
                net.backward(&d)?;
            }
            Ok(sum)
        })??;
        done = until;
        if sum.is_nan() {
            return Ok((f64::NAN, true));
        }
        if done < batches && cx.cancelled() {
            let seen = bounds(done).max(1);
            return Ok((sum / seen as f64, false));
        }
    }
    Ok((sum / n.max(1) as f64, true))
}

impl History {
    /// As a fit reports it: the objective of an epoch is the mean log-likelihood of a held-out label, without held-out
    /// labels the loss with its sign changed; the change is that of the loss.
    pub fn diagnostics(&self) -> Diagnostics {
        let mut before = f64::NAN;
        let trace = self.epochs.iter().map(|e| {
            let change = if before.is_nan() { e.loss.abs() } else { (e.loss - before).abs() };
            before = e.loss;
            TracePoint { iteration: e.epoch, objective: Some(e.held_out.unwrap_or(-e.loss)), change }
        });
        let trace: Vec<TracePoint> = trace.collect();
        let chosen = self.epochs.iter().find(|e| e.epoch == self.chosen);
        let (kind, value) = match chosen.map(|e| (e.held_out, e.loss)) {
            Some((Some(h), _)) => ("held-out log-likelihood of a label", h),
            Some((None, loss)) => ("loss, sign changed", -loss),
            None => ("", f64::NAN),
        };
        let mut details = serde_json::Map::new();
        details.insert("chosen_epoch".into(), self.chosen.into());
        details.insert("epochs".into(), self.epochs.iter().map(Epoch::json).collect());
        if self.rescues > 0 {
            details.insert("rescues".into(), self.rescues.into());
        }
        Diagnostics {
            stop: self.stop,
            iterations: self.epochs.last().map_or(0, |e| e.epoch),
            objective: value.is_finite().then(|| crowdwise_core::Objective { kind: kind.into(), value }),
            trace,
            details,
        }
    }
}

impl Epoch {
    fn json(&self) -> Value {
        json!({"epoch": self.epoch, "loss": self.loss, "held_out": self.held_out})
    }
}
