//! A file that several threads read at different places at once.
//!
//! A cloned file handle shares its position with the original, so two threads that seek and read through clones take
//! each other's bytes. Here every read names its place.

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Positioned {
    file: Arc<File>,
    len: u64,
}

impl Positioned {
    pub fn new(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Positioned { file: Arc::new(file), len })
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, at)
}

/// Reads on from a place.
#[derive(Debug)]
pub(crate) struct ReadFrom {
    file: Arc<File>,
    at: u64,
}

impl Read for ReadFrom {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = read_at(&self.file, bytes, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Length for Positioned {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Positioned {
    type T = BufReader<ReadFrom>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(ReadFrom { file: self.file.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // A damaged file may ask for anything: never more memory than there is file.
        if start.checked_add(length as u64).is_none_or(|end| end > self.len) {
            return Err(parquet::errors::ParquetError::EOF("the file ends too early".into()));
        }
        let mut bytes = vec![0; length];
        ReadFrom { file: self.file.clone(), at: start }.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}
