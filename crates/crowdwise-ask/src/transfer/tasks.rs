//! The labels of several tasks by common numbers of annotators.

use crowdwise_core::{Dataset, Error, LabelKind};

/// Labels of one task, sorted by names of items and annotators, so that the order of rows is that of the names.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub k: usize,
    /// Unit number of the dataset for each item here (its rank by name is the number here).
    pub units: Vec<usize>,
    /// (item here, annotator of all tasks, class)
    pub labels: Vec<(u32, u32, u32)>,
}

impl Task {
    pub fn items(&self) -> usize {
        self.units.len()
    }

    /// Vote shares of the items; those without labels even.
    pub fn vote_shares(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.items() * self.k];
        self.labels.iter().for_each(|&(i, _, l)| q[i as usize * self.k + l as usize] += 1.0);
        for row in q.chunks_exact_mut(self.k) {
            let n: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x = if n > 0.0 { *x / n } else { 1.0 / self.k as f64 });
        }
        q
    }

    /// Rows by item here as rows by unit of the dataset.
    pub fn by_unit(&self, rows: &[f64], width: usize) -> Vec<f64> {
        let mut out = vec![0.0; rows.len()];
        for (i, &u) in self.units.iter().enumerate() {
            out[u * width..(u + 1) * width].copy_from_slice(&rows[i * width..(i + 1) * width]);
        }
        out
    }
}

/// The target first, then the sources, with all their annotators.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "tasks are tasks")]
pub struct Tasks {
    /// All annotators, sorted by name.
    pub annotators: Vec<String>,
    /// Labels of every annotator in every task, annotators x tasks.
    pub labels: Vec<Vec<u64>>,
    pub(crate) tasks: Vec<Task>,
}

impl Tasks {
    /// Matches annotators by name. Refuses tasks without classes, and sources that share nobody with the target.
    pub fn new(target: &Dataset, sources: &[&Dataset]) -> Result<Tasks, Error> {
        let all: Vec<&Dataset> = std::iter::once(target).chain(sources.iter().copied()).collect();
        let mut problems = Vec::new();
        if sources.is_empty() {
            problems.push(Error::Usage {
                what: "nothing to transfer from".into(),
                hint: Some("give at least one other set of answers with `--source FILE`".into()),
            });
        }
        let named =
            |d: &Dataset| d.table.annotators().iter().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
        let of_target = named(target);
        for (x, d) in all.iter().enumerate() {
            if d.table.kind() != LabelKind::Categorical || d.table.n_classes() < 2 {
                problems.push(Error::BadData {
                    file: d.source.clone(),
                    what: format!("has {} labels of {} classes", d.table.kind(), d.table.n_classes()),
                    hint: Some("transfer is for tasks with two or more classes".into()),
                });
            } else if x > 0 && named(d).is_disjoint(&of_target) && d.table.n_labels() > 0 {
                problems.push(Error::BadData {
                    file: d.source.clone(),
                    what: format!("shares no annotator with {}", target.source),
                    hint: Some("annotators are matched by name".into()),
                });
            }
        }
        Error::all(problems)?;
        let annotators: Vec<String> =
            all.iter().flat_map(|d| named(d)).collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        let mut labels = vec![vec![0; all.len()]; annotators.len()];
        let mut tasks = Vec::new();
        for (x, d) in all.iter().enumerate() {
            let task = task(d, &annotators);
            task.labels.iter().for_each(|l| labels[l.1 as usize][x] += 1);
            tasks.push(task);
        }
        Ok(Tasks { annotators, labels, tasks })
    }

    /// The target without the sources.
    pub(crate) fn alone(&self) -> Tasks {
        let first = |n: &Vec<u64>| vec![n[0]];
        Tasks {
            annotators: self.annotators.clone(),
            labels: self.labels.iter().map(first).collect(),
            tasks: self.tasks[..1].to_vec(),
        }
    }
}

fn task(d: &Dataset, annotators: &[String]) -> Task {
    let table = &d.table;
    let codes = table.categorical().expect("the kind was checked");
    let number: Vec<u32> = table
        .annotators()
        .iter()
        .map(|name| annotators.binary_search_by(|a| a.as_str().cmp(name)).expect("everybody is there") as u32)
        .collect();
    let mut units: Vec<usize> = (0..table.n_units()).collect();
    units.sort_by(|&a, &b| table.items().name(a).cmp(table.items().name(b)));
    let mut labels = Vec::with_capacity(table.n_labels());
    for (i, &u) in units.iter().enumerate() {
        let start = labels.len();
        let row = |r: usize| (i as u32, number[table.annotator()[r] as usize], codes.codes.get(r) as u32);
        labels.extend(table.rows(u).map(row));
        labels[start..].sort_unstable();
    }
    Task { k: codes.k(), units, labels }
}
