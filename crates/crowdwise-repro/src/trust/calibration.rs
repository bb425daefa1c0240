//! How sure, and how right: probabilities of `auto` in three worlds, on simulated crowds whose errors are independent and on
//! real sets.

use super::super::page::Grid;
use super::super::sets;
use crowdwise::methods::auto::Auto;
use crowdwise::questions::{Evaluation, evaluate};
use crowdwise::simulate::{SimModel, Simulation, Simulator};
use crowdwise::{AnyMethod, Context, Dataset, Error, Gold};
use std::path::Path;

/// The worlds: how the probabilities were made.
const WORLDS: [(&str, &str); 4] = [
    ("model alone", r#"{"calibrate": false}"#),
    ("independent", r#"{"errors": "independent"}"#),
    ("estimate (default)", "{}"),
    ("shared", r#"{"errors": "shared"}"#),
];

/// Crowds whose errors are independent given the class; what each is called.
pub(super) fn crowds() -> Vec<(String, Simulation)> {
    let of = |classes: usize, per_item: usize, accuracy: f64, model: SimModel| {
        let s = Simulation { model, items: 1000, annotators: 50, classes, per_item, accuracy, ..Simulation::default() };
        let kind = match model {
            SimModel::OneCoin => ", one accuracy",
            SimModel::Mace => ", knows or guesses",
            _ => "",
        };
        (format!("{classes} classes, {per_item} labels, accuracy {accuracy}{kind}"), s)
    };
    let ds = SimModel::DawidSkene;
    vec![
        of(2, 5, 0.7, ds),
        of(2, 10, 0.7, ds),
        of(2, 20, 0.7, ds),
        of(3, 5, 0.7, ds),
        of(3, 10, 0.7, ds),
        of(3, 5, 0.6, ds),
        of(5, 10, 0.7, ds),
        of(10, 10, 0.7, ds),
        of(3, 5, 0.7, SimModel::OneCoin),
        of(3, 5, 0.7, SimModel::Mace),
        of(3, 5, 0.9, ds),
        of(5, 3, 0.7, ds),
        of(10, 3, 0.7, ds),
    ]
}

pub(super) struct Score {
    pub accuracy: f64,
    pub log_loss: f64,
    pub ece: f64,
}

fn world(parameters: &str) -> Auto {
    serde_json::from_str(parameters).expect("parameters of auto")
}

pub(super) fn score(auto: &Auto, data: &Dataset, truth: &Gold, threads: usize) -> Result<Score, Error> {
    let fit = AnyMethod::fit(auto, data, &mut Context::new(0, threads))?;
    let e: Evaluation = evaluate(&fit, data, truth);
    let number = |x: Option<f64>| x.unwrap_or(f64::NAN);
    Ok(Score { accuracy: number(e.accuracy), log_loss: number(e.log_loss), ece: number(e.ece) })
}

fn line(name: &str, scores: &[Score]) -> Vec<String> {
    let default = &scores[2];
    let mut row = vec![name.to_owned(), format!("{:.3}", default.accuracy)];
    row.extend(scores.iter().map(|s| format!("{:.3}", s.log_loss)));
    row.extend(scores.iter().map(|s| format!("{:.3}", s.ece)));
    row
}

fn mean(all: &[Vec<Score>], world: usize) -> Score {
    let n = all.len().max(1) as f64;
    let of = |f: fn(&Score) -> f64| all.iter().map(|s| f(&s[world])).sum::<f64>() / n;
    Score { accuracy: of(|s| s.accuracy), log_loss: of(|s| s.log_loss), ece: of(|s| s.ece) }
}

fn grid(title: &str, what: &str, names: &[String], all: &[Vec<Score>]) -> Grid {
    let mut rows: Vec<Vec<String>> = names.iter().zip(all).map(|(n, s)| line(n, s)).collect();
    rows.push(line("mean", &(0..WORLDS.len()).map(|w| mean(all, w)).collect::<Vec<_>>()));
    let mut columns = vec![what.to_owned(), "accuracy".to_owned()];
    columns.extend(WORLDS.iter().map(|w| format!("log-loss, {}", w.0)));
    columns.extend(WORLDS.iter().map(|w| format!("ECE, {}", w.0)));
    Grid { title: title.into(), columns, rows }
}

/// Simulated crowds, over `seeds` seeds each.
pub fn simulated(seeds: u64, threads: usize, mut say: impl FnMut(&str)) -> Result<Grid, Error> {
    let (mut names, mut all) = (Vec::new(), Vec::new());
    for (name, s) in crowds() {
        say(&name);
        let mut by_seed = Vec::new();
        for seed in 0..seeds {
            let (data, truth) = Simulator::new(&s, seed)?.dataset()?;
            let scores: Result<Vec<Score>, Error> =
                WORLDS.iter().map(|w| score(&world(w.1), &data, &truth, threads)).collect();
            by_seed.push(scores?);
        }
        names.push(name);
        all.push((0..WORLDS.len()).map(|w| mean(&by_seed, w)).collect());
    }
    Ok(grid("Calibration: simulated crowds whose errors are independent", "crowd", &names, &all))
}

/// Real sets.
pub fn real(folder: &Path, names: &[&str], threads: usize, mut say: impl FnMut(&str)) -> Result<Grid, Error> {
    let mut all = Vec::new();
    for name in names {
        say(name);
        let (data, truth) = sets::read(folder, name, threads)?;
        let scores: Result<Vec<Score>, Error> =
            WORLDS.iter().map(|w| score(&world(w.1), &data, &truth, threads)).collect();
        all.push(scores?);
    }
    let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    Ok(grid("Calibration: real sets", "set", &names, &all))
}
