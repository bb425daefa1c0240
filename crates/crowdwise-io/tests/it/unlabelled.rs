//! Items that nobody labelled are kept, in every format, and what was left out is said.

use crowdwise_core::{Dataset, Structure};
use crowdwise_io::{Read, ReadOptions, Source, TableFormat, read_answers, read_gold, read_truth, write_answers};

fn read_with(name: &str, text: impl AsRef<[u8]>, options: &ReadOptions) -> Read<Dataset> {
    let source = Source::Memory { name: name.into(), bytes: text.as_ref().into() };
    read_answers(&source, options).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn read(name: &str, text: impl AsRef<[u8]>) -> Read<Dataset> {
    read_with(name, text, &ReadOptions::default())
}

/// Items with their numbers of labels.
fn items(data: &Dataset) -> Vec<(&str, usize)> {
    (0..data.table.n_items()).map(|i| (data.table.items().name(i), data.table.degree(i))).collect()
}

fn written(data: &Dataset, format: TableFormat) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out");
    write_answers(Box::new(std::fs::File::create(&path).unwrap()), format, data).unwrap();
    std::fs::read(path).unwrap()
}

const WANT: [(&str, usize); 4] = [("a", 1), ("b", 0), ("c", 2), ("d", 0)];

#[test]
fn long_tables_of_every_format() {
    let csv = "item,worker,label\na,w,x\nb,w,\nb,v, \nc,w,x\nc,v,y\nd,,\n";
    let jsonl = "{\"item\":\"a\",\"worker\":\"w\",\"label\":\"x\"}\n{\"item\":\"b\",\"worker\":\"w\",\"label\":null}\n\
                 {\"item\":\"b\",\"worker\":\"v\"}\n{\"item\":\"c\",\"worker\":\"w\",\"label\":\"x\"}\n\
                 {\"item\":\"c\",\"worker\":\"v\",\"label\":\"y\"}\n{\"item\":\"d\"}\n";
    let quoted = csv.replace("a,w,x", "\"a\",w,x");
    let json = format!("[{}]", jsonl.trim_end().replace('\n', ","));
    for (name, text) in [("v.csv", csv), ("q.csv", &quoted), ("v.jsonl", jsonl), ("v.json", &json)] {
        let r = read(name, text);
        assert_eq!(items(&r.value), WANT, "{name}");
        assert_eq!(r.notes[1], "2 answers without a label left out", "{name}");
        assert_eq!(r.notes[2], "2 items without any label kept: `b`, `d`", "{name}");
    }
    // What is written reads back as the same.
    let data = read("v.csv", csv).value;
    for (name, format) in [
        ("v.csv", TableFormat::Csv),
        ("v.jsonl", TableFormat::Jsonl),
        ("v.json", TableFormat::Json),
        ("v.parquet", TableFormat::Parquet),
    ] {
        let again = read(name, written(&data, format));
        assert_eq!(items(&again.value), WANT, "{name}");
        assert_eq!(again.value.table.digest(), data.table.digest(), "{name}");
        assert_eq!(again.notes[1], "2 items without any label kept: `b`, `d`", "{name}");
    }
    // Real values take another path than classes.
    let real = read("v.csv", csv.replace("label", "value").replace(",x", ",1.5").replace(",y", ",2"));
    assert_eq!(items(&real.value), WANT);
    assert_eq!(items(&read("v.parquet", written(&real.value, TableFormat::Parquet)).value), WANT);
}

/// More rows than are looked up at a time, with gaps at the ends and in the middle.
#[test]
fn many_rows_without_labels() {
    let mut text = String::from("item,worker,label\n");
    for i in 0..5000 {
        let label = if i % 3 == 0 || i < 600 { "" } else { ["x", "y"][i % 2] };
        text.push_str(&format!("i{i},w{},{label}\n", i % 7));
    }
    let r = read("v.csv", text);
    let t = &r.value.table;
    assert_eq!((t.n_items(), t.n_labels()), (5000, 2933));
    for i in 0..5000 {
        let silent = i % 3 == 0 || i < 600;
        assert_eq!((t.items().name(i), t.degree(i)), (format!("i{i}").as_str(), usize::from(!silent)));
        if let Some(row) = t.rows(i).next() {
            assert_eq!(t.annotators().name(t.annotator()[row] as usize), format!("w{}", i % 7));
        }
    }
}

#[test]
fn wide_tables() {
    let wide = ReadOptions { wide: true, ..Default::default() };
    let csv = read_with("w.csv", "item,ann,bob\na,x,\nb,,\nc,x,y\nd,,\n", &wide);
    assert_eq!(items(&csv.value), WANT);
    let jsonl = "{\"item\":\"a\",\"ann\":\"x\"}\n{\"item\":\"b\",\"ann\":null}\n\
                 {\"item\":\"c\",\"ann\":\"x\",\"bob\":\"y\"}\n{\"item\":\"d\"}\n";
    assert_eq!(items(&read_with("w.jsonl", jsonl, &wide).value), WANT);
}

#[test]
fn tokens() {
    let text = "sequence,position,worker,label\ns,0,w,B\ns,1,w,I\ns,2,w,\nt,5,w,\nt,6,v,\nu,0,w,O\nu,2,w,O\n";
    let r = read("s.csv", text);
    let Structure::Chains { starts, names } = &r.value.structure else { panic!("no chains") };
    assert_eq!((starts.as_slice(), names.iter().collect::<Vec<_>>()), (&[0, 3, 5, 8][..], vec!["s", "t", "u"]));
    let want = [("s:0", 1), ("s:1", 1), ("s:2", 0), ("t:5", 0), ("t:6", 0), ("u:0", 1), ("u:1", 0), ("u:2", 1)];
    assert_eq!(items(&r.value), want);
    assert!(r.notes.contains(&"1 token inside sequences in no row: `u` at 1".to_owned()), "{:?}", r.notes);
    assert!(
        r.notes.contains(&"4 tokens without any label kept: `s:2`, `t:5`, `t:6`, `u:1`".to_owned()),
        "{:?}",
        r.notes
    );
    for (name, format) in [("s.csv", TableFormat::Csv), ("s.parquet", TableFormat::Parquet)] {
        let again = read(name, written(&r.value, format));
        assert_eq!((items(&again.value), &again.value.structure), (want.to_vec(), &r.value.structure), "{name}");
    }
}

#[test]
fn comparisons() {
    // A ranking has no place for what nobody compared, so these are not kept, but said.
    for threads in [1, 2] {
        let options = ReadOptions { threads, ..Default::default() };
        let r = read_with("p.csv", "left,right,worker,winner\na,b,w,a\nc,a,w,\nb,a,w,\n", &options);
        assert_eq!((r.value.table.n_items(), r.value.table.n_units()), (2, 1));
        assert!(r.notes.contains(&"1 item in no comparison with an outcome left out: `c`".to_owned()), "{:?}", r.notes);
    }
}

#[test]
fn exports_of_tools() {
    let studio = r#"[{"id": 1, "annotations": [{"completed_by": 5, "result": [{"from_name": "m", "type": "choices", "value": {"choices": ["a"]}}]}]},
        {"id": 2, "annotations": [{"completed_by": 5, "was_cancelled": true, "result": []}]},
        {"id": 3, "annotations": []}]"#;
    let r = read("export.json", studio);
    assert_eq!(items(&r.value), [("1", 1), ("2", 0), ("3", 0)]);
    assert_eq!(r.notes[1..], ["1 answer without a label left out", "2 items without any label kept: `2`, `3`"]);
    let prodigy = r#"{"_input_hash":1,"_task_hash":1,"label":"SPAM","answer":"accept","_annotator_id":"ann"}
{"_input_hash":2,"_task_hash":2,"label":"SPAM","answer":"ignore","_annotator_id":"ann"}
"#;
    assert_eq!(items(&read("p.jsonl", prodigy).value), [("1:SPAM", 1), ("2:SPAM", 0)]);
}

const BATCH: &str = "HITId,WorkerId,AssignmentStatus,Input.url,Answer.kind\n\
    H1,A1,Approved,1.png,cat\nH1,A2,Rejected,1.png,dog\nH2,A2,rejected ,2.png,dog\nH3,A3,Submitted,3.png,dog\n";

#[test]
fn rejected_assignments_of_mechanical_turk() {
    let r = read("batch.csv", BATCH);
    assert_eq!(items(&r.value), [("1.png", 1), ("2.png", 0), ("3.png", 1)]);
    assert_eq!(r.notes[1], "2 rejected assignments left out (⟦--keep-rejected⟧ uses them)");
    assert_eq!(r.notes[2], "1 item without any label kept: `2.png`");
    let all = read_with("batch.csv", BATCH, &ReadOptions { keep_rejected: true, ..Default::default() });
    assert_eq!(items(&all.value), [("1.png", 2), ("2.png", 1), ("3.png", 1)]);
    assert_eq!(all.notes.len(), 1, "{:?}", all.notes);
    // The same rows in other formats and with quotes.
    assert_eq!(items(&read("batch.csv", BATCH.replace("A2,", "\"A2\",")).value), items(&r.value));
    let rows: Vec<&str> = BATCH.lines().skip(1).collect();
    let line = |row: &&str| {
        let f: Vec<&str> = row.split(',').collect();
        format!(
            "{{\"HITId\":\"{}\",\"WorkerId\":\"{}\",\"AssignmentStatus\":\"{}\",\"Input.url\":\"{}\",\"Answer.kind\":\"{}\"}}\n",
            f[0], f[1], f[2], f[3], f[4]
        )
    };
    let jsonl: String = rows.iter().map(line).collect();
    assert_eq!(items(&read("batch.jsonl", jsonl).value), items(&r.value));
    let none = BATCH.replace("Approved", "Rejected").replace("Submitted", "Rejected");
    let source = Source::Memory { name: "batch.csv".into(), bytes: none.as_bytes().into() };
    let e = read_answers(&source, &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().contains("4 rows, but no label except in rejected"), "{e}");
    assert!(e.hint().unwrap().contains("--keep-rejected"));
    // A column of that name elsewhere means nothing.
    let other = read("v.csv", "item,worker,label,AssignmentStatus\na,w,x,Rejected\n");
    assert_eq!(items(&other.value), [("a", 1)]);
}

#[test]
fn gold_is_called_gold() {
    let table = read("v.csv", "item,worker,label\na,w,x\nb,w,y\n").value.table;
    let file = Source::Memory { name: "g.csv".into(), bytes: b"item,label\na,x\nq,z\nb,\n".as_slice().into() };
    let options = ReadOptions::default();
    let gold = read_gold(&file, &table, &options).unwrap();
    let truth = read_truth(&file, &table, &options).unwrap();
    assert_eq!(gold.value, truth.value);
    assert_eq!(gold.notes[0], "columns of the gold: item = item, label = label");
    assert_eq!(gold.notes[1], "1 row without a label left out");
    assert_eq!(gold.notes[2..], ["gold of 1 item without answers", "1 class of the gold in no answer: `z`"]);
    assert!(gold.notes.iter().all(|n| !n.contains("truth")), "{:?}", gold.notes);
    assert_eq!(truth.notes, gold.notes.iter().map(|n| n.replace("gold", "truth")).collect::<Vec<_>>());
}
