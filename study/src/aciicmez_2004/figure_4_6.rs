//! Figure 4.6: one, two and four messages of SHA-1 and SHA-256 at once; then what came after 2004.

use anyhow::Result;

use super::scalar;
use super::streams::{self, From, Paper, Registers, Row, WITH_32_BIT_WORDS};
use super::subject::{Sha1, Sha256};
use crate::model::{Claim, Figure};
use crate::session::Session;

/// The paper's MB/s, for the first three rows.
const SHA_1: Paper = [87.12, 128.46, 143.09];
const SHA_256: Paper = [48.88, 73.22, 83.81];

const MMX: usize = 1;
const XMM: usize = 2;

/// Measures it.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut missing = Vec::new();
    let sha1 = streams::measure::<Sha1>(session, WITH_32_BIT_WORDS, From::Memory, &mut missing)?;
    let sha256 = streams::measure::<Sha256>(session, WITH_32_BIT_WORDS, From::Memory, &mut missing)?;
    let both = [("SHA-1", &sha1, SHA_1), ("SHA-256", &sha256, SHA_256)];
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
            more(xmm, [1.642, 1.715]),
        ),
    ];
    let widest = |rows: &[Row]| {
        let measured = rows.iter().enumerate().filter_map(|(i, row)| Some((row, streams::speed_up(rows, i)?)));
        measured.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, times)| format!("{} with {times:.2}", row.architecture))
    };
    let fastest = |rows: &[Row]| widest(rows).unwrap_or_else(|| "nobody".into());
    let two = |rows: &[Row], registers| streams::index(rows, Registers::Backend(registers)).and_then(|row| streams::speed_up(rows, row));
    Ok(Figure {
        method: format!(
            "{} Chosen: {}; {}.",
            streams::method(session),
            streams::chosen::<scalar::Sha1>(session, "SHA1")?,
            streams::chosen::<scalar::Sha256>(session, "SHA256")?
        ),
        tables: both.iter().map(|(name, rows, paper)| streams::table(name, rows, *paper)).collect(),
        plots: vec![streams::plot("Messages at once, from memory", &both)],
        still_holds: match (more(mmx, [1.0; 2]), more(xmm, [1.0; 2])) {
            (Some(true), Some(true)) => "Several messages at once are faster than one after the other, in MMX and in XMM registers.",
            (_, Some(true)) => "Several messages at once are faster than one after the other in XMM registers.",
            (Some(true), _) => "Several messages at once are faster than one after the other in MMX registers.",
            _ => "No gain by MMX or XMM registers for both functions was seen in this run.",
        }
        .into(),
        changed: format!(
            "Four lanes in XMM registers reach {} times the scalar code: a vector instruction of 128 bits takes no longer than one of 32 \
             bits now, where the Pentium 4 took four times as long.{} The fastest of all for SHA-1 is {}, for SHA-256 {}.",
            shown(xmm),
            match (two(&sha1, "avx2"), two(&sha1, "avx512")) {
                (Some(avx2), Some(avx512)) =>
                    format!(" SHA-1 reaches {avx2:.2} with AVX2 and {avx512:.2} with AVX-512, which rotates in one instruction."),
                (Some(avx2), None) => format!(" SHA-1 reaches {avx2:.2} with AVX2."),
                _ => String::new(),
            },
            fastest(&sha1),
            fastest(&sha256)
        ),
        claims,
        missing,
        ..Figure::default()
    })
}
