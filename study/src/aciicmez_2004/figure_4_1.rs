//! Section 4.1 with figure 4.1: what each technique is worth.

use anyhow::Result;

use super::scalar::{PREFETCH_DISTANCES, Sha1, Sha256, Sha512, Sha512Pairs, Variants};
use super::shown::{self, NO_VALUE, cell};
use super::subject::{self, CACHED_MESSAGE_BYTES, bytes_from_memory, in_registers};
use crate::measured::Measured;
use crate::messages::Layout;
use crate::model::{Bars, Cell, Claim, Figure, Plot, Source, Table};
use crate::race::{Rules, race};
use crate::session::Session;

/// What was measured of one hash function.
struct Techniques {
    name: &'static str,
    /// In the order of [`Variants::unrolled`]: each unrolling with the functions of FIPS 180, then redefined.
    unrolled: Vec<Measured>,
    /// In the order of [`PREFETCH_DISTANCES`].
    prefetching: Vec<Measured>,
}

impl Techniques {
    fn measure<F: Variants>(session: &Session, openssl: &str) -> Result<Self> {
        let run = |variants: Vec<super::scalar::Variant<F>>, bytes: usize, warm_up_calls| -> Result<Vec<Measured>> {
            let messages = Layout::equal(1, bytes).fill()?;
            let messages = messages.slices();
            let expected = subject::expected(openssl, &messages)?;
            let mut contestants: Vec<_> = variants.iter().map(|variant| in_registers(variant.name(), *variant, &messages)).collect();
            race(session, Rules { bytes, expected: Some(&expected), warm_up_calls }, &mut contestants)
        };
        let unrolled = run(F::unrolled(), CACHED_MESSAGE_BYTES, 50)?;
        let prefetching = run(F::prefetching(), bytes_from_memory(session), 0)?;
        Ok(Self { name: F::NAME, unrolled, prefetching })
    }

    fn rate(&self, unrolled: usize, redefined: bool) -> f64 {
        self.unrolled[2 * unrolled + usize::from(redefined)].mb_per_s()
    }

    /// What the best of the longer loops gains over a round at a time, with redefined functions.
    fn gain_by_unrolling(&self) -> f64 {
        (1..4).map(|i| self.rate(i, true)).fold(0.0, f64::max) / self.rate(0, true)
    }

    /// What redefined functions gain, all rounds written out.
    fn gain_by_functions(&self) -> f64 {
        self.rate(3, true) / self.rate(3, false)
    }

    /// What the best distance gains over none.
    fn gain_by_prefetching(&self) -> f64 {
        self.prefetching[1..].iter().map(Measured::mb_per_s).fold(0.0, f64::max) / self.prefetching[0].mb_per_s()
    }
}

/// The instruction is of x86; elsewhere the code that asks for it does nothing.
const HAS_PREFETCH: bool = cfg!(target_arch = "x86_64");

/// For tables.
fn ahead(distance: usize) -> String {
    if distance == 0 { "not at all".into() } else { format!("{distance} bytes ahead") }
}

/// Two in a hundred are within what runs differ by.
const WORTH_IT: f64 = 1.02;

const UNROLLED: [&str; 4] = ["1", "as many as variables (5 or 8)", "twice as many (10 or 16)", "all"];

/// Measures it.
pub fn measure(session: &Session) -> Result<Figure> {
    let all = [
        Techniques::measure::<Sha1>(session, "SHA1")?,
        Techniques::measure::<Sha256>(session, "SHA256")?,
        Techniques::measure::<Sha512Pairs>(session, "SHA512")?,
        Techniques::measure::<Sha512>(session, "SHA512")?,
    ];
    let heading = |first: &[&str]| first.iter().copied().chain(all.iter().map(|one| one.name)).map(String::from).collect::<Vec<_>>();
    let mut unrolling = Table::new(
        "Scalar code from the cache: MB/s, by rounds written out in the loop and by boolean functions",
        heading(&["rounds written out", "boolean functions"]),
    );
    for (i, rounds) in UNROLLED.iter().enumerate() {
        for (redefined, functions) in [(false, "FIPS 180"), (true, "figure 4.1")] {
            let names = [Cell::from(*rounds), functions.into()];
            unrolling.row(names.into_iter().chain(all.iter().map(|one| cell(Some(one.rate(i, redefined))))));
        }
    }
    let mut prefetching =
        Table::new("Scalar code from main memory: MB/s, by how far ahead lines of the message are prefetched", heading(&["prefetched"]));
    for (i, distance) in PREFETCH_DISTANCES.iter().enumerate() {
        let values = all.iter().map(|one| cell(Some(one.prefetching[i].mb_per_s())));
        prefetching.row(std::iter::once(Cell::from(ahead(*distance))).chain(values));
    }
    let plot = |title: &str, categories: Vec<String>, values: &dyn Fn(&Techniques, usize) -> f64| Plot::Bars {
        title: title.into(),
        y_label: "MB/s, median".into(),
        series: all
            .iter()
            .map(|one| Bars {
                name: one.name.into(),
                source: Source::Ours,
                values: (0..categories.len()).map(|i| Some(values(one, i))).collect(),
            })
            .collect(),
        categories,
    };
    let mut plots = vec![
        plot(
            "Scalar code from the cache, by rounds written out (functions of figure 4.1)",
            UNROLLED.map(String::from).to_vec(),
            &|one, i| one.rate(i, true),
        ),
        plot("Scalar code from main memory, by how far ahead lines are prefetched", PREFETCH_DISTANCES.map(ahead).to_vec(), &|one, i| {
            one.prefetching[i].mb_per_s()
        }),
    ];
    if !HAS_PREFETCH {
        plots.pop();
    }
    let gains = |gain: fn(&Techniques) -> f64| all.iter().map(gain).collect::<Vec<f64>>();
    let list = |gains: &[f64]| {
        let each = all.iter().zip(gains).map(|(one, gain)| (one.name, *gain));
        shown::of_each(&each.collect::<Vec<_>>())
    };
    let by_unrolling = gains(Techniques::gain_by_unrolling);
    let by_functions = gains(Techniques::gain_by_functions);
    let by_prefetching = gains(Techniques::gain_by_prefetching);
    let in_full = gains(|one| one.rate(3, true) / one.rate(1, true));
    let every = |gains: &[f64], least: f64| gains.iter().all(|gain| *gain > least);
    let claims = vec![
        Claim::new(
            "Unrolled loops with renamed registers are faster than a round at a time",
            "section 4.1.1",
            NO_VALUE,
            format!("{} times as fast", list(&by_unrolling)),
            Some(every(&by_unrolling, WORTH_IT)),
        ),
        Claim::new(
            "Redefined boolean functions make the code faster",
            "section 4.1.2, figure 4.1",
            NO_VALUE,
            format!("{} times as fast, with all rounds written out", list(&by_functions)),
            Some(every(&by_functions, WORTH_IT)),
        ),
        Claim::new(
            "Prefetching data makes the code faster",
            "section 4.1.3",
            NO_VALUE,
            format!("{} times as fast at the best distance", list(&by_prefetching)),
            HAS_PREFETCH.then(|| every(&by_prefetching, WORTH_IT)),
        ),
        Claim::new(
            "Unrolling all rounds is not always the best",
            "section 4.1.1",
            NO_VALUE,
            format!("{} times as fast as with as many as variables", list(&in_full)),
            Some(!every(&in_full, 1.0 / WORTH_IT)),
        ),
    ];
    let mut keeps = Vec::new();
    let mut loses = Vec::new();
    for (what, gains) in
        [("writing rounds out", &by_unrolling), ("redefining the boolean functions", &by_functions), ("prefetching", &by_prefetching)]
    {
        if what == "prefetching" && !HAS_PREFETCH {
            continue;
        }
        if every(gains, WORTH_IT) { keeps.push(what) } else { loses.push(what) }
    }
    Ok(Figure {
        method: format!(
            "The scalar code of this study, in Rust and compiled for any x86-64, kept out of vector registers; the paper has assembly for a \
             CPU with eight 32-bit registers. SHA-1 changes its function every 20 rounds, so \"all\" is four times 20. Unrolling and \
             functions: one message of {} KiB; prefetch (PREFETCHT0 of the lines of a block that is so far ahead, all rounds written out, \
             figure 4.1's functions): one message of {} MiB. {} The paper names the techniques and gives no values for them.",
            CACHED_MESSAGE_BYTES >> 10,
            bytes_from_memory(session) >> 20,
            subject::effort(session),
        ),
        tables: if HAS_PREFETCH { vec![unrolling, prefetching] } else { vec![unrolling] },
        plots,
        still_holds: if keeps.is_empty() {
            "Nothing of it holds here: no technique gains more than two in a hundred for every function.".into()
        } else {
            format!("A gain for every function still comes from {}.", shown::list(&keeps))
        },
        changed: if loses.is_empty() {
            "Nothing has changed: each technique is worth it for every function.".into()
        } else {
            format!(
                "No gain of more than two in a hundred for every function comes from {} here. Compilers simplify boolean functions, and CPUs fetch a \
                 message that is read in order, without being asked.",
                shown::list(&loses)
            )
        },
        claims,
        missing: if HAS_PREFETCH { Vec::new() } else { vec!["prefetch: PREFETCHT0 is of x86".into()] },
        ..Figure::default()
    })
}
