//! Dependent annotators and adversaries: the settings of the survey, real judges, copies.

use crate::common as sets;

use crowdwise_core::questions::{copies, panel_of_labels};
use crowdwise_core::{AnyMethod, Context, Dataset, Fit, Gold, LabelKind, TableBuilder, stats, stream};
use crowdwise_methods::classes::confusion::DawidSkene;
use crowdwise_methods::classes::groups::{
    AdversarySpectral, Dependence, DependentCrowd, Flagged, GroupAwareEm, GroupAwareVote, Groups,
};
use crowdwise_methods::classes::voting::MajorityVote;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

fn fit(m: &dyn AnyMethod, d: &Dataset) -> Fit {
    crowdwise_core::questions::reviewed(m, d, &mut Context::new(0, 2)).unwrap()
}

/// With copies counted one by one.
fn each_counted(m: &dyn AnyMethod, d: &Dataset) -> Fit {
    crowdwise_core::questions::reviewed(m, d, &mut Context::new(0, 2).with_count_copies(true)).unwrap()
}

/// Labels by item and annotator, and the truth.
struct Crowd {
    data: Dataset,
    truth: Vec<usize>,
}

impl Crowd {
    fn new(
        truth: Vec<usize>,
        annotators: usize,
        k: usize,
        mut label: impl FnMut(usize, usize) -> Option<usize>,
    ) -> Crowd {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..k).for_each(|c| _ = b.classes.intern(&c.to_string()));
        (0..annotators).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
        for i in 0..truth.len() {
            b.items.intern(&format!("i{i}"));
            for j in 0..annotators {
                if let Some(l) = label(i, j) {
                    b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
                }
            }
        }
        Crowd { data: Dataset::new(b.finish().unwrap()), truth }
    }

    /// In percent; ties are shared.
    fn accuracy(&self, f: &Fit) -> f64 {
        let (k, q) = f.posterior().unwrap();
        let credit = |(u, &t): (usize, &usize)| {
            let row = &q[u * k..(u + 1) * k];
            let best = row.iter().copied().fold(0.0, f64::max);
            if stats::tied(row[t], best) { 1.0 / stats::n_tied(row) as f64 } else { 0.0 }
        };
        100.0 * self.truth.iter().enumerate().map(credit).sum::<f64>() / self.truth.len() as f64
    }
}

fn noisy(rng: &mut ChaCha8Rng, truth: usize, right: f64, k: usize) -> usize {
    if rng.random_bool(right) { truth } else { (truth + rng.random_range(1..k)) % k }
}

/// Groups of 50, 10, 10 and 10 that are right with 0.55, 0.75, 0.75 and 0.75; members follow their group with about 0.7.
fn survey(seed: u64, items: usize) -> (Crowd, Vec<usize>) {
    let mut rng = stream(seed, "survey groups", items as u64);
    let (sizes, right) = ([50, 10, 10, 10], [0.55, 0.75, 0.75, 0.75]);
    let truth: Vec<usize> = (0..items).map(|_| rng.random_range(0..3)).collect();
    let group: Vec<usize> = (0..4).flat_map(|g| vec![g; sizes[g]]).collect();
    let z: Vec<Vec<usize>> = (0..4).map(|g| truth.iter().map(|&t| noisy(&mut rng, t, right[g], 3)).collect()).collect();
    let follow: Vec<f64> = (0..80).map(|_| rng.random_range(0.65..0.75)).collect();
    let crowd = Crowd::new(truth, 80, 3, |i, j| Some(noisy(&mut rng, z[group[j]][i], follow[j], 3)));
    (crowd, group)
}

/// Share of pairs of annotators on which two partitions agree.
fn rand_index(found: &Groups, truth: &[usize], d: &Dataset) -> f64 {
    let of = found.of_annotators(&d.table);
    let (mut same, mut all) = (0.0, 0.0);
    for a in 0..truth.len() {
        for b in 0..a {
            let together = of[a].is_some() && of[a] == of[b];
            same += f64::from(u8::from(together == (truth[a] == truth[b])));
            all += 1.0;
        }
    }
    same / all
}

#[test]
fn the_survey_setting() {
    // numpy, other random numbers, 5 seeds: majority vote 55.7, Dawid-Skene 54.7, group-aware 84.2 and 86.6
    let mut sum = [0.0; 5];
    for seed in 0..5 {
        let (crowd, group) = survey(seed, 1000);
        let labels = crowd.data.table.categorical().unwrap();
        let found = Groups::detect(&labels, None, 10, 2);
        assert!(rand_index(&found, &group, &crowd.data) >= 0.98, "{:?}", found.eigenvalues);
        let of = |m: &dyn AnyMethod| crowd.accuracy(&fit(m, &crowd.data)) / 5.0;
        sum[0] += of(&MajorityVote::default());
        sum[1] += of(&DawidSkene::default());
        sum[2] += of(&GroupAwareVote::default());
        sum[3] += of(&GroupAwareEm::default());
        sum[4] += of(&GroupAwareEm { joint: true, ..GroupAwareEm::default() });
    }
    eprintln!("MV, DS, group vote, group EM, both levels: {sum:.2?}");
    for (have, want) in sum.iter().zip([55.7, 54.7, 84.2, 86.6, 86.6]) {
        assert!((have - want).abs() < 1.5, "{sum:?}");
    }
}

#[test]
fn few_items_are_enough_to_find_the_groups() {
    for (seed, items) in [(1, 100), (2, 100), (3, 200)] {
        let (crowd, group) = survey(seed, items);
        let found = Groups::detect(&crowd.data.table.categorical().unwrap(), None, 10, 2);
        let index = rand_index(&found, &group, &crowd.data);
        assert!(index > 0.9, "{items} items: {index}, {:?}", found.eigenvalues);
    }
}

/// `per_item` of `annotators` with accuracies from 0.55 to 0.95.
fn independent(seed: u64, items: usize, annotators: usize, per_item: usize, k: usize) -> Crowd {
    let mut rng = stream(seed, "independent", items as u64);
    let skill: Vec<f64> = (0..annotators).map(|_| rng.random_range(0.55..0.95)).collect();
    let truth: Vec<usize> = (0..items).map(|_| rng.random_range(0..k)).collect();
    let share = per_item as f64 / annotators as f64;
    let z = truth.clone();
    Crowd::new(truth, annotators, k, |i, j| rng.random_bool(share).then(|| noisy(&mut rng, z[i], skill[j], k)))
}

#[test]
fn independent_annotators_are_no_group() {
    for (seed, (items, m, per, k)) in
        [(1000, 40, 40, 3), (200, 40, 40, 2), (500, 60, 5, 3), (2000, 100, 5, 2), (300, 30, 10, 4)]
            .into_iter()
            .enumerate()
    {
        let crowd = independent(seed as u64, items, m, per, k);
        let found = Groups::detect(&crowd.data.table.categorical().unwrap(), None, 10, 2);
        assert!(found.members.is_empty(), "{items} {m} {per} {k}: {:?}", found.eigenvalues);
    }
    let crowd = independent(9, 400, 20, 8, 3);
    let f = fit(&GroupAwareEm::default(), &crowd.data);
    let plain = fit(&DawidSkene::default(), &crowd.data);
    assert_eq!(f.posterior().unwrap().1, plain.posterior().unwrap().1);
    assert!(f.findings.iter().any(|x| x.code == "no-groups"));
}

#[test]
fn language_model_judges() {
    let Some((data, gold)) = sets::real_set("llmbar") else { return };
    let gold = gold.unwrap();
    let right = |f: &Fit| {
        let (k, q) = f.posterior().unwrap();
        let known = gold.classes(data.table.n_units());
        let hits =
            known.iter().enumerate().filter(|(u, c)| c.is_some_and(|c| stats::argmax(&q[u * k..][..k]) == c as usize));
        hits.count() as f64 / known.iter().flatten().count() as f64
    };
    let (vote, em) = (each_counted(&GroupAwareVote::default(), &data), each_counted(&GroupAwareEm::default(), &data));
    let panel = |f: &Fit| f.diagnostics.details["panel"]["effective"].as_f64().unwrap();
    let labels = panel_of_labels(&data).unwrap();
    eprintln!(
        "llmbar: vote {:.4}, EM {:.4}, effective judges {:.2} {:.2} (labels {:.2}) of {:.1}, {}",
        right(&vote),
        right(&em),
        panel(&vote),
        panel(&em),
        labels.effective,
        labels.judges,
        em.diagnostics.details.get("schools").map(ToString::to_string).unwrap_or_default()
    );
    assert!(right(&vote) > 0.835 && right(&em) > 0.85);
    // 130 judges are worth a handful
    assert!((2.0..12.0).contains(&panel(&em)) && labels.effective < 10.0 && labels.judges > 129.0);
    let said = em.findings.iter().find(|f| f.code == "dependent-annotators").expect("groups are reported");
    assert!(said.message.contains("independent ones"), "{}", said.message);
}

/// 20 honest annotators and 8 who flip a shared answer that is right with 0.9; all label all items.
fn colluding(seed: u64, random: usize) -> Crowd {
    let mut rng = stream(seed, "colluders", random as u64);
    let truth: Vec<usize> = (0..1000).map(|_| rng.random_range(0..2)).collect();
    let base: Vec<usize> = truth.iter().map(|&t| noisy(&mut rng, t, 0.9, 2)).collect();
    let skill: Vec<f64> = (0..20).map(|_| rng.random_range(0.6..0.9)).collect();
    let z = truth.clone();
    Crowd::new(truth, 28 + random, 2, |i, j| {
        Some(match j {
            0..20 => noisy(&mut rng, z[i], skill[j], 2),
            20..28 => noisy(&mut rng, 1 - base[i], 0.95, 2),
            _ => rng.random_range(0..2),
        })
    })
}

fn flagged(f: &Fit) -> Vec<usize> {
    let names = f.diagnostics.details["flagged"].as_array().unwrap();
    names.iter().map(|n| n.as_str().unwrap()[1..].parse().unwrap()).collect()
}

#[test]
fn colluders_are_found_and_left_out() {
    let (mut recall, mut false_flags, mut error) = (0.0, 0.0, 0.0);
    for seed in 0..10 {
        let crowd = colluding(seed, 0);
        let f = fit(&AdversarySpectral::default(), &crowd.data);
        let who = flagged(&f);
        recall += who.iter().filter(|&&j| j >= 20).count() as f64 / 80.0;
        false_flags += who.iter().filter(|&&j| j < 20).count() as f64 / 200.0;
        error += (100.0 - crowd.accuracy(&f)) / 10.0;
        assert!(f.findings.iter().any(|x| x.code == "colluder"));
        let kept = fit(&AdversarySpectral { flagged: Flagged::Keep, ..AdversarySpectral::default() }, &crowd.data);
        assert_eq!(flagged(&kept), who);
        let plain = each_counted(&DawidSkene::default(), &crowd.data);
        let far = crowdwise_contract::worst(kept.posterior().unwrap().1, plain.posterior().unwrap().1);
        assert!(far < 1e-9, "{far}");
    }
    eprintln!("recall {recall:.3}, false flags {false_flags:.3}, error {error:.2} %");
    assert!(recall > 0.999 && false_flags <= 0.03 && error <= 0.6, "{recall} {false_flags} {error}");
}

#[test]
fn random_answers_are_found() {
    let (mut recall, mut false_flags) = (0.0, 0.0);
    for seed in 0..5 {
        let who = flagged(&fit(&AdversarySpectral::default(), &colluding(seed, 6).data));
        recall += who.iter().filter(|&&j| j >= 28).count() as f64 / 30.0;
        false_flags += who.iter().filter(|&&j| j < 20).count() as f64 / 100.0;
    }
    eprintln!("guessers: recall {recall:.2}, false flags {false_flags:.2}");
    assert!(recall >= 0.9 && false_flags <= 0.05, "{recall} {false_flags}");
}

#[test]
fn copies_are_named_and_hard_items_are_no_proof() {
    let mut rng = stream(5, "copies", 0);
    let truth: Vec<usize> = (0..300).map(|_| rng.random_range(0..3)).collect();
    // everybody errs on every fifth item, which is hard
    let z = truth.clone();
    let mut said = vec![vec![0; 12]; 300];
    for i in 0..300 {
        let right = if i % 5 == 0 { 0.4 } else { 0.85 };
        for j in 0..12 {
            said[i][j] = noisy(&mut rng, z[i], right, 3);
        }
        // a11 copies a3 nine times of ten
        if rng.random_bool(0.9) {
            said[i][11] = said[i][3];
        }
    }
    let crowd = Crowd::new(truth, 12, 3, |i, j| Some(said[i][j]));
    let f = fit(&DawidSkene::default(), &crowd.data);
    let (found, tests) = copies(&crowd.data, f.posterior().unwrap().1);
    assert_eq!(tests, 66);
    assert_eq!(found.iter().map(|c| (c.a, c.b)).collect::<Vec<_>>(), [(3, 11)], "{found:?}");
    assert!(found[0].p < 1e-6 && found[0].repeated > 2.0 * found[0].chance, "{found:?}");
    let one = GroupAwareVote { groups: Some(1), ..GroupAwareVote::default() };
    let told = each_counted(&one, &crowd.data);
    let finding = told.findings.iter().find(|x| x.code == "copies").expect("told");
    assert!(finding.message.contains("a3") || finding.message.contains("a11"), "{}", finding.message);
    assert!(finding.message.contains("66 pairs"), "{}", finding.message);
}

#[test]
fn odd_tables_and_many_annotators() {
    // one class, one annotator, one item, nothing in common
    let odd = [
        Crowd::new(vec![0; 3], 2, 1, |_, _| Some(0)),
        Crowd::new(vec![0; 5], 1, 2, |i, _| Some(i % 2)),
        Crowd::new(vec![0], 6, 3, |_, j| Some(j % 3)),
        Crowd::new(vec![0; 40], 8, 2, |i, j| (i % 8 == j).then_some(i % 2)),
        Crowd::new(vec![0; 60], 7, 50, |i, j| Some((i * 7 + j * j) % 50)),
        independent(3, 4000, 3000, 6, 2),
    ];
    for crowd in &odd {
        let joint = GroupAwareEm { joint: true, ..GroupAwareEm::default() };
        for m in [
            &GroupAwareVote::default() as &dyn AnyMethod,
            &GroupAwareEm::default(),
            &joint,
            &AdversarySpectral::default(),
        ] {
            let f = fit(m, &crowd.data);
            let (k, q) = f.posterior().unwrap();
            assert!(q.chunks_exact(k).all(|r| (r.iter().sum::<f64>() - 1.0).abs() < 1e-9), "{}", m.info().id);
        }
    }
}

#[test]
fn gold_and_objective_and_any_method_inside() {
    let (crowd, _) = survey(7, 300);
    let rows: Vec<(String, String)> =
        (0..50).map(|i| (format!("i{i}"), ((crowd.truth[i] + 1) % 3).to_string())).collect();
    let gold = Gold::from_items(&crowd.data.table, &rows, "gold").unwrap();
    let data = crowd.data.clone().with_gold(gold);
    for (inside, joint) in [("dawid-skene", false), ("one-coin", true), ("majority-vote", false), ("dawid-skene", true)]
    {
        let f = fit(&GroupAwareEm { inside: inside.into(), joint, ..GroupAwareEm::default() }, &data);
        let q = f.posterior().unwrap().1;
        (0..50).for_each(|i| assert_eq!(q[i * 3 + (crowd.truth[i] + 1) % 3], 1.0));
        let o: Vec<f64> = f.diagnostics.trace.iter().filter_map(|t| t.objective).collect();
        assert!(o.len() > 2 && o.windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs()), "{o:?}");
    }
    let entry = crowdwise_methods::find("group-aware-mv").unwrap();
    let e = entry.with(&[("inside".into(), "mean".into())]).err().unwrap().to_string();
    assert!(e.contains("`inside`") && e.contains("method for classes"), "{e}");
}

#[test]
fn groups_that_are_known_are_not_looked_for() {
    let mut rng = stream(5, "known groups", 0);
    let truth: Vec<usize> = (0..300).map(|_| rng.random_range(0..2)).collect();
    // a0 to a2 share an answer that is right on 0.6 of the items, the others are their own
    let shared: Vec<usize> = truth.iter().map(|&t| noisy(&mut rng, t, 0.6, 2)).collect();
    let crowd = Crowd::new(truth.clone(), 6, 2, |i, j| {
        Some(if j < 3 { noisy(&mut rng, shared[i], 0.95, 2) } else { noisy(&mut rng, truth[i], 0.8, 2) })
    });
    let members = |names: &[(&str, &str)]| names.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
    let known = GroupAwareVote {
        members: members(&[("a0", "x"), ("a1", "x"), ("a2", "x"), ("a4", "alone")]),
        ..GroupAwareVote::default()
    };
    let f = each_counted(&known, &crowd.data);
    assert!(crowd.accuracy(&f) > crowd.accuracy(&each_counted(&MajorityVote::default(), &crowd.data)) + 5.0);
    let details = &f.diagnostics.details;
    assert_eq!(details["groups"][0]["annotators"], serde_json::json!(["a0", "a1", "a2"]));
    assert!(details["groups"].as_array().unwrap().len() == 1 && !details.contains_key("eigenvalues"));
    assert!(details["groups"][0]["correlation"].as_f64().unwrap() > 0.5);
    assert!(f.findings.iter().any(|x| x.code == "dependent-annotators" && x.message.contains("as given")));
    // those without common items have no correlation, which is not one of 0
    let apart = Crowd::new(truth.clone(), 4, 2, |i, j| (i % 2 == j % 2).then_some(truth[i]));
    let pair = GroupAwareVote { members: members(&[("a0", "x"), ("a1", "x")]), ..GroupAwareVote::default() };
    let f = fit(&pair, &apart.data);
    assert!(f.diagnostics.details["groups"][0]["correlation"].is_null());
    assert!(f.findings.iter().all(|x| !x.message.contains("correlation")), "{:?}", f.findings);
    // nobody together: as if there were no groups
    let alone = GroupAwareEm { members: members(&[("a0", "x"), ("a1", "y")]), ..GroupAwareEm::default() };
    let f = fit(&alone, &crowd.data);
    assert!(f.findings.iter().any(|x| x.code == "no-groups" && x.message.contains("no two annotators")));
    let wrong =
        GroupAwareEm { members: members(&[("a0", "x"), ("zed", "x")]), groups: Some(2), ..GroupAwareEm::default() };
    let error = wrong.fit(&crowd.data, &mut Context::new(0, 1)).unwrap_err().to_string();
    assert!(error.contains("`groups` is 2"), "{error}");
    let wrong = GroupAwareEm { groups: None, ..wrong };
    let error = wrong.fit(&crowd.data, &mut Context::new(0, 1)).unwrap_err().to_string();
    assert!(error.contains("given for `zed`") && error.contains("annotators of the data only"), "{error}");
}

/// Accuracy of a method on a crowd whose annotators depend on each other.
fn on(crowd: &DependentCrowd, seed: u64, m: &dyn AnyMethod) -> f64 {
    let drawn = crowd.draw(seed).unwrap();
    Crowd { data: drawn.data.clone(), truth: drawn.truth }.accuracy(&fit(m, &drawn.data))
}

#[test]
fn copies_do_not_decide_groups_are_not_made_up_and_sparse_data_are_left_alone() {
    let crowd = |dependence, items, annotators, classes, accuracy, share| DependentCrowd {
        dependence,
        items,
        annotators,
        classes,
        accuracy,
        share,
    };
    for seed in 0..2 {
        for d in [
            // a group of copies among ten
            crowd(Dependence::Copies(1.0), 600, 10, 4, 0.75, 1.0),
            crowd(Dependence::Copies(0.9), 600, 10, 2, 0.75, 1.0),
            // none, with two classes, with hard items, and with few labels per item
            crowd(Dependence::None, 500, 10, 2, 0.7, 1.0),
            crowd(Dependence::Difficulty, 500, 12, 3, 0.75, 0.5),
            crowd(Dependence::None, 800, 60, 4, 0.7, 0.05),
        ] {
            let plain = on(&d, seed, &DawidSkene::default());
            let (em, vote) = (on(&d, seed, &GroupAwareEm::default()), on(&d, seed, &GroupAwareVote::default()));
            assert!(em > plain - 1.0, "{d:?}: {em} against {plain}");
            assert!(vote > on(&d, seed, &MajorityVote::default()) - 1.0, "{d:?}: {vote}");
        }
    }
}

#[test]
fn families_of_judges_count_once() {
    let d = DependentCrowd {
        dependence: Dependence::Families(0.7),
        items: 1000,
        annotators: 18,
        classes: 4,
        accuracy: 0.75,
        share: 1.0,
    };
    let groups = |f: &Fit| f.diagnostics.details["groups"].as_array().unwrap().len();
    let drawn = d.draw(1).unwrap();
    assert_eq!(groups(&fit(&GroupAwareEm::default(), &drawn.data)), 3);
    let members = drawn.groups.iter().enumerate().flat_map(|(g, m)| m.iter().map(move |j| (*j, g)));
    let members = members.map(|(j, g)| (format!("a{j:02}"), g.to_string())).collect();
    let oracle = on(&d, 1, &GroupAwareEm { members, ..GroupAwareEm::default() });
    assert!(on(&d, 1, &GroupAwareEm::default()) > oracle - 0.5, "{oracle}");
}

#[test]
fn two_schools_of_like_size_are_told_and_not_decided() {
    // two halves with views of their own, equally coherent, and nobody else
    let mut rng = stream(4, "two schools", 0);
    let truth: Vec<usize> = (0..1000).map(|_| rng.random_range(0..3)).collect();
    let views: Vec<[usize; 2]> = truth.iter().map(|&t| [0, 1].map(|_| noisy(&mut rng, t, 0.75, 3))).collect();
    let crowd = Crowd::new(truth, 10, 3, |i, j| Some(noisy(&mut rng, views[i][j / 5], 0.8, 3)));
    let f = fit(&GroupAwareEm::default(), &crowd.data);
    assert!(f.findings.iter().any(|x| x.code == "two-schools"), "{:?}", f.findings);
    assert_eq!(f.posterior(), fit(&DawidSkene::default(), &crowd.data).posterior());
}
