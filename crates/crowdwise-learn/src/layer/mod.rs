//! Crowd layers: the classifier's probabilities pass through a confusion of each annotator and meet the labels there.

mod conal;
mod coupled;
mod crowd_layer;
mod doctor_net;
mod geo_crowd_net;
mod original;
mod trace_reg;
mod volume;

pub use conal::{Conal, Gate};
#[cfg(test)]
pub(crate) use coupled::tests::some_labels;
pub(crate) use coupled::unit;
pub use crowd_layer::{CrowdLayer, Form, Init};
pub use doctor_net::{Averaging, DoctorNet};
pub use geo_crowd_net::{GeoCrowdNet, Volume};
pub use trace_reg::{Penalty, TraceReg};
