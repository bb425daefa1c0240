//! A result that Python holds.

use crate::data::Data;
use crate::json;
use crowdwise::{Annotators, Truth, stats};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

#[pyclass(frozen, module = "crowdwise._crowdwise")]
#[derive(Debug)]
pub struct Fit {
    pub fit: Arc<crowdwise::Fit>,
    /// Seconds that the fit took.
    #[pyo3(get)]
    pub elapsed: f64,
}

type Array<'py, T> = Bound<'py, PyArray1<T>>;

#[pymethods]
impl Fit {
    #[getter]
    fn method(&self) -> &str {
        &self.fit.provenance.method
    }

    /// Parameters, JSON.
    #[getter]
    fn params(&self) -> PyResult<String> {
        json(&self.fit.provenance.params)
    }

    #[getter]
    fn stop(&self) -> PyResult<String> {
        Ok(json(&self.fit.diagnostics.stop)?.trim_matches('"').to_owned())
    }

    #[getter]
    fn iterations(&self) -> usize {
        self.fit.diagnostics.iterations
    }

    #[getter]
    fn objective(&self) -> Option<(&str, f64)> {
        self.fit.diagnostics.objective.as_ref().map(|o| (o.kind.as_str(), o.value))
    }

    /// Further numbers of the method, JSON.
    #[getter]
    fn details(&self) -> PyResult<String> {
        json(&self.fit.diagnostics.details)
    }

    /// (iteration, objective, change) of every iteration.
    #[getter]
    fn trace(&self) -> Vec<(usize, Option<f64>, f64)> {
        self.fit.diagnostics.trace.iter().map(|t| (t.iteration, t.objective, t.change)).collect()
    }

    /// Class probabilities, units x classes.
    fn posterior<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Some((k, p)) = self.fit.posterior() else { return Ok(None) };
        let n = p.len() / k.max(1);
        Ok(Some(PyArray1::from_slice(py, p).reshape([n, k])?))
    }

    /// Columns of the class probabilities.
    #[getter]
    fn n_classes(&self) -> usize {
        self.fit.posterior().map_or(0, |(k, _)| k)
    }

    /// The most probable class of every unit, the first of those that are tied.
    fn best<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let (k, p) = self.fit.posterior()?;
        let best = p.chunks_exact(k.max(1)).map(stats::argmax);
        // as many bytes as they need: there is one for every item
        Some(if k <= 1 << 8 {
            best.map(|c| c as u8).collect::<Vec<_>>().into_pyarray(py).into_any()
        } else {
            best.map(|c| c as u32).collect::<Vec<_>>().into_pyarray(py).into_any()
        })
    }

    /// (value, standard error) of every unit of a fit of numbers.
    fn values<'py>(&self, py: Python<'py>) -> Option<(Array<'py, f64>, Array<'py, f64>)> {
        let Truth::Real { value, sd } = &self.fit.truth else { return None };
        Some((PyArray1::from_slice(py, value), PyArray1::from_slice(py, sd)))
    }

    /// (score, interval, component) of every item of a fit of comparisons.
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Option<Scores<'py>>> {
        let Truth::Scores { score, interval, component, .. } = &self.fit.truth else { return Ok(None) };
        let flat: Vec<f64> = interval.iter().flatten().copied().collect();
        let intervals = flat.into_pyarray(py).reshape([interval.len(), 2])?;
        let component: Vec<i64> = component.iter().map(|&c| i64::from(c)).collect();
        Ok(Some((PyArray1::from_slice(py, score), intervals, component.into_pyarray(py))))
    }

    /// (cluster of every item, how sure it is, probability that the two of every pair are the same).
    fn clusters<'py>(&self, py: Python<'py>) -> Option<(Array<'py, i64>, Array<'py, f64>, Array<'py, f64>)> {
        let Truth::Clusters { cluster, confidence, same } = &self.fit.truth else { return None };
        let cluster: Vec<i64> = cluster.iter().map(|&c| i64::from(c)).collect();
        Some((cluster.into_pyarray(py), PyArray1::from_slice(py, confidence), PyArray1::from_slice(py, same)))
    }

    /// Best and worst place of every item of a fit of comparisons, items x 2, where the method tells.
    fn ranks<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<i64>>>> {
        let Truth::Scores { ranks, .. } = &self.fit.truth else { return Ok(None) };
        if ranks.is_empty() {
            return Ok(None);
        }
        let flat: Vec<i64> = ranks.iter().flatten().map(|&r| i64::from(r)).collect();
        Ok(Some(flat.into_pyarray(py).reshape([ranks.len(), 2])?))
    }

    /// Confusion matrices, annotators x truth x label, where the method has them.
    fn confusion<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray3<f64>>>> {
        let a = &self.fit.annotators;
        let Some(k) = a.classes() else { return Ok(None) };
        let flat = match a {
            Annotators::Confusion { matrix, .. } => PyArray1::from_slice(py, matrix),
            _ => {
                (0..a.len()).flat_map(|j| a.confusion(j).expect("it has classes")).collect::<Vec<_>>().into_pyarray(py)
            }
        };
        Ok(Some(flat.reshape([a.len(), k, k])?))
    }

    /// P(right) of every annotator, where the method has it.
    fn accuracy<'py>(&self, py: Python<'py>) -> Option<Array<'py, f64>> {
        let a = &self.fit.annotators;
        (0..a.len())
            .map(|j| a.accuracy(j))
            .collect::<Option<Vec<_>>>()
            .filter(|v| !v.is_empty())
            .map(|v| v.into_pyarray(py))
    }

    /// The number by which the method itself ranks annotators.
    fn weight<'py>(&self, py: Python<'py>) -> Option<Array<'py, f64>> {
        let a = &self.fit.annotators;
        (0..a.len())
            .map(|j| a.weight(j))
            .collect::<Option<Vec<_>>>()
            .filter(|v| !v.is_empty())
            .map(|v| v.into_pyarray(py))
    }

    /// What the method's own guesses are drawn from (annotators x classes), for `mace`.
    fn strategy<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Annotators::Competence { k, strategy, competence } = &self.fit.annotators else { return Ok(None) };
        Ok(Some(PyArray1::from_slice(py, strategy).reshape([competence.len(), *k])?))
    }

    fn class_prior<'py>(&self, py: Python<'py>) -> Option<Array<'py, f64>> {
        self.fit.class_prior.as_ref().map(|p| PyArray1::from_slice(py, p))
    }

    fn difficulty<'py>(&self, py: Python<'py>) -> Option<Array<'py, f64>> {
        self.fit.difficulty.as_ref().map(|p| PyArray1::from_slice(py, p))
    }

    /// This fit as a start for `data`, which has the same annotators and perhaps some more: those begin with the mean of
    /// the others. None if the classes are others.
    fn for_data(&self, data: &Data) -> Option<Fit> {
        let fit = self.fit.start_for(&data.data.table)?;
        Some(Fit { fit: Arc::new(fit), elapsed: self.elapsed })
    }

    /// A start from confusion matrices (annotators x truth x label) and class shares.
    fn begin(
        &self,
        data: &Data,
        confusion: PyReadonlyArray3<'_, f64>,
        prior: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Fit> {
        let (m, k) = (data.data.table.n_annotators(), data.data.table.n_classes());
        if confusion.shape() != [m, k, k] || prior.shape() != [k] {
            return Err(PyValueError::new_err(format!("the matrices must be {m} x {k} x {k}")));
        }
        let mut fit = (*self.fit).clone();
        fit.annotators = Annotators::Confusion { k, matrix: confusion.as_array().iter().copied().collect() };
        fit.class_prior = Some(prior.as_array().to_vec());
        fit.provenance.items = 0;
        Ok(Fit { fit: Arc::new(fit), elapsed: 0.0 })
    }

    /// This fit with other class probabilities (units x classes), of a method that was carried out in Python.
    fn with_posterior(
        &self,
        data: &Data,
        method: &str,
        posterior: PyReadonlyArray2<'_, f64>,
        iterations: usize,
        converged: bool,
    ) -> PyResult<Fit> {
        let (n, k) = (data.data.table.n_units(), data.data.table.n_classes());
        if posterior.shape() != [n, k] {
            return Err(PyValueError::new_err(format!("the probabilities must be {n} x {k}")));
        }
        let mut fit = (*self.fit).clone();
        fit.truth = Truth::Classes { k, posterior: posterior.as_array().iter().copied().collect() };
        fit.uncalibrated = None;
        fit.provenance.items = data.data.table.n_items();
        fit.provenance.method = method.into();
        fit.diagnostics = crowdwise::Diagnostics::direct();
        fit.diagnostics.iterations = iterations;
        fit.diagnostics.stop = if converged { crowdwise::Stop::Converged } else { crowdwise::Stop::MaxIter };
        fit.findings = crowdwise::questions::findings(&data.data, &fit);
        Ok(Fit { fit: Arc::new(fit), elapsed: 0.0 })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = rmp_serde::to_vec_named(&(self.elapsed, self.fit.as_ref()))
            .map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Fit> {
        let (elapsed, fit): (f64, crowdwise::Fit) = rmp_serde::from_slice(bytes)
            .map_err(|e| PyValueError::new_err(format!("this is not a Crowdwise fit: {e}")))?;
        Ok(Fit { fit: Arc::new(fit), elapsed })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Fit>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    fn __repr__(&self) -> String {
        let d = &self.fit.diagnostics;
        format!("<Fit of {}: {:?} after {} iterations>", self.fit.provenance.method, d.stop, d.iterations)
    }
}

type Scores<'py> = (Array<'py, f64>, Bound<'py, PyArray2<f64>>, Array<'py, i64>);
