//! What is known of annotators from elsewhere, as parameters of the methods that use it.

use crate::options::KeyValue;
use crate::source::is_fit;
use crate::talk::Talk;
use crowdwise::io::{self, Source};
use crowdwise::methods::classes::ByName;
use crowdwise::report::{AnnotatorEntry, FitDocument};
use crowdwise::{Dataset, Error, LabelKind};
use std::collections::{BTreeMap, BTreeSet};

/// An option that hands over what is known, and the parameter of the methods that take it.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub option: &'static str,
    parameter: &'static str,
    /// The method that is used where none is asked for.
    pub default: &'static str,
}

pub const MATRICES: Way = Way { option: "--annotators-from", parameter: "confusion", default: "known-confusions" };
pub const PRIOR: Way = Way { option: "--prior-fit", parameter: "prior", default: "pooled-dawid-skene" };

impl Way {
    /// Whether a method takes it.
    pub fn check(self, method: Option<&str>) -> Result<(), Error> {
        let Some(name) = method else { return Ok(()) };
        let defaults = crowdwise::find(name)?.defaults();
        if defaults.get(self.parameter).is_some_and(serde_json::Value::is_object) {
            return Ok(());
        }
        Err(Error::Usage {
            what: format!("{} is not for {name}", self.option),
            hint: Some(format!("use `-m {}`", self.default)),
        })
    }
}

/// Labels elsewhere that a prior counts in full; beyond these, and beside the two that everybody has, it grows no more.
const MOST: f64 = 10.0;

/// Confusion matrices, and class shares if a fit tells them and `shares_given` does not.
pub fn matrices(file: &str, data: &Dataset, shares_given: bool, talk: Talk) -> Result<Vec<KeyValue>, Error> {
    if !is_fit(file) {
        let read = io::read_confusions(&Source::from_arg(file), &data.table)?;
        read.notes.iter().for_each(|note| talk.note(note));
        return Ok(vec![value(MATRICES.parameter, &read.value)]);
    }
    let document = document(file, data)?;
    let mut out = vec![value(MATRICES.parameter, &by_name(file, &document, data, |_, p| p, talk)?)];
    if let Some(prior) = document.class_prior.as_ref().filter(|_| !shares_given) {
        let share: BTreeMap<&str, f64> =
            document.class_names.iter().map(String::as_str).zip(prior.iter().copied()).collect();
        let here = classes(data);
        match here.iter().find(|c| share.get(**c).is_none_or(|s| *s <= 0.0)) {
            None => {
                let shares: BTreeMap<&str, f64> = here.iter().map(|c| (*c, share[c])).collect();
                out.push(value("class_shares", &shares));
            }
            Some(c) => {
                talk.note(format_args!("{file} has no share for class `{c}`: all classes are taken to be alike"));
            }
        }
    }
    Ok(out)
}

/// What annotators bring from an earlier fit: their matrix there, as if they had given up to ten of their labels there and two
/// more of each class.
pub fn prior(file: &str, data: &Dataset, talk: Talk) -> Result<KeyValue, Error> {
    let document = document(file, data)?;
    let pull = |a: &AnnotatorEntry, p: f64| (2.0 + (a.n as f64).min(MOST)) * p;
    Ok(value(PRIOR.parameter, &by_name(file, &document, data, pull, talk)?))
}

fn value(name: &str, x: &impl serde::Serialize) -> KeyValue {
    KeyValue::new(name, &serde_json::to_string(x).unwrap_or_default())
}

fn classes(data: &Dataset) -> Vec<&str> {
    data.table.categorical().map(|c| c.classes.iter().collect()).unwrap_or_default()
}

fn document(file: &str, data: &Dataset) -> Result<FitDocument<'static>, Error> {
    if !is_fit(file) {
        return Err(Error::Usage {
            what: format!("{file} is not a kept fit"),
            hint: Some("`crowdwise fit ANSWERS -o fit.json` writes one".into()),
        });
    }
    let document = FitDocument::from_json(&Source::from_arg(file).bytes()?, file)?;
    for (kind, name) in [(document.kind, file), (data.table.kind(), data.source.as_str())] {
        if kind != LabelKind::Categorical {
            return Err(Error::Usage {
                what: format!("confusion matrices are for classes, but {name} has {kind} labels"),
                hint: None,
            });
        }
    }
    Ok(document)
}

/// Matrices of a fit by names, for annotators and classes that the answers have.
fn by_name(
    file: &str,
    document: &FitDocument<'_>,
    data: &Dataset,
    cell: impl Fn(&AnnotatorEntry, f64) -> f64,
    talk: Talk,
) -> Result<ByName, Error> {
    let here: BTreeSet<&str> = classes(data).into_iter().collect();
    let there = &document.class_names;
    let shared = there.iter().filter(|c| here.contains(c.as_str())).count();
    if shared == 0 {
        return Err(Error::BadData {
            file: file.into(),
            what: format!(
                "none of its classes ({}) is one of the answers ({})",
                there.join(", "),
                classes(data).join(", ")
            ),
            hint: Some("matrices are matched by the names of classes".into()),
        });
    }
    let names: BTreeSet<&str> = data.table.annotators().iter().collect();
    let mut out = ByName::new();
    let mut without = 0;
    for a in document.annotators.iter().filter(|a| names.contains(a.annotator.as_str())) {
        let Some(matrix) = &a.confusion else {
            without += 1;
            continue;
        };
        let own = out.entry(a.annotator.clone()).or_default();
        for (truth, row) in there.iter().zip(matrix).filter(|(t, _)| here.contains(t.as_str())) {
            let cells = there.iter().zip(row).filter(|(l, _)| here.contains(l.as_str()));
            own.insert(truth.clone(), cells.map(|(l, &p)| (l.clone(), cell(a, p))).collect());
        }
    }
    if out.is_empty() {
        let what = match without {
            0 => "has no annotator of the answers".into(),
            n => format!("has no confusion matrices ({n} of its annotators are in the answers)"),
        };
        let hint = Some("annotators are matched by name; fits of methods with confusion matrices have them".into());
        return Err(Error::NoData { file: file.into(), what, hint });
    }
    talk.note(format_args!("{} of {} annotators are known from {file}", out.len(), names.len()));
    if shared < there.len().max(here.len()) {
        talk.note(format_args!(
            "{shared} classes are in {file} and in the answers; what is known of others is left out"
        ));
    }
    Ok(out)
}
