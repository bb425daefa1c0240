//! Tokens of sequences: items by sequence, then position.

use crate::collect::{brief, count};
use crowdwise_core::{Names, group};

/// Where the tokens of sequences stand among the items. A position between others that no row has is an item without labels;
/// more of these than other tokens mean that the numbers are not positions.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// Where each sequence begins, and the end of the last.
    pub starts: Vec<u64>,
    /// First and last position of each sequence.
    pub range: Vec<(u32, u32)>,
    /// What is to be said of tokens that no row has.
    pub note: Option<String>,
}

impl Tokens {
    /// What to do about positions that are none.
    pub const HINT: &'static str = "the positions of a sequence follow each other: 0, 1, 2, …";

    /// Sequence and position of every row, sequences by their names. The error says what is wrong with the positions.
    pub fn place<I: Iterator<Item = [u32; 2]>>(names: &Names, rows: impl Fn() -> I) -> Result<Tokens, String> {
        let mut range = vec![(u32::MAX, 0); names.len()];
        let mut n_rows = 0u64;
        for [s, p] in rows() {
            let (low, high) = &mut range[s as usize];
            (*low, *high) = (p.min(*low), p.max(*high));
            n_rows += 1;
        }
        let mut starts = vec![0u64];
        for &(low, high) in &range {
            starts.push(starts[starts.len() - 1] + u64::from(high - low) + 1);
        }
        let n = starts[names.len()];
        // A wild position must not ask for memory that the rows do not justify.
        if n > 2 * n_rows {
            let widest = (0..names.len()).max_by_key(|&s| range[s].1 - range[s].0).unwrap_or(0);
            let (low, high) = range[widest];
            return Err(format!(
                "there are {} positions but only {} rows (`{}` goes from {low} to {high})",
                group(n),
                group(n_rows),
                brief(names.name(widest))
            ));
        }
        let mut tokens = Tokens { starts, range, note: None };
        let mut seen = vec![false; n as usize];
        rows().for_each(|[s, p]| seen[tokens.item(s, p) as usize] = true);
        let gaps = seen.iter().filter(|s| !**s).count();
        if gaps > 0 {
            let shown = tokens.gaps(names, &seen);
            if gaps * 2 > seen.len() {
                return Err(format!("{} positions inside sequences are in no row: {shown}", group(gaps as u64)));
            }
            tokens.note = Some(format!("{} inside sequences in no row: {shown}", count(gaps as u64, "token")));
        }
        Ok(tokens)
    }

    /// The item at a position of a sequence.
    pub fn item(&self, sequence: u32, position: u32) -> u32 {
        (self.starts[sequence as usize] + u64::from(position - self.range[sequence as usize].0)) as u32
    }

    /// Sequence, position and name of every item, in their order.
    pub fn items<'a>(&'a self, names: &'a Names) -> impl Iterator<Item = (usize, u32, String)> + 'a {
        let of = |(s, &(low, high)): (usize, &(u32, u32))| (low..=high).map(move |p| (s, p));
        self.range.iter().enumerate().flat_map(of).map(|(s, p)| (s, p, format!("{}:{p}", names.name(s))))
    }

    /// The first few tokens that no row has.
    fn gaps(&self, names: &Names, seen: &[bool]) -> String {
        let gaps = (0..names.len()).flat_map(|s| (self.starts[s]..self.starts[s + 1]).map(move |i| (s, i)));
        let mut list: Vec<String> = gaps
            .filter(|&(_, i)| !seen[i as usize])
            .take(6)
            .map(|(s, i)| {
                format!("`{}` at {}", brief(names.name(s)), u64::from(self.range[s].0) + (i - self.starts[s]))
            })
            .collect();
        if list.len() > 5 {
            list[5] = "…".into();
        }
        list.join(", ")
    }
}
