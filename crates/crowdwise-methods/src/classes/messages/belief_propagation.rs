//! Belief propagation: items and annotators exchange messages, the annotators' parameters integrated out.

use super::AnnotatorModel;
use super::coin_factor::{Factor, Quadrature, coin};
use super::coin_network::CoinNetwork;
use super::graph::{Graph, Network};
use super::matrix_factor::{Atoms, MatrixFactor};
use super::matrix_network::MatrixNetwork;
use super::prior::{Atom, ByClass, Given, Prior};
use super::sweep::Nodes;
use crate::classes::confusion::ClassPrior;
use crate::classes::confusion::shared::{self, Shares};
use crowdwise_core::{
    Annotators, Capabilities, Categorical, Context, Dataset, Diagnostics, Error, Family, LabelKind, Method, MethodInfo,
    Outcome, Problems, Reference, Status, Step,
};
use crowdwise_numerics::mcmc::dirichlet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// How the parameters of an annotator are integrated out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Quadrature where there is one, else Monte Carlo; a discrete prior is summed over.
    Auto,
    /// Gauss-Jacobi nodes: one coin, or a matrix of two classes.
    Quadrature,
    /// `draws` from the prior, the same in every round and for every annotator.
    MonteCarlo,
    /// The product over labels expanded: one coin, cost quadratic in an annotator's labels.
    Polynomial,
}

/// Belief propagation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BeliefPropagation {
    /// Maximum number of exchanges of messages.
    pub max_iter: usize,
    /// Stop when an exchange changes no message by more than this, as a probability.
    pub tol: f64,
    /// Share of the old message (in logarithms) that a new one keeps; raised by itself when messages swing.
    pub damping: f64,
    /// Model of an annotator: one accuracy, a confusion matrix, or one of the kinds in `atoms`.
    pub model: AnnotatorModel,
    /// Prior weight of right labels: Beta(alpha, beta) for one coin; the diagonal of every Dirichlet row.
    pub alpha: f64,
    /// Prior weight of wrong labels; in Dirichlet rows spread evenly over the wrong classes.
    pub beta: f64,
    /// Dirichlet parameters for `model=rows` by class names instead of `alpha` and `beta`, e.g. {"yes": {"yes": 4,
    /// "no": 1}, "no": {"yes": 2, "no": 4}}.
    pub rows: ByClass,
    /// Kinds of annotator for `model=discrete`, e.g. [{"weight": 0.3, "accuracy": 0.99}, {"weight": 0.7, "accuracy":
    /// 0.5}]; `confusion` (by class names, like `rows`) may stand for `accuracy`.
    pub atoms: Vec<Atom>,
    /// How an annotator's parameters are integrated out: `auto`, `quadrature`, `monte-carlo` or `polynomial`.
    pub form: Form,
    /// Number of draws from the prior for `monte-carlo`.
    pub draws: usize,
    /// Class shares: learned, uniform, or as given in `class_shares`.
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
}

impl Default for BeliefPropagation {
    fn default() -> Self {
        BeliefPropagation {
            max_iter: 100,
            tol: 1e-4,
            damping: 0.0,
            model: AnnotatorModel::OneCoin,
            alpha: 2.0,
            beta: 1.0,
            rows: BTreeMap::new(),
            atoms: Vec::new(),
            form: Form::Auto,
            draws: 400,
            class_prior: ClassPrior::Uniform,
            class_shares: BTreeMap::new(),
        }
    }
}

/// Messages have begun to swing when, after this many rounds, the change has not halved in as many more.
const PATIENCE: usize = 10;

/// Damping is raised no further than this.
const MOST_DAMPING: f64 = 0.8;

impl BeliefPropagation {
    fn given(&self) -> Given<'_> {
        Given { model: self.model, alpha: self.alpha, beta: self.beta, rows: &self.rows, atoms: &self.atoms }
    }

    /// The messages that suit the prior, the number of classes and the form asked for.
    fn network(
        &self,
        labels: &Categorical<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<Box<dyn Network>, Error> {
        let k = labels.k();
        let sizes = || (0..graph.annotators()).map(|j| graph.first[j + 1] - graph.first[j]);
        let others = (k - 1) as f64;
        let coins = |weight: &[f64], accuracy: &[f64]| {
            let mut nodes = Nodes::default();
            for (w, &x) in weight.iter().zip(accuracy) {
                let (right, wrong) = coin(x, others);
                nodes.push(right, wrong, w.ln());
            }
            nodes.pad();
            nodes
        };
        let refuse = |what: &str, hint: &str| Err(Error::Unsupported { what: what.into(), hint: Some(hint.into()) });
        let monte_carlo = self.form == Form::MonteCarlo;
        let network: Box<dyn Network> = match self.given().resolve(labels)? {
            Prior::Coin { a, b } if monte_carlo => {
                let mut rng = cx.rng("belief-propagation", 0);
                let mut draw = [0.0; 2];
                let accuracy: Vec<f64> = (0..self.draws)
                    .map(|_| {
                        dirichlet(&mut rng, &[a, b], &mut draw);
                        draw[0]
                    })
                    .collect();
                let nodes = coins(&vec![1.0 / self.draws as f64; self.draws], &accuracy);
                Box::new(CoinNetwork::new(graph, Factor::Atoms(nodes)))
            }
            Prior::Coin { a, b } => {
                let quadrature = Quadrature::new(a, b, k, sizes());
                let polynomial = self.form == Form::Polynomial;
                let factor = if polynomial { Factor::Polynomial(quadrature) } else { Factor::Quadrature(quadrature) };
                Box::new(CoinNetwork::new(graph, factor))
            }
            Prior::Rows { shape } => {
                let factor = match self.form {
                    Form::Polynomial => {
                        return refuse(
                            "the polynomial form exists for one-coin annotators only",
                            "`form=auto`, or `model=one-coin`",
                        );
                    }
                    Form::Quadrature if k > 2 => {
                        return refuse(
                            &format!("quadrature of a whole confusion matrix exists for 2 classes only, not for {k}"),
                            "`form=monte-carlo`, or `model=one-coin`",
                        );
                    }
                    Form::Auto | Form::Quadrature if k == 2 => MatrixFactor::two_coins(&shape, sizes()),
                    _ => {
                        let mut rng = cx.rng("belief-propagation", 0);
                        MatrixFactor::Fixed(Atoms::draw(k, &shape, self.draws, &mut rng))
                    }
                };
                Box::new(MatrixNetwork::new(graph, factor))
            }
            Prior::Coins { weight, accuracy } => {
                Box::new(CoinNetwork::new(graph, Factor::Atoms(coins(&weight, &accuracy))))
            }
            Prior::Matrices { weight, theta } => {
                Box::new(MatrixNetwork::new(graph, MatrixFactor::Fixed(Atoms::new(k, &weight, &theta))))
            }
        };
        Ok(network)
    }
}

impl BeliefPropagation {
    /// Beliefs of all units (units x K) and what is believed of the annotators, when every unit has a prior of its own:
    /// `ln_priors`, units x K, up to a constant a unit. Messages start anew and are exchanged until they change by less
    /// than `tol`, at most `max_iter` times. Class shares are not used.
    pub fn with_item_priors(
        &self,
        data: &Dataset,
        ln_priors: &[f64],
        seed: u64,
    ) -> Result<(Vec<f64>, Annotators), Error> {
        let graph = Graph::new(data);
        let (k, n) = (graph.k(), data.table.n_units());
        if k == 1 {
            return Ok((vec![1.0; n], Annotators::Accuracy { k, accuracy: vec![1.0; data.table.n_annotators()] }));
        }
        let mut network = self.network(&graph.labels, &graph, &Context::new(seed, 1))?;
        let mut damping = self.damping;
        let mut changes: Vec<f64> = Vec::new();
        for _ in 0..self.max_iter {
            let change = network.round(&graph, ln_priors, damping).change;
            if change.is_nan() || change < self.tol {
                break;
            }
            changes.push(change);
            damping = damped(&changes, damping);
        }
        let mut beliefs = network.beliefs(&graph, ln_priors);
        for (u, row) in beliefs.chunks_exact_mut(k).enumerate() {
            if let Some(c) = graph.known(u) {
                row.fill(0.0);
                row[c] = 1.0;
            }
        }
        Ok((beliefs, network.annotators()))
    }
}

/// More damping when messages swing.
fn damped(changes: &[f64], damping: f64) -> f64 {
    let n = changes.len();
    if n >= 2 * PATIENCE && n.is_multiple_of(PATIENCE) && changes[n - 1] > 0.5 * changes[n - PATIENCE - 1] {
        return (0.5 * (1.0 + damping)).min(MOST_DAMPING);
    }
    damping
}

impl Method for BeliefPropagation {
    const INFO: MethodInfo = MethodInfo {
        id: "belief-propagation",
        name: "Belief propagation",
        summary: "Items and annotators exchange messages; what is unknown about an annotator is integrated out.",
        doc: include_str!("belief_propagation.md"),
        aliases: &["bp", "bp-mc", "bp-poly"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, likelihood: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "Q. Liu, J. Peng, A. Ihler. Variational Inference for Crowdsourcing. NIPS 2012.",
                doi: None,
            },
            Reference {
                text: "J. S. Yedidia, W. T. Freeman, Y. Weiss. Constructing Free-Energy Approximations and Generalized \
                       Belief Propagation Algorithms. IEEE Transactions on Information Theory 51(7), 2005.",
                doi: Some("10.1109/TIT.2005.850085"),
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Messages)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.require((0.0..1.0).contains(&self.damping), "damping", self.damping, "from 0 to less than 1");
        p.require((1..=1_000_000).contains(&self.draws), "draws", self.draws, "from 1 to 1000000");
        self.given().check(p);
        Shares::check(self.class_prior, 0.0, &self.class_shares, p);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let graph = Graph::new(data);
        let labels = &graph.labels;
        let k = labels.k();
        let shares = Shares::new(self.class_prior, 0.0, &self.class_shares, labels)?;
        if k == 1 {
            // nothing can be wrong, so nothing can be learned
            let annotators = Annotators::Accuracy { k, accuracy: vec![1.0; data.table.n_annotators()] };
            let mut out = Outcome::classes(k, vec![1.0; data.table.n_units()], annotators, Diagnostics::direct());
            out.class_prior = Some(vec![1.0]);
            return Ok(out);
        }
        let mut network = self.network(labels, &graph, cx)?;
        let mut prior = shares.given.clone();
        let mut damping = self.damping;
        let mut changes: Vec<f64> = Vec::new();
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            let ln_prior: Vec<f64> = prior.iter().map(|p| p.ln()).collect();
            let round = cx.install(|| network.round(&graph, &ln_prior, damping))?;
            let mut change = round.change;
            if shares.learn {
                // one item's worth of all classes alike: a class that nobody believes in any more must stay possible
                let total: f64 = round.class_sums.iter().sum::<f64>() + 1.0;
                for (p, s) in prior.iter_mut().zip(&round.class_sums) {
                    let new = (s + 1.0 / k as f64) / total;
                    change = change.max((new - *p).abs());
                    *p = new;
                }
            }
            changes.push(change);
            damping = damped(&changes, damping);
            Ok(Step { objective: Some(round.ln_evidence), change })
        })?;
        let ln_prior: Vec<f64> = prior.iter().map(|p| p.ln()).collect();
        let mut posterior = cx.install(|| network.beliefs(&graph, &ln_prior))?;
        shared::complete(&mut posterior, data, graph.gold.as_deref(), &prior);
        let mut diagnostics = run.diagnostics("bethe-log-evidence");
        if damping > self.damping {
            diagnostics.details.insert("damping".into(), json!(damping));
        }
        if network.switched() > 0 {
            diagnostics.details.insert("quadrature_instead_of_polynomial".into(), json!(network.switched()));
        }
        let mut out = Outcome::classes(k, posterior, network.annotators(), diagnostics);
        out.class_prior = Some(prior);
        Ok(out)
    }
}
