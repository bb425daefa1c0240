//! Every set of the shared data reads, with the counts that its META.md tells.

use crowdwise_core::{GoldValues, LabelKind, Structure};
use crowdwise_io::{ReadOptions, Source, read_answers, read_features, read_items, read_truth};
use std::path::PathBuf;

fn data() -> Option<PathBuf> {
    let dir = std::env::var_os("CROWDWISE_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("SKIPPED: no data at {}; set CROWDWISE_DATA to the directory of the shared sets", dir.display());
    None
}

/// Name, kind, items, annotators, classes, labels, and truths where there is a truth file.
type Counts = (&'static str, LabelKind, usize, usize, usize, usize, Option<usize>);
use LabelKind::{Categorical as C, Preference as P, Real as R};

const SETS: &[Counts] = &[
    ("adult2", C, 11040, 825, 4, 92721, Some(333)),
    ("adult3", C, 496, 338, 5, 44373, None),
    ("anesthesia", C, 45, 5, 4, 315, None),
    ("bluebird", C, 108, 39, 2, 4212, Some(108)),
    ("cifar10n", C, 50000, 3, 10, 150000, Some(50000)),
    ("dog", C, 807, 109, 4, 8070, Some(807)),
    ("face", C, 584, 27, 4, 5242, Some(584)),
    ("fact_eval", C, 42624, 57, 3, 216725, Some(576)),
    ("fej2013", C, 576, 48, 3, 2902, Some(576)),
    ("hitspam_cf", C, 5380, 153, 2, 42762, Some(100)),
    ("labelme", C, 1000, 59, 8, 2547, Some(1000)),
    ("llmbar", C, 419, 130, 2, 54336, Some(419)),
    ("md_agreement", C, 10753, 819, 2, 53765, None),
    ("medre_cause", C, 3231, 468, 2, 50962, Some(975)),
    ("music", C, 700, 44, 10, 2945, Some(700)),
    ("prelec_art", C, 90, 20, 2, 1800, Some(90)),
    ("prelec_states", C, 150, 116, 2, 5793, Some(150)),
    ("relevance_s", C, 20232, 766, 4, 98453, Some(4460)),
    ("reuters", C, 1786, 38, 8, 5410, Some(1786)),
    ("rte", C, 800, 164, 2, 8000, Some(800)),
    ("sp_amt", C, 500, 143, 2, 10000, Some(500)),
    ("temp", C, 462, 76, 2, 4620, Some(462)),
    ("trec", C, 19033, 762, 2, 88385, Some(2275)),
    ("valence5", C, 100, 38, 5, 1000, Some(100)),
    ("weather_amt", C, 300, 110, 5, 6030, Some(300)),
    ("ws_hausa", C, 2917, 5, 5, 3381, Some(2917)),
    ("ws_youtube", C, 1956, 10, 2, 3260, Some(1956)),
    ("zencrowd_us", C, 2040, 74, 2, 12190, Some(2040)),
    ("age_pairs", P, 30, 94, 0, 14011, None),
    ("photo_pairs", P, 300, 5, 0, 74236, None),
    ("ukp_convarg", P, 1052, 3815, 0, 84445, Some(1017)),
    ("dots_guess", R, 35, 218, 0, 2568, Some(35)),
    ("emotion", R, 600, 38, 0, 6000, Some(600)),
    ("valence", R, 100, 38, 0, 1000, Some(100)),
];

#[test]
fn counts_are_those_of_the_descriptions() {
    let Some(dir) = data() else { return };
    for &(name, kind, items, annotators, classes, labels, truths) in SETS {
        let options = ReadOptions { threads: 2, ..Default::default() };
        let read = read_answers(&Source::Path(dir.join(name).join("answers.csv")), &options).unwrap();
        let t = &read.value.table;
        assert_eq!((name, t.kind()), (name, kind));
        // The descriptions also count items that only the truth file knows.
        let mut known = t.n_items();
        let mut seen = None;
        if truths.is_some() {
            let gold = read_truth(&Source::Path(dir.join(name).join("truth.csv")), t, &options).unwrap().value;
            known += gold.unlabelled.len();
            seen = Some(gold.values.len() + gold.unlabelled.len());
        }
        assert_eq!((name, known, t.n_annotators(), t.n_labels(), seen), (name, items, annotators, labels, truths));
        if kind == C {
            assert_eq!((name, t.n_classes()), (name, classes));
        }
    }
}

#[test]
fn sequences_read_from_gzip_as_chains() {
    let Some(dir) = data() else { return };
    let dir = dir.join("ner_mturk");
    let read = read_answers(&Source::Path(dir.join("answers.csv.gz")), &ReadOptions::default()).unwrap();
    let t = &read.value.table;
    assert_eq!((t.n_annotators(), t.n_classes(), t.n_labels()), (47, 9, 403067));
    let Structure::Chains { starts, names } = &read.value.structure else { panic!("no chains") };
    assert_eq!((names.len(), *starts.last().unwrap() as usize), (6056, t.n_items()));
    // 81,610 tokens have labels, and 11 between these have none.
    assert_eq!(t.n_items(), 81621);
    assert_eq!((0..t.n_units()).filter(|&u| t.degree(u) == 0).count(), 11);
    assert!(read.notes.iter().any(|n| n.contains("11 tokens inside sequences in no row: `s1070` at 5")));
    assert_eq!(t.items().name(1), "s0:1");
    let gold = read_truth(&Source::Path(dir.join("truth.csv.gz")), t, &ReadOptions::default()).unwrap().value;
    assert_eq!(gold.values.len() + gold.unlabelled.len(), 82958);
}

#[test]
fn pairs_have_truth_of_pairs_and_of_items() {
    let Some(dir) = data() else { return };
    let dir = dir.join("ukp_convarg");
    let read = read_answers(&Source::Path(dir.join("answers.csv")), &ReadOptions::default()).unwrap();
    let gold =
        read_truth(&Source::Path(dir.join("truth_pairs.csv")), &read.value.table, &ReadOptions::default()).unwrap();
    let GoldValues::Preferences(pairs) = &gold.value.values else { panic!("not of pairs") };
    assert!(pairs.len() >= 16081, "{}", pairs.len());
    assert!(gold.value.unlabelled.is_empty());
}

#[test]
fn free_text_is_read_as_classes() {
    let Some(dir) = data() else { return };
    // a column of texts may as well be the item's own: it is a label only when asked for
    let by_text = ReadOptions { label: Some("text".into()), ..ReadOptions::default() };
    for (name, labels) in [("crowdwsa_j1", 2490), ("crowdwsa_t1", 1000)] {
        let read = read_answers(&Source::Path(dir.join(name).join("answers.csv")), &by_text).unwrap();
        assert_eq!(read.value.table.n_labels(), labels);
    }
}

#[test]
fn features_follow_the_items_of_the_table() {
    let Some(dir) = data() else { return };
    for (name, dim) in [("labelme", 512), ("music", 124), ("rte", 100), ("ws_youtube", 100)] {
        let dir = dir.join(name);
        let read = read_answers(&Source::Path(dir.join("answers.csv")), &ReadOptions::default()).unwrap();
        let mut table = read.value.table;
        let items = read_items(&Source::Path(dir.join("items.csv"))).unwrap().value;
        table.add_items(items.iter().map(String::as_str));
        let features = read_features(&dir.join("features.npy"), Some(&items), &table).unwrap().value;
        assert_eq!((features.rows(), features.dim), (table.n_items(), dim));
        // Row r of the file is item i<r>.
        let plain = read_features(&dir.join("features.npy"), None, &table).unwrap().value;
        for i in [0, 7, table.n_items() - 1] {
            let r: usize = table.items().name(i)[1..].parse().unwrap();
            assert_eq!(features.row(i), plain.row(r));
        }
    }
}
