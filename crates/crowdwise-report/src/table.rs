//! Text tables for the terminal: aligned columns, numbers to the right, cut to the width that there is.

use unicode_width::UnicodeWidthChar;

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

#[derive(Clone, Debug)]
struct Column {
    title: String,
    align: Align,
}

/// Rows and columns of text. Build it with [`TextTable::new`] and [`TextTable::row`], then [`TextTable::render`] it.
#[derive(Clone, Debug)]
pub struct TextTable {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    header: bool,
    indent: usize,
}

/// Blank columns between two columns of the table.
const GAP: usize = 2;
/// A text column is not made narrower than this as long as another one can give way.
const NARROWEST: usize = 8;

impl TextTable {
    /// A table with these column titles and alignments, no rows yet.
    pub fn new<T: Into<String>>(columns: impl IntoIterator<Item = (T, Align)>) -> Self {
        TextTable {
            columns: columns.into_iter().map(|(title, align)| Column { title: title.into(), align }).collect(),
            rows: Vec::new(),
            header: true,
            indent: 0,
        }
    }

    /// Without the line of titles, for pairs of name and value.
    #[must_use]
    pub fn without_header(mut self) -> Self {
        self.header = false;
        self
    }

    /// Every line starts with this many blanks.
    #[must_use]
    pub fn indented(mut self, blanks: usize) -> Self {
        self.indent = blanks;
        self
    }

    /// Adds a row. Missing cells are empty; surplus ones are a mistake of the caller.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let mut row: Vec<String> = cells.into_iter().map(|c| printable(&c.into())).collect();
        debug_assert!(row.len() <= self.columns.len(), "a row has more cells than the table has columns");
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as lines, each ended by a newline and none with trailing blanks. With a width, text columns give way
    /// first (the widest first, `…` marks what was cut); if that is not enough, lines are cut.
    pub fn render(&self, width: Option<usize>) -> String {
        let mut widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(c, column)| {
                let title = if self.header { display_width(&column.title) } else { 0 };
                self.rows.iter().map(|row| display_width(&row[c])).max().unwrap_or(0).max(title)
            })
            .collect();
        if let Some(width) = width {
            self.shrink(&mut widths, width);
        }
        let mut out = String::new();
        if self.header {
            let titles: Vec<String> = self.columns.iter().map(|c| printable(&c.title)).collect();
            self.line(&titles, &widths, width, &mut out);
            let rules: Vec<String> = widths.iter().map(|&w| "─".repeat(w)).collect();
            self.line(&rules, &widths, width, &mut out);
        }
        for row in &self.rows {
            self.line(row, &widths, width, &mut out);
        }
        out
    }

    fn shrink(&self, widths: &mut [usize], width: usize) {
        let fixed = self.indent + GAP * widths.len().saturating_sub(1);
        let mut over = (fixed + widths.iter().sum::<usize>()).saturating_sub(width);
        while over > 0 {
            let widest = (0..widths.len())
                .filter(|&c| self.columns[c].align == Align::Left && widths[c] > NARROWEST)
                .max_by_key(|&c| (widths[c], c));
            let Some(c) = widest else { return };
            widths[c] -= 1;
            over -= 1;
        }
    }

    fn line(&self, cells: &[String], widths: &[usize], width: Option<usize>, out: &mut String) {
        let mut line = " ".repeat(self.indent);
        for (c, (cell, &w)) in cells.iter().zip(widths).enumerate() {
            if c > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            let cell = cut(cell, w);
            let pad = " ".repeat(w - display_width(&cell));
            match self.columns[c].align {
                Align::Left => line.extend([cell.as_str(), &pad]),
                Align::Right => line.extend([pad.as_str(), &cell]),
            }
        }
        let line = line.trim_end();
        out.push_str(&width.map_or_else(|| line.to_owned(), |w| cut(line, w)));
        out.push('\n');
    }
}

/// Text cut to `width` terminal columns; the last one is `…` when something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += char_width(c);
        if used > width {
            break;
        }
        out.push(c);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// Terminal columns that a text takes.
pub fn display_width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Control characters shown as pictures, so that no name can move the cursor, colour the screen or break a line.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
            '\u{7f}' => '\u{2421}',
            // C1 controls, line and paragraph separators, and the characters that turn the direction of what follows
            '\u{80}'..='\u{9f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// The same for a text of several lines, which stay lines.
pub fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// 0 for combining marks and joiners, 2 for East Asian wide characters and emoji, 1 otherwise.
pub(crate) fn char_width(c: char) -> usize {
    c.width().unwrap_or(1).min(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> TextTable {
        let mut t = TextTable::new([("annotator", Align::Left), ("labels", Align::Right), ("flags", Align::Left)]);
        t.row(["w1", "1200", ""]);
        t.row(["日本語", "7", "spammer"]);
        t
    }

    #[test]
    fn columns_line_up_and_numbers_stand_right() {
        let expected = "\
annotator  labels  flags
─────────  ──────  ───────
w1           1200
日本語          7  spammer
";
        assert_eq!(example().render(None), expected);
    }

    #[test]
    fn no_line_is_wider_than_asked_and_numbers_stay_whole() {
        let mut t = example();
        t.row([&"x".repeat(200), "31415", &"日".repeat(80)]);
        for width in [40, 60, 80, 200] {
            let text = t.render(Some(width));
            assert!(text.lines().all(|l| display_width(l) <= width), "width {width}:\n{text}");
            assert!(text.contains("31415") && text.contains('…'), "width {width}:\n{text}");
        }
        // far too narrow for anything: cut, but never wider and never a panic
        for width in 0..12 {
            assert!(t.render(Some(width)).lines().all(|l| display_width(l) <= width));
        }
    }

    #[test]
    fn a_wide_character_is_not_split() {
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(display_width("e\u{301}"), 1);
    }

    #[test]
    fn control_characters_cannot_reach_the_terminal() {
        let mut t = TextTable::new([("item", Align::Left)]).without_header().indented(2);
        t.row(["a\x1b[31mred\nnext\u{202e}"]);
        let text = t.render(None);
        assert_eq!(text, "  a␛[31mred␊next\u{fffd}\n");
    }
}
