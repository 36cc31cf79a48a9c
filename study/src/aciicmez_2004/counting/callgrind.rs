//! What callgrind writes (its manual, "Callgrind Format Specification"), uncompressed and with addresses only.

use anyhow::{Context, Result, bail, ensure};

/// What was counted between two requests of the program.
#[derive(Default, Debug)]
pub struct Part {
    /// What the program called it.
    pub name: String,
    /// What is counted: "Ir" are instructions, "Bc" conditional branches, "Bcm" those that a simulated predictor got wrong.
    pub events: Vec<String>,
    /// Instruction by instruction, without what they call.
    pub costs: Vec<Cost>,
}

/// What an instruction costs.
#[derive(Debug, PartialEq, Eq)]
pub struct Cost {
    /// The file it is in.
    pub object: String,
    /// Where it is in that.
    pub address: u64,
    /// As many as events, or fewer: zeros at the end are left out.
    pub counts: Vec<u64>,
}

impl Part {
    /// How many of an event there were, in all.
    pub fn total(&self, event: &str) -> u64 {
        self.costs.iter().map(|cost| self.of(cost, event)).sum()
    }

    /// How many of them are of one instruction.
    pub fn of(&self, cost: &Cost, event: &str) -> u64 {
        let index = self.events.iter().position(|other| other == event);
        index.and_then(|index| cost.counts.get(index)).copied().unwrap_or(0)
    }
}

/// The parts that the program asked for, in order.
///
/// # Errors
/// If the costs of a part do not add up to its summary, or the text is something else.
pub fn parse(text: &str) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut object = String::new();
    let mut is_inclusive = false;
    let mut summary = None;
    for line in text.lines() {
        if line.starts_with("part: ") {
            check(parts.last(), summary.take())?;
            parts.push(Part::default());
            object.clear();
            continue;
        }
        let Some(part) = parts.last_mut() else { continue };
        if let Some(name) = line.strip_prefix("desc: Trigger: ") {
            part.name = name.strip_prefix("Client Request: ").unwrap_or_default().into();
        } else if let Some(positions) = line.strip_prefix("positions: ") {
            ensure!(positions == "instr", "callgrind: positions are {positions}");
        } else if let Some(events) = line.strip_prefix("events: ") {
            part.events = events.split(' ').map(String::from).collect();
        } else if let Some(counts) = line.strip_prefix("summary: ") {
            summary = counts.split(' ').next().map(str::parse).transpose().context("callgrind: summary")?;
        } else if let Some(name) = line.strip_prefix("ob=") {
            object = name.into();
        } else if line.starts_with("calls=") {
            // The line after it is the cost of the call with all that it does, which is told instruction by instruction elsewhere.
            is_inclusive = true;
        } else if line.starts_with("0x") && !std::mem::take(&mut is_inclusive) {
            let mut numbers = line.split(' ');
            let Some(address) = numbers.next().and_then(|address| u64::from_str_radix(&address[2..], 16).ok()) else {
                bail!("callgrind: {line:?}");
            };
            let counts = numbers.map(str::parse).collect::<Result<_, _>>().with_context(|| format!("callgrind: {line:?}"))?;
            part.costs.push(Cost { object: object.clone(), address, counts });
        }
    }
    check(parts.last(), summary)?;
    // What comes last is the rest of the program.
    parts.retain(|part| !part.name.is_empty());
    Ok(parts)
}

fn check(part: Option<&Part>, instructions: Option<u64>) -> Result<()> {
    if let Some((part, instructions)) = part.zip(instructions) {
        let sum = part.total("Ir");
        ensure!(sum == instructions, "callgrind: {} has {instructions} instructions, of which {sum} are listed", part.name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# callgrind format
version: 1
creator: callgrind-3.19.0
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
fl=main.rs
fn=main
0x1000 1
cob=/lib/libc.so.6
cfn=memset
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
fn=main
0x2000 7
";

    #[test]
    fn costs_are_those_of_each_instruction_itself() {
        let parts = parse(TEXT).unwrap();
        assert_eq!(parts.len(), 1, "the end of the program is not asked for");
        let part = &parts[0];
        assert_eq!(part.name, "SHA-1, whole");
        assert_eq!((part.total("Ir"), part.total("Bc"), part.total("Bcm"), part.total("Bi")), (76, 3, 1, 0));
        assert_eq!(part.costs.len(), 5);
        assert_eq!(part.costs[1], Cost { object: "/lib/libc.so.6".into(), address: 0x15_348b, counts: vec![3, 3, 1] });
        assert_eq!(part.costs[3], Cost { object: "/bin/study".into(), address: 0x1004, counts: vec![64] });
        assert_eq!((part.of(&part.costs[3], "Ir"), part.of(&part.costs[3], "Bc")), (64, 0));
    }

    #[test]
    fn what_does_not_add_up_is_an_error() {
        assert!(parse(&TEXT.replace("0x1010 6", "0x1010 5")).is_err());
        assert!(parse(&TEXT.replace("0x1010 6", "0x1010 six")).is_err());
        assert!(parse(&TEXT.replace("positions: instr", "positions: line")).is_err());
    }
}
