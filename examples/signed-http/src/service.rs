//! The routes: what a request needs, and how it is answered.

use crate::body::{self, BodyError, BodyLimits};
use crate::engine::{Engine, Verifier};
use crate::metrics::{self, Counters, Refusal, Sender, Text};
use crate::signature::{self, Signature};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The settings of the service.
pub struct Service {
    /// The engine, which is shown in the metrics.
    pub engine: Engine,
    /// The verifier for `POST /github`. Without it there is no such route.
    pub github: Option<Verifier>,
    /// The verifier for `POST /stripe`. Without it there is no such route.
    pub stripe: Option<Verifier>,
    /// How far the time of a signature may be from now.
    pub tolerance: Duration,
    /// The limits of a body.
    pub body: BodyLimits,
    /// The clock, in seconds since 1970.
    pub clock: Clock,
}

/// A function that returns the time. Tests bring their own.
pub type Clock = Box<dyn Fn() -> u64 + Send + Sync>;

/// Creates a clock of the system's time.
pub fn system_clock() -> Clock {
    Box::new(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// State that the handlers share.
struct Shared {
    service: Service,
    counters: Counters,
}

/// A message that claims to be signed: the bytes signed before the body, and the signatures.
type Claim = (Vec<u8>, Vec<Signature>);

impl Service {
    /// Creates the routes.
    pub fn router(self) -> Router {
        let mut router = Router::new().route("/healthz", get(|| async { "ok\n" })).route("/metrics", get(show_metrics));
        if self.github.is_some() {
            router = router.route("/github", post(|shared, request| answer(shared, Sender::GitHub, request)));
        }
        if self.stripe.is_some() {
            router = router.route("/stripe", post(|shared, request| answer(shared, Sender::Stripe, request)));
        }
        router.with_state(Arc::new(Shared { service: self, counters: Counters::default() }))
    }

    fn github_claim(headers: &HeaderMap) -> Result<Claim, Refusal> {
        let signature = signature::github(only(headers, signature::GITHUB_HEADER)?).ok_or(Refusal::Malformed)?;
        Ok((Vec::new(), vec![signature]))
    }

    fn stripe_claim(&self, headers: &HeaderMap) -> Result<Claim, Refusal> {
        let stripe = signature::stripe(only(headers, signature::STRIPE_HEADER)?).ok_or(Refusal::Malformed)?;
        if !stripe.is_current((self.clock)(), self.tolerance) {
            return Err(Refusal::Expired);
        }
        Ok((stripe.prefix(), stripe.signatures))
    }
}

impl Shared {
    async fn verify(&self, sender: Sender, request: Request) -> Result<(), Refusal> {
        let service = &self.service;
        let (head, mut body) = request.into_parts();
        let (claim, verifier) = match sender {
            Sender::GitHub => (Service::github_claim(&head.headers), &service.github),
            Sender::Stripe => (service.stripe_claim(&head.headers), &service.stripe),
        };
        let read = match claim {
            Ok((prefix, given)) => body::read(&mut body, prefix, service.body).await.map(|message| (message, given)).map_err(Refusal::from),
            Err(refusal) => Err(refusal),
        };
        // A client that waits to be asked for the body gets the answer instead.
        let is_sent_unasked = !head.headers.contains_key(header::EXPECT);
        if read.as_ref().is_err_and(|refusal| !matches!(refusal, Refusal::TooSlow | Refusal::BrokenOff)) && is_sent_unasked {
            body::discard(&mut body, service.body).await;
        }
        let (message, given) = read?;
        self.counters.signed_bytes(message.len());
        let verifier = verifier.as_ref().ok_or(Refusal::Unavailable)?;
        match verifier.is_signed(message, &given).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refusal::Wrong),
            Err(error) => {
                eprintln!("signed-http: {error:#}");
                Err(Refusal::Unavailable)
            }
        }
    }
}

async fn answer(State(shared): State<Arc<Shared>>, sender: Sender, request: Request) -> Response {
    shared.counters.request(sender);
    match shared.verify(sender, request).await {
        Ok(()) => "ok\n".into_response(),
        Err(refusal) => {
            shared.counters.refused(sender, refusal);
            refusal.into_response()
        }
    }
}

async fn show_metrics(State(shared): State<Arc<Shared>>) -> Response {
    let mut text = Text::default();
    shared.counters.write(&mut text);
    shared.service.engine.write_metrics(&mut text);
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], text.finish()).into_response()
}

/// Returns the value of a header that must be there once.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Result<&'a [u8], Refusal> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value.as_bytes()),
        (None, _) => Err(Refusal::Missing),
        (Some(_), Some(_)) => Err(Refusal::Malformed),
    }
}

impl From<BodyError> for Refusal {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge => Self::TooLarge,
            BodyError::TooSlow => Self::TooSlow,
            BodyError::BrokenOff => Self::BrokenOff,
        }
    }
}

/// All refusals that concern signatures look the same from outside.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Missing | Self::Malformed | Self::Expired | Self::Wrong => (StatusCode::UNAUTHORIZED, "no valid signature\n"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large\n"),
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "the body did not come in time\n"),
            Self::BrokenOff => (StatusCode::BAD_REQUEST, "the body is not whole\n"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "try again later\n"),
        };
        let mut response = (status, text).into_response();
        let headers = response.headers_mut();
        match status {
            // RFC 9110, section 15.5.2, requires this header.
            StatusCode::UNAUTHORIZED => headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("HMAC-SHA256")),
            StatusCode::REQUEST_TIMEOUT => headers.insert(header::CONNECTION, HeaderValue::from_static("close")),
            _ => None,
        };
        response
    }
}
