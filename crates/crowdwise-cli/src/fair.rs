//! Groups of items that should be treated alike: what several commands say of them.

use crate::talk::Talk;
use crowdwise::questions::{AnnotatorFairness, ClassFairness, FairBasis, Fairness, GroupRate, fairness};
use crowdwise::{Dataset, Error, Fit, Gold};

/// The answer, where the data have groups; `positive` is a class by name.
pub fn of(data: &Dataset, fit: &Fit, truth: Option<&Gold>, positive: Option<&str>) -> Result<Option<Fairness>, Error> {
    let class = match positive {
        None => None,
        Some(name) => {
            let classes = data.table.categorical().map(|c| c.classes.iter().map(str::to_owned).collect::<Vec<_>>());
            let classes = classes.unwrap_or_default();
            Some(classes.iter().position(|c| c == name).ok_or_else(|| Error::Usage {
                what: format!("--positive is `{name}`, but the classes are {}", classes.join(", ")),
                hint: None,
            })?)
        }
    };
    if positive.is_some() && data.attribute.is_none() {
        return Err(Error::Usage {
            what: "--positive is for the comparison of groups of items".into(),
            hint: Some("give the groups with `--attribute FILE`".into()),
        });
    }
    Ok(fairness(data, fit, truth, class))
}

/// Says how the labels of the fit treat the groups.
pub fn say(data: &Dataset, f: &Fairness, talk: Talk) {
    let classes = data.table.categorical().expect("fairness of classes").classes;
    let against = match f.basis {
        FairBasis::Truth => "against the known truth",
        FairBasis::Posterior => "by the fit's own posterior, which does not see errors that most make alike",
    };
    for c in &f.labels {
        let mut parts = Vec::new();
        for (name, gap, rate) in [
            ("FPR", c.fpr, (|g| g.fpr) as fn(&crowdwise::questions::GroupRates) -> Option<GroupRate>),
            ("FNR", c.fnr, |g| g.fnr),
            ("share", c.parity, |g| g.said),
        ] {
            let Some(gap) = gap else { continue };
            let of = |g: usize| rate(&c.groups[g]).map_or(f64::NAN, |r| r.value);
            let [high, low] = gap.groups;
            parts.push(format!(
                "{name} {:.3} ({}) to {:.3} ({}), gap {:.3} [{:.3}, {:.3}]",
                of(high),
                f.groups[high].0,
                of(low),
                f.groups[low].0,
                gap.value,
                gap.interval[0],
                gap.interval[1]
            ));
        }
        let text = if parts.is_empty() { "too few cases to compare groups".into() } else { parts.join("; ") };
        talk.note(format_args!("labels `{}` by group, {against}: {text}", classes.name(c.class)));
    }
}

/// The largest gap of an annotator: value, interval, and where it is.
pub fn worst(data: &Dataset, f: &Fairness, a: &AnnotatorFairness) -> Option<(f64, [f64; 2], String)> {
    let (class, gap) = a.worst()?;
    let c: &ClassFairness = a.classes.iter().find(|c| c.class == class)?;
    let kind = if c.fnr == Some(gap) { "FNR" } else { "FPR" };
    let name = data.table.categorical()?.classes.name(class);
    let [high, low] = gap.groups.map(|g| f.groups[g].0.as_str());
    Some((gap.value, gap.interval, format!("{kind} of {name}: {high} over {low}")))
}
