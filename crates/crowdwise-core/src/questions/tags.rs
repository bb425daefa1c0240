//! Classes that are tags of spans: `O`, `B-type`, `I-type`.

use crate::{Error, Names};

/// What a class says of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tag {
    Outside,
    /// First token of a span of this type.
    Begin(u32),
    /// A further token of a span of this type.
    Inside(u32),
}

impl Tag {
    /// The type of its span, if it is of one.
    pub fn kind(self) -> Option<u32> {
        match self {
            Tag::Outside => None,
            Tag::Begin(kind) | Tag::Inside(kind) => Some(kind),
        }
    }

    /// A span begins here, whatever stands before.
    pub fn begins(self) -> bool {
        matches!(self, Tag::Begin(_))
    }
}

/// A run of tokens of one type, `start..end` inside its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub kind: u32,
}

/// The classes of a table read as tags, class by class.
#[derive(Clone, Debug)]
pub struct TagSet {
    pub tags: Vec<Tag>,
    pub types: Names,
}

impl TagSet {
    /// The classes as tags; `None` if they are none. Classes of which some are tags and others are not are an error that
    /// names the others: one unknown tag would otherwise silently turn spans off.
    pub fn read<'a>(classes: impl IntoIterator<Item = &'a str>, file: &str) -> Result<Option<TagSet>, Error> {
        let (mut tags, mut types, mut unknown) = (Vec::new(), Names::new(), Vec::new());
        for name in classes {
            tags.push(match name.split_once('-') {
                _ if name == "O" => Tag::Outside,
                Some(("B", kind)) if !kind.is_empty() => Tag::Begin(types.intern(kind)),
                Some(("I", kind)) if !kind.is_empty() => Tag::Inside(types.intern(kind)),
                _ => {
                    unknown.push(name);
                    continue;
                }
            });
        }
        let outside = tags.contains(&Tag::Outside);
        // a single class that happens to be called `B-something` makes no scheme
        if types.is_empty() || (!outside && !unknown.is_empty()) {
            return Ok(None);
        }
        let mut problems = Vec::new();
        let listed = |names: &[&str]| {
            let shown: Vec<String> = names.iter().take(5).map(|n| format!("`{n}`")).collect();
            format!("{}{}", shown.join(", "), if names.len() > 5 { ", …" } else { "" })
        };
        if !unknown.is_empty() {
            problems.push(Error::BadData {
                file: file.into(),
                what: format!("{} beside `O`, `B-…` and `I-…` is not a span tag", listed(&unknown)),
                hint: Some("correct these tags; E- and S- (or L- and U-) become I- and B-".into()),
            });
        }
        let headless: Vec<&str> = (0..types.len())
            .filter(|&t| !tags.contains(&Tag::Begin(t as u32)) && tags.contains(&Tag::Inside(t as u32)))
            .map(|t| types.name(t))
            .collect();
        if !headless.is_empty() {
            problems.push(Error::BadData {
                file: file.into(),
                what: format!("there is `I-…` but never `B-…` for {}", listed(&headless)),
                hint: Some(
                    "the first token of every span must be B- (IOB2); a CoNLL file is converted when read".into(),
                ),
            });
        }
        Error::all(problems)?;
        Ok(Some(TagSet { tags, types }))
    }

    /// The class of tokens outside every span, where there is one.
    pub fn outside(&self) -> Option<usize> {
        self.tags.iter().position(|t| *t == Tag::Outside)
    }

    /// May a token of class `next` follow one of class `before` (`None` at the start of a sequence)? Only `I-x` is choosy:
    /// it follows `B-x` and `I-x`.
    pub fn legal(&self, before: Option<usize>, next: usize) -> bool {
        match self.tags[next] {
            Tag::Inside(x) => before.is_some_and(|b| matches!(self.tags[b], Tag::Begin(y) | Tag::Inside(y) if x == y)),
            _ => true,
        }
    }

    /// The spans of one sequence of classes; `None` is a token of which nothing is known and ends a span. As in the scorer
    /// of the CoNLL tasks an `I-x` that cannot continue a span begins one, so that IOB1 is read as well.
    pub fn spans(&self, classes: impl IntoIterator<Item = Option<usize>>) -> Vec<Span> {
        let mut out: Vec<Span> = Vec::new();
        let mut open = None;
        for (n, class) in classes.into_iter().enumerate() {
            let tag = class.and_then(|c| self.tags.get(c).copied()).unwrap_or(Tag::Outside);
            match (tag, open) {
                (Tag::Outside, _) => open = None,
                (Tag::Inside(x), Some(y)) if x == y => out.last_mut().expect("a span is open").end = n + 1,
                (Tag::Begin(kind) | Tag::Inside(kind), _) => {
                    out.push(Span { start: n, end: n + 1, kind });
                    open = Some(kind);
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["B-LOC", "B-PER", "I-LOC", "I-PER", "O"];

    fn spans(text: &str) -> Vec<(usize, usize, String)> {
        let set = TagSet::read(NAMES, "x").unwrap().unwrap();
        let code = |t: &str| NAMES.iter().position(|n| *n == t);
        let found = set.spans(text.split(' ').map(code));
        found.iter().map(|s| (s.start, s.end, set.types.name(s.kind as usize).to_owned())).collect()
    }

    #[test]
    fn spans_are_those_of_the_conll_scorer() {
        let (per, loc) = (|a, b| (a, b, "PER".to_owned()), |a, b| (a, b, "LOC".to_owned()));
        assert_eq!(spans("B-PER I-PER O B-LOC"), [per(0, 2), loc(3, 4)]);
        assert_eq!(spans("B-PER B-PER I-PER"), [per(0, 1), per(1, 3)]);
        // IOB1, and a change of type in the middle
        assert_eq!(spans("I-PER I-PER O I-LOC"), [per(0, 2), loc(3, 4)]);
        assert_eq!(spans("B-PER I-LOC I-LOC"), [per(0, 1), loc(1, 3)]);
        // an unknown token ends the span
        assert_eq!(spans("B-PER ? I-PER"), [per(0, 1), per(2, 3)]);
        assert!(spans("O O").is_empty());
    }

    #[test]
    fn only_i_is_choosy() {
        let set = TagSet::read(NAMES, "x").unwrap().unwrap();
        assert_eq!(set.outside(), Some(4));
        let legal: Vec<usize> = (0..5).filter(|&b| set.legal(Some(b), 3)).collect();
        assert_eq!(legal, [1, 3]);
        assert!(!set.legal(None, 2) && set.legal(None, 0) && set.legal(Some(3), 0));
    }

    #[test]
    fn other_classes_are_no_tags_and_a_mixture_is_refused() {
        assert!(TagSet::read(["cat", "dog"], "x").unwrap().is_none());
        assert!(TagSet::read(["B-movie", "drama"], "x").unwrap().is_none());
        assert!(TagSet::read(["O", "P"], "x").unwrap().is_none());
        let e = TagSet::read(["O", "B-PER", "I-PER", "E-PER", "I-LOC"], "x.csv").unwrap_err();
        let text = e.to_string();
        assert!(text.contains("`E-PER`") && text.contains("never `B-…` for `LOC`"), "{text}");
        assert!(e.hint().unwrap().contains("IOB2"));
    }
}
