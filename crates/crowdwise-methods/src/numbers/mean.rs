use super::{Centre, POOLING, average, estimate, variance};
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference,
    Situation, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The mean of the values of each item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Mean {
    /// How many labels' worth of the pooled variance is mixed into an item's own variance for its standard error: 0 =
    /// the textbook one (unknown from one label, zero where all agree), large = the same noise for all items. Likewise
    /// for annotators.
    pub pooling: f64,
}

impl Default for Mean {
    fn default() -> Self {
        Mean { pooling: POOLING }
    }
}

impl Method for Mean {
    const INFO: MethodInfo = MethodInfo {
        id: "mean",
        name: "Mean",
        summary: "The mean of the values of each item, with its standard error.",
        doc: include_str!("mean.md"),
        aliases: &["reg-mean"],
        accepts: &[LabelKind::Real],
        capabilities: CAPABILITIES,
        references: &[Reference { text: "F. Galton. Vox populi. Nature 75, 1907.", doi: Some("10.1038/075450a0") }],
        status: Status::Stable,
        compared: &[Situation::Values],
        ..MethodInfo::of(Family::Real)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("pooling", self.pooling, 0.0);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        estimate(data, cx, self.pooling, |x| Centre {
            value: average(x),
            variance: variance(x),
            factor: 1.0 / (x.len() as f64).sqrt(),
        })
    }
}

/// The same for the three rules: nothing is iterated or drawn, known values are kept.
pub(super) const CAPABILITIES: Capabilities = Capabilities { gold: true, ..Capabilities::NONE };
