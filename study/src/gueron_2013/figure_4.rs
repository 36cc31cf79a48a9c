//! Figure 4: a long message, 1 MiB.

use anyhow::Result;

use super::presentation::{BEST_THEN, CHOICES, LINEAR, OPENSSL_TODAY, PAPERS_LANES, Raced, Who, bars, method, name, race, ratios, table};
use crate::model::Figure;
use crate::session::Session;

const BYTES: usize = 1 << 20;
/// How many times as fast as the best linear implementation 4 lanes are, on the 2nd and the 3rd
/// generation of Core.
const PAPERS: [(&str, f64); 2] = [("2nd generation Core", 2.27), ("3rd generation Core", 2.0)];

/// Measures the figure.
pub fn measure(session: &Session) -> Result<Figure> {
    let raced = race(session, BYTES, &field())?;
    let method = format!(
        "{} The paper has two processors here, 2nd and 3rd generation Core; we have this one, and the claim is about the 3rd, as all others. \
         The text has ratios only.",
        method(session, &[BYTES])
    );
    Ok(Figure { method, missing: raced.missing.clone(), ..figure(&raced) })
}

fn field() -> Vec<Who> {
    let later = ["avx512-128", "sha-ni-sms-x4", "sha-ni-sms256-x4"].map(|backend| Who::Lanes(4, backend));
    let longer = [Who::Lanes(8, "avx2"), Who::Lanes(16, "avx512"), Who::Lanes(32, "avx512x2")];
    LINEAR.into_iter().chain([PAPERS_LANES]).chain(later).chain(longer).chain(CHOICES).collect()
}

fn figure(raced: &Raced) -> Figure {
    let here = raced.speed_up(&[PAPERS_LANES], &BEST_THEN);
    let papers = PAPERS.map(|(processor, paper)| (format!("{} over the best n-SMS; paper: {processor}", name(PAPERS_LANES)), paper, here));
    let ratios = ratios("1 MiB: how many times as fast as the best linear implementation of the time", papers.into());
    let mut figure = Figure {
        tables: [table(raced, |_| None)].into_iter().chain(ratios).collect(),
        plots: vec![bars(raced, &field(), None)],
        ..Figure::default()
    };
    figure.metrics.speed_ups("4 lanes over n-SMS", [raced], &[PAPERS_LANES], &BEST_THEN);
    figure.metrics.speed_ups("best j over OpenSSL today", [raced], &CHOICES, &[OPENSSL_TODAY]);
    figure
}

#[cfg(test)]
mod tests {
    use super::super::presentation::{OPENSSL_N_SMS, raced, tests::check_words};
    use super::*;
    use crate::claims::verdicts;
    use crate::model::Verdict::{DoesNot, Holds, NotMeasured};

    #[test]
    fn verdicts_follow_the_values() {
        let with =
            |papers, choice| raced(BYTES, &[(OPENSSL_N_SMS, 100.0), (OPENSSL_TODAY, 30.0), (PAPERS_LANES, papers), (CHOICES[1], choice)]);
        let nothing = raced(BYTES, &[(CHOICES[0], 1.0)]);
        for (raced, expected) in [(with(49.0, 10.0), Holds), (with(101.0, 12.0), DoesNot), (nothing, NotMeasured)] {
            let figure = figure(&raced);
            check_words(&figure);
            assert_eq!(verdicts("2013-4", &figure.metrics), [expected; 2]);
        }
    }
}
