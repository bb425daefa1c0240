//! Tagged sequences before they become a table: what CoNLL files and span files have in common.

use crate::collect::brief;
use crowdwise_core::{Dataset, Error, LabelKind, Names, Structure, TableBuilder};

/// A dataset of tokens in sequences, with the text of every token.
#[derive(Clone, Debug)]
pub struct Tagged {
    pub data: Dataset,
    /// In the order of the items; empty where the file has none.
    pub tokens: Vec<String>,
}

/// One sequence with what the annotators said of its tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sequence {
    pub name: String,
    pub tokens: Vec<String>,
    /// Tags of each annotator, token by token; `None` where the annotator said nothing.
    pub tags: Vec<(u32, Vec<Option<String>>)>,
}

/// Problems of a file that are shown.
pub(crate) const SHOWN: usize = 5;

/// An error with the first few of many problems.
pub(crate) fn refuse(file: &str, problems: &[String], hint: &str) -> Result<(), Error> {
    if problems.is_empty() {
        return Ok(());
    }
    let more = if problems.len() > SHOWN { format!("; and {} more", problems.len() - SHOWN) } else { String::new() };
    let shown = problems[..problems.len().min(SHOWN)].join("; ");
    Err(Error::BadData { file: file.into(), what: format!("{shown}{more}"), hint: Some(hint.into()) })
}

/// The table of the sequences. Items are called `sequence:position`, positions from 0.
pub(crate) fn assemble(sequences: &[Sequence], annotators: Names, file: &str) -> Result<Tagged, Error> {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let (mut starts, mut names, mut tokens) = (vec![0u64], Names::new(), Vec::new());
    let mut twice = Vec::new();
    b.annotators = annotators;
    for s in sequences {
        if (names.intern(&s.name) as usize) < starts.len() - 1 {
            twice.push(format!("the sequence `{}` comes twice", brief(&s.name)));
            continue;
        }
        let first = b.items.len() as u32;
        for p in 0..s.tokens.len() {
            b.items.intern(&format!("{}:{p}", s.name));
        }
        if b.items.len() - first as usize != s.tokens.len() {
            twice.push(format!("a token of `{}` has the name of another one", brief(&s.name)));
            continue;
        }
        for p in 0..s.tokens.len() {
            for (j, tags) in &s.tags {
                if let Some(tag) = &tags[p] {
                    let class = b.classes.intern(tag);
                    b.label_codes(first + p as u32, *j, class)?;
                }
            }
        }
        starts.push(b.items.len() as u64);
        tokens.extend(s.tokens.iter().cloned());
    }
    refuse(file, &twice, "give every sequence its own name")?;
    if b.is_empty() {
        return Err(Error::NoData { file: file.into(), what: "has no tags".into(), hint: None });
    }
    let mut data = Dataset::new(b.finish()?);
    data.structure = Structure::Chains { starts, names };
    data.source = file.into();
    Ok(Tagged { data, tokens })
}

/// The sequences of a dataset, or what is missing to have them.
pub(crate) fn chains(data: &Dataset) -> Result<(&[u64], &Names), Error> {
    match &data.structure {
        Structure::Chains { starts, names } if data.table.kind() == LabelKind::Categorical => Ok((starts, names)),
        _ => Err(Error::Unsupported {
            what: format!("{} has no sequences of tags", data.source),
            hint: Some("sequences have the columns sequence, position, annotator and label".into()),
        }),
    }
}

/// What annotator `j` said of the units `units`; of repeated labels the last counts.
pub(crate) fn said(data: &Dataset, units: std::ops::Range<usize>, j: u32) -> Vec<Option<usize>> {
    let codes = data.table.categorical().expect("tags are classes").codes;
    units
        .map(|u| {
            let rows = data.table.rows(u);
            let names = &data.table.annotator()[rows.clone()];
            let end = names.partition_point(|&x| x <= j);
            (end > 0 && names[end - 1] == j).then(|| codes.get(rows.start + end - 1))
        })
        .collect()
}

/// Annotators who labelled any of the units.
pub(crate) fn who(data: &Dataset, units: std::ops::Range<usize>) -> Vec<u32> {
    let mut all: Vec<u32> = units.flat_map(|u| data.table.annotator()[data.table.rows(u)].iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}
