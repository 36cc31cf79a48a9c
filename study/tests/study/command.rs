//! The program as it is called: what it lists, what it refuses, and that it refuses before it measures.

use crate::study;

fn listed(arguments: &[&str]) -> Vec<String> {
    let output = study(&[&["--list"], arguments].concat());
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("a list is text");
    text.lines().map(|line| line.split(' ').next().expect("a name").to_string()).collect()
}

#[test]
fn all_papers_are_there_and_no_name_is_there_twice() {
    let mut names = listed(&[]);
    assert!(["2004", "2012", "2013"].iter().all(|year| names.iter().any(|name| name.starts_with(year))));
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn a_year_means_all_of_a_paper_and_a_name_that_figure_alone() {
    assert!(listed(&["2013"]).len() > 4);
    assert_eq!(listed(&["2012-2"]), ["2012-2"], "and not 2012-2-sha512");
    assert_eq!(listed(&["2004-4.6", "2013-1"]), ["2004-4.6", "2013-1"]);
}

#[test]
fn an_unknown_figure_is_wrong_usage_that_names_the_known_ones() {
    let output = study(&["2012-99"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("2012-99: not one of ") && error.contains("2012-2,"), "{error}");
}

#[test]
fn places_that_are_not_there_are_refused_before_anything_is_measured() {
    for (arguments, expected) in [
        (["--json", "/no/such/folder/study.json"], "--json /no/such/folder/study.json: "),
        (["--scratch", "/no/such/folder"], "--scratch /no/such/folder: not a folder"),
        (["--pin", "1023"], "CPU"),
    ] {
        let output = study(&[&arguments[..], &["--quick"]].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{error}");
        assert!(output.stdout.is_empty(), "{arguments:?}: something was measured");
    }
}

#[test]
fn a_worker_that_nobody_asks_ends() {
    let output = study(&["--openssl-worker"]);
    assert!(output.status.success() && output.stdout.is_empty(), "nobody asked anything");
}
