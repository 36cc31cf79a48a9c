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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let mut names: Vec<String> = Lengths::all().into_iter().map(Lengths::name).collect();
        assert_eq!(names.len(), 8 + 5 * 4 + 4);
        assert_eq!(names[..9], ["0B", "20B", "64B", "200B", "1KiB", "4KiB", "16KiB", "64KiB", "ln5-0.5"]);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 32);
    }

    #[test]
    fn lengths_are_drawn_as_many_as_messages_and_the_same_every_time() {
        for lengths in Lengths::all() {
            for messages in [1, 2, 100] {
                let drawn = lengths.draw(messages);
                assert_eq!(drawn.len(), messages);
                assert_eq!(drawn, lengths.draw(messages));
            }
            assert_eq!(lengths.are_ragged(), lengths.draw(100).iter().any(|&bytes| bytes != lengths.draw(100)[0]), "{}", lengths.name());
        }
    }

    #[test]
    fn log_normal_lengths_have_the_mean_and_deviation_that_they_say() {
        for mu in MU {
            for twice_sigma in TWICE_SIGMA {
                let drawn = Lengths::LogNormal { mu, twice_sigma }.draw(20_000);
                let logarithms: Vec<f64> = drawn.iter().map(|&bytes| (bytes as f64).ln()).collect();
                let mean = logarithms.iter().sum::<f64>() / 20_000.0;
                let deviation = (logarithms.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0).sqrt();
                // One byte is added, which shows in the shortest.
                assert!((mean - f64::from(mu)).abs() < 0.05, "ln{mu}-{twice_sigma}/2: {mean}");
                assert!((deviation - f64::from(twice_sigma) / 2.0).abs() < 0.05, "ln{mu}-{twice_sigma}/2: {deviation}");
            }
        }
    }

    #[test]
    fn the_other_kinds_are_what_they_say() {
        let within = |lengths: Lengths, least: usize, most: usize| {
            let drawn = lengths.draw(500);
            drawn.into_iter().filter(|bytes| (least..=most).contains(bytes)).count()
        };
        assert_eq!(within(Lengths::Uniform, KIB, 8 * KIB), 500);
        assert_eq!((within(Lengths::Half, 16, 64), within(Lengths::Half, 8 * KIB, 16 * KIB)), (250, 250));
        assert_eq!((within(Lengths::Giant, 16, 64), within(Lengths::Giant, GIANT_BYTES, GIANT_BYTES)), (499, 1));
        let mut zipf = Lengths::Zipf.draw(500);
        zipf.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!((zipf[0], zipf[1], zipf[2], zipf[499]), (262_144, 131_072, 87_381, 524));
        assert_eq!(Lengths::Half.draw(2).into_iter().filter(|&bytes| bytes > 64).count(), 1);
    }
}
