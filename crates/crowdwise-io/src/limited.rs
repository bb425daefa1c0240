//! A reader that stops where memory would end.

use crowdwise_core::memory;
use std::io::{self, Read};

/// Passes on what fits into memory and fails on the first byte beyond: a few bytes of a packed file may be gigabytes.
pub(crate) struct Limited<R> {
    inner: R,
    left: u64,
    most: u64,
    per_byte: u64,
}

impl<R: Read> Limited<R> {
    /// For a file of which every byte takes `per_byte` bytes of memory once it is read.
    pub fn new(inner: R, per_byte: u64) -> Self {
        let most = memory::limit() / per_byte.max(1);
        Limited { inner, left: most, most, per_byte }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        // one byte more than allowed tells an end from too much
        let room = usize::try_from(self.left.saturating_add(1)).unwrap_or(usize::MAX).min(to.len());
        let n = self.inner.read(&mut to[..room])?;
        if n as u64 > self.left {
            let (most, all) = (memory::text(self.most), memory::text(memory::limit()));
            let times = if self.per_byte > 1 {
                format!(", {} times of which reading takes", self.per_byte)
            } else {
                String::new()
            };
            let what = format!("it has more than {most} (unpacked){times}; {all} of memory are allowed");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
        }
        self.left -= n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_limit_is_read_and_one_byte_more_is_not() {
        let of = |left: u64, text: &[u8]| {
            let mut out = Vec::new();
            let done = Limited { inner: text, left, most: left, per_byte: 3 }.read_to_end(&mut out);
            done.map(|_| out).map_err(|e| (e.kind(), e.to_string()))
        };
        assert_eq!(of(4, b"abcd"), Ok(b"abcd".to_vec()));
        assert_eq!(of(9, b"abcd"), Ok(b"abcd".to_vec()));
        let (kind, text) = of(3, b"abcd").unwrap_err();
        assert_eq!(kind, io::ErrorKind::FileTooLarge);
        assert!(text.contains("memory are allowed") && text.contains("3 times"), "{text}");
        assert_eq!(of(0, b""), Ok(Vec::new()));
    }
}
