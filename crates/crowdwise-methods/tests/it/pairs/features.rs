//! Methods that learn from features: scores (pref-e2e) and clusters (sim-logistic, sim-volmax).

use super::common::{correlation, fit, scores, sigma};
use crowdwise_core::{Annotators, Dataset, Features, Fit, LabelKind, Preference, TableBuilder, Truth, stream};
use crowdwise_methods::comparisons::{CrowdBradleyTerry, PrefE2e};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

fn normal(rng: &mut impl rand::Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// 300 items with 10 features, linear scores, 30 annotators of whom 30 % reverse and 21 % guess, 1500 comparisons: the
/// correlation of scores of new items is at least .98 (plain loss .84), that of reliabilities above .95.
#[test]
fn linear_scores_are_learned_from_unreliable_comparisons() {
    let (mut plain, mut learned, mut without, mut w_r) = (0.0, 0.0, 0.0, 0.0);
    for seed in 0..3 {
        let mut rng = stream(seed, "features of pairs", 0);
        let theta: Vec<f64> = (0..10).map(|_| normal(&mut rng)).collect();
        let score = |x: &[f32]| x.iter().zip(&theta).map(|(x, t)| f64::from(*x) * t).sum::<f64>();
        let values: Vec<f32> = (0..3000).map(|_| normal(&mut rng) as f32).collect();
        let w: Vec<f64> = (0..30)
            .map(|_| match (rng.random::<f64>(), rng.random::<f64>()) {
                (u, _) if u < 0.3 => 0.1,
                (_, v) if v < 0.3 => 0.5,
                _ => 0.95,
            })
            .collect();
        let mut b = TableBuilder::new(LabelKind::Preference);
        (0..300).for_each(|i| _ = b.items.intern(&format!("i{i}")));
        (0..30).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
        let truth: Vec<f64> = values.chunks_exact(10).map(score).collect();
        for _ in 0..1500 {
            let l = rng.random_range(0..300);
            let r = (l + rng.random_range(1..300)) % 300;
            let j = rng.random_range(0..30);
            let left = (rng.random::<f64>() < sigma(truth[l] - truth[r])) == (rng.random::<f64>() < w[j]);
            let said = if left { Preference::Left } else { Preference::Right };
            b.preference(&format!("i{l}"), &format!("i{r}"), &format!("a{j}"), said);
        }
        let mut data = Dataset::new(b.finish().unwrap());
        let crowd = fit(&CrowdBradleyTerry::default(), &data);
        data.features = Some(Features { dim: 10, values, image: None });
        let f = fit(&PrefE2e::default(), &data);
        let p = fit(&PrefE2e { learn_reliability: false, ..PrefE2e::default() }, &data);
        let new: Vec<f32> = (0..5000).map(|_| normal(&mut rng) as f32).collect();
        let want: Vec<f64> = new.chunks_exact(10).map(score).collect();
        let by = |f: &Fit| {
            let weights: Vec<f64> =
                f.diagnostics.details["weights"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
            let have: Vec<f64> =
                new.chunks_exact(10).map(|x| x.iter().zip(&weights).map(|(x, w)| f64::from(*x) * w).sum()).collect();
            correlation(&have, &want) / 3.0
        };
        plain += by(&p);
        learned += by(&f);
        without += correlation(scores(&crowd), &truth) / 3.0;
        let Annotators::Accuracy { accuracy, .. } = &f.annotators else { panic!("accuracies wanted") };
        w_r += correlation(accuracy, &w) / 3.0;
        let Truth::Scores { interval, score, .. } = &f.truth else { panic!("scores wanted") };
        let width = interval.iter().map(|i| i[1] - i[0]).sum::<f64>() / 300.0;
        assert!(
            score.iter().zip(interval).all(|(s, i)| i[0] < *s && *s < i[1]) && (0.3..4.0).contains(&width),
            "{width}"
        );
    }
    assert!(learned >= 0.98 && w_r > 0.95, "learned {learned}, reliabilities {w_r}");
    assert!(plain < learned - 0.05 && without < learned - 0.1, "plain {plain}, without features {without}");
}
