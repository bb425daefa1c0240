//! `crowdwise bandit`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::fitting;
use crate::options::{InputOptions, KeyValue, RunOptions, read_truth, whole};
use crate::output::{Format, OutputOptions};
use crate::rows::{self, Push, Row, Sheet};
use crate::talk::Talk;
use clap::ValueEnum;
use crowdwise::ask::answers::Answers;
use crowdwise::ask::bandit::{Bandit, Policy, Pulls, Recorded, Regret, Rewards, play};
use crowdwise::report::SCHEMA;
use crowdwise::{Dataset, Error, nearest};
use serde::Serialize;
use serde_json::json;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise bandit votes.csv --truth truth.csv    who would have been asked
  crowdwise bandit votes.csv --truth truth.csv --money 200 --price ann=2
",
    after_help = "Replays recorded labels: each policy chooses the annotator, who labels the next of their items.
Where several labels of an item are weighed against each other, choosing questions does better than a bandit."
)]
pub struct Args {
    /// File with the recorded answers, or - for stdin
    pub answers: String,
    /// True labels (item,label); annotators answer the items in it
    #[arg(long, value_name = "FILE")]
    pub truth: String,
    /// Policies [default: all]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub policies: Vec<String>,
    /// What a label earns
    #[arg(long, value_enum, default_value_t = Earns::Gold, value_name = "WHAT")]
    pub rewards: Earns,
    /// Labels to ask for [default: a quarter of those recorded]
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub labels: Option<u64>,
    /// Money to spend [default: no limit]
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    pub money: Option<f64>,
    /// Price of a label by one annotator; all others cost 1
    #[arg(long, value_name = "ANNOTATOR=PRICE")]
    pub price: Vec<KeyValue>,
    /// Labels between two estimates of posterior rewards
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = whole::<usize>, hide_short_help = true)]
    pub batch: usize,
    /// Runs of each policy, in other orders of the items
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub orderings: u64,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub input: InputOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Earns {
    /// 1 if it is right, as if every item were a gold question
    Gold,
    /// The probability that it is right, by all labels so far
    Posterior,
}

/// Means over the runs of a policy.
#[derive(Debug, Serialize)]
struct Line {
    policy: &'static str,
    labels: f64,
    spent: f64,
    /// Right labels by the recorded accuracy of the annotators asked.
    right: f64,
    /// The same for those who are best, known beforehand.
    best: f64,
    regret: f64,
    /// Standard error of the regret.
    se: Option<f64>,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let policies = args.policies()?;
    if args.orderings == 0 || args.labels == Some(0) {
        return Err(Error::Usage { what: "--orderings and --labels must be at least 1".into(), hint: None });
    }
    if let Some(money) = args.money.filter(|m| !(m.is_finite() && *m > 0.0)) {
        return Err(Error::BadParameter {
            name: "--money".into(),
            value: money.to_string(),
            must: "greater than 0".into(),
        });
    }
    let [items, probabilities, graph, attribute] = args.input.files();
    let inputs = [Some(args.answers.as_str()), Some(args.truth.as_str()), items, probabilities, graph, attribute];
    let mut out = args.output.open(&inputs)?;
    let mut data = args.input.read(&args.answers, args.run.threads(), talk)?;
    let truth = read_truth(&args.truth, &data, args.input.sets, talk)?;
    data.table.add_classes(truth.extra_classes.iter());
    let known: Vec<Option<u16>> =
        truth.classes(data.table.n_units()).into_iter().map(|t| t.map(|t| t as u16)).collect();
    let answers = Answers::of_table(&data.table)?;
    let prices = args.prices(&data)?;
    let rewards = match args.rewards {
        Earns::Gold => Rewards::Gold,
        Earns::Posterior => Rewards::Posterior { batch: args.batch.max(1) },
    };
    let recorded = Recorded::new(&answers, &known, rewards, args.run.seed)?.n_labels() as u64;
    let usual = if args.money.is_some() { u64::MAX } else { recorded.div_ceil(4) };
    let pulls = Pulls { most: args.labels.unwrap_or(usual), money: args.money.unwrap_or(f64::INFINITY) };
    let lines = fitting::with_progress("bandit", &args.run, talk, |cx| {
        cx.install(|| {
            let one = |policy: Policy| {
                let runs = (0..args.orderings).map(|o| {
                    let seed = args.run.seed + o;
                    let mut world = Recorded::new(&answers, &known, rewards, seed)?;
                    let bandit = Bandit::new(policy, &prices)?;
                    // what is estimated can be wrong for an annotator who is never asked again
                    let mut bandit = match rewards {
                        Rewards::Gold => bandit,
                        Rewards::Posterior { .. } => bandit.with_forced_exploration(),
                    };
                    Ok(play(&mut bandit, &mut world, pulls, seed))
                });
                Ok(line(policy, &runs.collect::<Result<Vec<_>, Error>>()?))
            };
            policies.iter().map(|&p| one(p)).collect::<Result<Vec<Line>, Error>>()
        })
    })??;
    let spent = lines.iter().map(|l| l.labels).fold(0.0, f64::max);
    talk.note(format_args!(
        "{} of {} recorded labels of items with known truth; regret: right labels that were lost",
        crowdwise::group(spent.round() as u64),
        crowdwise::group(recorded)
    ));
    if out.format == Format::Json {
        let document = json!({
            "schema": SCHEMA, "seed": args.run.seed, "orderings": args.orderings, "recorded": recorded,
            "rewards": rewards, "policies": lines,
        });
        rows::write_json(&mut out, &document)?;
    } else {
        let columns = ["policy", "labels", "spent", "right", "best", "regret", "se"];
        let sheet = Sheet::new(columns, lines.len(), |at, row: &mut Row<'_>| {
            let l = &lines[at];
            row.text(l.policy).real(l.labels).real(l.spent).real(l.right).real(l.best).real(l.regret).maybe(l.se);
        });
        rows::write(&mut out, sheet, talk)?;
    }
    out.target.finish()?;
    Ok(fitting::exit(None, &[], &[], talk))
}

fn line(policy: Policy, runs: &[Regret]) -> Line {
    let n = runs.len() as f64;
    let mean = |of: &dyn Fn(&Regret) -> f64| runs.iter().map(of).sum::<f64>() / n;
    let regret = mean(&Regret::total);
    let variance = runs.iter().map(|r| (r.total() - regret).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    Line {
        policy: policy.name(),
        labels: mean(&|r| r.pulls.iter().sum::<u64>() as f64),
        spent: mean(&|r| r.spent),
        right: mean(&|r| r.earned),
        best: mean(&|r| r.best),
        regret,
        se: (runs.len() > 1).then(|| (variance / n).sqrt()),
    }
}

impl Args {
    fn policies(&self) -> Result<Vec<Policy>, Error> {
        if self.policies.is_empty() {
            return Ok(Policy::ALL.to_vec());
        }
        let mut problems = Vec::new();
        let mut out = Vec::new();
        for name in &self.policies {
            let name = name.trim();
            match Policy::ALL.into_iter().find(|p| p.name() == name) {
                Some(p) => out.push(p),
                None => problems.push(Error::Unknown {
                    what: "policy",
                    name: name.into(),
                    nearest: nearest(name, Policy::ALL.iter().map(|p| p.name())).map(Into::into),
                    hint: Some(Policy::ALL.map(Policy::name).join(", ")),
                }),
            }
        }
        Error::all(problems)?;
        Ok(out)
    }

    /// The price of every annotator.
    fn prices(&self, data: &Dataset) -> Result<Vec<f64>, Error> {
        let mut names = data.table.annotators().clone();
        names.thaw();
        let mut out = vec![1.0; data.table.n_annotators()];
        let mut problems = Vec::new();
        for (name, value) in self.price.iter().map(KeyValue::pair) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let price = text.parse::<f64>().ok().filter(|p| p.is_finite() && *p > 0.0);
            match (names.get(&name), price) {
                (Some(j), Some(price)) => out[j as usize] = price,
                (None, _) => problems.push(Error::Unknown {
                    what: "annotator",
                    name: name.clone(),
                    nearest: nearest(&name, names.iter()).map(Into::into),
                    hint: Some("`crowdwise annotators` lists them".into()),
                }),
                (_, None) => problems.push(Error::BadParameter {
                    name: format!("--price {name}"),
                    value: text,
                    must: "a number greater than 0".into(),
                }),
            }
        }
        Error::all(problems)?;
        Ok(out)
    }
}
