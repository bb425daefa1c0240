//! IBCC: independent Bayesian classifier combination by Gibbs sampling (Kim and Ghahramani, 2012).

mod chain;

use super::start::{self, Init};
use chain::{Chain, Labels, Watch};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, Finding, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Severity, Status, Step, Stop, Subject,
};
use crowdwise_numerics::mcmc::{effective_size, split_rhat};
use crowdwise_numerics::{normalise, quantile};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Parameters of IBCC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ibcc {
    /// Number of independent chains, run in parallel.
    pub chains: usize,
    /// Number of sweeps dropped at the start of each chain.
    pub burn_in: usize,
    /// Number of sweeps kept from each chain.
    pub keep: usize,
    /// Prior count of every class.
    pub alpha: f64,
    /// Prior count of right labels, for every annotator and class.
    pub beta_diagonal: f64,
    /// Prior count of each kind of wrong label, for every annotator and class.
    pub beta_off: f64,
    /// Where the chains begin: at the majority class (`majority`), or at classes drawn from what `random` matrices, or
    /// those of another method, say.
    pub init: Init,
}

impl Default for Ibcc {
    fn default() -> Self {
        Ibcc { chains: 4, burn_in: 100, keep: 300, alpha: 1.0, beta_diagonal: 2.0, beta_off: 1.0, init: Init::Majority }
    }
}

/// Items whose probabilities are followed to judge the mixing of the chains.
const WATCHED: usize = 10;

/// Above this split R-hat the chains are said to disagree.
const RHAT_LIMIT: f64 = 1.1;

/// Entries of all confusion matrices up to which their standard deviations are given.
const MOST_DEVIATIONS: usize = 100_000;
/// Most accuracies that are kept for the intervals, over all chains and annotators (4 bytes each).
const MOST_ACCURACIES: usize = 1 << 24;

impl Method for Ibcc {
    const INFO: MethodInfo = MethodInfo {
        id: "ibcc",
        name: "IBCC",
        summary: "Dawid-Skene with Dirichlet priors by Gibbs sampling: every estimate comes with its uncertainty.",
        doc: include_str!("ibcc.md"),
        aliases: &["ibcc-gibbs"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities {
            confusion: true,
            stochastic: true,
            gold: true,
            likelihood: true,
            ..Capabilities::NONE
        },
        references: &[
            Reference {
                text: "H.-C. Kim, Z. Ghahramani. Bayesian classifier combination. AISTATS 2012, PMLR 22, 619-627",
                doi: None,
            },
            Reference {
                text: "A. Gelman, D. Rubin. Inference from iterative simulation using multiple sequences. Statistical Science 7, 1992, 457-472",
                doi: Some("10.1214/ss/1177011136"),
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Confusion)
    };

    fn check(&self, p: &mut Problems) {
        p.count("chains", self.chains);
        p.count("keep", self.keep);
        p.positive("alpha", self.alpha);
        p.positive("beta_diagonal", self.beta_diagonal);
        p.positive("beta_off", self.beta_off);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (m, k) = (data.table.n_annotators(), data.table.n_classes());
        super::shared::check_entries(m * 4 * self.chains, k, k)?;
        let labels = Labels::new(self, data).expect("the kind was checked");
        let (first, findings) = start::posterior(data, self.init, 0, cx)?.unzip();
        let mut findings = findings.unwrap_or_default();
        let first = first.as_deref();
        let streams: Vec<_> = (0..self.chains as u64).map(|c| cx.rng("ibcc", c)).collect();
        let mut chains: Vec<Chain> =
            cx.install(|| streams.into_par_iter().map(|rng| Chain::new(&labels, first, rng)).collect())?;
        if self.burn_in == 0 {
            let watch = self.watch(&labels, &vote_shares(&labels));
            for c in &mut chains {
                c.forget(watch.clone());
            }
        }
        let run = cx.iterate(self.burn_in + self.keep, 0.0, |cx, sweep| {
            cx.install(|| chains.par_iter_mut().for_each(|c| c.sweep(&labels)))?;
            if sweep == self.burn_in {
                let watch = self.watch(&labels, &posterior(&chains));
                for c in &mut chains {
                    c.forget(watch.clone());
                }
            }
            let mean = |f: &dyn Fn(&Chain) -> f64| chains.iter().map(f).sum::<f64>() / chains.len() as f64;
            Ok(Step { objective: Some(mean(&|c| c.log_joint)), change: mean(&|c| c.moved) })
        })?;
        let kept = run.iterations.saturating_sub(self.burn_in);
        let mut diagnostics = run.diagnostics("log-joint");
        let mixing = Mixing::of(&chains);
        if diagnostics.stop == Stop::MaxIter && mixing.worst().is_some_and(|r| r < RHAT_LIMIT) {
            diagnostics.stop = Stop::Converged;
        }
        if let Some(r) = mixing.worst().filter(|r| *r >= RHAT_LIMIT) {
            findings.push(Finding::new(
                "chains-disagree",
                Severity::Warning,
                Subject::Fit,
                format!("the chains have not mixed: the largest split R-hat is {r:.2} (wanted: below {RHAT_LIMIT})"),
                "raise `keep` and `burn_in`; if it stays, the labels allow more than one reading",
            ));
        }
        let table = &data.table;
        let d = &mut diagnostics.details;
        d.insert("chains".into(), json!(chains.len()));
        d.insert("kept_sweeps".into(), json!(kept));
        d.insert("rhat".into(), json!({ "mean_accuracy": mixing.rhat[0], "items": &mixing.rhat[1..] }));
        d.insert("ess".into(), json!({ "mean_accuracy": mixing.ess[0], "items": &mixing.ess[1..] }));
        let watched: Vec<String> = chains[0].watch.cells.iter().map(|&(u, _)| table.unit_name(u)).collect();
        d.insert("least_certain_items".into(), json!(watched));
        d.insert("relabelled_sweeps".into(), json!(chains.iter().map(|c| c.relabelled).sum::<usize>()));
        if let Some((accuracy, intervals)) = accuracies(&chains, labels.m) {
            d.insert("accuracy".into(), accuracy);
            // the name under which the annotator table looks for a method's own intervals
            d.insert("accuracy_interval".into(), json!(intervals));
            d.insert("class_shares_interval".into(), json!(share_intervals(&chains, labels.k)));
        }
        if labels.m * labels.k * labels.k <= MOST_DEVIATIONS {
            d.insert("confusion_sd".into(), json!(deviations(&chains)));
        }

        let k = labels.k;
        let mut q = posterior(&chains);
        q.chunks_exact_mut(k).for_each(normalise);
        let mut matrix = vec![0.0; labels.m * k * k];
        let mut shares = vec![0.0; k];
        for c in &chains {
            crowdwise_numerics::add_into(&mut matrix, &c.sums.confusion);
            crowdwise_numerics::add_into(&mut shares, &c.sums.shares);
        }
        matrix.chunks_exact_mut(k).for_each(normalise);
        normalise(&mut shares);
        let mut out = Outcome::classes(k, q, Annotators::Confusion { k, matrix }, diagnostics);
        out.class_prior = Some(shares);
        out.findings = findings;
        Ok(out)
    }
}

impl Ibcc {
    /// The least certain units, each with its most likely class, and how many accuracies may be kept.
    fn watch(&self, labels: &Labels<'_>, posterior: &[f64]) -> Watch {
        let k = labels.k;
        let mut open: Vec<(f64, usize, usize)> = posterior
            .chunks_exact(k)
            .enumerate()
            .filter(|&(u, _)| labels.known(u).is_none() && labels.table.table.degree(u) > 0)
            .map(|(u, row)| {
                let best = crowdwise_core::stats::argmax(row);
                (row[best], u, best)
            })
            .collect();
        let n = WATCHED.min(open.len());
        if n > 0 {
            open.select_nth_unstable_by(n - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        open.truncate(n);
        open.sort_unstable_by_key(|x| x.1);
        let wanted = self.keep * self.chains * labels.m;
        Watch { cells: open.iter().map(|&(_, u, c)| (u, c)).collect(), thin: wanted.div_ceil(MOST_ACCURACIES).max(1) }
    }
}

fn vote_shares(labels: &Labels<'_>) -> Vec<f64> {
    let mut out = vec![0.0; labels.table.table.n_units() * labels.k];
    for (u, row) in out.chunks_exact_mut(labels.k).enumerate() {
        labels.table.vote_shares(u, row);
    }
    out
}

/// 5 % and 95 % quantiles of every class share.
fn share_intervals(chains: &[Chain], k: usize) -> Vec<[f64; 2]> {
    let of = |c: usize| {
        let mut own: Vec<f32> = chains.iter().flat_map(|x| x.share_draws.iter().skip(c).step_by(k)).copied().collect();
        [quantile(&mut own, 0.05), quantile(&mut own, 0.95)]
    };
    (0..k).map(of).collect()
}

/// Posterior standard deviations of all entries of the confusion matrices, annotators x truth x label.
fn deviations(chains: &[Chain]) -> Vec<f64> {
    let n: usize = chains.iter().map(|c| c.sums.sweeps).sum();
    let mean = |of: &dyn Fn(&Chain) -> f64| chains.iter().map(of).sum::<f64>() / n.max(1) as f64;
    let one = |x: usize| {
        let (first, second) = (mean(&|c| c.sums.confusion[x]), mean(&|c| c.sums.squares[x]));
        (second - first * first).max(0.0).sqrt()
    };
    (0..chains[0].sums.confusion.len()).map(one).collect()
}

/// Conditional probabilities summed over chains and sweeps.
fn posterior(chains: &[Chain]) -> Vec<f64> {
    let mut q = chains[0].sums.posterior.clone();
    chains[1..].iter().for_each(|c| crowdwise_numerics::add_into(&mut q, &c.sums.posterior));
    let n: usize = chains.iter().map(|c| c.sums.sweeps).sum();
    for x in &mut q {
        *x /= n.max(1) as f64;
    }
    q
}

/// Diagnostics of the mean accuracy (first) and of the watched items.
struct Mixing {
    rhat: Vec<Option<f64>>,
    ess: Vec<Option<f64>>,
}

impl Mixing {
    fn of(chains: &[Chain]) -> Self {
        let mut traces: Vec<Vec<Vec<f64>>> = vec![chains.iter().map(|c| c.mean_accuracy.clone()).collect()];
        for w in 0..chains[0].cells.len() {
            traces.push(chains.iter().map(|c| c.cells[w].clone()).collect());
        }
        Mixing {
            rhat: traces.iter().map(|t| split_rhat(t)).collect(),
            ess: traces.iter().map(|t| effective_size(t)).collect(),
        }
    }

    fn worst(&self) -> Option<f64> {
        self.rhat.iter().flatten().copied().reduce(f64::max)
    }
}

/// Mean and number of draws of every annotator's accuracy, and its 5 % and 95 % quantiles.
fn accuracies(chains: &[Chain], m: usize) -> Option<(serde_json::Value, Vec<[f64; 2]>)> {
    let draws: usize = chains.iter().map(|c| c.accuracies.len() / m).sum();
    if draws == 0 {
        return None;
    }
    let (mut mean, mut intervals) = (Vec::new(), Vec::new());
    let mut own: Vec<f32> = Vec::with_capacity(draws);
    for j in 0..m {
        own.clear();
        for c in chains {
            own.extend(c.accuracies.iter().skip(j).step_by(m));
        }
        mean.push(own.iter().map(|&x| x as f64).sum::<f64>() / draws as f64);
        intervals.push([quantile(&mut own, 0.05), quantile(&mut own, 0.95)]);
    }
    Some((json!({ "mean": mean, "draws": draws }), intervals))
}
