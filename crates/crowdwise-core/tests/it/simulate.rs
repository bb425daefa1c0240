//! Simulated data has the properties that were asked for.

use crowdwise_core::simulate::{Assignment, Block, Role, SimLabel, SimModel, SimRow, Simulation, Simulator};
use crowdwise_core::{Error, GoldValues, Structure};
use proptest::prelude::*;

const MODELS: [SimModel; 10] = [
    SimModel::DawidSkene,
    SimModel::OneCoin,
    SimModel::ConfusionVector,
    SimModel::SpammerHammer,
    SimModel::Mace,
    SimModel::Glad,
    SimModel::Real,
    SimModel::BradleyTerry,
    SimModel::Sequences,
    SimModel::Similarities,
];

/// Rows, truth, chains and features.
type Everything = (Vec<SimRow>, Vec<SimLabel>, Vec<(u32, u32)>, Vec<f32>);

fn everything(s: &Simulation, seed: u64, size: usize) -> Everything {
    let mut sim = Simulator::new(s, seed).unwrap();
    let mut block = Block::new(size);
    let mut out = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut units = 0;
    while sim.next_block(&mut block) {
        assert_eq!(block.first, units);
        units += (s.units() - units).min(size as u64);
        out.0.extend_from_slice(&block.rows);
        out.1.extend_from_slice(&block.truth);
        out.2.extend_from_slice(&block.chain);
        out.3.extend_from_slice(&block.features);
    }
    assert_eq!(units, s.units());
    assert!(!sim.next_block(&mut block) && block.rows.is_empty());
    out
}

fn busy(model: SimModel) -> Simulation {
    Simulation {
        model,
        items: 200,
        annotators: 30,
        per_item: 4,
        spammers: 0.1,
        adversaries: 0.1,
        copy_groups: 2,
        zipf: 0.7,
        imbalance: 2.0,
        pairs: 150,
        features: if model.uses("features") { 3 } else { 0 },
        ..Simulation::default()
    }
}

#[test]
fn the_size_of_blocks_changes_nothing_and_the_seed_everything() {
    for model in MODELS {
        let s = busy(model);
        let one = everything(&s, 5, 1);
        assert_eq!(one, everything(&s, 5, 64), "{model:?}");
        assert_eq!(one, everything(&s, 5, 100_000), "{model:?}");
        assert_ne!(one.0, everything(&s, 6, 64).0, "{model:?}");
        assert_eq!(one.0.len() as u64, s.units() * 4);
        assert!(one.0.iter().all(|r| (r.item as u64) < s.items && (r.annotator as usize) < s.annotators));
    }
}

#[test]
fn datasets_have_the_rows_of_the_blocks() {
    for model in MODELS {
        let s = busy(model);
        let (rows, truth, chain, features) = everything(&s, 5, 64);
        let (data, gold) = Simulator::new(&s, 5).unwrap().dataset().unwrap();
        assert_eq!(data.table.n_labels(), rows.len(), "{model:?}");
        assert_eq!(data.table.annotators().name(29), "a29");
        match (&gold.values, model) {
            (GoldValues::Classes(g), _) => {
                let want: Vec<SimLabel> = g.iter().map(|x| SimLabel::Class(x.1)).collect();
                assert_eq!((want, data.table.n_classes()), (truth, 3));
                // rows of a table are in item order and then annotator order, as they were made
                let codes = data.table.categorical().unwrap().codes;
                assert!(rows.iter().enumerate().all(|(r, x)| x.label == SimLabel::Class(codes.get(r) as u32)));
            }
            (GoldValues::Scores(g), SimModel::BradleyTerry) | (GoldValues::Real(g), SimModel::Real) => {
                assert_eq!(g.len(), 200);
            }
            (GoldValues::Clusters(g), SimModel::Similarities) => assert_eq!(g.len(), 200),
            _ => panic!("{model:?}"),
        }
        assert_eq!(data.features.is_some(), !features.is_empty());
        if let Structure::Chains { starts, names } = &data.structure {
            assert_eq!(starts.len(), names.len() + 1);
            assert_eq!(chain.iter().filter(|c| c.1 == 0).count(), names.len());
            assert!(starts.windows(2).all(|w| w[0] < w[1]) && *starts.last().unwrap() == 200);
        } else {
            assert_ne!(model, SimModel::Sequences);
        }
    }
}

#[test]
fn labels_follow_the_confusion_matrices() {
    for model in [SimModel::DawidSkene, SimModel::Mace, SimModel::SpammerHammer] {
        let s =
            Simulation { model, items: 30_000, annotators: 4, per_item: 2, spammers: 0.25, ..Simulation::default() };
        let (rows, truth, ..) = everything(&s, 3, 4096);
        let sim = Simulator::new(&s, 3).unwrap();
        let mut counts = vec![[[0.0; 3]; 3]; 4];
        for r in &rows {
            let (SimLabel::Class(t), SimLabel::Class(l)) = (truth[r.item as usize], r.label) else { panic!() };
            counts[r.annotator as usize][t as usize][l as usize] += 1.0;
        }
        for (c, a) in counts.iter().zip(sim.annotators()) {
            for t in 0..3 {
                let n: f64 = c[t].iter().sum();
                for l in 0..3 {
                    let p = a.confusion.as_ref().unwrap()[t * 3 + l];
                    let se = (p * (1.0 - p) / n).sqrt();
                    assert!((c[t][l] / n - p).abs() <= 5.0 * se + 1e-9, "{model:?} {} {p}", c[t][l] / n);
                }
            }
        }
    }
}

#[test]
fn followers_say_what_their_leader_says_or_would_have_said() {
    let s = Simulation {
        items: 20_000,
        annotators: 8,
        per_item: 4,
        classes: 2,
        copy_groups: 1,
        copy_followers: 1,
        copy_probability: 0.8,
        accuracy: 0.7,
        concentration: 1000.0,
        ..Simulation::default()
    };
    let sim = Simulator::new(&s, 1).unwrap();
    let follower = sim.annotators().iter().find(|a| a.role == Role::Follower).unwrap();
    let leader = follower.leader.unwrap();
    let (rows, truth, ..) = everything(&s, 1, 512);
    let mut both = [0.0; 2];
    let mut right = [0.0; 2];
    for item in rows.chunk_by(|a, b| a.item == b.item) {
        let said = |j: usize| item.iter().find(|r| r.annotator as usize == j).map(|r| r.label);
        match (said(follower.annotator), said(leader)) {
            (Some(f), Some(l)) => both = [both[0] + f64::from(f == l), both[1] + 1.0],
            // on items that the leader did not label the follower is as good as the leader would have been
            (Some(f), None) => right = [right[0] + f64::from(f == truth[item[0].item as usize]), right[1] + 1.0],
            _ => {}
        }
    }
    // equal when copied, else as two independent annotators with accuracy 0.7: 0.8 + 0.2 x 0.58
    assert!((both[0] / both[1] - 0.916).abs() < 0.02, "{}", both[0] / both[1]);
    assert!((right[0] / right[1] - 0.7).abs() < 0.04, "{}", right[0] / right[1]);
}

#[test]
fn two_followers_agree_on_items_their_leader_never_saw() {
    let s = Simulation {
        items: 5000,
        annotators: 12,
        per_item: 4,
        copy_groups: 1,
        copy_followers: 2,
        copy_probability: 1.0,
        accuracy: 0.5,
        ..Simulation::default()
    };
    let sim = Simulator::new(&s, 9).unwrap();
    let f: Vec<u32> =
        sim.annotators().iter().filter(|a| a.role == Role::Follower).map(|a| a.annotator as u32).collect();
    let (rows, ..) = everything(&s, 9, 512);
    let mut n = 0;
    for item in rows.chunk_by(|a, b| a.item == b.item) {
        let said: Vec<SimLabel> = item.iter().filter(|r| f.contains(&r.annotator)).map(|r| r.label).collect();
        if said.len() == 2 {
            n += 1;
            assert_eq!(said[0], said[1]);
        }
    }
    assert!(n > 200);
}

#[test]
fn shares_assignment_and_features_are_as_asked_for() {
    let s = Simulation {
        items: 20_000,
        annotators: 25,
        per_item: 5,
        classes: 3,
        imbalance: 3.0,
        assignment: Assignment::Regular,
        features: 4,
        separation: 5.0,
        ..Simulation::default()
    };
    let (rows, truth, _, features) = everything(&s, 2, 1000);
    let mut n = [0usize; 25];
    for r in &rows {
        n[r.annotator as usize] += 1;
    }
    assert_eq!(n, [4000; 25]);
    let mut mean = [[0.0; 4]; 3];
    let mut count = [0.0f64; 3];
    for (t, x) in truth.iter().zip(features.chunks_exact(4)) {
        let SimLabel::Class(t) = *t else { panic!() };
        count[t as usize] += 1.0;
        (0..4).for_each(|d| mean[t as usize][d] += x[d] as f64);
    }
    // 9 : 3 : 1
    for (c, share) in count.iter().zip([9.0 / 13.0, 3.0 / 13.0, 1.0 / 13.0]) {
        assert!((c / 20_000.0 - share).abs() < 0.015, "{count:?}");
    }
    let distance = |a: usize, b: usize| {
        (0..4).map(|d| (mean[a][d] / count[a] - mean[b][d] / count[b]).powi(2)).sum::<f64>().sqrt()
    };
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        assert!((distance(a, b) - 5.0).abs() < 0.15, "{}", distance(a, b));
    }
    let given = Simulation { class_shares: vec![2.0, 0.0, 6.0], ..s };
    assert_eq!(given.shares(), [0.25, 0.0, 0.75]);
    assert!(everything(&given, 2, 1000).1.iter().all(|t| *t != SimLabel::Class(1)));
}

#[test]
fn comparisons_follow_the_scores_and_chains_stay() {
    let s = Simulation {
        model: SimModel::BradleyTerry,
        items: 40,
        pairs: 20_000,
        per_item: 1,
        noise_spread: 0.0,
        ties: 0.5,
        ..Simulation::default()
    };
    let sim = Simulator::new(&s, 7).unwrap();
    let (rows, ..) = everything(&s, 7, 512);
    let (mut expected, mut observed) = ([0.0; 3], [0.0; 3]);
    for r in &rows {
        assert_ne!(r.item, r.right);
        let d = 0.5 * (sim.score(r.item) - sim.score(r.right));
        let p = [d.exp(), (-d).exp(), 0.5];
        let all: f64 = p.iter().sum();
        // from the side of the better item, where the outcome is not even
        let SimLabel::Outcome(o) = r.label else { panic!() };
        let flip = |x: usize| if d < 0.0 && x < 2 { 1 - x } else { x };
        (0..3).for_each(|x| expected[flip(x)] += p[x] / all);
        observed[flip(o as usize)] += 1.0;
    }
    for x in 0..3 {
        assert!((expected[x] - observed[x]).abs() < 4.0 * observed[x].sqrt(), "{expected:?} {observed:?}");
    }
    let s = Simulation { model: SimModel::Sequences, items: 30_000, stay: 0.8, ..Simulation::default() };
    let (rows, truth, chain, _) = everything(&s, 7, 512);
    let (mut same, mut n) = (0.0, 0.0);
    for i in 1..truth.len() {
        if chain[i].1 > 0 {
            assert_eq!((chain[i].0, chain[i].1), (chain[i - 1].0, chain[i - 1].1 + 1));
            same += f64::from(truth[i] == truth[i - 1]);
            n += 1.0;
        }
    }
    assert!((same / n - (0.8 + 0.2 / 3.0)).abs() < 0.01, "{}", same / n);
    let mean = 30_000.0 / (chain.last().unwrap().0 + 1) as f64;
    assert!((mean - 10.0).abs() < 0.6, "{mean}");
    // one set of annotators for a whole chain
    let who = |i: usize| rows[i * 5..(i + 1) * 5].iter().map(|r| r.annotator).collect::<Vec<_>>();
    assert!((1..2000).filter(|&i| chain[i].1 > 0).all(|i| who(i) == who(i - 1)));
}

#[test]
fn able_annotators_are_right_on_easy_items() {
    let s = Simulation {
        model: SimModel::Glad,
        items: 40_000,
        annotators: 6,
        per_item: 2,
        ease_sd: 0.0,
        ..Simulation::default()
    };
    let sim = Simulator::new(&s, 3).unwrap();
    let (rows, truth, ..) = everything(&s, 3, 512);
    for (j, a) in sim.annotators().iter().enumerate() {
        let own: Vec<&SimRow> = rows.iter().filter(|r| r.annotator as usize == j).collect();
        let right = own.iter().filter(|r| r.label == truth[r.item as usize]).count() as f64 / own.len() as f64;
        // every item has ease 1
        let p = 1.0 / (1.0 + (-a.ability.unwrap()).exp());
        assert!((right - p).abs() < 0.02, "{right} {p}");
    }
}

#[test]
fn bad_descriptions_are_told_all_at_once() {
    let s =
        Simulation { items: 0, per_item: 60, accuracy: 1.5, spammers: 0.9, adversaries: 0.5, ..Simulation::default() };
    let Err(Error::Several(all)) = Simulator::new(&s, 0).map(|_| ()) else { panic!("several problems expected") };
    let text = all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    for name in ["`items`", "`per_item`", "`accuracy`", "45 spammers, 25 adversaries"] {
        assert!(text.contains(name), "{name} is not in\n{text}");
    }
    let text = serde_json::to_string(&Simulation::default()).unwrap();
    assert_eq!(serde_json::from_str::<Simulation>(&text).unwrap(), Simulation::default());
    assert!(serde_json::from_str::<Simulation>("{\"itms\": 5}").is_err());
    assert_eq!(serde_json::from_str::<Simulation>("{\"model\": \"one-coin\"}").unwrap().model, SimModel::OneCoin);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_valid_description_works(
        model in 0..9usize, items in 2..60u64, annotators in 1..12usize, classes in 2..6usize, per_item in 1..12usize,
        regular: bool, zipf in 0.0..3.0f64, spammers in 0.0..0.5f64, seed: u64, size in 1..70usize,
    ) {
        let s = Simulation {
            model: MODELS[model], items, annotators, classes, per_item: per_item.min(annotators),
            assignment: if regular { Assignment::Regular } else { Assignment::Random },
            zipf: if regular { 0.0 } else { zipf },
            spammers, ..Simulation::default()
        };
        let (rows, ..) = everything(&s, seed, size);
        prop_assert_eq!(rows.len() as u64, s.units() * s.per_item as u64);
        let (data, _) = Simulator::new(&s, seed).unwrap().dataset().unwrap();
        prop_assert_eq!(data.table.n_labels(), rows.len());
    }
}

#[test]
fn judgements_of_pairs_follow_the_classes() {
    let s = Simulation {
        model: SimModel::Similarities,
        items: 300,
        annotators: 3,
        per_item: 2,
        pairs: 40_000,
        classes: 2,
        ..Simulation::default()
    };
    let sim = Simulator::new(&s, 4).unwrap();
    let mut right = [[0.0; 2]; 3];
    for r in everything(&s, 4, 512).0 {
        let SimLabel::Same(said) = r.label else { panic!() };
        let same = sim.class_of(r.item) == sim.class_of(r.right);
        assert_ne!(r.item, r.right);
        right[r.annotator as usize][0] += f64::from(u8::from(said == same));
        right[r.annotator as usize][1] += 1.0;
    }
    for (a, [hits, n]) in sim.annotators().iter().zip(right) {
        let p = a.accuracy.unwrap();
        assert!((hits / n - p).abs() < 5.0 * (p * (1.0 - p) / n).sqrt(), "{} {p}", hits / n);
    }
}
