//! Pieces of a file to rows on several threads, and back in order.

use crate::collect::Collector;
use crate::columns::Layout;
use crowdwise_core::Error;
use std::collections::BTreeMap;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

/// A file in pieces: blocks of text, or row groups.
pub(crate) trait Pieces: Send {
    type Piece: Send;
    /// The next piece, perhaps in the memory of an old one.
    fn next(&mut self, old: Option<Self::Piece>) -> Result<Option<Self::Piece>, Error>;
}

/// Turns a piece into rows. Lines count from the beginning of the piece; `tally.lines` gets how many there are.
pub(crate) trait Parse<P>: Sync {
    fn parse(&self, piece: &P, out: &mut Collector<'_>) -> Result<(), Error>;
}

/// Takes the rows in file order.
pub(crate) trait Sink<'a> {
    /// Rows whose names are the piece's own.
    fn merge(&mut self, piece: Collector<'a>) -> Result<(), Error>;
    /// Rows of a collector that goes on with the same names. Takes the tally, and may take the rows.
    fn absorb(&mut self, collector: &mut Collector<'a>) -> Result<(), Error>;
    /// The collector that was absorbed is complete.
    fn close(&mut self, collector: Collector<'a>);
}

/// Parses all pieces and gives them to `sink` in order. The first error ends it.
pub(crate) fn run<'a, P: Pieces>(
    pieces: P,
    parser: &impl Parse<P::Piece>,
    layout: &'a Layout,
    threads: usize,
    sink: &mut impl Sink<'a>,
) -> Result<(), Error> {
    if threads <= 1 {
        one_thread(pieces, parser, layout, sink)
    } else {
        many_threads(pieces, parser, layout, threads, sink)
    }
}

/// One collector for the whole file: its names are those of the table, so nothing is looked up twice.
fn one_thread<'a, P: Pieces>(
    mut pieces: P,
    parser: &impl Parse<P::Piece>,
    layout: &'a Layout,
    sink: &mut impl Sink<'a>,
) -> Result<(), Error> {
    let mut out = Collector::new(layout);
    let mut old = None;
    while let Some(piece) = pieces.next(old)? {
        parser.parse(&piece, &mut out)?;
        sink.absorb(&mut out)?;
        old = Some(piece);
    }
    sink.close(out);
    Ok(())
}

/// Every thread takes the next piece, parses it into a collector of its own, and sends that to be merged in order.
fn many_threads<'a, P: Pieces>(
    pieces: P,
    parser: &impl Parse<P::Piece>,
    layout: &'a Layout,
    threads: usize,
    sink: &mut impl Sink<'a>,
) -> Result<(), Error> {
    let numbered = Mutex::new((0usize, pieces));
    let (send, receive) = sync_channel::<Result<(usize, Collector<'a>), Error>>(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (send, numbered) = (send.clone(), &numbered);
            scope.spawn(move || {
                let mut old = None;
                loop {
                    let next = {
                        // A thread that died while it held the lock tells its panic when the scope ends.
                        let mut lock = numbered.lock().unwrap_or_else(PoisonError::into_inner);
                        let (number, pieces) = &mut *lock;
                        let next = pieces.next(old.take());
                        *number += 1;
                        next.map(|piece| piece.map(|p| (*number - 1, p)))
                    };
                    let message = match next {
                        Ok(None) => return,
                        Err(e) => Err(e),
                        Ok(Some((number, piece))) => {
                            let mut out = Collector::new(layout);
                            let parsed = parser.parse(&piece, &mut out);
                            old = Some(piece);
                            parsed.map(|()| (number, out))
                        }
                    };
                    let failed = message.is_err();
                    if send.send(message).is_err() || failed {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for message in receive {
            let (number, rows) = message?;
            waiting.insert(number, rows);
            while let Some(rows) = waiting.remove(&next) {
                sink.merge(rows)?;
                next += 1;
            }
        }
        Ok(())
    })
}
