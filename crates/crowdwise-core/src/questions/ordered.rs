//! Answers of ordered classes against known truth: being one grade off is not being four grades off.

use crate::{Dataset, stats};

/// How far answers are from the truth, in grades.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OrderedScores {
    /// Mean number of grades between answer and truth.
    pub mae: f64,
    /// Cohen's κ with squared distances; `None` if all answers and all truths are one class.
    pub quadratic_kappa: Option<f64>,
}

/// Scores the labelled units whose truth is known; `None` unless classes are ordered. Where classes share the first place
/// an answer counts for each of them evenly, so that the order of the classes favours nobody. A truth that the table does
/// not know as a class has no place in the order and is left out.
pub(super) fn of_known(data: &Dataset, posterior: &[f64], known: &[(u32, u32)]) -> Option<OrderedScores> {
    let labels = data.table.categorical().filter(|c| c.ordered)?;
    let k = labels.k();
    // truth x answer
    let mut table = vec![0.0; k * k];
    for &(u, truth) in known {
        let (u, truth) = (u as usize, truth as usize);
        if truth >= k || (u + 1) * k > posterior.len() || data.table.degree(u) == 0 {
            continue;
        }
        let row = &posterior[u * k..(u + 1) * k];
        let (top, n) = (row[stats::argmax(row)], stats::n_tied(row) as f64);
        for (c, _) in row.iter().enumerate().filter(|(_, p)| stats::tied(**p, top)) {
            table[truth * k + c] += 1.0 / n;
        }
    }
    let n: f64 = table.iter().sum();
    if n == 0.0 {
        return None;
    }
    let share = |of: &dyn Fn(usize) -> f64| (0..k).map(of).collect::<Vec<f64>>();
    let truth = share(&|t| table[t * k..(t + 1) * k].iter().sum());
    let answer = share(&|c| table[c..].iter().step_by(k).sum());
    let (mut steps, mut seen, mut chance) = (0.0, 0.0, 0.0);
    for t in 0..k {
        for c in 0..k {
            let distance = t.abs_diff(c) as f64;
            steps += distance * table[t * k + c];
            seen += distance * distance * table[t * k + c];
            chance += distance * distance * truth[t] * answer[c] / n;
        }
    }
    Some(OrderedScores { mae: steps / n, quadratic_kappa: (chance > 0.0).then(|| 1.0 - seen / chance) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelKind, TableBuilder};

    /// Items 0.. labelled by one annotator each, five grades.
    fn grades(ordered: bool) -> Dataset {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        b.ordered = ordered;
        for i in 0..5 {
            b.label(&format!("i{i}"), "a", &i.to_string()).unwrap();
        }
        Dataset::new(b.finish().unwrap())
    }

    fn sure(of: &[usize]) -> Vec<f64> {
        of.iter().flat_map(|&c| (0..5).map(move |x| f64::from(u8::from(x == c)))).collect()
    }

    #[test]
    fn one_grade_off_is_better_than_four() {
        let data = grades(true);
        let truth: Vec<(u32, u32)> = (0..5).map(|i| (i, i)).collect();
        let right = of_known(&data, &sure(&[0, 1, 2, 3, 4]), &truth).unwrap();
        assert_eq!((right.mae, right.quadratic_kappa), (0.0, Some(1.0)));
        let near = of_known(&data, &sure(&[1, 1, 2, 3, 4]), &truth).unwrap();
        let far = of_known(&data, &sure(&[4, 1, 2, 3, 4]), &truth).unwrap();
        assert!((near.mae - 0.2).abs() < 1e-12 && (far.mae - 0.8).abs() < 1e-12);
        // by hand: 1 - 1 / (5 x (mean squared distance of independent draws)), answers 1 1 2 3 4
        let chance: f64 =
            [0i32, 1, 2, 3, 4].iter().flat_map(|t| [1i32, 1, 2, 3, 4].map(|c| f64::from((t - c).pow(2)))).sum::<f64>()
                / 5.0;
        assert!((near.quadratic_kappa.unwrap() - (1.0 - 1.0 / chance)).abs() < 1e-12);
        assert!(far.quadratic_kappa < near.quadratic_kappa);
    }

    #[test]
    fn ties_are_split_and_other_classes_have_none() {
        let data = grades(true);
        let mut q = sure(&[0, 1, 2, 3, 4]);
        q[0..5].copy_from_slice(&[0.5, 0.5, 0.0, 0.0, 0.0]);
        assert!((of_known(&data, &q, &[(0, 0)]).unwrap().mae - 0.5).abs() < 1e-12);
        // a class beyond the table
        assert_eq!(of_known(&data, &q, &[(0, 7)]), None);
        assert_eq!(of_known(&grades(false), &q, &[(0, 0)]), None);
    }
}
