//! Which method for which data, where nobody asked for one. What each is for stands with the method: see
//! [`MethodInfo`](crate::MethodInfo).

use crate::methods::comparisons::Told;
use crate::{Dataset, Entry, Situation, Structure, group, methods};

/// The method that is taken for these data unless another one is asked for.
///
/// # Panics
/// If no method of the list is the default for such data, which a test rules out.
pub fn default_method(data: &Dataset) -> &'static Entry {
    taken_for(Situation::of(data))
}

fn taken_for(situation: Situation) -> &'static Entry {
    methods().find(|e| e.info.default_for.contains(&situation)).expect("every situation has its default")
}

/// All methods that can be fitted to these data: they take such labels, and what they need is there.
pub fn methods_for(data: &Dataset) -> Vec<&'static Entry> {
    methods().filter(|e| e.info.fits(data)).collect()
}

/// The methods that a comparison shows unless told otherwise: one of each idea.
pub fn compared(data: &Dataset) -> Vec<&'static Entry> {
    let situation = Situation::of(data);
    methods().filter(|e| e.info.fits(data) && e.info.compared.contains(&situation)).collect()
}

/// The method that ranks items by these comparisons or rankings, and why. Annotators are told apart where `auto` would try it;
/// that tries all models, which takes five times as long on millions of votes.
pub fn ranking_method(data: &Dataset) -> (&'static Entry, String) {
    if let Structure::Rankings(r) = &data.structure {
        let n = r.len();
        return (
            default_method(data),
            format!("{} has {} {}", data.source, group(n as u64), if n == 1 { "ranking" } else { "rankings" }),
        );
    }
    let (told, enough) = (Told::of(&data.table), Told::ENOUGH);
    let share = format!("{:.0} % of the comparisons come from annotators with {enough} or more", 100.0 * told.share);
    let (id, why) = match (told.worth_a_try(), told.annotators > 1) {
        (true, _) => ("crowd-bt", format!("{share}, so that their reliability can be estimated")),
        (false, true) => ("bradley-terry", format!("only {share}: too few to tell how reliable each is")),
        (false, false) => ("bradley-terry", format!("fewer than two annotators gave {enough} comparisons or more")),
    };
    (crate::find(id).expect("both are in the list"), why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_situation_has_one_default_that_is_compared_too() {
        for s in Situation::ALL {
            let defaults: Vec<&str> = methods().filter(|e| e.info.default_for.contains(s)).map(|e| e.info.id).collect();
            assert_eq!(defaults.len(), 1, "{s:?}: {defaults:?}");
            assert!(taken_for(*s).info.compared.contains(s), "{s:?}");
            assert!(methods().filter(|e| e.info.compared.contains(s)).all(|e| e.info.accepts.contains(&s.kind())));
        }
    }
}
