//! Figure 4.6: one, two and four messages of SHA-1 and SHA-256 at once; then what came after 2004.

use anyhow::Result;
use manyhash::{Sha1, Sha256};

use super::scalar;
use super::streams::{self, MMX, PAPER_SHA_1, PAPER_SHA_256, Registers, Streams, WITH_32_BIT_WORDS, XMM};
use crate::claims::Metrics;
use crate::model::Figure;
use crate::session::Session;

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut missing = Vec::new();
    let sha1 = Streams::measure::<Sha1>(session, WITH_32_BIT_WORDS, true, &mut missing)?;
    let sha256 = Streams::measure::<Sha256>(session, WITH_32_BIT_WORDS, true, &mut missing)?;
    Ok(Figure {
        method: format!(
            "{} {} Chosen: {}; {}.",
            streams::method(session),
            streams::from_memory(session),
            streams::chosen::<scalar::Sha1>(session, "SHA1")?,
            streams::chosen::<scalar::Sha256>(session, "SHA256")?
        ),
        tables: sha1.tables(&PAPER_SHA_1).into_iter().chain(sha256.tables(&PAPER_SHA_256)).collect(),
        plots: vec![streams::plot(
            "SHA-1 and SHA-256 of several messages at once, from memory",
            &[(&sha1, &PAPER_SHA_1), (&sha256, &PAPER_SHA_256)],
        )],
        missing,
        metrics: metrics(&sha1, &sha256),
        ..Figure::default()
    })
}

fn metrics(sha1: &Streams, sha256: &Streams) -> Metrics {
    let mut metrics = Metrics::default();
    let mut both = |metric, of: &dyn Fn(&Streams) -> Option<f64>| metrics.each(metric, [("SHA-1", of(sha1)), ("SHA-256", of(sha256))]);
    let speed_up = |registers: Registers| move |streams: &Streams| streams.speed_up(registers);
    both("MMX over 32-bit", &speed_up(MMX));
    both("XMM over 32-bit", &speed_up(XMM));
    both("XMM over MMX", &|streams| streams.memory.over(XMM.1, MMX.1));
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
            (&[100.0, 150.0, 300.0][..], [Holds, Holds, Holds]),
            (&[100.0, 80.0, 160.0], [DoesNot, Holds, DoesNot]),
            (&[100.0, 80.0, 70.0], [DoesNot; 3]),
            (&[100.0], [NotMeasured; 3]),
        ] {
            let streams = of_rates::<Sha1>(WITH_32_BIT_WORDS, rates);
            assert_eq!(verdicts("2004-4.6", &metrics(&streams, &streams)), expected);
        }
    }
}
