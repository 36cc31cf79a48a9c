//! What callgrind writes (its manual, "Callgrind Format Specification"), uncompressed and with addresses only.

use anyhow::{Context, Result, ensure};

/// What is counted: instructions, conditional branches, and those that a simulated predictor got wrong.
const EVENTS: &str = "Ir Bc Bcm";

/// What was counted between two requests of the program.
#[derive(Default, Debug)]
pub struct Part {
    pub name: String,
    /// Instruction by instruction, without what they call.
    pub costs: Vec<Cost>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Cost {
    pub object: String,
    pub address: u64,
    pub counts: [u64; 3],
}

/// The parts that the program asked for, in order.
///
/// # Errors
/// If the costs of a part do not add up to its summary, or the text is something else.
pub fn parse(text: &str) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for text in text.split("\npart: ").skip(1) {
        let (mut part, mut object, mut is_inclusive, mut summary) = (Part::default(), "", false, None);
        for line in text.lines() {
            let number = |text: &str| text.parse::<u64>().with_context(|| format!("callgrind: {line:?}"));
            match line.split_once([' ', '=']) {
                Some(("desc:", trigger)) if trigger.starts_with("Trigger: Client Request: ") => {
                    part.name = trigger["Trigger: Client Request: ".len()..].into();
                }
                Some(("positions:", positions)) => ensure!(positions == "instr", "callgrind: positions are {positions}"),
                Some(("events:", events)) => ensure!(events.starts_with(EVENTS), "callgrind: events are {events}"),
                Some(("summary:", counts)) => summary = Some(number(counts.split(' ').next().unwrap_or_default())?),
                Some(("ob", name)) => object = name,
                // The line after it is the cost of the call with all that it does, which is told instruction by instruction elsewhere.
                Some(("calls", _)) => is_inclusive = true,
                Some((address, rest)) if address.starts_with("0x") && !std::mem::take(&mut is_inclusive) => {
                    let address = u64::from_str_radix(&address[2..], 16).with_context(|| format!("callgrind: {line:?}"))?;
                    // Zeros at the end are left out.
                    let mut counts = [0; 3];
                    for (count, text) in counts.iter_mut().zip(rest.split(' ')) {
                        *count = number(text)?;
                    }
                    part.costs.push(Cost { object: object.into(), address, counts });
                }
                _ => {}
            }
        }
        let sum: u64 = part.costs.iter().map(|cost| cost.counts[0]).sum();
        ensure!(summary.is_none_or(|all| all == sum), "callgrind: {} has {summary:?} instructions, of which {sum} are listed", part.name);
        parts.push(part);
    }
    // What comes last is the rest of the program.
    parts.retain(|part| !part.name.is_empty());
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# callgrind format
version: 1
part: 1

desc: Timerange: Basic block 0 - 3037
desc: Trigger: Client Request: SHA-1, whole

positions: instr
events: Ir Bc Bcm
summary: 76 3 1

ob=/lib/libc.so.6
fl=memset.S
fn=memset
0x153480 2
0x15348b 3 3 1

ob=/bin/study
fn=main
0x1000 1
cob=/lib/libc.so.6
calls=1 0x153480
0x1004 1 5 3 1
0x1004 64
0x1010 6
part: 2

desc: Trigger: Program termination
positions: instr
events: Ir Bc Bcm
summary: 7

ob=/bin/study
0x2000 7
";

    #[test]
    fn costs_are_those_of_each_instruction_itself() {
        let parts = parse(TEXT).unwrap();
        assert_eq!(parts.len(), 1, "the end of the program is not asked for");
        let part = &parts[0];
        assert_eq!((part.name.as_str(), part.costs.len()), ("SHA-1, whole", 5));
        assert_eq!(part.costs[1], Cost { object: "/lib/libc.so.6".into(), address: 0x15_348b, counts: [3, 3, 1] });
        assert_eq!(part.costs[3], Cost { object: "/bin/study".into(), address: 0x1004, counts: [64, 0, 0] });
    }

    #[test]
    fn what_does_not_add_up_is_an_error() {
        for (right, wrong) in [("0x1010 6", "0x1010 5"), ("0x1010 6", "0x1010 six"), ("positions: instr", "positions: line"), ("Bcm", "Bi")]
        {
            assert!(parse(&TEXT.replace(right, wrong)).is_err(), "{wrong}");
        }
    }
}
