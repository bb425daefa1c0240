//! A trained classifier that can be kept in a file.
//!
//! The file: the magic bytes, the length of the header, the header (JSON), the numbers of the header's sections as they
//! lie in memory (little-endian), and a checksum of all that goes before.

use crate::classifier::scores;
use crate::confusion::{Words, log_transposed, normalise};
use crate::em::{Attack, ranges};
use crate::expert::words::{Experts, Form};
use crate::learn::{Learner, Recipe};
use crate::network::{Architecture, Network, Optimiser, OptimiserKind};
pub(crate) use crate::readout::Readout;
use crate::{Classifier, Matrix, Mode, Probabilities, Scaler, Weights};
use crowdwise_core::{Dataset, Error, Features, stats, stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A classifier with everything that it needs to classify: method, parameters, classes, scaling, weights, and what the
/// labels of the annotators it knows are worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub method: String,
    pub params: Value,
    pub seed: u64,
    /// Version of the library that trained it.
    pub version: String,
    pub classes: Vec<String>,
    pub annotators: Vec<String>,
    pub readout: Readout,
    scaler: Scaler,
    architecture: Architecture,
    weights: Weights,
    heard: Heard,
    /// What the readout needs.
    numbers: Vec<f64>,
}

/// What labels are worth to a model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heard {
    /// annotators x label x class, logarithms
    pub evidence: Vec<f64>,
    /// Added for every item with labels, a number per class.
    pub offset: Vec<f64>,
    /// Most probability that the classifier may give to a class when labels speak, too.
    pub bound: f64,
    /// What speaks instead of `evidence` where expertise depends on the item.
    pub experts: Option<Experts>,
}

impl Heard {
    pub fn of(learner: &impl Learner, k: usize) -> Self {
        let evidence = learner.evidence().unwrap_or_else(|| log_transposed(&learner.confusion(), k));
        let mut offset = learner.offset();
        offset.resize(k, 0.0);
        Heard { evidence, offset, bound: learner.bound(), experts: learner.experts() }
    }

    /// Confusion matrices and nothing else.
    pub fn confusion(confusion: &[f64], k: usize) -> Self {
        Heard { evidence: log_transposed(confusion, k), offset: vec![0.0; k], bound: 1.0, experts: None }
    }
}

/// What dropout says of the classifier's own uncertainty.
#[derive(Clone, Debug, PartialEq)]
pub struct McDropout {
    /// Mean of the drawn probabilities.
    pub mean: Probabilities,
    /// Entropy of the mean in bits.
    pub entropy: Vec<f64>,
    /// Information in bits that the truth of the item would give about the classifier: the entropy of the mean less the
    /// mean of the entropies.
    pub bald: Vec<f64>,
}

impl Model {
    pub(crate) fn new(
        recipe: &Recipe<'_>,
        seed: u64,
        data: &Dataset,
        scaler: Scaler,
        net: &Network,
        (readout, numbers): (Readout, Vec<f64>),
        heard: Heard,
    ) -> Result<Self, Error> {
        let classes = data.table.categorical().expect("categorical labels").classes;
        Ok(Model {
            method: recipe.info.id.into(),
            params: recipe.params.clone(),
            seed,
            version: env!("CARGO_PKG_VERSION").into(),
            classes: classes.iter().map(Into::into).collect(),
            annotators: data.table.annotators().iter().map(Into::into).collect(),
            readout,
            scaler,
            architecture: net.architecture().clone(),
            weights: net.snapshot()?,
            heard,
            numbers,
        })
    }

    /// Numbers in a row of features.
    pub fn width(&self) -> usize {
        self.scaler.width
    }

    fn network(&self) -> Result<Network, Error> {
        let optimiser = Optimiser::new(OptimiserKind::Sgd, 0.0, 0.0);
        let mut net = Network::new(self.architecture.clone(), optimiser, self.seed);
        net.restore(&self.weights)?;
        Ok(net)
    }

    fn rows(&self, net: &mut Network, x: &Matrix, mode: Mode) -> Result<Probabilities, Error> {
        let all: Vec<u32> = (0..x.rows as u32).collect();
        Ok(self.readout.probabilities(&self.numbers, self.classes.len(), &scores(net, x, &all, mode)?))
    }

    /// Class probabilities of new items.
    pub fn predict(&self, features: &Features) -> Result<Probabilities, Error> {
        self.rows(&mut self.network()?, &self.scaler.apply(features)?, Mode::Eval)
    }

    /// Class probabilities of the items of `data` from their features and the labels that they have. Labels by annotators
    /// whom the model does not know count nothing; their number is given back. A class that it does not know is an error.
    pub fn predict_with_labels(&self, data: &Dataset) -> Result<(Probabilities, usize), Error> {
        let features = data
            .features
            .as_ref()
            .ok_or_else(|| Error::Unsupported { what: "a classifier needs features".into(), hint: None })?;
        let labels = data.table.categorical().ok_or_else(|| Error::Unsupported {
            what: format!("the model knows classes, but {} has {} labels", data.source, data.table.kind()),
            hint: None,
        })?;
        let k = self.classes.len();
        let place = |names: &[String], name: &str| names.iter().position(|n| n == name);
        let mut class = Vec::new();
        for name in labels.classes.iter() {
            class.push(place(&self.classes, name).ok_or_else(|| Error::BadData {
                file: data.source.clone(),
                what: format!("the class `{name}` is none of the model's ({})", self.classes.join(", ")),
                hint: Some("the model can only use labels of the classes that it was trained on".into()),
            })?);
        }
        let known: std::collections::HashMap<&str, usize> =
            self.annotators.iter().enumerate().map(|(j, n)| (n.as_str(), j)).collect();
        let who: Vec<Option<usize>> = data.table.annotators().iter().map(|n| known.get(n).copied()).collect();
        let x = self.scaler.apply(features)?;
        let mut f = self.rows(&mut self.network()?, &x, Mode::Eval)?;
        let words = Words { evidence: &self.heard.evidence, offset: &self.heard.offset, bound: self.heard.bound };
        let mut strangers = 0;
        for (i, row) in f.rows.chunks_exact_mut(k).enumerate() {
            let all = data.table.rows(i).map(|r| (who[data.table.annotator()[r] as usize], class[labels.codes.get(r)]));
            let heard: Vec<(usize, usize)> = all.clone().filter_map(|(j, l)| Some((j?, l))).collect();
            strangers += all.len() - heard.len();
            match &self.heard.experts {
                _ if heard.is_empty() => {}
                Some(experts) => _ = experts.infer(x.row(i), heard.into_iter(), row),
                None => words.hear(row, heard.into_iter()),
            }
            normalise(row, k);
        }
        Ok((f, strangers))
    }

    /// P(annotator is right) on new items, where that depends on the item: whom to ask about which. Annotators are numbered
    /// as in `annotators`.
    pub fn expertise(&self, features: &Features, annotator: usize) -> Result<Option<Vec<f64>>, Error> {
        let Some(experts) = self.heard.experts.as_ref().filter(|e| annotator < e.m) else { return Ok(None) };
        let x = self.scaler.apply(features)?;
        let f = self.rows(&mut self.network()?, &x, Mode::Eval)?;
        Ok(Some((0..x.rows).map(|i| experts.right(x.row(i), annotator, f.row(i))).collect()))
    }

    /// Class probabilities after somebody who knows the model has changed the features of every item to make it look like
    /// anything but its class: how robust the classifier is. Changes stay within the range of each feature.
    pub fn attacked(&self, features: &Features, classes: &[usize], attack: Attack) -> Result<Probabilities, Error> {
        if self.readout != Readout::Softmax {
            let what = format!("`{}` has no slope by which features could be changed", self.method);
            return Err(Error::Unsupported { what, hint: None });
        }
        let (mut x, k) = (self.scaler.apply(features)?, self.classes.len());
        let bad = classes.len() != x.rows || classes.iter().any(|c| *c >= k);
        if bad {
            let what = format!("{} classes for {} items, each below {k}", classes.len(), x.rows);
            return Err(Error::BadData { file: "the classes".into(), what, hint: None });
        }
        let sure: Vec<Vec<f64>> = (0..k).map(|c| (0..k).map(|t| f64::from(u8::from(t == c))).collect()).collect();
        let mut net = self.network()?;
        let bounds = ranges(&x);
        attack.perturb(&mut net, &mut x, |b| &sure[classes[b]], &bounds, &mut stream(self.seed, "attacked", 0))?;
        self.rows(&mut net, &x, Mode::Eval)
    }

    /// Predictions of `passes` networks drawn by dropout.
    pub fn sample(&self, features: &Features, passes: usize) -> Result<McDropout, Error> {
        let x = self.scaler.apply(features)?;
        let mut net = self.network()?;
        let n = passes.max(1) as f64;
        let mut mean = Probabilities { k: self.classes.len(), rows: vec![0.0; x.rows * self.classes.len()] };
        let mut inner = vec![0.0; x.rows];
        for pass in 0..passes.max(1) {
            let f = self.rows(&mut net, &x, Mode::Sample(pass as u64))?;
            mean.rows.iter_mut().zip(&f.rows).for_each(|(m, p)| *m += p / n);
            for (i, h) in inner.iter_mut().enumerate() {
                *h += stats::entropy_bits(f.row(i)) / n;
            }
        }
        let entropy: Vec<f64> = (0..x.rows).map(|i| stats::entropy_bits(mean.row(i))).collect();
        let bald = entropy.iter().zip(&inner).map(|(h, i)| (h - i).max(0.0)).collect();
        Ok(McDropout { mean, entropy, bald })
    }
}

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

/// FNV-1a: any single changed byte changes it. It guards against damage, not against malice.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
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
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(refuse("it is no model of this program", "`crowdwise learn … --model-out FILE` makes one"));
        };
        let Some((body, sum)) = bytes.split_last_chunk::<8>().filter(|_| rest.len() >= 16) else {
            return Err(refuse("the model is cut off", again));
        };
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(refuse("the checksum of the model does not fit its content", again));
        }
        let (length, rest) = body[MAGIC.len()..].split_first_chunk::<8>().expect("the length was looked at");
        let length = u64::from_le_bytes(*length) as usize;
        let (header, numbers) = rest.split_at_checked(length).ok_or_else(|| refuse("the model is cut off", again))?;
        let newer = "a newer version of this program may have written it";
        let h: Header = serde_json::from_slice(header).map_err(|e| refuse(&format!("its header: {e}"), newer))?;
        let wanted = h.width.checked_mul(8).and_then(|n| n.checked_add(h.weights.checked_mul(4)?));
        let k = h.classes.len();
        let by_experts = h.experts.map_or(Some(0), |form| form.numbers(k, h.annotators.len(), h.width));
        let doubles = h.evidence.checked_add(h.numbers).and_then(|n| n.checked_add(by_experts?));
        let wanted = wanted.and_then(|n| n.checked_add(doubles?.checked_mul(8)?));
        let scores = h.architecture.outputs();
        if wanted != Some(numbers.len())
            || h.evidence != h.annotators.len() * k * k
            || h.offset.len() != k
            || h.numbers != h.readout.numbers(scores, k)
        {
            return Err(refuse("its sizes contradict each other", newer));
        }
        let (singles, doubles) = numbers.split_at(h.width * 8 + h.weights * 4);
        let mut singles = singles.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let mut take = |n: usize| -> Vec<f32> { singles.by_ref().take(n).collect() };
        let (mean, factor, weights) = (take(h.width), take(h.width), take(h.weights));
        let mut doubles = doubles.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes")));
        let mut take = |n: usize| -> Vec<f64> { doubles.by_ref().take(n).collect() };
        let (evidence, numbers) = (take(h.evidence), take(h.numbers));
        let (m, d) = (h.annotators.len(), h.width);
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
        if model.architecture.input.len() != model.width() {
            return Err(refuse("its sizes contradict each other", newer));
        }
        model.network().map_err(|_| refuse("its weights do not fit its network", newer))?;
        Ok(model)
    }
}
