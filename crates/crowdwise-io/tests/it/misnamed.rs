//! Files that are not what their name or their first line says.

use crowdwise_core::{Dataset, Error, LabelKind, Preference};
use crowdwise_io::{
    Cell, Format, Read, ReadOptions, Source, TableFormat, read_answers, read_groups, read_truth, write_answers,
    write_rows,
};
use std::io::Write;

fn try_read(name: &str, bytes: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Read<Dataset>, Error> {
    read_answers(&Source::Memory { name: name.into(), bytes: bytes.as_ref().into() }, options)
}

fn plain() -> ReadOptions {
    ReadOptions::default()
}

const CSV: &str = "item,worker,label\na,w,x\nb,w,y\n";
const LINES: &str =
    "{\"item\":\"a\",\"worker\":\"w\",\"label\":\"x\"}\n{\"item\":\"b\",\"worker\":\"w\",\"label\":\"y\"}\n";

/// The bytes of the two labels in a format.
fn written(format: TableFormat) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out");
    let data = try_read("v.csv", CSV, &plain()).unwrap().value;
    write_answers(Box::new(std::fs::File::create(&path).unwrap()), format, &data).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn what_the_content_tells_for_certain_is_believed() {
    let array = format!("[{}]", LINES.trim_end().replace('\n', ","));
    let cases: [(&str, Vec<u8>, &str); 5] = [
        ("v.csv", written(TableFormat::Parquet), "v.csv is a Parquet file despite its name"),
        ("v.jsonl", written(TableFormat::Parquet), "v.jsonl is a Parquet file despite its name"),
        ("v.csv", LINES.into(), "v.csv is JSON lines despite its name"),
        ("v.tsv", array.into(), "v.tsv is JSON despite its name"),
        ("v.csv", format!("\u{feff}{LINES}").into(), "v.csv is JSON lines despite its name"),
    ];
    for (name, bytes, note) in cases {
        let read = try_read(name, bytes, &plain()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(read.value.table.n_labels(), 2, "{name}");
        assert!(read.notes.iter().any(|n| n.starts_with(note)), "{note}: {:?}", read.notes);
    }
    // A name that is right, or says nothing, is no matter for a note.
    for (name, bytes) in [("v.csv", CSV.into()), ("v.parquet", written(TableFormat::Parquet)), ("v", LINES.into())] {
        assert_eq!(try_read(name, bytes, &plain()).unwrap().notes.len(), 1, "{name}");
    }
    // A brace alone makes no JSON.
    let odd = ReadOptions { item: Some("{item}".into()), ..plain() };
    assert_eq!(try_read("v.csv", CSV.replacen("item", "{item}", 1), &odd).unwrap().value.table.n_labels(), 2);
}

#[test]
fn packed_files_without_the_ending() {
    let mut e = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    e.write_all(CSV.as_bytes()).unwrap();
    let gzip = e.finish().unwrap();
    let read = try_read("v.csv", &gzip, &plain()).unwrap();
    assert_eq!(read.value.table.n_labels(), 2);
    assert_eq!(read.notes[1], "v.csv is gzip-compressed despite its name");
    assert_eq!(try_read("v.csv.gz", &gzip, &plain()).unwrap().notes.len(), 1);
    let zstd = zstd::encode_all(CSV.as_bytes(), 1).unwrap();
    assert_eq!(try_read("v.csv", &zstd, &plain()).unwrap().notes[1], "v.csv is zstd-compressed despite its name");
    let parquet = zstd::encode_all(written(TableFormat::Parquet).as_slice(), 1).unwrap();
    assert_eq!(try_read("v.parquet.zst", &parquet, &plain()).unwrap().value.table.n_labels(), 2);
}

#[test]
fn a_format_that_was_named_and_is_wrong() {
    let csv = ReadOptions { format: Some(Format::Csv), ..plain() };
    let e = try_read("v", written(TableFormat::Parquet), &csv).unwrap_err();
    assert_eq!(e.to_string(), "v could not be read: it is a Parquet file, not CSV");
    assert_eq!(e.hint().unwrap(), "leave out `--input-format`");
    let e = try_read("v.jsonl", CSV, &plain()).unwrap_err();
    assert!(e.to_string().contains("no JSON object") && e.hint().unwrap().contains("--input-format csv"), "{e}");
    assert_eq!(try_read("v.jsonl", CSV, &csv).unwrap().value.table.n_labels(), 2);
    let parquet = ReadOptions { format: Some(Format::Parquet), ..plain() };
    assert!(try_read("v.csv", CSV, &parquet).unwrap_err().to_string().contains("it is text (perhaps CSV)"));
}

#[test]
fn things_that_are_no_tables() {
    let e = try_read("v.csv", b"PK\x03\x04\x14\0\x06\0\x08\0", &plain()).unwrap_err();
    assert!(e.to_string().contains("Excel workbook") && e.hint().unwrap().contains("CSV"), "{e}");
    let e = try_read("v.csv.bz2", b"BZh91AY&SY\x8a\0\xff\xfe", &plain()).unwrap_err();
    assert!(e.to_string().contains("bzip2"), "{e}");
}

#[test]
#[cfg(not(feature = "arrow"))]
fn arrow_without_the_feature() {
    let e = try_read("v.csv", b"ARROW1\0\0\x10\0\0\0", &plain()).unwrap_err();
    assert_eq!(e.code(), "unsupported");
    assert!(e.to_string().contains("without support for Arrow"), "{e}");
}

#[test]
fn wide_tables_are_recognised() {
    let words = "image,ann,bob,eve\n1.png,cat,dog,cat\n2.png,dog,,dog\n3.png,,cat,cat\n";
    let lines = "{\"image\":\"1\",\"ann\":3,\"bob\":4}\n{\"image\":\"2\",\"ann\":2}\n";
    for (name, text) in [("v.csv", words), ("v.csv", "item,1,2,3\na,1,2,2\nb,2,1,1\n"), ("v.jsonl", lines)] {
        let e = try_read(name, text, &plain()).unwrap_err();
        assert_eq!(e.code(), "missing-column", "{e}");
        assert!(e.hint().unwrap().ends_with("try `--wide`"), "{text}: {e}, {:?}", e.hint());
        let wide = ReadOptions { wide: true, item: None, ..plain() };
        assert!(try_read(name, text, &wide).is_ok(), "{text}");
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.parquet");
    let rows = [["1.png", "cat", "dog"], ["2.png", "dog", "cat"]];
    let out = Box::new(std::fs::File::create(&path).unwrap());
    write_rows(out, TableFormat::Parquet, &["image", "ann", "bob"], 2, |r, cells| {
        cells.extend(rows[r].map(Cell::from));
    })
    .unwrap();
    let e = read_answers(&Source::Path(path), &plain()).unwrap_err();
    assert!(e.hint().unwrap().ends_with("try `--wide`"), "{e}");
    // Columns with nothing in common are no annotators.
    let e = try_read("v.csv", "item,text,url\na,some words,http://x\nb,other words,http://y\n", &plain()).unwrap_err();
    assert!(!e.to_string().contains("wide") && !format!("{:?}", e.hint()).contains("wide"), "{e}");
}

#[test]
fn a_file_without_a_header() {
    let e = try_read("v.csv", "img_1,w7,cat\nimg_1,w2,dog\nimg_2,w7,cat\n", &plain()).unwrap_err();
    assert_eq!(e.to_string(), "v.csv: its first line looks like a row, not like a header: `img_1`, `w7`, `cat`");
    assert!(e.hint().unwrap().contains("--columns item,annotator,label"), "{:?}", e.hint());
    // Every item once, an odd number of columns: the form of the ids tells.
    let e = try_read("v.tsv", "17\tw1\tx\t2020\n18\tw1\ty\t2020\n19\tw2\tx\t2021\n", &plain()).unwrap_err();
    assert!(e.hint().unwrap().contains("--columns item,annotator,label,other"), "{e}");
    // A header of unusual names is a header.
    let e = try_read("v.csv", "bild,wer,was\n1.png,w,x\n2.png,w,y\n", &plain()).unwrap_err();
    assert_eq!(e.code(), "missing-column", "{e}");
    let t = try_read("v.csv", CSV, &plain()).unwrap().value.table;
    let truth = Source::Memory { name: "t.csv".into(), bytes: b"a1,x\na2,y\na3,x\n".as_slice().into() };
    let e = read_truth(&truth, &t, &plain()).unwrap_err();
    assert!(e.hint().unwrap().ends_with("for example item,label"), "{e}");
}

#[test]
fn models_judged_in_an_arena_are_comparisons() {
    let text = "question_id,model_a,model_b,winner,judge\n\
                q1,gpt,llama,model_a,ann\nq2,gpt,llama,model_b,bob\nq3,llama,claude,tie,ann\nq4,claude,gpt,both,bob\n";
    let read = try_read("battles.csv", text, &plain()).unwrap();
    assert_eq!(read.notes[0], "columns: left = model_a, right = model_b, annotator = judge, winner = winner");
    let t = &read.value.table;
    assert_eq!((t.kind(), t.n_items(), t.n_annotators(), t.n_labels()), (LabelKind::Preference, 3, 2, 4));
    let (_, outcomes) = t.preferences().unwrap();
    let count = |wanted| outcomes.iter().filter(|&&o| o == wanted).count();
    assert_eq!([Preference::Left, Preference::Right, Preference::Tie].map(count), [1, 1, 2]);
    // the truth of comparisons is known by the same names
    let truth =
        Source::Memory { name: "t.csv".into(), bytes: b"item_a,item_b,preferred\ngpt,llama,gpt\n".as_slice().into() };
    assert_eq!(read_truth(&truth, t, &plain()).unwrap().value.values.len(), 1);
}

#[test]
fn groups_have_the_names_of_answers() {
    let table = try_read("v.csv", CSV, &plain()).unwrap().value.table;
    for header in ["Worker_ID,Team", "rater,family name", "annotator,group"] {
        let text = format!("{header}\nw,red\n");
        let read = read_groups(&Source::Memory { name: "g.csv".into(), bytes: text.into_bytes().into() }, &table);
        assert_eq!(read.unwrap_or_else(|e| panic!("{header}: {e}")).value["w"], "red");
    }
}
