//! Gueron 2013: "A j-lanes tree hashing mode and j-lanes SHA-256": one message, linear and in j lanes.

use anyhow::Result;
use manyhash::{Sha1, Sha256, Sha512};

use crate::aciicmez_2004::subject::Subject;
use crate::claims::Metrics;
use crate::contestants::{
    AVX_SCALAR, BEST_THEN, LANES_THEN, OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_THEN, OPENSSL_TODAY, OWN_SCALAR_ROUNDS, PAPERS_LANES, Raced,
    Who,
};
use crate::measured::{Measured, thousands};
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::rows::{Kind, LEAST, MEDIAN, TIMES};
use crate::session::Session;

pub mod over_linear;
pub mod updates;

/// Linear code with SHA extensions that is not OpenSSL's.
const OWN_SHA_NI: Who = Who::Backend("sha-ni");
/// All linear code: of the paper's time, and of later.
const LINEAR: [Who; 8] =
    [OPENSSL_SCALAR, BEST_THEN[0], BEST_THEN[1], AVX_SCALAR, OPENSSL_N_SMS, OPENSSL_TODAY, OWN_SCALAR_ROUNDS, OWN_SHA_NI];
/// j-lanes as manyhash does it unless told otherwise, for every j that is measured.
pub const CHOICES: [Who; 4] = [Who::Choice(4), Who::Choice(8), Who::Choice(16), Who::Choice(32)];
/// The paper's three, in the registers that it had.
const PAPERS: [Who; 3] = [PAPERS_LANES, Who::Lanes(8, "avx"), Who::Lanes(16, "avx")];
/// The same without the encodings and byte shuffles of AVX.
const PAPERS_BY_SSE2: [Who; 3] = [LANES_THEN[1], Who::Lanes(8, "sse2"), Who::Lanes(16, "sse2")];
/// What the paper expects of AVX2.
const AVX2: Who = Who::Lanes(8, "avx2");
/// As many lanes as later registers have words, and SHA extensions with messages interleaved.
const LATER: [Who; 9] = [
    Who::Lanes(4, "avx512-128"),
    Who::Lanes(4, "sha-ni-x4"),
    Who::Lanes(4, "sha-ni-sms-x4"),
    FORCED,
    AVX2,
    Who::Lanes(8, "avx512-256"),
    Who::Lanes(16, "avx512"),
    Who::Lanes(16, "avx512-lean"),
    Who::Lanes(32, "avx512x2"),
];
/// 4 lanes in vectors of 4 words as the engine does best on CPUs with SHA extensions and AVX-512.
const FORCED: Who = Who::Lanes(4, "sha-ni-sms256-x4");

/// Calls before anything is timed: the paper's 25,000, but no more than hash as much as these do of
/// 8 KiB.
fn warm_up_calls(bytes: usize) -> u64 {
    (25_000 * 8192 / bytes.max(1) as u64).min(25_000)
}

/// All of `field` hash a message of `bytes` bytes, linear or in j lanes.
fn race<S: Subject>(session: &Session, bytes: usize, field: &[Who]) -> Result<Raced> {
    Raced::of::<S>(session, field, &Layout::equal(1, bytes), warm_up_calls(bytes))
}

fn name(who: Who) -> String {
    who.name::<Sha256>()
}

fn names(all: &[Who]) -> Vec<String> {
    all.iter().map(|who| name(*who)).collect()
}

/// "8 KiB".
pub fn length(bytes: usize) -> String {
    if bytes.is_multiple_of(1 << 20) { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

impl Figure {
    /// Everybody of a race of SHA-256 beside the paper, also by how many times as fast they are as
    /// OpenSSL, with a picture of some.
    fn message(&mut self, raced: &Raced, paper: &[(Who, f64)], shown: &[Who]) {
        let (length, bytes) = (length(raced.bytes()), raced.bytes());
        let set = format!("SHA-256 of a message of {length}");
        let at = (set.as_str(), length.as_str());
        self.raced::<Sha256>(at, raced, paper);
        for (who, _) in &raced.rows {
            self.put(at, name(*who), "Updates", who.source(), updates::of_j_lanes(bytes, who.j()) as f64);
        }
        self.over::<Sha256>(at, raced, &[OPENSSL_SCALAR, OPENSSL_THEN, OPENSSL_N_SMS, OPENSSL_TODAY]);
        self.picture(&set, if paper.is_empty() { MEDIAN } else { LEAST }, Kind::Bars, &names(shown));
    }
}

impl Metrics {
    /// In each of these races, how many times as fast as the fastest of `base` the fastest of `of`
    /// is.
    fn speed_ups<'a>(&mut self, metric: &'static str, races: impl IntoIterator<Item = &'a Raced>, of: &[Who], base: &[Who]) {
        let compared = |raced: &Raced| {
            let names = raced.fastest(of).zip(raced.fastest(base)).map(|(one, other)| format!("{} over {}", name(one.0), name(other.0)));
            (format!("at {}, {}", length(raced.bytes()), names.unwrap_or_default()), raced.speed_up(of, base))
        };
        self.each(metric, races.into_iter().map(compared));
    }
}

/// Linear code, and the same over 4 slices.
const PAIRS: [(Who, Who); 6] = [
    (OPENSSL_SCALAR, Who::Over(4, &OPENSSL_SCALAR)),
    (OPENSSL_THEN, Who::Over(4, &OPENSSL_THEN)),
    (OPENSSL_N_SMS, Who::Over(4, &OPENSSL_N_SMS)),
    (OPENSSL_TODAY, Who::Over(4, &OPENSSL_TODAY)),
    (OWN_SCALAR_ROUNDS, Who::Over(4, &OWN_SCALAR_ROUNDS)),
    (OWN_SHA_NI, Who::Over(4, &OWN_SHA_NI)),
];

/// Figure 1: an 8 KiB message by linear SHA-256, by 4 lanes over the same linear code, and by 4
/// lanes in vectors.
pub fn figure_1(session: &Session) -> Result<Figure> {
    const BYTES: usize = 8192;
    let lanes = [BEST_THEN[1], AVX_SCALAR, PAPERS_LANES, LANES_THEN[1], Who::Lanes(4, "avx512-128"), CHOICES[0]];
    let field: Vec<Who> = PAIRS.iter().flat_map(|pair| [pair.0, pair.1]).chain(lanes).collect();
    let raced = race::<Sha256>(session, BYTES, &field)?;
    let mut figure = Figure::default();
    figure.message(&raced, &[(PAIRS[0].0, 12.87), (PAIRS[0].1, 13.57), (PAPERS_LANES, 5.25)], &field);
    let at = ("8 KiB: how many times as fast as OpenSSL scalar, beside the paper", "8 KiB");
    figure.ratio::<Sha256>(at, &raced, [&[PAIRS[0].1], &[OPENSSL_SCALAR]], Some(12.87 / 13.57));
    figure.ratio::<Sha256>(at, &raced, [&LANES_THEN, &[OPENSSL_SCALAR]], Some(2.45));
    let pairs = PAIRS.iter().filter_map(|(linear, over)| Some((format!("of {}", name(*linear)), Some(raced.over(*over, *linear)?))));
    figure.metrics.each("4 slices over linear code", pairs);
    figure.metrics.speed_ups("4 lanes over OpenSSL scalar", [&raced], &LANES_THEN, &[OPENSSL_SCALAR]);
    figure.metrics.speed_ups("4 lanes over n-SMS", [&raced], &LANES_THEN, &BEST_THEN);
    Ok(figure)
}

/// Figure 2: the choice of j, for 8 KiB and 128 KiB.
pub fn figure_2(session: &Session) -> Result<Figure> {
    let lengths = [8 << 10, 128 << 10];
    let field: Vec<Who> = LINEAR.into_iter().chain(PAPERS).chain(PAPERS_BY_SSE2).chain(LATER).chain(CHOICES).collect();
    let mut figure = Figure::default();
    let shown: Vec<Who> =
        [OPENSSL_SCALAR, OPENSSL_THEN, OPENSSL_N_SMS, OPENSSL_TODAY].into_iter().chain(PAPERS).chain([AVX2]).chain(CHOICES).collect();
    let races = [race::<Sha256>(session, lengths[0], &field)?, race::<Sha256>(session, lengths[1], &field)?];
    races.iter().for_each(|raced| figure.message(raced, &[], &shown));
    let [short, long] = &races;
    // Judged by AVX where the CPU has it.
    let papers = if short.get(PAPERS[0]).is_some() { PAPERS } else { PAPERS_BY_SSE2 };
    let metrics = &mut figure.metrics;
    metrics.speed_ups("4 lanes over 16 at 8 KiB", [short], &papers[..1], &papers[2..]);
    metrics.each("8, 16 lanes over n-SMS", papers[1..].iter().map(|who| (name(*who), short.speed_up(&[*who], &BEST_THEN))));
    metrics.each("slowest over fastest", races.iter().map(|raced| (format!("at {}", length(raced.bytes())), spread(raced, &papers))));
    metrics.speed_ups("4 lanes over 8, 16", &races, &papers[..1], &papers[1..]);
    metrics.speed_ups("AVX2 over 4 lanes", [long], &[AVX2], &LANES_THEN);
    Ok(figure)
}

/// How many times the time of the fastest of some the slowest takes.
fn spread(raced: &Raced, of: &[Who]) -> Option<f64> {
    let ns: Vec<f64> = of.iter().map(|who| raced.value(*who, Measured::median_ns)).collect::<Option<_>>()?;
    Some(ns.iter().copied().fold(0.0, f64::max) / ns.iter().copied().fold(f64::INFINITY, f64::min))
}

/// Ratios of which the paper gives the least and the most: what 4 lanes are compared with, its name in
/// rows and in metrics, and the two of section 3 and of the abstract.
type Range = (&'static [Who], &'static str, &'static str, [[f64; 2]; 2]);
const RANGES: [Range; 2] = [
    (&BEST_THEN, "the best linear implementation of the time", "n-SMS", [[1.55, 2.0], [1.5, 1.97]]),
    (&[OPENSSL_SCALAR], "OpenSSL (1.0.1, scalar)", "OpenSSL scalar", [[1.97, 2.53], [2.0, 2.5]]),
];

/// Figure 3: messages of 2 KiB to 128 KiB, and the abstract's of 132 KB.
pub fn figure_3(session: &Session) -> Result<Figure> {
    const LENGTHS: [usize; 8] = [2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 132 << 10];
    // Enough to see that it works.
    let lengths = if session.quick { &[2 << 10, 64 << 10, 128 << 10][..] } else { &LENGTHS };
    let field: Vec<Who> = LINEAR.into_iter().chain([PAPERS_LANES, LANES_THEN[1], FORCED]).chain(CHOICES).collect();
    let races = lengths.iter().map(|bytes| race::<Sha256>(session, *bytes, &field)).collect::<Result<Vec<Raced>>>()?;
    let mut figure = Figure::default();
    let set = "SHA-256 by the length of the message";
    let gains = "How many times as fast, by the length of the message";
    for raced in &races {
        let length = length(raced.bytes());
        figure.raced::<Sha256>((set, &length), raced, &[]);
        let at = (gains, length.as_str());
        for (base, base_name, ..) in RANGES {
            let name = format!("{} over {base_name}", name(PAPERS_LANES));
            figure.put(at, name, TIMES, Source::Ours, raced.speed_up(&LANES_THEN, base));
        }
        for (base_name, base) in
            [("OpenSSL scalar", &[OPENSSL_SCALAR][..]), ("OpenSSL today", &[OPENSSL_TODAY]), ("the fastest linear code", &LINEAR)]
        {
            let name = format!("the best j (manyhash's choice) over {base_name}");
            figure.put(at, name, TIMES, Source::Ours, raced.speed_up(&CHOICES, base));
        }
        figure.put(at, "the best j", TIMES, Source::Ours, raced.fastest(&CHOICES).map(|(who, _)| who.j() as f64));
    }
    let in_figure: Vec<&Raced> = races.iter().filter(|raced| raced.bytes() <= 128 << 10).collect();
    let all: Vec<&Raced> = races.iter().collect();
    for (base, base_name, metric, papers) in RANGES {
        for ((case, races, of), paper) in [("2 to 128 KiB", &in_figure, ""), ("2 to 132 KiB", &all, "abstract: ")].into_iter().zip(papers) {
            let ratios: Option<Vec<f64>> = races.iter().map(|raced| raced.speed_up(&LANES_THEN, base)).collect();
            for ((end, better), paper) in [("least", f64::min as fn(f64, f64) -> f64), ("most", f64::max)].into_iter().zip(paper) {
                let value = ratios.as_ref().and_then(|ratios| ratios.iter().copied().reduce(better));
                let at = ("The least and the most of the paper's two ratios", case);
                figure.beside(at, format!("{} over {base_name}, {end}", name(PAPERS_LANES)), TIMES, Source::Ours, value, paper);
                figure.metrics.each(&format!("{of}{end} over {metric}"), [(format!("at {end}"), value)]);
            }
        }
    }
    figure.picture(gains, TIMES, Kind::Lines("length of the message, KiB"), &[]);
    figure.picture(set, MEDIAN, Kind::Lines("length of the message, KiB"), &[]);
    let (long, short): (Vec<&Raced>, Vec<&Raced>) =
        races.iter().filter(|raced| raced.bytes() >= 64 << 10).partition(|raced| raced.bytes() >= 128 << 10);
    figure.metrics.speed_ups("best j at 64 KiB", short, &CHOICES, &[OPENSSL_TODAY]);
    figure.metrics.speed_ups("best j from 128 KiB on", long, &CHOICES, &[OPENSSL_TODAY]);
    Ok(figure)
}

/// Figure 4: a long message, 1 MiB.
pub fn figure_4(session: &Session) -> Result<Figure> {
    const BYTES: usize = 1 << 20;
    let later = ["avx512-128", "sha-ni-sms-x4", "sha-ni-sms256-x4"].map(|backend| Who::Lanes(4, backend));
    let longer = [AVX2, Who::Lanes(16, "avx512"), Who::Lanes(32, "avx512x2")];
    let field: Vec<Who> = LINEAR.into_iter().chain(LANES_THEN).chain(later).chain(longer).chain(CHOICES).collect();
    let raced = race::<Sha256>(session, BYTES, &field)?;
    let mut figure = Figure::default();
    figure.message(&raced, &[], &field);
    for (processor, paper) in [("3rd generation Core", 2.0), ("2nd generation Core", 2.27)] {
        let at = ("1 MiB: how many times as fast as the best linear implementation of the time", processor);
        figure.ratio::<Sha256>(at, &raced, [&LANES_THEN, &BEST_THEN], Some(paper));
    }
    figure.metrics.speed_ups("4 lanes over n-SMS", [&raced], &LANES_THEN, &BEST_THEN);
    figure.metrics.speed_ups("best j over OpenSSL today", [&raced], &CHOICES, &[OPENSSL_TODAY]);
    Ok(figure)
}

/// Section 2.2: lengths that are no multiples of 256 bytes, which "requires different handling in the
/// last Update (with negligible performance cost)": 8,192 bytes and up to 255 more or fewer.
pub fn tails(session: &Session) -> Result<Figure> {
    const BYTES: usize = 8192;
    const COST: &str = "What a tail costs beside the next multiple of 256 bytes";
    let behind = [-255isize, -129, -64, -17, -1, 0, 1, 16, 17, 64, 128, 200, 255, 256];
    let field = [OPENSSL_SCALAR, OPENSSL_TODAY, PAPERS_LANES, CHOICES[0], CHOICES[2]];
    let mut figure = Figure::default();
    let lengths = behind.map(|by| BYTES.saturating_add_signed(by));
    let races = lengths.iter().map(|bytes| race::<Sha256>(session, *bytes, &field)).collect::<Result<Vec<Raced>>>()?;
    let ns = |who, raced: &Raced| raced.value(who, Measured::median_ns);
    let cost = |who, raced: &Raced| {
        let whole = races.iter().find(|whole| whole.bytes() == raced.bytes().next_multiple_of(256))?;
        Some(100.0 * (ns(who, raced)? / ns(who, whole)? - 1.0))
    };
    for who in field {
        for raced in &races {
            let case = format!("{} bytes", thousands(raced.bytes() as u64));
            let set = "SHA-256 of lengths that are no multiples of 256 bytes";
            figure.put((set, &case), name(who), "ns", who.source(), ns(who, raced));
            figure.put((COST, &case), name(who), "% more time", who.source(), cost(who, raced));
        }
    }
    figure.miss(&races[0].missing);
    figure.picture(COST, "% more time", Kind::Lines("bytes of the message"), &[]);
    let most = races.iter().filter_map(|raced| cost(PAPERS_LANES, raced)).reduce(f64::max);
    figure.metrics.each("cost of a tail", [(name(PAPERS_LANES), most)]);
    Ok(figure)
}

/// Section 2.2: "the performance of SHA-256 is closely proportional to the number of invocations of its
/// compression function".
pub fn proportional(session: &Session) -> Result<Figure> {
    let lengths = [2 << 10, 8 << 10, 32 << 10, 128 << 10];
    let linear = [OPENSSL_SCALAR, OPENSSL_N_SMS, OPENSSL_TODAY, OWN_SCALAR_ROUNDS];
    let field: Vec<Who> = linear.into_iter().chain([PAIRS[0].1, Who::Over(4, &OWN_SCALAR_ROUNDS)]).collect();
    let mut figure = Figure::default();
    let set = "Cycles of the time-stamp counter an Update, by the length of the message";
    let races = lengths.iter().map(|bytes| race::<Sha256>(session, *bytes, &field)).collect::<Result<Vec<Raced>>>()?;
    let cycles = |who: Who, raced: &Raced| {
        let per_byte = raced.value(who, Measured::tsc_cycles_per_byte)?;
        Some(per_byte * raced.bytes() as f64 / updates::of_j_lanes(raced.bytes(), who.j()) as f64)
    };
    for raced in &races {
        for who in &field {
            figure.put((set, &length(raced.bytes())), name(*who), "cycles an Update", who.source(), cycles(*who, raced));
        }
        figure.miss(&raced.missing);
    }
    for (who, paper) in [(PAIRS[0].0, 12.87 * 8192.0 / 129.0), (PAIRS[0].1, 13.57 * 8192.0 / 135.0)] {
        figure.put((set, "8 KiB"), name(who), "cycles an Update", Source::Paper, paper);
    }
    figure.picture(set, "cycles an Update", Kind::Lines("length of the message, KiB"), &[]);
    let of_scalar: Option<Vec<f64>> = races.iter().map(|raced| cycles(OPENSSL_SCALAR, raced)).collect();
    let spread = of_scalar.map(|cycles| {
        let end = |better: fn(f64, f64) -> f64| cycles.iter().copied().reduce(better).expect("lengths");
        100.0 * (end(f64::max) / end(f64::min) - 1.0)
    });
    figure.metrics.each("spread of an Update", [(name(OPENSSL_SCALAR), spread)]);
    Ok(figure)
}

/// Section 4: with AVX2, "j = 8 for SHA-1 and SHA-256, and j = 4 for SHA-512".
pub fn avx2(session: &Session) -> Result<Figure> {
    const BYTES: usize = 128 << 10;
    let mut figure = Figure::default();
    let set = "A message of 128 KiB in as many lanes as registers have words";
    let mut gains = Vec::new();
    fn of<S: Subject>(session: &Session, figure: &mut Figure, set: &str, [narrow, wide]: [usize; 2]) -> Result<Option<f64>> {
        let (papers, avx2) = (Who::Lanes(narrow, "avx"), Who::Lanes(wide, "avx2"));
        let later = [Who::Lanes(2 * wide, "avx512"), Who::Choice(wide)];
        let field = [OPENSSL_SCALAR, OPENSSL_TODAY, papers, avx2, later[0], later[1]];
        let raced = race::<S>(session, BYTES, &field)?;
        figure.raced::<S>((set, S::NAME), &raced, &[]);
        Ok(raced.over(avx2, papers))
    }
    gains.push(("SHA-1", of::<Sha1>(session, &mut figure, set, [4, 8])?));
    gains.push(("SHA-256", of::<Sha256>(session, &mut figure, set, [4, 8])?));
    gains.push(("SHA-512", of::<Sha512>(session, &mut figure, set, [2, 4])?));
    figure.picture(set, MEDIAN, Kind::Bars, &[]);
    figure.metrics.each("AVX2 over 128 bits", gains);
    Ok(figure)
}

/// Section 4: one j for all platforms, "single j = 8".
pub fn one_j(session: &Session) -> Result<Figure> {
    let lengths = if session.quick { &[8 << 10, 128 << 10][..] } else { &[2 << 10, 8 << 10, 32 << 10, 128 << 10, 1 << 20] };
    let mut figure = Figure::default();
    let set = "Time beside that of the best j of 4, 8, 16 and 32";
    let mut of_8 = Vec::new();
    for bytes in lengths {
        let raced = race::<Sha256>(session, *bytes, &CHOICES)?;
        for who in CHOICES {
            let times = raced.speed_up(&CHOICES, &[who]);
            figure.put((set, &length(*bytes)), name(who), "times the time of the best", Source::Ours, times);
        }
        of_8.push((format!("at {}", length(*bytes)), raced.speed_up(&CHOICES, &CHOICES[1..2])));
    }
    figure.picture(set, "times the time of the best", Kind::Lines("length of the message, KiB"), &[]);
    figure.metrics.each("j = 8 beside the best", of_8);
    Ok(figure)
}

/// Sections 2.2 and 4: slices on several cores, beside lanes.
pub fn threads(session: &Session) -> Result<Figure> {
    const BYTES: usize = 8 << 20;
    let cpus = std::thread::available_parallelism().map_or(1, usize::from).max(session.machine.cpus);
    let counts: Vec<usize> = [1, 2, 4, 8, 16].into_iter().filter(|threads| *threads <= cpus).collect();
    let field: Vec<Who> =
        [4, 16, 32].into_iter().flat_map(|lanes| counts.iter().map(move |threads| Who::Threads(lanes, *threads))).collect();
    let mut figure = Figure { said: vec![("cpus", cpus.to_string())], ..Figure::default() };
    let set = "SHA-256 of a message of 8 MiB by threads";
    let raced = session.on_all_cpus(|| race::<Sha256>(session, BYTES, &field))?;
    for (who, measured) in &raced.rows {
        let Who::Threads(lanes, threads) = *who else { continue };
        let case = if threads == 1 { "1 thread".to_string() } else { format!("{threads} threads") };
        figure.put((set, &case), format!("j = {lanes}"), "MB/s, median", Source::Ours, measured.mb_per_s());
        figure.put((set, &case), format!("j = {lanes}"), TIMES, Source::Ours, raced.over(*who, Who::Threads(lanes, 1)));
    }
    figure.picture(set, "MB/s, median", Kind::Lines("threads"), &[]);
    if counts.len() < 2 {
        figure.missing.push("several threads: this machine has one CPU".into());
    }
    let two = (counts.len() > 1).then(|| raced.over(Who::Threads(32, counts[1]), Who::Threads(32, 1))).flatten();
    figure.metrics.set("two threads over one", two);
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_their_units() {
        assert_eq!([8 << 10, 132 << 10, 1 << 20].map(length), ["8 KiB", "132 KiB", "1 MiB"]);
    }

    #[test]
    fn what_is_compared_with_the_best_is_the_slowest() {
        let raced = crate::contestants::at_rates(&[(PAPERS[0], 100.0), (PAPERS[1], 50.0), (PAPERS[2], 80.0)]);
        assert_eq!(spread(&raced, &PAPERS), Some(2.0));
        assert_eq!(spread(&raced, &[AVX2]), None);
    }
}
