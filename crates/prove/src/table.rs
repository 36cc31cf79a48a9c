//! The table of proofs: a line for each call of a kernel.

use manyhash::hazmat::{Call, Layout};
use manyhash_prove::memory::Image;
use manyhash_prove::proof::{Verdict, execute, prove, results};
use manyhash_prove::{Stop, faults};
use std::process::ExitCode;
use std::time::Instant;

/// What is counted over all calls.
#[derive(Default)]
struct Totals {
    proved: usize,
    executed: usize,
    /// Reasons why calls are not proved.
    failed: Vec<String>,
    lacking: usize,
    faults: usize,
    missed: Vec<String>,
}

/// Proves what the arguments name, and prints the table. Fails if one of them is not proved.
pub fn print() -> ExitCode {
    let (faults, parts) = match options() {
        Ok(options) => options,
        Err(why) => {
            eprintln!("manyhash-prove: {why}");
            return ExitCode::from(2);
        }
    };
    let started = Instant::now();
    let mut totals = Totals::default();
    let calls = Call::all();
    println!("{:<36} {:>12} {:>8}  result", "kernel", "instructions", "seconds");
    match Image::of_this_process() {
        Ok(image) => calls.into_iter().for_each(|call| add(&image, call, faults, &parts, &mut totals)),
        Err(stop) => totals.failed.push(stop.to_string()),
    }
    let Totals { proved, executed, failed, lacking, faults, missed } = &totals;
    let all = proved + failed.len();
    println!("{proved} of {all} proved, {executed} instructions, {:.0} s; {lacking} that this CPU lacks", started.elapsed().as_secs_f64());
    if *faults > 0 {
        println!("{} of {faults} faults found", faults - missed.len());
    }
    failed.iter().chain(missed).for_each(|line| println!("{line}"));
    if failed.is_empty() && missed.is_empty() && *proved > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns how many faults of each kind are wanted, and parts of names.
fn options() -> Result<(usize, Vec<String>), String> {
    let (mut faults, mut parts, mut arguments) = (0, Vec::new(), std::env::args().skip(1));
    while let Some(argument) = arguments.next() {
        if argument == "--faults" {
            let count = arguments.next().ok_or("--faults wants a number")?;
            faults = count.parse().map_err(|_| format!("--faults {count}: not a number"))?;
        } else {
            parts.push(argument);
        }
    }
    Ok((faults, parts))
}

fn name(call: &Layout) -> String {
    format!("{}/{} {:?}", call.compression, call.kernel, call.form).to_lowercase()
}

fn add(image: &Image, call: Result<Call, String>, faults: usize, parts: &[String], totals: &mut Totals) {
    let name = call.as_ref().map_or_else(Clone::clone, |call| name(&call.layout));
    if !parts.is_empty() && !parts.iter().any(|part| name.contains(part.as_str())) {
        return;
    }
    let Ok(mut call) = call else {
        println!("{name:<36} {:>12} {:>8}  SKIPPED: this CPU lacks it", "", "");
        totals.lacking += 1;
        return;
    };
    let attempt = prove(image, &call.layout, &[]);
    let mut result = attempt.verdict.to_string();
    totals.executed += attempt.executed;
    if attempt.verdict == Verdict::Proved {
        if faults > 0 {
            let found = faults::find(image, &call.layout, &attempt, faults);
            result += &format!("; {} of {} faults found", found.found, found.found + found.missed.len());
            totals.faults += found.found + found.missed.len();
            totals.missed.extend(found.missed.into_iter().map(|fault| format!("{name}: missed: {fault}")));
        }
        match agrees(image, &mut call) {
            Ok(true) => totals.proved += 1,
            Ok(false) => result = "NOT PROVED: the CPU computes something else than the machine".into(),
            Err(stop) => result = format!("NOT PROVED: on numbers: {stop}"),
        }
    }
    println!("{name:<36} {:>12} {:>8.2}  {result}", attempt.executed, attempt.took.as_secs_f64());
    if !result.starts_with("proved") {
        totals.failed.push(format!("{name}: {result}"));
    }
}

/// Returns whether the machine computes on numbers what this CPU computes.
fn agrees(image: &Image, call: &mut Call) -> Result<bool, Stop> {
    let by_machine = execute(image, &call.layout)?;
    call.run();
    Ok(by_machine == results(image, &call.layout)?)
}
