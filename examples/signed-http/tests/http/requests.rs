//! Well signed requests are accepted, and all others refused.

use crate::support::*;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures_util::future::join_all;
use manyhash::batcher::Settings;
use signed_http::engine::Engine;
use std::time::Duration;

const GITHUB: &str = "X-Hub-Signature-256";
const STRIPE: &str = "Stripe-Signature";

/// Asserts that the request is refused, and that the answer doesn't say why.
async fn assert_unauthorized(service: &Running, route: &str, header: (&str, &str), body: &[u8], what: &str) {
    let answer = service.post(route, header, body.to_vec()).await;
    assert_eq!((answer.status, answer.text.as_str()), (StatusCode::UNAUTHORIZED, "no valid signature\n"), "{what}");
    assert_eq!(answer.headers["www-authenticate"], "HMAC-SHA256", "{what}");
}

#[tokio::test]
async fn the_example_of_githubs_documentation_is_good() {
    for engine in engines() {
        let service = start(engine).await;
        let hex = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        for hex in [hex.to_string(), hex.to_uppercase()] {
            let answer = service.post("github", (GITHUB, &format!("sha256={hex}")), "Hello, World!").await;
            assert_eq!((answer.status, answer.text.as_str()), (StatusCode::OK, "ok\n"));
        }
    }
}

#[tokio::test]
async fn a_request_signed_as_stripe_does_is_good() {
    for engine in engines() {
        let service = start(engine).await;
        // This signature was made by `openssl dgst -sha256 -hmac`.
        let header = "t=1700000000,v1=e9626469b0e5f42ee2a015268f9af254364d8663ce189dc4c37486f6639df09b";
        let answer = service.post("stripe", (STRIPE, header), r#"{"id":"evt_1","type":"charge.succeeded"}"#).await;
        assert_eq!(answer.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn what_was_tampered_with_is_refused() {
    for engine in engines() {
        let service = start(engine).await;
        let good = github_header(b"payload");
        let mut wrong = good.clone();
        wrong.replace_range(10..11, if &good[10..11] == "0" { "1" } else { "0" });
        assert_unauthorized(&service, "github", (GITHUB, &good), b"Payload", "body").await;
        assert_unauthorized(&service, "github", (GITHUB, &good), b"payload ", "longer body").await;
        assert_unauthorized(&service, "github", (GITHUB, &good), b"", "no body").await;
        assert_unauthorized(&service, "github", (GITHUB, &wrong), b"payload", "signature").await;
        assert_unauthorized(&service, "github", (GITHUB, &good[..good.len() - 2]), b"payload", "truncated").await;
        assert_unauthorized(&service, "github", (GITHUB, &good[..good.len() - 1]), b"payload", "half a byte").await;
        assert_unauthorized(&service, "github", (GITHUB, &good["sha256=".len()..]), b"payload", "no scheme").await;
        assert_unauthorized(&service, "github", (GITHUB, ""), b"payload", "empty header").await;
        assert_unauthorized(&service, "github", ("", ""), b"payload", "no header").await;
        assert_unauthorized(&service, "github", (STRIPE, &stripe_header(GITHUB_SECRET, NOW_S, b"payload")), b"payload", "Stripe's").await;
        let stripe = stripe_header(STRIPE_SECRET, NOW_S, b"payload");
        assert_unauthorized(&service, "stripe", (STRIPE, &stripe), b"Payload", "body").await;
        assert_unauthorized(&service, "stripe", (STRIPE, &stripe.replace("t=17", "t=017")), b"payload", "time").await;
        let (_, without_time) = stripe.split_once(',').unwrap();
        assert_unauthorized(&service, "stripe", (STRIPE, without_time), b"payload", "no time").await;
        assert_unauthorized(&service, "stripe", (STRIPE, &stripe_header("whsec_other", NOW_S, b"payload")), b"payload", "secret").await;
        assert_unauthorized(&service, "stripe", (STRIPE, &stripe_header(GITHUB_SECRET, NOW_S, b"payload")), b"payload", "GitHub's").await;
        // After all these, a good request is accepted.
        assert_eq!(service.post("github", (GITHUB, &good), "payload").await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn stripes_signatures_expire_on_both_sides() {
    for engine in engines() {
        let service = start(engine).await;
        for (time_s, expected) in [(NOW_S - 300, 200), (NOW_S + 300, 200), (NOW_S - 301, 401), (NOW_S + 301, 401), (0, 401)] {
            let answer = service.post("stripe", (STRIPE, &stripe_header(STRIPE_SECRET, time_s, b"{}")), "{}").await;
            assert_eq!(answer.status, expected, "at {time_s}");
        }
        assert_eq!(service.metric("signed_http_refused_total{sender=\"stripe\",reason=\"expired\"}").await, 3);
    }
}

#[tokio::test]
async fn while_a_secret_is_replaced_both_are_good() {
    for engine in engines() {
        let service = start_with(engine, LONG, "whsec_new\nwhsec_old\n").await;
        let (new, old) = (stripe_header("whsec_new", NOW_S, b"{}"), stripe_header("whsec_old", NOW_S, b"{}"));
        let v1 = |header: &str| header.split_once(',').unwrap().1.to_string();
        let neither = stripe_header("whsec_older", NOW_S, b"{}");
        for (header, expected) in [
            (new.clone(), 200),
            (old.clone(), 200),
            (neither.clone(), 401),
            (format!("{new},{}", v1(&old)), 200),
            (format!("{neither},{}", v1(&old)), 200),
            (format!("{old},{}", v1(&neither)), 200),
            (format!("{neither},{}", v1(&neither)), 401),
        ] {
            assert_eq!(service.post("stripe", (STRIPE, &header), "{}").await.status, expected, "{header}");
        }
    }
}

#[tokio::test]
async fn a_header_that_is_there_twice_is_refused() {
    for engine in engines() {
        let service = start(engine).await;
        let good = github_header(b"payload");
        let request = Request::post(format!("http://{}/github", service.address)).header(GITHUB, &good).header(GITHUB, &good);
        let answer = service.send(request.body(Body::from("payload")).unwrap()).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    }
}

#[tokio::test]
async fn bodies_of_every_size_up_to_the_limit_are_verified() {
    for engine in engines() {
        let service = start(engine).await;
        for bytes in [0, 1, 55, 56, 63, 64, 65, 4096, 65_535, 65_536, 65_537, 1_000_000, BODY_LIMIT_BYTES] {
            let body = body_of(bytes);
            let answer = service.post("github", (GITHUB, &github_header(&body)), body.clone()).await;
            assert_eq!(answer.status, StatusCode::OK, "{bytes} bytes");
            let header = stripe_header(STRIPE_SECRET, NOW_S, &body);
            assert_eq!(service.post("stripe", (STRIPE, &header), body).await.status, StatusCode::OK, "{bytes} bytes");
        }
    }
}

#[tokio::test]
async fn bodies_in_chunks_are_verified() {
    for engine in engines() {
        let service = start(engine).await;
        for (bytes, piece_bytes) in [(0, 1), (1, 1), (1000, 1), (100_000, 999), (BODY_LIMIT_BYTES, 65_536)] {
            let body = body_of(bytes);
            let header = github_header(&body);
            let answer = service.post("github", (GITHUB, &header), in_chunks(body, piece_bytes)).await;
            assert_eq!(answer.status, StatusCode::OK, "{bytes} bytes in pieces of {piece_bytes}");
        }
    }
}

#[tokio::test]
async fn bodies_over_the_limit_are_refused_with_an_answer_that_arrives() {
    for engine in engines() {
        let service = start(engine).await;
        for bytes in [BODY_LIMIT_BYTES + 1, 2 * BODY_LIMIT_BYTES] {
            let body = body_of(bytes);
            let header = github_header(&body);
            let answer = service.post("github", (GITHUB, &header), in_chunks(body.clone(), 10_000)).await;
            assert_eq!((answer.status, answer.text.as_str()), (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large\n"));
        }
        let body = body_of(BODY_LIMIT_BYTES + 1);
        let answer = service.post("stripe", (STRIPE, &stripe_header(STRIPE_SECRET, NOW_S, &body)), body).await;
        assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(service.metric("signed_http_refused_total{sender=\"github\",reason=\"too_large\"}").await, 2);
    }
}

#[tokio::test]
async fn other_methods_and_routes_are_not_there() {
    for engine in engines() {
        let service = start(engine).await;
        for (method, route, expected) in [("GET", "github", 405), ("PUT", "stripe", 405), ("POST", "", 404), ("POST", "healthz", 405)] {
            let request = Request::builder().method(method).uri(format!("http://{}/{route}", service.address));
            assert_eq!(service.send(request.body(Body::empty()).unwrap()).await.status, expected, "{method} /{route}");
        }
    }
}

#[tokio::test]
async fn the_metrics_count_every_request() {
    for engine in engines() {
        let service = start(engine).await;
        assert_eq!(service.text_of("healthz").await, "ok\n");
        service.post("github", (GITHUB, &github_header(b"payload")), "payload").await;
        service.post("github", (GITHUB, &github_header(b"payload")), "another").await;
        service.post("github", (GITHUB, "sha256=no"), "payload").await;
        service.post("github", ("", ""), "payload").await;
        for (name, expected) in [
            ("signed_http_requests_total{sender=\"github\"}", 4),
            ("signed_http_requests_total{sender=\"stripe\"}", 0),
            ("signed_http_refused_total{sender=\"github\",reason=\"wrong\"}", 1),
            ("signed_http_refused_total{sender=\"github\",reason=\"malformed\"}", 1),
            ("signed_http_refused_total{sender=\"github\",reason=\"missing\"}", 1),
            ("signed_http_signed_bytes_total", 14),
        ] {
            assert_eq!(service.metric(name).await, expected, "{name}");
        }
    }
}

#[tokio::test]
async fn the_batchers_metrics_are_there() {
    let service = start_with(Engine::batcher(Settings::default()).unwrap(), LONG, "whsec_new\nwhsec_old").await;
    assert_eq!(service.metric("signed_http_engine{name=\"batcher\"}").await, 1);
    service.post("stripe", (STRIPE, &stripe_header("whsec_old", NOW_S, b"{}")), "{}").await;
    assert_eq!(service.metric("signed_http_batcher_messages_total").await, 2, "one for each secret");
    assert_eq!(service.metric("signed_http_batcher_queued").await, 0);
    assert!(service.text_of("metrics").await.contains("# TYPE signed_http_batcher_waited_seconds_total counter\n"));
}

#[tokio::test]
async fn a_batcher_with_a_tiny_queue_and_no_patience_answers_everybody() {
    let settings = Settings { workers: 3, queue_messages: 1, longest_wait: Duration::ZERO };
    let service = start(Engine::batcher(settings).unwrap()).await;
    let statuses = join_all((0..200).map(async |i| {
        let body = body_of(i * 100);
        service.post("github", (GITHUB, &github_header(&body)), body).await.status
    }));
    assert!(statuses.await.iter().all(|&status| status == StatusCode::OK));
}
