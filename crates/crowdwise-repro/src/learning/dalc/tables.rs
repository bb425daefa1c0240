//! Tables 1 and 2 and figures 2 to 4: what is learned when the labels are there.

use super::super::dlc::correlation;
use super::super::spread::Spread;
use super::super::trials::{Settings, Trials, learned, written};
use super::super::world::Label;
use super::super::{Claim, Part};
use super::Args;
use super::pools::{self, Pool};
use crowdwise::learn::Model;
use crowdwise::questions::area_under_curve;
use crowdwise::{Context, Dataset, Error, Fit};
use rand::RngExt;
use serde_json::json;

/// Printed for 5, 50, 500 and 5000 labels per item.
const PRINTED: [&str; 4] =
    ["99.06 / 0.575 / 0.944", "99.96 / 0.589 / 0.992", "99.98 / 0.632 / 0.996", "100.0 / 0.677 / 1.000"];
const PER_ITEM: [usize; 4] = [2, 4, 10, 20];

/// `count` different annotators of every item, and what they say.
fn labels(pool: &Pool, count: usize, seed: u64) -> Vec<Label> {
    let mut rng = Context::new(seed, 1).rng("who", 0);
    let mut out = Vec::new();
    for i in 0..pool.train.len() {
        let mut who: Vec<usize> = Vec::new();
        while who.len() < count.min(pool.annotators) {
            let j = rng.random_range(0..pool.annotators);
            if !who.contains(&j) {
                who.push(j);
                out.extend(pool.answer(i, j).map(|l| (i, j, l)));
            }
        }
    }
    out
}

/// Estimated and true P(right) of every label, and for every annotator the mean over its labels and the share that was right.
struct Expertise {
    estimated: Vec<f64>,
    real: Vec<f64>,
    mean: Vec<f64>,
    shares: Vec<f64>,
}

impl Expertise {
    fn of(pool: &Pool, model: &Model, labels: &[Label]) -> Result<Expertise, Error> {
        let known = model.expertise_of(&pool.train.features)?;
        let place: std::collections::BTreeMap<&str, usize> =
            model.annotators.iter().enumerate().map(|(n, name)| (name.as_str(), n)).collect();
        let own: Vec<Option<usize>> =
            (0..pool.annotators).map(|j| place.get(format!("a{j}").as_str()).copied()).collect();
        let right = pool.right.as_ref().expect("made annotators");
        let estimated: Vec<f64> = labels.iter().map(|&(i, j, _)| own[j].map_or(0.5, |o| known.at(i, o))).collect();
        let mut each = vec![(0.0, 0.0, 0.0); pool.annotators];
        for (&(i, j, l), e) in labels.iter().zip(&estimated) {
            let hit = f64::from(u8::from(l == pool.train.truth[i]));
            each[j] = (each[j].0 + e, each[j].1 + hit, each[j].2 + 1.0);
        }
        each.retain(|e| e.2 > 0.0);
        Ok(Expertise {
            real: labels.iter().map(|&(i, j, _)| right(i, j)).collect(),
            mean: each.iter().map(|e| e.0 / e.2).collect(),
            shares: each.iter().map(|e| e.1 / e.2).collect(),
            estimated,
        })
    }

    /// Share of `all` in each tenth, in percent.
    fn tenths(all: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; 10];
        all.iter().for_each(|x| out[((x * 10.0) as usize).min(9)] += 100.0 / all.len() as f64);
        out
    }

    /// Mean of `b` where `a` is in each tenth; negative where it never is.
    fn within(a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut out = vec![(0.0, 0.0); 10];
        for (x, y) in a.iter().zip(b) {
            let cell = &mut out[((x * 10.0) as usize).min(9)];
            *cell = (cell.0 + y, cell.1 + 1.0);
        }
        out.into_iter().map(|(sum, n)| if n > 0.0 { sum / n } else { -1.0 }).collect()
    }
}

/// Means over runs of numbers that come ten at a time.
fn means(runs: &[Vec<f64>], from: usize) -> Vec<f64> {
    let mean = |at: usize| {
        let known: Vec<f64> = runs.iter().map(|r| r[at]).filter(|x| *x >= 0.0).collect();
        if known.is_empty() { f64::NAN } else { known.iter().sum::<f64>() / known.len() as f64 }
    };
    (from..from + 10).map(mean).collect()
}

fn tenth(n: usize) -> String {
    format!("{:.1} to {:.1}", n as f64 / 10.0, (n + 1) as f64 / 10.0)
}

fn shown(x: f64, digits: usize) -> String {
    if x.is_nan() { String::new() } else { format!("{x:.digits$}") }
}

/// Table 1 and figure 2: the generator of the paper.
pub fn synthetic(args: &Args, trials: &mut Trials<'_>) -> Result<Part, Error> {
    let seeds = args.common.seeds(super::SEEDS);
    let mut part = Part::new(SYNTHETIC, &seeds);
    let n = if args.common.quick { 200 } else { 1000 };
    let (mut rows, mut histogram) = (Vec::new(), Vec::new());
    for (at, &per_item) in PER_ITEM.iter().enumerate().take(if args.common.quick { 1 } else { 4 }) {
        let mut runs = Vec::new();
        for seed in seeds.clone() {
            runs.push(trials.figures(&format!("dalc table 1 {per_item} {n}"), seed, |cx| {
                let pool = pools::low_rank(n, n, 1.0, true, seed)?;
                let labels = labels(&pool, per_item, seed);
                let data = pool.train.labelled(2, pool.annotators, &labels)?;
                let settings: Settings = vec![("epochs", json!(if args.common.quick { 3 } else { 20 }))];
                let (fit, model) = learned("dlc", &settings, &data, cx)?;
                let e = Expertise::of(&pool, &model, &labels)?;
                let mut out = vec![
                    pool.train.inferred(&fit),
                    correlation(&e.estimated, &e.real),
                    correlation(&e.mean, &e.shares),
                ];
                // what the map says before it decides for certain is not known: η is 0 or 1 here
                out.extend(Expertise::tenths(&e.estimated));
                out.extend(Expertise::within(&e.estimated, &e.real));
                out.extend(Expertise::tenths(&e.mean));
                out.extend(Expertise::tenths(&e.shares));
                Ok(out)
            })?);
        }
        let over = |c: usize| Spread::of(&runs.iter().map(|r| r[c]).collect::<Vec<f64>>());
        let three = |s: Spread| s.sd().map_or_else(|| format!("{:.3}", s.mean), |d| format!("{:.3} ± {d:.3}", s.mean));
        rows.push(vec![per_item.to_string(), over(0).with_sd(), three(over(1)), three(over(2)), PRINTED[at].into()]);
        for (c, name) in ["labels", "reliability", "expertise"].into_iter().enumerate() {
            part.figure("table 1", &format!("{per_item} labels per item"), "dlc", name, over(c));
        }
        if per_item == 4 {
            let ok = over(0).mean >= 98.5 && over(2).mean >= 0.97;
            let figure = format!("{:.2} and {:.3}", over(0).mean, over(2).mean);
            part.claims.push(Claim::new(
                "table 1, 4 labels per item: labels at least 98.5 %, expertise at least 0.97",
                figure,
                ok,
            ));
        }
        if per_item == 4 || args.common.quick {
            histogram = runs;
        }
    }
    let columns = [
        "labels per item",
        "dlc, labels %",
        "reliability",
        "expertise",
        "printed, with 5, 50, 500, 5000 labels per item",
    ];
    part.grid("Table 1: annotators right where η > 1/2", &columns, rows);
    let [a, b, c, d] = [3, 13, 23, 33].map(|from| means(&histogram, from));
    let line = |n: usize| vec![tenth(n), shown(a[n], 1), shown(b[n], 2), shown(c[n], 1), shown(d[n], 1)];
    let columns = [
        "between",
        "labels with this estimated η, %",
        "of these really right, share",
        "annotators with this mean estimated η, %",
        "annotators right so often, %",
    ];
    part.grid(
        "Figure 2: estimated reliability and expertise, 4 labels per item",
        &columns,
        (0..10).map(line).collect(),
    );
    Ok(part)
}

/// A line of table 2.
struct Line {
    name: &'static str,
    method: &'static str,
    settings: Settings,
    /// Accuracy and AUC as printed, in percent.
    printed: Option<[f64; 2]>,
}

fn lines() -> Vec<Line> {
    let linear = || ("network", json!("linear"));
    let vote = || ("method", json!("majority-vote"));
    let line = |name, method, settings, printed| Line { name, method, settings, printed };
    vec![
        line("MV, logistic regression", "two-stage", vec![vote(), linear()], Some([60.68, 63.02])),
        line("LFC", "dlc", vec![linear(), ("expertise", json!("sparse"))], Some([60.70, 63.04])),
        line("DLC/LR", "dlc", vec![linear()], Some([60.93, 63.25])),
        line("DLC/LR, with confusion matrices (aggnet)", "aggnet", vec![linear()], None),
        line("MV, network", "two-stage", vec![vote()], None),
        line("DLC/Sparse", "dlc", vec![("expertise", json!("sparse"))], Some([67.10, 68.60])),
        line("DLC", "dlc", vec![], Some([68.86, 72.35])),
    ]
}

/// Why DLC/LR is behind the vote: the same with one thing changed.
fn causes() -> Vec<(&'static str, Settings)> {
    let linear = || ("network", json!("linear"));
    vec![
        ("DLC/LR as it comes: 40 epochs", vec![linear()]),
        ("120 epochs", vec![linear(), ("epochs", json!(120))]),
        ("ten times the learning rate", vec![linear(), ("learning_rate", json!(1e-2))]),
        ("ten times the weight decay", vec![linear(), ("weight_decay", json!(1e-3))]),
        ("votes alone: no turn at all", vec![linear(), ("warm_up", json!(40))]),
        ("a tenth of the pulls", vec![linear(), ("lambda", json!(0.1)), ("lambda_view", json!(1.0))]),
        ("ten times the pulls", vec![linear(), ("lambda", json!(10.0)), ("lambda_view", json!(100.0))]),
    ]
}

/// What a learner makes of digits: accuracy and AUC on new items, labels found.
fn tested(pool: &Pool, model: &Model, fit: &Fit) -> Result<Vec<f64>, Error> {
    let f = model.predict(&pool.test.features)?;
    let truth: Vec<(usize, usize)> = pool.test.truth.iter().copied().enumerate().collect();
    let auc = area_under_curve(2, &f.rows, &truth).map_or(f64::NAN, |a| 100.0 * a);
    Ok(vec![pool.test.right(2, &f.rows), auc, pool.train.inferred(fit)])
}

/// Table 2, figures 3 and 4: digits and annotators of low rank.
pub fn digits(args: &Args, trials: &mut Trials<'_>) -> Result<Part, Error> {
    let seeds = args.common.seeds(super::SEEDS);
    let mut part = Part::new(DIGITS, &seeds);
    if args.common.quick {
        return Ok(Part::default()); // digits are not simulated
    }
    let folder = args.common.data.folder()?;
    let made = |seed: u64| -> Result<(Pool, Vec<Label>, Dataset), Error> {
        let pool = pools::digits(&folder, 2000, 2000, 600, seed)?;
        let labels = labels(&pool, 5, seed);
        let data = pool.train.labelled(2, pool.annotators, &labels)?;
        Ok((pool, labels, data))
    };
    let mut one = |what: &str, method: &'static str, settings: &Settings| -> Result<Vec<Vec<f64>>, Error> {
        let mut all = settings.clone();
        all.push(("standardise", json!(false))); // components have scales of their own
        let name = format!("dalc {what} {method} {}", written(&all));
        seeds
            .clone()
            .map(|seed| {
                trials.figures(&name, seed, |cx| {
                    let (pool, labels, data) = made(seed)?;
                    let (fit, model) = learned(method, &all, &data, cx)?;
                    let mut out = tested(&pool, &model, &fit)?;
                    if what == "table 2" && model.has_expertise() {
                        let e = Expertise::of(&pool, &model, &labels)?;
                        out.push(correlation(&e.estimated, &e.real));
                        out.push(correlation(&e.mean, &e.shares));
                        out.extend(Expertise::tenths(&e.mean));
                        out.extend(Expertise::tenths(&e.real));
                        out.extend(Expertise::within(&e.estimated, &e.real));
                    }
                    Ok(out)
                })
            })
            .collect()
    };
    let over = |runs: &[Vec<f64>], c: usize| Spread::of(&runs.iter().map(|r| r[c]).collect::<Vec<f64>>());
    let (mut rows, mut found) = (Vec::new(), Vec::new());
    for line in lines() {
        let runs = one("table 2", line.method, &line.settings)?;
        let mut row =
            vec![line.name.to_owned(), format!("{} {}", line.method, written(&line.settings)).trim().to_owned()];
        row.extend([0, 1, 2].map(|c| over(&runs, c).with_sd()));
        row.push(line.printed.map_or_else(String::new, |[a, b]| format!("{a:.2} / {b:.2}")));
        rows.push(row);
        for (c, name) in ["accuracy", "AUC", "labels"].into_iter().enumerate() {
            part.figure("table 2", "digits", line.name, name, over(&runs, c));
        }
        found.push((line.name, runs));
    }
    rows.push(vec![
        "STAL".into(),
        "not built".into(),
        String::new(),
        String::new(),
        String::new(),
        "60.91 / 63.25".into(),
    ]);
    part.grid(
        "Table 2: digits 0 to 4 against 5 to 9, 5 labels per item",
        &["row of the paper", "here", "accuracy, %", "AUC, %", "labels found, %", "printed (Alexa)"],
        rows,
    );
    order(&found, &mut part.claims);
    let mut rows = Vec::new();
    for (name, settings) in causes() {
        let runs = one("cause", "dlc", &settings)?;
        rows.push(
            [vec![name.to_owned(), written(&settings)], [0, 1, 2].map(|c| over(&runs, c).with_sd()).to_vec()].concat(),
        );
    }
    part.grid(
        "DLC/LR with one thing changed",
        &["what", "parameters", "accuracy, %", "AUC, %", "labels found, %"],
        rows,
    );
    if let Some((_, runs)) = found.iter().find(|f| f.0 == "DLC") {
        let [mean, real, within] = [5, 15, 25].map(|from| means(runs, from));
        let line = |n: usize| vec![tenth(n), shown(mean[n], 1), shown(real[n], 1), shown(within[n], 2)];
        let columns = [
            "between",
            "annotators with this mean learned expertise, %",
            "labels with this true η, %",
            "mean true η of labels with this learned one",
        ];
        part.grid("Figure 3: learned expertise", &columns, (0..10).map(line).collect());
        let [reliability, expertise] = [over(runs, 3), over(runs, 4)];
        part.notes.push(format!("Figure 3: correlation over labels of learned and true η {:.3}, over annotators of mean learned η and share of right labels {:.3}.", reliability.mean, expertise.mean));
    }
    let mut rows = Vec::new();
    for rank in [2, 5, 10, 20, 50] {
        let runs = one("figure 4", "dlc", &vec![("rank", json!(rank))])?;
        rows.push(vec![format!("rank {rank}"), over(&runs, 0).with_sd(), over(&runs, 1).with_sd()]);
    }
    for lambda in [0.0001, 0.01, 0.1, 1.0, 10.0] {
        let runs = one("figure 4", "dlc", &vec![("lambda", json!(lambda)), ("lambda_view", json!(10.0 * lambda))])?;
        rows.push(vec![format!("lambda {lambda}"), over(&runs, 0).with_sd(), over(&runs, 1).with_sd()]);
    }
    part.grid("Figure 4: size of the embedding, strength of the pulls", &["setting", "accuracy, %", "AUC, %"], rows);
    Ok(part)
}

/// The order of table 2, each pair by its own runs.
fn order(found: &[(&'static str, Vec<Vec<f64>>)], out: &mut Vec<Claim>) {
    let of = |name: &str| found.iter().find(|f| f.0 == name).map(|f| &f.1);
    for (above, below) in
        [("DLC", "DLC/Sparse"), ("DLC/Sparse", "DLC/LR"), ("DLC/LR", "LFC"), ("DLC/LR", "MV, logistic regression")]
    {
        let (Some(a), Some(b)) = (of(above), of(below)) else { continue };
        let away = Spread::of(&a.iter().zip(b).map(|(a, b)| a[0] - b[0]).collect::<Vec<f64>>());
        let noise = away.error().map_or(0.5, |e| 2.0 * e);
        out.push(Claim::at_least(
            format!("table 2: accuracy of {above} less that of {below} is at least 0"),
            away,
            0.0,
            noise,
        ));
    }
}

const SYNTHETIC: &str = "Table 1 and figure 2: 1000 items and 1000 annotators (printed: 50 000 each), who are right where η = σ(u · F x) > 1/2; u and F of rank 10 uniform in (-0.3, 0.6), 20 features that are not \
     negative; means ± deviations over {seeds}. Reliability: correlation over labels of estimated and true η, which is 0 or 1 here; expertise: over annotators, mean estimated η and share of right labels. `crowdwise repro dlc` shows the same with \
     2000 of each, and with noise.";

const DIGITS: &str = "Table 2 and figures 3 and 4: Alexa's requests are private; instead digits 0 to 4 against 5 to 9, 2000 images to train on and 2000 to test, 64 principal components, 600 annotators with ten \
     numbers uniform in (-0.3, 0.6) who are right with probability σ(u · topics / 2), the topics of an image being the sizes of its first ten components (mean η about 0.68); 5 labels an image; means ± deviations over {seeds}.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_of_different_annotators() {
        let pool = pools::low_rank(50, 20, 1.0, true, 1).unwrap();
        let all = labels(&pool, 5, 1);
        assert_eq!(all.len(), 250);
        let mut pairs: Vec<(usize, usize)> = all.iter().map(|l| (l.0, l.1)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), 250);
        let right = pool.right.as_ref().unwrap();
        assert!(all.iter().all(|&(i, j, l)| f64::from(u8::from(l == pool.train.truth[i])) == right(i, j)));
    }

    #[test]
    fn tenths_hold_everything() {
        let t = Expertise::tenths(&[0.0, 0.05, 0.5, 1.0]);
        assert_eq!((t[0], t[5], t[9]), (50.0, 25.0, 25.0));
        let w = Expertise::within(&[0.0, 0.05, 1.0], &[0.2, 0.4, 0.9]);
        assert!((w[0] - 0.3).abs() < 1e-12 && w[9] == 0.9 && w[4] == -1.0);
    }
}
