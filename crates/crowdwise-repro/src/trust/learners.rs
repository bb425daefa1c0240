//! Learners on crowds and labelling functions: the default beside two stages with majority vote.

use crowdwise::learn::default_learner;
use crowdwise::simulate::{SimModel, Simulation, Simulator};
use crowdwise::{Context, Dataset, Error, GoldValues, stats};
use crowdwise_terminal::rows;
use serde_json::Value;

/// Items that are learned from (as many again are tested), sets of each structure.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub items: u64,
    pub repeats: u64,
    /// 0: as many as each learner takes.
    pub epochs: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { items: 1000, repeats: 5, epochs: 0 }
    }
}

/// What is beside the default: a name, a learner and the method of its first stage.
const LEARNERS: [(&str, &str, Option<&str>); 6] = [
    ("two-stage, majority vote", "two-stage", Some("majority-vote")),
    ("two-stage, one-class-sources", "two-stage", Some("one-class-sources")),
    ("two-stage, auto", "two-stage", Some("auto")),
    ("aggnet", "aggnet", None),
    ("crowd-layer", "crowd-layer", None),
    ("max-mig", "max-mig", None),
];

/// Who labels. Items are Gaussian clouds that overlap; what attracts votes of functions is seen in the features.
fn structures(items: u64) -> Vec<(&'static str, Simulation)> {
    let crowd = Simulation {
        items: 2 * items,
        annotators: 10,
        classes: 6,
        per_item: 5,
        accuracy: 0.5,
        features: 8,
        separation: 3.0,
        ..Simulation::default()
    };
    let functions = Simulation {
        model: SimModel::LabellingFunctions,
        annotators: 12,
        votes: 1.4,
        accuracy: 0.6,
        activity_sd: 1.0,
        ..crowd.clone()
    };
    vec![
        ("crowd", crowd.clone()),
        ("two copy a third", Simulation { copy_groups: 1, copy_probability: 1.0, ..crowd.clone() }),
        ("functions", functions.clone()),
        ("functions, few", Simulation { annotators: 6, ..functions.clone() }),
        ("functions, uneven classes", Simulation { imbalance: 1.6, ..functions.clone() }),
        ("functions, half of several classes", Simulation { one_class: 0.5, ..functions.clone() }),
        ("functions with copies", Simulation { copy_groups: 1, copy_probability: 1.0, ..functions }),
    ]
}

/// The first half with its labels, the second half without; the true classes of the second.
fn halves(s: &Simulation, seed: u64) -> Result<(Dataset, Vec<(u32, u32)>), Error> {
    let (mut data, gold) = Simulator::new(s, seed)?.dataset()?;
    let GoldValues::Classes(mut truth) = gold.values else { unreachable!("classes were simulated") };
    let half = s.items / 2;
    let mut unit = vec![0u32; data.table.n_labels()];
    (0..data.table.n_units()).for_each(|u| unit[data.table.rows(u)].fill(u as u32));
    data.table = data.table.filter_rows(|r| u64::from(unit[r]) < half);
    truth.retain(|t| u64::from(t.0) >= half);
    Ok((data, truth))
}

/// Share of the test items that the classifier gets right.
fn tested(
    id: &str,
    mut params: Vec<(String, Value)>,
    epochs: usize,
    data: &Dataset,
    truth: &[(u32, u32)],
) -> Result<f64, Error> {
    if epochs > 0 {
        params.push(("epochs".into(), epochs.into()));
    }
    let learner = crowdwise::learner(id)?.with(&params)?;
    let (_, model) = learner.learn(data, &mut Context::new(0, 1))?;
    let f = model.predict(data.features.as_ref().expect("features were simulated"))?;
    let hits = truth.iter().filter(|t| stats::argmax(f.row(t.0 as usize)) == t.1 as usize).count();
    Ok(hits as f64 / truth.len().max(1) as f64)
}

/// A Markdown table: one row a structure, mean accuracies on new items, and the difference between the default and two stages
/// with majority vote. `say` is told of every structure.
pub fn table(sizes: Sizes, mut say: impl FnMut(&str)) -> Result<String, Error> {
    let mut columns = vec!["annotators".to_owned(), "default is".into(), "default".into()];
    columns.extend(LEARNERS.iter().map(|l| l.0.to_owned()));
    columns.push("default − majority vote".into());
    let mut lines = Vec::new();
    for (name, s) in structures(sizes.items) {
        say(name);
        let mut sums = vec![0.0; LEARNERS.len() + 1];
        let (mut differences, mut taken) = (Vec::new(), "");
        for seed in 0..sizes.repeats {
            let (data, truth) = halves(&s, seed)?;
            let chosen = default_learner(&data);
            taken = chosen.id;
            let mut all = vec![tested(chosen.id, chosen.params, sizes.epochs, &data, &truth)?];
            for (_, id, first) in LEARNERS {
                let params = first.map(|m| ("method".to_owned(), Value::from(m))).into_iter().collect();
                all.push(tested(id, params, sizes.epochs, &data, &truth)?);
            }
            differences.push(all[0] - all[1]);
            sums.iter_mut().zip(&all).for_each(|(s, a)| *s += a / sizes.repeats as f64);
        }
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let se = (differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n * (n - 1.0).max(1.0))).sqrt();
        let mut line = vec![name.to_owned(), taken.to_owned()];
        line.extend(sums.iter().map(|a| format!("{a:.3}")));
        line.push(format!("{mean:+.3} ± {se:.3}"));
        lines.push(line);
    }
    Ok(format!(
        "Share of {} new items that the classifier gets right, mean of {} sets with {} items to learn from.\n\n{}",
        sizes.items,
        sizes.repeats,
        sizes.items,
        rows::markdown(&columns, &lines)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_learned_in_two_stages() {
        let text = table(Sizes { items: 60, repeats: 1, epochs: 2 }, |_| ()).unwrap();
        let of = |name: &str| text.lines().find(|l| l.starts_with(&format!("| {name} |"))).unwrap().to_owned();
        assert!(of("functions").contains("| two-stage |") && of("crowd").contains("| aggnet |"), "{text}");
    }
}
