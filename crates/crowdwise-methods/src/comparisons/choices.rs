//! Choices of the best of what is left, stage by stage: what rankings are made of.

use crate::comparisons::Comparisons;
use crowdwise_core::{Dataset, Rankings, Structure};
use crowdwise_numerics::Cholesky;

/// Rankings with weights, in the form in which they are counted.
pub(super) struct Choices {
    pub n_items: usize,
    items: Vec<u32>,
    /// (end of the ranked ones, end of those behind, weight) of every ranking.
    ends: Vec<(u32, u32, f64)>,
}

impl Choices {
    pub fn of_rankings(rankings: &Rankings) -> Choices {
        let mut out = Choices { n_items: rankings.n_items(), items: Vec::new(), ends: Vec::new() };
        (0..rankings.len()).for_each(|r| {
            let (ranked, behind) = rankings.ranking(r);
            out.push(ranked, behind, 1.0);
        });
        out
    }

    /// The rankings of a dataset; comparisons without any are rankings of two, and a tie is half of one each way. Also the
    /// number of ties, and of comparisons of an item with itself, which say nothing.
    pub fn of_data(data: &Dataset) -> (Choices, f64, u64) {
        if let Structure::Rankings(r) = &data.structure {
            return (Choices::of_rankings(r), 0.0, 0);
        }
        let all = Comparisons::new(&data.table, false);
        let mut out = Choices { n_items: all.n_items, items: Vec::new(), ends: Vec::new() };
        for p in &all.pairs {
            for (better, worse, wins) in [(p.left, p.right, p.left_wins), (p.right, p.left, p.right_wins)] {
                let weight = wins + 0.5 * p.ties;
                if weight > 0.0 {
                    out.push(&[better], &[worse], weight);
                }
            }
        }
        (out, all.ties, all.with_itself)
    }

    fn push(&mut self, ranked: &[u32], behind: &[u32], weight: f64) {
        self.items.extend_from_slice(ranked);
        let end = self.items.len() as u32;
        self.items.extend_from_slice(behind);
        self.ends.push((end, self.items.len() as u32, weight));
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Items of ranking `r`, the number of choices made in it (who is first, who of the rest, and so on), its weight.
    pub fn stages(&self, r: usize) -> (&[u32], usize, f64) {
        let start = if r == 0 { 0 } else { self.ends[r - 1].1 };
        let (ranked, end, weight) = self.ends[r];
        let all = &self.items[start as usize..end as usize];
        (all, ((ranked - start) as usize).min(all.len().saturating_sub(1)), weight)
    }
}

/// More items than this get intervals from their own information alone.
pub(super) const DENSE: usize = 1500;

/// Log-likelihood; its gradient is taken off `g`.
pub(super) fn log_likelihood(choices: &Choices, s: &[f64], g: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    let (mut weight, mut left) = (Vec::new(), Vec::new());
    for r in 0..choices.len() {
        let (all, stages, w) = choices.stages(r);
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
                sum += w * (s[i as usize] - top - left[k].ln());
                chances += w / left[k];
                g[i as usize] -= w;
            }
            g[i as usize] += weight[k] * chances;
        }
    }
    sum
}

/// Variances of centred scores from the information of all stages.
pub(super) fn variances(choices: &Choices, s: &[f64], ridge: f64, component: &[u32], n_components: usize) -> Vec<f64> {
    let n = s.len();
    let dense = n <= DENSE;
    let mut h = vec![0.0; if dense { n * n } else { n }];
    let at = |i: usize, j: usize| if dense { i * n + j } else { i };
    for r in 0..choices.len() {
        let (all, stages, w) = choices.stages(r);
        for k in 0..stages {
            let top = all[k..].iter().map(|&i| s[i as usize]).fold(f64::NEG_INFINITY, f64::max);
            let mut p: Vec<f64> = all[k..].iter().map(|&i| (s[i as usize] - top).exp()).collect();
            let sum: f64 = p.iter().sum();
            p.iter_mut().for_each(|p| *p /= sum);
            for (a, &i) in all[k..].iter().enumerate() {
                h[at(i as usize, i as usize)] += w * p[a] * (1.0 - p[a]);
                if dense {
                    for (b, &j) in all[k..].iter().enumerate().filter(|(b, _)| *b != a) {
                        h[i as usize * n + j as usize] -= w * p[a] * p[b];
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
pub(super) fn parts(choices: &Choices) -> (Vec<u32>, usize, usize) {
    let n = choices.n_items;
    // neighbours in a chain carry the whole order; the last ranked one stands before all behind it
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for r in 0..choices.len() {
        let (all, stages, _) = choices.stages(r);
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
    fn parts_are_told_apart() {
        let mut r = Rankings::new(6);
        r.push(&[0, 1, 2], &[]).unwrap();
        r.push(&[2], &[0, 1]).unwrap();
        r.push(&[3], &[4]).unwrap();
        // 0 > 1 > 2 > 0 is a cycle; 3 beat 4; nobody ranked 5
        let (component, n, strong) = parts(&Choices::of_rankings(&r));
        assert_eq!((component, n, strong), (vec![0, 0, 0, 1, 1, 2], 3, 4));
    }
}
