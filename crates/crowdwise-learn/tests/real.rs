//! Test accuracy on real crowds with features. The data is found through `CROWDWISE_DATA` (default `../shared/data` beside
//! the checkout).

#![allow(clippy::print_stdout, clippy::print_stderr)] // what was measured, and what was left out

use crowdwise_core::{Context, Dataset, Features, stats};
use crowdwise_io::{ReadOptions, Source, read_answers, read_feature_rows, read_features, read_items, read_row_truth};
use crowdwise_learn::Model;
use serde_json::{Value, json};
use std::path::PathBuf;

struct Real {
    data: Dataset,
    test: Features,
    truth: Vec<usize>,
}

fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CROWDWISE_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let dir = root.join(name);
    if !dir.exists() {
        eprintln!("SKIPPED: no {name} in {} (set CROWDWISE_DATA)", root.display());
        return None;
    }
    Some(dir)
}

fn read(name: &str) -> Option<Real> {
    let dir = folder(name)?;
    let source = |f: &str| Source::from(dir.join(f).as_path());
    let mut data = read_answers(&source("answers.csv"), &ReadOptions::default()).unwrap().value;
    let items = read_items(&source("items.csv")).unwrap().value;
    data.table.add_items(items.iter().map(String::as_str));
    data.features = Some(read_features(&dir.join("features.npy"), Some(&items), &data.table).unwrap().value);
    let test = read_feature_rows(&dir.join("eval_features_test.npy")).unwrap().0;
    let classes = data.table.categorical().unwrap().classes.clone();
    let truth = read_row_truth(&source("eval_truth_test.csv"), test.rows(), None).unwrap().value;
    let code = |c: &Option<String>| classes.iter().position(|n| Some(n) == c.as_deref()).unwrap();
    Some(Real { truth: truth.iter().map(code).collect(), data, test })
}

/// Mean test accuracy over seeds, in percent.
fn accuracy(real: &Real, id: &str, params: &[(&str, Value)], seeds: u64) -> f64 {
    let pairs: Vec<(String, Value)> = params.iter().map(|(n, v)| ((*n).into(), v.clone())).collect();
    let m = crowdwise_learn::find(id).unwrap().with(&pairs).unwrap();
    let mut sum = 0.0;
    for seed in 0..seeds {
        let mut cx = Context::new(seed, 2);
        m.fit(&real.data, &mut cx).unwrap();
        let f = cx.take_kept::<Model>().unwrap().predict(&real.test).unwrap();
        let right = (0..f.len()).filter(|&i| stats::argmax(f.row(i)) == real.truth[i]).count();
        sum += 100.0 * right as f64 / f.len() as f64;
    }
    let mean = sum / seeds as f64;
    println!("{id}: {mean:.2} over {seeds} seeds");
    mean
}

/// Published on LabelMe: crowd layer 83.7, DoctorNet 80.6, AggNet 85.2, Max-MIG 86.4, majority vote 80.4 (Cao et al. 2019), each at the
/// epoch that is best on the test set; here the epoch is chosen by held-out crowd labels. Deviations over seeds are about 0.6.
#[test]
fn labelme_is_as_published() {
    let Some(real) = read("labelme") else { return };
    let of = |id: &str, params: &[(&str, Value)]| accuracy(&real, id, params, 2);
    let vote = of("two-stage", &[("method", json!("majority-vote")), ("labels", json!("hard"))]);
    let (layer, doctor) = (of("crowd-layer", &[]), of("doctor-net", &[]));
    let (em, mig) = (of("aggnet", &[]), of("max-mig", &[]));
    assert!((75.0..83.0).contains(&vote), "majority vote {vote}");
    assert!(layer > 82.0, "crowd layer {layer}");
    assert!(doctor > 76.0, "doctor-net {doctor}");
    assert!(em > 83.5, "aggnet {em}");
    assert!(mig > 85.3 && mig > layer, "max-mig {mig}");
}

#[test]
fn music_is_learned_end_to_end() {
    let Some(real) = read("music") else { return };
    let (mig, em) = (accuracy(&real, "max-mig", &[], 2), accuracy(&real, "aggnet", &[], 2));
    assert!(mig > 65.0 && em > 65.0, "max-mig {mig}, aggnet {em}");
    let last = [("holdout", json!(0.0)), ("epochs", json!(120))];
    let (mig, layer) = (accuracy(&real, "max-mig", &last, 3), accuracy(&real, "crowd-layer", &last, 3));
    assert!(mig > 71.0 && layer > 70.0, "at the last epoch: max-mig {mig}, crowd layer {layer}");
}
