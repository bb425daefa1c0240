//! Classes with an order: grades, levels, ratings on a short scale.

mod curve;
mod grid;
mod ordinal;
mod ordinal_vb;
mod scale;
mod search;

pub use ordinal::Ordinal;
pub use ordinal_vb::OrdinalVb;
