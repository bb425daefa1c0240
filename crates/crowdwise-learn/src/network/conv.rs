//! 3 x 3 convolution with a border of zeros: the patches of an image become the columns of a matrix (im2col), and the
//! convolution one product. Images are shared out over threads in groups of a fixed size, so that sums of gradients are
//! taken in the same order on any number of threads.

use super::norm::sum;
use super::{Layer, Param, Pass, Shape};
use crate::Matrix;
use crate::matrix::{plain, product, transposed};
use rayon::prelude::*;

/// Images of a group.
const GROUP: usize = 8;
/// Pixels from which a product is large enough: smaller images of a group go into one product.
const PIXELS: usize = 512;

pub(super) struct Conv {
    input: Shape,
    filters: usize,
    /// filters x (channels x 9)
    w: Param,
    b: Param,
}

impl Conv {
    pub fn new(input: Shape, filters: usize, (w, b): (Vec<f32>, Vec<f32>)) -> Self {
        Conv { input, filters, w: Param::new(w, true), b: Param::new(b, false) }
    }

    fn patch(&self) -> usize {
        self.input.channels * 9
    }

    fn area(&self) -> usize {
        self.input.height * self.input.width
    }

    /// Images of one product.
    fn together(&self) -> usize {
        (PIXELS / self.area().max(1)).clamp(1, GROUP)
    }
}

/// What a thread works with: the patches of some images side by side, and their numbers by filter.
#[derive(Default)]
struct Bench {
    patches: Vec<f32>,
    planes: Vec<f32>,
}

/// From filter after filter, images side by side, to image after image, or the other way round.
fn regroup(from: &[f32], to: &mut [f32], (outer, inner, area): (usize, usize, usize)) {
    for (a, from) in from.chunks_exact(inner * area).enumerate() {
        for (b, from) in from.chunks_exact(area).enumerate() {
            to[(b * outer + a) * area..][..area].copy_from_slice(from);
        }
    }
}

/// The patch around every pixel of image number `at`, in a matrix of (channels x 9) x (pixels of all images).
fn columns(x: &[f32], shape: Shape, out: &mut [f32], (at, images): (usize, usize)) {
    let Shape { channels, height: h, width: w } = shape;
    for c in 0..channels {
        let plane = &x[c * h * w..(c + 1) * h * w];
        for (ky, kx) in (0..9).map(|n| (n / 3, n % 3)) {
            let line = &mut out[((c * 9 + ky * 3 + kx) * images + at) * h * w..][..h * w];
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

/// Adds every patch of image number `at` back to the pixels that it came from.
fn add_columns(patches: &[f32], shape: Shape, x: &mut [f32], (at, images): (usize, usize)) {
    let Shape { channels, height: h, width: w } = shape;
    x.fill(0.0);
    for c in 0..channels {
        let plane = &mut x[c * h * w..(c + 1) * h * w];
        for (ky, kx) in (0..9).map(|n| (n / 3, n % 3)) {
            let line = &patches[((c * 9 + ky * 3 + kx) * images + at) * h * w..][..h * w];
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
        let (filters, together) = (self.filters, self.together());
        y.resize(x.rows, filters * area);
        let this = &*self;
        let groups = y.values.par_chunks_mut(GROUP * filters * area).zip(x.values.par_chunks(GROUP * size));
        groups.for_each_init(Bench::default, |bench, (y, x)| {
            for (y, x) in y.chunks_mut(together * filters * area).zip(x.chunks(together * size)) {
                let images = x.len() / size;
                bench.patches.resize(patch * images * area, 0.0);
                for (at, x) in x.chunks_exact(size).enumerate() {
                    columns(x, this.input, &mut bench.patches, (at, images));
                }
                bench.planes.resize(filters * images * area, 0.0);
                for (plane, b) in bench.planes.chunks_exact_mut(images * area).zip(&this.b.w) {
                    plane.fill(*b);
                }
                let (w, p) = (plain(&this.w.w, patch), plain(&bench.patches, images * area));
                product(&mut bench.planes, (filters, images * area, patch), w, p, true);
                regroup(&bench.planes, y, (filters, images, area));
            }
        });
    }

    fn backward(&mut self, x: &Matrix, _: &Matrix, dy: &Matrix, dx: Option<&mut Matrix>) {
        let (patch, area, size) = (self.patch(), self.area(), self.input.len());
        let (filters, together) = (self.filters, self.together());
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
            .zip(dy.values.par_chunks(GROUP * filters * area))
            .map_init(Bench::default, |bench, ((dx, x), dy)| {
                let (mut gw, mut gb) = (vec![0.0; filters * patch], vec![0.0; filters]);
                let parts = x.chunks(together * size).zip(dy.chunks(together * filters * area));
                for (part, (x, dy)) in parts.enumerate() {
                    let images = x.len() / size;
                    bench.patches.resize(patch * images * area, 0.0);
                    for (at, x) in x.chunks_exact(size).enumerate() {
                        columns(x, this.input, &mut bench.patches, (at, images));
                    }
                    bench.planes.resize(filters * images * area, 0.0);
                    regroup(dy, &mut bench.planes, (images, filters, area));
                    let d = plain(&bench.planes, images * area);
                    let p = transposed(&bench.patches, images * area);
                    product(&mut gw, (filters, patch, images * area), d, p, true);
                    for (g, plane) in gb.iter_mut().zip(bench.planes.chunks_exact(images * area)) {
                        *g += sum(plane, plane, |d, _| f64::from(d)) as f32;
                    }
                    if wanted {
                        let w = transposed(&this.w.w, patch);
                        product(&mut bench.patches, (patch, images * area, filters), w, d, false);
                        let dx = dx[part * together * size..][..images * size].chunks_exact_mut(size);
                        dx.enumerate().for_each(|(at, dx)| add_columns(&bench.patches, this.input, dx, (at, images)));
                    }
                }
                (gw, gb)
            })
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
