//! Numbers that look random, from seeds that a failure prints.

/// Marsaglia's xorshift, begun by splitmix so that neighbouring seeds have nothing in common.
pub struct Random(u64);

/// Returns the number that is set by an environment variable.
pub fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|error| panic!("{variable}={text:?}: {error}")))
}

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Self(state.max(1))
    }

    /// Returns the cases of a random test: `few`, or MANYHASH_TEST_CASES=n of them, from the seed
    /// MANYHASH_TEST_SEEDS on. MANYHASH_TEST_SEED=seed repeats a single one.
    pub fn of_cases(few: u64) -> impl Iterator<Item = Self> {
        let (first, cases) = match number("MANYHASH_TEST_SEED") {
            Some(seed) => (seed, 1),
            None => (number("MANYHASH_TEST_SEEDS").unwrap_or(1), number("MANYHASH_TEST_CASES").unwrap_or(few)),
        };
        (first..first + cases).map(|seed| {
            // This is shown only when the test fails.
            println!("MANYHASH_TEST_SEED={seed}");
            Self::new(seed)
        })
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % end as u64) as usize
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
