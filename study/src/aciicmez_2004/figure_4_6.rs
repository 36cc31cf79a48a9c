//! Figure 4.6: one, two and four messages of SHA-1 and SHA-256 at once; then what came after 2004.

use anyhow::Result;

use super::scalar;
use super::streams::{self, From, PAPER_SHA_1, PAPER_SHA_256, Registers, Row, WITH_32_BIT_WORDS};
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
    let speed_ups = |row: usize| -> Option<[f64; 2]> { Some([streams::speed_up(&sha1, row)?, streams::speed_up(&sha256, row)?]) };
    let (mmx, xmm) = (speed_ups(MMX), speed_ups(XMM));
    let shown = |values: Option<[f64; 2]>| match values {
        Some([sha1, sha256]) => format!("{sha1:.3} (SHA-1) and {sha256:.3} (SHA-256)"),
        None => "not measured".into(),
    };
    let more = |values: Option<[f64; 2]>, than: [f64; 2]| values.map(|values| values[0] > than[0] && values[1] > than[1]);
    let claims = vec![
        Claim::new(
            "Two messages in MMX registers: more throughput than one in 32-bit registers",
            "section 4.2, figure 4.6",
            "1.474 (SHA-1) and 1.498 (SHA-256) times",
            shown(mmx),
            more(mmx, [1.0; 2]),
        ),
        Claim::new(
            "Four messages in XMM registers: more throughput than two in MMX registers",
            "section 4.2, figure 4.6",
            "1.642 and 1.715 times one in 32-bit registers, over 1.474 and 1.498",
            shown(xmm),
            xmm.zip(mmx).map(|(xmm, mmx)| xmm[0] > mmx[0] && xmm[1] > mmx[1]),
        ),
        Claim::new(
            "Faster vector instructions will make several messages at once faster still",
            "section 5",
            "expected; 1.642 and 1.715 times with XMM on the Pentium 4",
            shown(xmm),
            more(xmm, [PAPER_SHA_1.speed_ups[XMM], PAPER_SHA_256.speed_ups[XMM]]),
        ),
    ];
    let widest = |rows: &[Row]| {
        let measured = rows.iter().enumerate().filter_map(|(i, row)| Some((row, streams::speed_up(rows, i)?)));
        measured.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, times)| format!("{} with {times:.2}", row.architecture))
    };
    let fastest = |rows: &[Row]| widest(rows).unwrap_or_else(|| "nobody".into());
    let by = |name| streams::index(&sha1, Registers::Backend(name)).and_then(|row| streams::speed_up(&sha1, row));
    let on_mmx = match mmx {
        Some([sha1, sha256]) if sha1 < 1.0 || sha256 < 1.0 => {
            " MMX registers do not pay for every function any more: general-purpose registers rotate in one instruction where MMX needs three \
             and a copy, and today's CPUs execute more of their instructions in a cycle than of MMX's."
        }
        _ => "",
    };
    Ok(Figure {
        method: format!(
            "{} Chosen: {}; {}.",
            streams::method(session),
            streams::chosen::<scalar::Sha1>(session, "SHA1")?,
            streams::chosen::<scalar::Sha256>(session, "SHA256")?
        ),
        tables: both.iter().map(|(name, rows, paper)| streams::table(name, rows, paper)).collect(),
        plots: vec![streams::plot("Messages at once, from memory", &both)],
        still_holds: match (more(mmx, [1.0; 2]), more(xmm, [1.0; 2])) {
            (Some(true), Some(true)) => "Several messages at once are faster than one after the other, in MMX and in XMM registers.",
            (_, Some(true)) => "Several messages at once are faster than one after the other in XMM registers.",
            (Some(true), _) => "Several messages at once are faster than one after the other in MMX registers.",
            _ => "No gain by MMX or XMM registers for both functions was seen in this run.",
        }
        .into(),
        changed: if xmm.is_none() {
            "This CPU has neither MMX nor XMM registers.".into()
        } else {
            format!(
                "Four lanes in XMM registers reach {} times the scalar code: a vector instruction of 128 bits no longer takes four times as \
                 long as one of 32 bits.{on_mmx}{} The fastest of all for SHA-1 is {}, for SHA-256 {}.",
                shown(xmm),
                match (by("avx512-128"), by("avx512")) {
                    (Some(xmm), Some(zmm)) => format!(
                        " AVX-512 has vector rotations and any boolean function of three words in one instruction: {xmm:.2} times for SHA-1 \
                         with them in four lanes, {zmm:.2} in sixteen."
                    ),
                    _ => String::new(),
                },
                fastest(&sha1),
                fastest(&sha256)
            )
        },
        claims,
        missing,
        ..Figure::default()
    })
}
