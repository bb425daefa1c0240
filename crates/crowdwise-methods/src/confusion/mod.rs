//! Annotators with a confusion matrix: one pass over the labels, many maximisations.
