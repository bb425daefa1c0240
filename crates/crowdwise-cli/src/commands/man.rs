//! `crowdwise man`.

use crate::cli::{Cli, TEMPLATE};
use crate::failure::Exit;
use crate::output::{Target, unwritable};
use clap::CommandFactory;
use crowdwise::Error;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise man | man -l -                   read it
  crowdwise man -o ~/.local/share/man/man1   one page per command
"
)]
pub struct Args {
    /// Write one page per command into DIR, instead of the main page to stdout
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<Exit, Error> {
    let mut command = Cli::command();
    command.build();
    let Some(dir) = &args.output else {
        let mut out = Target::open(None, &[])?;
        clap_mangen::Man::new(command).render(&mut out).map_err(|e| unwritable("standard output", &e))?;
        out.finish()?;
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(dir).map_err(|e| unwritable(&dir.display().to_string(), &e))?;
    let mut pages = vec![("crowdwise".to_owned(), command.clone())];
    let mut at = 0;
    while at < pages.len() {
        let (above, command) = pages[at].clone();
        for sub in command.get_subcommands() {
            let name = format!("{above}-{}", sub.get_name());
            pages.push((name.clone(), sub.clone().name(name)));
        }
        at += 1;
    }
    for (name, command) in pages {
        let path = dir.join(format!("{name}.1"));
        let mut file = Target::open(Some(&path), &[])?;
        let page = clap_mangen::Man::new(command);
        page.render(&mut file).and_then(|()| file.flush()).map_err(|e| unwritable(&file.name(), &e))?;
        file.finish()?;
    }
    Ok(Exit::Done)
}
