//! The contract of a method, and the list entry that front ends work with.

use crate::about::{Family, Gives, Needs, Situation};
use crate::fit::{Fit, Outcome, Provenance};
use crate::numbering::Numbering;
use crate::voices::{self, Counted, Evidence, Voice};
use crate::{Context, Dataset, Error, LabelKind, Problems, finite, names};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// A plain documented struct: the parameters *are* the method.
pub trait Params: Clone + Default + Send + Sync + Serialize + DeserializeOwned + JsonSchema + 'static {}
impl<T: Clone + Default + Send + Sync + Serialize + DeserializeOwned + JsonSchema + 'static> Params for T {}

/// Maturity of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Golden test, recovery test and page are complete.
    Stable,
    Preview,
}

/// What the contract tests and front ends may expect of a method.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Capabilities {
    /// Gives a confusion matrix per annotator (two-class adversaries are inverted).
    pub confusion: bool,
    /// The objective never falls along the trace.
    pub monotone: bool,
    /// Draws random numbers with its default parameters: another seed may give another result.
    pub stochastic: bool,
    /// Uses gold labels in fitting: their posteriors are clamped.
    pub gold: bool,
    /// Can start from an earlier fit.
    pub warm_start: bool,
    /// Maximises a likelihood or a bound, so that a held-out score has a meaning.
    pub likelihood: bool,
    /// Takes a ranking as one answer and not as the comparisons that it implies.
    pub whole_rankings: bool,
}

impl Capabilities {
    pub const NONE: Capabilities = Capabilities {
        confusion: false,
        monotone: false,
        stochastic: false,
        gold: false,
        warm_start: false,
        likelihood: false,
        whole_rankings: false,
    };
}

/// Where a method was published.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Reference {
    pub text: &'static str,
    pub doi: Option<&'static str>,
}

/// What is known of a method before it runs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MethodInfo {
    /// kebab-case, by its authors' or usual name.
    pub id: &'static str,
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The page, Markdown.
    #[serde(skip)]
    pub doc: &'static str,
    /// Other ids that are accepted.
    pub aliases: &'static [&'static str],
    pub accepts: &'static [LabelKind],
    pub capabilities: Capabilities,
    pub references: &'static [Reference],
    pub status: Status,
    pub family: Family,
    pub needs: Needs,
    pub gives: Gives,
    /// Data for which it is taken unless another method is asked for.
    pub default_for: &'static [Situation],
    /// Data on which it is compared with others unless told otherwise: one of each idea.
    pub compared: &'static [Situation],
}

impl MethodInfo {
    /// What most methods of a family have in common: they need answers only, and nothing chooses them by itself. Id, name,
    /// summary, page, kinds of labels and references are empty: every method says its own (the contract looks).
    pub const fn of(family: Family) -> MethodInfo {
        MethodInfo {
            id: "",
            name: "",
            summary: "",
            doc: "",
            aliases: &[],
            accepts: &[],
            capabilities: Capabilities::NONE,
            references: &[],
            status: Status::Preview,
            family,
            needs: Needs::NOTHING,
            gives: Gives::LABELS,
            default_for: &[],
            compared: &[],
        }
    }

    /// Whether it can be fitted to these data: it takes such labels, and what it needs is there.
    pub fn fits(&self, data: &Dataset) -> bool {
        self.accepts.contains(&data.table.kind()) && self.needs.met_by(data)
    }
}

/// One method: its parameters and how to fit.
pub trait Method: Params {
    const INFO: MethodInfo;
    /// Looks for annotators who depend on each other itself, and must see all of their labels: no guard against copies.
    const SEES_COPIES: bool = false;

    /// Reports every bad parameter.
    fn check(&self, _problems: &mut Problems) {}

    /// Whether the numbers of items and annotators play a part beyond naming them (a sampler that goes from item to item, a
    /// random start, a choice between equals). They are then numbered by what was labelled and not by the order of the rows,
    /// which costs a copy of the table: see `docs/adr/0012`.
    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        false
    }

    /// Fits. Never prints, never reads files; seed, threads, progress and cancellation come from the context. The data
    /// has at least one label and is of an accepted kind.
    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error>;
}

/// Probabilities of a fit, 8 bytes each: more than 12 GB of them are beyond what a table of classes is for.
const MOST_PROBABILITIES: usize = 1_500_000_000;

/// A method with its parameters set, whatever its type.
pub trait AnyMethod: Send + Sync {
    fn info(&self) -> &'static MethodInfo;
    fn params(&self) -> Value;
    /// Whether labels of this kind are renumbered, so that the order of rows changes nothing at all, not even by rounding.
    fn is_canonical(&self, kind: LabelKind) -> bool;
    /// The estimate alone: checks the data and fits. This is what a method asks that runs another one inside; provenance is for
    /// whoever keeps a result.
    fn estimate(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error>;
    /// Checks the data, fits, and says where the result comes from. Its findings are those that only the method can know; what
    /// data and result show besides is a question of its own: [`crate::questions::review`].
    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Fit, Error>;
}

impl<M: Method> AnyMethod for M {
    fn info(&self) -> &'static MethodInfo {
        &M::INFO
    }

    fn params(&self) -> Value {
        serde_json::to_value(self).expect("parameters are plain data")
    }

    fn is_canonical(&self, kind: LabelKind) -> bool {
        self.numbers_matter(kind)
    }

    fn estimate(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        Ok(estimate_by(self, data, cx, |data, cx| Ok((Method::fit(self, data, cx)?, ())))?.outcome)
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Fit, Error> {
        Ok(fit_by(self, data, cx, |data, cx| Ok((Method::fit(self, data, cx)?, ())))?.0)
    }
}

/// What [`AnyMethod::fit`] does, for a method that leaves more than an outcome: `work` gives both.
pub fn fit_by<M: Method, T>(
    method: &M,
    data: &Dataset,
    cx: &mut Context<'_>,
    work: impl FnOnce(&Dataset, &mut Context<'_>) -> Result<(Outcome, T), Error>,
) -> Result<(Fit, T), Error> {
    let Estimate { outcome: out, rest, counted } = estimate_by(method, data, cx, work)?;
    let table = &data.table;
    let mut fit = Fit {
        truth: out.truth,
        uncalibrated: out.uncalibrated,
        annotators: out.annotators,
        class_prior: out.class_prior,
        difficulty: out.difficulty,
        diagnostics: out.diagnostics,
        findings: out.findings,
        provenance: Provenance {
            method: M::INFO.id.into(),
            params: method.params(),
            seed: cx.seed,
            version: env!("CARGO_PKG_VERSION").into(),
            kind: table.kind(),
            items: table.n_items(),
            annotators: table.n_annotators(),
            classes: table.n_classes(),
            labels: table.n_labels(),
            digest: format!("{:016x}", table.digest()),
        },
    };
    tell(&mut fit, data, &counted);
    Ok((fit, rest))
}

/// An outcome, what else the work gave, and who counted as one voice.
struct Estimate<T> {
    outcome: Outcome,
    rest: T,
    counted: Vec<Voice>,
}

/// Looks whether the data are what the method takes, and estimates.
fn estimate_by<M: Method, T>(
    method: &M,
    data: &Dataset,
    cx: &mut Context<'_>,
    work: impl FnOnce(&Dataset, &mut Context<'_>) -> Result<(Outcome, T), Error>,
) -> Result<Estimate<T>, Error> {
    check_data::<M>(data)?;
    let mut problems = Problems::default();
    method.check(&mut problems);
    finite::check_parameters(&method.params(), &mut problems);
    Error::all(problems.0)?;
    finite::check_values(data)?;
    let guard = !M::SEES_COPIES && !cx.count_copies;
    let (counted, pairs) = if guard { voices::find_and_count(data) } else { (Vec::new(), None) };
    let (outcome, rest) = guarded(method, data, (&counted, pairs), cx, work)?;
    finite::check_result(M::INFO.id, data, &outcome.truth, &outcome.annotators)?;
    Ok(Estimate { outcome, rest, counted })
}

/// Kind, number and size of the labels, and what the method needs besides.
fn check_data<M: Method>(data: &Dataset) -> Result<(), Error> {
    let table = &data.table;
    if !M::INFO.accepts.contains(&table.kind()) {
        return Err(Error::WrongLabelKind {
            method: M::INFO.id.into(),
            needs: M::INFO.accepts.to_vec(),
            has: table.kind(),
            file: data.source.clone(),
        });
    }
    if table.n_labels() == 0 {
        return Err(Error::NoData { file: data.source.clone(), what: "has no labels".into(), hint: None });
    }
    let entries = table.n_units().saturating_mul(table.n_classes());
    if entries > MOST_PROBABILITIES {
        let (n, k) = (table.n_units(), table.n_classes());
        return Err(Error::TooLarge { what: format!("{n} items times {k} classes are {entries} probabilities") });
    }
    if M::INFO.needs.features && data.features.is_none() {
        return Err(Error::Unsupported {
            what: format!("{} learns from features, but {} comes without", M::INFO.id, data.source),
            hint: Some(if M::INFO.gives.classifier {
                "⟦crowdwise learn ANSWERS --features X.npy⟧ reads them".into()
            } else {
                format!("⟦crowdwise fit ANSWERS -m {} --features X.npy⟧ reads them", M::INFO.id)
            }),
        });
    }
    Ok(())
}

/// Labels beyond which the copy would cost more than it is worth: what is drawn for so many hardly differs.
const MOST_RENUMBERED: usize = 20_000_000;

/// Works with numbers that do not depend on the order of rows, where the method asks for that.
fn in_order<M: Method, T>(
    method: &M,
    data: &Dataset,
    pairs: Option<Evidence>,
    cx: &mut Context<'_>,
    work: impl FnOnce(&Dataset, &mut Context<'_>) -> Result<(Outcome, T), Error>,
) -> Result<(Outcome, T), Error> {
    let wanted = method.numbers_matter(data.table.kind()) && data.table.n_labels() <= MOST_RENUMBERED;
    let Some(numbering) = wanted.then(|| Numbering::of(data)).flatten() else {
        let before = std::mem::replace(&mut cx.counted, Counted::ready(&data.table, pairs));
        let out = work(data, cx);
        cx.counted = before;
        return out;
    };
    let renumbered = numbering.apply(data);
    let pairs = pairs.and_then(|p| p.renumbered(numbering.annotators()));
    let warm = cx.warm.map(|fit| numbering.renumbered(fit));
    let (out, rest) = cx.starting_from(warm.as_ref(), |cx| {
        cx.counted = Counted::ready(&renumbered.table, pairs);
        work(&renumbered, cx)
    })?;
    Ok((numbering.undo(out), rest))
}

/// Works with one label for every voice, and gives its members what was found of it. Methods that this one runs inside see what it
/// sees: copies are looked for once.
fn guarded<M: Method, T>(
    method: &M,
    data: &Dataset,
    (counted, pairs): (&[Voice], Option<Evidence>),
    cx: &mut Context<'_>,
    work: impl FnOnce(&Dataset, &mut Context<'_>) -> Result<(Outcome, T), Error>,
) -> Result<(Outcome, T), Error> {
    let before = std::mem::replace(&mut cx.count_copies, true);
    let out = if counted.is_empty() {
        in_order(method, data, pairs, cx, work)
    } else {
        in_order(method, &data.with_table(voices::one_label_each(&data.table, counted)), None, cx, work)
    };
    cx.count_copies = before;
    let (mut out, rest) = out?;
    voices::expand(&mut out.annotators, counted);
    Ok((out, rest))
}

/// Says who counts as one, first of all.
fn tell(fit: &mut Fit, data: &Dataset, counted: &[Voice]) {
    if counted.is_empty() {
        return;
    }
    let name = |&j: &u32| data.table.annotators().name(j as usize);
    fit.findings.splice(0..0, voices::told(data, counted));
    let groups: Vec<Vec<&str>> = counted.iter().map(|v| v.members.iter().map(name).collect()).collect();
    fit.diagnostics.details.insert("one_voice".into(), groups.into());
}

/// Makes a method from named parameter values.
type Make = fn(&[(String, Value)]) -> Result<Box<dyn AnyMethod>, Error>;

/// A line of the list of methods.
#[derive(Clone, Copy)]
pub struct Entry {
    pub info: &'static MethodInfo,
    make: Make,
    schema: fn() -> Value,
    defaults: fn() -> Value,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Entry({})", self.info.id)
    }
}

/// One parameter as it is documented.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParamInfo {
    pub name: String,
    /// What it takes, e.g. "a number", "one of learn, uniform".
    pub takes: String,
    pub default: Value,
    pub doc: String,
}

/// The list entry of a method.
pub const fn entry<M: Method>() -> Entry {
    Entry {
        info: &M::INFO,
        make: |pairs| Ok(Box::new(parse::<M>(pairs)?)),
        schema: || schemars::schema_for!(M).to_value(),
        defaults: || serde_json::to_value(M::default()).expect("parameters are plain data"),
    }
}

impl Entry {
    /// The method with these parameters; all others keep their defaults. Text values are read as numbers, true/false
    /// or JSON where the parameter wants that.
    pub fn with(&self, pairs: &[(String, Value)]) -> Result<Box<dyn AnyMethod>, Error> {
        (self.make)(pairs)
    }

    /// The method with its default parameters.
    pub fn default(&self) -> Box<dyn AnyMethod> {
        self.with(&[]).expect("default parameters are valid")
    }

    pub fn defaults(&self) -> Value {
        (self.defaults)()
    }

    pub fn schema(&self) -> Value {
        (self.schema)()
    }

    /// The parameters with what they take, their defaults and their documentation.
    pub fn params(&self) -> Vec<ParamInfo> {
        let (schema, defaults) = (self.schema(), self.defaults());
        let Some(defaults) = defaults.as_object() else { return Vec::new() };
        defaults
            .iter()
            .map(|(name, default)| ParamInfo {
                name: name.clone(),
                takes: takes(&schema, name),
                default: default.clone(),
                doc: description(&schema, name),
            })
            .collect()
    }

    pub fn answers_to(&self, name: &str) -> bool {
        self.info.id == name || self.info.aliases.contains(&name)
    }
}

/// The entry called `name` (id or alias) in a list, or an error with the nearest name.
pub fn find<'a>(list: impl IntoIterator<Item = &'a Entry> + Clone, name: &str) -> Result<&'a Entry, Error> {
    if let Some(e) = list.clone().into_iter().find(|e| e.answers_to(name)) {
        return Ok(e);
    }
    let ids = list.into_iter().flat_map(|e| std::iter::once(e.info.id).chain(e.info.aliases.iter().copied()));
    Err(Error::Unknown {
        what: "method",
        name: name.into(),
        nearest: names::nearest(name, ids).map(Into::into),
        hint: Some("⟦crowdwise methods⟧ lists them".into()),
    })
}

/// The method with these parameters; all others keep their defaults. Every bad name and value is reported.
pub fn parse<M: Method>(pairs: &[(String, Value)]) -> Result<M, Error> {
    let mut object: Map<String, Value> = match serde_json::to_value(M::default()) {
        Ok(Value::Object(o)) => o,
        _ => Map::new(),
    };
    let mut problems = Vec::new();
    for (name, value) in pairs {
        if !object.contains_key(name) {
            let all: Vec<String> = object.keys().cloned().collect();
            problems.push(Error::UnknownParameter {
                method: M::INFO.id.into(),
                name: name.clone(),
                nearest: names::nearest(name, all.iter().map(String::as_str)).map(Into::into),
                all,
            });
            continue;
        }
        let fits = |v: &Value| {
            let mut trial = object.clone();
            trial.insert(name.clone(), v.clone());
            serde_json::from_value::<M>(Value::Object(trial)).is_ok()
        };
        let read = value.as_str().and_then(|s| serde_json::from_str::<Value>(s).ok());
        if let Some(v) = read.filter(&fits).or_else(|| fits(value).then(|| value.clone())) {
            object.insert(name.clone(), v);
        } else {
            problems.push(Error::BadParameter {
                name: name.clone(),
                value: value.as_str().map_or_else(|| value.to_string(), |s| format!("`{s}`")),
                must: takes(&schemars::schema_for!(M).to_value(), name),
            });
        }
    }
    let method: M = serde_json::from_value(Value::Object(object)).expect("every value was tried");
    let mut bad = Problems::default();
    method.check(&mut bad);
    problems.extend(bad.0);
    Error::all(problems)?;
    Ok(method)
}

fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

fn resolve<'a>(schema: &'a Value, node: &'a Value) -> &'a Value {
    let name = node.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/"));
    name.and_then(|n| schema.get("$defs")?.get(n)).unwrap_or(node)
}

fn description(schema: &Value, name: &str) -> String {
    let text = property(schema, name).and_then(|p| p.get("description")).and_then(Value::as_str);
    text.unwrap_or("").replace('\n', " ")
}

/// What a parameter takes, in words.
fn takes(schema: &Value, name: &str) -> String {
    property(schema, name).map_or_else(|| "a value".into(), |node| takes_node(schema, node))
}

fn takes_node(schema: &Value, node: &Value) -> String {
    let node = resolve(schema, node);
    if let Some(list) = node.get("enum").and_then(Value::as_array) {
        return one_of(list.iter().filter_map(Value::as_str));
    }
    if let Some(list) = node.get("oneOf").and_then(Value::as_array) {
        let mut names = Vec::new();
        for v in list {
            match (v.get("const").and_then(Value::as_str), v.get("enum").and_then(Value::as_array)) {
                (Some(c), _) => names.push(c),
                (_, Some(e)) => names.extend(e.iter().filter_map(Value::as_str)),
                _ => {}
            }
        }
        return one_of(names.into_iter());
    }
    if let Some(list) = node.get("anyOf").and_then(Value::as_array) {
        let parts: Vec<String> = list.iter().map(|v| takes_node(schema, v)).collect();
        return parts.join(" or ");
    }
    let types: Vec<&str> = match node.get("type") {
        Some(Value::String(t)) => vec![t],
        Some(Value::Array(a)) => a.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    let words: Vec<&str> = types
        .iter()
        .map(|t| match *t {
            "number" => "a number",
            "integer" => "a whole number",
            "boolean" => "true or false",
            "string" => "text",
            "object" => "a JSON object",
            "array" => "a JSON list",
            _ => "null",
        })
        .collect();
    if words.is_empty() { "a value".into() } else { words.join(" or ") }
}

fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("one of {}", names.collect::<Vec<_>>().join(", "))
}
