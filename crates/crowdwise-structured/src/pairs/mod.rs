//! Pairs of items: which is better, and whether both are the same.
