//! Confusion matrices from moments: how often two or three annotators say what on the same items.

mod align;
mod cnmf_em;
mod cnmf_opt;
mod cnmf_spa;
mod ctd;
mod labels;
mod pairs;
mod spa;
mod start;
mod sym_nmf;
mod triples;

pub use cnmf_em::CnmfEm;
pub use cnmf_opt::{CnmfOpt, Order};
pub use cnmf_spa::{CnmfSpa, Others};
pub use ctd::{Ctd, CtdInit};
pub use spa::Align;
pub use sym_nmf::{SymNmf, SymNmfInit};

pub(crate) use start::{From, start};

use crate::classes::confusion::kernel::{Dense, Engine};
use crate::classes::confusion::start::vote_tables;
use crate::classes::confusion::{Rows, Zeros, shared};
use crowdwise_core::{Context, Dataset, Error, Finding, Severity, Subject, group};
use labels::Labels;
use pairs::Pairs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Which class shares the labels are decided with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LabelPrior {
    /// All classes alike: maximum likelihood.
    Uniform,
    /// The shares that the moments give: maximum a posteriori.
    Learn,
}

/// The moments of a dataset with what turns tables into labels.
pub(crate) struct Moments {
    pub labels: Labels,
    pub pairs: Pairs,
    pub engine: Engine,
    /// Tables by the votes, all annotators x label x truth: what is known of those whom the moments do not reach.
    pub votes: Vec<f64>,
    pub annotators: usize,
}

impl Moments {
    pub fn of(data: &Dataset, cx: &mut Context<'_>) -> Result<Moments, Error> {
        let (table, gold) = shared::inputs(data);
        let k = table.k();
        let annotators = data.table.n_annotators();
        shared::check_entries(2 * annotators, k, k)?;
        let mut engine = Engine::new(&table, gold.as_deref(), cx.threads)?;
        let mut votes = vote_tables(&mut engine, cx)?;
        align::clip(&mut votes, spa::FLOOR, k);
        let labels = Labels::new(data, cx);
        let pairs = Pairs::of(&labels, cx)?;
        Ok(Moments { labels, pairs, engine, votes, annotators })
    }

    pub fn k(&self) -> usize {
        self.labels.k
    }

    /// Tables by the votes, of the places only; known truth is always right.
    pub fn votes_of_places(&self) -> Vec<f64> {
        let k = self.k();
        let mut out = Vec::with_capacity(self.labels.places() * k * k);
        for p in 0..self.labels.places() {
            match self.labels.annotator(p) {
                Some(j) => out.extend_from_slice(&self.votes[j * k * k..(j + 1) * k * k]),
                None => out.extend((0..k * k).map(|x| if x / k == x % k { 1.0 } else { spa::FLOOR })),
            }
        }
        out
    }

    /// Tables of all annotators: those of places whose `good` is set, the votes' for the others.
    pub fn spread(&self, places: &[f64], good: &[bool]) -> Vec<f64> {
        let k = self.k();
        let mut out = self.votes.clone();
        for p in (0..self.labels.places()).filter(|&p| good[p]) {
            if let Some(j) = self.labels.annotator(p) {
                out[j * k * k..(j + 1) * k * k].copy_from_slice(&places[p * k * k..(p + 1) * k * k]);
            }
        }
        out
    }

    /// Posteriors (units x K) under these tables and shares, and their log-likelihood.
    pub fn posterior(
        &mut self,
        data: &Dataset,
        tables: &[f64],
        prior: &[f64],
        cx: &mut Context<'_>,
    ) -> Result<(Vec<f64>, f64), Error> {
        let k = self.k();
        let mut out = vec![0.0; data.table.n_units() * k];
        self.engine.set(tables, prior);
        let passed = self.engine.pass(cx, Some(&mut out), false)?;
        shared::complete(&mut out, data, data.gold_classes().as_deref(), prior);
        Ok((out, passed.log_likelihood))
    }

    /// Log-likelihood of the labels under tables of places and class shares; annotators that are not `good` count by the
    /// votes' tables.
    pub fn likelihood(
        &mut self,
        places: &[f64],
        good: &[bool],
        prior: &[f64],
        cx: &mut Context<'_>,
    ) -> Result<f64, Error> {
        let tables = self.spread(places, good);
        self.engine.set(&tables, prior);
        let passed = self.engine.pass(cx, None, false)?;
        // a pass adds to the counts: clear them for whoever comes next
        self.engine.maximise(cx, &Rows::plain(0.0, Zeros::Floor, prior.len()), &passed.class, Dense::None)?;
        Ok(passed.log_likelihood)
    }

    /// Class shares by least squares from all pairs of `good` places with these tables: the moments of a pair are linear
    /// in the shares.
    pub fn shares(&self, tables: &[f64], good: &[bool]) -> Vec<f64> {
        let k = self.k();
        let (mut normal, mut right) = (vec![0.0; k * k], vec![0.0; k]);
        let of = |p: u32| &tables[p as usize * k * k..(p as usize + 1) * k * k];
        for (x, pair) in self.pairs.all.iter().enumerate() {
            if !good[pair.a as usize] || !good[pair.b as usize] {
                continue;
            }
            let (a, b, n) = (of(pair.a), of(pair.b), pair.n as f64);
            for t in 0..k {
                for s in 0..k {
                    let dot = |m: &[f64]| (0..k).map(|l| m[l * k + t] * m[l * k + s]).sum::<f64>();
                    normal[t * k + s] += n * dot(a) * dot(b);
                }
            }
            for (l, o, share) in self.pairs.seen_by(pair.a as usize, x) {
                (0..k).for_each(|t| right[t] += n * share * a[l * k + t] * b[o * k + t]);
            }
        }
        solve_shares(k, normal, &right)
    }

    /// What the result says of the moments that it rests on.
    pub fn details(&self, good: &[bool]) -> Map<String, Value> {
        let mut out = Map::new();
        let of_annotators = (0..good.len()).filter(|&p| good[p] && self.labels.annotator(p).is_some()).count();
        out.insert("estimated_annotators".into(), json!(of_annotators));
        out.insert("pairs_in_common".into(), json!(self.pairs.all.len()));
        out.insert("label_pairs_used".into(), json!(self.labels.used));
        out
    }

    /// What limits the estimate: too few overlaps, or too many annotators or labels.
    pub fn findings(&self, good: &[bool]) -> Vec<Finding> {
        let mut out = Vec::new();
        let estimated = (0..good.len()).filter(|&p| good[p] && self.labels.annotator(p).is_some()).count();
        let all = group(self.annotators as u64);
        if estimated == 0 {
            out.push(Finding::new(
                "moments-too-few",
                Severity::Warning,
                Subject::Fit,
                "no annotator shares enough items with enough others: the matrices come from the votes alone",
                "use dawid-skene or majority-vote, or collect labels so that annotators share items",
            ));
        } else if estimated < self.annotators {
            let rest = group((self.annotators - estimated) as u64);
            out.push(Finding::new(
                "moments-partial",
                Severity::Info,
                Subject::Fit,
                format!(
                    "{rest} of {all} annotators share too few items with others: their matrices come from the votes"
                ),
                "their labels count as much as the votes say; more items in common would help",
            ));
        }
        if self.labels.left_out > 0 || self.labels.used < 1.0 {
            out.push(Finding::new(
                "moments-limited",
                Severity::Info,
                Subject::Fit,
                format!(
                    "{} of {all} annotators were left out of the moments, and {:.0} % of the pairs of labels were used",
                    group(self.labels.left_out as u64),
                    100.0 * self.labels.used
                ),
                "there are too many to look at all of them; the labels of every annotator count in the result",
            ));
        }
        out
    }
}

/// Non-negative shares that sum to 1 from the normal equations of a least-squares problem.
fn solve_shares(k: usize, mut normal: Vec<f64>, right: &[f64]) -> Vec<f64> {
    use crowdwise_numerics::Matrix;
    let trace: f64 = (0..k).map(|t| normal[t * k + t]).sum();
    if trace <= 0.0 || !trace.is_finite() {
        return vec![1.0 / k as f64; k];
    }
    (0..k).for_each(|t| normal[t * k + t] += 1e-9 * trace / k as f64);
    let solved = Matrix::new(k, k, normal).solve(&Matrix::new(k, 1, right.to_vec()));
    let Some(solved) = solved else { return vec![1.0 / k as f64; k] };
    let mut out: Vec<f64> = solved.values().iter().map(|x| x.max(0.0)).collect();
    let sum: f64 = out.iter().sum();
    if sum <= 0.0 {
        return vec![1.0 / k as f64; k];
    }
    out.iter_mut().for_each(|x| *x = (*x / sum).max(1e-9));
    let sum: f64 = out.iter().sum();
    out.iter_mut().for_each(|x| *x /= sum);
    out
}

#[cfg(test)]
mod tests;
