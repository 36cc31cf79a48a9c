//! Figure 1: an 8 KiB message by linear SHA-256, by 4 lanes over the same linear code, and by 4
//! lanes in vectors.

use anyhow::Result;

use super::presentation::{
    BEST_THEN, CHOICES, OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, OWN_SCALAR_ROUNDS, OWN_SHA_NI, PAPERS_LANES, Raced, Who, bars,
    method, name, race, ratios, table,
};
use crate::model::Figure;
use crate::session::Session;

const BYTES: usize = 8192;
/// The paper's two values for OpenSSL, in cycles per byte: linear, and 4 lanes over it.
const PAPERS_OPENSSL: [f64; 2] = [12.87, 13.57];
/// How many times as fast as OpenSSL the paper's 4 lanes are.
const PAPERS_SPEED_UP: f64 = 2.45;

/// Linear code, and the same over 4 slices.
const PAIRS: [(Who, Who); 5] = [
    (OPENSSL_SCALAR, Who::Over(4, &OPENSSL_SCALAR)),
    (OPENSSL_N_SMS, Who::Over(4, &OPENSSL_N_SMS)),
    (OPENSSL_TODAY, Who::Over(4, &OPENSSL_TODAY)),
    (OWN_SCALAR_ROUNDS, Who::Over(4, &OWN_SCALAR_ROUNDS)),
    (OWN_SHA_NI, Who::Over(4, &OWN_SHA_NI)),
];

/// Cycles per byte, as the text has them.
fn printed(who: Who) -> Option<f64> {
    [PAIRS[0].0, PAIRS[0].1].into_iter().zip(PAPERS_OPENSSL).find(|(other, _)| *other == who).map(|(_, cycles)| cycles)
}

/// Cycles per byte as the text has them, and what follows from "2.45 times".
fn derived(who: Who) -> Option<f64> {
    if who == PAPERS_LANES { Some(PAPERS_OPENSSL[0] / PAPERS_SPEED_UP) } else { printed(who) }
}

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let raced = race(session, BYTES, &field())?;
    let method = format!(
        "{} The 4 slices over a linear implementation are dealt out word by word, hashed one after the other, and wrapped; dealing is part \
         of the time. The paper's 5.25 C/B of 4 lanes in the picture is 12.87 / 2.45.",
        method(session, &[BYTES])
    );
    Ok(Figure { method, missing: raced.missing.clone(), ..figure(&raced) })
}

fn field() -> Vec<Who> {
    let lanes = [PAPERS_LANES, Who::Lanes(4, "avx512-128"), CHOICES[0]];
    PAIRS.iter().flat_map(|pair| [pair.0, pair.1]).chain(lanes).collect()
}

fn figure(raced: &Raced) -> Figure {
    let ratio = |who, paper| (name(who), paper, raced.over(who, OPENSSL_SCALAR));
    let over_scalar = vec![ratio(PAIRS[0].1, PAPERS_OPENSSL[0] / PAPERS_OPENSSL[1]), ratio(PAPERS_LANES, PAPERS_SPEED_UP)];
    let ratios = ratios("8 KiB: how many times as fast as OpenSSL scalar, beside the paper", over_scalar);
    let mut figure = Figure {
        plots: vec![bars(raced, &field(), Some(derived))],
        tables: [table(raced, printed)].into_iter().chain(ratios).collect(),
        ..Figure::default()
    };
    let pairs = PAIRS.iter().filter_map(|(linear, over)| Some((format!("of {}", name(*linear)), Some(raced.over(*over, *linear)?))));
    figure.metrics.each("4 slices over linear code", pairs);
    figure.metrics.speed_ups("4 lanes over OpenSSL scalar", [raced], &[PAPERS_LANES], &[OPENSSL_SCALAR]);
    figure.metrics.speed_ups("4 lanes over n-SMS", [raced], &[PAPERS_LANES], &BEST_THEN);
    figure
}

#[cfg(test)]
mod tests {
    use super::super::presentation::{raced, tests::check_words};
    use super::*;
    use crate::claims::verdicts;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn verdicts_follow_the_values() {
        let with = |over: f64, papers: f64| {
            let over = (PAIRS[0].1, over);
            raced(BYTES, &[(OPENSSL_SCALAR, 100.0), over, (OPENSSL_N_SMS, 70.0), (PAPERS_LANES, papers), (OPENSSL_TODAY, 30.0)])
        };
        let nothing = raced(BYTES, &[(OPENSSL_TODAY, 1.0)]);
        for (raced, expected) in [(with(105.0, 40.0), Holds), (with(95.0, 101.0), DoesNot), (nothing, NotMeasured)] {
            let figure = figure(&raced);
            check_words(&figure);
            assert_eq!(verdicts("2013-1", &figure.metrics), [expected; 3]);
        }
    }
}
