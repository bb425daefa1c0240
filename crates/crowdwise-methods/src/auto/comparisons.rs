//! Comparisons: the choice between models of the items alone and models of the annotators, by how well comparisons that
//! were held out are predicted.

use super::held_out::{FOLDS, Fitter, Losses, Verdict, fitter};
use super::words;
use crate::comparisons::{
    BOTH_ORDERS, BradleyTerry, Comparisons, CrowdBradleyTerry, Outcomes, Position, RankCentrality, TieModel, Ties, Told,
};
use crowdwise_core::{Annotators, Context, Dataset, Error, Event, Method, Outcome, Preference, Table, Truth, stream};
use rand::RngExt;

/// Fewer comparisons than this decide nothing.
const FEWEST: f64 = 30.0;
/// Comparisons from which on only some of the parts are held out: one at least.
const MANY: usize = 200_000;
/// No outcome is impossible: its probability is mixed with this share of an even one.
const EVEN: f64 = 1e-3;

/// A candidate: for the parts without intervals, and for the whole.
struct Candidate {
    name: String,
    quick: Fitter,
    full: Fitter,
}

impl Candidate {
    fn new<M: Method>(name: &str, model: impl Fn(Option<usize>) -> M) -> Candidate {
        Candidate { name: name.into(), quick: fitter(model(Some(0))), full: fitter(model(None)) }
    }
}

/// One score per item and nothing about annotators, the simplest first.
fn items_alone(c: &Comparisons) -> Vec<Candidate> {
    let bt = |ties: TieModel, position: bool| {
        move |dense: Option<usize>| {
            let model = BradleyTerry { ties, position, ..BradleyTerry::default() };
            BradleyTerry { dense_items: dense.unwrap_or(model.dense_items), ..model }
        }
    };
    let mut out = vec![Candidate::new("bradley-terry", bt(TieModel::RaoKupper, false))];
    if c.ties > 0.0 {
        out.push(Candidate::new("bradley-terry ties=davidson", bt(TieModel::Davidson, false)));
    }
    out.push(Candidate::new("rank-centrality", |dense| {
        let model = RankCentrality::default();
        RankCentrality { dense_items: dense.unwrap_or(model.dense_items), ..model }
    }));
    if c.both_orders >= BOTH_ORDERS {
        out.push(Candidate::new("bradley-terry position=true", bt(TieModel::RaoKupper, true)));
    }
    out
}

/// Models of the annotators, with the tie model that does better without them.
fn with_annotators(c: &Comparisons, ties: TieModel) -> Vec<Candidate> {
    let positions: &[Position] = if c.both_orders >= BOTH_ORDERS {
        &[Position::None, Position::Shared, Position::Annotators]
    } else {
        &[Position::None]
    };
    let of = |&position: &Position| {
        let mut name = "crowd-bt".to_owned();
        if ties == TieModel::Davidson {
            name += " ties=davidson";
        }
        name += match position {
            Position::None => "",
            Position::Shared => " position=shared",
            Position::Annotators => " position=annotators",
        };
        Candidate::new(&name, move |dense| {
            let model = CrowdBradleyTerry { ties, position, ..CrowdBradleyTerry::default() };
            CrowdBradleyTerry { dense_items: dense.unwrap_or(model.dense_items), ..model }
        })
    };
    positions.iter().map(of).collect()
}

pub(super) fn fit(data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    cx.warm = None; // candidates are compared from the same start
    let table = &data.table;
    let c = Comparisons::new(table, false);
    if c.decided < FEWEST {
        let out = BradleyTerry::default().fit(data, cx)?;
        return Ok(words::too_few(out, "bradley-terry", c.decided as usize));
    }
    let mut rng = stream(0, "held-out comparisons", 0);
    let part: Vec<u8> = (0..table.n_labels()).map(|_| rng.random_range(0..FOLDS as u8)).collect();
    let parts = (FOLDS * MANY / table.n_labels().max(1)).clamp(1, FOLDS);
    let mut held = HeldOut { table, part: &part, train: Vec::new() };
    held.train.extend((0..parts as u8).map(|f| Dataset::new(table.filter_rows(|r| part[r] != f))));

    let mut all = items_alone(&c);
    let mut losses = Vec::new();
    for x in &all {
        losses.push(held.losses(x, cx)?);
    }
    if Told::of(table).worth_a_try() {
        let total = |l: &Losses| l.iter().map(|u| u.0).sum::<f64>();
        let davidson = c.ties > 0.0 && total(&losses[1]) < total(&losses[0]);
        let more = with_annotators(&c, if davidson { TieModel::Davidson } else { TieModel::RaoKupper });
        for x in &more {
            losses.push(held.losses(x, cx)?);
        }
        all.extend(more);
    }
    let verdict = Verdict::of(all.iter().map(|x| x.name.clone()).collect(), &losses);
    let mut out = (all[verdict.used].full)(data, cx)?;
    let crowd = all.iter().position(|x| x.name.starts_with("crowd-bt"));
    let more = match crowd {
        Some(_) if verdict.name(verdict.used).starts_with("crowd-bt") => {
            format!(
                " (annotators differ in reliability: ignoring that costs {:.4} nats per comparison)",
                verdict.behind(0, verdict.used)
            )
        }
        Some(_) => " (no sign that annotators differ in reliability)".into(),
        None => {
            format!(" (too few annotators have {} comparisons or more to judge how reliable each one is)", Told::ENOUGH)
        }
    };
    verdict.tell(&mut out, "log-likelihood", "comparisons", "the simpler model is enough", &more);
    Ok(out)
}

/// The parts that are held out one after the other.
struct HeldOut<'a> {
    table: &'a Table,
    part: &'a [u8],
    train: Vec<Dataset>,
}

impl HeldOut<'_> {
    /// -ln P of every comparison of the parts, under a fit to the others.
    fn losses(&self, candidate: &Candidate, cx: &mut Context<'_>) -> Result<Losses, Error> {
        cx.event(&Event::Stage { name: format!("held-out comparisons: {}", candidate.name) });
        let (units, said) = self.table.preferences().expect("comparisons");
        let mut out = vec![(0.0, 0.0); units.len()];
        for (f, train) in self.train.iter().enumerate() {
            if train.table.n_labels() == 0 {
                continue;
            }
            let fitted = (candidate.quick)(train, cx)?;
            let model = Predictor::of(&fitted, train);
            for (u, &[l, r]) in units.iter().enumerate().filter(|(_, p)| p[0] != p[1]) {
                for row in self.table.rows(u).filter(|&row| self.part[row] as usize == f) {
                    let p = model.chance(l as usize, r as usize, self.table.annotator()[row] as usize, said[row]);
                    out[u].0 -= ((1.0 - EVEN) * p + EVEN / 3.0).ln();
                    out[u].1 += 1.0;
                }
            }
        }
        Ok(out)
    }
}

/// What a fit says about the outcome of a comparison.
struct Predictor<'a> {
    score: &'a [f64],
    reliability: Option<&'a [f64]>,
    ties: Ties,
    /// Advantage of the left item: one for all, or one for each annotator.
    position: Vec<f64>,
}

impl<'a> Predictor<'a> {
    fn of(fitted: &'a Outcome, train: &Dataset) -> Predictor<'a> {
        let Truth::Scores { score, .. } = &fitted.truth else { unreachable!("a method for comparisons") };
        let reliability = match &fitted.annotators {
            Annotators::Accuracy { accuracy, .. } => Some(accuracy.as_slice()),
            _ => None,
        };
        let details = &fitted.diagnostics.details;
        let number = |key: &str| details.get(key).and_then(serde_json::Value::as_f64);
        let ties = match (details.get("tie_model"), number("tie_parameter")) {
            (Some(model), Some(t)) => {
                let model = serde_json::from_value(model.clone()).unwrap_or(TieModel::Half);
                Ties::at(model, t.max(f64::MIN_POSITIVE).ln())
            }
            (Some(_), None) => Ties::at(TieModel::Half, 0.0), // no ties to learn from
            (None, _) => threshold(score, &Comparisons::new(&train.table, false)),
        };
        let each = details.get("position_effects").and_then(serde_json::Value::as_array);
        let position = match (each, number("position_effect")) {
            (Some(all), _) => all.iter().map(|x| x.as_f64().unwrap_or(0.0)).collect(),
            (None, one) => vec![one.unwrap_or(0.0)],
        };
        Predictor { score, reliability, ties, position }
    }

    fn chance(&self, l: usize, r: usize, j: usize, said: Preference) -> f64 {
        let position = *self.position.get(j).unwrap_or(&self.position[0]);
        let (d, c) = (self.score[l] - self.score[r], said as usize);
        let straight = Outcomes::at(&self.ties, d + position).p[c];
        match self.reliability {
            None => straight,
            Some(w) => w[j] * straight + (1.0 - w[j]) * Outcomes::at(&self.ties, position - d).p[c],
        }
    }
}

/// The threshold of Rao and Kupper that goes best with scores of a method that knows no ties, by Fisher's scoring.
fn threshold(score: &[f64], c: &Comparisons) -> Ties {
    if c.ties == 0.0 {
        return Ties::at(TieModel::Half, 0.0);
    }
    let mut u = Ties::start(TieModel::RaoKupper, c.ties / (c.ties + c.decided));
    for _ in 0..20 {
        let ties = Ties::at(TieModel::RaoKupper, u);
        let (mut slope, mut information) = (0.0, 0.0);
        for p in &c.pairs {
            let o = Outcomes::at(&ties, score[p.left as usize] - score[p.right as usize]);
            for (k, n) in [p.left_wins, p.right_wins, p.ties].into_iter().enumerate() {
                let chance = o.p[k].max(1e-100);
                slope += n * o.by_tie[k] / chance;
                information += p.total() * o.by_tie[k] * o.by_tie[k] / chance;
            }
        }
        let step = (slope / information.max(1e-12)).clamp(-1.0, 1.0);
        u += step;
        if step.abs() < 1e-8 {
            break;
        }
    }
    Ties::at(TieModel::RaoKupper, u)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder};

    #[test]
    fn the_threshold_is_that_of_bradley_terry() {
        let mut rng = stream(1, "thresholds", 0);
        let mut b = TableBuilder::new(LabelKind::Preference);
        for n in 0..600 {
            let (x, y) = (rng.random_range(0..6), rng.random_range(0..5));
            let said = [Preference::Left, Preference::Right, Preference::Tie][rng.random_range(0..3)];
            b.preference(
                &format!("i{x}"),
                &format!("i{}", if y >= x { y + 1 } else { y }),
                &format!("a{}", n % 3),
                said,
            );
        }
        let data = Dataset::new(b.finish().unwrap());
        let model = BradleyTerry { ridge: 0.0, ..BradleyTerry::default() };
        let fitted = Method::fit(&model, &data, &mut Context::default()).unwrap();
        let Truth::Scores { score, .. } = &fitted.truth else { panic!() };
        let found = threshold(score, &Comparisons::new(&data.table, false)).parameter();
        let want = fitted.diagnostics.details["tie_parameter"].as_f64().unwrap();
        assert!((found - want).abs() < 1e-6, "{found} {want}");
    }
}
