//! Figure 2: the choice of j, for 8 KiB and 128 KiB.

use anyhow::Result;

use super::field::{LEFT_ALONE, METHOD, N_SMS, OWN_N_SMS, OWN_SHA_NI, PAPERS_LANES, Raced, SCALAR, TODAY, Who, kibibytes, times};
use crate::measured::Measured;
use crate::model::{Bars, Claim, Figure, Plot, Source};
use crate::session::Session;

/// Linear ones.
const LINEAR: [Who; 5] = [SCALAR, N_SMS, TODAY, OWN_N_SMS, OWN_SHA_NI];
/// The paper's three, in the registers that it had.
const PAPERS: [Who; 3] = [PAPERS_LANES, Who::Lanes(8, "sse2"), Who::Lanes(16, "sse2")];
/// As many lanes as later registers have words, and SHA extensions with messages interleaved.
const LATER: [Who; 8] = [
    Who::Lanes(4, "avx512-128"),
    Who::Lanes(4, "sha-ni-x4"),
    Who::Lanes(4, "sha-ni-sms-x4"),
    Who::Lanes(8, "avx2"),
    Who::Lanes(8, "avx512-256"),
    Who::Lanes(16, "avx512"),
    Who::Lanes(16, "avx512-lean"),
    Who::Lanes(32, "avx512x2"),
];
/// For the picture.
const SHOWN: [Who; 10] =
    [SCALAR, N_SMS, PAPERS[0], PAPERS[1], PAPERS[2], LATER[3], LEFT_ALONE[0], LEFT_ALONE[1], LEFT_ALONE[2], LEFT_ALONE[3]];

/// Races.
pub fn measure(session: &Session) -> Result<Figure> {
    let field: Vec<Who> = LINEAR.into_iter().chain(PAPERS).chain(LATER).chain(LEFT_ALONE).collect();
    let (short, long) = (Raced::of(session, 8 << 10, &field)?, Raced::of(session, 128 << 10, &field)?);
    // How far the slowest of the paper's three is behind the fastest.
    let spread = |raced: &Raced| {
        let ns: Option<Vec<f64>> = PAPERS.iter().map(|who| raced.get(*who).map(Measured::median_ns)).collect();
        let ns = ns?;
        Some(ns.iter().copied().fold(0.0, f64::max) / ns.iter().copied().fold(f64::INFINITY, f64::min))
    };
    let spreads = |raced: &Raced| spread(raced).map_or("not measured".into(), |spread| format!("{:.1} %", 100.0 * (spread - 1.0)));
    let n_sms = [N_SMS, OWN_N_SMS];
    let claims = vec![
        short.claim(
            "at 8 KiB, 4 lanes are faster than 16 in the same registers",
            "section 3, figure 2",
            "153 Updates against 135",
            &[PAPERS[0]],
            &[PAPERS[2]],
            1.0,
        ),
        short.claim(
            "at 8 KiB, 8 lanes are faster than the best linear implementation",
            "section 3, figure 2",
            "significantly faster",
            &[PAPERS[1]],
            &n_sms,
            1.0,
        ),
        short.claim(
            "at 8 KiB, 16 lanes are faster than the best linear implementation",
            "section 3, figure 2",
            "significantly faster",
            &[PAPERS[2]],
            &n_sms,
            1.0,
        ),
        Claim::new(
            "for long messages, j = 4, 8, 16 perform roughly the same (within 10 %)",
            "section 3, figure 2",
            "roughly the same",
            format!("the slowest is {} behind the fastest at 128 KiB", spreads(&long)),
            spread(&long).map(|spread| spread <= 1.1),
        ),
        long.claim(
            "with AVX2, j = 8 is significantly faster (at least 1.3 times 4 lanes without)",
            "section 4",
            "predicted",
            &[LATER[3]],
            &[PAPERS_LANES],
            1.3,
        ),
    ];
    let best = |raced: &Raced| {
        let best = raced.fastest(&LEFT_ALONE).map_or(0, |(who, _)| who.lanes());
        format!(
            "j = {best} at {}, {} j = 4 in 128-bit registers",
            kibibytes(raced.bytes()),
            times(raced.speed_up(&LEFT_ALONE, &[PAPERS_LANES]))
        )
    };
    let bars = |raced: &Raced| Bars {
        name: kibibytes(raced.bytes()),
        source: Source::Ours,
        values: SHOWN.iter().map(|who| raced.get(*who).and_then(Measured::tsc_cycles_per_byte)).collect(),
    };
    Ok(Figure {
        method: format!("{METHOD} The text has no values of this figure."),
        plots: vec![Plot::Bars {
            title: "SHA-256 in j lanes".into(),
            y_label: "cycles per byte".into(),
            categories: SHOWN.iter().map(|who| who.name()).collect(),
            series: vec![bars(&short), bars(&long)],
        }],
        tables: vec![short.table(|_| None), long.table(|_| None)],
        still_holds: format!(
            "In 128-bit registers the slowest of j = 4, 8, 16 is {} behind the fastest at 8 KiB and {} at 128 KiB: the wrapping is what j \
             costs, and the longer the message, the less it is.",
            spreads(&short),
            spreads(&long)
        ),
        changed: format!(
            "Registers have 8 and 16 words since, which j follows: the fastest, left alone, are {} and {}.",
            best(&short),
            best(&long)
        ),
        claims,
        missing: short.missing,
        ..Figure::default()
    })
}
