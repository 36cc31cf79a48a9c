//! Memory that becomes zeros piece by piece, when it is needed.

use std::mem::MaybeUninit;

/// Pieces of somebody's memory, which costs nothing before it is used: zeros for 32 messages take as long as a block of four
/// of them.
pub(crate) struct Rooms<'a> {
    memory: &'a mut [MaybeUninit<u8>],
    /// The bytes at the beginning of `memory` that are set.
    set: usize,
}

impl<'a> Rooms<'a> {
    /// Takes memory, of which nothing is used yet.
    #[inline(always)]
    pub(crate) fn new(memory: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { memory, set: 0 }
    }

    /// Adds a piece of `bytes` zeros and returns it. Panics if there is no memory left.
    #[inline(always)]
    pub(crate) fn add(&mut self, bytes: usize) -> &mut [u8] {
        let room = &mut self.memory[self.set..][..bytes];
        room.fill(MaybeUninit::new(0));
        self.set += bytes;
        // SAFETY: every byte was written.
        unsafe { &mut *(std::ptr::from_mut(room) as *mut [u8]) }
    }

    /// Returns all pieces, one after the other.
    #[inline(always)]
    pub(crate) fn all(&mut self) -> &mut [u8] {
        let all = &mut self.memory[..self.set];
        // SAFETY: `add` has written the first `set` bytes.
        unsafe { &mut *(std::ptr::from_mut(all) as *mut [u8]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_zeros_one_after_the_other() {
        let mut memory = [const { MaybeUninit::new(7) }; 8];
        let mut rooms = Rooms::new(&mut memory);
        assert!(rooms.all().is_empty());
        rooms.add(3).copy_from_slice(&[1, 2, 3]);
        assert_eq!(rooms.add(4), [0; 4]);
        assert_eq!(rooms.all(), [1, 2, 3, 0, 0, 0, 0]);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn there_is_no_more_than_the_memory() {
        let mut memory = [MaybeUninit::uninit(); 8];
        let mut rooms = Rooms::new(&mut memory);
        rooms.add(6);
        rooms.add(3);
    }
}
