//! Problems that a fit shows, with advice.

use super::annotators::{Choices, Residuals, Verdicts};
use super::contradictions::of_answers;
use super::copies;
use super::graph::{Parts, parts};
use super::identifiability;
use super::panel;
use super::scales;
use super::suspects::{CONSTANT, CONSTANT_N, FEW, Suspicion, suspicions};
use super::tally::Tally;
use crate::{
    Annotators, Dataset, Finding, Fit, Settled, Severity, Statistic, Stop, Structure, Subject, Table, Truth, group,
};

/// Findings about single annotators are kept to this many per code; one more says how many others there are.
const PER_CODE: usize = 20;
/// Codes that say how the iterations ended.
pub const ENDINGS: &[&str] = &["settled", "not-converged", "interrupted", "not-finite"];
/// Classes that a sentence names.
const NAMED: usize = 4;

/// All that data and fit show, whatever the method.
pub fn findings(data: &Dataset, fit: &Fit) -> Vec<Finding> {
    with_tally(data, fit, Tally::of(data, fit, false).as_ref())
}

/// The same with the sums over the labels, which whoever asks more than one question makes once.
pub(super) fn with_tally(data: &Dataset, fit: &Fit, tally: Option<&Tally>) -> Vec<Finding> {
    let mut out = stopped(fit);
    let graph = parts(&data.table);
    let n = data.table.labels_per_annotator();
    out.extend(of_structure(&data.table, &graph, &n));
    out.extend(of_answers(data));
    match &fit.truth {
        Truth::Classes { .. } => {
            if let Some(t) = tally {
                of_classes(data, fit, t, &mut out);
                out.extend(identifiability::of_fit(data, fit, t));
                if t.said.is_empty() || !t.has_matrices(fit) {
                    out.push(not_checked(t));
                }
                let about = (0..t.n.len()).flat_map(|j| suspicions(t, fit, j).into_iter().map(move |s| (j, s)));
                out.extend(capped(&data.table, &n, about.map(|(j, s)| about_one(data, t, j, &s)).collect()));
            }
            out.extend(copies::of_fit(data, fit));
            out.extend(panel::of_fit(data, fit));
        }
        Truth::Real { value, .. } => {
            out.extend(scales::findings(data));
            let all = Residuals::of(data, value);
            let about = all.iter().enumerate().filter_map(|(j, r)| r.suspicion().map(|s| (j, s.0, s.1, s.2)));
            out.extend(capped(&data.table, &n, about.collect()));
        }
        Truth::Scores { score, .. } => {
            let all = Choices::of(data, score);
            let about = all.iter().enumerate().filter_map(|(j, r)| r.suspicion().map(|s| (j, s.0, s.1, s.2)));
            out.extend(capped(&data.table, &n, about.collect()));
        }
        Truth::Clusters { same, .. } => {
            let all = Verdicts::of(data, same);
            let about = all.iter().enumerate().filter_map(|(j, r)| r.suspicion().map(|s| (j, s.0, s.1, s.2)));
            out.extend(capped(&data.table, &n, about.collect()));
        }
    }
    out
}

/// A method for comparisons takes those of one ranking for independent answers.
pub(super) fn pairs_of_rankings(data: &Dataset) -> Option<Finding> {
    let Structure::Rankings(r) = &data.structure else { return None };
    // a ranking of two is a comparison
    let longer = (0..r.len()).any(|x| r.comparisons(x).nth(1).is_some());
    longer.then(|| {
        Finding::new(
            "rankings-as-pairs",
            Severity::Info,
            Subject::Data,
            format!(
                "{} rankings were treated as {} independent comparisons, which they are not: the intervals are too narrow",
                group(r.len() as u64),
                group(data.table.n_labels() as u64)
            ),
            "`plackett-luce` treats a ranking as one answer",
        )
    })
}

fn stopped(fit: &Fit) -> Vec<Finding> {
    // where a fit is made of several, the trace and its changes are those of one of them
    let n = fit.diagnostics.trace.last().map_or(fit.diagnostics.iterations, |t| t.iteration);
    let change = fit.diagnostics.trace.last().map_or(String::new(), |t| format!(" (last change {:.1e})", t.change));
    let (code, severity, message, advice) = match fit.diagnostics.stop {
        Stop::Direct | Stop::Converged => return Vec::new(),
        Stop::Settled => ("settled", Severity::Info, settled(fit, n), NOTHING_TO_DO.into()),
        Stop::MaxIter => (
            "not-converged",
            Severity::Warning,
            format!("the fit did not converge within {n} iterations{change}"),
            further(fit),
        ),
        Stop::Cancelled => (
            "interrupted",
            Severity::Warning,
            format!("interrupted after {n} iterations{change}: this is an intermediate result"),
            "run it to completion before using the numbers".into(),
        ),
        Stop::NotFinite => (
            "not-finite",
            Severity::Problem,
            format!("the objective stopped being finite after {n} iterations; this is the last finite state"),
            "use more smoothing, or another method".into(),
        ),
    };
    vec![Finding::new(code, severity, Subject::Fit, message, advice)]
}

/// Why it does not matter that parameters still move.
const NOTHING_TO_DO: &str = "nothing to do: more iterations would hardly change any answer";

fn settled(fit: &Fit, n: usize) -> String {
    let Some(s) = Settled::of(fit) else { return format!("the answers had settled after {n} iterations") };
    format!(
        "the answers had settled after {n} iterations: the last {} changed the label of {} of {} items and moved probabilities \
         by {:.4} on average; parameters of annotators with few labels may still move",
        s.iterations,
        group(s.labels_changed as u64),
        group(s.items as u64),
        s.mean_change
    )
}

/// What to do about a fit that ended too early, in terms of the parameters that the method has.
fn further(fit: &Fit) -> String {
    let known = ["max_iter", "keep", "burn_in"];
    let has: Vec<&str> = known.into_iter().filter(|p| fit.provenance.params.get(*p).is_some()).collect();
    let accept = "accept the result if the last change is small enough for you";
    if has.is_empty() { accept.into() } else { format!("raise {}, or {accept}", has.join(" and ")) }
}

/// Whether the fit maximised, bounded or sampled a likelihood, by the name of its objective.
fn has_likelihood(fit: &Fit) -> bool {
    let kind = fit.diagnostics.objective.as_ref().map_or("", |o| &o.kind);
    ["likelihood", "elbo", "log-joint"].iter().any(|name| kind.contains(name))
}

/// Too many annotators times classes: said, not silent.
fn not_checked(t: &Tally) -> Finding {
    Finding::new(
        "annotators-not-checked",
        Severity::Info,
        Subject::Data,
        format!(
            "{} annotators with {} classes are too many to look for spammers{}",
            group(t.n.len() as u64),
            group(t.k as u64),
            if t.said.is_empty() { " and constant answers" } else { "" }
        ),
        "merge rare classes, or look at a part of the data",
    )
}

/// What the table itself limits, whatever the fit: also used by `inspect`.
pub(super) fn of_structure(table: &Table, graph: &Parts, per_annotator: &[u64]) -> Vec<Finding> {
    let mut out = Vec::new();
    let mut add = |code: &str, severity, message: String, advice: &str| {
        out.push(Finding::new(code, severity, Subject::Data, message, advice));
    };
    let n = table.n_units();
    let unlabelled = n - graph.labelled;
    if unlabelled > 0 {
        add(
            "unlabelled-items",
            Severity::Info,
            format!("{} of {} items have no label", group(unlabelled as u64), group(n as u64)),
            "all that is known about them is the class shares: collect labels for them first",
        );
    }
    if graph.count > 1 {
        let compared = table.preferences().is_some();
        let what = if compared {
            ("items fall", "were never compared with each other")
        } else {
            ("data falls", "share no annotators and items")
        };
        add(
            "disconnected",
            Severity::Warning,
            format!(
                "the {} into {} parts that {} (the largest has {} of {})",
                what.0,
                group(graph.count as u64),
                what.1,
                group(graph.largest_units as u64),
                group(if compared { table.n_items() } else { graph.labelled } as u64),
            ),
            if compared {
                "compare scores and ranks only inside a part, or collect comparisons between the parts"
            } else {
                "annotators of different parts cannot be compared: have some of them label items in both"
            },
        );
    }
    let few: Vec<u64> = per_annotator.iter().copied().filter(|&n| n < FEW).collect();
    if !few.is_empty() {
        let labels: u64 = few.iter().sum();
        let most = labels as f64 > 0.5 * table.n_labels() as f64;
        add(
            "few-labels",
            if most { Severity::Warning } else { Severity::Info },
            format!(
                "{} of {} annotators gave fewer than {FEW} labels ({} labels in all)",
                group(few.len() as u64),
                group(per_annotator.len() as u64),
                group(labels)
            ),
            "each of them alone is hard to judge: look at the intervals, or use a method that pools annotators",
        );
    }
    if table.preferences().is_some() {
        return out;
    }
    if graph.labelled > 0 && table.n_annotators() >= 2 {
        let share = graph.with_three as f64 / graph.labelled as f64;
        if share < 0.1 {
            add(
                "weak-identifiability",
                Severity::Warning,
                format!(
                    "only {} of {} items were labelled by three or more annotators",
                    group(graph.with_three as u64),
                    group(graph.labelled as u64)
                ),
                "with one or two labels per item the quality of annotators is hard to estimate: collect more labels for some items",
            );
        }
        if graph.isolated > 0 {
            add(
                "isolated-annotators",
                Severity::Warning,
                format!(
                    "{} of {} annotators share no item with anybody",
                    group(graph.isolated as u64),
                    group(per_annotator.len() as u64)
                ),
                "there is no way to tell how good they are: give them items that others labelled",
            );
        }
    }
    out
}

fn of_classes(data: &Dataset, fit: &Fit, t: &Tally, out: &mut Vec<Finding>) {
    let classes = data.table.categorical().expect("a tally is of classes").classes;
    let units = t.labelled as f64;
    // plain votes of tokens make no sequences
    let simple = match data.structure {
        Structure::Chains { .. } => "dawid-skene",
        _ => "majority-vote",
    };
    for k in 0..t.k {
        let about = || Subject::Class(classes.name(k).to_owned());
        if t.votes[k] == 0.0 {
            out.push(Finding::new(
                "class-never-used",
                Severity::Info,
                about(),
                "no annotator ever used this class",
                "check its name; if annotators could not choose it, leave it out",
            ));
        } else if t.votes[k] * units >= 10.0 && t.posterior[k] < 0.05 * t.votes[k] {
            out.push(Finding::new(
                "class-collapsed",
                Severity::Warning,
                about(),
                format!(
                    "has {:.1} % of the votes but {:.2} % of the fitted truth",
                    100.0 * t.votes[k],
                    100.0 * t.posterior[k]
                ),
                format!("the model explains its votes as errors: compare with {simple}, or fix the class shares"),
            ));
        }
    }
    let drift = t.drift();
    if drift > 0.1 {
        out.push(Finding::new(
            "class-drift",
            if drift > 0.25 { Severity::Problem } else { Severity::Warning },
            Subject::Fit,
            format!("the class shares of the fit differ from those of the votes by {drift:.2} (0 to 1)"),
            format!(
                "either annotators share a strong bias or the fit went wrong: look at the items that changed, or compare with \
                 {simple}"
            ),
        ));
    }
    let even = 1.0 / t.k as f64;
    // one label per item leaves a draw in many models: that is no fault of the fit
    if has_likelihood(fit) && 2 * data.table.n_labels() >= 3 * t.labelled && t.top < even + 0.05 * (1.0 - even) {
        out.push(Finding::new(
            "flat-posterior",
            Severity::Warning,
            Subject::Fit,
            format!(
                "the likeliest class of an item has a probability of {:.3} on average, where {even:.3} is a draw between \
                 all classes",
                t.top
            ),
            format!(
                "the fit could not separate the classes: check whether annotators agree more than by chance, try another start, or \
                 compare with {simple}"
            ),
        ));
    }
    let (sources, labels) = one_class_sources(t);
    let share = labels as f64 / data.table.n_labels().max(1) as f64;
    // a model of who answers at all says how many items were answered, and is right for such sources
    let knows_silence = fit.diagnostics.details.contains_key("covered_items");
    // of tokens, most are outside every span, and so say most annotators of most of them
    let tokens = matches!(data.structure, Structure::Chains { .. });
    if share > 0.5 && !matches!(fit.annotators, Annotators::None) && !knows_silence && !tokens {
        out.push(Finding::new(
            "one-class-sources",
            if drift > 0.1 { Severity::Problem } else { Severity::Warning },
            Subject::Data,
            format!("{sources} annotators, who gave {:.0} % of the labels, only ever use one class", 100.0 * share),
            "models that ignore who did not answer treat such labels as uninformative and may give every item the same class: \
             use lf-em, centred-triplets or label-model, or majority-vote",
        ));
    }
}

/// How many annotators say one class only, and their labels.
fn one_class_sources(t: &Tally) -> (usize, u64) {
    let is = |j: usize| t.n[j] >= CONSTANT_N && t.favourite(j).is_some_and(|f| f.1 >= CONSTANT);
    let all = (0..t.n.len()).filter(|&j| is(j));
    all.fold((0, 0), |(count, labels), j| (count + 1, labels + t.n[j]))
}

/// A finding about one annotator: who, code, sentence, number.
type About = (usize, &'static str, String, Statistic);

fn about_one(data: &Dataset, t: &Tally, j: usize, s: &Suspicion) -> About {
    let statistic = s.statistic(t.n[j]);
    (j, s.code(), sentence(data, t, j, s, statistic.interval), statistic)
}

fn sentence(data: &Dataset, t: &Tally, j: usize, s: &Suspicion, [low, high]: [f64; 2]) -> String {
    let n = group(t.n[j]);
    let class = |k: usize| data.table.categorical().map_or("", |c| c.classes.name(k));
    match s {
        Suspicion::Spammer { score, se, bits } => format!(
            "their labels carry almost no information: spammer score {score:.3} (standard error {se:.3}, 0 = none, 1 = \
             perfect), {bits:.2} bits per label, {n} labels"
        ),
        Suspicion::Adversary { accuracy, chance, .. } => format!(
            "right in {:.0} % [{:.0}, {:.0}] of {n} labels, below the {:.0} % of guessing",
            100.0 * accuracy,
            100.0 * low,
            100.0 * high,
            100.0 * chance
        ),
        Suspicion::Constant { class: favourite, share, expected } => format!(
            "says `{}` in {:.0} % [{:.0}, {:.0}] of {n} labels, where {:.0} % would be expected",
            class(*favourite),
            100.0 * share,
            100.0 * low,
            100.0 * high,
            100.0 * expected
        ),
        Suspicion::MissesClasses { accuracy, frequent, missed } => {
            let one = |&(k, found, seen): &(usize, f64, f64)| format!("`{}` in {found:.0} of {seen:.0}", class(k));
            let mut named: Vec<String> = missed.iter().take(NAMED).map(one).collect();
            if missed.len() > NAMED {
                let more = missed.len() - NAMED;
                named.push(format!("and {more} more class{} as rarely", if more == 1 { "" } else { "es" }));
            }
            format!(
                "right in {:.0} % [{:.0}, {:.0}] of {n} labels, where most items are `{}`, but finds {}",
                100.0 * accuracy,
                100.0 * low,
                100.0 * high,
                class(*frequent),
                named.join(", ")
            )
        }
    }
}

/// The findings about annotators, those with the most labels first, at most [`PER_CODE`] of each code.
fn capped(table: &Table, n: &[u64], mut about: Vec<About>) -> Vec<Finding> {
    about.sort_by_key(|(j, code, ..)| (*code, std::cmp::Reverse(n[*j]), *j));
    let mut out = Vec::new();
    for same in about.chunk_by(|a, b| a.1 == b.1) {
        let code = same[0].1;
        let (severity, advice) = match code {
            "adversary" => (
                Severity::Warning,
                "check whether they misread the instructions (swapped classes): if so, their labels can be swapped back",
            ),
            "spammer" => (Severity::Warning, "check a few of these labels by hand, then leave the annotator out"),
            "misses-classes" => (
                Severity::Warning,
                "their labels of the frequent class are fine: keep them, but do not rely on them for the other classes",
            ),
            _ => (Severity::Warning, "check a few of these labels by hand"),
        };
        for (j, _, text, statistic) in same.iter().take(PER_CODE) {
            let subject = Subject::Annotator(table.annotators().name(*j).to_owned());
            out.push(Finding::new(code, severity, subject, text.clone(), advice).with(statistic.clone()));
        }
        if same.len() > PER_CODE {
            let labels: u64 = same[PER_CODE..].iter().map(|x| n[x.0]).sum();
            out.push(Finding::new(
                code,
                severity,
                Subject::Data,
                format!(
                    "{} more annotators like this ({} labels)",
                    group((same.len() - PER_CODE) as u64),
                    group(labels)
                ),
                "the table of annotators lists them all",
            ));
        }
    }
    out
}
