//! Whether two items are the same, from judgements of pairs and features of the items.

mod sim_logistic;
mod similarity_net;

pub use sim_logistic::{SimLogistic, SimVolmax};
