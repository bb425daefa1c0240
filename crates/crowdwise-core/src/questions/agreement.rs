//! How far annotators agree with each other, without any fit.

use super::coefficients::{self, Moments};
use super::pairs::Pairs;
use super::patterns::{Patterns, last_labels};
use super::ratio::Ratio;
use crate::{Dataset, Error, group};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What the distance between two labels is for Krippendorff's alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Nominal,
    Ordinal,
    Interval,
    /// Numbers with a true zero: what counts is how many times larger one is.
    Ratio,
}

impl Level {
    pub const ALL: [Level; 4] = [Level::Nominal, Level::Ordinal, Level::Interval, Level::Ratio];

    pub fn name(self) -> &'static str {
        match self {
            Level::Nominal => "nominal",
            Level::Ordinal => "ordinal",
            Level::Interval => "interval",
            Level::Ratio => "ratio",
        }
    }
}

/// Two annotators compared on the items both labelled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    pub a: usize,
    pub b: usize,
    /// Items both labelled.
    pub n: u64,
    /// Cohen's kappa; 1 where both are constant and equal, 0 where constant and different.
    pub kappa: f64,
    /// Share of these items on which they said the same.
    pub agreement: f64,
}

/// Agreement between the annotators. A number that is not defined for the data is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Units with at least two labels, and the labels on them: all that follows rests on these.
    pub units: usize,
    pub labels: u64,
    /// Mean over units of the share of pairs of labels that are equal.
    pub percent: Option<f64>,
    pub level: Level,
    /// Krippendorff's alpha at `level`.
    pub krippendorff_alpha: Option<f64>,
    /// Percentile interval, units resampled, and its level.
    pub alpha_interval: Option<[f64; 2]>,
    pub interval_level: f64,
    /// Resamples behind the interval: those in which alpha is defined.
    pub bootstraps: usize,
    /// The nominal alpha as well, when `level` is another one.
    pub alpha_nominal: Option<f64>,
    /// Fleiss' kappa for unequal numbers of labels, class shares pooled over labels.
    pub fleiss_kappa: Option<f64>,
    /// Gwet's AC1.
    pub gwet_ac1: Option<f64>,
    /// Comparisons: Kendall's coefficient of agreement, the mean tau of two judgements of the same two items (1 = the same
    /// winner, -1 = the other, 0 = a tie in one of them).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kendall_tau: Option<f64>,
    /// Pairs of annotators with at least 10 common units, most common units first.
    pub pairs: Vec<PairRow>,
    /// Pairs that qualified, of which `pairs` are those kept.
    pub pairs_found: usize,
    /// Annotators among whom pairs were looked for (the busiest ones when there are too many).
    pub pairs_among: usize,
    /// Mean of the kappas, weighted by common units (of the 50 000 pairs with the most, if there are more).
    pub mean_cohen: Option<f64>,
    /// What was left out or is not defined, in words.
    pub notes: Vec<String>,
}

/// Common units that make a pair of annotators worth comparing.
pub(super) const MIN_COMMON: u64 = 10;
/// Kappas computed and kept, and counters at most while they are computed.
const KAPPAS: usize = 50_000;
const PAIRS_KEPT: usize = 10_000;
const COUNTERS: usize = 20_000_000;

/// Agreement of the labels of a dataset; `bootstraps` resamples for the interval of alpha. A repeated label of the same
/// annotator on the same unit is not another opinion: the last one counts.
pub fn agreement(data: &Dataset, seed: u64, bootstraps: usize) -> Agreement {
    of_wanted(data, &Wanted::natural(data), seed, bootstraps, &Pairs::of(&data.table, MIN_COMMON))
}

/// The same with alpha at a level that is asked for, not the one that the labels suggest. Classes that are numbers may be
/// taken as such.
pub fn agreement_at(data: &Dataset, level: Level, seed: u64, bootstraps: usize) -> Result<Agreement, Error> {
    let wanted = Wanted::new(data, level)?;
    Ok(of_wanted(data, &wanted, seed, bootstraps, &Pairs::of(&data.table, MIN_COMMON)))
}

/// A level, and the numbers of all labels where it is one of numbers.
pub(super) struct Wanted<'a> {
    level: Level,
    numbers: Cow<'a, [f64]>,
}

impl<'a> Wanted<'a> {
    /// What the labels suggest.
    pub(super) fn natural(data: &'a Dataset) -> Self {
        let ordered = data.table.categorical().is_some_and(|c| c.ordered);
        match data.table.real() {
            Some(values) => Wanted { level: Level::Interval, numbers: values.into() },
            None => Wanted { level: if ordered { Level::Ordinal } else { Level::Nominal }, numbers: Cow::default() },
        }
    }

    pub(super) fn new(data: &'a Dataset, level: Level) -> Result<Self, Error> {
        let table = &data.table;
        let wrong = |what: String, hint: &str| Err(Error::Unsupported { what, hint: Some(hint.into()) });
        let name = level.name();
        let numbers: Cow<'a, [f64]> = match (level, table.categorical(), table.real()) {
            (Level::Nominal | Level::Ordinal, _, Some(_)) => {
                return wrong(
                    format!("the {name} alpha is of classes, but the labels of {} are real numbers", data.source),
                    "interval or ratio; or read the labels as classes (kind categorical)",
                );
            }
            (Level::Nominal, ..) | (Level::Ordinal, Some(_), _) => Cow::default(),
            (_, _, Some(values)) => values.into(),
            (_, Some(c), _) => {
                let number = |c: &str| c.trim().parse::<f64>().ok().filter(|x| x.is_finite());
                let found: Vec<Option<f64>> = c.classes.iter().map(number).collect();
                if let Some(bad) = found.iter().position(Option::is_none) {
                    return wrong(
                        format!("the {name} alpha is of numbers, but `{}` is none", c.classes.name(bad)),
                        "nominal, or ordinal if the classes have an order",
                    );
                }
                (0..table.n_labels()).map(|r| found[c.codes.get(r)].expect("all are numbers")).collect()
            }
            _ => {
                return wrong(
                    format!(
                        "the {name} alpha is of numbers or grades, but {} has {} labels",
                        data.source,
                        table.kind()
                    ),
                    "nominal",
                );
            }
        };
        let below = numbers.iter().copied().filter(|x| *x < 0.0).fold(0.0, f64::min);
        if level == Level::Ratio && below < 0.0 {
            return wrong(
                format!("the ratio alpha needs numbers with a true zero, but the least label is {below}"),
                "interval",
            );
        }
        Ok(Wanted { level, numbers })
    }
}

/// The agreement, with pairs that were counted already.
pub(super) fn of_wanted(data: &Dataset, wanted: &Wanted<'_>, seed: u64, bootstraps: usize, pairs: &Pairs) -> Agreement {
    let mut out = Agreement {
        units: 0,
        labels: 0,
        percent: None,
        level: wanted.level,
        krippendorff_alpha: None,
        alpha_interval: None,
        interval_level: crate::stats::LEVEL,
        bootstraps: 0,
        alpha_nominal: None,
        fleiss_kappa: None,
        gwet_ac1: None,
        kendall_tau: None,
        pairs: Vec::new(),
        pairs_found: 0,
        pairs_among: pairs.among.len(),
        mean_cohen: None,
        notes: Vec::new(),
    };
    if data.table.real().is_some() {
        of_numbers(data, wanted, seed, bootstraps, &mut out);
        return out;
    }
    let Some(p) = Patterns::of(data) else { return out };
    let which = p.pairable();
    let weight: Vec<f64> = which.iter().map(|&x| p.units[x] as f64).collect();
    out.units = which.iter().map(|&x| p.units[x] as usize).sum();
    out.labels = which.iter().map(|&x| p.units[x] * p.size(x) as u64).sum();
    if out.units == 0 {
        out.notes.push("no unit has labels of two annotators: agreement is not defined".into());
        return out;
    }
    out.percent = coefficients::percent(&p, &which);
    out.fleiss_kappa = coefficients::fleiss(&p, &which);
    out.gwet_ac1 = coefficients::gwet_ac1(&p, &which);
    out.kendall_tau = data.table.preferences().and_then(|_| coefficients::kendall_tau(&p, &which));
    if out.level != Level::Nominal {
        out.alpha_nominal = coefficients::alpha(&p, &which, &weight, Level::Nominal, &mut Vec::new());
    }
    if matches!(out.level, Level::Interval | Level::Ratio) {
        of_numbers(data, wanted, seed, bootstraps, &mut out);
    } else {
        out.krippendorff_alpha = coefficients::alpha(&p, &which, &weight, out.level, &mut Vec::new());
        match out.krippendorff_alpha {
            None => out.notes.push("only one class was used: alpha and kappa are not defined".into()),
            Some(a) => {
                let b = coefficients::bootstrap(&p, &which, out.level, a, seed, bootstraps);
                note_bootstrap(&mut out, b);
            }
        }
    }
    kappas(data, pairs, p.classes, &mut out);
    out
}

/// Alpha of numbers, at the interval or the ratio level.
fn of_numbers(data: &Dataset, wanted: &Wanted<'_>, seed: u64, bootstraps: usize, out: &mut Agreement) {
    let (table, values) = (&data.table, &wanted.numbers);
    let bootstrap: Box<dyn Fn(f64) -> coefficients::Bootstrap>;
    if wanted.level == Level::Ratio {
        let unit = |u: usize| last_labels(table, u).map(|r| values[r]).collect();
        let units = Ratio::of((0..table.n_units()).map(unit));
        (out.units, out.labels) = (units.units(), units.labels);
        out.krippendorff_alpha = units.alpha();
        if units.rounded {
            out.notes.push("there are very many different numbers: alpha is of numbers rounded a little".into());
        }
        bootstrap = Box::new(move |a| units.bootstrap(a, seed, bootstraps));
    } else {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let mut units = Vec::new();
        for u in 0..table.n_units() {
            let unit = Moments::of(last_labels(table, u).map(|r| values[r] - mean));
            if unit.m >= 2.0 {
                units.push(unit);
            }
        }
        let mut sum = Moments::default();
        units.iter().for_each(|u| sum.add(u));
        (out.units, out.labels) = (units.len(), sum.m as u64);
        out.krippendorff_alpha = sum.alpha();
        bootstrap = Box::new(move |a| coefficients::bootstrap_moments(&units, a, seed, bootstraps));
    }
    match out.krippendorff_alpha {
        None => out.notes.push("alpha is not defined: no unit with two labels, or all values are equal".into()),
        Some(a) => note_bootstrap(out, bootstrap(a)),
    }
}

fn note_bootstrap(out: &mut Agreement, b: coefficients::Bootstrap) {
    out.alpha_interval = b.interval;
    out.bootstraps = b.used;
    if b.drawn < out.units {
        out.notes.push(format!(
            "each of the {} resamples drew {} of the {} units; the interval is scaled for that",
            b.used,
            group(b.drawn as u64),
            group(out.units as u64)
        ));
    }
}

fn kappas(data: &Dataset, pairs: &Pairs, k: usize, out: &mut Agreement) {
    let mut found = pairs.with_at_least(MIN_COMMON);
    out.pairs_found = found.len();
    found.truncate((COUNTERS / (2 * k)).clamp(1, KAPPAS));
    let tables = pairs.tables(&data.table, &found, k);
    let (mut sum, mut weight) = (0.0, 0.0);
    for (&(a, b, n), (equal, ca, cb)) in found.iter().zip(&tables) {
        let (n, equal) = (n as f64, *equal as f64);
        let kappa = coefficients::cohen(n, equal, ca, cb);
        sum += n * kappa;
        weight += n;
        if out.pairs.len() < PAIRS_KEPT {
            out.pairs.push(PairRow { a: a as usize, b: b as usize, n: n as u64, kappa, agreement: equal / n });
        }
    }
    out.mean_cohen = (weight > 0.0).then(|| sum / weight);
    if found.len() < out.pairs_found {
        out.notes.push(format!(
            "{} of the {} pairs with {MIN_COMMON} common units were compared: those with the most",
            group(found.len() as u64),
            group(out.pairs_found as u64)
        ));
    }
    if !pairs.complete {
        out.notes.push(format!("pairs were looked for among the {} busiest annotators", pairs.among.len()));
    }
}
