//! Problems that a fit shows, with advice.

use crate::{Dataset, Finding, Fit};

/// All findings of a fit.
pub fn findings(_data: &Dataset, _fit: &Fit) -> Vec<Finding> {
    Vec::new()
}
