use super::cluster::{Evidence, by_first};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, Finding, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Severity, Situation, Status, Step, Subject, Table, Truth, Units, Values, group,
};
use crowdwise_numerics::logistic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// Clusters of items from same/different judgements, with two error rates per annotator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CrowdClusters {
    /// Pseudo-count of right answers of each kind (same, different), for every annotator.
    pub alpha: f64,
    /// Pseudo-count of wrong answers of each kind, for every annotator.
    pub beta: f64,
    /// Maximum number of rounds: first of pairs on their own, then of clusters.
    pub max_iter: usize,
    /// Stops when no rate changes by more than this.
    pub tol: f64,
}

impl Default for CrowdClusters {
    fn default() -> Self {
        CrowdClusters { alpha: 2.0, beta: 1.0, max_iter: 200, tol: 1e-6 }
    }
}

impl Method for CrowdClusters {
    const INFO: MethodInfo = MethodInfo {
        id: "crowd-clusters",
        name: "Crowd Clusters",
        summary: "Clusters of items from same/different judgements by annotators of different reliability.",
        doc: include_str!("crowd_clusters.md"),
        aliases: &["crowd-clustering", "correlation-clustering"],
        accepts: &[LabelKind::Similarity],
        capabilities: Capabilities { confusion: true, likelihood: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "N. Bansal, A. Blum and S. Chawla, Correlation clustering, Machine Learning 56, 2004",
                doi: Some("10.1023/B:MACH.0000033116.57574.95"),
            },
            Reference {
                text: "A. P. Dawid and A. M. Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm, Applied Statistics 28(1), 1979",
                doi: Some("10.2307/2346806"),
            },
        ],
        status: Status::Preview,
        default_for: &[Situation::Similarities],
        compared: &[Situation::Similarities],
        ..MethodInfo::of(Family::Pairs)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("alpha", self.alpha, 0.0);
        problems.at_least("beta", self.beta, 0.0);
        problems.count("max_iter", self.max_iter);
        problems.positive("tol", self.tol);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let j = Judgements::new(&data.table);
        let mut same: Vec<f64> = (0..j.pairs.len()).map(|p| j.share(p)).collect();
        let mut rates = j.rates(&same, self);
        // pairs on their own: Dawid and Skene's model of yes and no
        let run = cx.iterate(self.max_iter, self.tol, |_, _| {
            for (p, s) in same.iter_mut().enumerate() {
                *s = logistic(j.evidence(p, &rates));
            }
            let next = j.rates(&same, self);
            let change = rates.far(&next);
            rates = next;
            Ok(Step { objective: Some(j.log_likelihood(&rates)), change })
        })?;
        // clusters: what they imply about each pair gives the rates, the rates give the evidence
        let mut cluster: Vec<u32> = (0..data.table.n_items() as u32).collect();
        let mut evidence = j.all_evidence(&rates);
        let mut rounds = 0;
        for _ in 0..self.max_iter.min(50) {
            rounds += 1;
            let before = by_first(&cluster);
            let mut next = evidence.join(&cluster);
            evidence.settle(&mut next);
            let next = by_first(&next);
            cluster = next;
            if cluster == before || cx.cancelled() {
                break;
            }
            let implied: Vec<f64> =
                j.pairs.iter().map(|p| f64::from(u8::from(Judgements::together(p.0, &cluster)))).collect();
            rates = j.rates(&implied, self);
            evidence = j.all_evidence(&rates);
        }
        let (confidence, same) = j.beliefs(&evidence, &cluster);
        let findings = Vec::from_iter(j.contradictions(&data.table, &rates, &cluster));
        let mut diagnostics = run.diagnostics("log-likelihood");
        let clusters = cluster.iter().max().map_or(0, |c| c + 1);
        diagnostics.details.insert("clusters".into(), json!(clusters));
        diagnostics.details.insert("cluster_rounds".into(), json!(rounds));
        diagnostics.details.insert("evidence_inside".into(), json!(evidence.inside(&cluster)));
        diagnostics.details.insert("same_share".into(), json!(rates.same));
        let matrix = rates.right.iter().flat_map(|&[d, s]| [d, 1.0 - d, 1.0 - s, s]).collect();
        let same = j.unit.iter().map(|&p| same.get(p as usize).copied().unwrap_or(1.0)).collect();
        Ok(Outcome {
            uncalibrated: None,
            truth: Truth::Clusters { cluster, confidence, same },
            annotators: Annotators::Confusion { k: 2, matrix },
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings,
        })
    }
}

/// What is said of every pair, whichever item was left.
struct Judgements {
    n_items: usize,
    n_annotators: usize,
    /// Items of the pair and its answers.
    pairs: Vec<([u32; 2], std::ops::Range<usize>)>,
    /// (annotator, said the same).
    said: Vec<(u32, bool)>,
    /// Pair of every unit; of an item with itself there is none.
    unit: Vec<u32>,
}

/// P(right) of every annotator on pairs that differ and on pairs that are the same, and the share of the latter.
struct Rates {
    right: Vec<[f64; 2]>,
    same: f64,
}

impl Rates {
    fn far(&self, other: &Rates) -> f64 {
        let all = self.right.iter().zip(&other.right).flat_map(|(a, b)| [a[0] - b[0], a[1] - b[1]]);
        all.chain([self.same - other.same]).fold(0.0, |m: f64, d| m.max(d.abs()))
    }
}

impl Judgements {
    fn new(table: &Table) -> Judgements {
        let (Units::Pairs(units), Values::Similarity { same }) = (table.units(), table.values()) else {
            unreachable!("the kind was checked")
        };
        let mut order: Vec<u32> =
            (0..units.len() as u32).filter(|&u| units[u as usize][0] != units[u as usize][1]).collect();
        let key = |u: u32| {
            let [a, b] = units[u as usize];
            [a.min(b), a.max(b)]
        };
        order.sort_by_key(|&u| (key(u), u));
        let mut out = Judgements {
            n_items: table.n_items(),
            n_annotators: table.n_annotators(),
            pairs: Vec::new(),
            said: Vec::with_capacity(table.n_labels()),
            unit: vec![u32::MAX; units.len()],
        };
        for &u in &order {
            let start = out.said.len();
            out.said.extend(table.rows(u as usize).map(|r| (table.annotator()[r], same[r])));
            match out.pairs.last_mut() {
                Some(p) if p.0 == key(u) => p.1.end = out.said.len(),
                _ => out.pairs.push((key(u), start..out.said.len())),
            }
            out.unit[u as usize] = out.pairs.len() as u32 - 1;
        }
        out
    }

    fn of(&self, p: usize) -> &[(u32, bool)] {
        &self.said[self.pairs[p].1.clone()]
    }

    /// Share of "same", an even chance where nobody said anything.
    fn share(&self, p: usize) -> f64 {
        let said = self.of(p);
        let yes = said.iter().filter(|s| s.1).count() as f64;
        (yes + 0.5) / (said.len() as f64 + 1.0)
    }

    fn rates(&self, same: &[f64], m: &CrowdClusters) -> Rates {
        let mut right = vec![[m.alpha; 2]; self.n_annotators];
        let mut all = vec![[m.alpha + m.beta; 2]; self.n_annotators];
        let (mut sum, mut n) = (0.5, 1.0);
        for (p, &q) in same.iter().enumerate() {
            for &(j, yes) in self.of(p) {
                let j = j as usize;
                all[j][0] += 1.0 - q;
                all[j][1] += q;
                right[j][usize::from(yes)] += if yes { q } else { 1.0 - q };
            }
            if !self.of(p).is_empty() {
                sum += q;
                n += 1.0;
            }
        }
        // nobody is infallible: one sure mistake must not outweigh everything
        let rate = |r: f64, n: f64| if n > 0.0 { (r / n).clamp(1e-4, 1.0 - 1e-4) } else { 0.5 };
        let right = right.iter().zip(&all).map(|(r, n)| [rate(r[0], n[0]), rate(r[1], n[1])]).collect();
        Rates { right, same: rate(sum, n) }
    }

    /// ln of the odds that the pair is the same.
    fn evidence(&self, p: usize, rates: &Rates) -> f64 {
        let prior = (rates.same / (1.0 - rates.same)).ln();
        let told = |&(j, yes): &(u32, bool)| {
            let [d, s] = rates.right[j as usize];
            if yes { (s / (1.0 - d)).ln() } else { ((1.0 - s) / d).ln() }
        };
        prior + self.of(p).iter().map(told).sum::<f64>()
    }

    fn all_evidence(&self, rates: &Rates) -> Evidence {
        let judged = |p: &usize| !self.of(*p).is_empty();
        let pairs: Vec<([u32; 2], f64)> =
            (0..self.pairs.len()).filter(judged).map(|p| (self.pairs[p].0, self.evidence(p, rates))).collect();
        Evidence::new(self.n_items, &pairs)
    }

    fn log_likelihood(&self, rates: &Rates) -> f64 {
        let of = |p: usize| {
            let (mut different, mut same) = ((1.0 - rates.same).ln(), rates.same.ln());
            for &(j, yes) in self.of(p) {
                let [d, s] = rates.right[j as usize];
                different += if yes { 1.0 - d } else { d }.ln();
                same += if yes { s } else { 1.0 - s }.ln();
            }
            let top = different.max(same);
            top + ((different - top).exp() + (same - top).exp()).ln()
        };
        (0..self.pairs.len()).map(of).sum()
    }

    fn together([a, b]: [u32; 2], cluster: &[u32]) -> bool {
        cluster[a as usize] == cluster[b as usize]
    }

    /// How sure every item is of its cluster, and every pair of being the same: the chances of one item to be in each
    /// cluster that it has a pair in, or alone, if all others stay; of a pair, the mean over its two items.
    fn beliefs(&self, evidence: &Evidence, cluster: &[u32]) -> (Vec<f64>, Vec<f64>) {
        let mut confidence = vec![1.0; self.n_items];
        let mut same = vec![0.0; self.pairs.len()];
        let mut place: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        self.pairs.iter().enumerate().for_each(|(p, pair)| _ = place.insert(pair.0, p));
        let mut size = vec![0u32; self.n_items];
        cluster.iter().for_each(|&c| size[c as usize] += 1);
        let mut pull = BTreeMap::new();
        for i in 0..self.n_items {
            evidence.pulls(i, cluster, &mut pull);
            let own = cluster[i];
            let alone = size[own as usize] == 1;
            // being alone has no evidence for or against it
            let top = pull.values().fold(0.0f64, |a, &b| a.max(b));
            let own_pull = if alone { 0.0 } else { pull.get(&own).copied().unwrap_or(0.0) };
            let total = (-top).exp() + pull.values().map(|w| (w - top).exp()).sum::<f64>();
            confidence[i] = ((own_pull - top).exp() / total).min(1.0);
            for &(k, _) in evidence.of(i) {
                let p = place[&[i.min(k as usize) as u32, i.max(k as usize) as u32]];
                let chance = (pull[&cluster[k as usize]] - top).exp() / total;
                same[p] += 0.5 * chance.min(1.0);
            }
        }
        (confidence, same)
    }

    /// Pairs whose answers say the opposite of what the clusters imply.
    fn contradictions(&self, table: &Table, rates: &Rates, cluster: &[u32]) -> Option<Finding> {
        let (mut split, mut joined, mut example) = (0u64, 0u64, None);
        for (p, pair) in self.pairs.iter().enumerate().filter(|(p, _)| !self.of(*p).is_empty()) {
            let (e, together) = (self.evidence(p, rates), Judgements::together(pair.0, cluster));
            if (e > 0.0) == together || e.abs() < 1.0 {
                continue;
            }
            *(if together { &mut joined } else { &mut split }) += 1;
            if example.as_ref().is_none_or(|&(_, w): &(usize, f64)| e.abs() > w) {
                example = Some((p, e.abs()));
            }
        }
        let (p, _) = example?;
        let name = |i: u32| table.items().name(i as usize);
        let [a, b] = self.pairs[p].0;
        Some(Finding::new(
            "contradictions",
            Severity::Warning,
            Subject::Data,
            format!(
                "the answers contradict each other: {} pairs said to be the same are in different clusters, {} said to differ in one (`{}` and `{}` first of all)",
                group(split),
                group(joined),
                name(a),
                name(b)
            ),
            "ask again about these pairs: one answer may settle whole clusters",
        ))
    }
}
