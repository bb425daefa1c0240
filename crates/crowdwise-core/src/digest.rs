//! A 64-bit digest of numbers and texts, fast enough to be taken of every table: eight independent streams, so that the
//! multiplications of neighbours overlap. It tells tables apart that differ by accident; it is no protection against malice.

const LANES: usize = 8;
const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;

pub(crate) struct Digest {
    lanes: [u64; LANES],
}

fn mix(state: u64, x: u64) -> u64 {
    let h = (state ^ x).wrapping_mul(PRIME);
    h ^ (h >> 29)
}

/// Less than eight bytes as a little-endian number; two reads that overlap are quicker than a copy of unknown length.
fn last_word(rest: &[u8]) -> u64 {
    let n = rest.len();
    if let (Some(low), Some(high)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*low)) | u64::from(u32::from_le_bytes(*high)) << (8 * (n - 4));
    }
    let byte = |at: usize| u64::from(rest[at]) << (8 * at);
    byte(0) | byte(n / 2) | byte(n - 1)
}

impl Digest {
    pub fn new() -> Digest {
        Digest { lanes: std::array::from_fn(|lane| mix(0xcbf2_9ce4_8422_2325, lane as u64)) }
    }

    /// Adds a sequence of numbers and its length.
    pub fn numbers(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.lanes[0] = mix(self.lanes[0], numbers.len() as u64);
        let mut numbers = numbers;
        for _ in 0..numbers.len() / LANES {
            for lane in &mut self.lanes {
                *lane = mix(*lane, numbers.next().unwrap_or_default());
            }
        }
        for (lane, x) in self.lanes.iter_mut().zip(numbers) {
            *lane = mix(*lane, x);
        }
    }

    /// Adds a sequence of texts and its length.
    pub fn texts<'a>(&mut self, texts: impl Iterator<Item = &'a str>) {
        let mut n = 0u64;
        for text in texts {
            let lane = &mut self.lanes[n as usize % LANES];
            let (words, rest) = text.as_bytes().as_chunks::<8>();
            let mut state = mix(*lane, text.len() as u64);
            for &word in words {
                state = mix(state, u64::from_le_bytes(word));
            }
            *lane = if rest.is_empty() { state } else { mix(state, last_word(rest)) };
            n += 1;
        }
        self.lanes[0] = mix(self.lanes[0], n);
    }

    pub fn value(&self) -> u64 {
        self.lanes.iter().fold(PRIME, |h, &lane| mix(h, lane))
    }
}

#[cfg(test)]
mod tests {
    use super::{Digest, last_word};
    use std::collections::BTreeSet;

    #[test]
    fn the_last_word_is_padded_with_zeros() {
        for n in 1..8 {
            let mut word = [0; 8];
            (0..n).for_each(|x| word[x] = 200 + x as u8);
            assert_eq!(last_word(&word[..n]), u64::from_le_bytes(word), "{n} bytes");
        }
    }

    fn of(numbers: &[u64], texts: &[&str]) -> u64 {
        let mut d = Digest::new();
        d.numbers(numbers.iter().copied());
        d.texts(texts.iter().copied());
        d.value()
    }

    #[test]
    fn order_length_value_and_borders_all_count() {
        let numbers: Vec<u64> = (0..21).collect();
        let mut swapped = numbers.clone();
        swapped.swap(3, 11); // the same lane
        let mut neighbours = numbers.clone();
        neighbours.swap(3, 4);
        let cases = [
            of(&numbers, &[]),
            of(&swapped, &[]),
            of(&neighbours, &[]),
            of(&numbers[..20], &[]),
            of(&[], &["ab", "c"]),
            of(&[], &["a", "bc"]),
            of(&[], &["abc"]),
            of(&[], &["ab\0", "c"]),
            of(&[], &["a rather long text", ""]),
            of(&[], &["a rather long tex", "t"]),
        ];
        assert_eq!(cases.iter().collect::<BTreeSet<_>>().len(), cases.len());
    }
}
