//! `crowdwise simulate`.

use super::simulate_rows::{answer, edge, label, matrix, npy_header, quoted, unit};
use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::interrupt;
use crate::options::{KeyValue, check_repeated, set_fields, whole};
use crate::output::unwritable;
use crate::pending::Pending;
use crate::talk::{Talk, counted};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use crowdwise::simulate::{Block, SimModel, Simulation, Simulator, TrueAnnotator};
use crowdwise::{Error, LabelKind};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise simulate dawid-skene --items 1000 --spammers 0.2 -o made
  crowdwise fit made/answers.csv --truth made/truth.csv --format json
",
    after_help = "Writes answers.csv, truth.csv and annotators.csv (with --features also features.npy,
for a graph also graph.csv) into DIR."
)]
pub struct Args {
    /// Model that generates the labels
    #[arg(value_parser = models())]
    pub model: SimModel,
    /// Directory to write to; created if missing
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Replace the files of an earlier simulation in DIR
    #[arg(long)]
    pub force: bool,
    /// Number of items (tokens for sequences) [default: 1000]
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub items: Option<u64>,
    /// Number of annotators [default: 50]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub annotators: Option<usize>,
    /// Number of classes [default: 3]
    #[arg(long, value_name = "K", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub classes: Option<usize>,
    /// Labels per item [default: 5]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub per_item: Option<usize>,
    /// Mean probability that an ordinary annotator is right [default: 0.75]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub accuracy: Option<f64>,
    /// Share of annotators whose labels do not depend on the truth [default: 0]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub spammers: Option<f64>,
    /// Share of annotators who answer wrongly on purpose [default: 0]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub adversaries: Option<f64>,
    /// Groups in which two followers copy a leader [default: 0]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub copy_groups: Option<usize>,
    /// Each class is this many times as frequent as the next [default: 1]
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    pub imbalance: Option<f64>,
    /// Every annotator labels the same number of items
    #[arg(long)]
    pub regular: bool,
    /// Heavy-tailed participation: the j-th annotator is drawn with weight j^-EXPONENT [default: 0]
    #[arg(long, value_name = "EXPONENT", allow_negative_numbers = true)]
    pub zipf: Option<f64>,
    /// Number of informative features per item, written to features.npy [default: 0]
    #[arg(long, value_name = "DIM", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub features: Option<usize>,
    /// Names of the classes instead of c0, c1 …
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub class_names: Vec<String>,
    /// Set any other property of the simulation, e.g. copy_probability=0.8; a wrong name lists them all
    #[arg(short, long = "param", value_name = "KEY=VALUE")]
    pub params: Vec<KeyValue>,
    /// Random seed
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
}

/// The models that the library has, by name.
fn models() -> impl TypedValueParser<Value = SimModel> {
    let shown = SimModel::ALL.map(|m| PossibleValue::new(m.name()).help(m.summary()));
    PossibleValuesParser::new(shown)
        .map(|name| SimModel::ALL.into_iter().find(|m| m.name() == name).expect("one of the names offered"))
}

/// What a simulation writes.
const FILES: [&str; 5] = ["answers.csv", "truth.csv", "annotators.csv", "features.npy", "graph.csv"];

impl Args {
    fn simulation(&self) -> Result<Simulation, Error> {
        let mut fields: Vec<(String, Value)> = Vec::new();
        let mut set = |name: &str, value: Option<Value>| fields.extend(value.map(|v| (name.to_owned(), v)));
        set("model", Some(self.model.name().into()));
        set("items", self.items.map(Value::from));
        set("annotators", self.annotators.map(Value::from));
        let named = (!self.class_names.is_empty()).then_some(self.class_names.len());
        set("classes", self.classes.or(named).map(Value::from));
        set("per_item", self.per_item.map(Value::from));
        set("accuracy", self.accuracy.map(Value::from));
        set("spammers", self.spammers.map(Value::from));
        set("adversaries", self.adversaries.map(Value::from));
        set("copy_groups", self.copy_groups.map(Value::from));
        set("imbalance", self.imbalance.map(Value::from));
        set("assignment", self.regular.then(|| "regular".into()));
        set("zipf", self.zipf.map(Value::from));
        set("features", self.features.map(Value::from));
        fields.extend(self.params.iter().map(KeyValue::pair));
        let (simulation, mut problems): (Simulation, _) = set_fields("simulate", &Simulation::default(), &fields);
        problems.extend(simulation.check().err());
        problems.extend(check_repeated("parameter", fields.iter().map(|f| f.0.as_str())).err());
        problems.extend(self.without_effect(&fields));
        if named.is_some() {
            problems.extend(self.check_class_names(&simulation));
        }
        Error::all(problems)?;
        Ok(simulation)
    }

    /// Properties that were given and that the model does not know: whoever gives them expects something else.
    fn without_effect(&self, fields: &[(String, Value)]) -> Option<Error> {
        let idle: Vec<String> =
            fields.iter().filter(|f| !self.model.uses(&f.0)).map(|f| format!("`{}`", f.0)).collect();
        let users = |m: &SimModel| fields.iter().all(|f| m.uses(&f.0));
        let other: Vec<&str> = SimModel::ALL.iter().filter(|m| users(m)).map(|m| m.name()).collect();
        (!idle.is_empty()).then(|| Error::Usage {
            what: format!(
                "{} {} no effect under the model {}",
                idle.join(", "),
                if idle.len() == 1 { "has" } else { "have" },
                self.model.name()
            ),
            hint: Some(match other.as_slice() {
                [] => "leave that out, or choose another model (`crowdwise simulate --help` lists them)".into(),
                some => format!("leave that out, or use {}", some.join(", ")),
            }),
        })
    }

    fn check_class_names(&self, simulation: &Simulation) -> Vec<Error> {
        let bad = |what: String| Error::Usage { what, hint: Some("one name for each class, such as A,B,C".into()) };
        let mut problems = Vec::new();
        if !simulation.model.uses("classes") {
            problems.push(bad("--class-names is given, but the model has no classes".into()));
        } else if self.class_names.len() != simulation.classes {
            let (k, n) = (simulation.classes, self.class_names.len());
            let (classes, names) = (if k == 1 { "class" } else { "classes" }, if n == 1 { "name" } else { "names" });
            problems.push(bad(format!("there are {k} {classes}, but {n} class {names}")));
        }
        if simulation.model == SimModel::Sets && self.class_names.iter().any(|n| n.contains('|')) {
            problems.push(bad("a class name has the sign `|`, which separates the classes of a set".into()));
        }
        if self.class_names.iter().any(|n| n.trim().is_empty()) {
            problems.push(bad("a class name is empty".into()));
        }
        problems.extend(check_repeated("class name", self.class_names.iter().map(|n| n.trim())).err());
        problems
    }

    /// What an earlier simulation left is not replaced unless that is wanted.
    fn check_folder(&self) -> Result<(), Error> {
        let there = |name: &&str| self.output.join(name).exists();
        let found: Vec<&str> = FILES.iter().copied().filter(there).collect();
        if self.force || found.is_empty() {
            return Ok(());
        }
        Err(Error::Usage {
            what: format!("{} already has {}", self.output.display(), found.join(", ")),
            hint: Some("choose another folder, or replace them with --force".into()),
        })
    }
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let simulation = args.simulation()?;
    args.check_folder()?;
    let mut simulator = Simulator::new(&simulation, args.seed)?;
    let classes: Vec<String> = if args.class_names.is_empty() {
        (0..simulation.classes).map(|k| simulation.class_name(k)).collect()
    } else {
        args.class_names.iter().map(|n| quoted(n)).collect()
    };
    let dir = &args.output;
    std::fs::create_dir_all(dir).map_err(|e| unwritable(&dir.display().to_string(), &e))?;
    let mut files = Files::create(dir, &simulation)?;
    let (labels, interrupted) =
        talk.timed("write", || interrupt::rescuable(|| generate(&mut simulator, &mut files, &classes)))?;
    write_annotators(&mut files.annotators, simulator.annotators())?;
    if simulation.kind() == LabelKind::Preference {
        write_scores(&mut files.truth, &simulator)?;
    }
    if simulation.kind() == LabelKind::Similarity {
        write_clusters(&mut files.truth, &simulator, &classes)?;
    }
    files.finish(interrupted)?;
    // what an earlier simulation left is of its items, not of these
    if args.force && simulation.features == 0 {
        let _ = std::fs::remove_file(dir.join("features.npy"));
    }
    if args.force && simulation.model != SimModel::Graph {
        let _ = std::fs::remove_file(dir.join("graph.csv"));
    }
    let (one, many) =
        if simulation.model == SimModel::Rankings { ("ranking", "rankings") } else { ("label", "labels") };
    talk.note(format_args!("{} in {}", counted(labels, one, many), dir.display()));
    Ok(if interrupted { Exit::Interrupted } else { Exit::Done })
}

/// The files that are written side by side.
struct Files {
    answers: Pending,
    truth: Pending,
    annotators: Pending,
    features: Option<Pending>,
    graph: Option<Pending>,
}

impl Files {
    fn create(dir: &Path, s: &Simulation) -> Result<Files, Error> {
        let (answers, truth) = match (s.kind(), s.model) {
            (_, SimModel::Sequences) => ("sequence,position,annotator,label", "sequence,position,label"),
            (_, SimModel::Rankings) => ("annotator,ranking", "item,score"),
            (LabelKind::Real, _) => ("item,annotator,value", "item,value"),
            (LabelKind::Preference, _) => ("left,right,annotator,winner", "item,score"),
            (LabelKind::Similarity, _) => ("left,right,annotator,same", "item,label"),
            _ => ("item,annotator,label", "item,label"),
        };
        let create = |name: &str, header: &[u8]| {
            let path = dir.join(name);
            let mut file = Pending::create(&path)?;
            file.write_all(header).map_err(|e| unwritable(&path.display().to_string(), &e))?;
            Ok(file)
        };
        let features =
            if s.features > 0 { Some(create("features.npy", &npy_header(s.items, s.features))?) } else { None };
        let graph = if s.model == SimModel::Graph { Some(create("graph.csv", b"left,right\n")?) } else { None };
        Ok(Files {
            graph,
            answers: create("answers.csv", format!("{answers}\n").as_bytes())?,
            truth: create("truth.csv", format!("{truth}\n").as_bytes())?,
            annotators: create("annotators.csv", b"")?,
            features,
        })
    }

    fn finish(self, interrupted: bool) -> Result<(), Error> {
        let fail = |e: std::io::Error| unwritable("the simulated data", &e);
        self.answers.finish().map_err(fail)?;
        self.truth.finish().map_err(fail)?;
        self.annotators.finish().map_err(fail)?;
        if let Some(graph) = self.graph {
            graph.finish().map_err(fail)?;
        }
        match self.features {
            // its header names a size that it does not have
            Some(features) if interrupted => drop(features),
            Some(features) => features.finish().map_err(fail)?,
            None => {}
        }
        Ok(())
    }
}

/// Labels written, and whether it was interrupted.
fn generate(simulator: &mut Simulator, files: &mut Files, classes: &[String]) -> Result<(u64, bool), Error> {
    let fail = |e: std::io::Error| unwritable("the simulated data", &e);
    let mut block = Block::new(4096);
    let (mut labels, mut text) = (0, Vec::with_capacity(1 << 20));
    while simulator.next_block(&mut block) {
        text.clear();
        for row in &block.rows {
            answer(&mut text, &block, row, classes);
        }
        files.answers.write_all(&text).map_err(fail)?;
        text.clear();
        for (n, truth) in block.truth.iter().enumerate() {
            unit(&mut text, &block, block.first + n as u64);
            label(&mut text, *truth, classes);
            text.push(b'\n');
        }
        files.truth.write_all(&text).map_err(fail)?;
        if let Some(file) = &mut files.features {
            text.clear();
            block.features.iter().for_each(|x| text.extend_from_slice(&x.to_le_bytes()));
            file.write_all(&text).map_err(fail)?;
        }
        if let Some(file) = &mut files.graph {
            text.clear();
            block.edges.iter().for_each(|e| edge(&mut text, *e));
            file.write_all(&text).map_err(fail)?;
        }
        labels += block.rows.len() as u64;
        if interrupt::cancelled() {
            return Ok((labels, true));
        }
    }
    Ok((labels, false))
}

fn write_scores(file: &mut Pending, simulator: &Simulator) -> Result<(), Error> {
    for i in 0..simulator.simulation().items as u32 {
        writeln!(file, "i{i},{:.6}", simulator.score(i)).map_err(|e| unwritable("truth.csv", &e))?;
    }
    Ok(())
}

fn write_clusters(file: &mut Pending, simulator: &Simulator, classes: &[String]) -> Result<(), Error> {
    for i in 0..simulator.simulation().items as u32 {
        writeln!(file, "i{i},{}", classes[simulator.class_of(i)]).map_err(|e| unwritable("truth.csv", &e))?;
    }
    Ok(())
}

fn write_annotators(file: &mut Pending, all: &[TrueAnnotator]) -> Result<(), Error> {
    let mut text = String::from("annotator,role,leader,accuracy,competence,ability,bias,sd,sharpness,confusion\n");
    for a in all {
        let number = |x: Option<f64>| x.map(|x| format!("{x:.6}")).unwrap_or_default();
        let cells = [
            format!("a{}", a.annotator),
            a.role.name().into(),
            a.leader.map(|j| format!("a{j}")).unwrap_or_default(),
            number(a.accuracy),
            number(a.competence),
            number(a.ability),
            number(a.bias),
            number(a.sd),
            number(a.sharpness),
            a.confusion.as_deref().map(matrix).unwrap_or_default(),
        ];
        text.push_str(&cells.join(","));
        text.push('\n');
        if text.len() > 1 << 20 {
            file.write_all(text.as_bytes()).map_err(|e| unwritable("annotators.csv", &e))?;
            text.clear();
        }
    }
    file.write_all(text.as_bytes()).map_err(|e| unwritable("annotators.csv", &e))
}
