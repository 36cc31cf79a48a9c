//! Gueron & Krasnov 2012: "Simultaneous hashing of multiple messages", and Algorithm 1.
//!
//! There are two texts: the preprint of July 2012, and the journal's (Journal of Information
//! Security 3). They differ in n-SMS: 11.58 and 11.47 cycles a byte, 2.25 and 2.24 times. The
//! journal's values are used, and its abstract still has 2.25.

use anyhow::Result;
use manyhash::hazmat::updates;
use manyhash::{Algorithm, Sha256, Sha512};
use manyhash_measure::PaperSizes;
use manyhash_measure::timing::quantile;

use crate::aciicmez_2004::subject::Subject;
use crate::contestants::{
    AVX_SCALAR, BEST_THEN, OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, OWN_SCALAR_ROUNDS, Raced, S_HASH, S_HASH_THEN, Who,
};
use crate::gueron_2013::length;
use crate::measured::{Measured, fastest};
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::rows::{Kind, LEAST, MEDIAN, RATE};
use crate::session::{Session, caches};
use algorithm_1::{SCALAR_ROUNDS, serial_end};

pub mod algorithm_1;
pub mod files;
pub mod occupancy;

/// A quick run has files of this part of their sizes.
const QUICK_DIVISOR: usize = 32;

/// The two folders of section 4.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Folder {
    /// 350 files, the drivers of a Windows 7.
    Diverse,
    /// 8 files of one size.
    Uniform,
}

impl Folder {
    fn name(self) -> &'static str {
        match self {
            Self::Diverse => "DIVERSE",
            Self::Uniform => "UNIFORM",
        }
    }

    /// The sizes of its files, in the paper's order; smaller ones in a quick run.
    fn file_bytes(self, quick: bool) -> Result<Vec<usize>> {
        let sizes = PaperSizes::read()?;
        let full = match self {
            Self::Diverse => sizes.diverse_bytes,
            Self::Uniform => vec![sizes.uniform.bytes_each; sizes.uniform.files],
        };
        Ok(full.into_iter().map(|bytes| if quick { bytes.div_ceil(QUICK_DIVISOR) } else { bytes }).collect())
    }
}

const MESSAGE_BYTES: usize = 4096;
const CASES: [(usize, &str); 4] = [(4, "paper: L1"), (64, "paper: L2"), (512, "paper: L3"), (8192, "paper: memory")];
/// The first of them that lie in a cache of the paper's CPU.
const IN_CACHES: usize = 3;
/// The most that is hashed where twice the last cache is more than the paper's memory case.
const MOST_BYTES: usize = 512 << 20;
const QUICK_MESSAGES: usize = 1024;
/// "we ran the hash, in a loop, 500 times".
const WARM_UP_CALLS: u64 = 500;
/// What warming up hashes at most: 500 times 32 MB would take minutes for each contestant.
const WARM_UP_BYTES: u64 = 128 << 20;

/// Everybody. Who lacks an algorithm or instructions is named as missing.
const ALL: [Who; 18] = [
    OPENSSL_SCALAR,
    BEST_THEN[0],
    BEST_THEN[1],
    AVX_SCALAR,
    OPENSSL_N_SMS,
    OPENSSL_TODAY,
    OWN_SCALAR_ROUNDS,
    S_HASH,
    S_HASH_THEN[1],
    Who::SHash("avx512-128", SCALAR_ROUNDS),
    Who::Backend("sse2"),
    Who::Backend("avx2"),
    Who::Backend("avx512"),
    Who::Backend("avx512x2"),
    Who::Backend("sha-ni"),
    Who::Backend("sha-ni-x4"),
    Who::Backend("sha-ni-sms256-x4"),
    Who::Manyhash,
];

/// How many messages are twice this CPU's last cache, where that is more than the paper's memory
/// case.
fn beyond_caches(session: &Session) -> Option<(usize, String)> {
    let (level, bytes) = caches(session.machine.pinned_to.unwrap_or(0)).into_iter().max()?;
    let messages = (2 * bytes).min(MOST_BYTES) / MESSAGE_BYTES;
    let place = if 2 * bytes > MOST_BYTES { format!("L{level} here: {}", length(bytes)) } else { format!("twice the L{level} here") };
    (!session.quick && messages > CASES[CASES.len() - 1].0).then_some((messages, place))
}

/// Messages of 4 KiB from the caches and from memory; by the name of each case.
fn cases<S: Subject>(session: &Session) -> Result<Vec<(String, Raced)>> {
    let cases = CASES.map(|(messages, place)| (messages, place.to_string())).into_iter().chain(beyond_caches(session));
    let race = |(messages, place): (usize, String)| {
        let messages = if session.quick { messages.min(QUICK_MESSAGES) } else { messages };
        let layout = Layout::equal(messages, MESSAGE_BYTES);
        let warm_up_calls = (WARM_UP_BYTES / layout.total_bytes() as u64).clamp(3, WARM_UP_CALLS);
        Ok((format!("{} ({place})", length(layout.total_bytes())), Raced::of::<S>(session, &ALL, &layout, warm_up_calls)?))
    };
    cases.map(race).collect()
}

fn figure_2<S: Subject>(session: &Session, cases: &[(String, Raced)], paper: &[(Who, f64)], shown: &[Who]) -> Figure {
    let caches = caches(session.machine.pinned_to.unwrap_or(0));
    let caches: Vec<String> = caches.into_iter().map(|(level, bytes)| format!("L{level} {}", length(bytes))).collect();
    let caches = if caches.is_empty() { "the system does not tell this CPU's".into() } else { format!("here: {}", caches.join(", ")) };
    let serial_end = match serial_end::<S>() {
        SCALAR_ROUNDS => format!("manyhash's code for one message ({SCALAR_ROUNDS}), in place of n-SMS"),
        other => format!("{other} code, for this CPU lacks what {SCALAR_ROUNDS} takes"),
    };
    let mut figure = Figure { said: vec![("caches", caches), ("serial end", serial_end)], ..Figure::default() };
    let set = format!("{} of messages of 4 KiB", S::NAME);
    for (i, (case, raced)) in cases.iter().enumerate() {
        // The paper's text gives one value for all of its cases.
        figure.raced::<S>((&set, case), raced, if i == 0 { paper } else { &[] });
    }
    let names: Vec<String> = shown.iter().map(|who| who.name::<S>()).collect();
    figure.picture(&set, LEAST, Kind::Bars, &names);
    figure
}

/// Adds how many times as fast one is as another, in each case.
fn one_over_another<S: Subject>(figure: &mut Figure, cases: &[(String, Raced)], pairs: &[(Who, Who)]) {
    let set = format!("{} of messages of 4 KiB, one over another", S::NAME);
    for (case, raced) in cases {
        pairs.iter().for_each(|(one, other)| figure.ratio::<S>((&set, case), raced, [&[*one], &[*other]], None));
    }
}

/// By the name of each case, how many times as fast one is as another.
fn speed_ups(cases: &[(String, Raced)], one: &[Who], other: &[Who]) -> impl Iterator<Item = (String, Option<f64>)> {
    cases.iter().map(move |(name, raced)| (name.clone(), raced.speed_up(one, other)))
}

/// Figure 2: SHA-256 of messages of 4 KiB from the caches and from memory.
pub fn sha256(session: &Session) -> Result<Figure> {
    let cases = cases::<Sha256>(session)?;
    let paper = [(OPENSSL_SCALAR, 17.55), (BEST_THEN[0], 11.47), (S_HASH, 5.18)];
    let then_and_now = [OPENSSL_SCALAR, BEST_THEN[0], OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, Who::Manyhash];
    let mut figure = figure_2::<Sha256>(session, &cases, &paper, &then_and_now);
    let lanes: Vec<String> = ALL[10..].iter().map(|who| who.name::<Sha256>()).collect();
    figure.picture("SHA-256 of messages of 4 KiB", MEDIAN, Kind::Bars, &lanes);
    let pairs = [
        (S_HASH, OPENSSL_N_SMS),
        (S_HASH, OPENSSL_TODAY),
        (Who::Manyhash, OPENSSL_SCALAR),
        (Who::Manyhash, OPENSSL_N_SMS),
        (Who::Manyhash, OPENSSL_TODAY),
        (OPENSSL_N_SMS, OPENSSL_SCALAR),
        (OPENSSL_TODAY, OPENSSL_SCALAR),
    ];
    one_over_another::<Sha256>(&mut figure, &cases, &pairs);
    for (i, (case, raced)) in cases.iter().enumerate() {
        for (base, paper) in [(&[OPENSSL_SCALAR][..], 3.42), (&BEST_THEN, 2.24)] {
            let at = ("SHA-256 of messages of 4 KiB, S-HASH over the code of its time", case.as_str());
            figure.ratio::<Sha256>(at, raced, [&S_HASH_THEN, base], (i == 0).then_some(paper));
        }
    }
    let (in_caches, memory) = spread(&cases).unzip();
    figure.metrics.set("slower in another cache", in_caches);
    figure.metrics.set("slower from memory", memory);
    // The goals are for the cases whose messages fill the widest lanes.
    for (metric, one, other, first) in [
        ("S-HASH over OpenSSL scalar", &S_HASH_THEN[..], &[OPENSSL_SCALAR][..], 0),
        ("S-HASH over n-SMS", &S_HASH_THEN, &BEST_THEN, 0),
        ("n-SMS over OpenSSL scalar", &BEST_THEN, &[OPENSSL_SCALAR], 0),
        ("manyhash over OpenSSL today", &[Who::Manyhash], &[OPENSSL_TODAY], 1),
        ("manyhash over n-SMS", &[Who::Manyhash], &[OPENSSL_N_SMS], 1),
    ] {
        figure.metrics.each(metric, speed_ups(&cases[first..], one, other).collect::<Vec<_>>());
    }
    Ok(figure)
}

/// By what percentage S-HASH with 4 buffers is slower than in the best cache: in the worst cache,
/// and in the largest set.
fn spread(cases: &[(String, Raced)]) -> Option<(f64, f64)> {
    let all: Vec<&Measured> = cases.iter().map(|(_, raced)| raced.get(S_HASH)).collect::<Option<_>>()?;
    let best = fastest(all[..IN_CACHES].iter().copied())?;
    let slower = |one: &Measured| 100.0 * (best.speed_up_over(one) - 1.0);
    Some((all[..IN_CACHES].iter().map(|one| slower(one)).fold(0.0, f64::max), slower(all[all.len() - 1])))
}

/// Figure 2 for SHA-512, which the paper leaves out.
pub fn sha512(session: &Session) -> Result<Figure> {
    let cases = cases::<Sha512>(session)?;
    let vectors = ["avx2", "avx512", "avx512x2"].map(Who::Backend);
    let shown: Vec<Who> = [OPENSSL_SCALAR, OPENSSL_N_SMS, S_HASH].into_iter().chain(vectors).chain([Who::Manyhash]).collect();
    let mut figure = figure_2::<Sha512>(session, &cases, &[(OPENSSL_N_SMS, 8.72)], &shown);
    // There are no kernels to be missed.
    figure.missing.retain(|missing| !missing.contains("sha-ni") && !missing.contains("no such code"));
    let pairs = [
        (S_HASH, OPENSSL_SCALAR),
        (S_HASH, OPENSSL_N_SMS),
        (Who::Manyhash, OPENSSL_SCALAR),
        (Who::Manyhash, OPENSSL_N_SMS),
        (Who::Manyhash, OPENSSL_TODAY),
    ];
    one_over_another::<Sha512>(&mut figure, &cases, &pairs);
    figure.metrics.each("S-HASH over n-SMS", speed_ups(&cases, &[S_HASH], &[OPENSSL_N_SMS]).collect::<Vec<_>>());
    Ok(figure)
}

/// What section 5 predicts for AVX2: 8 buffers of SHA-256 twice as fast as 4, and 4 buffers of
/// SHA-512 useful, but slower than those.
pub fn avx2(session: &Session) -> Result<Figure> {
    const AVX2: Who = Who::SHash("avx2", SCALAR_ROUNDS);
    const ALL: [Who; 4] = [OPENSSL_N_SMS, S_HASH, AVX2, Who::SHash("avx512", SCALAR_ROUNDS)];
    const SET: &str = "64 messages of 4 KiB, by the width of registers";
    // The paper's 256 KB, which lie in the second-level cache.
    let layout = Layout::equal(64, MESSAGE_BYTES);
    let sha256 = Raced::of::<Sha256>(session, &ALL, &layout, WARM_UP_CALLS)?;
    let sha512 = Raced::of::<Sha512>(session, &ALL, &layout, WARM_UP_CALLS)?;
    let mut figure = Figure::default();
    figure.raced::<Sha256>((SET, "SHA-256"), &sha256, &[]);
    figure.raced::<Sha512>((SET, "SHA-512"), &sha512, &[]);
    for who in ALL {
        figure.ratio::<Sha256>(("One over n-SMS, by the width of registers", "SHA-256"), &sha256, [&[who], &[OPENSSL_N_SMS]], None);
        figure.ratio::<Sha512>(("One over n-SMS, by the width of registers", "SHA-512"), &sha512, [&[who], &[OPENSSL_N_SMS]], None);
    }
    figure.picture(SET, RATE, Kind::Bars, &[]);
    figure.metrics.set("8 buffers over 4", sha256.over(AVX2, S_HASH));
    figure.metrics.set("SHA-512 over n-SMS", sha512.over(AVX2, OPENSSL_N_SMS));
    let on_avx2 = sha256.get(AVX2).zip(sha512.get(AVX2)).map(|(sha256, sha512)| sha256.speed_up_over(sha512));
    figure.metrics.set("SHA-256 over SHA-512", on_avx2);
    Ok(figure)
}

/// DIVERSE and UNIFORM (section 4.3) from memory instead of files: what is left of a kernel's steady
/// rate when messages differ in length.
pub fn memory(session: &Session) -> Result<Figure> {
    const SHARE: &str = "% of the contestant's own steady rate";
    const SET: &str = "DIVERSE and UNIFORM from memory";
    let wide = [SCALAR_ROUNDS, "sha-ni"].map(|serial| Who::SHash("avx512", serial));
    let all = [OPENSSL_SCALAR, OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, wide[0], wide[1], Who::Manyhash];
    // Each message 64 bytes past a multiple of 16 KiB, so that lanes do not share sets of the cache.
    let steady = Raced::of::<Sha256>(session, &all, &Layout::strided(32, 16384, 16448), 100)?;
    let folder = |folder: Folder| {
        let layout = Layout::ragged(folder.file_bytes(session.quick)?);
        Raced::of::<Sha256>(session, &all, &layout, 1)
    };
    let (diverse, uniform) = (folder(Folder::Diverse)?, folder(Folder::Uniform)?);
    let mut figure = Figure::default();
    let percent = |raced: &Raced, who| Some(100.0 * raced.get(who)?.speed_up_over(steady.get(who)?));
    for (case, raced) in [("32 messages of 16 KiB", &steady), ("DIVERSE", &diverse), ("UNIFORM", &uniform)] {
        figure.raced::<Sha256>((SET, case), raced, &[]);
        all.iter().for_each(|who| figure.put((SET, case), who.name::<Sha256>(), SHARE, who.source(), percent(raced, *who)));
    }
    figure.picture(SET, RATE, Kind::Bars, &[]);
    figure.picture(SET, SHARE, Kind::Bars, &[]);
    figure.metrics.set("DIVERSE of the steady rate", percent(&diverse, Who::Manyhash));
    let over_diverse = uniform.get(S_HASH).zip(diverse.get(S_HASH)).map(|(uniform, diverse)| uniform.speed_up_over(diverse));
    figure.metrics.set("UNIFORM over DIVERSE", over_diverse);
    Ok(figure)
}

/// Table 1 (appendix): the sizes of the files of DIVERSE, and how many Updates they take (section 2,
/// equation 1). Nothing is hashed, so that a quick run is no other.
pub fn table_1(_: &Session) -> Result<Figure> {
    const SIZES: &str = "DIVERSE: sizes of the files";
    const SHARES: &str = "DIVERSE: files and bytes by the size of the file";
    let sizes = Folder::Diverse.file_bytes(false)?;
    let (files, bytes) = (sizes.len() as f64, sizes.iter().sum::<usize>() as f64);
    let (least, most) = (*sizes.iter().min().expect("files") as f64, *sizes.iter().max().expect("files") as f64);
    let all_updates = |count: fn(u64) -> u64| sizes.iter().map(|bytes| count(*bytes as u64)).sum::<u64>() as f64;
    let sha256 = all_updates(updates::<Sha256>);
    let whole_blocks = all_updates(|bytes| bytes / Sha256::BLOCK_BYTES as u64);
    let mut figure = Figure { said: vec![("note", PaperSizes::read()?.note)], ..Figure::default() };
    let of_4_kib = updates::<Sha256>(4096) as f64;
    for (who, paper, here) in [
        ("files", Some(350.0), files),
        // The sum that section 4.3 states.
        ("bytes in sum", Some(82_833_132.0), bytes),
        ("smallest, bytes", Some(3.0), least),
        ("largest, bytes", Some(7_533_568.0), most),
        ("average, bytes", Some(236_666.0), (bytes / files).round()),
        ("largest over the average", None, most * files / bytes),
        ("all bytes over the largest", None, bytes / most),
        ("Updates of SHA-256 in sum", None, sha256),
        ("whole blocks of 64 bytes in sum", None, whole_blocks),
        ("Updates of SHA-256 more than whole blocks, %", None, 100.0 * (sha256 / whole_blocks - 1.0)),
        ("Updates of SHA-512 in sum", None, all_updates(updates::<Sha512>)),
    ] {
        figure.beside(("DIVERSE: files, bytes and Updates", ""), who, "quantity", Source::Ours, here, paper);
        figure.metrics.set(who, Some(here));
    }
    figure.metrics.set("Updates of 4 KB", Some(of_4_kib));
    figure.metrics.set("more than 64", Some(100.0 * (of_4_kib / 64.0 - 1.0)));
    for percent in [1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 99.0, 100.0] {
        let quantile = quantile(sizes.iter().map(|bytes| *bytes as f64).collect(), percent / 100.0).expect("files");
        let who = format!("{percent} % of the files");
        figure.put((SIZES, ""), who.as_str(), "size not above, bytes", Source::Paper, quantile);
        figure.put((SIZES, ""), who, "Updates of SHA-256 of such a file", Source::Ours, updates::<Sha256>(quantile as u64) as f64);
    }
    // Each size twice would be a staircase; a curve of the shares says as much.
    for power in (1..=23).step_by(2) {
        let below = |weight: fn(usize) -> usize| {
            sizes.iter().filter(|bytes| **bytes <= 1 << power).map(|bytes| weight(*bytes)).sum::<usize>() as f64
        };
        let case = format!("{} bytes", 1 << power);
        figure.put((SHARES, &case), "of the files", "% in files of at most that size", Source::Paper, 100.0 * below(|_| 1) / files);
        figure.put((SHARES, &case), "of the bytes", "% in files of at most that size", Source::Paper, 100.0 * below(|bytes| bytes) / bytes);
    }
    figure.picture(SHARES, "% in files of at most that size", Kind::Lines("size of the file, bytes"), &[]);
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contestants::at_rates;

    #[test]
    fn the_folders_are_those_of_the_paper() {
        let diverse = Folder::Diverse.file_bytes(false).unwrap();
        assert_eq!((diverse.len(), diverse.iter().sum::<usize>()), (350, 82_833_129));
        assert_eq!((diverse.iter().min(), diverse.iter().max()), (Some(&3), Some(&7_533_568)));
        assert_eq!(Folder::Uniform.file_bytes(false).unwrap(), [18_623_835; 8]);
        assert_eq!(Folder::Uniform.file_bytes(true).unwrap(), [581_995; 8]);
    }

    #[test]
    fn s_hash_is_compared_with_its_best_cache() {
        let cases: Vec<(String, Raced)> = [100.0, 110.0, 88.0, 55.0].map(|rate| (String::new(), at_rates(&[(S_HASH, rate)]))).into();
        let (in_caches, memory) = spread(&cases).unwrap();
        assert!((in_caches - 25.0).abs() < 1e-9 && (memory - 100.0).abs() < 1e-9);
        assert_eq!(spread(&[(String::new(), at_rates(&[(Who::Manyhash, 1.0)]))]), None);
    }
}
