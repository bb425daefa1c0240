//! Exports of annotation tools, wide tables, files without a header, and other forms that real files take.

use crowdwise_core::{Dataset, Error, LabelKind, Order};
use crowdwise_io::{Format, Read, ReadOptions, Source, read_answers, read_items, read_truth};
use std::io::Write;

fn try_read(name: &str, bytes: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Read<Dataset>, Error> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_answers(&Source::Path(path), options)
}

fn read(name: &str, bytes: impl AsRef<[u8]>, options: &ReadOptions) -> Read<Dataset> {
    try_read(name, bytes, options).unwrap_or_else(|e| panic!("{e}"))
}

/// All labels as "item annotator label".
fn labels(data: &Dataset) -> Vec<String> {
    let t = &data.table;
    let mut out = Vec::new();
    for u in 0..t.n_units() {
        for r in t.rows(u) {
            let who = t.annotators().name(t.annotator()[r] as usize);
            let what = match (t.categorical(), t.real()) {
                (Some(c), _) => c.classes.name(c.codes.get(r)).to_owned(),
                (_, Some(v)) => v[r].to_string(),
                _ => format!("{:?}", t.preferences().unwrap().1[r]),
            };
            out.push(format!("{} {who} {what}", t.unit_name(u)));
        }
    }
    out
}

fn plain() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn label_studio_choices_ratings_and_numbers() {
    let export = r#"[
      {"id": 11, "data": {"text": "good"}, "annotations": [
        {"id": 1, "completed_by": 5, "result": [{"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": ["Positive"]}}]},
        {"id": 2, "completed_by": {"id": 6, "email": "b@x.org"}, "result": [{"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": ["Negative"]}}]},
        {"id": 3, "completed_by": 7, "was_cancelled": true, "result": []}]},
      {"id": 12, "data": {"text": "bad"}, "annotations": [
        {"id": 4, "completed_by": 5, "result": [{"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": ["Negative"]}}]}]}
    ]"#;
    let r = read("export.json", export, &plain());
    assert_eq!(labels(&r.value), ["11 5 Positive", "11 b@x.org Negative", "12 5 Negative"]);
    assert_eq!(r.notes[0], "columns: item = id, annotator = completed_by, label = mood (Label Studio export)");
    assert_eq!(r.notes[1], "1 answer without a label left out");
    let by_text = ReadOptions { item: Some("text".into()), ..plain() };
    assert_eq!(labels(&read("export.json", export, &by_text).value)[0], "good 5 Positive");

    let rated = export.replace(
        r#""type": "choices", "value": {"choices": ["Positive"]}"#,
        r#""type": "rating", "value": {"rating": 4}"#,
    );
    let r = read("export.json", &rated, &plain());
    assert_eq!(labels(&r.value)[0], "11 5 4");
    let number = r#"[{"id":1,"annotations":[{"completed_by":1,"result":[{"from_name":"n","type":"number","value":{"number":2.5}}]}]}]"#;
    assert_eq!(read("export.json", number, &plain()).value.table.kind(), LabelKind::Real);
}

#[test]
fn label_studio_with_several_questions_or_choices() {
    let export = r#"[{"id": 1, "annotations": [{"completed_by": 5, "result": [
        {"from_name": "mood", "type": "choices", "value": {"choices": ["a"]}},
        {"from_name": "topic", "type": "choices", "value": {"choices": ["x", "y"]}}]}]}]"#;
    let e = try_read("e.json", export, &plain()).unwrap_err();
    assert!(e.to_string().contains("2 questions: `mood` (choices), `topic` (choices)"), "{e}");
    assert!(e.hint().unwrap().contains("--label mood"));
    let mood = ReadOptions { label: Some("mood".into()), ..plain() };
    assert_eq!(labels(&read("e.json", export, &mood).value), ["1 5 a"]);
    let topic = ReadOptions { label: Some("topic".into()), ..plain() };
    assert!(try_read("e.json", export, &topic).unwrap_err().to_string().contains("line 1 (2 choices, expected one)"));
    let boxes = r#"[{"id": 1, "annotations": [{"completed_by": 5, "result": [{"from_name": "b", "type": "rectanglelabels", "value": {}}]}]}]"#;
    let e = try_read("e.json", boxes, &plain()).unwrap_err();
    assert!(e.to_string().contains("rectanglelabels"), "{e}");
}

#[test]
fn json_arrays_of_rows() {
    let text =
        "[{\"id\": 1, \"annotator\": 2, \"sentiment\": \"x\"},\n {\"id\": 1, \"annotator\": 3, \"sentiment\": null}]";
    let options = ReadOptions { label: Some("sentiment".into()), ..plain() };
    let r = read("min.json", text, &options);
    assert_eq!(labels(&r.value), ["1 2 x"]);
    assert_eq!(r.notes[1], "1 answer without a label left out");
}

#[test]
fn prodigy_choice_and_binary() {
    let choice = r#"{"text":"a","_input_hash":-5,"_task_hash":1,"options":[{"id":"x"},{"id":"y"}],"accept":["x"],"answer":"accept","_session_id":"set-ann","_annotator_id":"ann"}
{"text":"a","_input_hash":-5,"_task_hash":1,"accept":["y"],"answer":"accept","_session_id":"set-bob"}
{"text":"b","_input_hash":6,"_task_hash":2,"accept":[],"answer":"ignore","_annotator_id":"ann"}
{"text":"b","_input_hash":6,"_task_hash":2,"accept":["x"],"answer":"reject","_annotator_id":"bob"}
"#;
    let r = read("p.jsonl", choice, &plain());
    assert_eq!(labels(&r.value), ["-5 ann x", "-5 set-bob y"]);
    assert!(r.notes[0].ends_with("(Prodigy export)") && r.notes[1].starts_with("2 answers"), "{:?}", r.notes);
    let binary = r#"{"_input_hash":1,"_task_hash":1,"label":"SPAM","answer":"accept","_annotator_id":"ann"}
{"_input_hash":1,"_task_hash":1,"label":"SPAM","answer":"reject","_annotator_id":"bob"}
"#;
    assert_eq!(labels(&read("p.jsonl", binary, &plain()).value), ["1:SPAM ann accept", "1:SPAM bob reject"]);
    let two = choice.replace(r#""accept":["y"]"#, r#""accept":["x","y"]"#);
    let e = try_read("p.jsonl", two, &plain()).unwrap_err();
    assert!(e.to_string().contains("line 2 (2 options were chosen, expected one)"), "{e}");
}

#[test]
fn mechanical_turk_batches() {
    let batch = "\"HITId\",\"WorkerId\",\"AssignmentStatus\",\"Input.url\",\"Answer.kind\"\n\
                 \"H1\",\"A1\",\"Approved\",\"http://x/1.png\",\"cat\"\n\
                 \"H1\",\"A2\",\"Approved\",\"http://x/1.png\",\"\"\n";
    let r = read("batch.csv", batch, &plain());
    assert_eq!(labels(&r.value), ["http://x/1.png A1 cat"]);
    assert!(r.notes[0].contains("Mechanical Turk"));
    let by_hit = ReadOptions { item: Some("HITId".into()), ..plain() };
    assert_eq!(labels(&read("batch.csv", batch, &by_hit).value), ["H1 A1 cat"]);
}

#[test]
fn wide_tables() {
    let wide = ReadOptions { wide: true, ..plain() };
    let r = read("w.csv", "item,ann,bob,eve\na,1,,2\nb,,,\nc,2,2,\n", &wide);
    assert_eq!(labels(&r.value), ["a ann 1", "a eve 2", "c ann 2", "c bob 2"]);
    assert_eq!(r.notes[0], "columns: item = item, 3 annotators in columns");
    assert_eq!(r.notes[1], "5 answers without a label left out");
    assert_eq!(r.notes[2], "1 item without any label kept: `b`");
    assert_eq!(r.value.table.items().iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    let real = ReadOptions { kind: Some(LabelKind::Real), ..wide.clone() };
    assert_eq!(read("w.csv", "x,ann\na,1.5\n", &real).value.table.real().unwrap(), [1.5]);
    let e = try_read("w.csv", "item,ann,ann\na,1,2\n", &wide).unwrap_err();
    assert!(e.to_string().contains("`ann` occurs more than once"), "{e}");
    // In JSON lines the names of annotators may appear anywhere in the file.
    let r = read("w.jsonl", "{\"item\":\"a\",\"ann\":1}\n{\"item\":\"b\",\"bob\":2,\"ann\":null}\n", &wide);
    assert_eq!(labels(&r.value), ["a ann 1", "b bob 2"]);
}

#[test]
fn no_header_a_byte_order_mark_and_other_separators() {
    let named = ReadOptions { columns: Some(["worker", "task", "label"].map(String::from).to_vec()), ..plain() };
    assert_eq!(labels(&read("n.csv", "w,a,x\nv,a,y\n", &named).value), ["a w x", "a v y"]);
    assert_eq!(labels(&read("b.csv", "\u{feff}item,worker,label\r\na,w,x", &plain()).value), ["a w x"]);
    let r = read("s.csv", "item;worker;label\na;w;x,y\n", &plain());
    assert_eq!(labels(&r.value), ["a w x,y"]);
    assert!(r.notes.iter().any(|n| n == "fields are separated by semicolons"));
    assert_eq!(labels(&read("t.tsv", "item\tworker\tlabel\na\tw\t\"x\"\"\ty\"\n", &plain()).value), ["a w x\"\ty"]);
    assert_eq!(labels(&read("o.csv", "item,worker,label\ra,w,x\r", &plain()).value), ["a w x"]);
    // Unknown extension: the content tells.
    assert_eq!(labels(&read("v.txt", "{\"item\":1,\"user\":2,\"label\":true}", &plain()).value), ["1 2 true"]);
}

#[test]
fn compressed_in_several_pieces() {
    let gzip = |text: &str| {
        let mut e = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        e.write_all(text.as_bytes()).unwrap();
        e.finish().unwrap()
    };
    let both = [gzip("item,worker,label\na,w,x\n"), gzip("b,w,y\n")].concat();
    assert_eq!(labels(&read("v.csv.gz", &both, &plain()).value), ["a w x", "b w y"]);
    let packed = zstd::encode_all(&b"item,worker,label\na,w,x\n"[..], 3).unwrap();
    assert_eq!(labels(&read("v.csv.zst", packed, &plain()).value), ["a w x"]);
}

#[test]
fn kinds_by_column_and_by_option() {
    assert_eq!(read("v.csv", "item,worker,label\na,w,1\nb,w,2\n", &plain()).value.table.kind(), LabelKind::Categorical);
    assert_eq!(
        read("v.csv", "item,worker,rating\na,w,1\nb,w,2\n", &plain()).value.table.kind(),
        LabelKind::Categorical
    );
    assert_eq!(read("v.csv", "item,worker,score\na,w,1\nb,w,2\n", &plain()).value.table.kind(), LabelKind::Real);
    assert_eq!(
        read("v.csv", "item,worker,value\na,w,yes\nb,w,no\n", &plain()).value.table.kind(),
        LabelKind::Categorical
    );
    assert_eq!(
        read("v.jsonl", "{\"item\":1,\"worker\":2,\"value\":0.5}", &plain()).value.table.kind(),
        LabelKind::Real
    );
    let real = ReadOptions { kind: Some(LabelKind::Real), ..plain() };
    assert_eq!(read("v.csv", "item,worker,label\na,w,1\n", &real).value.table.real().unwrap(), [1.0]);
    let classes = ReadOptions { kind: Some(LabelKind::Categorical), order: Order::Natural, ..plain() };
    let r = read("v.csv", "item,worker,value\na,w,1\nb,w,2\n", &classes);
    assert!(r.value.table.categorical().unwrap().ordered);
    let pairs = read("v.csv", "left,right,worker,winner\na,b,w,a\na,b,v,right\nb,a,w,Tie\n", &plain());
    assert_eq!(labels(&pairs.value), ["a | b w Left", "a | b v Right", "b | a w Tie"]);
    assert_eq!(
        read("v.csv", "left,right,worker,same\na,b,w,yes\n", &plain()).value.table.kind(),
        LabelKind::Similarity
    );
}

#[test]
fn items_in_lists_and_tables() {
    let dir = tempfile::tempdir().unwrap();
    let items = |text: &str| {
        let path = dir.path().join("i.csv");
        std::fs::write(&path, text).unwrap();
        read_items(&Source::Path(path)).unwrap().value
    };
    assert_eq!(items("item,text\nb,one\na,two\n"), ["b", "a"]);
    assert_eq!(items("text,item_id\none,b\n"), ["b"]);
    assert_eq!(items("b\na\n"), ["b", "a"]);
}

#[test]
fn truth_by_other_names_and_of_tokens() {
    let dir = tempfile::tempdir().unwrap();
    let t = read("a.csv", "item,worker,label\na,w,x\nb,w,y\n", &plain()).value.table;
    let truth = |name: &str, text: &str, table, options: &ReadOptions| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_truth(&Source::Path(path), table, options).unwrap().value
    };
    // The options name a column of the answers, which the truth file need not have.
    let options = ReadOptions { label: Some("vote".into()), ..plain() };
    assert_eq!(truth("t.csv", "task,gold\na,x\nb,x\n", &t, &options).classes(2), [Some(0), Some(0)]);
    assert_eq!(truth("t.csv", "id,correct answer\nb,y\n", &t, &plain()).classes(2), [None, Some(1)]);
    assert_eq!(truth("t.jsonl", "{\"item\":\"a\",\"label\":\"y\"}\n", &t, &plain()).classes(2), [Some(1), None]);
    let s = read("s.csv", "sequence,position,worker,label\ns,0,w,B\ns,1,w,I\n", &plain()).value.table;
    assert_eq!(truth("t.csv", "sequence,position,label\ns,1,I\ns,0,B\n", &s, &plain()).classes(2), [Some(0), Some(1)]);
}

#[test]
fn formats_can_be_forced() {
    let tsv = ReadOptions { format: Some(Format::Tsv), ..plain() };
    assert_eq!(labels(&read("v.dat", "item\tworker\tlabel\na\tw\tx\n", &tsv).value), ["a w x"]);
}
