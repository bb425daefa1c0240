//! The sequences of a dataset, and what is true of every step from one token to the next.

use crowdwise_core::questions::{Tag, TagSet};
use crowdwise_core::{Dataset, Error, Structure};

/// Token ranges of the sequences, in blocks of roughly equal work: a block is done by one thread, and sums are taken block
/// by block, so that the number of threads changes nothing.
#[derive(Debug)]
pub(crate) struct Sequences {
    /// Sequence c covers the units `starts[c]..starts[c+1]`.
    pub starts: Vec<usize>,
    /// Block b covers the sequences `blocks[b]..blocks[b+1]`.
    pub blocks: Vec<usize>,
}

/// Tokens of a block, as far as whole sequences allow.
const BLOCK: usize = 2048;

impl Sequences {
    /// The sequences of `data`, or why `method` cannot work. Items behind the last sequence stand alone.
    pub fn of(data: &Dataset, method: &str) -> Result<Sequences, Error> {
        let Structure::Chains { starts, .. } = &data.structure else {
            return Err(Error::Unsupported {
                what: format!("{method} works on sequences, but the items of {} have no order", data.source),
                hint: Some("give the answers as columns `sequence`, `position`, annotator and label".into()),
            });
        };
        let n = data.table.n_units();
        let mut starts: Vec<usize> = starts.iter().map(|&s| s as usize).collect();
        let good = starts.first() == Some(&0) && starts.is_sorted() && starts.last().is_some_and(|&e| e <= n);
        if !good {
            return Err(Error::BadData {
                file: data.source.clone(),
                what: "the starts of its sequences are not in order, or lie outside its items".into(),
                hint: None,
            });
        }
        let end = starts[starts.len() - 1];
        starts.extend(end + 1..=n);
        starts.dedup(); // sequences without tokens
        let mut blocks = vec![0];
        let mut begun = 0;
        for c in 0..starts.len() - 1 {
            if starts[c + 1] - begun >= BLOCK {
                blocks.push(c + 1);
                begun = starts[c + 1];
            }
        }
        if blocks[blocks.len() - 1] + 1 < starts.len() {
            blocks.push(starts.len() - 1);
        }
        Ok(Sequences { starts, blocks })
    }

    /// Does a sequence start at unit `u`?
    pub fn is_start(&self, u: usize) -> bool {
        self.starts.binary_search(&u).is_ok()
    }

    /// Token ranges of the sequences of block `b`.
    pub fn of_block(&self, b: usize) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        (self.blocks[b]..self.blocks[b + 1]).map(|c| self.starts[c]..self.starts[c + 1])
    }

    /// Units of block `b`.
    pub fn units(&self, b: usize) -> std::ops::Range<usize> {
        self.starts[self.blocks[b]]..self.starts[self.blocks[b + 1]]
    }

    pub fn n_blocks(&self) -> usize {
        self.blocks.len() - 1
    }
}

/// Which steps are possible: all, or those of a tag scheme.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    k: usize,
    tags: Option<TagSet>,
}

impl Steps {
    /// Steps between the classes of `data`: where they are tags, `I-x` follows `B-x` and `I-x` only.
    pub fn of(data: &Dataset) -> Result<Steps, Error> {
        let classes = data.table.categorical().expect("categorical labels").classes;
        Ok(Steps { k: classes.len(), tags: TagSet::read(classes.iter(), &data.source)? })
    }

    pub fn k(&self) -> usize {
        self.k
    }

    pub fn allows(&self, before: Option<usize>, next: usize) -> bool {
        self.tags.as_ref().is_none_or(|t| t.legal(before, next))
    }

    /// The class that begins a span of the type that `class` continues.
    pub fn begin_of(&self, class: usize) -> Option<usize> {
        let tags = &self.tags.as_ref()?.tags;
        let Tag::Inside(kind) = tags[class] else { return None };
        tags.iter().position(|t| *t == Tag::Begin(kind))
    }

    /// The class of tokens outside every span, where the classes are tags.
    pub fn outside(&self) -> Option<usize> {
        self.tags.as_ref()?.outside()
    }

    pub fn are_tags(&self) -> bool {
        self.tags.is_some()
    }
}
