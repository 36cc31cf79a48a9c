//! What is passed over in folders: counted with `-v`, named with `-vv`.

use crate::message::say;
use std::collections::BTreeMap;
use std::ffi::OsStr;

#[derive(Clone, Debug, Default)]
pub(crate) struct PassedOver {
    verbosity: u8,
    counts: BTreeMap<&'static str, u64>,
}

impl PassedOver {
    pub(crate) fn new(verbosity: u8) -> Self {
        Self { verbosity, counts: BTreeMap::new() }
    }

    /// Counts something that is passed over because it is `what`. Returns whether to name it.
    pub(crate) fn meet(&mut self, what: &'static str) -> bool {
        *self.counts.entry(what).or_default() += 1;
        self.verbosity > 1
    }

    /// Says how much was passed over and not named.
    pub(crate) fn say(&self, program: &OsStr) {
        if self.verbosity != 1 || self.counts.is_empty() {
            return;
        }
        let counts: Vec<_> = self.counts.iter().map(|(what, count)| format!("{what} ({count})")).collect();
        say(program, format!("skipped in folders: {}; -vv names each", counts.join(", ")).as_bytes());
    }
}
