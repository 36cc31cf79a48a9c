//! Figure 2: the choice of j, for 8 KiB and 128 KiB.

use anyhow::Result;

use super::field::{BEST_THEN, CHOICES, LINEAR, N_SMS, PAPERS_LANES, Raced, SCALAR, TODAY, Who};
use super::presentation::{bars, claim, comparison, length, method, table};
use crate::measured::{Measured, times};
use crate::model::{Cell, Claim, Figure};
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
/// "Roughly the same": the slowest takes no more than so many times the time of the fastest.
const ROUGHLY: f64 = 1.1;
/// "Significantly faster".
const SIGNIFICANTLY: f64 = 1.3;

/// Races.
pub fn measure(session: &Session) -> Result<Figure> {
    let field: Vec<Who> = LINEAR.into_iter().chain(PAPERS).chain(LATER).chain(CHOICES).collect();
    let (short, long) = (Raced::of(session, SHORT, &field)?, Raced::of(session, LONG, &field)?);
    let method = format!("{} The text has no values of this figure.", method(session, &[SHORT, LONG]));
    let figure = figure(&short, &long);
    Ok(Figure { method, missing: short.missing, ..figure })
}

/// How many times the time of the fastest of the paper's three the slowest takes.
fn spread(raced: &Raced) -> Option<f64> {
    let ns: Vec<f64> = PAPERS.iter().map(|who| raced.get(*who).map(Measured::median_ns)).collect::<Option<_>>()?;
    Some(ns.iter().copied().fold(0.0, f64::max) / ns.iter().copied().fold(f64::INFINITY, f64::min))
}

fn figure(short: &Raced, long: &Raced) -> Figure {
    let at_least_as_fast = |raced: &Raced, base: &[Who]| raced.speed_up(&[PAPERS[0]], base).map(|ratio| ratio >= 1.0);
    let over_linear = |who: Who| short.speed_up(&[who], &BEST_THEN);
    let claims = vec![
        claim(
            short,
            ("At 8 KiB, 16 lanes are slower than 4 in the same registers", "section 3, figure 2", "shown in a picture only"),
            (&[PAPERS[0]], &[PAPERS[2]]),
            1.0,
        ),
        Claim::new(
            "At 8 KiB, both 8 and 16 lanes are faster than the best linear implementation of the time (n-SMS)",
            "section 3, figure 2",
            "shown in a picture only",
            format!("{}; {}", comparison(short, &[PAPERS[1]], &BEST_THEN), comparison(short, &[PAPERS[2]], &BEST_THEN)),
            over_linear(PAPERS[1]).zip(over_linear(PAPERS[2])).map(|(eight, sixteen)| eight > 1.0 && sixteen > 1.0),
        ),
        Claim::new(
            "For long messages, j = 4, 8 and 16 perform roughly the same (within 10 % at 128 KiB)",
            "section 3, figure 2",
            "shown in a picture only",
            spread(long).map_or("one of them was not measured".into(), |spread| {
                format!("at {} the slowest takes {} the time of the fastest", length(LONG), times(Some(spread)))
            }),
            spread(long).map(|spread| spread <= ROUGHLY),
        ),
        Claim::new(
            "Of j = 4, 8 and 16, j = 4 yields the best results (8 and 128 KiB, 128-bit registers)",
            "section 4",
            "shown in a picture only",
            format!("{}; {}", comparison(short, &PAPERS[..1], &PAPERS[1..]), comparison(long, &PAPERS[..1], &PAPERS[1..])),
            at_least_as_fast(short, &PAPERS[1..]).zip(at_least_as_fast(long, &PAPERS[1..])).map(|(short, long)| short && long),
        ),
        claim(
            long,
            (
                "With AVX2, j = 8 is significantly faster (at least 1.3 times as fast as 4 lanes of 128-bit registers)",
                "section 4",
                "expected, no value",
            ),
            (&[AVX2], &[PAPERS_LANES]),
            SIGNIFICANTLY,
        ),
    ];
    let shown: Vec<Who> = [SCALAR, N_SMS, TODAY].into_iter().chain(PAPERS).chain([AVX2]).chain(CHOICES).collect();
    Figure {
        plots: vec![bars(short, &shown), bars(long, &shown)],
        tables: vec![table(short, |_| None), table(long, |_| None)],
        still_holds: still_holds(spread(short), spread(long)),
        changed: changed(short, long),
        claims,
        ..Figure::default()
    }
}

fn still_holds(short: Option<f64>, long: Option<f64>) -> String {
    let percent = |spread: f64| format!("{} %", Cell::three_digits(100.0 * (spread - 1.0)).text());
    match (short, long) {
        (Some(short), Some(long)) if long < short => format!(
            "The longer the message, the less the choice of j costs: in 128-bit registers the slowest of j = 4, 8 and 16 takes {} longer than \
             the fastest at 8 KiB and {} at 128 KiB.",
            percent(short),
            percent(long)
        ),
        (Some(short), Some(long)) => format!(
            "Nothing of it holds here: the slowest of j = 4, 8 and 16 takes {} longer than the fastest at 8 KiB and {} at 128 KiB.",
            percent(short),
            percent(long)
        ),
        _ => "Nothing of it could be judged: this machine lacks the paper's registers.".into(),
    }
}

fn changed(short: &Raced, long: &Raced) -> String {
    let best = |raced: &Raced| raced.fastest(&CHOICES).map(|(who, _)| who.lanes());
    let gain = |raced: &Raced| times(raced.speed_up(&CHOICES, &[PAPERS_LANES]));
    let (Some(best_short), Some(best_long)) = (best(short), best(long)) else {
        return "Nothing has been measured of what has changed.".into();
    };
    let gains = match short.get(PAPERS_LANES) {
        Some(_) => format!(": {} as fast as 4 lanes in 128-bit registers at 8 KiB and {} at 128 KiB", gain(short), gain(long)),
        None => String::new(),
    };
    if (best_short, best_long) == (4, 4) {
        format!("The code for 4 lanes has changed, and the best j has not: of manyhash's choices it is j = 4{gains}.")
    } else {
        format!(
            "The best j has changed with the registers: of manyhash's choices it is j = {best_short} at 8 KiB and j = {best_long} at 128 KiB{gains}."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::presentation::tests::check_words;
    use super::*;
    use crate::model::Verdict;

    fn raced(bytes: usize, papers: [f64; 3], choices: [f64; 2]) -> Raced {
        let rows = [(N_SMS, 100.0), (PAPERS[0], papers[0]), (PAPERS[1], papers[1]), (PAPERS[2], papers[2]), (AVX2, 30.0)];
        let rows: Vec<(Who, f64)> = rows.into_iter().chain([(CHOICES[0], choices[0]), (CHOICES[1], choices[1])]).collect();
        Raced::synthetic(bytes, &rows)
    }

    #[test]
    fn sentences_say_what_was_measured() {
        let verdicts = |figure: &Figure| figure.claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>();
        let then = figure(&raced(SHORT, [60.0, 70.0, 80.0], [20.0, 25.0]), &raced(LONG, [60.0, 61.0, 63.0], [20.0, 21.0]));
        check_words(&then);
        assert_eq!(verdicts(&then), [Verdict::Holds; 5]);
        assert!(then.still_holds.contains("33.3 %") && then.still_holds.contains("5.00 %"), "{}", then.still_holds);
        assert!(then.changed.contains("the best j has not") && then.changed.contains("3.00 times"), "{}", then.changed);

        let other = figure(&raced(SHORT, [120.0, 110.0, 101.0], [20.0, 25.0]), &raced(LONG, [90.0, 80.0, 27.0], [20.0, 19.0]));
        check_words(&other);
        let mut expected = vec![Verdict::DoesNot; 5];
        expected[4] = Verdict::Holds;
        assert_eq!(verdicts(&other), expected);
        assert!(other.still_holds.starts_with("Nothing of it holds here"));
        assert!(other.changed.contains("j = 4 at 8 KiB and j = 8 at 128 KiB"), "{}", other.changed);

        let bare = |bytes| Raced::synthetic(bytes, &[(CHOICES[0], 1.0)]);
        let nothing = figure(&bare(SHORT), &bare(LONG));
        check_words(&nothing);
        assert_eq!(verdicts(&nothing), [Verdict::NotMeasured; 5]);
    }
}
