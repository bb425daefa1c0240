//! Annotators with an ability, items with a difficulty.
