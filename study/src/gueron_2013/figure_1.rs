//! Figure 1: an 8 KiB message by linear SHA-256, by 4 lanes over the same linear code, and by 4 lanes in vectors.

use anyhow::Result;

use super::field::{BEST_THEN, CHOICES, N_SMS, OWN_N_SMS, OWN_SHA_NI, PAPERS_LANES, Raced, SCALAR, TODAY, Who};
use super::presentation::{PaperRatio, bars_beside_paper, claim, method, ratios, table};
use crate::measured::times;
use crate::model::{Cell, Claim, Figure};
use crate::openssl_worker::Variant;
use crate::session::Session;

const BYTES: usize = 8192;
/// The paper's two values for OpenSSL, in cycles per byte: linear, and 4 lanes over it.
const PAPERS_OPENSSL: [f64; 2] = [12.87, 13.57];
/// How many times as fast as OpenSSL the paper's 4 lanes are.
const PAPERS_SPEED_UP: f64 = 2.45;

/// Linear, and the same over 4 slices.
const PAIRS: [(Who, Who); 5] = [
    (SCALAR, Who::OverOpenSsl(4, Variant::Scalar)),
    (N_SMS, Who::OverOpenSsl(4, Variant::NSms)),
    (TODAY, Who::OverOpenSsl(4, Variant::Today)),
    (OWN_N_SMS, Who::OverLinear(4, "bmi2")),
    (OWN_SHA_NI, Who::OverLinear(4, "sha-ni")),
];

/// Cycles per byte, as the text has them.
fn printed(who: Who) -> Option<f64> {
    match who {
        SCALAR => Some(PAPERS_OPENSSL[0]),
        Who::OverOpenSsl(4, Variant::Scalar) => Some(PAPERS_OPENSSL[1]),
        _ => None,
    }
}

/// The same, and what follows from "2.45 times".
fn derived(who: Who) -> Option<f64> {
    if who == PAPERS_LANES { Some(PAPERS_OPENSSL[0] / PAPERS_SPEED_UP) } else { printed(who) }
}

/// Races.
pub fn measure(session: &Session) -> Result<Figure> {
    let raced = Raced::of(session, BYTES, &field())?;
    let method = format!(
        "{} The 4 slices over a linear implementation are dealt out word by word, hashed one after the other, and wrapped; dealing is part \
         of the time. The paper's 5.25 C/B of 4 lanes in the picture is 12.87 / 2.45.",
        method(session, &[BYTES])
    );
    let figure = figure(&raced);
    Ok(Figure { method, missing: raced.missing, ..figure })
}

fn field() -> Vec<Who> {
    let lanes = [PAPERS_LANES, Who::Lanes(4, "avx512-128"), CHOICES[0]];
    PAIRS.iter().flat_map(|pair| [pair.0, pair.1]).chain(lanes).collect()
}

fn figure(raced: &Raced) -> Figure {
    let pairs: Vec<(Who, f64)> = PAIRS.iter().filter_map(|pair| Some((pair.0, raced.speed_up(&[pair.1], &[pair.0])?))).collect();
    let slower = pairs.iter().map(|(linear, ratio)| format!("{} of {}", Cell::three_digits(*ratio).text(), linear.name()));
    let slower = format!("Four lanes have this part of the speed: {}", slower.collect::<Vec<_>>().join("; "));
    let all_slower = (!pairs.is_empty()).then(|| pairs.iter().all(|pair| pair.1 < 1.0));
    let (papers, over_slices) = (raced.speed_up(&[PAPERS_LANES], &[SCALAR]), raced.speed_up(&[PAIRS[0].1], &[SCALAR]));
    let claims = vec![
        Claim::new(
            "Four lanes over a linear implementation are slower than that implementation",
            "section 3, figure 1",
            "13.57 C/B over OpenSSL against its 12.87: 0.948 of its speed",
            slower,
            all_slower,
        ),
        claim(
            raced,
            ("Four lanes in 128-bit registers are at least 2.45 times as fast as OpenSSL (1.0.1, scalar)", "section 3, figure 1", "2.45"),
            (&[PAPERS_LANES], &[SCALAR]),
            PAPERS_SPEED_UP,
        ),
        claim(
            raced,
            (
                "Four lanes in 128-bit registers are faster than the best linear implementation of the time (n-SMS)",
                "section 3, figure 1",
                "shown in a picture only",
            ),
            (&[PAPERS_LANES], &BEST_THEN),
            1.0,
        ),
    ];
    let mut tables = vec![table(raced, printed)];
    if papers.is_some() || over_slices.is_some() {
        let ratio = |name: &str, paper, here| PaperRatio { name: name.into(), paper, here };
        tables.push(ratios(
            "8 KiB: how many times as fast as OpenSSL scalar, beside the paper",
            [
                ratio("j = 4 over OpenSSL scalar (as 1.0.1)", PAPERS_OPENSSL[0] / PAPERS_OPENSSL[1], over_slices),
                ratio("j = 4 (sse2)", PAPERS_SPEED_UP, papers),
            ],
        ));
    }
    Figure {
        plots: vec![bars_beside_paper(raced, &field(), derived, "the paper (Ivy Bridge)")],
        tables,
        still_holds: still_holds(all_slower, papers),
        changed: changed(raced),
        claims,
        ..Figure::default()
    }
}

fn still_holds(all_slower: Option<bool>, papers: Option<f64>) -> String {
    let faster = papers.filter(|papers| *papers > 1.0).map(|papers| {
        format!(
            "Four lanes in 128-bit registers are still {} as fast as OpenSSL's scalar code (paper: {PAPERS_SPEED_UP})",
            times(Some(papers))
        )
    });
    if all_slower.is_none() && papers.is_none() {
        return "Nothing of it could be judged: this machine lacks the paper's registers and what they are compared with.".into();
    }
    match (all_slower == Some(true), faster) {
        (true, Some(faster)) => format!("Slices that are hashed one after the other still only cost time. {faster}."),
        (true, None) => "Slices that are hashed one after the other still only cost time.".into(),
        (false, Some(faster)) => format!("{faster}."),
        (false, None) => "Nothing of it holds here: slices one after the other do not always cost time, and lanes gain nothing.".into(),
    }
}

fn changed(raced: &Raced) -> String {
    let over_today = |who| raced.speed_up(&[who], &[TODAY]);
    let choice = match over_today(CHOICES[0]) {
        Some(ratio) => format!(" With manyhash's choice 4 lanes are {} as fast as OpenSSL today.", times(Some(ratio))),
        None => String::new(),
    };
    match over_today(PAPERS_LANES) {
        Some(ratio) if ratio < 1.0 => format!(
            "OpenSSL has changed: the paper's 4 lanes are now {} as fast as its linear code, which uses what this CPU has for one \
             message.{choice}",
            times(Some(ratio))
        ),
        Some(ratio) => {
            format!("OpenSSL has changed, and the paper's 4 lanes are {} as fast as its linear code today.{choice}", times(Some(ratio)))
        }
        None => format!("The registers have changed: those of the paper are not on this machine.{choice}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::presentation::tests::check_words;
    use super::*;
    use crate::model::Verdict;

    #[test]
    fn sentences_say_what_was_measured() {
        let with = |over: f64, papers: f64| {
            figure(&Raced::synthetic(BYTES, &[(SCALAR, 100.0), (PAIRS[0].1, over), (N_SMS, 70.0), (PAPERS_LANES, papers), (TODAY, 30.0)]))
        };
        let (then, not_any_more) = (with(105.0, 40.0), with(95.0, 101.0));
        for figure in [&then, &not_any_more, &figure(&Raced::synthetic(BYTES, &[(TODAY, 1.0)]))] {
            check_words(figure);
        }
        let verdicts = |figure: &Figure| figure.claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>();
        assert_eq!(verdicts(&then), [Verdict::Holds; 3]);
        assert_eq!(verdicts(&not_any_more), [Verdict::DoesNot; 3]);
        assert!(then.still_holds.contains("2.50 times") && then.changed.contains("0.75 times"));
        assert!(not_any_more.still_holds.starts_with("Nothing of it holds here"));
    }
}
