//! What is asked, answered, skipped and overdue: the state between two calls.
//!
//! A pair of item and annotator is free, leased (asked, and not answered yet), answered, skipped or expired, and is never asked twice.
//! Times are seconds; where they begin does not matter.

mod limits;
mod saved;

pub use limits::{AnnotatorLimits, ItemLimits, Limits};
pub use saved::Saved;

use crate::answers::{Answers, Label};
use crate::model::Known;
use std::collections::BTreeMap;

/// What became of a pair that was asked.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pair {
    /// Asked, and not answered yet.
    Leased {
        lease: u64,
        since: f64,
        until: f64,
    },
    /// Answered under this lease.
    Answered {
        lease: u64,
    },
    Skipped,
    /// Not answered in time.
    Expired {
        lease: u64,
        since: f64,
    },
}

/// How many pairs are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    pub free: usize,
    pub leased: usize,
    pub answered: usize,
    pub skipped: usize,
    pub expired: usize,
}

/// What came of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It counts.
    New,
    /// It counts although its lease is over; caps may be exceeded.
    Late,
    /// It counts although nobody asked.
    Unasked,
    /// It is there already, and changes nothing.
    Again,
}

/// Why a lease was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    Leased,
    Answered,
    Skipped,
    Expired,
}

/// The pairs that may be asked at all, where not all may: annotators of every item, sorted.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowed {
    offsets: Vec<u32>,
    annotators: Vec<u32>,
}

impl Allowed {
    /// Exactly the pairs that are answered in `recorded`.
    pub fn recorded(recorded: &Answers) -> Allowed {
        let mut out = Allowed { offsets: vec![0], annotators: Vec::with_capacity(recorded.n_labels()) };
        for item in 0..recorded.n_items() {
            let from = out.annotators.len();
            for &j in recorded.of(item).0 {
                if out.annotators[from..].last() != Some(&j) {
                    out.annotators.push(j);
                }
            }
            out.offsets.push(out.annotators.len() as u32);
        }
        out
    }

    pub fn of(&self, item: usize) -> &[u32] {
        &self.annotators[self.offsets[item] as usize..self.offsets[item + 1] as usize]
    }
}

/// Outcomes of the leases of an annotator.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Record {
    /// Leases given.
    pub asked: u32,
    /// Leases answered.
    pub answered: u32,
    /// Leases now out.
    pub in_flight: u32,
    /// Seconds of the last answers.
    pub seconds: Vec<f64>,
}

/// Durations that are remembered of an annotator.
const REMEMBERED: usize = 50;
/// The shortest lease, and how many typical answers one lasts.
const SHORTEST_LEASE: f64 = 600.0;
const LEASE_TIMES: f64 = 3.0;

/// Answers so far, what is known beside them, limits, and what became of every question.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub answers: Answers,
    pub known: Known,
    pub limits: Limits,
    pub items: Vec<ItemLimits>,
    pub annotators: Vec<AnnotatorLimits>,
    /// `None`: everybody may be asked everything.
    pub allowed: Option<Allowed>,
    pairs: BTreeMap<(u32, u32), Pair>,
    records: Vec<Record>,
    /// Leases out, by item.
    in_flight: Vec<u16>,
    next_lease: u64,
    /// Calls for questions so far.
    pub batch: u64,
}

impl State {
    /// Nothing is asked, nobody is limited.
    pub fn new(answers: Answers) -> State {
        let (n, m) = (answers.n_items(), answers.n_annotators());
        State {
            answers,
            known: Known::default(),
            limits: Limits::default(),
            items: Vec::new(),
            annotators: Vec::new(),
            allowed: None,
            pairs: BTreeMap::new(),
            records: vec![Record::default(); m],
            in_flight: vec![0; n],
            next_lease: 1,
            batch: 0,
        }
    }

    pub fn n_items(&self) -> usize {
        self.answers.n_items()
    }

    pub fn n_annotators(&self) -> usize {
        self.answers.n_annotators()
    }

    /// What is known of an item beside its answers.
    pub fn item(&self, item: usize) -> ItemLimits {
        self.items.get(item).copied().unwrap_or_default()
    }

    /// What is known of an annotator beside their answers.
    pub fn annotator(&self, annotator: usize) -> AnnotatorLimits {
        self.annotators.get(annotator).copied().unwrap_or_default()
    }

    pub fn record(&self, annotator: usize) -> &Record {
        &self.records[annotator]
    }

    /// Leases out on an item.
    #[inline]
    pub fn in_flight(&self, item: usize) -> usize {
        usize::from(self.in_flight[item])
    }

    /// Leases out on all items.
    pub fn all_in_flight(&self) -> usize {
        self.records.iter().map(|r| r.in_flight as usize).sum()
    }

    /// The annotators who have a question about this item now.
    pub fn asked_now(&self, item: usize) -> impl Iterator<Item = u32> + '_ {
        let item = item as u32;
        let leased = |(&(_, j), p): (&(u32, u32), &Pair)| matches!(p, Pair::Leased { .. }).then_some(j);
        self.pairs.range((item, 0)..=(item, u32::MAX)).filter_map(leased)
    }

    /// What became of a pair that was asked; `None` if it never was.
    pub fn pair(&self, item: usize, annotator: u32) -> Option<Pair> {
        self.pairs.get(&(item as u32, annotator)).copied()
    }

    /// Why this pair may not be asked, `None` if it may. Who may be asked at all is another question.
    pub fn taken(&self, item: usize, annotator: u32) -> Option<Taken> {
        if self.answers.has(item, annotator) {
            return Some(Taken::Answered);
        }
        if self.pairs.is_empty() {
            return None;
        }
        match self.pair(item, annotator)? {
            Pair::Leased { .. } => Some(Taken::Leased),
            Pair::Answered { .. } => Some(Taken::Answered),
            Pair::Skipped => Some(Taken::Skipped),
            Pair::Expired { .. } => (!self.limits.ask_again).then_some(Taken::Expired),
        }
    }

    /// How likely this annotator answers a question: from leases that are over. The same for everybody as long as there are none.
    pub fn answers_with(&self, annotator: usize) -> f64 {
        let r = &self.records[annotator];
        let over = r.asked - r.in_flight;
        f64::from(r.answered + 1) / f64::from(over + 2)
    }

    /// Typical seconds of an answer of this annotator, if any was timed.
    pub fn typical_seconds(&self, annotator: usize) -> Option<f64> {
        let mut seconds = self.records[annotator].seconds.clone();
        (!seconds.is_empty()).then(|| crowdwise_numerics::median(&mut seconds))
    }

    /// How long a question to this annotator is out before others are asked instead.
    pub fn lease_seconds(&self, annotator: usize) -> f64 {
        let typical = self.typical_seconds(annotator).unwrap_or(0.0);
        self.limits.lease.unwrap_or_else(|| SHORTEST_LEASE.max(LEASE_TIMES * typical))
    }

    /// Asks: the pair is out until its lease is over. Gives the number of the lease.
    pub fn lease(&mut self, item: usize, annotator: u32, now: f64) -> Result<u64, Taken> {
        if let Some(why) = self.taken(item, annotator) {
            return Err(why);
        }
        let (lease, until) = (self.next_lease, now + self.lease_seconds(annotator as usize));
        self.next_lease += 1;
        self.pairs.insert((item as u32, annotator), Pair::Leased { lease, since: now, until });
        self.in_flight[item] += 1;
        let record = &mut self.records[annotator as usize];
        record.asked += 1;
        record.in_flight += 1;
        Ok(lease)
    }

    /// An answer. `lease` is the number under which it was asked, where the front end keeps it: an answer that comes twice under one
    /// lease counts once. An answer is never dropped because it is late.
    pub fn tell(&mut self, label: Label, lease: Option<u64>, now: f64) -> Told {
        let (item, j) = (label.item as usize, label.annotator);
        let before = self.pair(item, j);
        let told = match before {
            Some(Pair::Leased { lease: own, since, .. }) if lease.is_none_or(|l| l == own) => {
                self.land(item, j);
                self.answered(j, Some(now - since));
                self.pairs.insert((label.item, j), Pair::Answered { lease: own });
                Told::New
            }
            Some(Pair::Answered { .. }) => return Told::Again,
            Some(Pair::Expired { lease: own, since }) => {
                self.answered(j, Some(now - since));
                self.pairs.insert((label.item, j), Pair::Answered { lease: own });
                Told::Late
            }
            // under an older lease of a pair that is out again: that one is answered, too
            Some(Pair::Leased { lease: own, .. }) => {
                self.land(item, j);
                self.answered(j, None);
                self.pairs.insert((label.item, j), Pair::Answered { lease: lease.unwrap_or(own) });
                Told::Late
            }
            Some(Pair::Skipped) | None if self.answers.has(item, j) => return Told::Again,
            Some(Pair::Skipped) => {
                self.pairs.remove(&(label.item, j));
                Told::Late
            }
            None => Told::Unasked,
        };
        self.answers.add(label);
        told
    }

    /// The annotator does not want to answer: the pair is out for good. False if it was not asked.
    pub fn skip(&mut self, item: usize, annotator: u32) -> bool {
        let leased = matches!(self.pair(item, annotator), Some(Pair::Leased { .. }));
        if leased {
            self.land(item, annotator);
            self.pairs.insert((item as u32, annotator), Pair::Skipped);
        }
        leased
    }

    /// Ends the leases that are over. Their pairs in order of item and annotator.
    pub fn expire(&mut self, now: f64) -> Vec<(u32, u32)> {
        let over = |(&at, p): (&(u32, u32), &Pair)| match p {
            Pair::Leased { lease, since, until } if *until <= now => Some((at, *lease, *since)),
            _ => None,
        };
        let over: Vec<_> = self.pairs.iter().filter_map(over).collect();
        for &((item, annotator), lease, since) in &over {
            self.land(item as usize, annotator);
            self.pairs.insert((item, annotator), Pair::Expired { lease, since });
        }
        over.into_iter().map(|(at, ..)| at).collect()
    }

    /// How many pairs are in which state; their sum is items times annotators, but for pairs that were answered twice.
    pub fn pairs(&self) -> Pairs {
        let mut out = Pairs::default();
        let mut last = None;
        for l in self.answers.iter() {
            out.answered += usize::from(last.replace((l.item, l.annotator)) != Some((l.item, l.annotator)));
        }
        for pair in self.pairs.values() {
            match pair {
                Pair::Leased { .. } => out.leased += 1,
                Pair::Skipped => out.skipped += 1,
                Pair::Expired { .. } => out.expired += 1,
                Pair::Answered { .. } => {}
            }
        }
        out.free = self.n_items() * self.n_annotators() - out.leased - out.answered - out.skipped - out.expired;
        out
    }

    /// Money for the answers so far, and for the questions that are out.
    pub fn money(&self) -> (f64, f64) {
        let (mut spent, mut pending) = (0.0, 0.0);
        for (j, &n) in self.answers.by_annotator().iter().enumerate() {
            let price = self.annotator(j).price;
            spent += price * f64::from(n);
            pending += price * f64::from(self.records[j].in_flight);
        }
        (spent, pending)
    }

    /// Room for items and annotators that came later.
    pub fn grow(&mut self, items: usize, annotators: usize) {
        self.answers.grow(items, annotators);
        self.in_flight.resize(self.answers.n_items(), 0);
        self.records.resize(self.answers.n_annotators(), Record::default());
    }

    fn land(&mut self, item: usize, annotator: u32) {
        self.in_flight[item] -= 1;
        self.records[annotator as usize].in_flight -= 1;
    }

    fn answered(&mut self, annotator: u32, seconds: Option<f64>) {
        let record = &mut self.records[annotator as usize];
        record.answered += 1;
        if let Some(seconds) = seconds.filter(|s| *s > 0.0) {
            if record.seconds.len() == REMEMBERED {
                record.seconds.remove(0);
            }
            record.seconds.push(seconds);
        }
    }
}
