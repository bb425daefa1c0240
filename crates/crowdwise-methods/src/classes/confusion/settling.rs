//! Looking at the posterior from time to time to see whether answers still move.

use super::em::{Settings, StopRule};
use crowdwise_core::Watch;

/// What is made of answers that no longer move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settle {
    /// The iterations go on to their limit; if that comes first, it is told that answers had settled before.
    Tell,
    /// The iterations end.
    End,
}

/// Numbers of a posterior above which it is not looked at: that takes a copy.
const MOST: usize = 50_000_000;

/// What a fit looks at, for a posterior of so many numbers. A tolerance of 0 asks for every iteration up to the limit.
pub(super) fn watch(settings: &Settings, entries: usize) -> Watch {
    if settings.stop == StopRule::Bound || entries > MOST {
        return Watch::never();
    }
    let ends = settings.settle == Settle::End && !settings.accelerate && settings.tol > 0.0;
    if ends { Watch::all(settings.max_iter) } else { Watch::end(settings.max_iter) }
}

#[cfg(test)]
mod tests {
    use crate::classes::confusion::DawidSkene;
    use crate::classes::pooled::PooledDawidSkene;
    use crowdwise_core::questions::reviewed;
    use crowdwise_core::simulate::{Simulation, Simulator};
    use crowdwise_core::{AnyMethod, Context, Dataset, Fit, Stop, stats};

    /// Many annotators with few labels: their matrices creep long after every answer is clear.
    fn crowd() -> Dataset {
        let s = Simulation { items: 600, annotators: 150, classes: 3, per_item: 5, ..Simulation::default() };
        Simulator::new(&s, 1).unwrap().dataset().unwrap().0
    }

    fn fit(method: &dyn AnyMethod, data: &Dataset) -> Fit {
        reviewed(method, data, &mut Context::new(0, 1)).unwrap()
    }

    fn labels(f: &Fit) -> Vec<usize> {
        let (k, q) = f.posterior().unwrap();
        q.chunks_exact(k).map(stats::argmax).collect()
    }

    fn told(f: &Fit, code: &str) -> bool {
        f.findings.iter().any(|x| x.code == code)
    }

    #[test]
    fn pooled_matrices_stop_when_answers_have_settled() {
        let data = crowd();
        let slow = PooledDawidSkene { max_iter: 2000, tol: 1e-14, ..PooledDawidSkene::default() };
        let f = fit(&slow, &data);
        assert_eq!(f.diagnostics.stop, Stop::Settled);
        assert!(f.diagnostics.iterations < 500 && told(&f, "settled") && !told(&f, "not-converged"));
        assert!(f.diagnostics.details["settled"]["labels_changed"].as_u64() <= Some(0));
        // a tolerance of 0 asks for all iterations; hardly an answer differs
        let all = fit(&PooledDawidSkene { max_iter: 500, tol: 0.0, ..slow }, &data);
        assert!(all.diagnostics.iterations >= 500);
        let differ = labels(&f).iter().zip(labels(&all)).filter(|(a, b)| **a != *b).count();
        assert!(differ <= 6, "{differ} of 600");
    }

    #[test]
    fn dawid_skene_goes_on_to_its_limit_and_then_tells() {
        let data = crowd();
        let with = |max_iter| DawidSkene { max_iter, tol: 0.0, alpha: 1.0, ..DawidSkene::default() };
        let f = fit(&with(200), &data);
        assert_eq!((f.diagnostics.stop, f.diagnostics.iterations), (Stop::Settled, 200));
        assert!(told(&f, "settled") && !told(&f, "not-converged"));
        // two steps say nothing about the next ones
        let f = fit(&with(2), &data);
        assert_eq!(f.diagnostics.stop, Stop::MaxIter);
        assert!(told(&f, "not-converged"));
    }
}
