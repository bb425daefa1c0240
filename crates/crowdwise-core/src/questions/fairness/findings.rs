//! Annotators who treat groups of items differently.

use super::fairness;
use crate::{Dataset, Finding, Fit, Severity, Statistic, Subject};

/// At most so many are named; one more finding says how many others there are.
const MOST: usize = 20;

/// A finding for each unfair annotator, where the data have an attribute.
pub fn of_fit(data: &Dataset, fit: &Fit) -> Vec<Finding> {
    let Some(found) = fairness(data, fit, None, None) else { return Vec::new() };
    let labels = data.table.categorical().expect("a fit of classes");
    let n = data.table.labels_per_annotator();
    let mut all: Vec<_> = found.annotators.iter().filter(|a| a.unfair).filter_map(|a| Some((a, a.worst()?))).collect();
    all.sort_by(|a, b| b.1.1.value.total_cmp(&a.1.1.value).then(a.0.annotator.cmp(&b.0.annotator)));
    let mut out: Vec<Finding> = Vec::new();
    for (a, (class, gap)) in all.iter().take(MOST) {
        let c = a.classes.iter().find(|c| c.class == *class).expect("one of its classes");
        let missed = c.fnr.is_some_and(|g| g == *gap);
        let rate = |g: usize| if missed { c.groups[g].fnr } else { c.groups[g].fpr };
        let share = |g: usize| rate(g).map_or(0.0, |r| 100.0 * r.value);
        let [high, low] = gap.groups;
        let (name, class) = (data.table.annotators().name(a.annotator), labels.classes.name(*class));
        let what = if missed { "misses" } else { "wrongly says" };
        let message = format!(
            "{what} `{class}` in {:.0} % of the cases of group `{}`, but in {:.0} % of those of `{}`",
            share(high),
            found.groups[high].0,
            share(low),
            found.groups[low].0
        );
        let statistic = Statistic {
            name: if missed { "fnr-gap" } else { "fpr-gap" }.into(),
            value: gap.value,
            interval: gap.interval,
            se: None,
            n: n[a.annotator],
        };
        let advice = "`fair-confusion` lets every annotator have a confusion matrix per group; look at these labels before pay or \
                      exclusion";
        let subject = Subject::Annotator(name.into());
        out.push(Finding::new("unfair-annotator", Severity::Warning, subject, message, advice).with(statistic));
    }
    if all.len() > MOST {
        let more = format!("{} more annotators treat groups of items differently", all.len() - MOST);
        let advice = "`crowdwise annotators --attribute` shows all";
        out.push(Finding::new("unfair-annotator", Severity::Warning, Subject::Data, more, advice));
    }
    out
}
