//! What a fit must be whatever the data: every number that it holds is one, and what is a probability lies between 0 and 1.

use crowdwise_core::{Annotators, Dataset, Fit, Stop, Truth, questions};

/// Panics with the method and `what` if anything in the fit, or in what the questions make of it, is not a sound number.
pub fn sound(f: &Fit, d: &Dataset, what: &str) {
    let id = &f.provenance.method;
    let at = |part: &str| format!("{id}: {what}: {part}");
    let units = d.table.n_units();
    match &f.truth {
        Truth::Classes { k, posterior } => {
            assert_eq!(posterior.len(), units * k, "{}", at("posterior"));
            posterior.chunks_exact((*k).max(1)).for_each(|row| distribution(row, &at("posterior")));
        }
        Truth::Real { value, sd } => {
            assert_eq!((value.len(), sd.len()), (units, units), "{}", at("sizes"));
            for u in 0..units {
                // of a unit without labels nothing is known, unless it has features
                let known = d.table.degree(u) > 0 || id == "crowd-regression";
                assert_eq!(value[u].is_finite(), known, "{} {u} is {}", at("value"), value[u]);
                assert!(sd[u].is_nan() || sd[u] >= 0.0, "{} {u} is {}", at("sd"), sd[u]);
            }
        }
        Truth::Clusters { cluster, confidence, same } => {
            assert_eq!((cluster.len(), same.len()), (d.table.n_items(), units), "{}", at("sizes"));
            for p in confidence.iter().chain(same) {
                assert!((0.0..=1.0).contains(p), "{} {p}", at("probability"));
            }
        }
        Truth::Scores { score, interval, .. } => {
            for (s, [low, high]) in score.iter().zip(interval) {
                assert!(low <= s && s <= high, "{} {s} [{low}, {high}]", at("score"));
            }
        }
    }
    annotators(&f.annotators, d.table.n_annotators(), &at("annotators"));
    if let Some(prior) = &f.class_prior {
        distribution(prior, &at("class prior"));
    }
    if let Some(difficulty) = &f.difficulty {
        assert!(difficulty.len() == units && difficulty.iter().all(|x| x.is_finite()), "{}", at("difficulty"));
    }
    assert!(f.diagnostics.stop != Stop::NotFinite, "{}", at("stop"));
    assert!(f.diagnostics.objective.as_ref().is_none_or(|o| o.value.is_finite()), "{}", at("objective"));
    for finding in &f.findings {
        let text = format!("{} {}", finding.message, finding.advice);
        assert!(!text.contains("NaN") && !text.contains("inf "), "{}", at(&text));
        if let Some(s) = &finding.statistic {
            let numbers = [s.value, s.interval[0], s.interval[1], s.se.unwrap_or(0.0)];
            assert!(numbers.iter().all(|x| x.is_finite()), "{} {s:?}", at(&finding.code));
            assert!(s.interval[0] <= s.value && s.value <= s.interval[1], "{} {s:?}", at(&finding.code));
        }
    }
    if d.table.n_annotators() <= 1000 {
        for row in questions::annotators(d, f) {
            assert!(row.accuracy.is_none_or(f64::is_finite), "{}", at("table of annotators"));
        }
    }
}

fn distribution(row: &[f64], what: &str) {
    let sum: f64 = row.iter().sum();
    assert!((sum - 1.0).abs() < 1e-9, "{what}: {row:?} sums to {sum}");
    assert!(row.iter().all(|p| (0.0..=1.0 + 1e-12).contains(p)), "{what}: {row:?}");
}

fn annotators(a: &Annotators, m: usize, what: &str) {
    assert!(a.is_empty() || a.len() == m, "{what}: {} of {m}", a.len());
    let share = |x: &f64| (-1e-12..=1.0 + 1e-12).contains(x);
    match a {
        Annotators::None => {}
        Annotators::Weight { weight } => assert!(weight.iter().all(|x| x.is_finite()), "{what}"),
        Annotators::Accuracy { accuracy, .. } | Annotators::ClassAccuracy { accuracy, .. } => {
            assert!(accuracy.iter().all(share), "{what}: {:?}", accuracy.iter().find(|x| !share(x)));
        }
        Annotators::Confusion { k, matrix } => {
            assert_eq!(matrix.len(), m * k * k, "{what}");
            matrix.chunks_exact((*k).max(1)).for_each(|row| distribution(row, what));
        }
        Annotators::Competence { k, competence, strategy } => {
            assert!(competence.iter().all(share), "{what}");
            strategy.chunks_exact((*k).max(1)).for_each(|row| distribution(row, what));
        }
        Annotators::Ability { ability, typical_ease, .. } => {
            assert!(ability.iter().all(|x| x.is_finite()) && typical_ease.is_finite(), "{what}");
        }
        Annotators::Gaussian { bias, sd } => {
            assert!(bias.iter().all(|x| x.is_finite()), "{what}: bias");
            assert!(sd.iter().all(|x| x.is_nan() || *x >= 0.0), "{what}: sd {sd:?}");
        }
    }
}
