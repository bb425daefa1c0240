use super::detect::Search;
use super::group_aware_vote::REFERENCES;
use super::joint::Joint;
use super::responses::Responses;
use super::words;
use crate::inside;
use crowdwise_core::stats::softmax;
use crowdwise_core::{
    Capabilities, Context, Dataset, Diagnostics, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Run,
    Status, Step,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Dawid-Skene over groups of annotators instead of annotators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GroupAwareEm {
    /// Maximum number of iterations over the groups.
    pub max_iter: usize,
    /// Stop when no probability changes by more than this.
    pub tol: f64,
    /// Labels added to every cell of a group's confusion matrix.
    pub alpha: f64,
    /// Who belongs together, where that is known: the group of annotators by their names, as a JSON object. No groups are
    /// looked for then, and annotators without one are on their own. `--groups FILE` reads it from a file.
    pub members: BTreeMap<String, String>,
    /// Number of groups in each connected part of the data, whether or not anybody depends on anybody. `null`: none unless a test
    /// finds dependence given the class.
    pub groups: Option<usize>,
    /// Maximum number of groups to look for.
    pub max_groups: usize,
    /// Items that two annotators must have in common to be compared; the test for dependence wants 20.
    pub min_common: usize,
    /// Method used inside a group of three or more: any method for classes, with its defaults.
    pub inside: String,
    /// Goes on from the two stages with one EM over both levels: members follow the answer of their group, groups follow
    /// the truth.
    pub joint: bool,
}

impl Default for GroupAwareEm {
    fn default() -> Self {
        GroupAwareEm {
            max_iter: 100,
            tol: 1e-6,
            alpha: 0.01,
            members: BTreeMap::new(),
            groups: None,
            max_groups: 10,
            min_common: 2,
            inside: "dawid-skene".into(),
            joint: false,
        }
    }
}

/// Numbers in the matrices of all voters at most.
const MOST: usize = 200_000_000;

impl Method for GroupAwareEm {
    const INFO: MethodInfo = MethodInfo {
        id: "group-aware-em",
        name: "Group-aware EM",
        summary: "Finds groups of annotators who depend on each other and weighs groups like annotators, by EM.",
        doc: include_str!("group_aware_em.md"),
        aliases: &["group-em"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, monotone: true, gold: true, ..Capabilities::NONE },
        references: REFERENCES,
        status: Status::Stable,
        ..MethodInfo::of(Family::Groups)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("alpha", self.alpha, 0.0, 1e9);
        self.search().check(p);
        inside::check(p, &self.inside);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        cx.warm = None;
        let labels = data.table.categorical().expect("the kind was checked");
        let groups = self.search().run(data, cx)?;
        if groups.members.is_empty() {
            let mut out = inside::fit(&self.inside, data, cx)?;
            words::add(&mut out, data, &groups, None);
            return Ok(out);
        }
        let responses = Responses::new(data, &groups, &self.inside, false, cx)?;
        let k = labels.k();
        let gold = data.gold_classes();
        let (posterior, prior, diagnostics) = if responses.voters < 3 {
            // two voters cannot be weighed against each other: the group that agrees more with itself decides
            let even = vec![1.0 / k as f64; k];
            let mut q = responses.shares(responses.weights(&groups).as_deref());
            inside::complete(&mut q, &data.table, gold.as_deref(), &even);
            (q, even, Diagnostics::direct())
        } else {
            let (q, prior, diagnostics) = self.weigh(data, &responses, gold.as_deref(), cx)?;
            if self.joint {
                self.both_levels(data, &responses, gold.as_deref(), (q, prior), cx)?
            } else {
                (q, prior, diagnostics)
            }
        };
        let annotators = inside::confusion(data, &posterior, self.alpha.max(1e-6));
        let mut out = Outcome::classes(k, posterior, annotators, diagnostics);
        out.class_prior = Some(prior);
        words::add(&mut out, data, &groups, Some(&responses));
        Ok(out)
    }
}

impl GroupAwareEm {
    fn search(&self) -> Search<'_> {
        let GroupAwareEm { members, groups, max_groups, min_common, .. } = self;
        Search { members, groups: *groups, max_groups: *max_groups, min_common: *min_common }
    }

    /// EM over both levels from the result of the two stages.
    fn both_levels(
        &self,
        data: &Dataset,
        responses: &Responses,
        gold: Option<&[Option<u32>]>,
        start: (Vec<f64>, Vec<f64>),
        cx: &mut Context<'_>,
    ) -> Result<(Vec<f64>, Vec<f64>, Diagnostics), Error> {
        let k = responses.k;
        let cells = data.table.n_annotators().saturating_mul(k * k);
        if cells > MOST {
            let what =
                format!("{} annotators with {k} classes have matrices of {cells} numbers", data.table.n_annotators());
            return Err(Error::TooLarge { what });
        }
        let mut both = Joint::new(data, responses, gold, self.alpha.max(1e-9), start);
        let run = both.run(self.max_iter, self.tol, cx)?;
        let (mut q, prior) = (both.q, both.prior);
        inside::complete(&mut q, &data.table, gold, &prior);
        Ok((q, prior, run.diagnostics("penalised-log-likelihood")))
    }

    /// EM over voters with soft responses: posterior, class shares, how it went.
    fn weigh(
        &self,
        data: &Dataset,
        responses: &Responses,
        gold: Option<&[Option<u32>]>,
        cx: &mut Context<'_>,
    ) -> Result<(Vec<f64>, Vec<f64>, Diagnostics), Error> {
        let (k, table) = (responses.k, &data.table);
        let cells = responses.voters.saturating_mul(k * k);
        if cells > MOST {
            let what = format!("{} voters with {k} classes have matrices of {cells} numbers", responses.voters);
            return Err(Error::TooLarge { what });
        }
        let even = vec![1.0 / k as f64; k];
        let mut q = responses.shares(None);
        inside::complete(&mut q, table, gold, &even);
        let mut prior = even.clone();
        let mut matrix = vec![0.0; cells];
        // what an empty cell counts, so that no response is impossible
        let least = self.alpha.max(1e-9);
        let run: Run = cx.iterate(self.max_iter, self.tol.max(f64::MIN_POSITIVE), |_, _| {
            matrix.fill(least);
            prior.fill(1e-9);
            for u in (0..responses.units()).filter(|&u| table.degree(u) > 0) {
                let row = &q[u * k..(u + 1) * k];
                prior.iter_mut().zip(row).for_each(|(p, x)| *p += x);
                responses.each(u, |v, c, p| {
                    for (t, x) in row.iter().enumerate() {
                        matrix[(v * k + t) * k + c] += p * x;
                    }
                });
            }
            let total: f64 = prior.iter().sum();
            prior.iter_mut().for_each(|p| *p /= total);
            let mut objective = 0.0;
            for row in matrix.chunks_exact_mut(k) {
                let sum: f64 = row.iter().sum();
                row.iter_mut().for_each(|x| *x = (*x / sum).ln());
                objective += least * row.iter().sum::<f64>();
            }
            let mut change = 0.0f64;
            let mut score = vec![0.0; k];
            for u in (0..responses.units()).filter(|&u| table.degree(u) > 0) {
                score.iter_mut().zip(&prior).for_each(|(s, p)| *s = p.ln());
                responses.each(u, |v, c, p| {
                    for (t, s) in score.iter_mut().enumerate() {
                        *s += p * matrix[(v * k + t) * k + c];
                    }
                });
                if let Some(c) = gold.and_then(|g| g[u]) {
                    objective += score[c as usize];
                    continue;
                }
                objective += softmax(&mut score);
                let row = &mut q[u * k..(u + 1) * k];
                for (a, b) in row.iter_mut().zip(&score) {
                    change = change.max((*a - b).abs());
                    *a = *b;
                }
            }
            Ok(Step { objective: Some(objective), change })
        })?;
        inside::complete(&mut q, table, gold, &prior);
        Ok((q, prior, run.diagnostics("penalised-log-likelihood")))
    }
}
