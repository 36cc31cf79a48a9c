//! What the paper says of files from the disk, judged.

use super::super::contestants::{OPENSSL_N_SMS, OPENSSL_THEN, Raced, S_HASH, Who};
use super::super::{Folder, percent_slower};
use super::{Cold, core_cycles_per_byte};
use crate::measured::{Measured, times};
use crate::model::Claim;

/// Someone is taken to be limited by the disk who is slower from it than from the page cache by more than this share.
const LIMITED: f64 = 0.10;
const NOT_VARIED: &str = "the frequency is not varied here";
const IN_A_PICTURE: &str = "shown in a picture only";

/// A claim about 1.6 GHz, judged at the lowest frequency of this processor.
fn slow_ratio_claim(folder: Folder, place: &'static str, paper: f64, slowed: &[(f64, Cold)]) -> Claim {
    let here = slowed.first().and_then(|(ghz, cold)| Some((*ghz, cold.raced.speed_up(S_HASH, OPENSSL_THEN)?)));
    Claim::new(
        format!(
            "At 1.6 GHz (here the lowest frequency) S-HASH with 4 buffers is {paper} times as fast as OpenSSL's scalar code on {} from the disk",
            folder.name()
        ),
        place,
        format!("{paper} times"),
        here.map_or(NOT_VARIED.into(), |(ghz, ratio)| format!("{ratio:.2} times at {ghz:.2} GHz")),
        here.map(|(_, ratio)| ratio >= paper),
    )
}

fn ratio_claim(folder: Folder, place: &'static str, paper: f64, cold: Option<&Cold>, other: Who, name: &str) -> Claim {
    let ratio = cold.and_then(|cold| cold.raced.speed_up(S_HASH, other));
    let text = format!("S-HASH with 4 buffers is {paper} times as fast as {name} on {} from the disk", folder.name());
    Claim::new(text, place, format!("{paper} times"), times(ratio), ratio.map(|ratio| ratio >= paper))
}

/// Cycles a byte of the paper's three at the highest frequency over those at the lowest: above 1, it improves when slowed.
fn improvements(slowed: &[(f64, Cold)]) -> Option<[f64; 3]> {
    let (low, high) = slowed.first().zip(slowed.last()).filter(|_| slowed.len() > 1)?;
    let cycles = |(ghz, cold): &(f64, Cold), who| Some(core_cycles_per_byte(*ghz, cold.raced.of(who)?));
    let of = |who| Some(cycles(high, who)? / cycles(low, who)?);
    Some([of(OPENSSL_THEN)?, of(OPENSSL_N_SMS)?, of(S_HASH)?])
}

fn three_times(ratios: Option<[f64; 3]>) -> String {
    ratios.map_or(NOT_VARIED.into(), |[openssl, n_sms, s_hash]| format!("{openssl:.2}, {n_sms:.2} and {s_hash:.2} times"))
}

/// What section 4.3 says of DIVERSE.
pub fn diverse(cold: Option<&Cold>, warm: &Raced, slowed: &[(f64, Cold)]) -> Vec<Claim> {
    let throughput = |cold: &Cold| cold.raced.of(S_HASH).map(Measured::mb_per_s);
    let ends = slowed.first().zip(slowed.last()).filter(|_| slowed.len() > 1);
    let falls = ends.and_then(|(low, high)| Some((throughput(&high.1)? / throughput(&low.1)?, high.0 / low.0)));
    let limited = slower_from_disk(cold, warm, S_HASH);
    let improve = improvements(slowed);
    vec![
        ratio_claim(Folder::Diverse, "section 4.3, figure 3", 1.73, cold, OPENSSL_THEN, "OpenSSL's scalar code"),
        Claim::new(
            "The disk limits S-HASH with 4 buffers on DIVERSE (more than 10 % slower than from the page cache)",
            "section 4.3, figure 3",
            IN_A_PICTURE,
            percent_slower(limited),
            limited.map(|share| share > LIMITED),
        ),
        slow_ratio_claim(Folder::Diverse, "section 4.3, figure 3", 2.16, slowed),
        Claim::new(
            "All three take fewer cycles a byte on DIVERSE when the processor is slowed, and S-HASH gains most",
            "section 4.3, figure 3",
            IN_A_PICTURE,
            three_times(improve),
            improve.map(|[openssl, n_sms, s_hash]| openssl > 1.0 && n_sms > 1.0 && s_hash > openssl.max(n_sms)),
        ),
        Claim::new(
            "From 3.3 to 1.6 GHz (here from the highest to the lowest) the throughput of S-HASH on DIVERSE falls by less than the \
             frequency",
            "section 4.3",
            "1.28 times, the frequency 2.06 times",
            falls.map_or(NOT_VARIED.into(), |(falls, by)| format!("{falls:.2} times, the frequency {by:.2} times")),
            falls.map(|(falls, by)| falls < by),
        ),
    ]
}

/// What sections 4.3 and 5 say of UNIFORM.
pub fn uniform(cold: Option<&Cold>, warm: &Raced, diverse: Option<&Cold>, slowed: &[(f64, Cold)]) -> Vec<Claim> {
    let slower = |who| slower_from_disk(cold, warm, who);
    let unlimited = slower(OPENSSL_THEN).zip(slower(OPENSSL_N_SMS));
    let larger = |who| Some(cold?.raced.of(who)?.speed_up_over(diverse?.raced.of(who)?));
    let larger: Option<Vec<f64>> = [OPENSSL_THEN, OPENSSL_N_SMS, S_HASH].into_iter().map(larger).collect();
    let improve = improvements(slowed);
    vec![
        ratio_claim(Folder::Uniform, "section 4.3, figure 4", 2.26, cold, OPENSSL_THEN, "OpenSSL's scalar code"),
        ratio_claim(Folder::Uniform, "section 5", 1.67, cold, OPENSSL_N_SMS, "n-SMS"),
        Claim::new(
            "The disk does not limit OpenSSL's scalar code and n-SMS on UNIFORM (no more than 10 % slower than from the page cache)",
            "section 4.3, figure 4",
            IN_A_PICTURE,
            unlimited.map_or("not measured".into(), |(openssl, n_sms)| {
                format!("scalar {}, n-SMS {}", percent_slower(Some(openssl)), percent_slower(Some(n_sms)))
            }),
            unlimited.map(|(openssl, n_sms)| openssl <= LIMITED && n_sms <= LIMITED),
        ),
        Claim::new(
            "The disk affects the faster S-HASH on UNIFORM (more than 10 % slower than from the page cache)",
            "section 5",
            "8.65 C/B for 5.18",
            percent_slower(slower(S_HASH)),
            slower(S_HASH).map(|share| share > LIMITED),
        ),
        Claim::new(
            "OpenSSL's scalar code, n-SMS and S-HASH are all faster from the disk when files are large (UNIFORM over DIVERSE)",
            "section 4.3",
            IN_A_PICTURE,
            larger.as_ref().map_or("not measured".into(), |ratios| {
                format!("{} times", ratios.iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(", "))
            }),
            larger.map(|ratios| ratios.iter().all(|ratio| *ratio > 1.0)),
        ),
        slow_ratio_claim(Folder::Uniform, "section 4.3, figure 4", 2.86, slowed),
        Claim::new(
            "Slowing the processor improves the cycles a byte of S-HASH on UNIFORM more than those of OpenSSL and n-SMS",
            "section 4.3, figure 4",
            "S-HASH from 8.65 to 6.73 C/B",
            three_times(improve),
            improve.map(|[openssl, n_sms, s_hash]| s_hash > 1.0 && s_hash > openssl.max(n_sms)),
        ),
    ]
}

/// By how much slower someone is from the disk than from the page cache, as a share.
fn slower_from_disk(cold: Option<&Cold>, warm: &Raced, who: Who) -> Option<f64> {
    Some(warm.of(who)?.speed_up_over(cold?.raced.of(who)?) - 1.0)
}

/// From the disk, with everybody of the paper at these rates and a disk of that rate.
#[cfg(test)]
pub fn cold_at(rates: [f64; 3], disk: f64) -> Cold {
    use super::super::contestants::at_rates;

    let raced = at_rates(&[(OPENSSL_THEN, rates[0]), (OPENSSL_N_SMS, rates[1]), (S_HASH, rates[2])]);
    let disk = at_rates(&[(OPENSSL_THEN, disk)]).all.remove(0).1;
    Cold { raced, disk, how: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Verdict;

    fn verdicts(claims: Vec<Claim>) -> Vec<Verdict> {
        claims.into_iter().map(|claim| claim.verdict).collect()
    }

    /// The paper's text: C/B at 3.3 GHz, and 6.73 at 1.6 GHz.
    #[test]
    fn the_papers_own_values_hold() {
        let rates = |ghz: f64, cycles: [f64; 3]| cycles.map(|cycles| 1000.0 * ghz / cycles);
        let warm = cold_at(rates(3.3, [19.5, 14.4, 5.18]), 1.0).raced;
        let slowed = [(1.6, cold_at(rates(1.6, [19.54, 14.44, 6.73]), 400.0)), (3.3, cold_at(rates(3.3, [19.56, 14.46, 8.65]), 400.0))];
        let of_diverse = cold_at(rates(3.3, [25.0, 20.0, 14.0]), 400.0);
        let claims = uniform(Some(&slowed[1].1), &warm, Some(&of_diverse), &slowed);
        assert_eq!(verdicts(claims), [Verdict::Holds; 7]);
    }

    #[test]
    fn what_is_not_measured_is_not_judged() {
        let warm = cold_at([100.0, 200.0, 300.0], 1.0).raced;
        assert_eq!(verdicts(uniform(None, &warm, None, &[])), [Verdict::NotMeasured; 7]);
        assert_eq!(verdicts(diverse(None, &warm, &[])), [Verdict::NotMeasured; 5]);
    }
}
