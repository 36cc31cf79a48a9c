//! The commands of the crate's page, run as they stand there. Those of the repository's README.md are run by docs/test_guide.py.

use crate::support::{BINARY, Place, outcome};

/// Returns the first block of commands.
fn commands(page: &str) -> &str {
    let block = page.split_once("```sh\n").expect("a block begins").1;
    block.split_once("\n```").expect("it ends").0
}

#[test]
fn commands_of_the_readme_work_one_after_the_other() {
    let place = Place::new();
    place.file("photos/2025/a.jpg", "a").file("photos/b.jpg", "b").file("src/main.c", "int").file("src/main.o", "code");
    place.file("app.img", [1; 5000]).file("root.img", [2; 8192]);
    let (home, tools) = (place.join("home"), place.join("tools"));
    for folder in [&home, &tools] {
        std::fs::create_dir(folder).unwrap();
    }
    std::os::unix::fs::symlink(BINARY, tools.join("manyhash")).unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());

    let block = commands(include_str!("../../README.md"));
    assert!(block.contains("check --audit "));
    let run = outcome(place.command("sh").args(["-exc", block]).env("HOME", &home).env("PATH", path), b"");
    assert_eq!(run.code, Some(0), "the last line with a + is what failed:\n{}{}", run.stderr, run.stdout);
    for file in ["SHA256SUMS", "home/sums", "sums.json", "root.verity"] {
        assert!(place.join(file).is_file(), "{file}: not written");
    }
}
