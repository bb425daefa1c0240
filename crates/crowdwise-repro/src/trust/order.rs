//! What the order of rows changes, method by method: nothing, to the last bit or but for rounding.

use super::super::page::Grid;
use crowdwise::simulate::{Change, SimModel, Simulation, Simulator, change, reordered};
use crowdwise::{AnyMethod, Context, Dataset, Entry, Error, Features, LabelKind};
use serde_json::Value;

/// One method on one kind of labels.
#[derive(Clone, Debug)]
pub struct Line {
    pub method: &'static str,
    pub kind: LabelKind,
    /// The largest changes over all orders that were tried.
    pub change: Change,
    /// Promised to the last bit, not but for rounding.
    pub exact: bool,
}

/// Orders of rows that are tried on each set.
const ORDERS: u64 = 3;

/// Every method of the list on simulated data of every kind that it takes, with its rows in other orders. `said` hears the
/// name of each method before its turn.
pub fn measure(
    methods: impl IntoIterator<Item = &'static Entry>,
    seed: u64,
    mut said: impl FnMut(&str),
) -> Result<Vec<Line>, Error> {
    let mut lines = Vec::new();
    for entry in methods {
        said(entry.info.id);
        for &kind in entry.info.accepts {
            let method = quick(entry)?;
            // a method that wants more than labels says so, and is left out
            let (data, first) = match sample(entry, &*method, kind, seed) {
                Err(Error::Unsupported { .. }) => continue,
                other => other?,
            };
            let mut worst = Change::default();
            for order in 0..ORDERS {
                let other = reordered(&data, order);
                let again = method.fit(&other, &mut Context::new(seed, 1))?;
                let found = change((&data, &first), (&other, &again));
                worst.truth = worst.truth.max(found.truth);
                worst.labels = worst.labels.max(found.labels);
                worst.annotators = worst.annotators.max(found.annotators);
            }
            lines.push(Line { method: entry.info.id, kind, change: worst, exact: method.is_canonical(kind) });
        }
    }
    Ok(lines)
}

/// The table for people.
pub fn grid(lines: &[Line]) -> Grid {
    let number = |x: f64| if x == 0.0 { "0".to_owned() } else { format!("{x:.0e}") };
    let row = |l: &Line| {
        vec![
            l.method.to_owned(),
            l.kind.name().to_owned(),
            if l.exact { "the same bits" } else { "but for rounding" }.to_owned(),
            number(l.change.truth),
            l.change.labels.to_string(),
            number(l.change.annotators),
        ]
    };
    let columns = ["method", "labels", "promised", "probability, value or score", "labels changed", "annotators"];
    Grid {
        title: format!("Order of rows: largest change over {ORDERS} orders of simulated data"),
        columns: columns.map(String::from).to_vec(),
        rows: lines.iter().map(row).collect(),
    }
}

/// Networks need not be good for this, only the same.
fn quick(entry: &Entry) -> Result<Box<dyn AnyMethod>, Error> {
    if !entry.info.needs.features {
        return Ok(entry.default());
    }
    let few = [("epochs", 5), ("hidden", 8), ("points", 40)];
    let known = entry.params();
    let has = |name: &str| known.iter().any(|p| p.name == name);
    let few: Vec<(String, Value)> =
        few.into_iter().filter(|f| has(f.0)).map(|(name, n)| (name.to_owned(), n.into())).collect();
    entry.with(&few)
}

/// Data that the method takes, and its fit. Who wants neighbours is asked with sequences first, then with a graph.
fn sample(
    entry: &Entry,
    method: &dyn AnyMethod,
    kind: LabelKind,
    seed: u64,
) -> Result<(Dataset, crowdwise::Fit), Error> {
    let models: &[SimModel] = match kind {
        LabelKind::Categorical if entry.info.needs.structure.is_some() => &[SimModel::Sequences, SimModel::Graph],
        LabelKind::Categorical => &[SimModel::DawidSkene, SimModel::Sets],
        LabelKind::Real => &[SimModel::Real],
        LabelKind::Preference => &[SimModel::BradleyTerry, SimModel::Rankings],
        LabelKind::Similarity => &[SimModel::Similarities],
    };
    let mut refused = None;
    for &model in models {
        for classes in [3, 2] {
            let data = simulated(model, classes, entry.info.needs.features, seed)?;
            match method.fit(&data, &mut Context::new(seed, 1)) {
                Ok(fit) => return Ok((data, fit)),
                Err(e) => refused = Some(e),
            }
        }
    }
    Err(refused.expect("at least one set was tried"))
}

fn simulated(model: SimModel, classes: usize, features: bool, seed: u64) -> Result<Dataset, Error> {
    let mut simulation =
        Simulation { model, items: 150, annotators: 12, per_item: 4, pairs: 600, ..Simulation::default() };
    if model.uses("classes") {
        simulation.classes = classes;
    }
    if matches!(model, SimModel::BradleyTerry | SimModel::Similarities) {
        simulation.items = 25;
    }
    let mut data = Simulator::new(&simulation, seed)?.dataset()?.0;
    if features && data.features.is_none() {
        // any numbers: they only have to stay with their items
        let values = (0..data.table.n_items() * 3).map(|n| ((n * 37) % 101) as f32 / 101.0).collect();
        data.features = Some(Features { dim: 3, values, image: None });
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_was_promised_and_found() {
        let some = ["majority-vote", "ibcc", "bradley-terry", "bayes-seq"];
        let lines = measure(some.iter().map(|m| crowdwise::find(m).unwrap()), 1, |_| ()).unwrap();
        assert!(lines.iter().all(|l| l.change.truth <= if l.exact { 0.0 } else { 1e-6 }), "{lines:?}");
        assert!(lines.iter().all(|l| l.change.labels == 0));
        let grid = grid(&lines);
        assert_eq!(grid.rows.len(), lines.len());
        assert_eq!(grid.rows[1][..3], ["ibcc", "categorical", "the same bits"]);
    }
}
