//! Label-integration methods. One method is one struct, one file, one page and one line in [`METHODS`].

pub mod competence;
pub mod confusion;
pub mod difficulty;
pub mod preference;
pub mod real;
pub mod voting;

use crowdwise_core::{Entry, Error};

/// Every method of this crate, in the order in which people should meet them.
pub static METHODS: &[Entry] = &[
    // voting
    // confusion
    // competence and difficulty
    // real
    // preference
];

/// The method called `name` (an id or an alias).
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    crowdwise_core::find(METHODS, name)
}
