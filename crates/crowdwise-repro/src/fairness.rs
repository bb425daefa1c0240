//! `crowdwise repro fairness`: what annotators who treat groups of items differently do to labels.

use super::page::{self, Grid, Page};
use crowdwise::methods::classes::fairness::UnfairCrowd;
use crowdwise::questions::{evaluate, fairness};
use crowdwise::{Context, Error};
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::options::{RunOptions, whole};
use crowdwise_terminal::output::OutputOptions;
use crowdwise_terminal::rows::{Push, Row};
use crowdwise_terminal::talk::Talk;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro fairness
  crowdwise repro fairness --repeats 4 --items 1000
",
    after_help = "12 annotators, two classes, two groups of items; six annotators are unfair to one group."
)]
pub struct Args {
    /// Items of a crowd
    #[arg(long, default_value_t = 2000, value_name = "N", value_parser = whole::<usize>)]
    pub items: usize,
    /// Crowds for each bias
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = whole::<u64>)]
    pub repeats: u64,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

const METHODS: [&str; 4] = ["majority-vote", "dawid-skene", "fair-confusion", "crowd-layer"];
const BIASES: [f64; 4] = [0.0, 0.1, 0.25, 0.4];
/// What is measured, in percent.
const FIGURES: [&str; 4] = ["error", "fpr_gap", "fnr_gap", "parity_gap"];

/// Mean and standard error of every figure.
struct Point {
    bias: f64,
    method: &'static str,
    figures: [(f64, f64); 4],
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    if args.repeats == 0 || args.items < 100 {
        return Err(Error::Usage { what: "at least 1 crowd of 100 items is needed".into(), hint: None });
    }
    let out = page::open(&args.output)?;
    let mut points = Vec::new();
    for bias in BIASES {
        talk.detail(format_args!("bias {bias}"));
        points.extend(of_bias(bias, args)?);
    }
    page_of(&points, args).write(out, talk)?;
    Ok(Exit::Done)
}

fn of_bias(bias: f64, args: &Args) -> Result<Vec<Point>, Error> {
    let mut all = vec![vec![Vec::new(); FIGURES.len()]; METHODS.len()];
    for seed in 0..args.repeats {
        let crowd = UnfairCrowd { items: args.items, bias, ..UnfairCrowd::default() };
        let mut drawn = crowd.draw(args.run.seed + seed);
        drawn.data.features = Some(drawn.features(args.run.seed + seed));
        for (name, own) in METHODS.iter().zip(&mut all) {
            let method = crowdwise::find(name)?.default();
            let fit = method.fit(&drawn.data, &mut Context::new(args.run.seed, args.run.threads()))?;
            let error = 1.0 - evaluate(&fit, &drawn.data, &drawn.truth).accuracy.unwrap_or(f64::NAN);
            let labels = fairness(&drawn.data, &fit, Some(&drawn.truth), None).map(|f| f.labels[0].clone());
            let gap = |of: Option<crowdwise::questions::Gap>| of.map_or(f64::NAN, |g| g.value);
            let gaps = labels.map_or([f64::NAN; 3], |l| [l.fpr, l.fnr, l.parity].map(gap));
            own.iter_mut().zip([error, gaps[0], gaps[1], gaps[2]]).for_each(|(v, x)| v.push(100.0 * x));
        }
    }
    let n = args.repeats as f64;
    let summary = |own: &Vec<f64>| {
        let mean = own.iter().sum::<f64>() / n;
        let square = own.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        (mean, (square / n).sqrt())
    };
    let point = |(method, own): (&&'static str, &Vec<Vec<f64>>)| Point {
        bias,
        method,
        figures: std::array::from_fn(|f| summary(&own[f])),
    };
    Ok(METHODS.iter().zip(&all).map(point).collect())
}

fn page_of(points: &[Point], args: &Args) -> Page {
    let row = |p: &Point| {
        let mut row = vec![format!("{:.2}", p.bias), p.method.to_owned()];
        row.extend(p.figures.iter().map(|(mean, se)| format!("{mean:.1} ± {se:.1}")));
        row
    };
    let figures = points.iter().flat_map(|p| {
        FIGURES.iter().zip(p.figures).map(move |(name, (mean, se))| {
            let mut row = Row::new();
            row.real(p.bias).text(p.method).text(*name).real(mean).real(se);
            row
        })
    });
    let columns = ["bias", "method", "error", "FPR gap", "FNR gap", "parity gap"].map(String::from).to_vec();
    Page {
        title: "Annotators who treat groups of items differently",
        notes: vec![format!(
            "`crowdwise repro fairness --items {} --repeats {}`. Two groups of items with as many positives; 12 annotators label a quarter of the items each; six of them call negatives of the second \
                 group positive more often by `bias`, and miss a third of that fewer positives there. Gaps are those of the labels against the truth, in points, with standard errors over crowds; a gap \
                 is never below 0, so that chance alone shows as 1 to 3. `crowd-layer` has eight features besides, of which one tells the class (84 % right by itself) and one the group.",
            args.items, args.repeats
        )],
        grids: vec![Grid {
            title: "Errors and gaps of labels, %".into(),
            columns,
            rows: points.iter().map(row).collect(),
        }],
        columns: vec!["bias", "method", "figure", "mean", "standard_error"],
        figures: figures.collect(),
    }
}
