//! Labelling functions over a grid: the worst that each method does beside majority vote.

use crowdwise::simulate::{SimModel, Simulation, Simulator};
use crowdwise::{Context, Dataset, Error, GoldValues, stats};
use crowdwise_terminal::rows;

/// What is compared with majority vote.
pub const METHODS: [&str; 6] =
    ["one-class-sources", "auto", "lf-em", "label-model", "pooled-dawid-skene", "dawid-skene"];

/// Below majority vote by more than this is a loss.
const LOSS: f64 = 0.01;

/// The grid. `items` of each set; a quick look takes fewer and every `step`-th cell.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub items: u64,
    pub repeats: u64,
    pub step: usize,
}

impl Default for Grid {
    fn default() -> Self {
        Grid { items: 1000, repeats: 5, step: 1 }
    }
}

/// All cells: classes, votes per item, accuracy of a vote, imbalance, unevenness of items, polarity, sources a class.
fn cells(items: u64) -> Vec<Simulation> {
    let mut out = Vec::new();
    for classes in [2, 4, 7, 10] {
        for per_class in [1, 3] {
            for votes in [0.5, 1.4, 3.0] {
                for accuracy in [0.55, 0.7, 0.9] {
                    for imbalance in [1.0, 1.6] {
                        for activity_sd in [0.0, 1.0] {
                            for one_class in [1.0, 0.5] {
                                let annotators = (classes * per_class).max(3);
                                out.push(Simulation {
                                    model: SimModel::LabellingFunctions,
                                    items,
                                    annotators,
                                    classes,
                                    votes: f64::min(votes, annotators as f64),
                                    accuracy,
                                    imbalance,
                                    activity_sd,
                                    one_class,
                                    ..Simulation::default()
                                });
                            }
                        }
                    }
                }
            }
        }
    }
    out
}

/// Differences from majority vote of one method over the sets of a cell.
struct Beside {
    mean: f64,
    se: f64,
}

impl Beside {
    fn of(differences: &[f64]) -> Beside {
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let var = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        Beside { mean, se: (var / n).sqrt() }
    }
}

/// Share of the items with a vote that get their class; of several first classes each counts in part.
fn right(method: &str, data: &Dataset, truth: &[(u32, u32)]) -> Result<f64, Error> {
    let fit = crowdwise::find(method)?.default().fit(data, &mut Context::new(0, 1))?;
    let (k, q) = fit.posterior().expect("a method of classes gives classes");
    let hit = |&(i, c): &(u32, u32)| {
        let row = &q[i as usize * k..(i as usize + 1) * k];
        let best = row[stats::argmax(row)];
        if stats::tied(row[c as usize], best) { 1.0 / stats::n_tied(row) as f64 } else { 0.0 }
    };
    Ok(truth.iter().map(hit).sum::<f64>() / truth.len().max(1) as f64)
}

/// What kind of sources a cell has.
fn words(s: &Simulation) -> String {
    format!(
        "{} classes, {} sources ({}), {} votes, accuracy {}, imbalance {}, activity {}",
        s.classes,
        s.annotators,
        if s.one_class < 1.0 { "half of several classes" } else { "one class each" },
        s.votes,
        s.accuracy,
        s.imbalance,
        s.activity_sd
    )
}

/// A Markdown table: one row a method. `say` is told of every cell.
pub fn table(grid: Grid, mut say: impl FnMut(&str)) -> Result<String, Error> {
    let cells: Vec<Simulation> = cells(grid.items).into_iter().step_by(grid.step.max(1)).collect();
    let mut results: Vec<Vec<Beside>> = METHODS.iter().map(|_| Vec::new()).collect();
    let mut votes = 0.0;
    for s in &cells {
        say(&words(s));
        let mut differences = vec![Vec::new(); METHODS.len()];
        for seed in 0..grid.repeats {
            let (data, gold) = Simulator::new(s, seed)?.dataset()?;
            let GoldValues::Classes(mut truth) = gold.values else { unreachable!("classes were simulated") };
            truth.retain(|t| data.table.degree(t.0 as usize) > 0);
            let vote = right("majority-vote", &data, &truth)?;
            votes += vote / (grid.repeats as usize * cells.len()) as f64;
            for (m, method) in METHODS.iter().enumerate() {
                differences[m].push(right(method, &data, &truth)? - vote);
            }
        }
        results.iter_mut().zip(&differences).for_each(|(r, d)| r.push(Beside::of(d)));
    }
    let columns = [
        "method",
        "mean difference ± standard error",
        "cells below by over 0.01",
        "beyond two errors",
        "worst cell",
        "which is",
    ]
    .map(str::to_owned);
    let mut lines = Vec::new();
    for (method, r) in METHODS.iter().zip(&results) {
        let worst = (0..r.len()).min_by(|&a, &b| r[a].mean.total_cmp(&r[b].mean)).expect("there are cells");
        let mean = r.iter().map(|b| b.mean).sum::<f64>() / r.len() as f64;
        // sets are drawn anew in every cell
        let se = r.iter().map(|b| b.se * b.se).sum::<f64>().sqrt() / r.len() as f64;
        let below = r.iter().filter(|b| b.mean < -LOSS).count();
        let clearly = r.iter().filter(|b| b.mean + 2.0 * b.se < -LOSS).count();
        lines.push(vec![
            format!("`{method}`"),
            format!("{mean:+.3} ± {se:.4}"),
            format!("{below} of {}", r.len()),
            clearly.to_string(),
            format!("{:+.3} ± {:.3}", r[worst].mean, r[worst].se),
            words(&cells[worst]),
        ]);
    }
    Ok(format!(
        "Share of right answers on items with a vote, minus that of majority vote (mean {votes:.3}); {} cells of {} sets of {} items, a seed each. A difference is paired, both methods on one set; ± is its standard error over the seeds, and *beyond two errors* means more than 0.01 below by that much.\n\n{}",
        cells.len(),
        grid.repeats,
        grid.items,
        rows::markdown(&columns, &lines)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_every_method() {
        let mut said = 0;
        let text = table(Grid { items: 150, repeats: 1, step: 97 }, |_| said += 1).unwrap();
        assert_eq!(said, 6);
        for method in METHODS {
            assert!(text.contains(&format!("`{method}`")), "{text}");
        }
    }
}
