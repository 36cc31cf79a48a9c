//! Manifests that are one JSON value: `.cargo-checksum.json`, SPDX 2.x and CycloneDX. What is wrong
//! in one is an error that says line and column, and nothing of it is checked then.

use super::line::{Entry, Line};
use crate::text::hexadecimal;
use manyhash::AnyAlgorithm;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::io::{self, Read};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    /// A crate's files, beside them.
    Cargo,
    Spdx,
    CycloneDx,
}

/// Whether a manifest with this first line that is not empty is such a document. A line that is a
/// whole JSON value is one only if it has the keys of one, because it may be one of many lines.
pub(super) fn is_begun_by(line: &[u8]) -> bool {
    if !line.trim_ascii_start().starts_with(b"{") {
        return false;
    }
    match serde_json::from_slice::<Keys>(line) {
        Ok(keys) => keys.spdx_version.or(keys.bom_format).or(keys.files).is_some(),
        Err(error) => error.is_eof(),
    }
}

#[derive(Deserialize)]
struct Keys {
    #[serde(rename = "spdxVersion")]
    spdx_version: Option<IgnoredAny>,
    #[serde(rename = "bomFormat")]
    bom_format: Option<IgnoredAny>,
    files: Option<IgnoredAny>,
}

/// Reads a document. Its lines are numbered by its files, from 1. With an algorithm `wanted`, digests
/// of others do not count.
pub(super) fn read(input: impl Read, wanted: Option<AnyAlgorithm>) -> io::Result<(Document, Vec<(u64, Line)>)> {
    let root: Root = serde_json::from_reader(input).map_err(|error| match error.io_error_kind() {
        Some(_) => error.into(),
        None => io::Error::new(io::ErrorKind::InvalidData, error.to_string()),
    })?;
    let wrong = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidData, what));
    let (kind, files) = match root {
        Root { bom_format: Some(format), components, .. } if format == "CycloneDX" => {
            let mut files = Vec::new();
            components.into_iter().for_each(|component| component.collect(&mut files));
            (Document::CycloneDx, files)
        }
        Root { spdx_version: Some(version), files, .. } if version.starts_with("SPDX-2.") => match files {
            Some(Files::List(files)) => (Document::Spdx, files),
            None => (Document::Spdx, Vec::new()),
            Some(Files::Map(_)) => return wrong("\"files\" of SPDX is no array"),
        },
        Root { spdx_version: None, bom_format: None, files: Some(Files::Map(files)), .. } => (Document::Cargo, files),
        _ => return wrong("JSON that is neither .cargo-checksum.json nor SPDX 2 nor CycloneDX"),
    };
    let numbered = (1..).zip(files).flat_map(|(number, file)| file.lines(wanted).into_iter().map(move |line| (number, line)));
    Ok((kind, numbered.collect()))
}

/// Returns the algorithm that SPDX or CycloneDX calls `name`, if it is known here.
pub(super) fn algorithm_of(name: &str) -> Option<AnyAlgorithm> {
    match name {
        "BLAKE2b-512" => Some(AnyAlgorithm::Blake2b),
        _ => AnyAlgorithm::by_name(name),
    }
}

#[derive(Deserialize)]
struct Root {
    #[serde(rename = "spdxVersion")]
    spdx_version: Option<String>,
    #[serde(rename = "bomFormat")]
    bom_format: Option<String>,
    files: Option<Files>,
    #[serde(default)]
    components: Vec<Component>,
}

/// A file, and what the document says of it.
struct File {
    name: String,
    checksums: Vec<Checksum>,
}

/// A digest that may be of the algorithm, or nothing if that is not known here.
type Checksum = Option<(AnyAlgorithm, Box<[u8]>)>;

impl File {
    fn lines(self, wanted: Option<AnyAlgorithm>) -> Vec<Line> {
        let name = self.name.into_bytes();
        if self.checksums.is_empty() {
            return vec![Line::without_digest(name).unwrap_or(Line::Malformed)];
        }
        let known = self.checksums.into_iter().flatten().filter(|(algorithm, _)| wanted.is_none_or(|wanted| wanted == *algorithm));
        let lines: Vec<_> = known
            .map(|(algorithm, digest)| Line::entry(Entry { algorithm, digest, name: name.clone() }, None).unwrap_or(Line::Malformed))
            .collect();
        // The file cannot be checked, which is not to be passed over.
        if lines.is_empty() { vec![Line::Malformed] } else { lines }
    }
}

fn checksum<E: serde::de::Error>(name: &str, digits: &str) -> Result<Checksum, E> {
    let digest =
        hexadecimal::decode(digits.as_bytes()).ok_or_else(|| E::custom(format_args!("a digest is no hexadecimal digits: {digits:?}")))?;
    let Some(algorithm) = algorithm_of(name) else { return Ok(None) };
    if digest.len() != algorithm.digest_bytes() {
        let (algorithm, bytes) = (algorithm.name(), digest.len());
        return Err(E::custom(format_args!("a digest of {algorithm} has {bytes} bytes")));
    }
    Ok(Some((algorithm, digest)))
}

/// `files`: of SPDX an array, of Cargo an object.
enum Files {
    List(Vec<File>),
    Map(Vec<File>),
}

impl<'de> Deserialize<'de> for Files {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FilesVisitor;
        impl<'de> Visitor<'de> for FilesVisitor {
            type Value = Files;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an array or an object of files")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Files, A::Error> {
                let mut files = Vec::new();
                while let Some(SpdxFile { name, checksums }) = array.next_element()? {
                    files.push(File { name, checksums: checksums.into_iter().map(|checksum| checksum.0).collect() });
                }
                Ok(Files::List(files))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Files, A::Error> {
                let mut files = Vec::new();
                while let Some((name, digits)) = object.next_entry::<String, String>()? {
                    files.push(File { name, checksums: vec![checksum("SHA-256", &digits)?] });
                }
                Ok(Files::Map(files))
            }
        }
        deserializer.deserialize_any(FilesVisitor)
    }
}

#[derive(Deserialize)]
struct SpdxFile {
    #[serde(rename = "fileName")]
    name: String,
    #[serde(default)]
    checksums: Vec<SpdxChecksum>,
}

struct SpdxChecksum(Checksum);

impl<'de> Deserialize<'de> for SpdxChecksum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Fields {
            algorithm: String,
            #[serde(rename = "checksumValue")]
            value: String,
        }
        let Fields { algorithm, value } = Fields::deserialize(deserializer)?;
        checksum(&algorithm, &value).map(Self)
    }
}

/// A component of CycloneDX, which may have others in it. Those of the type `file` are files.
#[derive(Deserialize)]
struct Component {
    #[serde(rename = "type")]
    kind: String,
    name: String,
    #[serde(default)]
    hashes: Vec<CycloneDxHash>,
    #[serde(default)]
    components: Vec<Component>,
}

impl Component {
    fn collect(self, files: &mut Vec<File>) {
        let Self { kind, name, hashes, components } = self;
        if kind == "file" {
            files.push(File { name, checksums: hashes.into_iter().map(|hash| hash.0).collect() });
        }
        components.into_iter().for_each(|component| component.collect(files));
    }
}

struct CycloneDxHash(Checksum);

impl<'de> Deserialize<'de> for CycloneDxHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Fields {
            alg: String,
            content: String,
        }
        let Fields { alg, content } = Fields::deserialize(deserializer)?;
        checksum(&alg, &content).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
    const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    /// Returns the kind of a document, and its lines as `number name algorithm`.
    fn found(text: &str, wanted: Option<AnyAlgorithm>) -> Result<(Document, Vec<String>), String> {
        assert!(is_begun_by(text.lines().next().unwrap().as_bytes()), "{text}");
        let (kind, lines) = read(text.as_bytes(), wanted).map_err(|error| error.to_string())?;
        let line = |(number, line): &(u64, Line)| match line {
            Line::Entry { entry, .. } => format!("{number} {} {}", String::from_utf8_lossy(&entry.name), entry.algorithm),
            Line::Unhashed(name) => format!("{number} {} without", String::from_utf8_lossy(name)),
            other => format!("{number} {other:?}"),
        };
        Ok((kind, lines.iter().map(line).collect()))
    }

    fn spdx() -> String {
        format!(
            r#"{{"spdxVersion":"SPDX-2.3","packages":[{{"checksums":[{{"algorithm":"SHA1","checksumValue":"{SHA1}"}}]}}],"files":[
            {{"fileName":"./a","checksums":[{{"algorithm":"SHA1","checksumValue":"{SHA1}"}},{{"algorithm":"MD4","checksumValue":"00"}},
            {{"algorithm":"SHA256","checksumValue":"{SHA256}"}}]}},
            {{"fileName":"b","checksums":[{{"algorithm":"MD4","checksumValue":"00"}}]}},{{"fileName":"c"}}]}}"#
        )
    }

    #[test]
    fn files_of_each_kind_are_found() {
        let cargo = format!(r#"{{"files":{{"src/lib.rs":"{SHA256}","b":"{SHA256}"}},"package":"{SHA256}"}}"#);
        assert_eq!(found(&cargo, None), Ok((Document::Cargo, vec!["1 src/lib.rs sha256".into(), "2 b sha256".into()])));
        let lines = ["1 ./a sha1", "1 ./a sha256", "2 Malformed", "3 c without"].map(String::from).to_vec();
        assert_eq!(found(&spdx(), None), Ok((Document::Spdx, lines)));
        let lines = ["1 ./a sha256", "2 Malformed", "3 c without"].map(String::from).to_vec();
        assert_eq!(found(&spdx(), Some(AnyAlgorithm::Sha256)), Ok((Document::Spdx, lines)));
        let cyclone = format!(
            r#"{{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{{"type":"library","name":"x","hashes":[{{"alg":"SHA-1","content":"{SHA1}"}}],
            "components":[{{"type":"file","name":"/bin/ls","hashes":[{{"alg":"SHA-1","content":"{SHA1}"}},{{"alg":"Streebog-256","content":"00"}}]}}]}},
            {{"type":"file","name":"e"}}]}}"#
        );
        assert_eq!(found(&cyclone, None), Ok((Document::CycloneDx, vec!["1 /bin/ls sha1".into(), "2 e without".into()])));
        assert_eq!(found("{\"spdxVersion\":\"SPDX-2.2\"}", None), Ok((Document::Spdx, vec![])));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, message) in [
            (spdx().replace(SHA256, "zz"), "a digest is no hexadecimal digits: \"zz\" at line 3 column "),
            (spdx().replace(SHA256, SHA1), "a digest of SHA-256 has 20 bytes at line 3 column "),
            (spdx().replace("fileName\":\"c", "x\":\"c"), "missing field `fileName` at line 4 column "),
            (spdx().replace("2.3", "3.0"), "JSON that is neither "),
            (spdx().trim_end_matches('}').to_string(), "EOF while parsing"),
            (spdx() + "x", "trailing characters at line 4 column "),
            ("{\"files\":[]}".to_string(), "JSON that is neither "),
            ("{\"files\":{\"a\":1}}".to_string(), "invalid type: integer `1`, expected a string at line 1 column "),
            ("{\"spdxVersion\":\"SPDX-2.3\",\"files\":{}}".to_string(), "\"files\" of SPDX is no array"),
            ("{\n  \"a\": 1\n}".to_string(), "JSON that is neither "),
        ] {
            let error = found(&text, None).unwrap_err();
            assert!(error.starts_with(message), "{error}\n{text}");
        }
    }

    #[test]
    fn lines_of_json_are_no_document() {
        for line in ["{}", "{\"path\":\"a\"}", " {\"a\":1}", "{\"a\":}", "[", "a", "{\"path\":\"a\"} more"] {
            assert!(!is_begun_by(line.as_bytes()), "{line}");
        }
        for line in ["{", "{\"path\":\"a\",", " {\"files\":{}}", "{\"a\":\"{"] {
            assert!(is_begun_by(line.as_bytes()), "{line}");
        }
    }
}
