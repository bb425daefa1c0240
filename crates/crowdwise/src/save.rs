//! A dataset and its fit as a page or a document.

use crate::report::{AskRow, FitDocument, PageInput, page};
use crowdwise_ask::collection::Collection;
use crowdwise_ask::model::{Model, Settings};
use crowdwise_ask::next::{Options, Question, Want, next};
use crowdwise_core::questions::{Comparison, Evaluation, ItemOrder, annotators, evaluate, inspect, items};
use crowdwise_core::{Dataset, Error, Fit, Gold, LabelKind, Structure};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

/// Hard items that a page shows.
const HARD_ITEMS: usize = 25;

/// The last part of a path: the page of `results/july/votes.csv` is about votes.csv, wherever it lies.
fn file_name(source: &str) -> &str {
    Path::new(source).file_name().and_then(|n| n.to_str()).unwrap_or(source)
}

/// Everything there is to say of a fit: a self-contained page for people, a JSON document for programs.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    data: &'a Dataset,
    fit: &'a Fit,
    title: Option<String>,
    truth: Option<&'a Gold>,
    comparison: Option<&'a Comparison>,
    elapsed: Option<Duration>,
    command: Option<String>,
}

impl<'a> Report<'a> {
    /// A report of this fit of these data, with the file name of the data as its title.
    pub fn new(data: &'a Dataset, fit: &'a Fit) -> Self {
        Report { data, fit, title: None, truth: None, comparison: None, elapsed: None, command: None }
    }

    /// Instead of the file name of the data.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Also says how well the fit agrees with known truth.
    #[must_use]
    pub fn truth(mut self, truth: Option<&'a Gold>) -> Self {
        self.truth = truth;
        self
    }

    /// Also shows how other methods do on the same data.
    #[must_use]
    pub fn comparison(mut self, comparison: Option<&'a Comparison>) -> Self {
        self.comparison = comparison;
        self
    }

    /// The time the fit took.
    #[must_use]
    pub fn elapsed(mut self, elapsed: Duration) -> Self {
        self.elapsed = Some(elapsed);
        self
    }

    /// The command by which the page can be made again.
    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }

    fn evaluation(&self) -> Option<Evaluation> {
        self.truth.map(|gold| evaluate(self.fit, self.data, gold))
    }

    /// One HTML page that needs no network.
    pub fn html(&self) -> String {
        let (data, fit) = (self.data, self.fit);
        let inspection = inspect(data, fit.provenance.seed);
        let rows = annotators(data, fit);
        let hard = items(data, fit, ItemOrder::Entropy, HARD_ITEMS);
        let evaluation = self.evaluation();
        let title = self.title.clone().unwrap_or_else(|| file_name(&data.source).to_owned());
        let mut input = PageInput::new(title, data, fit, &inspection, &rows, &hard);
        input.evaluation = evaluation.as_ref();
        input.truth = self.truth;
        input.comparison = self.comparison;
        input.elapsed_seconds = self.elapsed.map_or(f64::NAN, |t| t.as_secs_f64());
        input.command.clone_from(&self.command);
        let questions = questions(data, fit.provenance.seed);
        input.questions = &questions;
        page(&input)
    }

    /// The document that `crowdwise fit --format json` prints.
    pub fn document(&self) -> FitDocument<'a> {
        FitDocument::new(self.data, self.fit, self.evaluation(), self.elapsed.unwrap_or_default())
    }

    /// Writes the page, or the document if the name ends in `.json`.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let write = || -> io::Result<()> {
            let mut file = BufWriter::new(std::fs::File::create(path)?);
            if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
                serde_json::to_writer(&mut file, &self.document())?;
            } else {
                file.write_all(self.html().as_bytes())?;
            }
            file.flush()
        };
        write().map_err(|e| Error::Unwritable { file: path.display().to_string(), what: e.to_string() })
    }
}

/// Labels up to which a page also says what to ask next: that takes a fit of its own.
const MOST_LABELS: usize = 2_000_000;
/// Questions that a page shows.
const QUESTIONS: usize = 15;

/// What to ask next about classes of items that stand alone; of other answers `crowdwise next` and `rank --next` tell.
fn questions(data: &Dataset, seed: u64) -> Vec<AskRow> {
    let alone = matches!(data.structure, Structure::Independent) && data.table.kind() == LabelKind::Categorical;
    if !alone || data.table.n_labels() > MOST_LABELS || data.table.n_annotators() < 3 {
        return Vec::new();
    }
    let Ok(collection) = Collection::of(data, &[]) else { return Vec::new() };
    let state = &collection.state;
    let model = Model::fitted(&state.answers, &state.known, Settings::default());
    let options = Options { want: Want::Questions(QUESTIONS), seed, ..Options::default() };
    let (items, annotators) = (data.table.items(), data.table.annotators());
    let classes = data.table.categorical().map(|c| c.classes);
    let row = |q: &Question| {
        let who = &collection.annotators[q.annotator as usize];
        Some(AskRow {
            item: items.get(&collection.items[q.item as usize])? as usize,
            annotator: annotators.get(who)? as usize,
            class: q.class.and_then(|c| classes?.get(&collection.classes[c as usize])).map(|c| c as usize),
            gain_bits: q.gain,
            why: q.words(who, |c| collection.classes[c].clone()),
        })
    };
    let mut rows: Vec<AskRow> = next(state, &model, &options).questions.iter().filter_map(row).collect();
    // those for coverage come last: a page is read from the top
    rows.sort_by(|a, b| b.gain_bits.total_cmp(&a.gain_bits));
    rows
}
