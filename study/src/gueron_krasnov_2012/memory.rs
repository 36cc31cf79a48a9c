//! DIVERSE and UNIFORM (section 4.3) from memory instead of files: what is left of a kernel's steady rate when messages differ in length.

use anyhow::Result;
use manyhash::Sha256;

use super::algorithm_1::N_SMS;
use super::contestants::{OPENSSL_N_SMS, OPENSSL_THEN, OPENSSL_TODAY, Raced, S_HASH, Who, missing, race_messages};
use super::{Folder, quick_files, three_digits};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Claim, Figure, Plot, Table};
use crate::session::Session;

/// Algorithm 1 with the lanes of AVX-512, and the serial end by n-SMS, and by the SHA extensions.
const WIDE: Who = Who::SHash("avx512", N_SMS);
const WIDE_THEN_SHA_NI: Who = Who::SHash("avx512", "sha-ni");
const ALL: [Who; 7] = [OPENSSL_THEN, OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, WIDE, WIDE_THEN_SHA_NI, Who::Manyhash];
/// UNIFORM is taken to be faster than DIVERSE from this ratio on: less is within what two races differ by.
const FASTER: f64 = 1.01;
/// What DIVERSE has to reach of the steady rate.
const GOAL: f64 = 0.75;

/// What is hashed, and all who did.
struct Sets {
    steady: Raced,
    diverse: Raced,
    uniform: Raced,
}

impl Sets {
    fn measure(session: &Session) -> Result<Self> {
        // Each message 64 bytes past a multiple of 16 KiB, so that lanes do not share sets of the cache.
        let steady = race_messages::<Sha256>(session, &ALL, &Layout::strided(32, 16384, 16448), 100)?;
        let folder = |folder: Folder| {
            let layout = Layout::ragged(folder.file_bytes(session.quick)?);
            race_messages::<Sha256>(session, &ALL, &layout, 1)
        };
        Ok(Self { steady, diverse: folder(Folder::Diverse)?, uniform: folder(Folder::Uniform)? })
    }

    fn all(&self) -> [(&'static str, &Raced); 3] {
        [("32 messages of 16 KiB", &self.steady), (Folder::Diverse.name(), &self.diverse), (Folder::Uniform.name(), &self.uniform)]
    }

    /// The rate in a set as a share of the steady one.
    fn share(&self, raced: &Raced, who: Who) -> Option<f64> {
        Some(raced.of(who)?.speed_up_over(self.steady.of(who)?))
    }

    fn diverse_share(&self, who: Who) -> Option<f64> {
        self.share(&self.diverse, who)
    }

    fn uniform_over_diverse(&self, who: Who) -> Option<f64> {
        Some(self.uniform.of(who)?.speed_up_over(self.diverse.of(who)?))
    }

    fn table(&self, title: &str, value: impl Fn(&Raced, Who) -> Option<f64>) -> Table {
        let mut table = Table::new(title, ["implementation"].into_iter().chain(self.all().map(|(name, _)| name)));
        for (who, _) in &self.steady.all {
            let values = self.all().map(|(_, raced)| three_digits(value(raced, *who)));
            table.row([who.name::<Sha256>().into()].into_iter().chain(values));
        }
        table
    }

    fn plot(&self, title: &str, y_label: &str, value: impl Fn(&Raced, Who) -> Option<f64>) -> Plot {
        let bars = |(who, _): &(Who, Measured)| Bars {
            name: who.name::<Sha256>(),
            source: who.source(),
            values: self.all().map(|(_, raced)| value(raced, *who)).into(),
        };
        Plot::Bars {
            title: title.into(),
            y_label: y_label.into(),
            categories: self.all().map(|(name, _)| name.into()).into(),
            series: self.steady.all.iter().map(bars).collect(),
        }
    }
}

/// Measures it.
pub fn measure(session: &Session) -> Result<Figure> {
    let sets = Sets::measure(session)?;
    let rate = |raced: &Raced, who| Some(raced.of(who)?.mb_per_s());
    let percent = |raced: &Raced, who| Some(100.0 * sets.share(raced, who)?);
    let (four, ours) = (sets.diverse_share(S_HASH), sets.diverse_share(Who::Manyhash));
    let claims = claims(&sets);
    let still_holds = four.zip(sets.uniform_over_diverse(S_HASH)).map_or_else(String::new, |(four, equal)| {
        let percent = 100.0 * four;
        if equal >= FASTER {
            format!(
                "Messages of equal lengths are still better for S-HASH: with 4 buffers UNIFORM is {equal:.2} times as fast as DIVERSE, where \
                 {percent:.0} % of the steady rate are left."
            )
        } else {
            format!("Nothing of it holds here: from memory S-HASH with 4 buffers keeps {percent:.0} % of its steady rate on DIVERSE too.")
        }
    });
    let changed = [sets.diverse_share(WIDE).map(of_wide), ours.map(of_manyhash)].into_iter().flatten().collect::<Vec<_>>().join(" ");
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
                raced.least_cycles_per_byte(who)
            }),
        ],
        plots: vec![
            sets.plot("DIVERSE and UNIFORM from memory", "MB/s (median)", rate),
            sets.plot("DIVERSE and UNIFORM from memory: what is left of the steady rate", "% of the steady rate (median)", percent),
        ],
        claims,
        still_holds,
        changed,
        missing: missing(sets.all().map(|(_, raced)| raced)),
        ..Figure::default()
    })
}

fn claims(sets: &Sets) -> Vec<Claim> {
    let (ours, equal) = (sets.diverse_share(Who::Manyhash), sets.uniform_over_diverse(S_HASH));
    vec![
        Claim::new(
            "DIVERSE in memory runs at no less than 75 % of the steady rate of manyhash, its own choice",
            "goal",
            "75 %",
            ours.map_or("not measured".into(), |share| format!("{:.0} %", 100.0 * share)),
            ours.map(|share| share >= GOAL),
        ),
        Claim::new(
            "S-HASH with 4 buffers is faster when messages have equal lengths (UNIFORM over DIVERSE, by more than 1 %)",
            "section 4.3",
            "expected, no value",
            equal.map_or("not measured".into(), |ratio| format!("{ratio:.3} times")),
            equal.map(|ratio| ratio >= FASTER),
        ),
    ]
}

fn of_wide(share: f64) -> String {
    format!(
        "Wider registers lose more: the last message finds a lane earlier, and more is left for the serial end, so that S-HASH with 16 \
         buffers keeps {:.0} % on DIVERSE.",
        100.0 * share
    )
}

fn of_manyhash(share: f64) -> String {
    let percent = 100.0 * share;
    if share >= GOAL {
        format!(
            "manyhash keeps {percent:.0} %: the longest messages begin first, and a lane that ends is filled without waiting for others."
        )
    } else {
        format!("manyhash keeps {percent:.0} %, although the longest messages begin first and a lane that ends is filled at once.")
    }
}

#[cfg(test)]
mod tests {
    use super::super::contestants::at_rates;
    use super::*;
    use crate::model::Verdict;

    fn sets(diverse: [f64; 2], uniform: [f64; 2]) -> Sets {
        let raced = |[s_hash, manyhash]: [f64; 2]| at_rates(&[(S_HASH, s_hash), (Who::Manyhash, manyhash)]);
        Sets { steady: raced([100.0, 400.0]), diverse: raced(diverse), uniform: raced(uniform) }
    }

    #[test]
    fn the_goal_is_three_quarters_of_the_own_steady_rate() {
        let verdicts = |sets: &Sets| claims(sets).iter().map(|claim| claim.verdict).collect::<Vec<_>>();
        assert_eq!(verdicts(&sets([90.0, 310.0], [95.0, 400.0])), [Verdict::Holds, Verdict::Holds]);
        assert_eq!(verdicts(&sets([90.0, 290.0], [90.5, 400.0])), [Verdict::DoesNot, Verdict::DoesNot]);
        assert!(of_manyhash(0.5).contains("although") && !of_manyhash(0.8).contains("although"));
    }

    #[test]
    fn who_is_not_there_is_not_judged() {
        let mut sets = sets([90.0, 310.0], [95.0, 400.0]);
        sets.diverse.all.clear();
        assert!(claims(&sets).iter().all(|claim| claim.verdict == Verdict::NotMeasured));
    }
}
