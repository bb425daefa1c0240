//! Fair confusion: a confusion matrix per annotator and group of items, by EM.

use super::Grouped;
use super::grouped::groups;
use crate::classes::confusion::{DawidSkene, shared};
use crate::inside::complete;
use crowdwise_core::stats::softmax;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, Finding, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Severity, Status, Step, Subject,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A confusion matrix per annotator and group of items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FairConfusion {
    /// Maximum number of iterations (passes over the labels) after the start at Dawid-Skene.
    pub max_iter: usize,
    /// Stop when one step changes no probability of a class by more than this.
    pub tol: f64,
    /// Smoothing: added to every cell of the expected counts, of a group and of all items.
    pub alpha: f64,
    /// Added to every class count.
    pub beta: f64,
    /// Labels of the annotator's matrix over all items that are added to every row of a group's matrix.
    pub kappa: f64,
}

impl Default for FairConfusion {
    fn default() -> Self {
        FairConfusion { max_iter: 500, tol: 1e-6, alpha: 0.01, beta: 0.0, kappa: 10.0 }
    }
}

/// Matrices by group go into the details up to this many numbers.
const MOST_TOLD: usize = 100_000;

impl FairConfusion {
    /// Posterior of every unit under the matrices of its group; the log-likelihood and the largest change.
    fn expect(g: &Grouped, data: &Dataset, of: &[usize], gold: Option<&[Option<u32>]>, q: &mut [f64]) -> Step {
        let table = &data.table;
        let labels = table.categorical().expect("the kind was checked");
        let k = g.k;
        let (mut likelihood, mut change) = (0.0, 0.0f64);
        let mut score = vec![0.0; k];
        for u in (0..table.n_units()).filter(|&u| table.degree(u) > 0) {
            score.iter_mut().zip(g.prior(of[u])).for_each(|(s, p)| *s = p.max(TINY).ln());
            for r in table.rows(u) {
                let (j, l) = (table.annotator()[r] as usize, labels.codes.get(r));
                let matrix = g.matrix(j, of[u]);
                (0..k).for_each(|t| score[t] += matrix[t * k + l].max(TINY).ln());
            }
            if let Some(c) = gold.and_then(|g| g[u]) {
                likelihood += score[c as usize];
                continue;
            }
            likelihood += softmax(&mut score);
            let row = &mut q[u * k..(u + 1) * k];
            change = row.iter().zip(&score).fold(change, |c, (a, b)| c.max((a - b).abs()));
            row.copy_from_slice(&score);
        }
        Step { objective: Some(likelihood), change }
    }
}

/// What a probability of 0 becomes, as in `dawid-skene`.
const TINY: f64 = 1e-10;

impl Method for FairConfusion {
    const INFO: MethodInfo = MethodInfo {
        id: "fair-confusion",
        name: "Fair confusion",
        summary: "A confusion matrix per annotator and group of items, for annotators who treat groups differently.",
        doc: include_str!("fair_confusion.md"),
        aliases: &["group-confusion"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, likelihood: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "A. P. Dawid and A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM \
                       Algorithm. Applied Statistics 28(1), 1979.",
                doi: Some("10.2307/2346806"),
            },
            Reference {
                text: "N. Goel, B. Faltings. Crowdsourcing with Fairness, Diversity and Budget Constraints. AIES 2019.",
                doi: Some("10.1145/3306618.3314282"),
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Fairness)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("alpha", self.alpha, 0.0, 1e9);
        p.within("beta", self.beta, 0.0, 1e9);
        p.within("kappa", self.kappa, 0.0, 1e9);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let gold = data.gold_classes();
        let (known, of) = groups(data);
        let (m, k) = (data.table.n_annotators(), data.table.n_classes());
        shared::check_entries(m.saturating_mul(known + 1), k, k)?;
        let first = DawidSkene { alpha: self.alpha, beta: self.beta, tol: self.tol, ..DawidSkene::default() };
        let start = Method::fit(&first, data, cx)?;
        let mut q = start.posterior().expect("classes").1.to_vec();
        let mut g = Grouped::count(data, &q, self.alpha, self.beta, self.kappa);
        let mut run = cx.iterate(self.max_iter, self.tol, |_, _| {
            let step = Self::expect(&g, data, &of, gold.as_deref(), &mut q);
            g = Grouped::count(data, &q, self.alpha, self.beta, self.kappa);
            Ok(step)
        })?;
        run.iterations += start.diagnostics.iterations;
        complete(&mut q, &data.table, gold.as_deref(), &g.share);
        let mut diagnostics = run.diagnostics("log-likelihood");
        if known > 0 && g.by_group.len() <= MOST_TOLD {
            diagnostics.details.insert("confusion_by_group".into(), told(&g, data));
        }
        let mut out = Outcome::classes(k, q, Annotators::Confusion { k, matrix: g.pooled }, diagnostics);
        out.class_prior = Some(g.share);
        if known == 0 {
            out.findings.push(Finding::new(
                "no-groups",
                Severity::Warning,
                Subject::Data,
                "no item is in a group: this is Dawid-Skene",
                "⟦crowdwise fit ANSWERS --attribute FILE -m fair-confusion⟧ reads the group of every item",
            ));
        }
        Ok(out)
    }
}

/// Matrices by group and annotator, both by name, and the class shares of the groups.
fn told(g: &Grouped, data: &Dataset) -> serde_json::Value {
    let attribute = data.attribute.as_ref().expect("there are groups");
    let of = |z: usize| -> serde_json::Map<String, serde_json::Value> {
        let rows = |j: usize| g.matrix(j, z).chunks_exact(g.k).map(<[f64]>::to_vec).collect::<Vec<_>>();
        data.table.annotators().iter().enumerate().map(|(j, name)| (name.to_owned(), rows(j).into())).collect()
    };
    let groups = attribute.groups.iter().enumerate().map(|(z, name)| {
        let own = serde_json::json!({"class_prior": g.prior(z), "annotators": of(z)});
        (name.to_owned(), own)
    });
    serde_json::Value::Object(groups.collect())
}
