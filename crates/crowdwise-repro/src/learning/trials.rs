//! Runs whose figures can be kept.

use crowdwise::learn::Model;
use crowdwise::{Context, Dataset, Error, Fit};
use crowdwise_terminal::fitting;
use crowdwise_terminal::interrupt;
use crowdwise_terminal::options::RunOptions;
use crowdwise_terminal::output::unwritable;
use crowdwise_terminal::talk::Talk;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Does runs, or takes their figures from a file in which they were kept.
pub struct Trials<'a> {
    run: &'a RunOptions,
    talk: Talk,
    known: HashMap<String, Vec<f64>>,
    file: Option<(File, String)>,
}

/// One run as it is kept, a line of JSON.
#[derive(Serialize, Deserialize)]
struct Kept {
    run: String,
    figures: Vec<f64>,
}

impl<'a> Trials<'a> {
    pub fn new(run: &'a RunOptions, talk: Talk, keep: Option<&Path>) -> Result<Self, Error> {
        let mut out = Trials { run, talk, known: HashMap::new(), file: None };
        let Some(path) = keep else { return Ok(out) };
        let name = path.display().to_string();
        if let Ok(text) = std::fs::read_to_string(path) {
            for (n, line) in text.lines().enumerate() {
                let kept: Kept = serde_json::from_str(line).map_err(|e| Error::Unreadable {
                    file: name.clone(),
                    what: format!("line {} is not a saved run: {e}", n + 1),
                    hint: Some("begin a new file".into()),
                })?;
                out.known.insert(kept.run, kept.figures);
            }
        }
        let file = File::options().append(true).create(true).open(path).map_err(|e| unwritable(&name, &e))?;
        out.file = Some((file, name));
        Ok(out)
    }

    /// The figures of the run called `name` with this seed: `work` is done unless they are known.
    pub fn figures(
        &mut self,
        name: &str,
        seed: u64,
        work: impl FnOnce(&mut Context<'_>) -> Result<Vec<f64>, Error>,
    ) -> Result<Vec<f64>, Error> {
        let key = format!("{name} seed={seed}");
        if let Some(figures) = self.known.get(&key) {
            return Ok(figures.clone());
        }
        if interrupt::cancelled() {
            return Err(Error::Interrupted);
        }
        let run = RunOptions { seed, ..self.run.clone() };
        let figures = self.talk.timed(&key, || fitting::with_progress(&key, &run, self.talk, work))?;
        if interrupt::cancelled() {
            return Err(Error::Interrupted); // what was stopped early is no figure
        }
        if let Some((file, shown)) = &mut self.file {
            let kept = Kept { run: key.clone(), figures: figures.clone() };
            let line = serde_json::to_string(&kept).expect("plain data") + "\n";
            file.write_all(line.as_bytes()).map_err(|e| unwritable(shown, &e))?;
        }
        self.known.insert(key, figures.clone());
        Ok(figures)
    }
}

/// Parameters by name.
pub type Settings = Vec<(&'static str, Value)>;

/// As people write them.
pub fn written(settings: &[(&'static str, Value)]) -> String {
    let one = |(name, value): &(&'static str, Value)| match value {
        Value::String(s) => format!("{name}={s}"),
        other => format!("{name}={other}"),
    };
    settings.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Those of the settings that a method has.
fn own(entry: &crowdwise::Entry, settings: &[(&'static str, Value)]) -> Vec<(String, Value)> {
    let has: Vec<String> = entry.params().into_iter().map(|p| p.name).collect();
    settings
        .iter()
        .filter(|(name, _)| has.iter().any(|h| h == name))
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}

/// Fits a method that integrates labels, with those of the settings that it has.
pub fn integrated(
    id: &str,
    settings: &[(&'static str, Value)],
    data: &Dataset,
    cx: &mut Context<'_>,
) -> Result<Fit, Error> {
    let entry = crowdwise::find(id)?;
    entry.with(&own(entry, settings))?.fit(data, cx)
}

/// Trains a learner with those of the settings that it has.
pub fn learned(
    id: &str,
    settings: &[(&'static str, Value)],
    data: &Dataset,
    cx: &mut Context<'_>,
) -> Result<(Fit, Model), Error> {
    let learner = crowdwise::learner(id)?;
    learner.with(&own(&learner.entry, settings))?.learn(data, cx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_not_done_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("kept.jsonl");
        let run = RunOptions { seed: 0, threads: Some(1), count_copies: false, progress: None };
        let talk = Talk { quiet: true, verbose: false };
        let mut first = Trials::new(&run, talk, Some(&path)).unwrap();
        assert_eq!(first.figures("a", 3, |cx| Ok(vec![cx.seed as f64, 0.1])).unwrap(), [3.0, 0.1]);
        let mut again = Trials::new(&run, talk, Some(&path)).unwrap();
        assert_eq!(again.figures("a", 3, |_| panic!("it is known")).unwrap(), [3.0, 0.1]);
        assert_eq!(again.figures("a", 4, |_| Ok(vec![5.0])).unwrap(), [5.0]);
        std::fs::write(&path, "nonsense\n").unwrap();
        assert!(Trials::new(&run, talk, Some(&path)).is_err());
    }
}
