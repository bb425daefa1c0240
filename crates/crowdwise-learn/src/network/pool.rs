//! The largest number of every 2 x 2 pixels; a last odd row or column is left out.

use super::{Layer, Pass, Shape};
use crate::Matrix;

pub(super) struct MaxPool {
    input: Shape,
    /// Which of the four pixels won, for every number of the output.
    winner: Vec<u8>,
}

impl MaxPool {
    pub fn new(input: Shape) -> Self {
        MaxPool { input, winner: Vec::new() }
    }
}

impl Layer for MaxPool {
    fn forward(&mut self, x: &Matrix, y: &mut Matrix, _: &mut Pass) {
        let Shape { channels, height, width } = self.input;
        let (h, w) = (height / 2, width / 2);
        y.resize(x.rows, channels * h * w);
        self.winner.resize(y.values.len(), 0);
        let planes = x.values.chunks_exact(height * width).zip(y.values.chunks_exact_mut(h * w));
        for ((x, y), winner) in planes.zip(self.winner.chunks_exact_mut(h * w)) {
            for i in 0..h {
                let (top, bottom) = x[2 * i * width..].split_at(width);
                for j in 0..w {
                    let four = [top[2 * j], top[2 * j + 1], bottom[2 * j], bottom[2 * j + 1]];
                    let mut best = 0;
                    for q in 1..4 {
                        if four[q] > four[best] {
                            best = q;
                        }
                    }
                    (y[i * w + j], winner[i * w + j]) = (four[best], best as u8);
                }
            }
        }
    }

    fn backward(&mut self, x: &Matrix, _: &Matrix, dy: &Matrix, dx: Option<&mut Matrix>) {
        let Some(dx) = dx else { return };
        let Shape { height, width, .. } = self.input;
        let (h, w) = (height / 2, width / 2);
        dx.resize(x.rows, x.cols);
        dx.values.fill(0.0);
        let planes = dx.values.chunks_exact_mut(height * width).zip(dy.values.chunks_exact(h * w));
        for ((dx, dy), winner) in planes.zip(self.winner.chunks_exact(h * w)) {
            for i in 0..h {
                for j in 0..w {
                    let q = winner[i * w + j] as usize;
                    dx[(2 * i + q / 2) * width + 2 * j + q % 2] = dy[i * w + j];
                }
            }
        }
    }
}
