//! Nanoseconds per label and iteration of the methods, beside the memory bandwidth that the same run measures.
//!
//!     cargo run --release -p crowdwise-bench --bin passes -- [max labels] [--from N] [--classes 2,4] [method …]
//!
//! Each figure is the best of several whole fits: packing, start, iterations, convergence test, posterior. The second
//! figure takes the difference of two fits with different numbers of iterations, so that only the iterations are in it.
//! Findings are asked for once per result, after the fit: milliseconds of CPU beside those of the shorter fit.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use crowdwise::questions::review;
use crowdwise::{Context, Dataset};
use crowdwise_bench::{cpu_seconds, crowd, machine};
use std::time::Instant;

/// Iterations of the shorter and of the longer fit, and fits of which the best counts: few where one takes minutes.
fn effort(k: usize, labels: usize) -> (usize, usize, usize) {
    match (k, labels) {
        (50, 100_000_000..) => (2, 4, 1),
        (50, 10_000_000..) => (5, 10, 1),
        (50, _) => (20, 40, 2),
        (_, 100_000_000..) => (20, 40, 1),
        (_, 10_000_000..) => (20, 60, 2),
        _ => (20, 120, 5),
    }
}

struct Timing {
    cpu: f64,
    wall: f64,
    /// Of the review.
    findings: f64,
}

fn time(data: &Dataset, method: &str, iterations: usize, accelerate: bool, threads: usize, rounds: usize) -> Timing {
    let entry = crowdwise::find(method).expect("a method of the list");
    let has = |name: &str| entry.params().iter().any(|p| p.name == name);
    let mut params = vec![("max_iter".to_owned(), iterations.into()), ("tol".to_owned(), 0.0.into())];
    if has("accelerate") {
        params.push(("accelerate".into(), accelerate.into()));
    }
    if has("restarts") {
        params.push(("restarts".into(), 1.into()));
    }
    let m = entry.with(&params).expect("parameters are right");
    let mut best = Timing { cpu: f64::MAX, wall: f64::MAX, findings: f64::MAX };
    for _ in 0..rounds {
        let (c, w) = (cpu_seconds(), Instant::now());
        let mut fit = m.fit(data, &mut Context::new(0, threads)).expect("a fit");
        best.cpu = best.cpu.min(cpu_seconds() - c);
        best.wall = best.wall.min(w.elapsed().as_secs_f64());
        let c = cpu_seconds();
        review(m.info(), data, &mut fit);
        best.findings = best.findings.min(cpu_seconds() - c);
        assert_eq!(fit.diagnostics.iterations, iterations);
    }
    best
}

/// Nanoseconds to read four bytes, from a stretch as long as the index of the labels, by so many threads at once.
fn bandwidth(labels: usize, threads: usize) -> f64 {
    let v: Vec<u32> = (0..labels as u32).collect();
    let read = |part: &[u32]| {
        let mut x = [0u32; 16];
        for c in part.chunks_exact(16) {
            (0..16).for_each(|i| x[i] ^= c[i]);
        }
        std::hint::black_box(x);
    };
    let mut best = f64::MAX;
    for _ in 0..10 {
        let t = Instant::now();
        std::thread::scope(|s| {
            let parts = v.chunks(labels.div_ceil(threads));
            parts.skip(1).for_each(|p| drop(s.spawn(|| read(p))));
            read(&v[..labels.div_ceil(threads)]);
        });
        best = best.min(t.elapsed().as_secs_f64());
    }
    best * 1e9 / labels as f64
}

/// Takes `name value` out of the arguments.
fn option(args: &mut Vec<String>, name: &str) -> Option<String> {
    let at = args.iter().position(|a| a == name)?;
    args.drain(at..(at + 2).min(args.len())).nth(1)
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let from: usize = option(&mut args, "--from").and_then(|a| a.replace('_', "").parse().ok()).unwrap_or(0);
    let classes = option(&mut args, "--classes").unwrap_or_else(|| "2,4,10,50".into());
    let classes: Vec<usize> = classes.split(',').filter_map(|c| c.parse().ok()).collect();
    let most: usize = args.first().and_then(|a| a.replace('_', "").parse().ok()).unwrap_or(10_000_000);
    let methods: Vec<&str> =
        if args.len() > 1 { args[1..].iter().map(String::as_str).collect() } else { vec!["dawid-skene"] };
    println!("{}\n", machine());
    println!("ns per label and iteration; 5 labels per item\n");
    println!(
        "| method | K | annotators | labels | threads | iterations | whole fit, CPU | whole fit, wall | more iterations | whole fit, CPU | iterations only, CPU | iterations only, wall | accelerated, CPU | reading the index | iterations / reading, wall | whole fit, ms | findings, ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for labels in [100_000, 1_000_000, 10_000_000, 100_000_000] {
        if labels > most || labels < from {
            continue;
        }
        let m = if labels <= 1_000_000 { labels / 1000 } else { 5000 };
        let read = [bandwidth(labels, 1), bandwidth(labels, 2)];
        for &k in &classes {
            let (short, long, rounds) = effort(k, labels);
            let data = crowd(k, m, labels, 5);
            for method in &methods {
                for threads in [1, 2] {
                    let per = |t: f64, n: usize| t * 1e9 / labels as f64 / n as f64;
                    let a = time(&data, method, short, false, threads, rounds);
                    let b = time(&data, method, long, false, threads, rounds);
                    let fast = time(&data, method, short, true, threads, rounds);
                    let only = per(b.cpu - a.cpu, long - short);
                    let (only_wall, read) = (per(b.wall - a.wall, long - short), read[threads - 1]);
                    println!(
                        "| {method} | {k} | {m} | {labels} | {threads} | {short} | {:.2} | {:.2} | {long} | {:.2} | {only:.2} | {only_wall:.2} | {:.2} | {read:.3} | {:.1} | {:.2} | {:.2} |",
                        per(a.cpu, short),
                        per(a.wall, short),
                        per(b.cpu, long),
                        per(fast.cpu, short),
                        only_wall / read,
                        1e3 * a.cpu,
                        1e3 * a.findings
                    );
                }
            }
        }
    }
}
