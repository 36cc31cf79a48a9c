//! What is hashed: the sets of messages, by the letters METHODOLOGY.md lists, and where they lie in
//! memory.

use anyhow::Result;
use manyhash_measure::{Buffer, PaperSizes, Random};
use serde::Serialize;

/// Messages start on a cache line: the unit every set of lanes loads.
pub const LINE_BYTES: usize = 64;
/// `--quick` divides the sets of whole files by this.
const QUICK_DIVISOR: usize = 32;

/// Where the messages lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Every message starts at a multiple of 64 bytes.
    Aligned,
    /// Messages lie as if aligned, but every address is 16 bytes later: where an allocator puts a
    /// large buffer of its own.
    Offset16,
}

impl Placement {
    /// Both, in the order of the tables.
    pub const ALL: [Self; 2] = [Self::Aligned, Self::Offset16];

    fn offset_bytes(self) -> usize {
        match self {
            Self::Aligned => 0,
            Self::Offset16 => 16,
        }
    }

    /// As the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aligned => "aligned",
            Self::Offset16 => "offset 16",
        }
    }
}

/// A set of messages: their places in a buffer, in the order they are submitted.
pub struct Workload {
    /// Some letters and digits.
    pub name: &'static str,
    /// What the letters stand for.
    pub description: &'static str,
    /// Start and length in bytes of every message.
    spans: Vec<(usize, usize)>,
}

impl Workload {
    /// `messages` messages of `bytes` bytes. `stride_bytes`: from one message's start to the
    /// next's; rounded up to a whole line.
    pub fn equal(name: &'static str, description: &'static str, messages: usize, bytes: usize, stride_bytes: usize) -> Self {
        let stride = stride_bytes.next_multiple_of(LINE_BYTES);
        Self { name, description, spans: (0..messages).map(|i| (i * stride, bytes)).collect() }
    }

    /// One after the other, each on a line of its own.
    fn ragged(name: &'static str, description: &'static str, sizes: impl IntoIterator<Item = usize>) -> Self {
        let mut end = 0usize;
        let spans = sizes.into_iter().map(|bytes| {
            let start = end.next_multiple_of(LINE_BYTES);
            end = start + bytes;
            (start, bytes)
        });
        Self { name, description, spans: spans.collect() }
    }

    /// How many there are.
    pub fn messages(&self) -> usize {
        self.spans.len()
    }

    /// The sum of the messages' lengths.
    pub fn bytes(&self) -> usize {
        self.spans.iter().map(|&(_, bytes)| bytes).sum()
    }

    /// A buffer large enough for either placement.
    pub fn buffer(&self) -> Result<Buffer> {
        let end = self.spans.iter().map(|&(start, bytes)| start + bytes).max().unwrap_or(0);
        Buffer::new(end + LINE_BYTES, 1)
    }

    /// The messages, in `buffer`, in the order they are submitted.
    pub fn slices<'a>(&self, buffer: &'a Buffer, placement: Placement) -> Vec<&'a [u8]> {
        let bytes = &buffer.bytes()[placement.offset_bytes()..];
        self.spans.iter().map(|&(start, length)| &bytes[start..start + length]).collect()
    }
}

/// Every workload. `quick` shrinks g, gs and h.
pub fn all(quick: bool) -> Result<Vec<Workload>> {
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    let shrunk = |bytes: usize| {
        if quick { bytes.div_ceil(QUICK_DIVISOR) } else { bytes }
    };
    let paper = PaperSizes::read()?;
    let mut random = Random::new(2);
    let mut diverse: Vec<usize> = paper.diverse_bytes.into_iter().map(shrunk).collect();
    random.shuffle(&mut diverse);
    let short: Vec<usize> = (0..4096).map(|_| 32 + random.below(200 - 32 + 1)).collect();
    let uniform = vec![shrunk(paper.uniform.bytes_each); paper.uniform.files];

    let g = Workload::ragged("g", "DIVERSE: 350 files of 3 B to 7.5 MB, random order", diverse);
    let mut longest_first = g.spans.clone();
    longest_first.sort_by_key(|&(_, bytes)| std::cmp::Reverse(bytes));
    let gs = Workload { name: "gs", description: "DIVERSE, longest first", spans: longest_first };
    let mut workloads = vec![
        Workload::equal("a", "4 x 4 KiB", 4, 4 * KIB, 4 * KIB),
        Workload::equal("b", "64 x 4 KiB", 64, 4 * KIB, 4 * KIB),
        Workload::equal("bs", "64 x 4 KiB, stride 4160 B", 64, 4 * KIB, 4160),
        Workload::equal("k", "32 x 16 KiB, stride 16448 B", 32, 16 * KIB, 16448),
        Workload::equal("c", "512 x 4 KiB", 512, 4 * KIB, 4 * KIB),
        Workload::equal("d", "8192 x 4 KiB", 8192, 4 * KIB, 4 * KIB),
        Workload::equal("e", "1024 x 64 B", 1024, 64, 64),
        Workload::ragged("f", "4096 x 32 to 200 B", short),
        g,
        gs,
        Workload::ragged("h", "UNIFORM: 8 x 18.6 MB", uniform),
        Workload::equal("i", "one message of 8 KiB", 1, 8 * KIB, 8 * KIB),
        Workload::equal("j", "one message of 1 MiB", 1, MIB, MIB),
        Workload::ragged("q2", "2 messages: 100 and 40 B", [100, 40]),
        Workload::ragged("q3", "3 messages: 30, 90 and 150 B", [30, 90, 150]),
        Workload::ragged("r3", "3 messages: 1000, 1500 and 400 B", [1000, 1500, 400]),
    ];
    workloads.extend(log_normal());
    Ok(workloads)
}

/// Messages as files and requests have them: ordinary numbers of ordinary lengths, of which no two
/// need be equal. The logarithm of a length has a normal distribution.
fn log_normal() -> impl Iterator<Item = Workload> {
    let named = [
        ("n100-6", "100 log-normal messages, mu 6, sigma 0.5", 100, 6.0, 0.5),
        ("n100-6w", "100 log-normal messages, mu 6, sigma 1", 100, 6.0, 1.0),
        ("n100-8", "100 log-normal messages, mu 8, sigma 0.5", 100, 8.0, 0.5),
        ("n100-8w", "100 log-normal messages, mu 8, sigma 1", 100, 8.0, 1.0),
        ("n400-6", "400 log-normal messages, mu 6, sigma 0.5", 400, 6.0, 0.5),
        ("n400-6w", "400 log-normal messages, mu 6, sigma 1", 400, 6.0, 1.0),
        ("n400-8", "400 log-normal messages, mu 8, sigma 0.5", 400, 8.0, 0.5),
        ("n400-8w", "400 log-normal messages, mu 8, sigma 1", 400, 8.0, 1.0),
        ("n2k-6", "2000 log-normal messages, mu 6, sigma 0.5", 2000, 6.0, 0.5),
        ("n2k-6w", "2000 log-normal messages, mu 6, sigma 1", 2000, 6.0, 1.0),
        ("n2k-8", "2000 log-normal messages, mu 8, sigma 0.5", 2000, 8.0, 0.5),
        ("n2k-8w", "2000 log-normal messages, mu 8, sigma 1", 2000, 8.0, 1.0),
    ];
    named.into_iter().map(|(name, description, messages, mu, sigma)| {
        let mut random = Random::new(messages as u64);
        Workload::ragged(name, description, (0..messages).map(|_| (mu + sigma * random.normal()).exp() as usize + 1))
    })
}

/// The workloads of tags.
pub fn tagged() -> Result<Vec<Workload>> {
    let mut workloads = all(true)?;
    workloads.retain(|workload| ["b", "bs", "k", "e", "f"].contains(&workload.name));
    workloads.push(Workload::equal("l", "4096 x 200 B", 4096, 200, 200));
    Ok(workloads)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Workload {
        all(false).unwrap().into_iter().find(|w| w.name == name).unwrap()
    }

    #[test]
    fn shapes_are_as_defined() {
        let all = all(false).unwrap();
        let shapes: Vec<(&str, usize, usize)> = all[..13].iter().map(|w| (w.name, w.spans.len(), w.bytes())).collect();
        let f_bytes = shapes[7].2;
        assert_eq!(
            shapes,
            [
                ("a", 4, 4 * 4096),
                ("b", 64, 64 * 4096),
                ("bs", 64, 64 * 4096),
                ("k", 32, 32 * 16384),
                ("c", 512, 512 * 4096),
                ("d", 8192, 8192 * 4096),
                ("e", 1024, 1024 * 64),
                ("f", 4096, f_bytes),
                ("g", 350, 82_833_129),
                ("gs", 350, 82_833_129),
                ("h", 8, 8 * 18_623_835),
                ("i", 1, 8192),
                ("j", 1, 1 << 20),
            ]
        );
        let f = named("f");
        assert_eq!(f.spans.iter().map(|s| s.1).min(), Some(32));
        assert_eq!(f.spans.iter().map(|s| s.1).max(), Some(200));
    }

    #[test]
    fn log_normal_lengths_have_the_median_that_they_say() {
        for workload in log_normal() {
            let mut lengths: Vec<usize> = workload.spans.iter().map(|&(_, bytes)| bytes).collect();
            lengths.sort_unstable();
            let mu = if workload.name.contains("-6") { 6.0_f64 } else { 8.0 };
            let off = (lengths[lengths.len() / 2] as f64).ln() - mu;
            assert!(off.abs() < 0.3, "{}: {off}", workload.name);
        }
    }

    #[test]
    fn strides_are_as_defined() {
        for (name, stride) in [("b", 4096), ("bs", 4160), ("k", 16448), ("e", 64)] {
            let spans = named(name).spans;
            assert_eq!(spans[1].0 - spans[0].0, stride, "{name}");
        }
    }

    #[test]
    fn both_placements_are_where_they_say() {
        for workload in all(true).unwrap() {
            let buffer = workload.buffer().unwrap();
            for (placement, remainder) in [(Placement::Aligned, 0), (Placement::Offset16, 16)] {
                for message in workload.slices(&buffer, placement) {
                    assert_eq!(message.as_ptr() as usize % LINE_BYTES, remainder, "{}", workload.name);
                }
            }
        }
    }

    #[test]
    fn longest_first_is_the_same_set() {
        let (mut g, gs) = (named("g").spans, named("gs").spans);
        assert!(gs.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        assert_ne!(g, gs);
        g.sort_by_key(|&(_, bytes)| std::cmp::Reverse(bytes));
        assert_eq!(g, gs);
    }
}
