//! Spans of tagged sequences: against known truth, between annotators, and out of a fit.

use super::tags::{Span, TagSet};
use crate::{Dataset, Fit, Gold, GoldValues, Structure, stats};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// Precision, recall and their harmonic mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

impl Rates {
    fn new(hits_of_answers: f64, answers: usize, hits_of_truth: f64, truth: usize) -> Rates {
        let share = |hits: f64, n: usize| if n == 0 { 0.0 } else { hits / n as f64 };
        let (precision, recall) = (share(hits_of_answers, answers), share(hits_of_truth, truth));
        let sum = precision + recall;
        Rates { precision, recall, f1: if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 } }
    }
}

/// Spans of a fit against known spans.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanScores {
    /// Sequences that were scored: somebody labelled them, and the truth of all their tokens is known and was not told.
    pub sequences: usize,
    pub truth: usize,
    pub answers: usize,
    /// Same first token, last token and type.
    pub strict: Rates,
    /// A span counts by the largest share of its tokens that one span of the same type on the other side covers.
    pub partial: Rates,
    /// Strict rates of each type, in the order of the names.
    pub by_type: Vec<TypeScore>,
}

/// Strict rates of one type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeScore {
    pub kind: String,
    pub truth: usize,
    pub answers: usize,
    pub rates: Rates,
}

/// How far annotators mark the same spans.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpanAgreement {
    /// Pairs of annotators on a sequence, over all sequences.
    pub pairs: u64,
    /// Spans marked, over all annotators and sequences.
    pub spans: u64,
    /// F1 of one annotator's spans against another's, over all pairs: where most tokens are outside every span, agreement
    /// of tokens is high for annotators who mark nothing alike. `None` if no pair marked anything.
    pub f1: Option<f64>,
    /// The same for each annotator against the others.
    pub by_annotator: Vec<Option<f64>>,
}

/// A span of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergedSpan {
    pub sequence: String,
    /// First token and the one after the last, counted from 0 in the sequence.
    pub start: usize,
    pub end: usize,
    #[serde(rename = "type")]
    pub kind: String,
    /// The smallest probability among the tags of its tokens: the span as a whole is at most as sure.
    pub probability: f64,
}

/// The token ranges of the sequences.
pub(crate) fn chains(data: &Dataset) -> Option<impl Iterator<Item = std::ops::Range<usize>> + '_> {
    match &data.structure {
        Structure::Chains { starts, .. } => Some(starts.windows(2).map(|w| w[0] as usize..w[1] as usize)),
        _ => None,
    }
}

/// Spans of a fit of tagged sequences against known truth; `None` for other data. See [`SpanScores`] for what is scored.
pub fn span_scores(fit: &Fit, data: &Dataset, truth: &Gold) -> Option<SpanScores> {
    let (k, posterior) = fit.posterior()?;
    let GoldValues::Classes(_) = &truth.values else { return None };
    let names = data.table.categorical()?.classes;
    let all = names.iter().chain(truth.extra_classes.iter().filter(|n| !names.iter().any(|m| m == *n)));
    let set = TagSet::read(all, &data.source).ok()??;
    let n = data.table.n_units();
    let (known, told) = (truth.classes(n), data.gold_classes());
    let mut tally = Tally { by_type: vec![[0; 3]; set.types.len()], ..Tally::default() };
    let mut out = SpanScores::default();
    for tokens in chains(data)? {
        let labelled = tokens.clone().any(|u| data.table.degree(u) > 0);
        let scored = |u: usize| known[u].is_some() && told.as_ref().is_none_or(|t| t[u].is_none());
        if !labelled || !tokens.clone().all(scored) {
            continue;
        }
        out.sequences += 1;
        let right = set.spans(tokens.clone().map(|u| known[u].map(|c| c as usize)));
        let answered = set.spans(tokens.map(|u| Some(stats::argmax(&posterior[u * k..(u + 1) * k]))));
        tally.add(&answered, &right);
    }
    if out.sequences == 0 {
        return None;
    }
    let mut order: Vec<usize> = (0..set.types.len()).collect();
    order.sort_by(|a, b| set.types.name(*a).cmp(set.types.name(*b)));
    let rates = |[a, t, both]: [usize; 3]| Rates::new(both as f64, a, both as f64, t);
    let sum = tally.by_type.iter().fold([0; 3], |s, x| [s[0] + x[0], s[1] + x[1], s[2] + x[2]]);
    out.answers = sum[0];
    out.truth = sum[1];
    out.strict = rates(sum);
    out.partial = Rates::new(tally.partial[0], sum[0], tally.partial[1], sum[1]);
    out.by_type = order
        .iter()
        .map(|&t| TypeScore {
            kind: set.types.name(t).to_owned(),
            truth: tally.by_type[t][1],
            answers: tally.by_type[t][0],
            rates: rates(tally.by_type[t]),
        })
        .collect();
    Some(out)
}

#[derive(Default)]
struct Tally {
    /// Answered, true, both, by type.
    by_type: Vec<[usize; 3]>,
    /// Covered shares of answered and of true spans.
    partial: [f64; 2],
}

impl Tally {
    fn add(&mut self, answered: &[Span], right: &[Span]) {
        for s in answered {
            let of_type = &mut self.by_type[s.kind as usize];
            of_type[0] += 1;
            // both lists are in order of their first tokens
            of_type[2] += usize::from(right.binary_search(s).is_ok());
        }
        right.iter().for_each(|s| self.by_type[s.kind as usize][1] += 1);
        self.partial[0] += covered(answered, right);
        self.partial[1] += covered(right, answered);
    }
}

/// Sum over `these` of the largest share of tokens that one of `those` covers.
fn covered(these: &[Span], those: &[Span]) -> f64 {
    let mut from = 0;
    let mut sum = 0.0;
    for a in these {
        while from < those.len() && those[from].end <= a.start {
            from += 1;
        }
        let near = those[from..].iter().take_while(|b| b.start < a.end).filter(|b| b.kind == a.kind);
        let most = near.map(|b| b.end.min(a.end) - b.start.max(a.start)).max().unwrap_or(0);
        sum += most as f64 / (a.end - a.start) as f64;
    }
    sum
}

/// How far the annotators of tagged sequences mark the same spans; `None` for other data.
pub fn span_agreement(data: &Dataset) -> Option<SpanAgreement> {
    let c = data.table.categorical()?;
    let set = TagSet::read(c.classes.iter(), &data.source).ok()??;
    let m = data.table.n_annotators();
    // of each annotator: marked by both, marked by either
    let mut counts = vec![[0u64; 2]; m];
    let (mut pairs, mut spans) = (0, 0);
    for tokens in chains(data)? {
        let marked = marked(data, &set, tokens);
        let n = marked.len() as u64;
        let all: u64 = marked.iter().map(|x| x.1.len() as u64).sum();
        pairs += n * n.saturating_sub(1) / 2;
        spans += all;
        if n < 2 {
            continue;
        }
        let mut times: HashMap<Span, u64, foldhash::fast::FixedState> = HashMap::default();
        marked.iter().flat_map(|x| &x.1).for_each(|s| *times.entry(*s).or_default() += 1);
        for (j, own) in &marked {
            let of = &mut counts[*j as usize];
            of[0] += own.iter().map(|s| times[s] - 1).sum::<u64>();
            of[1] += (n - 1) * own.len() as u64 + (all - own.len() as u64);
        }
    }
    let f1 = |[both, either]: [u64; 2]| (either > 0).then(|| 2.0 * both as f64 / either as f64);
    let total = counts.iter().fold([0; 2], |s, x| [s[0] + x[0], s[1] + x[1]]);
    Some(SpanAgreement { pairs, spans, f1: f1(total), by_annotator: counts.into_iter().map(f1).collect() })
}

/// Who labelled a sequence, and the spans that each marked; of repeated labels the last counts.
fn marked(data: &Dataset, set: &TagSet, tokens: std::ops::Range<usize>) -> Vec<(u32, Vec<Span>)> {
    let codes = data.table.categorical().expect("tags are classes").codes;
    let mut rows: Vec<(u32, usize, usize)> = Vec::new();
    for u in tokens.clone() {
        rows.extend(data.table.rows(u).map(|r| (data.table.annotator()[r], u - tokens.start, codes.get(r))));
    }
    rows.sort_by_key(|x| (x.0, x.1));
    rows.chunk_by(|a, b| a.0 == b.0)
        .map(|own| {
            let mut said = vec![None; tokens.len()];
            own.iter().for_each(|&(_, n, class)| said[n] = Some(class));
            (own[0].0, set.spans(said))
        })
        .collect()
}

/// The spans that a fit of tagged sequences found, sequence by sequence; `None` for other data.
pub fn merged_spans(fit: &Fit, data: &Dataset) -> Option<Vec<MergedSpan>> {
    let (k, posterior) = fit.posterior()?;
    let set = TagSet::read(data.table.categorical()?.classes.iter(), &data.source).ok()??;
    let Structure::Chains { names, .. } = &data.structure else { return None };
    let mut out = Vec::new();
    for (c, tokens) in chains(data)?.enumerate() {
        let row = |u: usize| &posterior[u * k..(u + 1) * k];
        for s in set.spans(tokens.clone().map(|u| Some(stats::argmax(row(u))))) {
            let top = |n: usize| row(tokens.start + n)[stats::argmax(row(tokens.start + n))];
            out.push(MergedSpan {
                sequence: names.name(c).to_owned(),
                start: s.start,
                end: s.end,
                kind: set.types.name(s.kind as usize).to_owned(),
                probability: (s.start..s.end).map(top).fold(1.0, f64::min),
            });
        }
    }
    Some(out)
}
