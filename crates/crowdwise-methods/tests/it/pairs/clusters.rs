//! Clusters from same/different judgements.

use super::common::{fit, has};
use crowdwise_core::questions::evaluate;
use crowdwise_core::{Annotators, Dataset, Fit, Gold, LabelKind, TableBuilder, Truth, stream};
use crowdwise_io::{ReadOptions, Source, read_answers};
use crowdwise_methods::similarities::CrowdClusters;
use rand::RngExt;

fn clusters(f: &Fit) -> &[u32] {
    match &f.truth {
        Truth::Clusters { cluster, .. } => cluster,
        other => panic!("clusters wanted, not {other:?}"),
    }
}

/// Left, right, annotator, same.
type Said = (&'static str, &'static str, &'static str, bool);

fn table(rows: &[Said]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Similarity);
    rows.iter().for_each(|&(l, r, j, s)| b.similarity(l, r, j, s));
    Dataset::new(b.finish().unwrap())
}

/// 120 items in 20 clusters; each pair inside a cluster and a few outside judged by three of ten annotators, of whom
/// three guess.
fn crowd(seed: u64) -> (Dataset, Vec<(String, String)>) {
    let mut rng = stream(seed, "clusters", 0);
    let right = |j: usize| if j < 3 { 0.5 } else { 0.92 };
    let mut b = TableBuilder::new(LabelKind::Similarity);
    for a in 0..120usize {
        for k in a + 1..120 {
            let same = a / 6 == k / 6;
            if !same && rng.random::<f64>() > 0.15 {
                continue;
            }
            let start = rng.random_range(0..10);
            for j in 0..3 {
                let j = (start + 3 * j + 1) % 10;
                let said = same == (rng.random::<f64>() < right(j));
                b.similarity(&format!("i{a}"), &format!("i{k}"), &format!("a{j}"), said);
            }
        }
    }
    let truth = (0..120).map(|i| (format!("i{i}"), format!("c{}", i / 6))).collect();
    (Dataset::new(b.finish().unwrap()), truth)
}

#[test]
fn clusters_and_error_rates_are_recovered() {
    let (mut rand, mut chained) = (0.0, 0.0);
    for seed in 0..3 {
        let (data, truth) = crowd(seed);
        let gold = Gold::from_items(&data.table, &truth, "truth").unwrap();
        let f = fit(&CrowdClusters::default(), &data);
        let e = evaluate(&f, &data, &gold);
        rand += e.adjusted_rand.unwrap() / 3.0;
        assert_eq!(e.n, 120);
        let Annotators::Confusion { matrix, .. } = &f.annotators else { panic!("confusion wanted") };
        for (j, m) in matrix.chunks_exact(4).enumerate() {
            let name = data.table.annotators().name(j);
            let want = if ["a0", "a1", "a2"].contains(&name) { 0.5 } else { 0.92 };
            assert!((m[0] - want).abs() < 0.1 && (m[3] - want).abs() < 0.2, "{name}: {m:?}");
        }
        assert!(f.findings.iter().any(|x| x.code == "spammer"));
        // closing "same" by majority over chains instead joins nearly everything
        let mut majority = f.clone();
        majority.truth = Truth::Clusters { cluster: chain(&data), confidence: vec![], same: vec![] };
        chained += evaluate(&majority, &data, &gold).adjusted_rand.unwrap() / 3.0;
    }
    assert!(rand > 0.97 && rand > chained + 0.2, "adjusted Rand {rand}, by chains of majorities {chained}");
}

/// Transitive closure of the majorities.
fn chain(data: &Dataset) -> Vec<u32> {
    let mut cluster: Vec<u32> = (0..data.table.n_items() as u32).collect();
    let (crowdwise_core::Units::Pairs(pairs), crowdwise_core::Values::Similarity { same }) =
        (data.table.units(), data.table.values())
    else {
        panic!("pairs wanted")
    };
    for (u, &[a, b]) in pairs.iter().enumerate() {
        let rows = data.table.rows(u);
        let yes = rows.clone().filter(|&r| same[r]).count();
        if 2 * yes > rows.len() {
            let (from, to) = (cluster[a as usize], cluster[b as usize]);
            cluster.iter_mut().filter(|c| **c == from).for_each(|c| *c = to);
        }
    }
    cluster
}

#[test]
fn contradictions_are_weighed_and_said() {
    let mut rows = Vec::new();
    for j in ["a", "b", "c"] {
        rows.extend([("x", "y", j, true), ("p", "q", j, true), ("x", "p", j, false), ("y", "q", j, false)]);
        rows.push(("x", "q", j, false));
    }
    // y and p are said to be the same by all: everything else speaks against it
    rows.extend([("y", "p", "a", true), ("y", "p", "b", true), ("y", "p", "c", true)]);
    let f = fit(&CrowdClusters::default(), &table(&rows));
    let of = |name: &str| {
        let d = table(&rows);
        clusters(&f)[d.table.items().iter().position(|i| i == name).unwrap()]
    };
    assert!(of("x") == of("y") && of("p") == of("q") && of("x") != of("p"));
    let finding = f.findings.iter().find(|x| x.code == "contradictions").expect("contradictions are said");
    assert!(finding.message.contains("1 pairs said to be the same"), "{}", finding.message);
    assert!(finding.message.contains("`y`") && finding.message.contains("`p`"), "{}", finding.message);
}

#[test]
fn odd_tables_give_sound_fits() {
    let cases: [(&str, &[Said], &[u32]); 5] = [
        ("one yes", &[("x", "y", "a", true)], &[0, 0]),
        ("one no", &[("x", "y", "a", false)], &[0, 1]),
        ("both orders", &[("x", "y", "a", true), ("y", "x", "b", true)], &[0, 0]),
        ("yes and no", &[("x", "y", "a", true), ("x", "y", "b", false), ("y", "x", "b", false)], &[0, 1]),
        ("with itself", &[("x", "x", "a", false)], &[0]),
    ];
    for (what, rows, want) in cases {
        let data = table(rows);
        let f = fit(&CrowdClusters::default(), &data);
        assert_eq!(clusters(&f), want, "{what}");
        let Truth::Clusters { confidence, same, .. } = &f.truth else { panic!() };
        assert_eq!((confidence.len(), same.len()), (want.len(), data.table.n_units()), "{what}");
        assert!(confidence.iter().chain(same).all(|p| (0.0..=1.0).contains(p)), "{what}: {confidence:?} {same:?}");
        assert!(serde_json::from_str::<Fit>(&serde_json::to_string(&f).unwrap()).is_ok(), "{what}");
        assert!(!has(&f, "contradictions"), "{what}");
    }
}

#[test]
fn judgements_are_read_and_bad_ones_refused() {
    let folder = std::env::temp_dir().join(format!("crowdwise-same-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let read = |text: &str| {
        let file = folder.join("same.csv");
        std::fs::write(&file, text).unwrap();
        read_answers(&Source::from(file.as_path()), &ReadOptions::default())
    };
    let data = read("left,right,annotator,same\nx,y,a,yes\ny,z,a,1\nx,z,b,no\n").unwrap().value;
    assert_eq!((data.table.kind(), data.table.n_items(), data.table.n_labels()), (LabelKind::Similarity, 3, 3));
    let e = read("left,right,annotator,same\nx,y,a,perhaps\nx,x,a,yes\n").unwrap_err().to_string();
    assert!(e.contains("2 of 2 rows") && e.contains("`perhaps` is neither yes nor no") && e.contains("itself"), "{e}");
    std::fs::remove_dir_all(&folder).unwrap();
}
