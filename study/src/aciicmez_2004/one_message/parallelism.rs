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

/// Where a state variable comes from in each round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It is new: the result of the round.
    New,
    /// It was another one.
    Moved(char),
    /// It was another one, rotated.
    Rotated(char),
}
use Origin::{Moved, New, Rotated};

/// A row of one of the paper's tables.
pub struct Operation {
    /// As the paper writes it.
    pub formula: &'static str,
    /// What it is computed from.
    pub operands: &'static [Operand],
    /// Whether variables that were rotated count as known: "we first need to compute two rotations in parallel" (section 3.3.1).
    pub after_rotations: bool,
    /// The paper's level of parallelism; `None`: the paper does not have this row.
    pub paper: Option<usize>,
}

/// An algorithm as a data flow.
pub struct Algorithm {
    /// Its name.
    pub name: &'static str,
    /// The paper's table.
    pub place: &'static str,
    /// Bits of a word.
    pub word_bits: usize,
    /// Rounds, the most that could be computed at once.
    pub rounds: usize,
    /// The variables in order, with where they come from.
    pub variables: &'static [(char, Origin)],
    /// Rows.
    pub operations: &'static [Operation],
}

/// All of the paper's tables, and rows that it could have had.
pub const ALGORITHMS: [Algorithm; 3] = [
    Algorithm {
        name: "SHA-1",
        place: "figure 3.3",
        word_bits: 32,
        rounds: 80,
        variables: &[('A', New), ('B', Moved('A')), ('C', Rotated('B')), ('D', Moved('C')), ('E', Moved('D'))],
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

const SHA_2_VARIABLES: &[(char, Origin)] = &[
    ('A', New),
    ('B', Moved('A')),
    ('C', Moved('B')),
    ('D', Moved('C')),
    ('E', New),
    ('F', Moved('E')),
    ('G', Moved('F')),
    ('H', Moved('G')),
];

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
        let is_known = |rounds_ahead: usize| operation.operands.iter().all(|operand| self.is_known(*operand, rounds_ahead, operation));
        (0..self.rounds).take_while(|rounds_ahead| is_known(*rounds_ahead)).count()
    }

    /// The same with as many words as a register has.
    pub fn parallelism_in(&self, operation: &Operation, register_bits: usize) -> usize {
        self.parallelism(operation).min(register_bits / self.word_bits)
    }

    fn is_known(&self, operand: Operand, rounds_ahead: usize, operation: &Operation) -> bool {
        match operand {
            Given => true,
            WordBefore(rounds) => rounds > rounds_ahead,
            Variable(name) => self.is_variable_known(name, rounds_ahead, operation.after_rotations),
        }
    }

    /// Follows a variable back to the round where all are known.
    fn is_variable_known(&self, name: char, rounds_ahead: usize, after_rotations: bool) -> bool {
        if rounds_ahead == 0 {
            return true;
        }
        match self.variables.iter().find(|(variable, _)| *variable == name).expect("a variable of the algorithm").1 {
            New => false,
            Moved(origin) => self.is_variable_known(origin, rounds_ahead - 1, after_rotations),
            Rotated(origin) => after_rotations && self.is_variable_known(origin, rounds_ahead - 1, after_rotations),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_xmm(algorithm: &Algorithm, is_in_paper: bool) -> Vec<usize> {
        let rows = algorithm.operations.iter().filter(|operation| operation.paper.is_some() == is_in_paper);
        rows.map(|operation| algorithm.parallelism_in(operation, 128)).collect()
    }

    #[test]
    fn the_papers_tables_follow_from_the_recurrences() {
        for (algorithm, paper) in ALGORITHMS.iter().zip([&[4, 3, 4, 3, 2, 2][..], &[4, 2, 4, 4], &[2, 2, 2, 2]]) {
            assert_eq!(in_xmm(algorithm, true), paper, "{}", algorithm.name);
            let stated: Vec<usize> = algorithm.operations.iter().filter_map(|operation| operation.paper).collect();
            assert_eq!(stated, paper, "{}", algorithm.name);
        }
    }

    #[test]
    fn registers_of_any_size_have_these_levels() {
        let levels = ALGORITHMS.map(|algorithm| algorithm.operations.iter().map(|row| algorithm.parallelism(row)).collect::<Vec<_>>());
        assert_eq!(levels, [vec![8, 3, 80, 3, 2, 2, 6, 5], vec![7, 2, 64, 4], vec![7, 2, 80, 4]]);
        assert_eq!(in_xmm(&ALGORITHMS[0], false), [4, 4], "the rows that the paper does not have");
    }

    #[test]
    fn mmx_registers_hold_two_words_of_32_bits_and_one_of_64() {
        for (algorithm, level) in ALGORITHMS.iter().zip([2, 2, 1]) {
            assert!(algorithm.operations.iter().all(|row| algorithm.parallelism_in(row, 64) == level), "{}", algorithm.name);
        }
    }

    /// Words of a schedule in groups, each group from the words before it only.
    fn schedule_in_groups(
        group: usize,
        word: impl Fn(&dyn Fn(usize) -> Option<u32>, usize) -> Option<u32>,
        first: usize,
    ) -> Option<Vec<u32>> {
        let mut words: Vec<u32> = sha_1_schedule()[..first].to_vec();
        while words.len() < 80 {
            let known = words.len();
            for t in known..(known + group).min(80) {
                let next = word(&|index: usize| (index < known).then(|| words[index]), t)?;
                words.push(next);
            }
        }
        Some(words)
    }

    fn sha_1_schedule() -> Vec<u32> {
        let mut words: Vec<u32> = (1..=16u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        (16..80).for_each(|t| words.push((words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16]).rotate_left(1)));
        words
    }

    fn from(operands: &'static [Operand], rotation: u32) -> impl Fn(&dyn Fn(usize) -> Option<u32>, usize) -> Option<u32> {
        move |word, t| {
            let words = operands.iter().map(|operand| match operand {
                WordBefore(rounds) => word(t - rounds),
                _ => unreachable!("the schedule is made of words"),
            });
            Some(words.collect::<Option<Vec<u32>>>()?.into_iter().fold(0, |sum, word| sum ^ word).rotate_left(rotation))
        }
    }

    #[test]
    fn a_schedule_can_be_made_in_groups_of_its_level_and_not_of_one_more() {
        assert_eq!(schedule_in_groups(3, from(&SHA_1_SCHEDULE, 1), 16), Some(sha_1_schedule()));
        assert_eq!(schedule_in_groups(4, from(&SHA_1_SCHEDULE, 1), 16), None);
    }

    #[test]
    fn the_recurrence_in_itself_makes_the_same_schedule_six_at_a_time() {
        assert_eq!(schedule_in_groups(6, from(&SHA_1_SCHEDULE_TWICE, 2), 32), Some(sha_1_schedule()));
        assert_eq!(schedule_in_groups(7, from(&SHA_1_SCHEDULE_TWICE, 2), 32), None);
    }
}
