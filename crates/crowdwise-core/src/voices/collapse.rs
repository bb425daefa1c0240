//! One label per item for annotators who are one voice, and back: what a fit says of the voice holds for each of them.

use super::Voice;
use crate::questions::last_labels;
use crate::{Annotators, Codes, Table, Values};
use std::sync::OnceLock;

/// The table in which every voice has one label per item: the most frequent one of its members, of equally frequent ones that of the
/// first member. It belongs to the first member; the others keep their number and have no labels.
pub(crate) fn one_label_each(table: &Table, voices: &[Voice]) -> Table {
    let members: Vec<&[u32]> = voices.iter().map(|v| v.members.as_slice()).collect();
    with_answers(table, &members, |_, _, said| Some(most_frequent(said)))
}

/// The table in which the first annotator of every group says what `answer` makes of the labels of all (group, unit, labels in the order
/// of the members), where any of them has said something, and the others of the group say nothing. For tables of classes.
#[must_use]
pub fn with_answers(
    table: &Table,
    groups: &[&[u32]],
    mut answer: impl FnMut(usize, usize, &[usize]) -> Option<usize>,
) -> Table {
    let Some(labels) = table.categorical() else { return table.clone() };
    // group and place in it
    let mut voice: Vec<Option<(usize, usize)>> = vec![None; table.n_annotators()];
    for (v, members) in groups.iter().enumerate() {
        members.iter().enumerate().for_each(|(place, &j)| voice[j as usize] = Some((v, place)));
    }
    let (mut offsets, mut annotator, mut codes) = (vec![0u32], Vec::new(), Vec::<usize>::new());
    let mut here: Vec<Vec<(usize, usize)>> = vec![Vec::new(); groups.len()];
    let mut said: Vec<usize> = Vec::new();
    let mut rows: Vec<(u32, usize)> = Vec::new();
    for u in 0..table.n_units() {
        rows.clear();
        here.iter_mut().for_each(Vec::clear);
        rows.extend(
            table
                .rows(u)
                .map(|r| (table.annotator()[r], labels.codes.get(r)))
                .filter(|x| voice[x.0 as usize].is_none()),
        );
        for r in last_labels(table, u) {
            if let Some((v, place)) = voice[table.annotator()[r] as usize] {
                here[v].push((place, labels.codes.get(r)));
            }
        }
        for (v, all) in here.iter_mut().enumerate().filter(|(_, all)| !all.is_empty()) {
            all.sort_unstable();
            said.clear();
            said.extend(all.iter().map(|x| x.1));
            if let Some(l) = answer(v, u, &said) {
                rows.push((groups[v][0], l));
            }
        }
        rows.sort_by_key(|r| r.0); // stable: repetitions keep their order
        annotator.extend(rows.iter().map(|r| r.0));
        codes.extend(rows.iter().map(|r| r.1));
        offsets.push(annotator.len() as u32);
    }
    let codes = match labels.codes {
        Codes::U8(_) => Codes::U8(codes.into_iter().map(|c| c as u8).collect()),
        Codes::U16(_) => Codes::U16(codes.into_iter().map(|c| c as u16).collect()),
    };
    Table {
        items: table.items.clone(),
        annotators: table.annotators.clone(),
        units: table.units.clone(),
        offsets,
        annotator,
        values: Values::Categorical { classes: labels.classes.clone(), ordered: labels.ordered, codes },
        by_annotator: OnceLock::new(),
    }
}

/// The most frequent of some codes; of equally frequent ones the first.
fn most_frequent(said: &[usize]) -> usize {
    let count = |c: usize| said.iter().filter(|&&x| x == c).count();
    said.iter().fold((said[0], 0), |best, &c| if count(c) > best.1 { (c, count(c)) } else { best }).0
}

/// Gives what was found of the first member of every voice to its other members.
pub(crate) fn expand(annotators: &mut Annotators, voices: &[Voice]) {
    let spread = |x: &mut [f64], width: usize| {
        for v in voices {
            let first = v.members[0] as usize * width;
            for &j in &v.members[1..] {
                x.copy_within(first..first + width, j as usize * width);
            }
        }
    };
    match annotators {
        Annotators::None => {}
        Annotators::Weight { weight } => spread(weight, 1),
        Annotators::Accuracy { accuracy, .. } => spread(accuracy, 1),
        Annotators::ClassAccuracy { k, accuracy } => spread(accuracy, *k),
        Annotators::Confusion { k, matrix } => spread(matrix, *k * *k),
        Annotators::Competence { k, competence, strategy } => {
            spread(competence, 1);
            spread(strategy, *k);
        }
        Annotators::Ability { ability, .. } => spread(ability, 1),
        Annotators::Gaussian { bias, sd } => {
            spread(bias, 1);
            spread(sd, 1);
        }
    }
}
