//! Cuts a stream of text into blocks that end where a row ends.

use crate::limited::Limited;
use crate::pipeline::Pieces;
use crate::source::unreadable;
use crowdwise_core::Error;
use memchr::{memchr, memchr_iter, memrchr};
use std::io::Read;

/// Bytes of a block: large enough that merging costs nothing, small enough that a few of them need no memory to speak of.
pub(crate) const BLOCK: usize = 4 << 20;
/// A single row longer than this is a quote that was never closed.
const LONGEST_ROW: usize = 256 << 20;

/// Memory for a byte of a file that is read as a whole: itself, and its part of the table.
const PER_BYTE: u64 = 3;

/// Some whole rows.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub bytes: Vec<u8>,
    /// There are quotes in it.
    pub quoted: bool,
    /// Line ends in it.
    pub lines: u64,
    /// A quote that is never closed; only in the last block.
    pub unclosed: Option<Unclosed>,
}

/// Where a quote is that is never closed, and where its row begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unclosed {
    pub row: usize,
    pub quote: usize,
}

/// A stream cut into blocks.
pub(crate) struct Blocks {
    reader: Box<dyn Read + Send>,
    file: String,
    /// Quotes may hide line ends, with this delimiter between fields; `None`: a line end is a row end (JSON lines).
    delimiter: Option<u8>,
    size: usize,
    carry: Vec<u8>,
    done: bool,
    /// Lines of the blocks that were cut off.
    lines: u64,
}

impl Blocks {
    pub fn new(reader: Box<dyn Read + Send>, file: &str, delimiter: Option<u8>, size: usize) -> Self {
        Blocks { reader, file: file.into(), delimiter, size: size.max(1), carry: Vec::new(), done: false, lines: 0 }
    }

    /// The delimiter, once the header has shown it.
    pub fn set_delimiter(&mut self, delimiter: u8) {
        self.delimiter = Some(delimiter);
    }

    /// Puts bytes back in front of what comes next.
    pub fn put_back(&mut self, mut bytes: Vec<u8>) {
        self.lines -= line_ends(&bytes);
        bytes.append(&mut self.carry);
        self.carry = bytes;
    }

    /// The first bytes (up to a block), left in place.
    pub fn peek(&mut self) -> Result<&[u8], Error> {
        while !self.done && self.carry.len() < self.size {
            let want = self.size - self.carry.len();
            let mut carry = std::mem::take(&mut self.carry);
            let got = self.fill(&mut carry, want);
            self.carry = carry;
            got?;
        }
        Ok(&self.carry)
    }

    /// Drops a byte-order mark.
    pub fn skip_bom(&mut self) -> Result<(), Error> {
        if self.peek()?.starts_with(b"\xef\xbb\xbf") {
            self.carry.drain(..3);
        }
        Ok(())
    }

    /// Everything that is left, if it fits into memory together with what becomes of it.
    pub fn rest(mut self) -> Result<Vec<u8>, Error> {
        let mut bytes = std::mem::take(&mut self.carry);
        let mut whole = Limited::new(self.reader, PER_BYTE);
        whole.read_to_end(&mut bytes).map_err(|e| unreadable(&self.file, &e))?;
        Ok(bytes)
    }

    /// The next block, in the memory of an old one.
    pub fn cut(&mut self, mut bytes: Vec<u8>) -> Result<Option<Block>, Error> {
        bytes.clear();
        bytes.append(&mut self.carry);
        let mut size = self.size;
        loop {
            if bytes.len() < size && !self.done {
                let want = size - bytes.len();
                self.fill(&mut bytes, want)?;
            }
            if bytes.is_empty() {
                return Ok(None);
            }
            let quoted = self.delimiter.is_some() && memchr(b'"', &bytes).is_some();
            let scan = match self.delimiter {
                Some(d) if quoted => scan(&bytes, d),
                _ => Scan { end: memrchr(b'\n', &bytes).map(|p| p + 1), open: None },
            };
            if self.done && bytes.len() <= size {
                let unclosed = scan.open.map(|quote| Unclosed { row: scan.end.unwrap_or(0), quote });
                return Ok(Some(self.block(bytes, quoted, unclosed)));
            }
            if let Some(end) = scan.end {
                self.carry.extend_from_slice(&bytes[end..]);
                bytes.truncate(end);
                return Ok(Some(self.block(bytes, quoted, None)));
            }
            if size >= LONGEST_ROW {
                return Err(Error::BadData {
                    file: self.file.clone(),
                    what: format!("the row on line {} is longer than {} MB", self.lines + 1, LONGEST_ROW >> 20),
                    hint: Some("a quote that is opened and never closed makes the rest of a file one row".into()),
                });
            }
            size *= 2;
        }
    }

    fn block(&mut self, bytes: Vec<u8>, quoted: bool, unclosed: Option<Unclosed>) -> Block {
        let lines = line_ends(&bytes);
        self.lines += lines;
        Block { bytes, quoted, lines, unclosed }
    }

    /// Reads up to `want` bytes; sets `done` at the end.
    fn fill(&mut self, bytes: &mut Vec<u8>, want: usize) -> Result<(), Error> {
        let got = self.reader.by_ref().take(want as u64).read_to_end(bytes).map_err(|e| unreadable(&self.file, &e))?;
        self.done = got < want;
        Ok(())
    }
}

impl Pieces for Blocks {
    type Piece = Block;

    fn next(&mut self, old: Option<Block>) -> Result<Option<Block>, Error> {
        self.cut(old.map(|b| b.bytes).unwrap_or_default())
    }
}

fn line_ends(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

struct Scan {
    /// After the last line end that is outside quotes.
    end: Option<usize>,
    /// The bytes end inside quotes, which opened here.
    open: Option<usize>,
}

/// Follows the quotes from the beginning of a row. A quote opens a field only at its start; elsewhere it is a character.
fn scan(bytes: &[u8], delimiter: u8) -> Scan {
    let mut end = None;
    let mut from = 0;
    loop {
        let Some(open) = next_opening(bytes, from, delimiter) else {
            let last = memrchr(b'\n', &bytes[from..]).map(|p| from + p + 1);
            return Scan { end: last.or(end), open: None };
        };
        end = memrchr(b'\n', &bytes[from..open]).map(|p| from + p + 1).or(end);
        let Some(close) = closing(bytes, open + 1) else {
            return Scan { end, open: Some(open) };
        };
        from = close + 1;
    }
}

/// The next quote that begins a field. `from` is outside quotes.
fn next_opening(bytes: &[u8], mut from: usize, delimiter: u8) -> Option<usize> {
    loop {
        let at = from + memchr(b'"', &bytes[from..])?;
        if at == 0 || bytes[at - 1] == delimiter || matches!(bytes[at - 1], b'\n' | b'\r') {
            return Some(at);
        }
        from = at + 1;
    }
}

/// The quote that closes a field, past doubled ones.
fn closing(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let at = from + memchr(b'"', &bytes[from..])?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        from = at + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &[u8], size: usize) -> Vec<Vec<u8>> {
        let mut blocks = Blocks::new(Box::new(std::io::Cursor::new(text.to_vec())), "t", Some(b','), size);
        let mut out = Vec::new();
        while let Some(b) = blocks.cut(Vec::new()).unwrap() {
            out.push(b.bytes);
        }
        out
    }

    fn rows(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        reader.byte_records().map(|r| r.unwrap().iter().map(<[u8]>::to_vec).collect()).collect()
    }

    #[test]
    fn a_line_end_in_quotes_does_not_end_a_block() {
        let text = b"a,\"b\nc\",d\ne,f,g\n";
        assert_eq!(cut(text, 6), [b"a,\"b\nc\",d\n".to_vec(), b"e,f,g\n".to_vec()]);
        // A quote inside a field is a character.
        assert_eq!(cut(b"a,5\" b\nc,d\n", 8), [b"a,5\" b\n".to_vec(), b"c,d\n".to_vec()]);
    }

    #[test]
    fn an_open_quote_is_found() {
        let mut blocks = Blocks::new(Box::new(&b"a,b\nc,\"d\ne,f\n"[..]), "t", Some(b','), 1 << 10);
        assert_eq!(blocks.cut(Vec::new()).unwrap().unwrap().unclosed, Some(Unclosed { row: 4, quote: 6 }));
    }

    proptest! {
        /// The csv crate reads the same rows from the pieces as from the whole.
        #[test]
        fn blocks_are_whole_rows(text in "[ab,\"\r\n]{0,80}", size in 1usize..40) {
            let pieces = cut(text.as_bytes(), size);
            prop_assert_eq!(pieces.concat(), text.as_bytes());
            let mut joined = Vec::new();
            for p in &pieces {
                joined.extend(rows(p));
            }
            prop_assert_eq!(joined, rows(text.as_bytes()));
        }
    }
}
