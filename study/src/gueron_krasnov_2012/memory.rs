//! DIVERSE and UNIFORM (section 4.3) from memory instead of files: what is left of a kernel's steady rate when messages differ in length.

use anyhow::Result;
use manyhash::Sha256;

use super::Folder;
use super::algorithm_1::N_SMS;
use super::contestants::{OPENSSL_N_SMS, OPENSSL_THEN, OPENSSL_TODAY, Raced, S_HASH, Who, missing, race_messages};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Table};
use crate::session::Session;

/// Algorithm 1 with the lanes of AVX-512, and the serial end by n-SMS, and by the SHA extensions.
const WIDE: Who = Who::SHash("avx512", N_SMS);
const WIDE_THEN_SHA_NI: Who = Who::SHash("avx512", "sha-ni");
const ALL: [Who; 7] = [OPENSSL_THEN, OPENSSL_N_SMS, OPENSSL_TODAY, S_HASH, WIDE, WIDE_THEN_SHA_NI, Who::Manyhash];
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
        [("steady", &self.steady), (Folder::Diverse.name(), &self.diverse), (Folder::Uniform.name(), &self.uniform)]
    }

    /// The rate in a set as a share of the steady one.
    fn share(&self, raced: &Raced, who: Who) -> Option<f64> {
        Some(raced.of(who)?.speed_up_over(self.steady.of(who)?))
    }

    fn diverse_share(&self, who: Who) -> Option<f64> {
        self.share(&self.diverse, who)
    }

    fn table(&self, title: &str, value: impl Fn(&Raced, Who) -> Option<f64>, digits: u8) -> Table {
        let mut table = Table::new(title, [""].into_iter().chain(self.all().map(|(name, _)| name)));
        for (who, _) in &self.steady.all {
            let values = self.all().map(|(_, raced)| Cell::maybe(value(raced, *who), digits));
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
    let here = |share: Option<f64>| share.map_or("not measured".into(), |share| format!("{:.0} %", 100.0 * share));
    let equal = sets.uniform.of(S_HASH).zip(sets.diverse.of(S_HASH)).map(|(uniform, diverse)| uniform.speed_up_over(diverse));
    let (four, wide, ours) = (sets.diverse_share(S_HASH), sets.diverse_share(WIDE), sets.diverse_share(Who::Manyhash));
    // Who has no lanes loses by the memory alone.
    let serial = sets.diverse_share(OPENSSL_TODAY);
    let claims = vec![
        Claim::new(
            "DIVERSE in memory at no less than 75 % of the steady rate, manyhash left alone",
            "goal",
            "75 %",
            here(ours),
            ours.map(|share| share >= GOAL),
        ),
        Claim::new(
            "S-HASH (Algorithm 1, 4 buffers) is faster when messages have equal lengths",
            "section 4.3",
            "UNIFORM faster than DIVERSE",
            equal.map_or("not measured".into(), |ratio| format!("UNIFORM at {ratio:.3} times the rate of DIVERSE")),
            equal.map(|ratio| ratio > 1.0),
        ),
        Claim::new(
            "On DIVERSE, S-HASH with 4 buffers loses because operations on the others stop when one is consumed: it keeps less of its \
             steady rate than OpenSSL, one message after the other",
            "section 4.3",
            "a loss, without a value",
            format!("{} with 4 buffers, {} with 16; OpenSSL {}", here(four), here(wide), here(serial)),
            four.zip(serial).map(|(four, serial)| four < serial),
        ),
    ];
    let still_holds = four.map_or_else(String::new, |four| {
        let wide = wide.map_or_else(String::new, |wide| format!(", with 16 {:.0} %", 100.0 * wide));
        format!(
            "On DIVERSE, Algorithm 1 with 4 buffers keeps {:.0} % of its steady rate{wide}; OpenSSL, one message after the other and so \
             without lanes to lose, keeps {}. The wider the registers, the earlier the last message has found a lane, and the more is \
             left for the serial end.",
            100.0 * four,
            here(serial)
        )
    });
    let changed = ours.map_or_else(String::new, |ours| {
        format!(
            "manyhash keeps {:.0} % of the steady rate on DIVERSE: the longest messages begin first, lanes that end are filled without \
             waiting for others, and narrower and faster shapes take the last messages.",
            100.0 * ours
        )
    });
    let quick = if session.quick { " In this quick run files have a 32nd of their sizes." } else { "" };
    Ok(Figure {
        method: format!(
            "SHA-256 of the files' bytes in one buffer, in the paper's order, each on a cache line of its own. The steady rate of each \
             contestant is that of 32 messages of 16 KiB in the cache, 16,448 bytes apart. The paper does not measure this: it has the \
             folders on a disk only.{quick}"
        ),
        tables: vec![
            sets.table("MB/s, median", rate, 0),
            sets.table("share of the contestant's own steady rate, %", percent, 1),
            sets.table("cycles per byte, least sample", |raced, who| raced.least_cycles_per_byte(who), 2),
        ],
        plots: vec![
            sets.plot("DIVERSE and UNIFORM from memory", "MB/s (median)", rate),
            sets.plot("What is left of the steady rate", "% of the steady rate", percent),
        ],
        claims,
        still_holds,
        changed,
        missing: missing(sets.all().map(|(_, raced)| raced)),
        ..Figure::default()
    })
}
