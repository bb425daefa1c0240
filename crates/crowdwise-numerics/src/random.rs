//! Random numbers that are the same everywhere.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The stream of random numbers for a seed, a purpose and an index.
pub fn stream(seed: u64, purpose: &str, index: u64) -> ChaCha8Rng {
    let mut key = [0u8; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    for (i, b) in purpose.bytes().enumerate() {
        // 24 bytes of the key for the purpose; longer ones fold over
        let at = 8 + i % 24;
        key[at] = key[at].wrapping_mul(31).wrapping_add(b);
    }
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(index);
    rng
}
