//! Scores of the votes alone: what was asked before annotators were told apart.

use crowdwise_numerics::binomial_tail;

/// The two largest counts.
fn two(votes: &[f64]) -> [f64; 2] {
    let [a, b] = super::two_best(votes);
    if a == b { [votes[a], 0.0] } else { [votes[a], votes[b]] }
}

/// P(x < 1/2) for Beta(a, b) with whole a and b: a successes or more in a + b - 1 tosses of a coin.
fn below_half(a: f64, b: f64) -> f64 {
    binomial_tail(a, a + b - 1.0, 0.5)
}

/// Sheng, Provost and Ipeirotis (2008): how likely the minority of the two largest counts is right; large is undecided.
pub fn undecided(votes: &[f64]) -> f64 {
    let [a, b] = two(votes);
    below_half(a + 1.0, b + 1.0)
}

/// Optimistic knowledge gradient of Chen, Lin and Zhou (2013) on the two largest counts: the larger rise of certainty by one vote.
pub fn most_hopeful(votes: &[f64]) -> f64 {
    let [a, b] = two(votes).map(|n| n + 1.0);
    let certain = |a, b| {
        let p = below_half(a, b);
        p.max(1.0 - p)
    };
    f64::max(certain(a + 1.0, b), certain(a, b + 1.0)) - certain(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undecided_votes_by_hand() {
        // Beta(2, 1): x^2 at 1/2; Beta(2, 2) is even; Beta(3, 1): x^3
        for (votes, p) in [([1.0, 0.0], 0.25), ([1.0, 1.0], 0.5), ([0.0, 2.0], 0.125), ([0.0, 0.0], 0.5)] {
            assert!((undecided(&votes) - p).abs() < 1e-12, "{votes:?}: {}", undecided(&votes));
        }
        // from even to Beta(3, 2): P(x < 1/2) = 5/16
        assert!((most_hopeful(&[1.0, 1.0]) - (11.0 / 16.0 - 0.5)).abs() < 1e-12);
        // from Beta(2, 1) to Beta(3, 1)
        assert!((most_hopeful(&[1.0, 0.0]) - (0.875 - 0.75)).abs() < 1e-12);
    }
}
