use super::bradley_terry::centred;
use super::dense::Cholesky;
use super::pairs::{Comparisons, with_itself};
use super::places::separated;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Finding, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Severity, Status, Step, Subject, Truth, group,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use special::Error as _;

/// Scores from a walk that moves from an item to one that beat it, as often as it was beaten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RankCentrality {
    /// Wins added to both sides of every compared pair. 0 is taken as 1, with a finding, where some items won or lost
    /// everything: the walk would never leave them.
    pub alpha: f64,
    /// Level of the intervals.
    pub level: f64,
    /// Components of up to this many items get intervals from the whole covariance; larger ones from each item's own
    /// comparisons alone.
    pub dense_items: usize,
    /// Most sweeps over the items.
    pub max_iter: usize,
    /// Stops when no score changes by more than this.
    pub tol: f64,
}

impl Default for RankCentrality {
    fn default() -> Self {
        RankCentrality { alpha: 1.0, level: 0.95, dense_items: 1000, max_iter: 10_000, tol: 1e-9 }
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
        capabilities: Capabilities {
            confusion: false,
            monotone: false,
            stochastic: false,
            gold: false,
            warm_start: false,
            likelihood: false,
        },
        references: &[Reference {
            text: "S. Negahban, S. Oh and D. Shah, Rank centrality: ranking from pairwise comparisons, Operations Research 65(1), 2017",
            doi: Some("10.1287/opre.2016.1534"),
        }],
        status: Status::Stable,
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("alpha", self.alpha, 0.0);
        problems.between("level", self.level, 0.0, 1.0);
        problems.count("max_iter", self.max_iter);
        problems.positive("tol", self.tol);
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
        let variance = cx.install(|| walk.variances(&p, &component, n_components, self.dense_items))?;
        let z = std::f64::consts::SQRT_2 * self.level.inv_error();
        let interval: Vec<[f64; 2]> =
            score.iter().zip(&variance).map(|(s, v)| [s - z * v.sqrt(), s + z * v.sqrt()]).collect();
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

    /// Variances of centred ln p if wins are independent and the walk is reversible, as it is in a Bradley-Terry world:
    /// with the flows q_ij = p_i rate(i, j), ln p moves by L⁻¹ of the change of the balance, L the Laplacian of the flows.
    fn variances(&self, p: &[f64], component: &[u32], n_components: usize, dense_items: usize) -> Vec<f64> {
        let mut out = vec![0.0; p.len()];
        for items in members(component, n_components) {
            // sizes of p in one component may be anything: the middle one is 1
            let unit = items.iter().map(|&i| p[i].ln()).sum::<f64>() / items.len() as f64;
            let at = |i: usize| (p[i].ln() - unit).exp();
            if items.len() == 1 {
                continue;
            }
            let exact = items.len() <= dense_items && self.exact(&items, &at, &mut out);
            if !exact {
                for &i in &items {
                    let (mut flow, mut noise) = (0.0, 0.0);
                    for &(j, to, from, n) in self.of(i) {
                        let (pi, pj) = (at(i), at(j as usize));
                        flow += 0.5 * (pi * from + pj * to);
                        noise += (pi + pj).powi(2) * self.noise(to, n);
                    }
                    out[i] = noise / (flow * flow);
                }
            }
        }
        out
    }

    /// Variance of a share of wins with pseudo wins.
    fn noise(&self, share: f64, n: f64) -> f64 {
        share * (1.0 - share) * n / (n + 2.0 * self.alpha).powi(2)
    }

    /// False if the flows are too unequal for the numbers.
    fn exact(&self, items: &[usize], at: &dyn Fn(usize) -> f64, out: &mut [f64]) -> bool {
        let m = items.len();
        let place: std::collections::HashMap<usize, usize> = items.iter().enumerate().map(|(a, &i)| (i, a)).collect();
        let mut h = vec![0.0; m * m];
        let mut edges: Vec<(usize, usize, f64)> = Vec::new();
        for (a, &i) in items.iter().enumerate() {
            for &(j, to, from, n) in self.of(i) {
                let b = place[&(j as usize)];
                let flow = 0.5 * (at(i) * from + at(j as usize) * to);
                h[a * m + a] += flow;
                if b < a {
                    h[a * m + b] -= flow;
                    edges.push((a, b, (at(i) + at(j as usize)).powi(2) * self.noise(to, n)));
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
