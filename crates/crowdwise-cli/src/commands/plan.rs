//! `crowdwise plan`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::fitting;
use crate::options::{FailIf, InputOptions, RunOptions, check_repeated, read_gold, whole};
use crate::output::{Format, OutputOptions};
use crate::rows::{self, Push, Row as Cells, Sheet};
use crate::talk::{Talk, counted};
use crowdwise::ask::gold::{Advice, advise_on};
use crowdwise::ask::plan::{Choice, Crowd, Estimate, Outlook, Plan, Planner, Row, Target};
use crowdwise::ask::strategy::Strategy;
use crowdwise::report::SCHEMA;
use crowdwise::{Dataset, Error, Severity, nearest};
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise plan votes.csv --target 0.95 --gold gold.csv   labels for 95 %
  crowdwise plan votes.csv --per-item 3,5 --only ann,bob   these, or all?
",
    after_help = "Plans for labels that are classes. labels and money are beside what FILE has; low and high: 90 % interval."
)]
pub struct Args {
    /// File with the answers so far (best two or three for each item), or - for stdin
    pub answers: String,
    /// Accuracy to reach
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub target: Option<f64>,
    /// Labels per item to show [default: some from 2 to 30]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub per_item: Vec<usize>,
    /// Sums of money to show
    #[arg(long, value_name = "AMOUNT,…", value_delimiter = ',', allow_negative_numbers = true, hide_short_help = true)]
    pub money: Vec<f64>,
    /// Price of a label
    #[arg(long, default_value_t = 1.0, value_name = "PRICE", allow_negative_numbers = true)]
    pub price: f64,
    /// True labels (item,label) of some items; 30 to 50 random ones are enough
    #[arg(long, value_name = "FILE")]
    pub gold: Option<String>,
    /// How questions are chosen, such as fewest,gain [default: fewest]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub strategies: Vec<String>,
    /// Also plan with the best annotators only, this share of them
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub best: Option<f64>,
    /// Also plan with new annotators who are right with this probability
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub accuracy: Option<f64>,
    /// Also plan with these annotators only
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Price of a label by annotators of --best, --accuracy or --only [default: that of --price]
    #[arg(long, value_name = "PRICE", allow_negative_numbers = true, hide_short_help = true)]
    pub other_price: Option<f64>,
    /// Most labels per item that anybody would ask for
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    #[arg(hide_short_help = true)]
    pub most: usize,
    /// Simulated futures
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    #[arg(hide_short_help = true)]
    pub draws: usize,
    /// Exit with code 1 if this is the case
    #[arg(long, value_enum, value_name = "CONDITION", value_delimiter = ',', hide_short_help = true)]
    pub fail_if: Vec<FailIf>,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub input: InputOptions,
}

/// Accuracy of an annotator who is wanted, for the test by gold questions.
const GOOD: f64 = 0.8;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    seed: u64,
    /// Level of the intervals.
    interval_level: f64,
    #[serde(flatten)]
    plan: &'a Plan,
    /// All rows, as in the other formats.
    rows: Vec<&'a Row>,
    /// Of the crowd as it is.
    ceiling: Option<&'a Row>,
    target: Option<&'a Target>,
    gold_questions: Names<'a>,
    can_tell: bool,
}

/// Advice on gold questions, with names.
#[derive(Serialize)]
struct Names<'a> {
    #[serde(flatten)]
    advice: &'a Advice,
    suspend: Vec<&'a str>,
    retired: Vec<&'a str>,
    ask: Vec<[&'a str; 2]>,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let planner = Planner {
        per_item: args.per_item.clone(),
        money: args.money.clone(),
        price: args.price,
        target: args.target,
        draws: args.draws,
        most: args.most,
    };
    let mut problems: Vec<Error> = planner.check().err().into_iter().collect();
    problems.extend(args.strategies().err());
    problems.extend(check_repeated("annotator", args.only.iter().map(String::as_str)).err());
    if args.other_price.is_some() && args.best.is_none() && args.accuracy.is_none() && args.only.is_empty() {
        problems.push(Error::Usage {
            what: "--other-price is given, but there are no other annotators".into(),
            hint: Some("say who they are with --best, --accuracy or --only".into()),
        });
    }
    Error::all(problems)?;
    let [items, probabilities, graph, attribute] = args.input.files();
    let inputs = [Some(args.answers.as_str()), args.gold.as_deref(), items, probabilities, graph, attribute];
    let mut out = args.output.open(&inputs)?;
    let data = args.input.read(&args.answers, args.run.threads(), talk)?;
    let data = match &args.gold {
        Some(file) => {
            let gold = read_gold(file, &data, args.input.sets, talk)?;
            data.with_gold(gold)
        }
        None => data,
    };
    let choices = args.choices(&data)?;
    let (plan, advice) = talk.timed("plan", || {
        fitting::with_progress("plan", &args.run, talk, |cx| {
            let seed = args.run.seed;
            cx.install(|| -> Result<(Plan, Advice), Error> {
                let plan = planner.plan(&data, &choices, seed)?;
                let next = plan.outlooks.iter().flat_map(|o| &o.rows).map(|r| r.labels).find(|l| *l > 0);
                Ok((plan, advise_on(&data, next.unwrap_or(0) as usize, GOOD)?))
            })
        })
    })??;
    say(&plan, &advice, args, talk);
    let rows: Vec<&Row> = plan.outlooks.iter().flat_map(|o| &o.rows).collect();
    if out.format == Format::Json {
        let document = Document {
            schema: SCHEMA,
            seed: args.run.seed,
            interval_level: crowdwise::stats::LEVEL,
            ceiling: plan.outlooks.first().map(|o| &o.ceiling),
            target: plan.outlooks.first().and_then(|o| o.target.as_ref()),
            gold_questions: named(&advice, &data),
            can_tell: plan.can_tell(),
            rows,
            plan: &plan,
        };
        rows::write_json(&mut out, &document)?;
    } else {
        rows::write(&mut out, sheet(&rows), talk)?;
    }
    out.target.finish()?;
    let severities: Vec<Severity> = plan.findings.iter().map(|f| f.severity).collect();
    Ok(fitting::exit(None, &severities, &args.fail_if, talk))
}

impl Args {
    /// Strategies for the crowd as it is, every bad name at once.
    fn strategies(&self) -> Result<Vec<Strategy>, Error> {
        if self.strategies.is_empty() {
            return Ok(vec![Strategy::Fewest]);
        }
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for name in &self.strategies {
            match Strategy::find(name.trim()) {
                Ok(s) if s.stops() => problems.push(Error::Usage {
                    what: format!("`{name}` stops by itself, so that it has no accuracy for a number of labels"),
                    hint: Some("`--strategies fewest,gain`".into()),
                }),
                Ok(s) => found.push(s),
                Err(e) => problems.push(e),
            }
        }
        problems.extend(check_repeated("strategy", found.iter().map(|s| s.name())).err());
        Error::all(problems)?;
        Ok(found)
    }

    /// Everybody, and whoever else was named.
    fn choices(&self, data: &Dataset) -> Result<Vec<Choice>, Error> {
        let mut out: Vec<Choice> = self.strategies()?.into_iter().map(Choice::by).collect();
        let mut also = |name: String, crowd| out.push(Choice { price: self.other_price, ..Choice::of(name, crowd) });
        if let Some(share) = self.best {
            also(format!("fewest: best {}", super::annotators::percent(share)), Crowd::Best(share));
        }
        if let Some(p) = self.accuracy {
            also(format!("fewest: new annotators of {}", super::annotators::percent(p)), Crowd::Accuracy(p));
        }
        if !self.only.is_empty() {
            let mut known = data.table.annotators().clone();
            known.thaw();
            let mut problems = Vec::new();
            let mut who = Vec::new();
            for name in &self.only {
                match known.get(name) {
                    Some(j) => who.push(j),
                    None => problems.push(Error::Unknown {
                        what: "annotator",
                        name: name.clone(),
                        nearest: nearest(name, known.iter()).map(Into::into),
                        hint: Some("`crowdwise annotators` lists them".into()),
                    }),
                }
            }
            Error::all(problems)?;
            let name = match self.only.as_slice() {
                few if few.len() <= 5 => few.join(" "),
                many => format!("{} annotators", many.len()),
            };
            also(format!("fewest: only {name}"), Crowd::These(who));
        }
        Ok(out)
    }
}

fn named<'a>(advice: &'a Advice, data: &'a Dataset) -> Names<'a> {
    let item = |n: u32| data.table.items().name(n as usize);
    let annotator = |j: u32| data.table.annotators().name(j as usize);
    Names {
        advice,
        suspend: advice.suspend.iter().map(|&j| annotator(j)).collect(),
        retired: advice.retired.iter().map(|&n| item(n)).collect(),
        ask: advice.ask.iter().map(|q| [item(q.item), annotator(q.annotator)]).collect(),
    }
}

/// What a person wants to know first.
fn say(plan: &Plan, advice: &Advice, args: &Args, talk: Talk) {
    let p = &plan.pilot;
    talk.note(format_args!(
        "{} of {} by {}: {} of the items right",
        counted(p.labels as u64, "label", "labels"),
        counted(p.items as u64, "item", "items"),
        counted(p.annotators as u64, "annotator", "annotators"),
        range(&p.estimate)
    ));
    if !plan.can_tell() {
        talk.note("these answers cannot tell what more of them would bring; the figures are no more than a guess");
    }
    fitting::say_findings(&plan.findings, talk);
    for outlook in &plan.outlooks {
        if let Some(t) = &outlook.target {
            talk.note(format_args!("{}", answer(outlook, t)));
        }
    }
    if args.gold.is_some() {
        advice.reasons.iter().for_each(|r| talk.note(r));
        talk.note(format_args!("gold questions: {}", advice.advice));
    }
}

fn percent(p: f64) -> String {
    format!("{:.0}", 100.0 * p)
}

fn range(e: &Estimate) -> String {
    format!("{} % ({} to {})", percent(e.accuracy), percent(e.low), percent(e.high))
}

/// How many labels for the target: never a number without its range.
fn answer(outlook: &Outlook, t: &Target) -> String {
    let labels = |n: Option<u64>| n.map_or("cannot be reached".to_owned(), |n| counted(n, "more label", "more labels"));
    let goal = format!("{}: {} %", outlook.strategy, percent(t.accuracy));
    if t.reachable {
        format!(
            "{goal} needs {} (at best {}, at worst {})",
            labels(t.labels),
            labels(t.labels_low),
            labels(t.labels_high)
        )
    } else {
        let c = &outlook.ceiling;
        let best = t.labels_low.map_or(String::new(), |_| format!(", at best {}", labels(t.labels_low)));
        format!("{goal} is not reachable: {} with {:.0} labels per item{best}", range(&c.estimate), c.labels_per_item)
    }
}

fn sheet<'a>(all: &'a [&'a Row]) -> Sheet<'a> {
    let columns = ["strategy", "labels_per_item", "labels", "money", "accuracy", "low", "high"];
    Sheet::new(columns, all.len(), |at, row: &mut Cells<'_>| {
        let r = all[at];
        row.text(&*r.strategy).real(r.labels_per_item).int(r.labels as i64).real(r.money);
        row.real(r.estimate.accuracy).real(r.estimate.low).real(r.estimate.high);
    })
}
