//! Figure 4.7: SHA-384 and SHA-512 in registers of 32, 64 and 128 bits; then what came after 2004.

use anyhow::Result;
use manyhash::Sha512;

use super::scalar;
use super::streams::{self, BITS_64, MMX, PAPER_SHA_512, Streams, WITH_64_BIT_WORDS, XMM};
use crate::claims::Metrics;
use crate::model::Figure;
use crate::session::Session;

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut missing = Vec::new();
    let streams = Streams::measure::<Sha512>(session, WITH_64_BIT_WORDS, true, &mut missing)?;
    Ok(Figure {
        method: format!(
            "{} {} SHA-384 is SHA-512 with another initial state and a shorter digest: SHA-512 is measured for both, as in the paper. A \
             word in two 32-bit registers is added with ADD and ADC; there are sixteen registers here where the paper's CPU had eight. \
             Chosen: {}; {}.",
            streams::method(session),
            streams::from_memory(session),
            streams::chosen::<scalar::Sha512Pairs>(session, "SHA512")?,
            streams::chosen::<scalar::Sha512>(session, "SHA512")?
        ),
        tables: streams.tables(&PAPER_SHA_512).into(),
        plots: vec![streams::plot("SHA-512 of several messages at once, from memory", &[(&streams, &PAPER_SHA_512)])],
        missing,
        metrics: metrics(&streams),
        ..Figure::default()
    })
}

fn metrics(streams: &Streams) -> Metrics {
    let mut metrics = Metrics::default();
    metrics.set("MMX over 32-bit", streams.speed_up(MMX));
    metrics.set("XMM over MMX", streams.memory.over(XMM.1, MMX.1));
    metrics.set("64-bit over 32-bit", streams.speed_up(BITS_64));
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aciicmez_2004::streams::of_rates;
    use crate::claims::verdicts;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn verdicts_follow_the_values() {
        for (rates, expected) in [
            (&[100.0, 150.0, 400.0, 300.0][..], [Holds, Holds, Holds]),
            (&[100.0, 150.0, 120.0, 90.0], [Holds, DoesNot, DoesNot]),
            (&[100.0, 90.0, 95.0], [DoesNot, Holds, NotMeasured]),
        ] {
            assert_eq!(verdicts("2004-4.7", &metrics(&of_rates::<Sha512>(WITH_64_BIT_WORDS, rates))), expected);
        }
    }
}
