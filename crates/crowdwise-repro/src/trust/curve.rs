//! What the prior of shared errors costs and earns: calibration of `auto` over a handful of priors, on simulated crowds whose
//! errors are independent and on real sets.

use super::super::page::Grid;
use super::super::sets;
use super::calibration::{Score, crowds, score};
use crowdwise::methods::auto::Auto;
use crowdwise::simulate::Simulator;
use crowdwise::{Dataset, Error, Gold};
use std::path::Path;

/// Odds of shared errors against independent ones: nobody's, 1 to 8 up to 32 to 1, everybody's.
const ODDS: [f64; 9] = [0.0, 0.125, 0.5, 1.0, 2.0, 4.0, 8.0, 32.0, f64::INFINITY];
/// The independent world of the goal: crowds with at least so many labels per item.
const LABELS: usize = 5;

fn prior(odds: f64) -> f64 {
    if odds.is_infinite() { 1.0 } else { odds / (1.0 + odds) }
}

/// Scores of one crowd or set, a prior each.
type Scores = Vec<Score>;

fn at_all_priors(data: &Dataset, truth: &Gold, threads: usize) -> Result<Scores, Error> {
    let one = |&odds: &f64| {
        let auto = Auto { shared_prior: prior(odds), ..Auto::default() };
        score(&auto, data, truth, threads)
    };
    ODDS.iter().map(one).collect()
}

fn mean<'a>(all: impl Iterator<Item = &'a Scores>, n: usize, of: fn(&Score) -> f64) -> f64 {
    let (sum, count) = all.fold((0.0, 0.0), |(s, c), scores| (s + of(&scores[n]), c + 1.0));
    sum / f64::max(count, 1.0)
}

/// The prior whose log-loss, both worlds counting the same, is smallest without the real set `left_out`.
fn best(simulated: &[Scores], real: &[Scores], left_out: Option<usize>) -> usize {
    let others = || real.iter().enumerate().filter(|(i, _)| Some(*i) != left_out).map(|x| x.1);
    let loss = |n: usize| mean(simulated.iter(), n, |s| s.log_loss) + mean(others(), n, |s| s.log_loss);
    (0..ODDS.len()).fold(0, |a, b| if loss(b) < loss(a) { b } else { a })
}

/// Scores of every simulated crowd with enough labels, and of every real set.
pub fn measure(
    folder: &Path,
    names: &[&str],
    seeds: u64,
    threads: usize,
    mut say: impl FnMut(&str),
) -> Result<[Vec<Scores>; 2], Error> {
    let (mut simulated, mut real) = (Vec::new(), Vec::new());
    for (name, s) in crowds().iter().filter(|c| c.1.per_item >= LABELS) {
        say(name);
        for seed in 0..seeds {
            let (data, truth) = Simulator::new(s, seed)?.dataset()?;
            simulated.push(at_all_priors(&data, &truth, threads)?);
        }
    }
    for name in names {
        say(name);
        let (data, truth) = sets::read(folder, name, threads)?;
        real.push(at_all_priors(&data, &truth, threads)?);
    }
    Ok([simulated, real])
}

/// The curve, and in its last row real sets, each with the prior that is best without it.
pub fn grid([simulated, real]: &[Vec<Scores>; 2]) -> Grid {
    let figure = |x: f64| format!("{x:.3}");
    let default = Auto::default().shared_prior;
    let line = |(n, &odds): (usize, &f64)| {
        let name = match prior(odds) {
            0.0 => "0 (`errors=independent`)".to_owned(),
            1.0 => "1 (`errors=shared`)".to_owned(),
            p if (p - default).abs() < 1e-9 => format!("**{p:.2} (default)**"),
            p => format!("{p:.2}"),
        };
        let worst = simulated.iter().map(|s| s[n].ece).fold(0.0, f64::max);
        let figures = [
            mean(simulated.iter(), n, |s| s.ece),
            worst,
            mean(simulated.iter(), n, |s| s.log_loss),
            mean(real.iter(), n, |s| s.ece),
            mean(real.iter(), n, |s| s.log_loss),
        ];
        std::iter::once(name).chain(figures.map(figure)).collect()
    };
    let mut rows: Vec<Vec<String>> = ODDS.iter().enumerate().map(line).collect();
    let chosen: Vec<usize> = (0..real.len()).map(|i| best(simulated, real, Some(i))).collect();
    let left_out = |of: fn(&Score) -> f64| {
        chosen.iter().zip(real).map(|(&n, s)| of(&s[n])).sum::<f64>() / real.len().max(1) as f64
    };
    let (low, high) = chosen.iter().fold((usize::MAX, 0), |(a, b), &n| (a.min(n), b.max(n)));
    if let Some(&least) = ODDS.get(low) {
        let span = format!("best without the scored set: {:.2} to {:.2}", prior(least), prior(ODDS[high]));
        rows.push(vec![
            span,
            String::new(),
            String::new(),
            String::new(),
            figure(left_out(|s| s.ece)),
            figure(left_out(|s| s.log_loss)),
        ]);
    }
    let columns = [
        "prior of shared errors",
        "ECE, simulated",
        "worst ECE, simulated",
        "log-loss, simulated",
        "ECE, real sets",
        "log-loss, real sets",
    ];
    Grid {
        title: "Calibration: what the prior of shared errors costs".into(),
        columns: columns.map(str::to_owned).to_vec(),
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Log-loss rises by `slope` from one prior to the next.
    fn scores(slope: f64) -> Scores {
        let one = |n: usize| Score { accuracy: 1.0, log_loss: 10.0 + slope * n as f64, ece: 0.1 };
        (0..ODDS.len()).map(one).collect()
    }

    #[test]
    fn the_scored_set_has_no_say_in_its_prior() {
        let simulated = [scores(1.0)];
        // the second set alone asks for the strongest prior
        let real = [scores(-0.5), scores(-9.0), scores(-0.5)];
        assert_eq!(best(&simulated, &real, None), ODDS.len() - 1);
        assert_eq!(best(&simulated, &real, Some(0)), ODDS.len() - 1);
        assert_eq!(best(&simulated, &real, Some(1)), 0);
    }

    #[test]
    fn the_default_is_on_the_curve() {
        let rows = grid(&[vec![scores(1.0)], vec![scores(-0.5)]]).rows;
        assert_eq!(rows.iter().filter(|r| r[0].contains("(default)")).count(), 1);
        assert_eq!(rows.len(), ODDS.len() + 1);
    }
}
