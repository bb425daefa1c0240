//! Confusion matrices by annotator and group of items, each drawn towards that of the annotator on all items.

use crowdwise_core::Dataset;

/// Confusion matrices of annotators on groups of items, and class shares of the groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouped {
    pub k: usize,
    pub groups: usize,
    /// P(says l | truth t) on all items, annotators x truth x label.
    pub pooled: Vec<f64>,
    /// The same by group, annotators x group x truth x label.
    pub by_group: Vec<f64>,
    /// Class shares of all items.
    pub share: Vec<f64>,
    /// Class shares of each group, drawn towards those of all.
    pub shares: Vec<f64>,
}

/// Items of the overall class shares that are added to those of a group.
const SHARE_PULL: f64 = 5.0;

/// The group of every item; those of which none is known have the number after the last group.
pub(super) fn groups(data: &Dataset) -> (usize, Vec<usize>) {
    let known = data.attribute.as_ref().map_or(0, |a| a.groups.len());
    let group = |i| data.attribute.as_ref().and_then(|a| a.group(i)).unwrap_or(known);
    (known, (0..data.table.n_units()).map(group).collect())
}

impl Grouped {
    /// Counted under a posterior of the units: `alpha` is added to every cell of the counts of a group and of the pooled counts,
    /// and `kappa` times the pooled row to every row of a group. `beta` is added to every class count.
    pub fn count(data: &Dataset, posterior: &[f64], alpha: f64, beta: f64, kappa: f64) -> Grouped {
        let table = &data.table;
        let labels = table.categorical().expect("the kind was checked");
        let (k, m) = (labels.k(), table.n_annotators());
        let (groups, of) = groups(data);
        let size = k * k;
        let mut by_group = vec![0.0; m * groups * size];
        let mut pooled = vec![0.0; m * size];
        let (mut share, mut shares, mut items) = (vec![0.0; k], vec![0.0; groups * k], vec![0.0; groups]);
        for (u, row) in posterior.chunks_exact(k).enumerate().filter(|(u, _)| table.degree(*u) > 0) {
            let g = of[u];
            share.iter_mut().zip(row).for_each(|(s, q)| *s += q);
            if g < groups {
                shares[g * k..][..k].iter_mut().zip(row).for_each(|(s, q)| *s += q);
                items[g] += 1.0;
            }
            for r in table.rows(u) {
                let (j, l) = (table.annotator()[r] as usize, labels.codes.get(r));
                row.iter().enumerate().for_each(|(t, q)| pooled[j * size + t * k + l] += q);
                if g < groups {
                    let at = (j * groups + g) * size + l;
                    row.iter().enumerate().for_each(|(t, q)| by_group[at + t * k] += q);
                }
            }
        }
        pooled.chunks_exact_mut(k).for_each(|row| normalise(row, |_, n| n + alpha));
        for (x, matrix) in by_group.chunks_exact_mut(size).enumerate() {
            let own = &pooled[x / groups * size..][..size];
            for (row, pull) in matrix.chunks_exact_mut(k).zip(own.chunks_exact(k)) {
                normalise(row, |l, n| n + alpha + kappa * pull[l]);
            }
        }
        normalise(&mut share, |_, n| n + beta);
        for (row, n) in shares.chunks_exact_mut(k).zip(items) {
            row.iter_mut().zip(&share).for_each(|(s, d)| *s = (*s + SHARE_PULL * d) / (n + SHARE_PULL));
        }
        Grouped { k, groups, pooled, by_group, share, shares }
    }

    /// Matrix of annotator `j` on items of group `g`, that on all items where the group is not known.
    pub fn matrix(&self, j: usize, g: usize) -> &[f64] {
        let size = self.k * self.k;
        if g < self.groups {
            &self.by_group[(j * self.groups + g) * size..][..size]
        } else {
            &self.pooled[j * size..][..size]
        }
    }

    /// Class shares of group `g`, of all items where the group is not known.
    pub fn prior(&self, g: usize) -> &[f64] {
        if g < self.groups { &self.shares[g * self.k..][..self.k] } else { &self.share }
    }
}

/// Turns counts into shares; a row of nothing becomes even.
fn normalise(row: &mut [f64], with: impl Fn(usize, f64) -> f64) {
    row.iter_mut().enumerate().for_each(|(l, x)| *x = with(l, *x));
    let (sum, n) = (row.iter().sum::<f64>(), row.len() as f64);
    row.iter_mut().for_each(|x| *x = if sum > 0.0 { *x / sum } else { 1.0 / n });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{Attribute, LabelKind, TableBuilder};

    #[test]
    fn matrices_of_groups_are_drawn_towards_the_pooled_one() {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        // truth 0 throughout; group x: said 0 0 0 1, group y: said 1 1, no group: said 0
        for (i, l) in [0, 0, 0, 1, 1, 1, 0].into_iter().enumerate() {
            b.label(&format!("i{i}"), "a", &l.to_string()).unwrap();
        }
        let mut data = Dataset::new(b.finish().unwrap());
        data.attribute = Some(Attribute::new([Some("x"); 4].into_iter().chain([Some("y"); 2]).chain([None])));
        let g = Grouped::count(&data, &[1.0, 0.0].repeat(7), 0.5, 1.0, 10.0);
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} {b}"));
        let pooled = [4.5 / 8.0, 3.5 / 8.0];
        close(&g.matrix(0, 2)[..2], &pooled);
        close(&g.matrix(0, 0)[..2], &[(3.5 + 10.0 * pooled[0]) / 15.0, (1.5 + 10.0 * pooled[1]) / 15.0]);
        close(&g.matrix(0, 1)[..2], &[(0.5 + 10.0 * pooled[0]) / 13.0, (2.5 + 10.0 * pooled[1]) / 13.0]);
        // nothing is known of truth 1
        close(&g.matrix(0, 1)[2..], &[0.5, 0.5]);
        close(&g.share, &[8.0 / 9.0, 1.0 / 9.0]);
        close(g.prior(1), &[(2.0 + 5.0 * 8.0 / 9.0) / 7.0, (5.0 / 9.0) / 7.0]);
        close(g.prior(2), &g.share);
    }
}
