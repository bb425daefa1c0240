//! Rows from a file of any format, and answers from these.

use crate::blocks::{BLOCK, Blocks};
use crate::collect::Collector;
use crate::columns::{self, Layout, Purpose};
use crate::delimited::{Delimited, head};
use crate::merge::Merger;
use crate::pipeline::{self, Parse, Sink};
use crate::{Format, Read, ReadOptions, Source};
use crowdwise_core::{Dataset, Error, LabelKind};

/// Reads answers: what each annotator said of each item.
///
/// Format, columns and kind of label are recognised unless the options name them; the notes say what was chosen.
pub fn read_answers(source: &Source, options: &ReadOptions) -> Result<Read<Dataset>, Error> {
    read_answers_in(source, options, BLOCK)
}

/// The same with another size of block, for tests.
pub(crate) fn read_answers_in(source: &Source, options: &ReadOptions, block: usize) -> Result<Read<Dataset>, Error> {
    let file = source.name();
    let prepared = prepare(source, options, Purpose::Answers, block)?;
    let mut merger = Merger::new(&prepared.layout, &file, prepared.lines);
    prepared.input.run(&prepared.layout, options.threads(), &mut merger)?;
    let (value, mut notes) = merger.finish(options)?;
    notes.extend(prepared.notes);
    Ok(Read { value, notes })
}

/// A file whose head has been read.
pub(crate) struct Prepared {
    pub layout: Layout,
    pub input: Input,
    /// Lines before the first row.
    pub lines: u64,
    pub notes: Vec<String>,
}

/// The rows of a file, by format.
pub(crate) enum Input {
    Delimited(Blocks, Delimited),
}

impl Input {
    pub fn run<'a>(self, layout: &'a Layout, threads: usize, sink: &mut impl Sink<'a>) -> Result<(), Error> {
        match self {
            Input::Delimited(blocks, parser) => pipeline::run(blocks, &parser, layout, threads, sink),
        }
    }
}

/// Opens a file and finds out what its rows are.
pub(crate) fn prepare(
    source: &Source,
    options: &ReadOptions,
    purpose: Purpose,
    block: usize,
) -> Result<Prepared, Error> {
    let file = source.name();
    let mut blocks = Blocks::new(source.open()?, &file, None, block);
    let known = options.format.or_else(|| source.path().and_then(Format::from_path));
    let format = match known {
        Some(f) => f,
        None => Format::from_bytes(blocks.peek()?),
    };
    match format {
        Format::Csv | Format::Tsv => {
            let delimiter = if format == Format::Tsv { b'\t' } else { b',' };
            let head = head(&mut blocks, delimiter, options.columns.as_deref(), &file)?;
            let mut layout = columns::resolve(&head.names, options, purpose, &file)?;
            let parser = Delimited { delimiter: head.delimiter, columns: head.names.len() };
            decide_kind(&mut blocks, &parser, &mut layout)?;
            let notes = head.note.into_iter().collect();
            Ok(Prepared { layout, input: Input::Delimited(blocks, parser), lines: head.lines, notes })
        }
        other => Err(Error::Unsupported { what: format!("{} files cannot be read yet", other.name()), hint: None }),
    }
}

/// A column called `value` or `score` holds real values if most of those in the first block are numbers; the others
/// are then bad rows, which is better than a table of thousands of classes because of one slip.
fn decide_kind(blocks: &mut Blocks, parser: &impl Parse, layout: &mut Layout) -> Result<(), Error> {
    if !layout.by_values {
        return Ok(());
    }
    let Some(first) = blocks.next(Vec::new())? else { return Ok(()) };
    let real = {
        let mut trial = Collector::new(layout);
        parser.parse(&first, &mut trial);
        mostly_numbers(&trial)
    };
    blocks.put_back(first.bytes);
    settle_kind(layout, real);
    Ok(())
}

pub(crate) fn settle_kind(layout: &mut Layout, real: bool) {
    layout.by_values = false;
    if real {
        layout.kind = LabelKind::Real;
        layout.note.push_str(" (real values)");
    }
}

pub(crate) fn mostly_numbers(trial: &Collector<'_>) -> bool {
    let number: Vec<bool> = trial.classes.iter().map(|c| c.trim().parse::<f64>().is_ok()).collect();
    let numbers = trial.rows.code.iter().filter(|&&c| number[c as usize]).count();
    numbers * 2 > trial.rows.code.len()
}
