//! Conditional random fields from crowds.

use super::common::{TAGS, dataset, fit, illegal};
use crowdwise_contract::check_valid;
use crowdwise_core::{AnyMethod, Context, Dataset, Features, stats, stream};
use crowdwise_methods::sequences::{Aim, CrfCrowd};
use rand::RngExt;

/// Tagged sequences with noisy one-hot features; annotator 3 guesses, and the last 20 sequences have no label.
fn featured(annotators: usize) -> (Dataset, Vec<usize>) {
    let mut rng = stream(8, "featured", 0);
    let (mut rows, mut values, mut truth) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..1200 {
        let z = [0, 0, 1, 2, 2, 0, 3, 4, 0, 3][n % 10];
        truth.push(z);
        let shown = if rng.random_bool(0.75) { z } else { rng.random_range(0..5) };
        values.extend((0..5).map(|c| if c == shown { 1.0 } else { 0.0 }));
        for j in 0..annotators {
            let right = if j == 3 { 0.2 } else { 0.7 };
            let l = if rng.random_bool(right) { z } else { rng.random_range(0..5) };
            if n < 1000 {
                rows.push((n, j, TAGS[l]));
            }
        }
    }
    let mut d = dataset(1200, 10, rows);
    d.features = Some(Features { dim: 5, values, image: None });
    (d, truth)
}

#[test]
fn a_field_tags_what_nobody_labelled() {
    let (d, truth) = featured(4);
    let classes = d.table.categorical().unwrap().classes;
    for targets in [Aim::BayesSeq, Aim::DawidSkene, Aim::Votes, Aim::Mixture] {
        let f = fit(&CrfCrowd { targets, ..CrfCrowd::default() }, &d);
        check_valid(&f, &d, "featured");
        let (k, q) = f.posterior().unwrap();
        let right = |u: usize| classes.name(stats::argmax(&q[u * k..(u + 1) * k])) == TAGS[truth[u]];
        let share = (1000..1200).filter(|&u| right(u)).count() as f64 / 200.0;
        println!("{targets:?}: {share:.3} of the tokens of sequences without labels");
        // the features alone are right on 0.8 of the tokens
        assert!(share > 0.82, "{targets:?}: {share}");
        assert_eq!(illegal(&d, &f), 0);
        if targets == Aim::Mixture {
            let trust: Vec<f64> = serde_json::from_value(f.diagnostics.details["trust"].clone()).unwrap();
            assert!(trust[3] < 0.5 * trust[0], "{trust:?}");
        }
    }
}

#[test]
fn a_mixture_of_one_is_the_plain_field() {
    let (d, _) = featured(1);
    let crf = |targets| CrfCrowd { targets, inner_iter: 500, tol: 1e-7, ..CrfCrowd::default() };
    let (a, b) = (fit(&crf(Aim::Mixture), &d), fit(&crf(Aim::Votes), &d));
    let far = crowdwise_contract::worst(a.model_posterior().unwrap().1, b.model_posterior().unwrap().1);
    assert!(far < 1e-4, "{far}");
}

#[test]
fn a_field_says_what_it_lacks() {
    let (mut d, _) = featured(2);
    d.features.as_mut().unwrap().values.truncate(500);
    let refused = |d: &Dataset, m: &CrfCrowd| AnyMethod::fit(m, d, &mut Context::default()).unwrap_err().to_string();
    assert!(refused(&d, &CrfCrowd::default()).contains("100 rows of features for 1200 tokens"));
    let mut sparse = dataset(4, 2, [(0, 0, "O"), (3, 1, "B-A")]);
    sparse.features = Some(Features { dim: 1, values: vec![0.0; 4], image: None });
    let mixture = CrfCrowd { targets: Aim::Mixture, ..CrfCrowd::default() };
    assert!(refused(&sparse, &mixture).contains("no annotator labelled a sequence from beginning to end"));
}
