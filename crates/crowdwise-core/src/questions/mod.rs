//! Questions: functions of a dataset and a fit. Every estimate carries the count that it rests on.

mod accuracy;
mod agreement;
mod annotators;
mod coefficients;
mod compare;
mod contradictions;
mod copies;
mod correlation;
mod criteria;
mod evaluate;
mod fairness;
mod findings;
mod graph;
mod habits;
mod held_out;
mod identifiability;
mod inspect;
mod items;
mod labels;
mod ordered;
mod pairs;
mod panel;
mod patterns;
mod ratio;
mod review;
mod scales;
mod sets;
mod spans;
mod summaries;
mod suspects;
mod tags;
mod tally;

pub use agreement::{Agreement, Level, PairRow, agreement, agreement_at};
pub use annotators::{AnnotatorRow, annotators, annotators_at};
pub use compare::{CompareRow, Comparison, compare};
pub use contradictions::{alike_names, alike_text};
pub use copies::{CopyPair, copies, copy_findings, voices};
pub use criteria::{cavity_agreement, vote_agreement};
pub use evaluate::{Evaluation, ReliabilityBin, area_under_curve, evaluate, evaluate_rows, reliability};
pub use fairness::{AnnotatorFairness, ClassFairness, FairBasis, Fairness, Gap, GroupRate, GroupRates, fairness};
pub use findings::{ENDINGS, findings};
pub use held_out::{NEVER, folds};
pub use identifiability::{Basis, ClassPair, Identifiability, PairStrength, Separation, TripleCheck, identifiability};
pub use inspect::{
    Bin, Chains, ClassRow, Comparisons, Components, Expert, Inspection, PairCoverage, RankingSummary, Spread, Unipolar,
    ValueSummary, inspect, inspect_at,
};
pub use items::{ItemOrder, ItemRow, Said, items};
pub use labels::{ClusterRow, LabelRow, LabelView, ScoreRow, ValueRow};
pub use panel::{Panel, panel_of_errors, panel_of_labels};
pub(crate) use patterns::last_labels;
pub use review::{review, reviewed};
pub use sets::{SetScores, is_sets, set_scores, split_unit};
pub use spans::{MergedSpan, Rates, SpanAgreement, SpanScores, TypeScore, merged_spans, span_agreement, span_scores};
pub use suspects::shrink as shrunk_score;
pub use tags::{Span, Tag, TagSet};
pub use tally::spammer_score;
