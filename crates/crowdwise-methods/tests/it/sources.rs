//! Label models for labelling functions, and CROWDLAB: against numpy programs that share no code with them, on the two
//! weak-supervision sets, and on simulated sources.

use crate::common;

use common::crowds::{fit, small};
use common::{accuracy, data_dir, real_set};
use crowdwise_core::{
    AnyMethod, Context, Dataset, Fit, Gold, GoldValues, LabelKind, Probabilities, TableBuilder, stream,
};
use crowdwise_methods::classes::confusion::ClassPrior;
use crowdwise_methods::classes::sources::{CentredTriplets, Crowdlab, LabelModel, LfEm};
use rand::RngExt;
use std::collections::BTreeMap;

fn item(data: &Dataset, i: usize) -> usize {
    data.table.items().get(&format!("i{i:02}")).unwrap() as usize
}

/// Posteriors of the first four items and the sum of all squares.
fn equals(method: &dyn AnyMethod, data: &Dataset, want: [[f64; 3]; 4], squares: f64, tolerance: f64) {
    let f = fit(method, data);
    let (k, q) = f.posterior().unwrap();
    for (i, row) in want.iter().enumerate() {
        for (c, want) in row.iter().enumerate() {
            let got = q[item(data, i) * k + c];
            assert!((got - want).abs() < tolerance, "{}: item {i}, class {c}: {got}, numpy {want}", method.info().id);
        }
    }
    let got: f64 = q.iter().map(|p| p * p).sum();
    assert!((got - squares).abs() < 14.0 * tolerance, "{}: {got}, numpy {squares}", method.info().id);
}

#[test]
fn posteriors_equal_those_of_numpy() {
    let data = small();
    // converged; numpy adds 1e-6 for labels that a source never gives
    let lf = LfEm { max_iter: 2000, ..LfEm::default() };
    equals(
        &lf,
        &data,
        [
            [0.388_356_063, 0.213_300_132, 0.398_343_805],
            [0.274_627_325, 0.243_121_569, 0.482_251_106],
            [0.407_363_543, 0.255_749_621, 0.336_886_836],
            [0.411_262_658, 0.254_719_654, 0.334_017_688],
        ],
        4.948_228_075,
        2e-5,
    );
    equals(
        &LfEm { abstentions: false, ..lf },
        &data,
        [
            [0.345_195_588, 0.307_561_629, 0.347_242_782],
            [0.265_934_973, 0.265_934_973, 0.468_130_053],
            [0.374_231_253, 0.293_923_578, 0.331_845_169],
            [0.374_477_215, 0.292_198_775, 0.333_324_01],
        ],
        4.837_675_163,
        2e-5,
    );
    equals(
        &CentredTriplets::default(),
        &data,
        [
            [0.068_856_423, 0.014_081_004, 0.917_062_574],
            [5e-09, 5e-09, 0.999_999_991],
            [0.509_648_26, 0.009_811_143, 0.480_540_597],
            [0.567_562_689, 0.000_521_702, 0.431_915_609],
        ],
        12.024_914_522,
        2e-9,
    );
    let model = LabelModel { max_iter: 200, tol: 0.0, ..LabelModel::default() };
    equals(
        &model,
        &data,
        [
            [0.928_194_425, 4.64e-06, 0.071_800_935],
            [1.06e-07, 1.448e-06, 0.999_998_446],
            [0.994_482_936, 4.502e-06, 0.005_512_563],
            [0.996_580_925, 2.953e-06, 0.003_416_122],
        ],
        13.142_807_919,
        2e-9,
    );
    equals(
        &LabelModel { abstentions: false, ..model },
        &data,
        [
            [0.888_445_929, 0.004_798_6, 0.106_755_471],
            [1.808e-06, 2.233e-06, 0.999_995_958],
            [0.959_950_06, 0.000_480_436, 0.039_569_504],
            [0.974_831_796, 0.000_319_355, 0.024_848_848],
        ],
        13.092_087_383,
        2e-9,
    );
}

/// Class probabilities for the 14 items of the small table.
const PROBABILITIES: [[f64; 3]; 14] = [
    [0.5, 0.2, 0.3],
    [0.1, 0.1, 0.8],
    [0.4, 0.3, 0.3],
    [0.6, 0.2, 0.2],
    [0.2, 0.7, 0.1],
    [0.1, 0.8, 0.1],
    [0.2, 0.5, 0.3],
    [0.3, 0.3, 0.4],
    [0.1, 0.2, 0.7],
    [0.5, 0.3, 0.2],
    [0.7, 0.2, 0.1],
    [0.3, 0.6, 0.1],
    [0.1, 0.8, 0.1],
    [0.4, 0.4, 0.2],
];

/// A numpy program that equals cleanlab 2.9.0 to 2e-16 on two real sets.
#[test]
fn crowdlab_equals_numpy() {
    let mut data = small();
    let mut rows = vec![0.0; 14 * 3];
    for (i, p) in PROBABILITIES.iter().enumerate() {
        rows[item(&data, i) * 3..][..3].copy_from_slice(p);
    }
    data.probabilities = Some(Probabilities::new(3, rows, "given").unwrap());
    equals(
        &Crowdlab::default(),
        &data,
        [
            [0.474_572_345, 0.177_597_312, 0.347_830_342],
            [0.102_893_245, 0.102_893_245, 0.794_213_509],
            [0.461_694_993, 0.229_781_484, 0.308_523_524],
            [0.557_274_603, 0.165_933_591, 0.276_791_806],
        ],
        6.893_588_672,
        2e-9,
    );
    let f = fit(&Crowdlab::default(), &data);
    let quality = [0.697_683_55, 0.704_198_9, 0.578_753_08, 0.819_702_99, 0.649_415_22];
    for (j, want) in quality.iter().enumerate() {
        let at = data.table.annotators().get(&format!("a{j}")).unwrap() as usize;
        let got = f.annotators.weight(at).unwrap();
        assert!((got - want).abs() < 1e-8, "annotator {j}: {got}, numpy {want}");
    }
    let weight = f.diagnostics.details["model_weight"].as_f64().unwrap();
    assert!((weight - 1.870_828_693_4).abs() < 1e-9, "{weight}");
    // without them, or with too few, it refuses and says what is missing
    let refused = |data: &Dataset| Crowdlab::default().fit(data, &mut Context::new(0, 1)).unwrap_err();
    let e = refused(&small());
    assert!(e.code() == "unsupported" && e.hint().unwrap().contains("--probabilities"), "{e}");
    data.table.add_items(["one more"]);
    assert!(refused(&data).to_string().contains("for 14 items, but there are 15"));
}

/// A weak-supervision set with all its items, those without a vote too; truth of all and of the covered ones.
fn weak_set(name: &str) -> Option<(Dataset, Gold, Gold)> {
    let (mut data, _) = real_set(name)?;
    let text = std::fs::read_to_string(data_dir().join(name).join("truth.csv")).unwrap();
    let rows: Vec<(String, String)> =
        text.lines().skip(1).filter_map(|l| l.split_once(',')).map(|(a, b)| (a.into(), b.into())).collect();
    let covered: Vec<(String, String)> =
        rows.iter().filter(|r| data.table.items().get(&r.0).is_some()).cloned().collect();
    data.table.add_items(rows.iter().map(|r| r.0.as_str()));
    let all = Gold::from_items(&data.table, &rows, "truth").unwrap();
    let covered = Gold::from_items(&data.table, &covered, "truth").unwrap();
    Some((data, all, covered))
}

fn shares(data: &Dataset, gold: &Gold) -> BTreeMap<String, f64> {
    let GoldValues::Classes(v) = &gold.values else { panic!("classes wanted") };
    let classes = data.table.categorical().unwrap().classes;
    let mut out = BTreeMap::new();
    v.iter().for_each(|&(_, c)| *out.entry(classes.name(c as usize).to_owned()).or_insert(0.0) += 1.0);
    out
}

/// Accuracies in percent on all and on covered items, by numpy.
#[test]
fn sources_that_vote_one_class_on_real_sets() {
    let check = |method: &dyn AnyMethod, (data, all, covered): &(Dataset, Gold, Gold), want: [f64; 2]| -> Fit {
        let f = fit(method, data);
        let got = [100.0 * accuracy(&f, all), 100.0 * accuracy(&f, covered)];
        eprintln!("{} {got:.2?} ({want:?})", method.info().id);
        assert!(
            (got[0] - want[0]).abs() < 0.1 && (got[1] - want[1]).abs() < 0.1,
            "{}: {got:.2?}, numpy {want:?}",
            method.info().id
        );
        f
    };
    if let Some(set) = weak_set("ws_youtube") {
        let fixed = LfEm { class_prior: ClassPrior::Fixed, class_shares: shares(&set.0, &set.1), ..LfEm::default() };
        check(&LfEm::default(), &set, [84.66, 86.00]);
        check(&fixed, &set, [85.02, 86.40]);
        check(&LfEm { abstentions: false, ..LfEm::default() }, &set, [82.87, 87.21]);
        check(&CentredTriplets::default(), &set, [86.45, 91.26]);
        let known = CentredTriplets { class_shares: shares(&set.0, &set.1), abstentions: true };
        check(&known, &set, [89.88, 91.90]);
        check(&LabelModel::default(), &set, [83.49, 84.66]);
        check(&LabelModel { abstentions: false, ..LabelModel::default() }, &set, [81.75, 85.94]);
    }
    if let Some(set) = weak_set("ws_hausa") {
        check(&LfEm::default(), &set, [50.91, 51.26]);
        check(&LfEm { abstentions: false, ..LfEm::default() }, &set, [50.59, 50.85]);
        check(&LabelModel { abstentions: false, ..LabelModel::default() }, &set, [50.80, 51.1]);
        // its functions exclude one another: no triples
        let f = check(&CentredTriplets::default(), &set, [50.91, 51.26]);
        assert!(f.findings.iter().any(|f| f.code == "no-triples"));
    }
}

/// Sources of one class each: source m votes class m mod K with rate t on its items and f elsewhere.
struct Simulated {
    data: Dataset,
    truth: Vec<usize>,
    shares: BTreeMap<String, f64>,
}

impl Simulated {
    /// With `copies`, sources 2 and 4 repeat what source 0 does on eight items of ten.
    fn new(seed: u64, items: usize, k: usize, sources: usize, copies: bool) -> Simulated {
        let mut rng = stream(seed, "sources", k as u64);
        let rates: Vec<(f64, f64)> =
            (0..sources).map(|_| (rng.random_range(0.2..0.5), rng.random_range(0.02..0.12))).collect();
        let weights: Vec<f64> = (0..k).map(|_| rng.random_range(0.8..1.2)).collect();
        let total: f64 = weights.iter().sum();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let mut truth = Vec::new();
        for i in 0..items {
            b.items.intern(&format!("i{i}"));
            let mut at = rng.random::<f64>() * total;
            let z = weights.iter().position(|w| {
                at -= w;
                at < 0.0
            });
            let z = z.unwrap_or(k - 1);
            truth.push(z);
            let mut fires: Vec<bool> =
                (0..sources).map(|m| rng.random_bool(if z == m % k { rates[m].0 } else { rates[m].1 })).collect();
            if copies {
                for m in [2, 4] {
                    if rng.random_bool(0.8) {
                        fires[m] = fires[0];
                    }
                }
            }
            for m in (0..sources).filter(|&m| fires[m]) {
                b.label(&format!("i{i}"), &format!("s{m}"), &(m % k).to_string()).unwrap();
            }
        }
        let mut table = b.finish().unwrap();
        let names: Vec<String> = (0..items).map(|i| format!("i{i}")).collect();
        table.add_items(names.iter().map(String::as_str));
        let shares = weights.iter().enumerate().map(|(c, w)| (c.to_string(), *w)).collect();
        Simulated { data: Dataset::new(table), truth, shares }
    }

    fn accuracy(&self, m: &dyn AnyMethod) -> f64 {
        let rows: Vec<(String, String)> =
            self.truth.iter().enumerate().map(|(i, z)| (format!("i{i}"), z.to_string())).collect();
        100.0 * accuracy(&fit(m, &self.data), &Gold::from_items(&self.data.table, &rows, "truth").unwrap())
    }
}

fn mean(all: &[Simulated], method: impl Fn(&Simulated) -> f64) -> f64 {
    all.iter().map(method).sum::<f64>() / all.len() as f64
}

#[test]
fn label_models_learn_simulated_sources() {
    let vote = crowdwise_methods::find("majority-vote").unwrap().default();
    let ds = crowdwise_methods::find("dawid-skene").unwrap().default();
    for (k, sources) in [(2, 10), (4, 20)] {
        let all: Vec<Simulated> = (0..3).map(|seed| Simulated::new(seed, 4000, k, sources, false)).collect();
        let mv = mean(&all, |s| s.accuracy(&*vote));
        let dawid_skene = mean(&all, |s| s.accuracy(&*ds));
        let em =
            mean(&all, |s| s.accuracy(&LfEm { strength: 0.01, class_prior: ClassPrior::Learn, ..LfEm::default() }));
        let default = mean(&all, |s| s.accuracy(&LfEm::default()));
        let triplets =
            mean(&all, |s| s.accuracy(&CentredTriplets { class_shares: s.shares.clone(), abstentions: true }));
        let model = mean(&all, |s| s.accuracy(&LabelModel { class_shares: s.shares.clone(), ..LabelModel::default() }));
        eprintln!(
            "K {k}: mv {mv:.1} ds {dawid_skene:.1} lf-em {default:.1}, learned {em:.1} triplets {triplets:.1} model {model:.1}"
        );
        assert!(
            dawid_skene < mv - 10.0,
            "Dawid-Skene collapses on sources of one class: {dawid_skene:.1}, vote {mv:.1}"
        );
        assert!(default > mv - 0.5 && em > mv + 1.0, "lf-em {default:.1}, learned {em:.1}, vote {mv:.1}");
        assert!(triplets > mv + 1.0 && model > mv + 1.0, "triplets {triplets:.1}, model {model:.1}, vote {mv:.1}");
    }
}

#[test]
fn copies_share_one_weight() {
    let all: Vec<Simulated> = (0..3).map(|seed| Simulated::new(seed, 4000, 2, 10, true)).collect();
    let with = mean(&all, |s| s.accuracy(&LfEm::default()));
    let without = mean(&all, |s| s.accuracy(&LfEm { copy_threshold: 1.0, ..LfEm::default() }));
    eprintln!("copies weighted down {with:.1}, not {without:.1}");
    assert!(with > without + 3.0, "copies weighted down {with:.1}, not {without:.1}");
}
