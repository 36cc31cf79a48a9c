//! Code that takes the place of all other code in the caches.
#![allow(unsafe_code)]

use anyhow::{Context, Result};
use manyhash_measure::Random;
use memmap2::{Mmap, MmapMut};

/// More than the level-2 cache of any core this runs on has.
const CODE_BYTES: usize = 4 << 20;
/// A jump lies in each.
const LINE_BYTES: usize = 64;
/// Of a jump to an address relative to its own end.
const JUMP_BYTES: usize = 5;

/// A chain of jumps, one in each cache line, in an order that no prefetcher knows.
pub struct ColdCode {
    code: Mmap,
}

impl ColdCode {
    /// Writes the code.
    pub fn new() -> Result<Self> {
        let of = || "memory for code";
        let mut code = MmapMut::map_anon(CODE_BYTES).with_context(of)?;
        let mut lines: Vec<usize> = (1..CODE_BYTES / LINE_BYTES).collect();
        Random::new(1).shuffle(&mut lines);
        let mut from = 0;
        for line in lines {
            let to = line * LINE_BYTES;
            code[from] = 0xe9; // jmp
            let distance = to as i32 - (from + JUMP_BYTES) as i32;
            code[from + 1..from + JUMP_BYTES].copy_from_slice(&distance.to_le_bytes());
            from = to;
        }
        code[from] = 0xc3; // ret
        Ok(Self { code: code.make_exec().with_context(of)? })
    }

    /// Runs all of it. What was in the caches of the core, code and data, is then in an outer
    /// cache or in memory.
    pub fn run(&self) {
        // SAFETY: the pages are executable, and the code changes no register and returns.
        unsafe { std::mem::transmute::<*const u8, extern "C" fn()>(self.code.as_ptr())() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_returns() {
        let code = ColdCode::new().unwrap();
        code.run();
        code.run();
    }

    #[test]
    fn every_line_is_run_once() {
        let code = ColdCode::new().unwrap().code;
        let (mut from, mut lines) = (0, 1);
        while code[from] == 0xe9 {
            let distance = i32::from_le_bytes(code[from + 1..from + JUMP_BYTES].try_into().unwrap());
            from = (from as i32 + JUMP_BYTES as i32 + distance) as usize;
            lines += 1;
        }
        assert_eq!((code[from], lines), (0xc3, CODE_BYTES / LINE_BYTES));
    }
}
