//! Constraints.
