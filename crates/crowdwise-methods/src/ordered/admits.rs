//! Whether the labels themselves speak for an order of the classes.

use crowdwise_core::Categorical;

/// Errors of the mean distance that it must lie below that of classes without an order.
const FIRM: f64 = 3.0;

/// Whether `ordinal-vb` may be used for these labels: the classes are said to have an order, there are three or more of
/// them, and annotators who disagree are nearer to each other than they would be if the order meant nothing. The error
/// says in plain words why not.
pub fn follows_order(labels: &Categorical<'_>) -> Result<(), String> {
    let k = labels.k();
    if !labels.ordered {
        return Err("the classes are not said to have an order".into());
    }
    if k < 3 {
        return Err("an order of two classes says nothing".into());
    }
    let (near, error) =
        nearness(labels).ok_or("too few annotators disagree to tell whether neighbouring classes are confused")?;
    if near > 1.0 - FIRM * error {
        return Err(format!(
            "annotators who disagree are no nearer to each other than by chance ({:.0} % of the distance that classes \
             without an order would have)",
            100.0 * near
        ));
    }
    Ok(())
}

/// Mean distance of two labels of an item that differ, as a share of what it would be if only the frequencies of the
/// classes counted, and its standard error over items. `None`: fewer than ten items with labels that differ.
fn nearness(labels: &Categorical<'_>) -> Option<(f64, f64)> {
    let (k, table) = (labels.k(), labels.table);
    let mut votes = vec![0.0; k];
    // of the items with labels that differ: pairs, and the sum of their distances
    let mut seen = Vec::new();
    let mut share = vec![0.0; k];
    for u in 0..table.n_units() {
        votes.fill(0.0);
        labels.votes(u, &mut votes);
        let n: f64 = votes.iter().sum();
        let same: f64 = votes.iter().map(|v| v * v).sum();
        if n * n <= same {
            continue;
        }
        // one label weighs as much on every such item
        share.iter_mut().zip(&votes).for_each(|(s, v)| *s += v / n);
        seen.push(((n * n - same) / (n * n), spread(&votes) / (n * n)));
    }
    if seen.len() < 10 {
        return None;
    }
    let all: f64 = share.iter().sum();
    share.iter_mut().for_each(|s| *s /= all);
    let expected = spread(&share) / (1.0 - share.iter().map(|s| s * s).sum::<f64>());
    let (pairs, distance) = seen.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let mean = distance / pairs;
    // a ratio of two sums over items: its error by the residuals
    let rest: f64 = seen.iter().map(|(x, y)| (y - mean * x).powi(2)).sum();
    Some((mean / expected, rest.sqrt() / pairs / expected))
}

/// Sum of distances over ordered pairs of `counts`.
fn spread(counts: &[f64]) -> f64 {
    // a pair counts once for every threshold between the two
    let all: f64 = counts.iter().sum();
    let mut below = 0.0;
    let mut sum = 0.0;
    for c in &counts[..counts.len() - 1] {
        below += c;
        sum += 2.0 * below * (all - below);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, Table, TableBuilder, stream};
    use rand::RngExt;

    /// 60 items, five labels each; an error goes to a neighbour or anywhere.
    fn crowd(near: bool, classes: i32) -> Table {
        let mut rng = stream(3, "order", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        b.ordered = true;
        for i in 0..60 {
            let truth = i % classes;
            for j in 0..5 {
                let error: bool = rng.random_bool(0.4);
                let step = if near { 1 } else { rng.random_range(1..classes) };
                let up: bool = rng.random_bool(0.5);
                let l = match (error, near) {
                    (false, _) => truth,
                    (true, true) => (truth + if up { step } else { -step }).clamp(0, classes - 1),
                    (true, false) => (truth + step) % classes,
                };
                b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
            }
        }
        b.finish().unwrap()
    }

    #[test]
    fn neighbours_are_confused_or_not() {
        let yes = crowd(true, 5);
        assert_eq!(follows_order(&yes.categorical().unwrap()), Ok(()));
        let no = crowd(false, 5);
        let why = follows_order(&no.categorical().unwrap()).unwrap_err();
        assert!(why.contains("no nearer"), "{why}");
        let two = crowd(true, 2);
        assert!(follows_order(&two.categorical().unwrap()).unwrap_err().contains("two classes"));
        let unordered = yes.categorical().unwrap();
        let unordered = crowdwise_core::Categorical { ordered: false, ..unordered };
        assert!(follows_order(&unordered).unwrap_err().contains("not said"));
    }

    #[test]
    fn distances_are_summed_over_pairs() {
        // labels 0, 0, 2: four ordered pairs of distance 2
        assert!((spread(&[2.0, 0.0, 1.0]) - 8.0).abs() < 1e-12);
    }
}
