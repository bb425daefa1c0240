//! Ways of spoiling a file, each with a message that lets a person mend it.

use crowdwise_core::{Error, LabelKind, Table};
use crowdwise_io::{ReadOptions, Source, read_answers, read_features, read_items, read_truth};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;

fn file(dir: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Message and hint of reading `bytes` as a file of that name, without the directory.
fn spoil_with(name: &str, bytes: impl AsRef<[u8]>, options: &ReadOptions) -> (Error, String, String) {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, name, bytes);
    let e = read_answers(&Source::Path(path), options).expect_err("it should not read");
    let clean = |s: String| s.replace(&format!("{}/", dir.path().display()), "");
    (e.clone(), clean(e.to_string()), clean(e.hint().unwrap_or_default()))
}

fn spoil(name: &str, bytes: impl AsRef<[u8]>) -> (Error, String, String) {
    spoil_with(name, bytes, &ReadOptions::default())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut e = GzEncoder::new(Vec::new(), Compression::fast());
    e.write_all(bytes).unwrap();
    e.finish().unwrap()
}

fn table(text: &str) -> Table {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "a.csv", text);
    read_answers(&Source::Path(path), &ReadOptions::default()).unwrap().value.table
}

#[test]
fn missing_columns_are_named_with_the_flag_to_use() {
    let (e, text, hint) = spoil("v.csv", "task,wroker,label\na,b,c\n");
    assert_eq!(e.code(), "missing-column");
    assert_eq!(text, "no column `annotator` in v.csv (found: `task`, `wroker`, `label`)");
    assert_eq!(hint, "--annotator wroker");
}

#[test]
fn an_empty_file_a_lone_header_and_one_column() {
    assert_eq!(spoil("v.csv", "").1, "v.csv is empty");
    assert_eq!(spoil("v.csv", "\u{feff}\n \n").1, "v.csv is empty");
    assert_eq!(spoil("v.csv", "item,worker,label\n").1, "v.csv has a header but no rows");
    assert_eq!(spoil("v.jsonl", "\n").1, "v.jsonl is empty");
    assert_eq!(spoil("v.json", "[]").1, "v.json has no objects");
    let (_, text, hint) = spoil("v.csv", "item\na\n");
    assert_eq!(text, "v.csv: there is only one column, `item`");
    assert!(hint.contains("annotator"), "{hint}");
}

#[test]
fn rows_with_a_wrong_number_of_fields_have_lines() {
    let (e, text, hint) = spoil("v.csv", "item,worker,label\na,b\na,b,c\na,b,c,d\n\n");
    assert_eq!(e.code(), "bad-rows");
    assert_eq!(
        text,
        "2 of 3 rows of v.csv could not be read: line 2 (2 fields, expected 3), line 4 (4 fields, expected 3)"
    );
    assert!(hint.contains("--skip-bad-rows"));
}

#[test]
fn lines_count_right_after_embedded_line_ends() {
    let text = "item,worker,label\n\"a\nb\",w,x\r\n\"c\",w\nd,w,x\n,w,x\n";
    let (_, message, _) = spoil("v.csv", text);
    assert!(message.contains("line 4 (2 fields, expected 3), line 6 (no item)"), "{message}");
}

#[test]
fn only_five_bad_rows_are_shown() {
    let text = format!("item,worker,label\n{}", "a,,x\n".repeat(9));
    let (_, message, _) = spoil("v.csv", text);
    assert!(message.starts_with("9 of 9 rows of v.csv") && message.ends_with("line 6 (no annotator), …"), "{message}");
}

#[test]
fn bad_rows_are_skipped_when_asked_and_counted() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "v.csv", "item,worker,label\na,b\na,w,x\n,w,x\nb,w,\n");
    let options = ReadOptions { skip_bad_rows: true, ..Default::default() };
    let read = read_answers(&Source::Path(path), &options).unwrap();
    assert_eq!(read.value.table.n_labels(), 1);
    assert_eq!(read.notes[0], "columns: item = item, annotator = worker, label = label");
    assert_eq!(read.notes[1], "2 of 4 rows were skipped: line 2 (2 fields, expected 3), line 4 (no item)");
    assert_eq!(read.notes[2], "1 answer without a label left out");
}

#[test]
fn truncated_and_damaged_archives() {
    let rows: String = (0..20000).map(|i| format!("item{i},w{},{}\n", i % 97, i % 3)).collect();
    let whole = gzip(format!("item,worker,label\n{rows}").as_bytes());
    let (e, text, hint) = spoil("v.csv.gz", &whole[..whole.len() / 2]);
    assert_eq!(e.code(), "unreadable");
    assert!(text.contains("cut off") && hint.contains("again"), "{text}");
    // Without the last bytes the checksum is missing: still cut off.
    assert!(spoil("v.csv.gz", &whole[..whole.len() - 4]).1.contains("cut off"));
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0xff);
    assert_eq!(spoil("v.csv.gz", &damaged).0.code(), "unreadable");
    let packed = zstd::encode_all(rows.as_bytes(), 1).unwrap();
    assert!(spoil("v.csv.zst", &packed[..packed.len() / 2]).1.contains("cut off"));
}

#[test]
fn members_of_an_archive_follow_each_other_and_zeros_fill_up() {
    let (head, tail) = ("item,worker,label\na,w,x\n", "b,w,y\n");
    let mut packed = gzip(head.as_bytes());
    packed.extend(gzip(tail.as_bytes()));
    packed.extend([0; 5000]);
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "v.csv.gz", &packed);
    let read = read_answers(&Source::Path(path), &ReadOptions::default()).unwrap();
    assert_eq!(read.value.table.n_labels(), 2);
    packed.push(1);
    assert!(spoil("v.csv.gz", &packed).1.contains("damaged"));
}

#[test]
fn ids_of_too_many_digits_are_refused_and_values_are_not() {
    let rows = "{\"item\":1,\"worker\":340282366920938463463374607431768211455,\"value\":1e300}\n{\"item\":2,\"worker\":1,\"value\":2.5}\n";
    let text = spoil("v.jsonl", rows).1;
    assert!(text.contains("line 1") && text.contains("put it in quotes"), "{text}");
    let quoted = rows.replace("340282366920938463463374607431768211455", "\"340282366920938463463374607431768211455\"");
    let dir = TempDir::new().unwrap();
    let read = read_answers(&Source::Path(file(&dir, "v.jsonl", quoted)), &ReadOptions::default()).unwrap();
    assert_eq!(read.value.table.n_labels(), 2);
}

#[test]
fn other_encodings() {
    let (e, text, hint) = spoil("v.csv", b"item,worker,label\na,w,x\nb,w,caf\xe9\n");
    assert_eq!((e.code(), text.as_str()), ("unreadable", "v.csv could not be read: line 3 is not UTF-8 text"));
    assert!(hint.contains("iconv"));
    let utf16: Vec<u8> = "\u{feff}item,worker,label\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(spoil("v.csv", &utf16).1.contains("it is UTF-16 text"));
    assert!(spoil("v.jsonl", &utf16).1.contains("it is UTF-16 text"));
    // Without the mark at the beginning the zeros tell.
    let (_, text, hint) = spoil("v.csv", &utf16[2..]);
    assert_eq!(text, "v.csv could not be read: it looks like UTF-16 text, not UTF-8");
    assert!(hint.contains("iconv -f utf-16le -t utf-8"), "{hint}");
    let turned: Vec<u8> = utf16[2..].chunks(2).flat_map(|c| [c[1], c[0]]).collect();
    assert!(spoil("v.tsv", &turned).2.contains("utf-16be"));
    let utf32: Vec<u8> = "\u{feff}item,worker\n".chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
    assert!(spoil("v.csv", &utf32).1.contains("UTF-32"));
    assert!(spoil("v.csv", b"item,wor\0ker,label\na,w,x\n").1.contains("NUL bytes on its first line"));
    let (_, text, _) = spoil("v.csv", b"item,worker,label\na,w,x\nb,w,y\0\n");
    assert!(text.contains("line 3 (a NUL byte, which is not text)"), "{text}");
    assert!(
        spoil("v.jsonl", b"{\"item\":1,\"worker\":2,\"label\":3}\n{\"item\":\"\xff\"}\n")
            .1
            .contains("line 2 is not UTF-8")
    );
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "v.csv", b"item,worker,label\na,w,x\nb,w,caf\xe9\n");
    let read = read_answers(&Source::Path(path), &ReadOptions { skip_bad_rows: true, ..Default::default() }).unwrap();
    assert!(read.notes[1].contains("line 3 (not UTF-8 text: byte 0xe9)"), "{:?}", read.notes);
}

#[test]
fn values_that_are_not_finite_numbers() {
    let (_, text, _) = spoil("v.csv", "item,worker,value\na,w,1.5\na,v,NaN\na,u,inf\nb,w,2\n");
    assert!(text.contains("line 3 (`NaN` is not a finite number), line 4 (`inf` is not a finite number)"), "{text}");
    let (_, text, hint) = spoil("v.csv", "item,worker,value\na,w,1.5\na,v,2\na,u,three\n");
    assert!(text.contains("line 4 (`three` is not a number)") && hint.contains("--kind categorical"), "{text} {hint}");
    let real = ReadOptions { kind: Some(LabelKind::Real), ..Default::default() };
    assert!(spoil_with("v.csv", "item,worker,label\na,w,x\n", &real).1.contains("`x` is not a number"));
}

#[test]
fn comparisons_with_themselves_and_strange_winners() {
    let (_, text, _) = spoil("v.csv", "left,right,worker,winner\na,b,w,a\na,a,w,a\na,b,w,c\n");
    assert!(text.contains("line 3 (`a` is compared with itself)"), "{text}");
    assert!(text.contains("line 4 (the winner `c` is neither `a` nor `b` nor a tie)"), "{text}");
}

#[test]
fn a_quote_that_is_never_closed() {
    let open = "item,worker,label\na,w,x\nb,w,\"y\nc,w,x\nd,w,x";
    let (_, text, hint) = spoil("v.csv", open);
    assert_eq!(
        text,
        "v.csv: a quote is opened on line 3 and never closed, so the remaining 3 lines are read as one row"
    );
    assert!(hint.contains("--skip-bad-rows"), "{hint}");
    // Skipped, it is told by itself, however many other rows are bad.
    let skip = ReadOptions { skip_bad_rows: true, ..Default::default() };
    let bad = open.replace("a,w,x\n", &format!("a,w,x\n{}", "short,row\n".repeat(7)));
    let dir = TempDir::new().unwrap();
    let read = read_answers(&Source::Path(file(&dir, "v.csv", bad)), &skip).unwrap();
    assert_eq!(read.value.table.n_labels(), 1);
    assert!(read.notes[1].starts_with("7 of 8 rows were skipped"), "{:?}", read.notes);
    assert_eq!(read.notes[2], "a quote is opened on line 10 and never closed: 3 lines from there to the end lost");
    // The quote may stand below the line where its row begins.
    let (_, text, _) = spoil("v.csv", "item,worker,label\n\"a\nb\",w,\"x\nb,w,x\n");
    assert!(text.contains("a quote is opened on line 3 and never closed, so the remaining 2 lines"), "{text}");
    assert!(spoil("v.csv", "item,\"worker,label\na,w,x\n").1.contains("a quote is opened in the header"));
    let (_, text, _) = spoil_with("v.csv", "item,worker,label\na,w,\"x\nb,w,x\n", &skip);
    assert_eq!(text, "v.csv has no label before line 2, where a quote is opened and never closed");
}

/// A quote that is closed by a later one makes a row of many lines, which may be right: it is only said.
#[test]
fn a_row_of_very_many_lines() {
    let dir = TempDir::new().unwrap();
    let text = format!("item,worker,label\na,w,\"x\n{}b,w,\"y\nc,w,z\n", "b,w,x\n".repeat(30));
    let read = read_answers(&Source::Path(file(&dir, "v.csv", &text)), &ReadOptions::default()).unwrap();
    assert_eq!(read.notes[1], "the row on line 2 spans 32 lines: is a quote missing there?");
    let few = "item,worker,label\n\"a\nb\nc\",w,x\n";
    let read = read_answers(&Source::Path(file(&dir, "v.csv", few)), &ReadOptions::default()).unwrap();
    assert_eq!(read.notes.len(), 1, "{:?}", read.notes);
}

#[test]
fn labels_that_are_all_empty() {
    assert_eq!(spoil("v.csv", "item,worker,label\na,w,\nb,w,\n").1, "v.csv has 2 rows, but no label");
}

#[test]
fn positions_that_are_none() {
    let (_, text, _) = spoil("v.csv", "sequence,position,worker,label\ns,first,w,O\n");
    assert!(text.contains("the position `first` is not a whole number"), "{text}");
    let (e, text, hint) = spoil("v.csv", "sequence,position,worker,label\ns,0,w,O\ns,4000000000,w,O\n");
    assert_eq!(e.code(), "bad-data");
    assert!(text.contains("`s` goes from 0 to 4000000000") && hint.contains("0, 1, 2"), "{text}");
}

#[test]
fn too_many_classes() {
    let mut text = String::from("item,worker,label\n");
    for i in 0..65_600 {
        text.push_str(&format!("i{},w,{i}\n", i / 10));
    }
    let (_, message, hint) = spoil("v.csv", &text);
    assert_eq!(message, "v.csv: there are more than 65 535 classes in column `label`");
    assert!(hint.contains("--kind real"), "{hint}");
}

#[test]
fn paths_that_are_no_files() {
    let dir = TempDir::new().unwrap();
    let e = read_answers(&Source::Path(dir.path().join("none.csv")), &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().ends_with("there is no such file"), "{e}");
    let e = read_answers(&Source::Path(dir.path().into()), &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().ends_with("it is a directory"), "{e}");
}

#[test]
fn json_that_is_none() {
    let text = "{\"item\":\"a\",\"worker\":\"w\",\"label\":\"x\"}\n{\"item\":\n{\"item\":\"a\",\"worker\":\"w\",\"label\":[1,2]}\n";
    let (_, message, _) = spoil("v.jsonl", text);
    assert!(
        message.contains("line 2 (not JSON: EOF while parsing") && message.contains("line 3 (`label` is a list)"),
        "{message}"
    );
    let (_, message, hint) = spoil("v.json", "[{\"item\":1},\n{\"item\":2},\n oops]");
    assert!(message.contains("line 3") && hint.contains(".jsonl"), "{message}");
    assert!(spoil("v.jsonl", "hello\n").1.contains("no JSON object"));
}

#[test]
fn parquet_that_is_none() {
    let (e, text, hint) = spoil("v.parquet", "item,worker,label\na,w,x\n");
    assert_eq!(e.code(), "unreadable");
    assert_eq!(text, "v.parquet could not be read: it is text (perhaps CSV), not a Parquet file");
    assert_eq!(hint, "`--input-format csv` reads it as such");
    assert!(spoil("v.parquet", [1, 2, 0, 4, 200, 0, 9]).1.contains("does not begin like a Parquet file"));
    assert_eq!(spoil("v.parquet", "").1, "v.parquet is empty");
    assert!(spoil("v.parquet", b"PAR1 and then nothing").2.contains("cut off"));
}

#[test]
fn truth_with_two_answers_and_for_unknown_items() {
    let t = table("item,worker,label\na,w,x\nb,w,y\n");
    let dir = TempDir::new().unwrap();
    let same = file(&dir, "t.csv", "item,label\na,x\na,x\nc,y\nb,z\n");
    let read = read_truth(&Source::Path(same), &t, &ReadOptions::default()).unwrap();
    assert_eq!((read.value.values.len(), read.value.unlabelled.len()), (2, 1));
    assert!(read.notes.iter().any(|n| n == "truth of 1 item without answers"), "{:?}", read.notes);
    assert!(read.notes.iter().any(|n| n == "1 class of the truth in no answer: `z`"), "{:?}", read.notes);
    let two = file(&dir, "t2.csv", "item,label\na,x\nb,y\na,y\n");
    let e = read_truth(&Source::Path(two), &t, &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().ends_with("1 contradiction: `a` is `x` on line 2 but `y` on line 4"), "{e}");
    let none = file(&dir, "t3.csv", "item,label\nq,x\n");
    let e = read_truth(&Source::Path(none), &t, &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().contains("none of its 1 items occurs in the answers"), "{e}");
}

#[test]
fn truth_of_another_kind() {
    let t = table("item,worker,label\na,w,x\nb,w,y\n");
    let dir = TempDir::new().unwrap();
    let pairs = file(&dir, "t.csv", "left,right,winner\na,b,a\n");
    let e = read_truth(&Source::Path(pairs), &t, &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().contains("it has comparisons"), "{e}");
    let p = table("left,right,worker,winner\na,b,w,a\nb,a,w,tie\n");
    let twice = file(&dir, "p.csv", "left,right,winner\na,b,a\nb,a,b\n");
    let e = read_truth(&Source::Path(twice), &p, &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().contains("`a` against `b` has another winner on line 3 than on line 2"), "{e}");
}

#[test]
fn items_and_features_that_do_not_fit() {
    let t = table("item,worker,label\na,w,x\nb,w,y\n");
    let dir = TempDir::new().unwrap();
    let e = read_items(&Source::Path(file(&dir, "i.csv", "item\na\nb\na\n"))).unwrap_err();
    assert!(e.to_string().ends_with("1 item more than once: `a` (line 4)"), "{e}");
    let e = read_features(&file(&dir, "f.csv", "item,f1\na,1\n"), None, &t).unwrap_err();
    assert!(e.to_string().ends_with("no features for 1 of 2 items: `b`"), "{e}");
    let e = read_features(&file(&dir, "f.csv", "1,2\n3,4\n5,6\n"), None, &t).unwrap_err();
    assert!(e.to_string().ends_with("3 rows of features for 2 items") && e.hint().unwrap().contains("--items"), "{e}");
    let e = read_features(&file(&dir, "f.csv", "item,f1,f2\na,1,x\nb,2\n"), None, &t).unwrap_err();
    assert!(e.to_string().contains("line 2 (`x` is not a number), line 3 (2 fields, expected 3)"), "{e}");
    let e = read_features(&file(&dir, "f.csv", "item,f1\na,1\nb,nan\n"), None, &t).unwrap_err();
    assert!(e.to_string().contains("1 feature not finite, the first in row 2, column 1"), "{e}");
    let read = read_features(&file(&dir, "f.csv", "item,f1,f2\nz,9,9\nb,3,4\na,1,2\n"), None, &t).unwrap();
    assert_eq!((read.value.dim, read.value.values), (2, vec![1.0, 2.0, 3.0, 4.0]));
    assert!(read.notes[1].contains("1 item without answers"));
}

/// Each field alone is no text, though both together would be.
#[test]
fn a_character_cut_in_two() {
    let (_, text, _) = spoil("v.csv", b"item,worker,label\n\"a\xc3\",\"\xa9\",x\n");
    assert!(text.contains("line 2 is not UTF-8 text"), "{text}");
}
