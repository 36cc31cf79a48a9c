//! Figure 4: a long message, 1 MiB.

use anyhow::Result;

use super::field::{LEFT_ALONE, METHOD, N_SMS, OWN_N_SMS, OWN_SHA_NI, PAPERS_LANES, Raced, SCALAR, TODAY, Who, goals, times};
use crate::model::Figure;
use crate::session::Session;

/// Races.
pub fn measure(session: &Session) -> Result<Figure> {
    let linear = [SCALAR, N_SMS, TODAY, OWN_N_SMS, OWN_SHA_NI];
    let forced = [
        PAPERS_LANES,
        Who::Lanes(4, "avx512-128"),
        Who::Lanes(4, "sha-ni-sms-x4"),
        Who::Lanes(8, "avx2"),
        Who::Lanes(16, "avx512"),
        Who::Lanes(32, "avx512x2"),
    ];
    let field: Vec<Who> = linear.into_iter().chain(forced).chain(LEFT_ALONE).collect();
    let raced = Raced::of(session, 1 << 20, &field)?;
    let n_sms = [N_SMS, OWN_N_SMS];
    let papers = raced.speed_up(&[PAPERS_LANES], &n_sms);
    let mut claims = vec![raced.claim(
        "at 1 MB, 4 lanes are 2 times as fast as the best linear implementation of the time, n-SMS",
        "section 3, figure 4",
        "2.27 (2nd generation Core), 2 (3rd generation)",
        &[PAPERS_LANES],
        &n_sms,
        2.0,
    )];
    let best = raced.fastest(&LEFT_ALONE).map_or("no lanes".into(), |(who, _)| who.name());
    let (over_linear, over_today) = (times(raced.speed_up(&LEFT_ALONE, &linear)), times(raced.speed_up(&LEFT_ALONE, &[TODAY])));
    let plots = vec![raced.bars("SHA-256 of 1 MiB", &field, |_| None)];
    let tables = vec![raced.table(|_| None)];
    let (races, missing) = {
        let missing = raced.missing.clone();
        ([raced], missing)
    };
    claims.extend(goals(&races));
    Ok(Figure {
        method: format!(
            "{METHOD} The paper has two processors here, 2nd and 3rd generation Core; we have this one. The text has ratios only."
        ),
        tables,
        plots,
        still_holds: format!(
            "In a message of this length padding and wrapping weigh next to nothing: 4 lanes in 128-bit registers are {} as fast as n-SMS \
             (paper: 2.27 and 2).",
            times(papers)
        ),
        changed: format!(
            "The fastest, left alone, is {best}: {over_today} as fast as OpenSSL today, {over_linear} as fast as the fastest linear code \
             measured. Slices lie beside each other in memory, so that a message longer than a cache is still read once, from front to \
             back."
        ),
        claims,
        missing,
        ..Figure::default()
    })
}
