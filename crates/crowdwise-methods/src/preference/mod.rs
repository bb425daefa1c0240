//! Comparisons of two items.
