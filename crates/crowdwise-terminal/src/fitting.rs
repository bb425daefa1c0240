//! Running a method from the command line: progress, Ctrl-C, and what is said afterwards.

use crate::Exit;
use crate::interrupt;
use crate::options::{FailIf, RunOptions};
use crate::progress::Progress;
use crate::talk::{Talk, counted};
use crowdwise::questions::{ENDINGS, Evaluation, reviewed};
use crowdwise::report::subject_text;
use crowdwise::{AnyMethod, Context, Dataset, Error, Event, Finding, Fit, Severity, Stop};
use std::time::{Duration, Instant};

/// A fit and the time it took.
#[derive(Debug)]
pub struct Fitted {
    pub fit: Fit,
    pub elapsed: Duration,
}

/// Fits with progress; Ctrl-C gives the best so far.
pub fn fit(method: &dyn AnyMethod, data: &Dataset, run: &RunOptions, talk: Talk) -> Result<Fitted, Error> {
    fit_from(method, data, None, run, talk)
}

/// The same, beginning with what an earlier fit learned.
pub fn fit_from(
    method: &dyn AnyMethod,
    data: &Dataset,
    warm: Option<&Fit>,
    run: &RunOptions,
    talk: Talk,
) -> Result<Fitted, Error> {
    if interrupt::cancelled() {
        return Err(Error::Interrupted);
    }
    if data.gold.is_some() && !method.info().capabilities.gold {
        talk.note(format_args!("{} does not use gold labels", method.info().id));
    }
    let start = Instant::now();
    let fit = with_progress(method.info().id, run, talk, |cx| cx.starting_from(warm, |cx| reviewed(method, data, cx)))?;
    let elapsed = start.elapsed();
    talk.detail(format_args!("fit: {:.3} s", elapsed.as_secs_f64()));
    Ok(Fitted { fit, elapsed })
}

/// Runs `work` in a context with seed, threads, progress and Ctrl-C.
pub fn with_progress<T>(name: &str, run: &RunOptions, talk: Talk, work: impl FnOnce(&mut Context<'_>) -> T) -> T {
    let mut progress = Progress::new(run.progress, talk.quiet, name);
    let out = {
        let mut sink = |event: &Event| progress.event(event);
        let mut cx = Context::new(run.seed, run.threads())
            .with_sink(&mut sink)
            .with_cancel(&interrupt::CANCEL)
            .with_count_copies(run.count_copies);
        interrupt::rescuable(|| work(&mut cx))
    };
    progress.finish();
    out
}

/// Says how the fit ended, if not well.
pub fn say_stop(fit: &Fit, talk: Talk) {
    let d = &fit.diagnostics;
    // where a fit is made of several, the trace and its changes are those of one of them
    let n = d.trace.last().map_or(d.iterations, |t| t.iteration);
    let n = counted(n as u64, "iteration", "iterations");
    let change = d.trace.last().map(|t| format!(", last change {:.2e}", t.change)).unwrap_or_default();
    match d.stop {
        Stop::Direct => {}
        Stop::Converged => talk.detail(format_args!("converged after {n}{change}")),
        Stop::Settled => talk.detail(format_args!("settled after {n}{change}: answers no longer change")),
        Stop::MaxIter => {
            let other = fit.diagnostics.details.get("handed_over_to").and_then(|m| m.as_str());
            let advice = more_iterations(&fit.provenance.method, other);
            talk.note(format_args!("not converged after {n}{change}{advice}"));
        }
        Stop::Cancelled => {
            talk.note(format_args!("interrupted after {n}{change}: this is the best so far"));
        }
        Stop::NotFinite => talk.note(format_args!(
            "the objective was no longer a finite number at iteration {}: this is the last good state",
            d.iterations
        )),
    }
}

/// How a method is given more iterations, by the parameters that it has. `other` is the method that did the work in its place, which
/// has to be asked for by name.
fn more_iterations(method: &str, other: Option<&str>) -> String {
    let Ok(entry) = crowdwise::find(other.unwrap_or(method)) else { return String::new() };
    let params = entry.params();
    let has = |name: &&str| params.iter().any(|p| p.name == *name);
    let ask = other.map_or(String::new(), |m| format!("-m {m} "));
    let known: Vec<String> = ["max_iter", "epochs", "burn_in", "keep"]
        .iter()
        .filter(|n| has(n))
        .map(|n| format!("`{ask}-p {n}=N`"))
        .collect();
    match known.len() {
        0 => String::new(),
        1 => format!("; {} allows more", known[0]),
        _ => format!("; {} allow more", known.join(" and ")),
    }
}

/// At most this many findings are said; the others are counted.
const MOST_FINDINGS: usize = 8;

/// As in JSON.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Problem => "problem",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// Says the findings; how the iterations ended has been said by [`say_stop`].
pub fn say_findings(findings: &[Finding], talk: Talk) {
    for f in findings.iter().filter(|f| f.code == "chosen") {
        talk.note(format_args!("{}", f.message));
    }
    let worth = |f: &&Finding| f.severity > Severity::Info && !ENDINGS.contains(&f.code.as_str());
    let mut order: Vec<&Finding> = findings.iter().filter(worth).collect();
    order.sort_by_key(|f| std::cmp::Reverse(f.severity));
    let all = order.len();
    keep_each_kind(&mut order, MOST_FINDINGS);
    for f in &order {
        let word = severity_word(f.severity);
        talk.note(format_args!("{word}[{}] {}: {}", f.code, subject_text(&f.subject), f.message));
    }
    if all > order.len() {
        let more = counted((all - order.len()) as u64, "more finding", "more findings");
        talk.note(format_args!("… and {more} (`--format json` has all)"));
    }
}

/// The first `most` findings, but of every code one before of any a second: thirty spammers do not hide that the whole panel errs
/// together.
fn keep_each_kind(order: &mut Vec<&Finding>, most: usize) {
    let nth = |at: usize| {
        let earlier = order[..at].iter().filter(|f| f.code == order[at].code && f.severity == order[at].severity);
        (std::cmp::Reverse(order[at].severity), earlier.count(), at)
    };
    let mut rank: Vec<_> = (0..order.len()).map(nth).collect();
    rank.sort_unstable();
    rank.truncate(most);
    let mut kept: Vec<usize> = rank.into_iter().map(|r| r.2).collect();
    kept.sort_unstable();
    *order = kept.into_iter().map(|at| order[at]).collect();
}

pub fn say_evaluation(e: &Evaluation, file: &str, talk: Talk) {
    let named = [
        ("accuracy", e.accuracy),
        ("macro F1", e.macro_f1),
        ("span F1", e.spans.as_ref().map(|s| s.strict.f1)),
        ("partial span F1", e.spans.as_ref().map(|s| s.partial.f1)),
        ("exact sets", e.sets.map(|s| s.exact_match)),
        ("Jaccard", e.sets.map(|s| s.jaccard)),
        ("Hamming loss", e.sets.map(|s| s.hamming)),
        ("micro F1 of sets", e.sets.map(|s| s.micro_f1)),
        ("macro F1 of sets", e.sets.map(|s| s.macro_f1)),
        ("log loss", e.log_loss),
        ("Brier", e.brier),
        ("ECE", e.ece),
        ("RMSE", e.rmse),
        ("MAE", e.mae),
        ("quadratic κ", e.quadratic_kappa),
        ("correlation", e.correlation),
        ("Spearman", e.spearman),
        ("Kendall", e.kendall),
        ("adjusted Rand", e.adjusted_rand),
        ("F1 of pairs", e.pair_f1),
    ];
    let parts: Vec<String> = named.iter().filter_map(|(n, x)| x.map(|x| format!("{n} {x:.4}"))).collect();
    let what = if parts.is_empty() { "nothing to score".into() } else { parts.join(", ") };
    talk.note(format_args!("against {file} ({}): {what}", rests_on(e)));
}

/// What an evaluation rests on, and what it leaves out.
pub fn rests_on(e: &Evaluation) -> String {
    let mut out = match e.sets {
        Some(s) => format!("{} of {}", counted(e.n as u64, "unit", "units"), counted(s.items as u64, "item", "items")),
        None => counted(e.n as u64, "item", "items"),
    };
    if e.components > 1 {
        out += &format!(" in {} separate parts", e.components);
    }
    let mut left_out = Vec::new();
    if e.gold_left_out > 0 {
        left_out.push(format!("{} given as gold", counted(e.gold_left_out as u64, "item", "items")));
    }
    if e.ties_left_out > 0 {
        left_out.push(counted(e.ties_left_out as u64, "tie", "ties"));
    }
    if e.unlabelled > 0 {
        left_out.push(format!("{} without answers", counted(e.unlabelled as u64, "item", "items")));
    }
    if e.components_left_out > 0 {
        left_out.push(format!("{} too small", counted(e.components_left_out as u64, "part", "parts")));
    }
    if left_out.is_empty() { out } else { format!("{out}; left out: {}", left_out.join(", ")) }
}

/// The exit code, after everything was written.
pub fn exit(stop: Option<Stop>, severities: &[Severity], conditions: &[FailIf], talk: Talk) -> Exit {
    if interrupt::cancelled() {
        return Exit::Interrupted;
    }
    let mut failed = false;
    for condition in conditions {
        if let Some(why) = condition.holds(stop, severities) {
            talk.note(format_args!("failed because of --fail-if: {why}"));
            failed = true;
        }
    }
    if failed { Exit::Condition } else { Exit::Done }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise::Subject;

    #[test]
    fn the_advice_names_parameters_that_exist() {
        assert_eq!(more_iterations("dawid-skene", None), "; `-p max_iter=N` allows more");
        assert_eq!(more_iterations("ibcc", None), "; `-p burn_in=N` and `-p keep=N` allow more");
        for e in crowdwise::methods() {
            let advice = more_iterations(e.info.id, None);
            for name in advice.split("-p ").skip(1).filter_map(|part| part.split('=').next()) {
                assert!(e.params().iter().any(|p| p.name == name), "{} has no {name}", e.info.id);
            }
        }
    }

    #[test]
    fn what_an_evaluation_leaves_out_is_said() {
        let mut e = Evaluation { n: 1, ..Evaluation::default() };
        assert_eq!(rests_on(&e), "1 item");
        (e.n, e.components, e.components_left_out) = (1200, 3, 1);
        (e.gold_left_out, e.ties_left_out, e.unlabelled) = (40, 2, 700);
        assert_eq!(
            rests_on(&e),
            "1 200 items in 3 separate parts; left out: 40 items given as gold, 2 ties, 700 items without answers, 1 part \
             too small"
        );
    }

    /// Everyday use 1.15: 73 flagged judges of 130, and that all of them err together came last.
    #[test]
    fn many_of_a_kind_do_not_hide_the_others() {
        let of = |code: &str, severity| Finding::new(code, severity, Subject::Fit, String::new(), String::new());
        let mut all: Vec<Finding> = (0..20).map(|_| of("spammer", Severity::Warning)).collect();
        all.extend((0..5).map(|_| of("adversary", Severity::Warning)));
        all.push(of("dependent-annotators", Severity::Warning));
        let mut order: Vec<&Finding> = all.iter().collect();
        keep_each_kind(&mut order, 8);
        let codes: Vec<&str> = order.iter().map(|f| f.code.as_str()).collect();
        let spammers = ["spammer"; 4];
        assert_eq!(codes[..4], spammers);
        assert_eq!(codes[4..], ["adversary", "adversary", "adversary", "dependent-annotators"]);
        // few are all said, in their order
        let mut few: Vec<&Finding> = all[18..].iter().collect();
        keep_each_kind(&mut few, 8);
        assert!(few.len() == 8 && few.iter().zip(&all[18..]).all(|(a, b)| std::ptr::eq(*a, b)));
        // a problem goes before a warning of a new kind
        all.push(of("not-finite", Severity::Problem));
        let mut order: Vec<&Finding> = all.iter().rev().collect();
        keep_each_kind(&mut order, 1);
        assert_eq!(order[0].code, "not-finite");
    }

    #[test]
    fn severities_are_called_as_in_json() {
        for s in [Severity::Info, Severity::Warning, Severity::Problem] {
            assert_eq!(serde_json::to_value(s).unwrap(), severity_word(s));
        }
    }
}
