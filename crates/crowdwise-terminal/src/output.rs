//! Where results go: standard output, or a file that appears only when it is complete.

use crate::pending::Pending;
use clap::ValueEnum;
use crowdwise::Error;
use crowdwise::io::TableFormat;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Csv,
    Tsv,
    Jsonl,
    Json,
    Parquet,
    Markdown,
}

impl Format {
    /// By the end of a file's name.
    pub fn of_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let ends: &[(&str, Format)] = &[
            (".csv", Format::Csv),
            (".tsv", Format::Tsv),
            (".jsonl", Format::Jsonl),
            (".ndjson", Format::Jsonl),
            (".json", Format::Json),
            (".parquet", Format::Parquet),
            (".pq", Format::Parquet),
            (".txt", Format::Table),
            (".md", Format::Markdown),
        ];
        ends.iter().find(|(end, _)| name.ends_with(end)).map(|(_, f)| *f)
    }
}

#[derive(Clone, Debug, clap::Args)]
pub struct OutputOptions {
    /// Output format [default: from the extension of -o; a table on a terminal, csv in a pipe]
    #[arg(long, value_enum, hide_possible_values = false)]
    pub format: Option<Format>,
    /// Write to FILE, which appears only once it is complete
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// In CSV and TSV, put an apostrophe before text that a spreadsheet would read as a formula (`=`, `+`, `-`, `@`)
    #[arg(long, hide_short_help = true)]
    pub spreadsheet_safe: bool,
}

impl OutputOptions {
    /// Opens the output, before the long work starts. It must not be one of the files that are read.
    pub fn open(&self, inputs: &[Option<&str>]) -> Result<Output, Error> {
        let to_file = self.output.as_deref().filter(|p| p.as_os_str() != "-");
        let format = match (self.format, to_file) {
            (Some(format), _) => format,
            // a device or a named pipe is a pipe by another name
            (None, Some(path)) if special(path) => Format::of_path(path).unwrap_or(Format::Csv),
            (None, Some(path)) => Format::of_path(path).ok_or_else(|| unknown_end(path))?,
            (None, None) if io::stdout().is_terminal() => Format::Table,
            (None, None) => Format::Csv,
        };
        // a table that nobody asked for must not flood the terminal
        let brief = self.format.is_none() && to_file.is_none() && format == Format::Table;
        if format == Format::Parquet && to_file.is_none() && io::stdout().is_terminal() {
            return Err(Error::Usage {
                what: "Parquet cannot be printed to a terminal".into(),
                hint: Some("`-o FILE.parquet`, or `--format csv`".into()),
            });
        }
        Ok(Output { target: Target::open(to_file, inputs)?, format, brief, spreadsheet_safe: self.spreadsheet_safe })
    }
}

/// Whether there is something that is neither a file nor a folder.
fn special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

fn unknown_end(path: &Path) -> Error {
    Error::Usage {
        what: format!("cannot tell the output format from `{}`", path.display()),
        hint: Some("use .csv, .tsv, .jsonl, .json, .parquet, .txt or .md, or say `--format csv`".into()),
    }
}

/// An open output and the format that it takes.
#[derive(Debug)]
pub struct Output {
    pub target: Target,
    pub format: Format,
    /// Long tables may be cut.
    pub brief: bool,
    /// No text of a CSV file may be a formula.
    spreadsheet_safe: bool,
}

impl Output {
    /// How rows are written, but for tables for people.
    pub fn rows_format(&self) -> Option<TableFormat> {
        let format = match self.format {
            Format::Table | Format::Markdown => return None,
            Format::Csv => TableFormat::Csv,
            Format::Tsv => TableFormat::Tsv,
            Format::Jsonl => TableFormat::Jsonl,
            Format::Json => TableFormat::Json,
            Format::Parquet => TableFormat::Parquet,
        };
        Some(if self.spreadsheet_safe { format.for_spreadsheets() } else { format })
    }

    /// Columns of the terminal that the output goes to.
    pub fn width(&self) -> Option<usize> {
        if !matches!(self.target, Target::Stdout(_)) || !io::stdout().is_terminal() {
            return None;
        }
        terminal_size::terminal_size().map(|(width, _)| width.0 as usize)
    }
}

/// An open place to write to.
#[derive(Debug)]
pub enum Target {
    Stdout(BufWriter<Pipe>),
    File(Pending),
    /// Handed to a writer for the moment.
    Lent,
}

impl Target {
    /// Standard output for `None`. A file must not be one of those that are read, and standard input is read once.
    pub fn open(path: Option<&Path>, inputs: &[Option<&str>]) -> Result<Target, Error> {
        if inputs.iter().filter(|i| **i == Some("-")).count() > 1 {
            return Err(Error::Usage {
                what: "`-` is given twice, but standard input can be read once".into(),
                hint: Some("name a file for one of them".into()),
            });
        }
        if let Some(path) = path {
            keep_inputs(path, inputs)?;
        }
        Ok(match path {
            None => Target::Stdout(BufWriter::with_capacity(1 << 16, Pipe)),
            Some(path) => Target::File(Pending::create(path)?),
        })
    }

    /// How it is called in messages.
    pub fn name(&self) -> String {
        match self {
            Target::Stdout(_) => "standard output".into(),
            Target::File(f) => f.path().display().to_string(),
            Target::Lent => "the output".into(),
        }
    }

    /// Flushes; a file takes its name.
    pub fn finish(self) -> Result<(), Error> {
        let name = self.name();
        let done = match self {
            Target::Stdout(mut out) => out.flush(),
            Target::File(file) => file.finish(),
            Target::Lent => Ok(()),
        };
        done.map_err(|e| unwritable(&name, &e))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Stdout(out) => out.write(bytes),
            Target::File(file) => file.write(bytes),
            Target::Lent => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Stdout(out) => out.flush(),
            Target::File(file) => file.flush(),
            Target::Lent => Ok(()),
        }
    }
}

/// Refuses to write over a file that is read, however it is spelt.
fn keep_inputs(output: &Path, inputs: &[Option<&str>]) -> Result<(), Error> {
    let Ok(written) = output.canonicalize() else { return Ok(()) }; // not there yet
    if !written.is_file() {
        return Ok(()); // a device may be both
    }
    let image = written.extension().is_some_and(|e| ["png", "jpg", "jpeg"].iter().any(|i| e.eq_ignore_ascii_case(i)));
    let same = |input: &&&str| {
        let within = |folder: &Path| image && folder.is_dir() && written.starts_with(folder);
        Path::new(input).canonicalize().is_ok_and(|read| read == written || within(&read))
    };
    match inputs.iter().flatten().find(same) {
        None => Ok(()),
        Some(input) => Err(Error::Usage {
            what: format!(
                "the output `{}` is {}the input `{input}`, which would be lost",
                output.display(),
                if Path::new(input).is_dir() { "an image of " } else { "" },
            ),
            hint: Some("write to another file".into()),
        }),
    }
}

pub fn unwritable(name: &str, e: &io::Error) -> Error {
    Error::Unwritable { file: name.into(), what: e.to_string() }
}

static PIPE_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether whoever read our standard output went away, as `head` does: no failure of ours.
pub fn pipe_closed() -> bool {
    PIPE_CLOSED.load(Ordering::Relaxed)
}

/// Standard output that remembers whether its reader went away.
#[derive(Debug)]
pub struct Pipe;

impl Pipe {
    fn remember<T>(result: io::Result<T>) -> io::Result<T> {
        if let Err(e) = &result
            && e.kind() == io::ErrorKind::BrokenPipe
        {
            PIPE_CLOSED.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Pipe::remember(io::stdout().lock().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Pipe::remember(io::stdout().lock().flush())
    }
}
