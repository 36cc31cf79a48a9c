//! What ran before a call that is timed.

use serde::{Deserialize, Serialize};

/// What ran before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Before {
    /// The same call: everything is where it is needed.
    Nothing,
}
