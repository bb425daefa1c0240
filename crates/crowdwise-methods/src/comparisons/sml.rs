use super::soft_scores::soft_scores;
use crowdwise_core::stats::LEVEL;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, Finding, LabelKind, Method, MethodInfo,
    Outcome, Preference, Problems, Reference, Severity, Status, Subject, Table,
};
use crowdwise_numerics::{Leading, logistic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Weights of annotators from how their answers to two-way questions vary together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sml {
    /// Below this many common answers (the median over pairs of annotators) mean products are too noisy, and EM with one
    /// accuracy per annotator takes their place, with a finding. 0 = never.
    pub fallback_below: usize,
    /// Strength of the pull of the scores towards 0.
    pub ridge: f64,
    /// Confidence level of the intervals.
    pub level: f64,
    /// Maximum number of steps for the leading eigenvector, and of the fallback.
    pub max_iter: usize,
}

impl Default for Sml {
    fn default() -> Self {
        Sml { fallback_below: 50, ridge: 0.01, level: LEVEL, max_iter: 1000 }
    }
}

impl Method for Sml {
    const INFO: MethodInfo = MethodInfo {
        id: "sml",
        name: "Spectral meta-learner",
        summary: "Two-way answers weighted by the leading eigenvector of the annotators' agreement.",
        doc: include_str!("sml.md"),
        aliases: &["spectral-meta-learner"],
        accepts: &[LabelKind::Preference],
        capabilities: Capabilities::NONE,
        references: &[
            Reference {
                text: "F. Parisi, F. Strino, B. Nadler and Y. Kluger, Ranking and combining multiple predictors without labeled data, PNAS 111(4), 2014",
                doi: Some("10.1073/pnas.1219097111"),
            },
            Reference {
                text: "D. Chhan, E. Novoseller and V. J. Lawhern, Crowd-PrefRL: preference-based reward learning from crowds, arXiv:2401.10941, 2024",
                doi: Some("10.48550/arXiv.2401.10941"),
            },
        ],
        status: Status::Preview,
        ..MethodInfo::of(Family::Pairs)
    };

    fn check(&self, problems: &mut Problems) {
        problems.positive("ridge", self.ridge);
        problems.between("level", self.level, 0.0, 1.0);
        problems.count("max_iter", self.max_iter);
    }

    fn fit(&self, data: &Dataset, _cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let votes = Votes::new(&data.table);
        let (weights, common) = votes.weights(self.max_iter);
        let mut findings = Vec::new();
        let few = common < self.fallback_below as f64;
        let weights = if few {
            findings.push(too_few(common));
            votes.one_coin(self.max_iter)
        } else {
            weights
        };
        let chance: Vec<f64> = (0..votes.len()).map(|q| logistic(votes.evidence(q, &weights))).collect();
        let accuracy: Vec<f64> = weights.iter().map(|b| 0.5 * (1.0 + b)).collect();
        let mut diagnostics = Diagnostics::direct();
        diagnostics.details.insert("median_common_answers".into(), json!(common));
        diagnostics.details.insert("weights".into(), json!(if few { "one-coin" } else { "spectral" }));
        let truth = soft_scores(&data.table, &votes.pairs, &chance, self.ridge, self.level);
        Ok(Outcome {
            uncalibrated: None,
            truth,
            annotators: Annotators::Accuracy { k: 2, accuracy },
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings,
        })
    }
}

/// Answers to questions about unordered pairs: 1 = the first item is better, -1 = the second.
struct Votes {
    offsets: Vec<usize>,
    said: Vec<(u32, f64)>,
    /// The two items of every question.
    pairs: Vec<[u32; 2]>,
    m: usize,
}

/// Pairs of answers to one question that covariances are counted from, at most.
const MOST_COMMON: usize = 4_000_000;
/// Balanced accuracies are kept from being certain.
const BOUND: f64 = 0.98;

impl Votes {
    fn new(table: &Table) -> Votes {
        let mut out = Votes { offsets: vec![0], said: Vec::new(), pairs: Vec::new(), m: table.n_annotators() };
        if let Some((units, codes)) = table.preferences() {
            let key = |u: usize| [units[u][0].min(units[u][1]), units[u][0].max(units[u][1])];
            let mut order: Vec<usize> = (0..units.len()).filter(|&u| units[u][0] != units[u][1]).collect();
            order.sort_by_key(|&u| (key(u), u));
            for same in order.chunk_by(|&a, &b| key(a) == key(b)) {
                for &u in same {
                    let first = if units[u][0] == key(u)[0] { 1.0 } else { -1.0 };
                    for r in table.rows(u) {
                        match codes[r] {
                            Preference::Left => out.said.push((table.annotator()[r], first)),
                            Preference::Right => out.said.push((table.annotator()[r], -first)),
                            Preference::Tie => {}
                        }
                    }
                }
                out.pairs.push(key(same[0]));
                out.offsets.push(out.said.len());
            }
        }
        out
    }

    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn of(&self, q: usize) -> &[(u32, f64)] {
        &self.said[self.offsets[q]..self.offsets[q + 1]]
    }

    /// Balanced accuracy (2π - 1) of every annotator, and the median number of common answers.
    fn weights(&self, max_iter: usize) -> (Vec<f64>, f64) {
        let mut common: Vec<(u32, u32, f64, f64)> = Vec::new();
        for q in 0..self.len() {
            let said = self.of(q);
            if common.len() + said.len() * said.len() / 2 > MOST_COMMON {
                break; // enough to know who goes with whom
            }
            for (at, &(a, x)) in said.iter().enumerate() {
                for &(b, y) in said[..at].iter().filter(|s| s.0 != a) {
                    common.push(if a < b { (a, b, x, y) } else { (b, a, y, x) });
                }
            }
        }
        common.sort_unstable_by_key(|c| (c.0, c.1));
        let mut covariance: Vec<(usize, usize, f64)> = Vec::new();
        let mut counts: Vec<usize> = Vec::new();
        for same in common.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let n = same.len() as f64;
            counts.push(same.len());
            if same.len() > 1 {
                // which item of a pair is first means nothing, so that both answers are equally frequent by definition
                let q = same.iter().map(|c| c.2 * c.3).sum::<f64>() / n;
                covariance.push((same[0].0 as usize, same[0].1 as usize, q));
            }
        }
        counts.sort_unstable();
        let median = counts.get(counts.len() / 2).copied().unwrap_or(0) as f64;
        // the diagonal is not that of the rank-one part: it is put there in turns with the eigenvector
        let mut diagonal = vec![0.0; self.m];
        let (mut v, mut lambda) = (vec![0.0; self.m], 0.0);
        for _ in 0..5 {
            (v, lambda) = leading(&covariance, &diagonal, max_iter);
            diagonal.iter_mut().zip(&v).for_each(|(d, v)| *d = lambda * v * v);
        }
        let sign = if v.iter().sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        let size = lambda.max(0.0).sqrt();
        (v.iter().map(|v| (sign * size * v).clamp(-BOUND, BOUND)).collect(), median)
    }

    /// Log-odds of 1.
    fn evidence(&self, q: usize, weights: &[f64]) -> f64 {
        let of = |&(j, x): &(u32, f64)| x * ((1.0 + weights[j as usize]) / (1.0 - weights[j as usize])).ln();
        self.of(q).iter().map(of).sum()
    }

    /// EM with one accuracy per annotator, from the shares of the votes.
    fn one_coin(&self, max_iter: usize) -> Vec<f64> {
        let mut weights = vec![0.5; self.m];
        for _ in 0..max_iter {
            let (mut right, mut n) = (vec![1.0; self.m], vec![1.5; self.m]);
            for q in 0..self.len() {
                let p = logistic(self.evidence(q, &weights));
                for &(j, x) in self.of(q) {
                    right[j as usize] += if x > 0.0 { p } else { 1.0 - p };
                    n[j as usize] += 1.0;
                }
            }
            let next: Vec<f64> = right.iter().zip(&n).map(|(r, n)| (2.0 * r / n - 1.0).clamp(-BOUND, BOUND)).collect();
            let change = next.iter().zip(&weights).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            weights = next;
            if change < 1e-8 {
                break;
            }
        }
        weights
    }
}

/// Eigenvector of the largest eigenvalue, and that.
fn leading(entries: &[(usize, usize, f64)], diagonal: &[f64], max_iter: usize) -> (Vec<f64>, f64) {
    let mut pairs = Leading { max_iter, ..Leading::default() }.eigen(diagonal.len(), |x, y| {
        y.iter_mut().zip(x.iter().zip(diagonal)).for_each(|(y, (x, d))| *y = x * d);
        for &(a, b, q) in entries {
            y[a] += q * x[b];
            y[b] += q * x[a];
        }
    });
    (pairs.vectors.pop().unwrap_or_else(|| vec![0.0; diagonal.len()]), pairs.values.first().copied().unwrap_or(0.0))
}

fn too_few(common: f64) -> Finding {
    Finding::new(
        "few-common-answers",
        Severity::Info,
        Subject::Data,
        format!(
            "two annotators have only {common:.0} common answers in the middle: too few for mean products, so EM with one accuracy per annotator was used"
        ),
        "`fallback_below=0` uses them all the same",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{AnyMethod, TableBuilder, Truth, stream};
    use rand::RngExt;

    fn fit(method: &Sml, data: &Dataset) -> crowdwise_core::Fit {
        AnyMethod::fit(method, data, &mut Context::new(0, 1)).unwrap()
    }

    /// Questions with their truth and answers by users who err at these rates; each answers with probability `share`.
    fn asked(next: &mut dyn FnMut() -> f64, n: usize, errors: &[f64], share: f64) -> (Votes, Vec<f64>) {
        let mut votes = Votes { offsets: vec![0], said: Vec::new(), pairs: Vec::new(), m: errors.len() };
        let mut truth = Vec::new();
        for q in 0..n as u32 {
            let t = if next() < 0.5 { 1.0 } else { -1.0 };
            for (j, e) in errors.iter().enumerate() {
                let said = if next() < *e { -t } else { t };
                if next() < share {
                    votes.said.push((j as u32, said));
                }
            }
            truth.push(t);
            votes.pairs.push([2 * q, 2 * q + 1]);
            votes.offsets.push(votes.said.len());
        }
        (votes, truth)
    }

    /// An independent numpy program on the same table (congruential generator, six users of 80 questions, a fifth missing),
    /// with mean products in place of covariances.
    #[test]
    fn weights_are_those_of_an_independent_program() {
        let mut state = 11u64;
        let mut next = || {
            state = (1_103_515_245 * state + 12345) % (1 << 31);
            state as f64 / f64::from(1u32 << 31)
        };
        let (votes, _) = asked(&mut next, 80, &[0.05, 0.15, 0.3, 0.4, 0.45, 0.2], 0.8);
        let (weights, _) = votes.weights(10_000);
        for (w, want) in weights.iter().zip(GOLDEN_ACCURACY) {
            assert!((0.5 * (1.0 + w) - want).abs() < 1e-5, "{weights:?}");
        }
        for (q, want) in GOLDEN_SOFT.iter().enumerate() {
            assert!((logistic(votes.evidence(q, &weights)) - want).abs() < 1e-5);
        }
    }

    const GOLDEN_ACCURACY: [f64; 6] = [0.89246539, 0.69322745, 0.75115131, 0.60798444, 0.57620669, 0.71424094];
    const GOLDEN_SOFT: [f64; 4] = [0.24399128, 0.85195415, 0.99482888, 0.0306681];

    /// Five users with flips up to .45 who all answer 300 questions: at least one point above the majority (means of ten).
    #[test]
    fn acceptance() {
        let (mut spectral, mut majority) = (0.0, 0.0);
        for seed in 0..10 {
            let mut rng = stream(seed, "sml", 0);
            let flips: Vec<f64> = (0..5).map(|_| rng.random_range(0.0..0.45)).collect();
            let (votes, truth) = asked(&mut || rng.random(), 300, &flips, 1.0);
            let (weights, common) = votes.weights(10_000);
            assert_eq!(common, 300.0);
            for (q, t) in truth.iter().enumerate() {
                spectral += f64::from(u8::from(votes.evidence(q, &weights) * t > 0.0)) / 30.0;
                let sum: f64 = votes.of(q).iter().map(|s| s.1).sum();
                majority += f64::from(u8::from(sum * t > 0.0)) / 30.0;
            }
        }
        assert!(spectral >= majority + 1.0, "{spectral} against {majority}");
    }

    #[test]
    fn preferences_give_scores_and_few_answers_the_fallback() {
        let mut rng = stream(3, "sml pairs", 0);
        let mut b = TableBuilder::new(LabelKind::Preference);
        for l in 0..12u32 {
            for r in 0..l {
                for j in 0..6 {
                    // the higher number is better; two of six guess
                    let right = rng.random::<f64>() < if j < 2 { 0.5 } else { 0.9 };
                    let said = if right { Preference::Left } else { Preference::Right };
                    b.preference(&format!("i{l}"), &format!("i{r}"), &format!("a{j}"), said);
                }
            }
        }
        let data = Dataset::new(b.finish().unwrap());
        let f = fit(&Sml::default(), &data);
        assert!(f.findings.iter().all(|x| x.code != "few-common-answers"));
        let Truth::Scores { score, .. } = &f.truth else { panic!("scores wanted") };
        let name = |i: usize| data.table.items().name(i)[1..].parse::<usize>().unwrap();
        let ordered = (0..12).flat_map(|a| (0..a).map(move |b| (a, b)));
        let wrong = ordered.filter(|&(a, b)| (score[a] > score[b]) != (name(a) > name(b))).count();
        assert!(wrong <= 4, "{wrong} of 66 pairs");
        let a = |n: &str| f.annotators.accuracy(data.table.annotators().iter().position(|x| x == n).unwrap()).unwrap();
        assert!(a("a0") < 0.7 && a("a1") < 0.7 && a("a4") > 0.8);
        let f = fit(&Sml { fallback_below: 1000, ..Sml::default() }, &data);
        assert!(f.findings.iter().any(|x| x.code == "few-common-answers"));
    }
}
