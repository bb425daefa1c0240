//! Whether the labels call for items that differ in what they are mistaken for.

use crowdwise_core::Categorical;

/// Labels of an item below which its own leanings cannot be told from the errors of its annotators: with five labels the
/// model of integrated items is no better than one without items, with ten it is (see `crowdwise repro trust`).
const LABELS: f64 = 10.0;

/// Labels for each of the K - 1 numbers that say what an item of one class is mistaken for.
const EACH: f64 = 4.0;

/// A row of scores for each class of each item: beyond, the work grows with the cube of the classes for nothing.
const CLASSES: usize = 20;

/// Standard errors by which the agreement of items must vary more than chance lets it.
const FIRM: f64 = 3.0;

/// Whether items with leanings of their own may be fitted: enough labels for each item to show them, and agreement that
/// varies
/// over items of one class more than independent annotators with these matrices would make it. `tables`
/// (annotators x label x truth) and `posterior` are of a fit that takes annotators for independent. The error says in
/// plain words why not.
pub fn items_differ(labels: &Categorical<'_>, tables: &[f64], posterior: &[f64]) -> Result<(), String> {
    let (k, table) = (labels.k(), labels.table);
    if k > CLASSES {
        return Err(format!("{k} classes are too many for a row of numbers for each class of each item"));
    }
    let items = (0..table.n_units()).filter(|&u| table.degree(u) > 0).count();
    let per_item = table.n_labels() as f64 / items.max(1) as f64;
    let wanted = LABELS.max(EACH * (k - 1) as f64);
    if per_item < wanted {
        return Err(format!(
            "{per_item:.1} labels per item do not tell hard items from careless annotators; for {k} classes it takes {wanted:.0}"
        ));
    }
    let (ratio, error) = overdispersion(labels, tables, posterior).ok_or("no item has two labels")?;
    if ratio < 1.0 + FIRM * error {
        return Err(format!(
            "items do not differ in difficulty beyond chance (agreement varies {ratio:.2} times as much as independent \
             annotators would make it)"
        ));
    }
    Ok(())
}

/// Variance over items of the number of labels that are right, given the class, as a multiple of what independent
/// annotators would give, and the standard error of that over items. Each class counts as far as it is believed.
fn overdispersion(labels: &Categorical<'_>, tables: &[f64], posterior: &[f64]) -> Option<(f64, f64)> {
    let (k, table) = (labels.k(), labels.table);
    let mut seen = Vec::new();
    for u in 0..table.n_units() {
        if table.degree(u) < 2 {
            continue;
        }
        let (mut square, mut variance) = (0.0, 0.0);
        for (c, &q) in posterior[u * k..][..k].iter().enumerate().filter(|(_, q)| **q > 1e-6) {
            let (mut off, mut own) = (0.0, 0.0);
            for r in table.rows(u) {
                let p = tables[(table.annotator()[r] as usize * k + c) * k + c].clamp(0.0, 1.0);
                off += f64::from(u8::from(labels.codes.get(r) == c)) - p;
                own += p * (1.0 - p);
            }
            square += q * off * off;
            variance += q * own;
        }
        seen.push((square, variance));
    }
    let (square, variance) = seen.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    if variance <= 0.0 {
        return None;
    }
    let ratio = square / variance;
    let rest: f64 = seen.iter().map(|(x, y)| (x - ratio * y).powi(2)).sum();
    Some((ratio, rest.sqrt() / variance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::pooled::PooledDawidSkene;
    use crowdwise_core::{Dataset, LabelKind, TableBuilder, stream};
    use rand::RngExt;

    /// 100 items of two classes; every annotator is right with .75, more or less so by item.
    fn crowd(labels: usize, spread: f64) -> Dataset {
        let mut rng = stream(5, "difficulty", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for i in 0..100 {
            let hard: f64 = rng.random_range(-spread..=spread);
            for j in 0..labels {
                let right = rng.random_bool((0.75 + hard).clamp(0.02, 0.98));
                let l = if right { i % 2 } else { 1 - i % 2 };
                b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
            }
        }
        Dataset::new(b.finish().unwrap())
    }

    fn verdict(data: &Dataset) -> Result<(), String> {
        use crate::classes::confusion::shared::transpose;
        use crowdwise_core::{Annotators, Context, Method, Truth};
        let out = PooledDawidSkene::default().fit(data, &mut Context::new(0, 1)).unwrap();
        let Annotators::Confusion { k, matrix } = out.annotators else { panic!("matrices wanted") };
        let Truth::Classes { posterior, .. } = out.truth else { panic!("classes wanted") };
        items_differ(&data.table.categorical().unwrap(), &transpose(matrix, k), &posterior)
    }

    #[test]
    fn items_must_differ_and_have_labels_that_show_it() {
        assert_eq!(verdict(&crowd(15, 0.4)), Ok(()));
        let alike = verdict(&crowd(15, 0.0)).unwrap_err();
        assert!(alike.contains("beyond chance"), "{alike}");
        let few = verdict(&crowd(5, 0.4)).unwrap_err();
        assert!(few.contains("5.0 labels per item"), "{few}");
    }
}
