//! Questions about data and fits; answers are JSON, as the command line prints them.

use crate::data::Data;
use crate::error::raised;
use crate::fit::Fit;
use crate::json;
use crate::run::{interruptible, parameters, threads};
use crowdwise::questions::{self, ItemOrder};
use crowdwise::report::FindingEntry;
use crowdwise::simulate::{Block, SimLabel, SimModel, Simulation, Simulator, TrueAnnotator};
use crowdwise::{Context, Gold, LabelKind, Preference, Syntax};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json as object};
use std::time::Duration;

type Known = Option<Vec<(String, String)>>;

fn gold(py: Python<'_>, data: &Data, truth: Known) -> PyResult<Option<Gold>> {
    truth.map(|rows| Gold::from_items(&data.data.table, &rows, "the truth").map_err(|e| raised(py, &e))).transpose()
}

/// The list of methods with their parameters.
#[pyfunction]
pub fn methods() -> PyResult<String> {
    let list: Vec<Value> = crowdwise::methods()
        .map(|e| object!({"info": e.info, "params": e.params(), "defaults": e.defaults()}))
        .collect();
    json(&list)
}

fn ids(entries: Vec<&crowdwise::Entry>) -> Vec<&'static str> {
    entries.iter().map(|e| e.info.id).collect()
}

/// The method that is taken for these data unless another one is asked for.
#[pyfunction]
pub fn default_method(data: &Data) -> &'static str {
    crowdwise::default_method(&data.data).info.id
}

/// The methods that are compared on these data unless others are asked for.
#[pyfunction]
pub fn compared(data: &Data) -> Vec<&'static str> {
    ids(crowdwise::compared(&data.data))
}

/// All methods that can be fitted to these data.
#[pyfunction]
pub fn methods_for(data: &Data) -> Vec<&'static str> {
    ids(crowdwise::methods_for(&data.data))
}

/// The page of a method, Markdown.
#[pyfunction]
pub fn page(py: Python<'_>, method: &str) -> PyResult<String> {
    crowdwise::find(method).map(crowdwise::method_page).map_err(|e| raised(py, &e))
}

/// How much memory may be taken for one file or one table of numbers, in bytes; 0 for what the machine has.
#[pyfunction]
pub fn limit_memory(bytes: u64) {
    crowdwise::memory::set_limit(bytes);
}

#[pyfunction]
pub fn annotators(py: Python<'_>, data: &Data, fit: &Fit) -> PyResult<String> {
    py.detach(|| json(&questions::annotators(&data.data, &fit.fit)))
}

#[pyfunction]
pub fn findings(fit: &Fit) -> PyResult<String> {
    let spelled = |f| FindingEntry::spelled(f, Syntax::Python);
    json(&fit.fit.findings.iter().map(spelled).collect::<Vec<_>>())
}

#[pyfunction]
#[pyo3(signature = (data, fit, by="entropy", top=20))]
pub fn items(data: &Data, fit: &Fit, by: &str, top: usize) -> PyResult<String> {
    let by: ItemOrder = serde_json::from_value(by.into())
        .map_err(|_| PyValueError::new_err(format!("items cannot be ordered by `{by}`")))?;
    json(&questions::items(&data.data, &fit.fit, by, top))
}

#[pyfunction]
#[pyo3(signature = (data, seed=0))]
pub fn inspect(py: Python<'_>, data: &Data, seed: u64) -> PyResult<String> {
    py.detach(|| json(&questions::inspect(&data.data, seed)))
}

#[pyfunction]
#[pyo3(signature = (data, seed=0, bootstraps=1000, level=None))]
pub fn agreement(py: Python<'_>, data: &Data, seed: u64, bootstraps: usize, level: Option<&str>) -> PyResult<String> {
    let level = level
        .map(|name| {
            let found = questions::Level::ALL.into_iter().find(|l| l.name() == name);
            found.ok_or_else(|| PyValueError::new_err(format!("there is no level `{name}` of alpha")))
        })
        .transpose()?;
    let found = py.detach(|| match level {
        Some(level) => questions::agreement_at(&data.data, level, seed, bootstraps),
        None => Ok(questions::agreement(&data.data, seed, bootstraps)),
    });
    json(&found.map_err(|e| raised(py, &e))?)
}

#[pyfunction]
pub fn evaluate(py: Python<'_>, data: &Data, fit: &Fit, truth: Vec<(String, String)>) -> PyResult<String> {
    let truth = gold(py, data, Some(truth))?.expect("it was given");
    json(&questions::evaluate(&fit.fit, &data.data, &truth))
}

/// Methods side by side; `wanted` has (id, parameters as JSON).
#[pyfunction]
#[pyo3(signature = (data, wanted, truth=None, folds=5, seed=0, threads=None))]
pub fn compare(
    py: Python<'_>,
    data: &Data,
    wanted: Vec<(String, String)>,
    truth: Known,
    folds: usize,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<String> {
    let mut made = Vec::new();
    for (id, params) in &wanted {
        let params = parameters(params)?;
        made.push(crowdwise::find(id).and_then(|e| e.with(&params)).map_err(|e| raised(py, &e))?);
    }
    let truth = gold(py, data, truth)?;
    let (data, threads) = (data.data.clone(), self::threads(threads));
    let comparison = interruptible(py, None, |stop, sink| {
        let mut cx = Context::new(seed, threads).with_sink(sink).with_cancel(stop);
        questions::compare(&data, &made, truth.as_ref(), folds, &mut cx)
    })?;
    json(&comparison)
}

/// The page about a fit, HTML.
#[pyfunction]
#[pyo3(signature = (data, fit, truth=None, title=None))]
pub fn report(py: Python<'_>, data: &Data, fit: &Fit, truth: Known, title: Option<String>) -> PyResult<String> {
    let truth = gold(py, data, truth)?;
    Ok(py.detach(|| {
        let mut report = crowdwise::Report::new(&data.data, &fit.fit).truth(truth.as_ref());
        report = report.elapsed(Duration::from_secs_f64(fit.elapsed.max(0.0)));
        if let Some(title) = title {
            report = report.title(title);
        }
        report.html()
    }))
}

/// The document that `crowdwise fit --format json` prints.
#[pyfunction]
#[pyo3(signature = (data, fit, truth=None))]
pub fn document(py: Python<'_>, data: &Data, fit: &Fit, truth: Known) -> PyResult<String> {
    let truth = gold(py, data, truth)?;
    py.detach(|| {
        let report = crowdwise::Report::new(&data.data, &fit.fit).truth(truth.as_ref());
        json(&report.elapsed(Duration::from_secs_f64(fit.elapsed.max(0.0))).document())
    })
}

/// Simulated answers as arrays: what the columns of a frame are made of. `options` is JSON.
#[pyfunction]
#[pyo3(signature = (options, seed=0))]
pub fn simulate<'py>(py: Python<'py>, options: &str, seed: u64) -> PyResult<Bound<'py, PyDict>> {
    let simulation: Simulation =
        serde_json::from_str(options).map_err(|e| PyValueError::new_err(format!("simulate: {e}")))?;
    let made = py.detach(|| Simulated::new(&simulation, seed)).map_err(|e| raised(py, &e))?;
    let out = PyDict::new(py);
    out.set_item("item", made.item.into_pyarray(py))?;
    if !made.right.is_empty() {
        out.set_item("right", made.right.into_pyarray(py))?;
    }
    if !made.chain.is_empty() {
        out.set_item("chain", made.chain.into_pyarray(py))?;
        out.set_item("position", made.position.into_pyarray(py))?;
    }
    out.set_item("annotator", made.annotator.into_pyarray(py))?;
    out.set_item("label", made.label.into_pyarray(py))?;
    out.set_item("truth", made.truth.into_pyarray(py))?;
    if let Some(rows) = made.features.len().checked_div(simulation.features) {
        out.set_item("features", made.features.into_pyarray(py).reshape([rows, simulation.features])?)?;
    }
    out.set_item("annotators", json(&made.annotators)?)?;
    Ok(out)
}

/// Labels and truths are classes, values, outcomes (-1 the left item, 1 the right one, 0 a tie), or 1 for the same.
#[derive(Default)]
struct Simulated {
    item: Vec<i64>,
    right: Vec<i64>,
    annotator: Vec<i64>,
    label: Vec<f64>,
    truth: Vec<f64>,
    chain: Vec<i64>,
    position: Vec<i64>,
    features: Vec<f32>,
    annotators: Vec<TrueAnnotator>,
}

impl Simulated {
    fn new(simulation: &Simulation, seed: u64) -> Result<Simulated, crowdwise::Error> {
        if matches!(simulation.model, SimModel::Sets | SimModel::Graph | SimModel::Rankings) {
            return Err(crowdwise::Error::Unsupported {
                what: format!("columns of numbers cannot hold simulated {}", simulation.model.name()),
                hint: Some(format!(
                    "the command `crowdwise simulate {} -o DIR` writes them as files",
                    simulation.model.name()
                )),
            });
        }
        let number = |l: SimLabel| match l {
            SimLabel::Class(c) => f64::from(c),
            SimLabel::Value(v) => v,
            SimLabel::Same(same) => f64::from(u8::from(same)),
            SimLabel::Outcome(Preference::Left) => -1.0,
            SimLabel::Outcome(Preference::Right) => 1.0,
            SimLabel::Outcome(Preference::Tie) => 0.0,
            SimLabel::Set(_) | SimLabel::Ranking(..) => unreachable!("refused above"),
        };
        let mut simulator = Simulator::new(simulation, seed)?;
        let compares = matches!(simulation.kind(), LabelKind::Preference | LabelKind::Similarity);
        let mut out = Simulated { annotators: simulator.annotators().to_vec(), ..Simulated::default() };
        let mut block = Block::new(4096);
        while simulator.next_block(&mut block) {
            for row in &block.rows {
                out.item.push(i64::from(row.item));
                out.annotator.push(i64::from(row.annotator));
                out.label.push(number(row.label));
                if compares {
                    out.right.push(i64::from(row.right));
                }
            }
            out.truth.extend(block.truth.iter().map(|&t| number(t)));
            out.chain.extend(block.chain.iter().map(|c| i64::from(c.0)));
            out.position.extend(block.chain.iter().map(|c| i64::from(c.1)));
            out.features.extend_from_slice(&block.features);
        }
        let items = 0..simulation.items as u32;
        match simulation.kind() {
            LabelKind::Preference => out.truth = items.map(|i| simulator.score(i)).collect(),
            LabelKind::Similarity => out.truth = items.map(|i| simulator.class_of(i) as f64).collect(),
            LabelKind::Categorical | LabelKind::Real => {}
        }
        Ok(out)
    }
}
