//! Groups of annotators who depend on each other: by a test, or by spectral clustering of their correlations.

use super::affinity::Affinity;
use super::k_means::k_means;
use crowdwise_core::voices::{Schools, schools_in};
use crowdwise_core::{Categorical, Context, Dataset, Error, Problems, Table};
use crowdwise_numerics::{Leading, Pairs};
use serde::Serialize;
use std::collections::BTreeMap;

/// Who belongs together. Annotators of no group are on their own.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Groups {
    /// Annotators of each group, in increasing order; the group of the first annotator comes first.
    pub members: Vec<Vec<u32>>,
    /// Mean correlation of two members in saying the same, where any two have common items.
    pub correlation: Vec<Option<f64>>,
    /// Leading eigenvalues of the normalised affinity of the largest part: the number of groups shows as a gap.
    pub eigenvalues: Vec<f64>,
    /// Annotators that were looked at, and of how many.
    pub looked_at: usize,
    pub annotators: usize,
    /// They were not found but are known.
    pub given: bool,
    /// What the test for dependence found, where it was asked: also where nobody counts as a group.
    pub schools: Option<Schools>,
}

/// How groups come about: by who is known to belong together, else by a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a> {
    pub members: &'a BTreeMap<String, String>,
    pub groups: Option<usize>,
    pub max_groups: usize,
    pub min_common: usize,
}

impl Search<'_> {
    pub fn run(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Groups, Error> {
        let labels = data.table.categorical().expect("the kind was checked");
        match self.groups {
            _ if !self.members.is_empty() => Groups::known(&labels, self.members, self.min_common),
            Some(n) => Ok(Groups::detect(&labels, Some(n), self.max_groups, self.min_common)),
            None => Ok(Groups::tested(data, cx, &labels, self.max_groups, self.min_common)),
        }
    }

    pub fn check(&self, p: &mut Problems) {
        if let Some(g) = self.groups {
            p.require((1..=1000).contains(&g), "groups", g, "from 1 to 1000");
            p.require(self.members.is_empty(), "groups", g, "left out where `members` says who belongs together");
        }
        p.require((1..=100).contains(&self.max_groups), "max_groups", self.max_groups, "from 1 to 100");
        p.require(self.min_common >= 2, "min_common", self.min_common, "at least 2");
    }
}

/// Parts of fewer annotators have no groups.
const LEAST: usize = 4;
/// Eigenvalues below this are noise, however small the next one is.
const FLOOR: f64 = 0.02;

impl Groups {
    /// Groups of annotators who depend on each other given the class. A test against independence says whether there are any; who
    /// belongs together is the result of spectral clustering, which sees the coarser groups that schools make, or what the test found
    /// where that sees none. None where two schools of like size leave open who is right.
    pub fn tested(
        data: &Dataset,
        cx: &mut Context<'_>,
        labels: &Categorical<'_>,
        most: usize,
        min_common: usize,
    ) -> Groups {
        let n = data.table.n_annotators();
        let schools = schools_in(data, cx);
        let mut out = Groups { looked_at: n, annotators: n, ..Groups::default() };
        let open = |s: &Schools| s.alone == 0 && s.list.len() == 2 && s.count_once().is_none();
        if schools.as_ref().is_some_and(|s| !open(s)) {
            out = Groups::detect(labels, None, most, min_common);
        }
        if out.members.is_empty() {
            for members in schools.iter().filter_map(Schools::count_once).flatten() {
                let own = schools.iter().flat_map(|s| &s.list).find(|s| s.members == members);
                out.members.push(members.to_vec());
                out.correlation.push(own.map(|s| s.kappa));
            }
        }
        out.schools = schools;
        out
    }

    /// Groups by spectral clustering, whether or not anybody depends on anybody. `wanted`: so many in every connected part, else as many as the largest gap between eigenvalues says, at
    /// most `most`. Pairs with fewer than `min_common` common items are not compared.
    pub fn detect(labels: &Categorical<'_>, wanted: Option<usize>, most: usize, min_common: usize) -> Groups {
        let affinity = Affinity::new(labels, min_common);
        let mut out =
            Groups { looked_at: affinity.who.len(), annotators: labels.table.n_annotators(), ..Groups::default() };
        let mut largest = 0;
        for part in affinity.parts() {
            if part.len() < LEAST {
                continue;
            }
            let (clusters, values) = cluster(&affinity, &part, wanted, most);
            if part.len() > largest {
                largest = part.len();
                out.eigenvalues = values;
            }
            for places in clusters {
                out.correlation.push(inside(&affinity, &places));
                out.members.push(places.iter().map(|&p| affinity.who[p as usize]).collect());
            }
        }
        let mut order: Vec<usize> = (0..out.members.len()).collect();
        order.sort_by_key(|&g| out.members[g][0]);
        out.correlation = order.iter().map(|&g| out.correlation[g]).collect();
        out.members = order.iter().map(|&g| std::mem::take(&mut out.members[g])).collect();
        out
    }

    /// Groups that are known: the group of annotators, by their names. Annotators without a group, and those whose group has
    /// no other member here, are on their own.
    pub fn known(labels: &Categorical<'_>, of: &BTreeMap<String, String>, min_common: usize) -> Result<Groups, Error> {
        let mut names = labels.table.annotators().clone();
        names.thaw();
        let mut problems = Problems::default();
        let mut members: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (name, own) in of {
            match names.get(name) {
                Some(j) => members.entry(own).or_default().push(j),
                None => problems.require(
                    false,
                    "members",
                    format!("given for `{name}`"),
                    "given for annotators of the data only",
                ),
            }
        }
        Error::all(problems.0)?;
        let mut members: Vec<Vec<u32>> = members.into_values().filter(|m| m.len() > 1).collect();
        members.iter_mut().for_each(|m| m.sort_unstable());
        members.sort_by_key(|m| m[0]);
        let affinity = Affinity::new(labels, min_common);
        let mut place = vec![None; labels.table.n_annotators()];
        affinity.who.iter().enumerate().for_each(|(p, &j)| place[j as usize] = Some(p as u32));
        let correlation = members.iter().map(|m| {
            let mut places: Vec<u32> = m.iter().filter_map(|&j| place[j as usize]).collect();
            places.sort_unstable();
            inside(&affinity, &places)
        });
        Ok(Groups {
            correlation: correlation.collect(),
            // nothing was searched
            looked_at: labels.table.n_annotators(),
            annotators: labels.table.n_annotators(),
            members,
            given: true,
            ..Groups::default()
        })
    }

    /// The group of every annotator.
    pub fn of_annotators(&self, table: &Table) -> Vec<Option<u32>> {
        let mut out = vec![None; table.n_annotators()];
        for (g, members) in self.members.iter().enumerate() {
            members.iter().for_each(|&j| out[j as usize] = Some(g as u32));
        }
        out
    }
}

/// Groups of one part with two members or more, and the leading eigenvalues. Nothing if the part is one group: then nobody
/// depends on anybody more than on the truth.
fn cluster(affinity: &Affinity, part: &[u32], wanted: Option<usize>, most: usize) -> (Vec<Vec<u32>>, Vec<f64>) {
    let n = part.len();
    let mut at = vec![0u32; affinity.who.len()];
    part.iter().enumerate().for_each(|(x, &p)| at[p as usize] = x as u32);
    let degree: Vec<f64> =
        part.iter().map(|&p| affinity.edges[p as usize].iter().map(|e| e.weight).sum::<f64>()).collect();
    // entries of the normalised affinity
    let rows: Vec<Vec<(u32, f64)>> = part
        .iter()
        .enumerate()
        .map(|(x, &p)| {
            let near = affinity.edges[p as usize].iter().filter(|e| e.weight > 0.0);
            near.map(|e| (at[e.to as usize], e.weight / (degree[x] * degree[at[e.to as usize] as usize]).sqrt()))
                .collect()
        })
        .collect();
    let want = (most + 1).max(wanted.unwrap_or(0)).min(n);
    let pairs = Leading { count: want, tol: 1e-10, ..Leading::default() }.eigen(n, |x, y| {
        for (y, row) in y.iter_mut().zip(&rows) {
            *y = row.iter().map(|&(b, w)| w * x[b as usize]).sum();
        }
    });
    let Pairs { values, vectors } = pairs;
    let count = wanted.map_or_else(|| by_gap(&values, most.min(n - 1)), |w| w.min(n));
    if count < 2 {
        return (Vec::new(), values);
    }
    let mut points = vec![0.0; n * count];
    for (x, row) in points.chunks_exact_mut(count).enumerate() {
        row.iter_mut().zip(&vectors).for_each(|(p, v)| *p = v[x]);
        let norm = row.iter().map(|p| p * p).sum::<f64>().sqrt();
        if norm > 1e-12 {
            row.iter_mut().for_each(|p| *p /= norm);
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| degree[b].total_cmp(&degree[a]));
    let own = k_means(&points, count, count, &order);
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); count];
    part.iter().zip(own).for_each(|(&p, g)| groups[g].push(p));
    groups.retain(|g| g.len() > 1);
    (groups, values)
}

/// The number of groups after which the eigenvalues fall most, as a ratio.
fn by_gap(values: &[f64], most: usize) -> usize {
    let at = |l: usize| values.get(l).copied().unwrap_or(0.0).max(FLOOR);
    let mut best = (0.0, 1);
    for l in 1..=most.max(1) {
        let ratio = at(l - 1) / at(l);
        if ratio > best.0 + 1e-9 {
            best = (ratio, l);
        }
    }
    best.1
}

/// Mean correlation of the pairs inside a group, pairs without common items left out.
fn inside(affinity: &Affinity, places: &[u32]) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0.0);
    for &p in places {
        for e in affinity.edges[p as usize].iter().filter(|e| places.binary_search(&e.to).is_ok()) {
            sum += e.correlation;
            n += 1.0;
        }
    }
    (n > 0.0).then(|| sum / n)
}

#[cfg(test)]
mod tests {
    use super::by_gap;

    #[test]
    fn the_gap_is_relative_and_noise_has_none() {
        assert_eq!(by_gap(&[1.0, 0.808, 0.509, 0.287, 0.135, 0.109, 0.094], 6), 4);
        assert_eq!(by_gap(&[1.0, 0.83, 0.55, 0.51, -0.006, -0.007], 5), 4);
        assert_eq!(by_gap(&[1.0, 0.246, 0.227, 0.213, 0.193], 4), 1);
        assert_eq!(by_gap(&[1.0, 0.833, 0.367, 0.254, 0.226], 4), 2);
        assert_eq!(by_gap(&[1.0], 1), 1);
    }
}
