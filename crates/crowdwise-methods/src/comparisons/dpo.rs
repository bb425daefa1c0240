//! Direct preference optimisation with reliabilities of annotators, for policies that are tables: a reference to check
//! larger implementations against.

use crowdwise_core::{Error, Problems};
use crowdwise_numerics::lbfgs::Search;
use crowdwise_numerics::{logistic, logistic_both};

/// One annotator preferred one response to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub context: u32,
    pub preferred: u32,
    pub other: u32,
    pub annotator: u32,
}

/// Whose noise is taken into account, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Every answer is meant: plain DPO.
    None,
    /// The losses of both answers are mixed, the other with this weight: conservative DPO.
    Smoothed(f64),
    /// The probabilities of both answers are mixed with the same reliability for all.
    Fixed(f64),
    /// A reliability for each annotator is learned, with the prior w^(alpha - 1) (1 - w)^(beta - 1).
    Learned { alpha: f64, beta: f64 },
}

/// DPO over a table of contexts and responses.
#[derive(Clone, Debug, PartialEq)]
pub struct TabularDpo {
    /// Sharpness: by how much a difference of log-probabilities shows in the answers.
    pub beta: f64,
    pub noise: Noise,
    /// Strength of the pull of the log-probabilities towards those of the reference (weight of half the sum of squares).
    pub pull: f64,
    pub max_iter: usize,
    pub tol: f64,
}

impl Default for TabularDpo {
    fn default() -> Self {
        let noise = Noise::Learned { alpha: 2.0, beta: 1.1 };
        TabularDpo { beta: 0.1, noise, pull: 1e-3, max_iter: 2000, tol: 1e-6 }
    }
}

/// The policy that was found.
#[derive(Clone, Debug)]
pub struct Policy {
    /// P(response | context), contexts x responses.
    pub probability: Vec<f64>,
    /// Reliability of each annotator, if it was learned.
    pub reliability: Option<Vec<f64>>,
    pub loss: f64,
    pub converged: bool,
}

/// Loss of one answer and its derivatives in Δ and in the logit of the reliability.
#[derive(Clone, Copy, Debug)]
pub struct AnswerLoss {
    pub loss: f64,
    pub by_difference: f64,
    pub by_logit: f64,
}

/// -ln P of an answer whose preferred response is ahead by Δ = β (ln π/π_ref of the preferred - that of the other), for
/// an annotator of reliability σ(t): -ln(w σ(Δ) + (1 - w) σ(-Δ)).
pub fn answer_loss(difference: f64, t: f64) -> AnswerLoss {
    let ((p, q), (w, not)) = (logistic_both(difference), logistic_both(t));
    let chance = (w * p + not * q).max(1e-300);
    AnswerLoss { loss: -chance.ln(), by_difference: -(w - not) * p * q / chance, by_logit: -w * not * (p - q) / chance }
}

impl TabularDpo {
    /// `reference` holds ln π_ref, contexts x responses.
    pub fn fit(&self, reference: &[f64], responses: usize, choices: &[Choice]) -> Result<Policy, Error> {
        self.check(reference, responses, choices)?;
        let annotators = choices.iter().map(|c| c.annotator as usize + 1).max().unwrap_or(0);
        let n = reference.len();
        let learned = matches!(self.noise, Noise::Learned { .. });
        let mut x = reference.to_vec();
        if learned {
            x.resize(n + annotators, 2.0);
        }
        let mut h = vec![self.pull; x.len()];
        for c in choices {
            for r in [c.preferred, c.other] {
                h[c.context as usize * responses + r as usize] += 0.25 * self.beta * self.beta;
            }
            if learned {
                h[n + c.annotator as usize] += 0.05;
            }
        }
        let scale: Vec<f64> = h.iter().map(|h| 1.0 / h).collect();
        let f = |x: &[f64], g: &mut [f64]| self.evaluate(reference, responses, choices, x, g);
        let mut search = Search::new(x, 20, f);
        let mut converged = false;
        for _ in 0..self.max_iter {
            if search.distance(&scale) <= self.tol || !search.step(&scale, f) {
                converged = true;
                break;
            }
        }
        let mut probability = search.x[..n].to_vec();
        probability.chunks_exact_mut(responses).for_each(|row| _ = crowdwise_core::stats::softmax(row));
        let reliability = learned.then(|| search.x[n..].iter().map(|&t| logistic(t)).collect());
        Ok(Policy { probability, reliability, loss: search.value, converged })
    }

    fn check(&self, reference: &[f64], responses: usize, choices: &[Choice]) -> Result<(), Error> {
        let mut problems = Problems::default();
        problems.positive("beta", self.beta);
        problems.positive("pull", self.pull);
        problems.count("max_iter", self.max_iter);
        if let Noise::Smoothed(e) | Noise::Fixed(e) = self.noise {
            problems.between("noise", e, 0.0, 1.0);
        }
        Error::all(problems.0)?;
        let bad = |what: String| Err(Error::BadData { file: "the choices".into(), what, hint: None });
        if responses == 0 || !reference.len().is_multiple_of(responses) {
            return bad(format!("{} log-probabilities do not make a table of {responses} responses", reference.len()));
        }
        let contexts = reference.len() / responses;
        for (n, c) in choices.iter().enumerate() {
            if c.context as usize >= contexts || c.preferred.max(c.other) as usize >= responses {
                return bad(format!("choice {} is outside of {contexts} contexts and {responses} responses", n + 1));
            }
            if c.preferred == c.other {
                return bad(format!("choice {} compares a response with itself", n + 1));
            }
        }
        Ok(())
    }

    /// The loss and its gradient. Log-partitions of the policy cancel in a difference of two responses of one context, so
    /// that the logits are the variables.
    fn evaluate(&self, reference: &[f64], responses: usize, choices: &[Choice], x: &[f64], g: &mut [f64]) -> f64 {
        let n = reference.len();
        let mut sum = 0.0;
        g.fill(0.0);
        for i in 0..n {
            let away = x[i] - reference[i];
            sum += 0.5 * self.pull * away * away;
            g[i] += self.pull * away;
        }
        for c in choices {
            let at = |r: u32| c.context as usize * responses + r as usize;
            let (a, b) = (at(c.preferred), at(c.other));
            let d = self.beta * ((x[a] - reference[a]) - (x[b] - reference[b]));
            let of = match self.noise {
                Noise::None => answer_loss(d, 40.0),
                Noise::Fixed(w) => answer_loss(d, (w / (1.0 - w)).ln().clamp(-40.0, 40.0)),
                Noise::Learned { .. } => answer_loss(d, x[n + c.annotator as usize]),
                Noise::Smoothed(e) => {
                    let (straight, turned) = (answer_loss(d, 40.0), answer_loss(-d, 40.0));
                    AnswerLoss {
                        loss: (1.0 - e) * straight.loss + e * turned.loss,
                        by_difference: (1.0 - e) * straight.by_difference - e * turned.by_difference,
                        by_logit: 0.0,
                    }
                }
            };
            sum += of.loss;
            g[a] += self.beta * of.by_difference;
            g[b] -= self.beta * of.by_difference;
            if let Noise::Learned { .. } = self.noise {
                g[n + c.annotator as usize] += of.by_logit;
            }
        }
        if let Noise::Learned { alpha, beta } = self.noise {
            for j in n..x.len() {
                let (w, not) = logistic_both(x[j]);
                sum -= (alpha - 1.0) * w.max(1e-300).ln() + (beta - 1.0) * not.max(1e-300).ln();
                g[j] -= (alpha - 1.0) * not - (beta - 1.0) * w;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn a_reliable_annotator_has_the_loss_of_dpo() {
        for d in [-3.0, -0.2, 0.0, 1.7] {
            let l = answer_loss(d, 40.0);
            assert!((l.loss - (1.0 + (-d).exp()).ln()).abs() < 1e-12);
            assert!((l.by_difference - (logistic(d) - 1.0)).abs() < 1e-12);
        }
        let h = 1e-6;
        for (d, t) in [(0.7, 0.3), (-1.2, 2.0), (0.1, -1.0)] {
            let l = answer_loss(d, t);
            let by_d = (answer_loss(d + h, t).loss - answer_loss(d - h, t).loss) / (2.0 * h);
            let by_t = (answer_loss(d, t + h).loss - answer_loss(d, t - h).loss) / (2.0 * h);
            assert!((by_d - l.by_difference).abs() < 1e-8 && (by_t - l.by_logit).abs() < 1e-8);
        }
    }

    #[test]
    fn bad_tables_are_refused() {
        let c = |context, preferred, other| Choice { context, preferred, other, annotator: 0 };
        let dpo = TabularDpo::default();
        let fit = |choice| dpo.fit(&[0.0; 6], 3, &[choice]).map(|_| ()).map_err(|e| e.to_string());
        assert!(fit(c(2, 0, 1)).unwrap_err().contains("outside"));
        assert!(fit(c(0, 1, 1)).unwrap_err().contains("with itself"));
        assert!(fit(c(1, 2, 1)).is_ok());
        assert!(TabularDpo { beta: 0.0, ..dpo.clone() }.fit(&[0.0; 6], 3, &[]).is_err());
    }

    /// 20 contexts x 8 responses, 20 annotators of whom `flippers` reverse everything, 3000 comparisons. Win rate against
    /// the uniform reference in per cent, with plain DPO, a common reliability and learned ones.
    fn win_rates(seed: u64, flippers: u32) -> [f64; 3] {
        let mut rng = stream(seed, "dpo", 0);
        let reward: Vec<f64> =
            (0..160).map(|_| 1.5 * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng)).collect();
        let choices: Vec<Choice> = (0..3000)
            .map(|_| {
                let (context, a) = (rng.random_range(0..20u32), rng.random_range(0..8u32));
                let b = (a + rng.random_range(1..8)) % 8;
                let annotator = rng.random_range(0..20);
                let at = |r: u32| reward[(context * 8 + r) as usize];
                let first = (rng.random::<f64>() < logistic(at(a) - at(b))) != (annotator < flippers);
                let (preferred, other) = if first { (a, b) } else { (b, a) };
                Choice { context, preferred, other, annotator }
            })
            .collect();
        let share = f64::from(flippers) / 20.0;
        let noises = [Noise::None, Noise::Fixed(1.0 - share), TabularDpo::default().noise];
        noises.map(|noise| {
            let policy = TabularDpo { noise, ..TabularDpo::default() };
            let p = policy.fit(&[-(8f64.ln()); 160], 8, &choices).unwrap();
            if let Some(w) = &p.reliability {
                assert!(w.iter().enumerate().all(|(j, &w)| (w < 0.5) == ((j as u32) < flippers)), "{w:?}");
            }
            let wins: f64 = (0..160)
                .map(|i| {
                    let row = i / 8 * 8;
                    let against: f64 = (0..8).map(|j| logistic(reward[i] - reward[row + j]) / 8.0).sum();
                    p.probability[i] * against / 20.0
                })
                .sum();
            100.0 * wins
        })
    }

    /// The acceptance test: at 30 % flippers learned reliabilities win at least 4 points more than plain DPO, and a common
    /// reliability wins nothing.
    #[test]
    fn learned_reliabilities_recover_what_flippers_destroy() {
        let mut mean = [0.0; 3];
        for seed in 0..3 {
            mean.iter_mut().zip(win_rates(seed, 6)).for_each(|(m, w)| *m += w / 3.0);
        }
        let [plain, fixed, learned] = mean;
        assert!(learned >= plain + 4.0, "{mean:?}");
        assert!((fixed - plain).abs() < 2.5 && learned > 77.0, "{mean:?}");
    }
}
