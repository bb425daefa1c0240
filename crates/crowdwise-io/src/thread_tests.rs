//! The same table from any number of threads and any size of block.

use crate::read::read_answers_in;
use crate::{Format, ReadOptions, Source};
use crowdwise_core::{Dataset, Error, Names, Structure};
use proptest::prelude::*;

fn names(n: &Names) -> Vec<String> {
    n.iter().map(str::to_owned).collect()
}

fn same(a: &Dataset, b: &Dataset) {
    assert_eq!(names(a.table.items()), names(b.table.items()));
    assert_eq!(names(a.table.annotators()), names(b.table.annotators()));
    assert_eq!(a.table.values(), b.table.values());
    assert_eq!((a.table.digest(), &a.structure), (b.table.digest(), &b.structure));
}

fn read(text: &[u8], format: Format, threads: usize, block: usize) -> Result<(Dataset, Vec<String>), Error> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("votes");
    std::fs::write(&path, text).unwrap();
    let options = ReadOptions { format: Some(format), threads, ..Default::default() };
    let clean = |e: Error| match e {
        Error::BadRows { bad, total, examples, .. } => Error::BadRows { file: String::new(), bad, total, examples },
        other => other,
    };
    read_answers_in(&Source::Path(path), &options, block).map(|r| (r.value, r.notes)).map_err(clean)
}

fn check(text: &str, format: Format) {
    let whole = read(text.as_bytes(), format, 1, 1 << 20);
    for (threads, block) in [(1, 64), (2, 50), (2, 1000), (3, 200), (4, 1 << 20)] {
        match (&whole, read(text.as_bytes(), format, threads, block)) {
            (Ok((a, notes)), Ok((b, again))) => {
                same(a, &b);
                assert_eq!(*notes, again, "{threads} threads, blocks of {block}");
            }
            (Err(a), Err(b)) => assert_eq!(a.clone(), b, "{threads} threads, blocks of {block}"),
            (a, b) => panic!("{threads} threads, blocks of {block}: {:?} but {:?}", a.is_ok(), b.is_ok()),
        }
    }
}

#[test]
fn labels_in_any_order() {
    let mut text = String::from("item,worker,label\n");
    for i in 0..700u32 {
        let x = i.wrapping_mul(2654435761);
        text.push_str(&format!("item {},w{},{}\n", x % 91, x % 13, ["no", "yes", ""][(x % 3) as usize]));
    }
    check(&text, Format::Csv);
    check(&text.replace('\n', "\r\n"), Format::Csv);
    check(&text.replace(',', "\t"), Format::Tsv);
}

/// Items that nobody labelled come in the order of the file, whatever stands around them.
#[test]
fn items_without_labels_in_any_order() {
    let (mut labels, mut tokens) =
        (String::from("item,worker,label\n"), String::from("sequence,position,worker,label\n"));
    for i in 0..900u32 {
        let x = i.wrapping_mul(2654435761) >> 7;
        let label = if x % 97 % 5 == 0 || i > 850 { "" } else { ["no", "yes"][(x % 2) as usize] };
        let who = if i % 11 == 3 && label.is_empty() { String::new() } else { format!("w{}", x % 13) };
        labels.push_str(&format!("item {},{who},{label}\n", x % 97 + i / 450));
        let label = if i / 20 % 7 == 3 || i % 20 == 19 { "" } else { label };
        tokens.push_str(&format!("s{},{},w{},{label}\n", i / 20, i % 20, i % 3));
    }
    check(&labels, Format::Csv);
    check(&labels.replace(',', "\t"), Format::Tsv);
    check(&tokens, Format::Csv);
    let (data, notes) = read(labels.as_bytes(), Format::Csv, 2, 100).unwrap();
    assert_eq!(data.table.n_items(), 98);
    assert!(notes.iter().any(|n| n.contains("without any label kept: `item")), "{notes:?}");
    let (data, _) = read(tokens.as_bytes(), Format::Csv, 2, 100).unwrap();
    assert_eq!(data.table.n_items(), 900);
}

#[test]
fn quotes_and_line_ends_in_fields() {
    let mut text = String::from("\"item\",\"worker\",\"label\"\n");
    for i in 0..300 {
        text.push_str(&format!("\"a \"\"b\"\"\n{}\",\"w,{}\",\"x\r\ny\"\n", i % 17, i % 5));
        if i % 40 == 7 {
            text.push_str("5\" wide,w,z\n");
        }
    }
    check(&text, Format::Csv);
}

#[test]
fn bad_rows_have_the_same_lines() {
    let mut text = String::from("item,worker,label\n");
    for i in 0..400 {
        text.push_str(if i % 53 == 50 { "\"two\nlines\",w\n" } else { "a,w,x\n" });
    }
    check(&text, Format::Csv);
    let Err(Error::BadRows { examples, .. }) = read(text.as_bytes(), Format::Csv, 3, 100) else { panic!("it read") };
    assert_eq!((examples[0].line, examples[1].line), (52, 106));
}

#[test]
fn comparisons_sequences_values_and_json() {
    let (mut pairs, mut tokens, mut values, mut json) = (
        String::from("left,right,worker,winner\n"),
        String::from("sequence,position,worker,label\n"),
        String::from("item,worker,value\n"),
        String::new(),
    );
    for i in 0..500u32 {
        let (a, b) = (i % 11, 11 + i % 7);
        let won = ["left", "tie", "right"][(i % 3) as usize];
        pairs.push_str(&format!("p{a},p{b},w{},{won}\n", i % 5));
        tokens.push_str(&format!("s{},{},w{},T{}\n", i / 20, i % 10, i / 10 % 2, i % 4));
        values.push_str(&format!("i{},w{},{}\n", i / 4, i % 4, i as f64 / 8.0));
        json.push_str(&format!("{{\"task\":{},\"label\":\"l{}\",\"user\":\"u{}\"}}\n", i / 3, i % 2, i % 3));
    }
    check(&pairs, Format::Csv);
    check(&tokens, Format::Csv);
    check(&values, Format::Csv);
    check(&json, Format::Jsonl);
    let (data, _) = read(tokens.as_bytes(), Format::Csv, 2, 64).unwrap();
    let Structure::Chains { starts, names } = &data.structure else { panic!("no chains") };
    assert_eq!((names.len(), starts[1], data.table.items().name(11)), (25, 10, "s1:1"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Text without quotes takes another path than text with quotes: both must agree with the csv crate.
    #[test]
    fn both_paths_read_what_the_csv_crate_reads(rows in prop::collection::vec(("[ab ]{0,3}", "(c[d\"]{0,2})?", "[xy\r]{0,2}"), 1..20), crlf: bool, quote: bool) {
        let end = if crlf { "\r\n" } else { "\n" };
        let mut text = format!("item,worker,label{end}");
        for (a, b, c) in &rows {
            let a = if quote { format!("\"{a}\"") } else { a.clone() };
            text.push_str(&format!("{a},{b},{c}{end}"));
        }
        let (mut want, mut items) = (Vec::new(), Vec::new());
        let mut bad = 0;
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        for record in reader.records() {
            let record = record.unwrap();
            let silent = record.len() == 3 && record[2].trim().is_empty();
            if record.len() != 3 || record[0].trim().is_empty() || (record[1].trim().is_empty() && !silent) {
                bad += 1;
                continue;
            }
            if !items.contains(&record[0].to_owned()) {
                items.push(record[0].to_owned());
            }
            if !silent {
                want.push((record[0].to_owned(), record[1].to_owned(), record[2].to_owned()));
            }
        }
        match read(text.as_bytes(), Format::Csv, 1, 1 << 20) {
            Ok((data, _)) => {
                prop_assert_eq!(bad, 0);
                let t = &data.table;
                let c = t.categorical().unwrap();
                let seen: Vec<&str> = t.items().iter().collect();
                prop_assert_eq!(&seen, &items.iter().map(String::as_str).collect::<Vec<_>>());
                let mut have = Vec::new();
                for u in 0..t.n_units() {
                    for r in t.rows(u) {
                        let who = t.annotators().name(t.annotator()[r] as usize).to_owned();
                        have.push((t.items().name(u).to_owned(), who, c.classes.name(c.codes.get(r)).to_owned()));
                    }
                }
                have.sort();
                want.sort();
                prop_assert_eq!(have, want);
            }
            Err(Error::BadRows { bad: counted, .. }) => prop_assert_eq!(counted, bad),
            Err(_) => prop_assert!(want.is_empty()),
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), block in 1usize..60) {
        for format in Format::ALL {
            let _ = read(&bytes, format, 2, block);
        }
    }

    #[test]
    fn no_nearly_right_text_makes_a_reader_panic(text in "[\\[\\]{}\":,a0\n\r .e-]{0,120}", block in 1usize..60) {
        for head in ["item,worker,label\n", "{\"item\":1,\"worker\":2,\"label\":3}\n", "[{\"id\":1,\"annotations\":[{\"completed_by\":1,\"result\":[]}]},", "{\"_input_hash\":1,\"answer\":\"accept\",\"accept\":[\"a\"]}\n", ""] {
            for format in [Format::Csv, Format::Jsonl, Format::Json] {
                let _ = read(format!("{head}{text}").as_bytes(), format, 2, block);
            }
        }
    }
}
