//! Conversion of what `-c` printed before 9.11 to the form of 9.11. Names are now quoted as for a
//! shell; before they were escaped or printed raw.

use crate::support::text_of;

/// Rewrites `theirs`, printed by 9.`release`, in the way of 9.11. Each name is taken from `ours`,
/// if a shell reads it as the name printed.
pub fn quoted_since_9_11(theirs: &str, ours: &str, release: u32) -> String {
    let mut ours = ours.split_inclusive('\n');
    let line = |line: &str| {
        let Some((name, verdict)) = split(line) else { return line.to_string() };
        let names = names(name, release);
        let quoted = ours.next().and_then(split).filter(|(quoted, _)| word(quoted).is_some_and(|name| names.contains(&name)));
        quoted.map_or_else(|| line.to_string(), |(quoted, _)| quoted.to_string() + verdict)
    };
    theirs.split_inclusive('\n').map(line).collect()
}

/// Splits a line of `-c` into the printed name and the rest.
fn split(line: &str) -> Option<(&str, &str)> {
    let verdict = [": OK\n", ": FAILED\n", ": FAILED open or read\n"].into_iter().find(|verdict| line.ends_with(verdict))?;
    Some((line.strip_suffix(verdict)?, verdict))
}

/// Returns the names that a release before 9.11 may print so. Before 9.4 only names with a newline
/// were escaped; the others began with a backslash only if that was their own.
fn names(printed: &str, release: u32) -> Vec<String> {
    let unescaped = printed.strip_prefix('\\').map(|escaped| {
        let mut name = String::new();
        let mut characters = escaped.chars();
        while let Some(character) = characters.next() {
            name.push(match character {
                '\\' => match characters.next() {
                    Some('n') => '\n',
                    Some('r') => '\r',
                    other => other.unwrap_or('\\'),
                },
                _ => character,
            });
        }
        name
    });
    match unescaped {
        Some(name) if release >= 4 => vec![name],
        Some(name) => vec![name, printed.to_string()],
        None => vec![printed.to_string()],
    }
}

/// Returns the one word that a shell reads in `quoted`.
fn word(quoted: &str) -> Option<String> {
    let mut bytes = quoted.bytes().peekable();
    let mut word = Vec::new();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\'' => word.extend(until(&mut bytes, b'\'')?),
            b'"' => word.extend(until(&mut bytes, b'"')?),
            b'\\' => word.push(bytes.next()?),
            b'$' if bytes.next_if_eq(&b'\'').is_some() => {
                let escapes = until(&mut bytes, b'\'')?;
                let mut escapes = escapes.as_slice();
                while let [b'\\', rest @ ..] = escapes {
                    let (byte, taken) = match rest {
                        [a @ b'0'..=b'3', b, c, ..] => (64 * (a - b'0') + 8 * (b - b'0') + (c - b'0'), 3),
                        [letter, ..] => (7 + b"abtnvfr".iter().position(|known| known == letter)? as u8, 1),
                        [] => return None,
                    };
                    word.push(byte);
                    escapes = &rest[taken..];
                }
                if !escapes.is_empty() {
                    return None;
                }
            }
            b' ' | b'\n' | b'\t' | b'$' | b'`' | b'*' | b'?' | b'[' | b'|' | b'&' | b';' | b'<' | b'>' | b'(' | b')' => return None,
            _ => word.push(byte),
        }
    }
    Some(text_of(word))
}

fn until(bytes: &mut impl Iterator<Item = u8>, end: u8) -> Option<Vec<u8>> {
    let mut inside = Vec::new();
    loop {
        match bytes.next()? {
            byte if byte == end => return Some(inside),
            byte => inside.push(byte),
        }
    }
}

#[test]
fn lines_of_older_releases_are_known_again() {
    let theirs = "a b: OK\n\\a\\nb: FAILED\n\\a: OK\nplain: FAILED open or read\nbad: OK\n";
    let ours = "'a b': OK\n'a'$'\\n''b': FAILED\n'\\a': OK\nplain: FAILED open or read\n'bed': OK\n";
    let expected = ours.replace("'bed'", "bad");
    assert_eq!(quoted_since_9_11(theirs, ours, 1), expected);
    assert_eq!(word("\"it's\"\\'x''$'\\377\\t'").as_deref(), Some("it's'x\u{f7ff}\t"));
}
