//! A network that lives in Python (a torch module, say) behind the trait that the methods know.

use crowdwise::Error;
use crowdwise::learn::{Classifier, Matrix, Mode, Weights};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};

/// Calls `forward(x, mode)`, `backward(d)`, `set_rate(factor)`, `input_gradient(d)` (if it is there), `snapshot()` and `restore(weights)` of a Python object.
pub struct Own {
    object: Py<PyAny>,
    width: usize,
    outputs: usize,
    /// The first exception, to be raised as it is.
    pub failed: Arc<Mutex<Option<PyErr>>>,
}

impl Own {
    pub fn new(py: Python<'_>, object: Py<PyAny>) -> PyResult<Own> {
        let size = |name: &str| object.bind(py).getattr(name)?.extract::<usize>();
        let (width, outputs) = (size("width")?, size("outputs")?);
        Ok(Own { object, width, outputs, failed: Arc::default() })
    }

    fn call<T>(&self, work: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T, Error> {
        Python::attach(|py| {
            work(self.object.bind(py)).map_err(|e| {
                let what = format!("the network failed: {e}");
                if let Ok(mut first) = self.failed.lock() {
                    first.get_or_insert(e);
                }
                Error::Unsupported { what, hint: None }
            })
        })
    }
}

fn rows<'py>(py: Python<'py>, m: &Matrix) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyArray1::from_slice(py, &m.values).reshape([m.rows, m.cols])?.into_any())
}

impl Classifier for Own {
    fn width(&self) -> usize {
        self.width
    }

    fn outputs(&self) -> usize {
        self.outputs
    }

    fn forward(&mut self, x: &Matrix, mode: Mode) -> Result<Matrix, Error> {
        let how = match mode {
            Mode::Train => "train",
            Mode::Eval => "eval",
            Mode::Sample(_) => "sample",
        };
        self.call(|object| {
            let scores = object.call_method1("forward", (rows(object.py(), x)?, how))?;
            let scores: PyReadonlyArray2<'_, f32> = scores.extract()?;
            if scores.shape() != [x.rows, self.outputs] {
                let (r, c) = (scores.shape()[0], scores.shape()[1]);
                let what =
                    format!("the network gave {r} x {c} scores for {} items and {} classes", x.rows, self.outputs);
                return Err(pyo3::exceptions::PyValueError::new_err(what));
            }
            Ok(Matrix::new(x.rows, self.outputs, scores.as_array().iter().copied().collect()))
        })
    }

    fn backward(&mut self, d_scores: &Matrix) -> Result<(), Error> {
        self.call(|object| object.call_method1("backward", (rows(object.py(), d_scores)?,)).map(drop))
    }

    fn input_gradient(&mut self, d_scores: &Matrix) -> Result<Matrix, Error> {
        let has = Python::attach(|py| self.object.bind(py).hasattr("input_gradient").unwrap_or(false));
        if !has {
            return Err(Error::Unsupported {
                what: "this network gives no derivative by its features".into(),
                hint: Some("give it a method `input_gradient(d_scores)`, or take a torch module".into()),
            });
        }
        self.call(|object| {
            let slope = object.call_method1("input_gradient", (rows(object.py(), d_scores)?,))?;
            let slope: PyReadonlyArray2<'_, f32> = slope.extract()?;
            if slope.shape() != [d_scores.rows, self.width] {
                let what = format!("the derivative by the features is not {} x {}", d_scores.rows, self.width);
                return Err(pyo3::exceptions::PyValueError::new_err(what));
            }
            Ok(Matrix::new(d_scores.rows, self.width, slope.as_array().iter().copied().collect()))
        })
    }

    fn set_rate(&mut self, factor: f64) {
        // a failure is kept and raised at the end
        let _ = self.call(|object| object.call_method1("set_rate", (factor,)).map(drop));
    }

    fn snapshot(&self) -> Result<Weights, Error> {
        self.call(|object| {
            let weights = object.call_method0("snapshot")?;
            let weights: PyReadonlyArray1<'_, f32> = weights.extract()?;
            Ok(Weights(weights.as_array().iter().copied().collect()))
        })
    }

    fn restore(&mut self, weights: &Weights) -> Result<(), Error> {
        let weights = weights.0.clone();
        self.call(|object| object.call_method1("restore", (weights.into_pyarray(object.py()),)).map(drop))
    }
}
