//! Numerics that the other crates of Crowdwise share: every algorithm once, with its tests. It knows nothing of labels and
//! annotators, and depends on no other crate of the workspace.
//!
//! Dense decompositions are faer's, special functions those of the `special` crate; what is written here is what they do not
//! have, or not with the same bits on every processor and any number of threads.

mod adam;
mod assignment;
mod cholesky;
mod conjugate;
pub mod fast;
pub mod lbfgs;
mod leading;
mod matrix;
pub mod mcmc;
mod order;
mod random;
mod search;
mod special;

pub use adam::{Adam, adam_step};
pub use assignment::best_assignment;
pub use cholesky::Cholesky;
pub use conjugate::ConjugateGradients;
pub use fast::{add_into, dot, norm};
pub use lbfgs::Lbfgs;
pub use leading::{Leading, Pairs, Search as LeadingSearch, Spectrum};
pub use matrix::{Eigen, Matrix, Svd, rank};
pub use order::{median, quantile};
pub use random::stream;
pub use search::{bisect, golden_section};
pub use special::{
    beta_quantile, binomial_tail, chi_square_quantile, digamma, ln_beta, ln_gamma, logistic, logistic_both, normal_cdf,
    normal_quantile, normal_reach, normalise, soft_plus, softmax, student_tail, trigamma,
};
