//! The kinds of lengths that the messages of a cell have.

use manyhash_measure::Random;

const KIB: usize = 1 << 10;

/// The lengths of constant kinds, in bytes.
const CONSTANT_BYTES: [usize; 8] = [0, 20, 64, 200, KIB, 4 * KIB, 16 * KIB, 64 * KIB];
/// The mean of a log-normal length's logarithm.
const MU: [u8; 5] = [5, 6, 7, 8, 9];
/// Twice the deviation of a log-normal length's logarithm.
const TWICE_SIGMA: [u8; 4] = [1, 2, 3, 4];
/// The one long message among short ones.
const GIANT_BYTES: usize = 1 << 20;
/// The longest of lengths that fall with the rank; the second has half of it, the third a third.
const ZIPF_BYTES: usize = 256 * KIB;

/// How long the messages of a cell are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// All have this many bytes.
    Constant(usize),
    /// exp(mu + sigma x gauss) + 1.
    LogNormal { mu: u8, twice_sigma: u8 },
    /// From 1 to 8 KiB, each as likely.
    Uniform,
    /// Of every two messages, one has 16 to 64 bytes and one 8 to 16 KiB.
    Half,
    /// One message of 1 MiB, the others of 16 to 64 bytes.
    Giant,
    /// The r-th longest has 256 KiB / r.
    Zipf,
}

impl Lengths {
    /// Every kind, in the order of the tables.
    pub fn all() -> Vec<Self> {
        let log_normal = MU.into_iter().flat_map(|mu| TWICE_SIGMA.map(|twice_sigma| Self::LogNormal { mu, twice_sigma }));
        let constant = CONSTANT_BYTES.into_iter().map(Self::Constant);
        constant.chain(log_normal).chain([Self::Uniform, Self::Half, Self::Giant, Self::Zipf]).collect()
    }

    /// As tables and `--lengths` call it: "1KiB", "ln8-1.5", "giant".
    pub fn name(self) -> String {
        match self {
            Self::Constant(bytes) if bytes < KIB => format!("{bytes}B"),
            Self::Constant(bytes) => format!("{}KiB", bytes / KIB),
            Self::LogNormal { mu, twice_sigma } => format!("ln{mu}-{}", f64::from(twice_sigma) / 2.0),
            Self::Uniform => "uniform".into(),
            Self::Half => "half".into(),
            Self::Giant => "giant".into(),
            Self::Zipf => "zipf".into(),
        }
    }

    /// Whether messages differ in length.
    pub fn are_ragged(self) -> bool {
        !matches!(self, Self::Constant(_))
    }

    /// The fewest messages this kind means something for.
    pub fn least_messages(self) -> usize {
        if matches!(self, Self::Half | Self::Giant) { 2 } else { 1 }
    }

    /// The lengths of `messages` messages, in random order; the same in every run. Another number
    /// of messages is another draw.
    pub fn draw(self, messages: usize) -> Vec<usize> {
        let kind = Self::all().iter().position(|&kind| kind == self).unwrap_or_default();
        let mut random = Random::new((messages * 64 + kind) as u64);
        let short = |random: &mut Random| between(random, 16, 64);
        let mut lengths: Vec<usize> = (0..messages)
            .map(|i| match self {
                Self::Constant(bytes) => bytes,
                Self::LogNormal { mu, twice_sigma } => (f64::from(mu) + f64::from(twice_sigma) / 2.0 * random.normal()).exp() as usize + 1,
                Self::Uniform => between(&mut random, KIB, 8 * KIB),
                Self::Half if i % 2 == 1 => between(&mut random, 8 * KIB, 16 * KIB),
                Self::Giant if i == 0 => GIANT_BYTES,
                Self::Half | Self::Giant => short(&mut random),
                Self::Zipf => ZIPF_BYTES / (i + 1),
            })
            .collect();
        random.shuffle(&mut lengths);
        lengths
    }
}

/// From `least` to `most`, both included.
fn between(random: &mut Random, least: usize, most: usize) -> usize {
    least + random.below(most - least + 1)
}
