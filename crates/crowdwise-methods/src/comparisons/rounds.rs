//! Scores by rounds: every item's share becomes its wins over what its opponents' shares make likely (Hunter's MM).

use super::likelihood::{Point, Problem};
use crowdwise_core::{Context, Error, Run, Step};

/// Shares that items which never win cannot fall below: their scores stay finite.
const LEAST: f64 = 1e-300;

/// Climbs from `x`; ties count half to each side.
pub(super) fn maximise(
    problem: &Problem<'_>,
    x: &mut Point,
    max_iter: usize,
    tol: f64,
    cx: &mut Context<'_>,
) -> Result<Run, Error> {
    let pairs = &problem.data.pairs;
    let mut wins = vec![0.0; problem.n()];
    for p in pairs {
        wins[p.left as usize] += p.left_wins + 0.5 * p.ties;
        wins[p.right as usize] += p.right_wins + 0.5 * p.ties;
    }
    let top = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut share: Vec<f64> = x.iter().map(|s| (s - top).exp()).collect();
    normalise(&mut share);
    let mut games = vec![0.0; share.len()];
    cx.iterate(max_iter, tol, |_, _| {
        games.fill(0.0);
        for p in pairs {
            let (l, r) = (p.left as usize, p.right as usize);
            let expected = p.total() / (share[l] + share[r]);
            games[l] += expected;
            games[r] += expected;
        }
        let mut next: Vec<f64> =
            share.iter().zip(&games).zip(&wins).map(|((s, g), w)| if *g > 0.0 { w / g } else { *s }).collect();
        normalise(&mut next);
        let change = next.iter().zip(&share).map(|(a, b)| (a - b).abs()).sum();
        share = next;
        x.iter_mut().zip(&share).for_each(|(x, s)| *x = s.ln());
        Ok(Step { objective: Some(-problem.value(x)), change })
    })
}

fn normalise(share: &mut [f64]) {
    let sum: f64 = share.iter().sum();
    share.iter_mut().for_each(|s| *s = (*s / sum).max(LEAST));
}
