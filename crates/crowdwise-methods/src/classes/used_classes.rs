//! Classes that nobody used. Models with a cell for every pair of classes have nothing to fit such a class with, and what
//! they put there spoils the others: they are fitted without it, and it comes back with probability 0.

use crowdwise_core::{Annotators, Context, Dataset, Error, GoldValues, Outcome, Truth};

/// The same data without the classes that nobody used.
struct UsedClasses {
    data: Dataset,
    /// Class in the whole data of each class that is left.
    place: Vec<usize>,
    k: usize,
}

/// Fits without the classes that neither labels nor gold use; `keep` names classes that stay anyway. `None` if all are
/// used, if fewer than two are, or if the fit begins at another one of all classes.
pub(crate) fn fit_without_unused<'a>(
    data: &Dataset,
    keep: impl IntoIterator<Item = &'a String>,
    cx: &mut Context<'_>,
    fit: impl FnOnce(&Dataset, &mut Context<'_>) -> Result<Outcome, Error>,
) -> Result<Option<Outcome>, Error> {
    if cx.warm.is_some() {
        return Ok(None);
    }
    let Some(used) = UsedClasses::of(data, keep) else { return Ok(None) };
    let out = fit(&used.data, cx)?;
    Ok(Some(used.widened(out)))
}

impl UsedClasses {
    fn of<'a>(data: &Dataset, keep: impl IntoIterator<Item = &'a String>) -> Option<UsedClasses> {
        let labels = data.table.categorical()?;
        let k = labels.k();
        let mut used = vec![false; k];
        (0..data.table.n_labels()).for_each(|r| used[labels.codes.get(r)] = true);
        if let Some(GoldValues::Classes(gold)) = data.gold.as_ref().map(|g| &g.values) {
            if gold.iter().any(|&(_, c)| c as usize >= k) {
                return None;
            }
            gold.iter().for_each(|&(_, c)| used[c as usize] = true);
        }
        let keep: Vec<&String> = keep.into_iter().collect();
        for (c, name) in labels.classes.iter().enumerate() {
            used[c] |= keep.iter().any(|n| *n == name);
        }
        let place: Vec<usize> = (0..k).filter(|&c| used[c]).collect();
        if place.len() == k || place.len() < 2 {
            return None;
        }
        let mut table = data.table.clone();
        for (_, name) in labels.classes.iter().enumerate().filter(|(c, _)| !used[*c]) {
            table = table.without_class(name)?;
        }
        let mut data = Dataset { table, ..data.clone() };
        if let Some(GoldValues::Classes(gold)) = data.gold.as_mut().map(|g| &mut g.values) {
            let number = |c: u32| place.iter().position(|&p| p == c as usize).expect("it is used") as u32;
            gold.iter_mut().for_each(|(_, c)| *c = number(*c));
        }
        Some(UsedClasses { data, place, k })
    }

    /// A row over the classes that are left, as one over all.
    fn row(&self, from: &[f64]) -> Vec<f64> {
        let mut to = vec![0.0; self.k];
        self.place.iter().zip(from).for_each(|(&c, &x)| to[c] = x);
        to
    }

    fn rows(&self, from: &[f64]) -> Vec<f64> {
        from.chunks_exact(self.place.len()).flat_map(|r| self.row(r)).collect()
    }

    fn widened(&self, mut out: Outcome) -> Outcome {
        let k = self.k;
        if let Truth::Classes { k: few, posterior } = &mut out.truth {
            *posterior = self.rows(posterior);
            *few = k;
        }
        out.uncalibrated = out.uncalibrated.map(|q| self.rows(&q));
        out.class_prior = out.class_prior.map(|p| self.row(&p));
        match &mut out.annotators {
            Annotators::Confusion { k: few, matrix } => {
                // of a class that nobody met nothing is known
                let mut all = vec![1.0 / k as f64; matrix.len() / (*few * *few) * k * k];
                for (row, from) in matrix.chunks_exact(*few).enumerate() {
                    let at = row / *few * k + self.place[row % *few];
                    all[at * k..(at + 1) * k].copy_from_slice(&self.row(from));
                }
                *matrix = all;
                *few = k;
            }
            Annotators::Accuracy { k: few, .. } => *few = k,
            _ => {}
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::confusion::DawidSkene;
    use crowdwise_core::{LabelKind, Method, TableBuilder};

    #[test]
    fn the_result_is_that_of_the_used_classes_with_zeros_for_the_others() {
        let of = |classes: &[&str]| {
            let mut b = TableBuilder::new(LabelKind::Categorical);
            classes.iter().for_each(|c| _ = b.classes.intern(c));
            for i in 0..40 {
                for j in 0..4 {
                    let c = if (i + j) % 5 == 0 { "y" } else { ["x", "y"][i % 2] };
                    b.label(&format!("i{i}"), &format!("a{j}"), c).unwrap();
                }
            }
            Dataset::new(b.finish().unwrap())
        };
        let (few, many) = (of(&["x", "y"]), of(&["w", "x", "xx", "y"]));
        let fit = |d: &Dataset, cx: &mut Context<'_>| DawidSkene::default().fit(d, cx);
        assert!(fit_without_unused(&few, [], &mut Context::default(), fit).unwrap().is_none());
        let plain = fit(&few, &mut Context::default()).unwrap();
        let wide = fit_without_unused(&many, [], &mut Context::default(), fit).unwrap().unwrap();
        let (Truth::Classes { posterior: p, .. }, Truth::Classes { k: 4, posterior: q }) = (&plain.truth, &wide.truth)
        else {
            panic!("classes wanted")
        };
        for (a, b) in p.chunks_exact(2).zip(q.chunks_exact(4)) {
            assert_eq!([0.0, a[0], 0.0, a[1]], b);
        }
        let (Annotators::Confusion { matrix: a, .. }, Annotators::Confusion { k: 4, matrix: b }) =
            (&plain.annotators, &wide.annotators)
        else {
            panic!("matrices wanted")
        };
        assert_eq!(b[4..8], [0.0, a[0], 0.0, a[1]]);
        assert_eq!(b[..4], [0.25; 4]);
        assert_eq!(wide.class_prior.unwrap()[1], plain.class_prior.unwrap()[0]);
    }
}
