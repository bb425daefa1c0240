//! What a method asks of a classifier, whoever built it.

use crate::Matrix;
use crowdwise_core::Error;

/// How the classifier is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Dropout on, batch statistics of the batch; [`Classifier::backward`] may follow.
    Train,
    /// As new items are classified.
    Eval,
    /// As `Eval`, but with dropout: one draw from the classifiers that dropout stands for. The same number gives the
    /// same draw.
    Sample(u64),
}

/// All that is learned, in the classifier's own order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights(pub Vec<f32>);

/// Anything that maps rows of features to rows of scores (soft-max of them = class probabilities) and can be pushed by a
/// gradient on its output. The methods know no more of a network than this, so that a module of another framework can
/// take the place of the built-in one.
pub trait Classifier: Send {
    /// Numbers in a row of features.
    fn width(&self) -> usize;
    /// Numbers in a row of output.
    fn outputs(&self) -> usize;
    /// The scores of a batch.
    fn forward(&mut self, x: &Matrix, mode: Mode) -> Result<Matrix, Error>;
    /// As [`Classifier::forward`] in `Train` mode, of features that nobody needs afterwards: the classifier may keep them and leave
    /// something else in their place. [`Classifier::seen`] tells where they are.
    fn forward_kept(&mut self, x: &mut Matrix) -> Result<Matrix, Error> {
        self.forward(x, Mode::Train)
    }
    /// The features of the last [`Classifier::forward_kept`], for the matrix that was given to it.
    fn seen<'a>(&'a self, x: &'a Matrix) -> &'a Matrix {
        x
    }
    /// One step of the optimiser, for the derivative of the loss by the scores of the last forward pass in `Train` mode.
    fn backward(&mut self, d_scores: &Matrix) -> Result<(), Error>;
    /// The derivative of the loss by the features of the last forward pass, for its derivative by the scores. No step is taken.
    fn input_gradient(&mut self, _d_scores: &Matrix) -> Result<Matrix, Error> {
        Err(Error::Unsupported {
            what: "this classifier gives no derivative by its features".into(),
            hint: Some("use the built-in network, or a method that does not change features".into()),
        })
    }
    /// Multiplies the learning rate that the classifier was made with.
    fn set_rate(&mut self, factor: f64);
    fn snapshot(&self) -> Result<Weights, Error>;
    /// Goes back to weights of a snapshot, with an optimiser that has no past.
    fn restore(&mut self, weights: &Weights) -> Result<(), Error>;
}

/// Rows that are evaluated at once.
const CHUNK: usize = 512;

/// The scores of these rows of `x`, a chunk at a time.
pub fn scores(net: &mut dyn Classifier, x: &Matrix, rows: &[u32], mode: Mode) -> Result<Matrix, Error> {
    let mut out =
        Matrix { rows: rows.len(), cols: net.outputs(), values: Vec::with_capacity(rows.len() * net.outputs()) };
    let mut batch = Matrix::default();
    for part in rows.chunks(CHUNK) {
        batch.gather(x, part);
        out.values.extend(net.forward(&batch, mode)?.values);
    }
    Ok(out)
}
