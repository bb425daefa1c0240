//! What the others say: how far two annotators would agree if they were independent.

use super::evidence::{Evidence, PARTS, Seen};

/// Rounds in which the skills of the witnesses are found.
const ROUNDS: usize = 15;
/// Student's t with 19 degrees of freedom, 99.9 %: how surely the witnesses must agree with each other.
const SURELY: f64 = 3.579;

/// The voices outside of a group: annotators, or groups of them that speak as one.
pub(super) struct Witnesses<'a> {
    evidence: &'a Evidence,
    voices: Vec<Vec<usize>>,
}

/// What the witnesses say of each other on some items.
pub(super) struct Said {
    seen: Seen,
    /// κ of every two of them; NaN where unknown.
    kappa: Vec<f64>,
}

impl Said {
    /// Mean κ of every two of them; none where nothing is known.
    pub fn mean(&self) -> Option<f64> {
        let known = || self.kappa.iter().filter(|x| !x.is_nan());
        (known().count() > 0).then(|| known().sum::<f64>() / known().count() as f64)
    }
}

impl<'a> Witnesses<'a> {
    /// Everybody but the members of `group`; each of `one` that shares nobody with it is one voice.
    pub fn new(evidence: &'a Evidence, group: &[usize], one: &[Vec<usize>]) -> Witnesses<'a> {
        let mut taken = vec![false; evidence.len()];
        group.iter().for_each(|&p| taken[p] = true);
        let mut voices: Vec<Vec<usize>> = Vec::new();
        for g in one {
            if g.iter().all(|&p| !taken[p]) {
                g.iter().for_each(|&p| taken[p] = true);
                voices.push(g.clone());
            }
        }
        voices.extend((0..taken.len()).filter(|&p| !taken[p]).map(|p| vec![p]));
        Witnesses { evidence, voices }
    }

    pub fn len(&self) -> usize {
        self.voices.len()
    }

    /// Mean κ of the members of two voices; NaN where none have items in common.
    fn between(&self, a: &[usize], b: &[usize], seen: Seen) -> f64 {
        let (mut sum, mut n) = (0.0, 0.0);
        for &x in a {
            for &y in b.iter().filter(|&&y| self.evidence.known(x, y)) {
                if let Some(kappa) = self.evidence.kappa(x, y, seen) {
                    let w = self.evidence.pair(x, y).0;
                    sum += w * kappa;
                    n += w;
                }
            }
        }
        sum / n
    }

    /// Mean κ with the members of a group of the voice that agrees with them most.
    pub fn closest(&self, group: &[usize]) -> f64 {
        let each = self.voices.iter().map(|w| self.between(group, w, Seen::All));
        each.fold(0.0, f64::max) // which passes over NaN
    }

    pub fn on(&self, seen: Seen) -> Said {
        let v = self.len();
        let mut kappa = vec![f64::NAN; v * v];
        for a in 0..v {
            for b in 0..a {
                let x = self.between(&self.voices[a], &self.voices[b], seen);
                (kappa[a * v + b], kappa[b * v + a]) = (x, x);
            }
        }
        Said { seen, kappa }
    }

    /// Skills that explain the agreement of the witnesses best: κ_cd = s_c s_d.
    pub fn skills(&self, said: &Said) -> Vec<f64> {
        let v = self.len();
        let mut s = vec![0.5; v];
        for _ in 0..ROUNDS {
            for c in 0..v {
                let (mut up, mut down) = (0.0, 0.0);
                for d in (0..v).filter(|&d| !said.kappa[c * v + d].is_nan()) {
                    up += said.kappa[c * v + d] * s[d];
                    down += s[d] * s[d];
                }
                s[c] = if down > 1e-6 { (up / down).clamp(-1.0, 1.0) } else { 0.0 };
            }
        }
        s
    }

    /// Whether the witnesses know anything: skills found on one half of the items must explain agreement on the parts of the other.
    pub fn know(&self) -> bool {
        let v = self.len();
        let skills = [self.skills(&self.on(Seen::Half(0))), self.skills(&self.on(Seen::Half(1)))];
        let parts: Vec<f64> = (0..PARTS)
            .map(|p| {
                let (said, s) = (self.on(Seen::Only(p)), &skills[1 - p % 2]);
                let pairs = (0..v * v).filter(|x| !said.kappa[*x].is_nan());
                pairs.map(|x| said.kappa[x] * s[x / v] * s[x % v]).sum::<f64>()
            })
            .collect();
        let n = PARTS as f64;
        let mean = parts.iter().sum::<f64>() / n;
        let variance = parts.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        mean > 0.0 && mean > SURELY * (variance / n).sqrt()
    }

    /// s_a s_b for every two members of a group, a before b: what κ_ab would be if they were independent. 1, which nothing
    /// exceeds, where nobody can tell.
    pub fn expected(&self, group: &[usize], said: &Said, skills: &[f64]) -> Vec<f64> {
        let v = self.len();
        let seen_by: Vec<Vec<f64>> =
            group.iter().map(|&a| self.voices.iter().map(|w| self.between(&[a], w, said.seen)).collect()).collect();
        let mut out = Vec::with_capacity(group.len() * (group.len() - 1) / 2);
        for b in 1..group.len() {
            for a in 0..b {
                let (mut up, mut down) = (0.0, 0.0);
                for c in 0..v {
                    for d in (0..v).filter(|&d| !said.kappa[c * v + d].is_nan()) {
                        let w = skills[c] * skills[d];
                        let x = w * seen_by[a][c] * seen_by[b][d];
                        if !x.is_nan() {
                            up += x;
                            down += w * said.kappa[c * v + d];
                        }
                    }
                }
                out.push(if down > 1e-9 { (up / down).clamp(0.0, 1.0) } else { 1.0 });
            }
        }
        out
    }
}
