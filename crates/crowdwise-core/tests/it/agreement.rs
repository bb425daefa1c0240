//! Agreement on real sets against numpy (the same formulas; the krippendorff 0.9.0, irrCAC and scikit-learn packages
//! agree with them on the small examples, which are tested beside the code).

use crate::common::real_set;
use crowdwise_core::questions::{Level, agreement};
use crowdwise_core::{Dataset, LabelKind, Preference, TableBuilder};

fn close(a: Option<f64>, b: f64) {
    assert!((a.unwrap() - b).abs() < 5e-7, "{a:?} is not {b}");
}

/// Sets of (name, alpha nominal, ordinal, Fleiss, percent, AC1, pairs, mean Cohen).
const SETS: [(&str, [f64; 5], usize, f64); 7] = [
    ("rte", [0.241479, 0.241479, 0.241384, 0.628694, 0.272732], 1254, 0.238569),
    ("dog", [0.519418, 0.813085, 0.519358, 0.641140, 0.522236], 1037, 0.509009),
    ("valence5", [0.154050, 0.323063, 0.153203, 0.433556, 0.319806], 214, 0.157074),
    ("relevance_s", [0.089713, 0.144307, 0.090436, 0.364311, 0.170513], 3766, 0.079578),
    ("adult2", [0.317088, 0.432578, 0.380057, 0.748274, 0.714361], 7125, 0.208071),
    ("md_agreement", [0.358709, 0.358709, 0.358688, 0.711736, 0.476370], 2104, 0.359463),
    ("bluebird", [0.125501, 0.125501, 0.125293, 0.588194, 0.221844], 741, 0.139605),
];

#[test]
fn real_sets_have_the_coefficients_of_numpy() {
    for (name, [nominal, ordinal, fleiss, percent, ac1], pairs, cohen) in SETS {
        let Some((mut data, _)) = real_set(name) else { return };
        let a = agreement(&data, 0, 0);
        close(a.krippendorff_alpha, nominal);
        close(a.fleiss_kappa, fleiss);
        close(a.percent, percent);
        close(a.gwet_ac1, ac1);
        assert_eq!((a.pairs_found, a.level, a.alpha_interval), (pairs, Level::Nominal, None), "{name}");
        close(a.mean_cohen, cohen);
        assert!(a.pairs.windows(2).all(|w| w[0].n >= w[1].n) && a.pairs.iter().all(|p| p.n >= 10));
        // the same classes as grades
        let mut b = TableBuilder::new(LabelKind::Categorical);
        b.ordered = true;
        let (t, c) = (&data.table, data.table.categorical().unwrap());
        for u in 0..t.n_units() {
            for r in t.rows(u) {
                let (j, l) = (t.annotator()[r] as usize, c.codes.get(r));
                b.label(t.items().name(u), t.annotators().name(j), c.classes.name(l)).unwrap();
            }
        }
        data = Dataset::new(b.finish().unwrap());
        let a = agreement(&data, 0, 0);
        assert_eq!(a.level, Level::Ordinal);
        close(a.krippendorff_alpha, ordinal);
        close(a.alpha_nominal, nominal);
    }
}

#[test]
fn bootstrap_interval_on_real_sets() {
    // numpy, 300 resamples with another generator (its 95 % ends drawn in to 90 %); the ends of 1000 resamples vary by about 0.003
    for (name, low, high) in [("rte", 0.2264, 0.2584), ("bluebird", 0.1032, 0.1441)] {
        let Some((data, _)) = real_set(name) else { return };
        let a = agreement(&data, 0, 1000);
        let [l, h] = a.alpha_interval.unwrap();
        assert!((l - low).abs() < 0.008 && (h - high).abs() < 0.008, "{name}: {l} {h}");
        assert_eq!(a, agreement(&data, 0, 1000));
        assert_eq!(a.bootstraps, 1000);
    }
}

#[test]
fn real_values_have_the_interval_alpha() {
    // Krippendorff's 12 units as numbers, shifted far away: 0.849107 whatever the origin
    let rows =
        ["1 2 3 3 2 1 4 1 2 * * *", "1 2 3 3 2 2 4 1 2 5 * 3", "* 3 3 3 2 3 4 2 2 5 1 *", "1 2 3 3 2 4 4 1 2 5 1 *"];
    let mut b = TableBuilder::new(LabelKind::Real);
    for (j, row) in rows.iter().enumerate() {
        for (u, x) in row.split(' ').enumerate().filter(|(_, x)| *x != "*") {
            b.value(&format!("i{u}"), &format!("a{j}"), 1e6 + x.parse::<f64>().unwrap());
        }
    }
    let a = agreement(&Dataset::new(b.finish().unwrap()), 0, 1000);
    close(a.krippendorff_alpha, 0.849107);
    let [low, high] = a.alpha_interval.unwrap();
    assert!(a.level == Level::Interval && low < 0.75 && high > 0.9, "{low} {high}");
}

#[test]
fn comparisons_agree_whatever_the_order_shown() {
    let build = |swap: bool| {
        let mut b = TableBuilder::new(LabelKind::Preference);
        for i in 0..20 {
            for j in 0..3 {
                let (l, r) = (format!("i{i}"), format!("i{}", i + 1));
                let first_wins = (i * 7 + j * 3) % 5 < 3;
                if swap && (i + j) % 2 == 0 {
                    b.preference(
                        &r,
                        &l,
                        &format!("a{j}"),
                        if first_wins { Preference::Right } else { Preference::Left },
                    );
                } else {
                    b.preference(
                        &l,
                        &r,
                        &format!("a{j}"),
                        if first_wins { Preference::Left } else { Preference::Right },
                    );
                }
            }
        }
        agreement(&Dataset::new(b.finish().unwrap()), 0, 0)
    };
    let (a, b) = (build(false), build(true));
    assert!((a.percent.unwrap() - b.percent.unwrap()).abs() < 1e-12);
    assert!((a.krippendorff_alpha.unwrap() - b.krippendorff_alpha.unwrap()).abs() < 1e-12);
}

#[test]
fn nothing_to_compare_is_said_not_invented() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    b.label("i", "a", "x").unwrap();
    b.label("i", "a", "y").unwrap(); // a repetition is not another opinion
    let a = agreement(&Dataset::new(b.finish().unwrap()), 0, 100);
    assert_eq!((a.units, a.percent, a.krippendorff_alpha), (0, None, None));
    assert_eq!(a.notes.len(), 1);
}

#[test]
fn comparisons_have_kendalls_tau() {
    let mut b = TableBuilder::new(LabelKind::Preference);
    // x, y: three say x, one says y, shown in both orders: (3 - 3) / 6; x, z: two say x: 1; y, z: one tie, one y: 0
    b.preference("x", "y", "p", Preference::Left);
    b.preference("y", "x", "q", Preference::Right);
    b.preference("x", "y", "r", Preference::Left);
    b.preference("x", "y", "s", Preference::Right);
    b.preference("x", "z", "p", Preference::Left);
    b.preference("z", "x", "q", Preference::Right);
    b.preference("y", "z", "p", Preference::Left);
    b.preference("y", "z", "q", Preference::Tie);
    let a = agreement(&Dataset::new(b.finish().unwrap()), 0, 0);
    close(a.kendall_tau, 1.0 / 8.0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    b.label("x", "p", "1").unwrap();
    b.label("x", "q", "1").unwrap();
    assert_eq!(agreement(&Dataset::new(b.finish().unwrap()), 0, 0).kendall_tau, None);
}

#[test]
fn alpha_at_a_level_that_is_asked_for() {
    use crowdwise_core::questions::agreement_at;
    // Krippendorff's 12 units as classes and as numbers; the values of all four levels are published with three digits
    let rows =
        ["1 2 3 3 2 1 4 1 2 * * *", "1 2 3 3 2 2 4 1 2 5 * 3", "* 3 3 3 2 3 4 2 2 5 1 *", "1 2 3 3 2 4 4 1 2 5 1 *"];
    let mut classes = TableBuilder::new(LabelKind::Categorical);
    let mut real = TableBuilder::new(LabelKind::Real);
    for (j, row) in rows.iter().enumerate() {
        for (u, x) in row.split(' ').enumerate().filter(|(_, x)| *x != "*") {
            classes.label(&format!("i{u}"), &format!("a{j}"), x).unwrap();
            real.value(&format!("i{u}"), &format!("a{j}"), x.parse().unwrap());
        }
    }
    let (classes, real) = (Dataset::new(classes.finish().unwrap()), Dataset::new(real.finish().unwrap()));
    let wanted =
        [(Level::Nominal, 0.743421), (Level::Ordinal, 0.815388), (Level::Interval, 0.849107), (Level::Ratio, 0.797403)];
    for (level, alpha) in wanted {
        let a = agreement_at(&classes, level, 0, 100).unwrap();
        close(a.krippendorff_alpha, alpha);
        let [low, high] = a.alpha_interval.unwrap();
        assert!(a.level == level && low < alpha && alpha < high && (a.units, a.labels) == (11, 40));
        assert!(a.fleiss_kappa.is_some() && a.alpha_nominal.is_some() == (level != Level::Nominal));
        let of_numbers = agreement_at(&real, level, 0, 100);
        match level {
            Level::Nominal | Level::Ordinal => assert!(of_numbers.unwrap_err().to_string().contains("real numbers")),
            _ => assert_eq!(of_numbers.unwrap().alpha_interval, Some([low, high])),
        }
    }
    assert_eq!(agreement_at(&real, Level::Interval, 0, 100).unwrap(), agreement(&real, 0, 100));
}
