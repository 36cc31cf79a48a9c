//! Figure 1: an 8 KiB message by linear SHA-256, by 4 lanes over the same linear code, and by 4 lanes in vectors.

use anyhow::Result;

use super::field::{LEFT_ALONE, METHOD, N_SMS, OWN_N_SMS, OWN_SHA_NI, PAPERS_LANES, Raced, SCALAR, TODAY, Who, times};
use crate::model::{Claim, Figure};
use crate::openssl_worker::Variant;
use crate::session::Session;

/// Linear, and the same over 4 slices.
const PAIRS: [(Who, Who); 5] = [
    (SCALAR, Who::OverOpenSsl(4, Variant::Scalar)),
    (N_SMS, Who::OverOpenSsl(4, Variant::NSms)),
    (TODAY, Who::OverOpenSsl(4, Variant::Today)),
    (OWN_N_SMS, Who::OverLinear(4, "bmi2")),
    (OWN_SHA_NI, Who::OverLinear(4, "sha-ni")),
];

/// Cycles per byte, as the text has them; the last from "2.45 times".
fn paper(who: Who) -> Option<f64> {
    match who {
        SCALAR => Some(12.87),
        Who::OverOpenSsl(4, Variant::Scalar) => Some(13.57),
        PAPERS_LANES => Some(12.87 / 2.45),
        _ => None,
    }
}

/// Races.
pub fn measure(session: &Session) -> Result<Figure> {
    let lanes = [PAPERS_LANES, Who::Lanes(4, "avx512-128"), Who::LeftAlone(4)];
    let field: Vec<Who> = PAIRS.iter().flat_map(|pair| [pair.0, pair.1]).chain(lanes).collect();
    let raced = Raced::of(session, 8192, &field)?;
    let over = |pair: &(Who, Who)| Some((pair.1.name(), raced.speed_up(&[pair.1], &[pair.0])?));
    let pairs: Vec<(String, f64)> = PAIRS.iter().filter_map(over).collect();
    let slower = |pairs: &[(String, f64)]| pairs.iter().map(|(name, ratio)| format!("{name}: {ratio:.3}")).collect::<Vec<_>>().join("; ");
    let all_slower = (!pairs.is_empty()).then(|| pairs.iter().all(|pair| pair.1 < 1.0));
    let papers = raced.speed_up(&[PAPERS_LANES], &[SCALAR]);
    let over_today = raced.speed_up(&[PAPERS_LANES], &[TODAY]);
    let mut claims = vec![
        Claim::new(
            "4 lanes over a linear implementation are slower than that implementation",
            "section 3, figure 1",
            "13.57 C/B against 12.87: 0.948 times as fast",
            slower(&pairs),
            all_slower,
        ),
        raced.claim(
            "4 lanes in vectors of 128 bits are 2.45 times as fast as OpenSSL's scalar code",
            "section 3, figure 1",
            "2.45",
            &[PAPERS_LANES],
            &[SCALAR],
            2.45,
        ),
        raced.claim(
            "4 lanes are faster than the best serial implementation, n-SMS",
            "section 3, figure 1",
            "a picture",
            &[PAPERS_LANES],
            &[N_SMS, OWN_N_SMS],
            1.0,
        ),
    ];
    claims.push(raced.claim(
        "the best way of j = 4 is 2.45 times as fast as OpenSSL is today, for 8 KiB",
        "section 3, figure 1, against today's OpenSSL",
        "2.45 over 1.0.1c",
        &lanes,
        &[TODAY],
        2.45,
    ));
    let no_gain = if all_slower == Some(true) {
        "Slices without lanes only cost, as in the paper"
    } else {
        "Slices without lanes do not cost in every case here"
    };
    let why = if session.machine.features.contains(&"sha") { ", which has the SHA extensions for one message" } else { "" };
    let against_today = format!("The paper's 4 lanes are {} as fast as today's OpenSSL{why}", times(over_today));
    let alone = times(raced.speed_up(&[LEFT_ALONE[0]], &[TODAY]));
    Ok(Figure {
        method: format!(
            "{METHOD} The 4 slices over a linear implementation are dealt out word by word, hashed one after the other, and wrapped; \
             dealing is part of the time."
        ),
        plots: vec![raced.bars("SHA-256 of 8 KiB, linear and in 4 lanes", &field, paper)],
        tables: vec![raced.table(paper)],
        still_holds: format!(
            "{no_gain}; 4 lanes in vectors of 128 bits are {} as fast as OpenSSL's scalar code (paper: 2.45).",
            times(papers)
        ),
        changed: format!("{against_today}; left alone, manyhash's 4 lanes are {alone} as fast as it."),
        claims,
        missing: raced.missing,
        ..Figure::default()
    })
}
