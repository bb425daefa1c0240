//! Items that are neighbours of each other.

mod ds_mrf;
mod neighbours;

pub use ds_mrf::{Coupling, DsMrf};
