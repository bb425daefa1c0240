//! Heat maps: a matrix of shares with its numbers, or without them where they would not be legible.

use super::{px, svg, text_px};
use crate::number::decimal;
use maud::{Markup, html};
use std::fmt::Write;

/// Which of two colours a cell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// What one hopes for: the diagonal of a confusion matrix, agreement.
    Good,
    /// Errors, disagreement.
    Bad,
}

/// A matrix to draw. Values lie in 0..1 (strength of the colour); NaN cells stay empty.
#[derive(Debug)]
pub struct Heat<'a> {
    pub label: &'a str,
    pub rows: &'a [&'a str],
    pub columns: &'a [&'a str],
    /// Row-major.
    pub values: &'a [f64],
    pub tone: fn(usize, usize, f64) -> Tone,
    /// Decimals of the numbers in the cells, written without the leading zero.
    pub digits: usize,
    /// Longest label, in characters; longer ones are cut.
    pub label_chars: usize,
    /// How names are cut: see [`crate::number::short`] and [`crate::number::start`].
    pub shorten: fn(&str, usize) -> String,
}

/// More rows or columns than this, and cells carry no numbers.
const MOST_NUMBERED: usize = 24;
/// Most rows or columns whose names are written.
const MOST_NAMED: usize = 60;
/// Steps of colour in a map without numbers.
const LEVELS: usize = 10;

impl Heat<'_> {
    pub fn draw(&self) -> Markup {
        let n = self.rows.len().max(self.columns.len());
        let numbered = n <= MOST_NUMBERED;
        let (w, h) = match n {
            // a minus sign needs room too
            _ if numbered => {
                (12.0 + 7.0 * self.digits as f64 + if self.values.iter().any(|v| *v < 0.0) { 7.0 } else { 0.0 }, 20.0)
            }
            0..=MOST_NAMED => (9.0, 9.0),
            _ => (3.0, 3.0),
        };
        let cut = |names: &[&str]| -> Vec<String> {
            if n > MOST_NAMED {
                return names.iter().map(|_| String::new()).collect();
            }
            names.iter().map(|name| (self.shorten)(name, self.label_chars)).collect()
        };
        let (rows, columns) = (cut(self.rows), cut(self.columns));
        // letters of a map without numbers are as small as its cells
        let (size, letters) = if numbered { (1.0, "tick") } else { (0.78, "tick tiny") };
        let longest = |names: &[String]| size * names.iter().map(|name| text_px(name)).fold(0.0, f64::max);
        let turned = numbered && longest(&columns) > w - 2.0;
        let left = longest(&rows) + 6.0;
        let top = match (numbered, turned) {
            (false, _) => longest(&columns) + 6.0,
            (true, true) => longest(&columns) * 0.72 + 12.0,
            (true, false) => 16.0,
        };
        let middle = 3.8 * size;
        let (right, bottom) = (left + w * columns.len() as f64, top + h * rows.len() as f64);
        // names that lean to the right need room beyond the last column
        let lean = if turned { longest(&columns) * 0.72 } else { 0.0 };
        svg(
            right + lean + 1.0,
            bottom + 1.0,
            self.label,
            &html! {
                @for (c, name) in columns.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
                    @let x = left + w * (c as f64 + 0.5);
                    @if !numbered {
                        text class=(letters) transform={ "translate(" (px(x + middle)) "," (px(top - 4.0)) ")rotate(-90)" } { (name) }
                    } @else if turned {
                        text class="tick" transform={ "translate(" (px(x)) "," (px(top - 5.0)) ")rotate(-45)" } { (name) }
                    } @else {
                        text class="tick mid" x=(px(x)) y=(px(top - 5.0)) { (name) }
                    }
                }
                @for (r, name) in rows.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
                    text class={ (letters) " end" } x=(px(left - 5.0)) y=(px(top + h * (r as f64 + 0.5) + middle)) { (name) }
                }
                @if numbered {
                    (self.numbers(left, top, w, h))
                } @else {
                    (self.paths(left, top, w, h))
                }
                rect class="edge" x=(px(left)) y=(px(top)) width=(px(right - left)) height=(px(bottom - top)) {}
            },
        )
    }

    fn class(&self, r: usize, c: usize, v: f64) -> &'static str {
        match (self.tone)(r, c, v) {
            Tone::Good => "g",
            Tone::Bad => "b",
        }
    }

    fn numbers(&self, left: f64, top: f64, w: f64, h: f64) -> Markup {
        html! {
            @for (at, &v) in self.values.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
                @let (r, c) = (at / self.columns.len(), at % self.columns.len());
                @let (x, y) = (left + w * c as f64, top + h * r as f64);
                @let strength = (v.abs() * 100.0).round() / 100.0;
                @if strength >= 0.01 {
                    rect class=(self.class(r, c, v)) x=(px(x)) y=(px(y)) width=(px(w)) height=(px(h))
                        fill-opacity=(strength.min(1.0)) {}
                }
                text class=(number_class(strength, self.class(r, c, v))) x=(px(x + w / 2.0)) y=(px(y + h / 2.0 + 3.8)) {
                    (cell_text(v, self.digits))
                }
            }
        }
    }

    /// Cells of one colour and strength as one path: about 15 bytes a cell.
    fn paths(&self, left: f64, top: f64, w: f64, h: f64) -> Markup {
        let mut levels = vec![[String::new(), String::new()]; LEVELS + 1];
        for (at, &v) in self.values.iter().enumerate() {
            let level = (v.abs().min(1.0) * LEVELS as f64).ceil();
            if v.is_nan() || v.abs() < 0.005 {
                continue;
            }
            let (r, c) = (at / self.columns.len(), at % self.columns.len());
            let tone = usize::from((self.tone)(r, c, v) == Tone::Bad);
            let (x, y) = (px(left + w * c as f64), px(top + h * r as f64));
            let _ = write!(levels[level as usize][tone], "M{x} {y}h{}v{}h-{}z", px(w), px(h), px(w));
        }
        html! {
            @for (level, tones) in levels.iter().enumerate() {
                @for (tone, d) in tones.iter().enumerate().filter(|(_, d)| !d.is_empty()) {
                    path class=(["g", "b"][tone]) fill-opacity=(level as f64 / LEVELS as f64) d=(d) {}
                }
            }
        }
    }
}

/// The colour of a number by that of its cell, so that it stands out in light and dark: middle tones need dark letters in
/// both, and orange stays bright for longer than blue.
fn number_class(strength: f64, tone: &str) -> &'static str {
    match (strength, tone) {
        (s, _) if s < 0.6 => "n",
        (s, "g") if s < 0.75 => "n half",
        (s, _) if s < 0.85 => {
            if tone == "g" {
                "n on"
            } else {
                "n half"
            }
        }
        _ => "n on",
    }
}

/// `.93`, `1`, `·` for what would be zero.
fn cell_text(v: f64, digits: usize) -> String {
    let text = decimal(v, digits);
    if text.bytes().all(|b| b == b'0' || b == b'.') {
        return "·".into();
    }
    let text = text.replacen("0.", ".", 1);
    if let Some((whole, fraction)) = text.split_once('.')
        && fraction.bytes().all(|b| b == b'0')
    {
        return whole.into();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::short;
    use crate::wellformed;

    fn diagonal(r: usize, c: usize, _: f64) -> Tone {
        if r == c { Tone::Good } else { Tone::Bad }
    }

    #[test]
    fn cells_have_short_numbers() {
        assert_eq!(cell_text(0.934, 2), ".93");
        assert_eq!(cell_text(1.0, 2), "1");
        assert_eq!(cell_text(0.001, 2), "·");
        assert_eq!(cell_text(-0.25, 2), "−.25");
        assert_eq!(cell_text(0.999, 2), "1");
    }

    #[test]
    fn a_small_map_has_numbers_and_escaped_names() {
        let names = ["<b>", "no"];
        let map = Heat {
            label: "a \"quoted\" label",
            rows: &names,
            columns: &names,
            values: &[0.9, 0.1, f64::NAN, 1.0],
            tone: diagonal,
            digits: 2,
            label_chars: 10,
            shorten: short,
        };
        let text = map.draw().into_string();
        wellformed::check(&text).unwrap();
        assert!(text.contains("&lt;b&gt;") && text.contains("a &quot;quoted&quot; label"), "{text}");
        assert_eq!(text.matches("class=\"n").count(), 3);
        assert!(text.contains(r#"class="g""#) && text.contains(r#"class="b""#));
    }

    #[test]
    fn a_large_map_has_paths_and_stays_small() {
        let owned: Vec<String> = (0..50).map(|i| format!("class {i}")).collect();
        let names: Vec<&str> = owned.iter().map(String::as_str).collect();
        let values = vec![0.02; 2500];
        let map = Heat {
            label: "x",
            rows: &names,
            columns: &names,
            values: &values,
            tone: diagonal,
            digits: 2,
            label_chars: 8,
            shorten: short,
        };
        let text = map.draw().into_string();
        wellformed::check(&text).unwrap();
        assert!(!text.contains(r#"class="n"#) && text.contains("<path"));
        assert!(text.len() < 100_000, "{}", text.len());
        let empty = Heat {
            label: "x",
            rows: &[],
            columns: &[],
            values: &[],
            tone: diagonal,
            digits: 2,
            label_chars: 8,
            shorten: short,
        };
        wellformed::check(&empty.draw().into_string()).unwrap();
    }
}
