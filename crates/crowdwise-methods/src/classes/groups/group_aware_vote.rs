use super::detect::Search;
use super::responses::Responses;
use super::words;
use crate::inside;
use crowdwise_core::{
    Capabilities, Context, Dataset, Diagnostics, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One vote for every group of annotators who depend on each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GroupAwareVote {
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
}

impl Default for GroupAwareVote {
    fn default() -> Self {
        GroupAwareVote {
            members: BTreeMap::new(),
            groups: None,
            max_groups: 10,
            min_common: 2,
            inside: "majority-vote".into(),
        }
    }
}

pub(super) const REFERENCES: &[Reference] = &[
    Reference {
        text: "A. Jaffe, E. Fetaya, B. Nadler, T. Jiang, Y. Kluger. Unsupervised Ensemble Learning with Dependent Classifiers. AISTATS 2016.",
        doi: Some("10.48550/arXiv.1510.05830"),
    },
    Reference {
        text: "P. A. Traganitis, G. B. Giannakis. Identifying Dependent Annotators in Crowdsourcing. Asilomar 2022.",
        doi: None,
    },
];

impl GroupAwareVote {
    fn search(&self) -> Search<'_> {
        let GroupAwareVote { members, groups, max_groups, min_common, .. } = self;
        Search { members, groups: *groups, max_groups: *max_groups, min_common: *min_common }
    }
}

impl Method for GroupAwareVote {
    const INFO: MethodInfo = MethodInfo {
        id: "group-aware-vote",
        name: "Group-aware vote",
        summary: "Finds groups of annotators who depend on each other and gives each group one vote.",
        doc: include_str!("group_aware_vote.md"),
        aliases: &["group-aware-mv", "group-detect"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: REFERENCES,
        status: Status::Stable,
        ..MethodInfo::of(Family::Groups)
    };

    fn check(&self, p: &mut Problems) {
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
        let responses = Responses::new(data, &groups, &self.inside, true, cx)?;
        let k = labels.k();
        let mut posterior = responses.shares(responses.weights(&groups).as_deref());
        let even = vec![1.0 / k as f64; k];
        inside::complete(&mut posterior, &data.table, data.gold_classes().as_deref(), &even);
        let annotators = inside::confusion(data, &posterior, 0.01);
        let mut out = Outcome::classes(k, posterior, annotators, Diagnostics::direct());
        out.class_prior = Some(even);
        words::add(&mut out, data, &groups, Some(&responses));
        Ok(out)
    }
}
