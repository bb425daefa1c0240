//! Learning from features and predicting with what was learned.

mod common;

use common::run_in;
use std::path::Path;

/// 200 items with five features, two labels each, and 40 more for tests.
fn world() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "simulate",
        "dawid-skene",
        "--items",
        "240",
        "--annotators",
        "12",
        "--per-item",
        "2",
        "--features",
        "5",
        "-o",
        "w",
        "--seed",
        "4",
        "-q",
    ];
    run_in(dir.path(), &args).ok();
    let read = |f: &str| std::fs::read_to_string(dir.path().join("w").join(f)).unwrap();
    let write = |f: &str, text: &str| std::fs::write(dir.path().join(f), text).unwrap();
    // the first 200 items train, the others test; item ids are taken from the truth file
    let truth = read("truth.csv");
    let rows: Vec<(&str, &str)> = truth.lines().skip(1).map(|l| l.split_once(',').unwrap()).collect();
    let test: Vec<&str> = rows[200..].iter().map(|r| r.0).collect();
    let answers = read("answers.csv");
    let keep = answers.lines().filter(|l| !test.contains(&l.split(',').next().unwrap()));
    write("answers.csv", &(keep.collect::<Vec<_>>().join("\n") + "\n"));
    write("items.csv", &("item\n".to_owned() + &rows[..200].iter().map(|r| format!("{}\n", r.0)).collect::<String>()));
    write("test-items.csv", &("item\n".to_owned() + &test.iter().map(|i| format!("{i}\n")).collect::<String>()));
    let labelled = |rows: &[(&str, &str)]| rows.iter().map(|(i, l)| format!("{i},{l}\n")).collect::<String>();
    write("truth.csv", &("item,label\n".to_owned() + &labelled(&rows[..200])));
    write("test-by-item.csv", &("item,label\n".to_owned() + &labelled(&rows[200..])));
    let by_row: String = rows[200..].iter().enumerate().map(|(n, r)| format!("{n},{}\n", r.1)).collect();
    write("test-by-row.csv", &("row,label\n".to_owned() + &by_row));
    let npy = std::fs::read(dir.path().join("w/features.npy")).unwrap();
    let (_, data) = npy.split_at(npy.len() - 240 * 5 * 4);
    std::fs::write(dir.path().join("x.npy"), array("<f4", "(200, 5)", &data[..200 * 20])).unwrap();
    std::fs::write(dir.path().join("t.npy"), array("<f4", "(40, 5)", &data[200 * 20..])).unwrap();
    std::fs::write(dir.path().join("wide.npy"), array("<f4", "(25, 8)", &data[..200 * 4])).unwrap();
    dir
}

fn array(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

const LEARN: [&str; 6] = ["learn", "answers.csv", "--features", "x.npy", "--items", "items.csv"];

fn learn(dir: &Path, more: &[&str]) -> common::Run {
    run_in(dir, &[&LEARN[..], &["-p", "epochs=8", "-p", "hidden=16", "-p", "learning_rate=0.01"], more].concat())
}

#[test]
fn the_document_has_what_was_promised() {
    let dir = world();
    let test = ["--test-features", "t.npy", "--test-truth", "test-by-row.csv"];
    let args =
        [&["-m", "crowd-layer", "--truth", "truth.csv", "--format", "json", "--seed", "3", "-q"], &test[..]].concat();
    let d = learn(dir.path(), &args).ok().json();
    assert_eq!((&d["method"], &d["seed"], &d["params"]["epochs"]), (&"crowd-layer".into(), &3.into(), &8.into()));
    assert!(d["train"]["inference_accuracy"].as_f64().unwrap() > 0.5);
    assert_eq!(d["test"]["n"], 40);
    for field in ["accuracy", "auc", "log_loss", "ece", "macro_f1"] {
        assert!(d["test"][field].as_f64().is_some_and(f64::is_finite), "{field}: {}", d["test"]);
    }
    let trace = d["trace"].as_array().unwrap();
    assert!(trace.len() == 8 && trace[0]["epoch"] == 1 && trace[7]["loss"].is_f64() && trace[7]["held_out"].is_f64());
    assert!(d["elapsed_seconds"].as_f64().unwrap() > 0.0);
    // by item the same, and the same bits again
    let args: Vec<&str> = args.iter().map(|a| if *a == "test-by-row.csv" { "test-by-item.csv" } else { *a }).collect();
    let again = learn(dir.path(), &[&args[..], &["--test-items", "test-items.csv"]].concat()).ok().json();
    assert_eq!((&again["test"], &again["trace"]), (&d["test"], &d["trace"]));
}

/// Sources that vote for one class each are learned in two stages, and it is said why.
#[test]
fn the_sources_choose_the_learner() {
    let dir = tempfile::tempdir().unwrap();
    let simulate = |model: &str| {
        let args =
            ["simulate", model, "--items", "200", "--annotators", "6", "--classes", "3", "--features", "3", "--force"];
        run_in(dir.path(), &[&args[..], &["-o", "w", "-q"]].concat()).ok();
    };
    let learn = |more: &[&str]| {
        let args = ["learn", "w/answers.csv", "--features", "w/features.npy", "--items", "w/truth.csv", "-q"];
        let short = ["-p", "epochs=2", "-p", "hidden=4", "--format", "json"];
        run_in(dir.path(), &[&args[..], &short, more].concat()).ok().json()
    };
    simulate("labelling-functions");
    let d = learn(&[]);
    assert_eq!((&d["method"], &d["params"]["method"]), (&"two-stage".into(), &"majority-vote".into()));
    assert_eq!(d["params"]["epochs"], 2);
    let found = &d["findings"][0];
    assert_eq!(found["code"], "chosen");
    assert!(found["message"].as_str().unwrap().contains("vote for one class only"), "{found}");
    // who asks for a learner gets it
    assert_eq!(learn(&["-m", "aggnet"])["method"], "aggnet");
    simulate("dawid-skene");
    assert_eq!(learn(&[])["method"], "aggnet");
}

/// Images that are bright on the left or on the right, in folders by day; two annotators who are right and one who is not.
#[test]
fn from_a_folder_of_images() {
    let dir = tempfile::tempdir().unwrap();
    let mut answers = "item,annotator,label\n".to_owned();
    for n in 0..60u8 {
        let side = usize::from(n % 2);
        let folder = dir.path().join(format!("photos/day{}", n / 20));
        std::fs::create_dir_all(&folder).unwrap();
        let mut pixels = [40 + n % 7; 64];
        pixels.chunks_mut(8).for_each(|row| row[4 * side..4 * side + 4].fill(190 + n % 5));
        let mut encoder = png::Encoder::new(std::fs::File::create(folder.join(format!("p{n}.png"))).unwrap(), 8, 8);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        let sides = ["left", "right"];
        for (who, said) in [("ann", side), ("ben", side), ("col", usize::from(n % 3 == 0))] {
            answers += &format!("p{n},{who},{}\n", sides[said]);
        }
    }
    std::fs::write(dir.path().join("answers.csv"), answers).unwrap();
    let args =
        ["learn", "answers.csv", "--features", "photos", "-p", "network=mlp", "-p", "hidden=8", "--model-out", "m.cw"];
    let run = run_in(dir.path(), &args).ok();
    assert!(run.stderr.contains("60 images of 8 x 8 pixels, grey"), "{}", run.stderr);
    let p = run_in(dir.path(), &["predict", "m.cw", "--features", "photos", "-q"]).ok();
    let right = |l: &&str| {
        let n: usize = l.split_once(".png").unwrap().0.rsplit_once("/p").unwrap().1.parse().unwrap();
        l.contains(if n.is_multiple_of(2) { ",left," } else { ",right," })
    };
    assert_eq!(p.stdout.lines().skip(1).filter(right).count(), 60, "{}", p.stdout);
    std::fs::remove_file(dir.path().join("photos/day0/p3.png")).unwrap();
    let refused = run_in(dir.path(), &args);
    assert!(refused.code == 2 && refused.stderr.contains("no features for 1 of 60 items: `p3`"), "{}", refused.stderr);
}

#[test]
fn a_model_is_kept_predicts_and_says_what_it_is() {
    let dir = world();
    let run = learn(dir.path(), &["-m", "max-mig", "--model-out", "m.cw", "--posterior"]).ok();
    assert!(run.stdout.starts_with("item,label,probability,p_") && run.stdout.lines().count() == 201);
    assert!(run.stderr.contains("model written to m.cw"), "{}", run.stderr);
    let p = run_in(dir.path(), &["predict", "m.cw", "--features", "t.npy", "-q"]).ok();
    assert_eq!((p.stdout.lines().count(), p.stdout.lines().next()), (41, Some("item,label,probability")));
    assert!(p.stdout.lines().nth(1).unwrap().starts_with("0,"));
    let named = ["predict", "m.cw", "--features", "t.npy", "--items", "test-items.csv", "--format", "json", "-q"];
    let d = run_in(dir.path(), &[&named[..], &["--samples", "5", "--truth", "test-by-item.csv"]].concat()).ok().json();
    assert_eq!((&d["model"]["method"], &d["n"]), (&"max-mig".into(), &40.into()));
    assert!(d["predictions"][0]["bald"].is_f64() && d["evaluation"]["accuracy"].as_f64().unwrap() > 0.5);
    // with the labels it was trained on, the answers of the training come back
    let all = [
        "predict",
        "m.cw",
        "--features",
        "x.npy",
        "--items",
        "items.csv",
        "--answers",
        "answers.csv",
        "--posterior",
        "-q",
    ];
    let again = run_in(dir.path(), &all).ok().stdout;
    for (a, b) in run.stdout.lines().zip(again.lines()).skip(1) {
        let (a, b): (Vec<&str>, Vec<&str>) = (a.split(',').collect(), b.split(',').collect());
        assert_eq!(a[..2], b[..2]);
        assert!((a[2].parse::<f64>().unwrap() - b[2].parse::<f64>().unwrap()).abs() < 1e-9);
    }
}

#[test]
fn a_model_says_who_knows_what() {
    let dir = world();
    learn(dir.path(), &["-m", "dlc", "--model-out", "m.cw"]).ok();
    let ask = ["predict", "m.cw", "--features", "t.npy", "--items", "test-items.csv", "--expertise", "-q"];
    let table = run_in(dir.path(), &ask).ok().stdout;
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|l| l.split(',').collect()).collect();
    assert_eq!((table.lines().next(), rows.len()), (Some("item,annotator,expertise"), 40 * 12));
    let p: Vec<f64> = rows.iter().map(|r| r[2].parse().unwrap()).collect();
    assert!(p.iter().all(|p| (0.01..=0.99).contains(p)));
    // one annotator is not as good on every item, and not every annotator is as good on one item
    let of = |c: usize, name: &str| {
        rows.iter().filter(|r| r[c] == name).map(|r| r[2].parse().unwrap()).collect::<Vec<f64>>()
    };
    for (c, name, n) in [(1, rows[0][1], 40), (0, rows[0][0], 12)] {
        let all = of(c, name);
        let spread = all.iter().copied().fold(0.0, f64::max) - all.iter().copied().fold(1.0, f64::min);
        assert!(all.len() == n && spread > 1e-3, "{name}: {all:?}");
    }
    let d = run_in(dir.path(), &[&ask[..], &["--format", "json"]].concat()).ok().json();
    let first: f64 = rows[0][2].parse().unwrap();
    let same = d["expertise"][0]["annotators"][rows[0][1]].as_f64().unwrap();
    assert!((same - first).abs() < 1e-9, "{same} {first}");
    learn(dir.path(), &["-m", "aggnet", "--model-out", "n.cw"]).ok();
    let refused = run_in(dir.path(), &["predict", "n.cw", "--features", "t.npy", "--expertise"]);
    assert!(refused.code == 2 && refused.stderr.contains("knows no expertise"), "{}", refused.stderr);
    assert!(refused.stderr.contains("-m dlc"), "{}", refused.stderr);
}

#[test]
fn a_grid_is_judged_by_labels_that_were_held_out() {
    let dir = world();
    let learn = |more: &[&str]| run_in(dir.path(), &[&LEARN[..], more].concat());
    let run = learn(&["-m", "aggnet", "-p", "epochs=15", "-p", "network=linear", "--grid", "learning_rate=1e-7,1e-2"]);
    let run = run.ok();
    assert!(run.stderr.contains("chosen by 400 held-out labels: learning_rate=1e-2"), "{}", run.stderr);
    assert!(run.stderr.contains("learning_rate=1e-7"), "{}", run.stderr);
    let json = [
        "-m",
        "aggnet",
        "-p",
        "epochs=8",
        "--grid",
        "learning_rate=1e-7,1e-2",
        "--grid",
        "hidden=4,8",
        "--format",
        "json",
    ];
    let d = learn(&json).ok().json();
    assert_eq!((&d["grid"]["judged_by"], d["grid"]["settings"].as_array().unwrap().len()), (&"labels".into(), 4));
    let best = d["grid"]["best"].as_u64().unwrap() as usize;
    assert!(best >= 2 && d["params"]["learning_rate"] == 1e-2, "{}", d["grid"]);
    assert_eq!(d["grid"]["settings"][best]["behind"], 0.0);
    let slips = ["-m", "aggnet", "-p", "hidden=4", "--grid", "epoch=3,4"];
    let refused = learn(&slips);
    assert!(refused.code == 2 && refused.stderr.contains("no parameter `epoch`"), "{}", refused.stderr);
    let refused = learn(&["-m", "aggnet", "-p", "hidden=4", "--grid", "hidden=3,4"]);
    assert!(refused.code == 2 && refused.stderr.contains("given by -p and by --grid"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_is_said_before_the_work() {
    let dir = world();
    let refused = |args: &[&str], words: &[&str]| {
        let run = run_in(dir.path(), args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.block());
        for w in words {
            assert!(run.stderr.contains(w), "{args:?}: `{w}` is not in\n{}", run.stderr);
        }
    };
    let with = |more: &[&'static str]| -> Vec<&'static str> { [&LEARN[..], more].concat() };
    refused(&with(&["-m", "dawid-skene"]), &["does not learn from features", "-m two-stage -p method=dawid-skene"]);
    refused(&with(&["-m", "crowdlayer"]), &["did you mean `crowd-layer`?"]);
    refused(&with(&["-m", "aggnet", "-p", "epoch=3"]), &["no parameter `epoch`", "did you mean `epochs`?"]);
    refused(&with(&["--test-features", "t.npy"]), &["--test-features needs --test-truth"]);
    refused(
        &with(&["--test-features", "wide.npy", "--test-truth", "test-by-row.csv"]),
        &["8 numbers", "training features have 5"],
    );
    refused(
        &with(&["--test-features", "t.npy", "--test-truth", "test-by-item.csv"]),
        &["have no names", "--test-items"],
    );
    refused(
        &with(&["--test-features", "x.npy", "--test-truth", "test-by-row.csv"]),
        &["truth of 40 rows for 200 rows"],
    );
    refused(&["learn", "answers.csv", "--features", "t.npy"], &["40 rows of features for 200 items", "--items FILE"]);
    refused(&["fit", "answers.csv", "-m", "aggnet"], &["aggnet learns from features", "crowdwise learn"]);
    learn(dir.path(), &["-m", "crowd-layer", "--model-out", "m.cw", "-q"]).ok();
    refused(&["predict", "m.cw", "--features", "wide.npy"], &["8 numbers", "trained on 5"]);
    let mut bytes = std::fs::read(dir.path().join("m.cw")).unwrap();
    bytes[300] ^= 1;
    std::fs::write(dir.path().join("bad.cw"), &bytes).unwrap();
    refused(&["predict", "bad.cw", "--features", "t.npy"], &["bad.cw could not be read", "checksum", "damaged"]);
    std::fs::write(dir.path().join("short.cw"), &bytes[..100]).unwrap();
    refused(&["predict", "short.cw", "--features", "t.npy"], &["short.cw", "damaged"]);
    refused(&["predict", "answers.csv", "--features", "t.npy"], &["not a Crowdwise model", "--model-out"]);
}

#[test]
fn progress_tells_the_epoch_and_the_time_left() {
    let dir = world();
    let run = learn(dir.path(), &["-m", "crowd-layer", "--progress", "json"]).ok();
    let line = run.stderr.lines().find(|l| l.contains("\"event\":\"epoch\"")).expect("an epoch is reported");
    let e: serde_json::Value = serde_json::from_str(line).unwrap();
    assert!(e["epochs"] == 8 && e["loss"].is_f64() && e["held_out"].is_f64() && e["seconds_left"].is_f64(), "{e}");
}
