//! Features to mean 0 and deviation 1.

use crate::Matrix;
use crowdwise_core::{Error, Features};

/// How raw features become what the network sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaler {
    /// Numbers of a raw row.
    pub width: usize,
    /// Height, width and channels, if rows are images and the network wants them channel by channel.
    pub image: Option<[usize; 3]>,
    pub(crate) mean: Vec<f32>,
    /// 1 / deviation; 0 for a number that never changes.
    pub(crate) factor: Vec<f32>,
    /// Scaled numbers are at most so far from 0.
    pub(crate) limit: Option<f32>,
}

impl Scaler {
    /// From the features themselves: per number, for images per channel. Scaled numbers further than `limit` from 0 are set to it
    /// (0 = no limit). Without `standardise` nothing is scaled and nothing limited.
    pub fn new(features: &Features, standardise: bool, limit: f64, by_channel: bool) -> Self {
        let dim = features.dim;
        let groups = features.image.map_or(dim, |[_, _, channels]| channels.max(1));
        let image = features.image.filter(|_| by_channel);
        if !standardise {
            return Scaler { width: dim, image, mean: vec![0.0; dim], factor: vec![1.0; dim], limit: None };
        }
        // the channel of an image runs fastest, so that a number belongs to group (place mod groups)
        let (mean, factor) = features.standard(groups, |_| true);
        Scaler {
            width: dim,
            image,
            mean: (0..dim).map(|c| mean[c % groups] as f32).collect(),
            factor: (0..dim).map(|c| factor[c % groups] as f32).collect(),
            limit: (limit > 0.0).then_some(limit as f32),
        }
    }

    /// What the network sees of these features.
    pub fn apply(&self, features: &Features) -> Result<Matrix, Error> {
        if features.dim != self.width {
            return Err(Error::BadData {
                file: "the features".into(),
                what: format!("a row has {} numbers, but the model was trained on {}", features.dim, self.width),
                hint: Some("give the features that the model was trained with, in the same order".into()),
            });
        }
        let mut values = features.values.clone();
        for row in values.chunks_exact_mut(self.width.max(1)) {
            for ((x, m), f) in row.iter_mut().zip(&self.mean).zip(&self.factor) {
                *x = (*x - m) * f;
            }
        }
        if let Some(limit) = self.limit {
            values.iter_mut().for_each(|x| *x = x.clamp(-limit, limit));
        }
        if let Some([height, width, channels]) = self.image.filter(|i| i[2] > 1) {
            let mut plane = vec![0.0; self.width];
            for row in values.chunks_exact_mut(self.width) {
                for (at, x) in row.iter().enumerate() {
                    plane[(at % channels) * height * width + at / channels] = *x;
                }
                row.copy_from_slice(&plane);
            }
        }
        Ok(Matrix::new(features.rows(), self.width, values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_mean_0_and_deviation_1_and_constants_vanish() {
        let f = Features { dim: 3, values: vec![1.0, 7.1, 2.0, 3.0, 7.1, 6.0], image: None };
        let x = Scaler::new(&f, true, 0.0, false).apply(&f).unwrap();
        assert_eq!(x.values, [-1.0, 0.0, -1.0, 1.0, 0.0, 1.0]);
        assert_eq!(Scaler::new(&f, false, 0.5, false).apply(&f).unwrap().values, f.values);
        assert_eq!(Scaler::new(&f, true, 0.5, false).apply(&f).unwrap().values, [-0.5, 0.0, -0.5, 0.5, 0.0, 0.5]);
        let e = Scaler::new(&f, true, 0.0, false).apply(&Features { dim: 2, ..f }).unwrap_err().to_string();
        assert!(e.contains("2 numbers") && e.contains("trained on 3"), "{e}");
    }

    #[test]
    fn images_are_scaled_by_channel_and_laid_out_by_channel() {
        // one 1 x 2 image of two channels: (0, 10), (2, 30)
        let f = Features { dim: 4, values: vec![0.0, 10.0, 2.0, 30.0], image: Some([1, 2, 2]) };
        assert_eq!(Scaler::new(&f, true, 0.0, true).apply(&f).unwrap().values, [-1.0, 1.0, -1.0, 1.0]);
        assert_eq!(Scaler::new(&f, true, 0.0, false).apply(&f).unwrap().values, [-1.0, -1.0, 1.0, 1.0]);
        assert_eq!(Scaler::new(&f, false, 0.0, true).apply(&f).unwrap().values, [0.0, 2.0, 10.0, 30.0]);
    }
}
