//! Classifiers learned from features and answers.

use crate::data::Data;
use crate::error::raised;
use crate::fit::Fit;
use crate::own::Own;
use crate::run::{interruptible, parameters, threads};
use crowdwise::learn::Probabilities;
use crowdwise::{Context, Dataset, Error, Features};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;
use std::time::Instant;

/// A trained classifier.
#[pyclass(frozen, module = "crowdwise._crowdwise")]
#[derive(Debug)]
pub struct Model {
    pub model: Arc<crowdwise::learn::Model>,
}

/// Height, width and channels.
type Image = Option<[usize; 3]>;
type Rows<'py> = PyReadonlyArray2<'py, f32>;

pub fn features(x: &Rows<'_>, image: Image) -> Features {
    Features { dim: x.shape()[1], values: x.as_array().iter().copied().collect(), image }
}

fn matrix(py: Python<'_>, f: Probabilities) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let n = f.len();
    f.rows.into_pyarray(py).reshape([n, f.k])
}

fn with_features(data: &Data, x: &Rows<'_>, image: Image) -> Dataset {
    let mut data = (*data.data).clone();
    data.features = Some(features(x, image));
    data
}

/// Trains. `params` is a JSON object; `x` has a row for every item.
#[pyfunction]
#[pyo3(signature = (data, x, method, params, seed=0, threads=None, image=None, progress=None, network=None, count_copies=false))]
pub fn learn(
    py: Python<'_>,
    data: &Data,
    x: Rows<'_>,
    method: &str,
    params: &str,
    seed: u64,
    threads: Option<usize>,
    image: Image,
    progress: Option<&Bound<'_, PyAny>>,
    network: Option<Py<PyAny>>,
    count_copies: bool,
) -> PyResult<(Fit, Option<Model>)> {
    let params = parameters(params)?;
    let made = crowdwise::learner(method).and_then(|e| e.with(&params)).map_err(|e| raised(py, &e))?;
    let data = with_features(data, &x, image);
    let threads = self::threads(threads);
    let begun = Instant::now();
    let own = network.map(|n| Own::new(py, n)).transpose()?;
    let failed = own.as_ref().map(|o| o.failed.clone());
    let learned = interruptible(py, progress, |stop, sink| {
        let mut cx = Context::new(seed, threads).with_sink(sink).with_cancel(stop).with_count_copies(count_copies);
        let (mut fit, model) = match own {
            Some(own) => (made.train(&data, &mut cx, Box::new(own))?, None),
            None => made.learn(&data, &mut cx).map(|(fit, model)| (fit, Some(model)))?,
        };
        crowdwise::questions::review(made.info(), &data, &mut fit);
        Ok((fit, model))
    })?;
    // an exception of the caller's own code is raised as it was
    if let Some(e) = failed.and_then(|f| f.lock().ok()?.take()) {
        return Err(e);
    }
    let (fit, model) = learned.map_err(|e: Error| raised(py, &e))?;
    let elapsed = begun.elapsed().as_secs_f64();
    Ok((Fit { fit: Arc::new(fit), elapsed }, model.map(|m| Model { model: Arc::new(m) })))
}

/// Class probabilities of the items and confusion matrices (annotators x truth x label) by belief propagation, when every
/// item has a prior of its own (`ln_priors`, items x classes). `params` is a JSON object of parameters of `belief-propagation`.
#[pyfunction]
#[pyo3(signature = (data, ln_priors, params, seed=0))]
pub fn beliefs<'py>(
    py: Python<'py>,
    data: &Data,
    ln_priors: PyReadonlyArray2<'py, f64>,
    params: &str,
    seed: u64,
) -> PyResult<Beliefs<'py>> {
    let method: crowdwise::methods::classes::messages::BeliefPropagation =
        serde_json::from_str(params).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let (n, k) = (data.data.table.n_units(), data.data.table.n_classes());
    if ln_priors.shape() != [n, k] {
        return Err(PyValueError::new_err(format!("the priors must be {n} x {k}")));
    }
    let rows: Vec<f64> = ln_priors.as_array().iter().copied().collect();
    let found = py.detach(|| method.with_item_priors(&data.data, &rows, seed)).map_err(|e| raised(py, &e))?;
    let m = data.data.table.n_annotators();
    let even = || vec![1.0 / k as f64; k * k];
    let matrices: Vec<f64> = (0..m).flat_map(|j| found.1.confusion(j).unwrap_or_else(even)).collect();
    Ok((found.0.into_pyarray(py).reshape([n, k])?, matrices.into_pyarray(py).reshape([m, k, k])?))
}

type Beliefs<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray3<f64>>);

#[pymethods]
impl Model {
    /// Class probabilities of new items.
    #[pyo3(signature = (x, image=None, threads=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: Rows<'py>,
        image: Image,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x = features(&x, image);
        let f = py.detach(|| Context::new(0, self::threads(threads)).install(|| self.model.predict(&x)));
        matrix(py, f.and_then(|f| f).map_err(|e| raised(py, &e))?)
    }

    /// Class probabilities of items from features and answers, and how many answers were by strangers.
    #[pyo3(signature = (data, x, image=None))]
    fn predict_with_labels<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        x: Rows<'py>,
        image: Image,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
        let data = with_features(data, &x, image);
        let (f, strangers) = py.detach(|| self.model.predict_with_labels(&data)).map_err(|e| raised(py, &e))?;
        Ok((matrix(py, f)?, strangers))
    }

    /// (mean probabilities, entropy, BALD) of networks drawn by dropout, the last two in bits.
    #[pyo3(signature = (x, passes=20, image=None))]
    fn sample<'py>(&self, py: Python<'py>, x: Rows<'py>, passes: usize, image: Image) -> PyResult<Sampled<'py>> {
        let x = features(&x, image);
        let s = py.detach(|| self.model.sample(&x, passes)).map_err(|e| raised(py, &e))?;
        Ok((matrix(py, s.mean)?, s.entropy.into_pyarray(py), s.bald.into_pyarray(py)))
    }

    /// Numbers in a row of features.
    #[getter]
    fn width(&self) -> usize {
        self.model.width()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.model.to_bytes())
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Model> {
        let model = crowdwise::learn::Model::from_bytes(bytes, "the model").map_err(|e| raised(py, &e))?;
        Ok(Model { model: Arc::new(model) })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Model>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }

    fn __repr__(&self) -> String {
        let m = &self.model;
        format!("<Model of {}: {} features, {} classes>", m.method, m.width(), m.classes.len())
    }
}

type Sampled<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);
