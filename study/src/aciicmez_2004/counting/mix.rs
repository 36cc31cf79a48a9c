//! What a routine's instructions are.

/// Counts of one call.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Mix {
    /// The routine.
    pub name: String,
    /// All instructions.
    pub instructions: u64,
    /// Of them, those on 64-bit MMX registers.
    pub mmx: u64,
    /// On 128-bit registers.
    pub xmm: u64,
    /// On wider ones.
    pub wider: u64,
    /// That read memory.
    pub loads: u64,
    /// That write memory.
    pub stores: u64,
    /// In other files, such as the system's library; what they are is not known.
    pub elsewhere: u64,
    /// Conditional branches.
    pub branches: u64,
    /// Of them, those that the simulated predictor got wrong.
    pub mispredicted: u64,
}

impl Mix {
    /// In percent of the instructions.
    pub fn percent(&self, count: u64) -> f64 {
        100.0 * count as f64 / self.instructions.max(1) as f64
    }

    /// Branches predicted right, in percent; `None` without branches.
    pub fn predicted_percent(&self) -> Option<f64> {
        (self.branches > 0).then(|| 100.0 - 100.0 * self.mispredicted as f64 / self.branches as f64)
    }

    /// Of a part of callgrind's. Instructions of `own` are decoded.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    pub fn of(
        part: &super::callgrind::Part,
        own: &std::path::Path,
        executable: &mut super::executable::Executable,
    ) -> anyhow::Result<Self> {
        use super::executable::Class;
        use anyhow::Context;
        let mut mix = Self { name: part.name.clone(), branches: part.total("Bc"), mispredicted: part.total("Bcm"), ..Self::default() };
        for cost in &part.costs {
            let count = part.of(cost, "Ir");
            mix.instructions += count;
            if std::path::Path::new(&cost.object) != own {
                mix.elsewhere += count;
                continue;
            }
            let kind = executable.kind_at(cost.address).with_context(|| format!("{:#x}: no instruction of this program", cost.address))?;
            match kind.class {
                Class::General => {}
                Class::Mmx => mix.mmx += count,
                Class::Xmm => mix.xmm += count,
                Class::Wider => mix.wider += count,
            }
            mix.loads += count * u64::from(kind.loads);
            mix.stores += count * u64::from(kind.stores);
        }
        Ok(mix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_instructions() {
        let mix = Mix { instructions: 200, mmx: 50, branches: 10, mispredicted: 1, ..Mix::default() };
        assert_eq!(mix.percent(mix.mmx), 25.0);
        assert_eq!(mix.predicted_percent(), Some(90.0));
        assert_eq!(Mix::default().predicted_percent(), None);
        assert_eq!(Mix::default().percent(0), 0.0);
    }
}
