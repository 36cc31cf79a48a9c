//! Clocks that are wrong: the preloaded library lets the command see another time than the file system.

#![cfg(target_os = "linux")]

use super::{counts, tree};
use crate::faults;
use crate::support::{BINARY, Outcome, Place, outcome};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Runs `sum` with the cache while the clock is so many seconds ahead.
fn sum_ahead(place: &Place, seconds: i64) -> Option<Outcome> {
    let mut command = place.command(BINARY);
    command.args("sum -v --cache c -r t".split(' ')).env("LD_PRELOAD", faults::library()?);
    Some(outcome(command.env("FAULT", format!("clock:all:{seconds}")), b""))
}

/// Changes a byte of a file, which keeps its size and mtime.
fn change_secretly(place: &Place, name: &str, byte: u8) {
    let path = place.join(name);
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.write_at(&[byte], 0).unwrap();
    file.set_modified(modified).unwrap();
}

#[test]
fn whatever_the_clock_says_no_digest_is_wrong() {
    let Some(place) = tree(6) else { return };
    let mut plain = place.run("sum -r t").stdout;
    // Before 1970, set back, right, ahead, so far ahead that all is dropped, and back again.
    let clocks = [-100 * 365 * DAY, -HOUR, 0, HOUR, 400 * DAY, -HOUR, 0, -100 * 365 * DAY, 0];
    for (turn, seconds) in clocks.into_iter().enumerate() {
        let Some(sum) = sum_ahead(&place, seconds) else { return };
        assert_eq!((&sum.stdout, sum.code), (&plain, Some(0)), "{seconds} s ahead: {}", sum.stderr);
        match turn {
            0 | 1 => {
                assert_eq!(counts(&sum), "0 reused, 0 stored, 6 not stored because the files changed just before", "{seconds} s ahead")
            }
            2 => assert_eq!(counts(&sum), "0 reused, 6 stored"),
            3 => assert_eq!(counts(&sum), "6 reused, 0 stored"),
            _ => {}
        }
        assert!(!sum.stderr.contains("damaged"), "{seconds} s ahead: {}", sum.stderr);
    }
    // A change is seen at once, whatever the clock says, and what comes from the future is not stored.
    for (turn, seconds) in [-HOUR, HOUR, -HOUR, 400 * DAY, 0].into_iter().enumerate() {
        change_secretly(&place, "t/00003", b'A' + turn as u8);
        let changed = place.run("sum -r t").stdout;
        assert_ne!(changed, plain);
        plain = changed;
        for seconds in [seconds, 0] {
            let Some(sum) = sum_ahead(&place, seconds) else { return };
            assert_eq!((&sum.stdout, sum.code), (&plain, Some(0)), "{seconds} s ahead: {}", sum.stderr);
            assert!(seconds > 0 || turn % 2 == 1 || counts(&sum).contains("not stored because"), "{seconds} s ahead: {}", sum.stderr);
        }
        // The next change has another time, as it has wherever programs do not run within the same tick.
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
