//! Items with several classes at once.
