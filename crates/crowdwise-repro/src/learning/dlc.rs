//! Annotators whose reliability is a low-rank function of the item (Yang et al. 2018).

use super::spread::Spread;
use super::trials::{Settings, Trials, integrated, learned};
use super::world::{Items, Label};
use super::{Args, Claim, Part};
use crowdwise::learn::Model;
use crowdwise::{Context, Error, Features, Fit};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde_json::json;

/// Features of an item.
const D: usize = 20;
/// Numbers of an annotator.
const RANK: usize = 10;
const SHARES: [f64; 4] = [0.001, 0.002, 0.005, 0.01];
/// Printed for 5, 50, 500 and 5000 labels per item: labels in percent, correlations of reliability and of expertise.
const PRINTED: [[f64; 3]; 4] =
    [[99.06, 0.5751, 0.9438], [99.96, 0.5891, 0.9921], [99.98, 0.6323, 0.9956], [100.0, 0.6768, 0.9998]];

/// What was made.
struct Made {
    items: Items,
    annotators: usize,
    labels: Vec<Label>,
    /// P(right) of every label.
    right: Vec<f64>,
}

/// Annotator j is right about item x with probability σ(u_j · F x), u and F uniform in (-0.3, 0.6), x not negative; if not
/// `noisy`, always where that is above 1/2 and never where it is below.
fn made(n: usize, share: f64, noisy: bool, seed: u64) -> Made {
    let mut rng = Context::new(seed, 1).rng("low rank", 0);
    let x: Vec<f64> = (0..n * D)
        .map(|_| {
            let x: f64 = StandardNormal.sample(&mut rng);
            x.abs() / (D as f64).sqrt()
        })
        .collect();
    let mut uniform = |count: usize| -> Vec<f64> { (0..count).map(|_| rng.random_range(-0.3..0.6)).collect() };
    let (u, f) = (uniform(n * RANK), uniform(RANK * D));
    let w: Vec<f64> = (0..D).map(|_| StandardNormal.sample(&mut rng)).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let score: Vec<f64> = x.chunks_exact(D).map(|x| dot(x, &w)).collect();
    let mut sorted = score.clone();
    sorted.sort_by(f64::total_cmp);
    let truth: Vec<usize> = score.iter().map(|s| usize::from(*s > sorted[n / 2])).collect();
    let seen: Vec<f64> =
        x.chunks_exact(D).flat_map(|x| f.chunks_exact(D).map(|f| dot(f, x)).collect::<Vec<_>>()).collect();
    let (mut labels, mut right) = (Vec::new(), Vec::new());
    for j in 0..n {
        for i in (0..n).filter(|_| rng.random_bool(share)).collect::<Vec<_>>() {
            let p = 1.0 / (1.0 + (-dot(&seen[i * RANK..(i + 1) * RANK], &u[j * RANK..(j + 1) * RANK])).exp());
            let is_right = if noisy { rng.random_bool(p) } else { p > 0.5 };
            labels.push((i, j, if is_right { truth[i] } else { 1 - truth[i] }));
            right.push(p);
        }
    }
    let features = Features { dim: D, values: x.iter().map(|x| *x as f32).collect(), image: None };
    Made { items: Items { features, truth }, annotators: n, labels, right }
}

pub(super) fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let of = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - ma, y - mb)).sum::<f64>();
    of(&|x, y| x * y) / (of(&|x, _| x * x) * of(&|_, y| y * y)).sqrt()
}

impl Made {
    /// Over annotators with labels: mean estimated reliability against the share of right labels.
    fn expertise(&self, fit: &Fit) -> f64 {
        let mut counts = vec![[0.0, 0.0]; self.annotators];
        for &(i, j, l) in &self.labels {
            counts[j][0] += f64::from(u8::from(l == self.items.truth[i]));
            counts[j][1] += 1.0;
        }
        let active: Vec<usize> = (0..self.annotators).filter(|&j| counts[j][1] > 0.0).collect();
        let estimated: Vec<f64> = active.iter().map(|&j| fit.annotators.confusion(j).map_or(0.5, |c| c[0])).collect();
        let shares: Vec<f64> = active.iter().map(|&j| counts[j][0] / counts[j][1]).collect();
        correlation(&estimated, &shares)
    }

    /// Over labels: estimated against true reliability.
    fn reliability(&self, model: &Model) -> Result<f64, Error> {
        let mut estimated = Vec::with_capacity(self.labels.len());
        // the labels of an annotator come together
        let mut known: Option<(usize, Vec<f64>)> = None;
        for &(i, j, _) in &self.labels {
            if known.as_ref().is_none_or(|k| k.0 != j) {
                known = Some((j, model.expertise(&self.items.features, j)?.unwrap_or_default()));
            }
            estimated.push(known.as_ref().map_or(0.5, |k| k.1[i]));
        }
        Ok(correlation(&estimated, &self.right))
    }
}

pub fn part(args: &Args, trials: &mut Trials<'_>) -> Result<Part, Error> {
    let mut part = Part::new(NOTE, &args.seeds(5));
    let n = if args.quick { 200 } else { 2000 };
    // as many labels per item in the small version
    let shares = if args.quick { vec![0.02] } else { SHARES.to_vec() };
    for noisy in [false, true] {
        let kind = if noisy { "right with probability η" } else { "right where η > 1/2" };
        let mut rows = Vec::new();
        for (at, &share) in shares.iter().enumerate() {
            let mut runs = Vec::new();
            for seed in args.seeds(5) {
                runs.push(trials.figures(&format!("dlc {kind} {share} {n}"), seed, |cx| {
                    let made = made(n, share, noisy, seed);
                    let data = made.items.labelled(2, made.annotators, &made.labels)?;
                    let vote = made.items.inferred(&integrated("majority-vote", &[], &data, cx)?);
                    let settings: Settings = vec![("epochs", json!(if args.quick { 3 } else { 20 }))];
                    let (fit, model) = learned("dlc", &settings, &data, cx)?;
                    Ok(vec![vote, made.items.inferred(&fit), made.reliability(&model)?, made.expertise(&fit)])
                })?);
            }
            let over = |n: usize| Spread::of(&runs.iter().map(|r| r[n]).collect::<Vec<f64>>());
            let per_item = share * n as f64;
            let setting = format!("{kind}, {per_item} labels per item");
            for (n, name) in ["labels of the vote", "labels", "reliability", "expertise"].iter().enumerate() {
                part.figure("dlc", &setting, if n == 0 { "majority-vote" } else { "dlc" }, name, over(n));
            }
            let three =
                |s: Spread| s.sd().map_or_else(|| format!("{:.3}", s.mean), |d| format!("{:.3} ± {d:.3}", s.mean));
            let mut row =
                vec![format!("{per_item}"), over(0).with_sd(), over(1).with_sd(), three(over(2)), three(over(3))];
            if !noisy {
                let [a, b, c] = PRINTED[at];
                row.push(format!("{a:.2} / {b:.3} / {c:.3}"));
            }
            rows.push(row);
            claims(noisy, share, [over(0), over(1), over(2), over(3)], &mut part.claims);
        }
        let mut columns = vec!["labels per item", "vote, labels %", "dlc, labels %", "reliability", "expertise"];
        if !noisy {
            columns.push("printed, with 5, 50, 500, 5000 labels per item");
        }
        part.grid(format!("DLC: annotators {kind}"), &columns, rows);
    }
    Ok(part)
}

/// What an independent program reaches, less some noise.
fn claims(noisy: bool, share: f64, [vote, labels, reliability, expertise]: [Spread; 4], out: &mut Vec<Claim>) {
    let goals: &[(&str, Spread, f64)] = match (noisy, share) {
        (false, 0.002) => &[
            ("labels, right where η > 1/2, 4 an item", labels, 98.5),
            ("expertise", expertise, 0.97),
            ("reliability", reliability, 0.5),
        ],
        (true, 0.002) => &[
            ("labels, right with probability η, 4 an item: the vote less 1.5", labels, vote.mean - 1.5),
            ("expertise", expertise, 0.45),
        ],
        (true, 0.01) => &[
            ("labels, right with probability η, 20 an item: the vote less 1.5", labels, vote.mean - 1.5),
            ("expertise", expertise, 0.9),
        ],
        _ => &[],
    };
    let made = goals
        .iter()
        .map(|(what, have, goal)| Claim::new(*what, format!("{:.3} for {goal:.3}", have.mean), have.mean >= *goal));
    out.extend(made);
}

const NOTE: &str = "`crowdwise repro dlc`: 2000 items and 2000 annotators, who are right with probability η = σ(u · F x), u and F of rank 10 uniform in (-0.3, 0.6), 20 features that are not negative; means ± \
     deviations over {seeds}. The pull of annotators is towards their common start (`lambda` 1, `lambda_view` 10), not towards 0 with 0.01 as printed, which fails where labels are noisy. \
     Reliability: correlation over labels of estimated and true η; expertise: over annotators, mean estimated η and share of right labels. Printed: Yang et al. 2018, table 1, 50 000 \
     items and annotators.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotators_are_right_as_often_as_their_reliability_says() {
        let m = made(300, 0.1, true, 5);
        let right = m.labels.iter().filter(|x| x.2 == m.items.truth[x.0]).count() as f64 / m.labels.len() as f64;
        let said = m.right.iter().sum::<f64>() / m.right.len() as f64;
        assert!((right - said).abs() < 0.02 && said > 0.55, "{right} {said}");
        let sure = made(300, 0.1, false, 5);
        assert!(sure.labels.iter().zip(&sure.right).all(|(l, p)| (l.2 == sure.items.truth[l.0]) == (*p > 0.5)));
        assert!((correlation(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]) - 1.0).abs() < 1e-12);
    }
}
