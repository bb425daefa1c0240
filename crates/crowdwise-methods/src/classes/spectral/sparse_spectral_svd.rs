//! Dalvi, Dasgupta, Kumar and Rastogi: the ratio of two eigenvectors, which undoes the unequal numbers of labels.

use super::crowd::{Coded, Coding, Crowd};
use super::judge::{Classes, Verdict, judge};
use super::leading::{LeadingPairs, eigen};
use super::pairs::{Pairs, Partners};
use super::spectral_svd::{CAPABILITIES, SIGN};
use crowdwise_core::{
    Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
};
use crowdwise_numerics::{Leading, Spectrum, dot, norm};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The ratio of the leading eigenvectors of agreement and of overlap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SparseSpectralSvd {
    /// Maximum number of products with a matrix, for each part of the data, each problem that the classes make and each of the two matrices.
    pub max_iter: usize,
    /// Stop when an eigenvector solves its equation up to this share of the eigenvalue.
    pub tol: f64,
    /// What two annotators have in common: the `mean` agreement on their common items, whatever their number, or its
    /// `sum` over them (cheaper, and linear in labels for any number of labels per item).
    pub overlap: Overlap,
    /// More than two classes: `joint`, `one-vs-rest`, `thresholds` (of ordered classes, as in published tables), or
    /// `auto` = thresholds if the classes are ordered, else joint.
    pub classes: Classes,
}

/// What two annotators have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overlap {
    /// Mean agreement over common items, against whether there are any.
    #[default]
    Mean,
    /// Summed agreement over common items, against their number.
    Sum,
}

impl Default for SparseSpectralSvd {
    fn default() -> Self {
        SparseSpectralSvd { max_iter: 1000, tol: 1e-12, overlap: Overlap::Mean, classes: Classes::Auto }
    }
}

/// Entries of the second vector below this are rounding errors: such annotators do not count.
const NOTHING: f64 = 1e-12;

impl Method for SparseSpectralSvd {
    const INFO: MethodInfo = MethodInfo {
        id: "sparse-spectral-svd",
        name: "Sparse spectral SVD",
        summary: "Ratio of the leading eigenvectors of agreement and of overlap, for data with gaps.",
        doc: include_str!("sparse_spectral_svd.md"),
        aliases: &["dalvi"],
        accepts: &[LabelKind::Categorical],
        capabilities: CAPABILITIES,
        references: &[Reference {
            text: "N. Dalvi, A. Dasgupta, R. Kumar, V. Rastogi. Aggregating Crowdsourced Binary Ratings. WWW 2013.",
            doi: Some("10.1145/2488388.2488414"),
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
        let partners = Partners::of(&crowd);
        let judged = judge(data, &crowd, self.classes, cx, |cx, u| self.ratio(u, partners, cx))?;
        Ok(judged.with_weights(crowd.k))
    }
}

impl SparseSpectralSvd {
    fn ratio(&self, u: Coded<'_>, partners: Partners, cx: &mut Context<'_>) -> Result<Option<Verdict>, Error> {
        let (n, m) = u.size();
        let search = Leading { count: 1, max_iter: self.max_iter, tol: self.tol, spectrum: Spectrum::Magnitude };
        let (agreement, mut overlap) = match self.overlap {
            Overlap::Mean => of_means(&search, u, partners, cx)?,
            Overlap::Sum => of_sums(&search, u, cx)?,
        };
        let LeadingPairs { values, mut vectors, mut run } = agreement;
        super::judge::merge(&mut run, &mut overlap.run);
        let (Some(mut weight), Some(second)) = (vectors.pop(), overlap.vectors.pop()) else { return Ok(None) };
        weight.iter_mut().zip(second).for_each(|(w, v)| *w = if v.abs() < NOTHING { 0.0 } else { *w / v });
        let (mut score, mut votes) = (vec![0.0; n], vec![0.0; n]);
        u.forward(cx, &weight, &mut score)?;
        u.forward(cx, &vec![1.0; m], &mut votes)?;
        let sign = dot(&score, &votes);
        if sign.abs() <= SIGN * norm(&score) * norm(&votes) {
            return Ok(None);
        }
        if sign < 0.0 {
            weight.iter_mut().for_each(|w| *w = -*w);
        }
        Ok(Some(Verdict { weight, offset: 0.0, value: values[0], run }))
    }
}

/// Leading vectors of (UᵀU) ./ (GᵀG), scaled so that 1 is full agreement and 0 that of guesses, and of [GᵀG > 0], where
/// G is 1 for every label.
fn of_means(
    search: &Leading,
    u: Coded<'_>,
    partners: Partners,
    cx: &mut Context<'_>,
) -> Result<(LeadingPairs, LeadingPairs), Error> {
    let (m, answers) = (u.part.annotators.len(), u.answers() as f64);
    let pairs = Pairs::new(u.crowd, u.part, partners, cx, |a, b| u.same(a, b))?;
    let agreement = eigen(search, m, cx, |_, x, y| {
        pairs.product(x, y, |s| (answers * s.same as f64 / s.n as f64 - 1.0) / (answers - 1.0));
        Ok(())
    })?;
    let overlap = eigen(search, m, cx, |_, x, y| {
        pairs.product(x, y, |_| 1.0);
        Ok(())
    })?;
    Ok((agreement, overlap))
}

/// Leading vectors of UᵀU and GᵀG.
fn of_sums(search: &Leading, u: Coded<'_>, cx: &mut Context<'_>) -> Result<(LeadingPairs, LeadingPairs), Error> {
    let ones = vec![1.0; u.crowd.k];
    let mut solve = |u: Coded<'_>| {
        let mut between = vec![0.0; u.size().0];
        eigen(search, u.size().1, cx, |cx, x, y| {
            u.forward(cx, x, &mut between)?;
            u.back(cx, &between, y)
        })
    };
    Ok((solve(u)?, solve(Coded { coding: Coding::Value(&ones), ..u })?))
}
