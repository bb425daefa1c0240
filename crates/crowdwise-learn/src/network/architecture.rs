//! What a network is made of, as it is written into a saved model.

use super::conv::Conv;
use super::dense::Dense;
use super::dropout::Dropout;
use super::norm::BatchNorm;
use super::pool::MaxPool;
use super::{Layer, Relu};
use crowdwise_core::{Error, group, memory};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Numbers of a row: channels x height x width. A plain row of n features is n channels of one pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    pub channels: usize,
    pub height: usize,
    pub width: usize,
}

impl Shape {
    pub fn plain(n: usize) -> Self {
        Shape { channels: n, height: 1, width: 1 }
    }

    /// More than can be counted is the largest number there is.
    pub fn len(self) -> usize {
        self.channels.saturating_mul(self.height).saturating_mul(self.width)
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// One layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayerSpec {
    Dense {
        outputs: usize,
    },
    /// 3 x 3, as many pixels out as in.
    Conv {
        filters: usize,
    },
    /// 2 x 2; nothing happens where a side has one pixel only.
    MaxPool,
    Relu,
    BatchNorm,
    Dropout {
        rate: f64,
    },
}

/// How large the weights are before training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartWeights {
    /// Normal, of variance 2 / inputs before a ReLU and 1 / inputs before the output: numbers are as large in every layer.
    #[default]
    Full,
    /// Uniform within 1 / √inputs, offsets too.
    Small,
}

/// Input and layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Architecture {
    pub input: Shape,
    pub layers: Vec<LayerSpec>,
    #[serde(default)]
    pub weights: StartWeights,
}

impl Architecture {
    /// Soft-max regression.
    pub fn linear(features: usize, outputs: usize) -> Self {
        Architecture {
            input: Shape::plain(features),
            layers: vec![LayerSpec::Dense { outputs }],
            weights: StartWeights::default(),
        }
    }

    /// Hidden layers of these sizes, each with ReLU and dropout.
    pub fn mlp(features: usize, hidden: &[usize], outputs: usize, dropout: f64, batch_norm: bool) -> Self {
        let mut layers = Vec::new();
        for &h in hidden {
            layers.push(LayerSpec::Dense { outputs: h });
            if batch_norm {
                layers.push(LayerSpec::BatchNorm);
            }
            layers.extend([LayerSpec::Relu, LayerSpec::Dropout { rate: dropout }]);
        }
        layers.push(LayerSpec::Dense { outputs });
        Architecture { input: Shape::plain(features), layers, weights: StartWeights::default() }
    }

    /// The four-layer convolutional network of Kim et al. (2022): 3 x 3 filters (32, 32, 64, 64), each layer halved by
    /// max-pooling, batch norm after the first, then a hidden layer.
    pub fn convolutional(input: Shape, hidden: &[usize], outputs: usize, dropout: f64) -> Self {
        let mut layers = Vec::new();
        for (n, filters) in [32, 32, 64, 64].into_iter().enumerate() {
            layers.push(LayerSpec::Conv { filters });
            if n == 0 {
                layers.push(LayerSpec::BatchNorm);
            }
            // the largest of four and the larger of it and 0: in this order a quarter of the work
            layers.extend([LayerSpec::MaxPool, LayerSpec::Relu]);
        }
        for &h in hidden {
            layers.extend([LayerSpec::Dense { outputs: h }, LayerSpec::Relu, LayerSpec::Dropout { rate: dropout }]);
        }
        layers.push(LayerSpec::Dense { outputs });
        Architecture { input, layers, weights: StartWeights::default() }
    }

    /// Numbers in a row of output.
    pub fn outputs(&self) -> usize {
        self.layers.iter().fold(self.input, |shape, layer| after(shape, *layer)).len()
    }

    /// Numbers that are learned or kept, as [`crate::Classifier::snapshot`] gives them; none if they cannot be counted. Nothing
    /// is made for it, so that a hostile file cannot ask for memory.
    pub fn numbers(&self) -> Option<usize> {
        let mut shape = self.input;
        let mut all = 0usize;
        for &layer in &self.layers {
            // an intermediate row must be countable, too
            let row = shape.channels.checked_mul(shape.height)?.checked_mul(shape.width)?;
            let own = match layer {
                LayerSpec::Dense { outputs } => row.checked_add(1)?.checked_mul(outputs)?,
                LayerSpec::Conv { filters } => shape.channels.checked_mul(9)?.checked_add(1)?.checked_mul(filters)?,
                LayerSpec::BatchNorm => shape.channels.checked_mul(4)?,
                LayerSpec::MaxPool | LayerSpec::Relu | LayerSpec::Dropout { .. } => 0,
            };
            all = all.checked_add(own)?;
            shape = after(shape, layer);
        }
        shape.channels.checked_mul(shape.height)?.checked_mul(shape.width).map(|_| all)
    }

    /// Refuses a network that would not fit into memory: every weight has its gradient and what the optimiser remembers.
    pub(crate) fn check_memory(&self) -> Result<(), Error> {
        let numbers = self.numbers();
        memory::check(numbers.and_then(|n| memory::bytes_of(&[n], 16)), || match numbers {
            Some(n) => format!("a network of {} weights", group(n as u64)),
            None => "a network of more weights than can be counted".into(),
        })
    }

    /// Whether sampling gives anything but the same row again.
    pub fn has_dropout(&self) -> bool {
        self.layers.iter().any(|l| matches!(l, LayerSpec::Dropout { rate } if *rate > 0.0))
    }

    /// The layers with random weights.
    pub(super) fn build(&self, rng: &mut ChaCha8Rng) -> Vec<Box<dyn Layer>> {
        let mut shape = self.input;
        let last = self.layers.len().saturating_sub(1);
        let mut out: Vec<Box<dyn Layer>> = Vec::new();
        for (at, &spec) in self.layers.iter().enumerate() {
            let mut draw = |inputs: usize, outputs: usize| -> (Vec<f32>, Vec<f32>) {
                let (n, inputs) = (inputs * outputs, inputs.max(1) as f64);
                match self.weights {
                    StartWeights::Full => {
                        let variance = if at == last { 1.0 } else { 2.0 } / inputs;
                        let normal = Normal::new(0.0, variance.sqrt()).expect("a finite deviation");
                        ((0..n).map(|_| normal.sample(rng) as f32).collect(), vec![0.0; outputs])
                    }
                    StartWeights::Small => {
                        let most = 1.0 / (inputs as f32).sqrt();
                        let mut some = |n: usize| (0..n).map(|_| rng.random_range(-most..most)).collect();
                        (some(n), some(outputs))
                    }
                }
            };
            match spec {
                LayerSpec::Dense { outputs } => {
                    let n = shape.len();
                    out.push(Box::new(Dense::new(n, outputs, draw(n, outputs))));
                }
                LayerSpec::Conv { filters } => {
                    out.push(Box::new(Conv::new(shape, filters, draw(shape.channels * 9, filters))));
                }
                LayerSpec::MaxPool if can_pool(shape) => out.push(Box::new(MaxPool::new(shape))),
                LayerSpec::Relu => out.push(Box::new(Relu)),
                LayerSpec::BatchNorm => {
                    out.push(Box::new(BatchNorm::new(shape.channels, shape.height * shape.width)));
                }
                LayerSpec::Dropout { rate } if rate > 0.0 => out.push(Box::new(Dropout::new(rate))),
                // nothing left to pool, or nothing to drop
                LayerSpec::MaxPool | LayerSpec::Dropout { .. } => {}
            }
            shape = after(shape, spec);
        }
        out
    }
}

fn can_pool(shape: Shape) -> bool {
    shape.height >= 2 && shape.width >= 2
}

fn after(shape: Shape, layer: LayerSpec) -> Shape {
    match layer {
        LayerSpec::Dense { outputs } => Shape::plain(outputs),
        LayerSpec::Conv { filters } => Shape { channels: filters, ..shape },
        LayerSpec::MaxPool if can_pool(shape) => Shape { height: shape.height / 2, width: shape.width / 2, ..shape },
        LayerSpec::MaxPool | LayerSpec::Relu | LayerSpec::BatchNorm | LayerSpec::Dropout { .. } => shape,
    }
}
