//! Figure 4.7: SHA-384 and SHA-512 in registers of 32, 64 and 128 bits; then what came after 2004.

use anyhow::Result;

use super::scalar;
use super::streams::{self, From, PAPER_SHA_512, Registers, WITH_64_BIT_WORDS};
use super::subject::Sha512;
use crate::model::{Claim, Figure};
use crate::session::Session;

const MMX: usize = 1;
const XMM: usize = 2;

/// Measures it.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut missing = Vec::new();
    let rows = streams::measure::<Sha512>(session, WITH_64_BIT_WORDS, From::Memory, &mut missing)?;
    let (mmx, xmm) = (streams::speed_up(&rows, MMX), streams::speed_up(&rows, XMM));
    let native = streams::index(&rows, Registers::Bits64).and_then(|row| streams::speed_up(&rows, row));
    let shown = |value: Option<f64>| value.map_or("not measured".into(), |value| format!("{value:.3} times"));
    let claims = vec![
        Claim::new(
            "One message in MMX registers is faster than in 32-bit registers",
            "section 4.2, figure 4.7",
            "1.456 times",
            shown(mmx),
            mmx.map(|mmx| mmx > 1.0),
        ),
        Claim::new(
            "Two messages in XMM registers have more than twice the throughput of one in 32-bit registers",
            "section 4.2, figure 4.7",
            "2.301 times",
            shown(xmm),
            xmm.map(|xmm| xmm > 2.0),
        ),
        Claim::new(
            "SHA-512 favours 64-bit architectures",
            "section 4.2",
            "expected; MMX registers stand in for them",
            format!("general-purpose registers of 64 bits: {} those of 32 bits", shown(native)),
            native.map(|native| native > 1.0),
        ),
    ];
    let best = rows.iter().enumerate().filter_map(|(i, row)| Some((row, streams::speed_up(&rows, i)?)));
    let best = best.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, times)| format!("{} with {times:.2}", row.architecture));
    Ok(Figure {
        method: format!(
            "{} SHA-384 is SHA-512 with another initial state and a shorter digest: SHA-512 is measured for both, as in the paper. A word \
             in two 32-bit registers is added with ADD and ADC; it has sixteen registers here where the paper's CPU had eight. Chosen: {}; \
             {}.",
            streams::method(session),
            streams::chosen::<scalar::Sha512Pairs>(session, "SHA512")?,
            streams::chosen::<scalar::Sha512>(session, "SHA512")?
        ),
        tables: vec![streams::table("SHA-512", &rows, &PAPER_SHA_512)],
        plots: vec![streams::plot("SHA-512, from memory", &[("SHA-512", &rows, &PAPER_SHA_512)])],
        still_holds: match (mmx.map(|mmx| mmx > 1.0), xmm.map(|xmm| xmm > 1.0)) {
            (Some(true), Some(true)) => "MMX registers beat pairs of 32-bit registers, and two messages in XMM registers beat those again.",
            (_, Some(true)) => "Two messages in XMM registers are faster than one in pairs of 32-bit registers.",
            (Some(true), _) => "MMX registers beat pairs of 32-bit registers.",
            _ => "No gain by MMX or XMM registers was seen in this run.",
        }
        .into(),
        changed: format!(
            "General-purpose registers of 64 bits do what MMX was used for, and rotate in one instruction where MMX needs two shifts and an \
             or{}. The fastest of all is {}.",
            match (native, mmx) {
                (Some(native), Some(mmx)) => format!(": {native:.2} times the 32-bit code, and {:.2} times MMX", native / mmx),
                (Some(native), None) => format!(": {native:.2} times the 32-bit code"),
                (None, _) => String::new(),
            },
            best.unwrap_or_else(|| "nobody".into())
        ),
        claims,
        missing,
        ..Figure::default()
    })
}
