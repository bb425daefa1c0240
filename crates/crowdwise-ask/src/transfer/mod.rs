//! Several tasks with some of the same annotators: what earlier tasks say of the labels of this one, and of annotators who have not
//! labelled it yet.
//!
//! [`cross_task`] needs labels only: an ability vector per annotator, a loading per task. [`logistic`] learns from features, too.
//! Annotators are matched by name.

pub mod cross_task;
pub mod logistic;
mod tasks;

pub use cross_task::{CrossFit, CrossTask, cross_task};
pub use logistic::{LogisticFit, TransferLogistic, transfer_logistic};
pub use tasks::Tasks;
