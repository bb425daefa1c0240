//! The three calls, and what the list gives to every front end.

use crowdwise::report::FitDocument;
use crowdwise::{Report, find, fit, method_page, methods, read};
use std::path::Path;

fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

#[test]
fn every_example_is_read_fitted_and_reported() {
    for (file, method) in [
        ("demo.csv", "dawid-skene"),
        ("anesthesia.csv", "majority-vote"),
        ("ratings.csv", "median"),
        ("pairs.csv", "bradley-terry"),
        ("sequences.csv", "one-coin"),
    ] {
        let data = read(example(file)).unwrap();
        let fit = fit(&data, method, &[]).unwrap();
        let html = Report::new(&data, &fit).title("An example").html();
        assert!(html.contains("An example"), "{file}");
        // classes of items that stand alone, and somebody is left who has not seen them all
        let asks = file == "demo.csv";
        assert_eq!(html.contains("What to ask next"), asks, "{file}");
        let path = std::env::temp_dir().join(format!("crowdwise-{}-{file}.json", std::process::id()));
        Report::new(&data, &fit).save(&path).unwrap();
        let document = FitDocument::from_json(&std::fs::read(&path).unwrap(), file).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!((document.method.as_str(), document.labels.len()), (method, data.table.n_items()), "{file}");
    }
}

#[test]
fn slips_are_answered_with_the_nearest_name() {
    assert_eq!(find("dawid_skene").unwrap_err().hint().as_deref(), Some("did you mean `dawid-skene`?"));
    let data = read(example("demo.csv")).unwrap();
    let e = fit(&data, "dawid-skene", &[("max_itr", "3"), ("tol", "much")]).unwrap_err();
    assert!(e.to_string().starts_with("2 problems"), "{e}");
}

#[test]
fn every_page_has_its_parameters_filled_in() {
    for entry in methods() {
        let page = method_page(entry);
        assert!(!page.contains("<!--"), "{}", entry.info.id);
        for p in entry.params() {
            assert!(page.contains(&format!("| `{}` |", p.name)), "{}: {}", entry.info.id, p.name);
        }
    }
}
