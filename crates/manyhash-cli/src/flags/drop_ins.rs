//! The drop-ins, by their names.

use super::gnu::Tool;
use manyhash::AnyAlgorithm;

/// A command of another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DropIn {
    /// A command of GNU coreutils, or one that is called and used like them.
    Gnu(Tool),
    /// The command of BLAKE3's authors.
    B3sum,
}

impl DropIn {
    /// Returns the drop-in of a name, if there is one.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        if name == Tool::Cksum.name() {
            return Some(Self::Gnu(Tool::Cksum));
        }
        Some(match AnyAlgorithm::by_command(name)? {
            AnyAlgorithm::Blake3 => Self::B3sum,
            AnyAlgorithm::Blake2b => Self::Gnu(Tool::B2sum),
            algorithm => Self::Gnu(Tool::Sum(algorithm)),
        })
    }

    /// Returns the names of all drop-ins.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        AnyAlgorithm::ALL.iter().copied().filter_map(AnyAlgorithm::command).chain([Tool::Cksum.name()])
    }
}
