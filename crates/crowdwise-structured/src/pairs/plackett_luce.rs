//! Scores from rankings of several items, whole or only their top: Plackett and Luce's model. Tables hold pairs, so this
//! is for Rust programs only; a table of pairs is `bradley-terry`, which is the same model for two.

use crowdwise_core::{BadRow, Error, Finding, Severity, Subject};
use crowdwise_methods::optimise::Search;
use crowdwise_methods::preference::{Cholesky, centred};
use special::Error as _;

/// Rankings, best first; items behind the ranked ones are known to be worse than all of them, in no order.
#[derive(Clone, Debug, Default)]
pub struct Rankings {
    n_items: usize,
    /// Items of all rankings, one after the other.
    items: Vec<u32>,
    /// (end of the ranked ones, end of those behind) of every ranking.
    ends: Vec<(u32, u32)>,
}

impl Rankings {
    pub fn new(n_items: usize) -> Rankings {
        Rankings { n_items, ..Rankings::default() }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a ranking: `best_first` in order, `behind` worse than all of these. The winner of a set is one ranked item
    /// with the others behind it. An item that does not exist or stands twice is an error, and nothing is added.
    pub fn push(&mut self, best_first: &[u32], behind: &[u32]) -> Result<(), Error> {
        let mut all: Vec<u32> = best_first.iter().chain(behind).copied().collect();
        let number = self.ends.len() as u64 + 1;
        let mut bad = Vec::new();
        if let Some(i) = all.iter().find(|&&i| i as usize >= self.n_items) {
            bad.push(BadRow { line: number, what: format!("there is no item {i}, only {}", self.n_items) });
        }
        all.sort_unstable();
        if let Some([twice, _]) = all.windows(2).find(|w| w[0] == w[1]) {
            bad.push(BadRow { line: number, what: format!("item {twice} stands there twice") });
        }
        if !bad.is_empty() {
            return Err(Error::BadRows { file: "the rankings".into(), bad: 1, total: number, examples: bad });
        }
        self.items.extend_from_slice(best_first);
        let ranked = self.items.len() as u32;
        self.items.extend_from_slice(behind);
        self.ends.push((ranked, self.items.len() as u32));
        Ok(())
    }

    /// Items of ranking `r` and the number of choices made in it: who is first, who of the rest, and so on.
    fn stages(&self, r: usize) -> (&[u32], usize) {
        let start = if r == 0 { 0 } else { self.ends[r - 1].1 };
        let (ranked, end) = self.ends[r];
        let all = &self.items[start as usize..end as usize];
        (all, ((ranked - start) as usize).min(all.len().saturating_sub(1)))
    }
}

/// How scores are estimated from rankings.
#[derive(Clone, Debug, PartialEq)]
pub struct PlackettLuce {
    /// Pull of the scores towards 0 (weight of half their sum of squares). 0 = maximum likelihood; where that is infinite,
    /// 0.01 is used and a finding says so.
    pub ridge: f64,
    /// Level of the intervals.
    pub level: f64,
    /// Most steps of the optimiser.
    pub max_iter: usize,
    /// Stops when no score would move by more than this in a scaled gradient step.
    pub tol: f64,
}

impl Default for PlackettLuce {
    fn default() -> Self {
        PlackettLuce { ridge: 0.01, level: 0.95, max_iter: 2000, tol: 1e-9 }
    }
}

/// Scores with their intervals, mean 0 in every component.
#[derive(Clone, Debug)]
pub struct Ranked {
    pub score: Vec<f64>,
    pub interval: Vec<[f64; 2]>,
    pub component: Vec<u32>,
    pub log_likelihood: f64,
    pub converged: bool,
    pub findings: Vec<Finding>,
}

/// More items than this get intervals from their own information alone.
const DENSE: usize = 1500;

impl PlackettLuce {
    pub fn fit(&self, rankings: &Rankings) -> Result<Ranked, Error> {
        if rankings.items.is_empty() {
            return Err(Error::NoData { file: "the rankings".into(), what: "are empty".into(), hint: None });
        }
        let n = rankings.n_items;
        let (component, n_components, strong) = parts(rankings);
        let (mut ridge, mut findings) = (self.ridge, Vec::new());
        if strong > n_components {
            let fallback = ridge == 0.0;
            ridge = if fallback { 0.01 } else { ridge };
            let what = if fallback { "; a pull towards 0 of 0.01 was used" } else { "" };
            findings.push(Finding::new(
                if fallback { "regularised" } else { "infinite-scores" },
                Severity::Warning,
                Subject::Data,
                format!("some items were always ranked before (or behind) the rest, so their best-fitting scores are infinite{what}"),
                "their scores are finite only through `ridge`: trust their order, not their distance",
            ));
        }
        let f = |s: &[f64], g: &mut [f64]| {
            let mut sum = 0.0;
            for (g, s) in g.iter_mut().zip(s) {
                *g = ridge * s;
                sum += 0.5 * ridge * s * s;
            }
            sum - log_likelihood(rankings, s, g)
        };
        let mut h = vec![ridge.max(1e-9); n];
        for r in 0..rankings.len() {
            let (all, stages) = rankings.stages(r);
            for k in 0..stages {
                let share = 1.0 / (all.len() - k) as f64;
                all[k..].iter().for_each(|&i| h[i as usize] += share * (1.0 - share));
            }
        }
        let scale: Vec<f64> = h.iter().map(|h| 1.0 / h).collect();
        let mut search = Search::new(vec![0.0; n], 12, f);
        let mut converged = false;
        for _ in 0..self.max_iter {
            if search.distance(&scale) <= self.tol || !search.step(&scale, f) {
                converged = true;
                break;
            }
        }
        let x = search.x;
        let score = centred(&x, &component, n_components);
        let variance = variances(rankings, &x, ridge, &component, n_components);
        let z = std::f64::consts::SQRT_2 * self.level.inv_error();
        let interval = score.iter().zip(variance).map(|(s, v)| [s - z * v.sqrt(), s + z * v.sqrt()]).collect();
        let log_likelihood = log_likelihood(rankings, &x, &mut vec![0.0; n]);
        Ok(Ranked { score, interval, component, log_likelihood, converged, findings })
    }
}

/// Log-likelihood; its gradient is taken off `g`.
fn log_likelihood(rankings: &Rankings, s: &[f64], g: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    let (mut weight, mut left) = (Vec::new(), Vec::new());
    for r in 0..rankings.len() {
        let (all, stages) = rankings.stages(r);
        let top = all.iter().map(|&i| s[i as usize]).fold(f64::NEG_INFINITY, f64::max);
        weight.clear();
        weight.extend(all.iter().map(|&i| (s[i as usize] - top).exp()));
        // sum of the weights from every place on
        left.clear();
        left.resize(all.len(), 0.0);
        let mut rest = 0.0;
        for k in (0..all.len()).rev() {
            rest += weight[k];
            left[k] = rest;
        }
        let mut chances = 0.0;
        for (k, &i) in all.iter().enumerate() {
            if k < stages {
                sum += s[i as usize] - top - left[k].ln();
                chances += 1.0 / left[k];
                g[i as usize] -= 1.0;
            }
            g[i as usize] += weight[k] * chances;
        }
    }
    sum
}

/// Variances of centred scores from the information of all stages.
fn variances(rankings: &Rankings, s: &[f64], ridge: f64, component: &[u32], n_components: usize) -> Vec<f64> {
    let n = s.len();
    let dense = n <= DENSE;
    let mut h = vec![0.0; if dense { n * n } else { n }];
    let at = |i: usize, j: usize| if dense { i * n + j } else { i };
    for r in 0..rankings.len() {
        let (all, stages) = rankings.stages(r);
        for k in 0..stages {
            let top = all[k..].iter().map(|&i| s[i as usize]).fold(f64::NEG_INFINITY, f64::max);
            let mut p: Vec<f64> = all[k..].iter().map(|&i| (s[i as usize] - top).exp()).collect();
            let sum: f64 = p.iter().sum();
            p.iter_mut().for_each(|p| *p /= sum);
            for (a, &i) in all[k..].iter().enumerate() {
                h[at(i as usize, i as usize)] += p[a] * (1.0 - p[a]);
                if dense {
                    for (b, &j) in all[k..].iter().enumerate().filter(|(b, _)| *b != a) {
                        h[i as usize * n + j as usize] -= p[a] * p[b];
                    }
                }
            }
        }
    }
    if dense {
        let mean = (0..n).map(|i| h[i * n + i]).sum::<f64>() / (n * n) as f64;
        for i in 0..n {
            h[i * n + i] += ridge;
            for j in 0..n {
                if component[i] == component[j] {
                    h[i * n + j] += mean.max(f64::MIN_POSITIVE);
                }
            }
        }
        if let Some(factor) = Cholesky::new(n, h.clone()) {
            let mut out = factor.inverse_diagonal();
            for c in 0..n_components as u32 {
                let mut ones: Vec<f64> = component.iter().map(|&k| f64::from(u8::from(k == c))).collect();
                let size: f64 = ones.iter().sum();
                factor.solve(&mut ones);
                let own = || (0..n).filter(|&i| component[i] == c);
                let total: f64 = own().map(|i| ones[i]).sum();
                own().for_each(|i| out[i] = (out[i] - 2.0 * ones[i] / size + total / (size * size)).max(0.0));
            }
            return out;
        }
        return (0..n).map(|i| 1.0 / h[i * n + i].max(1e-12)).collect();
    }
    h.iter().map(|h| 1.0 / (h + ridge).max(1e-12)).collect()
}

/// Connected parts of the items, numbered by first item, and the number of strongly connected parts of "ranked before".
/// A ranking connects all its items; its ranked ones form a chain to those behind.
fn parts(rankings: &Rankings) -> (Vec<u32>, usize, usize) {
    let n = rankings.n_items;
    // neighbours in a chain carry the whole order; the last ranked one stands before all behind it
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for r in 0..rankings.len() {
        let (all, stages) = rankings.stages(r);
        for k in 0..stages {
            let last = k + 1 == stages;
            all[k + 1..].iter().take(if last { all.len() } else { 1 }).for_each(|&j| edges.push((all[k], j)));
        }
    }
    let mut parent: Vec<u32> = (0..n as u32).collect();
    fn root(parent: &mut [u32], mut x: u32) -> u32 {
        while parent[x as usize] != x {
            parent[x as usize] = parent[parent[x as usize] as usize];
            x = parent[x as usize];
        }
        x
    }
    for &(a, b) in &edges {
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        parent[a.max(b) as usize] = a.min(b);
    }
    let mut number = vec![u32::MAX; n];
    let mut component = vec![0; n];
    let mut found = 0;
    for i in 0..n as u32 {
        let r = root(&mut parent, i) as usize;
        if number[r] == u32::MAX {
            number[r] = found;
            found += 1;
        }
        component[i as usize] = number[r];
    }
    (component, found as usize, strong(n, &edges))
}

/// Number of strongly connected parts (Kosaraju: order by finishing, then backwards).
fn strong(n: usize, edges: &[(u32, u32)]) -> usize {
    let lists = |back: bool| {
        let mut out: Vec<Vec<u32>> = vec![Vec::new(); n];
        edges.iter().for_each(|&(a, b)| if back { out[b as usize].push(a) } else { out[a as usize].push(b) });
        out
    };
    let (forth, back) = (lists(false), lists(true));
    let mut seen = vec![false; n];
    let mut finished = Vec::with_capacity(n);
    for start in 0..n {
        let mut stack = vec![(start, 0)];
        while let Some((v, at)) = stack.pop() {
            if at == 0 {
                if seen[v] {
                    continue;
                }
                seen[v] = true;
            }
            match forth[v].get(at) {
                Some(&w) => {
                    stack.push((v, at + 1));
                    if !seen[w as usize] {
                        stack.push((w as usize, 0));
                    }
                }
                None => finished.push(v),
            }
        }
    }
    let mut count = 0;
    seen.fill(false);
    for &start in finished.iter().rev() {
        if seen[start] {
            continue;
        }
        count += 1;
        let mut stack = vec![start];
        seen[start] = true;
        while let Some(v) = stack.pop() {
            for &w in &back[v] {
                if !std::mem::replace(&mut seen[w as usize], true) {
                    stack.push(w as usize);
                }
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_that_stand_twice_or_do_not_exist_are_refused() {
        let mut r = Rankings::new(3);
        let e = r.push(&[0, 7], &[0]).unwrap_err().to_string();
        assert!(e.contains("no item 7") && e.contains("item 0 stands there twice"), "{e}");
        assert!(r.is_empty() && PlackettLuce::default().fit(&r).is_err());
    }

    #[test]
    fn parts_are_told_apart() {
        let mut r = Rankings::new(6);
        r.push(&[0, 1, 2], &[]).unwrap();
        r.push(&[2], &[0, 1]).unwrap();
        r.push(&[3], &[4]).unwrap();
        // 0 > 1 > 2 > 0 is a cycle; 3 beat 4; nobody ranked 5
        let (component, n, strong) = parts(&r);
        assert_eq!((component, n, strong), (vec![0, 0, 0, 1, 1, 2], 3, 4));
        let f = PlackettLuce { ridge: 0.0, ..PlackettLuce::default() }.fit(&r).unwrap();
        assert!(f.findings.iter().any(|f| f.code == "regularised"));
        assert!(f.score.iter().all(|s| s.is_finite()) && f.score[3] > f.score[4]);
    }
}
