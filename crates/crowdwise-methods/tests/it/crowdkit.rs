//! Dawid-Skene and one-coin with crowd-kit's rules: numbers of crowd-kit 1.4.2 with its default settings on a small table.

use crowdwise_core::{AnyMethod, Context, Dataset, Fit, LabelKind, Stop, TableBuilder};
use crowdwise_methods::classes::confusion::{DawidSkene, OneCoin, StopRule, Zeros};

const LABELS: &str = "t0 a x,t0 b x,t0 c y,t1 a y,t1 b y,t1 c y,t2 a z,t2 b x,t2 d z,t3 a x,t3 c x,t3 d y,t4 b y,t4 c z,t4 d y,\
                      t5 a z,t5 b z,t6 a y,t6 c y,t6 d x,t7 b z,t7 d z";

fn data() -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for row in LABELS.split(',') {
        let [i, j, l] = row.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{row}") };
        b.label(i, j, l).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

fn check(method: &dyn AnyMethod, iterations: usize, bound: f64, posterior: &[f64]) -> Fit {
    let fit = method.fit(&data(), &mut Context::new(0, 2)).unwrap();
    let d = &fit.diagnostics;
    assert_eq!(d.iterations, iterations);
    let last = d.trace.last().unwrap().objective.unwrap();
    assert!((last - bound).abs() < 1e-8, "the bound is {last}, not {bound}");
    let q = fit.posterior().unwrap().1;
    let far = q.iter().zip(posterior).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(q.len() == posterior.len() && far < 1e-7, "{far}");
    fit
}

#[test]
fn dawid_skene() {
    let method = DawidSkene {
        max_iter: 2,
        tol: 1e-5,
        alpha: 0.0,
        accelerate: false,
        zeros: Zeros::Counts,
        stop: StopRule::Bound,
        ..DawidSkene::default()
    };
    #[rustfmt::skip]
    let posterior = [
        0.9850758741, 0.0149241259, 0.0,
        0.0, 1.0, 0.0,
        0.0199531495, 0.0, 0.9800468505,
        0.9812090019, 0.0187909981, 0.0,
        0.0, 0.9769083499, 0.0230916501,
        0.0, 0.0, 1.0,
        0.0040628429, 0.9959371571, 0.0,
        0.0, 0.0, 1.0,
    ];
    check(&method, 2, -1.4099310176309396, &posterior);
    let whole = DawidSkene { max_iter: 100, ..method.clone() };
    let fit = whole.fit(&data(), &mut Context::new(0, 1)).unwrap();
    assert_eq!((fit.diagnostics.iterations, fit.diagnostics.stop), (5, Stop::Converged));
    // a limit below every gain: all iterations are made
    let all = DawidSkene { max_iter: 30, tol: -1.0, ..method };
    assert_eq!(all.fit(&data(), &mut Context::new(0, 1)).unwrap().diagnostics.iterations, 30);
}

#[test]
fn one_coin() {
    let method = OneCoin {
        max_iter: 100,
        tol: 1e-5,
        alpha: 0.0,
        accelerate: false,
        stop: StopRule::Bound,
        ..OneCoin::default()
    };
    #[rustfmt::skip]
    let posterior = [
        0.9998938370, 0.0000808548, 0.0000253082,
        0.0000035571, 0.9999911344, 0.0000053085,
        0.0002565282, 0.0000482239, 0.9996952479,
        0.9998301620, 0.0001164681, 0.0000533700,
        0.0333392328, 0.7941129359, 0.1725478314,
        0.0000113639, 0.0000156238, 0.9999730123,
        0.0000616197, 0.9998995592, 0.0000388211,
        0.0354229119, 0.0487015962, 0.9158754919,
    ];
    let fit = check(&method, 11, -1.671422612559241, &posterior);
    assert_eq!(fit.diagnostics.stop, Stop::Converged);
}

#[test]
fn a_limit_must_be_a_number() {
    let method = DawidSkene { tol: f64::NAN, stop: StopRule::Bound, ..DawidSkene::default() };
    let e = method.fit(&data(), &mut Context::new(0, 1)).unwrap_err();
    assert_eq!(e.code(), "bad-parameter");
}
