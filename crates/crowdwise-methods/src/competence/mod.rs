//! Annotators who know or guess.
