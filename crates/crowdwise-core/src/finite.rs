//! Numbers that can be calculated with, before a fit and after it: an overflow ends in a message, never in an empty cell.

use crate::{Annotators, Dataset, Error, Problems, Truth, Values};
use serde_json::Value;

/// Values and parameters may be so large at most: squares of billions of them, and products of four, are still numbers.
const LARGEST: f64 = 1e60;

/// Parameters of any method that say how many states are kept side by side, and the most that there may be: each takes as
/// much memory as the model does. Counts of iterations only take time, and have no limit.
const COPIES: [&str; 2] = ["restarts", "chains"];
const MOST_COPIES: u64 = 10_000;

/// Every parameter that is too large to calculate with.
pub(crate) fn check_parameters(params: &Value, problems: &mut Problems) {
    for (name, value) in params.as_object().into_iter().flatten() {
        if let Some(n) = value.as_u64().filter(|n| COPIES.contains(&name.as_str()) && *n > MOST_COPIES) {
            problems.require(false, name, n, &format!("a whole number of at most {MOST_COPIES}"));
        }
        if let Some(x) = largest(value).filter(|x| *x > LARGEST) {
            problems.require(false, name, format!("{x:e}"), "a number of at most 1e60, beyond which sums overflow");
        }
    }
}

fn largest(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64().map(f64::abs),
        Value::Array(all) => all.iter().filter_map(largest).reduce(f64::max),
        Value::Object(all) => all.values().filter_map(largest).reduce(f64::max),
        _ => None,
    }
}

/// Refuses real values that are too large to calculate with.
pub(crate) fn check_values(data: &Dataset) -> Result<(), Error> {
    let Values::Real { values, .. } = data.table.values() else { return Ok(()) };
    let Some(at) = values.iter().position(|x| !x.is_finite() || x.abs() > LARGEST) else { return Ok(()) };
    let n = values.iter().filter(|x| !x.is_finite() || x.abs() > LARGEST).count();
    let who = data.table.annotators().name(data.table.annotator()[at] as usize);
    let more = if n > 1 { format!(", and {} more", n - 1) } else { String::new() };
    Err(Error::BadData {
        file: data.source.clone(),
        what: format!("the value {:e} of annotator `{who}` is too large to calculate with{more}", values[at]),
        hint: Some("values beyond 1e60 overflow: remove them, or rescale all values".into()),
    })
}

/// Refuses a result that is not made of numbers.
pub(crate) fn check_result(method: &str, data: &Dataset, truth: &Truth, annotators: &Annotators) -> Result<(), Error> {
    let labelled = |u: &usize| data.table.degree(*u) > 0;
    let bad = match truth {
        Truth::Classes { k, posterior } => posterior
            .chunks_exact((*k).max(1))
            .filter(|row| row.iter().any(|p| !p.is_finite()) || (row.iter().sum::<f64>() - 1.0).abs() > 1e-6)
            .count(),
        // NaN where nobody said anything, or where one answer tells nothing of the error
        Truth::Real { value, sd } => (0..value.len())
            .filter(labelled)
            .filter(|&u| !value[u].is_finite() || sd.get(u).is_some_and(|x| x.is_infinite()))
            .count(),
        Truth::Scores { score, interval, .. } => {
            score.iter().zip(interval).filter(|(s, i)| !s.is_finite() || i[0].is_nan() || i[1].is_nan()).count()
        }
        Truth::Clusters { confidence, same, .. } => confidence.iter().chain(same).filter(|x| x.is_infinite()).count(),
    };
    let what = if bad > 0 {
        format!("{bad} of the results of {method} are not numbers: the calculation overflowed")
    } else if annotators.numbers().iter().any(|part| part.iter().any(|x| x.is_infinite())) {
        format!("what {method} found of the annotators is infinite: the calculation overflowed")
    } else {
        return Ok(());
    };
    Err(Error::NotFinite { what, hint: "use parameters closer to their defaults, or values of a usual size".into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelKind, TableBuilder};
    use serde_json::json;

    fn ratings(values: &[f64]) -> Dataset {
        let mut b = TableBuilder::new(LabelKind::Real);
        for (n, x) in values.iter().enumerate() {
            b.value(&format!("i{}", n / 2), &format!("w{}", n % 2), *x);
        }
        Dataset::new(b.finish().unwrap())
    }

    #[test]
    fn what_would_overflow_is_named() {
        let mut problems = Problems::default();
        let params = json!({"tol": 1e-6, "pooling": 1e308, "prior": [1.0, -1e61], "kind": "auto", "max": u64::MAX});
        check_parameters(&params, &mut problems);
        let text = Error::Several(problems.0).to_string();
        assert!(text.contains("`pooling` is 1e308") && text.contains("`prior` is 1e61"), "{text}");
        assert!(!text.contains("tol") && !text.contains("max`"), "{text}");
        let mut problems = Problems::default();
        check_parameters(&json!({"restarts": 10_001, "chains": u64::MAX, "max_iter": u64::MAX}), &mut problems);
        assert_eq!(problems.0.len(), 2, "{:?}", problems.0);
        assert_eq!(check_values(&ratings(&[1.0, -1e60])), Ok(()));
        let e = check_values(&ratings(&[1.0, 2.0, 3.0, -1e200])).unwrap_err();
        assert!(e.to_string().contains("-1e200 of annotator `w1`"), "{e}");
    }

    #[test]
    fn results_that_are_no_numbers_are_refused() {
        let d = ratings(&[1.0, 2.0]);
        let check = |truth: Truth| check_result("m", &d, &truth, &Annotators::None);
        let real = |value: f64, sd: f64| Truth::Real { value: vec![value], sd: vec![sd] };
        assert_eq!(check(real(1.0, f64::NAN)), Ok(()));
        assert_eq!(check(real(f64::NAN, 1.0)).unwrap_err().code(), "not-finite");
        assert!(check(real(1.0, f64::INFINITY)).is_err());
        let classes = |p: [f64; 2]| Truth::Classes { k: 2, posterior: p.to_vec() };
        assert_eq!(check(classes([0.25, 0.75])), Ok(()));
        assert!(check(classes([f64::NAN, 0.5])).is_err() && check(classes([1e-200, 1e-200])).is_err());
        let spread = Annotators::Gaussian { bias: vec![0.0], sd: vec![f64::INFINITY] };
        assert!(check_result("m", &d, &real(1.0, 1.0), &spread).is_err());
    }
}
