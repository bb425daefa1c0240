//! Parameters chosen by labels that the training did not see.

use crate::{AnyLearner, Model};
use crowdwise_core::{Context, Dataset, Error, Event, Fit, GoldValues, stream};
use rand::seq::SliceRandom;
use serde_json::Value;

/// One setting of the parameters and how it did.
#[derive(Clone, Debug)]
pub struct Tried {
    pub values: Vec<(String, Value)>,
    /// Mean log-likelihood of a held-out label (of a held-out gold class, where gold judges); none if it could not be learned.
    pub score: Option<f64>,
    /// How far the score is behind the best, and the standard error of that difference over items.
    pub behind: Option<(f64, f64)>,
    /// Why it could not be learned.
    pub refused: Option<String>,
}

/// Every setting that was tried.
#[derive(Clone, Debug)]
pub struct Grid {
    pub tried: Vec<Tried>,
    /// The setting with the largest score.
    pub best: usize,
    /// Labels that judged, or gold classes.
    pub judges: usize,
    pub by_gold: bool,
}

/// What a search needs besides the data.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The items are dealt to so many parts, each held out in turn.
    pub folds: usize,
    /// The gold of held-out items judges, and not their labels.
    pub by_gold: bool,
}

/// Makes a learner with these parameters besides those that stay.
pub type Make<'a> = &'a dyn Fn(&[(String, Value)]) -> Result<Box<dyn AnyLearner>, Error>;

/// Most settings of one search.
const MOST: usize = 1000;

/// Every combination of the values of each parameter, the last parameter running fastest.
pub fn combinations(axes: &[(String, Vec<Value>)]) -> Result<Vec<Vec<(String, Value)>>, Error> {
    let size = axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.1.len())).filter(|n| *n <= MOST);
    if size.is_none() {
        return Err(Error::Usage {
            what: format!("the grid has more than {MOST} settings"),
            hint: Some("give fewer values, or search one parameter after the other".into()),
        });
    }
    let mut out: Vec<Vec<(String, Value)>> = vec![Vec::new()];
    for (name, values) in axes {
        let with = |row: &Vec<(String, Value)>| {
            values.iter().map(|v| [row.as_slice(), &[(name.clone(), v.clone())]].concat()).collect::<Vec<_>>()
        };
        out = out.iter().flat_map(with).collect();
    }
    Ok(out)
}

/// Learns every setting on a part of the items and judges it by what the crowd says of the others: the log-likelihood of their
/// labels, given the classifier and the annotators. All settings see the same parts. Gold decides only where that is asked for.
pub fn search(
    settings: &[Vec<(String, Value)>],
    make: Make<'_>,
    data: &Dataset,
    how: Search,
    cx: &mut Context<'_>,
) -> Result<Grid, Error> {
    // slips in any setting are found before the first is learned
    let mut problems = Vec::new();
    let mut learners = Vec::new();
    for s in settings {
        match make(s) {
            Ok(l) => learners.push(l),
            Err(e) => problems.push(e),
        }
    }
    Error::all(problems)?;
    let gold = data.gold_classes().filter(|_| how.by_gold);
    let fold = deal(data, gold.as_deref(), how.folds.max(2), cx.seed);
    let judges = judges(data, gold.as_deref(), &fold);
    let enough = fold.iter().filter(|f| f.is_some()).count() >= 2 * how.folds.max(2);
    if !enough {
        let what = if how.by_gold { "items with gold" } else { "items with labels" };
        return Err(Error::NoData {
            file: data.source.clone(),
            what: format!("has too few {what} to hold some out"),
            hint: Some("a search needs more items, or give the parameters yourself".into()),
        });
    }
    let (mut tried, mut scores) = (Vec::new(), Vec::new());
    for (n, (learner, values)) in learners.iter().zip(settings).enumerate() {
        cx.event(&Event::Stage { name: format!("setting {} of {}", n + 1, settings.len()) });
        let own = one(&**learner, data, gold.as_deref(), &fold, how.folds.max(2), cx);
        if cx.cancelled() {
            return Err(Error::Interrupted);
        }
        let refused = own.as_ref().err().map(ToString::to_string);
        let own: Option<Vec<f64>> = own.ok().filter(|s| s.iter().all(|x| x.is_finite()));
        let score = own.as_ref().map(|s| s.iter().sum::<f64>() / judges as f64);
        let refused = refused.or_else(|| score.is_none().then(|| "its score is not a number".to_owned()));
        tried.push(Tried { values: values.clone(), score, behind: None, refused });
        scores.push(own);
    }
    let rank = |t: &Tried| t.score.unwrap_or(f64::NEG_INFINITY);
    // the first of equals
    let best = (0..tried.len()).rev().max_by(|a, b| rank(&tried[*a]).total_cmp(&rank(&tried[*b]))).unwrap_or(0);
    let Some(top) = scores.get(best).cloned().flatten() else {
        let why = tried.first().and_then(|t| t.refused.clone()).unwrap_or_default();
        return Err(Error::Unsupported {
            what: format!("none of the {} settings could be learned; the first: {why}", tried.len()),
            hint: None,
        });
    };
    for (t, own) in tried.iter_mut().zip(&scores) {
        t.behind = own.as_ref().map(|own| behind(&top, own, &fold, judges));
    }
    Ok(Grid { tried, best, judges, by_gold: how.by_gold })
}

/// The part in which each item is held out; none for items that cannot judge. Dealt by name: the order of rows changes nothing.
fn deal(data: &Dataset, gold: Option<&[Option<u32>]>, folds: usize, seed: u64) -> Vec<Option<usize>> {
    let table = &data.table;
    let judges = |i: &usize| gold.map_or(table.degree(*i) > 0, |g| g[*i].is_some());
    let mut items: Vec<usize> = (0..table.n_items()).filter(judges).collect();
    let names: Vec<&str> = table.items().iter().collect();
    items.sort_by_key(|&i| names[i]);
    items.shuffle(&mut stream(seed, "grid", 0));
    let mut out = vec![None; table.n_items()];
    items.iter().enumerate().for_each(|(n, &i)| out[i] = Some(n % folds));
    out
}

fn judges(data: &Dataset, gold: Option<&[Option<u32>]>, fold: &[Option<usize>]) -> usize {
    let of = |i: usize| if gold.is_some() { 1 } else { data.table.degree(i) };
    (0..fold.len()).filter(|&i| fold[i].is_some()).map(of).sum()
}

/// The log-likelihood of what every item says, when it was held out.
fn one(
    learner: &dyn AnyLearner,
    data: &Dataset,
    gold: Option<&[Option<u32>]>,
    fold: &[Option<usize>],
    folds: usize,
    cx: &mut Context<'_>,
) -> Result<Vec<f64>, Error> {
    let mut out = vec![0.0; fold.len()];
    for held in 0..folds {
        let hidden: Vec<bool> = fold.iter().map(|f| *f == Some(held)).collect();
        let mut train = data.with_table(filtered(data, &hidden));
        if let Some(GoldValues::Classes(known)) = train.gold.as_mut().map(|g| &mut g.values) {
            known.retain(|(i, _)| !hidden[*i as usize]);
        }
        let (fit, model) = learner.learn(&train, cx)?;
        let items: Vec<u32> = (0..fold.len() as u32).filter(|&i| hidden[i as usize]).collect();
        let scores = judge(&fit, &model, data, gold, &items)?;
        items.iter().zip(scores).for_each(|(&i, s)| out[i as usize] = s);
    }
    Ok(out)
}

/// The labels of the items that are not hidden.
fn filtered(data: &Dataset, hidden: &[bool]) -> crowdwise_core::Table {
    let table = &data.table;
    let mut keep = vec![true; table.n_labels()];
    (0..hidden.len()).filter(|&i| hidden[i]).for_each(|i| table.rows(i).for_each(|r| keep[r] = false));
    table.filter_rows(|r| keep[r])
}

fn judge(
    fit: &Fit,
    model: &Model,
    data: &Dataset,
    gold: Option<&[Option<u32>]>,
    items: &[u32],
) -> Result<Vec<f64>, Error> {
    let Some(gold) = gold else { return model.log_likelihoods(data, items, &fit.annotators) };
    let f = model.predict(data.features.as_ref().expect("learned from features"))?;
    let place = model.class_places(data);
    let one = |&i: &u32| {
        gold[i as usize].map_or(0.0, |g| place[g as usize].map_or(1e-12, |c| f.row(i as usize)[c].max(1e-12)).ln())
    };
    Ok(items.iter().map(one).collect())
}

/// By how much the mean of `own` is below that of `top`, with its standard error over items.
fn behind(top: &[f64], own: &[f64], fold: &[Option<usize>], judges: usize) -> (f64, f64) {
    let away: Vec<f64> = (0..fold.len()).filter(|&i| fold[i].is_some()).map(|i| top[i] - own[i]).collect();
    let n = away.len() as f64;
    let mean = away.iter().sum::<f64>() / n;
    let sd = (away.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt();
    let scale = n / judges as f64;
    (mean * scale, sd / n.sqrt() * scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_combinations_and_not_too_many() {
        let axes =
            [("a".to_owned(), vec![json!(1), json!(2)]), ("b".to_owned(), vec![json!("x"), json!("y"), json!("z")])];
        let all = combinations(&axes).unwrap();
        assert_eq!(all.len(), 6);
        assert_eq!(all[1], [("a".to_owned(), json!(1)), ("b".to_owned(), json!("y"))]);
        let wide = vec![("a".to_owned(), vec![json!(1); 40]), ("b".to_owned(), vec![json!(1); 40])];
        assert!(combinations(&wide).unwrap_err().to_string().contains("more than 1000 settings"));
    }

    #[test]
    fn a_difference_has_the_error_of_its_items() {
        let fold = [Some(0), Some(1), None, Some(0)];
        let (mean, error) = behind(&[1.0, 2.0, 9.0, 3.0], &[0.0, 2.0, 0.0, 1.0], &fold, 6);
        // differences 1, 0, 2 over three items with two labels each
        assert!((mean - 0.5).abs() < 1e-12 && (error - 1.0 / 3f64.sqrt() / 2.0).abs() < 1e-12, "{mean} {error}");
    }
}
