//! `crowdwise repro scaling`.

use super::page::{self, Grid, Page};
use crowdwise::simulate::{Simulation, Simulator};
use crowdwise::{Context, Error};
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::choice::{Params, check_names, chosen};
use crowdwise_terminal::options::{RunOptions, whole};
use crowdwise_terminal::output::OutputOptions;
use crowdwise_terminal::rows::{Push, Row};
use crowdwise_terminal::talk::Talk;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro scaling --max 1000000
  crowdwise repro scaling -m dawid-skene,glad --limit 300 --threads 1
",
    after_help = "Simulated crowds: 3 classes, 5 labels per item, 500 labels per annotator."
)]
pub struct Args {
    /// Methods [default: all for classes]
    #[arg(short, long = "method", value_name = "A,B,…", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Most labels; sizes are 10 000, 100 000 …
    #[arg(long, default_value_t = 10_000_000, value_name = "N", value_parser = whole::<u64>)]
    pub max: u64,
    /// Seconds that one fit may take; larger sizes are then left out, and that is said
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = whole::<u64>)]
    pub limit: u64,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
    /// Fit one method to so many labels in this process, and write what it took
    #[arg(long, hide = true, value_names = ["METHOD", "N"], num_args = 2)]
    pub one: Vec<String>,
}

const LEAST: u64 = 10_000;
const PER_ITEM: u64 = 5;
const PER_ANNOTATOR: u64 = 500;

/// What one fit took.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Took {
    /// Of the processors where the system tells, else of the clock.
    seconds: f64,
    /// Of the process during the fit; 0 where the system does not tell.
    peak_mb: f64,
}

/// One method: what it took at each size, and why there are no more sizes.
struct Curve {
    method: &'static str,
    points: Vec<(u64, Took)>,
    /// From which size on there is nothing, and why.
    left_out: Option<(u64, String)>,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    if let [method, labels] = &args.one[..] {
        return one(method, labels, &args.run);
    }
    check_names(&args.methods)?;
    if args.max < LEAST {
        let what = format!("--max is {}, but the smallest size is {LEAST}", args.max);
        return Err(Error::Usage { what, hint: None });
    }
    let out = page::open(&args.output)?;
    let all = ["all".to_owned()];
    let names = if args.methods.is_empty() { &all[..] } else { &args.methods };
    let methods = chosen(names, None, &Params::parse(&[])?)?;
    let sizes: Vec<u64> =
        std::iter::successors(Some(LEAST), |n| n.checked_mul(10)).take_while(|n| *n <= args.max).collect();
    let mut curves = Vec::new();
    for method in &methods {
        let id = method.info().id;
        talk.detail(format_args!("{id}"));
        curves.push(curve(id, &sizes, args)?);
    }
    page_of(&curves, &sizes, args).write(out, talk)?;
    Ok(Exit::Done)
}

/// Fits in processes of their own, smallest size first, so that each has a peak of memory of its own.
fn curve(method: &'static str, sizes: &[u64], args: &Args) -> Result<Curve, Error> {
    let mut curve = Curve { method, points: Vec::new(), left_out: None };
    for &labels in sizes {
        if let Some(&(n, last)) = curve.points.last() {
            let expected = last.seconds * (labels / n) as f64;
            if expected > 2.0 * args.limit as f64 {
                curve.left_out = Some((labels, format!("{expected:.0} s or more expected")));
                break;
            }
        }
        match child(method, labels, args)? {
            Ok(took) => curve.points.push((labels, took)),
            Err(why) => {
                curve.left_out = Some((labels, why));
                break;
            }
        }
    }
    Ok(curve)
}

/// Runs this program for one fit. The inner error says why there is no figure.
fn child(method: &str, labels: u64, args: &Args) -> Result<Result<Took, String>, Error> {
    let broken = |e: std::io::Error| Error::Unreadable {
        file: "this program".into(),
        what: format!("it could not be started for one fit: {e}"),
        hint: None,
    };
    let program = std::env::current_exe().map_err(broken)?;
    let mut process = Command::new(program)
        .args(["repro", "scaling", "--quiet", "--one", method, &labels.to_string()])
        .args(["--seed", &args.run.seed.to_string(), "--threads", &args.run.threads().to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(broken)?;
    // making the labels takes time too, about a microsecond each
    let limit = Duration::from_secs(args.limit) + Duration::from_micros(5 * labels) + Duration::from_secs(1);
    let start = Instant::now();
    while process.try_wait().map_err(broken)?.is_none() {
        if start.elapsed() > limit {
            let _ = process.kill();
            let _ = process.wait();
            return Ok(Err(format!("more than {} s", args.limit)));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = process.wait_with_output().map_err(broken)?;
    if output.status.success() {
        let figures = serde_json::from_slice(&output.stdout);
        return Ok(figures.map_err(|_| format!("no figures but `{}`", String::from_utf8_lossy(&output.stdout).trim())));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().unwrap_or("it ended without a word");
    Ok(Err(first.split_once("]: ").map_or(first, |(_, what)| what).to_owned()))
}

/// In the child: makes the labels, fits, and writes what that took.
fn one(method: &str, labels: &str, run: &RunOptions) -> Result<Exit, Error> {
    let labels = whole::<u64>(labels).map_err(|what| Error::Usage { what, hint: None })?;
    let simulation = Simulation {
        items: labels / PER_ITEM,
        annotators: (labels / PER_ANNOTATOR).max(20) as usize,
        per_item: PER_ITEM as usize,
        ..Simulation::default()
    };
    let (data, _) = Simulator::new(&simulation, run.seed)?.dataset()?;
    let method = crowdwise::find(method)?.default();
    forget_peak();
    let (start, busy) = (Instant::now(), cpu_seconds());
    let mut context = Context::new(run.seed, run.threads());
    let fit = method.fit(&data, &mut context)?;
    let wall = start.elapsed().as_secs_f64();
    let seconds = cpu_seconds().zip(busy).map_or(wall, |(now, before)| now - before);
    drop((fit, context));
    let took = Took { seconds, peak_mb: peak() };
    let text = serde_json::to_string(&took).unwrap_or_default();
    writeln!(std::io::stdout(), "{text}").map_err(|e| crowdwise_terminal::output::unwritable("standard output", &e))?;
    Ok(Exit::Done)
}

/// Seconds that processors spent on the threads of this process, by the system's own account (Linux): other programs do not
/// count, as they do in the time of the clock.
fn cpu_seconds() -> Option<f64> {
    // the account of a running thread is brought up to date when it gives way
    std::thread::yield_now();
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let of = |t: std::io::Result<std::fs::DirEntry>| {
        let line = std::fs::read_to_string(t.ok()?.path().join("schedstat")).ok()?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    threads.map(of).sum::<Option<f64>>().map(|ns| ns * 1e-9)
}

/// Most megabytes of this process by the system's own account (Linux); 0 elsewhere.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

/// Lets the peak begin again at what is in use now; where that is not allowed, making the labels counts too.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// "10^5".
fn size(labels: u64) -> String {
    format!("10^{}", labels.ilog10())
}

/// Least-squares slope of ln y over ln n; `None` with fewer than two points.
fn exponent(points: &[(u64, f64)]) -> Option<f64> {
    if points.len() < 2 {
        return None;
    }
    let ln: Vec<(f64, f64)> = points.iter().map(|&(n, y)| ((n as f64).ln(), y.ln())).collect();
    let mean = |f: fn(&(f64, f64)) -> f64| ln.iter().map(f).sum::<f64>() / ln.len() as f64;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let sxx: f64 = ln.iter().map(|p| (p.0 - mx).powi(2)).sum();
    Some(ln.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / sxx)
}

/// Times below this are those of starting threads.
const TINY: f64 = 0.003;

impl Curve {
    fn time_exponent(&self) -> Option<f64> {
        let all = self.points.iter().map(|(n, t)| (*n, t.seconds));
        exponent(&all.filter(|p| p.1 >= TINY).collect::<Vec<_>>())
    }

    /// Of the peaks, without those that are hardly more than the program itself.
    fn memory_exponent(&self) -> Option<f64> {
        let all = self.points.iter().map(|(n, t)| (*n, t.peak_mb));
        exponent(&all.filter(|p| p.1 >= 50.0).collect::<Vec<_>>())
    }
}

fn page_of(curves: &[Curve], sizes: &[u64], args: &Args) -> Page {
    let mut columns = vec!["method".to_owned()];
    columns.extend(sizes.iter().map(|n| format!("{} s", size(*n))));
    columns.extend([
        "time ~ n^".into(),
        "peak MB".into(),
        "bytes a label".into(),
        "memory ~ n^".into(),
        "left out".into(),
    ]);
    let row = |c: &Curve| {
        let mut row = vec![c.method.to_owned()];
        let at = |n: &u64| c.points.iter().find(|p| p.0 == *n).map(|p| format!("{:.3}", p.1.seconds));
        row.extend(sizes.iter().map(|n| at(n).unwrap_or_default()));
        let two = |x: Option<f64>| x.map(|x| format!("{x:.2}")).unwrap_or_default();
        row.push(two(c.time_exponent()));
        let last = c.points.last();
        row.push(last.map(|p| format!("{:.0}", p.1.peak_mb)).unwrap_or_default());
        row.push(last.map(|p| format!("{:.0}", p.1.peak_mb * 1_048_576.0 / p.0 as f64)).unwrap_or_default());
        row.push(two(c.memory_exponent()));
        row.push(c.left_out.as_ref().map(|(n, why)| format!("{} and more: {why}", size(*n))).unwrap_or_default());
        row
    };
    let figure = |c: &Curve, n: u64, took: Option<Took>, left_out: &str| {
        let mut row = Row::new();
        row.text(c.method).int(n as i64).int((n / PER_ITEM) as i64).int((n / PER_ANNOTATOR).max(20) as i64);
        row.maybe(took.map(|t| t.seconds)).maybe(took.map(|t| t.peak_mb)).text(left_out.to_owned());
        row
    };
    let figures = curves.iter().flat_map(|c| {
        let there = c.points.iter().map(|&(n, t)| figure(c, n, Some(t), ""));
        there.chain(c.left_out.iter().map(|(n, why)| figure(c, *n, None, why)))
    });
    let most = sizes.last().copied().unwrap_or(LEAST);
    Page {
        title: "Time and memory as labels grow",
        notes: vec![
            format!(
                "`crowdwise repro scaling --max {} --limit {} --threads {}`. Simulated crowds of 3 classes with {PER_ITEM} labels per item and {PER_ANNOTATOR} labels per annotator; \
                 defaults of every method, so that iterative ones run to convergence. Each fit has a process of its own; seconds are those of \
                 its processors, all threads (of the clock where the system does not tell). The peak of memory is that of the \
                 whole process with the labels in it, at the largest size.",
                args.max,
                args.limit,
                args.run.threads()
            ),
            format!(
                "A table of items x annotators with one byte a cell would need {:.0} MB at {} labels.",
                (most / PER_ITEM) as f64 * (most / PER_ANNOTATOR).max(20) as f64 / 1e6,
                size(most)
            ),
        ],
        grids: vec![Grid { title: "Seconds and memory".into(), columns, rows: curves.iter().map(row).collect() }],
        columns: vec!["method", "labels", "items", "annotators", "seconds", "peak_mb", "left_out"],
        figures: figures.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_slopes() {
        let square = [(10, 1.0), (100, 100.0), (1000, 10_000.0)];
        assert!((exponent(&square).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(exponent(&square[..1]), None);
        assert_eq!(size(100_000), "10^5");
    }
}
