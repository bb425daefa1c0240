//! NumPy `.npz` files: several `.npy` arrays in one zip archive.
//!
//! Only what `numpy.savez` and `numpy.savez_compressed` write is read: members stored or deflated, without encryption, below
//! 4 GB. That is a table at the end of the file and a short header before each member.

use crate::Source;
use crate::npy;
use crowdwise_core::{Error, Features, memory};
use std::io::Read as _;
use std::path::Path;

/// Reads one array of a `.npz` file by its name. A vector becomes rows of one number.
pub fn read_npz(path: &Path, array: &str) -> Result<Features, Error> {
    let file = path.display().to_string();
    let bytes = Source::from(path).bytes()?;
    let refuse = |what: String| Error::Unreadable { file: file.clone(), what, hint: None };
    let member = member(&bytes, &format!("{array}.npy")).map_err(refuse)?;
    let m = npy::parse(&member).map_err(|e| e.of(&format!("{file}, array `{array}`")))?;
    Ok(Features { dim: m.columns, values: m.values, image: m.image })
}

const CUT_OFF: &str = "the archive is cut off";

fn number(bytes: &[u8], at: usize, width: usize) -> Result<usize, String> {
    let part = at.checked_add(width).and_then(|end| bytes.get(at..end)).ok_or(CUT_OFF)?;
    Ok(part.iter().rev().fold(0, |n, &b| n << 8 | b as usize))
}

/// The content of a member of the archive.
fn member(bytes: &[u8], name: &str) -> Result<Vec<u8>, String> {
    // the end of the table: a signature and 18 bytes, then a comment that may be empty
    let last = bytes.len().checked_sub(22).ok_or("it is not an .npz file")?;
    let end = (last.saturating_sub(1 << 16)..=last)
        .rev()
        .find(|&at| bytes[at..].starts_with(b"PK\x05\x06"))
        .ok_or("it is not an .npz file")?;
    let (entries, mut at) = (number(bytes, end + 10, 2)?, number(bytes, end + 16, 4)?);
    let mut others = Vec::new();
    for _ in 0..entries {
        if !bytes.get(at..).is_some_and(|b| b.starts_with(b"PK\x01\x02")) {
            return Err("its table of contents is damaged".into());
        }
        let lengths = [number(bytes, at + 28, 2)?, number(bytes, at + 30, 2)?, number(bytes, at + 32, 2)?];
        let own = bytes.get(at + 46..at + 46 + lengths[0]).ok_or(CUT_OFF)?;
        if own == name.as_bytes() {
            return content(bytes, at);
        }
        others.push(String::from_utf8_lossy(own).trim_end_matches(".npy").to_owned());
        at += 46 + lengths.iter().sum::<usize>();
    }
    let array = name.trim_end_matches(".npy");
    Err(format!("it has no array `{array}` (it has {})", others.join(", ")))
}

/// What the entry of the table at `at` points to.
fn content(bytes: &[u8], at: usize) -> Result<Vec<u8>, String> {
    let (method, packed, size) = (number(bytes, at + 10, 2)?, number(bytes, at + 20, 4)?, number(bytes, at + 24, 4)?);
    let start = number(bytes, at + 42, 4)?;
    let data = start + 30 + number(bytes, start + 26, 2)? + number(bytes, start + 28, 2)?;
    let data = bytes.get(data..).and_then(|b| b.get(..packed)).ok_or(CUT_OFF)?;
    let mut out = Vec::new();
    match method {
        0 => out.extend_from_slice(data),
        8 => {
            memory::check(Some(size as u64), || "an array of the archive".into()).map_err(|e| e.to_string())?;
            // no more than the table promises, so that a few bytes cannot fill the memory
            let mut inflated = flate2::read::DeflateDecoder::new(data).take(size as u64 + 1);
            inflated.read_to_end(&mut out).map_err(|e| format!("its content is damaged: {e}"))?;
        }
        _ => return Err(format!("its content is packed in a way ({method}) that cannot be read")),
    }
    if out.len() == size { Ok(out) } else { Err("its content is not as long as its table says".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    /// An archive as NumPy writes it.
    fn archive(members: &[(&str, &[u8])], pack: bool) -> Vec<u8> {
        let (mut out, mut table) = (Vec::new(), Vec::new());
        for (name, content) in members {
            let packed = if pack {
                let mut e = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
                e.write_all(content).unwrap();
                e.finish().unwrap()
            } else {
                content.to_vec()
            };
            let start = out.len() as u32;
            let mut common = vec![20, 0, 0, 0, if pack { 8 } else { 0 }, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            common.extend((packed.len() as u32).to_le_bytes());
            common.extend((content.len() as u32).to_le_bytes());
            common.extend((name.len() as u16).to_le_bytes());
            common.extend([0, 0]);
            out.extend(b"PK\x03\x04");
            out.extend(&common);
            out.extend(name.as_bytes());
            out.extend(packed);
            table.extend(b"PK\x01\x02\x14\x00");
            table.extend(&common);
            table.extend([0; 10]);
            table.extend(start.to_le_bytes());
            table.extend(name.as_bytes());
        }
        let at = out.len() as u32;
        out.extend(&table);
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend([members.len() as u8, 0, members.len() as u8, 0]);
        out.extend((table.len() as u32).to_le_bytes());
        out.extend(at.to_le_bytes());
        out.extend([0, 0]);
        out
    }

    fn array(shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    #[test]
    fn arrays_are_found_by_name_packed_or_not() {
        let (x, y) = (array("(2, 1, 2)", &[1, 2, 3, 4]), array("(2,)", &[7, 8]));
        let dir = tempfile::tempdir().unwrap();
        for pack in [false, true] {
            let path = dir.path().join("two.npz");
            std::fs::write(&path, archive(&[("x.npy", &x), ("y.npy", &y)], pack)).unwrap();
            let images = read_npz(&path, "x").unwrap();
            assert_eq!((images.dim, images.image, &images.values[..]), (2, Some([1, 2, 1]), &[1.0, 2.0, 3.0, 4.0][..]));
            assert_eq!(read_npz(&path, "y").unwrap().values, [7.0, 8.0]);
            let said = read_npz(&path, "z").unwrap_err().to_string();
            assert!(said.contains("no array `z` (it has x, y)"), "{said}");
        }
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let whole = archive(&[("x.npy", &array("(4,)", &[1, 2, 3, 4]))], true);
        for n in 0..whole.len() {
            assert!(member(&whole[..n], "x.npy").is_err(), "cut at {n}");
            let mut other = whole.clone();
            other[n] ^= 0x5a;
            let _ = member(&other, "x.npy").map(|b| npy::parse(&b));
        }
    }
}
