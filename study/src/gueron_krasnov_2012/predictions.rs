//! What section 5 predicts for AVX2: 8 buffers of SHA-256 twice as fast as 4, and 4 buffers of
//! SHA-512 useful, but slower than those.

use anyhow::Result;
use manyhash::{Sha256, Sha512};

use super::algorithm_1::SCALAR_ROUNDS;
use crate::contestants::{OPENSSL_N_SMS, Raced, S_HASH, Who, missing};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Cell, Figure, Plot, Table};
use crate::session::Session;

const AVX2: Who = Who::SHash("avx2", SCALAR_ROUNDS);
/// n-SMS, and Algorithm 1 on registers of 128, 256 and 512 bits; with the messages that they hash
/// at once by SHA-256.
const ALL: [(&str, Who, usize); 4] = [
    ("OpenSSL n-SMS (AVX2)", OPENSSL_N_SMS, 1),
    ("S-HASH on 128 bits (SSE2)", S_HASH, 4),
    ("S-HASH on 256 bits (AVX2)", AVX2, 8),
    ("S-HASH on 512 bits (AVX-512)", Who::SHash("avx512", SCALAR_ROUNDS), 16),
];

/// Measures both functions.
pub fn measure(session: &Session) -> Result<Figure> {
    // The paper's 256 KB, which lie in the second-level cache.
    let layout = Layout::equal(64, 4096);
    let all = ALL.map(|(_, who, _)| who);
    let sha256 = Raced::of::<Sha256>(session, &all, &layout, 500)?;
    let sha512 = Raced::of::<Sha512>(session, &all, &layout, 500)?;
    let mut figure = Figure {
        method: format!(
            "64 messages of 4,096 bytes (the paper's 256 KB) by S-HASH (Algorithm 1) on registers of 128, 256 and 512 bits, and one after the \
             other by OpenSSL's n-SMS; {}. The paper had no AVX2 and gives no values.",
            if session.quick { "3 calls to warm up in this quick run" } else { "500 calls to warm up, as in the paper" }
        ),
        tables: vec![table(&sha256, &sha512)],
        plots: vec![plot(&sha256, &sha512)],
        missing: missing([&sha256, &sha512]),
        ..Figure::default()
    };
    figure.metrics.set("8 buffers over 4", sha256.over(AVX2, S_HASH));
    figure.metrics.set("SHA-512 over n-SMS", sha512.over(AVX2, OPENSSL_N_SMS));
    let on_avx2 = sha256.get(AVX2).zip(sha512.get(AVX2)).map(|(sha256, sha512)| sha256.speed_up_over(sha512));
    figure.metrics.set("SHA-256 over SHA-512", on_avx2);
    Ok(figure)
}

fn table(sha256: &Raced, sha512: &Raced) -> Table {
    let of = |function, raced, words| ALL.map(move |(name, who, lanes)| (format!("{function}: {name}"), raced, who, lanes.div_ceil(words)));
    let rows = of("SHA-256", sha256, 1).into_iter().chain(of("SHA-512", sha512, 2));
    Table::of(
        "SHA-256 and SHA-512 of 64 messages of 4 KiB, by the width of registers",
        1,
        rows.filter(|(_, raced, who, _)| raced.get(*who).is_some()),
        &[
            ("implementation", &|row| row.0.clone().into()),
            ("buffers at once", &|row| Cell::number(row.3 as f64, 0)),
            ("C/B of the time-stamp counter, least", &|row| row.1.value(row.2, Measured::least_tsc_cycles_per_byte).into()),
            ("C/B of the time-stamp counter, median", &|row| row.1.value(row.2, Measured::tsc_cycles_per_byte).into()),
            ("MB/s, median", &|row| row.1.value(row.2, Measured::mb_per_s).into()),
            ("times as fast as n-SMS, median", &|row| row.1.over(row.2, OPENSSL_N_SMS).into()),
        ],
    )
}

fn plot(sha256: &Raced, sha512: &Raced) -> Plot {
    let bars = |(name, who, _): (&str, Who, usize)| {
        Bars::new(name, who.source(), [sha256, sha512].map(|raced| raced.value(who, Measured::mb_per_s)))
    };
    let categories = ["SHA-256: 4, 8 and 16 lanes", "SHA-512: 2, 4 and 8 lanes"];
    Plot::bars("S-HASH of 64 messages of 4 KiB by the width of registers", "MB/s (median)", categories, ALL.map(bars))
}
