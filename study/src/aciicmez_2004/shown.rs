//! How values are shown: three significant digits, and no empty columns or rows.

use crate::model::{Cell, Table};

/// A paper's claim that it has no value for, found in its trials or expected.
pub const NO_VALUE: &str = "expected, no value";

/// Digits after the point that make three significant ones.
fn digits(value: f64) -> u8 {
    match value.abs() {
        rounded if rounded >= 99.95 => 0,
        rounded if rounded >= 9.995 => 1,
        _ => 2,
    }
}

/// For a table.
pub fn cell(value: Option<f64>) -> Cell {
    Cell::maybe(value, value.map_or(0, digits))
}

/// "here / paper", where both are known.
pub fn ratio(here: Option<f64>, paper: Option<f64>) -> Cell {
    cell(here.zip(paper).filter(|(_, paper)| *paper != 0.0).map(|(here, paper)| here / paper))
}

/// For a sentence, thousands separated: "1,920".
pub fn number(value: f64) -> String {
    let text = format!("{value:.*}", usize::from(digits(value)));
    if value.abs() < 1000.0 {
        return text;
    }
    let mut separated = String::new();
    for (i, digit) in text.chars().enumerate() {
        if i > 0 && digit.is_ascii_digit() && (text.len() - i).is_multiple_of(3) {
            separated.push(',');
        }
        separated.push(digit);
    }
    separated
}

/// "1.00 to 2.30", or one number where both are shown alike.
pub fn range(values: impl IntoIterator<Item = f64>) -> Option<String> {
    let limits = values.into_iter().fold(None, |limits: Option<(f64, f64)>, value| {
        Some(limits.map_or((value, value), |(least, most)| (least.min(value), most.max(value))))
    });
    let (least, most) = limits?;
    let (least, most) = (number(least), number(most));
    Some(if least == most { least } else { format!("{least} to {most}") })
}

/// "a, b and c".
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => "nothing".into(),
        [one] => one.as_ref().into(),
        [begin @ .., last] => format!("{} and {}", begin.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", "), last.as_ref()),
    }
}

/// "1.29 (SHA-1) and 1.32 (SHA-256)".
pub fn of_each(values: &[(&str, f64)]) -> String {
    list(&values.iter().map(|(name, value)| format!("{} ({name})", number(*value))).collect::<Vec<_>>())
}

/// For the values of a claim.
pub fn or_not_measured(text: Option<String>) -> String {
    text.unwrap_or_else(|| "not measured".into())
}

/// Without rows that only have names, in the first `names` columns, and without columns that are empty in all rows then.
pub fn without_gaps(mut table: Table, names: usize) -> Table {
    let is_there = |cell: &Cell| !matches!(cell, Cell::Absent);
    table.rows.retain(|row| row[names..].iter().any(is_there));
    let kept: Vec<usize> =
        (0..table.columns.len()).filter(|column| *column < names || table.rows.iter().any(|row| is_there(&row[*column]))).collect();
    table.columns = kept.iter().map(|column| table.columns[*column].clone()).collect();
    for row in &mut table.rows {
        *row = kept.iter().map(|column| row[*column].clone()).collect();
    }
    table
}

/// Whether sentences are as the report has them: begun with a capital letter, ended, two at most and short.
#[cfg(test)]
pub fn assert_is_readable(text: &str) {
    assert!(text.starts_with(char::is_uppercase) && text.ends_with('.'), "{text}");
    let sentences: Vec<&str> = text.split(". ").collect();
    assert!(sentences.len() <= 2, "{} sentences: {text}", sentences.len());
    for sentence in sentences {
        let words = sentence.split_whitespace().count();
        assert!(words <= 45, "{words} words: {sentence}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
        assert_eq!([0.25, 1.0, 9.994, 9.996, 45.67, 99.96, 345.6].map(number), ["0.25", "1.00", "9.99", "10.0", "45.7", "100", "346"]);
        assert_eq!([1876.03, 12_345.0, 1_234_567.0].map(number), ["1,876", "12,345", "1,234,567"]);
        assert_eq!(cell(Some(1876.03)).text(), "1876");
    }

    #[test]
    fn lists_and_ranges_are_read_as_sentences_are() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(range([2.0, 1.0, 1.5]).as_deref(), Some("1.00 to 2.00"));
        assert_eq!(range([1.001, 1.002]).as_deref(), Some("1.00"));
        assert_eq!(range([]), None);
    }

    #[test]
    fn rows_and_columns_without_values_are_left_out() {
        let mut table = Table::new("of two", ["name", "paper", "here"]);
        table.row([Cell::from("one"), Cell::Absent, cell(Some(1.0))]);
        table.row([Cell::from("two"), Cell::Absent, Cell::Absent]);
        let table = without_gaps(table, 1);
        assert_eq!(table.columns, ["name", "here"]);
        assert_eq!(table.rows.len(), 1);
        assert_eq!(table.rows[0][1].text(), "1.00");
    }
}
