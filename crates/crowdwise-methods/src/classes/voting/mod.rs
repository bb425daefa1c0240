//! Votes, plain and weighted.

mod agreement;
mod majority_vote;
mod weighted_majority_vote;
mod zero_based_skill;

pub use majority_vote::{MajorityVote, Ties};
pub use weighted_majority_vote::{Rule, WeightedMajorityVote};
pub use zero_based_skill::ZeroBasedSkill;

use crowdwise_core::stats::softmax;
use crowdwise_core::{Categorical, Context, Dataset, Error};
use rayon::prelude::*;

/// Items per piece of parallel work: large enough that the bookkeeping does not show.
const CHUNK: usize = 4096;

/// What becomes of the summed weights of an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// Weight of a class over the weight of all; the plain vote where all weights of an item are 0.
    Share,
    /// The weights are log-odds: probability proportional to the exponential of their sum.
    Exponential,
}

/// Every vote of a dataset with what is known beside it.
#[derive(Debug)]
pub(crate) struct Ballot<'a> {
    pub labels: Categorical<'a>,
    pub gold: Option<Vec<Option<u32>>>,
}

impl<'a> Ballot<'a> {
    pub fn new(data: &'a Dataset) -> Self {
        let labels = data.table.categorical().expect("the kind was checked");
        let k = labels.k() as u32;
        // a class that the table does not know (gold that was put in by hand) cannot be a posterior
        let gold = data.gold_classes().map(|g| g.into_iter().map(|c| c.filter(|&c| c < k)).collect());
        Ballot { labels, gold }
    }

    pub fn gold(&self, u: usize) -> Option<usize> {
        self.gold.as_ref().and_then(|g| g[u]).map(|c| c as usize)
    }

    /// Posterior rows: gold where it is known, even shares where nobody voted, else the (weighted) votes.
    pub fn posterior(&self, weight: Option<&[f64]>, form: Form, cx: &mut Context<'_>) -> Result<Vec<f64>, Error> {
        let (k, n) = (self.labels.k(), self.labels.table.n_units());
        let mut out = vec![0.0; n * k];
        cx.install(|| {
            out.par_chunks_mut(k * CHUNK).enumerate().for_each(|(c, rows)| {
                for (r, row) in rows.chunks_mut(k).enumerate() {
                    self.fill(c * CHUNK + r, weight, form, row);
                }
            });
        })?;
        Ok(out)
    }

    fn fill(&self, u: usize, weight: Option<&[f64]>, form: Form, row: &mut [f64]) {
        let table = self.labels.table;
        if let Some(c) = self.gold(u) {
            row[c] = 1.0;
            return;
        }
        if table.degree(u) == 0 {
            row.fill(1.0 / row.len() as f64);
            return;
        }
        match weight {
            None => self.labels.votes(u, row),
            Some(w) => {
                for r in table.rows(u) {
                    row[self.labels.codes.get(r)] += w[table.annotator()[r] as usize];
                }
            }
        }
        if form == Form::Exponential {
            softmax(row);
            return;
        }
        let mut sum: f64 = row.iter().sum();
        if sum <= 0.0 {
            row.fill(0.0);
            self.labels.votes(u, row);
            sum = table.degree(u) as f64;
        }
        for x in row {
            *x /= sum;
        }
    }
}
