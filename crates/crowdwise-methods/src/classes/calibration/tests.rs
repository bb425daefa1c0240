//! Monotone in evidence, exact, without a ceiling; and what the rehearsal finds on simulated crowds.

use super::*;
use rand::RngExt;

/// Evidence of labels one after the other: log-odds of class 0 against each other class.
fn weighed(prior: &[f64], labels: &[Vec<f64>]) -> Weighed {
    let k = prior.len();
    let mut score: Vec<f64> = prior.to_vec();
    labels.iter().for_each(|l| score.iter_mut().zip(l).for_each(|(s, x)| *s += x));
    let mut w = Weighed::new(k);
    w.top = (0..k).fold(0, |a, b| if score[b] > score[a] { b } else { a });
    for c in 0..k {
        w.lead[c] = score[w.top] - score[c];
        for row in std::iter::once(prior).chain(labels.iter().map(Vec::as_slice)) {
            let d: f64 = row[w.top] - row[c];
            w.total[c] += d.abs();
            w.squares[c] += d * d;
        }
    }
    w
}

/// A label of an annotator with this confusion matrix who said `l`: its log column.
fn said(matrix: &[Vec<f64>], l: usize) -> Vec<f64> {
    matrix.iter().map(|row| row[l].ln()).collect()
}

#[test]
fn one_more_label_that_agrees_never_lowers_the_probability() {
    let mut rng = crowdwise_core::stream(7, "monotone", 0);
    for trial in 0..3000 {
        let k = 2 + trial % 5;
        let mut draw = |n: usize| -> Vec<f64> {
            let x: Vec<f64> = (0..n).map(|_| -(rng.random::<f64>().max(1e-12)).ln()).collect();
            let sum: f64 = x.iter().sum();
            x.iter().map(|x| x / sum).collect()
        };
        let prior: Vec<f64> = draw(k).iter().map(|p| p.ln()).collect();
        let matrices: Vec<Vec<Vec<f64>>> = (0..=(trial % 9)).map(|_| (0..k).map(|_| draw(k)).collect()).collect();
        let labels: Vec<Vec<f64>> = matrices.iter().map(|m| said(m, trial % k)).collect();
        let before = weighed(&prior, &labels);
        // says the most probable class more often if it is true than if any other is
        let mut more: Vec<f64> = draw(k).iter().map(|p| 0.9 * p).collect();
        let best = more.iter().copied().fold(0.0, f64::max);
        more[before.top] = best * 1.05 + 1e-9;
        let mut longer = labels.clone();
        longer.push(more.iter().map(|p| p.ln()).collect());
        let after = weighed(&prior, &longer);
        for (shared, overfit, gold) in [(0.0, 1.0, 1.0), (1.0, 1.0, 1.0), (0.4, 0.3, 1.0), (0.7, 0.9, 0.5)] {
            let s = Strength { overfit, shared, gold, items_differ: trial % 2 == 1 };
            let (mut p, mut q) = (vec![0.0; k], vec![0.0; k]);
            s.probabilities(&before, &mut p);
            s.probabilities(&after, &mut q);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && (q.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(q[before.top] >= p[before.top] - 1e-12, "trial {trial}: {p:?} then {q:?}");
        }
    }
}

#[test]
fn certainty_has_no_ceiling() {
    // unanimous labels of annotators who are right in 80 of 100 cases, ten classes, errors shared for sure
    let k = 10;
    let matrix: Vec<Vec<f64>> =
        (0..k).map(|z| (0..k).map(|l| if z == l { 0.8 } else { 0.2 / 9.0 }).collect()).collect();
    let prior = vec![0.1f64.ln(); k];
    let mut last = 0.0;
    for n in [1, 2, 5, 12, 50, 400, 3000] {
        let w = weighed(&prior, &vec![said(&matrix, 3); n]);
        let mut p = vec![0.0; k];
        Strength { overfit: 1.0, shared: 1.0, gold: 1.0, items_differ: false }.probabilities(&w, &mut p);
        assert!(p[3] > last, "{n}: {} after {last}", p[3]);
        last = p[3];
    }
    assert!(last > 0.999, "{last}");
    // independent errors: exactly the posterior, however sure
    let w = weighed(&prior, &vec![said(&matrix, 3); 12]);
    let mut p = vec![0.0; k];
    Strength { overfit: 1.0, shared: 0.0, gold: 1.0, items_differ: false }.probabilities(&w, &mut p);
    let odds = (0.8f64 / (0.2 / 9.0)).ln() * 12.0;
    assert!(((1.0 - p[3]) / (9.0 * (-odds).exp()) - 1.0).abs() < 1e-2 || p[3] == 1.0, "{}", 1.0 - p[3]);
}

#[test]
fn known_classes_settle_how_sure_to_be() {
    // 90 % said, 60 % right
    let known: Vec<(usize, Vec<f64>)> = (0..200).map(|i| (usize::from(i % 10 >= 6), vec![0.9, 0.1])).collect();
    let mut s = Strength { overfit: 1.0, shared: 0.0, gold: 1.0, items_differ: false };
    s.learn(&known[..19]);
    assert_eq!(s.gold, 1.0, "too few");
    s.learn(&known);
    let mut row = vec![0.0; 2];
    let mut w = Weighed::new(2);
    w.read_posterior(&[0.9, 0.1], 5);
    s.probabilities(&w, &mut row);
    assert!((row[0] - 0.6).abs() < 0.03, "{row:?}");
    // with twenty the prior still counts
    let mut few = Strength { overfit: 1.0, shared: 0.0, gold: 1.0, items_differ: false };
    few.learn(&known[..20]);
    assert!(few.gold > s.gold && few.gold < 1.0, "{few:?} {s:?}");
}
