//! Small data for goldens, and simulated crowds whose annotators resemble each other.

use super::{accuracy, data_dir, real_set};
use crowdwise_core::{AnyMethod, Context, Dataset, Fit, Gold, LabelKind, TableBuilder, stream};
use rand::RngExt;
use rand_distr::{Distribution, Gamma};
use serde_json::Value;
use std::collections::BTreeMap;

/// Every annotator counts, copies or not, as in the programs that results are compared with.
pub fn fit(method: &dyn AnyMethod, data: &Dataset) -> Fit {
    let mut cx = Context::new(0, 2);
    cx.count_copies = true;
    crowdwise_core::questions::reviewed(method, data, &mut cx).unwrap()
}

/// 14 items (lines) labelled by 5 annotators (columns), `.` = no label.
pub const SMALL: [&str; 14] = [
    "..2.0", "22.22", "0.2.0", "2.0.0", "111..", "1111.", "11.12", "00122", ".2222", "01100", "0.00.", "11..0",
    "11111", "1....",
];

pub fn small() -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for c in ["0", "1", "2"] {
        b.classes.intern(c);
    }
    for (i, line) in SMALL.iter().enumerate() {
        for (j, l) in line.chars().enumerate().filter(|(_, l)| *l != '.') {
            b.label(&format!("i{i:02}"), &format!("a{j}"), &l.to_string()).unwrap();
        }
    }
    Dataset::new(b.finish().unwrap())
}

/// A real set in which the last label of an annotator on an item counts, as in the figures to compare with.
pub fn last_labels(name: &str) -> Option<(Dataset, Gold)> {
    real_set(name)?;
    let text = std::fs::read_to_string(data_dir().join(name).join("answers.csv")).unwrap();
    let mut last: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        last.insert((f[0], f[1]), f[2]);
    }
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for ((item, annotator), label) in last {
        b.label(item, annotator, label).unwrap();
    }
    let table = b.finish().unwrap();
    // items that nobody labelled are not scored
    let text = std::fs::read_to_string(data_dir().join(name).join("truth.csv")).unwrap();
    let rows: Vec<(String, String)> = text
        .lines()
        .skip(1)
        .filter_map(|l| l.split_once(','))
        .filter(|(i, _)| table.items().get(i).is_some())
        .map(|(a, b)| (a.into(), b.into()))
        .collect();
    let gold = Gold::from_items(&table, &rows, "truth.csv").unwrap();
    Some((Dataset::new(table), gold))
}

/// A crowd of rows around rows of its group: labels and truth.
pub struct Crowd {
    pub data: Dataset,
    pub truth: Vec<usize>,
}

impl Crowd {
    /// `concentration` times `rows[group][truth]` are the Dirichlet parameters of an annotator's rows.
    pub fn new(
        seed: u64,
        items: usize,
        per_item: usize,
        annotators: usize,
        concentration: f64,
        rows: &[Vec<Vec<f64>>],
    ) -> Crowd {
        let k = rows[0].len();
        let mut rng = stream(seed, "groups", k as u64);
        let groups: Vec<usize> = (0..annotators).map(|j| j % rows.len()).collect();
        let confusion: Vec<Vec<Vec<f64>>> = groups
            .iter()
            .map(|&g| rows[g].iter().map(|row| dirichlet(&mut rng, row, concentration)).collect())
            .collect();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..k).for_each(|c| {
            b.classes.intern(&c.to_string());
        });
        (0..annotators).for_each(|j| {
            b.annotators.intern(&format!("a{j}"));
        });
        let mut truth = Vec::new();
        for i in 0..items {
            let z = rng.random_range(0..k);
            truth.push(z);
            for j in rand::seq::index::sample(&mut rng, annotators, per_item) {
                let u: f64 = rng.random();
                let mut sum = 0.0;
                let l = confusion[j][z].iter().position(|p| {
                    sum += p;
                    u < sum
                });
                b.label(&format!("i{i}"), &format!("a{j}"), &l.unwrap_or(k - 1).to_string()).unwrap();
            }
        }
        Crowd { data: Dataset::new(b.finish().unwrap()), truth }
    }

    /// Accuracy in percent, ties split evenly.
    pub fn accuracy(&self, f: &Fit) -> f64 {
        let rows: Vec<(String, String)> =
            self.truth.iter().enumerate().map(|(i, z)| (format!("i{i}"), z.to_string())).collect();
        100.0 * accuracy(f, &Gold::from_items(&self.data.table, &rows, "truth").unwrap())
    }
}

fn dirichlet(rng: &mut impl rand::Rng, mean: &[f64], concentration: f64) -> Vec<f64> {
    let draw: Vec<f64> = mean.iter().map(|m| Gamma::new(m * concentration, 1.0).unwrap().sample(rng)).collect();
    let sum: f64 = draw.iter().sum();
    draw.iter().map(|x| x / sum).collect()
}

/// 250 annotators with 8 labels each whose rows lie around common ones.
pub fn sparse(seed: u64) -> Crowd {
    let rows = [[0.7, 0.1, 0.1, 0.1], [0.3, 0.5, 0.1, 0.1], [0.05, 0.1, 0.75, 0.1], [0.1, 0.1, 0.3, 0.5]];
    Crowd::new(seed, 400, 5, 250, 15.0, &[rows.iter().map(|r| r.to_vec()).collect()])
}

/// Mean accuracy over five simulated crowds.
pub fn mean_accuracy(id: &str, params: &[(&str, Value)], crowds: &[Crowd]) -> f64 {
    let params: Vec<(String, Value)> = params.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect();
    let m = crowdwise_methods::find(id).unwrap().with(&params).unwrap();
    crowds.iter().map(|c| c.accuracy(&fit(&*m, &c.data))).sum::<f64>() / crowds.len() as f64
}
