//! What a reproduction writes: all figures as rows for programs, a few tables with words for people.

use crowdwise::Error;
use crowdwise::io::Cell;
use crowdwise::report::{Align, SCHEMA, TextTable};
use crowdwise_terminal::output::{Format, Output, OutputOptions, unwritable};
use crowdwise_terminal::rows::{self, Row, Sheet};
use crowdwise_terminal::talk::Talk;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Write as _;

/// A table as people see it.
pub struct Grid {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

pub struct Page {
    pub title: &'static str,
    /// Which command makes it, and what must be known to read it.
    pub notes: Vec<String>,
    pub grids: Vec<Grid>,
    /// Names of the figures, and the figures.
    pub columns: Vec<&'static str>,
    pub figures: Vec<Row<'static>>,
}

/// People read these pages, also through a pager: a pipe alone does not make them CSV.
pub fn open(options: &OutputOptions) -> Result<Output, Error> {
    let format = options.format.or_else(|| options.output.is_none().then_some(Format::Table));
    OutputOptions { format, ..options.clone() }.open(&[])
}

impl Page {
    pub fn write(self, mut out: Output, talk: Talk) -> Result<(), Error> {
        let text = match out.format {
            Format::Table => self.text(out.width()),
            Format::Markdown => self.markdown(),
            Format::Json => {
                rows::write_json(&mut out, &self.json())?;
                return out.target.finish();
            }
            _ => {
                rows::write(&mut out, Sheet::of_rows(self.columns, self.figures), talk)?;
                return out.target.finish();
            }
        };
        out.target.write_all(text.as_bytes()).map_err(|e| unwritable(&out.target.name(), &e))?;
        out.target.finish()
    }

    fn text(&self, width: Option<usize>) -> String {
        let mut out = format!("{}\n", self.title);
        for grid in &self.grids {
            let number = |c: usize| {
                let mut cells = grid.rows.iter().filter_map(|r| r.get(c)).filter(|c| !c.is_empty()).peekable();
                cells.peek().is_some() && cells.all(|c| c.starts_with(|d: char| d.is_ascii_digit() || d == '-'))
            };
            let align = |c: usize| if number(c) { Align::Right } else { Align::Left };
            let mut table = TextTable::new(grid.columns.iter().enumerate().map(|(c, name)| (name.as_str(), align(c))));
            grid.rows.iter().for_each(|row| table.row(row.iter().map(String::as_str)));
            let _ = write!(out, "\n{}\n\n{}", grid.title, table.render(width));
        }
        self.notes.iter().for_each(|n| _ = write!(out, "\n{n}\n"));
        out
    }

    fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n", self.title);
        self.notes.iter().for_each(|n| _ = write!(out, "{n}\n\n"));
        for grid in &self.grids {
            let _ = write!(out, "## {}\n\n{}\n", grid.title, rows::markdown(&grid.columns, &grid.rows));
        }
        out.truncate(out.trim_end().len());
        out + "\n"
    }

    fn json(&self) -> Value {
        let value = |cell: &Cell<'_>| match cell {
            Cell::Text(t) => json!(t),
            Cell::Number(x) => json!(x),
            Cell::Integer(n) => json!(n),
            Cell::Missing => Value::Null,
        };
        let object = |row: &Row<'_>| -> Map<String, Value> {
            self.columns.iter().zip(row).map(|(c, cell)| ((*c).to_owned(), value(cell))).collect()
        };
        let figures: Vec<_> = self.figures.iter().map(object).collect();
        json!({"schema": SCHEMA, "title": self.title, "notes": self.notes, "figures": figures})
    }
}
