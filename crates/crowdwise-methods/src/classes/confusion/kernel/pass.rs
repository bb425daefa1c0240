//! The pass: for every item multiply the rows of its labels, normalise, add the posterior to the counts of the same rows.
//!
//! Probabilities, not logarithms: no exp and (almost) no ln. A product that comes near underflow is redone in
//! logarithms. The log-likelihood is the logarithm of a product of mantissas plus the sum of exponents.

use super::engine::Begin;
use super::lanes::{Lanes, Plain};
use super::packed::{AHEAD, Chunk};
use crowdwise_numerics::fast::LnProduct;

/// Sums over one chunk. `class` has kp entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    pub log_likelihood: f64,
    pub class: Vec<f64>,
    /// Items whose product had to be redone.
    pub rescued: usize,
}

/// What a pass needs besides the chunk.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    /// Rows: table and counts.
    pub base: *mut f64,
    pub index: *const u32,
    /// Class prior, padded with zeros to kp.
    pub prior: *const f64,
    pub k: usize,
    pub kp: usize,
    pub quantum: f64,
    /// Where posteriors go (units x K), or null.
    pub store: *mut f64,
    /// The unit of every packed item, or null if they have the same numbers.
    pub order: *const u32,
    pub prefetch: bool,
    /// Replace each posterior by its most probable class (hard EM); the likelihood is then that of these classes.
    pub hard: bool,
}

impl Work {
    /// The unit of a packed item.
    ///
    /// # Safety
    /// The item must be one of the packed ones.
    #[inline(always)]
    unsafe fn unit(&self, item: usize) -> usize {
        // SAFETY: the caller promises a packed item, and `order` has an entry for each.
        if self.order.is_null() { item } else { unsafe { *self.order.add(item) as usize } }
    }
}

/// Below this the product of an item is redone in logarithms.
const UNDERFLOW: f64 = 1e-270;

/// Probabilities count as at least this in a logarithm, so that no class is excluded for ever.
const SMALLEST: f64 = 1e-300;

/// Runs one chunk with the best code for this processor and shape.
///
/// # Safety
/// `work` must describe live memory: rows of `kp` table and `kp` count entries at every index of the chunk (and of the
/// [`AHEAD`] entries behind it), `kp` prior entries, and, if `store` is not null, K entries per unit of `order`. No other
/// thread may use these rows, and no other chunk may hold the same units.
pub(crate) unsafe fn run(work: Work, chunk: Chunk, out: &mut Piece) {
    out.class.clear();
    out.class.resize(work.kp, 0.0);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2; the rest is the caller's promise.
        unsafe { run_avx2(work, chunk, out) };
        return;
    }
    // SAFETY: the caller's promise.
    unsafe { select::<Plain>(work, chunk, out) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_avx2(work: Work, chunk: Chunk, out: &mut Piece) {
    // SAFETY: this function is compiled for AVX2; the rest is the caller's promise (see `run`).
    unsafe { select::<super::lanes::Avx2>(work, chunk, out) }
}

/// Adds posteriors that come from elsewhere (votes, an earlier fit) to the counts of one chunk.
///
/// # Safety
/// As for [`run`]; `label` must have an entry per row.
pub(crate) unsafe fn run_begin(work: Work, chunk: Chunk, from: &Begin<'_>, label: *const u16, out: &mut Piece) {
    out.class.clear();
    out.class.resize(work.kp, 0.0);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2; the rest is the caller's promise.
        unsafe { begin_avx2(work, chunk, from, label, out) };
        return;
    }
    // SAFETY: the caller's promise.
    unsafe { begin::<Plain>(work, chunk, from, label, out) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn begin_avx2(work: Work, chunk: Chunk, from: &Begin<'_>, label: *const u16, out: &mut Piece) {
    // SAFETY: this function is compiled for AVX2; the rest is the caller's promise (see `run_begin`).
    unsafe { begin::<super::lanes::Avx2>(work, chunk, from, label, out) }
}

#[inline(always)]
unsafe fn begin<L: Lanes>(w: Work, c: Chunk, from: &Begin<'_>, label: *const u16, out: &mut Piece) {
    let k = w.k;
    // an index is a multiple of the stride, so that its row is exactly the upper half of a product: a division per label
    // would cost more than the rest
    let inverse = (1u64 << 32).div_ceil(2 * w.kp as u64);
    let row_of = |ix: u32| ((u64::from(ix) * inverse) >> 32) as usize;
    let share = 1.0 / c.d as f64;
    // few classes and labels: the votes of an item are bytes of one number, so that labels need not wait for each other
    let bytes = k <= 16 && c.d < 256;
    let shares: Vec<f64> = if bytes { (0..=c.d).map(|n| n as f64 * share).collect() } else { Vec::new() };
    let (mut small, mut large) = ([0.0; 16], Vec::new());
    let s = if w.kp <= 16 {
        &mut small[..w.kp]
    } else {
        large.resize(w.kp, 0.0);
        &mut large[..]
    };
    // SAFETY: the chunk has `n` items of `d` indices from `at` on, with AHEAD more behind them; every index is a multiple
    // of the stride, so that its row number is within `label`; `s` has kp entries, as `add_counts` wants.
    unsafe {
        let mut ix = w.index.add(c.at);
        for item in 0..c.n {
            if w.prefetch {
                (0..c.d).for_each(|e| prefetch_row(w.base.add(*ix.add(e + AHEAD) as usize + w.kp), w.kp));
            }
            s.fill(0.0);
            match from {
                Begin::VoteShares | Begin::Majority if bytes => {
                    let vote = |e: usize| 8 * u32::from(*label.add(row_of(*ix.add(e))));
                    let votes = if k <= 8 {
                        u128::from((0..c.d).map(|e| 1u64 << vote(e)).sum::<u64>())
                    } else {
                        (0..c.d).map(|e| 1u128 << vote(e)).sum()
                    };
                    for (x, n) in s[..k].iter_mut().zip(votes.to_le_bytes()) {
                        *x = shares[n as usize];
                    }
                }
                Begin::VoteShares | Begin::Majority => {
                    for e in 0..c.d {
                        s[*label.add(row_of(*ix.add(e))) as usize] += share;
                    }
                }
                Begin::Posterior(q) => {
                    let unit = w.unit(c.item + item);
                    s[..k].copy_from_slice(&q[unit * k..(unit + 1) * k]);
                }
                Begin::Each(write) => write(w.unit(c.item + item), &mut s[..k]),
            }
            if matches!(from, Begin::Majority) {
                let best = crowdwise_core::stats::argmax(&s[..k]);
                s.fill(0.0);
                s[best] = 1.0;
            }
            for (class, s) in out.class.iter_mut().zip(s.iter_mut()) {
                *class += *s;
                *s += w.quantum;
            }
            add_counts::<L>(w, ix, c.d, s);
            ix = ix.add(c.d);
        }
    }
}

/// The portable code, for tests that compare it with the processor's own.
#[cfg(test)]
pub(crate) unsafe fn run_plain(work: Work, chunk: Chunk, out: &mut Piece) {
    out.class.clear();
    out.class.resize(work.kp, 0.0);
    // SAFETY: the caller's promise, as for `run`.
    unsafe { select::<Plain>(work, chunk, out) }
}

/// The code for a shape.
///
/// # Safety
/// As for [`run`]; the instructions of `L` must be there, and `out.class` must have kp entries.
#[inline(always)]
unsafe fn select<L: Lanes>(w: Work, c: Chunk, out: &mut Piece) {
    macro_rules! degrees {
        ($nq:literal, $np:literal) => {
            match c.d {
                1 => prefetch!($nq, $np, 1),
                2 => prefetch!($nq, $np, 2),
                3 => prefetch!($nq, $np, 3),
                4 => prefetch!($nq, $np, 4),
                5 => prefetch!($nq, $np, 5),
                _ => prefetch!($nq, $np, 0),
            }
        };
    }
    macro_rules! prefetch {
        ($nq:literal, $np:literal, $d:literal) => {
            if w.prefetch {
                // SAFETY: the caller's promise; the quads and pairs make kp, and `$d` is the chunk's `d` or 0.
                unsafe { rows::<L, $nq, $np, $d, true, false>(w, c, out) }
            } else {
                // SAFETY: as above.
                unsafe { rows::<L, $nq, $np, $d, false, false>(w, c, out) }
            }
        };
    }
    if w.hard {
        // SAFETY: the caller's promise.
        return unsafe { any::<L>(w, c, out) };
    }
    if !w.store.is_null() {
        // once in a fit: not worth code for every number of labels
        // SAFETY: the caller's promise; the quads and pairs make kp, and `store` is not null.
        return unsafe {
            match w.kp {
                2 => rows::<L, 0, 1, 0, false, true>(w, c, out),
                4 => rows::<L, 1, 0, 0, false, true>(w, c, out),
                6 => rows::<L, 1, 1, 0, true, true>(w, c, out),
                8 => rows::<L, 2, 0, 0, true, true>(w, c, out),
                10 => rows::<L, 2, 1, 0, true, true>(w, c, out),
                _ => any::<L>(w, c, out),
            }
        };
    }
    match w.kp {
        2 => degrees!(0, 1),
        4 => degrees!(1, 0),
        6 => prefetch!(1, 1, 0),
        8 => prefetch!(2, 0, 0),
        10 => prefetch!(2, 1, 0),
        12 => prefetch!(3, 0, 0),
        14 => prefetch!(3, 1, 0),
        16 => prefetch!(4, 0, 0),
        // SAFETY: the caller's promise.
        _ => unsafe { any::<L>(w, c, out) },
    }
}

/// The pass for rows of `NQ` quads and `NP` pairs (NP is 0 or 1) that stay in registers; `D` labels per item, 0 = any;
/// `PF` fetches rows ahead, `ST` stores posteriors.
///
/// # Safety
/// As for [`select`]; `4 NQ + 2 NP` must be kp and at most 16, `D` the chunk's `d` or 0, and with `ST` there must be a store.
#[inline(always)]
unsafe fn rows<L: Lanes, const NQ: usize, const NP: usize, const D: usize, const PF: bool, const ST: bool>(
    w: Work,
    c: Chunk,
    out: &mut Piece,
) {
    let kp = 4 * NQ + 2 * NP;
    let d = if D == 0 { c.d } else { D };
    // SAFETY: the chunk has `n` items of `d` indices from `at` on, with AHEAD more behind them, each the start of kp table
    // and kp count entries that no other thread uses; prior and `out.class` have kp entries, the buffers 16 >= kp; the store
    // has K entries for the unit of every item, and K is kp or kp - 1.
    unsafe {
        let (q4, q2) = (L::splat4(w.quantum), L::splat2(w.quantum));
        let mut prior4 = [q4; NQ];
        let mut prior2 = [q2; NP];
        for b in 0..NQ {
            prior4[b] = L::load4(w.prior.add(4 * b));
        }
        for b in 0..NP {
            prior2[b] = L::load2(w.prior.add(4 * NQ + 2 * b));
        }
        let mut class4 = [L::splat4(0.0); NQ];
        let mut class2 = [L::splat2(0.0); NP];
        let mut product = LnProduct::new();
        let mut extra = 0.0;
        let mut ix = w.index.add(c.at);
        for item in 0..c.n {
            let (mut s4, mut s2) = (prior4, prior2);
            for e in 0..d {
                if PF {
                    prefetch_row(w.base.add(*ix.add(e + AHEAD) as usize), 2 * kp);
                }
                let row = w.base.add(*ix.add(e) as usize);
                for b in 0..NQ {
                    s4[b] = L::mul4(s4[b], L::load4(row.add(4 * b)));
                }
                for b in 0..NP {
                    s2[b] = L::mul2(s2[b], L::load2(row.add(4 * NQ + 2 * b)));
                }
            }
            let mut z = total::<L, NQ, NP>(s4, s2);
            if z.is_nan() || z <= UNDERFLOW {
                let mut buffer = [0.0; 16];
                extra += rescue(w, ix, d, buffer.as_mut_ptr());
                out.rescued += 1;
                for b in 0..NQ {
                    s4[b] = L::load4(buffer.as_ptr().add(4 * b));
                }
                for b in 0..NP {
                    s2[b] = L::load2(buffer.as_ptr().add(4 * NQ + 2 * b));
                }
                z = total::<L, NQ, NP>(s4, s2);
                // only tables that are not numbers survive this: let the caller see it
                extra += 0.0 * z;
            }
            product.push(z);
            let scale = 1.0 / z;
            let (mut p4, mut p2) = (s4, s2);
            for b in 0..NQ {
                s4[b] = L::mul4(s4[b], L::splat4(scale));
                class4[b] = L::add4(class4[b], s4[b]);
                p4[b] = s4[b];
                s4[b] = L::add4(s4[b], q4);
            }
            for b in 0..NP {
                s2[b] = L::mul2(s2[b], L::splat2(scale));
                class2[b] = L::add2(class2[b], s2[b]);
                p2[b] = s2[b];
                s2[b] = L::add2(s2[b], q2);
            }
            if ST {
                let mut buffer = [0.0; 16];
                for b in 0..NQ {
                    L::store4(buffer.as_mut_ptr().add(4 * b), p4[b]);
                }
                for b in 0..NP {
                    L::store2(buffer.as_mut_ptr().add(4 * NQ + 2 * b), p2[b]);
                }
                let into = w.store.add(w.unit(c.item + item) * w.k);
                // the last class may be padding
                std::ptr::copy_nonoverlapping(buffer.as_ptr(), into, kp - 1);
                if w.k == kp {
                    *into.add(kp - 1) = buffer[kp - 1];
                }
            }
            for e in 0..d {
                let counts = w.base.add(*ix.add(e) as usize + kp);
                for b in 0..NQ {
                    let p = counts.add(4 * b);
                    L::store4(p, L::add_bits4(L::load4(p), s4[b]));
                }
                for b in 0..NP {
                    let p = counts.add(4 * NQ + 2 * b);
                    L::store2(p, L::add_bits2(L::load2(p), s2[b]));
                }
            }
            ix = ix.add(d);
        }
        for b in 0..NQ {
            L::store4(out.class.as_mut_ptr().add(4 * b), class4[b]);
        }
        for b in 0..NP {
            L::store2(out.class.as_mut_ptr().add(4 * NQ + 2 * b), class2[b]);
        }
        out.log_likelihood = product.value() + extra;
    }
}

/// The sum of the lanes, always by the same tree.
///
/// # Safety
/// The instructions of `L` must be there.
#[inline(always)]
unsafe fn total<L: Lanes, const NQ: usize, const NP: usize>(s4: [L::Quad; NQ], s2: [L::Pair; NP]) -> f64 {
    // SAFETY: registers only; the caller promises the instructions.
    unsafe {
        let mut z = 0.0;
        if NQ > 0 {
            let mut a = s4[0];
            for b in 1..NQ {
                a = L::add4(a, s4[b]);
            }
            z = L::sum4(a);
        }
        if NP > 0 {
            let tail = L::sum2(s2[0]);
            z = if NQ > 0 { z + tail } else { tail };
        }
        z
    }
}

/// The pass for any number of classes, with storing and hard assignment: classes in blocks of four quads, the labels
/// innermost, the posterior in a small buffer.
///
/// # Safety
/// As for [`select`].
#[inline(always)]
unsafe fn any<L: Lanes>(w: Work, c: Chunk, out: &mut Piece) {
    let (k, kp) = (w.k, w.kp);
    let mut s = vec![0.0f64; kp.next_multiple_of(4)];
    let mut product = LnProduct::new();
    let mut extra = 0.0;
    // SAFETY: the chunk has `n` items of `d` indices from `at` on, each the start of a row; `s` has at least kp entries; a
    // store that is not null has K entries for the unit of every item, and K <= kp.
    unsafe {
        let mut ix = w.index.add(c.at);
        for item in 0..c.n {
            multiply::<L>(w, ix, c.d, &mut s);
            let mut z = tree_sum(&s, kp);
            if z.is_nan() || z <= UNDERFLOW {
                extra += rescue(w, ix, c.d, s.as_mut_ptr());
                out.rescued += 1;
                z = tree_sum(&s, kp);
                extra += 0.0 * z;
            }
            if w.hard {
                let best = crowdwise_core::stats::argmax(&s[..k]);
                product.push(s[best]);
                s.fill(0.0);
                s[best] = 1.0;
            } else {
                product.push(z);
                let scale = 1.0 / z;
                s[..kp].iter_mut().for_each(|x| *x *= scale);
            }
            for (a, &x) in out.class.iter_mut().zip(&s) {
                *a += x;
            }
            if !w.store.is_null() {
                let unit = w.unit(c.item + item);
                std::ptr::copy_nonoverlapping(s.as_ptr(), w.store.add(unit * k), k);
            }
            s[..kp].iter_mut().for_each(|x| *x += w.quantum);
            add_counts::<L>(w, ix, c.d, &s);
            ix = ix.add(c.d);
        }
    }
    out.log_likelihood = product.value() + extra;
}

/// Writes the product of the prior and the tables of `d` labels into `s`.
///
/// # Safety
/// `ix` must point to `d` indices of rows, and `s` must have kp entries, an even number.
#[inline(always)]
unsafe fn multiply<L: Lanes>(w: Work, ix: *const u32, d: usize, s: &mut [f64]) {
    debug_assert!(s.len() >= w.kp && w.kp.is_multiple_of(2));
    // SAFETY: `at` and the lanes behind it stay within kp, which prior, rows and `s` have.
    unsafe {
        let mut at = 0;
        while at + 16 <= w.kp {
            let mut v: [L::Quad; 4] = std::array::from_fn(|b| L::load4(w.prior.add(at + 4 * b)));
            for e in 0..d {
                let row = w.base.add(*ix.add(e) as usize + at);
                for b in 0..4 {
                    v[b] = L::mul4(v[b], L::load4(row.add(4 * b)));
                }
            }
            for b in 0..4 {
                L::store4(s.as_mut_ptr().add(at + 4 * b), v[b]);
            }
            at += 16;
        }
        while at < w.kp {
            let mut v = L::load2(w.prior.add(at));
            for e in 0..d {
                v = L::mul2(v, L::load2(w.base.add(*ix.add(e) as usize + at)));
            }
            L::store2(s.as_mut_ptr().add(at), v);
            at += 2;
        }
    }
}

/// Adds `s` to the counts of `d` labels.
///
/// # Safety
/// As for [`multiply`]; nobody else may use these rows.
#[inline(always)]
unsafe fn add_counts<L: Lanes>(w: Work, ix: *const u32, d: usize, s: &[f64]) {
    debug_assert!(s.len() >= w.kp && w.kp.is_multiple_of(2));
    // SAFETY: `at` and the lanes behind it stay within kp, which `s` and the counts (kp behind the table) have.
    unsafe {
        let mut at = 0;
        while at + 16 <= w.kp {
            let v: [L::Quad; 4] = std::array::from_fn(|b| L::load4(s.as_ptr().add(at + 4 * b)));
            for e in 0..d {
                let p = w.base.add(*ix.add(e) as usize + w.kp + at);
                for b in 0..4 {
                    L::store4(p.add(4 * b), L::add_bits4(L::load4(p.add(4 * b)), v[b]));
                }
            }
            at += 16;
        }
        while at + 4 <= w.kp {
            let v = L::load4(s.as_ptr().add(at));
            for e in 0..d {
                let p = w.base.add(*ix.add(e) as usize + w.kp + at);
                L::store4(p, L::add_bits4(L::load4(p), v));
            }
            at += 4;
        }
        while at < w.kp {
            let v = L::load2(s.as_ptr().add(at));
            for e in 0..d {
                let p = w.base.add(*ix.add(e) as usize + w.kp + at);
                L::store2(p, L::add_bits2(L::load2(p), v));
            }
            at += 2;
        }
    }
}

/// The same tree as the register code: lanes k mod 4 over the full quads, (0 + 2) + (1 + 3), then the last pair.
fn tree_sum(s: &[f64], kp: usize) -> f64 {
    let quads = kp / 4;
    let mut lane = [0.0; 4];
    if quads > 0 {
        lane.copy_from_slice(&s[..4]);
    }
    for b in 1..quads {
        for i in 0..4 {
            lane[i] += s[4 * b + i];
        }
    }
    let z = (lane[0] + lane[2]) + (lane[1] + lane[3]);
    match (quads > 0, kp % 4) {
        (true, 2) => z + (s[kp - 2] + s[kp - 1]),
        (false, _) => s[0] + s[1],
        _ => z,
    }
}

/// Redoes one item in logarithms: writes scores scaled so that the best is 1, returns the logarithm of the scale. A class
/// far behind after some labels may still win in the end, so no running rescaling would do.
///
/// # Safety
/// `ix` must point to `d` indices of rows, `s` to kp entries.
#[cold]
#[inline(never)]
unsafe fn rescue(w: Work, ix: *const u32, d: usize, s: *mut f64) -> f64 {
    let ln = |p: f64| p.max(SMALLEST).ln();
    let mut best = f64::NEG_INFINITY;
    // SAFETY: K <= kp, which prior, rows and `s` have.
    unsafe {
        for k in 0..w.k {
            let mut sum = ln(*w.prior.add(k));
            for e in 0..d {
                sum += ln(*w.base.add(*ix.add(e) as usize + k));
            }
            *s.add(k) = sum;
            best = best.max(sum);
        }
        for k in 0..w.k {
            *s.add(k) = (*s.add(k) - best).exp();
        }
        for k in w.k..w.kp {
            *s.add(k) = 0.0;
        }
    }
    best
}

#[inline(always)]
fn prefetch_row(row: *const f64, len: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let mut at = 0;
        while at < len {
            // SAFETY: prefetching has no effect on memory, valid or not.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add(at).cast()) };
            at += 8;
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (row, len);
}
