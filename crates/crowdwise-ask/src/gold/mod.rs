//! Gold questions: items whose answer is known already, asked to learn who is good and how right the crowd is.
//!
//! [`SequentialTest`] tells a guesser from a good annotator with stated error rates; [`Record`] weighs right and wrong answers
//! that come without a plan; [`advise`] says how many gold questions to ask, whom, and when, and when to leave them.

mod advice;
mod evidence;
mod sequential;

pub use advice::{Advice, GoldQuestion, Knowledge, Level, Use, advise, advise_on};
pub use evidence::{Record, half_width, questions_for};
pub use sequential::{Fixed, SequentialTest, Verdict, Walk};
