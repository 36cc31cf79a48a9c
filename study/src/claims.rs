//! What the papers say, as data (`claims.toml`), and the one evaluator that judges it by what a
//! figure has measured.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::measured::{list, number, thousands};
use crate::model::{Claim, Verdict};

/// What `claims.toml` has about a figure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    pub title: String,
    pub place: String,
    method: String,
    /// What has changed since the paper, and why.
    #[serde(default)]
    pub changed: String,
    #[serde(default)]
    claims: Vec<Said>,
}

/// What a paper says, or a goal of ours.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    place: String,
    says: String,
    paper: String,
    /// The rule that [`Rule::parse`] reads.
    holds: String,
}

#[derive(Deserialize)]
struct Document {
    /// What several methods say.
    texts: BTreeMap<String, String>,
    #[serde(flatten)]
    figures: BTreeMap<String, About>,
}

static ALL: LazyLock<Document> =
    LazyLock::new(|| toml::from_str(include_str!("../claims.toml")).expect("claims.toml is what the tests have read"));

/// What is known of a figure. Panics if `claims.toml` does not have it, which a test would have
/// noticed.
pub fn about(figure: &str) -> &'static About {
    ALL.figures.get(figure).unwrap_or_else(|| panic!("{figure} is not in claims.toml"))
}

/// How a figure was measured: its text with the texts and what was said put in where they are named in
/// braces.
///
/// # Errors
/// If something is named that nobody has said.
pub fn method(figure: &str, said: &[(&str, String)]) -> Result<String> {
    let put = |text: String, (name, value): (&str, &str)| text.replace(&format!("{{{name}}}"), value);
    let texts = ALL.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let method = texts.clone().chain(texts).fold(about(figure).method.clone(), put);
    let method = said.iter().map(|(name, value)| (*name, value.as_str())).fold(method, put);
    ensure!(!method.contains('{'), "claims.toml: {figure}: nobody said {method}");
    Ok(method)
}

/// What a figure has measured, by the names that rules have for it: a value, or several, each with
/// a label.
#[derive(Default, Debug)]
pub struct Metrics(BTreeMap<String, Vec<(String, f64)>>);

impl Metrics {
    /// A value that needs no label, or none where it was not measured.
    pub fn set(&mut self, name: &str, value: Option<f64>) {
        self.each(name, [("", value)]);
    }

    /// A value for each label; none at all where one of them was not measured.
    pub fn each<L: Into<String>>(&mut self, name: &str, values: impl IntoIterator<Item = (L, Option<f64>)>) {
        let values: Option<Vec<_>> = values.into_iter().map(|(label, value)| Some((label.into(), value?))).collect();
        self.0.insert(name.into(), values.unwrap_or_default());
    }
}

/// A condition of a rule: all values of a metric, or some of them, are on one side of a bound.
struct Condition<'a> {
    some: bool,
    metric: &'a str,
    operator: &'a str,
    /// One for all values, or one for each.
    bounds: Vec<f64>,
}

impl<'a> Condition<'a> {
    /// Reads "some NAME < BOUND, BOUND UNIT", and the unit.
    fn parse(text: &'a str) -> Result<(Self, &'a str)> {
        let operators = [" >= ", " <= ", " > ", " < ", " = "];
        let (operator, at) = operators.iter().find_map(|one| Some((one.trim(), text.find(one)?))).context("no operator")?;
        let mut rest = text[at + operator.len() + 2..].trim();
        let mut bounds = Vec::new();
        while let Some(bound) = rest.split(' ').next().and_then(|word| word.trim_end_matches(',').parse().ok()) {
            bounds.push(bound);
            rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
        }
        ensure!(!bounds.is_empty(), "no bound");
        let (some, metric) = text[..at].strip_prefix("some ").map_or((false, &text[..at]), |metric| (true, metric));
        Ok((Self { some, metric, operator, bounds }, rest))
    }

    fn holds(&self, values: &[(String, f64)]) -> Result<bool> {
        ensure!(
            [1, values.len()].contains(&self.bounds.len()),
            "{}: {} bounds for {} values",
            self.metric,
            self.bounds.len(),
            values.len()
        );
        let mut each = values.iter().zip(self.bounds.iter().cycle()).map(|((_, value), bound)| match self.operator {
            ">=" => value >= bound,
            "<=" => value <= bound,
            ">" => value > bound,
            "<" => value < bound,
            _ => value == bound,
        });
        Ok(if self.some { each.any(|holds| holds) } else { each.all(|holds| holds) })
    }
}

/// Conditions, all of which must hold: "NAME > 1 & some OTHER <= 2.5 times".
struct Rule<'a> {
    conditions: Vec<Condition<'a>>,
    /// What the values are, for readers.
    unit: &'a str,
}

impl<'a> Rule<'a> {
    fn parse(text: &'a str) -> Result<Self> {
        let parsed: Vec<_> = text.split(" & ").map(Condition::parse).collect::<Result<_>>().with_context(|| text.to_string())?;
        let unit = parsed.last().map_or("", |(_, unit)| unit);
        Ok(Self { conditions: parsed.into_iter().map(|(condition, _)| condition).collect(), unit })
    }

    fn judge(&self, metrics: &Metrics) -> Result<(Verdict, String)> {
        let (mut verdict, mut said, mut named) = (Verdict::Holds, Vec::new(), Vec::new());
        for (i, condition) in self.conditions.iter().enumerate() {
            let values = match metrics.0.get(condition.metric) {
                Some(values) => values.as_slice(),
                // A figure that could not begin.
                None if metrics.0.is_empty() => &[],
                None => bail!("no metric \"{}\" among {:?}", condition.metric, metrics.0.keys()),
            };
            if values.is_empty() {
                return Ok((Verdict::NotMeasured, "not measured".into()));
            }
            if !condition.holds(values)? {
                verdict = Verdict::DoesNot;
            }
            if !named.contains(&condition.metric) {
                named.push(condition.metric);
                let is_last = self.conditions[i..].iter().all(|other| other.metric == condition.metric);
                said.push(in_words(values, if is_last { self.unit } else { "" }));
            }
        }
        Ok((verdict, said.join("; ")))
    }
}

/// Values with their labels and unit; of more than four, the least and the most.
fn in_words(values: &[(String, f64)], unit: &str) -> String {
    let number = |value: f64| if value.fract() == 0.0 && value >= 0.0 { thousands(value as u64) } else { number(value) };
    let shown = |(label, value): &(String, f64)| if label.is_empty() { number(*value) } else { format!("{} ({label})", number(*value)) };
    let words = match values {
        [(label, value)] if !label.is_empty() => return format!("{} ({label})", format!("{} {unit}", number(*value)).trim_end()),
        [_, _, _, _, _, ..] => {
            let limit = |limit: fn(f64, f64) -> f64| number(values.iter().map(|value| value.1).reduce(limit).expect("several"));
            let (least, most) = (limit(f64::min), limit(f64::max));
            if least == most { least } else { format!("{least} to {most}") }
        }
        _ => list(&values.iter().map(shown).collect::<Vec<_>>()),
    };
    format!("{words} {unit}").trim_end().into()
}

/// Judges what the papers say of a figure.
///
/// # Errors
/// If a rule and the figure's metrics do not fit.
pub fn judge(figure: &str, metrics: &Metrics) -> Result<Vec<Claim>> {
    let judge = |said: &'static Said| {
        let (verdict, here) = Rule::parse(&said.holds)?.judge(metrics)?;
        Ok(Claim { text: said.says.clone(), place: &said.place, paper: said.paper.clone(), here, verdict })
    };
    about(figure).claims.iter().map(judge).collect::<Result<_>>().with_context(|| format!("claims.toml: {figure}"))
}

/// How many claims hold, in a sentence; nothing where there are none.
pub fn summary(claims: &[Claim]) -> String {
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let (hold, not_measured) = (count(Verdict::Holds), count(Verdict::NotMeasured));
    match (claims.len(), not_measured) {
        (0, _) => String::new(),
        (all, 0) => format!("Claims that hold here: {hold} of {all}."),
        (all, _) => format!("Claims that hold here: {hold} of {all}, of which {not_measured} could not be measured."),
    }
}

#[cfg(test)]
pub fn verdicts(figure: &str, metrics: &Metrics) -> Vec<Verdict> {
    judge(figure, metrics).expect("rules and metrics fit").into_iter().map(|claim| claim.verdict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures;
    use Verdict::{DoesNot, Holds, NotMeasured};

    fn judged(rule: &str, metrics: &Metrics) -> (Verdict, String) {
        Rule::parse(rule).expect(rule).judge(metrics).expect(rule)
    }

    #[test]
    fn every_rule_can_be_read_and_every_sentence_too() {
        for (id, about) in &ALL.figures {
            assert!(figures::ALL.iter().any(|entry| entry.id == id), "{id}");
            for said in &about.claims {
                assert!(Rule::parse(&said.holds).is_ok(), "{id}: {}", said.holds);
                let begins = said.says.starts_with("manyhash") || !said.says.starts_with(char::is_lowercase);
                assert!(begins && !said.says.ends_with('.') && !said.paper.is_empty(), "{}", said.says);
            }
            let sentences: Vec<&str> = about.changed.split_inclusive(". ").collect();
            assert!(about.changed.is_empty() || about.changed.ends_with('.') && sentences.len() <= 2, "{id}");
            assert!(sentences.iter().all(|sentence| sentence.split_whitespace().count() <= 45), "{id}");
        }
        figures::ALL.iter().for_each(|entry| assert!(!about(entry.id).title.is_empty()));
    }

    #[test]
    fn values_are_judged_by_bounds_and_said() {
        let mut metrics = Metrics::default();
        metrics.each("gain", [("SHA-1", Some(1.5)), ("SHA-256", Some(2.0))]);
        metrics.set("files", Some(1350.0));
        metrics.each("half", [("one", Some(1.0)), ("other", None)]);
        metrics.each("many", (0..5).map(|i| (i.to_string(), Some(f64::from(i)))));
        assert_eq!(judged("gain > 1 times", &metrics), (Holds, "1.50 (SHA-1) and 2 (SHA-256) times".into()));
        for (rule, verdict) in
            [("gain > 1.5", DoesNot), ("gain >= 1.5, 2", Holds), ("gain < 1.6, 1.9", DoesNot), ("some gain <= 1.5", Holds)]
        {
            assert_eq!(judged(rule, &metrics).0, verdict, "{rule}");
        }
        assert_eq!(judged("files = 1350 & files < 2000 & gain < 2", &metrics), (DoesNot, "1,350; 1.50 (SHA-1) and 2 (SHA-256)".into()));
        assert_eq!(judged("half > 0 & gain > 1", &metrics), (NotMeasured, "not measured".into()));
        assert_eq!(judged("many >= 0 %", &metrics), (Holds, "0 to 4 %".into()));
        metrics.each("labelled", [("one over other", Some(0.5))]);
        assert_eq!(judged("labelled < 1 times", &metrics), (Holds, "0.500 times (one over other)".into()));
        assert_eq!(judged("files > 1 & labelled < 1 times", &metrics).1, "1,350; 0.500 times (one over other)");
        assert_eq!(judged("anything > 1", &Metrics::default()).0, NotMeasured);
    }

    #[test]
    fn rules_that_do_not_fit_are_defects() {
        let mut metrics = Metrics::default();
        metrics.set("one", Some(1.0));
        for rule in ["two > 1", "one > 1, 2"] {
            assert!(Rule::parse(rule).expect("a rule").judge(&metrics).is_err(), "{rule}");
        }
        for rule in ["one", "one > x", "one > 1 & two"] {
            assert!(Rule::parse(rule).is_err(), "{rule}");
        }
    }
}
