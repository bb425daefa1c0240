//! What to ask next: questions by numbers, which the Python side turns into ids.

use crate::data::Data;
use crate::error::raised;
use crate::json;
use crate::kinds::bad;
use crowdwise::ask::answers::{Answers, Label};
use crowdwise::ask::model::{Model, Settings};
use crowdwise::ask::next::{Batch, Options, Want, next};
use crowdwise::ask::numbers::{AskNumbers, NumberStrategy};
use crowdwise::ask::pairs::{AskPairs, PairStrategy};
use crowdwise::ask::plan::{Choice, Crowd, Planner};
use crowdwise::ask::replay::{Course, Replay, compare};
use crowdwise::ask::state::{AnnotatorLimits, ItemLimits, Limits, Saved, State, Told};
use crowdwise::ask::strategy::Strategy;
use crowdwise::{Context, Error};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::json;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The model is fitted when it is needed and something is new; from the votes each time, so that the state alone decides what is
/// asked, also after it was kept and restored.
#[derive(Debug)]
struct Inner {
    state: State,
    model: Model,
    stale: bool,
}

impl Inner {
    fn fit(&mut self) {
        if self.stale {
            self.model.fits = 0;
            self.model.fit(&self.state.answers, &self.state.known);
            self.stale = false;
        }
    }
}

/// A collection of answers in progress.
#[pyclass(frozen, module = "crowdwise._crowdwise")]
#[derive(Debug)]
pub struct Asking {
    inner: Mutex<Inner>,
}

/// What is wanted of a call.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wanted {
    n: usize,
    money: Option<f64>,
    strategy: String,
    annotator: Option<u32>,
    coverage: f64,
    price_power: f64,
    stop_at: Option<f64>,
    value: f64,
    seed: u64,
}

impl Default for Wanted {
    fn default() -> Self {
        let o = Options::default();
        Wanted {
            n: 100,
            money: None,
            strategy: o.strategy.name().into(),
            annotator: None,
            coverage: o.coverage,
            price_power: o.price_power,
            stop_at: None,
            value: o.value,
            seed: 0,
        }
    }
}

impl Wanted {
    fn options(&self, now: Option<f64>) -> Result<Options, Error> {
        Ok(Options {
            strategy: Strategy::find(&self.strategy)?,
            want: self.money.map_or(Want::Questions(self.n), Want::Money),
            only: self.annotator,
            coverage: self.coverage,
            price_power: self.price_power,
            stop_at: self.stop_at,
            value: self.value,
            now,
            seed: self.seed,
        })
    }
}

fn parsed<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// A batch as JSON; `leases` has a number for every question, or is empty.
fn document(batch: &Batch, leases: &[u64]) -> serde_json::Value {
    let questions: Vec<serde_json::Value> = batch
        .questions
        .iter()
        .enumerate()
        .map(|(at, q)| {
            json!({
                "item": q.item, "annotator": q.annotator, "reason": q.reason, "gain_bits": q.gain,
                "accuracy_gain": q.accuracy_gain, "label_now": q.class, "p_now": q.p, "labels": q.labels,
                "pending": q.pending, "price": q.price, "right": q.right, "lease": leases.get(at),
            })
        })
        .collect();
    json!({
        "batch": batch.number, "questions": questions, "items": batch.items, "accuracy": batch.accuracy,
        "money": batch.money, "nothing": batch.nothing, "warnings": batch.warnings,
    })
}

impl Asking {
    fn of(state: State) -> Asking {
        let model = Model::new(&state.answers, Settings::default());
        Asking { inner: Mutex::new(Inner { state, model, stale: true }) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Asking {
    /// Answers so far, with room for more items and annotators than they name.
    #[new]
    fn new(py: Python<'_>, data: &Data, items: usize, annotators: usize) -> PyResult<Asking> {
        let answers = Answers::of_table(&data.data.table).map_err(|e| raised(py, &e))?;
        let mut state = State::new(answers);
        state.known.gold = data.data.gold_classes().into_iter().flatten().map(|g| g.map(|c| c as u16)).collect();
        state.grow(items, annotators);
        Ok(Asking::of(state))
    }

    /// What `state` gave.
    #[staticmethod]
    fn restored(saved: &str) -> PyResult<Asking> {
        let saved: Saved = parsed(saved)?;
        Ok(Asking::of(State::load(&saved)))
    }

    fn state(&self) -> PyResult<String> {
        json(&self.lock().state.save())
    }

    /// Limits of all, of every annotator and of every item, JSON.
    fn limit(&self, all: &str, annotators: &str, items: &str) -> PyResult<()> {
        let (all, annotators, items): (Limits, Vec<AnnotatorLimits>, Vec<ItemLimits>) =
            (parsed(all)?, parsed(annotators)?, parsed(items)?);
        let mut own = self.lock();
        (own.state.limits, own.state.annotators, own.state.items) = (all, annotators, items);
        Ok(())
    }

    /// Class probabilities of every item that something else than the answers tells, items x classes.
    fn believe(&self, probabilities: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let mut own = self.lock();
        let wanted = [own.state.n_items(), own.state.answers.k()];
        if probabilities.shape() != wanted {
            return Err(PyValueError::new_err(format!("the probabilities must be {} x {}", wanted[0], wanted[1])));
        }
        own.state.known.class_logs = probabilities.as_array().iter().map(|p| p.max(1e-12).ln()).collect();
        own.stale = true;
        Ok(())
    }

    fn grow(&self, items: usize, annotators: usize) {
        let mut own = self.lock();
        own.state.grow(items, annotators);
        let Inner { state, model, stale } = &mut *own;
        model.grow(&state.answers);
        *stale = true;
    }

    /// Questions as JSON. With `lease` they are out until they are answered or their time is over.
    #[pyo3(signature = (wanted, lease, now=None))]
    fn ask(&self, py: Python<'_>, wanted: &str, lease: bool, now: Option<f64>) -> PyResult<String> {
        let wanted: Wanted = parsed(wanted)?;
        let options = wanted.options(now).map_err(|e| raised(py, &e))?;
        let document = py.detach(|| {
            let mut own = self.lock();
            own.fit();
            let batch = next(&own.state, &own.model, &options);
            let mut leases = Vec::new();
            if lease {
                for q in &batch.questions {
                    let number = own.state.lease(q.item as usize, q.annotator, now.unwrap_or(0.0));
                    leases.push(number.unwrap_or(0));
                }
                own.state.batch += 1;
            }
            document(&batch, &leases)
        });
        json(&document)
    }

    /// A question that is out already.
    fn lease(&self, item: usize, annotator: u32, now: f64) -> bool {
        self.lock().state.lease(item, annotator, now).is_ok()
    }

    #[pyo3(signature = (item, annotator, class, lease=None, now=0.0))]
    fn tell(&self, item: u32, annotator: u32, class: u16, lease: Option<u64>, now: f64) -> &'static str {
        let mut own = self.lock();
        let told = own.state.tell(Label { item, annotator, class }, lease, now);
        own.stale |= told != Told::Again;
        match told {
            Told::New => "new",
            Told::Late => "late",
            Told::Unasked => "unasked",
            Told::Again => "again",
        }
    }

    fn skip(&self, item: usize, annotator: u32) -> bool {
        self.lock().state.skip(item, annotator)
    }

    fn expire(&self, now: f64) -> Vec<(u32, u32)> {
        self.lock().state.expire(now)
    }

    /// Labels, and pairs leased, skipped and expired.
    fn counts(&self) -> (usize, usize, usize, usize) {
        let own = self.lock();
        let pairs = own.state.pairs();
        (own.state.answers.n_labels(), pairs.leased, pairs.skipped, pairs.expired)
    }

    /// Class probabilities of every item, items x classes.
    fn posterior<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (q, shape) = py.detach(|| {
            let mut own = self.lock();
            own.fit();
            (own.model.q.clone(), [own.state.n_items(), own.state.answers.k()])
        });
        PyArray1::from_vec(py, q).reshape(shape)
    }

    /// Number of labels of every item.
    fn degrees(&self) -> Vec<usize> {
        let own = self.lock();
        (0..own.state.n_items()).map(|i| own.state.answers.degree(i)).collect()
    }
}

/// How recorded answers are replayed.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct How {
    strategies: Vec<String>,
    base: String,
    orderings: u64,
    start: usize,
    batch: f64,
    budget: Option<usize>,
    seed: u64,
}

impl Default for How {
    fn default() -> Self {
        let c = Course::default();
        How {
            strategies: vec!["gain".into(), "random".into()],
            base: "fewest".into(),
            orderings: c.orderings,
            start: c.start,
            batch: c.batch,
            budget: None,
            seed: 0,
        }
    }
}

/// Strategies on recorded answers whose gold is the truth: JSON of the outcomes, and their mean curves.
#[pyfunction]
pub fn replay(py: Python<'_>, data: &Data, how: &str) -> PyResult<(String, String)> {
    let how: How = parsed(how)?;
    let find = |name: &String| Strategy::find(name).map_err(|e| raised(py, &e));
    let strategies = how.strategies.iter().map(find).collect::<PyResult<Vec<Strategy>>>()?;
    let base = find(&how.base)?;
    let table = &data.data.table;
    let answers = Answers::of_table(table).map_err(|e| raised(py, &e))?;
    let truth: Vec<(u32, u16)> = data
        .data
        .gold_classes()
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(i, c)| Some((i as u32, c? as u16)))
        .collect();
    if truth.is_empty() {
        return Err(raised(py, &bad("none of the items has a known truth".into(), Some("`truth=` of the same items"))));
    }
    let course = Course {
        start: how.start,
        batch: how.batch,
        budget: how.budget,
        orderings: how.orderings.max(1),
        seed: how.seed,
        ..Course::default()
    };
    let found = py.detach(|| compare(&Replay::new(&answers, &truth), base, &strategies, &Options::default(), &course));
    let curves: Vec<_> = found.outcomes.iter().map(|o| (o.strategy.name(), &o.curve)).collect();
    Ok((json(&found)?, json(&curves)?))
}

/// What a plan is made for.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Planned {
    per_item: Vec<usize>,
    money: Vec<f64>,
    price: f64,
    target: Option<f64>,
    draws: usize,
    most: usize,
    strategies: Vec<String>,
    best: Option<f64>,
    accuracy: Option<f64>,
    only: Vec<u32>,
    other_price: Option<f64>,
    seed: u64,
}

impl Default for Planned {
    fn default() -> Self {
        let p = Planner::default();
        Planned {
            per_item: p.per_item,
            money: p.money,
            price: p.price,
            target: p.target,
            draws: p.draws,
            most: p.most,
            strategies: vec![Strategy::Fewest.name().into()],
            best: None,
            accuracy: None,
            only: Vec::new(),
            other_price: None,
            seed: 0,
        }
    }
}

impl Planned {
    fn choices(&self) -> Result<Vec<Choice>, Error> {
        let mut out = Vec::new();
        for name in &self.strategies {
            let strategy = Strategy::find(name)?;
            if strategy.stops() {
                let what = format!("`{name}` stops by itself, so that it has no accuracy for a number of labels");
                return Err(Error::Usage { what, hint: None });
            }
            out.push(Choice::by(strategy));
        }
        let mut also = |name: String, crowd| out.push(Choice { price: self.other_price, ..Choice::of(name, crowd) });
        if let Some(share) = self.best {
            also(format!("fewest: best {:.0} %", 100.0 * share), Crowd::Best(share));
        }
        if let Some(p) = self.accuracy {
            also(format!("fewest: new annotators of {:.0} %", 100.0 * p), Crowd::Accuracy(p));
        }
        if !self.only.is_empty() {
            also(format!("fewest: {} annotators", self.only.len()), Crowd::These(self.only.clone()));
        }
        Ok(out)
    }
}

/// What more labels would bring, as JSON.
#[pyfunction]
pub fn plan(py: Python<'_>, data: &Data, how: &str) -> PyResult<String> {
    let how: Planned = parsed(how)?;
    let choices = how.choices().map_err(|e| raised(py, &e))?;
    let planner = Planner {
        per_item: how.per_item,
        money: how.money,
        price: how.price,
        target: how.target,
        draws: how.draws,
        most: how.most,
    };
    let (data, seed) = (data.data.clone(), how.seed);
    let found = py.detach(|| planner.plan(&data, &choices, seed)).map_err(|e| raised(py, &e))?;
    json(&json!({"plan": found, "can_tell": found.can_tell()}))
}

/// (item, annotator, deviation before and after, gain, coverage) of the values to ask for.
type AskedNumber = (u32, u32, f64, f64, f64, bool);

/// Values to ask for.
#[pyfunction]
#[pyo3(signature = (data, n, strategy, seed, annotators=None, pending=Vec::new(), prices=None))]
#[expect(clippy::too_many_arguments, reason = "called from Python only")]
pub fn next_numbers(
    py: Python<'_>,
    data: &Data,
    n: usize,
    strategy: &str,
    seed: u64,
    annotators: Option<Vec<u32>>,
    pending: Vec<[u32; 2]>,
    prices: Option<Vec<f64>>,
) -> PyResult<Vec<AskedNumber>> {
    let strategy: NumberStrategy = named(py, strategy, &["gain", "fewest", "random"])?;
    let ask = AskNumbers { strategy, n, prices, annotators, pending, seed, ..AskNumbers::default() };
    let data = data.data.clone();
    let asked = py.detach(|| ask.next(&data, &mut Context::new(seed, 1))).map_err(|e| raised(py, &e))?;
    Ok(asked.iter().map(|q| (q.item, q.annotator, q.sd, q.sd_after, q.gain, q.coverage)).collect())
}

/// (left, right, annotator, gain, probability that left is better, by chance) of the comparisons to ask for.
type AskedPair = (u32, u32, u32, f64, f64, bool);

/// Comparisons to ask for.
#[pyfunction]
#[pyo3(signature = (data, n, strategy, seed, annotators=None, pending=Vec::new()))]
pub fn next_pairs(
    py: Python<'_>,
    data: &Data,
    n: usize,
    strategy: &str,
    seed: u64,
    annotators: Option<Vec<u32>>,
    pending: Vec<[u32; 3]>,
) -> PyResult<Vec<AskedPair>> {
    let strategy: PairStrategy = named(py, strategy, &PairStrategy::ALL.map(PairStrategy::name))?;
    let ask = AskPairs { strategy, n, annotators, pending, seed, ..AskPairs::default() };
    let data = data.data.clone();
    let asked = py.detach(|| {
        let (entry, _) = crowdwise::ranking_method(&data);
        let fit = entry.default().fit(&data, &mut Context::new(seed, 1))?;
        ask.next(&data, &fit)
    });
    let asked = asked.map_err(|e| raised(py, &e))?;
    Ok(asked.iter().map(|q| (q.left, q.right, q.annotator, q.gain, q.left_better, q.random)).collect())
}

fn named<T: DeserializeOwned>(py: Python<'_>, name: &str, all: &[&str]) -> PyResult<T> {
    serde_json::from_value(name.into()).map_err(|_| {
        let what = format!("there is no strategy `{name}` for such answers");
        raised(py, &Error::Usage { what, hint: Some(format!("one of {}", all.join(", "))) })
    })
}
