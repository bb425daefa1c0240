//! Files of features, and what classifiers are tested on.

use crate::talk::Talk;
use crowdwise::io::{self, Source};
use crowdwise::learn::Model;
use crowdwise::questions::{Evaluation, area_under_curve, evaluate_rows};
use crowdwise::{Dataset, Error, Features};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The features of the items of `data`.
pub fn of_items(file: &Path, items: Option<&str>, data: &Dataset, talk: Talk) -> Result<Features, Error> {
    let order = items.map(|f| io::read_items(&Source::from_arg(f))).transpose()?;
    let read = io::read_features(file, order.as_ref().map(|o| o.value.as_slice()), &data.table)?;
    read.notes.iter().for_each(|note| talk.note(note));
    Ok(read.value)
}

/// Rows of features with the names of their items: of the items file, of the file itself, or the row numbers from 0.
pub fn rows(file: &Path, items: Option<&str>, talk: Talk) -> Result<(Features, Option<Vec<String>>), Error> {
    let (features, named) = io::read_feature_rows(file)?;
    let Some(items) = items else { return Ok((features, named)) };
    let read = io::read_items(&Source::from_arg(items))?;
    read.notes.iter().for_each(|note| talk.note(note));
    if read.value.len() != features.rows() {
        return Err(Error::BadData {
            file: items.into(),
            what: format!("{} items for {} rows of {}", read.value.len(), features.rows(), file.display()),
            hint: Some("both must have one row per item, in the same order".into()),
        });
    }
    Ok((features, Some(read.value)))
}

/// Items that were not trained on.
#[derive(Clone, Debug, clap::Args)]
#[expect(clippy::struct_field_names, reason = "the fields are named as the options are")]
pub struct Test {
    /// Features of items to test the classifier on
    #[arg(long, value_name = "FILE")]
    pub test_features: Option<PathBuf>,
    /// Their classes: row,label (rows from 0), item,label, or one per line
    #[arg(long, value_name = "FILE")]
    pub test_truth: Option<String>,
    /// Which row of the test features is which item
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub test_items: Option<String>,
}

/// Features with the class of some of their rows.
pub struct TestSet {
    features: Features,
    /// (row, class); classes that the answers do not know come after theirs
    truth: Vec<(usize, usize)>,
}

impl Test {
    /// One without the other is a slip.
    pub fn check(&self) -> Result<(), Error> {
        let problem = match (&self.test_features, &self.test_truth, &self.test_items) {
            (Some(_), None, _) => "--test-features needs --test-truth, the classes of its rows",
            (None, Some(_), _) => "--test-truth needs --test-features",
            (None, None, Some(_)) => "--test-items needs --test-features",
            _ => return Ok(()),
        };
        Err(Error::Usage {
            what: problem.into(),
            hint: Some("`crowdwise predict` classifies items without truth".into()),
        })
    }

    pub fn files(&self) -> [Option<&str>; 3] {
        [self.test_features.as_ref().and_then(|p| p.to_str()), self.test_truth.as_deref(), self.test_items.as_deref()]
    }

    /// Reads what the classifier of `data` is to be tested on.
    pub fn read(&self, data: &Dataset, talk: Talk) -> Result<Option<TestSet>, Error> {
        let (Some(file), Some(truth)) = (&self.test_features, &self.test_truth) else { return Ok(None) };
        let (features, items) = rows(file, self.test_items.as_deref(), talk)?;
        let trained = data.features.as_ref().map_or(0, |f| f.dim);
        if features.dim != trained {
            return Err(Error::BadData {
                file: file.display().to_string(),
                what: format!("a row has {} numbers, but the training features have {trained}", features.dim),
                hint: Some("both must be computed in the same way".into()),
            });
        }
        let names: Vec<String> =
            data.table.categorical().map(|c| c.classes.iter().map(Into::into).collect()).unwrap_or_default();
        let truth = class_truth(truth, features.rows(), items.as_deref(), &names, talk)?;
        Ok(Some(TestSet { features, truth }))
    }
}

/// (row, class) of a file of truth; classes that are none of `names` come after them.
pub fn class_truth(
    file: &str,
    rows: usize,
    items: Option<&[String]>,
    names: &[String],
    talk: Talk,
) -> Result<Vec<(usize, usize)>, Error> {
    let read = io::read_row_truth(&Source::from_arg(file), rows, items)?;
    read.notes.iter().for_each(|note| talk.note(note));
    let mut extra: Vec<String> = Vec::new();
    let mut out = Vec::new();
    for (row, class) in read.value.iter().enumerate() {
        let Some(class) = class else { continue };
        let known = names.iter().position(|n| n == class || n.trim() == class);
        let at = known.unwrap_or_else(|| {
            let place = extra.iter().position(|e| e == class).unwrap_or_else(|| {
                extra.push(class.clone());
                extra.len() - 1
            });
            names.len() + place
        });
        out.push((row, at));
    }
    if out.iter().all(|t| t.1 >= names.len()) {
        return Err(Error::BadData {
            file: file.into(),
            what: format!("none of its classes ({}) is one of the answers ({})", extra.join(", "), names.join(", ")),
            hint: Some("both files must use the same class names".into()),
        });
    }
    if !extra.is_empty() {
        talk.note(format_args!("classes of {file} in no answer, so never predicted: {}", extra.join(", ")));
    }
    Ok(out)
}

impl TestSet {
    /// How well the model classifies, and the area under the curve.
    pub fn evaluate(&self, model: &Model) -> Result<(Evaluation, Option<f64>), Error> {
        let f = model.predict(&self.features)?;
        Ok((evaluate_rows(f.k, &f.rows, &self.truth), area_under_curve(f.k, &f.rows, &self.truth)))
    }
}

/// What is known of a classifier by its test.
pub fn test_json(e: &Evaluation, auc: Option<f64>) -> Value {
    json!({
        "n": e.n, "accuracy": e.accuracy, "auc": auc, "log_loss": e.log_loss, "ece": e.ece,
        "macro_f1": e.macro_f1, "brier": e.brier,
    })
}
