//! One count of pairs of annotators for everything that a fit asks of them.

use super::evidence::Evidence;
use crate::{Context, Dataset, Table};
use std::cell::OnceCell;
use std::rc::Rc;

/// The pairs of annotators in the table that a method works on, once somebody has counted them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    /// Where that table is. It stays there as long as the method works, so that no other one can be taken for it.
    table: Option<usize>,
    /// `None`: there is nothing to compare.
    evidence: OnceCell<Option<Rc<Evidence>>>,
}

fn place(table: &Table) -> usize {
    std::ptr::from_ref(table).addr()
}

impl Counted {
    /// For a method that is about to work on `table`; `evidence` if its pairs were counted already.
    pub fn ready(table: &Table, evidence: Option<Evidence>) -> Counted {
        let evidence = evidence.map_or_else(OnceCell::new, |e| OnceCell::from(Some(Rc::new(e))));
        Counted { table: Some(place(table)), evidence }
    }

    /// The pairs of annotators in `data`: counted now, unless they were.
    pub fn of(data: &Dataset, cx: &mut Context<'_>) -> Option<Rc<Evidence>> {
        let count = || super::evidence(data).map(Rc::new);
        if cx.counted.table == Some(place(&data.table)) {
            cx.counted.evidence.get_or_init(count).clone()
        } else {
            count()
        }
    }
}
