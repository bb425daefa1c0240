//! `crowdwise predict`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::features::{self, class_truth, test_json};
use crate::fitting::say_evaluation;
use crate::options::{InputOptions, whole};
use crate::output::{Format, OutputOptions};
use crate::rows::{self, Push, Row, Sheet};
use crate::talk::{Talk, counted};
use crowdwise::io::Source;
use crowdwise::learn::{ExpertiseOf, McDropout, Model, Probabilities};
use crowdwise::questions::{area_under_curve, evaluate_rows};
use crowdwise::report::SCHEMA;
use crowdwise::{Error, stats};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise predict m.cw --features new.npy -o labels.csv
  crowdwise predict m.cw --features x.npy --answers votes.csv
  crowdwise predict m.cw --features new.npy --expertise    whom to ask about what
"
)]
pub struct Args {
    /// Model written by `crowdwise learn --model-out`
    pub model: PathBuf,
    /// Features or images of the items, in the form the model was trained on
    #[arg(long, value_name = "FILE|FOLDER")]
    pub features: PathBuf,
    /// Labels of some of the items; those by annotators the model knows are used too
    #[arg(long, value_name = "FILE")]
    pub answers: Option<String>,
    /// Known classes (row,label from 0, or item,label), used for evaluation only
    #[arg(long, value_name = "FILE")]
    pub truth: Option<String>,
    /// Sample this many networks by dropout and add entropy and BALD, both in bits
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<usize>)]
    pub samples: usize,
    /// Add a probability column for each class
    #[arg(long)]
    pub posterior: bool,
    /// How often every annotator is right on every item (rows item, annotator, expertise), for models in which that depends
    /// on the item: dlc, instance-confusion, mnn
    #[arg(long, conflicts_with_all = ["answers", "truth", "samples", "posterior"])]
    pub expertise: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), allow_negative_numbers = true)]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub input: InputOptions,
}

/// Rows of probabilities and what they are called.
struct Predicted {
    items: Vec<String>,
    f: Probabilities,
    sampled: Option<McDropout>,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let mut inputs = vec![args.model.to_str(), args.features.to_str(), args.answers.as_deref(), args.truth.as_deref()];
    inputs.extend(args.input.files());
    let mut out = args.output.open(&inputs)?;
    let shown = args.model.display().to_string();
    let bytes = Source::from(args.model.as_path()).bytes()?;
    let model = Model::from_bytes(&bytes, &shown)?;
    let mut cx = crowdwise::Context::new(
        model.seed,
        args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from),
    );
    if args.expertise {
        let (x, items) = features::rows(&args.features, args.input.items.as_deref(), talk)?;
        let items = items.unwrap_or_else(|| (0..x.rows()).map(|r| r.to_string()).collect());
        let known = cx.install(|| model.expertise_of(&x))??;
        if out.format == Format::Json {
            rows::write_json(&mut out, &expertise_json(&known, &model, &items))?;
        } else {
            rows::write(&mut out, expertise_sheet(&known, &model, &items), talk)?;
        }
        out.target.finish()?;
        return Ok(Exit::Done);
    }
    let p = if let Some(answers) = &args.answers {
        with_answers(args, &model, answers, &mut cx, talk)?
    } else {
        let (x, items) = features::rows(&args.features, args.input.items.as_deref(), talk)?;
        let sampled = (args.samples > 0).then(|| cx.install(|| model.sample(&x, args.samples))).transpose()?;
        let f = cx.install(|| model.predict(&x))??;
        let items = items.unwrap_or_else(|| (0..f.len()).map(|r| r.to_string()).collect());
        Predicted { items, f, sampled: sampled.transpose()? }
    };
    let k = p.f.k;
    let truth = args.truth.as_deref().map(|file| class_truth(file, p.f.len(), Some(&p.items), &model.classes, talk));
    let truth = truth.transpose()?;
    let evaluation = truth.map(|t| (evaluate_rows(k, &p.f.rows, &t), area_under_curve(k, &p.f.rows, &t)));
    if out.format == Format::Json {
        let document = json!({
            "schema": SCHEMA, "model": {"method": model.method, "params": model.params, "version": model.version},
            "class_names": model.classes, "n": p.f.len(),
            "evaluation": evaluation.as_ref().map(|(e, auc)| test_json(e, *auc)),
            "predictions": (0..p.f.len()).map(|r| one(&p, &model, r)).collect::<Vec<_>>(),
        });
        rows::write_json(&mut out, &document)?;
    } else {
        if let (Some((e, _)), Some(file)) = (&evaluation, &args.truth) {
            say_evaluation(e, file, talk);
        }
        rows::write(&mut out, sheet(&p, &model, args.posterior), talk)?;
    }
    out.target.finish()?;
    Ok(Exit::Done)
}

fn with_answers(
    args: &Args,
    model: &Model,
    answers: &str,
    cx: &mut crowdwise::Context<'_>,
    talk: Talk,
) -> Result<Predicted, Error> {
    let mut data = args.input.read(answers, cx.threads, talk)?;
    let x = features::of_items(&args.features, args.input.items.as_deref(), &data, talk)?;
    let sampled = (args.samples > 0).then(|| cx.install(|| model.sample(&x, args.samples))).transpose()?;
    data.features = Some(x);
    let (f, strangers) = cx.install(|| model.predict_with_labels(&data))??;
    if strangers > 0 {
        let n = counted(strangers as u64, "label", "labels");
        talk.note(format_args!("{n} by annotators whom the model does not know left out"));
    }
    Ok(Predicted { items: data.table.items().iter().map(Into::into).collect(), f, sampled: sampled.transpose()? })
}

fn one(p: &Predicted, model: &Model, r: usize) -> Value {
    let row = p.f.row(r);
    let best = stats::argmax(row);
    let each: Map<String, Value> = model.classes.iter().cloned().zip(row.iter().map(|&x| x.into())).collect();
    let mut out = json!({
        "item": p.items[r], "label": model.classes[best], "probability": row[best], "probabilities": each,
    });
    if let Some(s) = &p.sampled {
        out["entropy"] = s.entropy[r].into();
        out["bald"] = s.bald[r].into();
    }
    out
}

fn sheet<'a>(p: &'a Predicted, model: &'a Model, posterior: bool) -> Sheet<'a> {
    let mut columns: Vec<String> = vec!["item".into(), "label".into(), "probability".into()];
    if p.sampled.is_some() {
        columns.extend(["entropy".into(), "bald".into()]);
    }
    if posterior {
        columns.extend(model.classes.iter().map(|c| format!("p_{c}")));
    }
    Sheet::new(columns, p.f.len(), move |r, row: &mut Row<'_>| {
        let q = p.f.row(r);
        let best = stats::argmax(q);
        row.text(p.items[r].as_str()).text(model.classes[best].as_str()).real(q[best]);
        if let Some(s) = &p.sampled {
            row.real(s.entropy[r]).real(s.bald[r]);
        }
        if posterior {
            q.iter().for_each(|&x| _ = row.real(x));
        }
    })
}

/// One row for every item and annotator.
fn expertise_sheet<'a>(known: &'a ExpertiseOf<'_>, model: &'a Model, items: &'a [String]) -> Sheet<'a> {
    let m = known.annotators();
    Sheet::new(["item", "annotator", "expertise"], known.items() * m, move |r, row: &mut Row<'_>| {
        let (i, j) = (r / m, r % m);
        row.text(items[i].as_str()).text(model.annotators[j].as_str()).real(known.at(i, j));
    })
}

fn expertise_json(known: &ExpertiseOf<'_>, model: &Model, items: &[String]) -> Value {
    let one = |i: usize| -> Map<String, Value> {
        model.annotators.iter().enumerate().map(|(j, name)| (name.clone(), known.at(i, j).into())).collect()
    };
    json!({
        "schema": SCHEMA, "model": {"method": model.method, "params": model.params, "version": model.version},
        "annotators": model.annotators,
        "expertise": items.iter().enumerate().map(|(i, name)| json!({"item": name, "annotators": one(i)})).collect::<Vec<_>>(),
    })
}
