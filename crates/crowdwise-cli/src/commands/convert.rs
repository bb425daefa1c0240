//! `crowdwise convert`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::options::InputOptions;
use crate::output::{Format, OutputOptions, Target};
use crate::rows;
use crate::talk::{Talk, counted};
use crowdwise::Error;
use crowdwise::io::{self, TableFormat, write_answers};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise convert votes.csv.gz -o votes.parquet
  crowdwise convert export.json --input-format label-studio -o votes.csv
"
)]
pub struct Args {
    /// File with the answers, or - for stdin
    pub answers: String,
    #[command(flatten)]
    pub output: OutputOptions,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), allow_negative_numbers = true)]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub input: InputOptions,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let path = args.output.output.as_deref().filter(|_| args.output.format.is_none());
    if let Some(format @ (io::Format::Conll | io::Format::Spans)) = path.and_then(io::Format::from_path) {
        return tagged(args, format, talk);
    }
    let named = args.output.output.as_deref().and_then(Format::of_path);
    if args.output.format.or(named).is_some_and(|f| matches!(f, Format::Table | Format::Markdown)) {
        return Err(Error::Usage {
            what: "a table for people cannot be read again as answers".into(),
            hint: Some("`convert` writes csv, tsv, jsonl, json, parquet, conll or spans.jsonl".into()),
        });
    }
    let [items, probabilities, graph, attribute] = args.input.files();
    let mut out = args.output.open(&[Some(args.answers.as_str()), items, probabilities, graph, attribute])?;
    // what would be a table on a terminal is CSV here, too
    if out.format == Format::Table {
        out.format = Format::Csv;
    }
    let format = out.rows_format().unwrap_or(TableFormat::Csv);
    let data = args.input.read(&args.answers, args.threads.map_or(0, usize::from), talk)?;
    talk.timed("write", || rows::lend(&mut out.target, |writer| write_answers(writer, format, &data)))?;
    out.target.finish()?;
    talk.note(counted(data.table.n_labels() as u64, "label", "labels"));
    Ok(Exit::Done)
}

/// Sequences as a CoNLL file or as spans.
fn tagged(args: &Args, format: io::Format, talk: Talk) -> Result<Exit, Error> {
    let [items, probabilities, graph, attribute] = args.input.files();
    let mut target = Target::open(
        args.output.output.as_deref(),
        &[Some(args.answers.as_str()), items, probabilities, graph, attribute],
    )?;
    let data = args.input.read(&args.answers, args.threads.map_or(0, usize::from), talk)?;
    // the words themselves, where the answers come from a file that has them
    let tokens: &[String] = if data.words.len() == data.table.n_items() { &data.words } else { &[] };
    talk.timed("write", || match format {
        io::Format::Conll => io::write_conll(&mut target, &data, tokens),
        _ => io::write_spans(&mut target, &data, tokens),
    })?;
    target.finish()?;
    talk.note(counted(data.table.n_labels() as u64, "label", "labels"));
    Ok(Exit::Done)
}
