//! The default method, for every kind of data: it hands over by what the items are and by what came with them.
//!
//! The choice between models of independent items is that of [`crowdwise_methods::auto`]; what depends on each other is
//! chosen here, because its methods are here (see `docs/adr/0011`).

mod beside;
mod families;
mod hidden;
mod runs;
mod sequences;

use crowdwise_core::{
    Context, Dataset, Error, Finding, LabelKind, Method, MethodInfo, Outcome, Problems, Severity, Structure, Subject,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::borrow::Cow;

/// Chooses between models by what the data are and what the labels tell; says why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Auto(pub crowdwise_methods::auto::Auto);

/// As a transparent type it would only point to the schema of the other one.
impl JsonSchema for Auto {
    fn schema_name() -> Cow<'static, str> {
        crowdwise_methods::auto::Auto::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        crowdwise_methods::auto::Auto::json_schema(generator)
    }
}

impl Method for Auto {
    const INFO: MethodInfo = crowdwise_methods::auto::Auto::INFO;

    fn check(&self, p: &mut Problems) {
        Method::check(&self.0, p);
    }

    fn numbers_matter(&self, kind: LabelKind) -> bool {
        self.0.numbers_matter(kind)
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        beside::refuse(data)?;
        let classes = data.table.kind() == LabelKind::Categorical;
        match &data.structure {
            Structure::Chains { .. } if classes => sequences::fit(data, cx),
            Structure::Graph(_) if classes => beside::graph(data, cx),
            _ if data.probabilities.is_some() => beside::probabilities(data, cx),
            Structure::Independent if classes => match families::fit(data, cx)? {
                Some(out) => Ok(out),
                None => Method::fit(&self.0, data, cx),
            },
            _ => Method::fit(&self.0, data, cx),
        }
    }
}

/// The outcome with what was chosen, and why.
fn chosen(mut out: Outcome, method: &str, message: String, advice: &str) -> Outcome {
    out.findings.insert(0, Finding::new("chosen", Severity::Info, Subject::Fit, message, advice));
    out.diagnostics.details.insert("used".into(), json!([method]));
    // with its own parameters, so that those of `auto` do not reach it
    out.diagnostics.details.insert("handed_over_to".into(), json!(method));
    out
}
