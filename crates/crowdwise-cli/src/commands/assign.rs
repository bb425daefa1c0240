//! `crowdwise assign`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::output::{Format, OutputOptions};
use crate::rows::{self, Push, Row, Sheet};
use crate::source::{FitOptions, with_gold};
use crate::talk::Talk;
use crowdwise::ask::fair::{Limits, assign, candidates, matrices};
use crowdwise::io::{self, Source};
use crowdwise::report::SCHEMA;
use crowdwise::{Dataset, Error};
use serde_json::json;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise assign votes.csv --attribute groups.csv --gold gold.csv
  crowdwise assign votes.csv --attribute groups.csv --max-gap 0.01
"
)]
pub struct Args {
    /// File with the answers so far, or - for stdin
    pub answers: String,
    /// Largest gap of false positive and false negative rate between groups
    #[arg(long, value_name = "GAP", default_value_t = 0.02)]
    pub max_gap: f64,
    /// Largest gap of the false positive rate [default: --max-gap]
    #[arg(long, value_name = "GAP", hide_short_help = true)]
    pub max_fpr_gap: Option<f64>,
    /// Largest gap of the false negative rate [default: --max-gap]
    #[arg(long, value_name = "GAP", hide_short_help = true)]
    pub max_fnr_gap: Option<f64>,
    /// Largest share of one annotator, so that labels stay those of many
    #[arg(long, value_name = "SHARE", default_value_t = 0.3)]
    pub max_share: f64,
    /// Price of a label by each annotator (annotator,price) [default: 1 for everybody]
    #[arg(long, value_name = "FILE")]
    pub prices: Option<String>,
    /// Largest mean price of a label
    #[arg(long, value_name = "PRICE", requires = "prices")]
    pub max_price: Option<f64>,
    /// Leave out annotators with fewer labels (with --gold: on items of known class)
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub min_labels: u64,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub fit: FitOptions,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let mut inputs = vec![Some(args.answers.as_str()), args.prices.as_deref()];
    inputs.extend(args.fit.files());
    let mut out = args.output.open(&inputs)?;
    let limits = Limits {
        fpr_gap: args.max_fpr_gap.unwrap_or(args.max_gap),
        fnr_gap: args.max_fnr_gap.unwrap_or(args.max_gap),
        share: args.max_share,
        price: args.max_price,
    };
    if args.fit.input.attribute.is_none() {
        return Err(Error::Usage {
            what: "assign needs groups of items that should be treated alike".into(),
            hint: Some("give them with `--attribute FILE` (columns item and group)".into()),
        });
    }
    let (data, posterior) = if args.fit.gold.is_some() {
        let data = args.fit.input.read(&args.answers, args.fit.run.threads(), talk)?;
        let data = with_gold(data, args.fit.gold.as_deref(), args.fit.input.sets, talk)?;
        talk.note("rates of the annotators are counted on the items of known class");
        (data, None)
    } else {
        let mut fit = args.fit.clone();
        fit.method.get_or_insert_with(|| "fair-confusion".into());
        let (data, fitted) = fit.fit(&args.answers, talk)?;
        talk.note(
            "without --gold, rates rest on the truth that the fit believes in: a bias that most share is not seen",
        );
        (data, fitted.fit.model_posterior().map(|p| p.1.to_vec()))
    };
    if data.table.categorical().is_none() {
        return Err(Error::Usage {
            what: format!("assign is for classes, but {} has {} labels", data.source, data.table.kind()),
            hint: None,
        });
    }
    let matrices = matrices(&data, posterior.as_deref())?;
    let price = match &args.prices {
        Some(file) => {
            let read = io::read_prices(&Source::from_arg(file), &data.table)?;
            read.notes.iter().for_each(|note| talk.note(note));
            read.value
        }
        None => vec![1.0; data.table.n_annotators()],
    };
    let items = items_by_group(&data);
    let labels = labels(&data);
    let chosen: Vec<usize> = (0..labels.len()).filter(|&j| labels[j] >= args.min_labels).collect();
    if chosen.len() < labels.len() {
        let left = labels.len() - chosen.len();
        talk.note(format_args!(
            "{left} of {} annotators with fewer than {} labels left out",
            labels.len(),
            args.min_labels
        ));
    }
    let all = candidates(&matrices, &price, &items);
    let some: Vec<_> = chosen.iter().map(|&j| all[j].clone()).collect();
    let found = assign(&some, items.len(), &limits)?;
    if found.raised > 0.0 {
        talk.note(format_args!(
            "no shares keep the gaps: the least possible ones are {:.4} above the limits, and these shares have them",
            found.raised
        ));
    }
    let classes: Vec<&str> = data.table.categorical().map(|c| c.classes.iter().collect()).unwrap_or_default();
    let positive = if classes.len() == 2 { &classes[1..] } else { &classes[..] };
    let name = |x: usize| data.table.annotators().name(chosen[x]);
    if out.format == Format::Json {
        let one = |x: usize| {
            json!({
                "annotator": name(x), "share": found.share[x], "accuracy": some[x].accuracy, "price": some[x].price,
                "labels": labels[chosen[x]],
            })
        };
        let gap = |n: usize| json!({"class": positive[n], "fpr_gap": found.fpr_gap[n], "fnr_gap": found.fnr_gap[n]});
        let document = json!({
            "schema": SCHEMA, "limits": limits, "accuracy": found.accuracy, "price": found.price, "raised": found.raised,
            "feasible": found.raised <= 0.0, "gaps": (0..positive.len()).map(gap).collect::<Vec<_>>(),
            "annotators": (0..some.len()).map(one).collect::<Vec<_>>(),
        });
        rows::write_json(&mut out, &document)?;
    } else {
        for (n, class) in positive.iter().enumerate() {
            talk.note(format_args!("`{class}`: gap of FPR {:.4}, of FNR {:.4}", found.fpr_gap[n], found.fnr_gap[n]));
        }
        talk.note(format_args!("expected accuracy of a label {:.4}, mean price {:.4}", found.accuracy, found.price));
        let mut order: Vec<usize> = (0..some.len()).filter(|&x| found.share[x] > 1e-6).collect();
        order.sort_by(|&a, &b| found.share[b].total_cmp(&found.share[a]).then_with(|| name(a).cmp(name(b))));
        let columns = ["annotator", "share", "accuracy", "price", "labels"];
        let sheet = Sheet::new(columns, order.len(), |at, row: &mut Row<'_>| {
            let x = order[at];
            row.text(name(x).to_owned()).real(found.share[x]).real(some[x].accuracy).real(some[x].price);
            row.int(labels[chosen[x]] as i64);
        });
        rows::write(&mut out, sheet, talk)?;
    }
    out.target.finish()?;
    Ok(Exit::Done)
}

fn items_by_group(data: &Dataset) -> Vec<f64> {
    let Some(attribute) = &data.attribute else { return Vec::new() };
    let mut n = vec![0.0; attribute.groups.len()];
    (0..data.table.n_items()).filter_map(|i| attribute.group(i)).for_each(|g| n[g] += 1.0);
    n
}

/// Labels of every annotator that rates are counted from.
fn labels(data: &Dataset) -> Vec<u64> {
    let Some(gold) = data.gold_classes() else { return data.table.labels_per_annotator() };
    let mut n = vec![0; data.table.n_annotators()];
    for u in (0..data.table.n_units()).filter(|&u| gold[u].is_some()) {
        data.table.rows(u).for_each(|r| n[data.table.annotator()[r] as usize] += 1);
    }
    n
}
