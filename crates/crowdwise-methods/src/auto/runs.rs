//! How many witnesses the tokens of a run are.

use crate::sequences::Tokens;
use crowdwise_core::questions::TagSet;

/// Runs of tokens of one class (tags: of one span), and how far an annotator's errors in them go together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Runs {
    /// Mean number of tokens, as annotators mark them: an answer made token by token may break a run into pieces.
    pub length: f64,
    /// Correlation of an annotator's errors on neighbouring tokens of a run.
    pub correlation: f64,
}

impl Runs {
    /// Runs of the labels, and errors beside an answer (a class for every token). Where classes are tags, those outside every
    /// span are left out, and an error is a wrong type: `B-x` for `I-x` is a matter of edges. `before` are the annotators'
    /// own labels of the token before.
    pub fn of(t: &Tokens<'_>, answer: &[u32], before: &[u16]) -> Option<Runs> {
        let (table, k) = (&t.data.table, t.k());
        let labels = table.categorical().expect("categorical labels");
        let tags = TagSet::read(labels.classes.iter(), &t.data.source).ok().flatten();
        let kind = |class: usize| match &tags {
            None => Some(class as u32),
            Some(set) => set.tags[class].kind(),
        };
        let continues = |class: usize, last: usize| {
            kind(class) == kind(last) && tags.as_ref().is_none_or(|set| !set.tags[class].begins())
        };
        let (mut runs, mut tokens) = (0.0, 0.0);
        // errors before, now, and both, over neighbouring labels of an annotator where the answer has a run
        let (mut n, mut earlier, mut now, mut both) = (0.0, 0.0, 0.0, 0.0);
        for u in 0..table.n_units() {
            for r in table.rows(u) {
                let (said, last) = (labels.codes.get(r), before[r] as usize);
                if kind(said).is_some() {
                    tokens += 1.0;
                    runs += f64::from(u8::from(last == k || !continues(said, last)));
                }
                // who said something of the token before has a token before
                if last < k
                    && kind(answer[u] as usize).is_some()
                    && continues(answer[u] as usize, answer[u - 1] as usize)
                {
                    let wrong = |class: usize, u: usize| f64::from(u8::from(kind(class) != kind(answer[u] as usize)));
                    let (x, y) = (wrong(last, u - 1), wrong(said, u));
                    n += 1.0;
                    earlier += x;
                    now += y;
                    both += x * y;
                }
            }
        }
        if runs == 0.0 {
            return None;
        }
        let spread = (earlier * (n - earlier) * now * (n - now)).sqrt();
        let correlation = if spread > 0.0 { (n * both - earlier * now) / spread } else { 0.0 };
        Some(Runs { length: tokens / runs, correlation })
    }

    /// So many tokens of a run are as good as one: the design effect of survey sampling, with runs as clusters.
    pub fn tokens_per_witness(&self) -> f64 {
        1.0 + (self.length - 1.0) * self.correlation.max(0.0)
    }
}

/// For every label the annotator's own label of the token before, K where there is none.
pub(super) fn labels_before(t: &Tokens<'_>) -> Vec<u16> {
    let table = &t.data.table;
    let labels = table.categorical().expect("categorical labels");
    let mut out = vec![t.k() as u16; table.n_labels()];
    for w in t.sequences.starts.windows(2) {
        for u in w[0] + 1..w[1] {
            // rows of a unit are in the order of annotators
            let mut rows = table.rows(u - 1).peekable();
            for r in table.rows(u) {
                let j = table.annotator()[r];
                while rows.next_if(|&b| table.annotator()[b] < j).is_some() {}
                if let Some(&b) = rows.peek().filter(|&&b| table.annotator()[b] == j) {
                    out[r] = labels.codes.get(b) as u16;
                }
            }
        }
    }
    out
}
