//! Items that are neighbours of each other.
