//! Real values.
