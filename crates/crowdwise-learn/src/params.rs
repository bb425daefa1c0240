//! Parameters that all methods share: the network and its training.

use crate::network::{Architecture, Optimiser, OptimiserKind, Shape, StartWeights};
use crowdwise_core::{Error, Features, Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the network is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NetworkParams {
    /// `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images only),
    /// `auto` = cnn for images and mlp for other features.
    pub network: NetworkKind,
    /// Units per hidden layer.
    pub hidden: usize,
    /// Number of hidden layers.
    pub layers: usize,
    /// Share of the hidden units dropped at random in each training step.
    pub dropout: f64,
    /// Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    pub batch_norm: bool,
    /// Initial weights: `small` = uniform within 1 / √inputs, so that directions the data say nothing about stay
    /// quiet; `full` = normal of variance 2 / inputs before a ReLU, which moves faster.
    pub weights: StartWeights,
    /// Scale features to mean 0 and deviation 1 (images: per channel).
    pub standardise: bool,
    /// Clip standardised features at this distance from 0, so that no single value outweighs the rest; 0 = no limit.
    pub limit: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkKind {
    #[default]
    Auto,
    Linear,
    Mlp,
    Cnn,
}

impl Default for NetworkParams {
    fn default() -> Self {
        NetworkParams {
            network: NetworkKind::Auto,
            hidden: 128,
            layers: 1,
            dropout: 0.5,
            batch_norm: false,
            weights: StartWeights::Small,
            standardise: true,
            limit: 4.0,
        }
    }
}

impl NetworkParams {
    pub(crate) fn check(&self, problems: &mut Problems) {
        problems.require((1..=65536).contains(&self.hidden), "hidden", self.hidden, "a whole number from 1 to 65536");
        problems.require((1..=64).contains(&self.layers), "layers", self.layers, "a whole number from 1 to 64");
        problems.at_least("limit", self.limit, 0.0);
        problems.require((0.0..1.0).contains(&self.dropout), "dropout", self.dropout, "at least 0 and less than 1");
    }

    /// The network for these features; `outputs` numbers in a row.
    pub(crate) fn architecture(&self, features: &Features, outputs: usize) -> Result<Architecture, Error> {
        let hidden = vec![self.hidden; self.layers];
        let made = match (self.network, features.image) {
            (NetworkKind::Linear, _) => Architecture::linear(features.dim, outputs),
            (NetworkKind::Cnn | NetworkKind::Auto, Some([height, width, channels])) => {
                let shape = Shape { channels, height, width };
                Architecture::convolutional(shape, &hidden, outputs, self.dropout)
            }
            (NetworkKind::Cnn, None) => {
                return Err(Error::Unsupported {
                    what: "a convolutional network needs images, but the features are plain rows of numbers".into(),
                    hint: Some("give an .npy of N x height x width (x channels), or ⟦-p network=mlp⟧".into()),
                });
            }
            (NetworkKind::Mlp | NetworkKind::Auto, _) => {
                Architecture::mlp(features.dim, &hidden, outputs, self.dropout, self.batch_norm)
            }
        };
        let made = Architecture { weights: self.weights, ..made };
        made.check_memory()?;
        Ok(made)
    }
}

/// How the network is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Training {
    /// Number of passes over the training items.
    pub epochs: usize,
    /// Batch size; 0 uses all items.
    pub batch_size: usize,
    /// Learning rate of the network's optimiser.
    pub learning_rate: f64,
    /// Multiply both learning rates by this after every epoch.
    pub learning_rate_decay: f64,
    /// The optimiser.
    pub optimiser: OptimiserKind,
    /// Weight decay: how strongly the network's weights are pulled towards 0.
    pub weight_decay: f64,
    /// Share of the labelled items held out of training: the likelihood of their labels scores every epoch. With fewer
    /// than 50 labelled items none are held out.
    pub holdout: f64,
    /// Which epoch is the result: the `best` by held-out labels, or the `last`.
    pub choose: Choose,
    /// Once the best epoch is known, train again for that many epochs with the held-out items included.
    pub refit: bool,
    /// Stop after this many epochs without improvement; 0 = never.
    pub patience: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    #[default]
    Best,
    Last,
}

impl Default for Training {
    fn default() -> Self {
        Training {
            epochs: 120,
            batch_size: 64,
            learning_rate: 1e-3,
            learning_rate_decay: 1.0,
            optimiser: OptimiserKind::Adam,
            weight_decay: 1e-4,
            holdout: 0.1,
            choose: Choose::Best,
            refit: true,
            patience: 30,
        }
    }
}

impl Training {
    pub(crate) fn check(&self, problems: &mut Problems) {
        problems.count("epochs", self.epochs);
        problems.positive("learning_rate", self.learning_rate);
        let decay = self.learning_rate_decay;
        problems.require(decay > 0.0 && decay <= 1.0, "learning_rate_decay", decay, "greater than 0 and at most 1");
        problems.at_least("weight_decay", self.weight_decay, 0.0);
        problems.within("holdout", self.holdout, 0.0, 0.5);
    }

    pub(crate) fn optimiser(&self) -> Optimiser {
        Optimiser::new(self.optimiser, self.learning_rate, self.weight_decay)
    }
}
