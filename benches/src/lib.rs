//! What the benchmarks share: clocks, memory, generated data.

use crowdwise::{Dataset, LabelKind, TableBuilder};
use rand::{RngExt, SeedableRng, rngs::SmallRng};

/// CPU seconds of this process, all threads.
pub fn cpu_seconds() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every system libc knows, and `t` is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// Peak resident memory in MB (Linux), else 0.
pub fn peak_mb() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|x| x.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// `labels` labels, `per` an item, by `m` annotators who are right with probability 0.35 to 0.95: uniform participation,
/// the worst case for caches.
pub fn crowd(k: usize, m: usize, labels: usize, per: usize) -> Dataset {
    let mut rng = SmallRng::seed_from_u64(k as u64 * 77 + m as u64);
    let skill: Vec<f64> = (0..m).map(|_| rng.random_range(0.35..0.95)).collect();
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..k).for_each(|c| _ = b.classes.intern(&format!("{c:05}")));
    (0..m).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    let mut chosen: Vec<u32> = Vec::with_capacity(per);
    for i in 0..labels / per {
        let item = b.items.intern(&i.to_string());
        let truth = rng.random_range(0..k) as u32;
        chosen.clear();
        while chosen.len() < per {
            let j = rng.random_range(0..m) as u32;
            if !chosen.contains(&j) {
                chosen.push(j);
            }
        }
        for &j in &chosen {
            let right = rng.random_bool(skill[j as usize]);
            let l = if right || k == 1 {
                truth
            } else {
                let l = rng.random_range(0..k as u32 - 1);
                l + u32::from(l >= truth)
            };
            b.label_codes(item, j, l).expect("few classes");
        }
    }
    Dataset::new(b.finish().expect("a small table"))
}

/// Machine facts for the head of a table of results.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find(|l| l.starts_with("model name")).and_then(|l| l.split(": ").nth(1)).unwrap_or("?");
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let avx2 = info.contains(" avx2");
    format!("{model}, {cores} cores, AVX2 {}", if avx2 { "yes" } else { "no" })
}
