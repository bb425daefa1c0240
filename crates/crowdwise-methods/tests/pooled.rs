//! Methods that pool annotators: against numpy programs that share no code with them, on real sets, on simulated ones.

#![allow(clippy::print_stderr)] // skipped sets and figures are said

mod common;

use common::{accuracy, data_dir, real_set};
use crowdwise_core::{AnyMethod, Context, Dataset, Fit, Gold, LabelKind, TableBuilder, stream};
use crowdwise_methods::pooled::{PooledDawidSkene, PooledPrior, Structure};
use rand::RngExt;
use rand_distr::{Distribution, Gamma};
use serde_json::Value;
use std::collections::BTreeMap;

fn fit(method: &dyn AnyMethod, data: &Dataset) -> Fit {
    method.fit(data, &mut Context::new(0, 2)).unwrap()
}

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

/// 14 items (lines) labelled by 5 annotators (columns), `.` = no label.
const SMALL: [&str; 14] = [
    "..2.0", "22.22", "0.2.0", "2.0.0", "111..", "1111.", "11.12", "00122", ".2222", "01100", "0.00.", "11..0",
    "11111", "1....",
];

fn small() -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for c in ["0", "1", "2"] {
        b.classes.intern(c);
    }
    for (i, line) in SMALL.iter().enumerate() {
        for (j, l) in line.chars().enumerate().filter(|(_, l)| *l != '.') {
            b.label(&format!("i{i:02}"), &format!("a{j}"), &l.to_string()).unwrap();
        }
    }
    Dataset::new(b.finish().unwrap())
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

/// A real set in which the last label of an annotator on an item counts, as in the figures to compare with.
fn last_labels(name: &str) -> Option<(Dataset, Gold)> {
    real_set(name)?;
    let text = std::fs::read_to_string(data_dir().join(name).join("answers.csv")).unwrap();
    let mut last: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        last.insert((f[0], f[1]), f[2]);
    }
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for ((item, annotator), label) in last {
        b.label(item, annotator, label).unwrap();
    }
    let table = b.finish().unwrap();
    // items that nobody labelled are not scored
    let text = std::fs::read_to_string(data_dir().join(name).join("truth.csv")).unwrap();
    let rows: Vec<(String, String)> = text
        .lines()
        .skip(1)
        .filter_map(|l| l.split_once(','))
        .filter(|(i, _)| table.items().get(i).is_some())
        .map(|(a, b)| (a.into(), b.into()))
        .collect();
    let gold = Gold::from_items(&table, &rows, "truth.csv").unwrap();
    Some((Dataset::new(table), gold))
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
    for (set, want) in sets {
        let Some((data, gold)) = last_labels(set) else { continue };
        for (m, want) in forms(&PooledDawidSkene::default()).iter().zip(want) {
            let got = accuracy(&fit(m, &data), &gold);
            assert!((got - want).abs() <= 0.003, "{set}: {got:.4}, numpy {want}: {m:?}");
        }
    }
}

/// A crowd of rows around rows of its group: labels and truth.
struct Crowd {
    data: Dataset,
    truth: Vec<usize>,
}

impl Crowd {
    /// `concentration` times `rows[group][truth]` are the Dirichlet parameters of an annotator's rows.
    fn new(
        seed: u64,
        items: usize,
        per_item: usize,
        annotators: usize,
        concentration: f64,
        rows: &[Vec<Vec<f64>>],
    ) -> Crowd {
        let k = rows[0].len();
        let mut rng = stream(seed, "groups", k as u64);
        let groups: Vec<usize> = (0..annotators).map(|j| j % rows.len()).collect();
        let confusion: Vec<Vec<Vec<f64>>> = groups
            .iter()
            .map(|&g| rows[g].iter().map(|row| dirichlet(&mut rng, row, concentration)).collect())
            .collect();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..k).for_each(|c| {
            b.classes.intern(&c.to_string());
        });
        (0..annotators).for_each(|j| {
            b.annotators.intern(&format!("a{j}"));
        });
        let mut truth = Vec::new();
        for i in 0..items {
            let z = rng.random_range(0..k);
            truth.push(z);
            for j in rand::seq::index::sample(&mut rng, annotators, per_item) {
                let u: f64 = rng.random();
                let mut sum = 0.0;
                let l = confusion[j][z].iter().position(|p| {
                    sum += p;
                    u < sum
                });
                b.label(&format!("i{i}"), &format!("a{j}"), &l.unwrap_or(k - 1).to_string()).unwrap();
            }
        }
        Crowd { data: Dataset::new(b.finish().unwrap()), truth }
    }

    /// Accuracy in percent, ties split evenly.
    fn accuracy(&self, f: &Fit) -> f64 {
        let rows: Vec<(String, String)> =
            self.truth.iter().enumerate().map(|(i, z)| (format!("i{i}"), z.to_string())).collect();
        100.0 * accuracy(f, &Gold::from_items(&self.data.table, &rows, "truth").unwrap())
    }
}

fn dirichlet(rng: &mut impl rand::Rng, mean: &[f64], concentration: f64) -> Vec<f64> {
    let draw: Vec<f64> = mean.iter().map(|m| Gamma::new(m * concentration, 1.0).unwrap().sample(rng)).collect();
    let sum: f64 = draw.iter().sum();
    draw.iter().map(|x| x / sum).collect()
}

/// 250 annotators with 8 labels each whose rows lie around common ones.
fn sparse(seed: u64) -> Crowd {
    let rows = [[0.7, 0.1, 0.1, 0.1], [0.3, 0.5, 0.1, 0.1], [0.05, 0.1, 0.75, 0.1], [0.1, 0.1, 0.3, 0.5]];
    Crowd::new(seed, 400, 5, 250, 15.0, &[rows.iter().map(|r| r.to_vec()).collect()])
}

/// Mean accuracy over five simulated crowds.
fn mean_accuracy(id: &str, params: &[(&str, Value)], crowds: &[Crowd]) -> f64 {
    let params: Vec<(String, Value)> = params.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect();
    let m = crowdwise_methods::find(id).unwrap().with(&params).unwrap();
    crowds.iter().map(|c| c.accuracy(&fit(&*m, &c.data))).sum::<f64>() / crowds.len() as f64
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
