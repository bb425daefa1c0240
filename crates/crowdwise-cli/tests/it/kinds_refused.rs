//! Bad input of every kind beside single classes: what is wrong, where, and what next; or counted and said where nothing
//! has to be thrown away.

use crate::common;

use common::{Run, folder, run_in};

fn run(file: &str, text: &str, args: &[&str]) -> Run {
    let dir = folder(&[(file, text.as_bytes())]);
    let all: Vec<&str> = std::iter::once(args[0]).chain([file]).chain(args[1..].iter().copied()).collect();
    run_in(dir.path(), &all)
}

/// Refused with exit code 2, with all these parts in the message.
fn refused(file: &str, text: &str, args: &[&str], parts: &[&str]) {
    let run = run(file, text, args);
    assert!(run.code == 2 && run.stdout.is_empty(), "{}", run.block());
    for part in parts {
        assert!(run.stderr.contains(part), "{part}\n{}", run.block());
    }
}

/// Done, with all these parts on standard error or standard output.
fn said(file: &str, text: &str, args: &[&str], parts: &[&str]) {
    let run = run(file, text, args);
    assert_eq!(run.code, 0, "{}", run.block());
    for part in parts {
        assert!(run.stderr.contains(part) || run.stdout.contains(part), "{part}\n{}", run.block());
    }
}

#[test]
fn gaps_in_positions() {
    let head = "sequence,position,annotator,label\n";
    // a few are tokens of which nothing is known, and said
    let few = format!("{head}s1,0,a,O\ns1,1,a,X\ns1,3,a,O\ns1,3,b,O\n");
    said("few.csv", &few, &["inspect"], &["1 token inside sequences in no row: `s1` at 2"]);
    // many mean that the numbers are not positions
    let many = format!("{head}s1,0,a,O\ns1,90,a,X\n");
    let parts = ["there are 91 positions but only 2 rows", "`s1` goes from 0 to 90", "follow each other: 0, 1, 2"];
    refused("many.csv", &many, &["fit"], &parts);
    let words = format!("{head}s1,first,a,O\ns1,second,a,X\n");
    let parts = ["line 2 (the position `first` is not a whole number)", "line 3", "--skip-bad-rows"];
    refused("words.csv", &words, &["fit"], &parts);
    // of rankings
    let ranks = "ranking,annotator,item,position\nr,a,x,1\nr,a,y,3\n";
    refused("ranks.csv", ranks, &["rank"], &["line 3 (nobody is at position 2 of ranking `r` by `a`)"]);
}

#[test]
fn unknown_tags() {
    let text = "Ada B-PER B-PER\nByron Z-PER I-PER\nwrote O O\n\nto I- O\nParis B-LOC B-LOC\n";
    let parts = ["`Z-PER` on line 2 is not a span tag", "`I-` on line 5", "as in `B-PER`"];
    refused("x.conll", text, &["inspect"], &parts);
    // words that are no tags at all are classes like any others
    said("pos.conll", "Ada NOUN NOUN\nwrote VERB NOUN\n", &["inspect"], &["NOUN"]);
    // a table says so, and methods that need the scheme refuse
    let rows = "sequence,position,annotator,label\ns,0,a,B-PER\ns,1,a,Z-PER\ns,2,a,O\ns,0,b,B-PER\ns,1,b,O\ns,2,b,O\n";
    said("t.csv", rows, &["inspect"], &["unknown-tags", "`Z-PER`"]);
    refused("t.csv", rows, &["fit", "-m", "bayes-seq"], &["`Z-PER`", "is not a span tag", "correct these tags"]);
}

#[test]
fn comparisons_with_oneself_and_winners_from_elsewhere() {
    let text = "left,right,annotator,winner\nx,x,a,x\nx,y,a,z\nx,y,b,x\ny,z,a,yes\n";
    let parts = [
        "3 of 4 rows",
        "line 2 (`x` is compared with itself)",
        "line 3 (the winner `z` is neither `x` nor `y` nor a tie)",
        "line 5 (the winner `yes` is neither `y` nor `z` nor a tie)",
        "--skip-bad-rows",
    ];
    refused("p.csv", text, &["rank"], &parts);
    said("p.csv", text, &["rank", "--skip-bad-rows"], &["3 of 4 rows were skipped"]);
}

#[test]
fn bad_rankings() {
    let text = "annotator,ranking\na,x > y > x\na,x\nb,x = y > z\nb,x, y, z\n";
    refused("r.csv", text, &["rank"], &["line 5"]);
    let text = "annotator,ranking\na,x > y > x\na,x\nb,x = y > z\n";
    let parts =
        ["3 of 3 rows", "line 2 (`x` stands twice", "line 3 (`x` is a ranking of one item", "line 4 (`x = y` is a tie"];
    refused("r.csv", text, &["rank"], &parts);
    let text = "annotator,item,rank\na,x,1\na,y,1\na,x,2\nb,x,1\n";
    let parts = ["taken twice, first on line 2", "`x` is in the ranking by `a` twice", "has only one item"];
    refused("p.csv", text, &["fit"], &parts);
    refused("w.csv", "annotator,choice,shown\na,q,x|y\n", &["rank"], &["`q` was chosen but is not among those shown"]);
    refused("g.csv", "annotator,ranking\na,x > y\n", &["fit", "--graph", "g.csv"], &["has rankings"]);
}

#[test]
fn contradictory_judgements_of_pairs() {
    let text = "left,right,annotator,same\nx,y,a,yes\ny,x,a,no\nx,y,b,yes\ny,z,b,yes\nx,z,b,no\nx,x,a,yes\n";
    refused("s.csv", text, &["fit"], &["line 7 (`x` is compared with itself)"]);
    let parts = [
        "contradictory-judgements",
        "once an annotator said of one pair that both are the same and that they are not: `x` and `y` by `a`",
        "conflicting-judgements",
        "`x` and `z` by `b`",
    ];
    said("s.csv", text, &["inspect", "--skip-bad-rows"], &parts);
    said("s.csv", text, &["fit", "--skip-bad-rows"], &["contradictory-judgements"]);
    let text = "left,right,annotator,same\nx,y,a,maybe\n";
    refused("s.csv", text, &["fit"], &["line 2 (`maybe` is neither yes nor no)"]);
}

#[test]
fn graphs_of_other_items() {
    let votes = "item,annotator,label\nx,a,p\ny,a,q\nx,b,p\ny,b,p\n";
    let dir = folder(&[
        ("v.csv", votes.as_bytes()),
        ("none.csv", b"from,to\nq1,q2\nq3,q4\n"),
        ("some.csv", b"from,to\nx,y\nx,nobody\ny,y\n"),
        ("narrow.csv", b"x\ny\n"),
    ]);
    let run = |graph: &str| run_in(dir.path(), &["fit", "v.csv", "--graph", graph, "-m", "ds-mrf", "--format", "csv"]);
    let none = run("none.csv");
    assert!(none.code == 2 && none.stderr.contains("first unknown item is `q1`"), "{}", none.block());
    assert!(none.stderr.contains("same item ids"), "{}", none.block());
    let some = run("some.csv").ok();
    for part in [
        "1 pair of neighbours",
        "1 of 3 pairs with unknown items left out (the first is `nobody`)",
        "1 pair of an item with itself left out",
    ] {
        assert!(some.stderr.contains(part), "{part}\n{}", some.block());
    }
    let narrow = run("narrow.csv");
    assert!(narrow.code == 2 && narrow.stderr.contains("row 1 has one column"), "{}", narrow.block());
}

#[test]
fn sets_in_several_spellings_and_broken_ones() {
    let text = "item,annotator,label\nx,a,Sea|sand\nx,b,sea\ny,a,sea-side\ny,b,sea_side|sand\n";
    let parts = ["differ only in spelling are treated as different: `Sea` and `sea`, `sea-side` and `sea_side`"];
    said("t.csv", text, &["fit", "--sets", "-m", "majority-vote"], &parts);
    said("t.csv", "item,annotator,label\nx,a,Cat\nx,b,cat\n", &["inspect"], &["alike-classes", "`Cat` and `cat`"]);
    let text = "item,annotator,label\nx,a,sea||sand\nx,b,sea|sea\n";
    let parts = ["`sea||sand` has an empty class", "`sea|sea` names a class twice", "`|` alone for none"];
    refused("t.csv", text, &["inspect", "--sets"], &parts);
    // truth of sets
    let dir = folder(&[
        ("t.csv", b"item,annotator,label\nx,a,sea|sand\nx,b,sea\ny,a,|\ny,b,sand\n".as_slice()),
        ("broken.csv", b"item,label\nx,sea||sand\n"),
        ("other.csv", b"item,label\nq,sea\n"),
        ("new.csv", b"item,label\nx,sea|town\nx,sand\ny,|\n"),
    ]);
    let fit = |truth: &str| run_in(dir.path(), &["fit", "t.csv", "--sets", "-m", "majority-vote", "--truth", truth]);
    let broken = fit("broken.csv");
    assert!(broken.code == 2 && broken.stderr.contains("`sea||sand` has an empty class"), "{}", broken.block());
    let other = fit("other.csv");
    assert!(other.code == 2 && other.stderr.contains("occurs in the answers"), "{}", other.block());
    let new = fit("new.csv").ok();
    assert!(new.stderr.contains("1 known class in new.csv that no annotator gave"), "{}", new.block());
}
