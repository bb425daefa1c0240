//! Methods that read the annotators off the leading vectors of a matrix of labels or of agreements.

mod crowd;
mod judge;
mod kos_svd;
mod leading;
mod mmsr;
mod moments;
mod pairs;
mod sparse_spectral_svd;
mod spectral_em;
mod spectral_svd;
mod tensor;

pub use judge::Classes;
pub use kos_svd::KosSvd;
pub(crate) use leading::eigen;
pub use mmsr::{Adversaries, Mmsr, Trim};
pub use sparse_spectral_svd::{Overlap, SparseSpectralSvd};
pub(crate) use spectral_em::starts;
pub use spectral_em::{SpectralEm, Split};
pub use spectral_svd::SpectralSvd;
