//! The rows of simulated data as text: there may be billions, so that nothing is allocated for one.

use crowdwise::Preference;
use crowdwise::simulate::{Block, SimLabel, SimRow};
use std::io::Write;

pub fn answer(text: &mut Vec<u8>, block: &Block, row: &SimRow, classes: &[String]) {
    if let SimLabel::Ranking(first, n, top) = row.label {
        number(text, b'a', row.annotator as u64);
        text.push(b',');
        let items = &block.ranked[first as usize..(first + n) as usize];
        for (at, &item) in items.iter().enumerate() {
            // those behind the ranked ones share the last place
            text.extend_from_slice(match at {
                0 => b"",
                _ if at as u32 > top => b" = ",
                _ => b" > ",
            });
            number(text, b'i', item as u64);
        }
    } else if matches!(row.label, SimLabel::Outcome(_) | SimLabel::Same(_)) {
        number(text, b'i', row.item as u64);
        text.push(b',');
        number(text, b'i', row.right as u64);
        text.push(b',');
        number(text, b'a', row.annotator as u64);
        text.push(b',');
        match row.label {
            SimLabel::Outcome(Preference::Left) => number(text, b'i', row.item as u64),
            SimLabel::Outcome(Preference::Right) => number(text, b'i', row.right as u64),
            SimLabel::Outcome(Preference::Tie) => text.extend_from_slice(b"tie"),
            SimLabel::Same(same) => text.push(b'0' + u8::from(same)),
            SimLabel::Class(_) | SimLabel::Value(_) | SimLabel::Set(_) | SimLabel::Ranking(..) => {}
        }
    } else {
        unit(text, block, row.item as u64);
        number(text, b'a', row.annotator as u64);
        text.push(b',');
        label(text, row.label, classes);
    }
    text.push(b'\n');
}

/// The columns that name a unit, with a comma after each.
pub fn unit(text: &mut Vec<u8>, block: &Block, unit: u64) {
    if let Some(&(chain, position)) = block.chain.get((unit - block.first) as usize) {
        number(text, b's', chain as u64);
        let _ = write!(text, ",{position},");
    } else {
        number(text, b'i', unit);
        text.push(b',');
    }
}

pub fn label(text: &mut Vec<u8>, label: SimLabel, classes: &[String]) {
    match label {
        SimLabel::Class(c) => text.extend_from_slice(classes[c as usize].as_bytes()),
        SimLabel::Value(v) => _ = write!(text, "{v:.6}"),
        SimLabel::Set(0) => text.push(b'|'),
        SimLabel::Set(set) => {
            let mut bits = set;
            while bits != 0 {
                text.extend_from_slice(classes[bits.trailing_zeros() as usize].as_bytes());
                bits &= bits - 1;
                text.extend_from_slice(if bits == 0 { b"" } else { b"|" });
            }
        }
        SimLabel::Outcome(_) | SimLabel::Same(_) | SimLabel::Ranking(..) => {}
    }
}

/// Two neighbours.
pub fn edge(text: &mut Vec<u8>, [a, b]: [u32; 2]) {
    number(text, b'i', a as u64);
    text.push(b',');
    number(text, b'i', b as u64);
    text.push(b'\n');
}

/// A letter and a number, without the cost of formatting: there may be billions.
fn number(text: &mut Vec<u8>, letter: u8, mut n: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    text.push(letter);
    text.extend_from_slice(&digits[at..]);
}

/// Rows (one per true class) separated by semicolons, numbers by blanks.
pub fn matrix(c: &[f64]) -> String {
    let k = c.len().isqrt();
    let row = |r: &[f64]| r.iter().map(|x| format!("{x:.4}")).collect::<Vec<_>>().join(" ");
    c.chunks(k.max(1)).map(row).collect::<Vec<_>>().join(";")
}

pub fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

/// Header of a NumPy file of little-endian 32-bit floats, padded to a multiple of 64 bytes.
pub fn npy_header(rows: u64, columns: usize) -> Vec<u8> {
    let mut dict = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let before = 10;
    let padding = 64 - (before + dict.len() + 1) % 64;
    dict.extend(std::iter::repeat_n(' ', padding % 64));
    dict.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&(dict.len() as u16).to_le_bytes());
    out.extend_from_slice(dict.as_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_headers_are_as_they_should_be() {
        let mut text = Vec::new();
        number(&mut text, b'i', 0);
        number(&mut text, b'a', 1_203);
        assert_eq!(text, b"i0a1203");
        let header = npy_header(12, 5);
        assert_eq!(header.len() % 64, 0);
        assert!(header.ends_with(b"\n"));
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
