//! Networks of the sizes that this field uses: layers written on the `gemm` kernels, with gradients by hand.

mod architecture;
mod conv;
mod dense;
mod dropout;
mod norm;
mod optimiser;
mod pool;

pub use architecture::{Architecture, LayerSpec, Shape, StartWeights};
pub use optimiser::{Optimiser, OptimiserKind};

use crate::{Classifier, Matrix, Mode, Weights};
use crowdwise_core::{Error, stream};
use rand_chacha::ChaCha8Rng;

/// Numbers that are learned, with their gradient and what the optimiser remembers of them.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub w: Vec<f32>,
    pub g: Vec<f32>,
    m: Vec<f32>,
    v: Vec<f32>,
    /// Weights are decayed, offsets and scales are not.
    decayed: bool,
}

impl Param {
    pub fn new(w: Vec<f32>, decayed: bool) -> Self {
        let n = w.len();
        Param { w, g: vec![0.0; n], m: vec![0.0; n], v: vec![0.0; n], decayed }
    }
}

/// What a pass brings to the layers.
pub(crate) struct Pass {
    /// Batch statistics are taken and kept.
    pub training: bool,
    /// Where dropout draws from, if it is on.
    pub draws: Option<ChaCha8Rng>,
}

/// One layer. `backward` follows a `forward` with the same `x` and `y`.
pub(crate) trait Layer: Send {
    fn forward(&mut self, x: &Matrix, y: &mut Matrix, pass: &mut Pass);
    /// Sets the gradients of its parameters, and the derivative by its input where one is asked for.
    fn backward(&mut self, x: &Matrix, y: &Matrix, dy: &Matrix, dx: Option<&mut Matrix>);
    fn params(&mut self) -> Vec<&mut Param> {
        Vec::new()
    }
    /// What is learned or kept besides the parameters (running statistics).
    fn kept(&self) -> Vec<&[f32]> {
        Vec::new()
    }
    fn kept_mut(&mut self) -> Vec<&mut [f32]> {
        Vec::new()
    }
    fn weights(&self) -> Vec<&[f32]> {
        Vec::new()
    }
}

/// Negative numbers become 0.
struct Relu;

impl Layer for Relu {
    fn forward(&mut self, x: &Matrix, y: &mut Matrix, _: &mut Pass) {
        y.resize(x.rows, x.cols);
        y.values.iter_mut().zip(&x.values).for_each(|(y, x)| *y = x.max(0.0));
    }

    fn backward(&mut self, _: &Matrix, y: &Matrix, dy: &Matrix, dx: Option<&mut Matrix>) {
        let Some(dx) = dx else { return };
        dx.resize(y.rows, y.cols);
        for ((dx, y), dy) in dx.values.iter_mut().zip(&y.values).zip(&dy.values) {
            // a choice without a branch, which nobody could foretell
            *dx = f32::from_bits(dy.to_bits() & u32::from(*y > 0.0).wrapping_neg());
        }
    }
}

/// A chain of layers with its optimiser: the built-in [`Classifier`].
pub struct Network {
    architecture: Architecture,
    layers: Vec<Box<dyn Layer>>,
    optimiser: Optimiser,
    seed: u64,
    /// Training passes so far: each draws its own dropout.
    passes: u64,
    /// Input and output of every layer of the last pass, and the derivatives.
    activations: Vec<Matrix>,
    gradients: [Matrix; 2],
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network").field("architecture", &self.architecture).finish_non_exhaustive()
    }
}

impl Network {
    /// A network with random weights.
    pub fn new(architecture: Architecture, optimiser: Optimiser, seed: u64) -> Self {
        let layers = architecture.build(&mut stream(seed, "weights", 0));
        let activations = vec![Matrix::default(); layers.len() + 1];
        Network {
            architecture,
            layers,
            optimiser,
            seed,
            passes: 0,
            activations,
            gradients: [Matrix::default(), Matrix::default()],
        }
    }

    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    fn width_error(&self, cols: usize) -> Error {
        Error::BadData {
            file: "the features".into(),
            what: format!("a row has {cols} numbers, but the network was made for {}", self.width()),
            hint: None,
        }
    }

    /// Sets the gradients of all parameters, and gives the derivative by the input where it is asked for.
    fn gradients(&mut self, d_scores: &Matrix, input: bool) {
        let [dy, dx] = &mut self.gradients;
        dy.clone_from(d_scores);
        for (at, layer) in self.layers.iter_mut().enumerate().rev() {
            let wanted = at > 0 || input;
            layer.backward(&self.activations[at], &self.activations[at + 1], dy, wanted.then_some(&mut *dx));
            std::mem::swap(dy, dx);
        }
    }

    /// The scores of the rows that are the first activations.
    fn run(&mut self, mode: Mode) -> Matrix {
        let mut pass = Pass {
            training: mode == Mode::Train,
            draws: match mode {
                Mode::Train => Some(stream(self.seed, "dropout", self.passes)),
                Mode::Eval => None,
                Mode::Sample(n) => Some(stream(self.seed, "dropout sample", n)),
            },
        };
        self.passes += u64::from(pass.training);
        for (at, layer) in self.layers.iter_mut().enumerate() {
            let (before, after) = self.activations.split_at_mut(at + 1);
            layer.forward(&before[at], &mut after[0], &mut pass);
        }
        self.activations[self.layers.len()].clone()
    }
}

impl Classifier for Network {
    fn width(&self) -> usize {
        self.architecture.input.len()
    }

    fn outputs(&self) -> usize {
        self.architecture.outputs()
    }

    fn forward(&mut self, x: &Matrix, mode: Mode) -> Result<Matrix, Error> {
        if x.cols != self.width() {
            return Err(self.width_error(x.cols));
        }
        self.activations[0].clone_from(x);
        Ok(self.run(mode))
    }

    fn forward_kept(&mut self, x: &mut Matrix) -> Result<Matrix, Error> {
        if x.cols != self.width() {
            return Err(self.width_error(x.cols));
        }
        std::mem::swap(&mut self.activations[0], x);
        Ok(self.run(Mode::Train))
    }

    fn seen<'a>(&'a self, _: &'a Matrix) -> &'a Matrix {
        &self.activations[0]
    }

    fn backward(&mut self, d_scores: &Matrix) -> Result<(), Error> {
        self.gradients(d_scores, false);
        self.optimiser.step(self.layers.iter_mut().flat_map(|l| l.params()));
        Ok(())
    }

    fn input_gradient(&mut self, d_scores: &Matrix) -> Result<Matrix, Error> {
        self.gradients(d_scores, true);
        Ok(self.gradients[0].clone())
    }

    fn set_rate(&mut self, factor: f64) {
        self.optimiser.factor = factor;
    }

    fn snapshot(&self) -> Result<Weights, Error> {
        let parts = self.layers.iter().flat_map(|l| l.weights().into_iter().chain(l.kept()));
        Ok(Weights(parts.flatten().copied().collect()))
    }

    fn restore(&mut self, weights: &Weights) -> Result<(), Error> {
        let wrong = |have: usize| Error::BadData {
            file: "the weights".into(),
            what: format!("there are {} numbers, but the network has {have}", weights.0.len()),
            hint: None,
        };
        let have = self.snapshot()?.0.len();
        if have != weights.0.len() {
            return Err(wrong(have));
        }
        let mut rest = weights.0.as_slice();
        for layer in &mut self.layers {
            for p in layer.params() {
                let (own, more) = rest.split_at(p.w.len());
                p.w.copy_from_slice(own);
                rest = more;
            }
            for kept in layer.kept_mut() {
                let (own, more) = rest.split_at(kept.len());
                kept.copy_from_slice(own);
                rest = more;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
