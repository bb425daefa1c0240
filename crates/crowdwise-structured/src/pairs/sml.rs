use super::outcome::both;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Finding, LabelKind, Method, MethodInfo, Outcome,
    Preference, Problems, Reference, Severity, Status, Subject, Table, Truth, Values,
};
use crowdwise_methods::preference::{Cholesky, Comparisons, centred, separated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use special::Error as _;

/// Weights of annotators from how their answers to two-way questions vary together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sml {
    /// Below this many common answers (the median over pairs of annotators) covariances are too noisy, and EM with one
    /// accuracy per annotator takes their place, with a finding. 0 = never.
    pub fallback_below: usize,
    /// For preferences: pull of the scores towards 0.
    pub ridge: f64,
    /// For preferences: level of the intervals.
    pub level: f64,
    /// Most steps for the leading eigenvector, and of the fallback.
    pub max_iter: usize,
}

impl Default for Sml {
    fn default() -> Self {
        Sml { fallback_below: 50, ridge: 0.01, level: 0.95, max_iter: 1000 }
    }
}

impl Method for Sml {
    const INFO: MethodInfo = MethodInfo {
        id: "sml",
        name: "Spectral meta-learner",
        summary: "Two-way answers weighted by the leading eigenvector of the annotators' covariance.",
        doc: include_str!("sml.md"),
        aliases: &["spectral-meta-learner"],
        accepts: &[LabelKind::Categorical, LabelKind::Preference],
        capabilities: Capabilities {
            confusion: false,
            monotone: false,
            stochastic: false,
            gold: false,
            warm_start: false,
            likelihood: false,
        },
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
    };

    fn check(&self, problems: &mut Problems) {
        problems.positive("ridge", self.ridge);
        problems.between("level", self.level, 0.0, 1.0);
        problems.count("max_iter", self.max_iter);
    }

    fn fit(&self, data: &Dataset, _cx: &mut Context<'_>) -> Result<Outcome, Error> {
        if data.table.kind() == LabelKind::Categorical && data.table.n_classes() > 2 {
            return Err(Error::Unsupported {
                what: format!("sml is for two classes, but {} has {}", data.source, data.table.n_classes()),
                hint: Some("`crowdwise methods` lists those for more".into()),
            });
        }
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
        let chance: Vec<f64> = (0..votes.len()).map(|q| both(votes.evidence(q, &weights)).0).collect();
        let accuracy: Vec<f64> = weights.iter().map(|b| 0.5 * (1.0 + b)).collect();
        let mut diagnostics = Diagnostics::direct();
        diagnostics.details.insert("median_common_answers".into(), json!(common));
        diagnostics.details.insert("weights".into(), json!(if few { "one-coin" } else { "spectral" }));
        let truth = match data.table.values() {
            Values::Preference { .. } => self.scores(&data.table, &votes, &chance),
            _ => {
                let k = data.table.n_classes();
                let posterior = if k < 2 {
                    vec![1.0; data.table.n_units() * k]
                } else {
                    chance.iter().flat_map(|&p| [1.0 - p, p]).collect()
                };
                Truth::Classes { k, posterior }
            }
        };
        let k = data.table.n_classes().max(if matches!(truth, Truth::Scores { .. }) { 2 } else { 1 });
        let accuracy = if k < 2 { vec![1.0; accuracy.len()] } else { accuracy };
        Ok(Outcome {
            uncalibrated: None,
            truth,
            annotators: Annotators::Accuracy { k, accuracy },
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings,
        })
    }
}

impl Sml {
    /// Scores of items from the answers as they were weighed: Bradley and Terry's model with soft outcomes, one for each
    /// compared pair.
    fn scores(&self, table: &Table, votes: &Votes, chance: &[f64]) -> Truth {
        let n = table.n_items();
        let mut s = vec![0.0; n];
        let (component, parts) = Comparisons::new(table, false).components();
        let mut variance = vec![1.0 / self.ridge; n];
        for _ in 0..60 {
            // Newton's method: the loss is convex
            let (mut g, mut diagonal) = (vec![0.0; n], vec![self.ridge; n]);
            let mut pairs = Vec::with_capacity(votes.len());
            g.iter_mut().zip(&s).for_each(|(g, s)| *g = -self.ridge * s);
            for (q, &[a, b]) in votes.pairs.iter().enumerate() {
                let (a, b) = (a as usize, b as usize);
                let (p, not) = both(s[a] - s[b]);
                g[a] += chance[q] - p;
                g[b] -= chance[q] - p;
                diagonal[a] += p * not;
                diagonal[b] += p * not;
                pairs.push((a, b, p * not));
            }
            let (step, errors) = solve(&diagonal, &pairs, &g);
            variance = errors;
            let longest = step.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let shorter = (2.0 / longest).min(1.0);
            s.iter_mut().zip(&step).for_each(|(s, d)| *s += shorter * d);
            if longest < 1e-9 {
                break;
            }
        }
        let score = centred(&s, &component, parts);
        let z = std::f64::consts::SQRT_2 * self.level.inv_error();
        let interval: Vec<[f64; 2]> =
            score.iter().zip(&variance).map(|(s, v)| [s - z * v.sqrt(), s + z * v.sqrt()]).collect();
        let mut ranks = vec![[1, 1]; n];
        for c in 0..parts as u32 {
            let own: Vec<usize> = (0..n).filter(|&i| component[i] == c).collect();
            let intervals: Vec<[f64; 2]> = own.iter().map(|&i| interval[i]).collect();
            own.iter().zip(separated(&intervals)).for_each(|(&i, r)| ranks[i] = r);
        }
        Truth::Scores { score, interval, component, ranks }
    }
}

/// Items up to which Newton's system is solved by elimination; beyond by conjugate gradients.
const DENSE: usize = 800;

/// Solution of the weighted Laplacian, and the variances that its inverse (or its diagonal) gives.
fn solve(diagonal: &[f64], pairs: &[(usize, usize, f64)], b: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = diagonal.len();
    if n <= DENSE {
        let mut h = vec![0.0; n * n];
        (0..n).for_each(|i| h[i * n + i] = diagonal[i]);
        for &(a, c, w) in pairs {
            h[a.max(c) * n + a.min(c)] -= w;
        }
        if let Some(factor) = Cholesky::new(n, h) {
            let mut x = b.to_vec();
            factor.solve(&mut x);
            return (x, factor.inverse_diagonal());
        }
    }
    let apply = |x: &[f64]| {
        let mut out: Vec<f64> = x.iter().zip(diagonal).map(|(x, d)| x * d).collect();
        for &(a, c, w) in pairs {
            out[a] -= w * x[c];
            out[c] -= w * x[a];
        }
        out
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let (mut x, mut r) = (vec![0.0; n], b.to_vec());
    let scaled = |r: &[f64]| -> Vec<f64> { r.iter().zip(diagonal).map(|(r, d)| r / d).collect() };
    let mut z = scaled(&r);
    let mut p = z.clone();
    let (mut rz, start) = (dot(&r, &z), dot(b, b));
    for _ in 0..1000 {
        if dot(&r, &r) <= 1e-16 * start {
            break;
        }
        let q = apply(&p);
        let a = rz / dot(&p, &q);
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += a * p);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= a * q);
        z = scaled(&r);
        let next = dot(&r, &z);
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + next / rz * *p);
        rz = next;
    }
    (x, diagonal.iter().map(|d| 1.0 / d).collect())
}

/// Answers -1 or 1 to questions: items of two classes (1 = the second), or unordered pairs (1 = the first item is better).
struct Votes {
    offsets: Vec<usize>,
    said: Vec<(u32, f64)>,
    /// The two items of a question about a pair.
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
        } else if let Some(c) = table.categorical() {
            for u in 0..table.n_units() {
                let answer = |r: usize| (table.annotator()[r], if c.codes.get(r) == 1 { 1.0 } else { -1.0 });
                out.said.extend(table.rows(u).map(answer));
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
                let mean = |f: &dyn Fn(&(u32, u32, f64, f64)) -> f64| same.iter().map(f).sum::<f64>() / n;
                // which item of a pair is first means nothing, so that both answers are equally frequent by definition
                let centre = if self.pairs.is_empty() { mean(&|c| c.2) * mean(&|c| c.3) } else { 0.0 };
                let q = mean(&|c| c.2 * c.3) - centre;
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
                let p = both(self.evidence(q, &weights)).0;
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

/// Eigenvector of the largest eigenvalue, and that, by powers of the matrix with a shift that makes all eigenvalues
/// positive.
fn leading(entries: &[(usize, usize, f64)], diagonal: &[f64], max_iter: usize) -> (Vec<f64>, f64) {
    let n = diagonal.len();
    let mut rows: Vec<f64> = diagonal.iter().map(|d| d.abs()).collect();
    for &(a, b, q) in entries {
        rows[a] += q.abs();
        rows[b] += q.abs();
    }
    let shift = 0.5 * rows.iter().copied().fold(0.0, f64::max);
    let apply = |x: &[f64]| {
        let mut y: Vec<f64> = x.iter().zip(diagonal).map(|(x, d)| x * d).collect();
        for &(a, b, q) in entries {
            y[a] += q * x[b];
            y[b] += q * x[a];
        }
        y
    };
    let mut v = vec![1.0 / (n as f64).sqrt(); n];
    let mut lambda = 0.0;
    for _ in 0..max_iter {
        let y = apply(&v);
        lambda = y.iter().zip(&v).map(|(a, b)| a * b).sum();
        let next: Vec<f64> = y.iter().zip(&v).map(|(y, v)| y + shift * v).collect();
        let length = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length < 1e-300 {
            break;
        }
        let change = next.iter().zip(&v).fold(0.0f64, |m, (a, b)| m.max((a / length - b).abs()));
        v = next.iter().map(|x| x / length).collect();
        if change < 1e-12 {
            break;
        }
    }
    (v, lambda)
}

fn too_few(common: f64) -> Finding {
    Finding::new(
        "few-common-answers",
        Severity::Info,
        Subject::Data,
        format!(
            "two annotators have only {common:.0} common answers in the middle: too few for covariances, so EM with one accuracy per annotator was used"
        ),
        "`fallback_below=0` uses covariances all the same",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{AnyMethod, TableBuilder, stats, stream};
    use rand::RngExt;

    fn fit(method: &Sml, data: &Dataset) -> crowdwise_core::Fit {
        AnyMethod::fit(method, data, &mut Context::new(0, 1)).unwrap()
    }

    /// An independent numpy program on the same table (congruential generator, six users of 80 questions, a fifth missing).
    #[test]
    fn weights_are_those_of_an_independent_program() {
        let mut state = 11u64;
        let mut next = || {
            state = (1_103_515_245 * state + 12345) % (1 << 31);
            state as f64 / f64::from(1u32 << 31)
        };
        let error = [0.05, 0.15, 0.3, 0.4, 0.45, 0.2];
        let mut b = TableBuilder::new(LabelKind::Categorical);
        ["-1", "1"].iter().for_each(|c| _ = b.classes.intern(c));
        (0..6).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
        for k in 0..80 {
            let truth = next() < 0.5;
            for (j, e) in error.iter().enumerate() {
                let said = truth != (next() < *e);
                if next() < 0.8 {
                    b.label(&format!("q{k}"), &format!("a{j}"), if said { "1" } else { "-1" }).unwrap();
                }
            }
        }
        let data = Dataset::new(b.finish().unwrap());
        let f = fit(&Sml { fallback_below: 0, ..Sml::default() }, &data);
        for (j, want) in GOLDEN_ACCURACY.iter().enumerate() {
            assert!((f.annotators.accuracy(j).unwrap() - want).abs() < 1e-5, "{j}: {:?}", f.annotators);
        }
        let (_, p) = f.posterior().unwrap();
        for (q, want) in GOLDEN_SOFT.iter().enumerate() {
            assert!((p[2 * q + 1] - want).abs() < 1e-5, "{q}: {}", p[2 * q + 1]);
        }
    }

    const GOLDEN_ACCURACY: [f64; 6] = [0.88268985, 0.67952886, 0.74132025, 0.61146009, 0.56814188, 0.74813121];
    const GOLDEN_SOFT: [f64; 4] = [0.28790046, 0.80899717, 0.99443427, 0.02692943];

    /// Five users with flips up to .45 who all answer 300 questions: at least one point above the majority (means of ten).
    #[test]
    fn acceptance() {
        let (mut spectral, mut majority) = (0.0, 0.0);
        for seed in 0..10 {
            let mut rng = stream(seed, "sml", 0);
            let flips: Vec<f64> = (0..5).map(|_| rng.random_range(0.0..0.45)).collect();
            let mut b = TableBuilder::new(LabelKind::Categorical);
            ["no", "yes"].iter().for_each(|c| _ = b.classes.intern(c));
            let truth: Vec<bool> = (0..300).map(|_| rng.random()).collect();
            for (k, &t) in truth.iter().enumerate() {
                for (j, &e) in flips.iter().enumerate() {
                    let said = t != (rng.random::<f64>() < e);
                    b.label(&format!("q{k}"), &format!("a{j}"), if said { "yes" } else { "no" }).unwrap();
                }
            }
            let data = Dataset::new(b.finish().unwrap());
            let f = fit(&Sml::default(), &data);
            let (_, p) = f.posterior().unwrap();
            let c = data.table.categorical().unwrap();
            for (k, &t) in truth.iter().enumerate() {
                spectral += f64::from(u8::from((p[2 * k + 1] > 0.5) == t)) / 30.0;
                let mut votes = [0.0; 2];
                c.votes(k, &mut votes);
                majority += f64::from(u8::from((stats::argmax(&votes) == 1) == t)) / 30.0;
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
