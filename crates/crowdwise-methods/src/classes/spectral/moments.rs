//! Second and third moments of the answers of three groups of annotators, and every annotator against the groups it is
//! not in.

use super::crowd::Crowd;
use crowdwise_numerics::Matrix;

/// Which of three groups every annotator position is in.
pub(super) type Groups = Vec<u8>;

/// Moments over the labelled items; an item's answer of a group is how often the group says each class.
#[derive(Debug)]
pub(super) struct Moments {
    pub k: usize,
    /// Groups 0 and 1, 1 and 2, 2 and 0: mean of x_a x_bᵀ.
    pair: [Matrix; 3],
    /// Mean of x_0 ⊗ x_1 ⊗ x_2.
    pub triple: Vec<f64>,
}

/// How often each group says each class of one item.
struct Answers {
    k: usize,
    /// group x K
    counts: Vec<f64>,
    /// Classes with counts, by group.
    said: [Vec<u32>; 3],
}

impl Answers {
    fn new(k: usize) -> Answers {
        Answers { k, counts: vec![0.0; 3 * k], said: Default::default() }
    }

    fn read(&mut self, crowd: &Crowd, item: usize, groups: &[u8]) {
        for (g, said) in self.said.iter_mut().enumerate() {
            said.drain(..).for_each(|c| self.counts[g * self.k + c as usize] = 0.0);
        }
        for (j, c) in crowd.on(item) {
            let g = groups[j] as usize;
            let count = &mut self.counts[g * self.k + c];
            if *count == 0.0 {
                self.said[g].push(c as u32);
            }
            *count += 1.0;
        }
    }

    /// (class, count) of a group.
    fn of(&self, group: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        self.said[group].iter().map(move |&c| (c as usize, self.counts[group * self.k + c as usize]))
    }
}

impl Moments {
    pub fn new(crowd: &Crowd, groups: &Groups) -> Moments {
        let k = crowd.k;
        let mut pair = [Matrix::zeros(k, k), Matrix::zeros(k, k), Matrix::zeros(k, k)];
        let mut triple = vec![0.0; k * k * k];
        let mut answers = Answers::new(k);
        for item in 0..crowd.unit.len() {
            answers.read(crowd, item, groups);
            for (g, m) in pair.iter_mut().enumerate() {
                for (a, x) in answers.of(g) {
                    answers.of((g + 1) % 3).for_each(|(b, y)| m[(a, b)] += x * y);
                }
            }
            for (a, x) in answers.of(0) {
                for (b, y) in answers.of(1) {
                    answers.of(2).for_each(|(c, z)| triple[(a * k + b) * k + c] += x * y * z);
                }
            }
        }
        // sums of whole numbers are exact, whatever the order of items
        let n = crowd.unit.len().max(1) as f64;
        pair.iter_mut().for_each(|m| m.values_mut().iter_mut().for_each(|x| *x /= n));
        triple.iter_mut().for_each(|x| *x /= n);
        Moments { k, pair, triple }
    }

    #[cfg(test)]
    pub fn given(k: usize, pair: [Matrix; 3], triple: Vec<f64>) -> Moments {
        Moments { k, pair, triple }
    }

    /// Mean of x_a x_bᵀ.
    pub fn between(&self, a: usize, b: usize) -> Matrix {
        if (a + 1) % 3 == b { self.pair[a].clone() } else { self.pair[b].transpose() }
    }
}

/// For every annotator (in table order) K x K sums over its items: row = what it says, column = what the two groups
/// without it say together.
pub(super) fn beside(crowd: &Crowd, groups: &Groups, annotators: usize) -> Vec<f64> {
    let k = crowd.k;
    let mut sums = vec![0.0; annotators * k * k];
    let mut answers = Answers::new(k);
    for item in 0..crowd.unit.len() {
        answers.read(crowd, item, groups);
        for (j, l) in crowd.on(item) {
            let row = &mut sums[(crowd.annotator[j] as usize * k + l) * k..][..k];
            for g in (0..3).filter(|&g| g != groups[j] as usize) {
                answers.of(g).for_each(|(c, x)| row[c] += x);
            }
        }
    }
    sums
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder, stream};
    use rand::RngExt;

    pub fn random_crowd(items: usize, annotators: usize, k: usize, share: f64) -> Crowd {
        let mut rng = stream(3, "moments", (items + annotators) as u64);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for i in 0..items {
            for j in 0..annotators {
                if rng.random_bool(share) {
                    let l = rng.random_range(0..k);
                    b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
                }
            }
        }
        Crowd::new(&b.finish().unwrap().categorical().unwrap())
    }

    #[test]
    fn moments_equal_brute_force() {
        let (k, m) = (3, 8);
        let crowd = random_crowd(40, m, k, 0.6);
        let groups: Groups = (0..m as u8).map(|j| j % 3).collect();
        let moments = Moments::new(&crowd, &groups);
        let n = crowd.unit.len();
        let says = |j: usize, i: usize, c: usize| crowd.by(j).any(|l| l == (i, c));
        // over all pairs and triples of annotators, one by one
        let of = |g: u8| (0..m).filter(|&j| groups[j] == g).collect::<Vec<_>>();
        for a in 0..k {
            for b in 0..k {
                for (x, y) in [(0u8, 1u8), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)] {
                    let mut sum = 0.0;
                    for i in 0..n {
                        for p in of(x) {
                            sum += of(y).iter().filter(|&&q| says(p, i, a) && says(q, i, b)).count() as f64;
                        }
                    }
                    let got = moments.between(x as usize, y as usize)[(a, b)];
                    assert!((got - sum / n as f64).abs() < 1e-12, "{x} {y}: {got}");
                }
                for c in 0..k {
                    let mut sum = 0.0;
                    for i in 0..n {
                        for p in of(0) {
                            for q in of(1) {
                                let all = of(2);
                                let third = all.iter().filter(|&&r| says(r, i, c)).count() as f64;
                                sum += if says(p, i, a) && says(q, i, b) { third } else { 0.0 };
                            }
                        }
                    }
                    assert!((moments.triple[(a * k + b) * k + c] - sum / n as f64).abs() < 1e-12);
                }
            }
        }
        let own = beside(&crowd, &groups, m);
        for j in 0..m {
            for l in 0..k {
                for c in 0..k {
                    let mut sum = 0.0;
                    for i in (0..n).filter(|&i| says(j, i, l)) {
                        sum += (0..m).filter(|&q| groups[q] != groups[j] && says(q, i, c)).count() as f64;
                    }
                    let at = crowd.annotator[j] as usize;
                    assert_eq!(own[(at * k + l) * k + c], sum);
                }
            }
        }
    }
}
