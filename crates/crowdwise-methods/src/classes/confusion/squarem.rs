//! SQUAREM: fewer passes to the same optimum.
//!
//! Two EM steps θ0 → θ1 → θ2 give a direction; the next point is extrapolated along it on the logarithms of the tables
//! (scheme S3 of Varadhan & Roland 2008, doi:10.1111/j.1467-9469.2007.00585.x) and the columns are normalised again. A
//! candidate whose objective falls below that of θ1 is dropped for θ2, so the accepted points never go down.

use crowdwise_numerics::fast;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The engine stands at θ0.
    First,
    /// … at θ1.
    Second,
    /// … at an extrapolated point.
    Extrapolated,
}

pub(super) struct Squarem {
    /// θ0, θ1, θ2: tables (annotators x label x truth) followed by the prior. When a step is taken θ0 and θ1 turn into
    /// their logarithms, and θ0 gives its memory to the candidate.
    x0: Vec<f64>,
    x1: Vec<f64>,
    x2: Vec<f64>,
    k: usize,
    phase: Phase,
    /// Objective at θ1: what a candidate has to reach.
    floor: f64,
    /// Log-prior of θ2.
    penalty2: f64,
    /// Longest step: grows when it binds, shrinks when a candidate is refused.
    longest: f64,
}

/// Objectives are sums over millions of items: a candidate may be lower by rounding.
const SLACK: f64 = 1e-11;

/// Entries are summed in pieces of this many, in order, so that the step does not depend on anything but the numbers.
const PIECE: usize = 4096;

impl Squarem {
    pub fn new(tables: &[f64], prior: &[f64]) -> Self {
        let k = prior.len();
        let mut x0 = Vec::with_capacity(tables.len() + k);
        x0.extend_from_slice(tables);
        x0.extend_from_slice(prior);
        Squarem {
            x1: vec![0.0; x0.len()],
            x2: vec![0.0; x0.len()],
            x0,
            k,
            phase: Phase::First,
            floor: f64::NEG_INFINITY,
            penalty2: 0.0,
            longest: 1.0,
        }
    }

    pub fn extrapolated(&self) -> bool {
        self.phase == Phase::Extrapolated
    }

    /// Whether the objective at the extrapolated point is too low.
    pub fn refuses(&self, objective: f64) -> bool {
        self.extrapolated() && (objective.is_nan() || objective < self.floor - SLACK * self.floor.abs())
    }

    /// Gives up the extrapolated point: the tables, prior and log-prior of θ2 to go on from.
    pub fn back(&mut self) -> (&[f64], &[f64], f64) {
        self.x0.copy_from_slice(&self.x2);
        self.phase = Phase::First;
        self.longest = (self.longest / 4.0).max(1.0);
        let (tables, prior) = self.x0.split_at(self.x0.len() - self.k);
        (tables, prior, self.penalty2)
    }

    /// Takes note of an EM step that led to `tables` and `prior` from a point with this `objective`. Gives a point to go
    /// to instead, if it is time to extrapolate and `may` is set.
    pub fn advance(
        &mut self,
        tables: &[f64],
        prior: &[f64],
        objective: f64,
        penalty: f64,
        may: bool,
    ) -> Option<(&[f64], &[f64])> {
        let into = match self.phase {
            Phase::First => &mut self.x1,
            Phase::Second => &mut self.x2,
            Phase::Extrapolated => &mut self.x0,
        };
        let n = tables.len();
        into[..n].copy_from_slice(tables);
        into[n..].copy_from_slice(prior);
        match self.phase {
            Phase::First => {
                self.phase = Phase::Second;
                None
            }
            Phase::Extrapolated => {
                self.phase = Phase::First;
                None
            }
            Phase::Second => {
                (self.floor, self.penalty2) = (objective, penalty);
                let step = if may { self.step() } else { 1.0 };
                if step <= 1.0 {
                    self.x0.copy_from_slice(&self.x2);
                    self.phase = Phase::First;
                    return None;
                }
                self.extrapolate(step);
                self.phase = Phase::Extrapolated;
                Some(self.x0.split_at(n))
            }
        }
    }

    /// The length of the step, |r| / |v|; 1 is the EM point θ2 itself. Leaves θ0 and θ1 as logarithms.
    fn step(&mut self) -> f64 {
        let (mut rr, mut vv) = (0.0, 0.0);
        let pieces = self.x0.chunks_mut(PIECE).zip(self.x1.chunks_mut(PIECE)).zip(self.x2.chunks(PIECE));
        for ((x0, x1), x2) in pieces {
            x0.iter_mut().for_each(|x| *x = ln(*x));
            x1.iter_mut().for_each(|x| *x = ln(*x));
            let (mut r2, mut v2) = ([0.0; 4], [0.0; 4]);
            for (i, ((&a, &b), &c)) in x0.iter().zip(x1.iter()).zip(x2).enumerate() {
                let (r, v) = (b - a, ln(c) - 2.0 * b + a);
                r2[i % 4] += r * r;
                v2[i % 4] += v * v;
            }
            rr += r2.iter().sum::<f64>();
            vv += v2.iter().sum::<f64>();
        }
        let step = if vv > 0.0 { (rr / vv).sqrt() } else { 1.0 };
        if step < self.longest {
            return step;
        }
        // the limit binds: use it now, and allow more next time
        let step = self.longest;
        self.longest *= 4.0;
        step
    }

    /// θ0 := normalise(exp(ln θ0 + 2 s r + s² v)), after [`Squarem::step`].
    fn extrapolate(&mut self, s: f64) {
        for ((x, &b), &c) in self.x0.iter_mut().zip(&self.x1).zip(&self.x2) {
            let (r, v) = (b - *x, ln(c) - 2.0 * b + *x);
            // a bound far beyond any useful step keeps exp finite
            *x = fast::exp((*x + 2.0 * s * r + s * s * v).clamp(-230.0, 50.0));
        }
        let k = self.k;
        let n = self.x0.len() - k;
        let (tables, prior) = self.x0.split_at_mut(n);
        for t in tables.chunks_exact_mut(k * k) {
            for truth in 0..k {
                let sum: f64 = (0..k).map(|l| t[l * k + truth]).sum();
                (0..k).for_each(|l| t[l * k + truth] = (t[l * k + truth] / sum).max(1e-100));
            }
        }
        let sum: f64 = prior.iter().sum();
        prior.iter_mut().for_each(|p| *p /= sum);
    }
}

#[inline(always)]
#[allow(clippy::inline_always)] // must end up inside vectorised loops
fn ln(x: f64) -> f64 {
    fast::ln(if x > 1e-100 { x } else { 1e-100 })
}
