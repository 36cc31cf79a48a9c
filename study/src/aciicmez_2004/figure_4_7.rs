//! Figure 4.7: SHA-384 and SHA-512 in registers of 32, 64 and 128 bits; then what came after 2004.

use anyhow::Result;

use super::scalar;
use super::shown::{number, or_not_measured};
use super::streams::{self, From, PAPER_SHA_512, Registers, Row, WITH_64_BIT_WORDS};
use super::subject::Sha512;
use crate::model::{Claim, Figure};
use crate::session::Session;

const MMX: usize = 1;
const XMM: usize = 2;

/// Measures it.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut missing = Vec::new();
    let rows = streams::measure::<Sha512>(session, WITH_64_BIT_WORDS, From::Memory, &mut missing)?;
    let mut figure = Figure {
        method: format!(
            "{} {} SHA-384 is SHA-512 with another initial state and a shorter digest: SHA-512 is measured for both, as in the paper. A \
             word in two 32-bit registers is added with ADD and ADC; there are sixteen registers here where the paper's CPU had eight. \
             Chosen: {}; {}.",
            streams::method(session),
            streams::places(session, From::Memory),
            streams::chosen::<scalar::Sha512Pairs>(session, "SHA512")?,
            streams::chosen::<scalar::Sha512>(session, "SHA512")?
        ),
        tables: streams::tables("SHA-512", &rows, &PAPER_SHA_512).into(),
        plots: vec![streams::plot("SHA-512 of several messages at once, from memory", &[("SHA-512", &rows, &PAPER_SHA_512)])],
        missing,
        ..Figure::default()
    };
    judge(&mut figure, &rows);
    Ok(figure)
}

fn judge(figure: &mut Figure, rows: &[Row]) {
    let (mmx, xmm) = (streams::speed_up(rows, MMX), streams::speed_up(rows, XMM));
    let native = streams::index(rows, Registers::Bits64).and_then(|row| streams::speed_up(rows, row));
    let shown = |value: Option<f64>| or_not_measured(value.map(|value| format!("{} times", number(value))));
    figure.claims = vec![
        Claim::new(
            "One message in MMX registers is faster than in 32-bit registers",
            "section 4.2, figure 4.7",
            "1.456 times",
            shown(mmx),
            mmx.map(|mmx| mmx > 1.0),
        ),
        Claim::new(
            "Two messages in XMM registers have more throughput than one in MMX registers",
            "section 4.2, figure 4.7",
            "1.58 times",
            shown(xmm.zip(mmx).map(|(xmm, mmx)| xmm / mmx)),
            xmm.zip(mmx).map(|(xmm, mmx)| xmm > mmx),
        ),
        Claim::new(
            "SHA-512 is faster in general-purpose registers of 64 bits than in those of 32 bits",
            "section 4.2",
            "expected, no value",
            shown(native),
            native.map(|native| native > 1.0),
        ),
    ];
    let mmx_gains = mmx.is_some_and(|mmx| mmx > 1.0);
    let xmm_gains = xmm.is_some_and(|xmm| xmm > 1.0);
    let xmm_leads = xmm.zip(mmx).is_some_and(|(xmm, mmx)| xmm > mmx);
    figure.still_holds = match (mmx_gains, xmm_gains) {
        (true, true) if xmm_leads => {
            "MMX registers are still faster than pairs of 32-bit registers, and two messages in XMM registers faster than those."
        }
        (true, true) => "MMX and XMM registers are both still faster than pairs of 32-bit registers.",
        (false, true) => "Two messages in XMM registers are still faster than one in pairs of 32-bit registers.",
        (true, false) => "MMX registers are still faster than pairs of 32-bit registers.",
        (false, false) if mmx.is_none() && xmm.is_none() => "Nothing of it could be measured here: these registers are missing.",
        (false, false) => "Nothing of it holds here: neither MMX nor XMM registers gain.",
    }
    .into();
    let first = match (native, mmx) {
        (Some(native), Some(mmx)) if native > mmx => format!(
            "Registers of 64 bits do what MMX registers were used for, and rotate in one instruction: they are {} times as fast as pairs of \
             32-bit registers, and {} times as fast as MMX registers.",
            number(native),
            number(native / mmx)
        ),
        (Some(native), _) => format!("Registers of 64 bits are {} times as fast as pairs of 32-bit registers.", number(native)),
        (None, _) => "Registers of 64 bits were not measured.".into(),
    };
    let fastest = streams::fastest_row(rows).map(|(architecture, times)| {
        format!(" The fastest of all is {architecture} with {} times the rate of one message in 32-bit registers.", number(times))
    });
    figure.changed = first + &fastest.unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aciicmez_2004::shown::assert_is_readable;
    use crate::aciicmez_2004::streams::rows_of;
    use crate::model::Verdict::{self, DoesNot, Holds, NotMeasured};

    fn judged(rates: &[f64]) -> (Figure, Vec<Verdict>) {
        let mut figure = Figure::default();
        judge(&mut figure, &rows_of(WITH_64_BIT_WORDS, rates));
        for text in [&figure.still_holds, &figure.changed] {
            assert_is_readable(text);
        }
        let verdicts = figure.claims.iter().map(|claim| claim.verdict).collect();
        (figure, verdicts)
    }

    #[test]
    fn verdicts_and_sentences_follow_the_values() {
        let (figure, verdicts) = judged(&[100.0, 150.0, 400.0, 300.0]);
        assert_eq!(verdicts, [Holds, Holds, Holds]);
        assert!(figure.still_holds.ends_with("faster than those.") && figure.changed.contains("2.00 times as fast as MMX"));
        let (figure, verdicts) = judged(&[100.0, 150.0, 120.0, 90.0]);
        assert_eq!(verdicts, [Holds, DoesNot, DoesNot]);
        assert!(figure.still_holds.starts_with("MMX and XMM registers are both"), "{}", figure.still_holds);
        let (figure, verdicts) = judged(&[100.0, 90.0, 95.0]);
        assert_eq!(verdicts, [DoesNot, Holds, NotMeasured]);
        assert!(figure.still_holds.starts_with("Nothing of it holds here"), "{}", figure.still_holds);
    }
}
