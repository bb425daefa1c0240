//! Every learner on the two real crowds with features.

use super::spread::Spread;
use super::trials::{Settings, Trials, learned, written};
use super::world::Items;
use super::{Args, Claim, Part};
use crate::sets;
use crowdwise::io::{self, ReadOptions, Source};
use crowdwise::{Dataset, Error, LabelKind};
use serde_json::json;
use std::path::Path;

/// A learner with settings, and what others reach with it.
struct Line {
    method: &'static str,
    settings: Settings,
    /// Printed for LabelMe (Cao et al. 2019), at the epoch that is best on the test items.
    printed: Option<f64>,
    /// A peer's network on LabelMe and on Music, at the last epoch: mean of three runs.
    peer: Option<[f64; 2]>,
}

/// All learners as they come, and some in other forms.
fn lines() -> Vec<Line> {
    let line = |method, settings: Settings| Line { method, settings, printed: None, peer: None };
    let vote = || ("method", json!("majority-vote"));
    let mut out = vec![
        Line {
            printed: Some(80.4),
            peer: Some([77.4, 67.9]),
            ..line("two-stage", vec![vote(), ("labels", json!("hard"))])
        },
        Line { peer: Some([82.1, 65.1]), ..line("two-stage", vec![vote()]) },
        Line { peer: Some([80.9, 69.1]), ..line("two-stage", vec![("method", json!("dawid-skene"))]) },
    ];
    for entry in crowdwise::learn::METHODS {
        let mut own = line(entry.info.id, Vec::new());
        (own.printed, own.peer) = match entry.info.id {
            "crowd-layer" => (Some(83.7), Some([83.9, 65.3])),
            "doctor-net" => (Some(80.6), None),
            "aggnet" => (Some(85.2), None),
            "max-mig" => (Some(86.4), None),
            "conal" => (None, Some([82.3, 65.4])),
            _ => (None, None),
        };
        let id = own.method;
        if id == "gp-crowd" {
            own.settings.push(("points", json!(60))); // one process for every class
        }
        out.push(own);
        if id == "crowd-layer" {
            out.push(Line { peer: Some([83.9, 65.3]), ..line(id, vec![("form", json!("mw"))]) });
            out.push(Line { peer: Some([83.5, 65.2]), ..line(id, vec![("form", json!("vw-b"))]) });
        }
    }
    out
}

/// Which epoch is the result.
const LAST: &str = "last";
const CHOSEN: &str = "chosen";

fn epoch(choice: &str) -> Settings {
    if choice == LAST {
        vec![("holdout", json!(0.0)), ("choose", json!("last"))]
    } else {
        vec![("holdout", json!(0.1)), ("choose", json!("best"))]
    }
}

/// What the method does unless told otherwise; `None` if it has no epochs.
fn usual(method: &str) -> Option<&'static str> {
    let params = crowdwise::find(method).ok()?.params();
    let choose = params.into_iter().find(|p| p.name == "choose")?;
    Some(if choose.default == json!("last") { LAST } else { CHOSEN })
}

/// A crowd with features, and items to test on.
pub struct Crowd {
    pub name: &'static str,
    pub data: Dataset,
    pub test: Items,
}

pub fn read(folder: &Path, name: &'static str, threads: usize) -> Result<Crowd, Error> {
    let set = folder.join(name);
    let source = |f: &str| Source::from(set.join(f).as_path());
    let options = ReadOptions { kind: Some(LabelKind::Categorical), threads, ..ReadOptions::default() };
    let mut data = io::read_answers(&source("answers.csv"), &options)?.value;
    let items = io::read_items(&source("items.csv"))?.value;
    data.table.add_items(items.iter().map(String::as_str));
    data.features = Some(io::read_features(&set.join("features.npy"), Some(&items), &data.table)?.value);
    let features = io::read_feature_rows(&set.join("eval_features_test.npy"))?.0;
    let truth = io::read_row_truth(&source("eval_truth_test.csv"), features.rows(), None)?.value;
    let classes = data.table.categorical().map(|c| c.classes.clone()).unwrap_or_default();
    // a class that nobody answered cannot be got right
    let class = |c: &Option<String>| classes.iter().position(|n| Some(n) == c.as_deref()).unwrap_or(classes.len());
    let truth = truth.iter().map(class).collect();
    Ok(Crowd { name, data, test: Items { features, truth } })
}

pub fn part(args: &Args, trials: &mut Trials<'_>) -> Result<Part, Error> {
    let folder = args.data.folder()?;
    sets::check(&folder, &["labelme", "music"])?;
    let crowds = [read(&folder, "labelme", args.run.threads())?, read(&folder, "music", args.run.threads())?];
    let mut part = Part::new(NOTE, &args.seeds(5));
    let (mut rows, mut results, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines() {
        let mut row = vec![line.method.to_owned(), written(&line.settings)];
        let mut usuals = [None, None];
        for (at, crowd) in crowds.iter().enumerate() {
            for choice in [LAST, CHOSEN] {
                let spread = match (usual(line.method), choice) {
                    (None, CHOSEN) => None, // no epochs to choose from
                    _ => runs(args, trials, crowd, &line, choice, &mut refused)?,
                };
                row.push(spread.map(Spread::with_sd).unwrap_or_default());
                let Some(spread) = spread else { continue };
                if usual(line.method).is_none_or(|u| u == choice) {
                    usuals[at] = Some(spread);
                }
                let name = if choice == LAST { "test accuracy, last epoch" } else { "test accuracy, chosen epoch" };
                let shown = format!("{} {}", line.method, row[1]);
                part.figure("labelme", crowd.name, shown.trim_end(), name, spread);
            }
        }
        row.push(usual(line.method).unwrap_or("no epochs").into());
        let one = |x: Option<f64>| x.map(|x| format!("{x:.1}")).unwrap_or_default();
        row.push(one(line.printed));
        row.push(line.peer.map(|[a, b]| format!("{a:.1} / {b:.1}")).unwrap_or_default());
        rows.push(row);
        results.push((line, usuals));
    }
    part.claims = claims(&results);
    part.notes.extend(refused);
    let columns = [
        "method",
        "settings",
        "LabelMe, last epoch",
        "LabelMe, chosen epoch",
        "Music, last epoch",
        "Music, chosen epoch",
        "by default",
        "printed (LabelMe)",
        "peer (LabelMe / Music)",
    ];
    part.grid("LabelMe and Music: test accuracy in percent", &columns, rows);
    Ok(part)
}

/// One line on one crowd; `None` if the method cannot be used there, and why is noted.
fn runs(
    args: &Args,
    trials: &mut Trials<'_>,
    crowd: &Crowd,
    line: &Line,
    choice: &str,
    refused: &mut Vec<String>,
) -> Result<Option<Spread>, Error> {
    let mut settings = line.settings.clone();
    settings.extend(epoch(choice));
    if args.quick {
        settings.extend([
            ("epochs", json!(2)),
            ("max_iter", json!(3)),
            ("rounds", json!(1)),
            ("passes", json!(2)),
            ("points", json!(40)),
        ]);
    }
    let name = format!("labelme {} {} {}", crowd.name, line.method, written(&settings));
    let mut all = Vec::new();
    for seed in args.seeds(5) {
        let figures = trials.figures(&name, seed, |cx| {
            let (_, model) = learned(line.method, &settings, &crowd.data, cx)?;
            Ok(vec![crowd.test.tested(&model)?])
        });
        match figures {
            Ok(f) => all.push(f[0]),
            Err(e @ Error::Unsupported { .. }) => {
                let said = format!("{} on {}: {e}", line.method, crowd.name);
                if !refused.contains(&said) {
                    refused.push(said);
                }
                return Ok(None);
            }
            Err(e) => return Err(e),
        }
    }
    Ok(Some(Spread::of(&all)))
}

fn claims(results: &[(Line, [Option<Spread>; 2])]) -> Vec<Claim> {
    let mut out = Vec::new();
    for (line, usuals) in results {
        let [Some(labelme), music] = *usuals else { continue };
        let shown = format!("{} {}", line.method, written(&line.settings));
        let shown = shown.trim_end();
        // two deviations of the difference of two means; the others had three runs and as much noise
        let noise = |s: Spread, n: f64| 2.0 * s.sd().unwrap_or(0.0) * (1.0 / s.n as f64 + 1.0 / n).sqrt();
        if line.method == "max-mig" {
            out.push(Claim::at_least("max-mig on LabelMe, 86.0", labelme, 86.0, 0.0));
        }
        if let Some(printed) = line.printed {
            let what = format!("{shown}: as printed for LabelMe, at an epoch chosen by test items");
            out.push(Claim::at_least(what, labelme, printed, noise(labelme, 3.0)));
        }
        if let Some(peer) = line.peer {
            let pairs = [("LabelMe", Some(labelme), peer[0]), ("Music", music, peer[1])];
            for (set, ours, theirs) in pairs {
                let Some(ours) = ours else { continue };
                out.push(Claim::at_least(format!("{shown}: its peer on {set}"), ours, theirs, noise(ours, 3.0)));
            }
        }
    }
    let best = results.iter().filter_map(|(l, u)| Some((l.method, u[1]?))).max_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
    if let Some((method, spread)) = best {
        out.push(Claim::at_least(format!("the best on Music, 72 ({method})"), spread, 72.0, 0.0));
    }
    out
}

const NOTE: &str = "`crowdwise repro labelme`: means ± deviations over {seeds}; networks of one hidden layer of 128 (100 for bayes-dgc) with dropout 0.5 on the features of \
     the sets, standardised and limited to 4 deviations. \"Last epoch\" trains on all labels for the method's default number of epochs; \"chosen epoch\" holds out a tenth of the items, takes the epoch at which their labels are \
     likeliest, and trains once more for so long on everything; test items choose nothing. Printed: Cao et al. 2019, who report the epoch that is best on the test items. Peers: networks \
     trained in PyTorch with the modules of crowd-kit for the same features, 50 epochs, mean of 3 runs (deviations 0.0 to 0.5 on LabelMe, 0.6 to 1.5 on Music).";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn every_learner_has_a_line_and_every_setting_exists() {
        for entry in crowdwise::learn::METHODS {
            assert!(lines().iter().any(|l| l.method == entry.info.id), "{}", entry.info.id);
        }
        for line in lines() {
            let pairs: Vec<(String, Value)> = line.settings.iter().map(|(n, v)| ((*n).into(), v.clone())).collect();
            assert!(crowdwise::find(line.method).unwrap().with(&pairs).is_ok(), "{}", line.method);
        }
    }
}
