//! Classes with an order: grades, levels, ratings on a short scale.

mod admits;
mod kinds;
mod ordinal;
mod ordinal_binary;
mod ordinal_vb;
mod scale;

pub use admits::follows_order;
pub use ordinal::Ordinal;
pub use ordinal_binary::OrdinalBinary;
pub use ordinal_vb::OrdinalVb;
