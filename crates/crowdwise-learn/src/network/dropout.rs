//! Dropout: in a training or sampling pass each number is 0 with probability `rate`, the others grow in proportion.

use super::{Layer, Pass};
use crate::Matrix;
use rand::Rng;

pub(super) struct Dropout {
    /// A draw of 16 bits below this means 0.
    limit: u32,
    grow: f32,
    /// Factor of every number of the last pass; empty if dropout was off.
    mask: Vec<f32>,
    draws: Vec<u8>,
}

impl Dropout {
    pub fn new(rate: f64) -> Self {
        let limit = (rate * 65536.0).round() as u32;
        Dropout { limit, grow: 65536.0 / (65536 - limit).max(1) as f32, mask: Vec::new(), draws: Vec::new() }
    }
}

impl Layer for Dropout {
    fn forward(&mut self, x: &Matrix, y: &mut Matrix, pass: &mut Pass) {
        y.resize(x.rows, x.cols);
        self.mask.clear();
        let Some(rng) = pass.draws.as_mut().filter(|_| self.limit > 0) else {
            y.values.copy_from_slice(&x.values);
            return;
        };
        self.draws.resize(2 * x.values.len(), 0);
        rng.fill_bytes(&mut self.draws);
        let (limit, grow) = (self.limit, self.grow);
        let factor = |d: &[u8]| if u32::from(u16::from_le_bytes([d[0], d[1]])) < limit { 0.0 } else { grow };
        self.mask.extend(self.draws.chunks_exact(2).map(factor));
        for ((y, x), m) in y.values.iter_mut().zip(&x.values).zip(&self.mask) {
            *y = x * m;
        }
    }

    fn backward(&mut self, _: &Matrix, _: &Matrix, dy: &Matrix, dx: Option<&mut Matrix>) {
        let Some(dx) = dx else { return };
        dx.resize(dy.rows, dy.cols);
        if self.mask.is_empty() {
            dx.values.copy_from_slice(&dy.values);
            return;
        }
        for ((dx, dy), m) in dx.values.iter_mut().zip(&dy.values).zip(&self.mask) {
            *dx = dy * m;
        }
    }
}
