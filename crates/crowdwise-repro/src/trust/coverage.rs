//! `crowdwise repro coverage`: how often 90 % intervals hold the truth on simulated crowds, method by method.

use super::super::page::{self, Grid, Page};
use crowdwise::simulate::{Coverage, coverage, designs};
use crowdwise::{Context, Error, LabelKind};
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::choice::check_names;
use crowdwise_terminal::options::{RunOptions, whole};
use crowdwise_terminal::output::OutputOptions;
use crowdwise_terminal::rows::{Push, Row};
use crowdwise_terminal::talk::Talk;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro coverage
  crowdwise repro coverage -m dawid-skene,mean --repeats 20
",
    after_help = "Classes: accuracies of annotators. Numbers: values of items, ± 1.645 sd. Comparisons: scores of items."
)]
pub struct Args {
    /// Methods [default: all that need labels only]
    #[arg(short, long = "method", value_name = "A,B,…", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Crowds of each design
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = whole::<u64>)]
    pub repeats: u64,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

const KINDS: [(LabelKind, &str); 3] = [
    (LabelKind::Categorical, "Accuracy of annotators"),
    (LabelKind::Real, "Values of items"),
    (LabelKind::Preference, "Scores of items"),
];

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    if args.repeats == 0 {
        return Err(Error::Usage { what: "--repeats is 0: there would be no crowd".into(), hint: None });
    }
    check_names(&args.methods)?;
    let out = page::open(&args.output)?;
    let rows = measure(&args.methods, args.repeats, args.run.threads(), talk)?;
    let figures = |c: &Coverage| {
        let mut row: Row<'static> = Row::new();
        row.text(c.method).text(c.design).real(c.share()).int(c.n as i64).real(c.width);
        row
    };
    let page = Page {
        title: "Coverage of 90 % intervals",
        notes: vec![format!(
            "`crowdwise repro coverage`: share of the intervals that hold the truth, {} simulated crowds of each design. 0.90 is meant; the standard error is about {:.3}.",
            args.repeats,
            (0.09 / (20.0 * args.repeats as f64)).sqrt()
        )],
        grids: grids(&rows),
        columns: vec!["method", "design", "coverage", "n", "width"],
        figures: rows.iter().map(figures).collect(),
    };
    page.write(out, talk)?;
    Ok(Exit::Done)
}

/// One row per method and design of its kinds of labels. No names = all methods that need labels only.
pub(crate) fn measure(names: &[String], repeats: u64, threads: usize, talk: Talk) -> Result<Vec<Coverage>, Error> {
    let mut rows = Vec::new();
    for (kind, _) in KINDS {
        let of_kind = |e: &&crowdwise::Entry| {
            e.info.accepts.contains(&kind)
                && !e.info.needs.features
                && e.info.needs.structure.is_none()
                && (names.is_empty() || names.iter().any(|n| n == e.info.id || e.info.aliases.iter().any(|a| a == n)))
        };
        for e in crowdwise::methods().filter(of_kind) {
            let method = e.default();
            for design in designs(kind) {
                talk.detail(format_args!("{} on {}", e.info.id, design.name));
                match coverage(&*method, &design, repeats, |seed| Context::new(seed, threads)) {
                    Ok(c) if c.n > 0 => rows.push(c),
                    Ok(_) => {}
                    // a method may want data of another form, and says so
                    Err(e) if names.is_empty() => talk.detail(format_args!("{e}")),
                    Err(e) => return Err(e),
                }
            }
        }
    }
    Ok(rows)
}

/// A table per kind of label: methods down, designs across.
pub(crate) fn grids(rows: &[Coverage]) -> Vec<Grid> {
    let table = |&(kind, title): &(LabelKind, &str)| {
        let designs = designs(kind);
        let mut methods: Vec<&str> = Vec::new();
        let here = rows.iter().filter(|r| designs.iter().any(|d| d.name == r.design));
        here.for_each(|r| {
            if !methods.contains(&r.method) {
                methods.push(r.method);
            }
        });
        let cell = |m: &str, d: &str| {
            let found = rows.iter().find(|r| r.method == m && r.design == d);
            found.map_or(String::new(), |r| format!("{:.3}", r.share()))
        };
        let line = |m: &&str| std::iter::once((*m).to_owned()).chain(designs.iter().map(|d| cell(m, d.name))).collect();
        let about: Vec<String> = designs.iter().map(|d| format!("{}: {}", d.name, d.about)).collect();
        Grid {
            title: format!("{title} ({})", about.join("; ")),
            columns: std::iter::once("method".to_owned()).chain(designs.iter().map(|d| d.name.to_owned())).collect(),
            rows: methods.iter().map(line).collect(),
        }
    };
    KINDS.iter().map(table).filter(|g| !g.rows.is_empty()).collect()
}
