//! The folder of real datasets: one folder a set, with `answers.csv` and `truth.csv`.

use crowdwise::io::{self, ReadOptions, Source};
use crowdwise::{Dataset, Error, Gold, LabelKind};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, clap::Args)]
pub struct DataOptions {
    /// Folder of the real datasets [default: the variable CROWDWISE_DATA, else ../shared/data]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

impl DataOptions {
    /// The folder, which must be there.
    pub fn folder(&self) -> Result<PathBuf, Error> {
        let named = self.data.clone().or_else(|| std::env::var_os("CROWDWISE_DATA").map(PathBuf::from));
        let folder = named.unwrap_or_else(|| PathBuf::from("../shared/data"));
        if folder.is_dir() { Ok(folder) } else { Err(absent(&folder, "there is no such folder")) }
    }
}

fn absent(folder: &Path, what: &str) -> Error {
    Error::NoData {
        file: folder.display().to_string(),
        what: format!("holds no real datasets: {what}"),
        hint: Some("give the folder with `--data DIR` or in the variable CROWDWISE_DATA".into()),
    }
}

/// Refuses a folder that lacks one of these sets, naming all that it lacks.
pub fn check(folder: &Path, names: &[&str]) -> Result<(), Error> {
    let lacks: Vec<&str> = names.iter().copied().filter(|n| !complete(&folder.join(n))).collect();
    if lacks.is_empty() {
        return Ok(());
    }
    Err(absent(folder, &format!("answers.csv or truth.csv of {} is missing", lacks.join(", "))))
}

/// Refuses a folder that lacks the answers of one of these sets, naming all that it lacks.
pub fn check_answers(folder: &Path, names: &[&str]) -> Result<(), Error> {
    let lacks: Vec<&str> = names.iter().copied().filter(|n| !folder.join(n).join("answers.csv").is_file()).collect();
    if lacks.is_empty() {
        return Ok(());
    }
    Err(absent(folder, &format!("answers.csv of {} is missing", lacks.join(", "))))
}

fn complete(set: &Path) -> bool {
    ["answers.csv", "truth.csv"].iter().all(|f| set.join(f).is_file())
}

/// Names of all sets with classes and known truth.
pub fn with_classes(folder: &Path) -> Result<Vec<String>, Error> {
    let fail = |e: std::io::Error| absent(folder, &e.to_string());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if complete(&path) && header(&path.join("answers.csv")) == "item,worker,label" {
            names.extend(path.file_name().map(|n| n.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    if names.is_empty() { Err(absent(folder, "no set has classes and known truth")) } else { Ok(names) }
}

fn header(file: &Path) -> String {
    let mut line = String::new();
    if let Ok(file) = std::fs::File::open(file) {
        let _ = BufReader::new(file).read_line(&mut line); // not text: not one of ours
    }
    line.trim_end().to_owned()
}

/// Answers and known truth of a set with classes.
pub fn read(folder: &Path, name: &str, threads: usize) -> Result<(Dataset, Gold), Error> {
    let set = folder.join(name);
    let options = ReadOptions { kind: Some(LabelKind::Categorical), threads, ..ReadOptions::default() };
    let data = io::read_answers(&Source::from(set.join("answers.csv").as_path()), &options)?.value;
    let truth = io::read_truth(&Source::from(set.join("truth.csv").as_path()), &data.table, &ReadOptions::default())?;
    Ok((data, truth.value))
}
