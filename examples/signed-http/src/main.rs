//! The program: its arguments, its start and its end.

#![forbid(unsafe_code)]

use anyhow::{Context, Result};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, ValueEnum};
use manyhash::batcher::Settings;
use signed_http::body::BodyLimits;
use signed_http::engine::{Engine, Verifier};
use signed_http::secrets::Secrets;
use signed_http::server::{self, ConnectionLimits};
use signed_http::service::{self, Service};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

const GITHUB_VARIABLE: &str = "SIGNED_HTTP_GITHUB_SECRETS";
const STRIPE_VARIABLE: &str = "SIGNED_HTTP_STRIPE_SECRETS";

/// Verifies webhooks signed with HMAC-SHA256: POST /github and POST /stripe answer 200 if a signature is good and 401 if not
///
/// Secrets, one a line, come from files or from the environment variables SIGNED_HTTP_GITHUB_SECRETS and SIGNED_HTTP_STRIPE_SECRETS. All
/// lines hold at the same time, so that secrets can be replaced one by one. GET /metrics is for Prometheus, GET /healthz for whoever wants
/// to know whether the service is alive. SIGTERM and SIGINT stop it when it has answered what it has accepted.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Where to listen; port 0 is any free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Who computes the tags
    #[arg(long, value_enum, default_value_t = EngineName::Batcher)]
    engine: EngineName,
    /// Threads of the batcher, each with a queue of its own
    #[arg(long, value_name = "N", default_value = "1")]
    workers: NonZeroUsize,
    /// How long the batcher lets a message wait for others
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 50)]
    longest_wait: u64,
    /// Messages that may wait for the batcher; more requests wait for room
    #[arg(long, value_name = "N", default_value = "4096")]
    queue: NonZeroUsize,
    /// A file with the secrets shared with GitHub
    #[arg(long, value_name = "FILE")]
    github_secrets: Option<PathBuf>,
    /// A file with the secrets shared with Stripe
    #[arg(long, value_name = "FILE")]
    stripe_secrets: Option<PathBuf>,
    /// How far the time of Stripe's signatures may be from now
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    tolerance: u64,
    /// The largest body
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    body_limit: usize,
    /// How long a client may take for a body, before that for the head of a request or between two of them, and to go on reading an answer
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    body_timeout: u64,
    /// Connections at once; others wait
    #[arg(long, value_name = "N", default_value = "4096")]
    connections: NonZeroUsize,
    /// Threads that serve connections [default: as many as CPUs]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// The engine that computes the tags.
#[derive(Clone, Copy, ValueEnum)]
enum EngineName {
    /// OpenSSL's HMAC, request by request
    Openssl,
    /// HMAC around OpenSSL's SHA-256, from states that have absorbed the key, request by request
    OpensslSha256,
    /// manyhash, the requests of a moment together
    Batcher,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("signed-http: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<()> {
    let engine = match arguments.engine {
        EngineName::Openssl => Engine::OpenSsl,
        EngineName::OpensslSha256 => Engine::OpenSslSha256,
        EngineName::Batcher => Engine::batcher(Settings {
            workers: arguments.workers.get(),
            queue_messages: arguments.queue.get(),
            longest_wait: Duration::from_micros(arguments.longest_wait),
        })
        .context("starting the batcher")?,
    };
    let github = verifier(&engine, arguments.github_secrets.as_deref(), GITHUB_VARIABLE)?;
    let stripe = verifier(&engine, arguments.stripe_secrets.as_deref(), STRIPE_VARIABLE)?;
    if github.is_none() && stripe.is_none() {
        let text = format!("no secrets: give --github-secrets or --stripe-secrets, or set {GITHUB_VARIABLE} or {STRIPE_VARIABLE}");
        Arguments::command().error(ErrorKind::MissingRequiredArgument, text).exit();
    }
    let body = BodyLimits { bytes: arguments.body_limit, time: Duration::from_millis(arguments.body_timeout) };
    let tolerance = Duration::from_secs(arguments.tolerance);
    let service = Service { engine, github, stripe, tolerance, body, clock: service::system_clock() };
    let limits = ConnectionLimits {
        most: arguments.connections.get(),
        head_time: body.time,
        write_time: body.time,
        // This is the time for a head, a body, the rest of a body and the answer in turn.
        stop_time: 4 * body.time + Duration::from_secs(1),
    };
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = arguments.threads {
        runtime.worker_threads(threads.get());
    }
    let runtime = runtime.enable_all().build().context("starting threads")?;
    runtime.block_on(async {
        let listener = TcpListener::bind(arguments.listen).await.with_context(|| format!("--listen {}", arguments.listen))?;
        // A reader of the next line may send the signal right away.
        let stop = stop_signal()?;
        writeln!(io::stdout(), "listening on http://{}", listener.local_addr()?).context("stdout")?;
        server::serve(listener, service.router(), limits, stop).await;
        Ok(())
    })
}

/// Creates the verifier for the secrets in `file` or in the variable, if one of them is there.
fn verifier(engine: &Engine, file: Option<&Path>, variable: &str) -> Result<Option<Verifier>> {
    Secrets::find(file, variable)?.map(|secrets| engine.verifier(&secrets)).transpose()
}

/// Returns a future that ends with the first SIGTERM or SIGINT from now on.
fn stop_signal() -> Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
