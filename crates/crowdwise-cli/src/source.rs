//! A fit that is kept in a file, or made from answers on the spot.

use crate::fitting::{self, Fitted};
use crate::options::{InputOptions, KeyValue, RunOptions, method, read_gold, read_truth};
use crate::talk::Talk;
use crowdwise::io::Source;
use crowdwise::report::FitDocument;
use crowdwise::{Dataset, Error, Gold};

#[derive(Clone, Debug, clap::Args)]
pub struct FitOptions {
    /// The method for answers [default: auto]
    #[arg(short, long, value_name = "METHOD")]
    pub method: Option<String>,
    /// A parameter of the method
    #[arg(short, long = "param", value_name = "KEY=VALUE")]
    pub params: Vec<KeyValue>,
    /// Gold labels (item,label) that the fit uses
    #[arg(long, value_name = "FILE")]
    pub gold: Option<String>,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub input: InputOptions,
}

/// Files of known truth.
#[derive(Clone, Debug, clap::Args)]
pub struct Known {
    /// Known truth (item,label), used for evaluation only
    #[arg(long, value_name = "FILE")]
    pub truth: Option<String>,
    /// Gold labels (item,label) that the fit uses
    #[arg(long, value_name = "FILE")]
    pub gold: Option<String>,
}

impl Known {
    /// All files that are read.
    pub fn files<'a>(&'a self, answers: &'a str, input: &'a InputOptions) -> [Option<&'a str>; 7] {
        let [items, probabilities, graph, attribute] = input.files();
        [Some(answers), self.truth.as_deref(), self.gold.as_deref(), items, probabilities, graph, attribute]
    }

    /// The answers with their gold, and the truth.
    pub fn read(
        &self,
        answers: &str,
        input: &InputOptions,
        run: &RunOptions,
        talk: Talk,
    ) -> Result<(Dataset, Option<Gold>), Error> {
        let data = input.read(answers, run.threads(), talk)?;
        let gold = self.gold.as_deref().map(|file| read_gold(file, &data, input.sets, talk)).transpose();
        let truth = self.truth.as_deref().map(|file| read_truth(file, &data, input.sets, talk)).transpose();
        let (gold, truth) = match (gold, truth) {
            (Ok(gold), Ok(truth)) => (gold, truth),
            (Err(gold), Err(truth)) => return Err(Error::Several(vec![gold, truth])),
            (Err(e), _) | (_, Err(e)) => return Err(e),
        };
        let data = match gold {
            Some(gold) => data.with_gold(gold),
            None => data,
        };
        Ok((data, truth))
    }
}

pub fn with_gold(data: Dataset, file: Option<&str>, sets: bool, talk: Talk) -> Result<Dataset, Error> {
    let Some(file) = file else { return Ok(data) };
    let gold = read_gold(file, &data, sets, talk)?;
    Ok(data.with_gold(gold))
}

/// What a command that takes answers or a fit was given.
pub enum Given {
    Document(Box<FitDocument<'static>>),
    Fitted(Box<(Dataset, Fitted)>),
}

impl FitOptions {
    /// The files that are read besides the answers.
    pub fn files(&self) -> [Option<&str>; 5] {
        let [items, probabilities, graph, attribute] = self.input.files();
        [self.gold.as_deref(), items, probabilities, graph, attribute]
    }

    /// Reads a kept fit, or reads answers and fits.
    pub fn load(&self, file: &str, talk: Talk) -> Result<Given, Error> {
        if !is_fit(file) {
            return Ok(Given::Fitted(Box::new(self.fit(file, talk)?)));
        }
        if self.method.is_some() || !self.params.is_empty() || self.gold.is_some() {
            return Err(Error::Usage {
                what: format!("{file} is a finished fit: --method, --param and --gold cannot change it"),
                hint: Some("give the answers instead to fit again".into()),
            });
        }
        let document = talk.timed("read", || FitDocument::from_json(&Source::from_arg(file).bytes()?, file))?;
        Ok(Given::Document(Box::new(document)))
    }

    /// Reads answers and fits.
    pub fn fit(&self, file: &str, talk: Talk) -> Result<(Dataset, Fitted), Error> {
        if let Some(name) = &self.method {
            method(name, &self.params)?;
        }
        let data = self.input.read(file, self.run.threads(), talk)?;
        let data = with_gold(data, self.gold.as_deref(), self.input.sets, talk)?;
        let name = self.method.as_deref().unwrap_or(crowdwise::default_method(&data).info.id);
        let method = method(name, &self.params)?;
        let fitted = fitting::fit(&*method, &data, &self.run, talk)?;
        fitting::say_stop(&fitted.fit, talk);
        Ok((data, fitted))
    }
}

/// Which kind of JSON this program wrote into a file, recognised by its beginning.
pub fn kept(file: &str) -> Option<&'static str> {
    let head = head_of(file)?;
    let (number, rest) = after_schema(&head)?.split_once(',')?;
    number.trim().parse::<u32>().ok()?;
    let key = rest.trim_start();
    if key.starts_with("\"method\"") && key.contains("\"params\"") {
        Some("a finished fit")
    } else {
        ["\"method\"", "\"data\"", "\"source\""]
            .iter()
            .any(|k| key.starts_with(k))
            .then_some("a result of this program")
    }
}

/// Whether a file is a fit that `fit -o fit.json` wrote.
pub fn is_fit(file: &str) -> bool {
    head_of(file).is_some_and(|head| after_schema(&head).is_some())
}

/// What follows the version that every result of this program begins with.
fn after_schema(head: &str) -> Option<&str> {
    let body = head.trim_start_matches('\u{feff}').trim_start().strip_prefix('{')?.trim_start();
    body.strip_prefix("\"schema\"")?.trim_start().strip_prefix(':')
}

/// The beginning of a file. Standard input is looked at without taking from it.
fn head_of(file: &str) -> Option<String> {
    use std::io::{BufRead, Read};
    let mut head = [0u8; 256];
    let n = if file == "-" {
        let mut input = std::io::stdin().lock();
        let bytes = input.fill_buf().ok()?;
        let n = bytes.len().min(head.len());
        head[..n].copy_from_slice(&bytes[..n]);
        n
    } else {
        // before it is opened: a named pipe that is opened twice has one reader too many, and its writer stops
        if !std::fs::metadata(file).is_ok_and(|m| m.is_file()) {
            return None; // looking into a pipe would take from it
        }
        std::fs::File::open(file).ok()?.read(&mut head).unwrap_or(0)
    };
    Some(String::from_utf8_lossy(&head[..n]).into_owned())
}
