//! Simulated comparisons, and the measures that the tests share.

use crowdwise_core::{AnyMethod, Context, Dataset, Fit, LabelKind, Preference, TableBuilder, Truth, stream};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use std::path::PathBuf;

pub fn fit(method: &dyn AnyMethod, data: &Dataset) -> Fit {
    crowdwise_core::questions::reviewed(method, data, &mut Context::new(0, 1)).unwrap()
}

pub fn scores(f: &Fit) -> &[f64] {
    match &f.truth {
        Truth::Scores { score, .. } => score,
        other => panic!("scores wanted, not {other:?}"),
    }
}

pub fn has(f: &Fit, code: &str) -> bool {
    f.findings.iter().any(|x| x.code == code)
}

pub fn sigma(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - ma, y - mb)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

pub fn kendall(a: &[f64], b: &[f64]) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    for i in 0..a.len() {
        for j in 0..i {
            sum += ((a[i] - a[j]) * (b[i] - b[j])).signum();
            n += 1.0;
        }
    }
    sum / n
}

/// The crowd of the acceptance test: a quarter answers the other way round, 22 % guess, the rest is nearly always right.
pub fn mixed_crowd(rng: &mut impl rand::Rng, annotators: usize) -> Vec<f64> {
    (0..annotators)
        .map(|_| match (rng.random::<f64>(), rng.random::<f64>()) {
            (u, _) if u < 0.25 => 0.1,
            (_, v) if v < 0.3 => 0.5,
            _ => 0.95,
        })
        .collect()
}

pub struct World {
    pub data: Dataset,
    pub score: Vec<f64>,
    pub w: Vec<f64>,
}

/// Items, annotators and comparisons of the acceptance test; ln ν of Davidson's ties and a left advantage may be added.
pub fn world(seed: u64, [n, m, e]: [usize; 3], spread: f64, ties: Option<f64>, position: f64) -> World {
    let mut rng = stream(seed, "a world of pairs", 0);
    let score: Vec<f64> =
        (0..n).map(|_| spread * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng)).collect();
    let w = mixed_crowd(&mut rng, m);
    let names: Vec<String> = (0..n).map(|i| format!("i{i}")).collect();
    let mut b = TableBuilder::new(LabelKind::Preference);
    names.iter().for_each(|i| _ = b.items.intern(i));
    (0..m).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    for _ in 0..e {
        let l = rng.random_range(0..n);
        let r = (l + rng.random_range(1..n)) % n;
        let j = rng.random_range(0..m);
        let d = if rng.random::<f64>() < w[j] { score[l] - score[r] } else { score[r] - score[l] } + position;
        let u: f64 = rng.random();
        let (left, tie) = match ties {
            None => (sigma(d), 0.0),
            Some(x) => {
                let z = (0.5 * d).exp() + x.exp() + (-0.5 * d).exp();
                ((0.5 * d).exp() / z, x.exp() / z)
            }
        };
        let said = if u < left {
            Preference::Left
        } else if u < left + tie {
            Preference::Tie
        } else {
            Preference::Right
        };
        b.preference(&names[l], &names[r], &format!("a{j}"), said);
    }
    World { data: Dataset::new(b.finish().unwrap()), score, w }
}

/// The folder of real datasets: `CROWDWISE_DATA`, else `shared/data` beside the project.
pub fn shared(name: &str) -> Option<Dataset> {
    let folder = std::env::var_os("CROWDWISE_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    let file = folder.join(name).join("answers.csv");
    if !file.exists() {
        eprintln!("SKIPPED: no {} (set CROWDWISE_DATA to the folder of real datasets)", file.display());
        return None;
    }
    let source = crowdwise_io::Source::from(file.as_path());
    Some(crowdwise_io::read_answers(&source, &crowdwise_io::ReadOptions::default()).unwrap().value)
}
