//! Annotators who copy each other count once, in every method unless asked.

use crowdwise_core::questions::evaluate;
use crowdwise_core::simulate::{Role, Simulation, Simulator};
use crowdwise_core::{Context, Dataset, Fit, Gold, LabelKind, TableBuilder, stats};
use crowdwise_methods::find;

/// Ten annotators who are right on half of the items; two of them copy a third one.
fn crowd(seed: u64, copy: f64) -> (Dataset, Gold, Vec<usize>) {
    let s = Simulation {
        annotators: 10,
        classes: 4,
        per_item: 10,
        accuracy: 0.5,
        copy_groups: 1,
        copy_probability: copy,
        ..Simulation::default()
    };
    let sim = Simulator::new(&s, seed).unwrap();
    let (data, gold) = sim.dataset().unwrap();
    let group = sim.annotators().iter().filter(|a| a.role != Role::Ordinary).map(|a| a.annotator);
    let names: Vec<String> = group.map(|j| format!("a{j}")).collect();
    let members = (0..10).filter(|&j| names.iter().any(|n| n == data.table.annotators().name(j))).collect();
    (data, gold, members)
}

fn fit(id: &str, data: &Dataset, each: bool) -> Fit {
    let method = find(id).unwrap().default();
    crowdwise_core::questions::reviewed(&*method, data, &mut Context::new(0, 1).with_count_copies(each)).unwrap()
}

fn right(f: &Fit, data: &Dataset, gold: &Gold) -> f64 {
    evaluate(f, data, gold).accuracy.unwrap()
}

#[test]
fn three_copies_of_ten_do_not_outvote_seven() {
    // counted one by one: auto 0.402, majority vote 0.630
    for copy in [1.0, 0.9] {
        let (mut auto, mut votes, mut skene) = (0.0, 0.0, 0.0);
        for seed in 0..3 {
            let (data, gold, members) = crowd(seed, copy);
            let f = fit("auto", &data, false);
            let told = f.findings.iter().filter(|x| x.code == "one-voice").count();
            assert_eq!(told, 1, "{:?}", f.findings);
            // one voice has one kind of annotator
            let first = f.annotators.confusion(members[0]);
            assert!(members.iter().all(|&j| f.annotators.confusion(j) == first));
            assert_eq!(f.diagnostics.details["one_voice"][0].as_array().unwrap().len(), 3);
            assert!(f.findings.iter().all(|x| x.code != "copies"), "{:?}", f.findings);
            auto += right(&f, &data, &gold) / 3.0;
            votes += right(&fit("majority-vote", &data, true), &data, &gold) / 3.0;
            skene += right(&fit("dawid-skene", &data, false), &data, &gold) / 3.0;
        }
        assert!(auto > votes - 0.01 && skene > votes - 0.01, "{copy}: auto {auto} dawid-skene {skene} votes {votes}");
    }
}

#[test]
fn who_asks_gets_every_label_counted() {
    let (data, _, members) = crowd(0, 1.0);
    for id in ["majority-vote", "dawid-skene", "one-coin", "ibcc", "glad", "mace"] {
        let (once, each) = (fit(id, &data, false), fit(id, &data, true));
        assert!(once.findings[0].code == "one-voice" && each.findings.iter().all(|f| f.code != "one-voice"), "{id}");
        assert!(once.posterior() != each.posterior(), "{id}");
        // the fit is that of the data with one of the three
        assert_eq!(once.provenance.labels, data.table.n_labels());
        let w = |f: &Fit| members.iter().map(|&j| f.annotators.weight(j)).collect::<Vec<_>>();
        assert!(w(&once).windows(2).all(|x| x[0] == x[1]), "{id}");
    }
    let one = data.table.filter_rows(|r| !members[1..].contains(&(data.table.annotator()[r] as usize)));
    let (a, b) = (fit("dawid-skene", &data, false), fit("dawid-skene", &Dataset::new(one), true));
    assert_eq!(a.posterior(), b.posterior());
}

#[test]
fn the_order_of_the_rows_changes_nothing() {
    let (data, ..) = crowd(1, 0.9);
    let (table, labels) = (&data.table, data.table.categorical().unwrap());
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for u in (0..table.n_units()).rev() {
        for r in table.rows(u).rev() {
            let (i, j) = (table.items().name(u), table.annotators().name(table.annotator()[r] as usize));
            b.label(i, j, labels.classes.name(labels.codes.get(r))).unwrap();
        }
    }
    let turned = Dataset::new(b.finish().unwrap());
    let (f, g) = (fit("majority-vote", &data, false), fit("majority-vote", &turned, false));
    let (k, p) = f.posterior().unwrap();
    let q = g.posterior().unwrap().1;
    let n = table.n_units();
    for u in 0..n {
        let (a, b) = (&p[u * k..][..k], &q[(n - 1 - u) * k..][..k]);
        assert!(a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-12), "{u} {a:?} {b:?}");
    }
    assert_eq!(stats::argmax(&p[..k]), stats::argmax(&q[(n - 1) * k..]));
}
