//! Rows per second and peak memory of the readers, on data of its own making.
//!
//! `cargo bench -p crowdwise-io --bench read -- [ROWS] [THREADS,…] [FORMAT,…]`, by default 1,000,000 rows, 1 and 2
//! threads, and csv, shuffled.csv (items in random order), csv.gz, jsonl and parquet. Every measurement runs in a
//! process of its own, because a process only knows the peak of its whole life.

#![allow(clippy::print_stdout)] // a program of its own

use crowdwise_core::{Dataset, LabelKind, TableBuilder};
use crowdwise_io::{ReadOptions, Source, TableFormat, read_answers, write_answers};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const CLASSES: [&str; 10] = ["cat", "dog", "bird", "horse", "ship", "truck", "frog", "deer", "plane", "car"];
const ALL: &str = "csv,shuffled.csv,csv.gz,jsonl,parquet";

fn main() {
    // cargo passes `--bench`.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [first, path, threads] = args.as_slice()
        && first == "--measure"
    {
        return measure(Path::new(path), threads.parse().expect("threads"));
    }
    let rows: usize = args.first().map_or(1_000_000, |a| a.parse().expect("ROWS is a number"));
    let threads = args.get(1).map_or("1,2", String::as_str);
    let formats = args.get(2).map_or(ALL, String::as_str);
    let dir = std::env::temp_dir().join(format!("crowdwise-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    println!(
        "{:<14} {:>8} {:>8} {:>9} {:>9} {:>12} {:>9}",
        "format", "MB", "threads", "wall s", "CPU s", "rows/s", "peak MB"
    );
    for format in formats.split(',') {
        let path = generate(&dir, format, rows);
        for t in threads.split(',') {
            let me = std::env::current_exe().expect("the program's own path");
            let out =
                Command::new(me).args(["--measure", path.to_str().expect("a path"), t]).output().expect("a process");
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
            let text = String::from_utf8_lossy(&out.stdout);
            let part: Vec<f64> = text.split_whitespace().map(|x| x.parse().expect("a number")).collect();
            let size = std::fs::metadata(&path).expect("the file").len() as f64 / 1e6;
            println!(
                "{format:<14} {size:>8.0} {t:>8} {:>9.2} {:>9.2} {:>12.0} {:>9.0}",
                part[0],
                part[1],
                rows as f64 / part[0],
                part[2]
            );
        }
        std::fs::remove_file(&path).expect("removed");
    }
    std::fs::remove_dir_all(&dir).expect("removed");
}

/// Reads a file and prints wall seconds, CPU seconds, peak megabytes, and the numbers of items, annotators, classes and
/// labels, which `benches/peers/read.py` compares with those of other programs.
fn measure(path: &Path, threads: usize) {
    let options = ReadOptions { threads, ..Default::default() };
    let start = Instant::now();
    let read = read_answers(&Source::Path(path.into()), &options).expect("readable");
    let wall = start.elapsed().as_secs_f64();
    let (cpu, peak, t) = (cpu_seconds(), peak_mb(), &read.value.table);
    assert!(t.n_labels() > 0);
    println!("{wall} {cpu} {peak} {} {} {} {}", t.n_items(), t.n_annotators(), t.n_classes(), t.n_labels());
}

/// CPU seconds of this process, from its stat line: fields 14 and 15 in ticks of 1/100 s.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit(')').next().unwrap_or_default();
    after.split_whitespace().skip(11).take(2).filter_map(|x| x.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn peak_mb() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|x| x.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
}

/// Rows of 36 bytes with text ids: five labels per item, 20,000 annotators of whom few do much, ten classes.
fn generate(dir: &Path, format: &str, rows: usize) -> PathBuf {
    let path = dir.join(format!("votes.{format}"));
    let shuffled = format.starts_with("shuffled");
    let mut x = 88172645463325252u64;
    let mut random = move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    let mut row = |r: usize| {
        let items = (rows as u64 / 5).max(1);
        let item = if shuffled { random() % items } else { (r as u64 / 5).wrapping_mul(2654435761) % items };
        let mut unit = || (random() >> 11) as f64 / (1u64 << 53) as f64;
        let worker = (unit() * unit() * 20_000.0) as u64;
        let annotator = format!("A{:012X}", worker.wrapping_mul(0x9e3779b97f4a7c15) >> 20);
        (format!("img_{item:08}.jpg"), annotator, CLASSES[(random() % 10) as usize])
    };
    if format == "parquet" {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for r in 0..rows {
            let (item, worker, label) = row(r);
            b.label(&item, &worker, label).expect("ten classes");
        }
        let data = Dataset::new(b.finish().expect("a table"));
        let out = BufWriter::new(File::create(&path).expect("a file"));
        write_answers(Box::new(out), TableFormat::Parquet, &data).expect("written");
        return path;
    }
    let file = BufWriter::new(File::create(&path).expect("a file"));
    let mut out: Box<dyn Write> = if format == "csv.gz" {
        Box::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()))
    } else {
        Box::new(file)
    };
    if format != "jsonl" {
        writeln!(out, "item,annotator,label").expect("written");
    }
    for r in 0..rows {
        let (item, worker, label) = row(r);
        if format == "jsonl" {
            writeln!(out, "{{\"item\":\"{item}\",\"annotator\":\"{worker}\",\"label\":\"{label}\"}}")
        } else {
            writeln!(out, "{item},{worker},{label}")
        }
        .expect("written");
    }
    out.flush().expect("written");
    drop(out);
    path
}
