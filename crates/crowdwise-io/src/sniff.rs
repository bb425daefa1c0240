//! What a file is, by its name and by its first bytes.

use crate::{Format, ReadOptions, Source};
use crowdwise_core::Error;
use memchr::{memchr, memchr_iter};

/// Bytes that are looked at to tell text from other things.
const LOOK: usize = 4096;

/// The format to read, with a note if the name says another one. `head` are the first bytes after unpacking.
///
/// What the first bytes tell for certain (Parquet, Arrow, JSON objects) is believed against a name, since names are
/// often wrong, but not against an option, which is refused instead.
pub(crate) fn format(
    source: &Source,
    options: &ReadOptions,
    head: &[u8],
    file: &str,
) -> Result<(Format, Option<String>), Error> {
    let content = Format::from_bytes(head);
    let text = !matches!(content, Format::Parquet | Format::ArrowIpc);
    let Some(said) = options.format.or_else(|| source.format()) else {
        check_text(head, text, file)?;
        return Ok((content, None));
    };
    let refuse = |what: String, hint: &str| Err(Error::Unreadable { file: file.into(), what, hint: Some(hint.into()) });
    match (said, content) {
        (Format::Parquet, Format::Parquet) | (Format::ArrowIpc, Format::ArrowIpc) => Ok((said, None)),
        (_, Format::Parquet | Format::ArrowIpc) if options.format.is_some() => {
            refuse(format!("it is {}, not {}", title(content), title(said)), "leave out ⟦--input-format⟧")
        }
        (_, Format::Parquet | Format::ArrowIpc) => Ok((content, Some(misnamed(file, content)))),
        // The streaming form of Arrow has no mark at its beginning, but cannot be text either.
        (Format::ArrowIpc, _) if !is_text(head) => Ok((said, None)),
        (Format::Parquet | Format::ArrowIpc, _) => {
            if head.iter().all(u8::is_ascii_whitespace) {
                return Err(Error::NoData { file: file.into(), what: "is empty".into(), hint: None });
            }
            check_text(head, is_text(head), file)?;
            if is_text(head) {
                let hint = format!("⟦--input-format {}⟧ reads it as such", content.name());
                refuse(format!("it is text (perhaps {}), not {}", title(content), title(said)), &hint)
            } else {
                let what = format!("it does not begin like {}", title(said));
                refuse(what, "it may be damaged or of another kind; ⟦--input-format⟧ names another format")
            }
        }
        (Format::Csv | Format::Tsv, Format::Jsonl | Format::Json) if options.format.is_none() && is_json(head) => {
            check_text(head, true, file)?;
            Ok((content, Some(misnamed(file, content))))
        }
        _ => {
            check_text(head, true, file)?;
            Ok((said, None))
        }
    }
}

fn title(format: Format) -> &'static str {
    match format {
        Format::Csv => "CSV",
        Format::Tsv => "TSV",
        Format::Jsonl => "JSON lines",
        Format::Json => "JSON",
        Format::Parquet => "a Parquet file",
        Format::ArrowIpc => "an Arrow file",
        Format::Conll => "a CoNLL file",
        Format::Spans => "a file of spans",
    }
}

fn misnamed(file: &str, content: Format) -> String {
    format!("{file} is {} despite its name, and is read as such", title(content))
}

/// Whether text that begins with a brace or a bracket is JSON: a whole object on the first line, or the beginning of
/// an array of objects.
fn is_json(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    if let Some(inner) = text.strip_prefix(b"[") {
        return inner.trim_ascii_start().starts_with(b"{");
    }
    let line = &text[..memchr(b'\n', text).unwrap_or(text.len())];
    serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line).is_ok()
}

fn is_text(head: &[u8]) -> bool {
    let head = &head[..head.len().min(LOOK)];
    // A character may be cut in two where the look ends.
    memchr(0, head).is_none() && std::str::from_utf8(head).map_or_else(|e| e.error_len().is_none(), |_| true)
}

/// Kinds of files that people give instead of text, by their first bytes.
const OTHERS: &[(&[u8], &str, &str)] = &[
    (b"PK\x03\x04", "a zip archive or an Excel workbook", "unpack it, or save the sheet as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save the sheet as CSV"),
    (b"\xfd7zXZ\0", "packed with xz", "unpack it with `xz -dc`; gzip and zstd are read as they are"),
    (b"BZh", "packed with bzip2", "unpack it with `bzip2 -dc`; gzip and zstd are read as they are"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it; gzip and zstd are read as they are"),
    (b"%PDF", "a PDF document", "export the table as CSV"),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
    (b"\x89HDF", "an HDF5 file", "export the table as CSV or Parquet"),
    (b"\x93NUMPY", "a NumPy array", "it holds features of items, not answers: a table says who said what"),
];

/// Refuses what is not text, or text in an encoding with bytes of zero.
pub(crate) fn check_text(head: &[u8], wanted: bool, file: &str) -> Result<(), Error> {
    if !wanted {
        return Ok(());
    }
    let refuse = |what: &str, hint: &str| {
        Err(Error::Unreadable { file: file.into(), what: what.into(), hint: Some(hint.into()) })
    };
    // Text may begin with these letters, too; what follows then is no byte of zero.
    let binary = memchr(0, &head[..head.len().min(LOOK)]).is_some() || !is_text(head);
    if binary && let Some((_, what, hint)) = OTHERS.iter().find(|(start, ..)| head.starts_with(start)) {
        return refuse(&format!("it is {what}, not text"), hint);
    }
    if head.starts_with(&[0xff, 0xfe, 0, 0]) || head.starts_with(&[0, 0, 0xfe, 0xff]) {
        return refuse("it is UTF-32 text, not UTF-8", "convert it, for example with `iconv -f utf-32 -t utf-8`");
    }
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return refuse("it is UTF-16 text, not UTF-8", "convert it, for example with `iconv -f utf-16 -t utf-8`");
    }
    // Without a mark: Latin letters in UTF-16 have a zero in every second byte.
    let look = &head[..head.len().min(LOOK)];
    let zeros = |parity: usize| memchr_iter(0, look).filter(|p| p % 2 == parity).count();
    for (parity, name) in [(1, "utf-16le"), (0, "utf-16be")] {
        if look.len() >= 8 && zeros(parity) * 5 > look.len() && zeros(1 - parity) * 20 < look.len() {
            let hint = format!("convert it, for example with `iconv -f {name} -t utf-8`");
            return refuse("it looks like UTF-16 text, not UTF-8", &hint);
        }
    }
    let first = &look[..memchr(b'\n', look).unwrap_or(look.len())];
    if memchr(0, first).is_some() {
        return refuse(
            "there are NUL bytes on its first line: it is not text, or it is damaged",
            "copy or export it again",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_begins_like_something_else_is_text() {
        for text in ["BZh,worker,label\n", "%PDF,worker,label\n", "item,worker,label\n"] {
            assert!(check_text(text.as_bytes(), true, "f").is_ok(), "{text}");
        }
        assert!(check_text(b"BZh91AY&SY\x8a\x00\xff", true, "f").is_err());
    }

    #[test]
    fn json_is_more_than_a_brace() {
        assert!(is_json(b"\xef\xbb\xbf {\"a\":1}\n") && is_json(b"[\n{\"a\""));
        assert!(!is_json(b"{item},worker,label\n") && !is_json(b"[item],worker\n"));
    }

    #[test]
    fn characters_cut_in_two_are_text() {
        let text = "\u{e9}".repeat(LOOK);
        assert!(is_text(text.as_bytes()) && !is_text(&text.as_bytes()[1..]));
        assert!(is_text(format!("a{text}").as_bytes()));
    }
}
