//! Packed labels, tables and counts on as many threads as the run has.

use super::maximise::{Counts, Maximisation};
use super::packed::{Chunk, Packed};
use super::pass::{self, Piece, Work};
use super::rows::{Rows, quantum};
use crowdwise_core::{Categorical, Context, Error};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Sums that a maximisation adds over annotators: the first is the log-prior of the parameters (the penalty), the
/// others are the model's own.
pub(crate) type Sums = [f64; 4];

/// How expected counts become tables.
pub(crate) trait Model: Sync {
    /// From `counts[l * k + t]` (label l, truth t) the table `P(l | t)` in the same layout.
    fn table(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) -> Sums;
    /// From the same counts the probabilities to report, if they are not those of the table.
    #[inline(always)]
    fn report(&self, _k: usize, _j: usize, _counts: &[f64], _table: &mut [f64]) {}
    /// From expected class counts the prior; returns its log-prior.
    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64;
    /// From the same class counts the shares to report, if they are not those of the prior.
    fn report_prior(&self, _class: &[f64], _prior: &mut [f64]) {}
    /// The log-prior of tables that did not come from [`Model::table`] (extrapolated ones).
    fn penalty(&self, k: usize, table: &[f64]) -> f64;
    /// The log-prior of a class prior that did not come from [`Model::prior`].
    fn prior_penalty(&self, prior: &[f64]) -> f64;
}

/// Annotators are maximised in blocks of this many, so that sums are added in one order for any number of threads.
const BLOCK: usize = 256;

/// Prefetching pays when the rows no longer fit in half of a usual second-level cache.
const PREFETCH_ABOVE: usize = 512 * 1024;

pub(crate) struct Engine {
    packed: Packed,
    /// One per thread; all hold the same tables, each its own counts.
    copies: Vec<Rows>,
    /// Class prior, padded.
    prior: Vec<f64>,
    quantum: f64,
    clamped: Option<Clamped>,
    k: usize,
    units: usize,
}

/// What items of known truth add to every M-step.
struct Clamped {
    /// rows x K
    counts: Vec<f64>,
    class: Vec<f64>,
}

/// Result of a pass.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    pub log_likelihood: f64,
    /// Expected number of items of each class, clamped ones included.
    pub class: Vec<f64>,
    pub rescued: usize,
}

/// Result of a maximisation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maximised {
    /// Largest change of any table entry or prior probability.
    pub change: f64,
    pub sums: Sums,
    /// Log-prior of the class prior.
    pub prior_penalty: f64,
}

/// Posteriors to begin with.
pub(crate) enum Begin<'a> {
    VoteShares,
    /// The first of the classes with most votes.
    Majority,
    /// Given, units x K.
    Posterior(&'a [f64]),
    /// Written by a function of the unit, whose argument is all zeros before.
    Each(&'a (dyn Fn(usize, &mut [f64]) + Sync)),
}

/// Complete tables (annotators x label x truth) that a maximisation may write out.
pub(crate) enum Dense<'a> {
    None,
    /// What the next pass reads.
    Tables(&'a mut [f64]),
    /// What the model reports of an annotator: see [`Model::report`].
    Report(&'a mut [f64]),
}

#[derive(Clone, Copy)]
pub(super) struct Shared<T>(*mut T);
// SAFETY: users hand disjoint parts to different threads.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The pointer; a method so that closures capture the wrapper, which is Sync, and not the field.
    pub(super) fn get(self) -> *mut T {
        self.0
    }
}

impl Engine {
    /// Packs the labels. Items with a known class in `gold` are clamped: they add constant counts.
    pub fn new(data: &Categorical<'_>, gold: Option<&[Option<u32>]>, threads: usize) -> Result<Engine, Error> {
        Engine::with_states(data, data.k(), gold, threads)
    }

    /// For models in which an item has one of `k` states, which may be more than there are labels. Tables are then label
    /// x state, and known classes must be states.
    pub fn with_states(
        data: &Categorical<'_>,
        k: usize,
        gold: Option<&[Option<u32>]>,
        threads: usize,
    ) -> Result<Engine, Error> {
        let known = |u: usize| gold.and_then(|g| g[u]);
        let packed = Packed::new(data, k, |u| known(u).is_none())?;
        let max = packed.n.iter().copied().max().unwrap_or(0);
        let quantum = quantum(max);
        // every copy is read and written by the M-step: not worth it when there are many more table entries than labels
        let entries = packed.label.len() * k;
        let threads = if entries > 4 * packed.labels() { 1 } else { threads };
        let copies: Vec<Rows> = (0..threads.min(packed.chunks.len()).max(1)).map(|_| packed.rows()).collect();
        let prior = vec![0.0; copies[0].kp.next_multiple_of(4)];
        let clamped = gold.filter(|g| g.iter().any(Option::is_some)).map(|_| Clamped::new(data, &packed, &known));
        Ok(Engine { packed, copies, prior, quantum, clamped, k, units: data.table.n_units() })
    }

    pub fn k(&self) -> usize {
        self.k
    }

    pub fn annotators(&self) -> usize {
        self.packed.annotators()
    }

    /// Number of table entries of all annotators, K x K each.
    pub fn entries(&self) -> usize {
        self.packed.annotators() * self.packed.classes * self.k
    }

    /// What the next pass reads of annotator `j` and label `l`, by state; `None` if that label was never given.
    pub fn row(&self, j: usize, l: usize) -> Option<&[f64]> {
        let rows = self.packed.rows_of(j);
        let at = rows.start + self.packed.label[rows].binary_search(&(l as u16)).ok()?;
        let copy = &self.copies[0];
        // SAFETY: row `at` lies inside the copy.
        Some(unsafe { std::slice::from_raw_parts(copy.base().add(at * copy.stride), self.k) })
    }

    pub fn labels(&self) -> usize {
        self.packed.labels()
    }

    pub fn prior(&self) -> &[f64] {
        &self.prior[..self.k]
    }

    /// Expected counts from something else than a pass: where the iterations begin.
    pub fn begin(&mut self, cx: &mut Context<'_>, from: &Begin<'_>) -> Result<Passed, Error> {
        if let Begin::Posterior(q) = from {
            assert_eq!(q.len(), self.units * self.k);
        }
        let label = Shared(self.packed.label.as_ptr().cast_mut());
        // SAFETY: as for a pass; every row has a label.
        self.sweep(cx, std::ptr::null_mut(), false, |_, w, c, out| unsafe {
            pass::run_begin(w, c, from, label.get(), out);
        })
    }

    /// One pass with the current tables. `store` (units x K) receives the posteriors; rows of items without labels and
    /// of clamped items are left alone.
    pub fn pass(&mut self, cx: &mut Context<'_>, store: Option<&mut [f64]>, hard: bool) -> Result<Passed, Error> {
        let store = store.map_or(std::ptr::null_mut(), |s| {
            assert_eq!(s.len(), self.units * self.k);
            s.as_mut_ptr()
        });
        // SAFETY: every copy belongs to one thread and every chunk to one thread; indices were made for these rows.
        let mut passed = self.sweep(cx, store, hard, |_, w, c, out| unsafe { pass::run(w, c, out) })?;
        passed.log_likelihood += self.clamped_log_likelihood();
        Ok(passed)
    }

    /// As [`Engine::pass`], for the last pass of a fit: the index is given up first and made again chunk by chunk, so that it
    /// and the posteriors are never in memory together. The engine is good for no other pass.
    pub fn last_pass(
        &mut self,
        cx: &mut Context<'_>,
        data: &Categorical<'_>,
        store: &mut [f64],
        hard: bool,
    ) -> Result<Passed, Error> {
        assert_eq!(store.len(), self.units * self.k);
        self.packed.index = Vec::new();
        let begins = self.packed.begins();
        // SAFETY: as for a pass; the part of the index is that of the chunk and begins with its first label.
        let mut passed = self.sweep(cx, store.as_mut_ptr(), hard, |packed, w, c, out| unsafe {
            let part = packed.part(data, &begins, c);
            pass::run(Work { index: part.as_ptr(), ..w }, Chunk { at: 0, ..c }, out);
        })?;
        passed.log_likelihood += self.clamped_log_likelihood();
        Ok(passed)
    }

    fn clamped_log_likelihood(&self) -> f64 {
        let of = |c: &Clamped| c.log_likelihood(&self.packed, &self.copies[0], self.prior());
        self.clamped.as_ref().map_or(0.0, of)
    }

    fn sweep(
        &mut self,
        cx: &mut Context<'_>,
        store: *mut f64,
        hard: bool,
        run: impl Fn(&Packed, Work, Chunk, &mut Piece) + Sync,
    ) -> Result<Passed, Error> {
        let (packed, kp) = (&self.packed, self.copies[0].kp);
        let prefetch = self.copies[0].bytes() > PREFETCH_ABOVE;
        let index = Shared(packed.index.as_ptr().cast_mut());
        let order = if packed.order.is_empty() { std::ptr::null() } else { packed.order.as_ptr() };
        let order = Shared(order.cast_mut());
        let (prior, store) = (Shared(self.prior.as_mut_ptr()), Shared(store));
        let (k, quantum) = (self.k, self.quantum);
        let bases: Vec<Shared<f64>> = self.copies.iter_mut().map(|c| Shared(c.base_mut())).collect();
        let next = AtomicUsize::new(0);
        let pieces: Mutex<Vec<(usize, Piece)>> = Mutex::new(Vec::with_capacity(packed.chunks.len()));
        let worker = |me: usize| {
            let work = Work {
                base: bases[me].get(),
                index: index.get(),
                prior: prior.get(),
                k,
                kp,
                quantum,
                store: store.get(),
                order: order.get(),
                prefetch,
                hard,
            };
            let mut mine = Vec::new();
            loop {
                let c = next.fetch_add(1, Relaxed);
                let Some(&chunk) = packed.chunks.get(c) else { break };
                let mut out = Piece::default();
                run(packed, work, chunk, &mut out);
                mine.push((c, out));
            }
            pieces.lock().expect("no worker panics").append(&mut mine);
        };
        on_threads(cx, bases.len(), &worker)?;
        let mut pieces = pieces.into_inner().expect("no worker panics");
        pieces.sort_unstable_by_key(|p| p.0);
        let mut passed = Passed { log_likelihood: 0.0, class: vec![0.0; k], rescued: 0 };
        for (_, p) in &pieces {
            passed.log_likelihood += p.log_likelihood;
            passed.rescued += p.rescued;
            passed.class.iter_mut().zip(&p.class).for_each(|(a, b)| *a += b);
        }
        if let Some(c) = &self.clamped {
            passed.class.iter_mut().zip(&c.class).for_each(|(a, b)| *a += b);
        }
        Ok(passed)
    }

    /// Turns the counts of the last pass into new tables and prior, and clears them. `dense` receives complete tables,
    /// also of labels that an annotator never gave.
    pub fn maximise(
        &mut self,
        cx: &mut Context<'_>,
        model: &impl Model,
        class: &[f64],
        dense: Dense<'_>,
    ) -> Result<Maximised, Error> {
        let (dense, report) = match dense {
            Dense::None => (None, false),
            Dense::Tables(d) => (Some(d), false),
            Dense::Report(d) => (Some(d), true),
        };
        assert!(dense.as_ref().is_none_or(|d| d.len() == self.entries()), "room for all tables");
        let mut prior = vec![0.0; self.k];
        let prior_penalty = model.prior(class, &mut prior);
        let mut change = 0f64;
        for (old, &new) in self.prior.iter_mut().zip(&prior) {
            change = change.max((*old - new).abs());
            *old = new;
        }
        let m = self.packed.annotators();
        let blocks = m.div_ceil(BLOCK);
        let job = Maximisation { counts: self.counts(), dense: dense.map(|d| Shared(d.as_mut_ptr())), report, model };
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, f64, Sums)>> = Mutex::new(Vec::with_capacity(blocks));
        let worker = |_| {
            loop {
                let b = next.fetch_add(1, Relaxed);
                if b >= blocks {
                    break;
                }
                let (change, sums) = job.block(b * BLOCK..((b + 1) * BLOCK).min(m));
                results.lock().expect("no worker panics").push((b, change, sums));
            }
        };
        on_threads(cx, job.counts.bases.len(), &worker)?;
        let mut results = results.into_inner().expect("no worker panics");
        results.sort_unstable_by_key(|r| r.0);
        let mut sums = Sums::default();
        for (_, c, s) in results {
            change = change.max(c);
            sums.iter_mut().zip(s).for_each(|(a, b)| *a += b);
        }
        Ok(Maximised { change, sums, prior_penalty })
    }

    /// Adds up `width` numbers over annotators from the counts of the last pass, which stay as they are: what a model
    /// that pools annotators wants to know before it makes tables. `add` gets an annotator's counts and the sums.
    pub fn gather(
        &mut self,
        cx: &mut Context<'_>,
        width: usize,
        add: impl Fn(usize, &[f64], &mut [f64]) + Sync,
    ) -> Result<Vec<f64>, Error> {
        let (m, size) = (self.packed.annotators(), self.packed.classes * self.k);
        let blocks = m.div_ceil(BLOCK);
        let counts = self.counts();
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, Vec<f64>)>> = Mutex::new(Vec::with_capacity(blocks));
        let worker = |_| {
            let mut of = vec![0.0; size];
            loop {
                let b = next.fetch_add(1, Relaxed);
                if b >= blocks {
                    break;
                }
                let mut sums = vec![0.0; width];
                for j in b * BLOCK..((b + 1) * BLOCK).min(m) {
                    counts.of::<0>(j, &mut of, false);
                    add(j, &of, &mut sums);
                }
                results.lock().expect("no worker panics").push((b, sums));
            }
        };
        on_threads(cx, counts.bases.len(), &worker)?;
        let mut results = results.into_inner().expect("no worker panics");
        results.sort_unstable_by_key(|r| r.0);
        let mut sums = vec![0.0; width];
        for (_, part) in results {
            crowdwise_numerics::add_into(&mut sums, &part);
        }
        Ok(sums)
    }

    fn counts(&mut self) -> Counts<'_> {
        Counts {
            kp: self.copies[0].kp,
            bases: self.copies.iter_mut().map(|c| Shared(c.base_mut())).collect(),
            packed: &self.packed,
            clamped: self.clamped.as_ref().map(|c| c.counts.as_slice()),
            quantum: self.quantum,
        }
    }

    /// Sets tables (annotators x label x truth) and prior from elsewhere.
    pub fn set(&mut self, dense: &[f64], prior: &[f64]) {
        let k = self.k;
        self.prior[..k].copy_from_slice(prior);
        for copy in &mut self.copies {
            let (base, stride, kp) = (copy.base_mut(), copy.stride, copy.kp);
            for j in 0..self.packed.annotators() {
                for r in self.packed.rows_of(j) {
                    let from = &dense[(j * self.packed.classes + self.packed.label[r] as usize) * k..][..k];
                    // SAFETY: row r lies inside this copy.
                    unsafe {
                        let row = std::slice::from_raw_parts_mut(base.add(r * stride), 2 * kp);
                        row[..k].copy_from_slice(from);
                        row[k..].fill(0.0);
                    }
                }
            }
        }
    }
}

/// Runs `worker(0..n)` on the threads of the run, or here if there is one.
fn on_threads(cx: &mut Context<'_>, n: usize, worker: &(impl Fn(usize) + Sync)) -> Result<(), Error> {
    if n == 1 {
        worker(0);
        return Ok(());
    }
    cx.install(|| {
        rayon::broadcast(|b| {
            if b.index() < n {
                worker(b.index());
            }
        });
    })
}

impl Clamped {
    fn new(data: &Categorical<'_>, packed: &Packed, known: &impl Fn(usize) -> Option<u32>) -> Clamped {
        let k = packed.k;
        let mut counts = vec![0.0; packed.label.len() * k];
        let mut class = vec![0.0; k];
        let annotator = data.table.annotator();
        for u in 0..data.table.n_units() {
            let Some(truth) = known(u) else { continue };
            class[truth as usize] += 1.0;
            for r in data.table.rows(u) {
                let (j, l) = (annotator[r] as usize, data.codes.get(r) as u16);
                let rows = packed.rows_of(j);
                let at = rows.start + packed.label[rows].binary_search(&l).expect("every label has a row");
                counts[at * k + truth as usize] += 1.0;
            }
        }
        Clamped { counts, class }
    }

    fn log_likelihood(&self, packed: &Packed, rows: &Rows, prior: &[f64]) -> f64 {
        let k = packed.k;
        let term = |n: f64, p: f64| if n > 0.0 { n * p.max(f64::MIN_POSITIVE).ln() } else { 0.0 };
        let mut sum: f64 = self.class.iter().zip(prior).map(|(&n, &p)| term(n, p)).sum();
        for r in 0..packed.label.len() {
            // SAFETY: row r lies inside the copy.
            let table = unsafe { std::slice::from_raw_parts(rows.base().add(r * rows.stride), k) };
            sum += (0..k).map(|t| term(self.counts[r * k + t], table[t])).sum::<f64>();
        }
        sum
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
