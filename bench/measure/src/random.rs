//! Numbers that look random and are the same every time.

/// SplitMix64 (Steele, Lea & Flood 2014): the same workloads in every run, on every machine.
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator of its own sequence for every seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `bound` - 1 (the bias of the remainder is below 2^-40 for the bounds used
    /// here).
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number of the normal distribution with mean 0 and deviation 1, by Box and Muller's method.
    pub fn normal(&mut self) -> f64 {
        // In (0, 1]: its logarithm is finite.
        let [radius, angle] = [(); 2].map(|()| ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64);
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// Fills `bytes`.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }

    /// Fisher-Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
