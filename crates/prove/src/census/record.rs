//! The census as recorded in `recorded.txt`: what the compiler made of each kernel when it was last
//! reviewed. Code may grow, but not unnoticed.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

const AGAIN: &str = "CARGO_INCREMENTAL=0 MANYHASH_RECORD_CENSUS=1 cargo test --workspace --all-features --lib census";
const COMPILER: &str = "# Compiler: ";

/// A count may rise or fall by this many percent of what is recorded.
const PERCENT: usize = 5;
/// A count may rise or fall by this much in any case, because small counts change by many percent.
const FEW: usize = 8;
/// A count may rise by this many percent if the code is of another compiler or another kind of
/// build. Its falls say nothing about ours. Incremental builds of the same compiler have 76 spills
/// where others have 101.
const PERCENT_ELSEWHERE: usize = 25;
const FEW_ELSEWHERE: usize = 32;

const COLUMNS: [&str; 3] = ["instructions", "spills", CALLS];
const CALLS: &str = "calls";
/// The counts of one kernel, in the order of `COLUMNS`.
pub(super) type Counts = [usize; COLUMNS.len()];

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    /// The compiler of a build of the test profile that is not incremental, as CI's are; `None` if it
    /// can't be told, or for another build.
    pub(super) compiler: Option<String>,
    /// The counts of each kernel, by its name.
    pub(super) kernels: BTreeMap<String, Counts>,
}

impl Record {
    /// Panics if this record differs from the recorded one, unless asked to replace that.
    pub(super) fn check_or_write(&self) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/census/recorded.txt");
        let file = path.display();
        if std::env::var_os("MANYHASH_RECORD_CENSUS").is_some_and(|value| value == "1") {
            assert!(
                self.compiler.is_some(),
                "{file} is for builds of the test profile that are not incremental, by a compiler that can be told"
            );
            std::fs::write(&path, self.to_string()).unwrap_or_else(|error| panic!("{file}: {error}"));
            println!("recorded {} kernels in {file}", self.kernels.len());
            return;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}\nTo record: {AGAIN}"));
        let recorded = Self::parse(&text).unwrap_or_else(|why| panic!("{file}: {why}\nTo record again: {AGAIN}"));
        if !self.is_comparable(&recorded) {
            let compiler = |record: &Self| {
                record.compiler.clone().unwrap_or("an unknown compiler, or incrementally, or not for the test profile".to_owned())
            };
            println!("recorded with {}, built with {}: growth up to {PERCENT_ELSEWHERE} % passes", compiler(&recorded), compiler(self));
        }
        let changes = self.changes_since(&recorded);
        assert!(changes.is_empty(), "not as in {file}:\n{}\nIf all of it is meant, record again: {AGAIN}", changes.join("\n"));
    }

    fn is_comparable(&self, other: &Self) -> bool {
        self.compiler.is_some() && self.compiler == other.compiler
    }

    /// Lists what should be reviewed, one line for each change.
    fn changes_since(&self, recorded: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        for name in recorded.kernels.keys().filter(|name| !self.kernels.contains_key(*name)) {
            changes.push(format!("{name}: recorded, but there is no such kernel"));
        }
        let is_comparable = self.is_comparable(recorded);
        let (percent, few) = if is_comparable { (PERCENT, FEW) } else { (PERCENT_ELSEWHERE, FEW_ELSEWHERE) };
        for (name, found) in &self.kernels {
            let Some(recorded) = recorded.kernels.get(name) else {
                changes.push(format!("{name}: not recorded"));
                continue;
            };
            for ((column, recorded), found) in COLUMNS.iter().zip(recorded).zip(found) {
                let few = if is_comparable && *column == CALLS { 0 } else { few };
                let passes = few.max(recorded * percent / 100);
                let most = recorded + passes;
                if *found > most {
                    changes.push(format!("{name}: {recorded} {column} recorded, {found} found, at most {most} pass"));
                } else if is_comparable && found + passes < *recorded {
                    changes.push(format!("{name}: {recorded} {column} recorded, {found} found: an improvement, to be recorded"));
                }
            }
        }
        changes
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut record = Self { compiler: None, kernels: BTreeMap::new() };
        for (index, line) in text.lines().enumerate() {
            if let Some(compiler) = line.strip_prefix(COMPILER) {
                record.compiler = Some(compiler.to_owned());
            } else if !line.starts_with('#') {
                let (name, counts) = kernel(line).ok_or_else(|| format!("line {}: not a kernel's name and counts: {line}", index + 1))?;
                if record.kernels.insert(name, counts).is_some() {
                    return Err(format!("line {}: recorded twice: {line}", index + 1));
                }
            }
        }
        Ok(record)
    }
}

/// Parses a kernel's line: a name, which may have spaces, and counts.
fn kernel(line: &str) -> Option<(String, Counts)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (name, fields) = words.split_last_chunk::<{ COLUMNS.len() }>()?;
    let mut counts = Counts::default();
    for (count, field) in counts.iter_mut().zip(fields) {
        *count = field.parse().ok()?;
    }
    (!name.is_empty()).then(|| (name.join(" "), counts))
}

impl fmt::Display for Record {
    fn fmt(&self, file: &mut fmt::Formatter) -> fmt::Result {
        write!(
            file,
            "# The census of every kernel, which its test compares with. Made, and to be made again, by\n\
             #     {AGAIN}\n\
             # for builds of the test profile that are not incremental, as CI's are; the code of others differs a little.\n\
             # instructions: of the whole function, each counted once however often it runs\n\
             # spills: loads from and stores to the stack, arrays among them\n\
             # calls: of functions that do more than panic\n"
        )?;
        if let Some(compiler) = &self.compiler {
            writeln!(file, "{COMPILER}{compiler}")?;
        }
        let heading = "# kernel";
        let width = self.kernels.keys().map(String::len).max().unwrap_or(0).max(heading.len());
        writeln!(file, "{heading:width$}{}", COLUMNS.map(|column| format!("  {column}")).concat())?;
        for (name, counts) in &self.kernels {
            write!(file, "{name:width$}")?;
            for (column, count) in COLUMNS.iter().zip(counts) {
                write!(file, "  {count:>width$}", width = column.len())?;
            }
            writeln!(file)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record<const N: usize>(compiler: Option<&str>, kernels: [(&str, Counts); N]) -> Record {
        let kernels = kernels.map(|(name, counts)| (name.to_owned(), counts)).into();
        Record { compiler: compiler.map(str::to_owned), kernels }
    }

    #[test]
    fn reads_what_it_writes() {
        let written = record(Some("rustc version 1"), [("sha1/avx2", [2000, 400, 0]), ("sha512/avx512x2 short", [5000, 40, 10])]);
        assert_eq!(Record::parse(&written.to_string()), Ok(written));
    }

    #[test]
    fn refuses_lines_it_cannot_read() {
        for (text, why) in [
            ("# heading\nsha1/avx2 1 2", "line 2: not a kernel's name and counts: sha1/avx2 1 2"),
            ("1 2 3", "line 1: not a kernel's name and counts: 1 2 3"),
            ("sha1/avx2 1 2 -3", "line 1: not a kernel's name and counts: sha1/avx2 1 2 -3"),
            ("sha1/avx2 1 2 3\nsha1/avx2 1 2 3", "line 2: recorded twice: sha1/avx2 1 2 3"),
        ] {
            assert_eq!(Record::parse(text), Err(why.to_owned()));
        }
    }

    #[test]
    fn says_what_changed() {
        let changes = |compiler, counts| {
            record(compiler, [("a/b", counts)]).changes_since(&record(Some("rustc version 1"), [("a/b", [1000, 20, 1])]))
        };
        let same = Some("rustc version 1");
        for counts in [[1050, 28, 1], [950, 12, 1]] {
            assert_eq!(changes(same, counts), [""; 0], "{counts:?}");
        }
        let grown = [
            "a/b: 1000 instructions recorded, 1051 found, at most 1050 pass",
            "a/b: 20 spills recorded, 29 found, at most 28 pass",
            "a/b: 1 calls recorded, 2 found, at most 1 pass",
        ];
        assert_eq!(changes(same, [1051, 29, 2]), grown);
        let fallen = [
            "a/b: 1000 instructions recorded, 949 found: an improvement, to be recorded",
            "a/b: 20 spills recorded, 11 found: an improvement, to be recorded",
            "a/b: 1 calls recorded, 0 found: an improvement, to be recorded",
        ];
        assert_eq!(changes(same, [949, 11, 0]), fallen);
        for elsewhere in [None, Some("rustc version 2")] {
            assert_eq!(changes(elsewhere, [1250, 52, 33]), [""; 0]);
            assert_eq!(changes(elsewhere, [0, 0, 0]), [""; 0]);
            assert_eq!(changes(elsewhere, [1251, 20, 1]), ["a/b: 1000 instructions recorded, 1251 found, at most 1250 pass"]);
        }
    }

    #[test]
    fn names_kernels_that_came_or_went() {
        for compiler in [None, Some("rustc version 1")] {
            let changes = record(compiler, [("new/b", [1; 3])]).changes_since(&record(compiler, [("old/b", [1; 3])]));
            assert_eq!(changes, ["old/b: recorded, but there is no such kernel", "new/b: not recorded"]);
        }
    }
}
