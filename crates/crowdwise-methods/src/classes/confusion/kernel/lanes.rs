//! Four numbers at a time. Every implementation computes the same lanes in the same order, so results are the same bits
//! on every processor; none uses fused multiply-add, for the same reason.

/// Four lanes (`Quad`) and two lanes (`Pair`) of f64.
///
/// # Safety
/// Pointers must be valid for the lanes read or written; the implementation's instruction set must be available.
pub(super) trait Lanes {
    type Quad: Copy;
    type Pair: Copy;
    unsafe fn load4(p: *const f64) -> Self::Quad;
    unsafe fn store4(p: *mut f64, v: Self::Quad);
    unsafe fn splat4(x: f64) -> Self::Quad;
    unsafe fn mul4(a: Self::Quad, b: Self::Quad) -> Self::Quad;
    unsafe fn add4(a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// Adds the bits as 64-bit integers, wrapping.
    unsafe fn add_bits4(a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// (0 + 2) + (1 + 3)
    unsafe fn sum4(a: Self::Quad) -> f64;
    unsafe fn load2(p: *const f64) -> Self::Pair;
    unsafe fn store2(p: *mut f64, v: Self::Pair);
    unsafe fn splat2(x: f64) -> Self::Pair;
    unsafe fn mul2(a: Self::Pair, b: Self::Pair) -> Self::Pair;
    unsafe fn add2(a: Self::Pair, b: Self::Pair) -> Self::Pair;
    unsafe fn add_bits2(a: Self::Pair, b: Self::Pair) -> Self::Pair;
    /// 0 + 1
    unsafe fn sum2(a: Self::Pair) -> f64;
}

/// Plain Rust: any processor. LLVM turns it into what the target's baseline has (SSE2 on x86-64, NEON on ARM).
pub(super) struct Plain;

impl Lanes for Plain {
    type Quad = [f64; 4];
    type Pair = [f64; 2];
    #[inline(always)]
    unsafe fn load4(p: *const f64) -> [f64; 4] {
        // SAFETY: the caller promises four lanes at `p`, aligned or not.
        unsafe { p.cast::<[f64; 4]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store4(p: *mut f64, v: [f64; 4]) {
        // SAFETY: the caller promises four lanes at `p`, aligned or not.
        unsafe { p.cast::<[f64; 4]>().write_unaligned(v) }
    }
    #[inline(always)]
    unsafe fn splat4(x: f64) -> [f64; 4] {
        [x; 4]
    }
    #[inline(always)]
    unsafe fn mul4(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    unsafe fn add4(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    unsafe fn add_bits4(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|i| f64::from_bits(a[i].to_bits().wrapping_add(b[i].to_bits())))
    }
    #[inline(always)]
    unsafe fn sum4(a: [f64; 4]) -> f64 {
        (a[0] + a[2]) + (a[1] + a[3])
    }
    #[inline(always)]
    unsafe fn load2(p: *const f64) -> [f64; 2] {
        // SAFETY: the caller promises two lanes at `p`, aligned or not.
        unsafe { p.cast::<[f64; 2]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store2(p: *mut f64, v: [f64; 2]) {
        // SAFETY: the caller promises two lanes at `p`, aligned or not.
        unsafe { p.cast::<[f64; 2]>().write_unaligned(v) }
    }
    #[inline(always)]
    unsafe fn splat2(x: f64) -> [f64; 2] {
        [x; 2]
    }
    #[inline(always)]
    unsafe fn mul2(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] * b[0], a[1] * b[1]]
    }
    #[inline(always)]
    unsafe fn add2(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] + b[0], a[1] + b[1]]
    }
    #[inline(always)]
    unsafe fn add_bits2(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        std::array::from_fn(|i| f64::from_bits(a[i].to_bits().wrapping_add(b[i].to_bits())))
    }
    #[inline(always)]
    unsafe fn sum2(a: [f64; 2]) -> f64 {
        a[0] + a[1]
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::Avx2;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::{
        __m128d, __m256d, _mm_add_epi64, _mm_add_pd, _mm_add_sd, _mm_castpd_si128, _mm_castsi128_pd, _mm_cvtsd_f64,
        _mm_loadu_pd, _mm_mul_pd, _mm_set1_pd, _mm_storeu_pd, _mm_unpackhi_pd, _mm256_add_epi64, _mm256_add_pd,
        _mm256_castpd_si256, _mm256_castpd256_pd128, _mm256_castsi256_pd, _mm256_extractf128_pd, _mm256_loadu_pd,
        _mm256_mul_pd, _mm256_set1_pd, _mm256_storeu_pd,
    };

    /// AVX2. Call only from functions compiled for it.
    pub(in super::super) struct Avx2;

    impl Lanes for Avx2 {
        type Quad = __m256d;
        type Pair = __m128d;
        #[inline(always)]
        unsafe fn load4(p: *const f64) -> __m256d {
            // SAFETY: the caller promises four lanes at `p`, aligned or not, and AVX2.
            unsafe { _mm256_loadu_pd(p) }
        }
        #[inline(always)]
        unsafe fn store4(p: *mut f64, v: __m256d) {
            // SAFETY: the caller promises four lanes at `p`, aligned or not, and AVX2.
            unsafe { _mm256_storeu_pd(p, v) }
        }
        #[inline(always)]
        unsafe fn splat4(x: f64) -> __m256d {
            // SAFETY: registers only; the caller promises AVX2.
            unsafe { _mm256_set1_pd(x) }
        }
        #[inline(always)]
        unsafe fn mul4(a: __m256d, b: __m256d) -> __m256d {
            // SAFETY: registers only; the caller promises AVX2.
            unsafe { _mm256_mul_pd(a, b) }
        }
        #[inline(always)]
        unsafe fn add4(a: __m256d, b: __m256d) -> __m256d {
            // SAFETY: registers only; the caller promises AVX2.
            unsafe { _mm256_add_pd(a, b) }
        }
        #[inline(always)]
        unsafe fn add_bits4(a: __m256d, b: __m256d) -> __m256d {
            // SAFETY: registers only; the caller promises AVX2.
            unsafe { _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(a), _mm256_castpd_si256(b))) }
        }
        #[inline(always)]
        unsafe fn sum4(a: __m256d) -> f64 {
            // SAFETY: registers only; the caller promises AVX2.
            unsafe { Self::sum2(_mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd::<1>(a))) }
        }
        #[inline(always)]
        unsafe fn load2(p: *const f64) -> __m128d {
            // SAFETY: the caller promises two lanes at `p`, aligned or not, and AVX2.
            unsafe { _mm_loadu_pd(p) }
        }
        #[inline(always)]
        unsafe fn store2(p: *mut f64, v: __m128d) {
            // SAFETY: the caller promises two lanes at `p`, aligned or not, and AVX2.
            unsafe { _mm_storeu_pd(p, v) }
        }
        #[inline(always)]
        unsafe fn splat2(x: f64) -> __m128d {
            // SAFETY: registers only; the caller promises AVX2.
            unsafe { _mm_set1_pd(x) }
        }
        #[inline(always)]
        unsafe fn mul2(a: __m128d, b: __m128d) -> __m128d {
            // SAFETY: registers only; the caller promises AVX2.
            unsafe { _mm_mul_pd(a, b) }
        }
        #[inline(always)]
        unsafe fn add2(a: __m128d, b: __m128d) -> __m128d {
            // SAFETY: registers only; the caller promises AVX2.
            unsafe { _mm_add_pd(a, b) }
        }
        #[inline(always)]
        unsafe fn add_bits2(a: __m128d, b: __m128d) -> __m128d {
            // SAFETY: registers only; the caller promises AVX2.
            unsafe { _mm_castsi128_pd(_mm_add_epi64(_mm_castpd_si128(a), _mm_castpd_si128(b))) }
        }
        #[inline(always)]
        unsafe fn sum2(a: __m128d) -> f64 {
            // SAFETY: registers only; the caller promises AVX2.
            unsafe { _mm_cvtsd_f64(_mm_add_sd(a, _mm_unpackhi_pd(a, a))) }
        }
    }
}
