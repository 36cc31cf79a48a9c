//! Reader of `vectors/rfc` and `vectors/acvp`: records of lines `name = value` with an empty line between them; bytes
//! are hexadecimal.

use super::rsp::vectors_folder;

/// A record of a file.
pub struct Record {
    fields: Vec<(String, String)>,
}

/// All records of a file of the folder `vectors`.
pub fn read(file: &str) -> Vec<Record> {
    let path = vectors_folder().join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let field = |line: &str| {
        let (name, value) = line.split_once(" =").unwrap_or_else(|| panic!("{file}: {line:?} is not `name = value`"));
        (name.to_owned(), value.trim().to_owned())
    };
    text.split("\n\n").map(|record| Record { fields: record.lines().map(field).collect() }).collect()
}

impl Record {
    /// Whether there is such a field.
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| field == name)
    }

    /// The field's text. Panics if there is none.
    pub fn text(&self, name: &str) -> &str {
        let found = self.fields.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| &**value).unwrap_or_else(|| panic!("{:?} has no field {name:?}", self.fields))
    }

    /// The field's bytes. Panics if they are not hexadecimal.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let text = self.text(name);
        assert!(text.len().is_multiple_of(2) && text.is_ascii(), "{text:?} of {name} is not hexadecimal");
        let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap_or_else(|error| panic!("{text:?} of {name}: {error}"));
        (0..text.len()).step_by(2).map(byte).collect()
    }
}
