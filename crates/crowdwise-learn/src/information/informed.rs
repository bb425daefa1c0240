//! Whose labels the features explain: a start for the crowd's view that a majority without knowledge cannot mislead.

use crate::train::Task;
use crate::{Labels, Matrix};
use crowdwise_core::Dataset;
use crowdwise_core::questions::voices;

/// Share of the most that anybody counts below which an annotator counts nothing: a hundred copies of a lucky guesser would add
/// up.
const LEAST: f64 = 0.1;

/// What the features say of the annotators.
pub(super) struct Informed {
    /// What each annotator counts: how much of the scatter of the features lies between the items that she labelled
    /// differently, less what chance gives.
    pub weights: Vec<f64>,
    /// How many there are of those who say what each annotator says: they are as good as one.
    pub voices: Vec<f64>,
    /// Shares of the votes weighted so, items x K; even for items without an annotator who counts.
    pub shares: Vec<f64>,
}

/// `None` if no annotator counts.
pub(super) fn informed(data: &Dataset, task: &Task) -> Option<Informed> {
    let (labels, k) = (&task.labels, task.labels.k);
    let mut own: Vec<Vec<(u32, usize)>> = vec![Vec::new(); labels.m];
    for &i in &task.train {
        labels.of(i as usize).for_each(|(j, l)| own[j].push((i, l)));
    }
    let mut weights: Vec<f64> = own.iter().map(|own| weight(&task.x, own, k)).collect();
    let most = weights.iter().copied().fold(0.0, f64::max);
    if most == 0.0 {
        return None;
    }
    weights.iter_mut().filter(|w| **w < LEAST * most).for_each(|w| *w = 0.0);
    let shares = shares(labels, &weights);
    let voices = voices(data, &shares);
    weights.iter_mut().zip(&voices).for_each(|(w, n)| *w /= n);
    let shares = if voices.iter().any(|n| *n > 1.0) { self::shares(labels, &weights) } else { shares };
    Some(Informed { weights, voices, shares })
}

/// Shares of the weighted votes, items x K.
fn shares(labels: &Labels, weights: &[f64]) -> Vec<f64> {
    let k = labels.k;
    let mut shares = vec![1.0 / k as f64; labels.items() * k];
    for (i, row) in shares.chunks_exact_mut(k).enumerate() {
        if let Some(g) = labels.gold(i) {
            row.fill(0.0);
            row[g] = 1.0;
            continue;
        }
        let total: f64 = labels.of(i).map(|(j, _)| weights[j]).sum();
        if total > 0.0 {
            row.fill(0.0);
            labels.of(i).for_each(|(j, l)| row[l] += weights[j] / total);
        }
    }
    shares
}

/// What an annotator counts, from her items and labels.
fn weight(x: &Matrix, own: &[(u32, usize)], k: usize) -> f64 {
    let said: Vec<usize> = own.iter().map(|o| o.1).collect();
    let classes = (0..k).filter(|c| said.contains(c)).count();
    if classes < 2 || own.len() <= classes {
        return 0.0;
    }
    let items: Vec<u32> = own.iter().map(|o| o.0).collect();
    let explained = between(x, &items, &said, k);
    // the mean over all ways to deal these labels out among the items
    let chance = (classes - 1) as f64 / (own.len() - 1) as f64;
    (explained - chance).max(0.0)
}

/// Share of the scatter of the features of these items that lies between classes.
fn between(x: &Matrix, items: &[u32], said: &[usize], k: usize) -> f64 {
    let d = x.cols;
    let (mut sums, mut counts, mut squares) = (vec![0.0f64; k * d], vec![0.0f64; k], 0.0);
    for (&i, &l) in items.iter().zip(said) {
        counts[l] += 1.0;
        for (s, v) in sums[l * d..(l + 1) * d].iter_mut().zip(x.row(i as usize)) {
            let v = f64::from(*v);
            *s += v;
            squares += v * v;
        }
    }
    let length = |s: &[f64]| s.iter().map(|x| x * x).sum::<f64>();
    let mut all = vec![0.0; d];
    sums.chunks_exact(d).for_each(|s| all.iter_mut().zip(s).for_each(|(a, s)| *a += s));
    let middle = length(&all) / items.len() as f64;
    let classes = sums.chunks_exact(d).zip(&counts).filter(|(_, n)| **n > 0.0);
    let inside: f64 = classes.map(|(s, n)| length(s) / n).sum();
    if squares - middle > 1e-12 { (inside - middle) / (squares - middle) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder, stream};
    use rand::RngExt;

    /// 300 items of two classes that the first feature tells; one annotator knows, three copy a coin, one always says the same.
    fn crowd() -> (Dataset, Task, Vec<usize>) {
        let mut rng = stream(1, "informed", 0);
        let truth: Vec<usize> = (0..300).map(|_| rng.random_range(0..2)).collect();
        let mut values = Vec::new();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (i, &z) in truth.iter().enumerate() {
            values.extend([z as f32 + rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)]);
            let coin = rng.random_range(0..2);
            let said = [("knows", z), ("coin", coin), ("copy", coin), ("again", coin), ("always", 1)];
            for (j, l) in said {
                b.label(&i.to_string(), j, ["a", "b"][l]).unwrap();
            }
        }
        let data = Dataset::new(b.finish().unwrap());
        // classes are numbered as they first come
        let first = data.table.categorical().unwrap().classes.name(0) == "a";
        let truth = if first { truth } else { truth.iter().map(|z| 1 - z).collect() };
        let train = (0..300).collect();
        let x = Matrix::new(300, 2, values).into();
        let labels = Labels::new(&data);
        (data, Task { x, labels, train, held_out: Vec::new() }, truth)
    }

    #[test]
    fn who_knows_is_found_among_copies_of_a_coin() {
        let (data, task, truth) = crowd();
        let Informed { weights, shares, .. } = informed(&data, &task).unwrap();
        assert_eq!(weights.iter().filter(|w| **w > 0.0).count(), 1);
        let right = shares.chunks_exact(2).zip(&truth).filter(|(row, z)| row[**z] > 0.99).count();
        assert_eq!(right, 300, "only one annotator counts");
    }

    #[test]
    fn without_knowledge_there_is_no_start() {
        let (data, mut task, _) = crowd();
        task.x = Matrix::new(300, 2, vec![1.0; 600]).into();
        assert!(informed(&data, &task).is_none());
    }

    #[test]
    fn those_who_repeat_errors_count_as_one() {
        let mut rng = stream(2, "informed", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let mut values = Vec::new();
        for i in 0..400 {
            let z = rng.random_range(0..3);
            values.extend([z as f32, rng.random_range(-0.5..0.5)]);
            let mut said: Vec<usize> =
                (0..5).map(|_| if rng.random_bool(0.6) { z } else { rng.random_range(0..3) }).collect();
            said.extend([said[0], said[0], said[1]]);
            for (j, l) in said.into_iter().enumerate() {
                b.label(&i.to_string(), &j.to_string(), ["a", "b", "c"][l]).unwrap();
            }
        }
        let data = Dataset::new(b.finish().unwrap());
        let x = Matrix::new(400, 2, values).into();
        let task = Task { x, labels: Labels::new(&data), train: (0..400).collect(), held_out: Vec::new() };
        let found = informed(&data, &task).unwrap();
        assert_eq!(found.voices, [3.0, 2.0, 1.0, 1.0, 1.0, 3.0, 3.0, 2.0]);
        let together = found.weights[0] + found.weights[5] + found.weights[6];
        assert!((together / found.weights[2] - 1.0).abs() < 0.5, "{:?}", found.weights);
    }
}
