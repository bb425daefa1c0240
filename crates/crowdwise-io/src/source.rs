//! Where bytes come from: a path or standard input, plain or compressed, and in which format.

use crate::limited::Limited;
use crowdwise_core::Error;
use flate2::bufread::GzDecoder;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes to read, and what is to be said about them.
pub(crate) struct Opened {
    pub reader: Box<dyn Read + Send>,
    pub note: Option<String>,
}

/// A file, standard input, or bytes in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Path(PathBuf),
    Stdin,
    /// Bytes that are called `name`, whose extension tells the format as that of a file does.
    Memory {
        name: String,
        bytes: Arc<[u8]>,
    },
}

impl Source {
    /// `-` is standard input, anything else a path.
    pub fn from_arg(arg: &str) -> Source {
        if arg == "-" { Source::Stdin } else { Source::Path(arg.into()) }
    }

    /// How it is called in messages.
    pub fn name(&self) -> String {
        match self {
            Source::Path(p) => p.display().to_string(),
            Source::Stdin => "standard input".into(),
            Source::Memory { name, .. } => name.clone(),
        }
    }

    /// The format that the name tells.
    pub(crate) fn format(&self) -> Option<Format> {
        match self {
            Source::Path(p) => Format::from_path(p),
            Source::Memory { name, .. } => Format::from_path(Path::new(name)),
            Source::Stdin => None,
        }
    }

    /// The bytes as they lie there.
    fn open_raw(&self) -> Result<Box<dyn Read + Send>, Error> {
        Ok(match self {
            Source::Stdin => Box::new(io::stdin()),
            Source::Path(p) => Box::new(open_file(p)?),
            Source::Memory { bytes, .. } => Box::new(io::Cursor::new(bytes.clone())),
        })
    }

    /// The bytes after decompression, which is recognised by the first bytes and not by the name.
    pub(crate) fn open(&self) -> Result<Opened, Error> {
        let mut raw = self.open_raw()?;
        let mut head = Vec::new();
        raw.by_ref().take(4).read_to_end(&mut head).map_err(|e| unreadable(&self.name(), &e))?;
        let is_gzip = head.starts_with(&[0x1f, 0x8b]);
        let is_zstd = head == [0x28, 0xb5, 0x2f, 0xfd];
        let whole = io::Cursor::new(head).chain(raw);
        let packed = if is_gzip { Some(("gzip", ".gz")) } else { is_zstd.then_some(("zstd", ".zst")) };
        let name = self.name();
        let note = packed
            .filter(|(_, end)| *self != Source::Stdin && !name.to_ascii_lowercase().contains(end))
            .map(|(how, _)| format!("{name} is {how}-compressed despite its name"));
        let reader: Box<dyn Read + Send> = if is_gzip {
            Box::new(Gzip::new(io::BufReader::with_capacity(1 << 16, whole)))
        } else if is_zstd {
            Box::new(zstd::Decoder::new(whole).map_err(|e| unreadable(&self.name(), &e))?)
        } else {
            Box::new(whole)
        };
        Ok(Opened { reader, note })
    }

    /// The same for a file that is kept whole: no more than fits into memory if every byte takes `per_byte` there.
    pub(crate) fn open_within(&self, per_byte: u64) -> Result<Limited<Box<dyn Read + Send>>, Error> {
        Ok(Limited::new(self.open()?.reader, per_byte))
    }

    /// All bytes after decompression, if they fit into memory.
    pub(crate) fn read_whole(&self, per_byte: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let done = self.open_within(per_byte)?.read_to_end(&mut bytes);
        done.map_err(|e| unreadable(&self.name(), &e))?;
        Ok(bytes)
    }

    /// The bytes as they lie there, if they fit into memory: for files that this program wrote.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let done = Limited::new(self.open_raw()?, 2).read_to_end(&mut bytes);
        done.map_err(|e| unreadable(&self.name(), &e))?;
        Ok(bytes)
    }
}

/// The members of a gzip file one after another; zeros behind the last, with which tapes and block devices fill up, are
/// left out as the program gzip does.
struct Gzip<R: BufRead>(Option<GzDecoder<R>>);

impl<R: BufRead> Gzip<R> {
    fn new(packed: R) -> Gzip<R> {
        Gzip(Some(GzDecoder::new(packed)))
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let n = member.read(to)?;
            if n > 0 || to.is_empty() {
                return Ok(n);
            }
            let mut rest = self.0.take().expect("it is there").into_inner();
            let mut padded = false;
            loop {
                let ahead = rest.fill_buf()?;
                if ahead.is_empty() {
                    return Ok(0);
                }
                let zeros = ahead.iter().take_while(|&&b| b == 0).count();
                if zeros == 0 {
                    break;
                }
                padded = true;
                rest.consume(zeros);
            }
            if padded {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "something follows the zeros after its end"));
            }
            self.0 = Some(GzDecoder::new(rest));
        }
        Ok(0)
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Source::Path(path.into())
    }
}

/// Opens a file, with a message that says what is wrong about the path.
pub(crate) fn open_file(path: &Path) -> Result<File, Error> {
    let file = path.display().to_string();
    if path.is_dir() {
        return Err(Error::Unreadable {
            file,
            what: "it is a directory".into(),
            hint: Some("give the path of a file in it".into()),
        });
    }
    File::open(path).map_err(|e| {
        let near = (e.kind() == io::ErrorKind::NotFound).then(|| near_file(path)).flatten();
        match e.kind() {
            io::ErrorKind::NotFound => Error::Unreadable {
                file,
                what: "there is no such file".into(),
                hint: near.map(|n| format!("did you mean `{n}`?")),
            },
            _ => unreadable(&file, &e),
        }
    })
}

/// A file of nearly that name in the same directory.
fn near_file(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> =
        std::fs::read_dir(dir).ok()?.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let best = crowdwise_core::nearest(wanted, names.iter().map(String::as_str))?;
    Some(path.with_file_name(best).display().to_string())
}

/// A failed read, in words.
pub(crate) fn unreadable(file: &str, e: &io::Error) -> Error {
    let (what, hint) = match e.kind() {
        io::ErrorKind::FileTooLarge => return Error::TooLarge { what: format!("{file}: {e}") },
        io::ErrorKind::UnexpectedEof => (
            "the compressed data end too early: the file is cut off".into(),
            Some("copy or download it again".to_string()),
        ),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            (format!("the compressed data are damaged ({e})"), Some("copy or download it again".into()))
        }
        io::ErrorKind::PermissionDenied => ("permission denied".into(), None),
        _ => (e.to_string(), None),
    };
    Error::Unreadable { file: file.into(), what, hint }
}

/// A kind of file that answers can be read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Csv,
    Tsv,
    /// JSON lines, among them the exports of Prodigy.
    Jsonl,
    /// A JSON array of rows, or of the tasks of Label Studio.
    Json,
    Parquet,
    ArrowIpc,
    /// Tokens with a column of tags per annotator.
    Conll,
    /// JSON lines with the spans of one annotator on one sequence each.
    Spans,
}

impl Format {
    pub const ALL: [Format; 8] = [
        Format::Csv,
        Format::Tsv,
        Format::Jsonl,
        Format::Json,
        Format::Parquet,
        Format::ArrowIpc,
        Format::Conll,
        Format::Spans,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Jsonl => "jsonl",
            Format::Json => "json",
            Format::Parquet => "parquet",
            Format::ArrowIpc => "arrow",
            Format::Conll => "conll",
            Format::Spans => "spans",
        }
    }

    /// The format called so on a command line.
    pub fn from_name(name: &str) -> Option<Format> {
        match name.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "jsonl" | "ndjson" | "prodigy" => Some(Format::Jsonl),
            "json" | "label-studio" => Some(Format::Json),
            "parquet" | "pq" => Some(Format::Parquet),
            "arrow" | "feather" | "ipc" => Some(Format::ArrowIpc),
            "conll" | "iob" | "bio" => Some(Format::Conll),
            "spans" => Some(Format::Spans),
            _ => None,
        }
    }

    /// The format that the extension tells, after `.gz` or `.zst` is taken off.
    pub fn from_path(path: &Path) -> Option<Format> {
        let mut name = path.file_name()?.to_str()?.to_ascii_lowercase();
        for packed in [".gz", ".zst", ".zstd"] {
            if let Some(inner) = name.strip_suffix(packed) {
                name.truncate(inner.len());
                break;
            }
        }
        match name.rsplit_once('.')?.1 {
            "csv" => Some(Format::Csv),
            "jsonl" if name.ends_with(".spans.jsonl") => Some(Format::Spans),
            other => Format::from_name(other),
        }
    }

    /// The format that the first (unpacked) bytes look like; text that is not JSON is CSV.
    pub(crate) fn from_bytes(head: &[u8]) -> Format {
        if head.starts_with(b"PAR1") {
            return Format::Parquet;
        }
        if head.starts_with(b"ARROW1") {
            return Format::ArrowIpc;
        }
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        match text.iter().find(|b| !b.is_ascii_whitespace()) {
            Some(b'{') => Format::Jsonl,
            Some(b'[') => Format::Json,
            _ => Format::Csv,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_extension_and_by_content() {
        let of = |p: &str| Format::from_path(Path::new(p));
        assert_eq!(of("a/votes.csv"), Some(Format::Csv));
        assert_eq!(of("votes.TSV.gz"), Some(Format::Tsv));
        assert_eq!(of("votes.jsonl.zst"), Some(Format::Jsonl));
        assert_eq!((of("votes.txt"), of("votes")), (None, None));
        assert_eq!(Format::from_bytes(b" \n{\"a\":1}"), Format::Jsonl);
        assert_eq!(Format::from_bytes(b"[1]"), Format::Json);
        assert_eq!(Format::from_bytes(b"item,label"), Format::Csv);
        for f in Format::ALL {
            assert_eq!(Format::from_name(f.name()), Some(f));
        }
    }

    #[test]
    fn a_missing_file_and_a_directory_say_so() {
        let e = Source::from_arg("no/such/file.csv").open().err().unwrap();
        assert_eq!(e.to_string(), "no/such/file.csv could not be read: there is no such file");
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("votes.csv"), "a").unwrap();
        let e = Source::from(dir.path()).open().err().unwrap();
        assert!(e.to_string().ends_with("it is a directory"), "{e}");
        let e = Source::from(dir.path().join("vote.csv").as_path()).open().err().unwrap();
        assert!(e.hint().unwrap().contains("votes.csv"), "{e:?}");
    }
}
