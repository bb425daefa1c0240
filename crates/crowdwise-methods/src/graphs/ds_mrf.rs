//! DS-MRF: Dawid-Skene annotators, neighbours that tend to share their class, by EM with mean field.

use super::neighbours::Neighbours;
use crate::classes::confusion::{ClassPrior, DawidSkene};
use crate::sequences::cells::{Cells, check_entries};
use crate::sequences::emission::{Emissions, Fitted, estimate};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Needs, Outcome, Problems,
    Reference, Situation, Status, Step, StructureKind, Truth, stats,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Parameters of DS-MRF.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DsMrf {
    /// Maximum number of iterations.
    pub max_iter: usize,
    /// Stop when one EM step changes no probability of a class by more than this.
    pub tol: f64,
    /// Smoothing: added to every cell of the expected counts, as in dawid-skene.
    pub alpha: f64,
    /// How strongly neighbours pull: learned from the labels, or `fixed` at `delta`.
    pub coupling: Coupling,
    /// The pull of one neighbour: log-odds that it adds to its own class. Where it is learned, the value to begin with.
    pub delta: f64,
    /// Number of neighbours of an item in a graph built from the features.
    pub neighbours: usize,
    /// Number of sweeps over all items in one EM step.
    pub sweeps: usize,
}

/// Where the pull of neighbours comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Coupling {
    Learn,
    Fixed,
}

impl Default for DsMrf {
    fn default() -> Self {
        DsMrf { max_iter: 100, tol: 1e-4, alpha: 0.01, coupling: Coupling::Learn, delta: 0.5, neighbours: 5, sweeps: 5 }
    }
}

/// Where a learned pull stays.
const MOST_PULL: f64 = 5.0;

struct Field<'a> {
    data: &'a Dataset,
    k: usize,
    cells: Cells,
    near: Neighbours,
    gold: Option<Vec<Option<u32>>>,
}

impl Field<'_> {
    /// Sum of the probabilities of the neighbours.
    fn mass(&self, q: &[f64], u: usize, out: &mut [f64]) {
        out.fill(0.0);
        for &v in self.near.of_item(u) {
            out.iter_mut().zip(&q[v as usize * self.k..]).for_each(|(s, p)| *s += p);
        }
    }

    /// One EM step: annotators from `q`, then sweeps over the items. Every item sees what its neighbours have become.
    fn step(&self, q: &mut [f64], log: &[f64], delta: f64, sweeps: usize) {
        let k = self.k;
        let (mut row, mut mass) = (vec![0.0; k], vec![0.0; k]);
        // forward and backward in turn, so that no side of the graph is always the older
        for sweep in 0..sweeps {
            for at in 0..self.data.table.n_units() {
                let u = if sweep % 2 == 0 { at } else { self.data.table.n_units() - 1 - at };
                if self.gold.as_ref().is_some_and(|g| g[u].is_some()) {
                    continue;
                }
                self.mass(q, u, &mut mass);
                row.iter_mut().zip(&mass).for_each(|(r, m)| *r = delta * m);
                for r in self.data.table.rows(u) {
                    let c = self.cells.of_row[r] as usize;
                    row.iter_mut().zip(&log[c * k..(c + 1) * k]).for_each(|(x, l)| *x += l);
                }
                stats::softmax(&mut row);
                q[u * k..(u + 1) * k].copy_from_slice(&row);
            }
        }
    }

    /// Newton steps of the pull on the pseudo-likelihood of the probabilities.
    fn learn(&self, q: &[f64], mut delta: f64) -> f64 {
        let k = self.k;
        let (mut mass, mut row) = (vec![0.0; k], vec![0.0; k]);
        for _ in 0..3 {
            let (mut slope, mut curve) = (0.0, 0.0);
            for u in 0..self.data.table.n_units() {
                if self.near.of_item(u).is_empty() {
                    continue;
                }
                self.mass(q, u, &mut mass);
                row.iter_mut().zip(&mass).for_each(|(r, m)| *r = delta * m);
                stats::softmax(&mut row);
                let mean: f64 = row.iter().zip(&mass).map(|(r, m)| r * m).sum();
                let own: f64 = q[u * k..(u + 1) * k].iter().zip(&mass).map(|(p, m)| p * m).sum();
                slope += own - mean;
                curve += row.iter().zip(&mass).map(|(r, m)| r * m * m).sum::<f64>() - mean * mean;
            }
            delta = (delta + slope / curve.max(1e-9)).clamp(0.0, MOST_PULL);
        }
        delta
    }
}

impl Method for DsMrf {
    const INFO: MethodInfo = MethodInfo {
        id: "ds-mrf",
        name: "Dawid-Skene on a graph",
        summary: "Items that are neighbours tend to share their class: Dawid-Skene with a Markov random field, by mean field.",
        doc: include_str!("ds_mrf.md"),
        aliases: &["mrf"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "P. A. Traganitis, G. B. Giannakis. Unsupervised ensemble classification with sequential and networked \
                   data. IEEE Transactions on Knowledge and Data Engineering 34, 2022.",
            doi: Some("10.1109/TKDE.2020.3046645"),
        }],
        status: Status::Stable,
        needs: Needs::structure(StructureKind::Graph),
        compared: &[Situation::Graph],
        ..MethodInfo::of(Family::Graphs)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("alpha", self.alpha, 0.0, 1e9);
        p.within("delta", self.delta, 0.0, 1e3);
        p.count("neighbours", self.neighbours);
        p.count("sweeps", self.sweeps);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let near = cx.install(|| Neighbours::of(data, self.neighbours, Self::INFO.id))??;
        let k = data.table.n_classes();
        let cells = Cells::of_labels(data);
        check_entries(cells.n_cells(), k)?;
        let field = Field { data, k, cells, near, gold: data.gold_classes() };
        // a learned class share together with the field gives every item the same class
        let start = DawidSkene { alpha: self.alpha, class_prior: ClassPrior::Uniform, ..DawidSkene::default() };
        let Truth::Classes { posterior: mut q, .. } = Method::fit(&start, data, cx)?.truth else {
            unreachable!("dawid-skene gives classes")
        };
        let mut delta = self.delta;
        let mut sums = vec![0.0; field.cells.n_cells() * k];
        let mut annotators = Annotators::None;
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            let old = q.clone();
            let fitted: Fitted = cx.install(|| {
                field.cells.counts(&q, &mut sums);
                estimate(Emissions::Full, &field.cells, &sums, self.alpha, data.table.n_annotators())
            })?;
            field.step(&mut q, &fitted.log, delta, self.sweeps);
            let change = old.iter().zip(&q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if change.is_nan() {
                q = old;
                return Ok(Step { objective: None, change });
            }
            if self.coupling == Coupling::Learn {
                delta = field.learn(&q, delta);
            }
            annotators = fitted.annotators;
            Ok(Step { objective: None, change })
        })?;
        let mut diagnostics = run.diagnostics("none");
        diagnostics.details.insert("delta".into(), json!(delta));
        diagnostics.details.insert("pairs_of_neighbours".into(), json!(field.near.pairs()));
        diagnostics.details.insert("items_without_neighbour".into(), json!(field.near.alone()));
        let mut out = Outcome::classes(k, q, annotators, diagnostics);
        out.class_prior = Some(vec![1.0 / k as f64; k]);
        Ok(out)
    }
}
