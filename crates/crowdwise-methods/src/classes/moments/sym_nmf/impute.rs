//! Co-occurrences of two annotators who share no item, from those with third and fourth ones: with S_mj = A_m D A_jᵀ,
//! S_mj = S_mb S_ab⁻¹ S_aj for any a and b whose blocks are known and regular. The block of an annotator with itself,
//! which no data shows, follows in the same way.

use super::super::labels::Labels;
use super::super::pairs::Pairs;
use crowdwise_core::{Context, Error};
use crowdwise_numerics::Matrix;
use rayon::prelude::*;

/// Choices of (a, b) that are averaged for one block.
const CHOICES: usize = 10;
/// Neighbours of each side that are tried, those with the most common items first.
const TRIED: usize = 10;
/// Entries of all imputed blocks: above this only blocks between the annotators with the most labels are imputed.
const MOST_ENTRIES: usize = 4_000_000;

/// Imputed blocks by place.
#[derive(Default)]
pub(super) struct Imputed {
    /// Blocks of place p: `of[starts[p]..starts[p + 1]]`, (other place, block K x K, row = own class).
    starts: Vec<usize>,
    of: Vec<(u32, Vec<f64>)>,
    blocks: usize,
}

impl Imputed {
    pub fn of(labels: &Labels, pairs: &Pairs, used: &[bool], cx: &mut Context<'_>) -> Result<Imputed, Error> {
        let (k, places) = (pairs.k, used.len());
        let mut who: Vec<usize> = (0..places).filter(|&p| used[p]).collect();
        let most = ((2 * MOST_ENTRIES / (k * k)) as f64).sqrt() as usize;
        if who.len() > most {
            who.sort_by_key(|&p| (std::cmp::Reverse(labels.of(p).len()), p));
            who.truncate(most);
            who.sort_unstable();
        }
        let near: Vec<Vec<(u32, u32)>> =
            cx.install(|| (0..places).into_par_iter().map(|p| best(pairs, used, p)).collect())?;
        let known = |m: usize, j: usize| pairs.near(m).binary_search_by_key(&(j as u32), |n| n.0).is_ok();
        let missing: Vec<(usize, usize)> = who
            .iter()
            .enumerate()
            .flat_map(|(x, &m)| who[x..].iter().map(move |&j| (m, j)))
            .filter(|&(m, j)| !known(m, j))
            .collect();
        let found: Vec<(usize, usize, Vec<f64>)> = cx.install(|| {
            let one = |(m, j): (usize, usize)| block(pairs, &near, m, j).map(|b| (m, j, b));
            missing.into_par_iter().filter_map(one).collect()
        })?;
        let blocks = found.len();
        let mut by: Vec<Vec<(u32, Vec<f64>)>> = vec![Vec::new(); places];
        for (m, j, b) in found {
            if m != j {
                let turned = (0..k * k).map(|x| b[(x % k) * k + x / k]).collect();
                by[j].push((m as u32, turned));
            }
            by[m].push((j as u32, b));
        }
        let mut out = Imputed { starts: vec![0], of: Vec::new(), blocks };
        for own in by {
            out.of.extend(own);
            out.starts.push(out.of.len());
        }
        Ok(out)
    }

    /// Number of blocks, a pair counted once.
    pub fn len(&self) -> usize {
        self.blocks
    }

    /// (place, other place not before it, block).
    #[cfg(test)]
    pub fn blocks(&self) -> Vec<(usize, usize, Vec<f64>)> {
        let of = |p: usize| {
            self.of[self.starts[p]..self.starts[p + 1]].iter().map(move |(o, b)| (p, *o as usize, b.clone()))
        };
        (0..self.starts.len() - 1).flat_map(of).filter(|x| x.0 <= x.1).collect()
    }

    /// Adds the products of the blocks of place `p` with `x` (places x K).
    pub fn apply(&self, p: usize, k: usize, x: &[f64], row: &mut [f64]) {
        if self.starts.is_empty() {
            return;
        }
        for (other, b) in &self.of[self.starts[p]..self.starts[p + 1]] {
            let from = &x[*other as usize * k..(*other as usize + 1) * k];
            row.iter_mut().zip(b.chunks_exact(k)).for_each(|(y, r)| *y += crowdwise_numerics::dot(r, from));
        }
    }
}

/// The neighbours of a place that share the most items with it, of those with regular blocks.
fn best(pairs: &Pairs, used: &[bool], p: usize) -> Vec<(u32, u32)> {
    let mut near: Vec<(u32, u32)> = pairs.near(p).iter().copied().filter(|n| used[n.0 as usize]).collect();
    near.sort_by_key(|n| (std::cmp::Reverse(pairs.all[n.1 as usize].n), n.0));
    let mut scratch = Vec::new();
    let regular = near.into_iter().filter(|n| pairs.rank(n.1 as usize, pairs.k, &mut scratch) == pairs.k);
    regular.take(TRIED).collect()
}

/// The block of places m and j: the mean over choices of (a, b), each counted by the smallest of its three overlaps.
fn block(pairs: &Pairs, near: &[Vec<(u32, u32)>], m: usize, j: usize) -> Option<Vec<f64>> {
    let k = pairs.k;
    let mut choices: Vec<(u32, [(usize, usize); 3])> = Vec::new();
    for &(a, aj) in &near[j] {
        for &(b, mb) in &near[m] {
            if a == b || a as usize == m || b as usize == j {
                continue;
            }
            let Some(&(_, ab)) = near[a as usize].iter().find(|n| n.0 == b) else { continue };
            let n = [mb, ab, aj].iter().map(|&x| pairs.all[x as usize].n).min()?;
            choices.push((n, [(m, mb as usize), (a as usize, ab as usize), (a as usize, aj as usize)]));
        }
    }
    choices.sort_by_key(|c| std::cmp::Reverse(c.0));
    let mut sum = vec![0.0; k * k];
    let mut total = 0.0;
    for (n, [mb, ab, aj]) in choices.into_iter().take(CHOICES) {
        let of = |(place, x): (usize, usize)| {
            let mut dense = vec![0.0; k * k];
            pairs.block(place, x, &mut dense);
            Matrix::new(k, k, dense)
        };
        if let Some(product) = of(ab).solve(&of(aj)) {
            let product = of(mb).times(&product);
            let w = n as f64;
            sum.iter_mut().zip(product.values()).for_each(|(s, x)| *s += w * x);
            total += w;
        }
    }
    if total == 0.0 {
        return None;
    }
    let cut: Vec<f64> = sum.iter().map(|x| x.max(0.0)).collect();
    let all: f64 = cut.iter().sum();
    (all > 0.0 && all.is_finite()).then(|| cut.iter().map(|x| x / all).collect())
}
