//! `crowdwise completions`.

use crate::cli::{Cli, TEMPLATE};
use crate::failure::Exit;
use crate::output::Target;
use clap::CommandFactory;
use clap_complete::Shell;
use crowdwise::Error;
use std::io::Write;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise completions bash > ~/.bash_completion.d/crowdwise
  crowdwise completions zsh > \"${fpath[1]}/_crowdwise\"
"
)]
pub struct Args {
    pub shell: Shell,
}

pub fn run(args: &Args) -> Result<Exit, Error> {
    // the generator panics when a write fails, so it writes to memory
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "crowdwise", &mut text);
    let mut out = Target::open(None, &[])?;
    out.write_all(&text).map_err(|e| crate::output::unwritable("standard output", &e))?;
    out.finish()?;
    Ok(Exit::Done)
}
