//! Figure 2: the choice of j, for 8 KiB and 128 KiB.

use anyhow::Result;

use super::presentation::{
    BEST_THEN, CHOICES, LINEAR, OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, PAPERS_LANES, Raced, Who, bars, length, method, name, race,
    table,
};
use crate::measured::Measured;
use crate::model::Figure;
use crate::session::Session;

const SHORT: usize = 8 << 10;
const LONG: usize = 128 << 10;
/// The paper's three, in the registers that it had.
const PAPERS: [Who; 3] = [PAPERS_LANES, Who::Lanes(8, "sse2"), Who::Lanes(16, "sse2")];
/// What the paper expects of AVX2.
const AVX2: Who = Who::Lanes(8, "avx2");
/// As many lanes as later registers have words, and SHA extensions with messages interleaved.
const LATER: [Who; 9] = [
    Who::Lanes(4, "avx512-128"),
    Who::Lanes(4, "sha-ni-x4"),
    Who::Lanes(4, "sha-ni-sms-x4"),
    Who::Lanes(4, "sha-ni-sms256-x4"),
    AVX2,
    Who::Lanes(8, "avx512-256"),
    Who::Lanes(16, "avx512"),
    Who::Lanes(16, "avx512-lean"),
    Who::Lanes(32, "avx512x2"),
];

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let field: Vec<Who> = LINEAR.into_iter().chain(PAPERS).chain(LATER).chain(CHOICES).collect();
    let (short, long) = (race(session, SHORT, &field)?, race(session, LONG, &field)?);
    let method = format!("{} The text has no values of this figure.", method(session, &[SHORT, LONG]));
    Ok(Figure { method, missing: short.missing.clone(), ..figure(&short, &long) })
}

/// How many times the time of the fastest of the paper's three the slowest takes.
fn spread(raced: &Raced) -> Option<f64> {
    let ns: Vec<f64> = PAPERS.iter().map(|who| raced.value(*who, Measured::median_ns)).collect::<Option<_>>()?;
    Some(ns.iter().copied().fold(0.0, f64::max) / ns.iter().copied().fold(f64::INFINITY, f64::min))
}

fn figure(short: &Raced, long: &Raced) -> Figure {
    let shown: Vec<Who> = [OPENSSL_SCALAR, OPENSSL_N_SMS, OPENSSL_TODAY].into_iter().chain(PAPERS).chain([AVX2]).chain(CHOICES).collect();
    let mut figure = Figure {
        plots: vec![bars(short, &shown, None), bars(long, &shown, None)],
        tables: vec![table(short, |_| None), table(long, |_| None)],
        ..Figure::default()
    };
    let metrics = &mut figure.metrics;
    metrics.speed_ups("4 lanes over 16 at 8 KiB", [short], &PAPERS[..1], &PAPERS[2..]);
    let over_n_sms = PAPERS[1..].iter().map(|who| (name(*who), short.speed_up(&[*who], &BEST_THEN)));
    metrics.each("8, 16 lanes over n-SMS", over_n_sms);
    metrics.each("slowest over fastest", [short, long].map(|raced| (format!("at {}", length(raced.bytes())), spread(raced))));
    metrics.speed_ups("4 lanes over 8, 16", [short, long], &PAPERS[..1], &PAPERS[1..]);
    metrics.speed_ups("AVX2 over 4 lanes", [long], &[AVX2], &[PAPERS_LANES]);
    figure
}

#[cfg(test)]
mod tests {
    use super::super::presentation::{self, tests::check_words};
    use super::*;
    use crate::claims::verdicts;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    fn raced(bytes: usize, papers: [f64; 3]) -> Raced {
        let papers = PAPERS.into_iter().zip(papers);
        presentation::raced(
            bytes,
            &[(OPENSSL_N_SMS, 100.0), (AVX2, 30.0), (CHOICES[0], 20.0)].into_iter().chain(papers).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn verdicts_follow_the_values() {
        let bare = |bytes| presentation::raced(bytes, &[(CHOICES[0], 1.0)]);
        for (short, long, expected) in [
            (raced(SHORT, [60.0, 70.0, 80.0]), raced(LONG, [60.0, 61.0, 63.0]), [Holds; 5]),
            (raced(SHORT, [120.0, 110.0, 101.0]), raced(LONG, [90.0, 80.0, 27.0]), [DoesNot, DoesNot, DoesNot, DoesNot, Holds]),
            (bare(SHORT), bare(LONG), [NotMeasured; 5]),
        ] {
            let figure = figure(&short, &long);
            check_words(&figure);
            assert_eq!(verdicts("2013-2", &figure.metrics), expected);
        }
    }
}
