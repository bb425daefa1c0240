//! `crowdwise rank`: the leaderboard, the next questions, and what is refused.

use crate::common;

use common::{folder, root, run, run_in};

/// The cells of one column of CSV.
fn column<'a>(csv: &'a str, name: &str) -> Vec<&'a str> {
    let mut lines = csv.lines();
    let at = lines.next().unwrap().split(',').position(|n| n == name).unwrap();
    lines.map(|l| l.split(',').nth(at).unwrap()).collect()
}

fn example() -> String {
    root().join("examples/pairs.csv").display().to_string()
}

#[test]
fn the_leaderboard_adds_up() {
    let file = example();
    let out = run(&["rank", &file, "--format", "csv"]).ok();
    assert!(out.stderr.contains("method: crowd-bt, because"), "{}", out.stderr);
    let lines: Vec<&str> = out.stdout.lines().collect();
    assert_eq!(lines[0], "rank,item,score,low,high,rank_low,rank_high,wins,losses,ties,games");
    let mut before = f64::INFINITY;
    let (mut wins, mut losses, mut games) = (0, 0, 0);
    for (place, line) in lines[1..].iter().enumerate() {
        let f: Vec<&str> = line.split(',').collect();
        let number = |at: usize| f[at].parse::<f64>().unwrap();
        assert_eq!(f[0], (place + 1).to_string());
        assert!(number(2) <= before && number(3) <= number(2) && number(2) <= number(4), "{line}");
        assert!(number(5) <= number(0) && number(0) <= number(6), "{line}");
        assert_eq!(number(7) + number(8) + number(9), number(10), "{line}");
        before = number(2);
        wins += number(7) as u64;
        losses += number(8) as u64;
        games += number(10) as u64;
    }
    assert_eq!(wins, losses);
    assert_eq!(games, 2 * 240);
}

#[test]
fn every_method_of_preferences_ranks_and_json_has_it_all() {
    let file = example();
    for method in ["crowd-bt", "bradley-terry", "plackett-luce", "rank-centrality", "sml"] {
        let json = run(&["rank", &file, "-m", method, "--format", "json", "-q"]).ok().json();
        assert_eq!(json["method"], method);
        assert!(json.get("chosen").is_none() && json["leaderboard"].as_array().unwrap().len() > 5, "{method}");
        assert_eq!(json["leaderboard"][0]["rank"], 1);
        let games: u64 = json["leaderboard"].as_array().unwrap().iter().map(|r| r["games"].as_u64().unwrap()).sum();
        assert_eq!(games, 480, "{method}");
    }
    let truth = root().join("examples/pairs-truth.csv").display().to_string();
    let json = run(&["rank", &file, "--truth", &truth, "--format", "json", "-q"]).ok().json();
    assert!(json["chosen"].is_string() && json["evaluation"]["kendall"].as_f64().unwrap() > 0.5);
}

#[test]
fn few_answers_per_annotator_mean_bradley_terry() {
    let mut text = String::from("left,right,annotator,winner\n");
    for n in 0..60 {
        text += &format!("x{},x{},a{},x{}\n", n % 5, (n + 1) % 5, n / 3, (n + n % 2) % 5);
    }
    let dir = folder(&[("b.csv", text.as_bytes())]);
    let out = run_in(dir.path(), &["rank", "b.csv", "--format", "csv"]).ok();
    assert!(out.stderr.contains("method: bradley-terry, because"), "{}", out.stderr);
}

#[test]
fn the_next_questions_are_pairs_of_known_items() {
    let file = example();
    let out = run(&["rank", &file, "--next", "12", "--format", "csv", "-q"]).ok();
    let rows: Vec<Vec<&str>> = out.stdout.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows[0], ["left", "right", "annotator", "gain", "why"]);
    assert_eq!(rows.len(), 13);
    for r in &rows[1..] {
        assert!(r[0] != r[1] && r[0].starts_with('i') && r[2].starts_with('a'), "{r:?}");
        assert!(r[3].parse::<f64>().unwrap() > 0.0 && ["gain", "random"].contains(&r[4]), "{r:?}");
    }
    let again = run(&["rank", &file, "--next", "12", "--format", "csv", "-q"]).ok();
    assert_eq!(out.stdout, again.stdout);
}

#[test]
fn what_is_no_comparison_is_refused() {
    let bad = b"left,right,annotator,winner\nx,y,a,x\nx,x,a,x\nx,y,b,q\ny,z,b,tie\n";
    let dir = folder(&[
        ("bad.csv", bad),
        ("votes.csv", b"item,annotator,label\nx,a,1\ny,a,2\n"),
        ("good.csv", b"left,right,annotator,winner\nx,y,a,x\ny,z,a,y\nz,x,b,x\n"),
    ]);
    let refused = |args: &[&str], parts: &[&str]| {
        let out = run_in(dir.path(), args);
        assert_eq!(out.code, 2, "{args:?}\n{}", out.block());
        assert!(out.stdout.is_empty(), "{args:?}");
        for part in parts {
            assert!(out.stderr.contains(part), "{args:?}: {}", out.stderr);
        }
    };
    refused(&["rank", "bad.csv"], &["2 of 4 rows", "line 3", "compared with itself", "line 4", "the winner `q`"]);
    refused(&["rank", "votes.csv"], &["rank needs comparisons or rankings"]);
    refused(&["rank", "good.csv", "-m", "majority-vote"], &["majority-vote does not rank items"]);
    refused(&["rank", "good.csv", "-m", "crowd-btt"], &["did you mean `crowd-bt`?"]);
    refused(&["rank", "good.csv", "-m", "pref-e2e"], &["pref-e2e learns from features"]);
    refused(&["rank", "good.csv", "-p", "alpha=0.5"], &["alpha"]);
    let out = run_in(dir.path(), &["rank", "bad.csv", "--skip-bad-rows", "--format", "csv"]).ok();
    assert_eq!(column(&out.stdout, "item").len(), 3);
}

#[test]
fn clusters_come_from_judgements_of_pairs() {
    let same = b"left,right,annotator,same\nx,y,a,yes\ny,z,a,yes\nx,z,b,yes\nx,q,a,no\ny,q,b,no\n";
    let dir = folder(&[("same.csv", same), ("truth.csv", b"item,label\nx,1\ny,1\nz,1\nq,2\n")]);
    let args = ["fit", "same.csv", "--truth", "truth.csv", "--format", "csv"]; // the default for judgements
    let out = run_in(dir.path(), &args).ok();
    assert!(out.stderr.contains("adjusted Rand 1.0000, F1 of pairs 1.0000"), "{}", out.stderr);
    assert_eq!(column(&out.stdout, "cluster"), ["0", "0", "0", "1"]);
    assert_eq!(column(&out.stdout, "size"), ["3", "3", "3", "1"]);
    for command in ["annotators", "items", "inspect"] {
        let mut args = vec![command, "same.csv"];
        if command != "inspect" {
            args.extend(["-m", "crowd-clusters"]);
        }
        run_in(dir.path(), &args).ok();
    }
    run_in(dir.path(), &["report", "same.csv", "-m", "crowd-clusters", "-o", "page.html"]).ok();
    let html = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(html.contains("2 clusters") && html.contains("Clusters"));
    let out = run_in(dir.path(), &["fit", "same.csv", "-m", "crowd-clusters", "--gold", "truth.csv"]);
    assert_eq!(out.code, 2, "{}", out.block());
}
