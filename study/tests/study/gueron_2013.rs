//! The figures of Gueron 2013 as a reader runs them: every digest is verified, also those of
//! OpenSSL in processes of its own.

use serde_json::Value;

#[test]
fn every_figure_of_the_paper_is_verified_and_judged() {
    let study = crate::measured(&["2013", "2012-finalists"]);
    let figures = study["figures"].as_array().expect("figures");
    assert_eq!(figures.len(), 12);
    for figure in figures {
        let is_empty = |part: &str| figure[part].as_array().is_none_or(Vec::is_empty);
        assert!(figure["failed"].is_null() && !is_empty("tables") && !is_empty("claims"), "{}", figure["id"]);
        let says = |part: &str| figure[part].as_str().is_some_and(|text| !text.is_empty());
        assert!(says("method") && says("still_holds") && says("changed"), "{}", figure["id"]);
    }
    let goals = |figure: &&Value| figure["claims"].as_array().is_some_and(|claims| claims.iter().any(|claim| claim["place"] == "goal"));
    let with_goals: Vec<&Value> = figures.iter().filter(goals).map(|figure| &figure["id"]).collect();
    assert_eq!(with_goals, ["2012-finalists", "2013-3", "2013-4"]);
    let backends = study["machine"]["backends"].to_string();
    for figure in figures.iter().filter(|figure| ["2013-2", "2013-3", "2013-4", "2013-5"].iter().any(|id| figure["id"] == *id)) {
        let is_shown = figure["tables"].to_string().contains("j = 4 (sha-ni-sms256-x4)");
        assert_eq!(is_shown, backends.contains("sha-ni-sms256-x4"), "{}", figure["id"]);
    }
    let counts = &figures[1]["claims"][0];
    assert_eq!((&counts["verdict"], &counts["here"]), (&"holds".into(), &"129 (linear), 135 (j = 4) and 153 (j = 16); 1".into()));
}
