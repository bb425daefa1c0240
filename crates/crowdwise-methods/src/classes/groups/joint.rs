//! EM over both levels at once: members follow the answer of their group, groups follow the truth.

use super::responses::Responses;
use crowdwise_core::stats::softmax;
use crowdwise_core::{Context, Dataset, Error, Run, Step};

/// Truth of the items, answers of the groups, and who follows what how well; at the start the result of the two stages.
pub(super) struct Joint<'a> {
    data: &'a Dataset,
    responses: &'a Responses,
    gold: Option<&'a [Option<u32>]>,
    k: usize,
    alpha: f64,
    /// ln P(voter's answer z | truth t), voters x truth x answer.
    group: Vec<f64>,
    /// ln P(says l | answer z of the group), annotators x answer x label; of annotators without a group not used.
    member: Vec<f64>,
    pub prior: Vec<f64>,
    /// Probabilities of the truth.
    pub q: Vec<f64>,
}

/// Expected numbers of everything that the parameters are shares of.
struct Counts {
    group: Vec<f64>,
    member: Vec<f64>,
    prior: Vec<f64>,
}

impl<'a> Joint<'a> {
    /// From the truth `q` and class shares that the two stages found.
    pub fn new(
        data: &'a Dataset,
        responses: &'a Responses,
        gold: Option<&'a [Option<u32>]>,
        alpha: f64,
        (q, prior): (Vec<f64>, Vec<f64>),
    ) -> Joint<'a> {
        let (k, m) = (responses.k, data.table.n_annotators());
        let mut out = Joint {
            data,
            responses,
            gold,
            k,
            alpha,
            group: vec![0.0; responses.voters * k * k],
            member: vec![0.0; m * k * k],
            prior,
            q,
        };
        let mut counts = out.empty();
        let labels = data.table.categorical().expect("the kind was checked");
        for u in out.labelled() {
            let row = &out.q[u * k..(u + 1) * k];
            counts.prior.iter_mut().zip(row).for_each(|(p, x)| *p += x);
            responses.each(u, |v, z, p| {
                (0..k).for_each(|t| counts.group[(v * k + t) * k + z] += p * row[t]);
            });
            for r in data.table.rows(u) {
                let j = data.table.annotator()[r] as usize;
                if let Some(answer) = responses.of_group(u, responses.voter[j] as usize) {
                    let l = labels.codes.get(r);
                    (0..k).for_each(|z| counts.member[(j * k + z) * k + l] += answer[z]);
                }
            }
        }
        out.take(counts);
        out
    }

    pub fn run(&mut self, max_iter: usize, tol: f64, cx: &mut Context<'_>) -> Result<Run, Error> {
        cx.iterate(max_iter, tol.max(f64::MIN_POSITIVE), |_, _| {
            let (counts, objective, change) = self.expect();
            self.take(counts);
            Ok(Step { objective: Some(objective), change })
        })
    }

    fn labelled(&self) -> impl Iterator<Item = usize> + use<'a> {
        let table = &self.data.table;
        (0..table.n_units()).filter(|&u| table.degree(u) > 0)
    }

    /// The pseudo counts alone.
    fn empty(&self) -> Counts {
        Counts {
            group: vec![self.alpha; self.group.len()],
            member: vec![self.alpha; self.member.len()],
            prior: vec![1e-9; self.k],
        }
    }

    /// The parameters that the counts speak for.
    fn take(&mut self, counts: Counts) {
        for (to, from) in [(&mut self.group, counts.group), (&mut self.member, counts.member)] {
            for (to, from) in to.chunks_exact_mut(self.k).zip(from.chunks_exact(self.k)) {
                let sum: f64 = from.iter().sum();
                to.iter_mut().zip(from).for_each(|(t, f)| *t = (f / sum).ln());
            }
        }
        let sum: f64 = counts.prior.iter().sum();
        self.prior = counts.prior.iter().map(|p| p / sum).collect();
    }

    /// Truths and answers given the parameters: what to count, the penalised log-likelihood, and by how much a truth changed.
    fn expect(&mut self) -> (Counts, f64, f64) {
        let (k, groups, table) = (self.k, self.responses.groups, &self.data.table);
        let labels = table.categorical().expect("the kind was checked");
        let mut counts = self.empty();
        let mut objective = self.alpha * (self.group.iter().sum::<f64>() + self.member_penalty());
        let mut change = 0.0f64;
        // ln P(labels of the members | answer z) of every group, and whether the group has any
        let (mut told, mut here) = (vec![0.0; groups * k], Vec::new());
        // ln P(labels of the group, answer z | truth t), and its sum over the answers
        let (mut both, mut some) = (vec![0.0; groups * k * k], vec![0.0; groups * k]);
        let mut score = vec![0.0; k];
        for u in self.labelled() {
            here.clear();
            score.iter_mut().zip(&self.prior).for_each(|(s, p)| *s = p.ln());
            for r in table.rows(u) {
                let (j, l) = (table.annotator()[r] as usize, labels.codes.get(r));
                let v = self.responses.voter[j] as usize;
                if v >= groups {
                    (0..k).for_each(|t| score[t] += self.group[(v * k + t) * k + l]);
                    continue;
                }
                if !here.contains(&v) {
                    here.push(v);
                    told[v * k..(v + 1) * k].fill(0.0);
                }
                (0..k).for_each(|z| told[v * k + z] += self.member[(j * k + z) * k + l]);
            }
            for &v in &here {
                for t in 0..k {
                    let row = &mut both[(v * k + t) * k..][..k];
                    row.copy_from_slice(&self.group[(v * k + t) * k..][..k]);
                    row.iter_mut().zip(&told[v * k..]).for_each(|(b, x)| *b += x);
                    // the row becomes P(answer | truth, labels)
                    some[v * k + t] = softmax(row);
                    score[t] += some[v * k + t];
                }
            }
            let row = &mut self.q[u * k..(u + 1) * k];
            if let Some(c) = self.gold.and_then(|g| g[u]) {
                objective += score[c as usize];
            } else {
                objective += softmax(&mut score);
                for (a, b) in row.iter_mut().zip(&score) {
                    change = change.max((*a - b).abs());
                    *a = *b;
                }
            }
            counts.prior.iter_mut().zip(row.iter()).for_each(|(p, x)| *p += x);
            for r in table.rows(u) {
                let (j, l) = (table.annotator()[r] as usize, labels.codes.get(r));
                let v = self.responses.voter[j] as usize;
                if v >= groups {
                    (0..k).for_each(|t| counts.group[(v * k + t) * k + l] += row[t]);
                    continue;
                }
                for z in 0..k {
                    let answer: f64 = (0..k).map(|t| row[t] * both[(v * k + t) * k + z]).sum();
                    counts.member[(j * k + z) * k + l] += answer;
                }
            }
            for &v in &here {
                for t in 0..k {
                    let answers = &both[(v * k + t) * k..][..k];
                    let to = &mut counts.group[(v * k + t) * k..][..k];
                    to.iter_mut().zip(answers).for_each(|(c, p)| *c += row[t] * p);
                }
            }
        }
        (counts, objective, change)
    }

    /// Logarithms of the members' probabilities, which the pseudo counts weigh.
    fn member_penalty(&self) -> f64 {
        let kk = self.k * self.k;
        let member = |j: usize| (self.responses.voter[j] as usize) < self.responses.groups;
        self.member.chunks_exact(kk).enumerate().filter(|(j, _)| member(*j)).flat_map(|(_, a)| a).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::groups::Groups;
    use crowdwise_core::{LabelKind, TableBuilder};

    /// Two groups and one annotator alone on items that not everybody labelled.
    fn small() -> (Dataset, Groups) {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..3).for_each(|c| _ = b.classes.intern(&format!("c{c}")));
        (0..6).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
        for i in 0..12usize {
            for j in (0..6).filter(|j| !(i * 5 + j * 3).is_multiple_of(4)) {
                b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{}", (i + i * j + j / 2) % 3)).unwrap();
            }
        }
        let members = vec![vec![0, 1, 2], vec![3, 4]];
        let groups = Groups { members, correlation: vec![Some(0.5); 2], annotators: 6, ..Groups::default() };
        (Dataset::new(b.finish().unwrap()), groups)
    }

    #[test]
    fn the_likelihood_is_the_sum_over_all_truths_and_answers() {
        let (data, groups) = small();
        let mut cx = Context::default();
        let responses = Responses::new(&data, &groups, "majority-vote", false, &mut cx).unwrap();
        let q: Vec<f64> = responses.shares(None);
        let mut joint = Joint::new(&data, &responses, None, 0.1, (q, vec![0.5, 0.3, 0.2]));
        let labels = data.table.categorical().unwrap();
        let mut want = 0.1 * (joint.group.iter().sum::<f64>() + joint.member[..5 * 9].iter().sum::<f64>());
        for u in 0..data.table.n_units() {
            let mut sum = 0.0;
            for (t, za, zb) in (0..27).map(|x| (x / 9, x / 3 % 3, x % 3)) {
                let mut p = joint.prior[t].ln();
                let rows: Vec<(usize, usize)> =
                    data.table.rows(u).map(|r| (data.table.annotator()[r] as usize, labels.codes.get(r))).collect();
                let answers = [za, zb];
                for g in 0..2 {
                    // a group that says nothing answers all the same: the sum over its answers is 1
                    p += joint.group[(g * 3 + t) * 3 + answers[g]];
                }
                for (j, l) in rows {
                    p += match j {
                        0..3 => joint.member[(j * 3 + za) * 3 + l],
                        3..5 => joint.member[(j * 3 + zb) * 3 + l],
                        _ => joint.group[(2 * 3 + t) * 3 + l],
                    };
                }
                sum += p.exp();
            }
            want += sum.ln();
        }
        let (counts, have, _) = joint.expect();
        joint.take(counts);
        assert!((have - want).abs() < 1e-9, "{have} {want}");
        // and it never falls
        let run = joint.run(200, 1e-9, &mut cx).unwrap();
        let path: Vec<f64> = run.trace.iter().filter_map(|t| t.objective).collect();
        assert!(path.len() > 3 && path.windows(2).all(|w| w[1] >= w[0] - 1e-9), "{path:?}");
    }
}
