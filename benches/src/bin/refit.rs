//! New labels into a kept fit beside a fit of all labels, in one run.
//!
//!     cargo run --release -p crowdwise-bench --bin refit -- [max labels] [method]
//!
//! A crowd of 4 classes, 5 labels per item. `add` puts 1,000 new labels into the kept fit (best of five, each into a clone);
//! `first add` is the one that pays for what the clone shared; `passes` are five passes of the method over all labels from
//! where things stand; `full` is the fit of all labels from the votes. CPU milliseconds of all threads.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use crowdwise::ask::refit::{Incremental, NewLabel, PASSES};
use crowdwise::{Context, Dataset};
use crowdwise_bench::{cpu_seconds, crowd, machine, peak_mb};
use std::sync::Arc;

const NEW: usize = 1000;
const K: usize = 4;

fn run() -> Context<'static> {
    Context::new(0, 2).with_count_copies(true)
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begun = cpu_seconds();
    let out = work();
    (1e3 * (cpu_seconds() - begun), out)
}

/// Names of 1,000 labels, as an annotator who is right three times in four would give them, drawn by `seed`.
fn labels(kept: &Incremental, seed: usize) -> Vec<(String, String, String)> {
    let (items, annotators) = (kept.items().len(), kept.annotators().len());
    let pick = |n: usize| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (0..NEW)
        .map(|n| {
            let x = pick(n + seed * NEW + 1);
            let item = x % items;
            let class = (kept.label(item) + usize::from(x / items % 4 == 0)) % K;
            let annotator = pick(x) % annotators;
            let name = |names: &crowdwise::Names, at: usize| names.name(at).to_owned();
            (name(kept.items(), item), name(kept.annotators(), annotator), name(kept.classes(), class))
        })
        .collect()
}

fn borrowed(rows: &[(String, String, String)]) -> Vec<NewLabel<'_>> {
    rows.iter().map(|(item, annotator, class)| NewLabel { item, annotator, class }).collect()
}

fn main() {
    let mut args = std::env::args().skip(1);
    let most: usize = args.next().and_then(|a| a.replace('_', "").parse().ok()).unwrap_or(10_000_000);
    let method = args.next().unwrap_or_else(|| "pooled-dawid-skene".into());
    let m = crowdwise::find(&method).expect("a method of the list").default();
    println!("{}\n", machine());
    println!(
        "| method | labels | full, ms | iterations | keep, ms | clone, ms | first add, ms | add, ms | full / add | labels looked at | passes, ms | full / passes | other labels after add, in 1000 | memory, MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for n in [100_000, 1_000_000, 10_000_000] {
        if n > most {
            continue;
        }
        let data: Arc<Dataset> = Arc::new(crowd(K, if n <= 1_000_000 { n / 1000 } else { 5000 }, n, 5));
        let (full, fit) = timed(|| m.fit(&data, &mut run()).expect("a fit"));
        let iterations = fit.diagnostics.iterations;
        let (keep, kept) = timed(|| Incremental::new(data.clone(), fit).expect("it keeps counts"));
        drop(data);
        let (mut clone, mut first, mut add) = (f64::MAX, f64::MAX, f64::MAX);
        let mut looked_at = 0;
        let mut last = kept.clone();
        for seed in 0..5 {
            let (t, mut fresh) = timed(|| kept.clone());
            clone = clone.min(t);
            let rows = [labels(&kept, 2 * seed), labels(&kept, 2 * seed + 1)];
            let (t, added) = timed(|| fresh.add(&borrowed(&rows[0]), &mut run()).expect("added"));
            first = first.min(t);
            looked_at = added.looked_at;
            let (t, _) = timed(|| fresh.add(&borrowed(&rows[1]), &mut run()).expect("added"));
            add = add.min(t);
            last = fresh;
        }
        let before = last.clone();
        let (passes, ()) = timed(|| last.refit(Some(PASSES), &mut run()).expect("refitted"));
        last.refit(None, &mut run()).expect("refitted");
        let other = (0..last.items().len()).filter(|&i| last.label(i) != before.label(i)).count();
        println!(
            "| {method} | {n} | {full:.0} | {iterations} | {keep:.0} | {clone:.2} | {first:.2} | {add:.2} | {:.0} | {looked_at} | {passes:.0} | {:.1} | {:.3} | {} |",
            full / add,
            full / passes,
            1e3 * other as f64 / last.items().len() as f64,
            peak_mb()
        );
    }
}
