//! Saved models and kept fits.

use crowdwise_core::Features;
use crowdwise_learn::Model;
use crowdwise_report::FitDocument;

/// A model as it is, and with a checksum that is right: that guards against accidents only.
pub fn model(bytes: &[u8]) {
    for bytes in [bytes.to_vec(), crowdwise_learn::fuzzing::sealed(bytes)] {
        let Ok(model) = Model::from_bytes(&bytes, "model.cw") else { continue };
        if model.width() > 1 << 16 {
            continue;
        }
        let features = Features { dim: model.width(), values: vec![0.5; 2 * model.width()], image: None };
        if let Ok(p) = model.predict(&features) {
            let sums = p.rows.chunks_exact(model.classes.len().max(1)).map(|row| row.iter().sum::<f64>());
            sums.for_each(|sum| assert!((sum - 1.0).abs() < 1e-6, "probabilities that sum to {sum}"));
        }
        let _ = model.sample(&features, 2);
    }
}

/// A kept fit, read and written again.
pub fn fit(bytes: &[u8]) {
    if let Ok(document) = FitDocument::from_json(bytes, "fit.json") {
        serde_json::to_vec(&document).expect("what was read can be written");
    }
}
