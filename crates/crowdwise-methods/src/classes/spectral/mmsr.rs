//! Ma and Olshevsky: skills by trimmed ratios of agreements, which a minority that works together cannot move far.

use super::crowd::{Crowd, Part};
use super::judge::{FEWEST, merge};
use super::leading::eigen;
use super::pairs::{Pairs, Partners, Seen};
use crate::classes::confusion::shared::complete;
use crowdwise_core::stats::softmax;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Run, Status, Step, Stop,
};
use crowdwise_numerics::{Leading, norm};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Matrix-mean-subsequence-reduced: robust rank-one skills.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Mmsr {
    /// Maximum number of rounds of trimmed ratios, for each part of the data.
    pub max_iter: usize,
    /// Stop when no skill (0 = guesses, 1 = always right) changes by more than this in a round.
    pub tol: f64,
    /// How many of the annotators with whom somebody shares items may be corrupted: so many of the largest and of the
    /// smallest ratios are left out for each. `null`: see `trim`.
    pub corrupted: Option<usize>,
    /// How many are left out when `corrupted` is not given: `own`, half of those with whom the annotator in question shares
    /// items, less one, at most a quarter of all annotators; `fewest`, the same number for everybody, half of those of the
    /// annotator who has the fewest, less one (as in crowd-kit).
    pub trim: Trim,
    /// Labels of annotators who seem worse than guessing: `ignore` them, or `reverse` them (count them against the class
    /// they name).
    pub adversaries: Adversaries,
}

/// What becomes of annotators who seem worse than guessing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Adversaries {
    /// Their labels count nothing.
    #[default]
    Ignore,
    /// Their labels count against the class they name.
    Reverse,
}

/// How many ratios are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trim {
    /// By the partners of each annotator.
    #[default]
    Own,
    /// By the partners of the annotator who has the fewest.
    Fewest,
}

impl Default for Mmsr {
    fn default() -> Self {
        Mmsr { max_iter: 500, tol: 1e-8, corrupted: None, trim: Trim::Own, adversaries: Adversaries::Ignore }
    }
}

/// Ratios divide by skills of at least this.
const LEAST: f64 = 1e-6;
/// The skill of annotators of whom the data tells nothing: all their labels count alike.
const UNKNOWN: f64 = 0.5;
/// Annotators per piece of parallel work.
const CHUNK: usize = 256;

impl Method for Mmsr {
    const INFO: MethodInfo = MethodInfo {
        id: "mmsr",
        name: "M-MSR",
        summary: "Skills from trimmed ratios of pairwise agreement, robust to a minority of corrupted annotators.",
        doc: include_str!("mmsr.md"),
        aliases: &["robust-rank-one"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "Q. Ma, A. Olshevsky. Adversarial Crowdsourcing Through Robust Rank-One Matrix Completion. NeurIPS 2020.",
            doi: Some("10.48550/arXiv.2010.12181"),
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
        let k = crowd.k;
        let partners = Partners::of(&crowd);
        let mut skill = vec![UNKNOWN; data.table.n_annotators()];
        let mut total = Run { stop: Stop::Direct, iterations: 0, trace: Vec::new(), settled: None };
        let mut unknown = 0;
        for part in &crowd.parts {
            if part.annotators.len() < FEWEST || k < 2 {
                unknown += part.annotators.len();
                continue;
            }
            let (own, mut run) = self.skills(&crowd, part, partners, cx)?;
            merge(&mut total, &mut run);
            let places = &crowd.annotator[part.annotators.clone()];
            places.iter().zip(own).for_each(|(&j, s)| skill[j as usize] = s);
        }
        let weight: Vec<f64> = skill.iter().map(|&s| self.weight(s, k)).collect();
        let mut posterior = votes(&crowd, data.table.n_units(), &weight);
        complete(&mut posterior, data, data.gold_classes().as_deref(), &vec![1.0 / k as f64; k]);
        let accuracy = skill.iter().map(|s| s * (1.0 - 1.0 / k as f64) + 1.0 / k as f64).collect();
        let mut diagnostics = total.diagnostics("none");
        diagnostics.objective = None;
        diagnostics.details.insert("parts".into(), json!(crowd.parts.len()));
        diagnostics.details.insert("annotators_of_unknown_skill".into(), json!(unknown));
        let mut out = Outcome::classes(k, posterior, Annotators::Accuracy { k, accuracy }, diagnostics);
        out.class_prior = Some(vec![1.0 / k as f64; k]);
        Ok(out)
    }
}

impl Mmsr {
    /// ln((K-1) p / (1-p)) for the accuracy p that belongs to a skill.
    fn weight(&self, skill: f64, k: usize) -> f64 {
        let kf = k as f64;
        let p = (skill * (1.0 - 1.0 / kf) + 1.0 / kf).max(1e-9);
        let w = if k < 2 { 1.0 } else { ((kf - 1.0) * p / (1.0 - p).max(1e-9)).ln() };
        if self.adversaries == Adversaries::Ignore { w.max(0.0) } else { w }
    }

    /// Skills of one part.
    fn skills(
        &self,
        crowd: &Crowd,
        part: &Part,
        partners: Partners,
        cx: &mut Context<'_>,
    ) -> Result<(Vec<f64>, Run), Error> {
        let m = part.annotators.len();
        let kf = crowd.k as f64;
        let pairs = Pairs::new(crowd, part, partners, cx, |a, b| a == b)?;
        // for independent annotators with one accuracy each this is about the product of the two skills
        let product = |s: &Seen| (kf * s.same as f64 / s.n as f64 - 1.0) / (kf - 1.0);
        let mut u = first_skills(crowd, part, cx).unwrap_or_else(|| vec![1.0; m]);
        let mut v = u.clone();
        let trim = self.trimming(&pairs);
        let mut before = vec![f64::MAX; m];
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            update(&pairs, &u, &mut v, &product, &trim, cx)?;
            update(&pairs, &v, &mut u, &product, &trim, cx)?;
            let now = balanced(&u, &v);
            let change = now.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            before = now;
            Ok(Step { objective: None, change })
        })?;
        let sign = signs(crowd, part, &pairs, cx, &product)?;
        // half a label away from always right and always wrong, as it were
        let margin = 1.0 / (part.items.len() as f64).sqrt();
        let high = 1.0 - margin;
        let low = (margin - 1.0 / (kf - 1.0)).min(high);
        let skill = before.iter().zip(&sign).map(|(s, g)| (s * g).clamp(low, high)).collect();
        Ok((skill, run))
    }

    /// How many of the largest and of the smallest ratios are left out for an annotator with so many partners.
    fn trimming(&self, pairs: &Pairs) -> impl Fn(usize) -> usize + Sync + use<> {
        let half = |partners: usize| (partners / 2).saturating_sub(1);
        let most = pairs.annotators() / 4;
        let fewest = (0..pairs.annotators()).map(|a| pairs.near(a).len()).min().unwrap_or(0);
        let fixed = self.corrupted.or_else(|| (self.trim == Trim::Fewest).then(|| half(fewest)));
        move |partners| fixed.unwrap_or_else(|| half(partners).min(most))
    }
}

/// Skills to begin with: those of an earlier fit of the same annotators.
fn first_skills(crowd: &Crowd, part: &Part, cx: &Context<'_>) -> Option<Vec<f64>> {
    let Annotators::Accuracy { k, accuracy } = &cx.warm?.annotators else { return None };
    let chance = 1.0 / crowd.k as f64;
    let places = &crowd.annotator[part.annotators.clone()];
    let skill = |j: &u32| Some(((accuracy.get(*j as usize)? - chance) / (1.0 - chance)).abs());
    if *k == crowd.k { places.iter().map(skill).collect() } else { None }
}

/// One round for one side: v_j = trimmed mean over those near j of |C_ij| / u_i.
fn update(
    pairs: &Pairs,
    u: &[f64],
    v: &mut [f64],
    product: &(impl Fn(&Seen) -> f64 + Sync),
    trim: &(impl Fn(usize) -> usize + Sync),
    cx: &mut Context<'_>,
) -> Result<(), Error> {
    let row = |j: usize, old: f64, below: &mut Vec<f64>, above: &mut Vec<f64>| {
        let near = pairs.near(j);
        let ratios = near.iter().map(|s| product(s).abs() / u[s.other as usize].max(LEAST));
        trimmed(ratios, old, trim(near.len()), below, above).unwrap_or(old)
    };
    let piece = |(c, piece): (usize, &mut [f64])| {
        let (mut below, mut above) = (Vec::new(), Vec::new());
        for (x, v) in piece.iter_mut().enumerate() {
            *v = row(c * CHUNK + x, *v, &mut below, &mut above);
        }
    };
    if cx.threads == 1 || v.len() <= CHUNK {
        v.chunks_mut(CHUNK).enumerate().for_each(piece);
        return Ok(());
    }
    cx.install(|| v.par_chunks_mut(CHUNK).enumerate().for_each(piece))
}

/// Mean of the values without the `trim` smallest of those below `old` and the `trim` largest of those above it; `None`
/// if none is left.
fn trimmed(
    values: impl ExactSizeIterator<Item = f64>,
    old: f64,
    trim: usize,
    below: &mut Vec<f64>,
    above: &mut Vec<f64>,
) -> Option<f64> {
    let all = values.len();
    for side in [&mut *below, &mut *above] {
        side.resize(all.max(side.len()), 0.0);
    }
    // which side a value is on cannot be foretold: both get it, and one keeps it
    let (mut low, mut high) = (0, 0);
    for x in values {
        below[low] = x;
        low += usize::from(x < old);
        above[high] = x;
        high += usize::from(x > old);
    }
    let mut n = all - low - high;
    let mut sum = n as f64 * old;
    for (side, largest) in [(&mut below[..low], false), (&mut above[..high], true)] {
        let keep = side.len().saturating_sub(trim);
        if keep == 0 {
            continue;
        }
        if keep < side.len() {
            // those to be kept go to the front
            if largest {
                side.select_nth_unstable_by(keep, f64::total_cmp);
            } else {
                side.select_nth_unstable_by(keep, |a, b| b.total_cmp(a));
            }
        }
        sum += side[..keep].iter().sum::<f64>();
        n += keep;
    }
    (n > 0).then(|| sum / n as f64)
}

/// One skill from the two sides: u vᵀ is what is determined, so both get the same length.
fn balanced(u: &[f64], v: &[f64]) -> Vec<f64> {
    let (a, b) = (norm(u), norm(v));
    let scale = if a > 0.0 { (b / a).sqrt() } else { 0.0 };
    u.iter().map(|x| x * scale).collect()
}

/// +1 or -1 by the leading eigenvector of the signs of the products; most labels are by annotators better than guessing.
fn signs(
    crowd: &Crowd,
    part: &Part,
    pairs: &Pairs,
    cx: &mut Context<'_>,
    product: &(impl Fn(&Seen) -> f64 + Sync),
) -> Result<Vec<f64>, Error> {
    let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
    let mut found =
        eigen(&Leading { max_iter: 300, tol: 1e-8, ..Leading::default() }, pairs.annotators(), cx, |_, x, y| {
            pairs.product(x, y, |s| sign(product(s)));
            Ok(())
        })?;
    let Some(vector) = found.vectors.pop() else { return Ok(vec![1.0; pairs.annotators()]) };
    let labels = |x: usize| crowd.by(part.annotators.start + x).len() as f64;
    let total: f64 = vector.iter().enumerate().map(|(x, &v)| labels(x) * sign(v)).sum();
    let turn = if total < 0.0 { -1.0 } else { 1.0 };
    Ok(vector.iter().map(|&v| if v * turn < 0.0 { -1.0 } else { 1.0 }).collect())
}

/// Posteriors by weights that are log-odds; shares of the votes where no label counts.
fn votes(crowd: &Crowd, units: usize, weight: &[f64]) -> Vec<f64> {
    let k = crowd.k;
    let mut posterior = vec![0.0; units * k];
    for (i, &u) in crowd.unit.iter().enumerate() {
        let row = &mut posterior[u as usize * k..][..k];
        let mut counts = 0.0;
        for (j, c) in crowd.on(i) {
            let w = weight[crowd.annotator[j] as usize];
            row[c] += w;
            counts += w.abs();
        }
        if counts > 0.0 {
            softmax(row);
        } else {
            let n = crowd.on(i).len() as f64;
            crowd.on(i).for_each(|(_, c)| row[c] += 1.0 / n);
        }
    }
    posterior
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimmed_means_by_hand() {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let mut of = |x: &[f64], old, trim| trimmed(x.iter().copied(), old, trim, &mut a, &mut b);
        // below 3: 1, 2 (1 goes); above: 4, 9 (9 goes); 3 stays
        assert_eq!(of(&[9.0, 1.0, 3.0, 2.0, 4.0], 3.0, 1), Some(3.0));
        assert_eq!(of(&[9.0, 1.0, 3.0, 2.0, 4.0], 3.0, 0), Some(3.8));
        assert_eq!(of(&[9.0, 1.0, 3.0, 2.0, 4.0], 0.5, 2), Some(2.0));
        assert_eq!(of(&[1.0, 2.0], 3.0, 2), None);
        assert_eq!(of(&[], 3.0, 0), None);
    }
}
