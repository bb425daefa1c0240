//! What a run brings to a method: seed, threads, progress, cancellation, a warm start; and the one iteration loop.

use crate::fit::{Diagnostics, Objective, Stop, TracePoint};
use crate::settled::Settled;
use crate::voices::Counted;
use crate::{Error, Fit};
use crowdwise_numerics::stream;
use rand_chacha::ChaCha8Rng;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a method reports while it works. Front ends draw it; the library never prints.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    Iteration {
        iteration: usize,
        max_iter: usize,
        objective: Option<f64>,
        change: f64,
        tol: f64,
    },
    /// One pass over the training items of a classifier.
    Epoch {
        epoch: usize,
        epochs: usize,
        /// Mean loss of the epoch.
        loss: f64,
        /// Mean log-likelihood of a held-out label, where some are held out.
        held_out: Option<f64>,
    },
    /// A new part of the work, e.g. "restart 2 of 5".
    Stage {
        name: String,
    },
}

/// Where events go.
pub type Sink<'a> = &'a mut dyn FnMut(&Event);

/// Everything that belongs to a run and not to a method.
pub struct Context<'a> {
    pub seed: u64,
    pub threads: usize,
    /// A fit of the same method on the same annotators and classes to start from.
    pub warm: Option<&'a Fit>,
    /// Counts every annotator, also those who copy another one: see [`crate::voices`].
    pub count_copies: bool,
    sink: Option<Sink<'a>>,
    cancel: Option<&'a AtomicBool>,
    last_event: Option<Instant>,
    pool: Option<rayon::ThreadPool>,
    settled: Option<Settled>,
    /// Pairs of annotators in the table that the method works on.
    pub(crate) counted: Counted,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("seed", &self.seed).field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// Events are at least this far apart, so that a slow terminal never slows a fit.
const EVENT_EVERY: Duration = Duration::from_millis(100);

impl Default for Context<'_> {
    fn default() -> Self {
        Context::new(0, 1)
    }
}

impl<'a> Context<'a> {
    pub fn new(seed: u64, threads: usize) -> Self {
        Context {
            seed,
            threads: threads.max(1),
            warm: None,
            count_copies: false,
            sink: None,
            cancel: None,
            last_event: None,
            pool: None,
            settled: None,
            counted: Counted::default(),
        }
    }

    #[must_use]
    pub fn with_sink(mut self, sink: Sink<'a>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Stops at the next iteration when the flag is set; what is there by then is the result, marked.
    #[must_use]
    pub fn with_cancel(mut self, flag: &'a AtomicBool) -> Self {
        self.cancel = Some(flag);
        self
    }

    #[must_use]
    pub fn with_warm_start(mut self, fit: &'a Fit) -> Self {
        self.warm = Some(fit);
        self
    }

    /// Counts every annotator, also those who copy another one.
    #[must_use]
    pub fn with_count_copies(mut self, count: bool) -> Self {
        self.count_copies = count;
        self
    }

    /// Does `work` in a run like this one that starts from another fit.
    pub fn starting_from<R>(&mut self, warm: Option<&Fit>, work: impl FnOnce(&mut Context<'_>) -> R) -> R {
        let mut sink = self.sink.take();
        let mut run = Context {
            count_copies: self.count_copies,
            settled: self.settled,
            seed: self.seed,
            threads: self.threads,
            warm,
            sink: match &mut sink {
                Some(s) => Some(&mut **s),
                None => None,
            },
            cancel: self.cancel,
            last_event: self.last_event,
            pool: self.pool.take(),
            counted: Counted::default(),
        };
        let out = work(&mut run);
        (self.last_event, self.pool) = (run.last_event, run.pool);
        self.sink = sink;
        out
    }

    pub fn cancelled(&self) -> bool {
        self.cancel.is_some_and(|c| c.load(Ordering::Relaxed))
    }

    /// An independent stream of random numbers for `purpose` and `index` (a restart, a chain, a chunk): it depends on
    /// the seed and these two only, never on the order in which streams are asked for or on the threads.
    pub fn rng(&self, purpose: &str, index: u64) -> ChaCha8Rng {
        stream(self.seed, purpose, index)
    }

    /// Runs `work` on a pool of as many threads as the run has. The pool lives as long as the context.
    pub fn install<R: Send>(&mut self, work: impl FnOnce() -> R + Send) -> Result<R, Error> {
        if self.pool.is_none() {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
            self.pool =
                Some(pool.map_err(|e| Error::Unsupported {
                    what: format!("threads could not be started: {e}"),
                    hint: None,
                })?);
        }
        Ok(self.pool.as_ref().expect("pool was just built").install(work))
    }

    pub fn event(&mut self, event: &Event) {
        let now = Instant::now();
        let due = match event {
            Event::Iteration { .. } | Event::Epoch { .. } => self.last_event.is_none_or(|t| now - t >= EVENT_EVERY),
            Event::Stage { .. } => true,
        };
        if due && let Some(sink) = &mut self.sink {
            sink(event);
            self.last_event = Some(now);
        }
    }

    /// Called by a step: the answers have settled, so that the loop may end whatever the parameters still do.
    pub fn settle(&mut self, how: Settled) {
        self.settled = Some(how);
    }

    /// The one iteration loop: calls `step` until it changes less than `tol` or [settles](Context::settle), `max_iter` is
    /// reached, the run is cancelled or the objective is no longer finite. A step that failed to be finite must leave the caller's last
    /// finite state in place by returning before it is overwritten.
    pub fn iterate(
        &mut self,
        max_iter: usize,
        tol: f64,
        mut step: impl FnMut(&mut Self, usize) -> Result<Step, Error>,
    ) -> Result<Run, Error> {
        let mut run = Run { stop: Stop::MaxIter, iterations: 0, trace: Vec::new(), settled: None };
        self.settled = None;
        for iteration in 1..=max_iter {
            let Step { objective, change } = step(self, iteration)?;
            run.iterations = iteration;
            if change.is_nan() || objective.is_some_and(f64::is_nan) {
                run.stop = Stop::NotFinite;
                break;
            }
            run.trace.push(TracePoint { iteration, objective, change });
            self.event(&Event::Iteration { iteration, max_iter, objective, change, tol });
            if change < tol {
                run.stop = Stop::Converged;
                break;
            }
            if let Some(how) = self.settled.take() {
                run.stop = Stop::Settled;
                run.settled = Some(how);
                break;
            }
            if self.cancelled() {
                run.stop = Stop::Cancelled;
                break;
            }
        }
        Ok(run)
    }
}

/// What one iteration did.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub objective: Option<f64>,
    /// Largest change, compared with `tol`.
    pub change: f64,
}

/// How the iterations went.
#[derive(Clone, Debug)]
pub struct Run {
    pub stop: Stop,
    pub iterations: usize,
    pub trace: Vec<TracePoint>,
    /// How still the answers were, where that is why it ended.
    pub settled: Option<Settled>,
}

impl Run {
    /// Diagnostics with the last finite objective of the trace, called `kind`.
    pub fn diagnostics(self, kind: &str) -> Diagnostics {
        let value = self.trace.iter().rev().find_map(|t| t.objective);
        let mut details = serde_json::Map::new();
        if let Some(how) = self.settled {
            how.tell(&mut details);
        }
        Diagnostics {
            stop: self.stop,
            iterations: self.iterations,
            objective: value.map(|value| Objective { kind: kind.into(), value }),
            trace: self.trace,
            details,
        }
    }
}
