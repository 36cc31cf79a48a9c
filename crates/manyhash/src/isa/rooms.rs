//! Memory whose values are set piece by piece, when they are needed.

use std::mem::MaybeUninit;

/// Pieces of somebody's memory, which costs nothing before it is used: zeros for 32 messages take as long as a block of four
/// of them.
pub(crate) struct Rooms<'a, T> {
    memory: &'a mut [MaybeUninit<T>],
    /// The number of values at the beginning of `memory` that are set.
    set: usize,
}

impl<'a, T: Copy> Rooms<'a, T> {
    /// Takes memory, of which nothing is used yet.
    #[inline(always)]
    pub(crate) fn new(memory: &'a mut [MaybeUninit<T>]) -> Self {
        Self { memory, set: 0 }
    }

    /// Adds a piece of `count` times `value` and returns it. Panics if there is no memory left.
    #[inline(always)]
    pub(crate) fn add(&mut self, count: usize, value: T) -> &mut [T] {
        let room = &mut self.memory[self.set..][..count];
        room.fill(MaybeUninit::new(value));
        self.set += count;
        // SAFETY: every value was written.
        unsafe { &mut *(std::ptr::from_mut(room) as *mut [T]) }
    }

    /// Returns the first `count` values. Those that were not set are `value` now. Panics if there is no memory for them.
    #[inline(always)]
    pub(crate) fn first(&mut self, count: usize, value: T) -> &mut [T] {
        if self.set < count {
            self.add(count - self.set, value);
        }
        &mut self.all()[..count]
    }

    /// Returns all pieces, one after the other.
    #[inline(always)]
    pub(crate) fn all(&mut self) -> &mut [T] {
        let all = &mut self.memory[..self.set];
        // SAFETY: `add` has written the first `set` values.
        unsafe { &mut *(std::ptr::from_mut(all) as *mut [T]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_their_values_one_after_the_other() {
        let mut memory = [const { MaybeUninit::new(7) }; 8];
        let mut rooms = Rooms::new(&mut memory);
        assert!(rooms.all().is_empty());
        rooms.add(3, 0).copy_from_slice(&[1, 2, 3]);
        assert_eq!(rooms.add(4, 9), [9; 4]);
        assert_eq!(rooms.all(), [1, 2, 3, 9, 9, 9, 9]);
    }

    #[test]
    fn the_first_values_stay_as_they_were_set() {
        let mut memory = [const { MaybeUninit::new(7) }; 8];
        let mut rooms = Rooms::new(&mut memory);
        assert_eq!(rooms.first(3, 0), [0; 3]);
        rooms.first(2, 0).copy_from_slice(&[1, 2]);
        assert_eq!(rooms.first(5, 9), [1, 2, 0, 9, 9]);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn there_is_no_more_than_the_memory() {
        let mut memory = [MaybeUninit::uninit(); 8];
        let mut rooms = Rooms::new(&mut memory);
        rooms.add(6, 0);
        rooms.add(3, 0);
    }
}
