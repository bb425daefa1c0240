//! Annotators with an ability, items with a difficulty.

mod ability;
mod glad;

pub use glad::{Glad, GladClassPrior, GladStart};
