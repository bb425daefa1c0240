//! Few labels of few annotators, with and without features (Li et al. 2021).

use super::labelme::{Crowd, read};
use super::spread::Spread;
use super::trials::{Settings, Trials, integrated, learned};
use super::world::{Items, Label};
use super::{Args, Claim, Part};
use crate::sets;
use crowdwise::io::{self, ReadOptions, Source};
use crowdwise::{Context, Dataset, Error, Features, GoldValues};
use rand::seq::SliceRandom;
use serde_json::json;
use std::path::Path;

const METHODS: [&str; 6] =
    ["majority-vote", "dawid-skene", "minimax-entropy", "bayes-dawid-skene", "raykar", "bayes-dgc"];
const TWIN: usize = 3;
const DEEP: usize = 5;
const FRACTIONS: [f64; 6] = [0.1, 0.2, 0.3, 0.5, 0.7, 1.0];
const ANNOTATORS: usize = 9;

/// One class of a set against all others.
struct Problem {
    name: String,
    items: Items,
    /// Labels of the most active annotators.
    labels: Vec<Label>,
}

/// The labels of the nine most active annotators on the items that they have labelled, with the truth of these.
struct Active {
    features: Features,
    truth: Vec<u32>,
    labels: Vec<Label>,
    classes: Vec<String>,
}

fn active(folder: &Path, crowd: &Crowd) -> Result<Active, Error> {
    let data: &Dataset = &crowd.data;
    let table = &data.table;
    let file = folder.join(crowd.name).join("truth.csv");
    let gold = io::read_truth(&Source::from(file.as_path()), table, &ReadOptions::default())?.value;
    let GoldValues::Classes(known) = &gold.values else { unreachable!("the sets have classes") };
    let counts = table.labels_per_annotator();
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&j| std::cmp::Reverse(counts[j]));
    order.truncate(ANNOTATORS);
    let codes = table.categorical().expect("classes").codes;
    let all = data.features.as_ref().expect("read with features");
    let (mut truth, mut labels, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for &(i, z) in known {
        let of = |r: usize| Some((order.iter().position(|&j| j == table.annotator()[r] as usize)?, codes.get(r)));
        let said: Vec<(usize, usize)> = table.rows(i as usize).filter_map(of).collect();
        if said.is_empty() {
            continue;
        }
        labels.extend(said.iter().map(|&(j, l)| (truth.len(), j, l)));
        truth.push(z);
        values.extend_from_slice(all.row(i as usize));
    }
    let classes = table.categorical().expect("classes").classes.iter().map(Into::into).collect();
    Ok(Active { features: Features { dim: all.dim, values, image: None }, truth, labels, classes })
}

fn problems(args: &Args) -> Result<Vec<Problem>, Error> {
    let folder = args.data.folder()?;
    sets::check(&folder, &["labelme", "music"])?;
    let mut out = Vec::new();
    for set in ["labelme", "music"] {
        let active = active(&folder, &read(&folder, set, args.run.threads())?)?;
        for (c, class) in active.classes.iter().enumerate() {
            let is = |x: usize| usize::from(x == c);
            out.push(Problem {
                name: format!("{set} {class}"),
                items: Items {
                    features: active.features.clone(),
                    truth: active.truth.iter().map(|&z| is(z as usize)).collect(),
                },
                labels: active.labels.iter().map(|&(i, j, l)| (i, j, is(l))).collect(),
            });
            if args.quick {
                break;
            }
        }
    }
    Ok(out)
}

/// Accuracy and F1 when the k items that are most probably positive are taken, k being the true number; items tied at the
/// border are taken in part.
fn top(scores: &[f64], truth: &[usize]) -> [f64; 2] {
    let k = truth.iter().sum::<usize>() as f64;
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let (mut taken, mut hits, mut at) = (0.0, 0.0, 0);
    while at < order.len() && taken < k {
        let tied: Vec<usize> =
            order[at..].iter().copied().take_while(|&i| (scores[i] - scores[order[at]]).abs() < 1e-12).collect();
        let share = ((k - taken) / tied.len() as f64).min(1.0);
        hits += share * tied.iter().map(|&i| truth[i] as f64).sum::<f64>();
        taken += share * tied.len() as f64;
        at += tied.len();
    }
    // of the k taken and the k true ones, those missed are wrong on both sides
    let n = truth.len() as f64;
    [100.0 * (n - 2.0 * (k - hits)) / n, 100.0 * hits / k.max(1.0)]
}

fn settings(method: &str, quick: bool) -> Settings {
    let mut out: Settings = vec![("holdout", json!(0.0)), ("choose", json!("last"))];
    match method {
        "bayes-dgc" => out.push(("epochs", json!(if quick { 4 } else { 40 }))),
        "raykar" => out.push(("max_iter", json!(if quick { 3 } else { 30 }))),
        _ => {}
    }
    out
}

fn figures(p: &Problem, fraction: f64, method: &str, quick: bool, cx: &mut Context<'_>) -> Result<Vec<f64>, Error> {
    // the labels of a smaller share are among those of a larger one
    let mut rng = Context::new(cx.seed, 1).rng("observed labels", 0);
    let mut labels = p.labels.clone();
    labels.shuffle(&mut rng);
    labels.truncate((fraction * labels.len() as f64).round().max(1.0) as usize);
    let mut data = p.items.labelled(2, ANNOTATORS, &labels)?;
    let settings = settings(method, quick);
    let fit = if crowdwise::find(method)?.info.needs.features {
        learned(method, &settings, &data, cx)?.0
    } else {
        data.features = None;
        integrated(method, &settings, &data, cx)?
    };
    let (k, q) = fit.posterior().expect("classes");
    let scores: Vec<f64> = q.chunks_exact(k).map(|row| row[1]).collect();
    Ok(top(&scores, &p.items.truth).to_vec())
}

pub fn part(args: &Args, trials: &mut Trials<'_>) -> Result<Part, Error> {
    let problems = problems(args)?;
    let fractions: &[f64] = if args.quick { &FRACTIONS[1..2] } else { &FRACTIONS };
    let mut part = Part::new(NOTE, &args.seeds(5));
    // by method, fraction and problem: means over runs of accuracy and F1
    let mut table = vec![vec![Vec::new(); fractions.len()]; METHODS.len()];
    for p in &problems {
        for (m, method) in METHODS.iter().enumerate() {
            for (f, &fraction) in fractions.iter().enumerate() {
                let mut runs = Vec::new();
                for seed in args.seeds(5) {
                    let name = format!("bayes-dgc {} {method} {fraction}", p.name);
                    runs.push(trials.figures(&name, seed, |cx| figures(p, fraction, method, args.quick, cx))?);
                }
                let over = |n: usize| Spread::of(&runs.iter().map(|r| r[n]).collect::<Vec<f64>>());
                let setting = format!("{}, {:.0} % of the labels", p.name, 100.0 * fraction);
                part.figure("bayes-dgc", &setting, method, "accuracy", over(0));
                part.figure("bayes-dgc", &setting, method, "F1", over(1));
                table[m][f].push([over(0).mean, over(1).mean]);
            }
        }
    }
    let shares: Vec<String> = fractions.iter().map(|f| format!("{:.0} %", 100.0 * f)).collect();
    let columns: Vec<&str> = std::iter::once("method").chain(shares.iter().map(String::as_str)).collect();
    let mean = |of: &[[f64; 2]], n: usize| of.iter().map(|x| x[n]).sum::<f64>() / of.len() as f64;
    for (n, what) in ["accuracy", "F1"].iter().enumerate() {
        let row = |m: usize| {
            let cells = table[m].iter().map(|of| format!("{:.1}", mean(of, n)));
            std::iter::once(METHODS[m].to_owned()).chain(cells).collect()
        };
        let title =
            format!("BayesDGC: mean {what} over {} binary problems by share of the labels, percent", problems.len());
        part.grid(title, &columns, (0..METHODS.len()).map(row).collect());
    }
    for (f, share) in shares.iter().enumerate().filter(|(f, _)| fractions[*f] <= 0.3) {
        for (m, method) in METHODS.iter().enumerate().filter(|(m, _)| *m != DEEP && METHODS[*m] != "raykar") {
            let wins = table[DEEP][f].iter().zip(&table[m][f]).filter(|(a, b)| a[1] > b[1]).count();
            let what = format!("bayes-dgc above {method} by F1 at {share}, in 8 of 10 problems");
            let figure = format!("{wins} of {}", problems.len());
            part.claims.push(Claim::new(what, figure, 10 * wins >= 8 * problems.len()));
        }
    }
    let falls = (1..fractions.len()).filter(|&f| mean(&table[DEEP][f], 1) < mean(&table[DEEP][f - 1], 1) - 1.0).count();
    part.claims.push(Claim::new("bayes-dgc does not fall with more labels", format!("{falls} falls"), falls == 0));
    let last = fractions.len() - 1;
    let apart = (mean(&table[TWIN][last], 1) - mean(&table[1][last], 1)).abs();
    let what = "without features (bayes-dawid-skene) within 3 points of dawid-skene at all labels";
    part.claims.push(Claim::new(what, format!("{apart:.1}"), apart <= 3.0));
    Ok(part)
}

const NOTE: &str = "`crowdwise repro bayes-dgc`: each class of LabelMe and of Music against the rest (18 problems), the items and labels of the nine most active annotators, a share of the labels drawn at \
     random, means over {seeds}. As in Li et al. 2021 the k items that are most probably positive are taken, k being their true number (then F1 = precision = recall). Their images \
     and workers are not public.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_are_taken_and_ties_in_part() {
        let [accuracy, f1] = top(&[0.9, 0.8, 0.1, 0.2], &[1, 0, 1, 0]);
        assert!((accuracy - 50.0).abs() < 1e-9 && (f1 - 50.0).abs() < 1e-9);
        // one place left for two tied items, one of them positive
        let [_, f1] = top(&[0.9, 0.5, 0.5, 0.1], &[1, 1, 0, 0]);
        assert!((f1 - 75.0).abs() < 1e-9, "{f1}");
        assert_eq!(top(&[0.5; 4], &[1, 0, 0, 0])[0], 62.5);
    }
}
