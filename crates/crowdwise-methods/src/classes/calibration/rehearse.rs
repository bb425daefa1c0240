//! The rehearsal: labels drawn from the fitted model, so that the truth is known, and the same model fitted to them.
//!
//! What is drawn depends on the numbers of item and annotator, which follow from the labels (`numbers_matter`), and on how often a class
//! was said: neither on the order of rows nor on names.

use super::dispersion::{self, Dispersion};
use super::{CHUNK, Evidence};
use crowdwise_core::{Categorical, Codes, Context, Dataset, Error, Event, Table, stats};
use rayon::prelude::*;

/// Fits the model to other labels: tables (annotators x label x truth) and class shares.
pub(crate) type Refit<'r> = &'r mut dyn FnMut(&Dataset, &mut Context<'_>) -> Result<(Vec<f64>, Vec<f64>), Error>;

/// What the rehearsal tells.
pub(crate) struct Rehearsal {
    /// The power of the posterior that suits the known truth best, at most 1.
    pub power: f64,
    /// Correlation of errors that the model finds where there is none.
    pub dispersion: Dispersion,
    /// Items whose truth was drawn; 0 if there was no rehearsal.
    pub items: usize,
}

/// Labels beyond which there is no rehearsal: it would double time and memory, and what a table overfits is said to be small.
pub(crate) const MOST_LABELS: usize = 100_000_000;
/// Small sets are rehearsed until so many items were drawn …
const ITEMS: usize = 2000;
/// … but not more often than this.
const TIMES: usize = 5;
/// Items that the power is found with, about.
const SCORED: usize = 200_000;
/// The power is not below this.
const LEAST_POWER: f64 = 0.02;

/// The finaliser of SplitMix64.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A seed for every number below `n`.
fn seeds(n: usize, purpose: u64) -> Vec<u64> {
    (0..n as u64).map(|x| mix(mix(purpose).wrapping_add(x))).collect()
}

/// Classes by how often they were said, so that their names do not matter.
fn by_frequency(labels: &Categorical<'_>) -> Vec<usize> {
    let mut said = vec![0u64; labels.k()];
    labels.codes.iter().for_each(|c| said[c] += 1);
    let mut order: Vec<usize> = (0..labels.k()).collect();
    order.sort_by_key(|&c| std::cmp::Reverse(said[c]));
    let mut rank = vec![0; labels.k()];
    order.iter().enumerate().for_each(|(r, &c)| rank[c] = r);
    rank
}

/// A standard exponential variable from a number.
fn exponential(x: u64) -> f64 {
    // 53 bits, never 0
    -(((mix(x) >> 11) as f64 + 0.5) / (1u64 << 53) as f64).ln()
}

/// One of K outcomes with probabilities in proportion to `weight`: the smallest of exponential variables with these rates.
fn draw(weight: impl Iterator<Item = f64>, seeds: impl Iterator<Item = u64>) -> usize {
    let times = weight.zip(seeds).map(|(w, s)| exponential(s) / w.max(1e-300));
    times.enumerate().fold((0, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a }).0
}

struct Seeds {
    items: Vec<u64>,
    annotators: Vec<u64>,
    classes: Vec<u64>,
}

/// Truth of every unit and labels of every row, drawn from the model.
fn perform(
    e: &Evidence<'_>,
    tables: &[f64],
    seeds: &Seeds,
    time: u64,
    cx: &mut Context<'_>,
) -> Result<(Vec<u32>, Codes), Error> {
    let (k, table) = (e.k(), e.labels.table);
    let n = table.n_units();
    let chunks: Vec<(Vec<u32>, Vec<u16>)> = cx.install(|| {
        (0..n.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let units = chunk * CHUNK..((chunk + 1) * CHUNK).min(n);
                let mut q = vec![0.0; k];
                let (mut truth, mut said) = (Vec::with_capacity(units.len()), Vec::new());
                for u in units {
                    let own = mix(seeds.items[u] ^ mix(time));
                    e.scores(u, &mut q);
                    stats::softmax(&mut q);
                    let z = draw(q.iter().copied(), seeds.classes.iter().map(|c| own ^ c.rotate_left(17)));
                    truth.push(z as u32);
                    let (mut last, mut again) = (u32::MAX, 0u64);
                    for r in table.rows(u) {
                        let j = table.annotator()[r];
                        again = if j == last { again + 1 } else { 0 };
                        last = j;
                        let seed = mix(own ^ seeds.annotators[j as usize].rotate_left(31) ^ again);
                        let p = (0..k).map(|l| tables[(j as usize * k + l) * k + z]);
                        said.push(draw(p, seeds.classes.iter().map(|c| seed ^ c)) as u16);
                    }
                }
                (truth, said)
            })
            .collect()
    })?;
    let truth = chunks.iter().flat_map(|c| c.0.iter().copied()).collect();
    let said = chunks.iter().flat_map(|c| c.1.iter().copied());
    let codes = match e.labels.codes {
        Codes::U8(_) => Codes::U8(said.map(|c| c as u8).collect()),
        Codes::U16(_) => Codes::U16(said.collect()),
    };
    Ok((truth, codes))
}

/// Rehearses the fitted model on its own labels.
pub(crate) fn rehearse(
    e: &Evidence<'_>,
    tables: &[f64],
    cx: &mut Context<'_>,
    refit: Refit<'_>,
) -> Result<Rehearsal, Error> {
    let table = e.labels.table;
    let labelled = (0..table.n_units()).filter(|&u| table.degree(u) > 0).count();
    if table.n_labels() > MOST_LABELS || labelled == 0 {
        let none = Dispersion { correlation: 0.0, error: 0.0 };
        return Ok(Rehearsal { power: 1.0, dispersion: none, items: 0 });
    }
    let times = ITEMS.div_ceil(labelled).min(TIMES);
    let of_class = seeds(e.k(), 3);
    let seeds = Seeds {
        items: seeds(table.n_units(), 1),
        annotators: seeds(table.n_annotators(), 2),
        classes: by_frequency(&e.labels).into_iter().map(|r| of_class[r]).collect(),
    };
    let mut rows: Vec<f64> = Vec::new();
    let mut classes: Vec<u32> = Vec::new();
    let (mut correlation, mut variance) = (0.0, 0.0);
    for time in 0..times {
        cx.event(&Event::Stage { name: "rehearsal".into() });
        let (truth, codes) = perform(e, tables, &seeds, time as u64, cx)?;
        let data = Dataset::new(Table::with_codes(table, codes));
        let (again, prior) = refit(&data, cx)?;
        let labels: Categorical<'_> = data.table.categorical().expect("labels are classes");
        let seen = Evidence::new(labels, &again, &prior);
        let d = dispersion::of(&seen, &again, cx)?;
        correlation += d.correlation / times as f64;
        variance += (d.error / times as f64).powi(2);
        let mut row = vec![0.0; e.k()];
        // drawn, so that no order of the items matters
        let every = (labelled / SCORED).max(1) as u64;
        for u in (0..table.n_units()).filter(|&u| table.degree(u) > 0 && seeds.items[u].is_multiple_of(every)) {
            seen.scores(u, &mut row);
            rows.extend(&row);
            classes.push(truth[u]);
        }
    }
    let power = best_power(&rows, &classes, e.k());
    Ok(Rehearsal { power, dispersion: Dispersion { correlation, error: variance.sqrt() }, items: classes.len() })
}

/// The power between `LEAST_POWER` and 1 for which the log-loss of softmax(power x row) is smallest. The loss is convex, so
/// its slope has one sign change.
fn best_power(rows: &[f64], classes: &[u32], k: usize) -> f64 {
    let slope = |power: f64| {
        let mut q = vec![0.0; k];
        let one = |(row, &z): (&[f64], &u32)| {
            q.iter_mut().zip(row).for_each(|(q, s)| *q = power * s);
            stats::softmax(&mut q);
            q.iter().zip(row).map(|(q, s)| q * s).sum::<f64>() - row[z as usize]
        };
        rows.chunks_exact(k).zip(classes).map(one).sum::<f64>()
    };
    if slope(1.0) <= 0.0 {
        return 1.0;
    }
    let (mut low, mut high) = (LEAST_POWER, 1.0);
    for _ in 0..30 {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 { high = middle } else { low = middle }
    }
    f64::midpoint(low, high)
}
