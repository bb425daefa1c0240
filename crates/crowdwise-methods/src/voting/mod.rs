//! Votes, plain and weighted.
