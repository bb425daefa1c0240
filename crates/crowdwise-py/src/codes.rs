//! Numbers of values, row by row, in little memory.

use crate::column::MISSING;

/// Rows that are kept together.
const BLOCK: usize = 1 << 16;

/// A number for every row, or [`MISSING`]. Blocks of rows keep only what their numbers have above the least one, in as few
/// bytes as that needs: ids in the order of their first appearance, and those of few annotators, take two and not four.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    blocks: Vec<Block>,
    /// Rows that are not in a block yet.
    rest: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Block {
    base: u32,
    above: Above,
}

/// The largest number of each width means that there is none.
#[derive(Clone, Debug)]
enum Above {
    U8(Box<[u8]>),
    U16(Box<[u16]>),
    U32(Box<[u32]>),
}

impl Block {
    fn of(codes: &[u32]) -> Block {
        let known = || codes.iter().copied().filter(|&c| c != MISSING);
        let base = known().min().unwrap_or(0);
        let span = known().max().unwrap_or(0) - base;
        let above = |c: u32, none: u32| if c == MISSING { none } else { c - base };
        let above = if span < u32::from(u8::MAX) {
            Above::U8(codes.iter().map(|&c| above(c, u32::from(u8::MAX)) as u8).collect())
        } else if span < u32::from(u16::MAX) {
            Above::U16(codes.iter().map(|&c| above(c, u32::from(u16::MAX)) as u16).collect())
        } else {
            Above::U32(codes.iter().map(|&c| above(c, MISSING)).collect())
        };
        Block { base, above }
    }

    #[inline]
    fn get(&self, row: usize) -> u32 {
        let above = match &self.above {
            Above::U8(v) if v[row] == u8::MAX => MISSING,
            Above::U8(v) => u32::from(v[row]),
            Above::U16(v) if v[row] == u16::MAX => MISSING,
            Above::U16(v) => u32::from(v[row]),
            Above::U32(v) => v[row],
        };
        if above == MISSING { MISSING } else { self.base + above }
    }

    /// Adds all numbers to `out`.
    fn extend(&self, out: &mut Vec<u32>) {
        let base = self.base;
        match &self.above {
            Above::U8(v) => out.extend(v.iter().map(|&x| if x == u8::MAX { MISSING } else { base + u32::from(x) })),
            Above::U16(v) => out.extend(v.iter().map(|&x| if x == u16::MAX { MISSING } else { base + u32::from(x) })),
            Above::U32(v) => out.extend(v.iter().map(|&x| if x == MISSING { MISSING } else { base + x })),
        }
    }
}

impl Codes {
    pub fn len(&self) -> usize {
        self.blocks.len() * BLOCK + self.rest.len()
    }

    #[inline]
    pub fn push(&mut self, code: u32) {
        self.rest.push(code);
        if self.rest.len() == BLOCK {
            self.blocks.push(Block::of(&self.rest));
            self.rest.clear();
        }
    }

    /// The number of a row.
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        match self.blocks.get(row / BLOCK) {
            Some(block) => block.get(row % BLOCK),
            None => self.rest[row - self.blocks.len() * BLOCK],
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    /// How many rows have no number, and the first of them.
    pub fn missing(&self) -> (usize, Option<usize>) {
        let mut rows = self.iter().enumerate().filter(|(_, c)| *c == MISSING).map(|(row, _)| row);
        let first = rows.next();
        (usize::from(first.is_some()) + rows.count(), first)
    }

    /// Adds `n` rows of one number.
    pub fn fill(&mut self, n: usize, code: u32) {
        (0..n).for_each(|_| self.push(code));
    }
}

/// Calls `each` with block after block of rows of three columns of equal length. Every block is given up as soon as it was
/// used, so that what is made of the columns can grow while they shrink.
pub fn consume<E>(columns: [Codes; 3], mut each: impl FnMut([u32; 3]) -> Result<(), E>) -> Result<(), E> {
    let [rest0, rest1, rest2] = columns.each_ref().map(|c| c.rest.clone());
    let mut blocks = columns.map(|c| c.blocks.into_iter());
    let mut wide: [Vec<u32>; 3] = std::array::from_fn(|_| Vec::with_capacity(BLOCK));
    loop {
        let mut some = true;
        for (blocks, wide) in blocks.iter_mut().zip(&mut wide) {
            wide.clear();
            match blocks.next() {
                Some(block) => block.extend(wide),
                None => some = false,
            }
        }
        if !some {
            break;
        }
        for ((&a, &b), &c) in wide[0].iter().zip(&wide[1]).zip(&wide[2]) {
            each([a, b, c])?;
        }
    }
    for ((&a, &b), &c) in rest0.iter().zip(&rest1).zip(&rest2) {
        each([a, b, c])?;
    }
    Ok(())
}

/// Rows from which on memory is worth giving back.
const MANY: usize = 100_000;

/// Gives memory that was freed back to the system, after work on so many rows: the C library keeps what it got for large
/// arrays otherwise, and the next ones may not fit there.
pub fn give_back(rows: usize) {
    if rows < MANY {
        return;
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // SAFETY: a function of the C library without conditions.
        unsafe { malloc_trim(0) };
    }
}
