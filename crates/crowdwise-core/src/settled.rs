//! Whether the answers of a fit still move. Parameters of annotators with few labels may creep for hundreds of iterations
//! without any answer changing: going on would cost time and tell nothing.

use crate::{Fit, stats};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How much the answers moved over the last iterations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// Iterations that were looked back on.
    pub iterations: usize,
    pub items: usize,
    /// Items whose most probable class changed over them.
    pub labels_changed: usize,
    /// Mean over items of how far the probabilities moved over them (total variation, 0 to 1).
    pub mean_change: f64,
}

/// Iterations that are looked back on. Ten, because two EM steps that resemble each other may be the slow part of a long way.
const WINDOW: usize = 10;
/// Settled answers: at most one item of so many has another label than at the beginning of the window …
const ITEMS_PER_CHANGE: usize = 1000;
/// … and probabilities moved by no more than this on average. Both are far below what labels can tell: the accuracy of ten
/// thousand items is known to three times as much.
const MEAN_CHANGE: f64 = 1e-3;
/// Name in the details of a fit.
const NAME: &str = "settled";

impl Settled {
    /// Compares two posteriors (units x K) that lie `iterations` apart.
    pub fn between(before: &[f64], after: &[f64], k: usize, iterations: usize) -> Settled {
        // rows of items without labels are not written
        let rows = || before.chunks_exact(k).zip(after.chunks_exact(k)).filter(|(a, _)| a.iter().any(|x| *x > 0.0));
        let moved: f64 = rows().map(|(a, b)| a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum::<f64>() / 2.0).sum();
        // a tie that is broken by the last bit is no change of mind
        let other = |(a, b): &(&[f64], &[f64])| {
            let label = stats::argmax(b);
            label != stats::argmax(a) && !stats::tied(a[label], a[stats::argmax(a)])
        };
        let items = rows().count();
        let labels_changed = rows().filter(other).count();
        Settled { iterations, items, labels_changed, mean_change: moved / items.max(1) as f64 }
    }

    /// So little moved that an answer may be called final.
    pub fn is_still(&self) -> bool {
        self.labels_changed * ITEMS_PER_CHANGE <= self.items && self.mean_change <= MEAN_CHANGE
    }

    /// Writes it into the details of a fit.
    pub fn tell(&self, details: &mut Map<String, Value>) {
        details.insert(NAME.into(), serde_json::to_value(self).expect("plain numbers"));
    }

    /// What a fit says of itself.
    pub fn of(fit: &Fit) -> Option<Settled> {
        serde_json::from_value(fit.diagnostics.details.get(NAME)?.clone()).ok()
    }
}

/// Looks at a posterior every [`WINDOW`] iterations, so that a look costs little, and at the last one.
#[derive(Clone, Debug)]
pub struct Watch {
    max_iter: usize,
    /// The first iteration that is looked at.
    from: usize,
    before: Option<Vec<f64>>,
}

impl Watch {
    /// All the way: a loop that is told may end as soon as answers are still.
    pub fn all(max_iter: usize) -> Watch {
        Watch { max_iter, from: if max_iter < 2 * WINDOW { usize::MAX } else { 0 }, before: None }
    }

    /// The last window alone: the loop runs to its limit and tells what it was like there.
    pub fn end(max_iter: usize) -> Watch {
        Watch { from: if max_iter < 2 * WINDOW { usize::MAX } else { max_iter - WINDOW }, ..Watch::all(max_iter) }
    }

    /// Not at all.
    pub fn never() -> Watch {
        Watch { max_iter: 0, from: usize::MAX, before: None }
    }

    /// Is the posterior of this iteration wanted?
    pub fn looks(&self, iteration: usize) -> bool {
        iteration >= self.from && iteration <= self.max_iter && (self.max_iter - iteration).is_multiple_of(WINDOW)
    }

    /// Compares with the last look; the answer if nothing moves any more.
    pub fn look(&mut self, posterior: &[f64], k: usize) -> Option<Settled> {
        let how = self.before.as_ref().map(|b| Settled::between(b, posterior, k, WINDOW));
        if how.is_some_and(|h| h.is_still()) {
            return how;
        }
        match &mut self.before {
            Some(before) => before.copy_from_slice(posterior),
            None => self.before = Some(posterior.to_vec()),
        }
        None
    }

    /// A step that was taken back leaves nothing to compare with.
    pub fn forget(&mut self) {
        self.before = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Step, Stop};

    #[test]
    fn a_watch_looks_every_ten_iterations_and_at_the_last() {
        let at = |w: &Watch| (1..=35).filter(|&n| w.looks(n)).collect::<Vec<_>>();
        assert_eq!(at(&Watch::all(35)), [5, 15, 25, 35]);
        assert_eq!(at(&Watch::end(35)), [25, 35]);
        assert!(at(&Watch::all(19)).is_empty() && at(&Watch::never()).is_empty());
        let mut w = Watch::all(35);
        assert_eq!(w.look(&[0.9, 0.1], 2), None);
        assert_eq!(w.look(&[0.6, 0.4], 2), None, "it moved");
        assert!(w.look(&[0.6, 0.4], 2).is_some());
        w.forget();
        assert_eq!(w.look(&[0.6, 0.4], 2), None);
    }

    #[test]
    fn labels_that_change_or_probabilities_that_move_are_not_still() {
        let n = 3000;
        let before: Vec<f64> = (0..n).flat_map(|_| [0.9, 0.1]).collect();
        let moved = |items: usize, to: f64| {
            let mut after = before.clone();
            after.chunks_exact_mut(2).take(items).for_each(|row| row.copy_from_slice(&[to, 1.0 - to]));
            Settled::between(&before, &after, 2, WINDOW)
        };
        assert!(moved(0, 0.9).is_still());
        let few = moved(3, 0.2);
        assert_eq!((few.labels_changed, few.items), (3, n));
        assert!((few.mean_change - 3.0 * 0.7 / n as f64).abs() < 1e-12 && few.is_still(), "{few:?}");
        assert!(!moved(4, 0.49).is_still(), "one label more than one in a thousand");
        let creeping = moved(n, 0.898);
        assert!(creeping.labels_changed == 0 && !creeping.is_still(), "every probability moves");
    }

    #[test]
    fn a_tie_that_tips_over_is_no_change() {
        let s = Settled::between(&[0.5, 0.5], &[0.5 - 1e-15, 0.5 + 1e-15], 2, WINDOW);
        assert_eq!(s.labels_changed, 0);
    }

    #[test]
    fn a_step_that_settles_ends_the_loop_and_says_so() {
        let still = Settled { iterations: WINDOW, items: 7, labels_changed: 0, mean_change: 0.0 };
        let mut cx = Context::new(0, 1);
        let run = cx.iterate(100, 1e-9, |cx, n| {
            if n == 40 {
                cx.settle(still);
            }
            Ok(Step { objective: None, change: 1e-3 })
        });
        let run = run.unwrap();
        assert_eq!((run.stop, run.iterations, run.settled), (Stop::Settled, 40, Some(still)));
        assert!(run.stop.is_end());
        assert_eq!(run.diagnostics("x").details["settled"]["items"], 7);
        // the next loop of the same context begins anew
        let next = cx.iterate(2, 1e-9, |_, _| Ok(Step { objective: None, change: 1.0 })).unwrap();
        assert_eq!((next.stop, next.settled), (Stop::MaxIter, None));
        assert_eq!(Stop::worst([Stop::Converged, Stop::MaxIter, Stop::Settled]), Some(Stop::MaxIter));
        assert_eq!(Stop::worst([Stop::Settled, Stop::Converged]), Some(Stop::Settled));
    }
}
