//! Help, manual pages and completions, which are made from the same definitions.

use crate::support::{Place, outcome, skipped};
use std::fs;

/// Returns all commands that `--help` lists.
fn commands(place: &Place) -> Vec<String> {
    let help = place.run("--help").stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let names = list.lines().take_while(|line| !line.is_empty()).map(|line| line.split_whitespace().next().unwrap().to_string());
    // It says how to use the others.
    names.filter(|name| name != "help").collect()
}

#[test]
fn every_command_has_examples_in_its_help() {
    let place = Place::new();
    let commands = commands(&place);
    assert!(["sum", "check", "man"].iter().all(|name| commands.iter().any(|command| command == name)), "{commands:?}");
    for command in commands {
        let help = place.run(&format!("{command} --help"));
        let (_, examples) = help.stdout.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{command}: {help:?}"));
        assert!(examples.contains(&format!("manyhash {command}")), "{examples}");
    }
}

#[test]
fn every_command_has_a_manual_page_that_renders_without_a_warning() {
    let place = Place::new();
    let mut renderers = Vec::new();
    for (renderer, arguments) in [("groff", &["-man", "-ww", "-z"][..]), ("mandoc", &["-Tlint", "-Wwarning"])] {
        match place.command("sh").args(["-c", "command -v \"$0\" >/dev/null", renderer]).status() {
            Ok(status) if status.success() => renderers.push((renderer, arguments)),
            _ => println!("without {renderer}"),
        }
    }
    if renderers.is_empty() {
        skipped("neither groff nor mandoc is installed");
    }
    for command in [vec![String::new()], commands(&place)].concat() {
        let page = place.run(&format!("man {command}"));
        let title = format!(".TH MANYHASH{} 1 ", if command.is_empty() { String::new() } else { format!("-{}", command.to_uppercase()) });
        assert!(page.code == Some(0) && page.stdout.contains(&title), "{page:?}");
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"] {
            assert!(page.stdout.contains(&format!(".SH {section}\n")), "{command}: {section}");
        }
        for (renderer, arguments) in &renderers {
            let rendered = outcome(place.command(renderer).args(*arguments), page.stdout.as_bytes());
            // A date would make a page that differs from day to day.
            let warnings: Vec<_> =
                rendered.stdout.lines().chain(rendered.stderr.lines()).filter(|line| !line.contains("missing date")).collect();
            assert!(warnings.is_empty(), "{renderer}, {command}: {warnings:#?}");
        }
    }
}

#[test]
fn a_page_that_does_not_exist_is_wrong_usage() {
    let place = Place::new();
    let outcome = place.run("man bogus");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.contains("bogus") && outcome.stderr.contains("completions"), "{}", outcome.stderr);
}

#[test]
fn completions_are_scripts_of_their_shell() {
    let place = Place::new();
    for (shell, parse) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let script = place.run(&format!("completions {shell}"));
        assert!(script.code == Some(0) && script.stdout.contains("files-from") && script.stderr.is_empty(), "{shell}");
        fs::write(place.join("script"), script.stdout).unwrap();
        match place.command(shell).args([parse, "script"]).output() {
            Ok(output) => assert!(output.status.success() && output.stderr.is_empty(), "{shell}: {output:?}"),
            Err(_) => println!("without {shell}"),
        }
    }
    assert_eq!(place.run("completions bogus").code, Some(2));
}

#[test]
fn bash_completes_commands_and_options() {
    let place = Place::new();
    fs::write(place.join("script"), place.run("completions bash").stdout).unwrap();
    let complete = |words: &str| {
        let script = format!(
            "source ./script; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            _manyhash manyhash \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        place.command("bash").args(["-c", &script]).output()
    };
    let Ok(first) = complete("manyhash s") else { return skipped("bash is not installed") };
    assert_eq!(String::from_utf8(first.stdout).unwrap().trim(), "sum");
    assert_eq!(String::from_utf8(complete("manyhash sum --files").unwrap().stdout).unwrap().trim(), "--files-from");
    assert!(String::from_utf8(complete("manyhash sum -a sha").unwrap().stdout).unwrap().contains("sha256"));
}
