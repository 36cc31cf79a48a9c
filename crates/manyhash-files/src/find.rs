//! Finding files: below folders, by names in lists.

mod name_list;
mod names;
pub mod patterns;
mod place;
mod walk;

pub use name_list::{NameEnd, NameList, NotAName};
pub use patterns::Patterns;
pub use place::{Place, folder_of};
pub use walk::{FileSystems, Found, Links, Options, Readable, Walk, hashing, look_at};
