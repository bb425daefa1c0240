//! The choice between models of comparisons, by comparisons that were held out.

use crate::common;

use crowdwise_core::{
    Annotators, AnyMethod, Context, Dataset, Fit, LabelKind, Preference, TableBuilder, Truth, stream,
};
use crowdwise_methods::auto::Auto;
use crowdwise_methods::comparisons::{BradleyTerry, CrowdBradleyTerry};
use rand::RngExt;

fn fit(m: &dyn AnyMethod, data: &Dataset) -> Fit {
    m.fit(data, &mut Context::new(0, 1)).unwrap()
}

fn used(f: &Fit) -> String {
    assert_eq!(f.findings[0].code, "chosen");
    f.diagnostics.details["used"][0].as_str().unwrap().to_owned()
}

/// Comparisons of 12 items one step apart, by annotators of these reliabilities in turn.
fn made(seed: u64, comparisons: usize, w: &[f64], position: f64, ties: Option<f64>) -> Dataset {
    let mut rng = stream(seed, "made comparisons", 0);
    let sigma = |x: f64| 1.0 / (1.0 + (-x).exp());
    let mut b = TableBuilder::new(LabelKind::Preference);
    (0..12).for_each(|i| _ = b.items.intern(&format!("i{i}")));
    for n in 0..comparisons {
        let l = rng.random_range(0..12usize);
        let r = (l + rng.random_range(1..12)) % 12;
        let j = n % w.len();
        let d = 0.5 * (l as f64 - r as f64);
        let d = if rng.random::<f64>() < w[j] { d } else { -d } + position;
        let eta = ties.unwrap_or(0.0);
        let u: f64 = rng.random();
        let said = if u < sigma(d - eta) {
            Preference::Left
        } else if u < sigma(d - eta) + sigma(-d - eta) {
            Preference::Right
        } else {
            Preference::Tie
        };
        b.preference(&format!("i{l}"), &format!("i{r}"), &format!("a{j}"), said);
    }
    Dataset::new(b.finish().unwrap())
}

#[test]
fn what_made_the_comparisons_is_chosen() {
    let mixed = [0.95, 0.9, 0.1, 0.5, 0.95, 0.9, 0.5, 0.95];
    let cases: [(&str, Dataset, &str); 4] = [
        ("alike", made(1, 3000, &[1.0; 8], 0.0, None), "bradley-terry"),
        ("alike, with ties", made(2, 3000, &[1.0; 8], 0.0, Some(0.5)), "bradley-terry"),
        ("different", made(3, 3000, &mixed, 0.0, Some(0.4)), "crowd-bt"),
        ("the left one is favoured", made(4, 4000, &[1.0; 8], 0.7, None), "bradley-terry position=true"),
    ];
    for (what, data, want) in cases {
        let f = fit(&Auto::default(), &data);
        assert_eq!(used(&f), want, "{what}: {}", f.findings[0].message);
        let Truth::Scores { score, interval, .. } = &f.truth else { panic!("scores wanted") };
        assert!(score.windows(2).filter(|s| s[1] > s[0]).count() >= 10, "{what}: {score:?}");
        assert!(interval.iter().zip(score).all(|(i, s)| i[0] < *s && *s < i[1]), "{what}");
        let reliability = matches!(&f.annotators, Annotators::Accuracy { .. });
        assert_eq!(reliability, want == "crowd-bt", "{what}");
        assert!(f.findings[0].message.contains("held-out comparisons"), "{}", f.findings[0].message);
        // the final fit is that of the method alone
        let alone: Box<dyn AnyMethod> = match want {
            "crowd-bt" => Box::new(CrowdBradleyTerry::default()),
            "bradley-terry" => Box::new(BradleyTerry::default()),
            _ => Box::new(BradleyTerry { position: true, ..BradleyTerry::default() }),
        };
        assert_eq!(fit(&*alone, &data).truth, f.truth, "{what}");
    }
}

#[test]
fn nothing_to_choose_by_is_said() {
    for (comparisons, w, words) in [(20, &[1.0; 3][..], "too few"), (400, &[1.0], "too few annotators")] {
        let f = fit(&Auto::default(), &made(5, comparisons, w, 0.0, Some(0.3)));
        let said = f.findings.iter().find(|x| x.code == "chosen").expect("a word about the choice");
        assert!(said.message.contains(words), "{}", said.message);
    }
    // nothing but ties
    let mut b = TableBuilder::new(LabelKind::Preference);
    (0..50).for_each(|n| b.preference("x", "y", &format!("a{}", n % 4), Preference::Tie));
    let f = fit(&Auto::default(), &Dataset::new(b.finish().unwrap()));
    assert!(f.findings.iter().any(|x| x.code == "chosen"));
}

#[test]
fn the_choice_on_real_comparisons() {
    // people who guess or reverse (age), many with few answers (arguments), five who slip now and then (photos)
    for (name, want) in [("age_pairs", "crowd-bt"), ("ukp_convarg", "crowd-bt"), ("photo_pairs", "crowd-bt")] {
        let file = common::data_dir().join(name).join("answers.csv");
        let Ok(text) = std::fs::read_to_string(&file) else {
            eprintln!("SKIPPED: no {} (set CROWDWISE_DATA to the folder of real datasets)", file.display());
            continue;
        };
        let mut b = TableBuilder::new(LabelKind::Preference);
        for line in text.lines().skip(1) {
            let f: Vec<&str> = line.split(',').collect();
            let said = match f[3] {
                w if w == f[0] => Preference::Left,
                w if w == f[1] => Preference::Right,
                _ => Preference::Tie,
            };
            b.preference(f[0], f[1], f[2], said);
        }
        let f = fit(&Auto::default(), &Dataset::new(b.finish().unwrap()));
        eprintln!("{name}: {}", f.findings[0].message);
        assert!(used(&f).starts_with(want), "{name}: {}", f.findings[0].message);
    }
}
