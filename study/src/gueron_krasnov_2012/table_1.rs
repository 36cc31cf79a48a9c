//! Table 1 (appendix): the sizes of the files of DIVERSE, and how many Updates they take (section 2, equation 1).

use anyhow::Result;
use manyhash::hazmat::updates;
use manyhash::{Algorithm, Sha256, Sha512};
use manyhash_measure::timing::quantile;

use super::{Folder, over_paper};
use crate::measured::thousands;
use crate::model::{Cell, Claim, Figure, Line, Plot, Source, Table};
use crate::session::Session;
use manyhash_measure::PaperSizes;

/// The sum that section 4.3 states.
const STATED_BYTES: usize = 82_833_132;

/// Counts; nothing is hashed, so that a quick run is no other.
pub fn measure(_: &Session) -> Result<Figure> {
    let sizes = Folder::Diverse.file_bytes(false)?;
    let (files, bytes) = (sizes.len(), sizes.iter().sum::<usize>());
    let (least, most) = (sizes.iter().min().expect("files"), sizes.iter().max().expect("files"));
    let average = bytes as f64 / files as f64;
    let all_updates = |count: fn(u64) -> u64| sizes.iter().map(|bytes| count(*bytes as u64)).sum::<u64>();
    let (sha256, sha512) = (all_updates(updates::<Sha256>), all_updates(updates::<Sha512>));
    let whole_blocks = all_updates(|bytes| bytes / Sha256::BLOCK_BYTES as u64);
    let of_4_kib = updates::<Sha256>(4096);

    let mut sums = Table::new("DIVERSE: files, bytes and Updates", ["quantity", "paper", "here", "here / paper"]);
    let mut row = |name: &str, paper: Option<f64>, here: f64| {
        sums.row([name.into(), Cell::maybe(paper, 0), Cell::number(here, 0), over_paper(Some(here), paper)]);
    };
    row("files", Some(350.0), files as f64);
    row("bytes in sum", Some(STATED_BYTES as f64), bytes as f64);
    row("smallest, bytes", Some(3.0), *least as f64);
    row("largest, bytes", Some(7_533_568.0), *most as f64);
    row("average, bytes", Some(236_666.0), average);
    row("Updates of SHA-256 in sum", None, sha256 as f64);
    row("whole blocks of 64 bytes in sum", None, whole_blocks as f64);
    row("Updates of SHA-512 in sum", None, sha512 as f64);

    let quantile_of = |share: f64| quantile(sizes.iter().map(|bytes| *bytes as f64).collect(), share).expect("files");
    let mut quantiles =
        Table::new("DIVERSE: sizes of the files", ["share of the files", "size not above, bytes", "Updates of SHA-256 of such a file"]);
    for percent in [1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 99.0, 100.0] {
        let bytes = quantile_of(percent / 100.0);
        let cells = [Cell::number(bytes, 0), Cell::number(updates::<Sha256>(bytes as u64) as f64, 0)];
        quantiles.row([format!("{percent} %").into()].into_iter().chain(cells));
    }

    // Each size twice would be a staircase; a curve of the shares says as much.
    let powers: Vec<u32> = (1..=23).collect();
    let share_below = |weight: fn(usize) -> usize| {
        let all = sizes.iter().map(|bytes| weight(*bytes)).sum::<usize>() as f64;
        let below = |limit: usize| sizes.iter().filter(|bytes| **bytes <= limit).map(|bytes| weight(*bytes)).sum::<usize>() as f64;
        powers.iter().map(|power| (f64::from(1 << power), 100.0 * below(1 << power) / all)).collect()
    };
    let series = vec![
        Line { name: "of the files".into(), source: Source::Paper, points: share_below(|_| 1) },
        Line { name: "of the bytes".into(), source: Source::Paper, points: share_below(|bytes| bytes) },
    ];
    let plot = Plot::Lines {
        title: "DIVERSE: files and bytes by the size of the file".into(),
        x_label: "size of the file, bytes".into(),
        y_label: "% in files of at most that size".into(),
        x_powers_of_two: true,
        series,
    };

    let deviation = 100.0 * (of_4_kib as f64 / 64.0 - 1.0);
    let all_deviation = 100.0 * (sha256 as f64 / whole_blocks as f64 - 1.0);
    let claims = vec![
        Claim::new(
            "DIVERSE has 350 files of 3 to 7,533,568 bytes, 236,666 on average",
            "section 4.3",
            "350; 3; 7,533,568; 236,666",
            format!("{files}; {least}; {}; {}", thousands(*most as u64), thousands(average.round() as u64)),
            Some(files == 350 && *least == 3 && *most == 7_533_568 && average.round() == 236_666.0),
        ),
        Claim::new(
            "A message of 4 KB takes 65 Updates where its length alone lets expect 64, some 1.5 % more",
            "section 2",
            "65; 1.5 %",
            format!("{of_4_kib}; {deviation:.1} %"),
            Some(of_4_kib == 65 && (deviation - 1.5).abs() < 0.1),
        ),
    ];
    Ok(Figure {
        method: format!(
            "The sizes as they were read from the paper's appendix, in its order. {} Updates are counted by the rule that the engine pads \
             by, and Algorithm 1 is tested to make as many. Nothing is timed.",
            PaperSizes::read()?.note
        ),
        tables: vec![sums, quantiles],
        plots: vec![plot],
        claims,
        still_holds: format!(
            "The approximation of section 2 still holds for long messages: the {files} files take {} Updates of SHA-256, {all_deviation:.2} % \
             more than they have whole blocks.",
            thousands(sha256)
        ),
        changed: format!(
            "Nothing: sizes do not age. The largest file is {:.0} times the average, so that with more than {:.0} lanes of one speed its lane \
             works for longer than the others need for all the rest.",
            *most as f64 / average,
            bytes as f64 / *most as f64
        ),
        ..Figure::default()
    })
}
