use super::bradley_terry::centred;
use super::pairs::{Comparisons, with_itself};
use super::places::separated;
use crowdwise_core::stats::LEVEL;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, Finding, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Severity, Situation, Status, Step, Subject, Truth, group,
};
use crowdwise_numerics::{Cholesky, logistic_both, normal_reach};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Scores from a walk that moves from an item to one that beat it, as often as it was beaten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RankCentrality {
    /// Wins added to both sides of every compared pair. 0 is taken as 1, with a finding, where some items won or lost
    /// everything: the walk would never leave them.
    pub alpha: f64,
    /// Confidence level of the intervals.
    pub level: f64,
    /// Components of up to this many items get intervals from the whole covariance; larger ones from each item's own
    /// comparisons alone.
    pub dense_items: usize,
    /// Maximum number of sweeps over the items.
    pub max_iter: usize,
    /// Stops when no score changes by more than this.
    pub tol: f64,
}

impl Default for RankCentrality {
    fn default() -> Self {
        RankCentrality { alpha: 1.0, level: LEVEL, dense_items: 1000, max_iter: 10_000, tol: 1e-9 }
    }
}

impl Method for RankCentrality {
    const INFO: MethodInfo = MethodInfo {
        id: "rank-centrality",
        name: "Rank Centrality",
        summary: "Scores from the stationary distribution of a walk towards the winners.",
        doc: include_str!("rank_centrality.md"),
        aliases: &[],
        accepts: &[LabelKind::Preference],
        capabilities: Capabilities::NONE,
        references: &[Reference {
            text: "S. Negahban, S. Oh and D. Shah, Rank centrality: ranking from pairwise comparisons, Operations Research 65(1), 2017",
            doi: Some("10.1287/opre.2016.1534"),
        }],
        status: Status::Stable,
        compared: &[Situation::Comparisons, Situation::Rankings],
        ..MethodInfo::of(Family::Preference)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("alpha", self.alpha, 0.0);
        problems.between("level", self.level, 0.0, 1.0);
        problems.count("max_iter", self.max_iter);
        problems.positive("tol", self.tol);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let pairs = Comparisons::new(&data.table, false);
        let mut findings = Vec::new();
        if pairs.with_itself > 0 {
            findings.push(with_itself(pairs.with_itself));
        }
        let (component, n_components) = pairs.components();
        let strong = pairs.strong_components();
        let mut alpha = self.alpha;
        if alpha == 0.0 && strong > n_components {
            alpha = 1.0;
            findings.push(regularised(strong - n_components + 1));
        }
        let walk = Walk::new(&pairs, alpha);
        let mut p = vec![1.0; pairs.n_items];
        let run =
            cx.iterate(self.max_iter, self.tol, |_, _| Ok(Step { objective: None, change: walk.sweep(&mut p) }))?;
        let log: Vec<f64> = p.iter().map(|p| p.ln()).collect();
        let score = centred(&log, &component, n_components);
        let (free, variance) = cx.install(|| {
            let free = walk.unshrunk(&score, |x| centred(x, &component, n_components));
            let variance = walk.variances(&free, &component, n_components, self.dense_items);
            (free, variance)
        })?;
        let z = normal_reach(self.level);
        // about the score without the pull of the pseudo wins, which is part of the error; the score itself is inside
        let around = |n: usize| {
            let half = z * variance[n].sqrt();
            [score[n].min(free[n] - half), score[n].max(free[n] + half)]
        };
        let interval: Vec<[f64; 2]> = (0..score.len()).map(around).collect();
        let mut ranks = vec![[1, 1]; score.len()];
        for items in members(&component, n_components) {
            let own: Vec<[f64; 2]> = items.iter().map(|&i| interval[i]).collect();
            items.iter().zip(separated(&own)).for_each(|(&i, r)| ranks[i] = r);
        }
        let mut diagnostics = run.diagnostics("none");
        for (key, value) in [
            ("pairs", json!(pairs.pairs.len())),
            ("tied", json!(pairs.ties)),
            ("components", json!(n_components)),
            ("strong_components", json!(strong)),
            ("alpha_used", json!(alpha)),
            ("unshrunk_score", json!(free)),
        ] {
            diagnostics.details.insert(key.into(), value);
        }
        Ok(Outcome {
            uncalibrated: None,
            truth: Truth::Scores { score, interval, component, ranks },
            annotators: Annotators::None,
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings,
        })
    }
}

/// Rounds in which the pull of the pseudo wins is undone, sweeps of each, and how far a score may move.
const UNSHRINK: usize = 60;
const SWEEPS: usize = 200;
const FURTHEST: f64 = 6.0;

/// The items of each of `n` components.
pub fn members(component: &[u32], n: usize) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); n];
    component.iter().enumerate().for_each(|(i, &c)| out[c as usize].push(i));
    out
}

/// The walk: from i to j at the rate of the share of their comparisons that j won.
struct Walk {
    /// For every item those it was compared with: (other, rate from the other to it, rate from it to the other,
    /// comparisons).
    offsets: Vec<usize>,
    edges: Vec<(u32, f64, f64, f64)>,
    alpha: f64,
}

impl Walk {
    fn new(c: &Comparisons, alpha: f64) -> Walk {
        let mut offsets = vec![0; c.n_items + 1];
        for p in &c.pairs {
            offsets[p.left as usize + 1] += 1;
            offsets[p.right as usize + 1] += 1;
        }
        (0..c.n_items).for_each(|i| offsets[i + 1] += offsets[i]);
        let mut next = offsets.clone();
        let mut edges = vec![(0, 0.0, 0.0, 0.0); offsets[c.n_items]];
        for p in &c.pairs {
            let n = p.total();
            let left = (p.left_wins + 0.5 * p.ties + alpha) / (n + 2.0 * alpha);
            let right = (p.right_wins + 0.5 * p.ties + alpha) / (n + 2.0 * alpha);
            for (i, other, to, from) in [(p.left, p.right, left, right), (p.right, p.left, right, left)] {
                edges[next[i as usize]] = (other, to, from, n);
                next[i as usize] += 1;
            }
        }
        Walk { offsets, edges, alpha }
    }

    fn of(&self, i: usize) -> &[(u32, f64, f64, f64)] {
        &self.edges[self.offsets[i]..self.offsets[i + 1]]
    }

    /// One sweep of Gauss and Seidel over the balance p_i Σ_j rate(i, j) = Σ_j p_j rate(j, i), and back. Its solution
    /// does not depend on how lazy the walk is, so it needs no division by the largest degree. Returns the largest change
    /// of ln p; p keeps its size.
    fn sweep(&self, p: &mut [f64]) -> f64 {
        let mut change: f64 = 0.0;
        let n = p.len();
        for at in 0..2 * n {
            let i = if at < n { at } else { 2 * n - 1 - at };
            let edges = self.of(i);
            if edges.is_empty() {
                continue;
            }
            let (mut come, mut go) = (0.0, 0.0);
            for &(j, to, from, _) in edges {
                come += p[j as usize] * to;
                go += from;
            }
            let new = (come / go).clamp(1e-250, 1e250);
            change = change.max((new / p[i]).ln().abs());
            p[i] = new;
        }
        change
    }

    /// The Bradley-Terry scores under which the walk, pseudo wins and all, would come out as it did if every pair were won
    /// as often as expected. Without pseudo wins these are the scores themselves.
    fn unshrunk(&self, score: &[f64], centred: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
        let mut s = score.to_vec();
        if self.alpha == 0.0 {
            return s;
        }
        let mut p: Vec<f64> = score.iter().map(|x| x.exp()).collect();
        for _ in 0..UNSHRINK {
            let expected = self.expected(&s);
            for _ in 0..SWEEPS {
                if expected.sweep(&mut p) < 1e-7 {
                    break;
                }
            }
            let comes_out = centred(&p.iter().map(|p| p.ln()).collect::<Vec<_>>());
            let step = |n: usize| (score[n] - comes_out[n]).clamp(-1.0, 1.0);
            // who won everything would run away
            let next = |n: usize| (s[n] + step(n)).clamp(score[n] - FURTHEST, score[n] + FURTHEST);
            let next: Vec<f64> = centred(&(0..s.len()).map(next).collect::<Vec<_>>());
            let moved = next.iter().zip(&s).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            s = next;
            if moved < 1e-5 {
                break;
            }
        }
        s
    }

    /// The same pairs, won as often as these scores say.
    fn expected(&self, s: &[f64]) -> Walk {
        let mut edges = self.edges.clone();
        for i in 0..s.len() {
            for e in &mut edges[self.offsets[i]..self.offsets[i + 1]] {
                let (wins, losses) = logistic_both(s[i] - s[e.0 as usize]);
                let all = e.3 + 2.0 * self.alpha;
                (e.1, e.2) = ((e.3 * wins + self.alpha) / all, (e.3 * losses + self.alpha) / all);
            }
        }
        Walk { offsets: self.offsets.clone(), edges, alpha: self.alpha }
    }

    /// Variances of the centred unshrunk scores `s` if wins are independent. A change of the shares moves the balance of
    /// the walk, and so do the scores: with B the Laplacian of how the balance moves with the scores, and V that of the
    /// noise of the shares, the variance is B⁻¹ V B⁻¹. Without pseudo wins B has the flows of the walk.
    fn variances(&self, s: &[f64], component: &[u32], n_components: usize, dense_items: usize) -> Vec<f64> {
        let mut out = vec![0.0; s.len()];
        for items in members(component, n_components) {
            if items.len() == 1 {
                continue;
            }
            let exact = items.len() <= dense_items && self.exact(&items, s, &mut out);
            if !exact {
                for &i in &items {
                    let (mut flow, mut noise) = (0.0, 0.0);
                    for &(j, _, _, n) in self.of(i) {
                        let (f, v) = self.response(s[i], s[j as usize], n);
                        flow += f;
                        noise += v;
                    }
                    out[i] = noise / (flow * flow);
                }
            }
        }
        out
    }

    /// How much the balance between two items that were compared `n` times moves with the difference of their scores, and
    /// its variance by chance.
    fn response(&self, a: f64, b: f64, n: f64) -> (f64, f64) {
        let (x, y) = logistic_both(a - b);
        // p_a + p_b; scores of one component are centred, so that neither is out of range
        let size = a.exp() + b.exp();
        let all = n + 2.0 * self.alpha;
        (size * x * y * n / all, size * size * x * y * n / (all * all))
    }

    /// False if the flows are too unequal for the numbers.
    fn exact(&self, items: &[usize], s: &[f64], out: &mut [f64]) -> bool {
        let m = items.len();
        let place: std::collections::HashMap<usize, usize> = items.iter().enumerate().map(|(a, &i)| (i, a)).collect();
        let mut h = vec![0.0; m * m];
        let mut edges: Vec<(usize, usize, f64)> = Vec::new();
        for (a, &i) in items.iter().enumerate() {
            for &(j, _, _, n) in self.of(i) {
                let b = place[&(j as usize)];
                let (flow, noise) = self.response(s[i], s[j as usize], n);
                h[a * m + a] += flow;
                if b < a {
                    h[a * m + b] -= flow;
                    edges.push((a, b, noise));
                }
            }
        }
        let mean = (0..m).map(|a| h[a * m + a]).sum::<f64>() / m as f64;
        for a in 0..m {
            for b in 0..=a {
                h[a * m + b] += mean / m as f64;
            }
        }
        let Some(factor) = Cholesky::new(m, h) else { return false };
        for (a, &i) in items.iter().enumerate() {
            // row a of the centred inverse
            let mut row = vec![-1.0 / m as f64; m];
            row[a] += 1.0;
            factor.solve(&mut row);
            out[i] = edges.iter().map(|&(x, y, v)| (row[x] - row[y]).powi(2) * v).sum();
        }
        true
    }
}

fn regularised(parts: usize) -> Finding {
    Finding::new(
        "regularised",
        Severity::Warning,
        Subject::Data,
        format!(
            "some items won (or lost) every comparison with the rest ({} such parts), so that the walk would end there: one win was added to both sides of every compared pair",
            group(parts as u64)
        ),
        "trust the order of these items, not their distance; `alpha` sets what is added",
    )
}
