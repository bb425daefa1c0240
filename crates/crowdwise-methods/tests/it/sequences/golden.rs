//! Numbers of independent programs.

use super::common::{TAGS, close, fit, golden_table, illegal, row};
use crowdwise_core::stats;
use crowdwise_methods::sequences::{BayesSeq, Begin, Decode, Dependence, DsHmm, Emissions, Scheme};

/// The numbers are those of an independent numpy program for the same table: EM begun at the vote shares with smoothing 0.1 of
/// matrices, steps and starts, three E-steps.
#[test]
fn ds_hmm_gives_the_reference_numbers() {
    let d = golden_table();
    let m = DsHmm {
        max_iter: 3,
        tol: 0.0,
        emissions: Emissions::Full,
        alpha: 0.1,
        beta: 0.1,
        decode: Decode::Posterior,
        ..DsHmm::default()
    };
    let f = fit(&m, &d);
    close(&row(&d, &f, 3), &[0.0016230059, 0.998343754, 6.292e-07, 7.1469e-06, 2.54639e-05], 1e-9);
    close(&row(&d, &f, 9), &[0.9880248908, 0.0117765617, 1.41666e-05, 0.0001413147, 4.30662e-05], 1e-9);
    close(&row(&d, &f, 20), &[3.32185e-05, 0.0002610797, 1.101e-06, 7.6262e-06, 0.9996969746], 1e-9);
}

/// Numbers of an independent numpy program: prior counts 0.5 and 1 more on the diagonal, 0.1 for steps, begun at the vote
/// shares without their impossible steps, four iterations, tag scheme in the steps only.
#[test]
fn bayes_seq_gives_the_reference_numbers() {
    let d = golden_table();
    let strict = BayesSeq { scheme: Scheme::Strict, max_iter: 4, tol: 0.0, init: Begin::Votes, ..BayesSeq::default() };
    let f = fit(&strict, &d);
    let bound: Vec<f64> = f.diagnostics.trace.iter().map(|t| t.objective.unwrap()).collect();
    close(&[bound[0], bound[3]], &[-282.6977855792501, -246.70821219669654], 1e-6);
    close(&row(&d, &f, 3), &[0.0012910879, 0.9987089105, 0.0, 1.6e-09, 0.0], 1e-9);
    close(&row(&d, &f, 9), &[0.999645093, 0.000354907, 0.0, 0.0, 0.0], 1e-9);
    close(&row(&d, &f, 20), &[2.9228e-06, 0.9999860172, 1.7e-09, 1.0897e-05, 1.614e-07], 1e-9);
    let want = [
        0, 1, 0, 1, 3, 4, 0, 1, 2, 0, 3, 4, 0, 0, 3, 0, 3, 4, 1, 0, 1, 0, 3, 4, 0, 0, 1, 3, 3, 4, 0, 0, 1, 2, 0, 3, 0,
        0, 1, 3, 0, 3,
    ];
    let (k, q) = f.posterior().unwrap();
    let classes = d.table.categorical().unwrap().classes;
    for (u, tag) in want.into_iter().enumerate() {
        assert_eq!(classes.name(stats::argmax(&q[u * k..(u + 1) * k])), TAGS[tag], "token {u}");
    }
    // without the label before it is the variational hidden Markov model
    let f = fit(&BayesSeq { annotators: Dependence::Matrix, ..strict.clone() }, &d);
    let bound: Vec<f64> = f.diagnostics.trace.iter().map(|t| t.objective.unwrap()).collect();
    close(&[bound[0], bound[3]], &[-278.7458070883845, -253.72016225869706], 1e-6);
    close(&row(&d, &f, 9), &[0.9585169715, 0.0414830284, 0.0, 0.0, 0.0], 1e-9);
    // with the impossible steps of the vote shares
    let f = fit(&BayesSeq { scheme: Scheme::Repair, ..strict }, &d);
    let bound: Vec<f64> = f.diagnostics.trace.iter().map(|t| t.objective.unwrap()).collect();
    close(&[bound[0], bound[3]], &[-405.3975902599785, -359.07830611286], 1e-6);
    close(&row(&d, &f, 3), &[0.0031505022, 0.9967726315, 4.676e-07, 3.6865e-06, 7.27123e-05], 1e-8);
    close(&row(&d, &f, 20), &[1.31384e-05, 0.003920551, 3.7584e-06, 3.2778e-06, 0.9960592744], 1e-8);
    assert_eq!(illegal(&d, &f), 0);
    assert_eq!(f.diagnostics.details["repaired"], 6);
}
