//! CROWDLAB: a classifier's probabilities and the annotators' labels in one weighted average.

use crowdwise_core::stats::argmax;
use crowdwise_core::{
    Annotators, Capabilities, Categorical, Context, Dataset, Diagnostics, Error, Family, LabelKind, Method, MethodInfo,
    Needs, Outcome, Probabilities, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Consensus of annotators and a classifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Crowdlab {
    /// Estimates of all weights: each after the first starts from the consensus of the one before.
    pub rounds: usize,
}

impl Default for Crowdlab {
    fn default() -> Self {
        Crowdlab { rounds: 2 }
    }
}

/// No weight is smaller.
const SMALLEST: f64 = 1e-6;

/// Labels and probabilities, with what is counted once.
struct Crowd<'a> {
    data: Categorical<'a>,
    probabilities: &'a Probabilities,
    k: usize,
    /// Votes by unit, units x K.
    votes: Vec<f64>,
    /// Mean number of labels of the items that have some.
    mean_degree: f64,
}

/// Weights and the posterior that they give.
struct Estimate {
    posterior: Vec<f64>,
    weight: Vec<f64>,
    model: f64,
}

impl<'a> Crowd<'a> {
    fn new(data: &'a Dataset, probabilities: &'a Probabilities) -> Crowd<'a> {
        let labels = data.table.categorical().expect("the kind was checked");
        let (k, units) = (labels.k(), data.table.n_units());
        let mut votes = vec![0.0; units * k];
        votes.chunks_exact_mut(k).enumerate().for_each(|(u, row)| labels.votes(u, row));
        let labelled = (0..units).filter(|&u| data.table.degree(u) > 0).count();
        Crowd { data: labels, probabilities, k, votes, mean_degree: data.table.n_labels() as f64 / labelled as f64 }
    }

    /// Units with at least one label.
    fn labelled(&self) -> impl Iterator<Item = usize> {
        (0..self.data.table.n_units()).filter(|&u| self.data.table.degree(u) > 0)
    }

    /// Units with several labels: the only ones that say how far labels agree.
    fn several(&self) -> impl Iterator<Item = usize> {
        (0..self.data.table.n_units()).filter(|&u| self.data.table.degree(u) > 1)
    }

    fn probability(&self, u: usize, c: usize) -> f64 {
        self.probabilities.get(u, c)
    }

    fn row(&self, u: usize) -> Vec<f64> {
        (0..self.k).map(|c| self.probability(u, c)).collect()
    }

    /// Majority vote. Of tied classes: the likeliest by the classifier, then the rarer one, then that whose voters agree
    /// more with the other items' majority, then the first.
    fn majority(&self) -> Vec<usize> {
        let (k, table) = (self.k, self.data.table);
        let mut frequency = vec![0.0; k];
        self.votes.chunks_exact(k).for_each(|v| frequency.iter_mut().zip(v).for_each(|(f, x)| *f += x));
        let mut label = vec![0; table.n_units()];
        let (mut hits, mut n) = (vec![0.0; table.n_annotators()], vec![0.0; table.n_annotators()]);
        let mut tied: Vec<(usize, Vec<usize>)> = Vec::new();
        for u in self.labelled() {
            let votes = &self.votes[u * k..][..k];
            let top = votes.iter().copied().fold(0.0, f64::max);
            let best: Vec<usize> = (0..k).filter(|&c| votes[c] == top).collect();
            label[u] = best[0];
            if best.len() > 1 {
                tied.push((u, best));
                continue;
            }
            for r in table.rows(u) {
                let j = table.annotator()[r] as usize;
                n[j] += 1.0;
                hits[j] += f64::from(self.data.codes.get(r) == best[0]);
            }
        }
        let known = n.iter().filter(|&&x| x > 0.0).count() as f64;
        let mean = (0..n.len()).filter(|&j| n[j] > 0.0).map(|j| hits[j] / n[j]).sum::<f64>() / known.max(1.0);
        let agreement = |j: usize| if n[j] > 0.0 { hits[j] / n[j] } else { mean };
        for (u, mut best) in tied {
            keep_largest(&mut best, |c| self.probability(u, c));
            keep_largest(&mut best, |c| -frequency[c]);
            keep_largest(&mut best, |c| {
                let who = table.rows(u).filter(|&r| self.data.codes.get(r) == c);
                let (sum, n) =
                    who.fold((0.0, 0.0), |(s, n), r| (s + agreement(table.annotator()[r] as usize), n + 1.0));
                sum / n
            });
            label[u] = best[0];
        }
        label
    }

    /// Weights from how far labels agree with `consensus` and with each other, and the average that they give.
    fn estimate(&self, consensus: &[usize]) -> Estimate {
        let (k, table) = (self.k, self.data.table);
        let (mut agree, mut wrong, mut n) = (0.0, 0.0, 0.0);
        let mut frequency = vec![0.0; k];
        for u in self.several() {
            agree += self.votes[u * k + consensus[u]] / table.degree(u) as f64;
            frequency[consensus[u]] += 1.0;
            wrong += f64::from(argmax(&self.row(u)) != consensus[u]);
            n += 1.0;
        }
        // with one label per item nothing is known: labels and model weigh the same
        let alone = n == 0.0;
        let right = if alone { 1.0 } else { agree / n };
        let spread = if k > 1 { (1.0 - right) / (k - 1) as f64 } else { 0.0 };
        // error of who always names the most frequent class
        let base = (1.0 - frequency.iter().copied().fold(0.0, f64::max) / n).max(SMALLEST);
        let weight = if alone { vec![1.0; table.n_annotators()] } else { self.weights(base) };
        let model = if alone { 1.0 } else { (1.0 - wrong / n / base).max(SMALLEST) * self.mean_degree.sqrt() };
        let mut posterior = vec![0.0; table.n_units() * k];
        for (u, q) in posterior.chunks_exact_mut(k).enumerate() {
            let mut total = model;
            q.iter_mut().enumerate().for_each(|(c, p)| *p = model * self.probability(u, c));
            for r in table.rows(u) {
                let w = weight[table.annotator()[r] as usize];
                total += w;
                q.iter_mut().for_each(|p| *p += w * spread);
                q[self.data.codes.get(r)] += w * (right - spread);
            }
            q.iter_mut().for_each(|p| *p /= total);
        }
        Estimate { posterior, weight, model }
    }

    /// Weight of an annotator: how much more often it agrees with others than who names the most frequent class is right.
    fn weights(&self, base: f64) -> Vec<f64> {
        let table = self.data.table;
        let (mut same, mut others) = (vec![0.0; table.n_annotators()], vec![0.0; table.n_annotators()]);
        for u in self.several() {
            for r in table.rows(u) {
                let j = table.annotator()[r] as usize;
                same[j] += self.votes[u * self.k + self.data.codes.get(r)] - 1.0;
                others[j] += (table.degree(u) - 1) as f64;
            }
        }
        let known: Vec<f64> = same.iter().zip(&others).filter(|(_, n)| **n > 0.0).map(|(s, n)| s / n).collect();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let share = |j: usize| if others[j] > 0.0 { same[j] / others[j] } else { mean };
        (0..same.len()).map(|j| (1.0 - (1.0 - share(j)) / base).max(SMALLEST)).collect()
    }

    /// Overall quality of annotators: mean probability of their labels, and share that equals the consensus.
    fn quality(&self, e: &Estimate, consensus: &[usize]) -> Vec<f64> {
        let table = self.data.table;
        let m = table.n_annotators();
        let (mut sum, mut n) = (vec![0.0; m], vec![0.0; m]);
        let (mut hits, mut of) = (vec![0.0; m], vec![0.0; m]);
        for u in self.labelled() {
            for r in table.rows(u) {
                let (j, l) = (table.annotator()[r] as usize, self.data.codes.get(r));
                sum[j] += e.posterior[u * self.k + l];
                n[j] += 1.0;
                if table.degree(u) > 1 {
                    hits[j] += f64::from(l == consensus[u]);
                    of[j] += 1.0;
                }
            }
        }
        let mean_weight = e.weight.iter().sum::<f64>() / m as f64;
        let w = e.model / (e.model + mean_weight * self.mean_degree);
        (0..m)
            .map(|j| {
                let by_model = if n[j] > 0.0 { sum[j] / n[j] } else { 1.0 / self.k as f64 };
                if of[j] > 0.0 { w * by_model + (1.0 - w) * hits[j] / of[j] } else { by_model }
            })
            .collect()
    }
}

/// The classifier's probabilities, one row for every item.
fn probabilities(data: &Dataset) -> Result<&Probabilities, Error> {
    let (what, hint) = match &data.probabilities {
        Some(p) if p.rows() == data.table.n_units() => return Ok(p),
        Some(p) => (
            format!("crowdlab: class probabilities for {} items, but there are {}", p.rows(), data.table.n_units()),
            "every item needs a row",
        ),
        None => (
            "crowdlab averages annotators with a classifier, but no class probabilities are given".into(),
            "⟦--probabilities FILE⟧: one row per item, one column per class; without a classifier use another method",
        ),
    };
    Err(Error::Unsupported { what, hint: Some(hint.into()) })
}

fn keep_largest(classes: &mut Vec<usize>, value: impl Fn(usize) -> f64) {
    if classes.len() > 1 {
        let top = classes.iter().map(|&c| value(c)).fold(f64::NEG_INFINITY, f64::max);
        classes.retain(|&c| value(c) == top);
    }
}

impl Method for Crowdlab {
    const INFO: MethodInfo = MethodInfo {
        id: "crowdlab",
        name: "CROWDLAB",
        summary: "Weighted average of annotators' labels and a classifier's class probabilities; closed form.",
        doc: include_str!("crowdlab.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "H. W. Goh, U. Tkachenko, J. Mueller. CROWDLAB: Supervised Learning to Infer Consensus Labels and Quality \
                   Scores for Data with Multiple Annotators. 2022.",
            doi: Some("10.48550/arXiv.2210.06812"),
        }],
        status: Status::Stable,
        needs: Needs { probabilities: true, ..Needs::NOTHING },
        ..MethodInfo::of(Family::Sources)
    };

    fn check(&self, p: &mut Problems) {
        p.count("rounds", self.rounds);
    }

    fn fit(&self, data: &Dataset, _cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let crowd = Crowd::new(data, probabilities(data)?);
        let k = crowd.k;
        let gold = data.gold_classes();
        let known = |u: usize| gold.as_ref().and_then(|g| g[u]);
        let mut consensus = crowd.majority();
        crowd.labelled().for_each(|u| consensus[u] = known(u).map_or(consensus[u], |c| c as usize));
        let mut e = crowd.estimate(&consensus);
        for _ in 1..self.rounds {
            for u in crowd.labelled().filter(|&u| known(u).is_none()) {
                let q = &e.posterior[u * k..][..k];
                let top = q.iter().copied().fold(0.0, f64::max);
                // a tie leaves the consensus as it was
                let mut best = (0..k).filter(|&c| q[c] == top);
                if let (Some(c), None) = (best.next(), best.next()) {
                    consensus[u] = c;
                }
            }
            e = crowd.estimate(&consensus);
        }
        let accuracy = crowd.quality(&e, &consensus);
        for (u, row) in e.posterior.chunks_exact_mut(k).enumerate() {
            if let Some(c) = known(u) {
                row.fill(0.0);
                row[c as usize] = 1.0;
            }
        }
        let mut shares = vec![0.0; k];
        crowd.labelled().for_each(|u| crowdwise_numerics::add_into(&mut shares, &e.posterior[u * k..][..k]));
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|s| *s /= total);
        let mut out = Outcome::classes(k, e.posterior, Annotators::Accuracy { k, accuracy }, Diagnostics::direct());
        out.class_prior = Some(shares);
        out.diagnostics.details.insert("model_weight".into(), e.model.into());
        out.diagnostics.details.insert("annotator_weights".into(), e.weight.into());
        Ok(out)
    }
}
