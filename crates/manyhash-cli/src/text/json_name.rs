use serde::Serialize;

/// A file's name in JSON: `path`, or `path_hex` in hexadecimal if it is not UTF-8.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JsonName<'a> {
    Path(&'a str),
    PathHex(String),
}

impl<'a> JsonName<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        str::from_utf8(bytes).map_or_else(|_| Self::PathHex(const_hex::encode(bytes)), Self::Path)
    }
}
