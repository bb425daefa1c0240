//! Known confusions: the most probable classes under confusion matrices and class shares that are given.

use super::shared::{self, Shares};
use crate::classes::by_name::{self, ByName};
use crate::inside::complete;
use crowdwise_core::stats::softmax;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, Finding, LabelKind, Method, MethodInfo,
    Objective, Outcome, Problems, Reference, Severity, Status, Subject, group,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bayes' rule with confusion matrices that are given: nothing is estimated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KnownConfusions {
    /// P(says label | truth) by annotator, truth and label, as a JSON object (`fit --annotators-from FILE` reads it). Rows are
    /// scaled to sum 1.
    pub confusion: ByName,
    /// Shares by class name, as a JSON object. Empty: all classes alike.
    pub class_shares: BTreeMap<String, f64>,
    /// Accuracy of annotators for whom no matrix is given; their errors are spread evenly.
    pub accuracy: f64,
    /// What a probability of 0 becomes.
    pub floor: f64,
}

impl Default for KnownConfusions {
    fn default() -> Self {
        KnownConfusions { confusion: ByName::new(), class_shares: BTreeMap::new(), accuracy: 0.7, floor: 1e-6 }
    }
}

impl Method for KnownConfusions {
    const INFO: MethodInfo = MethodInfo {
        id: "known-confusions",
        name: "Known confusions",
        summary: "The most probable class under confusion matrices and class shares that are given.",
        doc: include_str!("known_confusions.md"),
        aliases: &["map"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: false, gold: true, likelihood: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "A. P. Dawid and A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm. \
                   Applied Statistics 28(1), 1979.",
            doi: Some("10.2307/2346806"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Confusion)
    };

    fn check(&self, p: &mut Problems) {
        by_name::check("confusion", &self.confusion, p);
        p.within("accuracy", self.accuracy, 0.0, 1.0);
        p.within("floor", self.floor, 1e-300, 0.1);
    }

    fn fit(&self, data: &Dataset, _cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let (k, table) = (labels.k(), &data.table);
        shared::check_entries(table.n_annotators(), k, k)?;
        let prior = if self.class_shares.is_empty() {
            vec![1.0 / k as f64; k]
        } else {
            Shares::new(super::ClassPrior::Fixed, 0.0, &self.class_shares, &labels)?.given
        };
        let given = by_name::tables(&self.confusion, data, &labels);
        let unknown: Vec<usize> = (0..given.len()).filter(|&j| given[j].is_none()).collect();
        let mut matrix = Vec::with_capacity(given.len() * k * k);
        for own in &given {
            for t in 0..k {
                let row: Vec<f64> = (0..k).map(|l| own.as_ref().map_or(f64::NAN, |m| m[t * k + l])).collect();
                matrix.extend(self.row(&row, t));
            }
        }
        let mut q = vec![0.0; table.n_units() * k];
        let mut likelihood = 0.0;
        for u in (0..table.n_units()).filter(|&u| table.degree(u) > 0) {
            let row = &mut q[u * k..(u + 1) * k];
            row.iter_mut().zip(&prior).for_each(|(s, p)| *s = p.max(self.floor).ln());
            for r in table.rows(u) {
                let at = table.annotator()[r] as usize * k * k + labels.codes.get(r);
                (0..k).for_each(|t| row[t] += matrix[at + t * k].ln());
            }
            let known = gold.as_ref().and_then(|g| g[u]).map(|c| row[c as usize]);
            let all = softmax(row);
            likelihood += known.unwrap_or(all);
        }
        complete(&mut q, table, gold.as_deref(), &prior);
        let mut diagnostics = Diagnostics::direct();
        diagnostics.objective = Some(Objective { kind: "log-likelihood".into(), value: likelihood });
        let mut out = Outcome::classes(k, q, Annotators::Confusion { k, matrix }, diagnostics);
        out.class_prior = Some(prior);
        out.findings.extend(self.assumed(data, &unknown));
        Ok(out)
    }
}

impl KnownConfusions {
    /// A row of probabilities, none 0: as given, or what is assumed where nothing is.
    fn row(&self, given: &[f64], t: usize) -> Vec<f64> {
        let k = given.len();
        let sum: f64 = given.iter().filter(|x| !x.is_nan()).sum();
        let assumed = |l: usize| match (k, l == t) {
            (1, _) => 1.0,
            (_, true) => self.accuracy,
            (_, false) => (1.0 - self.accuracy) / (k - 1) as f64,
        };
        let share =
            |l: usize| if sum > 0.0 { if given[l].is_nan() { 0.0 } else { given[l] / sum } } else { assumed(l) };
        let mut row: Vec<f64> = (0..k).map(|l| share(l).max(self.floor)).collect();
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|x| *x /= sum);
        row
    }

    fn assumed(&self, data: &Dataset, unknown: &[usize]) -> Option<Finding> {
        let first = *unknown.first()?;
        let (n, all) = (group(unknown.len() as u64), group(data.table.n_annotators() as u64));
        let message = format!(
            "no matrix is given for {n} of {all} annotators (the first is `{}`): an accuracy of {} is assumed",
            data.table.annotators().name(first),
            self.accuracy
        );
        let advice = "⟦crowdwise fit ANSWERS -m known-confusions --annotators-from FILE⟧ reads matrices; `accuracy` is the assumption";
        Some(Finding::new("assumed-accuracy", Severity::Warning, Subject::Data, message, advice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::confusion::DawidSkene;
    use crowdwise_core::simulate::{Simulation, Simulator};
    use crowdwise_core::{AnyMethod, TableBuilder};

    fn by_hand() -> Dataset {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (i, a, l) in [("x", "a", "n"), ("x", "b", "y"), ("y", "a", "y"), ("z", "new", "y"), ("z", "a", "n")] {
            b.label(i, a, l).unwrap();
        }
        Dataset::new(b.finish().unwrap())
    }

    #[test]
    fn posteriors_are_those_of_bayes_rule_by_hand() {
        let matrix = |nn: f64, yy: f64| -> BTreeMap<String, BTreeMap<String, f64>> {
            let row = |n: f64| BTreeMap::from([("n".to_owned(), n), ("y".to_owned(), 1.0 - n)]);
            BTreeMap::from([("n".to_owned(), row(nn)), ("y".to_owned(), row(1.0 - yy))])
        };
        let confusion = BTreeMap::from([("a".to_owned(), matrix(0.9, 0.6)), ("b".to_owned(), matrix(0.7, 0.8))]);
        let class_shares = BTreeMap::from([("n".to_owned(), 0.75), ("y".to_owned(), 0.25)]);
        let m = KnownConfusions { confusion, class_shares, ..KnownConfusions::default() };
        let fit = AnyMethod::fit(&m, &by_hand(), &mut Context::default()).unwrap();
        let q = fit.posterior().unwrap().1;
        // n: .75 x .9 x .3, .75 x .1, .75 x .3 x .9; the new annotator is right with .7
        let joint =
            [[0.75 * 0.9 * 0.3, 0.25 * 0.4 * 0.8], [0.75 * 0.1, 0.25 * 0.6], [0.75 * 0.3 * 0.9, 0.25 * 0.7 * 0.4]];
        for (u, [n, y]) in joint.into_iter().enumerate() {
            assert!((q[2 * u + 1] - y / (n + y)).abs() < 1e-5, "item {u}: {}", q[2 * u + 1]);
        }
        let ln: f64 = joint.iter().map(|[n, y]| (n + y).ln()).sum();
        assert!((fit.diagnostics.objective.unwrap().value - ln).abs() < 1e-4);
        assert!(fit.findings.iter().any(|f| f.code == "assumed-accuracy" && f.message.contains("1 of 3")));
    }

    #[test]
    fn the_matrices_of_a_fit_give_its_posterior() {
        let s = Simulation { items: 200, annotators: 12, classes: 3, ..Simulation::default() };
        let data = Simulator::new(&s, 4).unwrap().dataset().unwrap().0;
        let ds = DawidSkene { tol: 1e-10, max_iter: 5000, alpha: 0.5, ..DawidSkene::default() };
        let fit = AnyMethod::fit(&ds, &data, &mut Context::default()).unwrap();
        let classes: Vec<String> = data.table.categorical().unwrap().classes.iter().map(str::to_owned).collect();
        let mut confusion = ByName::new();
        for (j, name) in data.table.annotators().iter().enumerate() {
            let own = confusion.entry(name.to_owned()).or_default();
            for (t, row) in fit.annotators.confusion(j).unwrap().chunks(3).enumerate() {
                own.insert(classes[t].clone(), classes.iter().cloned().zip(row.iter().copied()).collect());
            }
        }
        let class_shares = classes.iter().cloned().zip(fit.class_prior.clone().unwrap()).collect();
        let known = KnownConfusions { confusion, class_shares, floor: 1e-12, ..KnownConfusions::default() };
        let again = AnyMethod::fit(&known, &data, &mut Context::default()).unwrap();
        let pairs = fit.posterior().unwrap().1.iter().zip(again.posterior().unwrap().1);
        pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-6, "{a} {b}"));
        assert!(again.findings.is_empty());
    }

    #[test]
    fn bad_numbers_are_named_with_their_place() {
        let row = BTreeMap::from([("n".to_owned(), -0.5)]);
        let confusion = BTreeMap::from([("a".to_owned(), BTreeMap::from([("y".to_owned(), row)]))]);
        let m = KnownConfusions { confusion, accuracy: 2.0, ..KnownConfusions::default() };
        let e = AnyMethod::fit(&m, &by_hand(), &mut Context::default()).unwrap_err().to_string();
        assert!(e.contains("-0.5 for `a`, truth `y`, label `n`") && e.contains("`accuracy` is 2"), "{e}");
    }
}
