//! What all commands have in common: threads, help and its width.

use crate::support::{Place, pattern};

#[test]
fn a_number_of_threads_is_one_in_every_command() {
    let place = Place::new();
    place.file("t/large", pattern(3 << 20)).file("t/small", "abc").file("t/copy", "abc");
    place.file("sums", place.run("sum -r t").stdout);
    let uuid = "00000000-0000-4000-8000-000000000000";
    assert_eq!(place.run(&format!("verity format --salt 00 --uuid {uuid} t/large hash --root-hash-file root")).code, Some(0));
    let root = std::fs::read_to_string(place.join("root")).unwrap();
    for command in [
        "sum -r t",
        "check sums",
        "dups t",
        "dups --chunks fixed:512 t",
        "tree j-lanes t/large",
        "tree j-pointers -l 3 t/large",
        "tree files t/large t/small",
        "tree fs-verity t/large",
        "tree s3 t/large",
        "tree dm-verity t/large",
        &format!("verity verify t/large hash {root}"),
    ] {
        let expected = place.run(command);
        assert_eq!(expected.code, Some(0), "{command}: {}", expected.stderr);
        for threads in ["0", "1", "3", "200", "99999999999999999999999"] {
            assert_eq!(place.run(&format!("{command} -j {threads}")), expected, "{command} -j {threads}");
        }
        for wrong in ["-1", "x", "1.5", "all"] {
            let refused = place.run(&format!("{command} --threads {wrong}"));
            assert_eq!(refused.code, Some(2), "{command} --threads {wrong}");
            assert!(refused.stderr.contains("--threads"), "{refused:?}");
        }
    }
}

#[test]
fn lanes_are_not_threads() {
    let place = Place::new();
    place.file("f", pattern(100_000));
    for mode in ["j-lanes", "j-pointers"] {
        let usual = place.run(&format!("tree {mode} f")).stdout;
        assert_eq!(place.run(&format!("tree {mode} -l 16 f")).stdout, usual);
        assert_eq!(place.run(&format!("tree -j 2 {mode} -j 3 f")).stdout, usual);
        assert_ne!(place.run(&format!("tree {mode} --lanes 3 f")).stdout, usual);
    }
}
