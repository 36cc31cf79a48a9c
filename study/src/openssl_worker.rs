//! OpenSSL as the papers had it: the same library in a process of its own that is told, by
//! `OPENSSL_ia32cap`, that the CPU lacks what came later. The library reads the variable once, when
//! it is loaded, hence the process.
//!
//! The worker is asked on its standard input, a line of JSON a question, and answers on its
//! standard output in the same way. What it is asked to time, it times itself.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use manyhash_measure::machine;
use manyhash_measure::timing::{Probe, Sample};
use openssl::md::Md;
use openssl::md_ctx::MdCtx;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::gueron_2013::over_linear::OverLinear;
use crate::mapped;
use crate::messages::Layout;
use crate::race::{Contestant, Local, Runner};
use crate::session::Session;

/// Which of OpenSSL's code for a CPU is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// What it chooses on this CPU: SHA extensions, if there are any.
    Today,
    /// Its code for AVX2 and BMI2, the n-SMS method of Gueron & Krasnov, which it has had since
    /// 1.0.2.
    NSms,
    /// Its scalar code, about that of 1.0.1, which the papers compare with; for SHA-1 that version
    /// had vector code too.
    Scalar,
    /// The message schedule of one block at a time in XMM registers, with the instructions of
    /// SSSE3. Not for SHA-512.
    OneBlockSsse3,
    /// That schedule with the encodings of AVX, and SHA-512; on CPUs by Intel only, for whose
    /// `shld` it is made.
    OneBlockAvx,
}

impl Variant {
    /// The mask for `OPENSSL_ia32cap`: bits that are cleared in leaf 1 (edx, ecx) and leaf 7 (ebx)
    /// of CPUID (the manual page OPENSSL_ia32cap): SHA is bit 29 of leaf 7, BMI1, AVX2 and BMI2 are
    /// 3, 5 and 8, AVX-512 16, 17, 30 and 31; SSSE3, XOP and AVX of leaf 1 are 41, 43 and 60.
    fn mask(self) -> Option<&'static str> {
        match self {
            Self::Today => None,
            Self::NSms => Some("~0x80000000000:~0x20000000"),
            Self::Scalar => Some("~0x10000A0000000000:~0xE0030128"),
            Self::OneBlockSsse3 => Some("~0x1000080000000000:~0xE0030128"),
            Self::OneBlockAvx => Some("~0x80000000000:~0xE0030128"),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Today => "OpenSSL today",
            Self::NSms => "OpenSSL n-SMS (AVX2)",
            Self::Scalar => "OpenSSL scalar (as 1.0.1)",
            Self::OneBlockSsse3 => "OpenSSL schedule of one block in XMM (SSSE3)",
            Self::OneBlockAvx => "OpenSSL schedule of one block in XMM (AVX)",
        }
    }

    /// Why this code cannot be had here; told to use it all the same, OpenSSL would silently run
    /// other code. `None`: it can.
    pub fn missing(self) -> Option<String> {
        let needs: &[&str] = match self {
            Self::Today => return None,
            Self::Scalar => &[],
            // And BMI1, which no CPU with BMI2 lacks.
            Self::NSms => &["avx2", "bmi2"],
            Self::OneBlockSsse3 => &["ssse3"],
            Self::OneBlockAvx => &["avx"],
        };
        let is_from_intel = || std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains("GenuineIntel"));
        if !cfg!(target_arch = "x86_64") {
            return Some("only on x86-64 can OpenSSL be told what the CPU lacks".into());
        }
        if self == Self::OneBlockAvx && !is_from_intel() {
            return Some("OpenSSL chooses it on CPUs by Intel only".into());
        }
        let features = machine::features();
        needs.iter().find(|need| !features.contains(need)).map(|lacks| format!("this CPU lacks {lacks}"))
    }
}

#[derive(Serialize, Deserialize)]
enum Question {
    /// What to hash. Answer: nothing.
    Prepare { algorithm: String, input: Input, cpu: Option<usize>, probe: bool },
    /// Answer: all digests.
    Digests,
    /// Answer: a sample.
    Sample { probed: bool, calls: u64, round: usize },
}

#[derive(Serialize, Deserialize)]
pub enum Input {
    /// Messages in memory; with lanes and bytes of a word, each of them is dealt out to slices, whose
    /// digests are wrapped (Gueron 2013, figure 1).
    Messages(Layout, Option<(usize, usize)>),
    /// Files, each of them opened, mapped, hashed and closed before the next one.
    Files(Vec<PathBuf>),
}

pub struct Worker {
    name: String,
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts OpenSSL in a process of its own. `algorithm` as OpenSSL names it: "SHA256".
    pub fn start<'a>(session: &Session, variant: Variant, algorithm: &str, input: Input) -> Result<Contestant<'a>> {
        let name = match &input {
            Input::Messages(_, Some((lanes, _))) => format!("{lanes}-lanes over {}", variant.name()),
            _ => variant.name().into(),
        };
        let program = std::env::current_exe().context("finding this program")?;
        let mut command = Command::new(program);
        command.arg("--openssl-worker").stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env_remove("OPENSSL_ia32cap").envs(variant.mask().map(|mask| ("OPENSSL_ia32cap", mask)));
        let mut process = command.spawn().context("starting a process for OpenSSL")?;
        let questions = process.stdin.take().expect("piped");
        let answers = BufReader::new(process.stdout.take().expect("piped"));
        let mut worker = Self { name: name.clone(), process, questions, answers };
        let (cpu, probe) = (session.machine.pinned_to, session.probe.is_some());
        worker.ask::<()>(&Question::Prepare { algorithm: algorithm.into(), input, cpu, probe })?;
        Ok(Contestant::new(name, worker))
    }

    fn ask<Answer: DeserializeOwned>(&mut self, question: &Question) -> Result<Answer> {
        let name = &self.name;
        writeln!(self.questions, "{}", serde_json::to_string(question)?).with_context(|| format!("{name}: asking its process"))?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).with_context(|| format!("{name}: hearing its process"))?;
        let answer: Result<Answer, String> =
            serde_json::from_str(&answer).with_context(|| format!("{name}: its process said {answer:?}"))?;
        answer.map_err(|error| anyhow::anyhow!("{name}: {error}"))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Runner for Worker {
    fn digests(&mut self) -> Result<Vec<u8>> {
        self.ask(&Question::Digests)
    }
    fn sample(&mut self, probe: Option<Probe>, calls: u64, round: usize) -> Result<Sample> {
        self.ask(&Question::Sample { probed: probe.is_some(), calls, round })
    }
}

/// A digest that OpenSSL has looked up, and a context for it.
pub struct EvpDigest {
    digest: Md,
    context: MdCtx,
}

impl EvpDigest {
    /// Looks the algorithm up: "SHA256".
    pub fn new(algorithm: &str) -> Result<Self> {
        let digest = Md::fetch(None, algorithm, None).with_context(|| format!("OpenSSL: {algorithm}"))?;
        Ok(Self { digest, context: MdCtx::new().context("OpenSSL: a context")? })
    }

    pub fn hash(&mut self, message: &[u8], digests: &mut Vec<u8>) {
        const HASHES: &str = "OpenSSL hashes bytes in memory";
        self.context.digest_init(&self.digest).expect(HASHES);
        self.context.digest_update(message).expect(HASHES);
        let mut digest = [0; 64];
        let bytes = self.context.digest_final(&mut digest).expect(HASHES);
        digests.extend_from_slice(&digest[..bytes]);
    }
}

/// All digests of these messages, one after the other, by OpenSSL in this process: what everybody's
/// must be.
pub fn digests(algorithm: &str, messages: &[&[u8]]) -> Result<Vec<u8>> {
    let mut openssl = EvpDigest::new(algorithm)?;
    let mut digests = Vec::new();
    messages.iter().for_each(|message| openssl.hash(message, &mut digests));
    Ok(digests)
}

/// The worker's side: answers until nobody asks any more.
pub fn serve() -> Result<()> {
    let mut lines = std::io::stdin().lines();
    let Some(first) = lines.next() else { return Ok(()) };
    let Question::Prepare { algorithm, input, cpu, probe } = serde_json::from_str(&first?)? else {
        bail!("asked before told what to hash")
    };
    machine::pin(cpu)?;
    let probe = if probe { Probe::calibrate() } else { None };
    let mut digest = EvpDigest::new(&algorithm)?;
    match input {
        Input::Messages(layout, j_lanes) => {
            let messages = layout.fill()?;
            let slices = messages.slices();
            let mut over = j_lanes.map(|(lanes, word_bytes)| OverLinear::new(lanes, word_bytes));
            let mut hash = |message: &[u8], digests: &mut Vec<u8>| match &mut over {
                Some(over) => over.hash(message, digests, |slice, digests| digest.hash(slice, digests)),
                None => digest.hash(message, digests),
            };
            answer_all(lines, probe, Local::new(|digests| slices.iter().for_each(|message| hash(message, digests))))
        }
        Input::Files(files) => {
            let mut hash = |path: &PathBuf, digests: &mut Vec<u8>| digest.hash(&mapped::map(path).expect("a file of this run"), digests);
            answer_all(lines, probe, Local::new(|digests| files.iter().for_each(|path| hash(path, digests))))
        }
    }
}

/// Answers what is asked of a worker that knows what to hash.
fn answer_all(lines: std::io::Lines<std::io::StdinLock<'_>>, probe: Option<Probe>, mut local: Local<'_>) -> Result<()> {
    answer(Ok(()))?;
    for line in lines {
        match serde_json::from_str(&line?)? {
            Question::Prepare { .. } => bail!("told twice what to hash"),
            Question::Digests => answer(local.digests())?,
            Question::Sample { probed, calls, round } => answer(local.sample(probe.filter(|_| probed), calls, round))?,
        }
    }
    Ok(())
}

fn answer<Answer: Serialize>(answer: Result<Answer>) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(&answer.map_err(|error| error.to_string()))?)?;
    Ok(out.flush()?)
}
