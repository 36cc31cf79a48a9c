//! A service on a free port, a client, and signatures made by OpenSSL's one-shot interface.

use axum::body::Body;
use axum::http::{HeaderMap, Request, Response, StatusCode};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use manyhash::batcher::Settings;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use signed_http::body::BodyLimits;
use signed_http::engine::Engine;
use signed_http::secrets::Secrets;
use signed_http::server::{ConnectionLimits, serve};
use signed_http::service::Service;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The secret in GitHub's documentation.
pub const GITHUB_SECRET: &str = "It's a Secret to Everybody";
pub const STRIPE_SECRET: &str = "whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH";
/// The time on the service's clock.
pub const NOW_S: u64 = 1_700_000_000;
pub const BODY_LIMIT_BYTES: usize = 1 << 20;
/// A time limit long enough for every test that does not wait for it.
pub const LONG: Duration = Duration::from_secs(60);

pub struct Running {
    pub address: SocketAddr,
    client: Client<HttpConnector, Body>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

pub fn engines() -> Vec<Engine> {
    vec![Engine::OpenSsl, Engine::OpenSslSha256, Engine::batcher(Settings::default()).unwrap()]
}

/// Starts a service with the usual limits.
pub async fn start(engine: Engine) -> Running {
    start_with(engine, LONG, STRIPE_SECRET).await
}

/// Starts a service with a time limit for clients, and with Stripe's secrets, one a line.
pub async fn start_with(engine: Engine, client_time: Duration, stripe_secrets: &str) -> Running {
    start_for(1000, engine, client_time, stripe_secrets).await
}

/// Starts a service for at most `most` connections at once.
pub async fn start_for(most: usize, engine: Engine, client_time: Duration, stripe_secrets: &str) -> Running {
    let verifier = |secrets: &str| engine.verifier(&Secrets::from_lines(secrets.as_bytes()).unwrap()).unwrap();
    let service = Service {
        github: Some(verifier(GITHUB_SECRET)),
        stripe: Some(verifier(stripe_secrets)),
        engine,
        tolerance: Duration::from_secs(300),
        body: BodyLimits { bytes: BODY_LIMIT_BYTES, time: client_time },
        clock: Box::new(|| NOW_S),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let limits = ConnectionLimits { most, head_time: client_time, write_time: client_time, stop_time: LONG };
    let server = tokio::spawn(serve(listener, service.router(), limits, async { stopped.await.unwrap_or(()) }));
    // A connection that the service is about to give up is not one to send the next request on.
    let idle_connections = if client_time < LONG { 0 } else { usize::MAX };
    let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(idle_connections).build_http();
    Running { address, client, stop, server }
}

impl Running {
    /// Returns the answer to a request with this header, or without a header if its name is empty.
    pub async fn post(&self, route: &str, (name, value): (&str, &str), body: impl Into<Body>) -> Answer {
        let mut request = Request::post(format!("http://{}/{route}", self.address));
        if !name.is_empty() {
            request = request.header(name, value);
        }
        self.send(request.body(body.into()).unwrap()).await
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        Answer::read(self.client.request(request).await.expect("an answer").map(Body::new)).await
    }

    pub async fn text_of(&self, route: &str) -> String {
        let answer = self.send(Request::get(format!("http://{}/{route}", self.address)).body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::OK);
        answer.text
    }

    pub async fn metric(&self, name: &str) -> u64 {
        let text = self.text_of("metrics").await;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} is not in\n{text}")).parse().unwrap()
    }

    /// Opens a connection for this test alone.
    pub async fn connect(&self) -> Raw {
        Raw(TcpStream::connect(self.address).await.unwrap())
    }

    /// Tells the service to stop. The client's idle connections end, too.
    pub fn stop(self) -> JoinHandle<()> {
        self.stop.send(()).unwrap();
        self.server
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    async fn read(response: Response<Body>) -> Self {
        let (head, body) = response.into_parts();
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        Self { status: head.status, headers: head.headers, text }
    }
}

/// A connection on which the test chooses the bytes.
pub struct Raw(TcpStream);

impl Raw {
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Sends the bytes again and again and reads nothing, until the service closes the connection.
    pub async fn send_until_closed(&mut self, bytes: &[u8]) {
        let sending = async { while self.0.write_all(bytes).await.is_ok() {} };
        tokio::time::timeout(LONG, sending).await.expect("the connection is closed");
    }

    /// Returns what comes until the service closes the connection.
    pub async fn read_to_end(mut self) -> String {
        let mut text = String::new();
        match tokio::time::timeout(LONG, self.0.read_to_string(&mut text)).await.expect("the connection is closed") {
            Ok(_) => text,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => text,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns what comes first.
    pub async fn read_some(&mut self) -> String {
        let mut bytes = vec![0; 4096];
        let count = tokio::time::timeout(LONG, self.0.read(&mut bytes)).await.expect("an answer").unwrap();
        String::from_utf8(bytes[..count].to_vec()).unwrap()
    }
}

pub fn hex_tag(secret: &str, message: &[u8]) -> String {
    let key = PKey::hmac(secret.as_bytes()).unwrap();
    let tag = Signer::new(MessageDigest::sha256(), &key).unwrap().sign_oneshot_to_vec(message).unwrap();
    tag.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn github_header(body: &[u8]) -> String {
    format!("sha256={}", hex_tag(GITHUB_SECRET, body))
}

pub fn stripe_header(secret: &str, time_s: u64, body: &[u8]) -> String {
    let tag = hex_tag(secret, &[format!("{time_s}.").as_bytes(), body].concat());
    format!("t={time_s},v1={tag}")
}

/// Creates a body of `bytes` bytes that no compiler knows.
pub fn body_of(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 31 % 251) as u8).collect()
}

/// Creates a body of unknown length, whose pieces go out in chunks.
pub fn in_chunks(body: Vec<u8>, piece_bytes: usize) -> Body {
    let pieces: Vec<Result<Bytes, std::io::Error>> = body.chunks(piece_bytes).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    Body::from_stream(futures_util::stream::iter(pieces))
}
