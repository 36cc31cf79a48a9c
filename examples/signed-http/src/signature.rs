//! The senders' headers: signatures, and in Stripe's the time. Nothing here knows a secret.

use std::time::Duration;

/// The length of a tag of HMAC-SHA256 in bytes.
pub const TAG_BYTES: usize = 32;

/// The most signatures of one header. Each takes memory and is compared with every secret's tag.
const MOST_SIGNATURES: usize = 16;

/// The tag of a message as its sender claims it.
pub type Signature = [u8; TAG_BYTES];

/// The name of GitHub's header, which signs the body.
pub const GITHUB_HEADER: &str = "x-hub-signature-256";

/// The name of Stripe's header, which signs the time, a dot and the body.
pub const STRIPE_HEADER: &str = "stripe-signature";

/// Returns the signature in GitHub's header: `sha256=` and 64 hexadecimal digits of either case.
/// Returns `None` for anything else.
pub fn github(header: &[u8]) -> Option<Signature> {
    hexadecimal(header.strip_prefix(b"sha256=")?)
}

/// The content of Stripe's header.
#[derive(Debug, PartialEq, Eq)]
pub struct Stripe<'a> {
    /// The time in seconds since 1970, in the digits that were signed.
    pub time_text: &'a [u8],
    /// The time as a number.
    pub time_s: u64,
    /// The signatures, at least one and at most 16. While a secret is being replaced there are two.
    pub signatures: Vec<Signature>,
}

/// Reads `t=<seconds>,v1=<hex>[,v1=<hex>...]`, in any order. Schemes other than `v1` are passed
/// over, as Stripe asks. Returns `None` if there isn't exactly one time, if there is no signature
/// or more than 16, or if one is not 64 hexadecimal digits.
pub fn stripe(header: &[u8]) -> Option<Stripe<'_>> {
    let mut time = None;
    let mut signatures = Vec::new();
    for element in header.split(|&byte| byte == b',') {
        let equals = element.iter().position(|&byte| byte == b'=')?;
        let (name, value) = (element[..equals].trim_ascii(), element[equals + 1..].trim_ascii());
        match name {
            b"t" if time.is_some() => return None,
            b"t" => time = Some((value, seconds(value)?)),
            b"v1" if signatures.len() == MOST_SIGNATURES => return None,
            b"v1" => signatures.push(hexadecimal(value)?),
            _ => {}
        }
    }
    let (time_text, time_s) = time?;
    (!signatures.is_empty()).then_some(Stripe { time_text, time_s, signatures })
}

impl Stripe<'_> {
    /// Whether the time is at most `tolerance` before or after `now_s`. Older signatures may be
    /// replayed by anyone who has seen one.
    pub fn is_current(&self, now_s: u64, tolerance: Duration) -> bool {
        self.time_s.abs_diff(now_s) <= tolerance.as_secs()
    }

    /// Returns the bytes signed before the body.
    pub fn prefix(&self) -> Vec<u8> {
        [self.time_text, b"."].concat()
    }
}

/// Parses digits only, whereas Rust's own parser also takes a sign.
fn seconds(text: &[u8]) -> Option<u64> {
    let digits = text.iter().all(u8::is_ascii_digit);
    str::from_utf8(text).ok().filter(|_| digits)?.parse().ok()
}

fn hexadecimal(text: &[u8]) -> Option<Signature> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, []) = text.as_chunks::<2>() else { return None };
    let mut signature = [0; TAG_BYTES];
    if pairs.len() != TAG_BYTES {
        return None;
    }
    for (byte, &[high, low]) in signature.iter_mut().zip(pairs) {
        *byte = digit(high)? << 4 | digit(low)?;
    }
    Some(signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    fn signature() -> Signature {
        hexadecimal(HEX.as_bytes()).unwrap()
    }

    #[test]
    fn githubs_header_is_read_in_either_case() {
        assert_eq!(signature()[..4], [0x75, 0x71, 0x07, 0xea]);
        assert_eq!(github(format!("sha256={HEX}").as_bytes()), Some(signature()));
        assert_eq!(github(format!("sha256={}", HEX.to_uppercase()).as_bytes()), Some(signature()));
    }

    #[test]
    fn githubs_header_is_refused_if_anything_is_missing_or_added() {
        let truncated = &HEX[..62];
        let odd = &HEX[..63];
        for header in [
            String::new(),
            "sha256=".into(),
            HEX.into(),
            format!("sha1={HEX}"),
            format!("SHA256={HEX}"),
            format!("sha256={truncated}"),
            format!("sha256={odd}"),
            format!("sha256={HEX}0"),
            format!("sha256={HEX}00"),
            format!("sha256= {HEX}"),
            format!("sha256={truncated}g0"),
            format!("sha256={truncated}+1"),
            format!("sha256={truncated}é"),
        ] {
            assert_eq!(github(header.as_bytes()), None, "{header}");
        }
    }

    #[test]
    fn stripes_header_has_a_time_and_signatures_in_any_order() {
        let expected = Stripe { time_text: b"1492774577", time_s: 1_492_774_577, signatures: vec![signature()] };
        for header in [
            format!("t=1492774577,v1={HEX}"),
            format!("v1={HEX},t=1492774577"),
            format!("t=1492774577, v1={HEX}"),
            format!("t=1492774577,v1={HEX},v0=6ffbb59b"),
            format!("t=1492774577,v2=,v1={}", HEX.to_uppercase()),
        ] {
            assert_eq!(stripe(header.as_bytes()).as_ref(), Some(&expected), "{header}");
        }
        let two = format!("t=1,v1={HEX},v1={}", "00".repeat(32));
        assert_eq!(stripe(two.as_bytes()).unwrap().signatures, [signature(), [0; 32]]);
    }

    #[test]
    fn the_digits_of_the_time_are_kept_as_they_were_signed() {
        let header = format!("t=007,v1={HEX}");
        let stripe = stripe(header.as_bytes()).unwrap();
        assert_eq!((stripe.time_s, stripe.prefix()), (7, b"007.".to_vec()));
    }

    #[test]
    fn stripes_header_is_refused_if_it_is_incomplete_or_ambiguous() {
        for header in [
            String::new(),
            "t=1".into(),
            format!("v1={HEX}"),
            format!("t=,v1={HEX}"),
            format!("t=+1,v1={HEX}"),
            format!("t=-1,v1={HEX}"),
            format!("t=1.5,v1={HEX}"),
            format!("t=18446744073709551616,v1={HEX}"),
            format!("t=1,t=2,v1={HEX}"),
            format!("t=1,t=1,v1={HEX}"),
            format!("t=1,v0={HEX}"),
            format!("t=1,v1={}", &HEX[2..]),
            format!("t=1,v1={HEX},v1=abc"),
            format!("t=1,v1={HEX},"),
            format!("t=1;v1={HEX}"),
        ] {
            assert_eq!(stripe(header.as_bytes()), None, "{header}");
        }
    }

    #[test]
    fn stripes_header_has_sixteen_signatures_at_most() {
        let with = |count: usize| format!("t=1{}", format!(",v1={HEX}").repeat(count));
        assert_eq!(stripe(with(16).as_bytes()).unwrap().signatures, [signature(); 16]);
        assert_eq!(stripe(with(17).as_bytes()), None);
        // Other schemes are not kept and not counted.
        assert!(stripe(format!("{}{}", with(16), ",v0=00".repeat(100)).as_bytes()).is_some());
    }

    #[test]
    fn a_time_is_current_on_both_sides_of_now() {
        let header = format!("t=1000,v1={HEX}");
        let stripe = stripe(header.as_bytes()).unwrap();
        let tolerance = Duration::from_secs(300);
        for (now_s, expected) in [(1000, true), (1300, true), (1301, false), (700, true), (699, false), (0, false), (u64::MAX, false)] {
            assert_eq!(stripe.is_current(now_s, tolerance), expected, "now {now_s}");
        }
    }
}
