//! Blocks to rows on several threads, and back in order.

use crate::blocks::{Block, Blocks};
use crate::collect::Collector;
use crate::columns::Layout;
use crowdwise_core::Error;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;

/// Turns a block into rows. Lines count from the beginning of the block.
pub(crate) trait Parse: Sync {
    fn parse(&self, block: &Block, out: &mut Collector<'_>);
}

/// Takes the rows in file order.
pub(crate) trait Sink<'a> {
    /// Rows whose names are the block's own.
    fn merge(&mut self, block: Collector<'a>) -> Result<(), Error>;
    /// Rows of a collector that goes on; its names stay the same. Takes the rows and the tally.
    fn absorb(&mut self, collector: &mut Collector<'a>) -> Result<(), Error>;
    /// The collector that was absorbed is complete.
    fn close(&mut self, collector: Collector<'a>);
}

/// Parses all blocks and gives them to `sink` in order. The first error ends it.
pub(crate) fn run<'a>(
    mut blocks: Blocks,
    parser: &impl Parse,
    layout: &'a Layout,
    threads: usize,
    sink: &mut impl Sink<'a>,
) -> Result<(), Error> {
    if threads <= 1 {
        let mut out = Collector::new(layout);
        let mut memory = Vec::new();
        while let Some(block) = blocks.next(memory)? {
            parse_into(parser, &block, &mut out);
            memory = block.bytes;
            // Lines count from the block's beginning, so tallies cannot wait.
            sink.absorb(&mut out)?;
        }
        sink.close(out);
        return Ok(());
    }
    let blocks = Mutex::new(blocks);
    let (send, receive) = sync_channel::<Result<(usize, Collector<'a>), Error>>(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (send, blocks) = (send.clone(), &blocks);
            scope.spawn(move || {
                let mut memory = Vec::new();
                loop {
                    // A thread that died while it held the lock has told its panic already.
                    let next = blocks.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next(memory);
                    let block = match next {
                        Ok(Some(block)) => block,
                        Ok(None) => return,
                        Err(e) => {
                            let _ = send.send(Err(e));
                            return;
                        }
                    };
                    let mut out = Collector::new(layout);
                    parse_into(parser, &block, &mut out);
                    if send.send(Ok((block.index, out))).is_err() {
                        return;
                    }
                    memory = block.bytes;
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for message in receive {
            let (index, rows) = message?;
            waiting.insert(index, rows);
            while let Some(rows) = waiting.remove(&next) {
                sink.merge(rows)?;
                next += 1;
            }
        }
        Ok(())
    })
}

fn parse_into(parser: &impl Parse, block: &Block, out: &mut Collector<'_>) {
    parser.parse(block, out);
    out.tally.lines = memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
}
