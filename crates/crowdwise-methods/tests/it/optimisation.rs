//! Minimax entropy, max-margin majority vote, CrowdSVM, CRH and CATD: by hand, on simulated crowds, figures on real sets.
//! Gradients, quantiles and draws are checked beside the code.

use crate::common;

use common::{accuracy, data_dir, real_set};
use crowdwise_core::stats::argmax;
use crowdwise_core::{Annotators, AnyMethod, Context, Dataset, Fit, Gold, LabelKind, TableBuilder, Truth, stream};
use crowdwise_methods::classes::optimisation::{
    Catd, Crh, CrhLoss, CrowdSvm, Distance, MaxMarginMajorityVote, MinimaxEntropy, MinimaxSearch, MinimaxVariant,
};
use crowdwise_methods::classes::voting::MajorityVote;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

fn fit(m: &dyn AnyMethod, data: &Dataset) -> Fit {
    m.fit(data, &mut Context::new(0, 2)).unwrap_or_else(|e| panic!("{}: {e}", m.info().id))
}

fn posterior(f: &Fit) -> &[f64] {
    f.posterior().unwrap().1
}

fn far(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

fn weights(f: &Fit) -> &[f64] {
    match &f.annotators {
        Annotators::Weight { weight } => weight,
        other => panic!("weights wanted, not {other:?}"),
    }
}

/// A real set without the annotators from `first` on.
fn only_first(data: &Dataset, first: usize) -> Dataset {
    let number = |r: usize| {
        let name = data.table.annotators().name(data.table.annotator()[r] as usize);
        name[1..].parse::<usize>().unwrap()
    };
    let keep: Vec<bool> = (0..data.table.n_labels()).map(|r| number(r) < first).collect();
    Dataset::new(data.table.filter_rows(|r| keep[r]))
}

fn error(m: &dyn AnyMethod, data: &Dataset, gold: &Gold) -> f64 {
    100.0 * (1.0 - accuracy(&fit(m, data), gold))
}

fn variant(variant: MinimaxVariant) -> MinimaxEntropy {
    MinimaxEntropy { variant, ..MinimaxEntropy::default() }
}

/// Errors in percent. An independent numpy program (scipy's L-BFGS): the same, where it has the variant; published 8.33 for
/// Bluebird and 7.50 for RTE. The vector variant has no reference: at most 11.2 on Bluebird.
#[test]
fn minimax_on_real_sets() {
    use MinimaxVariant::{Annotators, Categorical, Ordinal, Vector};
    type Wanted<'a> = &'a [(MinimaxVariant, f64, f64)];
    let table: [(&str, Wanted<'_>); 4] = [
        ("bluebird", &[(Categorical, 8.33, 0.01), (Annotators, 11.11, 0.01), (Vector, 9.26, 1.9)]),
        ("bluebird30", &[(Categorical, 7.41, 0.01), (Vector, 7.41, 1.9)]),
        ("rte", &[(Categorical, 7.62, 0.13), (Annotators, 7.38, 0.13)]),
        ("dog", &[(Categorical, 16.23, 0.13), (Ordinal, 16.85, 0.13), (Annotators, 15.86, 0.13)]),
    ];
    for (name, rows) in table {
        let Some((data, gold)) = real_set(name.trim_end_matches("30")) else { return };
        let data = if name == "bluebird30" { only_first(&data, 30) } else { data };
        let gold = gold.unwrap();
        for &(v, want, within) in rows {
            let have = error(&variant(v), &data, &gold);
            assert!((have - want).abs() <= within, "{name} {v:?}: {have:.2}, want {want:.2}");
        }
    }
}

/// Items integrated out, beside a numpy program of the same model (errors in percent): it holds where labels are few or
/// classes many, where the published ridges lose ten points and more, and wins where many labels show that items differ.
#[test]
fn integrated_items_hold_on_sparse_sets() {
    for (name, numpy, within, against) in [
        ("bluebird", 8.3, 1.9, 10.2),
        ("labelme", 20.0, 1.0, 23.4),
        ("music", 19.3, 1.5, 29.6),
        ("zencrowd_us", 16.3, 1.0, 17.7),
        ("weather_amt", 14.7, 1.4, 16.1),
    ] {
        let Some((data, gold)) = real_set(name) else { return };
        let have = error(&variant(MinimaxVariant::Integrated), &data, &gold.unwrap());
        eprintln!("{name}: {have:.2}, numpy {numpy}");
        assert!((have - numpy).abs() <= within, "{name}: {have:.2}, numpy {numpy}");
        assert!(have < against, "{name}: {have:.2}, to beat {against}");
    }
}

/// Ordered grades: the ordinal variant does not fall below the vote.
#[test]
fn minimax_ordinal_on_graded_sets() {
    for name in ["valence5", "relevance_s"] {
        let Some((data, gold)) = real_set(name) else { return };
        let gold = gold.unwrap();
        let (ours, vote) =
            (error(&variant(MinimaxVariant::Ordinal), &data, &gold), error(&MajorityVote::default(), &data, &gold));
        assert!(ours <= vote, "{name}: {ours:.2}, the vote {vote:.2}");
    }
}

struct Crowd {
    data: Dataset,
    truth: Vec<usize>,
    k: usize,
}

impl Crowd {
    fn right(&self, f: &Fit) -> f64 {
        let q = posterior(f);
        let hit = |(i, z): (usize, &usize)| argmax(&q[i * self.k..(i + 1) * self.k]) == *z;
        self.truth.iter().enumerate().filter(|x| hit(*x)).count() as f64 / self.truth.len() as f64
    }
}

/// Labels by a rule P(annotator j says l of item i with truth z); items and annotators in order of their numbers.
fn simulate(
    seed: u64,
    n: usize,
    m: usize,
    k: usize,
    per_item: usize,
    say: impl Fn(usize, usize, usize) -> Vec<f64>,
) -> Crowd {
    let mut rng = stream(seed, "optimisation", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..m).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    (0..k).for_each(|c| _ = b.classes.intern(&format!("c{c}")));
    let mut truth = Vec::new();
    for i in 0..n {
        let z = rng.random_range(0..k);
        truth.push(z);
        let mut who: Vec<usize> = (0..m).collect();
        for s in 0..per_item {
            who.swap(s, rng.random_range(s..m));
            let p = say(i, who[s], z);
            let mut u = rng.random::<f64>();
            let l = p
                .iter()
                .position(|p| {
                    u -= p;
                    u < 0.0
                })
                .unwrap_or(k - 1);
            b.label(&format!("i{i}"), &format!("a{}", who[s]), &format!("c{l}")).unwrap();
        }
    }
    Crowd { data: Dataset::new(b.finish().unwrap()), truth, k }
}

fn even(p: f64, k: usize, z: usize) -> Vec<f64> {
    (0..k).map(|l| if l == z { p } else { (1.0 - p) / (k - 1) as f64 }).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let cov: f64 = a.iter().zip(b).map(|(x, y)| (x - ma) * (y - mb)).sum();
    let (va, vb): (f64, f64) = (a.iter().map(|x| (x - ma).powi(2)).sum(), b.iter().map(|x| (x - mb).powi(2)).sum());
    cov / (va * vb).sqrt()
}

/// Half of the items are hard, annotators differ: difficulties and accuracies are found, more is right than by the vote. With
/// 15 labels per item the correlation of difficulties is limited by their noise.
#[test]
fn minimax_finds_difficulties_and_annotators() {
    let (n, m, k) = (400, 30, 3);
    let hard = |i: usize| i % 2 == 1;
    let skill = |j: usize| 0.95 - 0.02 * j as f64;
    let chance = move |i: usize, j: usize| if hard(i) { 0.4 * skill(j) + 0.2 } else { skill(j) };
    let c = simulate(1, n, m, k, 15, |i, j, z| even(chance(i, j), k, z));
    let vote = c.right(&fit(&MajorityVote::default(), &c.data));
    for v in [MinimaxVariant::Categorical, MinimaxVariant::Vector, MinimaxVariant::Scalar] {
        let f = fit(&variant(v), &c.data);
        assert!(c.right(&f) >= vote, "{v:?}: {} {vote}", c.right(&f));
        let difficulty = f.difficulty.as_ref().unwrap();
        assert!(difficulty.iter().all(|d| (0.0..=1.0).contains(d)));
        let want: Vec<f64> = (0..n).map(|i| f64::from(u8::from(hard(i)))).collect();
        let found = correlation(difficulty, &want);
        assert!(found > 0.5, "{v:?}: difficulties correlate {found}");
        let own: Vec<f64> = (0..m).map(|j| f.annotators.weight(j).unwrap()).collect();
        let want: Vec<f64> = (0..m).map(skill).collect();
        assert!(correlation(&own, &want) > 0.8, "{v:?}: {}", correlation(&own, &want));
    }
    assert_eq!(fit(&variant(MinimaxVariant::Annotators), &c.data).difficulty, None);
}

/// Without ridge on the annotators' side to speak of and with none of the item terms it is Dawid-Skene: confusion matrices
/// are recovered within their sampling error (1,000 labels each, 250 a class).
#[test]
fn minimax_recovers_confusion_matrices() {
    let (k, m) = (4, 12);
    let shape = |j: usize, z: usize| -> Vec<f64> {
        (0..k)
            .map(|l| {
                if l == z {
                    0.6
                } else if l == (z + j % 3 + 1) % k {
                    0.3
                } else {
                    0.05
                }
            })
            .collect()
    };
    let c = simulate(2, 1000, m, k, 12, |_, j, z| shape(j, z));
    let f = fit(&MinimaxEntropy { alpha: Some(0.1), ..variant(MinimaxVariant::Annotators) }, &c.data);
    for j in 0..m {
        let have = f.annotators.confusion(j).unwrap();
        let want: Vec<f64> = (0..k).flat_map(|z| shape(j, z)).collect();
        // four standard errors
        assert!(far(&have, &want) < 4.0 * (0.25f64 / 250.0).sqrt(), "{j}: {}", far(&have, &want));
    }
}

#[test]
fn minimax_variants_meet_where_they_should() {
    let skill = |j: usize| 0.9 - 0.03 * j as f64;
    let c = simulate(3, 150, 12, 3, 6, |_, j, z| even(skill(j), 3, z));
    let tight = |v| MinimaxEntropy { tol: 1e-8, max_iter: 500, inner_iter: 200, inner_tol: 1e-9, ..variant(v) };
    // item terms that cost too much are none
    let costly = MinimaxEntropy { beta: Some(1e9), ..tight(MinimaxVariant::Categorical) };
    let (a, b) = (fit(&costly, &c.data), fit(&tight(MinimaxVariant::Annotators), &c.data));
    assert!(far(posterior(&a), posterior(&b)) < 1e-6);
    // two classes: thresholds are a matrix, but for the metric of the ridge
    let two = simulate(4, 150, 12, 2, 6, |_, j, z| even(skill(j), 2, z));
    let (a, b) = (fit(&tight(MinimaxVariant::Categorical), &two.data), fit(&tight(MinimaxVariant::Ordinal), &two.data));
    assert!(far(posterior(&a), posterior(&b)) < 0.02, "{}", far(posterior(&a), posterior(&b)));
    // both searches end in the same place
    let turns = MinimaxEntropy { search: MinimaxSearch::Alternating, ..tight(MinimaxVariant::Categorical) };
    let (a, b) = (fit(&turns, &c.data), fit(&tight(MinimaxVariant::Categorical), &c.data));
    assert!(far(posterior(&a), posterior(&b)) < 1e-4, "{}", far(posterior(&a), posterior(&b)));
    // cross-validation says what it tried
    let f = fit(&MinimaxEntropy { folds: 3, ..MinimaxEntropy::default() }, &c.data);
    let tried = f.diagnostics.details["held_out_log_likelihood"].as_array().unwrap();
    let best =
        tried.iter().max_by(|a, b| a["value"].as_f64().unwrap().total_cmp(&b["value"].as_f64().unwrap())).unwrap();
    assert_eq!((tried.len(), &best["gamma"]), (5, &f.diagnostics.details["gamma"]));
}

/// Errors in percent on real sets: at most those of the catalogue; the hinge objective never rises.
#[test]
fn max_margin_on_real_sets() {
    for (name, most) in [("rte", 9.5), ("dog", 17.5), ("bluebird", 24.08)] {
        let Some((data, gold)) = real_set(name) else { return };
        let f = fit(&MaxMarginMajorityVote::default(), &data);
        let have = 100.0 * (1.0 - accuracy(&f, &gold.unwrap()));
        assert!(have <= most, "{name}: {have:.2}");
        let values: Vec<f64> = f.diagnostics.trace.iter().map(|t| t.objective.unwrap()).collect();
        assert!(values.windows(2).all(|w| w[1] >= w[0]), "{name}: {values:?}");
    }
}

/// One item, two against one: the minimum is known. With y = c0 the margin is missed while w0 + w1 - w2 < 3, and the
/// gradient w/v - 2C (1, 1, -1) vanishes at w = 2C v (1, 1, -1) = (0.5, 0.5, -0.5).
#[test]
fn max_margin_of_one_item() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (j, l) in [("p", "c0"), ("q", "c0"), ("r", "c1")] {
        b.label("x", j, l).unwrap();
    }
    let data = Dataset::new(b.finish().unwrap());
    let f = fit(&MaxMarginMajorityVote { inner_iter: 2000, ..MaxMarginMajorityVote::default() }, &data);
    // the search ends when steps gain next to nothing
    assert!(far(weights(&f), &[0.5, 0.5, -0.5]) < 0.01, "{:?}", weights(&f));
    // objective 0.375 + 0.5 (3 - 1.5)
    assert!((f.diagnostics.objective.as_ref().unwrap().value + 1.125).abs() < 1e-4);
    // the lead is 1.5: ln odds 0.5 ((3 + 1.5) - (3 - 1.5))
    assert!((posterior(&f)[0] - 1.0 / (1.0 + (-1.5f64).exp())).abs() < 0.01);
}

/// Half of the annotators guess: margins and sampling find the others.
#[test]
fn margins_find_the_guessers() {
    let k = 3;
    let c = simulate(5, 600, 20, k, 7, |_, j, z| even(if j < 10 { 0.8 } else { 1.0 / 3.0 }, k, z));
    let vote = c.right(&fit(&MajorityVote::default(), &c.data));
    let f = fit(&MaxMarginMajorityVote::default(), &c.data);
    let w = weights(&f);
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    assert!(mean(&w[..10]) > 2.0 * mean(&w[10..]).abs(), "{w:?}");
    assert!(c.right(&f) > vote + 0.03, "{} {vote}", c.right(&f));
    let f = fit(&CrowdSvm::default(), &c.data);
    assert!(c.right(&f) > vote + 0.05, "{} {vote}", c.right(&f));
    let accuracy: Vec<f64> = (0..20).map(|j| f.annotators.weight(j).unwrap()).collect();
    assert!((mean(&accuracy[..10]) - 0.8).abs() < 0.04 && (mean(&accuracy[10..]) - 0.333).abs() < 0.04, "{accuracy:?}");
    let own: Vec<f64> = serde_json::from_value(f.diagnostics.details["weight"].clone()).unwrap();
    assert!(mean(&own[..10]) > 2.0 * mean(&own[10..]).abs(), "{own:?}");
    // without confusion matrices it is the margin alone
    let f = fit(&CrowdSvm { confusion: false, ..CrowdSvm::default() }, &c.data);
    assert!(c.right(&f) > vote + 0.03, "{} {vote}", c.right(&f));
}

/// Errors in percent of an independent numpy program (three seeds): 7.42, 16.11, 11.73; the paper has 7.99 on another set.
#[test]
fn crowd_svm_on_real_sets() {
    for (name, want, within) in [("rte", 7.4, 0.4), ("dog", 16.1, 0.5), ("bluebird", 11.0, 1.9)] {
        let Some((data, gold)) = real_set(name) else { return };
        let have = error(&CrowdSvm::default(), &data, &gold.unwrap());
        assert!((have - want).abs() <= within, "{name}: {have:.2}, want {want:.2}");
    }
}

/// Errors in percent. CRH with mean losses 21.3, 7.5, 17.2 and CATD with half an error more 7.00, 17.47, 8.92 in independent
/// numpy programs; ties are shared here and go to the first class there.
#[test]
fn losses_on_real_sets() {
    for (name, crh, catd) in [
        ("bluebird", Some(21.30), None),
        ("rte", Some(7.50), Some(7.00)),
        ("dog", Some(17.2), Some(17.47)),
        ("zencrowd_us", None, Some(8.92)),
    ] {
        let Some((data, gold)) = real_set(name) else { return };
        let gold = gold.unwrap();
        let check = |m: &dyn AnyMethod, want: Option<f64>| {
            let have = error(m, &data, &gold);
            assert!(want.is_none_or(|w| (have - w).abs() <= 0.25), "{name} {}: {have:.2}, want {want:?}", m.info().id);
        };
        check(&Crh::default(), crh);
        check(&Catd::default(), catd);
    }
}

/// Published form: weights satisfy Σ exp(-w) = 1.
#[test]
fn crh_keeps_its_constraint() {
    let c = simulate(6, 200, 10, 3, 5, |_, j, z| even(0.9 - 0.05 * j as f64, 3, z));
    let f = fit(&Crh { loss: CrhLoss::Sum, ..Crh::default() }, &c.data);
    let sum: f64 = weights(&f).iter().map(|w| (-w).exp()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
}

/// 500 items, five labels each; accuracies from 0.95 down to 0.35: the weights follow them, and more is right than by the
/// vote. With a long tail of annotators with few labels CATD gives those little weight, however faultless.
#[test]
fn losses_find_good_annotators() {
    let skill = |j: usize| 0.95 - 0.03 * j as f64;
    let c = simulate(7, 500, 20, 4, 5, |_, j, z| even(skill(j), 4, z));
    let vote = c.right(&fit(&MajorityVote::default(), &c.data));
    let want: Vec<f64> = (0..20).map(skill).collect();
    let methods: [&dyn AnyMethod; 2] = [&Crh::default(), &Catd::default()];
    for m in methods {
        let f = fit(m, &c.data);
        assert!(c.right(&f) > vote + 0.005, "{}: {} {vote}", m.info().id, c.right(&f));
        // CATD's weights are inverse losses: one who hardly errs stands far above all others
        let scale = |w: &f64| if m.info().id == "catd" { w.ln() } else { *w };
        let own: Vec<f64> = weights(&f).iter().map(scale).collect();
        assert!(correlation(&own, &want) > 0.8, "{}: {:?}", m.info().id, weights(&f));
    }
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..60 {
        for j in 0..4 {
            let l = if (i * 7 + j * 5) % 9 == 0 { 1 - i % 2 } else { i % 2 };
            b.label(&format!("i{i}"), &format!("busy{j}"), &l.to_string()).unwrap();
        }
    }
    b.label("i0", "once", "0").unwrap();
    let data = Dataset::new(b.finish().unwrap());
    let f = fit(&Catd::default(), &data);
    let w = |name: &str| weights(&f)[data.table.annotators().get(name).unwrap() as usize];
    assert!((0..4).all(|j| w("once") < 0.01 * w(&format!("busy{j}"))), "{:?}", weights(&f));
}

/// A real-valued set and its truth by item, or `None`, said loudly.
fn values(name: &str) -> Option<(Dataset, Vec<f64>)> {
    let dir = data_dir().join(name);
    let read = |file: &str| std::fs::read_to_string(dir.join(file)).ok();
    let (Some(answers), Some(truth)) = (read("answers.csv"), read("truth.csv")) else {
        eprintln!("SKIPPED: no dataset {name} in {}", dir.display());
        return None;
    };
    let mut b = TableBuilder::new(LabelKind::Real);
    for line in answers.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        b.value(f[0], f[1], f[2].parse().unwrap());
    }
    let data = Dataset::new(b.finish().unwrap());
    let mut by_item = vec![f64::NAN; data.table.n_items()];
    for line in truth.lines().skip(1) {
        let (item, value) = line.split_once(',').unwrap();
        if let Some(u) = data.table.items().get(item) {
            by_item[u as usize] = value.parse().unwrap();
        }
    }
    Some((data, by_item))
}

fn estimates(f: &Fit) -> (&[f64], &[f64]) {
    match &f.truth {
        Truth::Real { value, sd } => (value, sd),
        other => panic!("values wanted, not {other:?}"),
    }
}

fn rmse(f: &Fit, truth: &[f64]) -> f64 {
    let known: Vec<f64> =
        estimates(f).0.iter().zip(truth).filter(|(_, t)| !t.is_nan()).map(|(v, t)| (v - t).powi(2)).collect();
    (known.iter().sum::<f64>() / known.len() as f64).sqrt()
}

/// Root mean squared errors of an independent numpy program.
#[test]
fn values_of_real_sets() {
    for (name, catd, crh) in [("dots_guess", 7.49, 8.59), ("emotion", 16.04, 19.69), ("valence", 39.25, 35.72)] {
        let Some((data, truth)) = values(name) else { return };
        for (m, want) in [(&Catd::default() as &dyn AnyMethod, catd), (&Crh::default(), crh)] {
            let have = rmse(&fit(m, &data), &truth);
            assert!((have - want).abs() < 0.02 * want, "{name} {}: {have:.2}, want {want:.2}", m.info().id);
        }
    }
}

/// 500 items, five values each by annotators with variances 0.1, 1 or 10 (mean 0.70, median 0.34, CATD 0.165 with a standard deviation of
/// 0.042 between seeds in numpy); weights
/// follow precision, standard errors cover.
#[test]
fn precise_annotators_are_found_by_their_values() {
    let (mut catd, mut crh, mut squared, mut inside, mut all) = (0.0, 0.0, 0.0, 0, 0);
    for seed in 0..5 {
        let mut rng = stream(seed, "values", 0);
        let mut normal = |s: f64| -> f64 {
            let z: f64 = StandardNormal.sample(&mut rng);
            s * z
        };
        let mut pick = stream(seed, "who", 0);
        let sd: Vec<f64> = (0..50).map(|_| [0.1f64, 1.0, 10.0][pick.random_range(0..3)].sqrt()).collect();
        let mut b = TableBuilder::new(LabelKind::Real);
        let mut truth = Vec::new();
        for i in 0..500 {
            let y = normal(3.0);
            truth.push(y);
            let mut who: Vec<usize> = (0..50).collect();
            for s in 0..5 {
                who.swap(s, pick.random_range(s..50));
                b.value(&format!("i{i}"), &format!("a{}", who[s]), y + normal(sd[who[s]]));
            }
        }
        let data = Dataset::new(b.finish().unwrap());
        let f = fit(&Catd::default(), &data);
        catd += rmse(&f, &truth).powi(2) / 5.0;
        let (value, error) = estimates(&f);
        for ((v, e), t) in value.iter().zip(error).zip(&truth) {
            assert!(e.is_finite() && *e > 0.0);
            inside += usize::from((v - t).abs() < 1.645 * e);
            all += 1;
        }
        crh += rmse(&fit(&Crh::default(), &data), &truth).powi(2) / 5.0;
        let mean = Crh { distance: Distance::Squared, ..Crh::default() };
        squared += rmse(&fit(&mean, &data), &truth).powi(2) / 5.0;
    }
    assert!(catd < 0.25 && crh < 0.34 && squared < 0.5, "{catd} {crh} {squared}");
    // the estimates hold the annotators' own values, so that the errors are a little small
    let covered = inside as f64 / all as f64;
    assert!((0.75..0.97).contains(&covered), "{covered}");
}

/// Known values and unlabelled items.
#[test]
fn known_values_are_kept() {
    let mut b = TableBuilder::new(LabelKind::Real);
    for (i, j, v) in [("x", "p", 1.0), ("x", "q", 5.0), ("y", "p", 2.0), ("y", "q", 9.0), ("z", "q", 4.0)] {
        b.value(i, j, v);
    }
    let mut data = Dataset::new(b.finish().unwrap());
    data.table.add_items(["nobody"]);
    let gold = Gold::from_items(&data.table, &[("x".into(), "1".into())], "gold").unwrap();
    let data = data.with_gold(gold);
    for m in [&Crh::default() as &dyn AnyMethod, &Catd::default()] {
        let f = fit(m, &data);
        let (value, sd) = estimates(&f);
        assert_eq!((value[0], sd[0]), (1.0, 0.0), "{}", m.info().id);
        assert!(value[3].is_nan() && value[1] < 5.5, "{}: {value:?}", m.info().id);
    }
}

/// Gold items inform annotators: two liars whom gold unmasks lose to one who knows.
#[test]
fn gold_informs_the_weights() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..60 {
        for j in 0..3 {
            let l = if j == 0 { i % 2 } else { 1 - i % 2 };
            b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
        }
    }
    let data = Dataset::new(b.finish().unwrap());
    let known: Vec<(String, String)> = (0..50).map(|i| (format!("i{i}"), format!("c{}", i % 2))).collect();
    let gold = Gold::from_items(&data.table, &known, "gold").unwrap();
    let data = data.with_gold(gold);
    let methods: [&dyn AnyMethod; 5] = [
        &MinimaxEntropy::default(),
        &MaxMarginMajorityVote::default(),
        &CrowdSvm::default(),
        &Crh::default(),
        &Catd::default(),
    ];
    for m in methods {
        let f = fit(m, &data);
        let right = (0..60).filter(|i| posterior(&f)[i * 2 + i % 2] > 0.5).count();
        assert_eq!(right, 60, "{}", m.info().id);
    }
}
