//! A model in a file: the magic bytes, the length of the header, the header (JSON), the numbers of the header's sections as they
//! lie in memory (little-endian), and a checksum of all that goes before.
//!
//! The checksum guards against damage, not against malice: everything that the header says is compared with what the file
//! holds before memory is asked for, and every number is looked at before it is used.

use super::{Heard, Model, Readout};
use crate::expert::words::{Experts, Form};
use crate::network::{Architecture, LayerSpec};
use crate::{Scaler, Weights};
use crowdwise_core::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The format, with its number at the end.
const MAGIC: &[u8; 8] = b"CWMODEL1";

#[derive(Serialize, Deserialize)]
struct Header {
    method: String,
    params: Value,
    seed: u64,
    version: String,
    classes: Vec<String>,
    annotators: Vec<String>,
    readout: Readout,
    width: usize,
    image: Option<[usize; 3]>,
    #[serde(default)]
    limit: Option<f32>,
    architecture: Architecture,
    weights: usize,
    evidence: usize,
    offset: Vec<f64>,
    bound: f64,
    numbers: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    experts: Option<Form>,
}

/// FNV-1a: any single changed byte changes it.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

impl Header {
    /// Bytes of all numbers after the header, where that can be counted.
    fn bytes(&self) -> Option<usize> {
        let by_experts = match self.experts {
            Some(form) => form.numbers(self.classes.len(), self.annotators.len(), self.width)?,
            None => 0,
        };
        let singles = self.width.checked_mul(2)?.checked_add(self.weights)?;
        let doubles = self.evidence.checked_add(self.numbers)?.checked_add(by_experts)?;
        singles.checked_mul(4)?.checked_add(doubles.checked_mul(8)?)
    }

    /// What contradicts itself, before anything is made of it. `held` is the number of bytes that follow.
    fn problem(&self, held: usize) -> Option<String> {
        let k = self.classes.len();
        let scores = self.architecture.outputs();
        if k == 0 {
            return Some("it has no classes".into());
        }
        let twice = |names: &[String]| {
            let mut seen: Vec<&String> = names.iter().collect();
            seen.sort_unstable();
            seen.windows(2).find(|w| w[0] == w[1]).map(|w| format!("`{}` is named twice", w[0]))
        };
        if let Some(what) = twice(&self.classes).or_else(|| twice(&self.annotators)) {
            return Some(what);
        }
        let cells = k.checked_mul(k).and_then(|n| n.checked_mul(self.annotators.len()));
        let image = self.image.is_none_or(|[h, w, c]| {
            h.checked_mul(w).and_then(|n| n.checked_mul(c)) == Some(self.width) && self.width > 0
        });
        let sizes = self.bytes() == Some(held)
            && cells == Some(self.evidence)
            && self.offset.len() == k
            && self.readout.numbers(scores, k) == Some(self.numbers)
            && self.readout.fits(scores, k)
            && self.architecture.input.len() == self.width
            && self.architecture.numbers() == Some(self.weights)
            && image;
        if !sizes {
            return Some("its sizes contradict each other".into());
        }
        if self.limit.is_some_and(|x| x.is_nan() || x < 0.0) {
            return Some("`limit` is negative or no number".into());
        }
        if !(self.bound > 0.0 && self.bound <= 1.0) {
            return Some(format!("`bound` is {}, but is a probability", self.bound));
        }
        let bad = |l: &LayerSpec| matches!(l, LayerSpec::Dropout { rate } if !(0.0..1.0).contains(rate));
        self.architecture.layers.iter().any(bad).then(|| "a rate of dropout is not between 0 and 1".into())
    }
}

impl Model {
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            method: self.method.clone(),
            params: self.params.clone(),
            seed: self.seed,
            version: self.version.clone(),
            classes: self.classes.clone(),
            annotators: self.annotators.clone(),
            readout: self.readout.clone(),
            width: self.scaler.width,
            image: self.scaler.image,
            limit: self.scaler.limit,
            architecture: self.architecture.clone(),
            weights: self.weights.0.len(),
            evidence: self.heard.evidence.len(),
            offset: self.heard.offset.clone(),
            bound: self.heard.bound,
            numbers: self.numbers.len(),
            experts: self.heard.experts.as_ref().map(|e| e.form),
        };
        let header = serde_json::to_vec(&header).expect("a plain struct");
        let mut out = MAGIC.to_vec();
        out.extend((header.len() as u64).to_le_bytes());
        out.extend(header);
        for x in self.scaler.mean.iter().chain(&self.scaler.factor).chain(&self.weights.0) {
            out.extend(x.to_le_bytes());
        }
        let experts = self.heard.experts.iter().flat_map(|e| &e.numbers);
        for x in self.heard.evidence.iter().chain(&self.numbers).chain(experts) {
            out.extend(x.to_le_bytes());
        }
        let sum = checksum(&out);
        out.extend(sum.to_le_bytes());
        out
    }

    /// Reads a model back; `file` is for messages.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Model, Error> {
        let refuse = |what: &str, hint: &str| Error::Unreadable {
            file: file.into(),
            what: what.into(),
            hint: Some(hint.into()),
        };
        let again = "it is damaged or was not copied whole: take another copy, or train again";
        let update = "take a newer version of this program, or train again with this one";
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            let number = bytes.strip_prefix(&MAGIC[..7]).and_then(<[u8]>::first).filter(|b| b.is_ascii_digit());
            return Err(match number {
                Some(n) => refuse(
                    &format!("it is a model in format {}, and this program reads format 1", char::from(*n)),
                    update,
                ),
                None => refuse("it is not a Crowdwise model", "⟦crowdwise learn … --model-out FILE⟧ makes one"),
            });
        };
        let Some((body, sum)) = bytes.split_last_chunk::<8>().filter(|_| rest.len() >= 16) else {
            return Err(refuse("the model is cut off", again));
        };
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(refuse("the checksum of the model does not fit its content", again));
        }
        let (length, rest) = body[MAGIC.len()..].split_first_chunk::<8>().expect("the length was looked at");
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (header, numbers) = rest.split_at_checked(length).ok_or_else(|| refuse("the model is cut off", again))?;
        check_version(header).map_err(|what| refuse(&what, update))?;
        let h: Header = serde_json::from_slice(header).map_err(|e| refuse(&format!("its header: {e}"), again))?;
        if let Some(what) = h.problem(numbers.len()) {
            return Err(refuse(&what, again));
        }
        let (singles, doubles) = numbers.split_at(h.width * 8 + h.weights * 4);
        let mut singles = singles.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let mut take = |n: usize| -> Vec<f32> { singles.by_ref().take(n).collect() };
        let (mean, factor, weights) = (take(h.width), take(h.width), take(h.weights));
        let mut doubles = doubles.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes")));
        let mut take = |n: usize| -> Vec<f64> { doubles.by_ref().take(n).collect() };
        let (evidence, numbers) = (take(h.evidence), take(h.numbers));
        let (k, m, d) = (h.classes.len(), h.annotators.len(), h.width);
        let experts = h.experts.map(|form| Experts { form, k, m, d, numbers: doubles.collect() });
        let model = Model {
            method: h.method,
            params: h.params,
            seed: h.seed,
            version: h.version,
            classes: h.classes,
            annotators: h.annotators,
            readout: h.readout,
            scaler: Scaler { width: h.width, image: h.image, mean, factor, limit: h.limit },
            architecture: h.architecture,
            weights: Weights(weights),
            heard: Heard { evidence, offset: h.offset, bound: h.bound, experts },
            numbers,
        };
        if let Some(what) = model.not_finite() {
            return Err(refuse(&format!("{what} are not all finite"), again));
        }
        model.network().map_err(|_| refuse("its weights do not fit its network", again))?;
        Ok(model)
    }
}

/// Refuses a model of a later version: what its numbers mean may have changed.
fn check_version(header: &[u8]) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Versioned {
        version: String,
    }
    // a header that is none at all is told of by whoever reads all of it
    let Ok(v) = serde_json::from_slice::<Versioned>(header) else { return Ok(()) };
    crowdwise_core::check_version(&v.version).map_err(|what| format!("it {what}"))
}

#[cfg(test)]
mod tests;
