//! Reading what was written gives the same table back, in every format and for every kind of label.

use crowdwise_core::{Dataset, LabelKind, Preference, Structure, Table, TableBuilder, Values};
use crowdwise_io::{Format, ReadOptions, Source, TableFormat, read_answers, write_answers};
use proptest::prelude::*;
use std::fs::File;
use std::path::Path;

const FORMATS: [(TableFormat, Format); 5] = [
    (TableFormat::Csv, Format::Csv),
    (TableFormat::Tsv, Format::Tsv),
    (TableFormat::Jsonl, Format::Jsonl),
    (TableFormat::Json, Format::Json),
    (TableFormat::Parquet, Format::Parquet),
];

fn again(data: &Dataset, path: &Path, formats: (TableFormat, Format), threads: usize) -> Dataset {
    write_answers(Box::new(File::create(path).unwrap()), formats.0, data).unwrap();
    let options = ReadOptions { format: Some(formats.1), threads, ..Default::default() };
    read_answers(&Source::Path(path.into()), &options).unwrap().value
}

/// All rows by name, in the order of the table's units; annotators of a unit sorted, as their numbering may differ.
fn rows(t: &Table) -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    for u in 0..t.n_units() {
        let mut here = Vec::new();
        for r in t.rows(u) {
            let value = match t.values() {
                Values::Categorical { classes, codes, .. } => classes.name(codes.get(r)).to_owned(),
                Values::Real { values, .. } => format!("{:x}", values[r].to_bits()),
                Values::Preference { codes } => format!("{:?}", codes[r]),
                Values::Similarity { same } => same[r].to_string(),
            };
            here.push((t.unit_name(u), t.annotators().name(t.annotator()[r] as usize).to_owned(), value));
        }
        here.sort();
        out.extend(here);
    }
    out
}

fn check(data: &Dataset) {
    let dir = tempfile::tempdir().unwrap();
    for formats in FORMATS {
        let path = dir.path().join(formats.1.name());
        let back = again(data, &path, formats, 2);
        assert_eq!(back.table.kind(), data.table.kind(), "{formats:?}");
        assert_eq!(rows(&back.table), rows(&data.table), "{formats:?}");
        assert_eq!(back.structure, data.structure, "{formats:?}");
        // What has been read once is numbered as it is written, so now nothing at all may change.
        let third = again(&back, &path, formats, 1);
        assert_eq!(third.table.digest(), again(&third, &path, formats, 1).table.digest(), "{formats:?}");
    }
}

/// Names that try the writers: quotes, delimiters, line ends, other scripts, numbers; never blank.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{1,2}",
        "[0-9]{1,2}",
        "[a,;\"'\t\n\r é日#\\\\-]{0,4}x",
        "x[a,\"\t\n\r ]{0,3}",
        Just("tie".to_owned()),
        Just("left".to_owned()),
        Just("null".to_owned()),
        Just("\u{feff}a".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn classes(list in prop::collection::vec((name(), name(), name()), 1..40)) {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (i, a, l) in &list {
            b.label(i, a, l).unwrap();
        }
        check(&Dataset::new(b.finish().unwrap()));
    }

    #[test]
    fn real_values(list in prop::collection::vec((name(), name(), prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL), 1..40)) {
        let mut b = TableBuilder::new(LabelKind::Real);
        for (i, a, x) in &list {
            b.value(i, a, *x);
        }
        check(&Dataset::new(b.finish().unwrap()));
    }

    #[test]
    fn comparisons(list in prop::collection::vec((name(), name(), name(), 0..3), 1..40)) {
        let mut b = TableBuilder::new(LabelKind::Preference);
        for (l, r, a, w) in &list {
            if l != r {
                b.preference(l, r, a, [Preference::Left, Preference::Right, Preference::Tie][*w as usize]);
            }
        }
        prop_assume!(!b.is_empty());
        check(&Dataset::new(b.finish().unwrap()));
    }

    #[test]
    fn similarities(list in prop::collection::vec((name(), name(), name(), any::<bool>()), 1..40)) {
        let mut b = TableBuilder::new(LabelKind::Similarity);
        for (l, r, a, same) in &list {
            if l != r {
                b.similarity(l, r, a, *same);
            }
        }
        prop_assume!(!b.is_empty());
        check(&Dataset::new(b.finish().unwrap()));
    }

    #[test]
    fn sequences(list in prop::collection::vec((name(), prop::collection::vec(name(), 1..5), 0u32..3), 1..8)) {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let mut starts = vec![0u64];
        let mut names = crowdwise_core::Names::new();
        for (s, labels, first) in &list {
            let before = names.len();
            names.intern(s);
            if names.len() == before {
                continue;
            }
            for (p, l) in labels.iter().enumerate() {
                b.label(&format!("{s}:{}", p as u32 + first), "w", l).unwrap();
            }
            starts.push(starts.last().unwrap() + labels.len() as u64);
        }
        let mut data = Dataset::new(b.finish().unwrap());
        data.structure = Structure::Chains { starts, names };
        check(&data);
    }
}

/// More rows than one row group.
#[test]
fn large_parquet() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for r in 0..300_000u32 {
        b.label(&format!("i{}", r / 5), &format!("w{}", r % 77), &(r % 3).to_string()).unwrap();
    }
    let data = Dataset::new(b.finish().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let formats = (TableFormat::Parquet, Format::Parquet);
    let one = again(&data, &dir.path().join("a.parquet"), formats, 1);
    let three = again(&data, &dir.path().join("b.parquet"), formats, 3);
    assert_eq!(one.table.digest(), three.table.digest());
    assert_eq!(rows(&one.table), rows(&data.table));
}

/// A Parquet file with some bytes changed is an error or a table, never a crash.
#[test]
fn damaged_parquet() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for r in 0..2000u32 {
        b.label(&format!("i{}", r / 5), &format!("w{}", r % 77), &(r % 3).to_string()).unwrap();
    }
    let data = Dataset::new(b.finish().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.parquet");
    write_answers(Box::new(File::create(&path).unwrap()), TableFormat::Parquet, &data).unwrap();
    let good = std::fs::read(&path).unwrap();
    let mut x = 1u64;
    let mut failures = 0;
    for _ in 0..600 {
        let mut bad = good.clone();
        for _ in 0..3 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (x >> 33) as usize % bad.len();
            bad[at] ^= (x >> 25) as u8 | 1;
        }
        std::fs::write(&path, &bad).unwrap();
        failures += usize::from(read_answers(&Source::Path(path.clone()), &ReadOptions::default()).is_err());
    }
    assert!(failures > 100, "{failures}");
}
