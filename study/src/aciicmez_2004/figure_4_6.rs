//! Figure 4.6: one, two and four messages of SHA-1 and SHA-256 at once; then what came after 2004.

use anyhow::Result;

use super::scalar;
use super::shown::{self, number, or_not_measured};
use super::streams::{self, From, PAPER_SHA_1, PAPER_SHA_256, Row, WITH_32_BIT_WORDS};
use super::subject::{Sha1, Sha256};
use crate::model::{Claim, Figure};
use crate::session::Session;

const MMX: usize = 1;
const XMM: usize = 2;

/// Measures it.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut missing = Vec::new();
    let sha1 = streams::measure::<Sha1>(session, WITH_32_BIT_WORDS, From::Memory, &mut missing)?;
    let sha256 = streams::measure::<Sha256>(session, WITH_32_BIT_WORDS, From::Memory, &mut missing)?;
    let both = [("SHA-1", sha1.as_slice(), &PAPER_SHA_1), ("SHA-256", sha256.as_slice(), &PAPER_SHA_256)];
    let mut figure = Figure {
        method: format!(
            "{} {} Chosen: {}; {}.",
            streams::method(session),
            streams::places(session, From::Memory),
            streams::chosen::<scalar::Sha1>(session, "SHA1")?,
            streams::chosen::<scalar::Sha256>(session, "SHA256")?
        ),
        tables: both.iter().flat_map(|(name, rows, paper)| streams::tables(name, rows, paper)).collect(),
        plots: vec![streams::plot("SHA-1 and SHA-256 of several messages at once, from memory", &both)],
        missing,
        ..Figure::default()
    };
    judge(&mut figure, &sha1, &sha256);
    Ok(figure)
}

fn judge(figure: &mut Figure, sha1: &[Row], sha256: &[Row]) {
    let speed_ups = |row: usize| -> Option<[f64; 2]> { Some([streams::speed_up(sha1, row)?, streams::speed_up(sha256, row)?]) };
    let (mmx, xmm) = (speed_ups(MMX), speed_ups(XMM));
    let shown = |values: [f64; 2]| shown::of_each(&[("SHA-1", values[0]), ("SHA-256", values[1])]) + " times";
    let more = |values: Option<[f64; 2]>, than: [f64; 2]| values.map(|values| values[0] > than[0] && values[1] > than[1]);
    let in_paper = |row: usize| [PAPER_SHA_1.speed_ups[row], PAPER_SHA_256.speed_ups[row]];
    let xmm_over_mmx = xmm.zip(mmx).map(|(xmm, mmx)| [xmm[0] / mmx[0], xmm[1] / mmx[1]]);
    figure.claims = vec![
        Claim::new(
            "Two messages in MMX registers have more throughput than one in 32-bit registers",
            "section 4.2, figure 4.6",
            "1.474 (SHA-1) and 1.498 (SHA-256) times",
            or_not_measured(mmx.map(shown)),
            more(mmx, [1.0; 2]),
        ),
        Claim::new(
            "Four messages in XMM registers have more throughput than two in MMX registers",
            "section 4.2, figure 4.6",
            "1.11 (SHA-1) and 1.14 (SHA-256) times",
            or_not_measured(xmm_over_mmx.map(shown)),
            more(xmm_over_mmx, [1.0; 2]),
        ),
        Claim::new(
            "Faster vector instructions make four messages at once, over one, faster still",
            "section 5",
            "expected, over 1.642 (SHA-1) and 1.715 (SHA-256) times",
            or_not_measured(xmm.map(shown)),
            more(xmm, in_paper(XMM)),
        ),
    ];
    figure.still_holds = match (more(mmx, [1.0; 2]), more(xmm, [1.0; 2])) {
        (Some(true), Some(true)) => "Several messages at once are still faster than one after the other, in MMX and in XMM registers.",
        (_, Some(true)) => "Several messages at once are still faster than one after the other in XMM registers.",
        (Some(true), _) => "Several messages at once are still faster than one after the other in MMX registers.",
        (None, None) => "Nothing of it could be measured here: these registers are missing.",
        _ => "Nothing of it holds here: neither MMX nor XMM registers gain for both functions.",
    }
    .into();
    let Some(xmm) = xmm else {
        figure.changed = "This CPU has no XMM registers.".into();
        return;
    };
    let because = if more(Some(xmm), in_paper(XMM)) == Some(true) {
        ", since a vector instruction no longer takes four times as long as one of 32 bits"
    } else {
        ""
    };
    let fastest = |rows| streams::fastest_row(rows).map(|(architecture, times)| format!("{architecture} with {}", number(times)));
    let second = match (mmx, fastest(sha1).zip(fastest(sha256))) {
        (Some([sha1, sha256]), _) if sha1 < 1.0 || sha256 < 1.0 => {
            " MMX registers no longer pay for both functions: 32-bit registers rotate in one instruction where MMX registers need four."
                .into()
        }
        (_, Some((sha1, sha256))) => format!(" The fastest of all are {sha1} times (SHA-1) and {sha256} times (SHA-256)."),
        _ => String::new(),
    };
    figure.changed = format!("Four messages in XMM registers reach {} the rate of one in 32-bit registers{because}.{second}", shown(xmm));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aciicmez_2004::shown::assert_is_readable;
    use crate::aciicmez_2004::streams::rows_of;
    use crate::model::Verdict::{self, DoesNot, Holds, NotMeasured};

    fn judged(rates: &[f64]) -> (Figure, Vec<Verdict>) {
        let rows = rows_of(WITH_32_BIT_WORDS, rates);
        let mut figure = Figure::default();
        judge(&mut figure, &rows, &rows);
        for text in [&figure.still_holds, &figure.changed] {
            assert_is_readable(text);
        }
        let verdicts = figure.claims.iter().map(|claim| claim.verdict).collect();
        (figure, verdicts)
    }

    #[test]
    fn verdicts_and_sentences_follow_the_values() {
        let (figure, verdicts) = judged(&[100.0, 150.0, 300.0]);
        assert_eq!(verdicts, [Holds, Holds, Holds]);
        assert!(figure.changed.contains("since") && figure.changed.contains("128-bit (XMM) with 3.00"), "{}", figure.changed);
        let (figure, verdicts) = judged(&[100.0, 80.0, 160.0]);
        assert_eq!(verdicts, [DoesNot, Holds, DoesNot]);
        assert!(figure.changed.contains("no longer pay") && !figure.changed.contains("since"), "{}", figure.changed);
        let (figure, verdicts) = judged(&[100.0, 80.0, 70.0]);
        assert_eq!(verdicts, [DoesNot, DoesNot, DoesNot]);
        assert!(figure.still_holds.starts_with("Nothing of it holds here"), "{}", figure.still_holds);
        assert_eq!(judged(&[100.0]).1, [NotMeasured, NotMeasured, NotMeasured]);
    }
}
