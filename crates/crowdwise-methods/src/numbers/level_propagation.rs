use super::errors::{of_mean, squared_errors};
use super::{Mean, average, median};
use crowdwise_core::stats::softmax;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, GoldValues, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Run, Status, Step, Truth,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Belief propagation over a few levels of noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LevelPropagation {
    /// Maximum number of rounds of messages.
    pub max_iter: usize,
    /// Stop when no message (a probability) changes by more than this.
    pub tol: f64,
    /// Number of levels of the noise variance from `least` to `most`.
    pub levels: usize,
    /// Smallest and largest level, as multiples of the median squared deviation from the medians of the items.
    pub least: f64,
    /// See `least`. `null`: 5, and where annotators are noisier than that, further levels follow at the same distance
    /// until the noisiest is reached.
    pub most: Option<f64>,
    /// Weighs a label by what its annotator's other labels say alone, as belief propagation has it. Without, the label
    /// itself counts too, so that a wild one of a good annotator loses its weight.
    pub cavity: bool,
}

impl Default for LevelPropagation {
    fn default() -> Self {
        LevelPropagation { max_iter: 30, tol: 1e-6, levels: 5, least: 0.05, most: None, cavity: false }
    }
}

impl Method for LevelPropagation {
    const INFO: MethodInfo = MethodInfo {
        id: "level-propagation",
        name: "Level propagation",
        summary: "Real values by belief propagation: each annotator has one of a few levels of noise.",
        doc: include_str!("level_propagation.md"),
        aliases: &["reg-bp"],
        accepts: &[LabelKind::Real],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "J. Ok, S. Oh, Y. Jang, J. Shin, Y. Yi. Iterative Bayesian Learning for Crowdsourced Regression. AISTATS 2019.",
            doi: None,
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Real)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.require((1..=1000).contains(&self.levels), "levels", self.levels, "from 1 to 1000");
        p.positive("least", self.least);
        let most = self.most.unwrap_or(MOST.max(self.least));
        p.require(most.is_finite() && most >= self.least, "most", most, "a number of at least `least`");
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(mut net) = Network::new(data, self) else {
            return Mean::default().fit(data, cx); // no two values of an item differ
        };
        let run: Run = cx.iterate(self.max_iter, self.tol.max(f64::MIN_POSITIVE), |_, _| {
            let change = net.round();
            Ok(Step { objective: None, change })
        })?;
        let mut diagnostics = run.diagnostics("none");
        diagnostics.objective = None;
        let (value, sd) = net.estimates();
        diagnostics.details.insert("level_sd".into(), net.level.iter().map(|s| s.sqrt()).collect());
        if net.belief.len() <= 1_000_000 {
            let rows: Vec<&[f64]> = net.belief.chunks_exact(net.level.len()).collect();
            diagnostics.details.insert("level_posterior".into(), json!(rows));
        }
        let (bias, sd_of) = net.annotators(&value);
        Ok(Outcome {
            truth: Truth::Real { value, sd },
            uncalibrated: None,
            annotators: Annotators::Gaussian { bias, sd: sd_of },
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings: Vec::new(),
        })
    }
}

/// The largest level unless it is given or annotators are noisier, and levels at most that those may add up to.
const MOST: f64 = 5.0;
const MOST_LEVELS: usize = 40;

struct Network<'a> {
    data: &'a Dataset,
    cavity: bool,
    x: Vec<f64>,
    centre: f64,
    known: Vec<Option<f64>>,
    /// Variances.
    level: Vec<f64>,
    /// Expected precision of every label, from what is known of its annotator.
    precision: Vec<f64>,
    /// ln P(label | level), labels x levels.
    told: Vec<f64>,
    /// Posterior of every annotator over the levels.
    belief: Vec<f64>,
}

impl<'a> Network<'a> {
    fn new(data: &'a Dataset, of: &LevelPropagation) -> Option<Network<'a>> {
        let table = &data.table;
        let values = table.real().expect("the kind was checked");
        let centre = average(values);
        let x: Vec<f64> = values.iter().map(|v| v - centre).collect();
        let mut known = vec![None; table.n_units()];
        if let Some(GoldValues::Real(list)) = data.gold.as_ref().map(|g| &g.values) {
            list.iter().for_each(|&(u, y)| known[u as usize] = Some(y - centre));
        }
        let (mut squares, mut sorted) = (Vec::with_capacity(x.len()), Vec::new());
        let mut own = vec![(0.0, 0.0); table.n_annotators()];
        for u in (0..table.n_units()).filter(|&u| table.degree(u) > 0) {
            sorted.clear();
            sorted.extend_from_slice(&x[table.rows(u)]);
            sorted.sort_unstable_by(f64::total_cmp);
            let middle = known[u].unwrap_or_else(|| median::centre(&sorted).value);
            squares.extend(sorted.iter().map(|v| (v - middle).powi(2)));
            for r in table.rows(u) {
                let o = &mut own[table.annotator()[r] as usize];
                *o = (o.0 + (x[r] - middle).powi(2), o.1 + 1.0);
            }
        }
        let mean = squares.iter().sum::<f64>() / squares.len() as f64;
        squares.sort_unstable_by(f64::total_cmp);
        // most values of an item may be equal: then the median deviation is 0
        let typical = squares[squares.len() / 2].max(1e-3 * mean);
        if !(typical > 0.0 && typical.is_finite()) {
            return None;
        }
        let s = of.levels;
        let step = |l: usize| if s == 1 { 0.5 } else { l as f64 / (s - 1) as f64 };
        let most = of.most.unwrap_or(MOST.max(of.least));
        let mut level: Vec<f64> =
            (0..s).map(|l| typical * (of.least.ln() + step(l) * (most.ln() - of.least.ln())).exp()).collect();
        let noisiest = own.iter().filter(|o| o.1 > 0.0).map(|o| o.0 / o.1).fold(0.0, f64::max);
        while of.most.is_none() && s > 1 && level.len() < MOST_LEVELS.max(s) && level[level.len() - 1] < noisiest {
            let next = level[level.len() - 1] * (level[s - 1] / level[s - 2]);
            if next.is_nan() || next <= level[level.len() - 1] {
                break; // `least` is `most`
            }
            level.push(next);
        }
        let s = level.len();
        let even = level.iter().map(|v| 1.0 / v).sum::<f64>() / s as f64;
        Some(Network {
            data,
            cavity: of.cavity,
            known,
            centre,
            precision: vec![even; x.len()],
            told: vec![0.0; x.len() * s],
            belief: vec![1.0 / s as f64; table.n_annotators() * s],
            x,
            level,
        })
    }

    /// Items tell annotators, annotators tell items. The largest change of an expected probability of a level.
    fn round(&mut self) -> f64 {
        let table = &self.data.table;
        let s = self.level.len();
        let mut sum = vec![0.0; self.belief.len()];
        for u in 0..table.n_units() {
            let (mut p, mut t) = (0.0, 0.0);
            for r in table.rows(u) {
                p += self.precision[r];
                t += self.precision[r] * self.x[r];
            }
            for r in table.rows(u) {
                // the item without this label
                let own = self.precision[r];
                let rest = (p - own).max(1e-9 * own);
                let (mean, variance) =
                    self.known[u].map_or(((t - own * self.x[r]) / rest, 1.0 / rest), |known| (known, 0.0));
                let alone = self.known[u].is_none() && table.degree(u) < 2;
                let j = table.annotator()[r] as usize;
                for (l, level) in self.level.iter().enumerate() {
                    let all = level + variance;
                    let ln = if alone { 0.0 } else { -0.5 * (all.ln() + (self.x[r] - mean).powi(2) / all) };
                    self.told[r * s + l] = ln;
                    sum[j * s + l] += ln;
                }
            }
        }
        let (mut own, mut change) = (vec![0.0; s], 0.0f64);
        for (r, &j) in table.annotator().iter().enumerate() {
            for (l, x) in own.iter_mut().enumerate() {
                *x = sum[j as usize * s + l] - if self.cavity { self.told[r * s + l] } else { 0.0 };
            }
            softmax(&mut own);
            let precision: f64 = own.iter().zip(&self.level).map(|(w, v)| w / v).sum();
            change = change.max((precision - self.precision[r]).abs() / precision.max(self.precision[r]));
            self.precision[r] = precision;
        }
        for (to, from) in self.belief.chunks_exact_mut(s).zip(sum.chunks_exact(s)) {
            to.copy_from_slice(from);
            softmax(to);
        }
        change
    }

    fn estimates(&self) -> (Vec<f64>, Vec<f64>) {
        let table = &self.data.table;
        let v = squared_errors(table, &self.x, &self.known);
        let one = |u: usize| {
            if let Some(known) = self.known[u] {
                return (known + self.centre, 0.0);
            }
            let rows = table.rows(u);
            if rows.is_empty() {
                return (f64::NAN, f64::NAN);
            }
            let p: f64 = rows.clone().map(|r| self.precision[r]).sum();
            let t: f64 = rows.clone().map(|r| self.precision[r] * self.x[r]).sum();
            // the levels that fit best are the quietest that could be: 1 / p would say so little doubt as that
            (t / p + self.centre, of_mean(rows.map(|r| (self.precision[r], v[table.annotator()[r] as usize]))))
        };
        (0..table.n_units()).map(one).unzip()
    }

    /// Mean residual, and the standard deviation of the expected precision.
    fn annotators(&self, value: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let table = &self.data.table;
        let m = table.n_annotators();
        let (mut n, mut sum) = (vec![0.0; m], vec![0.0; m]);
        for (u, y) in value.iter().enumerate() {
            for r in table.rows(u) {
                let j = table.annotator()[r] as usize;
                n[j] += 1.0;
                sum[j] += self.x[r] + self.centre - y;
            }
        }
        let s = self.level.len();
        let sd = |j: usize| {
            let p: f64 = self.belief[j * s..(j + 1) * s].iter().zip(&self.level).map(|(w, v)| w / v).sum();
            1.0 / p.sqrt()
        };
        ((0..m).map(|j| if n[j] > 0.0 { sum[j] / n[j] } else { 0.0 }).collect(), (0..m).map(sd).collect())
    }
}
