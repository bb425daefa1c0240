//! Who is next to whom: from given edges, or from the features.

use crowdwise_core::{Dataset, Error, Features, Structure};
use rayon::prelude::*;

/// Neighbours of every item, each pair in both directions and once.
#[derive(Debug)]
pub(crate) struct Neighbours {
    offsets: Vec<usize>,
    list: Vec<u32>,
}

/// Distances that are computed at most: more take hours.
const MOST_DISTANCES: u64 = 40_000_000_000;

impl Neighbours {
    /// The graph of `data`, or the `nearest` neighbours by features.
    pub fn of(data: &Dataset, nearest: usize, method: &str) -> Result<Neighbours, Error> {
        let n = data.table.n_units();
        match (&data.structure, &data.features) {
            (Structure::Graph(edges), _) => {
                let bad = edges.iter().filter(|e| e.iter().any(|i| *i as usize >= n)).count();
                if bad > 0 {
                    return Err(Error::BadData {
                        file: data.source.clone(),
                        what: format!("{bad} of {} edges lead to items that the table does not have", edges.len()),
                        hint: None,
                    });
                }
                Ok(Neighbours::from_edges(n, edges.iter().copied()))
            }
            (_, Some(x)) if x.rows() == n => Neighbours::nearest(x, nearest),
            (_, Some(x)) => Err(Error::BadData {
                file: data.source.clone(),
                what: format!("{} rows of features for {n} items", x.rows()),
                hint: None,
            }),
            (_, None) => Err(Error::Unsupported {
                what: format!(
                    "{method} wants items that are neighbours, but {} has no graph and no features",
                    data.source
                ),
                hint: Some(
                    "give the pairs of neighbours as the graph of the dataset, or a row of features per item".into(),
                ),
            }),
        }
    }

    /// Edges in either direction, repeated or from an item to itself: each pair counts once.
    fn from_edges(n: usize, edges: impl Iterator<Item = [u32; 2]>) -> Neighbours {
        let mut both: Vec<[u32; 2]> = edges.filter(|e| e[0] != e[1]).flat_map(|[a, b]| [[a, b], [b, a]]).collect();
        both.sort_unstable();
        both.dedup();
        let mut offsets = vec![0; n + 1];
        both.iter().for_each(|e| offsets[e[0] as usize + 1] += 1);
        (0..n).for_each(|i| offsets[i + 1] += offsets[i]);
        Neighbours { offsets, list: both.into_iter().map(|e| e[1]).collect() }
    }

    /// The `nearest` items by Euclidean distance of the scaled features, linked in both directions.
    fn nearest(x: &Features, nearest: usize) -> Result<Neighbours, Error> {
        let (n, d) = (x.rows(), x.dim);
        if (n as u64).saturating_mul(n as u64).saturating_mul(d as u64) > MOST_DISTANCES {
            return Err(Error::TooLarge {
                what: format!("neighbours of {n} items by {d} features; give the graph of neighbours instead"),
            });
        }
        let scaled = scale(x);
        let near = |i: usize| -> Vec<[u32; 2]> {
            let own = &scaled[i * d..(i + 1) * d];
            let mut all: Vec<(f32, u32)> = (0..n)
                .filter(|j| *j != i)
                .map(|j| {
                    let other = &scaled[j * d..(j + 1) * d];
                    (own.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f32>(), j as u32)
                })
                .collect();
            let m = nearest.min(all.len());
            if m == 0 {
                return Vec::new();
            }
            let order = |a: &(f32, u32), b: &(f32, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            all.select_nth_unstable_by(m - 1, order);
            all[..m].iter().map(|x| [i as u32, x.1]).collect()
        };
        let edges: Vec<Vec<[u32; 2]>> = (0..n).into_par_iter().map(near).collect();
        Ok(Neighbours::from_edges(n, edges.into_iter().flatten()))
    }

    pub fn of_item(&self, i: usize) -> &[u32] {
        &self.list[self.offsets[i]..self.offsets[i + 1]]
    }

    /// Pairs of neighbours.
    pub fn pairs(&self) -> usize {
        self.list.len() / 2
    }

    /// Items without a neighbour.
    pub fn alone(&self) -> usize {
        self.offsets.windows(2).filter(|w| w[0] == w[1]).count()
    }
}

/// Every column divided by its standard deviation; columns that never change say nothing.
fn scale(x: &Features) -> Vec<f32> {
    let (n, d) = (x.rows() as f64, x.dim);
    let (mut sum, mut square) = (vec![0.0f64; d], vec![0.0f64; d]);
    for row in x.values.chunks_exact(d.max(1)) {
        for (c, v) in row.iter().enumerate() {
            sum[c] += *v as f64;
        }
    }
    for row in x.values.chunks_exact(d.max(1)) {
        for (c, v) in row.iter().enumerate() {
            square[c] += (*v as f64 - sum[c] / n).powi(2);
        }
    }
    let by: Vec<f32> = square.iter().map(|s| if *s > 0.0 { (n / s).sqrt() as f32 } else { 0.0 }).collect();
    x.values.iter().enumerate().map(|(at, v)| v * by[at % d]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_count_once_and_loops_not_at_all() {
        let g = Neighbours::from_edges(4, [[0, 1], [1, 0], [0, 1], [2, 2], [1, 2]].into_iter());
        assert_eq!((g.pairs(), g.alone()), (2, 1));
        assert_eq!((g.of_item(0), g.of_item(1), g.of_item(3)), (&[1][..], &[0, 2][..], &[][..]));
    }

    #[test]
    fn nearest_by_scaled_features() {
        // the second column is some hundred times as wide: by the plain numbers item 0 is nearest to item 2 (300 away), by
        // the scaled ones to item 1 (0.5 away, item 2 is 2.0)
        let x = Features { dim: 2, values: vec![0.0, 0.0, 0.0, 400.0, 5.0, 300.0, 5.0, 2000.0], image: None };
        let g = Neighbours::nearest(&x, 1).unwrap();
        assert_eq!((g.of_item(0), g.of_item(3)), (&[1][..], &[2][..]));
        let flat = Features { dim: 1, values: vec![3.0; 5], image: None };
        assert!(Neighbours::nearest(&flat, 2).unwrap().pairs() >= 4);
        let one = Features { dim: 1, values: vec![3.0], image: None };
        assert_eq!(Neighbours::nearest(&one, 3).unwrap().pairs(), 0);
    }
}
