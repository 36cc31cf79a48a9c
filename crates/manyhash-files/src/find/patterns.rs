//! Which of a folder's files count, by patterns as in `.gitignore` files.
//!
//! A pattern without a slash, or with one at its end only, matches names at any depth; one with a
//! slash matches the path from the folder that was asked for. A pattern with a slash at its end
//! matches folders only, and `**` any number of folders. Of several patterns that match, the last
//! one counts, and with `!` in front it takes back what those before it say.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{Error, Match};
use std::path::Path;

/// Patterns of what is wanted and what is not.
#[derive(Clone, Debug)]
pub struct Patterns {
    include: Gitignore,
    exclude: Gitignore,
}

/// What patterns say of a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is left out, a folder with all that is in it.
    Excluded,
    /// It is wanted; of a folder, all that is in it and that no pattern leaves out.
    Included,
    /// It is not wanted itself, but if it is a folder, there may be something wanted in it.
    NotIncluded,
}

impl Default for Patterns {
    fn default() -> Self {
        Self { include: Gitignore::empty(), exclude: Gitignore::empty() }
    }
}

impl Patterns {
    /// Patterns for what matches `include`, or everything if that is empty, without what matches
    /// `exclude`.
    ///
    /// # Errors
    /// If a pattern is wrong: which one, and why.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, String> {
        Ok(Self { include: matcher(include)?, exclude: matcher(exclude)? })
    }

    /// Whether there are no patterns, so that everything is wanted.
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// The verdict on a folder that was asked for itself.
    pub fn of_the_whole(&self) -> Verdict {
        if self.include.is_empty() { Verdict::Included } else { Verdict::NotIncluded }
    }

    /// The verdict on what is at `relative` from the folder that was asked for, in a folder with
    /// the verdict `above`.
    pub fn verdict(&self, relative: &Path, is_folder: bool, above: Verdict) -> Verdict {
        if self.exclude.matched(relative, is_folder).is_ignore() {
            return Verdict::Excluded;
        }
        match self.include.matched(relative, is_folder) {
            Match::Ignore(_) => Verdict::Included,
            Match::Whitelist(_) => Verdict::NotIncluded,
            Match::None => above,
        }
    }
}

/// `pattern` itself, once it is sure that it is a pattern.
///
/// # Errors
/// If it is none: why.
pub fn parse(pattern: &str) -> Result<String, String> {
    if pattern.trim_matches(['!', '/', ' ', '\t']).is_empty() {
        return Err("an empty pattern matches nothing".to_string());
    }
    matcher(&[pattern.to_string()]).map(|_| pattern.to_string())
}

fn matcher(patterns: &[String]) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new("");
    // A mistyped pattern is better told than taken for a name with a bracket.
    builder.allow_unclosed_class(false);
    for pattern in patterns {
        builder.add_line(None, &as_line(pattern)).map_err(|error| explained(&error))?;
    }
    builder.build().map_err(|error| explained(&error))
}

/// A pattern as it would stand in a `.gitignore` file, where `#` begins a comment and a blank at
/// the end does not count.
fn as_line(pattern: &str) -> String {
    let mut line = pattern.to_string();
    if line.ends_with(' ') && !line.ends_with("\\ ") {
        line.insert(line.len() - 1, '\\');
    }
    if line.starts_with('#') {
        line.insert(0, '\\');
    }
    line
}

/// The text of an error without the pattern, which the caller's message names.
fn explained(error: &Error) -> String {
    match error {
        Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(include: &[&str], exclude: &[&str], path: &str) -> Verdict {
        let owned = |patterns: &[&str]| patterns.iter().map(ToString::to_string).collect::<Vec<_>>();
        let patterns = Patterns::new(&owned(include), &owned(exclude)).unwrap();
        let folder = path.strip_suffix('/');
        patterns.verdict(Path::new(folder.unwrap_or(path)), folder.is_some(), patterns.of_the_whole())
    }

    #[test]
    fn patterns_match_as_in_gitignore_files() {
        use Verdict::{Excluded, Included, NotIncluded};
        for (include, exclude, path, expected) in [
            (&[][..], &[][..], "a", Included),
            (&[], &["*.o"], "d/e/x.o", Excluded),
            (&[], &["*.o"], "x.old", Included),
            (&[], &["/x.o"], "d/x.o", Included),
            (&[], &["/x.o"], "x.o", Excluded),
            (&[], &["d/*.o"], "d/x.o", Excluded),
            (&[], &["d/*.o"], "e/d/x.o", Included),
            (&[], &["d/**/x"], "d/e/f/x", Excluded),
            (&[], &["target/"], "a/target/", Excluded),
            (&[], &["target/"], "a/target", Included),
            (&[], &["*.o", "!keep.o"], "d/keep.o", Included),
            (&[], &["!keep.o", "*.o"], "d/keep.o", Excluded),
            (&[], &["#x#"], "#x#", Excluded),
            (&[], &["\\!x"], "!x", Excluded),
            (&[], &["x "], "x", Included),
            (&[], &["x "], "x ", Excluded),
            (&[], &["[a-c]?.{o}"], "bb.{o}", Included),
            (&["*.rs", "*.toml"], &[], "src/a.rs", Included),
            (&["*.rs"], &[], "src/", NotIncluded),
            (&["*.rs", "!b.rs"], &[], "src/b.rs", NotIncluded),
            (&["src"], &[], "src/", Included),
            (&["*.rs"], &["gen*"], "src/generated.rs", Excluded),
        ] {
            assert_eq!(verdict(include, exclude, path), expected, "{include:?} {exclude:?} {path}");
        }
    }

    #[test]
    fn names_that_are_not_utf_8_match_too() {
        let patterns = Patterns::new(&[], &["*.o".to_string()]).unwrap();
        let path = crate::file_name::from_bytes(b"\xff/\xfe.o");
        assert_eq!(patterns.verdict(Path::new(&path), false, Verdict::Included), Verdict::Excluded);
    }

    #[test]
    fn wrong_patterns_are_explained() {
        for (pattern, reason) in [("", "empty"), ("  ", "empty"), ("!/", "empty"), ("[a", "class"), ("a[z-a]", "range"), ("{a", "alternat")]
        {
            let error = parse(pattern).unwrap_err();
            assert!(error.contains(reason), "{pattern}: {error}");
        }
    }
}
