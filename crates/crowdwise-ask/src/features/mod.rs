//! Questions about items that have features: a classifier says which items it is unsure of, and expertise that depends on the
//! item says whom to ask (DALC and its relatives).

mod choose;
mod learner;
mod next;
mod oracle;
mod quality;
mod replay;

pub use choose::{Choice, Free, Question, Strategy, Why, choose};
pub use learner::{Cold, Dalc, Known, Learner};
pub use next::{Next, Wanted, next};
pub use oracle::{Oracle, Recorded, Simulated};
pub use quality::active_lab;
pub use replay::{Judged, Point, Replay, area, labels_to, replay};
