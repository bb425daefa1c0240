//! Rows from a file of any format, and answers from these.

use crate::blocks::{BLOCK, Block, Blocks};
use crate::collect::Collector;
use crate::columns::{self, Layout, Purpose};
use crate::conll::read_conll;
use crate::delimited::{self, Delimited, head};
use crate::hints::Unrecognised;
use crate::json::{self, Element, JsonArray, JsonLines};
use crate::label_studio::LabelStudio;
use crate::merge::Merger;
use crate::parquet_read::{self, ParquetFile, ParquetRows};
use crate::pipeline::{self, Parse, Sink};
use crate::prodigy::Prodigy;
use crate::sniff;
use crate::spans::read_spans;
use crate::{Format, Read, ReadOptions, Source};
use crowdwise_core::{Dataset, Error, LabelKind};

/// Reads answers: what each annotator said of each item.
///
/// Format, columns and kind of label are recognised unless the options name them; the notes say what was chosen.
pub fn read_answers(source: &Source, options: &ReadOptions) -> Result<Read<Dataset>, Error> {
    let tagged = match options.format.or_else(|| source.format()) {
        Some(Format::Conll) => Some(read_conll(source)?),
        Some(Format::Spans) => Some(read_spans(source)?),
        _ => None,
    };
    if let Some(read) = tagged {
        let mut data = read.value.data;
        // a file without text has a sign in its place
        if read.value.tokens.iter().any(|t| t != "_") {
            data.words = read.value.tokens;
        }
        return Ok(Read { value: data, notes: read.notes });
    }
    read_answers_in(source, options, BLOCK)
}

/// The same with another size of block, for tests.
pub(crate) fn read_answers_in(source: &Source, options: &ReadOptions, block: usize) -> Result<Read<Dataset>, Error> {
    let file = source.name();
    let prepared = prepare(source, options, Purpose::Answers, block)?;
    prepared.layout.check_kind(&file)?;
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
    JsonLines(Blocks, JsonLines),
    JsonArray(JsonArray, Element),
    Parquet(ParquetRows),
    #[cfg(feature = "arrow")]
    Arrow(crate::arrow::Batches, crate::arrow::ArrowRows),
}

impl Input {
    pub fn run<'a>(self, layout: &'a Layout, threads: usize, sink: &mut impl Sink<'a>) -> Result<(), Error> {
        match self {
            Input::Delimited(blocks, parser) => pipeline::run(blocks, &parser, layout, threads, sink),
            Input::JsonLines(blocks, parser) => pipeline::run(blocks, &parser, layout, threads, sink),
            Input::JsonArray(array, element) => array.run(&element, layout, sink),
            Input::Parquet(rows) => pipeline::run(rows.file.groups(), &rows, layout, threads, sink),
            #[cfg(feature = "arrow")]
            Input::Arrow(batches, rows) => pipeline::run(batches, &rows, layout, threads, sink),
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
    if let Source::Path(path) = source
        && options.format.or_else(|| source.format()) == Some(Format::Parquet)
        && ParquetFile::is_one(path)
    {
        // Where it lies, instead of all of it in memory.
        return parquet(ParquetFile::open(path, &file)?, options, purpose, &file);
    }
    let opened = source.open()?;
    let mut blocks = Blocks::new(opened.reader, &file, None, block);
    let (format, misnamed) = sniff::format(source, options, blocks.peek()?, &file)?;
    let mut prepared = by_format(blocks, format, options, purpose, &file)?;
    prepared.notes.extend(opened.note);
    prepared.notes.extend(misnamed);
    Ok(prepared)
}

fn by_format(
    mut blocks: Blocks,
    format: Format,
    options: &ReadOptions,
    purpose: Purpose,
    file: &str,
) -> Result<Prepared, Error> {
    match format {
        Format::Csv | Format::Tsv => {
            let delimiter = if format == Format::Tsv { b'\t' } else { b',' };
            let head = head(&mut blocks, delimiter, options.columns.as_deref(), file)?;
            let mut layout = resolve(&head.names, options, purpose, file, options.columns.is_none(), || {
                delimited::sample(&mut blocks, head.delimiter)
            })?;
            let parser = Delimited { delimiter: head.delimiter, columns: head.names.len() };
            decide_kind(&mut blocks, &parser, &mut layout)?;
            let notes = head.note.into_iter().collect();
            Ok(Prepared { layout, input: Input::Delimited(blocks, parser), lines: head.lines, notes })
        }
        Format::Jsonl | Format::Json => {
            let looks = Format::from_bytes(blocks.peek()?);
            if looks == Format::Json {
                json_array(blocks, options, purpose, file)
            } else {
                json_lines(blocks, options, purpose, file)
            }
        }
        Format::Parquet => parquet(ParquetFile::from_bytes(blocks.rest()?, file)?, options, purpose, file),
        Format::ArrowIpc => arrow(blocks, options, purpose, file),
        Format::Conll | Format::Spans => Err(Error::Unsupported {
            what: format!("{file}: tagged sequences hold answers or their truth, and nothing else"),
            hint: Some("give a table: CSV, TSV, JSON lines or Parquet".into()),
        }),
    }
}

/// The layout; if the columns are not recognised, the first rows may tell why.
fn resolve(
    names: &[String],
    options: &ReadOptions,
    purpose: Purpose,
    file: &str,
    from_first_line: bool,
    sample: impl FnOnce() -> Result<Vec<Vec<String>>, Error>,
) -> Result<Layout, Error> {
    columns::resolve(names, options, purpose, file).map_err(|e| {
        let rows = sample().unwrap_or_default();
        Unrecognised { names, rows: &rows, from_first_line, options, purpose, file }.explain(e)
    })
}

#[cfg(feature = "arrow")]
fn arrow(blocks: Blocks, options: &ReadOptions, purpose: Purpose, file: &str) -> Result<Prepared, Error> {
    let batches = crate::arrow::Batches::new(blocks.rest()?, file)?;
    let mut layout = columns::resolve(&batches.names(), options, purpose, file)?;
    batches.settle(&mut layout);
    let rows = crate::arrow::ArrowRows { file: file.into() };
    Ok(Prepared { layout, input: Input::Arrow(batches, rows), lines: 0, notes: Vec::new() })
}

#[cfg(not(feature = "arrow"))]
fn arrow(_: Blocks, _: &ReadOptions, _: Purpose, file: &str) -> Result<Prepared, Error> {
    Err(Error::Unsupported {
        what: format!("{file}: this program was built without support for Arrow files"),
        hint: Some("build it with `--features arrow`, or convert the file to Parquet".into()),
    })
}

fn parquet(opened: ParquetFile, options: &ReadOptions, purpose: Purpose, file: &str) -> Result<Prepared, Error> {
    let (names, columns): (Vec<String>, Vec<usize>) = opened.columns().into_iter().unzip();
    let mut layout = resolve(&names, options, purpose, file, false, || opened.first_rows(&columns))?;
    parquet_read::settle(&mut layout, &opened, &columns)?;
    Ok(Prepared { layout, input: Input::Parquet(ParquetRows { file: opened, columns }), lines: 0, notes: Vec::new() })
}

fn json_lines(mut blocks: Blocks, options: &ReadOptions, purpose: Purpose, file: &str) -> Result<Prepared, Error> {
    blocks.skip_bom()?;
    let objects = json::sample(&mut blocks, file)?;
    let prodigy = (purpose == Purpose::Answers).then(|| Prodigy::recognise(&objects, options)).flatten();
    let (parser, layout) = if let Some((prodigy, layout)) = prodigy {
        (JsonLines(Element::Prodigy(prodigy)), layout)
    } else {
        let keys = json::keys(&objects);
        let mut layout = resolve(&keys, options, purpose, file, false, || Ok(json::rows(&objects, &keys)))?;
        let parser = JsonLines(Element::row(&layout));
        decide_kind(&mut blocks, &parser, &mut layout)?;
        (parser, layout.with_named_annotators())
    };
    Ok(Prepared { layout, input: Input::JsonLines(blocks, parser), lines: 0, notes: Vec::new() })
}

fn json_array(blocks: Blocks, options: &ReadOptions, purpose: Purpose, file: &str) -> Result<Prepared, Error> {
    let array = JsonArray::read(blocks, file)?;
    let objects = array.sample()?;
    if objects.is_empty() {
        return Err(Error::NoData { file: file.into(), what: "has no objects".into(), hint: None });
    }
    let studio = (purpose == Purpose::Answers).then(|| LabelStudio::recognise(&objects, options, file)).flatten();
    let (element, layout) = if let Some(studio) = studio {
        let (studio, layout) = studio?;
        (Element::LabelStudio(studio), layout)
    } else {
        let keys = json::keys(&objects);
        let mut layout = resolve(&keys, options, purpose, file, false, || Ok(json::rows(&objects, &keys)))?;
        let element = Element::row(&layout);
        if layout.by_values {
            let real = {
                let mut trial = Trial::default();
                array.run(&element, &layout, &mut trial)?;
                trial.0
            };
            settle_kind(&mut layout, real);
        }
        (element, layout.with_named_annotators())
    };
    Ok(Prepared { layout, input: Input::JsonArray(array, element), lines: 0, notes: Vec::new() })
}

/// Only looks whether the values are numbers.
#[derive(Default)]
struct Trial(bool);

impl<'a> Sink<'a> for Trial {
    fn merge(&mut self, piece: Collector<'a>) -> Result<(), Error> {
        self.0 = mostly_numbers(&piece);
        Ok(())
    }

    fn absorb(&mut self, _: &mut Collector<'a>) -> Result<(), Error> {
        Ok(())
    }

    fn close(&mut self, collector: Collector<'a>) {
        self.0 = mostly_numbers(&collector);
    }
}

/// A column called `value` or `score` holds real values if most of those in the first block are numbers; the others
/// are then bad rows, which is better than a table of thousands of classes because of one slip.
fn decide_kind(blocks: &mut Blocks, parser: &impl Parse<Block>, layout: &mut Layout) -> Result<(), Error> {
    if !layout.by_values {
        return Ok(());
    }
    let Some(first) = blocks.cut(Vec::new())? else { return Ok(()) };
    let real = {
        let mut trial = Collector::new(layout);
        parser.parse(&first, &mut trial)?;
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
