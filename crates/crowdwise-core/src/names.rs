//! Interned names: every id of an item, annotator or class is stored once and known by its number.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::hash::BuildHasher;

/// Distinct strings numbered in the order of their first appearance.
///
/// All characters lie in one arena, so a name costs its own bytes, 4 for its end and about 6 in the look-up
/// table. The look-up table can be dropped ([`Names::freeze`]) once nothing more is to be added; it is rebuilt on demand.
#[derive(Clone, Default)]
pub struct Names {
    text: String,
    ends: Ends,
    lookup: HashTable<u32>,
}

/// Where names end: the lower halves of growing 64-bit numbers, and from which name on the upper half is one larger.
#[derive(Clone, Default, PartialEq)]
struct Ends {
    low: Vec<u32>,
    wraps: Vec<u32>,
}

impl Ends {
    fn len(&self) -> usize {
        self.low.len()
    }

    /// Adds an end, which is not below the last one.
    fn push(&mut self, end: u64) {
        while (self.wraps.len() as u64) < end >> 32 {
            self.wraps.push(self.low.len() as u32);
        }
        self.low.push(end as u32);
    }

    #[inline]
    fn get(&self, id: usize) -> usize {
        let low = self.low[id] as usize;
        // texts of more than 4 GB are rare
        if self.wraps.is_empty() { low } else { low + (self.wraps.partition_point(|&w| w as usize <= id) << 32) }
    }
}

/// A fixed seed: numbering never depends on the hash, but time and memory should not vary between runs either.
const HASHER: FixedState = FixedState::with_seed(0x6372_6f77_6477_6973);

impl Names {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.len() == 0
    }

    /// The number of `name`, adding it if it is new.
    ///
    /// # Panics
    /// When 2^32 - 1 names are exceeded.
    #[inline]
    pub fn intern(&mut self, name: &str) -> u32 {
        self.thaw();
        self.intern_hashed(name, HASHER.hash_one(name.as_bytes()))
    }

    /// The numbers of many names, added to `out`, as if each was interned in turn.
    ///
    /// Hashing all of them first and then looking all of them up lets the processor wait for several look-ups at once,
    /// which matters when the names do not fit into its caches. A name that repeats the one before costs a comparison.
    pub fn intern_all(&mut self, names: &[&str], out: &mut Vec<u32>) {
        const BATCH: usize = 32;
        self.thaw();
        let mut hashes = [0u64; BATCH];
        for batch in names.chunks(BATCH) {
            for (n, name) in batch.iter().enumerate() {
                if n == 0 || batch[n - 1] != *name {
                    hashes[n] = HASHER.hash_one(name.as_bytes());
                }
            }
            for (n, &name) in batch.iter().enumerate() {
                let again = n > 0 && batch[n - 1] == name;
                out.push(if again { out[out.len() - 1] } else { self.intern_hashed(name, hashes[n]) });
            }
        }
    }

    #[inline]
    fn intern_hashed(&mut self, name: &str, hash: u64) -> u32 {
        let (text, ends) = (self.text.as_bytes(), &self.ends);
        if let Some(&found) = self.lookup.find(hash, |&id| bytes(text, ends, id) == name.as_bytes()) {
            return found;
        }
        self.add(name, hash)
    }

    #[cold]
    fn add(&mut self, name: &str, hash: u64) -> u32 {
        let id = u32::try_from(self.ends.len()).expect("more than 2^32 distinct names");
        if self.lookup.len() == self.lookup.capacity() {
            self.rebuild((2 * self.lookup.capacity()).max(4));
        }
        self.text.push_str(name);
        self.ends.push(self.text.len() as u64);
        let (text, ends) = (self.text.as_bytes(), &self.ends);
        self.lookup.insert_unique(hash, id, |&id| HASHER.hash_one(bytes(text, ends, id)));
        id
    }

    /// The number of `name`, if it is there.
    pub fn get(&self, name: &str) -> Option<u32> {
        if self.lookup.len() == self.ends.len() {
            let (hash, text) = (HASHER.hash_one(name.as_bytes()), self.text.as_bytes());
            return self.lookup.find(hash, |&id| bytes(text, &self.ends, id) == name.as_bytes()).copied();
        }
        self.iter().position(|n| n == name).map(|p| p as u32)
    }

    /// The name with this number.
    #[inline]
    pub fn name(&self, id: usize) -> &str {
        slice(&self.text, &self.ends, id as u32)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        (0..self.len()).map(|i| self.name(i))
    }

    /// Gives back the memory of the look-up table. [`Names::get`] is slow until [`Names::thaw`] or [`Names::intern`].
    pub fn freeze(&mut self) {
        self.lookup = HashTable::new();
        self.text.shrink_to_fit();
        self.ends.low.shrink_to_fit();
    }

    /// Rebuilds the look-up table if it was dropped.
    #[inline]
    pub fn thaw(&mut self) {
        if self.lookup.len() != self.ends.len() {
            self.rebuild(self.ends.len());
        }
    }

    /// A new look-up table. The names are visited in the order in which they lie in memory, and the old table is gone
    /// before the new one comes, so this is faster and smaller than letting the table grow by itself.
    #[cold]
    fn rebuild(&mut self, capacity: usize) {
        self.lookup = HashTable::new();
        let (text, ends) = (self.text.as_bytes(), &self.ends);
        let hash = |id: u32| HASHER.hash_one(bytes(text, ends, id));
        let mut lookup = HashTable::with_capacity(capacity);
        for id in 0..ends.len() as u32 {
            lookup.insert_unique(hash(id), id, |&id| hash(id));
        }
        self.lookup = lookup;
    }

    /// The closest name by edit distance, if one is close enough to be meant.
    pub fn nearest(&self, wanted: &str) -> Option<&str> {
        nearest(wanted, self.iter())
    }
}

#[inline]
fn range(ends: &Ends, id: u32) -> std::ops::Range<usize> {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends.get(id - 1) };
    start..ends.get(id)
}

/// As [`slice`], without a look at where characters begin.
#[inline]
fn bytes<'a>(text: &'a [u8], ends: &Ends, id: u32) -> &'a [u8] {
    &text[range(ends, id)]
}

#[inline]
fn slice<'a>(text: &'a str, ends: &Ends, id: u32) -> &'a str {
    &text[range(ends, id)]
}

/// The candidate closest to `wanted`, if it is close enough that a slip of the pen explains the difference.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let low = wanted.to_lowercase();
    // how alike two words are; a swap or a missing prefix counts for little
    let score = |c: &str| {
        let c = c.to_lowercase();
        let longest = low.chars().count().max(c.chars().count()).max(1);
        let edits = 1.0 - strsim::osa_distance(&low, &c) as f64 / longest as f64;
        // the whole word inside a longer name: equally good wherever it stands, so that the rule below decides
        if low.len() >= 4 && c.contains(&low) && c != low {
            return 0.9;
        }
        strsim::jaro_winkler(&low, &c).max(edits + 0.12)
    };
    // of equally close names the one that begins with what was typed, then the shortest, then the first
    let begins = |c: &str| c.to_lowercase().starts_with(&low);
    candidates
        .into_iter()
        .map(|c| (score(c), c))
        .filter(|(score, _)| *score >= 0.78)
        .reduce(|best, next| {
            let order = next.0.total_cmp(&best.0).then(begins(next.1).cmp(&begins(best.1)));
            if order.then(best.1.len().cmp(&next.1.len())).is_gt() { next } else { best }
        })
        .map(|(_, c)| c)
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(iter: I) -> Self {
        let mut names = Names::new();
        for name in iter {
            names.intern(name.as_ref());
        }
        names
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.ends == other.ends
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().take(20)).finish()?;
        write!(f, " ({} names)", self.len())
    }
}

impl Serialize for Names {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(Vec::<String>::deserialize(d)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_follow_first_appearance() {
        let names: Names = ["b", "", "a", "b", "日本"].into_iter().collect();
        assert_eq!(names.iter().collect::<Vec<_>>(), ["b", "", "a", "日本"]);
        assert_eq!(names.get(""), Some(1));
        assert_eq!(names.get("c"), None);
    }

    #[test]
    fn a_slip_finds_its_name_and_nonsense_does_not() {
        let names: Names = ["annotator", "label", "item"].into_iter().collect();
        assert_eq!(names.nearest("anotator"), Some("annotator"));
        assert_eq!(names.nearest("zzz"), None);
        assert_eq!(nearest("fti", ["inspect", "fit", "items"]), Some("fit"));
        let dawid = ["bayes-dawid-skene", "dawid-skene-vb", "dawid-skene", "ordinal-dawid-skene"];
        assert_eq!(nearest("dawid", dawid), Some("dawid-skene"));
        assert_eq!(nearest("skene", dawid), Some("dawid-skene"));
        assert_eq!(
            nearest("category.label", ["Answer.comment", "Answer.category.label"]),
            Some("Answer.category.label")
        );
    }

    #[test]
    fn ends_beyond_four_gigabytes_are_kept() {
        let step = (1u64 << 31) + 7;
        let mut ends = Ends::default();
        // two steps at a time now and then, and many names with one end
        let wanted: Vec<u64> = [0, 1, 2, 2, 3, 7, 7, 8, 20].iter().map(|n| n * step).collect();
        wanted.iter().for_each(|&e| ends.push(e));
        assert_eq!((0..ends.len()).map(|i| ends.get(i) as u64).collect::<Vec<_>>(), wanted);
    }

    proptest! {
        #[test]
        fn many_at_once_are_numbered_as_one_by_one(words in prop::collection::vec("[ab]{0,3}", 0..200)) {
            let (mut one, mut all) = (Names::new(), Names::new());
            let ids: Vec<u32> = words.iter().map(|w| one.intern(w)).collect();
            let list: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut together = Vec::new();
            all.intern_all(&list, &mut together);
            prop_assert_eq!(ids, together);
            prop_assert_eq!(one, all);
        }

        #[test]
        fn interning_is_a_bijection_and_survives_freezing(words in prop::collection::vec(".{0,12}", 0..60)) {
            let mut names = Names::new();
            let ids: Vec<u32> = words.iter().map(|w| names.intern(w)).collect();
            names.freeze();
            for (w, &id) in words.iter().zip(&ids) {
                prop_assert_eq!(names.name(id as usize), w.as_str());
                prop_assert_eq!(names.get(w), Some(id));
            }
            names.thaw();
            let again: Vec<u32> = words.iter().map(|w| names.intern(w)).collect();
            prop_assert_eq!(ids, again);
        }
    }
}
