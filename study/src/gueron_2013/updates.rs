//! The numbers of Updates, blocks compressed: Gueron 2013, section 2.2 ("4x + 1", "4(x + 1) + 3")
//! and section 3 (129, 135, 153).

use anyhow::{Result, ensure};
use manyhash::Sha256;
use manyhash::backend::Backend;
use manyhash::hazmat::{Blocks, Kernel, final_blocks, updates};

use super::over_linear::OverLinear;
use crate::messages::Layout;
use crate::model::{Figure, Source};
use crate::openssl_worker;
use crate::session::Session;

const WORD_BYTES: usize = 4;
const DIGEST_BYTES: usize = 32;
/// The length that the paper counts for.
const BYTES: usize = 8192;
/// Lanes, and what the paper says of 8 KiB.
const CASES: [(usize, Option<u64>); 5] = [(1, Some(129)), (4, Some(135)), (8, None), (16, Some(153)), (32, None)];

/// Updates of j-lanes SHA-256, from the lengths of the slices and of what is wrapped; with one
/// lane, of plain SHA-256.
pub fn of_j_lanes(message_bytes: usize, lanes: usize) -> u64 {
    if lanes == 1 {
        return updates::<Sha256>(message_bytes as u64);
    }
    let slices = (0..lanes).map(|lane| updates::<Sha256>(slice_bytes(message_bytes, lanes, lane) as u64));
    slices.sum::<u64>() + wrapping(lanes)
}

/// Bytes of a slice: whole rows of a word for each lane, and what it gets of the last one.
fn slice_bytes(message_bytes: usize, lanes: usize, lane: usize) -> usize {
    let row_bytes = lanes * WORD_BYTES;
    let of_last_row = (message_bytes % row_bytes).saturating_sub(lane * WORD_BYTES).min(WORD_BYTES);
    message_bytes / row_bytes * WORD_BYTES + of_last_row
}

/// Updates of hashing a message in `lanes` lanes, as a linear SHA-256 counts them, and the digest.
fn count(message: &[u8], lanes: usize) -> Result<(u64, Vec<u8>)> {
    let (kernel, mut updates, mut digest) = (Kernel::<Sha256>::of(Backend::by_name("portable")?)?, 0, Vec::new());
    let mut linear = |message: &[u8], digests: &mut Vec<u8>| {
        let (whole, rest) = message.split_at(message.len() / 64 * 64);
        let last = final_blocks::<Sha256>(rest, message.len() as u64);
        let mut states = kernel.states();
        for block in whole.chunks(64).chain(last.chunks(64)) {
            updates += 1;
            kernel.update(&mut states, &Blocks::new(1, 64, |_| block));
        }
        digests.extend_from_slice(&states.digest(0));
    };
    match lanes {
        1 => linear(message, &mut digest),
        _ => OverLinear::new(lanes, WORD_BYTES).hash(message, &mut digest, linear),
    }
    Ok((updates, digest))
}

pub fn measure(_: &Session) -> Result<Figure> {
    let messages = Layout::equal(1, BYTES).fill()?;
    let message = messages.slices()[0];
    let mut figure = Figure::default();
    let linear = of_j_lanes(BYTES, 1) as f64;
    let (mut of_paper, mut of_derived) = (Vec::new(), Vec::new());
    for (lanes, paper) in CASES {
        let (counted, digest) = count(message, lanes)?;
        if lanes == 1 {
            ensure!(digest == openssl_worker::digests("SHA256", &[message])?, "wrong digest of the counting SHA-256");
        }
        let (derived, at) = (of_j_lanes(BYTES, lanes) as f64, ("Updates of one message of 8,192 bytes", "8 KiB"));
        figure.beside(at, name(lanes), "counted", Source::Ours, counted as f64, paper.map(|paper| paper as f64));
        for (what, value) in [
            ("derived from the lengths", Some(derived)),
            ("one after the other", Some(steps(BYTES, lanes) as f64)),
            ("of them wrapping", (lanes > 1).then(|| wrapping(lanes) as f64)),
            ("% more than linear", Some(100.0 * (derived / linear - 1.0))),
        ] {
            figure.put(at, name(lanes), what, Source::Ours, value);
        }
        of_paper.extend(paper.map(|_| (name(lanes), Some(counted as f64))));
        of_derived.push((name(lanes), Some(counted as f64 / derived)));
        for kibibytes in [2, 4, 8, 16, 32, 64, 128, 1024] {
            let case = format!("{kibibytes} KiB");
            let at = ("Updates by the length of the message", case.as_str());
            figure.put(at, name(lanes), "Updates", Source::Ours, of_j_lanes(kibibytes << 10, lanes) as f64);
        }
    }
    figure.metrics.each("Updates", of_paper);
    figure.metrics.each("counted over derived", of_derived);
    Ok(figure)
}

/// "j = 4".
fn name(lanes: usize) -> String {
    if lanes == 1 { "linear".into() } else { format!("j = {lanes}") }
}

/// Updates of hashing the slices' digests.
fn wrapping(lanes: usize) -> u64 {
    updates::<Sha256>((lanes * DIGEST_BYTES) as u64)
}

/// Updates one after the other if all lanes do theirs at once.
fn steps(message_bytes: usize, lanes: usize) -> u64 {
    if lanes == 1 {
        return of_j_lanes(message_bytes, 1);
    }
    updates::<Sha256>(slice_bytes(message_bytes, lanes, 0) as u64) + wrapping(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_share_the_steps_of_their_slices_and_none_of_the_wrapping() {
        assert_eq!([1, 4, 8, 16, 32].map(|lanes| steps(8192, lanes)), [129, 36, 22, 18, 22]);
        assert_eq!([4, 8, 16, 32].map(wrapping), [3, 5, 9, 17]);
    }

    #[test]
    fn the_papers_formulas_hold_for_every_multiple_of_256_bytes() {
        for x in 1..600 {
            assert_eq!(of_j_lanes(256 * x, 1), 4 * x as u64 + 1);
            assert_eq!(of_j_lanes(256 * x, 4), 4 * (x as u64 + 1) + 3);
        }
        for lanes in [2, 4, 8, 16, 32, 64] {
            for blocks in 0..20 {
                let (bytes, j) = (64 * lanes * blocks, lanes as u64);
                assert_eq!(of_j_lanes(bytes, lanes), bytes as u64 / 64 + j + j / 2 + 1, "{lanes} lanes, {bytes} bytes");
            }
        }
    }

    #[test]
    fn what_is_counted_is_what_is_derived_at_any_length() {
        let message: Vec<u8> = (0..8192u32).map(|i| (i % 251) as u8).collect();
        let mut lengths: Vec<usize> = vec![0, 1, 55, 56, 64, 119, 120, 219, 220, 221, 223, 224, 255, 256, 257, 1000, 4095, 8191, 8192];
        lengths.extend((880..900).chain(3500..3600));
        for bytes in lengths {
            for lanes in [1, 2, 3, 4, 8, 16, 32] {
                let (counted, digest) = count(&message[..bytes], lanes).unwrap();
                assert_eq!(counted, of_j_lanes(bytes, lanes), "{lanes} lanes, {bytes} bytes");
                if lanes == 1 {
                    assert_eq!(digest, openssl_worker::digests("SHA256", &[&message[..bytes]]).unwrap());
                }
            }
        }
    }
}
