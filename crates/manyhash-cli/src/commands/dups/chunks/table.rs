//! The table of what de-duplication would save, as text or JSON in the formats of `DUPS.md`.

use super::units::Folder;
use crate::flags::Chunking;
use crate::text::escapes::{escape, needs_escape};
use crate::text::json_name::JsonName;
use indicatif::DecimalBytes;
use manyhash::AnyAlgorithm;
use manyhash_files::file_name;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Count {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) chunks: u64,
    /// The chunks that came before, in these files or in others.
    pub(crate) repeated_chunks: u64,
    /// The bytes of repeated chunks, which need not be stored.
    pub(crate) saved_bytes: u64,
}

impl Count {
    fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.chunks += other.chunks;
        self.repeated_chunks += other.repeated_chunks;
        self.saved_bytes += other.saved_bytes;
    }

    /// Limits estimates, which may exceed the total.
    fn clamped(mut self) -> Self {
        self.repeated_chunks = self.repeated_chunks.min(self.chunks);
        self.saved_bytes = self.saved_bytes.min(self.bytes);
        self
    }
}

/// The values in the last JSON object beside the counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    pub(crate) chunking: Chunking,
    pub(crate) algorithm: AnyAlgorithm,
    /// The number of files that could not be read, or changed meanwhile.
    pub(crate) unreadable: u64,
    /// One of this number of distinct chunks was kept. If it is more than 1, repeats are estimates.
    pub(crate) sampled: u64,
}

/// The lines of the output: one for each folder with all that is below it, and one for all.
pub(crate) struct Table {
    lines: Vec<(Folder, Count)>,
    total: Count,
}

impl Table {
    /// Creates the table of `folders`, whose `counts` do not contain those of folders below them.
    #[expect(clippy::indexing_slicing, reason = "there is a count for each folder, and a parent is one of the folders")]
    pub(crate) fn new(folders: Vec<Folder>, mut counts: Vec<Count>) -> Self {
        counts.resize(folders.len(), Count::default());
        let mut total = Count::default();
        counts.iter().for_each(|count| total.add(count));
        // A folder comes after the one that it is in.
        for (number, folder) in folders.iter().enumerate().rev() {
            if let Some(parent) = folder.parent {
                let count = counts[number];
                counts[parent].add(&count);
            }
        }
        let mut lines: Vec<_> = folders.into_iter().zip(counts.into_iter().map(Count::clamped)).collect();
        lines.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        Self { lines, total: total.clamped() }
    }

    pub(crate) fn write_text(&self, out: &mut impl Write, about: &About) -> io::Result<()> {
        writeln!(out, "{:>10} {:>12} {:>12} {:>12} {:>7}  {about}", "FILES", "CHUNKS", "BYTES", "SAVED", "SAVED", about = about.chunking)?;
        for (folder, count) in &self.lines {
            let name = &file_name::bytes_of(&folder.path);
            let mut escaped = Vec::new();
            if needs_escape(name) {
                escaped.push(b'\\');
            }
            escape(name, &mut escaped);
            write_line(out, count, &escaped)?;
        }
        write_line(out, &self.total, b"(total)")?;
        if about.sampled > 1 {
            writeln!(out, "SAVED is an estimate: of {} distinct chunks one was kept in memory.", about.sampled)?;
        }
        out.flush()
    }

    pub(crate) fn write_json(&self, out: &mut impl Write, about: &About) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            #[serde(flatten)]
            name: JsonName<'a>,
            #[serde(flatten)]
            count: Count,
        }
        #[derive(Serialize)]
        struct Summary {
            chunks_by: String,
            algorithm: &'static str,
            #[serde(flatten)]
            count: Count,
            unreadable: u64,
            sampled: u64,
        }
        #[derive(Serialize)]
        struct Last {
            summary: Summary,
        }
        for (folder, count) in &self.lines {
            let name = file_name::bytes_of(&folder.path);
            let line = Line { name: JsonName::of(&name), count: *count };
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        }
        let About { chunking, algorithm, unreadable, sampled } = *about;
        let summary = Summary { chunks_by: chunking.to_string(), algorithm: algorithm.name(), count: self.total, unreadable, sampled };
        serde_json::to_writer(&mut *out, &Last { summary })?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

fn write_line(out: &mut impl Write, count: &Count, name: &[u8]) -> io::Result<()> {
    let percent = if count.bytes == 0 { 0.0 } else { 100.0 * count.saved_bytes as f64 / count.bytes as f64 };
    let [bytes, saved] = [count.bytes, count.saved_bytes].map(|bytes| DecimalBytes(bytes).to_string());
    write!(out, "{:>10} {:>12} {bytes:>12} {saved:>12} {percent:>6.1}%  ", count.files, count.chunks)?;
    out.write_all(name)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_count_what_is_below_them_and_the_total_counts_all_once() {
        let folder = |path: &str, parent| Folder { path: path.into(), parent };
        let count = |bytes, saved_bytes| Count { files: 1, bytes, chunks: 2, repeated_chunks: 1, saved_bytes };
        let folders = vec![folder("t", None), folder("t/a", Some(0)), folder("t/a/b", Some(1)), folder("s", None)];
        let table = Table::new(folders, vec![count(1, 0), count(10, 5), count(100, 50)]);
        let lines: Vec<_> =
            table.lines.iter().map(|(folder, count)| (folder.path.to_str().unwrap(), count.bytes, count.saved_bytes)).collect();
        assert_eq!(lines, [("s", 0, 0), ("t", 111, 55), ("t/a", 110, 55), ("t/a/b", 100, 50)]);
        assert_eq!(table.total, Count { files: 3, bytes: 111, chunks: 6, repeated_chunks: 3, saved_bytes: 55 });
    }
}
