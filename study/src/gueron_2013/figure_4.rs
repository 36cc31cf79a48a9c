//! Figure 4: a long message, 1 MiB.

use anyhow::Result;

use super::field::{BEST_THEN, CHOICES, LINEAR, PAPERS_LANES, Raced, TODAY, Who};
use super::presentation::{PaperRatio, bars, claim, goal, method, ratios, table};
use crate::measured::times;
use crate::model::Figure;
use crate::session::Session;

const BYTES: usize = 1 << 20;
/// How many times as fast as the best linear implementation 4 lanes are, on the 2nd and the 3rd generation of Core.
const PAPERS: [(&str, f64); 2] = [("2nd generation Core", 2.27), ("3rd generation Core", 2.0)];

/// Races.
pub fn measure(session: &Session) -> Result<Figure> {
    let raced = Raced::of(session, BYTES, &field())?;
    let method = format!(
        "{} The paper has two processors here, 2nd and 3rd generation Core; we have this one, and the claim is about the 3rd, as all others. \
         The text has ratios only.",
        method(session, &[BYTES])
    );
    let figure = figure(&raced);
    Ok(Figure { method, missing: raced.missing, ..figure })
}

fn field() -> Vec<Who> {
    let forced = [
        PAPERS_LANES,
        Who::Lanes(4, "avx512-128"),
        Who::Lanes(4, "sha-ni-sms-x4"),
        Who::Lanes(4, "sha-ni-sms256-x4"),
        Who::Lanes(8, "avx2"),
        Who::Lanes(16, "avx512"),
        Who::Lanes(32, "avx512x2"),
    ];
    LINEAR.into_iter().chain(forced).chain(CHOICES).collect()
}

fn figure(raced: &Raced) -> Figure {
    let papers = raced.speed_up(&[PAPERS_LANES], &BEST_THEN);
    let claims = vec![
        claim(
            raced,
            (
                "At 1 MB, 4 lanes in 128-bit registers are at least twice as fast as the best linear implementation of the time (n-SMS)",
                "section 3, figure 4",
                "2 (3rd generation Core), 2.27 (2nd generation)",
            ),
            (&[PAPERS_LANES], &BEST_THEN),
            PAPERS[1].1,
        ),
        goal("At 1 MiB, j-lanes with the best j and manyhash's choice are at least 2.53 times as fast as OpenSSL today", &[(raced, 2.53)]),
    ];
    let mut tables = vec![table(raced, |_| None)];
    if papers.is_some() {
        let ratio = |(processor, paper): (&str, f64)| PaperRatio {
            name: format!("{} over the best n-SMS; paper: {processor}", PAPERS_LANES.name()),
            paper,
            here: papers,
        };
        tables.push(ratios("1 MiB: how many times as fast as the best linear implementation of the time", PAPERS.map(ratio)));
    }
    Figure {
        tables,
        plots: vec![bars(raced, &field())],
        still_holds: still_holds(papers),
        changed: changed(raced),
        claims,
        ..Figure::default()
    }
}

fn still_holds(papers: Option<f64>) -> String {
    match papers {
        Some(ratio) if ratio > 1.0 => format!(
            "Four lanes in 128-bit registers are still faster in a message so long that padding and wrapping weigh next to nothing: {} as fast as \
             n-SMS (paper: 2 and 2.27).",
            times(papers)
        ),
        Some(_) => format!("Nothing of it holds here: 4 lanes in 128-bit registers are {} as fast as n-SMS.", times(papers)),
        None => "Nothing of it could be judged: this machine lacks the paper's registers or n-SMS.".into(),
    }
}

fn changed(raced: &Raced) -> String {
    let Some((best, _)) = raced.fastest(&CHOICES) else { return "Nothing has been measured of what has changed.".into() };
    format!(
        "Both linear code and lanes have changed: manyhash's choice for j = {} is {} as fast as OpenSSL today, and {} as fast as the fastest \
         linear code measured.",
        best.lanes(),
        times(raced.speed_up(&CHOICES, &[TODAY])),
        times(raced.speed_up(&CHOICES, &LINEAR))
    )
}

#[cfg(test)]
mod tests {
    use super::super::field::N_SMS;
    use super::super::presentation::tests::check_words;
    use super::*;
    use crate::model::Verdict::{self, DoesNot, Holds, NotMeasured};

    #[test]
    fn sentences_say_what_was_measured() {
        let with = |papers: f64, choice: f64| {
            let figure = figure(&Raced::synthetic(BYTES, &[(N_SMS, 100.0), (TODAY, 30.0), (PAPERS_LANES, papers), (CHOICES[1], choice)]));
            check_words(&figure);
            figure
        };
        let verdicts = |figure: &Figure| figure.claims.iter().map(|claim| claim.verdict).collect::<Vec<Verdict>>();
        let (then, not_any_more) = (with(49.0, 10.0), with(101.0, 12.0));
        assert_eq!((verdicts(&then), verdicts(&not_any_more)), (vec![Holds; 2], vec![DoesNot; 2]));
        assert!(then.changed.contains("j = 8 is 3.00 times"), "{}", then.changed);
        assert!(not_any_more.still_holds.starts_with("Nothing of it holds here"));
        let nothing = figure(&Raced::synthetic(BYTES, &[(CHOICES[0], 1.0)]));
        check_words(&nothing);
        assert_eq!(verdicts(&nothing), [NotMeasured; 2]);
    }
}
