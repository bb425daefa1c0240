//! Tokens of sequences: one by one, or as sequences.

use super::chosen;
use super::hidden::{self, Verdict};
use super::runs::{Runs, labels_before};
use crate::classes::confusion::DawidSkene;
use crate::classes::voting::MajorityVote;
use crate::sequences::{BayesSeq, Decode, Tokens, answer};
use crowdwise_core::{Context, Dataset, Error, Event, Method, Outcome, Stop, Truth, stats};
use serde_json::json;

/// Where so many tokens of a run are worth one witness or fewer, a sequence model, to which each is one, is not tried.
const PER_WITNESS: f64 = 3.0;
/// A sequence model has lost a class if it keeps less than this part of its votes, and of what the tokens one by one keep.
const LOST: f64 = 0.5;
/// Votes that make a class worth a look.
const VOTES: f64 = 50.0;
/// Where tokens are witnesses, a model that knows that they follow each other is the better description: hidden labels must speak
/// against it by so many standard errors. A difference of 0.03 in span F1 can be within one.
const WORSE: f64 = 2.0;
/// Smoothing of the model of tokens: where most tokens are outside every span, cells of rare tags are nearly empty.
const ALPHA: f64 = 0.1;

const ADVICE: &str = "with the truth of some sequences, ⟦crowdwise compare --truth⟧ shows which model is better";

/// Chooses a model; whichever it is, tags of the answer can follow each other.
pub(super) fn fit(data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    cx.warm = None; // the models are compared from the same start
    let t = Tokens::of(data, "auto")?;
    if data.table.n_annotators() < 3 || t.k() < 2 {
        let few = if t.k() < 2 { "there is only one class" } else { "there are fewer than three annotators" };
        let out = possible(&t, Method::fit(&MajorityVote::default(), data, cx)?, cx)?;
        let why = format!("majority vote was used, limited to tags that can follow each other: {few}");
        return Ok(chosen(out, MajorityVote::INFO.id, why, "have more annotators label the same sequences"));
    }
    cx.event(&Event::Stage { name: "tokens one by one".into() });
    let tokens = one_by_one(data, cx)?;
    if cx.cancelled() {
        return Ok(interrupted(tokens));
    }
    let tokens_answer = labels(&tokens);
    let before = labels_before(&t);
    let runs = Runs::of(&t, &tokens_answer, &before);
    if let Some(r) = runs.filter(|r| r.tokens_per_witness() >= PER_WITNESS) {
        let what = if t.steps.are_tags() { "a span" } else { "a run of one class" };
        let why = format!(
            "{what} has {:.0} tokens on average, and an annotator who is wrong about one is usually wrong about the next \
             (correlation {:.2}): {:.0} tokens carry as much evidence as one, which a sequence model would not allow for",
            r.length,
            r.correlation,
            r.tokens_per_witness()
        );
        return Ok(by_token(tokens, &why, None));
    }
    cx.event(&Event::Stage { name: "sequences".into() });
    let sequence = Method::fit(&BayesSeq::default(), data, cx)?;
    if let Some(class) = lost(data, &labels(&sequence), &tokens_answer) {
        let name = data.table.categorical().expect("categorical labels").classes.name(class);
        let why = format!("the sequence model `bayes-seq` hardly ever answers `{name}`, which annotators say often");
        return Ok(by_token(tokens, &why, None));
    }
    cx.event(&Event::Stage { name: "hidden annotators".into() });
    let verdict = hidden::compare(&t, &before, cx, [by_tokens, by_sequences])?;
    match verdict {
        None if cx.cancelled() => Ok(interrupted(tokens)),
        None => Ok(by_token(tokens, "no sequence was labelled by two annotators, so models cannot be compared", None)),
        Some(v) if v.sequence - v.tokens < WORSE * v.error => {
            let how = if v.sequence < v.tokens { "better" } else { "no worse" };
            let why = format!("the sequence model `bayes-seq` was used: {}", words(how));
            Ok(with_scores(chosen(sequence, BayesSeq::INFO.id, why, ADVICE), Some(v)))
        }
        Some(v) => Ok(by_token(tokens, &format!("for `bayes-seq`, {}", words("worse")), Some(v))),
    }
}

/// Dawid-Skene of the tokens, answered by the possible sequence with the most tokens expected to be right.
fn one_by_one(data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    let out = Method::fit(&DawidSkene { alpha: ALPHA, ..DawidSkene::default() }, data, cx)?;
    possible(&Tokens::of(data, "auto")?, out, cx)
}

fn by_tokens(data: &Dataset, cx: &mut Context<'_>) -> Result<Vec<u32>, Error> {
    Ok(labels(&one_by_one(data, cx)?))
}

fn by_sequences(data: &Dataset, cx: &mut Context<'_>) -> Result<Vec<u32>, Error> {
    Ok(labels(&Method::fit(&BayesSeq::default(), data, cx)?))
}

/// The outcome with an answer whose tags can follow each other.
fn possible(t: &Tokens<'_>, mut out: Outcome, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    let k = t.k();
    let Truth::Classes { posterior, .. } = &mut out.truth else { return Ok(out) };
    let gamma = std::mem::take(posterior);
    let even = vec![0.0; k * k];
    let path = cx.install(|| t.path(true, |_, _: &mut [f64]| {}, (&even[..k], &even), Decode::Posterior, &gamma))?;
    let (shown, moved) = answer(k, &gamma, &path);
    *posterior = shown;
    out.diagnostics.details.insert("decoded_otherwise".into(), json!(moved));
    if moved > 0 && out.uncalibrated.is_none() {
        out.uncalibrated = Some(gamma);
    }
    Ok(out)
}

fn by_token(out: Outcome, why: &str, verdict: Option<Verdict>) -> Outcome {
    let text = format!("`dawid-skene`, token by token and limited to tags that can follow each other, was used: {why}");
    with_scores(chosen(out, DawidSkene::INFO.id, text, ADVICE), verdict)
}

fn interrupted(tokens: Outcome) -> Outcome {
    let mut out = by_token(tokens, "the run was interrupted before models were compared", None);
    out.diagnostics.stop = Stop::Cancelled;
    out
}

fn words(how: &str) -> String {
    format!("it predicts hidden labels {how} than a model of single tokens")
}

fn with_scores(mut out: Outcome, verdict: Option<Verdict>) -> Outcome {
    if let Some(v) = verdict {
        let scores = json!({
            "dawid-skene": v.tokens, "bayes-seq": v.sequence, "standard_error": v.error, "labels": v.labels
        });
        out.diagnostics.details.insert("hidden_label_loss".into(), scores);
    }
    out
}

/// The most probable class of every token.
fn labels(out: &Outcome) -> Vec<u32> {
    match &out.truth {
        Truth::Classes { k, posterior } => posterior.chunks_exact(*k).map(|row| stats::argmax(row) as u32).collect(),
        _ => Vec::new(),
    }
}

/// A class that nearly vanishes from the answer of the sequence model.
fn lost(data: &Dataset, sequence: &[u32], tokens: &[u32]) -> Option<usize> {
    let c = data.table.categorical().expect("categorical labels");
    let k = c.k();
    let (mut votes, mut ours, mut others) = (vec![0.0; k], vec![0.0; k], vec![0.0; k]);
    let mut share = vec![0.0; k];
    for u in (0..data.table.n_units()).filter(|&u| data.table.degree(u) > 0) {
        c.vote_shares(u, &mut share);
        votes.iter_mut().zip(&share).for_each(|(v, s)| *v += s);
        ours[sequence[u] as usize] += 1.0;
        others[tokens[u] as usize] += 1.0;
    }
    (0..k).find(|&z| votes[z] >= VOTES && ours[z] < LOST * votes[z] && ours[z] < LOST * others[z])
}
