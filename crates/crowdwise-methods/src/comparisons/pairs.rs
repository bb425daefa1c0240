//! Comparisons added up by pair of items, and what is connected with what.

use crowdwise_core::{Finding, Preference, Severity, Subject, Table, group};

/// What was said of one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub left: u32,
    pub right: u32,
    pub left_wins: f64,
    pub right_wins: f64,
    pub ties: f64,
}

/// All comparisons of a table: millions of rows become as many numbers as there are compared pairs.
#[derive(Clone, Debug)]
pub struct Comparisons {
    pub n_items: usize,
    /// In the order of their items; two entries for a pair that was shown in both orders, if the order is kept.
    pub pairs: Vec<Pair>,
    pub decided: f64,
    pub ties: f64,
    /// Comparisons of an item with itself, left out.
    pub with_itself: u64,
    /// Pairs compared more than once, and the share of them that was shown in both orders.
    pub repeated: usize,
    pub both_orders: f64,
}

impl Comparisons {
    /// `keep_order`: whether left and right matter, i.e. a position effect is wanted.
    pub fn new(table: &Table, keep_order: bool) -> Self {
        let (units, codes) = table.preferences().expect("the kind was checked");
        let mut out = Comparisons {
            n_items: table.n_items(),
            pairs: Vec::with_capacity(units.len()),
            decided: 0.0,
            ties: 0.0,
            with_itself: 0,
            repeated: 0,
            both_orders: 0.0,
        };
        let mut shown: Vec<Pair> = Vec::with_capacity(units.len());
        for (u, &[left, right]) in units.iter().enumerate() {
            let mut count = [0u64; 3];
            for r in table.rows(u) {
                count[codes[r] as usize] += 1;
            }
            if left == right {
                out.with_itself += count.iter().sum::<u64>();
                continue;
            }
            let of = |p: Preference| count[p as usize] as f64;
            let pair = Pair {
                left,
                right,
                left_wins: of(Preference::Left),
                right_wins: of(Preference::Right),
                ties: of(Preference::Tie),
            };
            if pair.total() > 0.0 {
                out.decided += pair.left_wins + pair.right_wins;
                out.ties += pair.ties;
                shown.push(pair);
            }
        }
        shown.sort_unstable_by_key(|p| (p.left.min(p.right), p.left.max(p.right), p.left));
        let mut both = 0usize;
        for group in shown.chunk_by(|a, b| a.key() == b.key()) {
            let total: f64 = group.iter().map(Pair::total).sum();
            out.repeated += usize::from(total > 1.0);
            both += usize::from(group.len() == 2);
            if keep_order {
                out.pairs.extend_from_slice(group);
            } else {
                let merged = group[1..].iter().fold(group[0], Pair::plus);
                out.pairs.push(merged);
            }
        }
        out.both_orders = if out.repeated > 0 { both as f64 / out.repeated as f64 } else { 0.0 };
        out
    }

    /// For every item the number of its connected part, numbered by first item; and the number of parts.
    pub fn components(&self) -> (Vec<u32>, usize) {
        let mut parent: Vec<u32> = (0..self.n_items as u32).collect();
        fn root(parent: &mut [u32], mut x: u32) -> u32 {
            while parent[x as usize] != x {
                parent[x as usize] = parent[parent[x as usize] as usize];
                x = parent[x as usize];
            }
            x
        }
        for p in &self.pairs {
            let (a, b) = (root(&mut parent, p.left), root(&mut parent, p.right));
            parent[a.max(b) as usize] = a.min(b);
        }
        let mut number = vec![u32::MAX; self.n_items];
        let mut out = vec![0; self.n_items];
        let mut next = 0;
        for i in 0..self.n_items as u32 {
            let r = root(&mut parent, i) as usize;
            if number[r] == u32::MAX {
                number[r] = next;
                next += 1;
            }
            out[i as usize] = number[r];
        }
        (out, next as usize)
    }

    /// Number of strongly connected parts of "beat or tied": as many as connected parts when every score is finite.
    pub fn strong_components(&self) -> usize {
        let beaten = Beaten::new(self);
        tarjan(self.n_items, &beaten)
    }
}

impl Pair {
    pub fn total(&self) -> f64 {
        self.left_wins + self.right_wins + self.ties
    }

    fn key(&self) -> (u32, u32) {
        (self.left.min(self.right), self.left.max(self.right))
    }

    /// Adds what was said of the same two items, whichever was left.
    fn plus(self, other: &Pair) -> Pair {
        let (l, r) = if self.left == other.left {
            (other.left_wins, other.right_wins)
        } else {
            (other.right_wins, other.left_wins)
        };
        Pair { left_wins: self.left_wins + l, right_wins: self.right_wins + r, ties: self.ties + other.ties, ..self }
    }
}

/// Scores that do not exist. That the items fall into parts is a finding about the data, whatever the method.
pub fn infinite_scores(components: usize, strong: usize, finite: bool) -> Option<Finding> {
    (strong > components).then(|| {
        Finding::new(
            "infinite-scores",
            if finite { Severity::Warning } else { Severity::Problem },
            Subject::Data,
            format!(
                "some items won (or lost) every comparison with the rest, so their best-fitting scores are infinite ({} such parts)",
                group((strong - components + 1) as u64)
            ),
            if finite {
                "their scores are finite only through `ridge` or `virtual_wins`: trust their order, not their distance"
            } else {
                "set `ridge` or `virtual_wins`; the scores show only where the iterations ended"
            },
        )
    })
}

/// Least share of repeated pairs seen in both orders for a position effect to be told from the scores.
pub const BOTH_ORDERS: f64 = 0.2;

/// Comparisons of an item with itself were left out.
pub fn with_itself(n: u64) -> Finding {
    Finding::new(
        "compared-with-itself",
        Severity::Warning,
        Subject::Data,
        format!("{} comparisons of an item with itself were left out", group(n)),
        "check how the pairs were made",
    )
}

/// The order of showing says nothing.
pub fn no_position(c: &Comparisons) -> Finding {
    Finding::new(
        "position-not-identified",
        Severity::Warning,
        Subject::Data,
        format!(
            "of {} pairs compared more than once, {:.0} % were shown in both orders, so an advantage of the left item cannot be separated from the items' scores; it was taken as 0",
            group(c.repeated as u64),
            100.0 * c.both_orders
        ),
        "show pairs in random order",
    )
}

/// For every item those that it beat or tied with.
struct Beaten {
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl Beaten {
    fn new(c: &Comparisons) -> Self {
        let edges = || {
            c.pairs.iter().flat_map(|p| {
                let forth = (p.left_wins + p.ties > 0.0).then_some((p.left, p.right));
                let back = (p.right_wins + p.ties > 0.0).then_some((p.right, p.left));
                forth.into_iter().chain(back)
            })
        };
        let mut offsets = vec![0u32; c.n_items + 1];
        edges().for_each(|(a, _)| offsets[a as usize + 1] += 1);
        (0..c.n_items).for_each(|i| offsets[i + 1] += offsets[i]);
        let mut next = offsets.clone();
        let mut items = vec![0; offsets[c.n_items] as usize];
        for (a, b) in edges() {
            items[next[a as usize] as usize] = b;
            next[a as usize] += 1;
        }
        Beaten { offsets, items }
    }

    fn of(&self, i: u32) -> &[u32] {
        &self.items[self.offsets[i as usize] as usize..self.offsets[i as usize + 1] as usize]
    }
}

/// Number of strongly connected components, by Tarjan's algorithm with its own stack (recursion would not survive a
/// chain of a million items).
fn tarjan(n: usize, beaten: &Beaten) -> usize {
    const NEW: u32 = u32::MAX;
    let (mut index, mut low, mut on_stack) = (vec![NEW; n], vec![0u32; n], vec![false; n]);
    let (mut stack, mut calls): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    let (mut time, mut found) = (0, 0);
    for start in 0..n as u32 {
        if index[start as usize] != NEW {
            continue;
        }
        calls.push((start, 0));
        while let Some(&mut (v, ref mut edge)) = calls.last_mut() {
            let v_ = v as usize;
            if *edge == 0 {
                index[v_] = time;
                low[v_] = time;
                time += 1;
                stack.push(v);
                on_stack[v_] = true;
            }
            if let Some(&w) = beaten.of(v).get(*edge) {
                *edge += 1;
                if index[w as usize] == NEW {
                    calls.push((w, 0));
                } else if on_stack[w as usize] {
                    low[v_] = low[v_].min(index[w as usize]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(up, _)) = calls.last() {
                low[up as usize] = low[up as usize].min(low[v_]);
            }
            if low[v_] == index[v_] {
                found += 1;
                while let Some(w) = stack.pop() {
                    on_stack[w as usize] = false;
                    if w == v {
                        break;
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder};

    fn table(rows: &[(&str, &str, Preference)]) -> Table {
        let mut b = TableBuilder::new(LabelKind::Preference);
        for (l, r, p) in rows {
            b.preference(l, r, "a", *p);
        }
        b.finish().unwrap()
    }

    #[test]
    fn both_orders_of_a_pair_are_added_up() {
        use Preference::{Left, Right, Tie};
        let t = table(&[("x", "y", Left), ("y", "x", Left), ("x", "y", Tie), ("z", "x", Right), ("x", "x", Left)]);
        let c = Comparisons::new(&t, false);
        assert_eq!(c.pairs.len(), 2);
        let xy = c.pairs[0];
        assert_eq!((xy.left, xy.right, xy.left_wins, xy.right_wins, xy.ties), (0, 1, 1.0, 1.0, 1.0));
        assert_eq!((c.decided, c.ties, c.with_itself), (3.0, 1.0, 1));
        assert_eq!((c.repeated, c.both_orders), (1, 1.0));
        assert_eq!(Comparisons::new(&t, true).pairs.len(), 3);
    }

    #[test]
    fn connected_and_strongly_connected_parts_are_counted() {
        use Preference::{Left, Tie};
        // a cycle x > y > z > x; a chain p > q > r; a tie s = t
        let rows =
            [("x", "y", Left), ("y", "z", Left), ("z", "x", Left), ("p", "q", Left), ("q", "r", Left), ("s", "t", Tie)];
        let c = Comparisons::new(&table(&rows), false);
        let (component, n) = c.components();
        assert_eq!((n, component), (3, vec![0, 0, 0, 1, 1, 1, 2, 2]));
        assert_eq!(c.strong_components(), 1 + 3 + 1);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let names: Vec<String> = (0..200_000).map(|i| i.to_string()).collect();
        let mut b = TableBuilder::new(LabelKind::Preference);
        names.windows(2).for_each(|w| b.preference(&w[0], &w[1], "a", Preference::Left));
        let c = Comparisons::new(&b.finish().unwrap(), false);
        assert_eq!((c.components().1, c.strong_components()), (1, 200_000));
    }
}
