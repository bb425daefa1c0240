//! `crowdwise repro quality`.

use super::page::{self, Grid, Page};
use super::sets::{self, DataOptions};
use crowdwise::Error;
use crowdwise::questions::{CompareRow, compare};
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::choice::{Params, check_names, chosen};
use crowdwise_terminal::fitting;
use crowdwise_terminal::interrupt;
use crowdwise_terminal::options::RunOptions;
use crowdwise_terminal::output::OutputOptions;
use crowdwise_terminal::rows::{Push, Row};
use crowdwise_terminal::talk::Talk;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro quality -o QUALITY.md
  crowdwise repro quality -m auto,dawid-skene --sets rte,dog
"
)]
pub struct Args {
    /// Methods [default: all for classes]
    #[arg(short, long = "method", value_name = "A,B,…", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Only these sets [default: all with classes and known truth]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub sets: Vec<String>,
    #[command(flatten)]
    pub data: DataOptions,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

/// The sets over which means are taken: those of published comparisons of packages. Others are shown only.
pub const MEAN: [&str; 22] = [
    "adult2",
    "bluebird",
    "cifar10n",
    "dog",
    "face",
    "fact_eval",
    "fej2013",
    "hitspam_cf",
    "labelme",
    "llmbar",
    "medre_cause",
    "music",
    "prelec_art",
    "prelec_states",
    "reuters",
    "rte",
    "sp_amt",
    "temp",
    "trec",
    "valence5",
    "weather_amt",
    "zencrowd_us",
];

/// One method on one set; `None` if it gave no result.
#[derive(Clone, Copy)]
struct Score {
    accuracy: f64,
    log_loss: f64,
    ece: f64,
    seconds: f64,
}

impl Score {
    fn of(row: &CompareRow) -> Option<Score> {
        let e = row.evaluation.as_ref()?;
        Some(Score {
            accuracy: e.accuracy_labelled.or(e.accuracy)?,
            log_loss: e.log_loss?,
            ece: e.ece?,
            seconds: row.elapsed_seconds,
        })
    }
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    check_names(&args.methods)?;
    let out = page::open(&args.output)?;
    let folder = args.data.folder()?;
    let names = if args.sets.is_empty() { sets::with_classes(&folder)? } else { args.sets.clone() };
    sets::check(&folder, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
    let all = ["all".to_owned()];
    let wanted = if args.methods.is_empty() { &all[..] } else { &args.methods };
    let methods = chosen(wanted, None, &Params::parse(&[])?)?;
    let ids: Vec<&'static str> = methods.iter().map(|m| m.info().id).collect();
    // scores[set][method]
    let mut scores: Vec<Vec<Option<Score>>> = Vec::new();
    let mut failures: Vec<(&str, String)> = Vec::new();
    for name in &names {
        let (data, truth) = sets::read(&folder, name, args.run.threads())?;
        let rows = fitting::with_progress(name, &args.run, talk, |cx| compare(&data, &methods, Some(&truth), 0, cx));
        if interrupt::cancelled() {
            return Err(Error::Interrupted);
        }
        for (id, row) in ids.iter().zip(&rows.methods) {
            let known = failures.iter().any(|f| f.0 == *id);
            if let Some(e) = row.error.as_ref().filter(|_| !known) {
                failures.push((id, format!("{id} has no result on {name}: {e}")));
            }
        }
        scores.push(rows.methods.iter().map(Score::of).collect());
        talk.detail(format_args!("{name}"));
    }
    let notes = failures.into_iter().map(|f| f.1).collect();
    page_of(&ids, &names, &scores, notes, args.run.threads()).write(out, talk)?;
    Ok(Exit::Done)
}

/// Ranks by accuracy, 1 is best, ties share theirs; those without a result share the last.
fn ranks(row: &[Option<Score>]) -> Vec<f64> {
    let key = |s: &Option<Score>| s.map_or(f64::NEG_INFINITY, |s| s.accuracy);
    let rank = |s: &Option<Score>| {
        let better = row.iter().filter(|o| key(o) > key(s)).count();
        let equal = row.iter().filter(|o| key(o) == key(s)).count();
        better as f64 + 0.5 * (equal + 1) as f64
    };
    row.iter().map(rank).collect()
}

fn page_of(
    ids: &[&'static str],
    names: &[String],
    scores: &[Vec<Option<Score>>],
    more: Vec<String>,
    threads: usize,
) -> Page {
    let counted: Vec<usize> = (0..names.len()).filter(|&s| MEAN.contains(&names[s].as_str())).collect();
    let ranks: Vec<Vec<f64>> = scores.iter().map(|row| ranks(row)).collect();
    let mean = |of: &dyn Fn(usize) -> Option<f64>| {
        let all: Vec<f64> = counted.iter().filter_map(|&s| of(s)).collect();
        if all.is_empty() { f64::NAN } else { all.iter().sum::<f64>() / all.len() as f64 }
    };
    let means = |m: usize, f: fn(Score) -> f64| mean(&|s| scores[s][m].map(f));
    // best first; what has no result anywhere is only in the notes
    let mut order: Vec<usize> = (0..ids.len()).filter(|&m| scores.iter().any(|row| row[m].is_some())).collect();
    order.sort_by(|&a, &b| means(b, |s| s.accuracy).total_cmp(&means(a, |s| s.accuracy)));
    let summary = order.iter().map(|&m| {
        let n = counted.iter().filter(|&&s| scores[s][m].is_some()).count();
        vec![
            ids[m].to_owned(),
            rounded(means(m, |s| s.accuracy), 4),
            rounded(mean(&|s| Some(ranks[s][m])), 1),
            rounded(means(m, |s| s.log_loss), 3),
            rounded(means(m, |s| s.ece), 3),
            format!("{:.2}", scores.iter().filter_map(|row| row[m]).map(|s| s.seconds).sum::<f64>()),
            n.to_string(),
        ]
    });
    let columns = ["method", "accuracy", "rank", "log-loss", "ECE", "seconds, all sets", "sets"];
    let mut grids = vec![Grid {
        title: format!("Means over {} sets", counted.len()),
        columns: columns.map(Into::into).into(),
        rows: summary.collect(),
    }];
    type Field = fn(Score) -> f64;
    let fields: [(&str, usize, Field); 4] = [
        ("Accuracy", 3, |s| s.accuracy),
        ("Log-loss", 2, |s| s.log_loss),
        ("Calibration error (ECE)", 3, |s| s.ece),
        ("Seconds", 3, |s| s.seconds),
    ];
    for (title, digits, field) in fields {
        let cell = |m: usize, s: usize| scores[s][m].map(|x| format!("{:.digits$}", field(x))).unwrap_or_default();
        let row = |&m: &usize| std::iter::once(ids[m].to_owned()).chain((0..names.len()).map(|s| cell(m, s))).collect();
        let columns = std::iter::once("method".to_owned()).chain(names.iter().cloned()).collect();
        grids.push(Grid { title: title.into(), columns, rows: order.iter().map(row).collect() });
    }
    let mut notes = vec![format!(
        "`crowdwise repro quality`, {threads} threads; every method with its defaults. Accuracy on the items with a label and known truth, ties split; log-loss with probabilities of \
         at least 1e-12; ECE with 10 bins. Rank: mean over the same sets of the place by accuracy. Of {} sets, the means leave out {}.",
        names.len(),
        left_out(names)
    )];
    notes.extend(more);
    let figures = (0..names.len()).flat_map(|s| (0..ids.len()).map(move |m| (s, m))).map(|(s, m)| {
        let mut row = Row::new();
        let score = scores[s][m];
        row.text(names[s].clone()).text(ids[m]).maybe(score.map(|x| x.accuracy)).maybe(score.map(|x| x.log_loss));
        row.maybe(score.map(|x| x.ece)).maybe(score.map(|x| x.seconds)).real(ranks[s][m]);
        row
    });
    Page {
        title: "Methods on real sets",
        notes,
        grids,
        columns: vec!["set", "method", "accuracy", "log_loss", "ece", "seconds", "rank"],
        figures: figures.collect(),
    }
}

/// Nothing for the mean of nothing.
fn rounded(x: f64, digits: usize) -> String {
    if x.is_nan() { String::new() } else { format!("{x:.digits$}") }
}

fn left_out(names: &[String]) -> String {
    let out: Vec<&str> = names.iter().map(String::as_str).filter(|n| !MEAN.contains(n)).collect();
    if out.is_empty() { "none".into() } else { out.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_rank_and_failures_are_last() {
        let score = |accuracy| Some(Score { accuracy, log_loss: 0.0, ece: 0.0, seconds: 0.0 });
        assert_eq!(ranks(&[score(0.8), None, score(0.9), score(0.8)]), [2.5, 4.0, 1.0, 2.5]);
    }
}
