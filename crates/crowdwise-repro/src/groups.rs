//! `crowdwise repro groups`: Figure 6 of the survey.

use super::page::{self, Grid, Page};
use crowdwise::methods::classes::groups::{GroupCrowd, Groups};
use crowdwise::report::chart::Lines;
use crowdwise::{Context, Dataset, Error, Fit, stats};
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::options::{RunOptions, whole};
use crowdwise_terminal::output::{OutputOptions, unwritable};
use crowdwise_terminal::rows::{Push, Row};
use crowdwise_terminal::talk::Talk;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro groups
  crowdwise repro groups --svg groups.svg --max 1000
",
    after_help = "80 annotators in groups of 50, 10, 10 and 10, 3 classes; all label all items."
)]
pub struct Args {
    /// Most items; sizes are 100, 200, 500, 1000 …
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = whole::<u64>)]
    pub max: u64,
    /// Crowds of each size
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = whole::<u64>)]
    pub repeats: u64,
    /// Also draw the picture into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

const METHODS: [&str; 4] = ["majority-vote", "dawid-skene", "group-aware-vote", "group-aware-em"];
const SIZES: [u64; 7] = [100, 200, 500, 1000, 2000, 5000, 10_000];

/// Figures of one size: accuracy in percent and its standard error by method, and the Rand index of the groups.
struct Point {
    items: u64,
    accuracy: [(f64, f64); 4],
    rand: f64,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let usage = |what: String| Err(Error::Usage { what, hint: None });
    if args.max < SIZES[0] {
        return usage(format!("--max is {}, but the smallest size is {}", args.max, SIZES[0]));
    }
    if args.repeats == 0 {
        return usage("--repeats is 0: there would be no crowd".into());
    }
    let out = page::open(&args.output)?;
    let mut points = Vec::new();
    for items in SIZES.into_iter().filter(|n| *n <= args.max) {
        talk.detail(format_args!("{items} items"));
        points.push(point(items, args)?);
    }
    if let Some(file) = &args.svg {
        let series: Vec<(&str, Vec<(f64, f64)>)> = METHODS
            .iter()
            .enumerate()
            .map(|(m, name)| (*name, points.iter().map(|p| (p.items as f64, p.accuracy[m].0)).collect()))
            .collect();
        let lines = Lines {
            label: "Accuracy of methods that know of groups and of methods that do not, as items grow",
            series: &series,
            x_title: "items",
            y_title: "right, %",
        };
        let text = lines.standalone().unwrap_or_default();
        std::fs::write(file, text).map_err(|e| unwritable(&file.display().to_string(), &e))?;
    }
    page_of(&points, args).write(out, talk)?;
    Ok(Exit::Done)
}

fn point(items: u64, args: &Args) -> Result<Point, Error> {
    let mut all: [Vec<f64>; 4] = Default::default();
    let mut rand = 0.0;
    for seed in 0..args.repeats {
        let (data, truth, group) = GroupCrowd::survey(items as usize).draw(args.run.seed + seed)?;
        for (name, own) in METHODS.iter().zip(&mut all) {
            let method = crowdwise::find(name)?.default();
            let fit = method.fit(&data, &mut Context::new(args.run.seed, args.run.threads()))?;
            own.push(100.0 * accuracy(&fit, &truth));
        }
        rand += rand_index(&data, &group) / args.repeats as f64;
    }
    let n = args.repeats as f64;
    let accuracy = all.map(|own| {
        let mean = own.iter().sum::<f64>() / n;
        let square = own.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        (mean, (square / n).sqrt())
    });
    Ok(Point { items, accuracy, rand })
}

/// Share of items that are right, ties shared.
fn accuracy(fit: &Fit, truth: &[usize]) -> f64 {
    let Some((k, q)) = fit.posterior() else { return 0.0 };
    let credit = |(row, &t): (&[f64], &usize)| {
        let best = row.iter().copied().fold(0.0, f64::max);
        if stats::tied(row[t], best) { 1.0 / stats::n_tied(row) as f64 } else { 0.0 }
    };
    q.chunks_exact(k).zip(truth).map(credit).sum::<f64>() / truth.len() as f64
}

/// Share of pairs of annotators that are together in both or in neither.
fn rand_index(data: &Dataset, truth: &[usize]) -> f64 {
    let Some(labels) = data.table.categorical() else { return 0.0 };
    let of = Groups::detect(&labels, None, 10, 2).of_annotators(&data.table);
    let (mut same, mut all) = (0.0, 0.0);
    for a in 0..truth.len() {
        for b in 0..a {
            let together = of[a].is_some() && of[a] == of[b];
            same += f64::from(u8::from(together == (truth[a] == truth[b])));
            all += 1.0;
        }
    }
    same / all
}

fn page_of(points: &[Point], args: &Args) -> Page {
    let mut columns = vec!["items".to_owned()];
    columns.extend(METHODS.iter().map(|m| (*m).to_owned()));
    columns.push("Rand index of the groups".into());
    let row = |p: &Point| {
        let mut row = vec![p.items.to_string()];
        row.extend(p.accuracy.iter().map(|(mean, se)| format!("{mean:.1} ± {se:.1}")));
        row.push(format!("{:.3}", p.rand));
        row
    };
    let figures = points.iter().flat_map(|p| {
        METHODS.iter().zip(p.accuracy).map(move |(m, (mean, se))| {
            let mut row = Row::new();
            row.int(p.items as i64).text(*m).real(mean).real(se).real(p.rand);
            row
        })
    });
    Page {
        title: "Annotators in groups: methods that know of them and methods that do not",
        notes: vec![format!(
            "`crowdwise repro groups --max {} --repeats {}`. Figure 6 of Ibrahim, Traganitis, Fu and Giannakis, Learning From Crowdsourced Noisy Labels: 80 annotators in 4 groups, 3 classes. The \
                 survey does not print sizes and confusions; here groups of 50, 10, 10 and 10 are right with 0.55, 0.75, 0.75 and 0.75, members follow their group with 0.7, and all label all \
                 items. Percent right with standard errors over crowds.",
            args.max, args.repeats
        )],
        grids: vec![Grid { title: "Right, %".into(), columns, rows: points.iter().map(row).collect() }],
        columns: vec!["items", "method", "accuracy", "standard_error", "rand_index"],
        figures: figures.collect(),
    }
}
