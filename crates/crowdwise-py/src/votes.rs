//! Sums over votes that the classes of `crowdwise.crowdkit` are made of.

use crate::data::Data;
use crate::fit::Fit;
use crowdwise::{Annotators, Categorical};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray3, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Expected counts are at least this, as in crowd-kit.
const LEAST: f64 = 1e-10;

fn labels(data: &Data) -> PyResult<Categorical<'_>> {
    data.data.table.categorical().ok_or_else(|| PyValueError::new_err("these labels are not classes"))
}

/// Sums of the annotators' weights behind every class, units x classes. Weights may be negative.
#[pyfunction]
pub fn weighted_votes<'py>(
    py: Python<'py>,
    data: &Data,
    weight: PyReadonlyArray1<'_, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (table, labels) = (&data.data.table, labels(data)?);
    let (n, k, weight) = (table.n_units(), labels.k(), weight.as_slice()?);
    if weight.len() != table.n_annotators() {
        return Err(PyValueError::new_err(format!("there are {} annotators", table.n_annotators())));
    }
    let mut sums = vec![0.0; n * k];
    for u in 0..n {
        for r in table.rows(u) {
            sums[u * k + labels.codes.get(r)] += weight[table.annotator()[r] as usize];
        }
    }
    sums.into_pyarray(py).reshape([n, k])
}

/// Share of every annotator's labels that are right: `class` is right for `unit` (there may be several, and -1 is a class
/// that nobody said); units of which nothing is known are left out, and a label given to a unit twice counts once. NaN for
/// those who labelled none.
#[pyfunction]
pub fn share_right<'py>(
    py: Python<'py>,
    data: &Data,
    unit: PyReadonlyArray1<'_, i64>,
    class: PyReadonlyArray1<'_, i64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (table, labels) = (&data.data.table, labels(data)?);
    let mut right: Vec<(i64, i64)> = unit.as_slice()?.iter().copied().zip(class.as_slice()?.iter().copied()).collect();
    right.sort_unstable();
    let mut counts = vec![[0u64; 2]; table.n_annotators()];
    for known in right.chunk_by(|a, b| a.0 == b.0) {
        let Some(u) = usize::try_from(known[0].0).ok().filter(|u| *u < table.n_units()) else { continue };
        let mut seen: Vec<(u32, usize)> = Vec::new();
        for r in table.rows(u) {
            let said = (table.annotator()[r], labels.codes.get(r));
            // rows of one annotator are neighbours
            if seen.last().is_none_or(|last| last.0 != said.0) {
                seen.clear();
            }
            if !seen.contains(&said) {
                seen.push(said);
                let hit = known.iter().any(|k| k.1 == said.1 as i64);
                counts[said.0 as usize][0] += u64::from(hit);
                counts[said.0 as usize][1] += 1;
            }
        }
    }
    let share = |c: &[u64; 2]| if c[1] == 0 { f64::NAN } else { c[0] as f64 / c[1] as f64 };
    Ok(counts.iter().map(share).collect::<Vec<_>>().into_pyarray(py))
}

/// What EM begins with, as a fit: the class probabilities of `votes`, their mean, and matrices that come from the labels
/// weighted by them. `given` (annotators x truth x label) is added to those counts, or takes their place if `assign`. With
/// `one_coin`, every annotator has one accuracy.
#[pyfunction]
pub fn vote_start(
    votes: &Fit,
    data: &Data,
    given: PyReadonlyArray3<'_, f64>,
    assign: bool,
    one_coin: bool,
) -> PyResult<Fit> {
    let (table, labels) = (&data.data.table, labels(data)?);
    let (m, k) = (table.n_annotators(), labels.k());
    let Some((_, shares)) = votes.fit.posterior().filter(|p| p.0 == k) else {
        return Err(PyValueError::new_err("the fit is of other classes"));
    };
    if given.shape() != [m, k, k] {
        return Err(PyValueError::new_err(format!("the matrices must be {m} x {k} x {k}")));
    }
    let mut matrix: Vec<f64> = given.as_array().iter().copied().collect();
    let mut used = vec![false; m * k];
    for u in 0..table.n_units() {
        for r in table.rows(u) {
            let (j, l) = (table.annotator()[r] as usize, labels.codes.get(r));
            used[j * k + l] = true;
            if !assign {
                (0..k).for_each(|t| matrix[(j * k + t) * k + l] += shares[u * k + t]);
            }
        }
    }
    let mut fit = (*votes.fit).clone();
    fit.annotators = if one_coin {
        let accuracy =
            matrix.chunks_exact(k * k).map(|c| (0..k).map(|t| c[t * k + t]).sum::<f64>() / c.iter().sum::<f64>());
        Annotators::Accuracy { k, accuracy: accuracy.collect() }
    } else {
        for (at, row) in matrix.chunks_exact_mut(k).enumerate() {
            let used = &used[at / k * k..][..k];
            let floor = |(l, x): (usize, &f64)| if used[l] || *x > 0.0 { x.max(LEAST) } else { 0.0 };
            let sum: f64 = row.iter().enumerate().map(floor).sum();
            for (l, x) in row.iter_mut().enumerate() {
                *x = floor((l, x)) / sum;
            }
        }
        Annotators::Confusion { k, matrix }
    };
    let n = table.n_units();
    fit.class_prior = Some((0..k).map(|t| (0..n).map(|u| shares[u * k + t]).sum::<f64>() / n as f64).collect());
    // the matrices are the start, not the probabilities
    fit.provenance.items = 0;
    Ok(Fit { fit: Arc::new(fit), elapsed: 0.0 })
}

/// A fit with these accuracies of the annotators, to begin from.
#[pyfunction]
pub fn skilled_start(votes: &Fit, data: &Data, accuracy: Vec<f64>) -> PyResult<Fit> {
    let (m, k) = (data.data.table.n_annotators(), data.data.table.n_classes());
    if accuracy.len() != m {
        return Err(PyValueError::new_err(format!("there are {m} annotators")));
    }
    let mut fit = (*votes.fit).clone();
    fit.annotators = Annotators::Accuracy { k, accuracy };
    fit.provenance.items = 0;
    Ok(Fit { fit: Arc::new(fit), elapsed: 0.0 })
}
