//! The forms of manifests, and which one a manifest has. CHECK.md is the specification.

use super::document::Document;
use super::line::{Dialect, Line};
use super::text::LineParser;
use super::{bagit, hashdeep, json, named, record, spdx_tags};
use manyhash::AnyAlgorithm;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lines of GNU's, BSD's and OpenSSL's tools, also mixed. dpkg's lines are among them.
    Text,
    /// Lines of `manyhash sum --json`.
    Json,
    BagIt(AnyAlgorithm),
    Record,
    Hashdeep,
    /// SPDX as tags and values.
    SpdxTags,
    /// A manifest that is one JSON value.
    Document(Document),
    /// A folder of Hugging Face's libraries.
    Hub,
}

impl Form {
    /// Returns the folder that the form makes names in the manifest at `path` relative to.
    pub(crate) fn folder(self, path: &Path) -> Option<PathBuf> {
        let folder = path.parent()?;
        match self {
            Self::Text | Self::Json | Self::Hashdeep | Self::SpdxTags | Self::Document(Document::Spdx | Document::CycloneDx) => None,
            Self::BagIt(_) | Self::Document(Document::Cargo) => Some(folder.to_path_buf()),
            Self::Record if folder.extension() == Some(OsStr::new("dist-info")) => folder.parent().map(Path::to_path_buf),
            Self::Record => None,
            Self::Hub => Some(path.to_path_buf()),
        }
    }

    /// Whether the sizes in it are checked beside the digests.
    pub(crate) fn has_checked_sizes(self) -> bool {
        self == Self::Hashdeep
    }
}

/// Parses the lines of manifests. The first line that fits a form decides the form.
#[derive(Debug)]
pub(crate) struct Parser {
    dialect: Dialect,
    algorithm: Option<AnyAlgorithm>,
    text: LineParser,
    /// The algorithm of a bag's manifest, which its name says.
    bagit: Option<AnyAlgorithm>,
    form: Option<Form>,
    columns: hashdeep::Columns,
    tags: spdx_tags::State,
    /// What the last line says besides.
    more: Vec<Line>,
}

impl Parser {
    /// Creates a parser of lines of `algorithm`, or of any algorithm if none is given.
    pub(crate) fn new(dialect: Dialect, algorithm: Option<AnyAlgorithm>) -> Self {
        let form = (dialect == Dialect::Gnu).then_some(Form::Text);
        Self {
            dialect,
            algorithm,
            text: LineParser::new(dialect, algorithm),
            bagit: None,
            form,
            columns: Default::default(),
            tags: Default::default(),
            more: Vec::new(),
        }
    }

    pub(crate) fn begin(&mut self, path: &Path) {
        if self.dialect == Dialect::Manyhash {
            *self = Self::new(self.dialect, self.algorithm);
            let name = path.file_name().and_then(OsStr::to_str);
            self.bagit = name.and_then(bagit::algorithm_of);
            self.text.named = name.and_then(named::algorithm_of);
        }
    }

    pub(crate) fn form(&self) -> Option<Form> {
        self.form
    }

    /// Whether a manifest may be one JSON value.
    pub(super) fn takes_documents(&self) -> bool {
        self.dialect == Dialect::Manyhash
    }

    /// Notes that the manifest is a document.
    pub(super) fn is_document(&mut self, kind: Document) {
        self.form = Some(Form::Document(kind));
    }

    /// Notes that the manifest is a folder of Hugging Face's libraries.
    pub(super) fn is_hub(&mut self) {
        self.form = Some(Form::Hub);
    }

    /// Returns the algorithm of all lines, if one is given.
    pub(super) fn wanted(&self) -> Option<AnyAlgorithm> {
        self.algorithm
    }

    /// Takes what the last line says besides what [`parse`](Self::parse) returned.
    pub(super) fn more(&mut self) -> impl Iterator<Item = Line> {
        std::mem::take(&mut self.more).into_iter()
    }

    /// Returns an algorithm that nothing but the length of digests told, if there is one.
    pub(crate) fn guessed(&self) -> Option<AnyAlgorithm> {
        self.text.guessed
    }

    /// Whether the last text line had a tag.
    pub(crate) fn is_tagged(&self) -> bool {
        self.text.is_tagged
    }

    /// Returns what messages call the algorithm of a line without a meaning: nothing, if it may be any. GNU's `cksum -c` takes
    /// it for one like the last before it, and for a CRC at first.
    pub(crate) fn tag_of_malformed(&self) -> Option<&'static str> {
        match (self.dialect, self.algorithm) {
            (_, Some(algorithm)) => Some(algorithm.tag()),
            (Dialect::Gnu, None) => Some(self.text.last_tag.unwrap_or("CRC")),
            (Dialect::Manyhash, None) => None,
        }
    }

    /// Parses `line`, which comes without its end.
    pub(crate) fn parse(&mut self, line: &[u8]) -> Line {
        self.more.clear();
        if self.form.is_none() {
            // Their first lines are no entries, and yet they tell.
            self.form = match line {
                _ if hashdeep::is_header(line) => Some(Form::Hashdeep),
                _ if spdx_tags::is_header(line) => Some(Form::SpdxTags),
                _ => None,
            };
        }
        if let Some(form) = self.form {
            return self.parse_as(form, line);
        }
        // A bag's own form is tried first, because most of its lines would pass for text lines too.
        let bagit = self.bagit.map(Form::BagIt);
        for form in [Some(Form::Json), bagit, Some(Form::Text), Some(Form::Record)].into_iter().flatten() {
            let parsed = self.parse_as(form, line);
            if matches!(parsed, Line::Entry { .. } | Line::Unhashed(_)) {
                self.form = Some(form);
                return parsed;
            }
        }
        if line.starts_with(b"#") { Line::Comment } else { Line::Malformed }
    }

    fn parse_as(&mut self, form: Form, line: &[u8]) -> Line {
        // In RECORD, which has no comments, a path may begin with `#`.
        if line.starts_with(b"#") && form != Form::Record {
            return Line::Comment;
        }
        let parsed = match form {
            Form::Text => self.text.parse(line).map_or(Line::Malformed, |entry| Line::Entry { entry, size_bytes: None }),
            Form::Json => json::parse(line),
            Form::BagIt(algorithm) => bagit::parse(line, algorithm),
            Form::Record => record::parse(line),
            Form::Hashdeep => {
                let mut lines = hashdeep::parse(line, &mut self.columns, self.algorithm).into_iter();
                let first = lines.next().unwrap_or(Line::Malformed);
                self.more = lines.collect();
                first
            }
            Form::SpdxTags => spdx_tags::parse(line, &mut self.tags, self.algorithm),
            Form::Document(_) | Form::Hub => Line::Malformed,
        };
        match &parsed {
            // A parser of text lines was told.
            Line::Entry { entry, .. } if form != Form::Text && self.algorithm.is_some_and(|wanted| wanted != entry.algorithm) => {
                Line::Malformed
            }
            _ => parsed,
        }
    }
}

/// Whether a manifest of this name may be empty, as of a package of configuration, or an empty bag.
pub(crate) fn may_be_empty(path: &Path) -> bool {
    let is_bags = path.file_name().and_then(OsStr::to_str).and_then(bagit::algorithm_of).is_some();
    is_bags || path.extension() == Some(OsStr::new("md5sums"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn form(path: &str, algorithm: Option<AnyAlgorithm>, lines: &[&str]) -> Option<Form> {
        let mut parser = Parser::new(Dialect::Manyhash, algorithm);
        parser.begin(Path::new(path));
        for line in lines {
            parser.parse(line.as_bytes());
        }
        parser.form()
    }

    #[test]
    fn forms_are_recognised_by_content() {
        let text = format!("{DIGEST}  a");
        let tagged = format!("SHA256 (a) = {DIGEST}");
        let json = format!(r#"{{"path":"a","algorithm":"sha256","digest":"{DIGEST}"}}"#);
        let record = "a,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3";
        for path in ["m", "-", "RECORD", "x.json", "manifest-sha256.txt"] {
            assert_eq!(form(path, None, &[&json]), Some(Form::Json), "{path}");
            assert_eq!(form(path, None, &[record]), Some(Form::Record), "{path}");
            assert_eq!(form(path, None, &["a,,", record]), Some(Form::Record), "{path}");
            assert_eq!(form(path, None, &[&tagged]), Some(Form::Text), "{path}");
            assert_eq!(form(path, None, &["-----BEGIN", "# a", &tagged]), Some(Form::Text), "{path}");
            assert_eq!(form(path, None, &["nonsense"]), None, "{path}");
            assert_eq!(form(path, Some(AnyAlgorithm::Sha512), &[&json, record, &tagged]), None, "{path}");
            assert_eq!(form(path, Some(AnyAlgorithm::Sha512), &[&text]), None, "{path}");
        }
        assert_eq!(form("m", None, &[&text]), Some(Form::Text));
        assert_eq!(form("a/manifest-sha256.txt", None, &[&text]), Some(Form::BagIt(AnyAlgorithm::Sha256)));
        assert_eq!(form("a/manifest-sha512.txt", None, &[&text]), Some(Form::Text));
    }

    #[test]
    fn the_first_line_decides() {
        let mut parser = Parser::new(Dialect::Manyhash, None);
        parser.begin(Path::new("m"));
        assert!(matches!(parser.parse(format!("{DIGEST}  a").as_bytes()), Line::Entry { .. }));
        assert_eq!(parser.parse(b"a,,"), Line::Malformed);
        parser.begin(Path::new("n"));
        assert!(matches!(parser.parse(b"a,,"), Line::Unhashed(_)));
        assert_eq!(parser.parse(format!("{DIGEST}  a").as_bytes()), Line::Malformed);
    }

    #[test]
    fn some_forms_say_where_their_files_are() {
        let folder = |form: Form, path: &str| form.folder(Path::new(path)).map(|folder| folder.to_str().unwrap().to_string());
        assert_eq!(folder(Form::Text, "a/m"), None);
        assert_eq!(folder(Form::BagIt(AnyAlgorithm::Sha1), "a/manifest-sha1.txt"), Some("a".to_string()));
        assert_eq!(folder(Form::Record, "s/x-1.dist-info/RECORD"), Some("s".to_string()));
        assert_eq!(folder(Form::Record, "x-1.dist-info/RECORD"), Some(String::new()));
        assert_eq!(folder(Form::Record, "s/RECORD"), None);
    }
}
