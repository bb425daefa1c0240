//! What more labels would bring: the accuracy at so many labels per item, for this crowd or another, before they are asked for.
//!
//! Classes, easiness of items and confusions are drawn from what the answers so far (the pilot) leave open; each draw
//! answers further questions, the model that is used while asking is fitted to all, and its labels are compared with the draw.
//! Gold items move the level, and every number has its interval.

mod doubts;
mod future;
mod level;
mod sampler;

pub use future::Crowd;
pub use level::{Estimate, GoldLevel, Shift};
pub use sampler::LEVELS;

use crate::answers::{Answers, Label};
use crate::model::{Known, Model, Settings};
use crate::named::Named;
use crate::next::credit;
use crate::score::Habits;
use crate::strategy::Strategy;
use crowdwise_core::questions::parts;
use crowdwise_core::{Dataset, Error, Finding, LabelKind, Problems, Severity, stream};
use future::{Members, accuracy_by, accuracy_with, labels, right};
use rayon::prelude::*;
use sampler::Draw;
use serde::Serialize;

/// What is planned for.
#[derive(Clone, Debug, PartialEq)]
pub struct Planner {
    /// Labels per item at which the accuracy is wanted; empty: a few up to 20.
    pub per_item: Vec<usize>,
    /// Sums of money at which it is wanted.
    pub money: Vec<f64>,
    /// Price of a label.
    pub price: f64,
    /// Accuracy that shall be reached.
    pub target: Option<f64>,
    /// Draws; the error of a prediction by chance falls with their root, but is small beside that of the model.
    pub draws: usize,
    /// Labels per item at which the accuracy counts as all that can be had.
    pub most: usize,
}

impl Default for Planner {
    fn default() -> Self {
        Planner { per_item: Vec::new(), money: Vec::new(), price: 1.0, target: None, draws: 8, most: 50 }
    }
}

/// Somebody to ask: a name for people, who they are, and what they cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub name: String,
    /// How items and annotators are chosen; any but `fewest` takes the crowd as it is.
    pub strategy: Strategy,
    pub crowd: Crowd,
    /// Price of a label of theirs; that of the planner if none.
    pub price: Option<f64>,
}

/// One point of the outlook.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub strategy: String,
    /// Mean number of labels per item, those of the pilot among them.
    pub labels_per_item: f64,
    /// Labels to ask for, beside those of the pilot.
    pub labels: u64,
    /// What they cost.
    pub money: f64,
    #[serde(flatten)]
    pub estimate: Estimate,
    /// What each draw predicts, before gold moves the level.
    #[serde(skip)]
    pub draws: Vec<f64>,
}

/// What it takes to reach an accuracy. Numbers of labels are those to ask for beside the pilot; none: not within `most` labels per item.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Target {
    pub accuracy: f64,
    /// Until the estimate reaches it.
    pub labels: Option<u64>,
    /// If all is better than estimated: until the upper end of the interval reaches it.
    pub labels_low: Option<u64>,
    /// If all is worse: until the lower end does.
    pub labels_high: Option<u64>,
    /// Labels per item at `labels`.
    pub labels_per_item: Option<f64>,
    pub reachable: bool,
}

/// The outlook with one crowd.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlook {
    pub strategy: String,
    pub rows: Vec<Row>,
    /// With as many labels per item as there can be.
    pub ceiling: Row,
    pub target: Option<Target>,
}

/// The answers so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pilot {
    pub items: usize,
    pub annotators: usize,
    pub labels: usize,
    pub labels_per_item: f64,
    pub estimate: Estimate,
}

/// What more labels would bring.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    pub pilot: Pilot,
    pub gold: Option<GoldLevel>,
    pub outlooks: Vec<Outlook>,
    /// What the pilot cannot tell.
    pub findings: Vec<Finding>,
}

impl Plan {
    /// Whether the pilot can tell anything.
    pub fn can_tell(&self) -> bool {
        self.findings.iter().all(|f| f.severity < Severity::Problem)
    }
}

impl Choice {
    /// This crowd, the items with the fewest labels first.
    pub fn of(name: impl Into<String>, crowd: Crowd) -> Choice {
        Choice { name: name.into(), strategy: Strategy::Fewest, crowd, price: None }
    }

    /// The crowd as it is, by a strategy.
    pub fn by(strategy: Strategy) -> Choice {
        Choice { strategy, ..Choice::of(strategy.name(), Crowd::Same) }
    }
}

/// Labels per item to which a strategy that looks at every answer is followed.
const FOLLOWED: usize = 20;
/// Points at which nobody asked for the accuracy.
const USUAL: [usize; 9] = [2, 3, 4, 5, 7, 10, 15, 20, 30];
/// Points between which the labels for a target are interpolated.
const GRID: [usize; 14] = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50];

impl Planner {
    pub fn check(&self) -> Result<(), Error> {
        let mut problems = Problems::default();
        problems.count("draws", self.draws);
        problems.positive("price", self.price);
        problems.require((1..=1000).contains(&self.most), "most", self.most, "from 1 to 1000 labels per item");
        if let Some(target) = self.target {
            problems.between("target", target, 0.0, 1.0);
        }
        for &money in &self.money {
            problems.at_least("money", money, 0.0);
        }
        for &r in &self.per_item {
            let must = format!("from 1 to {} labels per item", self.most);
            problems.require((1..=self.most).contains(&r), "per_item", r, &must);
        }
        Error::all(problems.0)
    }

    /// The outlook with each of these crowds. The gold of the data is used for the level only.
    pub fn plan(&self, data: &Dataset, crowds: &[Choice], seed: u64) -> Result<Plan, Error> {
        self.check()?;
        let pilot = pilot(data)?;
        let gold = pilot.gold(&data.gold_classes().unwrap_or_default());
        let crowds: Vec<Choice> = crowds.iter().map(|c| renumbered(c, &pilot)).collect::<Result<_, _>>()?;
        let answers = &pilot.answers;
        let model = Model::fitted(answers, &Known::default(), Settings::default());
        let habits = Habits::of(answers);
        let draws = sampler::draws(answers, &model, &habits, self.draws, seed);
        let now: Vec<f64> = draws.iter().map(|d| right(&model, &d.truth, |_| true)).collect();
        // gold speaks of items with labels
        let labelled = draws.iter().map(|d| right(&model, &d.truth, |n| answers.degree(n) > 0));
        let level = level_of(answers, &model, &gold);
        let shift = Shift::new(answers.k(), labelled.sum::<f64>() / draws.len() as f64, level);
        let n = answers.n_items() as f64;
        let per_item = answers.n_labels() as f64 / n;
        let start = |strategy: &str| Row {
            strategy: strategy.into(),
            labels_per_item: per_item,
            labels: 0,
            money: 0.0,
            estimate: shift.estimate(&now),
            draws: now.clone(),
        };
        let outlooks = crowds
            .iter()
            .enumerate()
            .map(|(c, crowd)| {
                self.outlook(&pilot, &model, &habits, &draws, crowd, &shift, &start(&crowd.name), (seed, c))
            })
            .collect();
        Ok(Plan {
            pilot: Pilot {
                items: answers.n_items(),
                annotators: answers.n_annotators(),
                labels: answers.n_labels(),
                labels_per_item: per_item,
                estimate: shift.estimate(&now),
            },
            gold: level,
            outlooks,
            findings: doubts::doubts(answers, parts(&data.table), level),
        })
    }

    /// Accuracies by point and draw where the items with the fewest labels come first.
    fn by_count(
        &self,
        answers: &Answers,
        habits: &Habits,
        draws: &[Draw],
        members: &Members,
        points: &[u64],
        (seed, number): (u64, usize),
    ) -> Vec<f64> {
        let futures: Vec<Vec<Label>> = draws
            .par_iter()
            .enumerate()
            .map(|(d, draw)| {
                let rng = stream(seed, "plan: labels", ((number as u64) << 32) + d as u64);
                labels(answers, draw, habits, members, self.most, rng)
            })
            .collect();
        let work: Vec<(usize, usize)> = (0..points.len()).flat_map(|p| (0..draws.len()).map(move |d| (p, d))).collect();
        let one = |&(p, d): &(usize, usize)| {
            let coming = &futures[d][..(points[p] as usize).min(futures[d].len())];
            accuracy_with(answers, coming, members.annotators, &draws[d].truth)
        };
        work.par_iter().map(one).collect()
    }

    fn outlook(
        &self,
        pilot: &Named,
        model: &Model,
        habits: &Habits,
        draws: &[Draw],
        choice: &Choice,
        shift: &Shift,
        start: &Row,
        (seed, number): (u64, usize),
    ) -> Outlook {
        let answers = &pilot.answers;
        let members = Members::of(&choice.crowd, answers, model, self.most);
        let price = choice.price.unwrap_or(self.price);
        // labels that can be asked for until every item has r
        let left: Vec<usize> = (0..answers.n_items()).map(|n| members.left(answers, n)).collect();
        let until = |r: usize| -> u64 {
            (0..answers.n_items()).map(|n| r.saturating_sub(answers.degree(n)).min(left[n]) as u64).sum()
        };
        let most = if choice.strategy == Strategy::Fewest { self.most } else { self.most.min(FOLLOWED) };
        let end = until(most);
        let asked = if self.per_item.is_empty() && self.money.is_empty() { &USUAL[..] } else { &self.per_item[..] };
        let budget = |money: f64| ((money / price + 1e-9).floor() as u64).min(end);
        let mut shown: Vec<u64> =
            asked.iter().map(|&r| until(r.min(most))).chain(self.money.iter().map(|&m| budget(m))).collect();
        shown.retain(|l| *l > 0);
        let grid = GRID.iter().filter(|r| **r < most).map(|&r| until(r)).filter(|_| self.target.is_some());
        let mut points: Vec<u64> = shown.iter().copied().chain(grid).chain([end]).filter(|l| *l > 0).collect();
        points.sort_unstable();
        points.dedup();
        let right = if choice.strategy == Strategy::Fewest {
            self.by_count(answers, habits, draws, &members, &points, (seed, number))
        } else {
            let one = |(d, draw): (usize, &Draw)| {
                let rng = stream(seed, "plan: strategy", ((number as u64) << 32) + d as u64);
                accuracy_by(answers, draw, habits, choice.strategy, &points, rng)
            };
            let all: Vec<Vec<f64>> = draws.par_iter().enumerate().map(one).collect();
            (0..points.len()).flat_map(|p| all.iter().map(move |own| own[p])).collect()
        };
        let row = |p: usize| {
            let predicted = &right[p * draws.len()..(p + 1) * draws.len()];
            Row {
                strategy: choice.name.clone(),
                labels_per_item: (answers.n_labels() as f64 + points[p] as f64) / answers.n_items() as f64,
                labels: points[p],
                money: points[p] as f64 * price,
                estimate: shift.estimate(predicted),
                draws: predicted.to_vec(),
            }
        };
        let mut all = vec![start.clone()];
        all.extend((0..points.len()).map(row));
        let rows = all.iter().filter(|r| r.labels == 0 || shown.contains(&r.labels)).cloned().collect();
        let ceiling = all.last().expect("the pilot at least").clone();
        Outlook {
            strategy: choice.name.clone(),
            rows,
            target: self.target.map(|t| target(t, &all, answers.n_items())),
            ceiling,
        }
    }
}

/// Where a target is reached, between the points of the outlook.
fn target(accuracy: f64, rows: &[Row], items: usize) -> Target {
    let reach = |of: fn(&Estimate) -> f64| -> Option<u64> {
        let at = rows.iter().position(|r| of(&r.estimate) >= accuracy)?;
        let Some(before) = at.checked_sub(1).map(|b| &rows[b]) else { return Some(0) };
        let (low, high) = (of(&before.estimate), of(&rows[at].estimate));
        let part = (accuracy - low) / (high - low);
        Some(before.labels + ((rows[at].labels - before.labels) as f64 * part).ceil() as u64)
    };
    let labels = reach(|e| e.accuracy);
    let pilot = rows[0].labels_per_item;
    Target {
        accuracy,
        labels,
        labels_low: reach(|e| e.high),
        labels_high: reach(|e| e.low),
        labels_per_item: labels.map(|l| pilot + l as f64 / items as f64),
        reachable: labels.is_some(),
    }
}

/// The choices with the numbers of the answers, if they can be asked.
fn renumbered(choice: &Choice, named: &Named) -> Result<Choice, Error> {
    let mut problems = Problems::default();
    let k = named.answers.k() as f64;
    match &choice.crowd {
        Crowd::Same => {}
        Crowd::Best(share) => {
            problems.require(*share > 0.0 && *share <= 1.0, "best", share, "greater than 0 and at most 1");
        }
        Crowd::Accuracy(p) => problems.between("accuracy", *p, 1.0 / k, 1.0),
        Crowd::These(who) => problems.require(!who.is_empty(), "annotators", "empty", "at least one annotator"),
    }
    let plain = choice.strategy == Strategy::Fewest || (choice.crowd == Crowd::Same && !choice.strategy.stops());
    let must = "`fewest`, or for the crowd as it is one that does not stop by itself";
    problems.require(plain, "strategy", choice.strategy.name(), must);
    if let Some(price) = choice.price {
        problems.positive("price", price);
    }
    Error::all(problems.0)?;
    let crowd = match &choice.crowd {
        Crowd::These(who) => {
            let mut who: Vec<u32> = who.iter().map(|&j| named.annotators[j as usize]).collect();
            who.sort_unstable();
            who.dedup();
            Crowd::These(who)
        }
        other => other.clone(),
    };
    Ok(Choice { crowd, ..choice.clone() })
}

/// The answers so far, if they can tell anything at all.
fn pilot(data: &Dataset) -> Result<Named, Error> {
    let table = &data.table;
    let Some(labels) = table.categorical() else {
        return Err(Error::WrongLabelKind {
            method: "a plan".into(),
            needs: vec![LabelKind::Categorical],
            has: table.kind(),
            file: data.source.clone(),
        });
    };
    if labels.k() < 2 || (0..table.n_units()).all(|u| table.degree(u) < 2) {
        let what = if labels.k() < 2 {
            "all labels are of one class: nothing shows who is right"
        } else {
            "no item has two labels: one label tells nothing about who is right"
        };
        return Err(Error::Unsupported {
            what: format!("a plan cannot be made: {what}"),
            hint: Some("ask for a second and third label of some hundred items, then plan".into()),
        });
    }
    Named::of(table)
}

/// How right the model's labels are on gold items.
fn level_of(answers: &Answers, model: &Model, gold: &[Option<u16>]) -> Option<GoldLevel> {
    let known: Vec<f64> = gold
        .iter()
        .enumerate()
        .filter(|(n, _)| answers.degree(*n) > 0)
        .filter_map(|(n, g)| g.map(|g| credit(model.posterior(n), g as usize)))
        .collect();
    let n = known.len();
    (n > 0).then(|| GoldLevel { n, accuracy: known.iter().sum::<f64>() / n as f64 })
}

#[cfg(test)]
mod tests;
