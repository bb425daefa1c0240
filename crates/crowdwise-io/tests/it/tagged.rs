//! CoNLL files and span files: as the field writes them, back again, and spoiled.

use crowdwise_core::{Dataset, Error, GoldValues, Structure};
use crowdwise_io::{
    Read, ReadOptions, Source, Tagged, read_answers, read_conll, read_conll_files, read_graph, read_spans, read_truth,
    write_conll, write_spans,
};

fn memory(name: &str, text: &str) -> Source {
    Source::Memory { name: name.into(), bytes: text.as_bytes().into() }
}

fn conll(text: &str) -> Result<Read<Tagged>, Error> {
    read_conll(&memory("x.conll", text))
}

fn spans(text: &str) -> Result<Read<Tagged>, Error> {
    read_spans(&memory("x.spans.jsonl", text))
}

/// (item, annotator, label) in the order of the table.
fn rows(d: &Dataset) -> Vec<(String, String, String)> {
    let c = d.table.categorical().unwrap();
    (0..d.table.n_units())
        .flat_map(|u| d.table.rows(u).map(move |r| (u, r)))
        .map(|(u, r)| {
            let j = d.table.annotator()[r] as usize;
            let label = c.classes.name(c.codes.get(r));
            (d.table.items().name(u).into(), d.table.annotators().name(j).into(), label.into())
        })
        .collect()
}

fn row(i: &str, a: &str, l: &str) -> (String, String, String) {
    (i.into(), a.into(), l.into())
}

const COLUMNS: &str = "\
# global.columns = FORM\tann one\tw2
# sent_id = doc/1
Ada\tB-PER\tB-PER
Byron\tI-PER\tO
wrote\tO\t?

# sent_id = doc/2
Paris\t?\tB-LOC

";

#[test]
fn a_column_per_annotator() {
    let read = conll(COLUMNS).unwrap();
    assert_eq!(read.value.tokens, ["Ada", "Byron", "wrote", "Paris"]);
    let Structure::Chains { starts, names } = &read.value.data.structure else { panic!("no chains") };
    assert_eq!((starts.as_slice(), names.iter().collect::<Vec<_>>()), (&[0, 3, 4][..], vec!["doc/1", "doc/2"]));
    let want = [
        row("doc/1:0", "ann one", "B-PER"),
        row("doc/1:0", "w2", "B-PER"),
        row("doc/1:1", "ann one", "I-PER"),
        row("doc/1:1", "w2", "O"),
        row("doc/1:2", "ann one", "O"),
        row("doc/2:0", "w2", "B-LOC"),
    ];
    assert_eq!(rows(&read.value.data), want);
    let mut out = Vec::new();
    write_conll(&mut out, &read.value.data, &read.value.tokens).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), COLUMNS);
}

#[test]
fn blanks_numbers_and_document_starts_as_the_field_writes_them() {
    let text = "-DOCSTART- -X- O\r\n\r\nEU B-ORG ?\r\n# O O\r\n\r\n\r\nall O B-ORG\r\n";
    let read = conll(text).unwrap().value;
    assert_eq!(read.tokens, ["EU", "#", "all"]);
    let want = [
        row("s1:0", "a1", "B-ORG"),
        row("s1:1", "a1", "O"),
        row("s1:1", "a2", "O"),
        row("s2:0", "a1", "O"),
        row("s2:0", "a2", "B-ORG"),
    ];
    assert_eq!(rows(&read.data), want);
    // through the front door, by the name of the file
    let same = read_answers(&memory("votes.conll", text), &ReadOptions::default()).unwrap().value;
    assert_eq!((rows(&same), same.structure), (want.to_vec(), read.data.structure));
}

#[test]
fn other_schemes_become_iob2() {
    let read = conll("a I-PER\nb I-PER\nc B-PER\nd O\ne I-LOC\n\nf I-PER\n").unwrap();
    let labels: Vec<String> = rows(&read.value.data).into_iter().map(|r| r.2).collect();
    assert_eq!(labels, ["B-PER", "I-PER", "B-PER", "O", "B-LOC", "B-PER"]);
    assert!(read.notes.iter().any(|n| n.contains("3 spans") && n.contains("IOB1")), "{:?}", read.notes);
    let read = conll("a B-PER\nb E-PER\nc S-LOC\nd O\n").unwrap();
    let labels: Vec<String> = rows(&read.value.data).into_iter().map(|r| r.2).collect();
    assert_eq!(labels, ["B-PER", "I-PER", "B-LOC", "O"]);
    // one slip in IOB2 does not turn it into IOB1
    let read = conll("a B-PER\nb O\nc I-PER\n").unwrap();
    assert_eq!(rows(&read.value.data)[2].2, "I-PER");
    // classes that are no tags stay as they are
    let read = conll("a NOUN\nb I-PER\n").unwrap();
    assert_eq!(rows(&read.value.data)[1].2, "I-PER");
}

#[test]
fn a_file_per_annotator() {
    let one = "# sent_id = a\nx NNP B-PER\ny VB O\n\n# sent_id = b\nz NN O\n";
    let two = "# sent_id = b\nz NN B-LOC\n";
    let files = [("w1".to_owned(), memory("w1.conll", one)), ("w2".to_owned(), memory("w2.conll", two))];
    let read = read_conll_files(&files).unwrap().value;
    let want = [row("a:0", "w1", "B-PER"), row("a:1", "w1", "O"), row("b:0", "w1", "O"), row("b:0", "w2", "B-LOC")];
    assert_eq!(rows(&read.data), want);
    let other = "# sent_id = b\nz NN O\nmore NN O\n";
    let files = [("w1".to_owned(), memory("w1.conll", one)), ("w2".to_owned(), memory("w2.conll", other))];
    let e = read_conll_files(&files).unwrap_err().to_string();
    assert!(e.contains("tokens of `b` in w2.conll differ"), "{e}");
}

#[test]
fn truth_of_tokens() {
    let d = conll("x B-PER ?\ny O O\n").unwrap().value.data;
    let gold =
        read_truth(&memory("gold.conll", "x B-PER\ny B-PER\n"), &d.table, &ReadOptions::default()).unwrap().value;
    let GoldValues::Classes(known) = gold.values else { panic!("classes") };
    assert_eq!(known, [(0, 0), (1, 0)]);
}

const SPANS: &str = "\
{\"sequence\":\"s1\",\"annotator\":\"w1\",\"tokens\":[\"Ada\",\"Byron\",\"of\",\"London\"],\"spans\":[{\"start\":0,\"end\":2,\"type\":\"PER\"},{\"start\":3,\"end\":4,\"type\":\"LOC\"}]}
{\"sequence\":\"s1\",\"annotator\":\"w2\",\"tokens\":[\"Ada\",\"Byron\",\"of\",\"London\"],\"spans\":[]}
";

#[test]
fn spans_become_tags_and_tags_spans() {
    let read = spans(SPANS).unwrap().value;
    let labels: Vec<String> = rows(&read.data).into_iter().filter(|r| r.1 == "w1").map(|r| r.2).collect();
    assert_eq!(labels, ["B-PER", "I-PER", "O", "B-LOC"]);
    let mut out = Vec::new();
    write_spans(&mut out, &read.data, &read.tokens).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), SPANS);
    // and through a CoNLL file
    let mut out = Vec::new();
    write_conll(&mut out, &read.data, &read.tokens).unwrap();
    let again = conll(std::str::from_utf8(&out).unwrap()).unwrap().value;
    assert_eq!((rows(&again.data), again.tokens), (rows(&read.data), read.tokens));
}

#[test]
fn the_lines_of_a_span_tool_are_read() {
    let line = |answer: &str, who: &str| {
        format!(
            "{{\"text\":\"Ada Byron\",\"_input_hash\":17,\"tokens\":[{{\"text\":\"Ada\",\"id\":0}},{{\"text\":\"Byron\",\"id\":1}}],\
             \"spans\":[{{\"start\":0,\"end\":9,\"token_start\":0,\"token_end\":1,\"label\":\"PER\"}}],\"answer\":\"{answer}\",\
             \"_annotator_id\":\"{who}\"}}\n"
        )
    };
    let read = spans(&(line("accept", "a") + &line("reject", "b"))).unwrap();
    assert_eq!(rows(&read.value.data), [row("17:0", "a", "B-PER"), row("17:1", "a", "I-PER")]);
    assert!(read.notes.iter().any(|n| n.contains("1 lines that were rejected")), "{:?}", read.notes);
}

#[test]
fn spoiled_files_say_what_is_wrong_and_where() {
    let wrong = |r: Result<Read<Tagged>, Error>, words: &[&str]| {
        let e = r.unwrap_err().to_string();
        words.iter().for_each(|w| assert!(e.contains(w), "{e}"));
    };
    wrong(conll("a O O\nb O\nc\n"), &["line 2 has 1 columns after the token, not 2", "line 3"]);
    wrong(conll("# sent_id = x\na O\n\n# sent_id = x\nb O\n"), &["`x` comes twice"]);
    wrong(conll("a ?\n"), &["no tags"]);
    wrong(conll(""), &["no tags"]);
    wrong(
        spans(
            "{\"sequence\":\"s\",\"annotator\":\"w\",\"length\":2,\"spans\":[{\"start\":1,\"end\":3,\"type\":\"X\"}]}\n",
        ),
        &["1..3 of 2 tokens"],
    );
    let overlap = "{\"sequence\":\"s\",\"annotator\":\"w\",\"length\":4,\"spans\":[{\"start\":0,\"end\":3,\"type\":\"X\"},{\"start\":2,\"end\":4,\"type\":\"Y\"}]}\n";
    wrong(
        spans(&format!("not json\n{{}}\n{overlap}")),
        &["line 1 is not a JSON object", "line 2 has no `sequence`", "line 3 has spans that overlap"],
    );
    let twice = "{\"sequence\":\"s\",\"annotator\":\"w\",\"length\":1,\"spans\":[]}\n".repeat(2);
    wrong(spans(&twice), &["`s` comes twice for `w`"]);
    // a table without sequences cannot be written so
    let plain = read_answers(&memory("a.csv", "item,worker,label\nx,w,O\n"), &ReadOptions::default()).unwrap().value;
    assert!(write_conll(&mut Vec::new(), &plain, &[]).unwrap_err().to_string().contains("no sequences"));
}

#[test]
fn a_graph_of_items() {
    let d =
        read_answers(&memory("a.csv", "item,worker,label\nx,w,1\ny,w,2\nz,w,1\n"), &ReadOptions::default()).unwrap();
    let table = &d.value.table;
    let read = read_graph(&memory("g.csv", "from,to,weight\nx,y,1\n y , z ,1\nx,nobody,1\n"), table).unwrap();
    assert_eq!(read.value, Structure::Graph(vec![[0, 1], [1, 2]]));
    assert!(read.notes[1].contains("1 of 3 pairs") && read.notes[1].contains("`nobody`"), "{:?}", read.notes);
    assert_eq!(read_graph(&memory("g.tsv", "x\tz\n"), table).unwrap().value, Structure::Graph(vec![[0, 2]]));
    let e = read_graph(&memory("g.csv", "a,b\nc,d\n"), table).unwrap_err().to_string();
    assert!(e.contains("no pair of items") && e.contains("`c`"), "{e}");
    assert!(read_graph(&memory("g.csv", "x,y\nz\n"), table).unwrap_err().to_string().contains("row 2 has one column"));
}
