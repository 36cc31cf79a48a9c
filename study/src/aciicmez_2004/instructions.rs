//! Figure 4.5: latency and throughput of instructions.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "assembly")]
mod loops;
#[cfg(target_arch = "x86_64")]
mod report;

use anyhow::Result;

use crate::model::Figure;
use crate::session::Session;

/// The figure.
pub fn measure(session: &Session) -> Result<Figure> {
    #[cfg(target_arch = "x86_64")]
    return report::measure(session);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = session;
        Ok(Figure { missing: vec!["all of it: the loops are assembly for x86-64".into()], ..Figure::default() })
    }
}
