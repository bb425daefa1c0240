//! Numbers and names as people read them.

use crate::table::printable;

/// Narrow space that does not break: between groups of digits and before `%`.
const THIN: char = '\u{202f}';

/// 10412 as `10 412`; four digits stay together.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(c);
    }
    out
}

/// `1 item`, `2 items`.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A number with `digits` decimals and a true minus sign; a dash where there is none.
pub fn decimal(x: f64, digits: usize) -> String {
    if x.is_nan() {
        return "–".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "∞".into() } else { "−∞".into() };
    }
    let text = format!("{:.digits$}", x.abs());
    let zero = text.bytes().all(|b| b == b'0' || b == b'.');
    if x < 0.0 && !zero { format!("−{text}") } else { text }
}

/// A share as per cent. Never says 0 or 100 of what is only nearly so.
pub fn percent(x: f64) -> String {
    if x.is_nan() {
        return "–".into();
    }
    let p = 100.0 * x;
    if p > 0.0 && p < 0.05 {
        return format!("<{THIN}0.1{THIN}%");
    }
    if (99.95..100.0).contains(&p) {
        return format!(">{THIN}99.9{THIN}%");
    }
    format!("{}{THIN}%", decimal(p, 1))
}

/// Four significant digits, for values of unknown size; scientific where that is shorter.
pub fn significant(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return decimal(x, 0);
    }
    let size = x.abs().log10().floor();
    if !(-4.0..7.0).contains(&size) {
        let power = 10f64.powi(size as i32);
        return format!("{}e{}", trimmed(x / power, 3), size as i32);
    }
    trimmed(x, (3 - size as i32).clamp(0, 7) as usize)
}

/// A number with at most `digits` decimals and no zeros at its end.
pub fn trimmed(x: f64, digits: usize) -> String {
    let text = decimal(x, digits);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Seconds as a person would say them.
pub fn duration(seconds: f64) -> String {
    if seconds < 0.001 {
        "under 1 ms".into()
    } else if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 100.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{:.0} min {:02.0} s", (seconds / 60.0).floor(), (seconds % 60.0).floor())
    }
}

/// A name of at most `most` characters: the start and the end of longer ones, as ids often differ at the end.
pub fn short(name: &str, most: usize) -> String {
    let name = printable(name);
    let n = name.chars().count();
    if n <= most {
        return name;
    }
    let tail = most / 3;
    let head = most.saturating_sub(tail + 1);
    name.chars().take(head).chain(['…']).chain(name.chars().skip(n - tail)).collect()
}

/// The start of a name of at most `most` characters: for classes, which are words.
pub fn start(name: &str, most: usize) -> String {
    let name = printable(name);
    if name.chars().count() <= most {
        return name;
    }
    let kept: String = name.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Decimals that give the typical number of a column three significant digits, so that its points stand in one line.
pub fn common_digits(values: impl Iterator<Item = f64>) -> usize {
    let mut sizes: Vec<f64> = values.filter(|v| v.is_finite() && *v != 0.0).map(f64::abs).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    match sizes.get(sizes.len() / 2) {
        Some(middle) => (2 - middle.log10().floor() as i32).clamp(0, 6) as usize,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1234), "1234");
        assert_eq!(count(1234567), "1\u{202f}234\u{202f}567");
        assert_eq!(decimal(-0.5, 2), "−0.50");
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(f64::NAN, 2), "–");
        assert_eq!(percent(0.5), "50.0\u{202f}%");
        assert_eq!(percent(0.99999), ">\u{202f}99.9\u{202f}%");
        assert_eq!(percent(1.0), "100.0\u{202f}%");
        assert_eq!(percent(1e-9), "<\u{202f}0.1\u{202f}%");
        assert_eq!(percent(0.0), "0.0\u{202f}%");
    }

    #[test]
    fn significant_digits_follow_the_size() {
        assert_eq!(significant(1234.56), "1235");
        assert_eq!(significant(0.012345), "0.01235");
        assert_eq!(significant(-3.0), "−3");
        assert_eq!(significant(1.5e-9), "1.5e-9");
        assert_eq!(significant(2e12), "2e12");
        assert_eq!(significant(0.0), "0");
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(short("abcdefghij", 10), "abcdefghij");
        assert_eq!(short("abcdefghijk", 10), "abcdef…ijk");
        assert_eq!(short("a\nb", 10), "a␊b");
        assert_eq!(start("Irish Wolfhound", 7), "Irish…");
        assert_eq!(start("Irish", 5), "Irish");
    }

    #[test]
    fn a_column_shares_its_decimals() {
        assert_eq!(common_digits([0.312, 0.5, 12.0].into_iter()), 3);
        assert_eq!(common_digits([1234.5, 99.0, 5000.0].into_iter()), 0);
        assert_eq!(common_digits([f64::NAN, 0.0].into_iter()), 0);
    }

    #[test]
    fn durations_have_a_fitting_unit() {
        assert_eq!(duration(0.0001), "under 1 ms");
        assert_eq!(duration(0.25), "250 ms");
        assert_eq!(duration(12.34), "12.3 s");
        assert_eq!(duration(125.0), "2 min 05 s");
    }
}
