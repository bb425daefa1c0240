use super::{Ballot, Form};
use crowdwise_core::stats::{n_tied, tied};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, LabelKind, Method, MethodInfo, Outcome,
    Reference, Situation, Status,
};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The class with the most votes; probability = share of the votes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MajorityVote {
    /// Which of several classes with equally many votes becomes the label: `first` in class order, or one drawn with
    /// the seed (its probability is raised by one millionth, the others keep the vote share).
    pub ties: Ties,
}

/// Which of the tied classes becomes the label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    #[default]
    First,
    Random,
}

/// Mass moved to the class that is drawn: far above the tolerance by which two probabilities count as tied (1e-9), far
/// below anything that a probability could mean.
const NUDGE: f64 = 1e-6;

impl Method for MajorityVote {
    const INFO: MethodInfo = MethodInfo {
        id: "majority-vote",
        name: "Majority vote",
        summary: "The class with the most votes; its probability is its share of the votes.",
        doc: include_str!("majority_vote.md"),
        aliases: &["mv"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "V. S. Sheng, F. Provost and P. G. Ipeirotis, Get another label? Improving data quality and data mining using multiple, noisy labelers, KDD 2008",
            doi: Some("10.1145/1401890.1401965"),
        }],
        status: Status::Stable,
        compared: Situation::OF_CLASSES,
        ..MethodInfo::of(Family::Voting)
    };

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.ties == Ties::Random
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let ballot = Ballot::new(data);
        let k = ballot.labels.k();
        let mut posterior = ballot.posterior(None, Form::Share, cx)?;
        if self.ties == Ties::Random {
            for (u, row) in posterior.chunks_mut(k).enumerate() {
                if data.table.degree(u) > 0 && ballot.gold(u).is_none() && n_tied(row) > 1 {
                    break_tie(row, cx, u);
                }
            }
        }
        let mut out = Outcome::classes(k, posterior, Annotators::None, Diagnostics::direct());
        out.class_prior = Some(vec![1.0 / k as f64; k]);
        Ok(out)
    }
}

fn break_tie(row: &mut [f64], cx: &Context<'_>, u: usize) {
    let best = row.iter().copied().fold(0.0, f64::max);
    let among: Vec<usize> = (0..row.len()).filter(|&c| tied(row[c], best)).collect();
    let chosen = among[cx.rng("ties", u as u64).random_range(0..among.len())];
    row[chosen] += NUDGE;
    for p in row {
        *p /= 1.0 + NUDGE;
    }
}
