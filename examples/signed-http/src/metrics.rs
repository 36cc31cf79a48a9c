//! The counters, and their text for Prometheus.

use std::fmt::{Display, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The content type of Prometheus' text format.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The sender of a signed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// `POST /github`
    GitHub,
    /// `POST /stripe`
    Stripe,
}

impl Sender {
    const ALL: [Self; 2] = [Self::GitHub, Self::Stripe];

    fn label(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::Stripe => "stripe",
        }
    }
}

/// Why a request got another answer than 200.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no header with a signature.
    Missing,
    /// The header is not what the sender's documentation says, or there are several.
    Malformed,
    /// The request was signed too long ago, or in the future.
    Expired,
    /// The request was signed with another secret, or is not what was signed.
    Wrong,
    /// The body is over the limit.
    TooLarge,
    /// The client stopped half-way.
    TooSlow,
    /// The client went away half-way.
    BrokenOff,
    /// The engine failed.
    Unavailable,
}

impl Refusal {
    const ALL: [Self; 8] =
        [Self::Missing, Self::Malformed, Self::Expired, Self::Wrong, Self::TooLarge, Self::TooSlow, Self::BrokenOff, Self::Unavailable];

    fn label(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Malformed => "malformed",
            Self::Expired => "expired",
            Self::Wrong => "wrong",
            Self::TooLarge => "too_large",
            Self::TooSlow => "too_slow",
            Self::BrokenOff => "broken_off",
            Self::Unavailable => "unavailable",
        }
    }
}

/// The counts since the start.
#[derive(Default)]
pub struct Counters {
    requests: [AtomicU64; Sender::ALL.len()],
    refused: [[AtomicU64; Refusal::ALL.len()]; Sender::ALL.len()],
    signed_bytes: AtomicU64,
}

impl Counters {
    /// Counts a request that has come.
    pub fn request(&self, sender: Sender) {
        self.requests[sender as usize].fetch_add(1, Relaxed);
    }

    /// Counts a refused request.
    pub fn refused(&self, sender: Sender, refusal: Refusal) {
        self.refused[sender as usize][refusal as usize].fetch_add(1, Relaxed);
    }

    /// Counts bytes that are about to be verified.
    pub fn signed_bytes(&self, bytes: usize) {
        self.signed_bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// Writes the counters to `text`.
    pub fn write(&self, text: &mut Text) {
        text.family("signed_http_requests_total", Kind::Counter, "Requests to a sender's route.");
        for sender in Sender::ALL {
            text.sample(&[("sender", sender.label())], self.requests[sender as usize].load(Relaxed));
        }
        text.family("signed_http_refused_total", Kind::Counter, "Requests that were not answered with 200, and why.");
        for sender in Sender::ALL {
            for refusal in Refusal::ALL {
                let labels = [("sender", sender.label()), ("reason", refusal.label())];
                text.sample(&labels, self.refused[sender as usize][refusal as usize].load(Relaxed));
            }
        }
        text.family("signed_http_signed_bytes_total", Kind::Counter, "Bytes given to the engine.");
        text.sample(&[], self.signed_bytes.load(Relaxed));
    }
}

/// The kind of a family of samples.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// It only ever grows.
    Counter,
    /// It goes up and down.
    Gauge,
}

/// Text in Prometheus' format. Label values are the program's own and need no escapes.
#[derive(Default)]
pub struct Text {
    written: String,
    family: &'static str,
}

impl Text {
    /// Begins a family, whose samples follow.
    pub fn family(&mut self, name: &'static str, kind: Kind, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
        self.family = name;
    }

    /// Adds a sample to the family.
    pub fn sample(&mut self, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let family = self.family;
        match labels.is_empty() {
            true => self.line(format_args!("{family} {value}")),
            false => self.line(format_args!("{family}{{{}}} {value}", labels.join(","))),
        }
    }

    /// Returns the text.
    pub fn finish(self) -> String {
        self.written
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.written, "{line}").expect("a String takes all that memory holds");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_has_its_own_count() {
        let counters = Counters::default();
        for (i, sender) in Sender::ALL.into_iter().enumerate() {
            assert_eq!(sender as usize, i);
            counters.request(sender);
        }
        for (i, refusal) in Refusal::ALL.into_iter().enumerate() {
            assert_eq!(refusal as usize, i);
            (0..=i).for_each(|_| counters.refused(Sender::Stripe, refusal));
        }
        counters.signed_bytes(1000);
        let mut text = Text::default();
        counters.write(&mut text);
        let text = text.finish();
        for line in [
            "# TYPE signed_http_requests_total counter",
            "signed_http_requests_total{sender=\"github\"} 1",
            "signed_http_refused_total{sender=\"github\",reason=\"wrong\"} 0",
            "signed_http_refused_total{sender=\"stripe\",reason=\"missing\"} 1",
            "signed_http_refused_total{sender=\"stripe\",reason=\"unavailable\"} 8",
            "signed_http_signed_bytes_total 1000",
        ] {
            assert!(text.lines().any(|written| written == line), "{line} is not in\n{text}");
        }
    }
}
