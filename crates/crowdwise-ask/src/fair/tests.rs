use super::*;
use crowdwise_core::stream;
use rand::RngExt;
use rand_distr::{Distribution, Normal};

/// Annotators by accuracy and by how much their FPR and FNR are higher in the first of two groups.
fn biased(of: &[(f64, f64, f64)]) -> Vec<Candidate> {
    let one = |&(accuracy, fp, fnr): &(f64, f64, f64)| Candidate {
        accuracy,
        fpr: vec![0.5 + fp / 2.0, 0.5 - fp / 2.0],
        fnr: vec![0.5 + fnr / 2.0, 0.5 - fnr / 2.0],
        price: 1.0,
    };
    of.iter().map(one).collect()
}

fn limits(gap: f64, share: f64) -> Limits {
    Limits { fpr_gap: gap, fnr_gap: gap, share, price: None }
}

fn drawn(n: usize) -> Vec<Candidate> {
    let mut rng = stream(1, "fair assign", 0);
    let normal = Normal::new(0.0, 0.15).unwrap();
    let rates: Vec<_> =
        (0..n).map(|_| (rng.random_range(0.6..0.95), normal.sample(&mut rng), normal.sample(&mut rng))).collect();
    biased(&rates)
}

#[test]
fn the_smallest_possible_cap_gives_equal_shares() {
    let s = assign(&drawn(20), 2, &limits(1.0, 0.05)).unwrap();
    s.share.iter().for_each(|x| assert!((x - 0.05).abs() < 1e-9, "{x}"));
}

#[test]
fn without_limits_the_most_accurate_annotator_gets_everything() {
    let all = drawn(20);
    let s = assign(&all, 2, &limits(1.0, 1.0)).unwrap();
    let best = (0..20).max_by(|&a, &b| all[a].accuracy.total_cmp(&all[b].accuracy)).unwrap();
    assert!(s.share[best] > 1.0 - 1e-9 && (s.accuracy - all[best].accuracy).abs() < 1e-9);
}

#[test]
fn opposite_biases_cancel_as_computed_by_hand() {
    let s = assign(&biased(&[(0.9, 0.1, 0.0), (0.8, -0.3, 0.0)]), 2, &limits(0.0, 1.0)).unwrap();
    assert!((s.share[0] - 0.75).abs() < 1e-9 && (s.share[1] - 0.25).abs() < 1e-9, "{:?}", s.share);
    assert!((s.accuracy - 0.875).abs() < 1e-9 && s.fpr_gap[0] < 1e-9 && s.raised == 0.0);
}

#[test]
fn what_no_shares_can_keep_is_told_with_the_least_gap() {
    let all = biased(&[(0.9, 0.1, 0.0), (0.95, 0.3, 0.0)]);
    let s = assign(&all, 2, &Limits { fnr_gap: 1.0, ..limits(0.05, 1.0) }).unwrap();
    assert!((s.raised - 0.05).abs() < 1e-7 && (s.share[0] - 1.0).abs() < 1e-6, "{s:?}");
}

#[test]
fn looser_limits_never_cost_accuracy_and_solutions_are_basic() {
    let all = drawn(20);
    let best: Vec<f64> = [0.0, 0.005, 0.02, 0.05, 0.1, 0.5]
        .iter()
        .map(|&gap| assign(&all, 2, &limits(gap, 0.3)).unwrap().accuracy)
        .collect();
    assert!(best.windows(2).all(|w| w[1] >= w[0] - 1e-9) && best[0] < best[5] - 1e-3, "{best:?}");
    // three equations (sum, FPR, FNR) hold with three annotators
    let s = assign(&all, 2, &limits(0.0, 1.0)).unwrap();
    assert_eq!(s.share.iter().filter(|x| **x > 1e-9).count(), 3);
    assert!(s.fpr_gap[0] < 1e-7 && s.fnr_gap[0] < 1e-7);
}

/// The best over a fine grid of shares of three annotators, three groups and a price.
#[test]
fn three_groups_and_a_price_as_a_grid_search_finds_them() {
    let of =
        |accuracy: f64, fpr: [f64; 3], price: f64| Candidate { accuracy, fpr: fpr.to_vec(), fnr: vec![0.1; 3], price };
    let all = [of(0.9, [0.1, 0.3, 0.2], 3.0), of(0.8, [0.25, 0.05, 0.1], 1.0), of(0.7, [0.2, 0.2, 0.2], 1.0)];
    let want = Limits { fpr_gap: 0.05, fnr_gap: 0.05, share: 0.8, price: Some(2.0) };
    let s = assign(&all, 3, &want).unwrap();
    let mut best = 0f64;
    for a in 0..=400 {
        for b in 0..=400 - a {
            let share = [f64::from(a), f64::from(b), f64::from(400 - a - b)].map(|x| x / 400.0);
            let d = describe(&all, 3, share.to_vec(), 0.0);
            if share.iter().all(|x| *x <= 0.8) && d.fpr_gap[0] <= 0.05 + 1e-12 && d.price <= 2.0 + 1e-12 {
                best = best.max(d.accuracy);
            }
        }
    }
    assert!(s.accuracy >= best - 1e-9 && s.accuracy <= best + 2e-3, "{} {best}", s.accuracy);
    assert!(s.fpr_gap[0] <= 0.05 + 1e-7 && s.price <= 2.0 + 1e-7);
}

#[test]
fn impossible_prices_and_caps_are_refused() {
    let all = drawn(4);
    let e = assign(&all, 2, &Limits { price: Some(0.5), ..limits(1.0, 1.0) }).unwrap_err().to_string();
    assert!(e.contains("the cheapest cost 1.0000"), "{e}");
    let e = assign(&all, 2, &limits(2.0, 0.1)).unwrap_err().to_string();
    assert!(e.contains("`share` is 0.1") && e.contains("`fpr_gap` is 2"), "{e}");
}
