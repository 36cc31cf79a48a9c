//! The library as a C program and a C++ program use it: shared and static, and under valgrind.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The folder where cargo has built this test, and the libraries for it.
fn libraries() -> PathBuf {
    std::env::current_exe().expect("the path of this test").parent().expect("a folder").to_path_buf()
}

const SHARED: &str = "libmanyhash_c.so";
const STATIC: &str = "libmanyhash_c.a";

fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn succeeds(command: &mut Command) -> String {
    let output = output(command);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}:\n{stdout}{stderr}");
    stdout.into_owned()
}

/// Says that a test cannot run, which is a failure under CI.
fn skipped(why: &str) {
    assert!(std::env::var_os("CI").is_none_or(|ci| ci.is_empty()), "SKIPPED under CI: {why}");
    println!("SKIPPED: {why}");
}

fn has(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A folder with the names that an installation has.
fn installed(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (built_as, name) in [(SHARED, "libmanyhash.so"), (SHARED, "libmanyhash.so.1"), (STATIC, "libmanyhash.a")] {
        copy(&libraries().join(built_as), &folder.join(name));
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_file(to);
    std::fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
}

/// Compiles `uses.c` with a compiler, and returns the path of the result.
fn compile(name: &str, compiler: &[&str], is_static: bool) -> PathBuf {
    compile_source(&here("tests/uses.c"), name, compiler, is_static)
}

fn compile_source(source: &Path, name: &str, compiler: &[&str], is_static: bool) -> PathBuf {
    let folder = installed(name);
    let program = folder.join("uses");
    let options = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-g", "-pthread"];
    let mut command = Command::new(compiler[0]);
    command.args(&compiler[1..]).args(options).arg("-I").arg(here("include"));
    command.arg(source).args(["-x", "none", "-o"]).arg(&program);
    if is_static {
        // What the compiler says that the static library needs.
        command.arg(folder.join("libmanyhash.a")).args(["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"]);
    } else {
        command.arg("-L").arg(&folder).arg("-lmanyhash").arg(format!("-Wl,-rpath,{}", folder.display()));
    }
    succeeds(&mut command);
    program
}

#[test]
fn the_program_of_the_readme_prints_what_it_says() {
    if !has("cc") {
        return skipped("no cc on this machine");
    }
    let page = include_str!("../../../README.md");
    let rest = page.split_once("```c\n").expect("a program begins").1;
    let (program, rest) = rest.split_once("```\n```text\n").expect("what it prints follows");
    let (prints, _) = rest.split_once("```").expect("it ends");
    let source = installed("readme").join("readme.c");
    std::fs::write(&source, program).expect("a folder of ours");
    assert_eq!(succeeds(&mut Command::new(compile_source(&source, "readme", &["cc", "-std=c99"], false))), prints);
}

#[test]
fn a_c99_program_uses_every_function() {
    if !has("cc") {
        return skipped("no cc on this machine");
    }
    assert_eq!(succeeds(&mut Command::new(compile("c99-shared", &["cc", "-std=c99"], false))), "fine\n");
    assert_eq!(succeeds(&mut Command::new(compile("c99-static", &["cc", "-std=c99"], true))), "fine\n");
}

#[test]
fn a_cpp17_program_uses_every_function() {
    if !has("c++") {
        return skipped("no c++ on this machine");
    }
    assert_eq!(succeeds(&mut Command::new(compile("cpp17-shared", &["c++", "-std=c++17", "-x", "c++"], false))), "fine\n");
}

#[test]
#[cfg(target_os = "linux")]
fn too_little_memory_is_a_status() {
    if !has("cc") {
        return skipped("no cc on this machine");
    }
    let program = compile_source(&here("tests/memory.c"), "memory", &["cc", "-std=gnu99"], false);
    assert_eq!(succeeds(&mut Command::new(program)), "fine\n");
}

#[test]
fn valgrind_finds_nothing() {
    if !has("cc") || !has("valgrind") {
        return skipped("no cc and valgrind on this machine");
    }
    let program = compile("valgrind", &["cc", "-std=c99"], false);
    let options = ["--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite"];
    assert_eq!(succeeds(Command::new("valgrind").args(options).arg(program)), "fine\n");
}

/// The functions of the header.
fn declared() -> Vec<String> {
    let header = std::fs::read_to_string(here("include/manyhash.h")).expect("the header");
    let mut names: Vec<String> = header
        .match_indices("manyhash_")
        .filter_map(|(at, _)| {
            let rest = &header[at..];
            let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            rest[name.len()..].starts_with('(').then_some(name)
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn the_library_shows_what_the_header_declares_and_nothing_else() {
    if !has("nm") {
        return skipped("no nm on this machine");
    }
    let symbols = succeeds(Command::new("nm").args(["--dynamic", "--defined-only", "--format=just-symbols"]).arg(libraries().join(SHARED)));
    let mut symbols: Vec<&str> = symbols.lines().filter(|name| !name.is_empty()).collect();
    symbols.sort_unstable();
    assert_eq!(symbols, declared());
    assert_eq!(symbols.len(), 25);
}

/// `manyhash.map`, by which the library is linked that is installed.
#[test]
fn every_function_has_a_version() {
    let map = std::fs::read_to_string(here("manyhash.map")).expect("the map of versions");
    let mut names: Vec<&str> =
        map.lines().filter_map(|line| line.trim().strip_suffix(';')).filter(|name| name.starts_with("manyhash_")).collect();
    names.sort_unstable();
    assert_eq!(names, declared());
}

#[test]
fn the_library_says_the_name_that_programs_look_for() {
    if !has("readelf") {
        return skipped("no readelf on this machine");
    }
    let dynamic = succeeds(Command::new("readelf").arg("-d").arg(libraries().join(SHARED)));
    assert!(dynamic.contains("Library soname: [libmanyhash.so.1]"), "{dynamic}");
}

/// Runs the script that installs, from what is in the folder `built`.
fn install(prefix: &Path, built: &Path, arguments: &[&str]) {
    let script = here("../../scripts/install");
    succeeds(Command::new(script).args(arguments).env("PREFIX", prefix).env("BUILT", built).env_remove("DESTDIR"));
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() && !path.is_symlink() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn what_is_installed_is_found_by_pkg_config_cmake_and_the_examples_and_goes_away() {
    if !["cc", "pkg-config", "cmake", "make"].iter().all(|tool| has(tool)) {
        return skipped("no cc, pkg-config, cmake and make on this machine");
    }
    let command = libraries().parent().expect("the profile's folder").join("manyhash");
    if !command.exists() {
        return skipped("the command was not built: cargo test --workspace does");
    }
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (prefix, built) = (temporary.join("installed"), temporary.join("built"));
    let _ = std::fs::remove_dir_all(&prefix);
    std::fs::create_dir_all(&built).expect("a folder");
    copy(&command, &built.join("manyhash"));
    [SHARED, STATIC].iter().for_each(|name| copy(&libraries().join(name), &built.join(name)));
    install(&prefix, &built, &[]);
    assert!(files_below(&prefix).len() > 15);
    assert!(succeeds(Command::new(prefix.join("bin/manyhash")).arg("--version")).starts_with("manyhash "));

    if has("nm") {
        let installed = prefix.join("lib/libmanyhash.so");
        let symbols = succeeds(Command::new("nm").args(["--dynamic", "--defined-only", "--format=just-symbols"]).arg(installed));
        let mut symbols: Vec<&str> = symbols.lines().filter(|name| !name.is_empty() && *name != "MANYHASH_1").collect();
        symbols.sort_unstable();
        assert_eq!(symbols, declared().iter().map(|name| format!("{name}@@MANYHASH_1")).collect::<Vec<_>>());
    }

    let flags = |options: &[&str]| {
        let flags = succeeds(Command::new("pkg-config").args(options).arg("manyhash").env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
        flags.split_whitespace().map(String::from).collect::<Vec<_>>()
    };
    let program = prefix.join("uses-by-pkg-config");
    let source = here("tests/uses.c");
    succeeds(Command::new("cc").arg(&source).args(flags(&["--cflags", "--libs"])).arg("-o").arg(&program));
    assert_eq!(succeeds(Command::new(&program).env("LD_LIBRARY_PATH", prefix.join("lib"))), "fine\n");
    std::fs::remove_file(&program).expect("the program");

    let project = temporary.join("cmake");
    let _ = std::fs::remove_dir_all(&project);
    std::fs::create_dir_all(&project).expect("a folder");
    let lists = format!(
        "cmake_minimum_required(VERSION 3.18)\nproject(uses C)\nfind_package(manyhash {} CONFIG REQUIRED)\n\
         add_executable(shared {source})\ntarget_link_libraries(shared manyhash::manyhash)\n\
         add_executable(static {source})\ntarget_link_libraries(static manyhash::manyhash_static)\n",
        env!("CARGO_PKG_VERSION"),
        source = source.display(),
    );
    std::fs::write(project.join("CMakeLists.txt"), lists).expect("a file");
    succeeds(Command::new("cmake").arg("-S").arg(&project).arg("-B").arg(project.join("build")).env("CMAKE_PREFIX_PATH", &prefix));
    succeeds(Command::new("cmake").arg("--build").arg(project.join("build")));
    for program in ["shared", "static"] {
        assert_eq!(succeeds(&mut Command::new(project.join("build").join(program))), "fine\n");
    }

    // With the tools of their languages; what they skip fails under CI.
    let examples = succeeds(Command::new(here("../../scripts/test-examples")).arg(&prefix).arg(temporary.join("examples")));
    println!("{examples}");

    install(&prefix, &built, &["uninstall"]);
    assert_eq!(files_below(&prefix), Vec::<PathBuf>::new());
}
