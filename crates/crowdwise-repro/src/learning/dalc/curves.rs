//! Figure 5: accuracy as labels come in, by what is asked.

use super::super::spread::Spread;
use super::super::trials::Trials;
use super::super::{Claim, Part};
use super::pools::{self, Pool};
use super::{Args, Set};
use crowdwise::ask::features::{Dalc, Judged, Point, Replay, Strategy, labels_to, replay};
use crowdwise::learn::expert::Dlc;
use crowdwise::learn::{NetworkKind, NetworkParams, Training};
use crowdwise::{Context, Error};

/// How one set is asked.
struct Plan {
    start: usize,
    batch: usize,
    budget: usize,
    dlc: Dlc,
    /// Epochs of the first fit and of every later one.
    epochs: (usize, usize),
}

/// Refits whose mean accuracy counts, at the end and at a crossing: a single one is lucky or not.
const WINDOW: usize = 5;

fn plan(set: Set, quick: bool) -> Plan {
    let linear = Dlc {
        inner_iter: 5,
        network: NetworkParams { network: NetworkKind::Linear, ..NetworkParams::default() },
        training: Training { learning_rate: 0.02, batch_size: 0, weight_decay: 1e-3, ..Training::default() },
        ..Dlc::default()
    };
    let deep = Dlc {
        passes: 10,
        network: NetworkParams {
            network: NetworkKind::Mlp,
            hidden: 64,
            standardise: false,
            ..NetworkParams::default()
        },
        training: Training { learning_rate: 2e-3, ..Training::default() },
        ..Dlc::default()
    };
    let mut plan = match set {
        Set::LowRank | Set::LowRankWide => Plan { start: 60, batch: 20, budget: 1200, dlc: linear, epochs: (40, 15) },
        Set::Mnist => Plan { start: 500, batch: 250, budget: 10_000, dlc: deep, epochs: (15, 3) },
        Set::Labelme => Plan { start: 200, batch: 50, budget: 1600, dlc: deep, epochs: (25, 8) },
        Set::Music => Plan { start: 200, batch: 50, budget: 1800, dlc: deep, epochs: (25, 8) },
    };
    if quick {
        plan.budget = plan.start + 8 * plan.batch;
        plan.epochs = (5, 2);
    }
    plan
}

fn pool(set: Set, args: &Args, seed: u64) -> Result<Pool, Error> {
    let folder = || args.common.data.folder();
    Ok(match set {
        Set::LowRank => pools::low_rank(600, 40, 1.0, false, seed)?,
        Set::LowRankWide => pools::low_rank(600, 40, 2.0, false, seed)?,
        Set::Mnist => pools::digits(&folder()?, 2000, 2000, 600, seed)?,
        Set::Labelme => pools::recorded(&folder()?, "labelme", args.common.run.threads())?,
        Set::Music => pools::recorded(&folder()?, "music", args.common.run.threads())?,
    })
}

fn curve(pool: &Pool, plan: &Plan, strategy: Strategy, cx: &mut Context<'_>) -> Result<Vec<Point>, Error> {
    let seed = cx.seed;
    let mut learner = Dalc::new(&plan.dlc, &pool.train.features, pool.k, pool.annotators, plan.epochs, seed)?;
    let how = Replay { strategy, start: plan.start, batch: plan.batch, budget: plan.budget, explore: EXPLORE, seed };
    let judged = Judged { truth: &pool.truth, test: (&pool.test.features, &pool.test.truth) };
    replay(&how, &mut *pool.oracle(), &mut learner, judged, cx)
}

/// Share of the items whose annotator is drawn although annotators are chosen.
const EXPLORE: f64 = 0.1;

/// A curve as numbers that can be kept.
fn flat(curve: &[Point]) -> Vec<f64> {
    curve
        .iter()
        .flat_map(|p| [p.labels as f64, p.accuracy, p.auc, p.inferred, p.right])
        .map(|x| if x.is_finite() { x } else { -1.0 })
        .collect()
}

fn unflat(numbers: &[f64]) -> Vec<Point> {
    numbers
        .chunks_exact(5)
        .map(|p| Point { labels: p[0] as usize, accuracy: p[1], auc: p[2], inferred: p[3], right: p[4] })
        .collect()
}

/// All runs of one strategy.
struct Runs {
    strategy: Strategy,
    curves: Vec<Vec<Point>>,
}

impl Runs {
    fn over(&self, value: impl Fn(&[Point]) -> f64) -> Vec<f64> {
        self.curves.iter().map(|c| value(c)).collect()
    }

    fn mean(&self) -> Vec<f64> {
        let n = self.curves.iter().map(Vec::len).min().unwrap_or(0);
        (0..n).map(|at| self.curves.iter().map(|c| c[at].accuracy).sum::<f64>() / self.curves.len() as f64).collect()
    }
}

fn last(c: &[Point], value: impl Fn(&Point) -> f64) -> f64 {
    let n = c.len().min(WINDOW);
    c[c.len() - n..].iter().map(value).sum::<f64>() / n as f64
}

fn less(a: &[f64], b: &[f64]) -> Spread {
    Spread::of(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>())
}

/// Labels that a mean curve needs for this accuracy, as a share of all.
fn share(accuracy: &[f64], labels: &[usize], goal: f64) -> Option<f64> {
    labels_to(accuracy, labels, goal, WINDOW).map(|n| n / labels[labels.len() - 1] as f64)
}

pub fn part(args: &Args, trials: &mut Trials<'_>) -> Result<Part, Error> {
    let seeds = args.common.seeds(super::SEEDS);
    let mut part = Part::new(NOTE, &seeds);
    for set in args.sets() {
        let plan = plan(set, args.common.quick);
        let mut all: Vec<Runs> =
            args.strategies().into_iter().map(|strategy| Runs { strategy, curves: Vec::new() }).collect();
        for seed in seeds.clone() {
            let mut made: Option<Pool> = None; // the same for every strategy, and needed only where a run is not known
            for runs in &mut all {
                let name = format!("dalc {} {} {}", set.name(), runs.strategy.name(), plan.budget);
                let figures = trials.figures(&name, seed, |cx| {
                    let pool = match &mut made {
                        Some(pool) => pool,
                        none => none.insert(pool(set, args, seed)?),
                    };
                    Ok(flat(&curve(pool, &plan, runs.strategy, cx)?))
                })?;
                runs.curves.push(unflat(&figures));
            }
        }
        show(set, &all, &mut part);
    }
    Ok(part)
}

fn show(set: Set, all: &[Runs], part: &mut Part) {
    let Some(random) = all.iter().find(|r| r.strategy == Strategy::Rd) else { return };
    let labels: Vec<usize> = random.curves[0].iter().map(|p| p.labels).collect();
    let (base_last, base_auc) = (random.over(|c| last(c, |p| p.accuracy)), random.over(|c| last(c, |p| p.auc)));
    let area = |c: &[Point]| crowdwise::ask::features::area(c);
    let base_area = random.over(area);
    let goal = Spread::of(&base_last).mean;
    let two = base_auc.iter().all(|a| *a >= 0.0);
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for runs in all {
        let name = runs.strategy.name();
        let mean = runs.mean();
        let end = Spread::of(&runs.over(|c| last(c, |p| p.accuracy)));
        let own = share(&mean, &labels, goal);
        let gain = less(&runs.over(area), &base_area);
        let mut row = vec![
            name.to_owned(),
            end.with_error(),
            less(&runs.over(|c| last(c, |p| p.accuracy)), &base_last).with_error(),
            gain.with_error(),
        ];
        if two {
            row.push(Spread::of(&runs.over(|c| last(c, |p| p.auc))).with_error());
            row.push(less(&runs.over(|c| last(c, |p| p.auc)), &base_auc).with_error());
        }
        row.push(own.map_or_else(|| "not reached".into(), |s| format!("{:.0} %", 100.0 * s)));
        row.push(Spread::of(&runs.over(|c| c.last().map_or(f64::NAN, |p| p.right))).with_error());
        row.push(Spread::of(&runs.over(|c| c.last().map_or(f64::NAN, |p| p.inferred))).with_error());
        rows.push(row);
        let at = |n: usize| (n * (mean.len() - 1)) / 8;
        lines.push([vec![name.to_owned()], (0..=8).map(|n| format!("{:.1}", mean[at(n)])).collect()].concat());
        for (figure, spread) in [("accuracy at the end", end), ("area less that of rd", gain)] {
            part.figure("dalc", set.name(), name, figure, spread);
        }
        if let Some(s) = own {
            part.figure("dalc", set.name(), name, "share of the labels for rd's accuracy at the end", Spread::of(&[s]));
        }
        claims(set, runs.strategy, own, share(&random.mean(), &labels, goal), gain, &mut part.claims);
    }
    let mut columns = vec!["strategy", "accuracy at the end, %", "less rd's", "area less rd's"];
    if two {
        columns.extend(["AUC at the end, %", "less rd's AUC"]);
    }
    columns.extend(["labels for rd's accuracy at the end", "answers right, %", "labels found, %"]);
    part.grid(format!("Figure 5, {}: {} labels", set.title(), labels[labels.len() - 1]), &columns, rows);
    let n = labels.len() - 1;
    let heads: Vec<String> =
        [vec!["strategy".to_owned()], (0..=8).map(|e| format!("{} labels", labels[e * n / 8])).collect()].concat();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    part.grid(format!("Figure 5, {}: accuracy on new items, %", set.title()), &heads, lines);
}

fn claims(set: Set, strategy: Strategy, own: Option<f64>, rd: Option<f64>, gain: Spread, out: &mut Vec<Claim>) {
    if set == Set::LowRank && strategy == Strategy::Dalc {
        let percent = |s: Option<f64>| s.map_or_else(|| "not reached".into(), |s| format!("{:.0} %", 100.0 * s));
        let figure = format!("{} of the labels (rd itself: {})", percent(own), percent(rd));
        out.push(Claim::new(
            "noisy low rank: dalc has rd's accuracy at the end with at most 80 % of the labels",
            figure,
            own.is_some_and(|s| s <= 0.8),
        ));
    }
    if set == Set::Music && matches!(strategy, Strategy::DalcQ | Strategy::Gain) {
        let what = format!("music: area of {} at least 1.5 above rd's", strategy.name());
        out.push(Claim::new(what, gain.with_error(), gain.mean >= 1.5));
    }
}

const NOTE: &str = "`crowdwise repro dalc`: means ± standard errors over {seeds}; differences are paired by seed. Figure 5 stands in for Alexa's 15 000 samples, which are private. Every strategy begins \
     with the same labels at random, then batches: items at random (rd, ac) or those of which the classifier is unsure (ad, dalc: entropy of the mean of 20 draws of dropout), annotators at \
     random (rd, ad) or the one who knows the item best (ac, dalc; one item in ten is asked of anybody). dalc-q counts an item with labels as unsure only where classifier and labels together \
     leave it open; gain takes the pairs whose answers say most; activelab the items with the worst consensus. dlc goes on learning from where it was. Labels for rd's accuracy at the end: first \
     crossing of the mean curve, averaged over five refits; rd's own crossing is the noise of that measure. Area: mean accuracy over all refits. Printed by Yang et al. 2018: dalc > ad > ac > rd \
     at 15 000 queries, dalc 1.03 points of accuracy and 2.41 of AUC above rd, whose quality with 23 600 labels it has with 15 000 (63.5 %).";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_survive_being_kept() {
        let c = vec![Point { labels: 60, accuracy: 71.5, auc: f64::NAN, inferred: 80.0, right: 64.0 }];
        let again = unflat(&flat(&c));
        assert_eq!((again[0].labels, again[0].accuracy, again[0].auc), (60, 71.5, -1.0));
    }

    #[test]
    fn a_share_is_of_all_labels() {
        let accuracy: Vec<f64> = (0..11).map(|n| 50.0 + 4.0 * n as f64).collect();
        let labels: Vec<usize> = (0..11).map(|n| 100 * n).collect();
        // the mean of refits 3 to 7 is 70
        assert_eq!(share(&accuracy, &labels, 70.0), Some(0.5));
    }
}
