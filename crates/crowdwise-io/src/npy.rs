//! NumPy `.npy` files of numbers with one or two dimensions.
//!
//! The format is a magic string, a length, a Python dictionary literal of three known keys, and the raw numbers, so
//! reading it takes no more code than calling a library, and hostile headers are refused before memory is asked for.

use crowdwise_core::{Error, memory};

/// A matrix as it lies in a `.npy` file, converted to f32.
#[derive(Debug, PartialEq)]
pub(crate) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    /// Row-major.
    pub values: Vec<f32>,
    /// Height, width and channels of an array of images.
    pub image: Option<[usize; 3]>,
}

/// Kind and width of the numbers, and whether the most significant byte comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kind {
    letter: u8,
    bytes: usize,
    big_endian: bool,
}

/// Why an array cannot be read.
#[derive(Debug, PartialEq)]
pub(crate) enum Refused {
    Damaged(String),
    TooLarge(Error),
}

impl Refused {
    /// The error of the file.
    pub fn of(self, file: &str) -> Error {
        match self {
            Refused::Damaged(what) => Error::Unreadable { file: file.into(), what, hint: None },
            Refused::TooLarge(Error::TooLarge { what }) => Error::TooLarge { what: format!("{file}: {what}") },
            Refused::TooLarge(e) => e,
        }
    }
}

impl From<String> for Refused {
    fn from(what: String) -> Self {
        Refused::Damaged(what)
    }
}

impl From<&str> for Refused {
    fn from(what: &str) -> Self {
        Refused::Damaged(what.into())
    }
}

/// Reads a matrix; a vector becomes a matrix of one column. The message says what is wrong.
pub(crate) fn parse(file: &[u8]) -> Result<Matrix, Refused> {
    let rest = file.strip_prefix(b"\x93NUMPY").ok_or("it does not begin as a .npy file does")?;
    let (header, data) = split_header(rest).ok_or("the header is cut off")?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is not text")?;
    let descr = entry(header, "descr").ok_or("the header has no `descr`")?;
    let kind = kind(descr)?;
    let fortran = match entry(header, "fortran_order") {
        Some(v) if v.starts_with("True") => true,
        Some(v) if v.starts_with("False") => false,
        _ => return Err("the header has no `fortran_order`".into()),
    };
    let (rows, columns, image) = shape(entry(header, "shape").ok_or("the header has no `shape`")?)?;
    let cells = rows.checked_mul(columns).ok_or("the shape is too large")?;
    let wanted = cells.checked_mul(kind.bytes).ok_or("the shape is too large")?;
    if data.len() < wanted {
        let what = format!("it is cut off: {rows} x {columns} numbers need {wanted} bytes, but {} follow", data.len());
        return Err(what.into());
    }
    if data.len() > wanted {
        return Err(format!("{} bytes follow after {rows} x {columns} numbers", data.len() - wanted).into());
    }
    // the file itself is in memory, too: a byte may become a number of four
    let bytes = memory::bytes_of(&[cells], 4).and_then(|n| n.checked_add(file.len() as u64));
    memory::check(bytes, || format!("{rows} x {columns} numbers")).map_err(Refused::TooLarge)?;
    let at = |cell: usize| number(&data[cell * kind.bytes..(cell + 1) * kind.bytes], kind);
    if fortran && image.is_some() {
        return Err("images in Fortran order cannot be read; save them with `numpy.ascontiguousarray`".into());
    }
    let values = if fortran {
        (0..cells).map(|c| at((c % columns) * rows + c / columns)).collect()
    } else {
        (0..cells).map(at).collect()
    };
    Ok(Matrix { rows, columns, values, image })
}

/// Version 1 has a header length of two bytes, later ones of four.
fn split_header(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let (version, rest) = rest.split_at_checked(2)?;
    let width = if version[0] == 1 { 2 } else { 4 };
    let (length, rest) = rest.split_at_checked(width)?;
    let length = length.iter().rev().fold(0usize, |n, &b| n << 8 | b as usize);
    rest.split_at_checked(length)
}

/// The text after `'key':` in the dictionary.
fn entry<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = [format!("'{key}'"), format!("\"{key}\"")].iter().find_map(|k| header.find(k).map(|p| p + k.len()))?;
    Some(header[at..].trim_start().strip_prefix(':')?.trim_start())
}

fn kind(descr: &str) -> Result<Kind, String> {
    let quote = descr.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let text = quote.and_then(|q| descr[1..].split(q).next()).ok_or("only arrays of plain numbers can be read")?;
    let unsupported = || format!("numbers of type `{text}` cannot be read (f2, f4, f8, i1-i8, u1-u8 and b1 can)");
    let (order, code) = match text.as_bytes() {
        [o @ (b'<' | b'>' | b'|' | b'='), code @ ..] => (*o, code),
        code => (b'=', code),
    };
    let [letter, width @ ..] = code else { return Err(unsupported()) };
    let bytes = std::str::from_utf8(width).ok().and_then(|w| w.parse().ok()).ok_or_else(unsupported)?;
    match (letter, bytes) {
        (b'f', 2 | 4 | 8) | (b'i' | b'u', 1 | 2 | 4 | 8) | (b'b', 1) => {
            Ok(Kind { letter: *letter, bytes, big_endian: order == b'>' })
        }
        _ => Err(unsupported()),
    }
}

fn shape(text: &str) -> Result<(usize, usize, Option<[usize; 3]>), String> {
    let inside = text.strip_prefix('(').and_then(|t| t.split_once(')')).ok_or("the shape is not a tuple")?.0;
    let sizes: Vec<usize> = inside
        .split(',')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .map(|s| s.parse().map_err(|_| format!("`{s}` is not a size")))
        .collect::<Result<_, _>>()?;
    match sizes[..] {
        [rows] => Ok((rows, 1, None)),
        [rows, columns] => Ok((rows, columns, None)),
        [rows, ref more @ ..] if !more.is_empty() => {
            // Images and the like: one row per item all the same.
            let columns = more.iter().try_fold(1usize, |n, &m| n.checked_mul(m)).ok_or("the shape is too large")?;
            let image = match more {
                [height, width] => Some([*height, *width, 1]),
                [height, width, channels] => Some([*height, *width, *channels]),
                _ => None,
            };
            Ok((rows, columns, image))
        }
        _ => Err("the array has no dimensions".into()),
    }
}

fn number(bytes: &[u8], kind: Kind) -> f32 {
    let mut raw = [0u8; 8];
    for (n, &b) in bytes.iter().enumerate() {
        raw[if kind.big_endian { kind.bytes - 1 - n } else { n }] = b;
    }
    let bits = u64::from_le_bytes(raw);
    match (kind.letter, kind.bytes) {
        (b'f', 2) => half(bits as u16),
        (b'f', 4) => f32::from_bits(bits as u32),
        (b'f', _) => f64::from_bits(bits) as f32,
        (b'i', 1) => bits as i8 as f32,
        (b'i', 2) => bits as i16 as f32,
        (b'i', 4) => bits as i32 as f32,
        (b'i', _) => bits as i64 as f32,
        _ => bits as f32,
    }
}

/// IEEE half precision: 1 sign, 5 exponent, 10 fraction bits.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = ((bits >> 10) & 0x1f, (bits & 0x3ff) as f32);
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        e => (1.0 + fraction / 1024.0) * 2f32.powi(e as i32 - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    #[test]
    fn every_kind_of_number_in_either_order() {
        let le: Vec<u8> = [1.5f32, -2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let m = parse(&npy("<f4", false, "(3, 2)", &le)).unwrap();
        assert_eq!((m.rows, m.columns, m.values), (3, 2, vec![1.5, -2.0, 3.0, 4.0, 5.0, 6.0]));
        let m = parse(&npy("<f4", true, "(3, 2)", &le)).unwrap();
        assert_eq!(m.values, [1.5, 4.0, -2.0, 5.0, 3.0, 6.0]);
        let be: Vec<u8> = [1.5f64, -2.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        assert_eq!(parse(&npy(">f8", false, "(2,)", &be)).unwrap().values, [1.5, -2.0]);
        assert_eq!(parse(&npy("|i1", false, "(2,)", &[255, 7])).unwrap().values, [-1.0, 7.0]);
        assert_eq!(parse(&npy("|u1", false, "(1, 2)", &[255, 7])).unwrap().values, [255.0, 7.0]);
        assert_eq!(
            parse(&npy("<f2", false, "(2,)", &[0x00, 0x3e, 0x01, 0x80])).unwrap().values,
            [1.5, -(2f32.powi(-24))]
        );
        let m = parse(&npy("|u1", false, "(1, 2, 2)", &[1, 2, 3, 4])).unwrap();
        assert_eq!((m.columns, m.image), (4, Some([2, 2, 1])));
        let m = parse(&npy("|u1", false, "(1, 1, 2, 3)", &[1, 2, 3, 4, 5, 6])).unwrap();
        assert_eq!((m.columns, m.image), (6, Some([1, 2, 3])));
        assert!(
            parse(&npy("|u1", true, "(1, 2, 2)", &[1, 2, 3, 4])).unwrap_err().of("f").to_string().contains("Fortran")
        );
    }

    #[test]
    fn damage_is_named() {
        assert!(parse(b"PK\x03\x04").unwrap_err().of("f").to_string().contains("does not begin"));
        assert!(parse(b"\x93NUMPY\x01\x00\xff\xff{}").unwrap_err().of("f").to_string().contains("cut off"));
        assert!(parse(&npy("<f4", false, "(3, 2)", &[0; 20])).unwrap_err().of("f").to_string().contains("cut off"));
        assert!(
            parse(&npy("<f4", false, "(1,)", &[0; 20])).unwrap_err().of("f").to_string().contains("16 bytes follow")
        );
        assert!(parse(&npy("<c8", false, "(1,)", &[0; 8])).unwrap_err().of("f").to_string().contains("<c8"));
        let huge = npy("<f8", false, "(18446744073709551615, 9)", &[]);
        assert!(parse(&huge).unwrap_err().of("f").to_string().contains("too large"));
    }

    proptest! {
        #[test]
        fn random_headers_never_panic(descr in "[<>|=]?[fiubSV]?[0-9]{0,3}", shape in "\\(?[0-9, ()]{0,12}", data in prop::collection::vec(any::<u8>(), 0..40), cut in 0usize..160) {
            let mut file = npy(&descr, data.len() % 2 == 0, &shape, &data);
            file.truncate(file.len().saturating_sub(cut % 7));
            let _ = parse(&file);
            file.truncate(cut);
            let _ = parse(&file);
        }
    }
}
