//! Rankings: as people have them, back again, and spoiled.

use crowdwise_core::{Dataset, Error, LabelKind, Structure};
use crowdwise_io::{Format, Read, ReadOptions, Source, TableFormat, read_answers, write_answers};

fn read_as(text: &str, format: Format, options: &ReadOptions) -> Result<Read<Dataset>, Error> {
    let source = Source::Memory { name: "ranks.csv".into(), bytes: text.as_bytes().into() };
    read_answers(&source, &ReadOptions { format: Some(format), ..options.clone() })
}

fn read(text: &str) -> Result<Read<Dataset>, Error> {
    read_as(text, Format::Csv, &ReadOptions::default())
}

/// (name, annotator, ranked > … | behind, …) of every ranking; those behind sorted.
fn rankings(d: &Dataset) -> Vec<(String, String, String)> {
    let Structure::Rankings(r) = &d.structure else { panic!("no rankings") };
    let name = |i: &u32| d.table.items().name(*i as usize).to_owned();
    let mut out: Vec<_> = (0..r.len())
        .map(|x| {
            let (ranked, behind) = r.ranking(x);
            let mut last: Vec<String> = behind.iter().map(name).collect();
            last.sort();
            let text = format!("{} | {}", ranked.iter().map(name).collect::<Vec<_>>().join(" > "), last.join(", "));
            (r.name(x), d.table.annotators().name(r.annotator(x) as usize).to_owned(), text)
        })
        .collect();
    out.sort();
    out
}

fn row(name: &str, annotator: &str, text: &str) -> (String, String, String) {
    (name.into(), annotator.into(), text.into())
}

#[test]
fn places_one_a_row_in_any_order() {
    // two annotators rank the same set; positions from 0 or from 1; none means behind
    let text = "ranking,annotator,item,position\n\
                q1,ann,b,2\nq1,ann,a,1\nq1,bob,a,1\nq1,bob,c,\nq1,bob,b,\nq1,ann,c,3\nq2,ann,d,1.0\nq2,ann,a,0\n";
    let read = read(text).unwrap();
    let want = [row("q1", "ann", "a > b > c | "), row("q1", "bob", "a | b, c"), row("q2", "ann", "a > d | ")];
    assert_eq!(rankings(&read.value), want);
    assert_eq!((read.value.table.kind(), read.value.table.n_labels()), (LabelKind::Preference, 3 + 2 + 1));
    let note = "columns: ranking = ranking, annotator = annotator, item = item, position = position (rankings)";
    assert_eq!(read.notes[0], note);
    assert_eq!(read.notes[1], "3 rankings of 2.7 items on average, which are 6 comparisons");
}

#[test]
fn without_a_column_of_rankings_every_annotator_gave_one() {
    let read = read("worker,item,rank\nann,a,1\nann,b,2\nbob,b,1\nbob,a,2\n").unwrap();
    assert_eq!(rankings(&read.value), [row("ann", "ann", "a > b | "), row("bob", "bob", "b > a | ")]);
    assert!(read.notes[0].ends_with("(one ranking an annotator)"), "{:?}", read.notes);
}

#[test]
fn whole_rankings_one_a_row() {
    let text = "prompt,judge,ranking\np1,ann,a > b>c\np2,ann, b > a = c\np2,bob,\n";
    let read = read(text).unwrap();
    assert_eq!(rankings(&read.value), [row("1", "ann", "a > b > c | "), row("2", "ann", "b | a, c")]);
    assert!(read.notes.iter().any(|n| n == "1 answer without a label left out"), "{:?}", read.notes);
}

#[test]
fn the_best_of_what_was_shown() {
    let read = read("judge,choice,shown\nann,b,a|b|c\nbob,a,\"c, a\"\n").unwrap();
    assert_eq!(rankings(&read.value), [row("1", "ann", "b | a, c"), row("2", "bob", "a | c")]);
    let text = "{\"judge\":\"ann\",\"ranking\":\"a > b\",\"shown\":\"a;b;c\"}\n";
    let read = read_as(text, Format::Jsonl, &ReadOptions::default()).unwrap();
    assert_eq!(rankings(&read.value), [row("1", "ann", "a > b | c")]);
}

#[test]
fn a_table_with_labels_is_no_ranking() {
    let data = read("item,annotator,label,position\nx,a,cat,1\ny,a,dog,2\n").unwrap().value;
    assert_eq!((data.table.kind(), data.structure), (LabelKind::Categorical, Structure::Independent));
    let o = ReadOptions { label: Some("rank".into()), ..Default::default() };
    let data = read_as("item,annotator,rank\nx,a,1\ny,a,2\n", Format::Csv, &o).unwrap().value;
    assert_eq!(data.table.kind(), LabelKind::Categorical);
    // what was shown and which one is best may stand beside labels
    let data = read("question,annotator,answer,options,best\nx,a,p,p|q,p\ny,a,q,p|q,q\n").unwrap().value;
    assert_eq!((data.table.kind(), data.structure), (LabelKind::Categorical, Structure::Independent));
}

#[test]
fn written_and_read_again() {
    let text = "judge,ranking\nann,a > b > c\nbob,c > a = b\nann,b > a\n";
    let data = read(text).unwrap().value;
    let dir = tempfile::tempdir().unwrap();
    for (to, from) in
        [(TableFormat::Csv, Format::Csv), (TableFormat::Parquet, Format::Parquet), (TableFormat::Jsonl, Format::Jsonl)]
    {
        let path = dir.path().join(from.name());
        write_answers(Box::new(std::fs::File::create(&path).unwrap()), to, &data).unwrap();
        let options = ReadOptions { format: Some(from), threads: 2, ..Default::default() };
        let back = read_answers(&Source::Path(path), &options).unwrap().value;
        assert_eq!(rankings(&back), rankings(&data), "{from:?}");
    }
}

#[test]
fn many_blocks_give_the_same_rankings_and_lines() {
    let mut text = String::from("judge,ranking\n");
    for n in 0..60_000 {
        text.push_str(&format!("j{},i{} > i{} > i{}\n", n % 7, n % 50, (n + 1) % 50, (n + 2) % 50));
    }
    let with = |threads| read_as(&text, Format::Csv, &ReadOptions { threads, ..Default::default() }).unwrap().value;
    let (one, two) = (with(1), with(2));
    assert_eq!((one.table.digest(), &one.structure), (two.table.digest(), &two.structure));
    assert_eq!(one.table.n_labels(), 180_000);
    text.push_str("j0,i1 > i1\n");
    for threads in [1, 2] {
        let e = read_as(&text, Format::Csv, &ReadOptions { threads, ..Default::default() }).unwrap_err().to_string();
        assert!(e.contains("line 60002"), "{e}");
    }
}

fn refused(text: &str) -> String {
    let e = read(text).unwrap_err();
    format!("{e} ({})", e.hint().unwrap_or_default())
}

#[test]
fn all_that_is_wrong_with_places_comes_at_once() {
    let text = "ranking,annotator,item,position\n\
                q1,ann,a,1\nq1,ann,b,1\n\
                q2,ann,a,1\nq2,ann,b,2\nq2,ann,a,3\n\
                q3,ann,a,1\nq3,ann,b,4\n\
                q4,ann,a,1\n\
                q5,ann,a,\nq5,ann,b,\n";
    let e = refused(text);
    for part in [
        "5 of 10 rows of ranks.csv could not be read",
        "line 3 (position 1 of ranking `q1` by `ann` is taken twice, first on line 2)",
        "line 6 (`a` is in ranking `q2` by `ann` twice, first on line 4)",
        "line 8 (nobody is at position 2 to 3 of ranking `q3` by `ann`)",
        "line 9 (ranking `q4` by `ann` has only one item)",
        "line 10 (no item of ranking `q5` by `ann` has a position)",
    ] {
        assert!(e.contains(part), "{part}\n{e}");
    }
    let e = refused("annotator,item,rank\nann,a,2\nann,b,3\nbob,a,first\nbob,b,2\n");
    assert!(e.contains("line 2 (nobody is at position 1 of the ranking by `ann`)"), "{e}");
    assert!(e.contains("line 4 (the position `first` is not a whole number)"), "{e}");
}

#[test]
fn all_that_is_wrong_with_whole_rankings_comes_at_once() {
    let e = refused("judge,ranking,shown\nann,a > b > a,\nann,a,\nann,a > > b,\nann,a = b > c,\nann,d,a|b\n,a > b,\n");
    for part in [
        "6 of 6 rows",
        "line 2 (`a` stands twice in `a > b > a`)",
        "line 3 (`a` is a ranking of one item (items are separated by `>`, best first))",
        "line 4 (`a > > b` has a place without an item)",
        "line 5 (`a = b` is a tie before the last place, which a ranking cannot hold)",
        "line 6 (`d` was chosen but is not among those shown (`a|b`))",
    ] {
        assert!(e.contains(part), "{part}\n{e}");
    }
}

#[test]
fn bad_rankings_are_left_out_if_that_is_asked_for() {
    let o = ReadOptions { skip_bad_rows: true, ..Default::default() };
    let text = "ranking,annotator,item,position\nq1,ann,a,1\nq1,ann,b,1\nq2,ann,a,1\nq2,ann,b,2\n";
    let read = read_as(text, Format::Csv, &o).unwrap();
    assert_eq!(rankings(&read.value), [row("q2", "ann", "a > b | ")]);
    assert!(read.notes.iter().any(|n| n.starts_with("1 of 4 rows were skipped: line 3")), "{:?}", read.notes);
    assert!(read_as("judge,ranking\nann,a\n", Format::Csv, &o).is_err());
}
