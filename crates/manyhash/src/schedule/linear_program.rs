//! The linear program that says which kernels finish a number of messages soonest. It is small
//! enough to be solved between two steps.
//!
//! Let s[k] be the steps of kernel k, each a block in each of its lanes, and cost[k] the time of
//! one. Minimise the sum of cost[k] * s[k] so that, for every j, the j longest messages get done.
//! In a step of kernel k at most min(j, lanes[k]) of them advance, so that
//!
//! > sum of min(j, lanes[k]) * s[k] >= blocks of the j longest messages, for j = 1, 2, ...
//!
//! These conditions are also sufficient: whenever they hold, giving the lanes to the messages with
//! most blocks left gets all done. The program is solved by the dual simplex method, because s = 0
//! is too little but costs least: that takes a few pivots on a table of kernels by lanes.

use super::mix::MAX_KERNELS;
use crate::algorithm::Compression;
use crate::kernel::Kernel;
use alloc::vec::Vec;

/// The work to be done.
pub(super) struct Work<'a> {
    /// The number of messages.
    pub(super) messages: usize,
    /// The blocks of all messages together.
    pub(super) blocks: u64,
    /// The blocks of the longest messages, in falling order: of all messages, or of as many as any
    /// kernel has lanes.
    pub(super) longest: &'a [u64],
}

/// One condition: `surplus = constant + sum of each[k] * variable[k]`, which must not be negative.
#[derive(Clone, Copy, Debug)]
struct Row {
    constant: f64,
    each: [f64; MAX_KERNELS],
    /// The kernel whose steps are this row's value, unless the value is a surplus.
    kernel: Option<usize>,
}

/// Returns the steps of each kernel, rounded up, that do the work in the least time.
pub(super) fn fewest_steps<C: Compression>(kernels: &[Kernel<C>], work: &Work) -> Vec<u64> {
    let useful_lanes = kernels.iter().map(|kernel| kernel.lanes).max().unwrap_or(1).min(work.messages);
    let row = |longest: usize, blocks: u64| {
        let mut each = [0.0; MAX_KERNELS];
        for (each, kernel) in each.iter_mut().zip(kernels) {
            *each = longest.min(kernel.lanes) as f64;
        }
        Row { constant: -(blocks as f64), each, kernel: None }
    };
    let mut rows = Vec::with_capacity(useful_lanes);
    rows.push(row(useful_lanes, work.blocks));
    let mut blocks = 0;
    for (i, message) in work.longest[..useful_lanes - 1].iter().enumerate() {
        blocks += message;
        rows.push(row(i + 1, blocks));
    }
    let mut cost: Vec<f64> = kernels.iter().map(|kernel| f64::from(kernel.cost_ps)).collect();
    let mut variables: Vec<Option<usize>> = (0..kernels.len()).map(Some).collect();
    // A few pivots do. The limit is for rounding errors that go in circles; then any answer gets
    // the work done.
    for _ in 0..4 * (rows.len() + kernels.len()) {
        let worst = (0..rows.len()).min_by(|one, other| rows[*one].constant.total_cmp(&rows[*other].constant)).expect("rows");
        if rows[worst].constant > -0.5 {
            break;
        }
        let price = |k: &usize| cost[*k] / rows[worst].each[*k];
        let Some(entering) = (0..kernels.len()).filter(|k| rows[worst].each[*k] > 1e-9).min_by(|k, l| price(k).total_cmp(&price(l))) else {
            break;
        };
        pivot(&mut rows, &mut cost, &mut variables, worst, entering);
    }
    let mut steps = vec![0; kernels.len()];
    for row in &rows {
        if let Some(kernel) = row.kernel {
            // Rounded up. `f64::ceil` is of the standard library; what is negative becomes 0.
            let exact = row.constant - 1e-6;
            steps[kernel] = exact as u64 + u64::from(exact > (exact as u64) as f64);
        }
    }
    steps
}

/// Exchanges the roles of the variable `entering` and the value of `row`.
fn pivot(rows: &mut [Row], cost: &mut [f64], variables: &mut [Option<usize>], row: usize, entering: usize) {
    let by = rows[row].each[entering];
    let mut solved = rows[row];
    let each = &mut solved.each[..variables.len()];
    solved.constant /= -by;
    for each in each {
        *each /= -by;
    }
    solved.each[entering] = 1.0 / by;
    std::mem::swap(&mut solved.kernel, &mut variables[entering]);
    let substitute = |each: &mut [f64]| {
        let factor = std::mem::take(&mut each[entering]);
        for (each, solved) in each.iter_mut().zip(&solved.each[..variables.len()]) {
            *each += factor * solved;
        }
        factor
    };
    for (i, other) in rows.iter_mut().enumerate() {
        if i != row {
            other.constant += substitute(&mut other.each) * solved.constant;
        }
    }
    substitute(cost);
    rows[row] = solved;
}
