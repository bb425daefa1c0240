//! Files of answers.

use crowdwise_core::{Dataset, LabelKind};
use crowdwise_io::{Format, ReadOptions, Source, read_answers};

fn source(name: &str, parts: &[&[u8]]) -> Source {
    Source::Memory { name: name.into(), bytes: parts.concat().into() }
}

fn plain() -> ReadOptions {
    ReadOptions { skip_bad_rows: true, threads: 1, ..Default::default() }
}

/// A dataset that came out must hang together.
fn whole(data: &Dataset) {
    let t = &data.table;
    assert_eq!(t.offsets().last().copied().unwrap_or(0) as usize, t.n_labels());
    assert_eq!(t.values().len(), t.n_labels());
    assert!(t.annotator().iter().all(|&j| (j as usize) < t.n_annotators()));
    if let Some(c) = t.categorical() {
        assert!(c.codes.iter().all(|l| l < c.k()));
    }
}

/// With all options that change how rows are understood.
fn every_way(name: &str, parts: &[&[u8]]) {
    let source = source(name, parts);
    let kinds = [None, Some(LabelKind::Categorical), Some(LabelKind::Real), Some(LabelKind::Preference)];
    for (kind, skip_bad_rows) in
        kinds.into_iter().chain([Some(LabelKind::Similarity)]).flat_map(|k| [(k, true), (k, false)])
    {
        let options = ReadOptions { kind, skip_bad_rows, ..plain() };
        if let Ok(read) = read_answers(&source, &options) {
            whole(&read.value);
        }
    }
}

/// Delimited text: the same table from one thread and from three.
pub fn csv(bytes: &[u8]) {
    let file = source("votes.csv", &[bytes]);
    let columns = || ["item", "annotator", "label"].map(String::from).to_vec();
    for columns in [None, Some(columns())] {
        let read = |threads| {
            let options = ReadOptions { columns: columns.clone(), threads, ..plain() };
            read_answers(&file, &options).map(|r| {
                whole(&r.value);
                (r.value.table.digest(), r.notes)
            })
        };
        assert_eq!(read(1), read(3));
    }
    every_way("votes.csv", &[bytes]);
    every_way("votes.tsv", &[b"item\tworker\tlabel\n", bytes]);
    every_way("votes.csv", &[b"left,right,worker,winner\n", bytes]);
}

/// One row an item, one column an annotator.
pub fn wide(bytes: &[u8]) {
    for (name, head) in [("votes.csv", &b""[..]), ("votes.csv", b"item,ann,bob,eve\n"), ("votes.jsonl", b"")] {
        let options = ReadOptions { wide: true, ..plain() };
        if let Ok(read) = read_answers(&source(name, &[head, bytes]), &options) {
            whole(&read.value);
        }
    }
}

/// Batches of Mechanical Turk.
pub fn mturk(bytes: &[u8]) {
    let head = b"HITId,AssignmentId,WorkerId,AssignmentStatus,Input.text,Answer.label\n";
    for head in [&b""[..], head] {
        for keep_rejected in [false, true] {
            let options = ReadOptions { keep_rejected, ..plain() };
            let _ = read_answers(&source("batch.csv", &[head, bytes]), &options);
        }
    }
}

/// JSON lines.
pub fn jsonl(bytes: &[u8]) {
    every_way("votes.jsonl", &[bytes]);
    every_way("votes.jsonl", &[b"{\"item\":1,\"worker\":2,\"label\":3}\n", bytes]);
}

/// JSON lines as Prodigy writes them.
pub fn prodigy(bytes: &[u8]) {
    let one = b"{\"_input_hash\":1,\"_annotator_id\":\"a\",\"answer\":\"accept\",\"accept\":[\"x\"]}\n";
    tool("votes.jsonl", &[one, bytes]);
    tool("votes.jsonl", &[bytes]);
}

/// JSON arrays: tasks of Label Studio, and rows.
pub fn label_studio(bytes: &[u8]) {
    let task = b"[{\"id\":1,\"annotations\":[{\"completed_by\":1,\"result\":[{\"from_name\":\"c\",\"type\":\"choices\",\"value\":{\"choices\":[\"a\"]}}]}]},";
    for head in [&b""[..], task, b"[{\"item\":1,\"worker\":2,\"label\":3},"] {
        tool("export.json", &[head, bytes]);
    }
}

/// Exports of tools say themselves what their labels are.
fn tool(name: &str, parts: &[&[u8]]) {
    for skip_bad_rows in [true, false] {
        if let Ok(read) = read_answers(&source(name, parts), &ReadOptions { skip_bad_rows, ..plain() }) {
            whole(&read.value);
        }
    }
}

pub fn parquet(bytes: &[u8]) {
    every_way("votes.parquet", &[bytes]);
    let _ = read_answers(&source("votes.parquet", &[bytes]), &ReadOptions { wide: true, ..plain() });
}

pub fn arrow(bytes: &[u8]) {
    every_way("votes.arrow", &[bytes]);
}

pub fn conll(bytes: &[u8]) {
    let file = source("tags.conll", &[bytes]);
    if let Ok(read) = crowdwise_io::read_conll(&file) {
        whole(&read.value.data);
        assert!(read.value.tokens.is_empty() || read.value.tokens.len() == read.value.data.table.n_items());
    }
    let own = [("ann".to_owned(), file.clone()), ("bob".to_owned(), file.clone())];
    let _ = crowdwise_io::read_conll_files(&own);
    let _ = read_answers(&file, &ReadOptions { format: Some(Format::Conll), ..plain() });
}

pub fn spans(bytes: &[u8]) {
    let one = b"{\"sequence\":\"s\",\"annotator\":\"a\",\"tokens\":[\"x\",\"y\"],\"spans\":[{\"start\":0,\"end\":1,\"label\":\"P\"}]}\n";
    for head in [&b""[..], one] {
        if let Ok(read) = crowdwise_io::read_spans(&source("tags.jsonl", &[head, bytes])) {
            whole(&read.value.data);
        }
    }
}

/// Tables of rankings, a place or a ballot a row.
pub fn rankings(bytes: &[u8]) {
    for head in [&b""[..], b"ranking,item,position,annotator\n", b"annotator,ranking\n"] {
        if let Ok(read) = read_answers(&source("ranks.csv", &[head, bytes]), &plain()) {
            whole(&read.value);
        }
    }
}

/// Whatever gzip or zstd make of it. A kilobyte can unpack to a gigabyte, which is another matter than what is in it: longer
/// inputs are left alone.
pub fn packed(bytes: &[u8]) {
    if bytes.len() <= 4096 {
        for name in ["votes.csv.gz", "votes.jsonl.zst"] {
            let _ = read_answers(&source(name, &[bytes]), &plain());
        }
    }
}
