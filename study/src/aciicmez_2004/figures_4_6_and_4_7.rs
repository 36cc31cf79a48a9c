//! Figures 4.6 and 4.7: one message and several at once, of SHA-1 and SHA-256, and of SHA-384 and
//! SHA-512, in registers of 32, 64 and 128 bits; then what came after 2004.

use anyhow::Result;
use manyhash::{Sha1, Sha256, Sha512};

use super::scalar;
use super::streams::{
    self, BITS_64, MMX, PAPER_SHA_1, PAPER_SHA_256, PAPER_SHA_512, Registers, Streams, WITH_32_BIT_WORDS, WITH_64_BIT_WORDS, XMM,
};
use crate::claims::Metrics;
use crate::model::Figure;
use crate::session::Session;

/// Measures figure 4.6.
pub fn sha1_and_sha256(session: &Session) -> Result<Figure> {
    let mut missing = Vec::new();
    let sha1 = Streams::measure::<Sha1>(session, WITH_32_BIT_WORDS, true, &mut missing)?;
    let sha256 = Streams::measure::<Sha256>(session, WITH_32_BIT_WORDS, true, &mut missing)?;
    let mut figure = Figure {
        method: format!(
            "{} {} Chosen: {}; {}.",
            streams::method(session),
            streams::from_memory(session),
            streams::chosen::<scalar::Sha1>(session, "SHA1")?,
            streams::chosen::<scalar::Sha256>(session, "SHA256")?
        ),
        missing,
        metrics: metrics_4_6(&sha1, &sha256),
        ..Figure::default()
    };
    sha1.publish(&mut figure, &PAPER_SHA_1);
    sha256.publish(&mut figure, &PAPER_SHA_256);
    Ok(figure)
}

fn metrics_4_6(sha1: &Streams, sha256: &Streams) -> Metrics {
    let mut metrics = Metrics::default();
    let mut both = |metric, of: &dyn Fn(&Streams) -> Option<f64>| metrics.each(metric, [("SHA-1", of(sha1)), ("SHA-256", of(sha256))]);
    let speed_up = |registers: Registers| move |streams: &Streams| streams.speed_up(registers.1);
    both("MMX over 32-bit", &speed_up(MMX));
    both("XMM over 32-bit", &speed_up(XMM));
    both("two at once", &|streams| streams.speed_up(MMX.1).map(|speed_up| 2.0 / speed_up));
    both("XMM over MMX", &|streams| streams.memory.over(XMM.1, MMX.1));
    metrics
}

/// Measures figure 4.7.
pub fn sha512(session: &Session) -> Result<Figure> {
    let mut missing = Vec::new();
    let streams = Streams::measure::<Sha512>(session, WITH_64_BIT_WORDS, true, &mut missing)?;
    let mut figure = Figure {
        method: format!(
            "{} {} SHA-384 is SHA-512 with another initial state and a shorter digest: SHA-512 is measured for both, as in the paper. A \
             word in two 32-bit registers is added with ADD and ADC; there are sixteen registers here where the paper's CPU had eight. \
             Chosen: {}; {}.",
            streams::method(session),
            streams::from_memory(session),
            streams::chosen::<scalar::Sha512Pairs>(session, "SHA512")?,
            streams::chosen::<scalar::Sha512>(session, "SHA512")?
        ),
        missing,
        metrics: metrics_4_7(&streams),
        ..Figure::default()
    };
    streams.publish(&mut figure, &PAPER_SHA_512);
    Ok(figure)
}

fn metrics_4_7(streams: &Streams) -> Metrics {
    let mut metrics = Metrics::default();
    metrics.set("MMX over 32-bit", streams.speed_up(MMX.1));
    metrics.set("XMM over MMX", streams.memory.over(XMM.1, MMX.1));
    metrics.set("64-bit over 32-bit", streams.speed_up(BITS_64.1));
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aciicmez_2004::streams::of_rates;
    use crate::claims::verdicts;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn verdicts_of_figure_4_6_follow_the_values() {
        for (rates, expected) in [
            (&[100.0, 150.0, 300.0][..], [Holds; 4]),
            (&[100.0, 80.0, 160.0], [DoesNot, Holds, DoesNot, DoesNot]),
            (&[100.0, 80.0, 70.0], [DoesNot; 4]),
            (&[100.0], [NotMeasured; 4]),
        ] {
            let streams = of_rates::<Sha1>(WITH_32_BIT_WORDS, rates);
            assert_eq!(verdicts("2004-4.6", &metrics_4_6(&streams, &streams)), expected);
        }
    }

    #[test]
    fn verdicts_of_figure_4_7_follow_the_values() {
        for (rates, expected) in [
            (&[100.0, 150.0, 400.0, 300.0][..], [Holds, Holds, Holds]),
            (&[100.0, 150.0, 120.0, 90.0], [Holds, DoesNot, DoesNot]),
            (&[100.0, 90.0, 95.0], [DoesNot, Holds, NotMeasured]),
        ] {
            assert_eq!(verdicts("2004-4.7", &metrics_4_7(&of_rates::<Sha512>(WITH_64_BIT_WORDS, rates))), expected);
        }
    }
}
