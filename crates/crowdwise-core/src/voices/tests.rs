use super::*;
use crate::{Annotators, LabelKind, TableBuilder, stream};
use rand::RngExt;

/// A crowd with an answer for every item and annotator; `said` sees item, annotator and truth.
fn crowd(
    items: usize,
    annotators: usize,
    k: usize,
    seed: u64,
    mut said: impl FnMut(&mut rand_chacha::ChaCha8Rng, usize, &mut [Option<usize>], usize),
) -> Dataset {
    let mut rng = stream(seed, "voices", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..k).for_each(|c| _ = b.classes.intern(&c.to_string()));
    (0..annotators).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    let mut row = vec![None; annotators];
    for i in 0..items {
        let truth = rng.random_range(0..k);
        row.fill(None);
        said(&mut rng, truth, &mut row, i);
        for (j, l) in row.iter().enumerate() {
            if let Some(l) = l {
                b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
            }
        }
    }
    Dataset::new(b.finish().unwrap())
}

fn noisy(rng: &mut rand_chacha::ChaCha8Rng, truth: usize, right: f64, k: usize) -> usize {
    if rng.random_bool(right) { truth } else { (truth + rng.random_range(1..k)) % k }
}

/// Ten annotators with accuracies from `low` to `high`; the last two copy the first with probability `copy`, each by itself.
fn copying(seed: u64, items: usize, k: usize, (low, high): (f64, f64), copy: f64) -> Dataset {
    crowd(items, 10, k, seed, |rng, truth, row, _| {
        for (j, x) in row.iter_mut().enumerate() {
            *x = Some(noisy(rng, truth, low + (high - low) * j as f64 / 9.0, k));
        }
        for j in [8, 9] {
            if rng.random_bool(copy) {
                row[j] = row[0];
            }
        }
    })
}

#[test]
fn copies_of_ten_are_one_voice_also_when_they_copy_four_labels_of_five() {
    for (seed, copy) in [1.0, 0.95, 0.9, 0.8].into_iter().enumerate() {
        for (k, skill) in [(4, (0.4, 0.6)), (2, (0.65, 0.8)), (3, (0.8, 0.9))] {
            let found = find(&copying(seed as u64, 1000, k, skill, copy));
            assert_eq!(found.len(), 1, "{copy} {k} {found:?}");
            assert_eq!(found[0].members, [0, 8, 9], "{copy} {k}");
            assert!(found[0].kappa > found[0].expected + 0.15 && found[0].p < 1e-4, "{found:?}");
        }
    }
}

#[test]
fn a_crowd_without_copies_keeps_its_voices() {
    // 100 crowds
    let mut alarms = Vec::new();
    for seed in 0..20u64 {
        let k = 2 + seed as usize % 3;
        let mut note =
            |what: &str, d: Dataset| alarms.extend(find(&d).into_iter().map(|v| format!("{what} {seed}: {v:?}")));
        // very good annotators agree almost perfectly, since the items are easy
        note("easy", copying(seed, 200, k, (0.94, 0.99), 0.0));
        note("weak", copying(seed, 300, k, (0.4, 0.7), 0.0));
        // experts among those who guess: nobody else could tell
        let experts = |j: usize| j < 2 + seed as usize % 4;
        note(
            "experts",
            crowd(400, 10, k, seed, |rng, truth, row, _| {
                row.iter_mut().enumerate().for_each(|(j, x)| {
                    *x = Some(noisy(rng, truth, if experts(j) { 0.97 } else { 1.0 / k as f64 }, k));
                });
            }),
        );
        // every fifth item misleads everybody to the same class
        note(
            "hard",
            crowd(400, 12, k, seed, |rng, truth, row, i| {
                let hard = i % 5 == 0;
                for x in row.iter_mut() {
                    let to = if hard && rng.random_bool(0.7) { (truth + 1) % k } else { truth };
                    *x = rng.random_bool(0.6).then(|| noisy(rng, to, 0.8, k));
                }
            }),
        );
        // two of one habit
        note(
            "habit",
            crowd(300, 8, k, seed, |rng, truth, row, _| {
                row.iter_mut().enumerate().for_each(|(j, x)| {
                    *x = Some(if j < 2 && rng.random_bool(0.9) { 0 } else { noisy(rng, truth, 0.75, k) });
                });
            }),
        );
    }
    assert!(alarms.is_empty(), "{alarms:#?}");
}

#[test]
fn those_who_are_not_misled_are_no_copies() {
    // on two items of five most are misled; six see through it, two of them with habits in common, so that the others explain little
    // of their agreement: but the other four agree with them nearly as much
    for seed in 0..10 {
        let d = crowd(400, 20, 2, seed, |rng, truth, row, i| {
            let hard = i % 5 < 2;
            let shared = noisy(rng, truth, 0.96, 2);
            for (j, x) in row.iter_mut().enumerate() {
                *x = Some(match j {
                    0..2 => noisy(rng, shared, 0.95, 2),
                    2..6 => noisy(rng, truth, 0.95, 2),
                    _ => noisy(rng, if hard { 1 - truth } else { truth }, 0.75, 2),
                });
            }
        });
        let found = find(&d);
        assert!(found.is_empty(), "{seed}: {found:?}");
    }
}

#[test]
fn where_nobody_can_tell_nobody_is_accused() {
    // two groups of copies and two others: each group may be the honest one
    let d = crowd(500, 8, 3, 1, |rng, truth, row, _| {
        let (a, b) = (noisy(rng, truth, 0.7, 3), noisy(rng, truth, 0.7, 3));
        row.iter_mut().enumerate().for_each(|(j, x)| {
            *x = Some(match j {
                0..3 => a,
                3..6 => b,
                _ => rng.random_range(0..3),
            });
        });
    });
    assert!(find(&d).is_empty());
    // a pair and two others are too few
    let d = crowd(500, 4, 3, 1, |rng, truth, row, _| {
        row.iter_mut().for_each(|x| *x = Some(noisy(rng, truth, 0.7, 3)));
        row[1] = row[0];
    });
    assert!(find(&d).is_empty());
}

#[test]
fn two_groups_of_copies_are_two_voices_and_half_of_the_labels_is_enough() {
    let d = crowd(2000, 12, 3, 4, |rng, truth, row, _| {
        row.iter_mut().for_each(|x| *x = Some(noisy(rng, truth, 0.65, 3)));
        (row[1], row[2], row[4]) = (row[0], row[0], row[3]);
        row.iter_mut().for_each(|x| *x = x.filter(|_| rng.random_bool(0.5)));
    });
    let found: Vec<Vec<u32>> = find(&d).into_iter().map(|v| v.members).collect();
    assert_eq!(found, [vec![0, 1, 2], vec![3, 4]]);
}

#[test]
fn a_voice_has_one_label_and_its_members_the_same_parameters() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, j, l) in [
        ("x", "a", "1"),
        ("x", "b", "2"),
        ("x", "c", "2"),
        ("x", "d", "3"),
        ("x", "d", "1"),
        ("y", "b", "3"),
        ("y", "c", "1"),
        ("y", "d", "2"),
        ("z", "d", "2"),
    ] {
        b.label(i, j, l).unwrap();
    }
    let table = b.finish().unwrap();
    let voice =
        Voice { members: vec![0, 1, 2], kappa: 1.0, expected: 0.0, common: 2, differ: 0.0, would_differ: 1.0, p: 0.0 };
    let one = one_label_each(&table, std::slice::from_ref(&voice));
    let codes = one.categorical().unwrap().codes;
    let rows: Vec<Vec<(u32, usize)>> =
        (0..3).map(|u| one.rows(u).map(|r| (one.annotator()[r], codes.get(r))).collect()).collect();
    // the most said; of one each that of the first; both labels of somebody else
    assert_eq!(rows, [vec![(0, 1), (3, 2), (3, 0)], vec![(0, 2), (3, 1)], vec![(3, 1)]]);
    assert_eq!((one.n_annotators(), one.n_items()), (4, 3));
    let mut a = Annotators::Competence {
        k: 2,
        competence: vec![0.1, 0.2, 0.3, 0.4],
        strategy: vec![0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6],
    };
    expand(&mut a, &[voice]);
    let Annotators::Competence { competence, strategy, .. } = a else { unreachable!() };
    assert_eq!(competence, [0.1, 0.1, 0.1, 0.4]);
    assert_eq!(strategy, [0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.4, 0.6]);
}

/// Groups whose members follow the view of the group, which is right with `right`; others follow the truth.
fn in_groups(seed: u64, items: usize, k: usize, sizes: &[usize], right: f64, alone: usize, share: f64) -> Dataset {
    let m = sizes.iter().sum::<usize>() + alone;
    crowd(items, m, k, seed, |rng, truth, row, _| {
        let mut j = 0;
        for &size in sizes {
            let view = noisy(rng, truth, right, k);
            for _ in 0..size {
                row[j] = Some(noisy(rng, view, 0.8, k));
                j += 1;
            }
        }
        (j..m).for_each(|j| row[j] = Some(noisy(rng, truth, 0.75, k)));
        row.iter_mut().for_each(|x| *x = x.filter(|_| rng.random_bool(share)));
    })
}

#[test]
fn families_are_schools_and_no_voices() {
    for (seed, share) in [(1, 1.0), (2, 1.0), (3, 0.6)] {
        let d = in_groups(seed, 1000, 3, &[5, 4, 4], 0.75, 0, share);
        assert!(find(&d).is_empty());
        let found = schools(&d).expect("three schools");
        let members: Vec<&[u32]> = found.list.iter().map(|s| s.members.as_slice()).collect();
        assert_eq!(members, [&[0, 1, 2, 3, 4][..], &[5, 6, 7, 8], &[9, 10, 11, 12]]);
        assert_eq!(found.count_once().map(|x| x.len()), Some(3));
    }
    // three of one view among ten who have none: those three are one voice
    let d = in_groups(5, 1000, 3, &[3], 0.7, 10, 1.0);
    let found = schools(&d).expect("a school");
    let once = found.count_once().expect("a minority");
    assert_eq!(once, [&[0, 1, 2][..]], "{found:?}");
}

#[test]
fn independent_annotators_have_no_schools() {
    // 150 crowds
    let mut alarms = Vec::new();
    for seed in 0..25u64 {
        let k = 2 + seed as usize % 3;
        let mut note = |what: &str, d: Dataset| {
            if let Some(s) = schools(&d) {
                alarms.push(format!("{what} {seed}: {s:?}"));
            }
        };
        note("many", in_groups(seed, 100, k, &[], 0.0, 50, 1.0));
        note("half", in_groups(seed, 300, k, &[], 0.0, 20, 0.5));
        note("sparse", in_groups(seed, 1000, k, &[], 0.0, 40, 0.08));
        note("weak", copying(seed, 300, k, (0.4, 0.7), 0.0));
        note("easy", copying(seed, 200, k, (0.94, 0.99), 0.0));
        // items differ in difficulty for all
        note(
            "hard",
            crowd(400, 12, k, seed, |rng, truth, row, i| {
                let right = [0.95, 0.9, 0.7, 0.5][i % 4];
                row.iter_mut().for_each(|x| *x = Some(noisy(rng, truth, right, k)));
            }),
        );
    }
    assert!(alarms.is_empty(), "{alarms:#?}");
}

#[test]
fn pairs_of_a_renumbered_table_need_no_second_count() {
    // the last annotators first, and items that nobody asked in order
    let data = copying(5, 300, 3, (0.5, 0.9), 0.0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let c = data.table.categorical().unwrap();
    for u in (0..data.table.n_units()).rev() {
        for r in data.table.rows(u).rev().filter(|r| r % 7 != 0) {
            let who = data.table.annotators().name(data.table.annotator()[r] as usize);
            b.label(data.table.items().name(u), who, c.classes.name(c.codes.get(r))).unwrap();
        }
    }
    let data = Dataset::new(b.finish().unwrap());
    let numbering = crate::numbering::Numbering::of(&data).expect("the rows were turned round");
    let counted = Evidence::of(&data.table).unwrap();
    let again = Evidence::of(&numbering.apply(&data).table).unwrap();
    assert_ne!(counted, again);
    assert_eq!(counted.renumbered(numbering.annotators()), Some(again));
}

#[test]
fn a_count_of_repeated_labels_is_not_carried_to_another_order() {
    let mut rng = stream(1, "repeats", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..60 {
        for j in 0..6 {
            b.label(&format!("i{i}"), &format!("a{j}"), &rng.random_range(0..2u32).to_string()).unwrap();
        }
    }
    b.label("i0", "a0", "0").unwrap();
    b.label("i0", "a0", "1").unwrap();
    let counted = Evidence::of(&b.finish().unwrap()).unwrap();
    assert_eq!(counted.renumbered(&[5, 4, 3, 2, 1, 0]), None);
}

#[test]
fn pairs_are_counted_once_for_the_table_of_a_fit_and_anew_for_others() {
    let [one, two] = [1, 2].map(|seed| copying(seed, 100, 2, (0.6, 0.9), 0.0));
    let mut cx = crate::Context::new(0, 1);
    cx.counted = Counted::ready(&one.table, None);
    let first = Counted::of(&one, &mut cx).unwrap();
    assert!(std::rc::Rc::ptr_eq(&first, &Counted::of(&one, &mut cx).unwrap()));
    assert_eq!(*Counted::of(&two, &mut cx).unwrap(), Evidence::of(&two.table).unwrap());
    assert_eq!(schools_in(&one, &mut cx), schools(&one));
}
