//! What section 5 predicts for AVX2: 8 buffers of SHA-256 twice as fast as 4, and 4 buffers of SHA-512 useful, but slower than those.

use anyhow::Result;
use manyhash::{Algorithm, Sha256, Sha512};

use super::algorithm_1::N_SMS;
use super::contestants::{OPENSSL_N_SMS, Raced, S_HASH, Who, missing, race_messages};
use crate::measured::{Measured, times};
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::session::Session;

/// Algorithm 1 on registers of 128, 256 and 512 bits.
const REGISTERS: [(&str, Who); 3] =
    [("128 bits (SSE2)", S_HASH), ("256 bits (AVX2)", Who::SHash("avx2", N_SMS)), ("512 bits (AVX-512)", Who::SHash("avx512", N_SMS))];
/// "In theory, doubling" is taken for reached from here on.
const DOUBLED: f64 = 1.8;

/// Measures both.
pub fn measure(session: &Session) -> Result<Figure> {
    // The paper's 256 KB, which lie in the second-level cache.
    let layout = Layout::equal(64, 4096);
    let all: Vec<Who> = [OPENSSL_N_SMS].into_iter().chain(REGISTERS.map(|(_, who)| who)).collect();
    let sha256 = race_messages::<Sha256>(session, &all, &layout, 500)?;
    let sha512 = race_messages::<Sha512>(session, &all, &layout, 500)?;
    let doubled = sha256.speed_up(REGISTERS[1].1, REGISTERS[0].1);
    let useful = sha512.speed_up(REGISTERS[1].1, OPENSSL_N_SMS);
    let gains = sha256.speed_up(S_HASH, OPENSSL_N_SMS).zip(sha512.speed_up(S_HASH, OPENSSL_N_SMS));
    let on_avx2 = sha256.of(REGISTERS[1].1).zip(sha512.of(REGISTERS[1].1)).map(|(sha256, sha512)| sha256.speed_up_over(sha512));
    let again = sha256.speed_up(REGISTERS[2].1, REGISTERS[1].1);

    let claims = vec![
        Claim::new(
            "8 buffers of SHA-256 with AVX2 double the performance of 4 (from 1.8 times on)",
            "section 5",
            "2 times, in theory",
            times(doubled),
            doubled.map(|ratio| ratio >= DOUBLED),
        ),
        Claim::new(
            "SHA-512 with 4 buffers on AVX2 is useful: faster than n-SMS",
            "section 5",
            "speculation",
            format!("{} n-SMS", times(useful)),
            useful.map(|ratio| ratio > 1.0),
        ),
        Claim::new(
            "SHA-512 with 2 buffers of 128 bits is less attractive than SHA-256 with 4: it gains less over n-SMS",
            "section 5",
            "less attractive",
            gains.map_or("not measured".into(), |(sha256, sha512)| format!("SHA-512 {sha512:.2} times, SHA-256 {sha256:.2} times")),
            gains.map(|(sha256, sha512)| sha512 < sha256),
        ),
        Claim::new(
            "On AVX2, SHA-512 with 4 buffers is slower than SHA-256 with 8",
            "section 5",
            "slower",
            format!("SHA-256 is {} as fast", times(on_avx2)),
            on_avx2.map(|ratio| ratio > 1.0),
        ),
    ];
    let still_holds = match (doubled, on_avx2) {
        (Some(doubled), Some(on_avx2)) => format!(
            "256-bit registers make SHA-256 {doubled:.2} times as fast as 128-bit ones, {}; on them SHA-256 with 8 buffers is {on_avx2:.2} \
             times as fast as SHA-512 with 4{}.",
            if doubled >= DOUBLED { "as predicted" } else { "less than predicted" },
            if on_avx2 > 1.0 { ", as the 80 rounds and half as many lanes of SHA-512 let expect" } else { "" }
        ),
        _ => "This CPU lacks AVX2: nothing to check.".into(),
    };
    let changed = again.map_or_else(
        || "This CPU lacks AVX-512, which doubles the lanes once more.".into(),
        |again| {
            format!(
                "AVX-512 has come since: registers of 512 bits, rotations in one instruction instead of two shifts and an or, and logic of \
                 three operands. SHA-256 with 16 buffers is {again:.2} times as fast as with 8."
            )
        },
    );
    Ok(Figure {
        method: "64 messages of 4096 bytes (the paper's 256 KB) by Algorithm 1 on registers of 128, 256 and 512 bits, and by OpenSSL's \
                 n-SMS; 500 calls to warm up, as in the paper. The paper had no AVX2 and gives no values."
            .into(),
        tables: vec![table(&sha256, &sha512)],
        plots: vec![plot(&sha256, &sha512)],
        claims,
        still_holds,
        changed,
        missing: missing([&sha256, &sha512]),
        ..Figure::default()
    })
}

fn table(sha256: &Raced, sha512: &Raced) -> Table {
    let columns = ["", "lanes", "C/B, least", "C/B, median", "MB/s", "times n-SMS"];
    let mut table = Table::new("SHA-256 and SHA-512 of 64 messages of 4 KiB", columns);
    let mut rows = |raced: &Raced, algorithm: &str, lanes: [usize; 3]| {
        let mut row = |name: String, who: Who, lanes: usize| {
            if let Some(measured) = raced.of(who) {
                table.row([
                    format!("{algorithm}, {name}").into(),
                    Cell::number(lanes as f64, 0),
                    Cell::maybe(measured.least_tsc_cycles_per_byte(), 2),
                    Cell::maybe(measured.tsc_cycles_per_byte(), 2),
                    Cell::number(measured.mb_per_s(), 0),
                    Cell::maybe(raced.speed_up(who, OPENSSL_N_SMS), 2),
                ]);
            }
        };
        row("n-SMS of OpenSSL".into(), OPENSSL_N_SMS, 1);
        for ((name, who), lanes) in REGISTERS.into_iter().zip(lanes) {
            row(format!("S-HASH, {name}"), who, lanes);
        }
    };
    rows(sha256, Sha256::NAME, [4, 8, 16]);
    rows(sha512, Sha512::NAME, [2, 4, 8]);
    table
}

fn plot(sha256: &Raced, sha512: &Raced) -> Plot {
    let names = [("n-SMS, one message", OPENSSL_N_SMS)].into_iter().chain(REGISTERS);
    let bars = |(name, who): (&str, Who)| Bars {
        name: if who == OPENSSL_N_SMS { name.into() } else { format!("S-HASH, {name}") },
        source: if who == OPENSSL_N_SMS { Source::Peer } else { Source::Ours },
        values: [sha256, sha512].map(|raced| raced.of(who).map(Measured::mb_per_s)).into(),
    };
    Plot::Bars {
        title: "S-HASH by the width of registers".into(),
        y_label: "MB/s".into(),
        categories: vec!["SHA-256: 4, 8 and 16 lanes".into(), "SHA-512: 2, 4 and 8 lanes".into()],
        series: names.map(bars).collect(),
    }
}
