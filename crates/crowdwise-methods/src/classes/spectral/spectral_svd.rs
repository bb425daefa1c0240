//! Ghosh, Kale and McAfee: the signs of the leading singular vector of the label matrix.

use super::crowd::{Coded, Coding, Crowd};
use super::judge::{Classes, Verdict, judge};
use super::leading::{eigen, svd};
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
};
use crowdwise_numerics::{Leading, dot, norm};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The leading singular vector of the matrix of labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpectralSvd {
    /// Maximum number of products with the matrix of labels and its transpose, for each part of the data and each problem that the classes make.
    pub max_iter: usize,
    /// Stop when the singular vector solves its equation up to this share of the squared singular value.
    pub tol: f64,
    /// More than two classes: `joint`, `one-vs-rest`, `thresholds` (of ordered classes, as in published tables), or
    /// `auto` = thresholds if the classes are ordered, else joint.
    pub classes: Classes,
}

impl Default for SpectralSvd {
    fn default() -> Self {
        SpectralSvd { max_iter: 1000, tol: 1e-10, classes: Classes::Auto }
    }
}

/// What the methods with one leading vector can do.
pub(super) const CAPABILITIES: Capabilities = Capabilities { gold: true, ..Capabilities::NONE };

/// Below this share of its largest possible size a product that should tell a sign tells nothing.
pub(super) const SIGN: f64 = 1e-9;

impl Method for SpectralSvd {
    const INFO: MethodInfo = MethodInfo {
        id: "spectral-svd",
        name: "Spectral SVD",
        summary: "Signs of the leading singular vector of the matrix of labels.",
        doc: include_str!("spectral_svd.md"),
        aliases: &["ghosh-svd"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, ..CAPABILITIES },
        references: &[Reference {
            text: "A. Ghosh, S. Kale, P. McAfee. Who Moderates the Moderators? Crowdsourcing Abuse Detection in \
                   User-Generated Content. EC 2011.",
            doi: Some("10.1145/1993574.1993599"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Spectral)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let labels = data.table.categorical().expect("the kind was checked");
        let crowd = Crowd::new(&labels);
        let search = Leading { max_iter: self.max_iter, tol: self.tol, ..Leading::default() };
        let judged = judge(data, &crowd, self.classes, cx, |cx, u| leading(&search, u, cx))?;
        Ok(judged.with_accuracies(&crowd))
    }
}

fn leading(search: &Leading, u: Coded<'_>, cx: &mut Context<'_>) -> Result<Option<Verdict>, Error> {
    let (n, m) = u.size();
    let mut pairs = if matches!(u.coding, Coding::Joint) {
        let mut between = vec![0.0; n];
        let mut found = eigen(search, m, cx, |cx, x, y| {
            u.forward(cx, x, &mut between)?;
            u.back(cx, &between, y)
        })?;
        found.values.iter_mut().for_each(|v| *v = v.max(0.0).sqrt());
        found
    } else {
        svd(search, (n, m), cx, |cx, x, y| u.forward(cx, x, y), |cx, y, x| u.back(cx, y, x))?
    };
    let (Some(mut weight), Some(&value)) = (pairs.vectors.pop(), pairs.values.first()) else { return Ok(None) };
    let (mut score, mut votes) = (vec![0.0; n], vec![0.0; n]);
    u.forward(cx, &weight, &mut score)?;
    u.forward(cx, &vec![1.0; m], &mut votes)?;
    // most annotators are right: decisions and votes agree
    if matches!(u.coding, Coding::Value(_)) {
        score.iter_mut().for_each(|s| *s = if *s == 0.0 { 0.0 } else { s.signum() });
    }
    let agreement = dot(&score, &votes);
    if agreement.abs() <= SIGN * norm(&score) * norm(&votes) {
        return Ok(None);
    }
    if agreement < 0.0 {
        weight.iter_mut().for_each(|w| *w = -*w);
    }
    Ok(Some(Verdict { weight, offset: 0.0, value, run: pairs.run }))
}
