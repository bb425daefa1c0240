//! Pooled Dawid-Skene: against the numpy program behind it, on real sets, on simulated ones.

use crate::common;

use common::accuracy;
use common::crowds::{Crowd, fit, last_labels, mean_accuracy, small, sparse};
use crowdwise_methods::classes::pooled::{PooledDawidSkene, PooledPrior, Structure};

/// The four forms that are compared: one coin with vote shares, full, annealed, uniform classes.
fn forms(d: &PooledDawidSkene) -> [PooledDawidSkene; 4] {
    let plain = PooledDawidSkene { temperatures: Some(Vec::new()), ..d.clone() };
    [
        PooledDawidSkene { structure: Structure::One, class_prior: PooledPrior::Votes, ..d.clone() },
        plain.clone(),
        d.clone(),
        PooledDawidSkene { class_prior: PooledPrior::Uniform, ..plain },
    ]
}

/// Seven iterations (after four times eight where annealed); first four posteriors and the sum of squares of all, by numpy.
#[test]
fn pooled_dawid_skene_equals_numpy() {
    let want: [([[f64; 3]; 4], f64); 4] = [
        (
            [
                [0.331_538_677, 0.143_733_379, 0.524_727_943],
                [0.000_208_516, 0.000_151_334, 0.999_640_15],
                [0.864_051_122, 0.022_911_291, 0.113_037_587],
                [0.227_415_591, 0.030_124_172, 0.742_460_237],
            ],
            12.138_548_245,
        ),
        (
            [
                [0.926_038_688, 0.017_399_345, 0.056_561_967],
                [0.001_039_157, 2.548e-06, 0.998_958_295],
                [0.997_747_328, 0.000_334_069, 0.001_918_603],
                [0.994_394_498, 0.000_772_014, 0.004_833_489],
            ],
            13.662_511_391,
        ),
        (
            [
                [0.936_289_913, 0.017_298_647, 0.046_411_44],
                [0.001_050_889, 2.546e-06, 0.998_946_565],
                [0.998_190_548, 0.000_328_677, 0.001_480_776],
                [0.995_428_422, 0.000_768_71, 0.003_802_868],
            ],
            13.684_026_287,
        ),
        (
            [
                [0.760_299_232, 0.012_396_907, 0.227_303_861],
                [3.8355e-05, 2.137e-06, 0.999_959_509],
                [0.913_026_998, 0.000_273_753, 0.086_699_25],
                [0.960_956_051, 0.000_533_808, 0.038_510_141],
            ],
            13.066_702_591,
        ),
    ];
    let data = small();
    let order: Vec<usize> = (0..14).map(|i| data.table.items().get(&format!("i{i:02}")).unwrap() as usize).collect();
    for (m, (rows, squares)) in
        forms(&PooledDawidSkene { max_iter: 7, tol: 0.0, ..Default::default() }).iter().zip(want)
    {
        let f = fit(m, &data);
        let (k, q) = f.posterior().unwrap();
        for (i, row) in rows.iter().enumerate() {
            for (c, want) in row.iter().enumerate() {
                let got = q[order[i] * k + c];
                assert!((got - want).abs() < 2e-9, "{m:?}: item {i}, class {c}: {got}, numpy {want}");
            }
        }
        let got: f64 = q.iter().map(|p| p * p).sum();
        assert!((got - squares).abs() < 2e-9, "{m:?}: {got}, numpy {squares}");
    }
}

/// Accuracies of the numpy program, whose iterations stop by another rule: one coin, full, annealed, uniform classes.
#[test]
fn pooled_dawid_skene_on_real_sets() {
    let sets = [
        ("adult2", [0.7267, 0.7598, 0.7658, 0.7628]),
        ("bluebird", [0.7222, 0.8981, 0.8981, 0.8981]),
        ("cifar10n", [0.9167, 0.9195, 0.9195, 0.9209]),
        ("dog", [0.8240, 0.8401, 0.8389, 0.8414]),
        ("face", [0.6318, 0.6473, 0.6473, 0.6490]),
        ("fact_eval", [0.9010, 0.8767, 0.8403, 0.8281]),
        ("fej2013", [0.9062, 0.8837, 0.8733, 0.8733]),
        ("hitspam_cf", [0.6600, 0.6600, 0.6600, 0.6600]),
        ("labelme", [0.7850, 0.7920, 0.8040, 0.7970]),
        ("llmbar", [0.8329, 0.8210, 0.8210, 0.8210]),
        ("medre_cause", [0.7672, 0.7672, 0.7672, 0.7559]),
        ("music", [0.7986, 0.7771, 0.7814, 0.7871]),
        ("prelec_art", [0.6778, 0.6111, 0.6111, 0.5778]),
        ("prelec_states", [0.4867, 0.8933, 0.9000, 0.8867]),
        ("relevance_s", [0.4780, 0.6052, 0.6076, 0.5996]),
        ("reuters", [0.7279, 0.7251, 0.7133, 0.5414]),
        ("rte", [0.9250, 0.9287, 0.9287, 0.9287]),
        ("sp_amt", [0.9460, 0.9440, 0.9440, 0.9440]),
        ("temp", [0.9394, 0.9416, 0.9416, 0.9416]),
        ("trec", [0.5697, 0.7086, 0.7086, 0.7099]),
        ("valence5", [0.3600, 0.4000, 0.5000, 0.4300]),
        ("weather_amt", [0.8633, 0.8600, 0.8400, 0.8500]),
        ("zencrowd_us", [0.9113, 0.8240, 0.8240, 0.7637]),
        ("ws_hausa", [0.2751, 0.2751, 0.5085, 0.5085]),
        ("ws_youtube", [0.4520, 0.4520, 0.9057, 0.9057]),
    ];
    // the program ends after 60 iterations, and goes on until then where answers have settled: one of the 333 known items of adult2
    // still changes there
    let as_there = PooledDawidSkene { max_iter: 60, ..PooledDawidSkene::default() };
    let mut bad = Vec::new();
    for (set, want) in sets {
        let Some((data, gold)) = last_labels(set) else { continue };
        for (m, want) in forms(&as_there).iter().zip(want) {
            let got = accuracy(&fit(m, &data), &gold);
            if (got - want).abs() > 0.0035 {
                bad.push(format!("{set}: {got:.4}, numpy {want}: {m:?}"));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn pooled_dawid_skene_learns_what_annotators_share() {
    let crowds: Vec<Crowd> = (0..5).map(sparse).collect();
    let vote = mean_accuracy("majority-vote", &[], &crowds);
    let ds = mean_accuracy("dawid-skene", &[], &crowds);
    let pooled = mean_accuracy("pooled-dawid-skene", &[], &crowds);
    eprintln!("vote {vote:.1}, dawid-skene {ds:.1}, pooled {pooled:.1}");
    assert!(pooled > vote + 1.0 && pooled > ds + 3.0, "vote {vote:.1}, dawid-skene {ds:.1}, pooled {pooled:.1}");
}
