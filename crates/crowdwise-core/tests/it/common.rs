//! Data and small methods for the tests.

use crowdwise_core::{
    Annotators, Context, Dataset, Diagnostics, Error, Family, Fit, Gold, LabelKind, Method, MethodInfo, Outcome,
    Provenance, Stop, Truth,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[path = "../support/sets.rs"]
mod sets;
pub use sets::real_set;

/// A fit with the given parts.
pub fn fit_of(data: &Dataset, truth: Truth, annotators: Annotators) -> Fit {
    Fit {
        truth,
        uncalibrated: None,
        annotators,
        class_prior: None,
        difficulty: None,
        diagnostics: Diagnostics::direct(),
        findings: Vec::new(),
        provenance: Provenance {
            method: "test".into(),
            params: serde_json::Value::Null,
            seed: 0,
            version: "0".into(),
            kind: data.table.kind(),
            items: data.table.n_items(),
            annotators: data.table.n_annotators(),
            classes: data.table.n_classes(),
            labels: data.table.n_labels(),
            digest: String::new(),
        },
    }
}

/// Vote shares; an item without labels is even.
pub fn vote_shares(data: &Dataset) -> Vec<f64> {
    let c = data.table.categorical().unwrap();
    let k = c.k();
    let mut p = vec![0.0; k * data.table.n_units()];
    for (u, row) in p.chunks_exact_mut(k).enumerate() {
        c.vote_shares(u, row);
    }
    p
}

/// A fit that knows the truth.
pub fn oracle(data: &Dataset, gold: &Gold) -> Fit {
    let k = data.table.n_classes();
    let mut posterior = vec![0.0; k * data.table.n_units()];
    for (u, c) in gold.classes(data.table.n_units()).iter().enumerate() {
        posterior[u * k + c.unwrap() as usize] = 1.0;
    }
    fit_of(data, Truth::Classes { k, posterior }, Annotators::None)
}

/// One step of Dawid and Skene from the vote shares, half a label of smoothing: (posterior, matrices, class shares).
pub fn one_step(data: &Dataset) -> (Vec<f64>, Vec<f64>) {
    let (t, c) = (&data.table, data.table.categorical().unwrap());
    let (k, q) = (c.k(), vote_shares(data));
    let mut a = vec![0.5; t.n_annotators() * k * k];
    let mut prior = vec![0.0; k];
    for u in 0..t.n_units() {
        if t.degree(u) > 0 {
            (0..k).for_each(|x| prior[x] += q[u * k + x]);
        }
        for r in t.rows(u) {
            let (j, l) = (t.annotator()[r] as usize, c.codes.get(r));
            (0..k).for_each(|x| a[(j * k + x) * k + l] += q[u * k + x]);
        }
    }
    let n: f64 = prior.iter().sum();
    for row in a.chunks_exact_mut(k) {
        let n: f64 = row.iter().sum();
        for x in row.iter_mut() {
            *x /= n;
        }
    }
    let mut post = vec![0.0; q.len()];
    for (u, row) in post.chunks_exact_mut(k).enumerate() {
        (0..k).for_each(|x| row[x] = (prior[x] / n).ln());
        for r in t.rows(u) {
            let (j, l) = (t.annotator()[r] as usize, c.codes.get(r));
            (0..k).for_each(|x| row[x] += a[(j * k + x) * k + l].ln());
        }
        crowdwise_core::stats::softmax(row);
    }
    (post, a)
}

const fn info(id: &'static str, accepts: &'static [LabelKind]) -> MethodInfo {
    MethodInfo { id, name: id, accepts, ..MethodInfo::of(Family::Voting) }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Votes {}

impl Method for Votes {
    const INFO: MethodInfo = info("votes", &[LabelKind::Categorical]);

    fn fit(&self, data: &Dataset, _: &mut Context<'_>) -> Result<Outcome, Error> {
        let k = data.table.n_classes();
        Ok(Outcome::classes(k, vote_shares(data), Annotators::None, Diagnostics::direct()))
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct OneStep {}

impl Method for OneStep {
    const INFO: MethodInfo = info("one-step", &[LabelKind::Categorical]);

    fn fit(&self, data: &Dataset, _: &mut Context<'_>) -> Result<Outcome, Error> {
        let k = data.table.n_classes();
        let (posterior, matrix) = one_step(data);
        let mut d = Diagnostics::direct();
        d.stop = Stop::MaxIter;
        d.iterations = 1;
        Ok(Outcome::classes(k, posterior, Annotators::Confusion { k, matrix }, d))
    }
}

/// Knows nothing: even posteriors and even matrices.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Ignorant {}

impl Method for Ignorant {
    const INFO: MethodInfo = info("ignorant", &[LabelKind::Categorical]);

    fn fit(&self, data: &Dataset, _: &mut Context<'_>) -> Result<Outcome, Error> {
        let k = data.table.n_classes();
        let even = vec![1.0 / k as f64; k * data.table.n_units()];
        let accuracy = vec![1.0 / k as f64; data.table.n_annotators()];
        Ok(Outcome::classes(k, even, Annotators::Accuracy { k, accuracy }, Diagnostics::direct()))
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Failing {}

impl Method for Failing {
    const INFO: MethodInfo = info("failing", &[LabelKind::Categorical]);

    fn fit(&self, _: &Dataset, _: &mut Context<'_>) -> Result<Outcome, Error> {
        Err(Error::Unsupported { what: "it always fails".into(), hint: None })
    }
}
