//! Levels of parallelism: how many rounds' worth of an operation can be computed at once, derived from the recurrences of the algorithms
//! (figure 3.1) by what is known beforehand.

/// What an operation of round t is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// The word of the schedule so many rounds before, while the schedule is being made.
    WordBefore(usize),
    /// A word of the schedule when all of it has been made, or a constant.
    Given,
    /// A state variable at the beginning of the round.
    Variable(char),
}
use Operand::{Given, Variable, WordBefore};

/// A row of one of the paper's tables.
pub struct Operation {
    /// As the paper writes it.
    pub formula: &'static str,
    operands: &'static [Operand],
    /// Whether variables that were rotated count as known: "we first need to compute two rotations in parallel" (section 3.3.1).
    after_rotations: bool,
    /// The paper's level of parallelism; `None`: the paper does not have this row.
    pub paper: Option<usize>,
}

pub struct Algorithm {
    pub name: &'static str,
    /// The paper's table.
    pub place: &'static str,
    pub word_bits: usize,
    /// Rounds, the most that could be computed at once.
    rounds: usize,
    /// Each begins with a variable that is a round's result, and each round moves them one place on; "~" is a rotation on the way.
    variables: &'static [&'static str],
    pub operations: &'static [Operation],
}

/// All of the paper's tables, and rows that it could have had.
pub const ALGORITHMS: [Algorithm; 3] = [
    Algorithm {
        name: "SHA-1",
        place: "figure 3.3",
        word_bits: 32,
        rounds: 80,
        variables: &["AB~CDE"],
        operations: &[
            row("W[t-8] ^ W[t-14] ^ W[t-16]", &[WordBefore(8), WordBefore(14), WordBefore(16)], 4),
            row("(W[t-3] ^ W[t-8] ^ W[t-14] ^ W[t-16]) <<< 1", &SHA_1_SCHEDULE, 3),
            row("W[t] + K[t]", &[Given, Given], 4),
            row("E + W[t] + K[t]", &[Variable('E'), Given, Given], 3),
            Operation { after_rotations: true, ..row("f(B, C, D)", &[Variable('B'), Variable('C'), Variable('D')], 2) },
            row("B <<< 30", &[Variable('B')], 2),
            // The recurrence put into itself: W[t-3] is made of W[t-6], W[t-11], W[t-17] and W[t-19], and so on; pairs vanish.
            Operation { paper: None, ..row("(W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32]) <<< 2, t >= 32", &SHA_1_SCHEDULE_TWICE, 0) },
            Operation {
                after_rotations: true,
                paper: None,
                ..row("E + W[t] + K[t], B <<< 30 done before", &[Variable('E'), Given, Given], 0)
            },
        ],
    },
    Algorithm {
        name: "SHA-256",
        place: "figure 3.4",
        word_bits: 32,
        rounds: 64,
        variables: SHA_2_VARIABLES,
        operations: &sha_2([4, 2, 4, 4]),
    },
    Algorithm {
        name: "SHA-384 and SHA-512",
        place: "figure 3.5",
        word_bits: 64,
        rounds: 80,
        variables: SHA_2_VARIABLES,
        operations: &sha_2([2, 2, 2, 2]),
    },
];

const SHA_1_SCHEDULE: [Operand; 4] = [WordBefore(3), WordBefore(8), WordBefore(14), WordBefore(16)];
const SHA_1_SCHEDULE_TWICE: [Operand; 4] = [WordBefore(6), WordBefore(16), WordBefore(28), WordBefore(32)];
const SHA_2_VARIABLES: &[&str] = &["ABCD", "EFGH"];

const fn row(formula: &'static str, operands: &'static [Operand], paper: usize) -> Operation {
    Operation { formula, operands, after_rotations: false, paper: Some(paper) }
}

const fn sha_2(paper: [usize; 4]) -> [Operation; 4] {
    [
        row("W[t-7] + s0(W[t-15]) + W[t-16]", &[WordBefore(7), WordBefore(15), WordBefore(16)], paper[0]),
        row("s1(W[t-2]) + W[t-7] + s0(W[t-15]) + W[t-16]", &[WordBefore(2), WordBefore(7), WordBefore(15), WordBefore(16)], paper[1]),
        row("W[t] + K[t]", &[Given, Given], paper[2]),
        row("H + W[t] + K[t]", &[Variable('H'), Given, Given], paper[3]),
    ]
}

impl Algorithm {
    /// How many consecutive rounds' worth of `operation` can be computed at once when everything before the first of these rounds is
    /// known: registers of any size.
    pub fn parallelism(&self, operation: &Operation) -> usize {
        let rounds = operation.operands.iter().map(|operand| match operand {
            Given => self.rounds,
            WordBefore(rounds) => *rounds,
            Variable(name) => self.rounds_known(*name, operation.after_rotations),
        });
        rounds.min().expect("operands").min(self.rounds)
    }

    /// The same with as many words as a register has.
    pub fn parallelism_in(&self, operation: &Operation, register_bits: usize) -> usize {
        self.parallelism(operation).min(register_bits / self.word_bits)
    }

    /// For how many rounds a variable is one that was there before the first of them.
    fn rounds_known(&self, name: char, after_rotations: bool) -> usize {
        let on_the_way = self.variables.iter().find_map(|chain| Some(&chain[..=chain.find(name)?])).expect("a variable of the algorithm");
        let moved = if after_rotations { on_the_way } else { on_the_way.rsplit('~').next().expect("a piece") };
        moved.chars().filter(char::is_ascii_alphabetic).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_tables_follow_from_the_recurrences() {
        for algorithm in &ALGORITHMS {
            for operation in algorithm.operations {
                let in_xmm = algorithm.parallelism_in(operation, 128);
                assert_eq!(in_xmm, operation.paper.unwrap_or(4), "{}: {}", algorithm.name, operation.formula);
                assert_eq!(algorithm.parallelism_in(operation, 64), 64 / algorithm.word_bits, "MMX registers hold no more");
            }
        }
    }

    #[test]
    fn registers_of_any_size_have_these_levels() {
        let levels = ALGORITHMS.map(|algorithm| algorithm.operations.iter().map(|row| algorithm.parallelism(row)).collect::<Vec<_>>());
        assert_eq!(levels, [vec![8, 3, 80, 3, 2, 2, 6, 5], vec![7, 2, 64, 4], vec![7, 2, 80, 4]]);
    }

    /// SHA-1's schedule in groups, each group from the words before it only; `None` where they do not suffice.
    fn in_groups(group: usize, operands: &[Operand], rotation: u32, first: usize) -> Option<Vec<u32>> {
        let mut words: Vec<u32> = (1..=16u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        if first > 16 {
            words = in_groups(1, &SHA_1_SCHEDULE, 1, 16)?[..first].to_vec();
        }
        while words.len() < 80 {
            let known = words.len();
            for t in known..(known + group).min(80) {
                let of = |operand: &Operand| match operand {
                    WordBefore(rounds) if t - rounds < known => Some(words[t - rounds]),
                    _ => None,
                };
                let sum = operands.iter().map(of).collect::<Option<Vec<u32>>>()?.into_iter().fold(0, |sum, word| sum ^ word);
                words.push(sum.rotate_left(rotation));
            }
        }
        Some(words)
    }

    #[test]
    fn a_schedule_can_be_made_in_groups_of_its_level_and_not_of_one_more() {
        let schedule = in_groups(1, &SHA_1_SCHEDULE, 1, 16);
        for (level, operands, rotation, first) in [(3, &SHA_1_SCHEDULE, 1, 16), (6, &SHA_1_SCHEDULE_TWICE, 2, 32)] {
            assert_eq!(in_groups(level, operands, rotation, first), schedule);
            assert_eq!(in_groups(level + 1, operands, rotation, first), None);
        }
    }
}
