//! Times this crate beside others, one operation of each in turn, and prints the medians:
//! `cargo run --release -p slh-dsa-example --example bench -- [--rounds N] [SET]...`
//!
//! Time is that of this thread on a CPU where the system tells it. By the clock on the wall, an operation of
//! milliseconds is interrupted by other programs more often than one of microseconds, and the slower the
//! slower.
//!
//! Sets are named as `SHA2-128f`, which with `SHAKE-128f` is also what is measured if none is named.
#![forbid(unsafe_code)]

use slh_dsa_example::{Message, ParameterSet, SigningKey};
use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

const MESSAGE: &[u8] = &[7; 100];
const SEED: [u8; 32] = [7; 32];
/// Signatures that are verified at once, where there is a choice.
const MANY: usize = 16;

/// The time that this thread has been running.
#[cfg(target_os = "linux")]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The time since the first call.
#[cfg(not(target_os = "linux"))]
fn now() -> Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

/// Key generation, signing, verification.
const OPERATIONS: usize = 3;

/// An implementation.
struct Contestant {
    name: &'static str,
    operations: [Box<dyn Fn()>; OPERATIONS],
    seconds: [Vec<f64>; OPERATIONS],
}

impl Contestant {
    fn new(name: &'static str, operations: [Box<dyn Fn()>; OPERATIONS]) -> Self {
        Self { name, operations, seconds: Default::default() }
    }

    fn run(&mut self) {
        for (operation, seconds) in self.operations.iter().zip(&mut self.seconds) {
            let start = now();
            operation();
            seconds.push((now() - start).as_secs_f64());
        }
    }
}

fn ours(set: ParameterSet) -> Contestant {
    let seed = &SEED[..set.verifying_key_bytes() / 2];
    let make = move || SigningKey::of_seeds(set, seed, seed, seed).expect("seeds have the right length");
    let key = make();
    let sign = move || key.sign(&Message::new(MESSAGE)).expect("the context is short");
    let signature = sign();
    let verifying = make().verifying_key().clone();
    let verify = move || verifying.verify(&Message::new(MESSAGE), &signature).expect("it was signed by this key");
    Contestant::new("this", [Box::new(move || drop(black_box(make()))), Box::new(move || drop(black_box(sign()))), Box::new(verify)])
}

/// The time that is shown is that of one signature.
fn ours_many(set: ParameterSet) -> impl Fn() -> f64 {
    let seed = &SEED[..set.verifying_key_bytes() / 2];
    let key = SigningKey::of_seeds(set, seed, seed, seed).expect("seeds have the right length");
    let signatures: Vec<Vec<u8>> = (0..MANY).map(|_| key.sign(&Message::new(MESSAGE)).expect("the context is short")).collect();
    move || {
        let signed: Vec<_> = signatures.iter().map(|signature| (Message::new(MESSAGE), &signature[..])).collect();
        let start = now();
        assert!(key.verifying_key().verify_many(&signed).iter().all(Result::is_ok));
        (now() - start).as_secs_f64() / MANY as f64
    }
}

fn rust_crypto<P: slh_dsa::ParameterSet + slh_dsa::VerifyingKeyLen + 'static>() -> Contestant {
    let seed = &SEED[..P::NAME.split('-').nth(3).map_or(16, |bits| bits[..3].parse::<usize>().expect("a number") / 8)];
    let make = move || slh_dsa::SigningKey::<P>::slh_keygen_internal(seed, seed, seed);
    let key = make();
    let sign = move || key.try_sign_with_context(MESSAGE, &[], Some(seed)).expect("the context is short");
    let signature = sign();
    let verifying: slh_dsa::VerifyingKey<P> = AsRef::<slh_dsa::VerifyingKey<P>>::as_ref(&make()).clone();
    let verify = move || verifying.try_verify_with_context(MESSAGE, &[], &signature).expect("it was signed by this key");
    Contestant::new("slh-dsa", [Box::new(move || drop(black_box(make()))), Box::new(move || drop(black_box(sign()))), Box::new(verify)])
}

macro_rules! contestants {
    ($set:expr; $($name:literal $Type:ident $module:ident;)*) => {
        match $set.name { $(
            $name => {
                use fips205::$module::{self, KG};
                use fips205::traits::{KeyGen, Signer, Verifier};
                const N: usize = $module::PK_LEN / 2;
                let seed: [u8; N] = SEED[..N].try_into().expect("of this length");
                let make = move || KG::keygen_from_seed(&seed, &seed, &seed);
                let (verifying, key) = make();
                let sign = move || key.try_sign(MESSAGE, &[], true).expect("the context is short");
                let signature = sign();
                let fips205 = Contestant::new("fips205", [
                    Box::new(move || drop(black_box(make()))),
                    Box::new(move || { black_box(sign()); }),
                    Box::new(move || assert!(verifying.verify(MESSAGE, &signature, &[]))),
                ]);
                vec![ours($set), rust_crypto::<slh_dsa::$Type>(), fips205]
            }
        )*
            other => unreachable!("{other} is not in the standard"),
        }
    };
}

fn contestants(set: ParameterSet) -> Vec<Contestant> {
    contestants! { set;
        "SLH-DSA-SHA2-128s" Sha2_128s slh_dsa_sha2_128s;
        "SLH-DSA-SHA2-128f" Sha2_128f slh_dsa_sha2_128f;
        "SLH-DSA-SHA2-192s" Sha2_192s slh_dsa_sha2_192s;
        "SLH-DSA-SHA2-192f" Sha2_192f slh_dsa_sha2_192f;
        "SLH-DSA-SHA2-256s" Sha2_256s slh_dsa_sha2_256s;
        "SLH-DSA-SHA2-256f" Sha2_256f slh_dsa_sha2_256f;
        "SLH-DSA-SHAKE-128s" Shake128s slh_dsa_shake_128s;
        "SLH-DSA-SHAKE-128f" Shake128f slh_dsa_shake_128f;
        "SLH-DSA-SHAKE-192s" Shake192s slh_dsa_shake_192s;
        "SLH-DSA-SHAKE-192f" Shake192f slh_dsa_shake_192f;
        "SLH-DSA-SHAKE-256s" Shake256s slh_dsa_shake_256s;
        "SLH-DSA-SHAKE-256f" Shake256f slh_dsa_shake_256f;
    }
}

fn median(seconds: &mut [f64]) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut rounds, mut sets) = (21, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} of what?"));
        match &argument[..] {
            "--rounds" => rounds = value()?.parse::<usize>()?.max(1),
            name => sets.push(ParameterSet::by_name(&format!("SLH-DSA-{name}")).ok_or(format!("no parameter set {name}"))?),
        }
    }
    if sets.is_empty() {
        sets = vec![slh_dsa_example::SHA2_128F, slh_dsa_example::SHAKE_128F];
    }
    println!("{:<20} {:<8} {:>12} {:>12} {:>12}   ratios to the first", "set", "", "key (us)", "sign (us)", "verify (us)");
    for set in sets {
        let mut contestants = contestants(set);
        let many = ours_many(set);
        let mut of_many = Vec::new();
        for _ in 0..rounds {
            contestants.iter_mut().for_each(Contestant::run);
            of_many.push(many());
        }
        let mut ours = None;
        for Contestant { name, mut seconds, .. } in contestants {
            let medians = seconds.each_mut().map(|seconds| 1e6 * median(seconds));
            let first = *ours.get_or_insert(medians);
            let [key, sign, verify] = medians;
            let ratios: Vec<String> = medians.iter().zip(first).map(|(one, first)| format!("{:5.2}", one / first)).collect();
            println!("{:<20} {name:<8} {key:>12.1} {sign:>12.1} {verify:>12.1}   {}", set.name, ratios.join(" "));
        }
        println!("{:<20} {:<8} {:>12} {:>12} {:>12.1}   verify_many of {MANY}, each", set.name, "this", "", "", 1e6 * median(&mut of_many));
    }
    Ok(())
}
