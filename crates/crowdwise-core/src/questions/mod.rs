//! Questions: functions of a dataset and a fit. Every estimate carries the count that it rests on.

mod findings;

pub use findings::findings;
