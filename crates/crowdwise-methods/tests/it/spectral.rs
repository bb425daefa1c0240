//! The spectral methods against published errors and those of the reference programs. Simulated truth is in
//! `spectral_recovery.rs`.

use crate::common;

use common::real_set;
use crowdwise_core::{AnyMethod, Context, Dataset, Fit, Gold, GoldValues, LabelKind, TableBuilder};
use crowdwise_methods::classes::confusion::{ClassPrior, Zeros};
use crowdwise_methods::classes::spectral::{Classes, KosSvd, SparseSpectralSvd, SpectralEm, SpectralSvd, Split};

fn fit(method: &dyn AnyMethod, data: &Dataset) -> Fit {
    method.fit(data, &mut Context::new(0, 2)).unwrap()
}

/// Share of wrong labels in percent, a tie going to its first class as in the published tables.
fn decided_error(f: &Fit, gold: &Gold) -> f64 {
    let (k, q) = f.posterior().unwrap();
    let GoldValues::Classes(gold) = &gold.values else { panic!("classes wanted") };
    let label = |u: u32| crowdwise_core::stats::argmax(&q[u as usize * k..][..k]) as u32;
    100.0 * gold.iter().filter(|&&(u, c)| label(u) != c).count() as f64 / gold.len() as f64
}

/// A real set; `bluebird30` is its first 30 annotators, with which the survey's table was made.
fn set(name: &str) -> Option<(Dataset, Gold)> {
    let (data, gold) = real_set(name.trim_end_matches("30"))?;
    if !name.ends_with("30") {
        return Some((data, gold.unwrap()));
    }
    let first: Vec<bool> = data.table.annotators().iter().map(|n| n[1..].parse::<u32>().unwrap() < 30).collect();
    let table = data.table.filter_rows(|r| first[data.table.annotator()[r] as usize]);
    Some((Dataset::new(table), gold.unwrap()))
}

fn check_errors(method: &dyn AnyMethod, wanted: &[(&str, f64, f64)]) {
    for &(name, want, within) in wanted {
        if let Some((data, gold)) = set(name) {
            let error = decided_error(&fit(method, &data), &gold);
            eprintln!("{} on {name}: {error:.2}, wanted {want}", method.info().id);
            assert!((error - want).abs() <= within, "{} on {name}: {error:.3}, wanted {want}", method.info().id);
        }
    }
}

const DIGIT: f64 = 0.02;

#[test]
fn spectral_svd_gives_the_published_errors() {
    let m = SpectralSvd { classes: Classes::Thresholds, ..SpectralSvd::default() };
    let wanted = [
        ("bluebird30", 27.78, DIGIT),
        ("bluebird", 27.78, DIGIT),
        ("rte", 49.12, DIGIT),
        ("trec", 42.95, 0.15),
        ("dog", 19.58, 0.3),
    ];
    check_errors(&m, &wanted);
}

#[test]
fn kos_svd_gives_the_published_errors() {
    let m = KosSvd { classes: Classes::Thresholds, ..KosSvd::default() };
    let wanted = [
        ("bluebird30", 11.11, DIGIT),
        ("bluebird", 11.11, DIGIT),
        ("rte", 39.75, DIGIT),
        ("trec", 51.96, 0.05),
        ("dog", 31.72, DIGIT),
    ];
    check_errors(&m, &wanted);
}

#[test]
fn sparse_spectral_svd_gives_the_published_errors() {
    let m = SparseSpectralSvd { classes: Classes::Thresholds, ..SparseSpectralSvd::default() };
    let wanted = [
        ("bluebird30", 27.78, DIGIT),
        ("bluebird", 27.78, DIGIT),
        ("rte", 9.00, DIGIT),
        ("dog", 17.22, DIGIT),
        ("trec", 38.73, 0.5),
    ];
    check_errors(&m, &wanted);
}

#[test]
fn spectral_em_gives_the_published_errors() {
    let m = SpectralEm {
        max_iter: 10,
        tol: 0.0,
        alpha: 0.0,
        class_prior: ClassPrior::Uniform,
        zeros: Zeros::Skip,
        split: Split::Order,
        restarts: 1,
        accelerate: false,
        ..SpectralEm::default()
    };
    // the reference program skips only what is exactly zero; here counts are exact to 2^-51 and `skip` leaves out what is
    // smaller, which is one item on rte and 20 on dog. With `floor` both give the same on dog.
    let floored = SpectralEm { zeros: Zeros::Floor, ..m.clone() };
    for (m, name, want, within) in [
        (&m, "bluebird30", 12.04, DIGIT),
        (&m, "bluebird", 10.19, DIGIT),
        (&m, "rte", 7.12, 0.14),
        (&m, "trec", 29.58, 0.1),
        (&floored, "dog", 15.86, DIGIT),
    ] {
        if let Some((data, gold)) = set(name) {
            let data = by_number(&data);
            let error = decided_error(&fit(m, &data), &gold);
            eprintln!("spectral-em on {name}: {error:.2}, wanted {want}");
            assert!((error - want).abs() <= within, "{name}: {error:.3}, wanted {want}");
        }
    }
    // with random splits the order of annotators, on which the printed 29.58 of `trec` hangs, does not matter; ten steps on
    // dog vary by more than a point with the seed
    let random = |m: &SpectralEm| SpectralEm { split: Split::Random, restarts: 5, ..m.clone() };
    check_errors(&random(&m), &[("bluebird30", 12.04, DIGIT), ("rte", 7.12, 0.4), ("trec", 29.58, 0.7)]);
    check_errors(&random(&floored), &[("dog", 16.0, 1.2)]);
}

/// The same labels with annotators numbered by their names, `w0` first, as the reference program has them.
fn by_number(data: &Dataset) -> Dataset {
    let c = data.table.categorical().unwrap();
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let mut names: Vec<&str> = data.table.annotators().iter().collect();
    names.sort_by_key(|n| n[1..].parse::<u32>().unwrap());
    data.table.items().iter().for_each(|n| {
        b.items.intern(n);
    });
    c.classes.iter().for_each(|n| {
        b.classes.intern(n);
    });
    let used = data.table.labels_per_annotator();
    for n in names {
        if used[data.table.annotators().get(n).unwrap() as usize] > 0 {
            b.annotators.intern(n);
        }
    }
    for u in 0..data.table.n_units() {
        for r in data.table.rows(u) {
            let who = data.table.annotators().name(data.table.annotator()[r] as usize);
            b.label(data.table.items().name(u), who, c.classes.name(c.codes.get(r))).unwrap();
        }
    }
    Dataset::new(b.finish().unwrap())
}
