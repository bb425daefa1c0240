use super::robust::{Covariances, Score};
use crate::inside;
use crowdwise_core::questions::{copies, copy_findings, panel_of_errors};
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, Finding, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Severity, Status, Subject, Truth, group,
};
use crowdwise_numerics::median;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What becomes of the labels of flagged annotators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Flagged {
    /// They are left out.
    #[default]
    Remove,
    /// They stay; the flags are only reported.
    Keep,
}

/// Flags adversaries by the spectrum of the annotators' covariances, then fits without them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdversarySpectral {
    /// Maximum number of rounds of fitting the trusted annotators and judging all.
    pub max_rounds: usize,
    /// Flag an annotator this many (median) standard deviations away from the common low rank.
    pub threshold: f64,
    /// Items that two annotators must have in common to be compared.
    pub min_common: usize,
    /// Labels of flagged annotators: `remove` them, or `keep` them and only report.
    pub flagged: Flagged,
    /// Method fitted to the remaining annotators: any method for classes, with its defaults.
    pub inside: String,
}

impl Default for AdversarySpectral {
    fn default() -> Self {
        AdversarySpectral {
            max_rounds: 10,
            threshold: 3.0,
            min_common: 10,
            flagged: Flagged::Remove,
            inside: "dawid-skene".into(),
        }
    }
}

/// Findings of one kind that name an annotator.
const TOLD: usize = 20;
/// Annotators below which nobody can be said to stand out.
const FEWEST: usize = 5;

impl Method for AdversarySpectral {
    const INFO: MethodInfo = MethodInfo {
        id: "adversary-spectral",
        name: "Spectral adversary detection",
        summary: "Flags annotators who work against the others or tell nothing, and fits without them.",
        doc: include_str!("adversary_spectral.md"),
        aliases: &["spectral-adversaries"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "P. A. Traganitis, G. B. Giannakis. Detecting Adversaries in Crowdsourcing. ICDM 2021.",
            doi: Some("10.48550/arXiv.2110.04117"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Groups)
    };

    const SEES_COPIES: bool = true;

    fn check(&self, p: &mut Problems) {
        p.count("max_rounds", self.max_rounds);
        p.positive("threshold", self.threshold);
        p.require(self.min_common >= 2, "min_common", self.min_common, "at least 2");
        inside::check(p, &self.inside);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true // directions that are equally good are chosen by number
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        cx.warm = None;
        let table = &data.table;
        let labels = table.categorical().expect("the kind was checked");
        let mut flags: Vec<Option<(Why, Score)>> = vec![None; table.n_annotators()];
        let mut scores: Vec<(u32, Score)> = Vec::new();
        if labels.k() >= 2 {
            let found = Covariances::new(&labels, self.min_common);
            if found.who.len() >= FEWEST {
                scores = self.judge(&found, &mut flags);
            }
        }
        let any = flags.iter().any(Option::is_some);
        let rest = (any && self.flagged == Flagged::Remove).then(|| {
            let kept = table.filter_rows(|r| flags[table.annotator()[r] as usize].is_none());
            Dataset { table: kept, ..data.clone() }
        });
        let mut out = inside::fit(&self.inside, rest.as_ref().unwrap_or(data), cx)?;
        let Truth::Classes { posterior, .. } = &out.truth else { unreachable!("a method for classes") };
        let q = out.uncalibrated.as_ref().unwrap_or(posterior);
        let (found, tests) = copies(data, q);
        let panel = panel_of_errors(data, q);
        if rest.is_some() {
            // also of those who were left out, as the result of the others has them
            out.annotators = inside::confusion(data, q, 0.01);
        }
        let details = &mut out.diagnostics.details;
        let names = table.annotators();
        // people look for names, and the order of the rows must not matter
        scores.sort_by_key(|&(j, _)| names.name(j as usize));
        let one = |&(j, s): &(u32, Score)| {
            let why = flags[j as usize].map(|f| f.0.code());
            json!({"annotator": names.name(j as usize), "information": s.information, "residual": s.residual,
                   "sign": s.sign, "flagged": why})
        };
        details.insert("scores".into(), scores.iter().map(one).collect::<Vec<Value>>().into());
        let mut flagged: Vec<&str> = (0..flags.len()).filter(|&j| flags[j].is_some()).map(|j| names.name(j)).collect();
        flagged.sort_unstable();
        details.insert("flagged".into(), json!(flagged));
        if scores.len() < table.n_annotators() {
            details.insert("annotators_looked_at".into(), json!(scores.len()));
        }
        if let Some(p) = panel {
            details.insert("panel".into(), json!(p));
        }
        out.findings.extend(said(data, &flags, self.flagged));
        out.findings.extend(rest.as_ref().and_then(|r| unlabelled(data, r)));
        out.findings.extend(copy_findings(data, &found, tests));
        Ok(out)
    }
}

/// Why an annotator is flagged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Opposite,
    Misfit,
    Silent,
}

impl Why {
    fn code(self) -> &'static str {
        match self {
            Why::Opposite => "colluder",
            Why::Misfit => "misfit",
            Why::Silent => "uninformative",
        }
    }
}

impl AdversarySpectral {
    /// Sets the flags; the scores of all who were looked at.
    fn judge(&self, found: &Covariances, flags: &mut [Option<(Why, Score)>]) -> Vec<(u32, Score)> {
        let (trusted, scores) = found.judge(self.max_rounds, self.threshold);
        let mut told: Vec<f64> = scores.iter().zip(&trusted).filter(|x| *x.1).map(|x| x.0.information).collect();
        let typical = median(&mut told);
        let silent = |s: &Score| typical.is_finite() && s.silent(typical);
        let left = scores.iter().zip(&trusted).filter(|(s, t)| **t && !silent(s)).count();
        for ((&j, s), t) in found.who.iter().zip(&scores).zip(&trusted) {
            let why = if s.near == 0 {
                None
            } else if !*t && s.turned() {
                Some(Why::Opposite)
            } else if silent(s) && left >= 3 {
                // nobody would be left if all the silent ones went
                Some(Why::Silent)
            } else if *t {
                None
            } else {
                Some(Why::Misfit)
            };
            flags[j as usize] = why.map(|w| (w, *s));
        }
        found.who.iter().copied().zip(scores).collect()
    }
}

fn said(data: &Dataset, flags: &[Option<(Why, Score)>], done: Flagged) -> Vec<Finding> {
    let n = data.table.labels_per_annotator();
    let mut all: Vec<(Why, usize, Score)> =
        flags.iter().enumerate().filter_map(|(j, f)| f.map(|(w, s)| (w, j, s))).collect();
    all.sort_by_key(|&(w, j, _)| (w, std::cmp::Reverse(n[j]), j));
    let gone = if done == Flagged::Remove { "left out" } else { "kept" };
    let mut out = Vec::new();
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        for (why, j, s) in same.iter().take(TOLD) {
            let text = match why {
                Why::Opposite => format!(
                    "says the opposite of the trusted annotators: mean covariance {:.3} (standard error {:.3}) with {} of them",
                    s.sign, s.sign_se, s.near
                ),
                Why::Misfit => format!(
                    "does not depend on the truth as the others do: {:.1} standard deviations from the common pattern",
                    s.residual
                ),
                Why::Silent => format!(
                    "is not correlated with anybody: information {:.4} (standard error {:.4}) with {} trusted annotators",
                    s.information, s.information_se, s.near
                ),
            };
            out.push(Finding::new(
                why.code(),
                Severity::Warning,
                Subject::Annotator(data.table.annotators().name(*j).to_owned()),
                format!("{text}; {gone}"),
                "check a few of these labels by hand",
            ));
        }
        if same.len() > TOLD {
            out.push(Finding::new(
                same[0].0.code(),
                Severity::Warning,
                Subject::Data,
                format!("{} more annotators like these", group((same.len() - TOLD) as u64)),
                "the details of the fit have them all",
            ));
        }
    }
    out
}

/// Items that only flagged annotators labelled.
fn unlabelled(data: &Dataset, rest: &Dataset) -> Option<Finding> {
    let lost = (0..data.table.n_units()).filter(|&u| data.table.degree(u) > 0 && rest.table.degree(u) == 0).count();
    (lost > 0).then(|| {
        Finding::new(
            "only-flagged-labels",
            Severity::Warning,
            Subject::Data,
            format!("{} items were labelled by flagged annotators only: they have no label left", group(lost as u64)),
            "ask others about them, or set `flagged=keep`",
        )
    })
}
