//! Questions about numbers.

use super::{Args, files};
use crate::failure::Exit;
use crate::output::Format;
use crate::rows::{self, Push, Row, Sheet};
use crate::talk::{Talk, counted};
use crowdwise::ask::numbers::{AskNumbers, NumberQuestion, NumberStrategy};
use crowdwise::report::SCHEMA;
use crowdwise::{Context, Dataset, Error};
use serde::Serialize;
use std::collections::BTreeMap;

const COLUMNS: [&str; 9] = ["rank", "item", "annotator", "reason", "gain", "sd_now", "sd_after", "values", "price"];

#[derive(Serialize)]
struct Asked<'a> {
    rank: usize,
    item: &'a str,
    annotator: &'a str,
    reason: &'static str,
    /// What is expected to be taken from the variance of the item, per price.
    gain: f64,
    sd_now: f64,
    sd_after: f64,
    values: usize,
    price: f64,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    strategy: NumberStrategy,
    seed: u64,
    questions: Vec<Asked<'a>>,
}

pub fn run(args: &Args, data: &Dataset, talk: Talk) -> Result<Exit, Error> {
    let strategy = check(args)?;
    let mut out = args.output.open(&[Some(&args.answers), args.annotators.as_deref(), args.pending.as_deref()])?;
    let (limits, pending) = files::tables(args, talk)?;
    let number = |name: &str| data.table.annotators().get(name);
    let prices: BTreeMap<u32, f64> = match &limits {
        Some(rows) => rows.iter().filter_map(|r| Some((number(&r.annotator)?, r.price.unwrap_or(1.0)))).collect(),
        None => (0..data.table.n_annotators() as u32).map(|j| (j, 1.0)).collect(),
    };
    let strangers = limits.iter().flatten().filter(|r| number(&r.annotator).is_none()).count();
    if strangers > 0 {
        talk.note(format_args!(
            "{} without a value so far cannot be judged yet, and are not asked",
            counted(strangers as u64, "annotator", "annotators")
        ));
    }
    if limits.iter().flatten().any(|r| r.capacity.is_some() || r.max_share.is_some() || r.from.is_some()) {
        talk.note(format_args!("for numbers only the prices of --annotators count, not hours, capacities or shares"));
    }
    let only = args.only.as_deref().map(|name| {
        number(name).filter(|j| prices.contains_key(j)).ok_or_else(|| Error::Usage {
            what: format!("there is no annotator `{name}` who can be asked"),
            hint: None,
        })
    });
    let only = only.transpose()?;
    let who: Vec<u32> = prices.keys().copied().filter(|j| only.is_none_or(|o| o == *j)).collect();
    let out_now = pending
        .iter()
        .flatten()
        .filter_map(|p| Some([data.table.items().get(&p.item)?, number(&p.annotator)?]))
        .collect();
    let price = |j: u32| prices.get(&j).copied().unwrap_or(1.0);
    let ask = AskNumbers {
        strategy,
        n: args.n,
        coverage: args.coverage,
        prices: Some((0..data.table.n_annotators() as u32).map(|j| price(j).powf(args.price_power)).collect()),
        annotators: Some(who),
        pending: out_now,
        seed: args.run.seed,
    };
    let threads = args.run.threads();
    let questions = talk.timed("next", || ask.next(data, &mut Context::new(args.run.seed, threads)))?;
    if questions.is_empty() {
        talk.note(format_args!(
            "nothing to ask: everybody who can be asked has seen all items, or their question is out"
        ));
    }
    let asked = |at: usize, q: &NumberQuestion| Asked {
        rank: at + 1,
        item: data.table.items().name(q.item as usize),
        annotator: data.table.annotators().name(q.annotator as usize),
        reason: if q.coverage { "coverage" } else { "gain" },
        gain: q.gain,
        sd_now: q.sd,
        sd_after: q.sd_after,
        values: data.table.degree(q.item as usize),
        price: price(q.annotator),
    };
    if out.format == Format::Json {
        let questions = questions.iter().enumerate().map(|(at, q)| asked(at, q)).collect();
        rows::write_json(&mut out, &Document { schema: SCHEMA, strategy, seed: args.run.seed, questions })?;
    } else {
        let sheet = Sheet::new(COLUMNS, questions.len(), |at, row: &mut Row<'_>| {
            let q = asked(at, &questions[at]);
            row.int(q.rank as i64).text(q.item).text(q.annotator).text(q.reason);
            row.real(q.gain).real(q.sd_now).real(q.sd_after).int(q.values as i64).real(q.price);
        });
        rows::write(&mut out, sheet, talk)?;
    }
    out.target.finish()?;
    Ok(Exit::Done)
}

/// The strategy; options that mean nothing here are named, all of them.
fn check(args: &Args) -> Result<NumberStrategy, Error> {
    let given = [
        ("--money", args.money.is_some()),
        ("--budget", args.budget.is_some()),
        ("--gold", args.gold.is_some()),
        ("--stop-at", args.stop_at.is_some()),
        ("--max-per-item", args.max_per_item.is_some()),
        ("--max-share", args.max_share.is_some()),
        ("--max-out", args.max_out.is_some()),
        ("--lease", args.lease.is_some()),
        ("--features", args.features.is_some()),
    ];
    let given: Vec<&str> = given.into_iter().filter(|g| g.1).map(|g| g.0).collect();
    if !given.is_empty() {
        return Err(Error::Usage {
            what: format!("{} cannot be used with numbers", given.join(", ")),
            hint: Some("they are for labels that are classes".into()),
        });
    }
    match args.strategy("fewest") {
        "gain" => Ok(NumberStrategy::Gain),
        "fewest" => Ok(NumberStrategy::Fewest),
        "random" => Ok(NumberStrategy::Random),
        other => Err(Error::Usage {
            what: format!("numbers cannot be asked for by the strategy `{other}`"),
            hint: Some("`--strategy gain`, `--strategy fewest` or `--strategy random`".into()),
        }),
    }
}
