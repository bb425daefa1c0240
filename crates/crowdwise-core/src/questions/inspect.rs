//! What is in the data, before any fit, and what limits an estimate from it.

use super::agreement::{Agreement, Level, MIN_COMMON, Wanted, of_wanted};
use super::contradictions::of_answers;
use super::findings::of_structure;
use super::graph::parts;
use super::habits::Habits;
use super::identifiability::{self, Identifiability};
use super::pairs::Pairs;
use super::panel::{Panel, panel_of_labels};
use super::patterns::last_labels;
use super::spans::{SpanAgreement, span_agreement};
use super::summaries::{comparisons, value_summary};
use super::suspects::FEW;
use crate::{Dataset, Error, Finding, LabelKind, Severity, Structure, Subject, group};
use serde::{Deserialize, Serialize};

/// Everything `inspect` tells. Parts without a meaning for the kind of label are absent or empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    pub kind: LabelKind,
    pub items: usize,
    /// What is judged: items, or pairs of items as shown.
    pub units: usize,
    pub annotators: usize,
    pub labels: usize,
    pub classes: usize,
    pub labels_per_unit: Spread,
    pub labels_per_annotator: Spread,
    /// Annotators with fewer than 10 labels.
    pub annotators_with_few: usize,
    /// Class shares by vote.
    pub class_shares: Vec<ClassRow>,
    /// Labels beyond the first of an annotator on the same unit.
    pub repeated: u64,
    /// Units without a label.
    pub unlabelled: usize,
    pub agreement: Agreement,
    /// How many unrelated labels those of an item are worth at least, for classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<Panel>,
    pub components: Components,
    pub pairs: PairCoverage,
    /// The best recall of each class, compared with the other annotators' majority.
    pub experts: Vec<Expert>,
    pub unipolar: Unipolar,
    /// What the labels determine, for classes.
    pub identifiability: Option<Identifiability>,
    pub values: Option<ValueSummary>,
    pub comparisons: Option<Comparisons>,
    pub chains: Option<Chains>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rankings: Option<RankingSummary>,
    pub findings: Vec<Finding>,
}

/// Smallest, middle and largest of a list of counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub min: u64,
    pub mean: f64,
    pub median: f64,
    pub max: u64,
    /// Counts from `low` to `high` and how many there are.
    pub histogram: Vec<Bin>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bin {
    pub low: u64,
    pub high: u64,
    pub count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRow {
    pub class: usize,
    pub votes: u64,
    pub share: f64,
}

/// Connected parts of the graph of annotators and units (preferences: of items and items).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Components {
    pub count: usize,
    /// Units (preferences: items) in the largest.
    pub largest_units: usize,
    pub largest_annotators: usize,
}

/// Which annotators can be compared with each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairCoverage {
    /// Common units that are enough.
    pub min_common: u64,
    /// Annotators looked at: all, or the busiest ones when there are too many.
    pub among: usize,
    pub complete: bool,
    /// Pairs of these with enough common units, of all pairs of annotators.
    pub pairs: u64,
    pub possible: u64,
    /// Annotators in at least one such pair, and in at least one triple all of whose pairs have enough.
    pub annotators_in_pairs: usize,
    pub annotators_in_triples: usize,
}

/// The annotator with the best recall of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expert {
    pub class: usize,
    pub annotator: Option<usize>,
    pub recall: Option<f64>,
    /// 90 % interval of the recall.
    pub interval: Option<[f64; 2]>,
    /// Labels by this annotator on units whose other labels have this class as their majority.
    pub n: u64,
    /// Of its labels of this class on units with a majority among the others, the share where that says so too.
    pub precision: Option<f64>,
    /// Finds most of the class (lower end of the interval above one half) and does not just say it always.
    pub evident: bool,
}

/// Annotators who only ever use one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Unipolar {
    /// (annotator, class), at least 20 labels of which 98 % are one class.
    pub sources: Vec<(usize, usize)>,
    /// Share of all labels that they gave.
    pub label_share: f64,
}

/// Real labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueSummary {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    pub sd: f64,
    /// Standard deviation of the labels of one unit around their mean, pooled over units with two or more.
    pub sd_within: Option<f64>,
    /// Different values, counted up to 100 000.
    pub distinct: usize,
}

/// Preferences.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparisons {
    /// Distinct pairs, in whatever order they were shown.
    pub pairs: usize,
    /// Of these, pairs shown in both orders.
    pub both_orders: usize,
    pub both_orders_share: f64,
    pub left: u64,
    pub right: u64,
    pub ties: u64,
    pub tie_share: f64,
    /// Items that won or lost every comparison.
    pub always_won: usize,
    pub always_lost: usize,
    pub possible_pairs: u64,
}

/// Sequences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chains {
    pub count: usize,
    pub length: Spread,
    /// Where the classes are tags of spans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spans: Option<SpanAgreement>,
}

/// Rankings, whose comparisons are the labels of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankingSummary {
    pub count: usize,
    /// Items in a ranking, those behind the ranked ones included.
    pub length: Spread,
    /// Rankings with two items or more behind the ranked ones, in no order.
    pub partial: usize,
}

fn ranking_summary(data: &Dataset) -> Option<RankingSummary> {
    let Structure::Rankings(r) = &data.structure else { return None };
    let parts = || (0..r.len()).map(|x| r.ranking(x));
    Some(RankingSummary {
        count: r.len(),
        length: Spread::of(parts().map(|(ranked, behind)| (ranked.len() + behind.len()) as u64)),
        partial: parts().filter(|(_, behind)| behind.len() > 1).count(),
    })
}

/// Looks at the data; `seed` is for the bootstrap of alpha.
pub fn inspect(data: &Dataset, seed: u64) -> Inspection {
    with_level(data, &Wanted::natural(data), seed)
}

/// The same with alpha at a level that is asked for, as [`super::agreement_at`] has it; what is found follows it.
pub fn inspect_at(data: &Dataset, level: Level, seed: u64) -> Result<Inspection, Error> {
    Ok(with_level(data, &Wanted::new(data, level)?, seed))
}

fn with_level(data: &Dataset, level: &Wanted<'_>, seed: u64) -> Inspection {
    let table = &data.table;
    let counts = table.labels_per_annotator();
    let pairs = Pairs::of(table, MIN_COMMON);
    let graph = parts(table);
    let habits = Habits::of(table);
    let mut out = Inspection {
        kind: table.kind(),
        items: table.n_items(),
        units: table.n_units(),
        annotators: table.n_annotators(),
        labels: table.n_labels(),
        classes: table.n_classes(),
        labels_per_unit: Spread::of((0..table.n_units()).map(|u| table.degree(u) as u64)),
        labels_per_annotator: Spread::of(counts.iter().copied()),
        annotators_with_few: counts.iter().filter(|&&n| n < FEW).count(),
        class_shares: habits.as_ref().map_or(Vec::new(), Habits::class_shares),
        repeated: (0..table.n_units()).map(|u| (table.degree(u) - last_labels(table, u).count()) as u64).sum(),
        unlabelled: table.n_units() - graph.labelled,
        agreement: of_wanted(data, level, seed, 1000, &pairs),
        panel: panel_of_labels(data),
        components: Components {
            count: graph.count,
            largest_units: graph.largest_units,
            largest_annotators: graph.largest_annotators,
        },
        pairs: coverage(&pairs, table.n_annotators()),
        experts: habits.as_ref().map_or(Vec::new(), Habits::experts),
        unipolar: habits.as_ref().map_or(Unipolar::default(), Habits::unipolar),
        identifiability: identifiability::with_pairs(data, None, &pairs),
        values: table.real().and_then(|v| value_summary(table, v)),
        comparisons: comparisons(table),
        chains: match &data.structure {
            Structure::Chains { starts, .. } => Some(Chains {
                count: starts.len().saturating_sub(1),
                length: Spread::of(starts.windows(2).map(|w| w[1] - w[0])),
                spans: span_agreement(data),
            }),
            _ => None,
        },
        rankings: ranking_summary(data),
        findings: of_structure(table, &graph, &counts),
    };
    out.findings.extend(of_answers(data));
    out.findings.extend(of_inspection(data, &out));
    if out.findings.iter().all(|f| f.code != "weak-identifiability") {
        out.findings.extend(out.identifiability.as_ref().and_then(identifiability::of_labels));
    }
    out
}

fn coverage(pairs: &Pairs, annotators: usize) -> PairCoverage {
    let n = if pairs.complete { annotators } else { pairs.among.len() } as u64;
    let (in_pairs, in_triples) = pairs.in_pairs_and_triples(MIN_COMMON);
    PairCoverage {
        min_common: MIN_COMMON,
        among: pairs.among.len(),
        complete: pairs.complete,
        pairs: pairs.count_at_least(MIN_COMMON),
        possible: n * n.saturating_sub(1) / 2,
        annotators_in_pairs: in_pairs,
        annotators_in_triples: in_triples,
    }
}

fn of_inspection(data: &Dataset, i: &Inspection) -> Vec<Finding> {
    let mut out = Vec::new();
    let mut add = |code: &str, severity, subject, message: String, advice: &str| {
        out.push(Finding::new(code, severity, subject, message, advice));
    };
    // a pair of items is in many rankings of an annotator
    if i.repeated > 0 && i.rankings.is_none() {
        add(
            "repeated-labels",
            Severity::Info,
            Subject::Data,
            format!(
                "{} {} one by the same annotator on the same {}",
                group(i.repeated),
                if i.repeated == 1 { "label repeats" } else { "labels repeat" },
                if i.units == i.items && i.comparisons.is_none() { "item" } else { "pair" }
            ),
            "all are kept and count in a fit; if they are corrections, keep the last one of each",
        );
    }
    if i.unipolar.label_share > 0.5 {
        add(
            "one-class-sources",
            Severity::Warning,
            Subject::Data,
            format!(
                "{} annotators, who gave {:.0} % of the labels, only ever use one class",
                i.unipolar.sources.len(),
                100.0 * i.unipolar.label_share
            ),
            "confusion-matrix methods may give all items one class: use lf-em, centred-triplets or label-model, or majority-vote",
        );
    }
    if let (Some(a), Some([low, high])) = (i.agreement.krippendorff_alpha, i.agreement.alpha_interval)
        && high < 0.2
    {
        add(
            "low-agreement",
            Severity::Warning,
            Subject::Data,
            format!("Krippendorff's alpha is {a:.2} [{low:.2}, {high:.2}]: little more agreement than by chance"),
            "a few good annotators may still be found among many bad ones; else the task or its instructions are unclear",
        );
    }
    if let Some(c) = data.table.categorical() {
        let missing: Vec<&Expert> = i.experts.iter().filter(|e| !e.evident).collect();
        for e in missing.iter().take(20) {
            let best = match (e.recall, e.annotator) {
                (Some(r), Some(j)) => {
                    format!("the best finds {r:.2} of it ({}, {} cases)", data.table.annotators().name(j), e.n)
                }
                _ => "nobody has enough cases of it beside other labels".into(),
            };
            add(
                "no-evident-expert",
                Severity::Info,
                Subject::Class(c.classes.name(e.class).to_owned()),
                format!("no annotator clearly knows this class: {best}"),
                "its share and its confusions are estimated poorly: the known truth of some of its items would help most",
            );
        }
        if missing.len() > 20 {
            let text = format!("{} more classes likewise", missing.len() - 20);
            add("no-evident-expert", Severity::Info, Subject::Data, text, "merge rare classes");
        }
    }
    if let Some(c) = &i.comparisons {
        let (l, r) = (c.left as f64, c.right as f64);
        // both parts: far enough to matter, and more than three standard errors of a fair coin
        // (the sides of a ranking's comparisons were not shown to anybody)
        if i.rankings.is_none() && (l - r).abs() > 0.1 * (l + r) && (l - r).abs() > 3.0 * (l + r).sqrt() {
            let text = format!("{} comparisons went to the left item, {} to the right", group(c.left), group(c.right));
            add("position-bias", Severity::Warning, Subject::Data, text, "show every pair in both orders, at random");
        }
        if c.always_won + c.always_lost > 0 {
            add(
                "unbounded-scores",
                Severity::Info,
                Subject::Data,
                format!("{} items won and {} lost all their comparisons", c.always_won, c.always_lost),
                "their scores rest on the prior only: compare them with items nearer to them",
            );
        }
    }
    out
}
