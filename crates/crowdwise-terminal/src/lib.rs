//! What the commands share: messages, progress, Ctrl-C, options of a run, and outputs that appear only when they are
//! complete.

pub mod choice;
pub mod fitting;
pub mod interrupt;
pub mod options;
pub mod output;
pub mod pending;
pub mod progress;
pub mod rows;
pub mod talk;

/// Examples first, then what it does and how it is called.
pub const TEMPLATE: &str = "\
{before-help}{about-with-newline}
{usage-heading} {usage}

{all-args}{after-help}";

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    /// Done, but a condition that was asked for failed.
    Condition,
    /// The best so far was written after Ctrl-C.
    Interrupted,
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> u8 {
        match exit {
            Exit::Done => 0,
            Exit::Condition => 1,
            Exit::Interrupted => 130,
        }
    }
}
