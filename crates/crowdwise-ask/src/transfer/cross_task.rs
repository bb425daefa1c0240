//! Abilities across tasks, after Mo et al. 2013: annotator m is right in task t with probability σ(a_m · θ_t + b_t), wrong labels are
//! spread evenly; a_m ~ N(0, I), θ_t and b_t around (1, 0, …) and 1.

#[cfg(test)]
mod tests;

use super::tasks::{Task, Tasks};
use crowdwise_core::stats::{logistic, softmax};
use crowdwise_core::{Dataset, Error, Problems, stream};
use crowdwise_numerics::{Cholesky, dot};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// How to fit abilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CrossTask {
    /// Numbers in an ability vector.
    pub abilities: usize,
    /// Rounds of EM.
    pub rounds: usize,
    /// Newton steps of annotators and tasks in turn in every round.
    pub steps: usize,
    /// Precision of abilities and loadings.
    pub ridge: f64,
    /// Precision of the intercepts of the tasks.
    pub intercept_ridge: f64,
}

impl Default for CrossTask {
    fn default() -> Self {
        CrossTask { abilities: 2, rounds: 20, steps: 5, ridge: 1.0, intercept_ridge: 0.1 }
    }
}

/// What the tasks together say. The target is task 0.
#[derive(Clone, Debug)]
pub struct CrossFit {
    pub tasks: Tasks,
    /// Abilities of every annotator.
    pub ability: Vec<Vec<f64>>,
    /// Loading of every task, and its intercept.
    pub loading: Vec<Vec<f64>>,
    pub intercept: Vec<f64>,
    /// P(right) of every annotator in every task, annotators x tasks; for tasks that they have not seen it is predicted.
    pub accuracy: Vec<Vec<f64>>,
    /// The plain alternative for annotators who have not labelled the target: the mean of their accuracies in the other tasks that they
    /// have labelled. `None` for those who labelled none.
    pub plain_mean: Vec<Option<f64>>,
    /// Posterior of the target's units, in the order of its table.
    pub posterior: Vec<f64>,
}

/// P(right) stays between these.
const RIGHT: [f64; 2] = [0.02, 0.98];

/// Fits abilities of the annotators of `target` and `sources`.
pub fn cross_task(target: &Dataset, sources: &[&Dataset], how: &CrossTask, seed: u64) -> Result<CrossFit, Error> {
    how.check()?;
    Ok(how.fit(Tasks::new(target, sources)?, seed))
}

/// Right labels and labels by annotator and task.
struct Counts {
    right: Vec<Vec<f64>>,
    all: Vec<Vec<f64>>,
}

impl CrossTask {
    fn check(&self) -> Result<(), Error> {
        let mut p = Problems::default();
        p.require((1..=20).contains(&self.abilities), "abilities", self.abilities, "between 1 and 20");
        p.count("rounds", self.rounds);
        p.count("steps", self.steps);
        p.within("ridge", self.ridge, 1e-6, 1e6);
        p.within("intercept_ridge", self.intercept_ridge, 1e-6, 1e6);
        Error::all(p.0)
    }

    /// The same model on the target alone, to see what the sources add.
    pub fn single(&self, fit: &CrossFit, seed: u64) -> CrossFit {
        self.fit(fit.tasks.alone(), seed)
    }

    fn fit(&self, tasks: Tasks, seed: u64) -> CrossFit {
        let (m, t, r) = (tasks.annotators.len(), tasks.tasks.len(), self.abilities);
        let mut rng = stream(seed, "cross-task", 0);
        let mut draw = || 0.1 * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng);
        let mut ability: Vec<Vec<f64>> = (0..m).map(|_| (0..r).map(|_| draw()).collect()).collect();
        // loading and intercept in one vector
        let centre: Vec<f64> = (0..=r).map(|d| if d == 0 || d == r { 1.0 } else { 0.0 }).collect();
        let mut load: Vec<Vec<f64>> =
            (0..t).map(|_| (0..=r).map(|d| if d == 0 || d == r { 1.0 } else { draw() }).collect()).collect();
        let mut q: Vec<Vec<f64>> = tasks.tasks.iter().map(Task::vote_shares).collect();
        for _ in 0..self.rounds {
            let counts = count(&tasks, &q);
            for _ in 0..self.steps {
                self.annotators(&mut ability, &load, &counts);
                self.loadings(&ability, &mut load, &centre, &counts);
            }
            for (x, (task, q)) in tasks.tasks.iter().zip(&mut q).enumerate() {
                let right: Vec<f64> = ability.iter().map(|a| right(a, &load[x])).collect();
                *q = posterior(task, &right);
            }
        }
        let accuracy: Vec<Vec<f64>> = ability.iter().map(|a| load.iter().map(|l| right(a, l)).collect()).collect();
        let plain = |j: usize| {
            let seen: Vec<f64> = (1..t).filter(|&x| tasks.labels[j][x] > 0).map(|x| accuracy[j][x]).collect();
            (!seen.is_empty()).then(|| seen.iter().sum::<f64>() / seen.len() as f64)
        };
        CrossFit {
            plain_mean: (0..m).map(plain).collect(),
            posterior: tasks.tasks[0].by_unit(&q[0], tasks.tasks[0].k),
            intercept: load.iter().map(|l| l[r]).collect(),
            loading: load.iter().map(|l| l[..r].to_vec()).collect(),
            ability,
            accuracy,
            tasks,
        }
    }

    /// One Newton step of every annotator's ability. Who has no labels anywhere stays at the mean, 0.
    fn annotators(&self, ability: &mut [Vec<f64>], load: &[Vec<f64>], counts: &Counts) {
        let r = self.abilities;
        for (j, a) in ability.iter_mut().enumerate() {
            let (mut h, mut g) = (vec![0.0; r * r], vec![0.0; r]);
            for (x, l) in load.iter().enumerate() {
                let (n, p) = (counts.all[j][x], logistic(dot(a, &l[..r]) + l[r]));
                add(&mut h, &mut g, &l[..r], n * p * (1.0 - p), counts.right[j][x] - n * p);
            }
            (0..r).for_each(|d| {
                h[d * r + d] += self.ridge;
                g[d] -= self.ridge * a[d];
            });
            step(a, h, g);
        }
    }

    /// One Newton step of every task's loading and intercept.
    fn loadings(&self, ability: &[Vec<f64>], load: &mut [Vec<f64>], centre: &[f64], counts: &Counts) {
        let n = self.abilities + 1;
        for (x, l) in load.iter_mut().enumerate() {
            let (mut h, mut g) = (vec![0.0; n * n], vec![0.0; n]);
            for (j, a) in ability.iter().enumerate() {
                let z: Vec<f64> = a.iter().copied().chain([1.0]).collect();
                let (all, p) = (counts.all[j][x], logistic(dot(&z, l)));
                add(&mut h, &mut g, &z, all * p * (1.0 - p), counts.right[j][x] - all * p);
            }
            for d in 0..n {
                let ridge = if d + 1 == n { self.intercept_ridge } else { self.ridge };
                h[d * n + d] += ridge;
                g[d] -= ridge * (l[d] - centre[d]);
            }
            step(l, h, g);
        }
    }
}

/// Adds `weight` x zᵀ and `slope` z.
pub(super) fn add(h: &mut [f64], g: &mut [f64], z: &[f64], weight: f64, slope: f64) {
    let n = z.len();
    for (a, &za) in z.iter().enumerate() {
        g[a] += slope * za;
        h[a * n..(a + 1) * n].iter_mut().zip(z).for_each(|(h, zb)| *h += weight * za * zb);
    }
}

/// x + H⁻¹ g; the ridge makes H positive definite.
pub(super) fn step(x: &mut [f64], h: Vec<f64>, mut g: Vec<f64>) {
    Cholesky::with_floor(x.len(), h, 1e-12).solve(&mut g);
    x.iter_mut().zip(&g).for_each(|(x, g)| *x += g);
}

fn right(ability: &[f64], load: &[f64]) -> f64 {
    let r = ability.len();
    logistic(dot(ability, &load[..r]) + load[r]).clamp(RIGHT[0], RIGHT[1])
}

fn count(tasks: &Tasks, q: &[Vec<f64>]) -> Counts {
    let empty = vec![vec![0.0; tasks.tasks.len()]; tasks.annotators.len()];
    let mut out = Counts { right: empty.clone(), all: empty };
    for (x, (task, q)) in tasks.tasks.iter().zip(q).enumerate() {
        for &(i, j, l) in &task.labels {
            out.right[j as usize][x] += q[i as usize * task.k + l as usize];
            out.all[j as usize][x] += 1.0;
        }
    }
    out
}

/// One-coin posterior for annotators who are right with these probabilities.
pub(super) fn posterior(task: &Task, right: &[f64]) -> Vec<f64> {
    let k = task.k;
    let mut q = vec![0.0; task.items() * k];
    for &(i, j, l) in &task.labels {
        let p = right[j as usize];
        // the part that all classes share cancels
        q[i as usize * k + l as usize] += p.ln() - ((1.0 - p) / (k - 1) as f64).ln();
    }
    q.chunks_exact_mut(k).for_each(|row| _ = softmax(row));
    q
}
