//! Seconds of CPU to choose the next 1,000 questions in a collection under way, as items and annotators grow.
//!
//!     cargo run --release -p crowdwise-bench --bin asking -- [max items] [--questions 1000]
//!
//! The model is fitted already, as in a server that keeps it. `pairs` is the choice alone, `next` the choice with reasons and with
//! where the collection stands; `fit` is a whole fit from the votes, for comparison.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use crowdwise::ask::answers::Answers;
use crowdwise::ask::model::{Model, Settings};
use crowdwise::ask::next::{Options, Want, next, picks};
use crowdwise::ask::state::State;
use crowdwise_bench::{cpu_seconds, crowd, machine};

const CLASSES: usize = 4;
const PER_ITEM: usize = 5;
const ITEMS_PER_ANNOTATOR: usize = 100;

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = cpu_seconds();
    let out = work();
    (cpu_seconds() - start, out)
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let mut wanted = 1000;
    if let Some(at) = args.iter().position(|a| a == "--questions") {
        wanted = args.drain(at..(at + 2).min(args.len())).nth(1).and_then(|a| a.parse().ok()).unwrap_or(wanted);
    }
    let most: usize = args.first().and_then(|a| a.replace('_', "").parse().ok()).unwrap_or(1_000_000);
    println!("{}\n", machine());
    println!("{CLASSES} classes, {PER_ITEM} labels per item, {wanted} questions; seconds of CPU\n");
    println!("| items | annotators | labels | pairs | next | fit |\n|---|---|---|---|---|---|");
    let mut items = 10_000;
    while items <= most {
        let annotators = items / ITEMS_PER_ANNOTATOR;
        let labels = items * PER_ITEM;
        let data = crowd(CLASSES, annotators, labels, PER_ITEM);
        let state = State::new(Answers::of_table(&data.table).expect("classes"));
        drop(data);
        let (fit, model) = timed(|| Model::fitted(&state.answers, &state.known, Settings::default()));
        let options = Options { want: Want::Questions(wanted), ..Options::default() };
        // the best of three: the first touches the memory
        let best = |work: &dyn Fn() -> usize| {
            (0..3)
                .map(|_| timed(work))
                .map(|(t, n)| {
                    assert_eq!(n, wanted.min(items), "all questions are found");
                    t
                })
                .fold(f64::MAX, f64::min)
        };
        let alone = best(&|| picks(&state, &model, &options).len());
        let whole = best(&|| next(&state, &model, &options).questions.len());
        println!("| {items} | {annotators} | {labels} | {alone:.3} | {whole:.3} | {fit:.2} |");
        items *= 10;
    }
}
