//! DIVERSE and UNIFORM (section 4.3) from memory instead of files: what is left of a kernel's
//! steady rate when messages differ in length.

use anyhow::Result;
use manyhash::Sha256;

use super::algorithm_1::SCALAR_ROUNDS;
use super::{Folder, quick_files};
use crate::claims::Metrics;
use crate::contestants::{OPENSSL_N_SMS, OPENSSL_SCALAR, OPENSSL_TODAY, Raced, S_HASH, Who, missing};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Figure, Plot, Table};
use crate::session::Session;

/// Everybody; also Algorithm 1 with the lanes of AVX-512, and the serial end by scalar rounds, and
/// by the SHA extensions.
const ALL: [Who; 7] = [
    OPENSSL_SCALAR,
    OPENSSL_N_SMS,
    OPENSSL_TODAY,
    S_HASH,
    Who::SHash("avx512", SCALAR_ROUNDS),
    Who::SHash("avx512", "sha-ni"),
    Who::Manyhash,
];

/// What is hashed, and all who did.
struct Sets {
    steady: Raced,
    diverse: Raced,
    uniform: Raced,
}

impl Sets {
    fn measure(session: &Session) -> Result<Self> {
        // Each message 64 bytes past a multiple of 16 KiB, so that lanes do not share sets of the
        // cache.
        let steady = Raced::of::<Sha256>(session, &ALL, &Layout::strided(32, 16384, 16448), 100)?;
        let folder = |folder: Folder| {
            let layout = Layout::ragged(folder.file_bytes(session.quick)?);
            Raced::of::<Sha256>(session, &ALL, &layout, 1)
        };
        Ok(Self { steady, diverse: folder(Folder::Diverse)?, uniform: folder(Folder::Uniform)? })
    }

    fn all(&self) -> [(&'static str, &Raced); 3] {
        [("32 messages of 16 KiB", &self.steady), (Folder::Diverse.name(), &self.diverse), (Folder::Uniform.name(), &self.uniform)]
    }

    /// The rate in a set in percent of the steady one.
    fn percent(&self, raced: &Raced, who: Who) -> Option<f64> {
        Some(100.0 * raced.get(who)?.speed_up_over(self.steady.get(who)?))
    }

    fn table(&self, title: &str, value: impl Fn(&Raced, Who) -> Option<f64>) -> Table {
        let rows = self.steady.rows.iter().map(|(who, _)| (who.name::<Sha256>(), *who));
        Table::grid(title, "implementation", rows, self.all(), |who, raced| value(raced, *who))
    }

    fn plot(&self, title: &str, y_label: &str, value: impl Fn(&Raced, Who) -> Option<f64>) -> Plot {
        let bars = |who: Who| Bars::new(who.name::<Sha256>(), who.source(), self.all().map(|(_, raced)| value(raced, who)));
        Plot::bars(title, y_label, self.all().map(|(name, _)| name), self.steady.rows.iter().map(|(who, _)| bars(*who)))
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        metrics.set("DIVERSE of the steady rate", self.percent(&self.diverse, Who::Manyhash));
        let over_diverse = self.uniform.get(S_HASH).zip(self.diverse.get(S_HASH)).map(|(uniform, diverse)| uniform.speed_up_over(diverse));
        metrics.set("UNIFORM over DIVERSE", over_diverse);
        metrics
    }
}

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let sets = Sets::measure(session)?;
    let rate = |raced: &Raced, who| raced.value(who, Measured::mb_per_s);
    let percent = |raced: &Raced, who| sets.percent(raced, who);
    let quick = quick_files(session);
    Ok(Figure {
        method: format!(
            "SHA-256 of the files' bytes in one buffer, in the paper's order, each on a cache line of its own. The steady rate of each \
             contestant is that of 32 messages of 16 KiB in the cache, 16,448 bytes apart. UNIFORM has 8 messages: S-HASH with 16 buffers \
             never fills them and hashes all of it one after the other. The paper does not measure this: it has the folders on a disk \
             only.{quick}"
        ),
        tables: vec![
            sets.table("DIVERSE and UNIFORM from memory: MB/s, median", rate),
            sets.table("DIVERSE and UNIFORM from memory: % of the contestant's own steady rate, median", percent),
            sets.table("DIVERSE and UNIFORM from memory: cycles of the time-stamp counter per byte, least sample", |raced, who| {
                raced.value(who, Measured::least_tsc_cycles_per_byte)
            }),
        ],
        plots: vec![
            sets.plot("DIVERSE and UNIFORM from memory", "MB/s (median)", rate),
            sets.plot("DIVERSE and UNIFORM from memory: what is left of the steady rate", "% of the steady rate (median)", percent),
        ],
        metrics: sets.metrics(),
        missing: missing(sets.all().map(|(_, raced)| raced)),
        ..Figure::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;
    use crate::contestants::at_rates;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn the_goal_is_three_quarters_of_the_own_steady_rate() {
        let sets = |diverse: [f64; 2], uniform: [f64; 2]| {
            let raced = |[s_hash, manyhash]: [f64; 2]| at_rates(&[(S_HASH, s_hash), (Who::Manyhash, manyhash)]);
            Sets { steady: raced([100.0, 400.0]), diverse: raced(diverse), uniform: raced(uniform) }
        };
        let mut good = sets([90.0, 310.0], [95.0, 400.0]);
        assert_eq!(verdicts("2012-memory", &good.metrics()), [Holds; 2]);
        assert_eq!(verdicts("2012-memory", &sets([90.0, 290.0], [90.5, 400.0]).metrics()), [DoesNot; 2]);
        good.diverse.rows.clear();
        assert_eq!(verdicts("2012-memory", &good.metrics()), [NotMeasured; 2]);
    }
}
