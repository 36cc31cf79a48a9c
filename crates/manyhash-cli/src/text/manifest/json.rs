//! A line of `manyhash sum --json`:
//! `{"path":"NAME","bytes":1,"algorithm":"SHA-256","digest":"DIGEST"}`, or with `path_hex` for a
//! name that is not UTF-8. With `status` or `expected` it is a line of a report, not of a manifest.
//! Other keys are ignored.

use super::line::{Entry, Line};
use crate::text::hexadecimal;
use manyhash::AnyAlgorithm;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
struct JsonLine {
    path: Option<String>,
    path_hex: Option<String>,
    bytes: Option<u64>,
    algorithm: String,
    digest: String,
    /// Whether the line has this key, as reports of `check` do. They say what was found.
    #[serde(default, deserialize_with = "is_there")]
    status: bool,
    #[serde(default, deserialize_with = "is_there")]
    expected: bool,
}

fn is_there<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(value).map(|_| true)
}

pub(crate) fn parse(line: &[u8]) -> Line {
    parse_object(line).unwrap_or(Line::Malformed)
}

fn parse_object(line: &[u8]) -> Option<Line> {
    let object: JsonLine = serde_json::from_slice(line).ok()?;
    if object.status || object.expected {
        return None;
    }
    let name = match (object.path, object.path_hex) {
        (Some(path), None) => path.into_bytes(),
        (None, Some(digits)) => hexadecimal::decode(digits.as_bytes())?.into_vec(),
        _ => return None,
    };
    let algorithm = AnyAlgorithm::by_name(&object.algorithm)?;
    let digest = hexadecimal::decode(object.digest.as_bytes())?;
    Line::entry(Entry { algorithm, digest, name }, object.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_from_either_key() {
        let digest = "0f".repeat(32);
        for (name, bytes) in [(r#""path":"a\n\u00e9""#, "a\né".as_bytes()), (r#""path_hex":"61FF""#, b"a\xff")] {
            let line = format!(r#" {{"digest":"{digest}",{name},"bytes":7,"algorithm":"SHA-256","more":[1]}} "#);
            let Line::Entry { entry, size_bytes } = parse(line.as_bytes()) else { panic!("{line}") };
            assert_eq!((entry.algorithm, entry.name.as_slice(), size_bytes), (AnyAlgorithm::Sha256, bytes, Some(7)));
        }
    }

    #[test]
    fn what_is_no_such_object_is_malformed() {
        let digest = "0f".repeat(32);
        for line in [
            "{}".to_string(),
            "[]".to_string(),
            format!(r#"{{"path":"a","algorithm":"SHA-512","digest":"{digest}"}}"#),
            format!(r#"{{"path":"a","algorithm":"SHA-7","digest":"{digest}"}}"#),
            format!(r#"{{"path":"a","path_hex":"61","algorithm":"SHA-256","digest":"{digest}"}}"#),
            format!(r#"{{"path":"a\u0000","algorithm":"SHA-256","digest":"{digest}"}}"#),
            format!(r#"{{"path":"","algorithm":"SHA-256","digest":"{digest}"}}"#),
            format!(r#"{{"path":"a","bytes":-1,"algorithm":"SHA-256","digest":"{digest}"}}"#),
            format!(r#"{{"path":"a","algorithm":"SHA-256","digest":"{digest}"}} more"#),
            format!(r#"{{"path":"a","algorithm":"SHA-256","status":"ok","digest":"{digest}"}}"#),
            format!(r#"{{"path":"a","algorithm":"SHA-256","status":null,"digest":"{digest}"}}"#),
            format!(r#"{{"path":"a","algorithm":"SHA-256","expected":"{digest}","digest":"{digest}"}}"#),
        ] {
            assert!(matches!(parse(line.as_bytes()), Line::Malformed), "{line}");
        }
    }
}
