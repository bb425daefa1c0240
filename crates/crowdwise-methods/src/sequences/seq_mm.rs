//! SeqMM: steps from class to class by the moments of neighbouring tokens.

use super::cells::{Cells, check_entries};
use super::ds_hmm::{SHOWN, shares};
use super::hmm::Weights;
use super::model::{Decode, Tokens, answer};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, LabelKind, Method, MethodInfo, Needs,
    Outcome, Problems, Reference, Situation, Status, StructureKind,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Parameters of SeqMM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SeqMm {
    /// Maximum number of steps of projected gradient for the transition matrix.
    pub max_iter: usize,
    /// Smoothing of the confusion matrices: added to every cell of the expected counts, as in dawid-skene.
    pub alpha: f64,
    /// Which sequence to return: the most probable one (`viterbi`) or the sequence with the most tokens expected to be right
    /// (`posterior`). Both keep to the tag scheme where the classes are tags.
    pub decode: Decode,
}

impl Default for SeqMm {
    fn default() -> Self {
        SeqMm { max_iter: 500, alpha: 0.01, decode: Decode::Viterbi }
    }
}

/// What the moments say.
#[derive(Debug)]
pub(crate) struct Moments {
    /// Log-probabilities by cell.
    pub log: Vec<f64>,
    pub weights: Weights,
    pub annotators: Annotators,
    /// Pairs of labels on neighbouring tokens.
    pub pairs: f64,
}

/// Confusion matrices and class shares of Dawid-Skene, and the transition matrix that fits the moments of neighbouring
/// tokens best.
pub(crate) fn moments(
    t: &Tokens<'_>,
    cells: &Cells,
    alpha: f64,
    max_iter: usize,
    cx: &mut Context<'_>,
) -> Result<Moments, Error> {
    let k = t.k();
    let (q, annotators) = t.dawid_skene(alpha, cx)?;
    let mut prior = shares(k, &q);
    prior.iter_mut().for_each(|p| *p = p.max(1e-12));
    // column l of the confusion matrix of every cell, by truth
    let mut columns = vec![0.0; cells.n_cells() * k];
    for (c, column) in columns.chunks_exact_mut(k).enumerate() {
        let j = cells.annotator[cells.group[c] as usize] as usize;
        annotators.column(j, cells.label[c] as usize, column);
    }
    let fitted = cx.install(|| steps(t, cells, &annotators, &columns, &prior, max_iter))?;
    let log = columns.into_iter().map(|p| p.max(1e-10).ln()).collect();
    Ok(Moments { log, weights: Weights::new(prior, fitted.0), annotators, pairs: fitted.1 })
}

/// Minimises the sum over pairs of labels on neighbouring tokens of |moment - A_m' T' diag(prior) A_j|^2, each pair of
/// annotators counted with its pairs of tokens, over transition matrices T (K x K, row = from).
///
/// The moments are never tabulated by pairs of annotators: the target needs sums over tokens only, and the quadratic form
/// one K x K matrix per annotator, so time and memory are linear in labels.
fn steps(
    t: &Tokens<'_>,
    cells: &Cells,
    annotators: &Annotators,
    columns: &[f64],
    prior: &[f64],
    max_iter: usize,
) -> (Vec<f64>, f64) {
    let k = t.k();
    let (table, n) = (&t.data.table, t.data.table.n_annotators());
    // gram[j][a][b] = sum over labels l of P(l | a) P(l | b)
    let mut gram = vec![0.0; n * k * k];
    for (j, out) in gram.chunks_exact_mut(k * k).enumerate() {
        let c = annotators.confusion(j).expect("dawid-skene has matrices");
        for a in 0..k {
            for b in 0..k {
                out[a * k + b] = (0..k).map(|l| c[a * k + l] * c[b * k + l]).sum();
            }
        }
    }
    // before[j] = sum of diag(prior) gram diag(prior) over the labels on the token before each label of j
    let mut before = vec![0.0; n * k * k];
    let mut target = vec![0.0; k * k];
    let mut pairs = 0.0;
    let (mut sum, mut left, mut right) = (vec![0.0; k * k], vec![0.0; k], vec![0.0; k]);
    let add = |u: usize, out: &mut [f64]| {
        out.fill(0.0);
        for r in table.rows(u) {
            let c = cells.of_row[r] as usize;
            out.iter_mut().zip(&columns[c * k..(c + 1) * k]).for_each(|(x, p)| *x += p);
        }
    };
    for w in t.sequences.starts.windows(2) {
        for u in w[0] + 1..w[1] {
            let both = table.degree(u - 1) * table.degree(u);
            if both == 0 {
                continue;
            }
            pairs += both as f64;
            add(u - 1, &mut left);
            add(u, &mut right);
            for i in 0..k {
                let p = left[i] * prior[i];
                target[i * k..(i + 1) * k].iter_mut().zip(&right).for_each(|(x, r)| *x += p * r);
            }
            sum.fill(0.0);
            for r in table.rows(u - 1) {
                let j = table.annotator()[r] as usize;
                sum.iter_mut().zip(&gram[j * k * k..(j + 1) * k * k]).for_each(|(s, g)| *s += g);
            }
            for r in table.rows(u) {
                let j = table.annotator()[r] as usize;
                before[j * k * k..(j + 1) * k * k].iter_mut().zip(&sum).for_each(|(b, s)| *b += s);
            }
        }
    }
    if pairs == 0.0 {
        return (vec![1.0 / k as f64; k * k], 0.0);
    }
    for b in before.chunks_exact_mut(k * k) {
        (0..k * k).for_each(|c| b[c] *= prior[c / k] * prior[c % k] / pairs);
    }
    target.iter_mut().for_each(|x| *x /= pairs);
    // only annotators with a label before one of theirs take part
    let taking: Vec<usize> = (0..n).filter(|j| before[j * k * k..(j + 1) * k * k].iter().any(|x| *x > 0.0)).collect();
    let mut half = vec![0.0; k * k];
    let mut apply = |x: &[f64], out: &mut [f64]| {
        out.fill(0.0);
        for &j in &taking {
            let (b, g) = (&before[j * k * k..(j + 1) * k * k], &gram[j * k * k..(j + 1) * k * k]);
            product(k, b, x, &mut half);
            for i in 0..k {
                for a in 0..k {
                    let p = half[i * k + a];
                    out[i * k..(i + 1) * k].iter_mut().zip(&g[a * k..]).for_each(|(o, y)| *o += p * y);
                }
            }
        }
    };
    // the largest eigenvalue, from above: the power method approaches it from below
    let (mut x, mut y) = (vec![1.0; k * k], vec![0.0; k * k]);
    let mut largest = 0.0;
    for _ in 0..50 {
        apply(&x, &mut y);
        largest = y.iter().map(|v| v * v).sum::<f64>().sqrt();
        x.iter_mut().zip(&y).for_each(|(a, b)| *a = b / largest.max(f64::MIN_POSITIVE));
    }
    let step = 1.0 / (1.05 * largest).max(f64::MIN_POSITIVE);
    let mut found = vec![1.0 / k as f64; k * k];
    for _ in 0..max_iter {
        apply(&found, &mut y);
        let mut moved: f64 = 0.0;
        for i in 0..k {
            let row = &mut found[i * k..(i + 1) * k];
            let old = row.to_vec();
            (0..k).for_each(|j| row[j] -= step * (y[i * k + j] - target[i * k + j]));
            onto_simplex(row);
            moved = row.iter().zip(&old).map(|(a, b)| (a - b).abs()).fold(moved, f64::max);
        }
        if moved < 1e-9 {
            break;
        }
    }
    (found, pairs)
}

/// out = a b, all K x K.
fn product(k: usize, a: &[f64], b: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for i in 0..k {
        for m in 0..k {
            let p = a[i * k + m];
            out[i * k..(i + 1) * k].iter_mut().zip(&b[m * k..]).for_each(|(o, y)| *o += p * y);
        }
    }
}

/// The nearest point whose entries are at least 0 and sum to 1.
fn onto_simplex(row: &mut [f64]) {
    let mut sorted = row.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (n, x) in sorted.iter().enumerate() {
        sum += x;
        let s = (sum - 1.0) / (n + 1) as f64;
        if *x > s {
            shift = s;
        }
    }
    row.iter_mut().for_each(|x| *x = (*x - shift).max(0.0));
}

impl Method for SeqMm {
    const INFO: MethodInfo = MethodInfo {
        id: "seq-mm",
        name: "Sequence moment matching",
        summary: "Sequences: steps from class to class by moments of neighbouring tokens, annotators by Dawid-Skene.",
        doc: include_str!("seq_mm.md"),
        aliases: &["seqmm"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "P. A. Traganitis, G. B. Giannakis. Unsupervised ensemble classification with sequential and networked \
                   data. IEEE Transactions on Knowledge and Data Engineering 34, 2022.",
            doi: Some("10.1109/TKDE.2020.3046645"),
        }],
        status: Status::Stable,
        needs: Needs::structure(StructureKind::Sequences),
        compared: &[Situation::Sequences],
        ..MethodInfo::of(Family::Chains)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.within("alpha", self.alpha, 0.0, 1e9);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let t = Tokens::of(data, Self::INFO.id)?;
        let k = t.k();
        let cells = Cells::of_labels(data);
        check_entries(cells.n_cells(), k)?;
        let m = moments(&t, &cells, self.alpha, self.max_iter, cx)?;
        let mut gamma = vec![0.0; data.table.n_units() * k];
        let counts = cx.install(|| t.expect(&cells, &m.log, 1.0, &m.weights, &mut gamma))?;
        let log = |x: &[f64]| x.iter().map(|w| w.ln()).collect::<Vec<f64>>();
        let (start, step) = (log(&m.weights.start), log(&m.weights.step));
        let emissions = |units, rows: &mut [f64]| t.emissions(&cells, &m.log, 1.0, units, rows);
        let path = cx.install(|| t.path(true, emissions, (&start, &step), self.decode, &gamma))?;
        let (posterior, moved) = answer(k, &gamma, &path);
        let mut diagnostics = Diagnostics::direct();
        diagnostics.details.insert("log_likelihood".into(), json!(counts.log_z));
        diagnostics.details.insert("label_pairs".into(), json!(m.pairs));
        diagnostics.details.insert("decoded_otherwise".into(), json!(moved));
        if k <= SHOWN {
            let rows: Vec<&[f64]> = m.weights.step.chunks_exact(k).collect();
            diagnostics.details.insert("transitions".into(), json!(rows));
        }
        let mut out = Outcome::classes(k, posterior, m.annotators, diagnostics);
        out.class_prior = Some(shares(k, &gamma));
        out.uncalibrated = (moved > 0).then_some(gamma);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_point_of_the_simplex() {
        let near = |x: &[f64], want: &[f64]| {
            let mut row = x.to_vec();
            onto_simplex(&mut row);
            row.iter().zip(want).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{row:?}"));
        };
        near(&[0.2, 0.3, 0.5], &[0.2, 0.3, 0.5]);
        near(&[1.0, 1.0], &[0.5, 0.5]);
        near(&[2.0, 0.0, -1.0], &[1.0, 0.0, 0.0]);
        near(&[0.5, 0.1, -0.2], &[0.7, 0.3, 0.0]);
    }
}
