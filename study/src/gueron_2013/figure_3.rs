//! Figure 3: messages of 2 KiB to 128 KiB.

use anyhow::Result;

use super::field::{LEFT_ALONE, METHOD, N_SMS, OWN_N_SMS, OWN_SHA_NI, PAPERS_LANES, Raced, SCALAR, TODAY, Who, goals, kibibytes, times};
use crate::measured::Measured;
use crate::model::{Cell, Claim, Figure, Line, Plot, Source, Table};
use crate::session::Session;

/// The last is the abstract's: "132 KB".
const LENGTHS: [usize; 8] = [2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 132 << 10];
/// Enough to see that it works.
const QUICK_LENGTHS: [usize; 3] = [2 << 10, 16 << 10, 128 << 10];

/// Races at each length.
pub fn measure(session: &Session) -> Result<Figure> {
    let linear = [SCALAR, N_SMS, TODAY, OWN_N_SMS, OWN_SHA_NI];
    let field: Vec<Who> = linear.into_iter().chain([PAPERS_LANES]).chain(LEFT_ALONE).collect();
    let lengths: &[usize] = if session.quick { &QUICK_LENGTHS } else { &LENGTHS };
    let races = lengths.iter().map(|bytes| Raced::of(session, *bytes, &field)).collect::<Result<Vec<Raced>>>()?;

    let lengths_and = |rest: &[String]| std::iter::once("KiB".to_string()).chain(rest.iter().cloned()).collect::<Vec<_>>();
    let names: Vec<String> = field.iter().map(|who| who.name()).collect();
    let mut table = Table::new("Cycles per byte, median", lengths_and(&names));
    let mut least = Table::new("Cycles per byte, least, as the paper takes it", lengths_and(&names));
    let mut ratios = Table::new(
        "How many times as fast",
        [
            "KiB",
            "4-lanes, sse2, over n-SMS (paper: 1.55 to 2)",
            "4-lanes, sse2, over OpenSSL, scalar (paper: 1.97 to 2.53)",
            "best j over OpenSSL, scalar",
            "best j over OpenSSL today",
            "best j over the fastest linear",
            "best j",
        ],
    );
    let n_sms = [N_SMS, OWN_N_SMS];
    for raced in &races {
        let length = Cell::number((raced.bytes() >> 10) as f64, 0);
        let row = |value: fn(&Measured) -> Option<f64>| {
            let cells = field.iter().map(move |who| Cell::maybe(raced.get(*who).and_then(value), 2));
            std::iter::once(length.clone()).chain(cells).collect::<Vec<_>>()
        };
        table.row(row(Measured::tsc_cycles_per_byte));
        least.row(row(Measured::least_tsc_cycles_per_byte));
        ratios.row([
            length.clone(),
            Cell::maybe(raced.speed_up(&[PAPERS_LANES], &n_sms), 2),
            Cell::maybe(raced.speed_up(&[PAPERS_LANES], &[SCALAR]), 2),
            Cell::maybe(raced.speed_up(&LEFT_ALONE, &[SCALAR]), 2),
            Cell::maybe(raced.speed_up(&LEFT_ALONE, &[TODAY]), 2),
            Cell::maybe(raced.speed_up(&LEFT_ALONE, &linear), 2),
            Cell::maybe(raced.fastest(&LEFT_ALONE).map(|(who, _)| who.lanes() as f64), 0),
        ]);
    }
    let line = |who: &Who| {
        let point = |raced: &Raced| Some(((raced.bytes() >> 10) as f64, raced.get(*who)?.tsc_cycles_per_byte()?));
        let source = if matches!(who, Who::OpenSsl(_)) { Source::Peer } else { Source::Ours };
        Line { name: who.name(), source, points: races.iter().filter_map(point).collect() }
    };
    let range = |base: &[Who]| -> Option<(f64, f64)> {
        let ratios: Option<Vec<f64>> = races.iter().map(|raced| raced.speed_up(&[PAPERS_LANES], base)).collect();
        let ratios = ratios?;
        Some((ratios.iter().copied().fold(f64::INFINITY, f64::min), ratios.iter().copied().fold(0.0, f64::max)))
    };
    let claim = |text: &str, paper: (f64, f64), base: &[Who]| {
        let range = range(base);
        let here = range.map_or("not measured".into(), |(least, most)| format!("{least:.2} to {most:.2}"));
        let holds = range.map(|(least, most)| least >= paper.0 && most >= paper.1);
        Claim::new(text, "abstract, section 3, figure 3", format!("{} to {}", paper.0, paper.1), here, holds)
    };
    let mut claims = vec![
        claim(
            "from 2 KiB to 128 KiB, 4 lanes are at least 1.55, up to 2 times as fast as the best serial implementation of the time, n-SMS",
            (1.55, 2.0),
            &n_sms,
        ),
        claim(
            "from 2 KiB to 128 KiB, 4 lanes are at least 1.97, up to 2.53 times as fast as OpenSSL's scalar code",
            (1.97, 2.53),
            &[SCALAR],
        ),
    ];
    claims.extend(goals(&races));
    let (first, last) = (races.first().expect("a length"), races.last().expect("a length"));
    let grows = match (first.speed_up(&[PAPERS_LANES], &n_sms), last.speed_up(&[PAPERS_LANES], &n_sms)) {
        (Some(short), Some(long)) if long > short => {
            format!(
                "The gain still grows with the length, as the wrapping and the padding weigh less: 4 lanes are {short:.2} times as fast as \
                 n-SMS at {} and {long:.2} at {}.",
                kibibytes(first.bytes()),
                kibibytes(last.bytes())
            )
        }
        (Some(short), Some(long)) => format!(
            "4 lanes are {short:.2} times as fast as n-SMS at {} and {long:.2} at {}; the gain does not grow with the length here.",
            kibibytes(first.bytes()),
            kibibytes(last.bytes())
        ),
        _ => "4 lanes or n-SMS were not measured.".into(),
    };
    let best = |raced: &Raced| format!("{} at {}", times(raced.speed_up(&LEFT_ALONE, &linear)), kibibytes(raced.bytes()));
    Ok(Figure {
        method: format!("{METHOD} The text has ratios only; the abstract says 132 KB where section 3 says 128."),
        tables: vec![table, least, ratios],
        plots: vec![Plot::Lines {
            title: "SHA-256 by the length of the message".into(),
            x_label: "KiB".into(),
            y_label: "cycles per byte".into(),
            x_powers_of_two: true,
            series: field.iter().map(line).filter(|line| !line.points.is_empty()).collect(),
        }],
        still_holds: grows,
        changed: format!(
            "Linear code has its own instructions on CPUs with SHA extensions, and lanes have longer registers: the best j, left alone, \
             against the fastest linear code of all is {} and {}.",
            best(first),
            best(last)
        ),
        claims,
        missing: races.into_iter().next().map(|raced| raced.missing).unwrap_or_default(),
        ..Figure::default()
    })
}
