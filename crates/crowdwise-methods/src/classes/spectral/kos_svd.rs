//! The centred singular value decomposition that published tables report as KOS.

use super::crowd::{Coded, Coding, Crowd};
use super::judge::{Classes, Verdict, judge};
use super::leading::eigen;
use super::spectral_svd::{CAPABILITIES, SIGN};
use crowdwise_core::{
    Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
};
use crowdwise_numerics::{Leading, Matrix, dot, norm};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The leading singular vector of the matrix of labels less its column means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KosSvd {
    /// Maximum number of products with the matrix of labels and its transpose, for each part of the data and each problem that the classes make.
    pub max_iter: usize,
    /// Stop when the singular vector solves its equation up to this share of the squared singular value.
    pub tol: f64,
    /// More than two classes: `joint`, `one-vs-rest`, `thresholds` (of ordered classes, as in published tables), or
    /// `auto` = thresholds if the classes are ordered, else joint.
    pub classes: Classes,
}

impl Default for KosSvd {
    fn default() -> Self {
        KosSvd { max_iter: 1000, tol: 1e-10, classes: Classes::Auto }
    }
}

impl Method for KosSvd {
    const INFO: MethodInfo = MethodInfo {
        id: "kos-svd",
        name: "KOS by SVD",
        summary: "Leading singular vector of the column-centred matrix of labels, the spectral stand-in for KOS.",
        doc: include_str!("kos_svd.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: CAPABILITIES,
        references: &[
            Reference {
                text: "D. R. Karger, S. Oh, D. Shah. Iterative Learning for Reliable Crowdsourcing Systems. NIPS 2011.",
                doi: Some("10.48550/arXiv.1110.3564"),
            },
            Reference {
                text: "Y. Zhang, X. Chen, D. Zhou, M. I. Jordan. Spectral Methods Meet EM: A Provably Optimal Algorithm \
                       for Crowdsourcing. JMLR 17, 2016.",
                doi: Some("10.48550/arXiv.1406.3824"),
            },
        ],
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
        let published = crowd.k == 2 || self.classes.of(data) == Classes::Thresholds;
        let judged = judge(data, &crowd, self.classes, cx, |cx, u| centred(&search, u, published, cx))?;
        Ok(judged.with_weights(crowd.k))
    }
}

/// The matrix is U less the mean of each of its columns over items (for the joint coding: over items, for each class);
/// it is never written out. `published`: two sides whose scores are decided by their sign.
fn centred(search: &Leading, u: Coded<'_>, published: bool, cx: &mut Context<'_>) -> Result<Option<Verdict>, Error> {
    let (rows, m) = u.size();
    let n = u.part.items.len();
    let mean = means(u);
    let forward = |cx: &mut Context<'_>, x: &[f64], y: &mut [f64]| {
        u.forward(cx, x, y)?;
        let shift = mean.apply(x);
        y.chunks_exact_mut(shift.len()).for_each(|row| row.iter_mut().zip(&shift).for_each(|(y, s)| *y -= s));
        Ok(())
    };
    let back = |cx: &mut Context<'_>, y: &[f64], x: &mut [f64]| {
        u.back(cx, y, x)?;
        for c in 0..mean.rows() {
            let sum: f64 = y.iter().skip(c).step_by(mean.rows()).sum();
            x.iter_mut().zip(mean.row(c)).for_each(|(x, m)| *x -= m * sum);
        }
        Ok(())
    };
    let mut between = vec![0.0; rows];
    let mut pairs = eigen(search, m, cx, |cx, x, y| {
        forward(cx, x, &mut between)?;
        back(cx, &between, y)
    })?;
    let (Some(mut weight), Some(&square)) = (pairs.vectors.pop(), pairs.values.first()) else { return Ok(None) };
    // everybody says one thing: nothing is left after centring
    if square <= 1e-12 * n as f64 {
        return Ok(None);
    }
    let side = if published {
        // most annotators, counted by the square of their weight, are right
        weight.iter().map(|w| w * w.abs()).sum()
    } else {
        // of several classes the squares may be mostly those of annotators who never name some of them: ask whether
        // items above the mean in votes are above it in score
        let (mut score, mut votes) = (vec![0.0; rows], vec![0.0; rows]);
        forward(cx, &weight, &mut score)?;
        forward(cx, &vec![1.0; m], &mut votes)?;
        dot(&score, &votes) / (norm(&score) * norm(&votes)).max(f64::MIN_POSITIVE)
    };
    if side.abs() <= SIGN {
        return Ok(None);
    }
    if side < 0.0 {
        weight.iter_mut().for_each(|w| *w = -*w);
    }
    // classes are compared with each other by plain weighted votes: their means differ too much
    let offset = if published { -mean.apply(&weight)[0] } else { 0.0 };
    Ok(Some(Verdict { weight, offset, value: square.sqrt(), run: pairs.run }))
}

/// Mean over all items, labelled or not, of every column: one row, or one per class for the joint coding.
fn means(u: Coded<'_>) -> Matrix {
    let (n, m) = (u.part.items.len() as f64, u.part.annotators.len());
    let k = u.crowd.k;
    let mut mean = Matrix::zeros(if matches!(u.coding, Coding::Joint) { k } else { 1 }, m);
    for j in 0..m {
        for (_, c) in u.crowd.by(u.part.annotators.start + j) {
            match u.coding {
                Coding::Value(v) => mean[(0, j)] += v[c] / n,
                Coding::Joint => {
                    mean[(c, j)] += 1.0 / n;
                    (0..k).for_each(|t| mean[(t, j)] -= 1.0 / (n * k as f64));
                }
            }
        }
    }
    mean
}
