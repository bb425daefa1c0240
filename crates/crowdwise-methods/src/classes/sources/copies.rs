//! Sources that vote for one class on the same items, and so say one thing several times.

use super::votes::Votes;
use crowdwise_core::Error;

/// Who belongs together.
pub(super) struct NearCopies {
    /// 1 / size of the cluster of near-copies that a source belongs to.
    pub weight: Vec<f64>,
    /// Cluster of every indicator.
    pub cluster: Vec<u32>,
}

/// Clusters: indicators of one label, linked when their phi correlation is above the threshold. 1: nobody is linked. With `one_class`,
/// only sources that have no other label: good annotators of several classes agree without being copies.
pub(super) fn near_copies(votes: &Votes, threshold: f64, one_class: bool) -> Result<NearCopies, Error> {
    let mut weight = vec![1.0; votes.sources];
    let mut root: Vec<u32> = (0..votes.indicators() as u32).collect();
    if threshold >= 1.0 {
        return Ok(NearCopies { weight, cluster: root });
    }
    let mut labels = vec![0u32; votes.sources];
    votes.source.iter().for_each(|&m| labels[m as usize] += 1);
    let may = |j: u32| !one_class || labels[votes.source[j as usize] as usize] == 1;
    let (pairs, seen) = votes.pairs(|a, b| votes.label[a as usize] == votes.label[b as usize] && may(a) && may(b))?;
    let n = seen as f64;
    // marginal counts on the items that were looked at; all of them, unless there are too many pairs
    let share = n / votes.items as f64;
    for (a, b, both) in pairs {
        let (x, y) = (votes.fires[a as usize] as f64 * share, votes.fires[b as usize] as f64 * share);
        let spread = (x * (n - x) * y * (n - y)).sqrt();
        if spread > 0.0 && (both as f64 * n - x * y) / spread > threshold {
            let (a, b) = (find(&mut root, a), find(&mut root, b));
            root[a.max(b) as usize] = a.min(b);
        }
    }
    let mut size = vec![0u32; root.len()];
    let cluster: Vec<u32> = (0..root.len() as u32).map(|j| find(&mut root, j)).collect();
    cluster.iter().for_each(|&r| size[r as usize] += 1);
    for (j, &r) in cluster.iter().enumerate() {
        let w = &mut weight[votes.source[j] as usize];
        *w = w.min(1.0 / size[r as usize] as f64);
    }
    Ok(NearCopies { weight, cluster })
}

fn find(root: &mut [u32], mut at: u32) -> u32 {
    while root[at as usize] != at {
        root[at as usize] = root[root[at as usize] as usize];
        at = root[at as usize];
    }
    at
}
