use crate::inside::{self, Question};
use crowdwise_core::{
    Capabilities, Context, Dataset, Diagnostics, Error, Event, Family, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Grades as questions "above this grade?", one model for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OrdinalBinary {
    /// Method fitted to each question: any method for classes, with its defaults.
    pub inside: String,
}

impl Default for OrdinalBinary {
    fn default() -> Self {
        OrdinalBinary { inside: "dawid-skene".into() }
    }
}

impl Method for OrdinalBinary {
    const INFO: MethodInfo = MethodInfo {
        id: "ordinal-binary",
        name: "Grades by thresholds",
        summary: "Ordered classes as yes-or-no questions, one for each threshold, with any method inside.",
        doc: include_str!("ordinal_binary.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "E. Frank and M. Hall, A simple approach to ordinal classification, ECML 2001",
                doi: Some("10.1007/3-540-44795-4_13"),
            },
            Reference {
                text: "V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni, L. Moy. Learning From Crowds. JMLR 11, 2010.",
                doi: None,
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Sets)
    };

    fn check(&self, p: &mut Problems) {
        inside::check(p, &self.inside);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        cx.warm = None;
        let table = &data.table;
        let k = table.n_classes();
        if k < 3 {
            return inside::fit(&self.inside, data, cx); // the question is the table
        }
        let gold = data.gold_classes();
        let n = table.n_units();
        let units: Vec<usize> = (0..n).collect();
        // P(above grade t), and between two of them the probability of a grade
        let mut above = vec![1.0; n];
        let mut posterior = vec![0.0; n * k];
        let mut details: Vec<Value> = Vec::new();
        for t in 0..k {
            let next = if t + 1 < k {
                cx.event(&Event::Stage { name: format!("threshold {} of {}", t + 1, k - 1) });
                // "is the class above class t?", asked of everybody who labelled
                let above = |class: usize| usize::from(class > t);
                let Question { data: mut question, place } =
                    Question::new(data, &units, gold.as_deref(), &["no", "yes"], false, above)?;
                question.structure = data.structure.clone();
                let fit = inside::fit(&self.inside, &question, cx)?;
                let (_, q) = fit.model_posterior().expect("a method for classes");
                details
                    .push(json!({"above": t, "iterations": fit.diagnostics.iterations, "stop": fit.diagnostics.stop}));
                q.chunks_exact(2).map(|row| row[place[1]]).collect()
            } else {
                vec![0.0; n]
            };
            for u in 0..n {
                posterior[u * k + t] = (above[u] - next[u]).max(0.0);
            }
            above = next;
        }
        let mut prior = vec![0.0; k];
        for row in posterior.chunks_exact_mut(k) {
            // more than 1 where two questions contradict each other
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
            prior.iter_mut().zip(&*row).for_each(|(p, x)| *p += x / n as f64);
        }
        inside::complete(&mut posterior, table, gold.as_deref(), &prior);
        let annotators = inside::confusion(data, &posterior, 0.01);
        let mut diagnostics = Diagnostics::direct();
        diagnostics.details.insert("thresholds".into(), details.into());
        let mut out = Outcome::classes(k, posterior, annotators, diagnostics);
        out.class_prior = Some(prior);
        Ok(out)
    }
}
