//! Whether two annotators agree more than either does with anybody else.

use super::{CopyPair, ONE_VOICE};

/// Labels' worth of an annotator's usual agreement that is mixed into the agreement with each single other one, so that ten
/// common items cannot make anybody the nearest.
const USUAL: f64 = 10.0;
/// Standard errors by which the agreement of two must exceed that with anybody else.
const OUT: f64 = 2.0;

/// Compares the agreement of each pair with what either has with anybody outside their group, which are those whom a pair of
/// the list links to one of the two.
pub(super) fn beside_the_others(out: &mut [CopyPair], found: &[(u32, u32, u32)], agreed: &[f64], annotators: usize) {
    let mut with: Vec<Vec<(usize, f64, f64)>> = vec![Vec::new(); annotators];
    for (&(a, b, n), &x) in found.iter().zip(agreed) {
        with[a as usize].push((b as usize, x, n.into()));
        with[b as usize].push((a as usize, x, n.into()));
    }
    let usual: Vec<f64> =
        with.iter().map(|w| w.iter().map(|x| x.1).sum::<f64>() / w.iter().map(|x| x.2).sum::<f64>().max(1.0)).collect();
    let mut group: Vec<Vec<usize>> = vec![Vec::new(); annotators];
    for c in out.iter() {
        group[c.a].push(c.b);
        group[c.b].push(c.a);
    }
    for c in out {
        let linked =
            |other: usize| [c.a, c.b].contains(&other) || group[c.a].contains(&other) || group[c.b].contains(&other);
        let (n, mut outsiders) = (c.common as f64, 0usize);
        // neither 0 nor 1: their variance would be none
        let own = (c.agreement * n + 1.0) / (n + 2.0);
        c.stands_out = true;
        for j in [c.a, c.b] {
            for &(_, x, m) in with[j].iter().filter(|w| !linked(w.0)) {
                let p = (x + USUAL * usual[j]) / (m + USUAL);
                let error = (own * (1.0 - own) / n + p * (1.0 - p) / (m + USUAL)).sqrt();
                c.next = c.next.max(p);
                c.stands_out &= own - p > OUT * error;
                outsiders += 1;
            }
        }
        // with nobody to compare with nothing stands out, and who shares a view still has errors of its own
        c.stands_out &= outsiders > 0 && c.repeated >= ONE_VOICE * c.errors;
    }
}
