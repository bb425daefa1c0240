//! Talk goes to standard error, never among the data.

use crowdwise::report::printable_lines;
use crowdwise::{Syntax, spell};
use std::fmt::Display;
use std::io::Write;
use std::time::Instant;

/// "1 label", "2 labels", "10 412 labels".
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", crowdwise::group(n), if n == 1 { one } else { many })
}

/// How much is said.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Talk {
    /// Print errors only
    #[arg(short, long, global = true, conflicts_with = "verbose", hide_short_help = true)]
    pub quiet: bool,
    /// Also print how long reading, fitting and writing took
    #[arg(short, long, global = true, hide_short_help = true)]
    pub verbose: bool,
}

impl Talk {
    /// Something the user should know.
    pub fn note(self, text: impl Display) {
        if !self.quiet {
            // names of the data may hold what a terminal would obey
            let _ = writeln!(
                anstream::stderr(),
                "crowdwise: {}",
                printable_lines(&spell(&text.to_string(), Syntax::Command))
            );
        }
    }

    /// Something only the curious want to know.
    pub fn detail(self, text: impl Display) {
        if self.verbose {
            let _ = writeln!(anstream::stderr(), "crowdwise: {}", printable_lines(&text.to_string()));
        }
    }

    /// Runs a part of the work; with `-v` says how long it took.
    pub fn timed<T>(self, part: &str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let out = work();
        self.detail(format_args!("{part}: {:.6} s", start.elapsed().as_secs_f64()));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_said_as_one() {
        let all = [0, 1, 2, 10_412].map(|n| counted(n, "class", "classes"));
        assert_eq!(all, ["0 classes", "1 class", "2 classes", "10 412 classes"]);
    }
}
