//! How inference with and without a network bears bad priors, spammers and bad images (Kim et al. 2022).

use super::digits::Digits;
use super::spread::Spread;
use super::trials::{Settings, Trials, integrated, learned};
use super::world::{Label, World, blobs};
use super::{Args, Claim, Part};
use crowdwise::{Context, Error};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution};
use serde_json::json;

/// What is compared; the first three do not see features.
const METHODS: [&str; 7] =
    ["majority-vote", "mean-field", "belief-propagation", "deep-mf", "deep-bp", "crowd-layer", "bayes-dgc"];
const FEATURELESS: usize = 3;

/// One setting of one sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    /// Beta prior that accuracies are drawn from.
    drawn: [f64; 2],
    /// The prior that the methods are told.
    told: [f64; 2],
    /// Annotators who label everything at random.
    spammers: usize,
    /// Deviation of the blur in pixels.
    blur: f64,
    clip: f64,
    /// Items and labels per item.
    items: usize,
    per_item: usize,
}

const USUAL: Point =
    Point { drawn: [2.0, 1.0], told: [2.0, 1.0], spammers: 0, blur: 0.0, clip: 0.9, items: 1000, per_item: 3 };
const PER_ANNOTATOR: usize = 4;

/// Settings in which one thing varies.
struct Sweep {
    title: &'static str,
    methods: &'static [usize],
    points: Vec<(String, Point)>,
}

fn sweeps(quick: bool) -> Vec<Sweep> {
    let all: &[usize] = &[0, 1, 2, 3, 4, 5, 6];
    let named = |points: Vec<(String, Point)>| if quick { points.into_iter().take(1).collect() } else { points };
    let prior = |a: f64| Point { drawn: [a, a / 2.0], told: [a, a / 2.0], ..USUAL };
    let mismatch = |b: f64| Point { told: [2.0, b], spammers: 1, ..USUAL };
    let spam = |n: usize| Point { told: [2.0, 1.4], spammers: n, ..USUAL };
    let blurred = |blur: f64, clip: f64| Point { blur, clip, ..prior(1.0) };
    let budget = |per_item: usize| Point { items: 2000 / per_item, per_item, ..USUAL };
    let one_of = |values: &[f64], name: &str, make: &dyn Fn(f64) -> Point| -> Vec<(String, Point)> {
        values.iter().map(|&x| (format!("{name} {x}"), make(x))).collect()
    };
    vec![
        Sweep {
            title: "accuracies from Beta(α, α/2), known to the methods",
            methods: all,
            points: named(one_of(&[0.2, 0.5, 1.0, 2.0], "α =", &prior)),
        },
        Sweep {
            title: "one extreme spammer, accuracies from Beta(2, 1), the methods told Beta(2, β)",
            methods: all,
            points: named(one_of(&[0.8, 1.2, 1.6], "β =", &mismatch)),
        },
        Sweep {
            title: "extreme spammers, the methods told Beta(2, 1.4)",
            methods: all,
            points: named(one_of(&[1.0, 4.0, 7.0, 10.0], "spammers", &|n| spam(n as usize))),
        },
        Sweep {
            title: "blurred images, what the network may say bounded by c",
            methods: &[2, 3, 4],
            points: named(
                [0.0, 2.0, 4.0, 6.0]
                    .iter()
                    .flat_map(|&r| [0.55, 0.9, 1.0].map(|c| (format!("blur {r}, c = {c}"), blurred(r, c))))
                    .collect(),
            ),
        },
        Sweep {
            title: "2000 labels in all",
            methods: &[3, 4, 5, 6],
            points: named([1usize, 2, 4, 8].map(|l| (format!("{l} an item"), budget(l))).into()),
        },
    ]
}

/// A random graph of items and annotators in which every item has `per_item` labels and every annotator four, and before
/// them the spammers.
fn labels(truth: &[usize], p: &Point, rng: &mut dyn Rng) -> (Vec<Label>, usize) {
    let n = truth.len();
    let mut out: Vec<Label> = Vec::new();
    for j in 0..p.spammers {
        out.extend((0..n).map(|i| (i, j, rng.random_range(0..2))));
    }
    let accuracy = Beta::new(p.drawn[0], p.drawn[1]).expect("positive shapes");
    let mut left = vec![p.per_item; n];
    let annotators = n * p.per_item / PER_ANNOTATOR;
    for j in 0..annotators {
        let mut free: Vec<usize> = (0..n).filter(|&i| left[i] > 0).collect();
        let (chosen, _) = free.partial_shuffle(rng, PER_ANNOTATOR);
        let right = accuracy.sample(rng).clamp(0.0, 1.0);
        for &mut i in chosen {
            left[i] -= 1;
            out.push((i, p.spammers + j, if rng.random_bool(right) { truth[i] } else { 1 - truth[i] }));
        }
    }
    (out, p.spammers + annotators)
}

fn settings(p: &Point, quick: bool) -> Settings {
    vec![
        ("alpha", json!(p.told[0])),
        ("beta", json!(p.told[1])),
        ("clip", json!(p.clip)),
        ("epochs", json!(if quick { 6 } else { 60 })),
        ("epochs_per_round", json!(5)),
        ("hidden", json!(64)),
        ("batch_size", json!(100)),
        ("standardise", json!(false)),
        ("holdout", json!(0.0)),
        ("choose", json!("last")),
    ]
}

/// Of the methods that share names of parameters: majority vote and bayes-dgc mean something else by `alpha`.
fn own(method: &str, p: &Point, quick: bool) -> Settings {
    let told = ["mean-field", "belief-propagation", "deep-mf", "deep-bp"].contains(&method);
    settings(p, quick).into_iter().filter(|(n, _)| told || !["alpha", "beta"].contains(n)).collect()
}

/// Images for a point, made once for each blur.
struct Source {
    digits: Option<Digits>,
    made: Vec<(f64, World)>,
}

impl Source {
    fn of(&mut self, p: &Point) -> World {
        let Some(digits) = &self.digits else { return blobs(p.items.min(200), 1) };
        if !self.made.iter().any(|(b, _)| *b == p.blur) {
            let world = digits.only(&[4, 9], 2000, usize::MAX).blurred(p.blur);
            self.made.push((p.blur, world));
        }
        let all = &self.made.iter().find(|(b, _)| *b == p.blur).expect("just made").1;
        let rows: Vec<usize> = (0..p.items).collect();
        World { train: all.train.part(&rows), ..all.clone() }.centred()
    }
}

/// Accuracy on the labelled items, and of the classifier on test items where there is one.
fn figures(method: usize, world: &World, p: &Point, quick: bool, cx: &mut Context<'_>) -> Result<Vec<f64>, Error> {
    // the same labels for every method and every way to tell or bound it
    let mut rng = Context::new(cx.seed, 1).rng("graph", 0);
    let (labels, annotators) = labels(&world.train.truth, p, &mut rng);
    let mut data = world.train.labelled(2, annotators, &labels)?;
    let (id, settings) = (METHODS[method], own(METHODS[method], p, quick));
    if method < FEATURELESS {
        data.features = None;
        return Ok(vec![world.train.inferred(&integrated(id, &settings, &data, cx)?)]);
    }
    let (fit, model) = learned(id, &settings, &data, cx)?;
    Ok(vec![world.train.inferred(&fit), world.test.tested(&model)?])
}

pub fn part(args: &Args, trials: &mut Trials<'_>) -> Result<Part, Error> {
    let digits = if args.quick { None } else { Some(Digits::read(&args.data.folder()?)?) };
    let mut source = Source { digits, made: Vec::new() };
    let mut part = Part::new(NOTE, &args.seeds(20));
    for sweep in sweeps(args.quick) {
        let mut table: Vec<Vec<[Spread; 2]>> = vec![Vec::new(); sweep.methods.len()];
        for (name, p) in &sweep.points {
            let mut world = None;
            for (at, &m) in sweep.methods.iter().enumerate() {
                let mut runs = Vec::new();
                for seed in args.seeds(20) {
                    let key = format!("deep-bp {}: {name} {}", sweep.title, METHODS[m]);
                    let world = world.get_or_insert_with(|| source.of(p));
                    let run = trials.figures(&key, seed, |cx| figures(m, world, p, args.quick, cx))?;
                    runs.push(run);
                }
                // without a classifier: the labels again, which nobody reads
                let over = |n: usize| Spread::of(&runs.iter().map(|r| r[n.min(r.len() - 1)]).collect::<Vec<f64>>());
                let setting = format!("{}: {name}", sweep.title);
                part.figure("deep-bp", &setting, METHODS[m], "labels", over(0));
                if m >= FEATURELESS {
                    part.figure("deep-bp", &setting, METHODS[m], "classifier", over(1));
                }
                table[at].push([over(0), over(1)]);
            }
        }
        grids(&sweep, &table, &mut part);
        claims(&sweep, &table, &mut part);
    }
    Ok(part)
}

fn grids(sweep: &Sweep, table: &[Vec<[Spread; 2]>], part: &mut Part) {
    let columns: Vec<&str> = std::iter::once("method").chain(sweep.points.iter().map(|p| p.0.as_str())).collect();
    for (n, what) in ["labels", "classifier on test items"].iter().enumerate() {
        let lines = sweep.methods.iter().zip(table).filter(|(m, _)| n == 0 || **m >= FEATURELESS);
        let row = |(m, row): (&usize, &Vec<[Spread; 2]>)| {
            std::iter::once(METHODS[*m].to_owned()).chain(row.iter().map(|x| x[n].with_interval())).collect()
        };
        part.grid(
            format!("Deep BP: {}; accuracy of the {what}, percent", sweep.title),
            &columns,
            lines.map(row).collect(),
        );
    }
}

/// The paper's orders. They are claimed where the intervals of two means do not touch.
fn claims(sweep: &Sweep, table: &[Vec<[Spread; 2]>], part: &mut Part) {
    for (above, below, n) in [(2, 1, 0), (4, 3, 0), (4, 3, 1), (4, 6, 1), (4, 5, 1), (4, 2, 0)] {
        let find = |m: usize| sweep.methods.iter().position(|x| *x == m);
        let (Some(a), Some(b)) = (find(above), find(below)) else { continue };
        let (mut with, mut against) = (Vec::new(), Vec::new());
        for (at, (name, _)) in sweep.points.iter().enumerate() {
            let (x, y) = (table[a][at][n], table[b][at][n]);
            let apart = (x.mean - y.mean).abs() > x.interval().unwrap_or(0.0) + y.interval().unwrap_or(0.0);
            if apart {
                let side = if x.mean > y.mean { &mut with } else { &mut against };
                side.push(format!("{name} ({:.1} and {:.1})", x.mean, y.mean));
            }
        }
        let what =
            format!("{}: {} above {}, {}", sweep.title, METHODS[above], METHODS[below], ["labels", "classifier"][n]);
        let figure = match (with.is_empty(), against.is_empty()) {
            (true, true) => "no difference beyond the intervals".into(),
            (false, true) => format!("at {}", with.join(", ")),
            (true, false) => format!("the other way at {}", against.join(", ")),
            (false, false) => format!("at {}; the other way at {}", with.join(", "), against.join(", ")),
        };
        part.claims.push(Claim::new(what, figure, against.is_empty()));
    }
}

const NOTE: &str = "`crowdwise repro deep-bp`: means and 99 % intervals over {seeds}. Digits 4 and 9 in place of the paper's photographs: the first 1000 items (\"2000 labels in all\": fewer or more), 3 labels \
     an item, 4 an annotator (750 of them) in a random regular graph, accuracies by annotator; an extreme spammer labels every item by a coin. MLP of 64, dropout 0.5, Adam 1e-3, batches of 100, \
     60 epochs, the last one, belief propagation after every fifth; c = 0.9 unless it varies. Blur: deviation in pixels.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_are_regular_and_spammers_label_everything() {
        let truth: Vec<usize> = (0..400).map(|i| i % 2).collect();
        let p = Point { spammers: 2, ..USUAL };
        let (l, m) = labels(&truth, &p, &mut Context::new(3, 1).rng("test", 0));
        assert_eq!((m, l.len()), (302, 2 * 400 + 1200));
        let of = |j: usize| l.iter().filter(|x| x.1 == j).count();
        assert!(of(0) == 400 && of(1) == 400);
        // the greedy graph may run out of free items at its very end
        assert!((2..m).all(|j| (1..=PER_ANNOTATOR).contains(&of(j))));
        let per_item = |i: usize| l.iter().filter(|x| x.0 == i && x.1 >= 2).count();
        assert!((0..400).all(|i| per_item(i) <= 3));
        let right = l.iter().filter(|x| x.1 >= 2 && x.2 == truth[x.0]).count() as f64 / 1200.0;
        assert!((right - 2.0 / 3.0).abs() < 0.06, "{right}");
    }
}
