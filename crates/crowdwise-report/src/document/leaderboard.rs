//! Ranked items with what they won and lost.

use crowdwise_core::questions::LabelView;
use crowdwise_core::{Dataset, Fit, Preference, Truth};
use serde::{Deserialize, Serialize};

/// One item of a leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaderRow {
    /// Place within the component, 1 = best; equal scores share a place.
    pub rank: usize,
    pub item: String,
    pub score: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Best and worst place that the comparisons allow.
    pub rank_low: Option<u32>,
    pub rank_high: Option<u32>,
    pub wins: u64,
    pub losses: u64,
    pub ties: u64,
    /// Comparisons in which the item took part, those with itself aside.
    pub games: u64,
    /// Scores and places of different components are not comparable.
    pub component: u32,
}

/// The items of a fit of scores, by component and place; empty for other fits.
pub fn leaderboard(data: &Dataset, fit: &Fit) -> Vec<LeaderRow> {
    let (Truth::Scores { .. }, Some((pairs, said))) = (&fit.truth, data.table.preferences()) else {
        return Vec::new();
    };
    let view = LabelView::new(data, fit);
    let mut counts = vec![[0u64; 3]; view.len()];
    for (u, &[l, r]) in pairs.iter().enumerate() {
        if l == r {
            continue;
        }
        let (l, r) = (l as usize, r as usize);
        for row in data.table.rows(u) {
            match said[row] {
                Preference::Left => {
                    counts[l][0] += 1;
                    counts[r][1] += 1;
                }
                Preference::Right => {
                    counts[r][0] += 1;
                    counts[l][1] += 1;
                }
                Preference::Tie => [l, r].into_iter().for_each(|i| counts[i][2] += 1),
            }
        }
    }
    let finite = |x: f64| x.is_finite().then_some(x);
    let mut rows: Vec<(usize, LeaderRow)> = (0..view.len())
        .map(|i| {
            let row = view.score_row(i);
            let [wins, losses, ties] = counts[i];
            let leader = LeaderRow {
                rank: row.rank,
                item: data.table.items().name(i).to_owned(),
                score: row.score,
                low: finite(row.interval[0]),
                high: finite(row.interval[1]),
                rank_low: row.ranks.map(|r| r[0]),
                rank_high: row.ranks.map(|r| r[1]),
                wins,
                losses,
                ties,
                games: wins + losses + ties,
                component: row.component,
            };
            (i, leader)
        })
        .collect();
    rows.sort_by_key(|(i, r)| (r.component, r.rank, *i));
    rows.into_iter().map(|r| r.1).collect()
}
