//! Models in files that are damaged, hostile, or of another version.

use super::*;
use serde_json::json;

/// A soft-max regression of two features and two classes that knows one annotator.
fn small() -> Model {
    Model {
        method: "aggnet".into(),
        params: json!({}),
        seed: 1,
        version: env!("CARGO_PKG_VERSION").into(),
        classes: vec!["no".into(), "yes".into()],
        annotators: vec!["w".into()],
        readout: Readout::Softmax,
        scaler: Scaler { width: 2, image: None, mean: vec![0.0; 2], factor: vec![1.0; 2], limit: Some(4.0) },
        architecture: Architecture::linear(2, 2),
        weights: Weights(vec![0.5, -0.5, 0.25, 0.0, 0.0, 0.1]),
        heard: Heard { evidence: vec![-0.5; 4], offset: vec![0.0; 2], bound: 1.0, experts: None },
        numbers: Vec::new(),
    }
}

/// The file of a model with its header changed, and a checksum that fits again.
fn with(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let bytes = small().to_bytes();
    let length = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[16..16 + length]).unwrap();
    change(&mut header);
    let header = serde_json::to_vec(&header).unwrap();
    let mut out = MAGIC.to_vec();
    out.extend((header.len() as u64).to_le_bytes());
    out.extend(header);
    out.extend(&bytes[16 + length..bytes.len() - 8]);
    signed(out)
}

fn signed(mut body: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&body);
    body.extend(sum.to_le_bytes());
    body
}

fn refused(bytes: &[u8]) -> String {
    let e = Model::from_bytes(bytes, "m.cw").unwrap_err();
    assert!(e.code() == "unreadable" && e.hint().is_some(), "{e}");
    e.to_string()
}

#[test]
fn a_model_comes_back_as_it_was() {
    assert_eq!(Model::from_bytes(&small().to_bytes(), "m.cw").unwrap(), small());
    assert_eq!(Model::from_bytes(&with(|_| ()), "m.cw").unwrap(), small());
}

/// Reliability 4: sizes that would take all memory, overflow, or wrap around to something that looks right.
#[test]
fn hostile_sizes_are_refused_before_anything_is_made() {
    let large = [json!(1u64 << 28), json!(1u64 << 40), json!(1u64 << 62), json!(u64::MAX)];
    for n in &large {
        let dense =
            with(|h| h["architecture"]["layers"] = json!([{"dense": {"outputs": n}}, {"dense": {"outputs": 2}}]));
        assert!(refused(&dense).contains("sizes contradict"), "{n}");
        let conv = with(|h| h["architecture"]["layers"] = json!([{"conv": {"filters": n}}, {"dense": {"outputs": 2}}]));
        assert!(refused(&conv).contains("sizes contradict"), "{n}");
        for field in ["width", "weights", "evidence", "numbers"] {
            assert!(refused(&with(|h| h[field] = n.clone())).contains("sizes contradict"), "{field} {n}");
        }
        let heads = with(|h| h["readout"] = json!({"heads": {"heads": n}}));
        assert!(refused(&heads).contains("sizes contradict"), "{n}");
        let points = with(|h| h["readout"] = json!({"process": {"points": n}}));
        assert!(refused(&points).contains("sizes contradict"), "{n}");
        let experts = with(|h| h["experts"] = json!({"low-rank": {"rank": n}}));
        assert!(refused(&experts).contains("sizes contradict"), "{n}");
        let image = with(|h| h["image"] = json!([n, n, 2]));
        assert!(refused(&image).contains("sizes contradict"), "{n}");
    }
    // 2^62 + 1 channels of four pixels would wrap around to four
    let shape = json!({"channels": (1u64 << 62) + 1, "height": 2, "width": 2});
    assert!(refused(&with(|h| h["architecture"]["input"] = shape)).contains("sizes contradict"));
}

/// Reliability 9: what the sizes do not show.
#[test]
fn values_that_no_training_gives_are_refused() {
    let none = with(|h| {
        h["classes"] = json!([]);
        h["offset"] = json!([]);
    });
    assert!(refused(&none).contains("no classes"));
    assert!(refused(&with(|h| h["limit"] = json!(-1.0))).contains("`limit`"));
    assert!(refused(&with(|h| h["bound"] = json!(0.0))).contains("`bound`"));
    assert!(refused(&with(|h| h["classes"] = json!(["yes", "yes"]))).contains("named twice"));
    let dropout =
        with(|h| h["architecture"]["layers"] = json!([{"dropout": {"rate": 1.5}}, {"dense": {"outputs": 2}}]));
    assert!(refused(&dropout).contains("dropout"));
}

/// Reliability 10: weights that are not numbers.
#[test]
fn weights_that_are_not_finite_are_refused() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let (mut weights, mut scaled, mut heard) = (small(), small(), small());
        weights.weights.0[3] = bad;
        scaled.scaler.factor[0] = bad;
        heard.heard.evidence[0] = f64::from(bad);
        assert!(refused(&weights.to_bytes()).contains("its weights are not all finite"));
        assert!(refused(&scaled.to_bytes()).contains("scale the features"));
        assert!(refused(&heard.to_bytes()).contains("annotators"));
    }
}

/// Reliability 19: models of later versions and formats.
#[test]
fn a_newer_version_says_so() {
    assert!(
        refused(&with(|h| h["version"] = json!("9.9.9"))).contains("version 9.9.9 of this program, which is newer")
    );
    // also where the header itself has changed since
    let changed = with(|h| {
        h["version"] = json!("9.9.9");
        h["readout"] = json!("oracle");
    });
    assert!(refused(&changed).contains("newer"));
    assert!(refused(&with(|h| h["version"] = json!("soon"))).contains("`soon`"));
    assert!(Model::from_bytes(&with(|h| h["version"] = json!("0.0.9")), "m.cw").is_ok());
    let mut second = small().to_bytes();
    second[7] = b'2';
    assert!(refused(&second).contains("a model in format 2, and this program reads format 1"));
    assert!(refused(b"PK nothing").contains("not a Crowdwise model"));
}

/// What is counted without making it is what is made.
#[test]
fn networks_have_as_many_numbers_as_are_counted() {
    use crate::Classifier;
    use crate::network::{Network, Optimiser, OptimiserKind, Shape};
    let image = Shape { channels: 3, height: 9, width: 6 };
    for a in [
        Architecture::linear(5, 3),
        Architecture::mlp(5, &[7, 4], 3, 0.5, true),
        Architecture::convolutional(image, &[8], 2, 0.5),
    ] {
        let net = Network::new(a.clone(), Optimiser::new(OptimiserKind::Sgd, 0.0, 0.0), 1);
        assert_eq!(a.numbers(), Some(net.snapshot().unwrap().0.len()), "{a:?}");
    }
}
