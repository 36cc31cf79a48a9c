//! The folders of `src` are floors, and nobody climbs: what a file uses stands below it, or beside
//! it without a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The floors from below. Everything else in `src` is a door: it stands above all of them.
const FLOORS: [&str; 4] = ["isa", "algorithm", "kernel", "schedule"];

/// For each room, a file or folder of `src`: the rooms that it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

fn read(path: &Path, room: &str, uses: &mut Uses) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            read(&entry.unwrap().path(), room, uses);
        }
        return;
    }
    if path.extension().is_none_or(|extension| extension != "rs") {
        return;
    }
    let code: String = fs::read_to_string(path).unwrap().lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let used = uses.entry(room.into()).or_default();
    for after in code.split("crate::").skip(1) {
        let name: String = after.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        // Not the room itself, nor what the macro of the list is expanded to: `crate::$Name`.
        if name != room && !name.is_empty() {
            used.insert(name);
        }
    }
}

/// Every room of `src` but the front door itself, `lib.rs`, which names what is public.
fn rooms() -> Uses {
    let mut uses = Uses::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let room = path.file_stem().unwrap().to_str().unwrap().to_string();
        if room != "lib" {
            read(&path, &room, &mut uses);
        }
    }
    uses
}

fn floor(room: &str) -> usize {
    FLOORS.iter().position(|floor| *floor == room).unwrap_or(FLOORS.len())
}

/// A way from `to` to `from`, which makes a circle of the way from `from` to `to`.
fn leads_to(uses: &Uses, from: &str, to: &str, seen: &mut BTreeSet<String>) -> bool {
    from == to || seen.insert(from.into()) && uses.get(from).is_some_and(|used| used.iter().any(|next| leads_to(uses, next, to, seen)))
}

#[test]
fn nobody_climbs() {
    let uses = rooms();
    assert!(FLOORS.iter().all(|floor| uses.contains_key(*floor)), "a floor is missing: {:?}", uses.keys());
    let mut faults = Vec::new();
    for (room, used) in &uses {
        for other in used {
            let is_room = uses.contains_key(other);
            if !is_room && floor(room) < FLOORS.len() {
                faults.push(format!("{room} uses crate::{other}, which is for callers"));
            } else if floor(other) > floor(room) {
                faults.push(format!("{room} uses {other}, which stands above it"));
            } else if is_room && leads_to(&uses, other, room, &mut BTreeSet::new()) {
                faults.push(format!("{room} and {other} use each other, perhaps by way of others"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
