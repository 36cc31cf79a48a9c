//! Section 3.3: SIMD inside one message. How many rounds' worth of each operation could be computed at once, and what comes of it: the
//! message schedule in vectors beside rounds in scalar registers.

mod parallelism;
mod speed;

use anyhow::Result;

use crate::model::{Cell, Figure, Table};
use crate::session::Session;
use parallelism::{ALGORITHMS, Algorithm};

/// The figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let mut figure = Figure { tables: ALGORITHMS.iter().map(table).collect(), ..Figure::default() };
    speed::measure(session, &mut figure)?;
    Ok(figure)
}

/// Levels of parallelism.
fn table(algorithm: &Algorithm) -> Table {
    let title = format!(
        "{} ({}): words of {} bits of an operation that can be computed at once, derived from its recurrence",
        algorithm.name, algorithm.place, algorithm.word_bits
    );
    let mut table = Table::new(title, ["operation", "paper (XMM)", "XMM", "MMX", "YMM", "ZMM", "registers of any size"]);
    let level = |level: usize| Cell::number(level as f64, 0);
    for operation in algorithm.operations {
        let registers = [128, 64, 256, 512].map(|bits| level(algorithm.parallelism_in(operation, bits)));
        let names = [operation.formula.into(), Cell::maybe(operation.paper.map(|level| level as f64), 0)];
        table.row(names.into_iter().chain(registers).chain([level(algorithm.parallelism(operation))]));
    }
    table
}
