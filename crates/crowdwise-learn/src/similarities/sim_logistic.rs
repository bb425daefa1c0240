use super::similarity_net::{Recipe, Trained, judgements, train};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, Features, Finding, LabelKind, Method,
    MethodInfo, Needs, Objective, Outcome, Problems, Reference, Severity, Status, Stop, Subject, TracePoint, Truth,
    Units, stats,
};
use crowdwise_methods::similarities::by_first;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Clusters as a function of features, learned from same/different judgements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SimLogistic {
    /// Number of clusters.
    pub clusters: usize,
    /// Units in the hidden layer.
    pub hidden: usize,
    /// Number of passes over the judgements.
    pub epochs: usize,
    /// Batch size, in judgements.
    pub batch_size: usize,
    /// Learning rate of the optimiser.
    pub learning_rate: f64,
    /// Number of random starts; the one with the lowest loss is kept.
    pub restarts: usize,
}

impl Default for SimLogistic {
    fn default() -> Self {
        SimLogistic { clusters: 3, hidden: 32, epochs: 60, batch_size: 200, learning_rate: 5e-3, restarts: 3 }
    }
}

/// Clusters as a function of features with learned judgement noise and a volume that keeps clusters apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SimVolmax {
    /// Number of clusters.
    pub clusters: usize,
    /// Weight of the volume of the cluster probabilities.
    pub lambda: f64,
    /// Epochs before the volume counts.
    pub warm_up: usize,
    /// Units in the hidden layer.
    pub hidden: usize,
    /// Number of passes over the judgements.
    pub epochs: usize,
    /// Batch size, in judgements.
    pub batch_size: usize,
    /// Learning rate of the optimiser.
    pub learning_rate: f64,
    /// Number of random starts; the one with the lowest loss is kept.
    pub restarts: usize,
}

impl Default for SimVolmax {
    fn default() -> Self {
        SimVolmax {
            clusters: 3,
            lambda: 0.05,
            warm_up: 15,
            hidden: 32,
            epochs: 60,
            batch_size: 200,
            learning_rate: 5e-3,
            restarts: 3,
        }
    }
}

const CAPABILITIES: Capabilities = Capabilities { stochastic: true, ..Capabilities::NONE };

const NGUYEN: Reference = Reference {
    text: "T. Nguyen, S. Ibrahim and X. Fu, Deep clustering with incomplete noisy pairwise annotations: a geometric regularization approach, ICML 2023",
    doi: Some("10.48550/arXiv.2305.19391"),
};

impl Method for SimLogistic {
    const INFO: MethodInfo = MethodInfo {
        id: "sim-logistic",
        name: "Similarity learning",
        summary: "Clusters as a function of features, from same/different judgements.",
        doc: include_str!("sim_logistic.md"),
        aliases: &[],
        accepts: &[LabelKind::Similarity],
        capabilities: CAPABILITIES,
        references: &[NGUYEN],
        status: Status::Preview,
        needs: Needs::FEATURES,
        ..MethodInfo::of(Family::Pairs)
    };

    fn check(&self, problems: &mut Problems) {
        check(problems, self.clusters, self.hidden, self.epochs, self.batch_size, self.learning_rate, self.restarts);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let recipe = Recipe {
            clusters: self.clusters,
            hidden: self.hidden,
            epochs: self.epochs,
            batch_size: self.batch_size,
            learning_rate: self.learning_rate,
            restarts: self.restarts,
            noise: false,
            lambda: 0.0,
            warm_up: 0,
        };
        learn(&recipe, data, cx)
    }
}

impl Method for SimVolmax {
    const INFO: MethodInfo = MethodInfo {
        id: "sim-volmax",
        name: "Similarity learning with volume maximisation",
        summary: "Clusters from features and noisy same/different judgements, kept apart by their volume.",
        doc: include_str!("sim_volmax.md"),
        aliases: &["volmaxdcc"],
        accepts: &[LabelKind::Similarity],
        capabilities: CAPABILITIES,
        references: &[NGUYEN],
        status: Status::Preview,
        needs: Needs::FEATURES,
        ..MethodInfo::of(Family::Pairs)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("lambda", self.lambda, 0.0);
        check(problems, self.clusters, self.hidden, self.epochs, self.batch_size, self.learning_rate, self.restarts);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let recipe = Recipe {
            clusters: self.clusters,
            hidden: self.hidden,
            epochs: self.epochs,
            batch_size: self.batch_size,
            learning_rate: self.learning_rate,
            restarts: self.restarts,
            noise: true,
            lambda: self.lambda,
            warm_up: self.warm_up,
        };
        learn(&recipe, data, cx)
    }
}

fn check(p: &mut Problems, clusters: usize, hidden: usize, epochs: usize, batch: usize, rate: f64, restarts: usize) {
    p.require((2..=1000).contains(&clusters), "clusters", clusters, "a whole number from 2 to 1000");
    p.require((1..=65536).contains(&hidden), "hidden", hidden, "a whole number from 1 to 65536");
    p.count("epochs", epochs);
    p.count("batch_size", batch);
    p.positive("learning_rate", rate);
    p.count("restarts", restarts);
}

fn learn(recipe: &Recipe, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    let features: &Features = data.features.as_ref().expect("a method that needs features gets them");
    let Trained { probabilities: f, noise, losses } = train(recipe, features, &judgements(data), cx)?;
    let k = recipe.clusters;
    let best: Vec<u32> = f.chunks_exact(k).map(|row| stats::argmax(row) as u32).collect();
    let confidence = f.chunks_exact(k).map(|row| row[stats::argmax(row)]).collect();
    let row = |i: u32| &f[i as usize * k..(i as usize + 1) * k];
    let same =
        match data.table.units() {
            Units::Pairs(units) => units
                .iter()
                .map(|&[a, b]| {
                    if a == b {
                        1.0
                    } else {
                        row(a).iter().zip(row(b)).map(|(x, y)| x * y).sum::<f64>().clamp(0.0, 1.0)
                    }
                })
                .collect(),
            Units::Items => Vec::new(),
        };
    let cluster = by_first(&best);
    let found = cluster.iter().max().map_or(0, |c| *c as usize + 1);
    let mut before = f64::NAN;
    let trace: Vec<TracePoint> = losses
        .iter()
        .enumerate()
        .map(|(e, &loss)| {
            let change = if before.is_nan() { loss.abs() } else { (loss - before).abs() };
            before = loss;
            TracePoint { iteration: e + 1, objective: Some(-loss), change }
        })
        .collect();
    let mut diagnostics = Diagnostics {
        stop: if cx.cancelled() { Stop::Cancelled } else { Stop::Direct },
        iterations: losses.len(),
        objective: losses.last().map(|&l| Objective { kind: "log-likelihood-per-judgement".into(), value: -l }),
        trace,
        ..Diagnostics::direct()
    };
    diagnostics.details.insert("clusters".into(), json!(found));
    if let Some(noise) = noise {
        let rows: Vec<&[f64]> = noise.chunks_exact(k).collect();
        diagnostics.details.insert("said_same".into(), json!(rows));
    }
    Ok(Outcome {
        uncalibrated: None,
        truth: Truth::Clusters { cluster, confidence, same },
        annotators: Annotators::None,
        class_prior: None,
        difficulty: None,
        diagnostics,
        findings: Vec::from_iter((found < k).then(|| collapsed(found, k))),
    })
}

fn collapsed(found: usize, wanted: usize) -> Finding {
    Finding::new(
        "clusters-collapsed",
        Severity::Warning,
        Subject::Fit,
        format!("only {found} of {wanted} clusters have items"),
        "there may be fewer clusters; otherwise raise `restarts`, or use sim-volmax, whose volume keeps them apart",
    )
}
