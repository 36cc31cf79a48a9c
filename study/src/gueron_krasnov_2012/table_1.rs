//! Table 1 (appendix): the sizes of the files of DIVERSE, and how many Updates they take (section
//! 2, equation 1).

use anyhow::Result;
use manyhash::hazmat::updates;
use manyhash::{Algorithm, Sha256, Sha512};
use manyhash_measure::PaperSizes;
use manyhash_measure::timing::quantile;

use super::Folder;
use crate::model::{Cell, Figure, Line, Plot, Source, Table, over_paper};
use crate::session::Session;

/// Counts; nothing is hashed, so that a quick run is no other.
pub fn measure(_: &Session) -> Result<Figure> {
    let sizes = Folder::Diverse.file_bytes(false)?;
    let (files, bytes) = (sizes.len() as f64, sizes.iter().sum::<usize>() as f64);
    let (least, most) = (*sizes.iter().min().expect("files") as f64, *sizes.iter().max().expect("files") as f64);
    let all_updates = |count: fn(u64) -> u64| sizes.iter().map(|bytes| count(*bytes as u64)).sum::<u64>() as f64;
    let sha256 = all_updates(updates::<Sha256>);
    let whole_blocks = all_updates(|bytes| bytes / Sha256::BLOCK_BYTES as u64);
    let sums = [
        ("files", Some(350.0), files, 0),
        // The sum that section 4.3 states.
        ("bytes in sum", Some(82_833_132.0), bytes, 0),
        ("smallest, bytes", Some(3.0), least, 0),
        ("largest, bytes", Some(7_533_568.0), most, 0),
        ("average, bytes", Some(236_666.0), bytes / files, 0),
        ("largest over the average", None, most * files / bytes, 1),
        ("all bytes over the largest", None, bytes / most, 1),
        ("Updates of SHA-256 in sum", None, sha256, 0),
        ("whole blocks of 64 bytes in sum", None, whole_blocks, 0),
        ("Updates of SHA-256 more than whole blocks, %", None, 100.0 * (sha256 / whole_blocks - 1.0), 2),
        ("Updates of SHA-512 in sum", None, all_updates(updates::<Sha512>), 0),
    ];
    let sums = Table::of(
        "DIVERSE: files, bytes and Updates",
        1,
        sums,
        &[
            ("quantity", &|row| row.0.into()),
            ("paper", &|row| Cell::maybe(row.1, 0)),
            ("here", &|row| Cell::number(row.2, row.3)),
            ("here / paper", &|row| over_paper(Some(row.2), row.1)),
        ],
    );

    let quantile_of = |percent: f64| quantile(sizes.iter().map(|bytes| *bytes as f64).collect(), percent / 100.0).expect("files");
    let quantiles = Table::of(
        "DIVERSE: sizes of the files",
        1,
        [1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 99.0, 100.0],
        &[
            ("share of the files", &|percent| format!("{percent} %").into()),
            ("size not above, bytes", &|percent| Cell::number(quantile_of(*percent), 0)),
            ("Updates of SHA-256 of such a file", &|percent| Cell::number(updates::<Sha256>(quantile_of(*percent) as u64) as f64, 0)),
        ],
    );

    // Each size twice would be a staircase; a curve of the shares says as much.
    let share_below = |weight: fn(usize) -> usize| {
        let sum = |limit: usize| sizes.iter().filter(|bytes| **bytes <= limit).map(|bytes| weight(*bytes)).sum::<usize>() as f64;
        (1..=23).map(move |power| (f64::from(1 << power), 100.0 * sum(1 << power) / sum(usize::MAX))).collect::<Vec<_>>()
    };
    let plot = Plot::Lines {
        title: "DIVERSE: files and bytes by the size of the file".into(),
        x_label: "size of the file, bytes".into(),
        y_label: "% in files of at most that size".into(),
        x_powers_of_two: true,
        series: vec![
            Line::new("of the files", Source::Paper, share_below(|_| 1)),
            Line::new("of the bytes", Source::Paper, share_below(|bytes| bytes)),
        ],
    };

    let mut figure = Figure {
        method: format!(
            "The sizes as they were read from the paper's appendix, in its order. {} Updates are counted by the rule that the engine pads \
             by, and Algorithm 1 is tested to make as many. Nothing is timed.",
            PaperSizes::read()?.note
        ),
        tables: vec![sums, quantiles],
        plots: vec![plot],
        ..Figure::default()
    };
    let of_4_kib = updates::<Sha256>(4096) as f64;
    for (metric, value) in [
        ("files", files),
        ("smallest", least),
        ("largest", most),
        ("average", (bytes / files).round()),
        ("Updates of 4 KB", of_4_kib),
        ("more than 64", 100.0 * (of_4_kib / 64.0 - 1.0)),
    ] {
        figure.metrics.set(metric, Some(value));
    }
    Ok(figure)
}
