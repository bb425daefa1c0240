//! How often intervals hold what they should, on simulated crowds whose truth is known.

use super::{SimModel, Simulation, Simulator};
use crate::questions::annotators;
use crate::{AnyMethod, Context, Dataset, Error, Gold, GoldValues, LabelKind, Truth};

/// Half the width of a 90 % interval, in standard errors.
pub const Z: f64 = 1.644_853_626_951_472_2;

/// A kind of crowd.
#[derive(Clone, Debug)]
pub struct Design {
    pub name: &'static str,
    /// In a few words.
    pub about: &'static str,
    pub simulation: Simulation,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    pub method: &'static str,
    pub design: &'static str,
    /// Intervals, those that hold the truth, and their mean width.
    pub n: u64,
    pub inside: u64,
    pub width: f64,
}

impl Coverage {
    pub fn share(&self) -> f64 {
        self.inside as f64 / self.n.max(1) as f64
    }
}

/// The crowds on which intervals are tried, for labels of a kind: accuracies of annotators (classes), values of items
/// (numbers), scores of items (comparisons).
pub fn designs(kind: LabelKind) -> Vec<Design> {
    let usual = || Simulation { items: 200, annotators: 20, classes: 3, per_item: 5, ..Simulation::default() };
    let real = || Simulation { model: SimModel::Real, ..usual() };
    let pairs = |pairs: u64| Simulation {
        model: SimModel::BradleyTerry,
        items: 15,
        annotators: 10,
        pairs,
        per_item: 1,
        ties: 0.0,
        noise_spread: 0.0,
        ..Simulation::default()
    };
    let design = |name, about, simulation| Design { name, about, simulation };
    match kind {
        LabelKind::Categorical => vec![
            design("coin", "one accuracy each", Simulation { model: SimModel::OneCoin, ..usual() }),
            design("ds", "a matrix each", usual()),
            design(
                "sparse",
                "150 items, 60 annotators, 3 labels per item",
                Simulation { items: 150, annotators: 60, per_item: 3, ..usual() },
            ),
            design("spam", "5 of 20 guess", Simulation { spammers: 0.25, ..usual() }),
        ],
        LabelKind::Real => vec![
            design("values", "a bias and a noise each", real()),
            design("few", "3 values per item", Simulation { per_item: 3, ..real() }),
            design("many", "10 values per item", Simulation { per_item: 10, ..real() }),
            design("unbiased", "noise alone", Simulation { bias_sd: 0.0, ..real() }),
        ],
        LabelKind::Preference => {
            vec![
                design("400", "15 items, 400 comparisons", pairs(400)),
                design("2000", "15 items, 2,000 comparisons", pairs(2000)),
            ]
        }
        LabelKind::Similarity => Vec::new(),
    }
}

/// Fits `times` crowds of a design, with the seeds 0, 1 …, and counts the intervals that hold the truth. 90 % is meant.
pub fn coverage(
    method: &dyn AnyMethod,
    design: &Design,
    times: u64,
    cx: impl Fn(u64) -> Context<'static>,
) -> Result<Coverage, Error> {
    let mut out = Coverage { method: method.info().id, design: design.name, n: 0, inside: 0, width: 0.0 };
    let mut width = 0.0;
    for seed in 0..times {
        let sim = Simulator::new(&design.simulation, seed)?;
        let (data, gold) = sim.dataset()?;
        let fit = method.fit(&data, &mut cx(seed))?;
        let mut count = |[low, high]: [f64; 2], truth: f64| {
            out.n += 1;
            out.inside += u64::from(low <= truth && truth <= high);
            width += high - low;
        };
        match &fit.truth {
            Truth::Classes { .. } => {
                for (row, a) in annotators(&data, &fit).iter().zip(sim.annotators()) {
                    if let (Some(interval), Some(truth)) = (row.interval, a.accuracy) {
                        count(interval, truth);
                    }
                }
            }
            Truth::Real { value, sd } => {
                if let GoldValues::Real(known) = &gold.values {
                    for &(u, truth) in known {
                        let (y, half) = (value[u as usize], Z * sd[u as usize]);
                        count([y - half, y + half], truth);
                    }
                }
            }
            Truth::Scores { interval, component, .. } => {
                for (i, truth) in centred(&data, &gold, component) {
                    count(interval[i], truth);
                }
            }
            Truth::Clusters { .. } => {}
        }
    }
    out.width = width / out.n.max(1) as f64;
    Ok(out)
}

/// True scores with a mean of 0 in each component, as fitted ones have.
fn centred(data: &Dataset, gold: &Gold, component: &[u32]) -> Vec<(usize, f64)> {
    let GoldValues::Scores(scores) = &gold.values else { return Vec::new() };
    let mut sum = vec![(0.0, 0.0); data.table.n_items()];
    for &(i, s) in scores {
        let c = &mut sum[component[i as usize] as usize];
        *c = (c.0 + s, c.1 + 1.0);
    }
    let mean = |i: u32| {
        let (s, n) = sum[component[i as usize] as usize];
        s / n
    };
    scores.iter().map(|&(i, s)| (i as usize, s - mean(i))).collect()
}
