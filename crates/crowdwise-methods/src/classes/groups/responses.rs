//! What each group says of each item: one response, whatever the number of its members.

use super::detect::Groups;
use crate::inside;
use crowdwise_core::stats::{n_tied, tied};
use crowdwise_core::{Context, Dataset, Error, Event};

/// A response of one voter (a group, or an annotator on its own).
#[derive(Clone, Copy, Debug)]
struct Response {
    voter: u32,
    said: Said,
}

#[derive(Clone, Copy, Debug)]
enum Said {
    Class(u32),
    /// A row of probabilities.
    Soft(u32),
}

/// All responses, by item.
#[derive(Debug)]
pub(super) struct Responses {
    pub k: usize,
    offsets: Vec<usize>,
    list: Vec<Response>,
    soft: Vec<f64>,
    /// Groups are the first voters.
    pub groups: usize,
    pub voters: usize,
    /// The voter that each annotator is, or belongs to.
    pub voter: Vec<u32>,
}

/// Groups smaller than this vote: there is nothing to model.
const LEAST: usize = 3;

impl Responses {
    /// Fits the method `name` inside each group. With `decide` a response is the likeliest class (shared between tied ones),
    /// else the posterior.
    pub fn new(
        data: &Dataset,
        groups: &Groups,
        name: &str,
        decide: bool,
        cx: &mut Context<'_>,
    ) -> Result<Responses, Error> {
        let table = &data.table;
        let labels = table.categorical().expect("the kind was checked");
        let (k, units) = (labels.k(), table.n_units());
        let of = groups.of_annotators(table);
        let mut soft: Vec<f64> = Vec::new();
        let mut by_unit: Vec<(u32, Response)> = Vec::new();
        for (g, members) in groups.members.iter().enumerate() {
            cx.event(&Event::Stage { name: format!("group {} of {}", g + 1, groups.members.len()) });
            let own = table.filter_rows(|r| of[table.annotator()[r] as usize] == Some(g as u32));
            let seen: Vec<usize> = (0..units).filter(|&u| own.degree(u) > 0).collect();
            let small = members.len() < LEAST;
            let part = Dataset::new(own);
            let posterior = if small {
                let votes = part.table.categorical().expect("classes");
                let mut q = vec![0.0; units * k];
                q.chunks_exact_mut(k).enumerate().for_each(|(u, row)| votes.vote_shares(u, row));
                q
            } else {
                let fit = inside::fit(name, &part, cx)?;
                let (_, q) = fit.model_posterior().expect("a method for classes");
                q.to_vec()
            };
            for u in seen {
                let row = &posterior[u * k..(u + 1) * k];
                let at = (soft.len() / k) as u32;
                if decide || small {
                    let (best, ties) = (row.iter().copied().fold(0.0, f64::max), n_tied(row) as f64);
                    soft.extend(row.iter().map(|&p| if tied(p, best) { 1.0 / ties } else { 0.0 }));
                } else {
                    soft.extend_from_slice(row);
                }
                by_unit.push((u as u32, Response { voter: g as u32, said: Said::Soft(at) }));
            }
        }
        // everybody else speaks for themselves
        let first = groups.members.len() as u32;
        let mut voters = first;
        let voter: Vec<u32> = of
            .iter()
            .map(|g| {
                g.unwrap_or_else(|| {
                    voters += 1;
                    voters - 1
                })
            })
            .collect();
        for u in 0..units {
            for r in table.rows(u) {
                let j = table.annotator()[r] as usize;
                if of[j].is_none() {
                    let said = Said::Class(labels.codes.get(r) as u32);
                    by_unit.push((u as u32, Response { voter: voter[j], said }));
                }
            }
        }
        by_unit.sort_by_key(|(u, r)| (*u, r.voter));
        let mut offsets = vec![0; units + 1];
        by_unit.iter().for_each(|(u, _)| offsets[*u as usize + 1] += 1);
        (0..units).for_each(|u| offsets[u + 1] += offsets[u]);
        let list = by_unit.into_iter().map(|x| x.1).collect();
        Ok(Responses { k, offsets, list, soft, groups: first as usize, voters: voters as usize, voter })
    }

    /// Visits the responses on an item: voter, class, how much of the response.
    pub fn each(&self, u: usize, mut f: impl FnMut(usize, usize, f64)) {
        for r in &self.list[self.offsets[u]..self.offsets[u + 1]] {
            match r.said {
                Said::Class(c) => f(r.voter as usize, c as usize, 1.0),
                Said::Soft(at) => {
                    let row = &self.soft[at as usize * self.k..(at as usize + 1) * self.k];
                    for (c, &p) in row.iter().enumerate().filter(|x| *x.1 > 0.0) {
                        f(r.voter as usize, c, p);
                    }
                }
            }
        }
    }

    /// What group `voter` responds to an item: a probability for every class.
    pub fn of_group(&self, u: usize, voter: usize) -> Option<&[f64]> {
        self.list[self.offsets[u]..self.offsets[u + 1]].iter().find(|r| r.voter as usize == voter).and_then(|r| {
            let Said::Soft(at) = r.said else { return None };
            Some(&self.soft[at as usize * self.k..(at as usize + 1) * self.k])
        })
    }

    pub fn units(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Shares of the responses, weighted by voter; even where there are none.
    pub fn shares(&self, weight: Option<&[f64]>) -> Vec<f64> {
        let mut out = vec![0.0; self.units() * self.k];
        for (u, row) in out.chunks_exact_mut(self.k).enumerate() {
            self.each(u, |v, c, p| row[c] += p * weight.map_or(1.0, |w| w[v]));
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x = if sum > 0.0 { *x / sum } else { 1.0 / self.k as f64 });
        }
        out
    }

    /// Weights for the case of two groups and nobody else, where a plain vote is always a tie: the group whose members agree
    /// more decides, if that is known of both.
    pub fn weights(&self, groups: &Groups) -> Option<Vec<f64>> {
        let known = || groups.correlation.iter().map(|r| r.map(|r| r.max(1e-3))).collect();
        (self.voters == 2 && self.groups == 2).then(known).flatten()
    }

    /// Share of each group's responses that a posterior agrees with, and on how many items.
    pub fn accuracy(&self, posterior: &[f64]) -> Vec<(f64, f64)> {
        let mut out = vec![(0.0, 0.0); self.groups];
        for u in 0..self.units() {
            self.each(u, |v, c, p| {
                if v < self.groups {
                    out[v].0 += p * posterior[u * self.k + c];
                    out[v].1 += p;
                }
            });
        }
        out
    }
}
