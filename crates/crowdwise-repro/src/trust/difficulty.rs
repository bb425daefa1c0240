//! Items that differ in difficulty, and grades: where models of them win, where they lose, and whether they are admitted.

mod worlds;

use crowdwise::methods::classes::optimisation::{MinimaxEntropy, MinimaxVariant, items_differ};
use crowdwise::methods::classes::ordered::follows_order;
use crowdwise::{AnyMethod, Context, Dataset, Error, Fit, stats};
use std::fmt::Write as _;
use worlds::{Drawn, Grades, Items, SKEWED};

/// How much is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub items: usize,
    pub repeats: u64,
    pub threads: usize,
}

/// Accuracy and mean distance from the true class.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    pub right: f64,
    pub far: f64,
}

/// A world, its methods in order, and the share of its crowds for which the model of interest is admitted.
pub struct Row {
    pub world: String,
    pub scores: Vec<Score>,
    pub admitted: f64,
}

type Named = (&'static str, Box<dyn AnyMethod>);

fn by_name(names: &[&'static str]) -> Result<Vec<Named>, Error> {
    names.iter().map(|name| Ok((*name, crowdwise::find(name)?.default()))).collect()
}

fn minimax(variant: MinimaxVariant) -> Box<dyn AnyMethod> {
    Box::new(MinimaxEntropy { variant, ..MinimaxEntropy::default() })
}

/// Items that differ, or not.
pub fn items(size: Size) -> Result<(Vec<&'static str>, Vec<Row>), Error> {
    let mut methods = by_name(&["majority-vote", "dawid-skene", "pooled-dawid-skene"])?;
    methods.push(("minimax, published", minimax(MinimaxVariant::Categorical)));
    methods.push(("minimax, integrated", minimax(MinimaxVariant::Integrated)));
    let mut rows = Vec::new();
    for world in [Items::Alike, Items::Hard, Items::Misleading, Items::Leaning] {
        for (classes, annotators, per_item) in
            [(2, 20, 3), (2, 20, 5), (2, 20, 10), (2, 20, 20), (4, 30, 5), (4, 30, 12), (4, 30, 20), (10, 40, 10)]
        {
            let name = format!("{world}, {classes} classes, {per_item} labels per item");
            rows.push(row(name, &methods, size, &differ, |seed| {
                worlds::items(world, seed, size.items, annotators, classes, per_item)
            })?);
        }
    }
    Ok((methods.iter().map(|m| m.0).collect(), rows))
}

/// Five grades.
pub fn grades(size: Size) -> Result<(Vec<&'static str>, Vec<Row>), Error> {
    let mut methods = by_name(&[
        "majority-vote",
        "dawid-skene",
        "pooled-dawid-skene",
        "ordinal",
        "ordinal-vb",
        "ordinal-binary",
        "crowd-svm",
    ])?;
    methods.push(("minimax, ordinal", minimax(MinimaxVariant::Ordinal)));
    let even = [1.0; 5];
    let plain = Grades::default();
    let worlds: [(&str, Grades); 7] = [
        ("bias and noise", Grades { shares: even, ..plain }),
        ("the same, skewed", Grades { shares: SKEWED, ..plain }),
        ("compressed scales", Grades { shares: even, stretch: (0.5, 1.0), ..plain }),
        ("compressed scales, skewed", Grades { shares: SKEWED, stretch: (0.5, 1.0), ..plain }),
        ("30 % guess", Grades { shares: even, guess: 0.3, ..plain }),
        ("30 % guess, skewed", Grades { shares: SKEWED, guess: 0.3, ..plain }),
        ("errors anywhere: no order", Grades { shares: even, anywhere: true, ..plain }),
    ];
    let mut rows = Vec::new();
    for (name, world) in worlds {
        for (annotators, per_item) in [(5, 5), (40, 3), (40, 6), (200, 5), (40, 10)] {
            let name = format!("{name}, {per_item} labels per item, {annotators} annotators");
            rows.push(row(name, &methods, size, &|d: &Dataset, _: &[Fit]| ordered(d), |seed| {
                worlds::grades(&world, seed, size.items, annotators, per_item)
            })?);
        }
    }
    Ok((methods.iter().map(|m| m.0).collect(), rows))
}

fn ordered(data: &Dataset) -> bool {
    data.table.categorical().is_some_and(|l| follows_order(&l).is_ok())
}

/// By the third fit, that of `pooled-dawid-skene`.
fn differ(data: &Dataset, fits: &[Fit]) -> bool {
    let Some(labels) = data.table.categorical() else { return false };
    let (k, m) = (labels.k(), data.table.n_annotators());
    let Some((_, posterior)) = fits[2].posterior() else { return false };
    let mut tables = vec![0.0; m * k * k];
    for (j, out) in tables.chunks_exact_mut(k * k).enumerate() {
        let Some(matrix) = fits[2].annotators.confusion(j) else { return false };
        (0..k * k).for_each(|x| out[x] = matrix[(x % k) * k + x / k]);
    }
    items_differ(&labels, &tables, posterior).is_ok()
}

fn row(
    world: String,
    methods: &[Named],
    size: Size,
    admitted: &dyn Fn(&Dataset, &[Fit]) -> bool,
    draw: impl Fn(u64) -> Result<Drawn, Error>,
) -> Result<Row, Error> {
    let mut scores = vec![Score::default(); methods.len()];
    let mut yes = 0.0;
    let share = 1.0 / size.repeats as f64;
    for seed in 0..size.repeats {
        let drawn = draw(seed)?;
        let mut fits = Vec::new();
        for (score, (_, method)) in scores.iter_mut().zip(methods) {
            let fit = method.fit(&drawn.data, &mut Context::new(seed, size.threads))?;
            let one = judge(&fit, &drawn.truth);
            score.right += share * one.right;
            score.far += share * one.far;
            fits.push(fit);
        }
        yes += share * f64::from(u8::from(admitted(&drawn.data, &fits)));
    }
    Ok(Row { world, scores, admitted: yes })
}

/// Ties are shared.
fn judge(fit: &Fit, truth: &[usize]) -> Score {
    let Some((k, q)) = fit.posterior() else { return Score::default() };
    let mut out = Score::default();
    for (row, &t) in q.chunks_exact(k).zip(truth) {
        let best = row.iter().copied().fold(0.0, f64::max);
        let tied = stats::n_tied(row) as f64;
        for (c, _) in row.iter().enumerate().filter(|(_, p)| stats::tied(**p, best)) {
            out.right += f64::from(u8::from(c == t)) / tied;
            out.far += c.abs_diff(t) as f64 / tied;
        }
    }
    let n = truth.len() as f64;
    Score { right: out.right / n, far: out.far / n }
}

/// Both tables in Markdown.
pub fn markdown(size: Size) -> Result<String, Error> {
    let mut out = String::from("## Items that differ\n\n");
    let (names, rows) = items(size)?;
    table(&mut out, &names, &rows, false);
    out.push_str("\nAdmitted: share of the crowds for which `auto` may fit integrated items.\n\n## Ordered grades\n\n");
    let (names, rows) = grades(size)?;
    table(&mut out, &names, &rows, true);
    out.push_str(
        "\nAccuracy / mean distance in grades. Admitted: share of the crowds whose labels speak for the order.\n",
    );
    Ok(out)
}

fn table(out: &mut String, names: &[&str], rows: &[Row], far: bool) {
    let _ = writeln!(out, "| world | {} | admitted |", names.join(" | "));
    let _ = writeln!(out, "|---|{}", "---:|".repeat(names.len() + 1));
    let mut all = vec![Score::default(); names.len()];
    let cell = |s: &Score| if far { format!("{:.3} / {:.2}", s.right, s.far) } else { format!("{:.3}", s.right) };
    for r in rows {
        let cells: Vec<String> = r.scores.iter().map(cell).collect();
        let _ = writeln!(out, "| {} | {} | {:.2} |", r.world, cells.join(" | "), r.admitted);
        for (a, s) in all.iter_mut().zip(&r.scores) {
            a.right += s.right / rows.len() as f64;
            a.far += s.far / rows.len() as f64;
        }
    }
    let cells: Vec<String> = all.iter().map(cell).collect();
    let _ = writeln!(out, "| mean | {} | |", cells.join(" | "));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The promises behind the admissions, on small crowds. `-- --ignored --nocapture` prints the whole tables.
    #[test]
    fn models_win_where_they_are_admitted() {
        let size = Size { items: 200, repeats: 2, threads: 1 };
        let methods = [
            by_name(&["majority-vote", "dawid-skene", "pooled-dawid-skene"]).unwrap(),
            vec![("integrated", minimax(MinimaxVariant::Integrated))],
        ]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>();
        let draw = |world| move |seed| worlds::items(world, seed, size.items, 20, 2, 20);
        let leaning = row("leaning".into(), &methods, size, &differ, draw(Items::Leaning)).unwrap();
        let alike = row("alike".into(), &methods, size, &differ, draw(Items::Alike)).unwrap();
        let right = |r: &Row| r.scores.iter().map(|s| s.right).collect::<Vec<_>>();
        assert!(leaning.admitted > 0.9 && alike.admitted < 0.1, "{} {}", leaning.admitted, alike.admitted);
        let (a, b) = (right(&leaning), right(&alike));
        assert!(a[3] > a[2] + 0.05, "{a:?}");
        assert!(b[3] > b[2] - 0.01, "{b:?}");
        let methods = by_name(&["majority-vote", "ordinal", "ordinal-vb"]).unwrap();
        let world = Grades { shares: SKEWED, ..Grades::default() };
        let draw = |seed| worlds::grades(&world, seed, size.items, 40, 6);
        let graded = row("grades".into(), &methods, size, &|d, _| ordered(d), draw).unwrap();
        let s = &graded.scores;
        assert!(graded.admitted > 0.9);
        assert!(s[1].right > s[0].right && s[2].right > s[0].right && s[2].far < s[0].far, "{s:?}");
    }
}
