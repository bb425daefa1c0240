//! A full linear layer: y = x W + b.

use super::{Layer, Param, Pass};
use crate::Matrix;
use crate::matrix::{plain, product, transposed};

pub(super) struct Dense {
    inputs: usize,
    outputs: usize,
    /// inputs x outputs
    w: Param,
    b: Param,
}

impl Dense {
    pub fn new(inputs: usize, outputs: usize, (w, b): (Vec<f32>, Vec<f32>)) -> Self {
        Dense { inputs, outputs, w: Param::new(w, true), b: Param::new(b, false) }
    }
}

impl Layer for Dense {
    fn forward(&mut self, x: &Matrix, y: &mut Matrix, _: &mut Pass) {
        y.resize(x.rows, self.outputs);
        for row in y.values.chunks_exact_mut(self.outputs) {
            row.copy_from_slice(&self.b.w);
        }
        let (x, w) = (plain(&x.values, self.inputs), plain(&self.w.w, self.outputs));
        product(&mut y.values, (y.rows, self.outputs, self.inputs), x, w, true);
    }

    fn backward(&mut self, x: &Matrix, _: &Matrix, dy: &Matrix, dx: Option<&mut Matrix>) {
        let d = plain(&dy.values, self.outputs);
        let xt = transposed(&x.values, self.inputs);
        product(&mut self.w.g, (self.inputs, self.outputs, dy.rows), xt, d, false);
        self.b.g.fill(0.0);
        for row in dy.values.chunks_exact(self.outputs) {
            self.b.g.iter_mut().zip(row).for_each(|(g, d)| *g += d);
        }
        if let Some(dx) = dx {
            dx.resize(dy.rows, self.inputs);
            let wt = transposed(&self.w.w, self.outputs);
            product(&mut dx.values, (dy.rows, self.inputs, self.outputs), d, wt, false);
        }
    }

    fn params(&mut self) -> Vec<&mut Param> {
        vec![&mut self.w, &mut self.b]
    }

    fn weights(&self) -> Vec<&[f32]> {
        vec![&self.w.w, &self.b.w]
    }
}
