//! 3 x 3 convolution with a border of zeros: the patches of an image become the columns of a matrix (im2col), and the
//! convolution one product. Images are shared out over threads in groups of a fixed size, so that sums of gradients are
//! taken in the same order on any number of threads.

use super::{Layer, Param, Pass, Shape};
use crate::Matrix;
use crate::matrix::{plain, product, transposed};
use rayon::prelude::*;

/// Images of a group.
const GROUP: usize = 8;

pub(super) struct Conv {
    input: Shape,
    filters: usize,
    /// filters x (channels x 9)
    w: Param,
    b: Param,
}

impl Conv {
    pub fn new(input: Shape, filters: usize, w: Vec<f32>) -> Self {
        Conv { input, filters, w: Param::new(w, true), b: Param::new(vec![0.0; filters], false) }
    }

    fn patch(&self) -> usize {
        self.input.channels * 9
    }

    fn area(&self) -> usize {
        self.input.height * self.input.width
    }
}

/// The patch around every pixel: (channels x 9) x pixels.
fn columns(x: &[f32], shape: Shape, out: &mut [f32]) {
    let Shape { channels, height: h, width: w } = shape;
    for c in 0..channels {
        let plane = &x[c * h * w..(c + 1) * h * w];
        for (ky, kx) in (0..9).map(|n| (n / 3, n % 3)) {
            let line = &mut out[(c * 9 + ky * 3 + kx) * h * w..][..h * w];
            for (y, to) in line.chunks_exact_mut(w).enumerate() {
                if y + ky < 1 || y + ky > h {
                    to.fill(0.0);
                    continue;
                }
                let from = &plane[(y + ky - 1) * w..][..w];
                match kx {
                    0 => {
                        to[0] = 0.0;
                        to[1..].copy_from_slice(&from[..w - 1]);
                    }
                    1 => to.copy_from_slice(from),
                    _ => {
                        to[..w - 1].copy_from_slice(&from[1..]);
                        to[w - 1] = 0.0;
                    }
                }
            }
        }
    }
}

/// Adds every patch back to the pixels that it came from.
fn add_columns(patches: &[f32], shape: Shape, x: &mut [f32]) {
    let Shape { channels, height: h, width: w } = shape;
    x.fill(0.0);
    for c in 0..channels {
        let plane = &mut x[c * h * w..(c + 1) * h * w];
        for (ky, kx) in (0..9).map(|n| (n / 3, n % 3)) {
            let line = &patches[(c * 9 + ky * 3 + kx) * h * w..][..h * w];
            for (y, from) in line.chunks_exact(w).enumerate() {
                if y + ky < 1 || y + ky > h {
                    continue;
                }
                let to = &mut plane[(y + ky - 1) * w..][..w];
                let (to, from) = match kx {
                    0 => (&mut to[..w - 1], &from[1..]),
                    1 => (to, from),
                    _ => (&mut to[1..], &from[..w - 1]),
                };
                to.iter_mut().zip(from).for_each(|(t, f)| *t += f);
            }
        }
    }
}

impl Layer for Conv {
    fn forward(&mut self, x: &Matrix, y: &mut Matrix, _: &mut Pass) {
        let (patch, area, size) = (self.patch(), self.area(), self.input.len());
        y.resize(x.rows, self.filters * area);
        let this = &*self;
        let groups = y.values.par_chunks_mut(GROUP * self.filters * area).zip(x.values.par_chunks(GROUP * size));
        groups.for_each_init(
            || vec![0.0; patch * area],
            |patches, (y, x)| {
                for (y, x) in y.chunks_exact_mut(this.filters * area).zip(x.chunks_exact(size)) {
                    columns(x, this.input, patches);
                    for (plane, b) in y.chunks_exact_mut(area).zip(&this.b.w) {
                        plane.fill(*b);
                    }
                    let (w, p) = (plain(&this.w.w, patch), plain(patches, area));
                    product(y, (this.filters, area, patch), w, p, true);
                }
            },
        );
    }

    fn backward(&mut self, x: &Matrix, _: &Matrix, dy: &Matrix, dx: Option<&mut Matrix>) {
        let (patch, area, size) = (self.patch(), self.area(), self.input.len());
        let this = &*self;
        let mut no_dx = Vec::new();
        let wanted = dx.is_some();
        let dx = dx.map_or(&mut no_dx, |d| {
            d.resize(x.rows, x.cols);
            &mut d.values
        });
        // where no derivative by the input is wanted, every group gets an empty slice
        let mut dx_groups: Vec<&mut [f32]> = if wanted {
            dx.chunks_mut(GROUP * size).collect()
        } else {
            (0..x.rows.div_ceil(GROUP)).map(|_| Default::default()).collect()
        };
        let sums: Vec<(Vec<f32>, Vec<f32>)> = dx_groups
            .par_iter_mut()
            .zip(x.values.par_chunks(GROUP * size))
            .zip(dy.values.par_chunks(GROUP * this.filters * area))
            .map_init(
                || vec![0.0; patch * area],
                |patches, ((dx, x), dy)| {
                    let (mut gw, mut gb) = (vec![0.0; this.filters * patch], vec![0.0; this.filters]);
                    for (n, (x, dy)) in x.chunks_exact(size).zip(dy.chunks_exact(this.filters * area)).enumerate() {
                        columns(x, this.input, patches);
                        let (d, p) = (plain(dy, area), transposed(patches, area));
                        product(&mut gw, (this.filters, patch, area), d, p, true);
                        for (g, plane) in gb.iter_mut().zip(dy.chunks_exact(area)) {
                            *g += plane.iter().sum::<f32>();
                        }
                        if wanted {
                            product(patches, (patch, area, this.filters), transposed(&this.w.w, patch), d, false);
                            add_columns(patches, this.input, &mut dx[n * size..(n + 1) * size]);
                        }
                    }
                    (gw, gb)
                },
            )
            .collect();
        self.w.g.fill(0.0);
        self.b.g.fill(0.0);
        for (gw, gb) in &sums {
            self.w.g.iter_mut().zip(gw).for_each(|(g, x)| *g += x);
            self.b.g.iter_mut().zip(gb).for_each(|(g, x)| *g += x);
        }
    }

    fn params(&mut self) -> Vec<&mut Param> {
        vec![&mut self.w, &mut self.b]
    }

    fn weights(&self) -> Vec<&[f32]> {
        vec![&self.w.w, &self.b.w]
    }
}
