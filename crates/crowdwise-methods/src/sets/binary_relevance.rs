use crate::inside::{self, Question};
use crowdwise_core::questions::split_unit;
use crowdwise_core::{
    Capabilities, Context, Dataset, Diagnostics, Error, Event, Family, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Situation, Status, Units,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One model for every class of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BinaryRelevance {
    /// Method fitted to each class: any method for classes, with its defaults.
    pub inside: String,
}

impl Default for BinaryRelevance {
    fn default() -> Self {
        BinaryRelevance { inside: "dawid-skene".into() }
    }
}

impl Method for BinaryRelevance {
    const INFO: MethodInfo = MethodInfo {
        id: "binary-relevance",
        name: "Binary relevance",
        summary: "Sets of labels: fits any method to each class of the sets by itself, yes or no.",
        doc: include_str!("binary_relevance.md"),
        aliases: &["multi-label"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "G. Tsoumakas, I. Katakis. Multi-Label Classification: An Overview. International Journal of Data Warehousing and Mining 3(3), 2007.",
                doi: Some("10.4018/jdwm.2007070101"),
            },
            Reference {
                text: "S. Nowak, S. Rüger. How reliable are annotations via crowdsourcing: a study about inter-annotator agreement for multi-label image annotation. MIR 2010.",
                doi: Some("10.1145/1743384.1743478"),
            },
        ],
        status: Status::Stable,
        compared: &[Situation::Sets],
        ..MethodInfo::of(Family::Sets)
    };

    fn check(&self, p: &mut Problems) {
        inside::check(p, &self.inside);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        cx.warm = None;
        let table = &data.table;
        let labels = table.categorical().expect("the kind was checked");
        let k = labels.k();
        // units of each class; names without the sign belong to one class
        let mut of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for u in 0..table.n_units() {
            let class = match table.units() {
                Units::Items => split_unit(table.items().name(u)).map_or("", |x| x.1),
                Units::Pairs(_) => "",
            };
            of.entry(class).or_default().push(u);
        }
        let gold = data.gold_classes();
        let names: Vec<&str> = labels.classes.iter().collect();
        let mut posterior = vec![1.0 / k as f64; table.n_units() * k];
        let mut prior = vec![0.0; k];
        let mut details: Vec<Value> = Vec::new();
        for (n, (class, units)) in of.iter().enumerate() {
            cx.event(&Event::Stage { name: format!("class {} of {}", n + 1, of.len()) });
            let Question { data: part, place } =
                Question::new(data, units, gold.as_deref(), &names, labels.ordered, |class| class)?;
            if part.table.n_labels() == 0 {
                prior.iter_mut().for_each(|p| *p += units.len() as f64 / k as f64);
                continue;
            }
            let fit = inside::fit(&self.inside, &part, cx)?;
            let (_, q) = fit.posterior().expect("a method for classes");
            for (x, &u) in units.iter().enumerate() {
                for c in 0..k {
                    posterior[u * k + c] = q[x * k + place[c]];
                }
            }
            let own = fit.class_prior.clone().unwrap_or_else(|| vec![1.0 / k as f64; k]);
            for c in 0..k {
                prior[c] += units.len() as f64 * own[place[c]];
            }
            details.push(json!({"class": class, "units": units.len(), "labels": part.table.n_labels(),
                "iterations": fit.diagnostics.iterations, "stop": fit.diagnostics.stop}));
        }
        let total: f64 = prior.iter().sum();
        prior.iter_mut().for_each(|p| *p /= total);
        let annotators = inside::confusion(data, &posterior, 0.01);
        let mut diagnostics = Diagnostics::direct();
        diagnostics.details.insert("classes".into(), details.into());
        let mut out = Outcome::classes(k, posterior, annotators, diagnostics);
        out.class_prior = Some(prior);
        Ok(out)
    }
}
