//! What models with a bias and a noise per annotator have in common.

use crowdwise_core::Problems;

/// The parameters of the annotators, whatever the truths follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub bias: bool,
    pub scale: bool,
    /// Degrees of freedom of Student's t noise.
    pub nu: Option<f64>,
    /// Shape of the prior of the variances.
    pub alpha: Option<f64>,
    pub shrink: bool,
}

impl Settings {
    pub fn check(&self, p: &mut Problems) {
        if let Some(nu) = self.nu {
            p.within("degrees_of_freedom", nu, 1.0, 1e6);
        }
        if let Some(a) = self.alpha {
            p.within("alpha", a, 0.01, 1e6);
        }
        p.require(
            self.bias || !self.scale,
            "scale",
            self.scale,
            "used together with bias (a scale about the mean of all items shifts the others)",
        );
    }
}
