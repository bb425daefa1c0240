//! Posteriors of models whose states are not the classes, item by item.

use super::engine::Engine;
use crate::runs;
use crowdwise_core::stats::softmax;
use crowdwise_core::{Categorical, Context, Error};
use rayon::prelude::*;

impl Engine {
    /// Calls `write` with the posterior over states of every unit, as the tables of now give it, and `width` numbers of
    /// `out` (units x width). Units without labels have the prior. Slower than a pass, and keeps nothing.
    pub fn each_posterior(
        &self,
        data: &Categorical<'_>,
        out: &mut [f64],
        width: usize,
        cx: &mut Context<'_>,
        write: impl Fn(&[f64], &mut [f64]) + Sync,
    ) -> Result<(), Error> {
        let table = data.table;
        assert_eq!(out.len(), table.n_units() * width);
        let runs = runs::runs(table.offsets(), 1);
        let ln = |p: f64| p.max(1e-300).ln();
        let prior: Vec<f64> = self.prior().iter().map(|&p| ln(p)).collect();
        cx.install(|| {
            runs::split_runs(out, &runs, width).into_par_iter().zip(&runs).for_each(|(out, run)| {
                let mut score = prior.clone();
                for (unit, row) in run.clone().zip(out.chunks_exact_mut(width)) {
                    score.copy_from_slice(&prior);
                    for e in table.rows(unit) {
                        let labels = self.row(table.annotator()[e] as usize, data.codes.get(e));
                        let labels = labels.expect("a label that was given");
                        score.iter_mut().zip(labels).for_each(|(s, &p)| *s += ln(p));
                    }
                    softmax(&mut score);
                    write(&score, row);
                }
            });
        })
    }
}
