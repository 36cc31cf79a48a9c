//! Sections 2.3.2.1 and 4.1.4: data that is not aligned to registers.

use anyhow::Result;
use manyhash::Sha256;

use crate::contestants::{OPENSSL_TODAY, Raced, Who};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::Figure;
use crate::rows::{Kind, RATE};
use crate::session::Session;

/// Messages of 4 KiB, as many as the widest lanes, whose starts are as far behind a cache line's.
const OFFSETS: [usize; 8] = [0, 1, 4, 8, 16, 31, 32, 63];

pub fn measure(session: &Session) -> Result<Figure> {
    const SET: &str = "SHA-256 of 32 messages of 4 KiB by the offset of their first byte in a cache line";
    let all = [Who::Scalar, Who::Mmx, Who::Backend("sse2"), Who::Backend("avx2"), Who::Backend("avx512"), Who::Manyhash, OPENSSL_TODAY];
    let mut figure = Figure::default();
    let races = OFFSETS.map(|offset| Raced::of::<Sha256>(session, &all, &Layout::strided(32, 4096, 4096 + 64).behind(offset), 50));
    let races = races.into_iter().collect::<Result<Vec<Raced>>>()?;
    for (offset, raced) in OFFSETS.iter().zip(&races) {
        figure.raced::<Sha256>((SET, &format!("{offset} bytes")), raced, &[]);
    }
    figure.picture(SET, RATE, Kind::Lines("offset, bytes"), &[]);
    let slowest = |who: &Who| {
        let ns: Vec<f64> = races.iter().filter_map(|raced| raced.value(*who, Measured::median_ns)).collect();
        Some((who.name::<Sha256>(), Some(ns.iter().copied().fold(0.0, f64::max) / ns.first()?)))
    };
    figure.metrics.each("unaligned over aligned", all.iter().filter_map(slowest));
    Ok(figure)
}
