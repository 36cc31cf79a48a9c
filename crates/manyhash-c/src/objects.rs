//! Objects that callers have pointers to. A wrong pointer is told from a right one by a mark, that of an object that was freed
//! too: its memory is kept a while, and holds nothing but that.

use crate::Status;
use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;
use std::collections::VecDeque;

/// An object that the caller has a pointer to.
#[repr(C)]
pub struct Object<T> {
    /// [`Kind::MARK`], until it is freed.
    mark: u64,
    content: T,
}

/// The kind of an object's content.
pub trait Kind {
    /// A number that no other kind has, and that is not there by chance.
    const MARK: u64;
}

impl<T: Kind> Object<T> {
    /// Makes an object, and writes a pointer to it.
    ///
    /// # Safety
    /// If the place is not null, it is room for a pointer.
    pub(crate) unsafe fn give(content: impl FnOnce() -> Result<T, Status>, place: *mut *mut Self) -> Result<(), Status> {
        if place.is_null() || !place.is_aligned() {
            return Err(Status::BadArgument);
        }
        let content = content()?;
        // SAFETY: a mark has some bytes.
        let object = unsafe { alloc(Layout::new::<Self>()) }.cast::<Self>();
        if object.is_null() {
            return Err(Status::NoMemory);
        }
        // SAFETY: this memory is for it.
        unsafe { object.write(Self { mark: T::MARK, content }) };
        // SAFETY: there is room for it.
        unsafe { place.write(object) };
        Ok(())
    }

    /// Returns what is in an object.
    ///
    /// # Safety
    /// The pointer is null, or one that [`give`](Self::give) wrote and nobody else uses meanwhile. Of an object that was freed,
    /// an error comes back while its memory is kept: [`MOST_KEPT`].
    pub(crate) unsafe fn open<'a>(object: *mut Self) -> Result<&'a mut T, Status> {
        if object.is_null() || !object.is_aligned() {
            return Err(Status::BadArgument);
        }
        // SAFETY: the caller's promise.
        if unsafe { (&raw const (*object).mark).read_volatile() } != T::MARK {
            return Err(Status::BadArgument);
        }
        // SAFETY: the caller's promise, and it was not freed.
        Ok(unsafe { &mut (*object).content })
    }

    /// Takes an object back. Returns nothing if there is none.
    ///
    /// # Safety
    /// As of [`open`](Self::open), and the pointer is not used again.
    pub(crate) unsafe fn take(object: *mut Self) -> Option<T> {
        // SAFETY: the caller's promise.
        unsafe { Self::open(object) }.ok()?;
        // SAFETY: it is there, nobody else uses it, and no other pointer gets at it from here on.
        let content = unsafe { (&raw const (*object).content).read() };
        // What was hashed, and the mark: without it, nobody takes this for an object.
        // SAFETY: the memory of the object is still there.
        unsafe { object.write_bytes(0, 1) };
        let memory = Memory { place: object.cast(), layout: Layout::new::<Self>() };
        // In a thread that ends it may be too late to keep it; then it is freed.
        let _ = FREED.try_with(|freed| freed.borrow_mut().keep(memory));
        Some(content)
    }
}

/// Of so many objects, the last that a thread freed, the memory is kept.
const MOST_KEPT: usize = 256;

thread_local! {
    static FREED: RefCell<Freed> = const { RefCell::new(Freed(VecDeque::new())) };
}

/// Objects that were freed, the latest last.
struct Freed(VecDeque<Memory>);

impl Freed {
    fn keep(&mut self, memory: Memory) {
        if self.0.len() == MOST_KEPT {
            self.0.pop_front();
        }
        self.0.push_back(memory);
    }
}

/// The memory of an object, zeros. Dropping it frees it.
struct Memory {
    place: *mut u8,
    layout: Layout,
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: `give` asked for it, with the layout of the same object, and nothing is in it any more.
        unsafe { dealloc(self.place, self.layout) };
    }
}
