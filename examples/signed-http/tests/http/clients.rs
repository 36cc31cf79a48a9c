//! Clients that stop half-way, clients that come all at once, and the end of the service.

use crate::support::*;
use axum::http::StatusCode;
use futures_util::future::join_all;
use signed_http::engine::Engine;
use std::time::Duration;

const GITHUB: &str = "X-Hub-Signature-256";
/// The time limit for clients that are expected to be given up.
const SHORT: Duration = Duration::from_millis(300);

/// Returns the head of a request with a good signature.
fn head_for(body: &[u8]) -> String {
    format!("POST /github HTTP/1.1\r\nHost: test\r\n{GITHUB}: {}\r\nContent-Length: {}\r\n\r\n", github_header(body), body.len())
}

/// Waits until `expected` requests have come. For those that stop half-way it is the only way.
async fn requests_have_come(service: &Running, expected: u64) {
    while service.metric("signed_http_requests_total{sender=\"github\"}").await < expected {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn one_good_request(service: &Running) {
    assert_eq!(service.post("github", (GITHUB, &github_header(b"good")), "good").await.status, StatusCode::OK);
}

#[tokio::test]
async fn clients_that_stop_in_their_body_are_given_up_and_others_are_served_meanwhile() {
    for engine in engines() {
        let service = start_with(engine, SHORT, STRIPE_SECRET).await;
        let body = body_of(100_000);
        let stopped = join_all((0..50).map(async |_| {
            let mut connection = service.connect().await;
            connection.send(head_for(&body)).await;
            connection.send(&body[..body.len() / 2]).await;
            connection
        }))
        .await;
        for _ in 0..20 {
            one_good_request(&service).await;
        }
        for connection in stopped {
            let answer = connection.read_to_end().await;
            assert!(answer.starts_with("HTTP/1.1 408 ") && answer.to_lowercase().contains("\r\nconnection: close\r\n"), "{answer}");
        }
        assert_eq!(service.metric("signed_http_refused_total{sender=\"github\",reason=\"too_slow\"}").await, 50);
        // Nothing of these clients is held, so the service ends at once.
        service.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_client_that_stops_in_its_head_or_says_nothing_is_given_up() {
    let service = start_with(Engine::OpenSsl, SHORT, STRIPE_SECRET).await;
    for beginning in ["", "POST /git", "POST /github HTTP/1.1\r\nHost: test\r\n"] {
        let mut connection = service.connect().await;
        connection.send(beginning).await;
        connection.read_to_end().await;
    }
    one_good_request(&service).await;
}

#[tokio::test]
async fn a_client_that_never_reads_its_answers_is_given_up_and_its_place_is_free() {
    let service = start_for(1, Engine::OpenSsl, SHORT, STRIPE_SECRET).await;
    let mut connection = service.connect().await;
    connection.send_until_closed("GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n".repeat(100).as_bytes()).await;
    one_good_request(&service).await;
}

#[tokio::test]
async fn a_head_may_be_almost_16_kib_long() {
    let service = start(Engine::OpenSsl).await;
    let padded = |head_bytes: usize| {
        let head = head_for(b"").replace("\r\n\r\n", "\r\nConnection: close\r\nPadding: \r\n\r\n");
        head.replace("Padding: ", &format!("Padding: {}", "x".repeat(head_bytes - head.len())))
    };
    for (head, expected) in [(padded((16 << 10) - 1).as_str(), 200), (&padded(17 << 10)[..16 << 10], 431)] {
        let mut connection = service.connect().await;
        connection.send(head).await;
        let answer = connection.read_to_end().await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {expected} ")), "{answer}");
    }
}

#[tokio::test]
async fn a_client_that_goes_away_half_way_is_counted() {
    for engine in engines() {
        let service = start(engine).await;
        let mut connection = service.connect().await;
        connection.send(head_for(&body_of(1000))).await;
        connection.send("the beginning").await;
        requests_have_come(&service, 1).await;
        drop(connection);
        while service.metric("signed_http_refused_total{sender=\"github\",reason=\"broken_off\"}").await == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        one_good_request(&service).await;
    }
}

#[tokio::test]
async fn a_client_that_waits_to_be_asked_for_its_body_is_asked_only_if_it_may_be_good() {
    let service = start(Engine::OpenSsl).await;
    let body = b"payload";
    let asks = |head: String| head.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n");
    let mut good = service.connect().await;
    good.send(asks(head_for(body))).await;
    let interim = good.read_some().await;
    assert!(interim.starts_with("HTTP/1.1 100 "), "{interim}");
    good.send(body).await;
    let answer = good.read_some().await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");

    let mut unsigned = service.connect().await;
    unsigned.send(asks(head_for(body).replace("sha256=", "sha1="))).await;
    let answer = unsigned.read_some().await;
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    let mut large = service.connect().await;
    large.send(asks(head_for(&body_of(BODY_LIMIT_BYTES + 1)))).await;
    let answer = large.read_some().await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn five_hundred_at_once_each_get_their_own_answer() {
    for engine in engines() {
        let service = start(engine).await;
        let answers = join_all((0..500).map(async |i| {
            let body = body_of(i * 37);
            let header = if i % 5 == 0 { github_header(b"of another body") } else { github_header(&body) };
            service.post("github", (GITHUB, &header), body).await.status
        }))
        .await;
        for (i, status) in answers.into_iter().enumerate() {
            assert_eq!(status, if i % 5 == 0 { StatusCode::UNAUTHORIZED } else { StatusCode::OK }, "request {i}");
        }
        assert_eq!(service.metric("signed_http_refused_total{sender=\"github\",reason=\"wrong\"}").await, 100);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_in_flight_are_answered_when_the_service_stops() {
    for engine in engines() {
        let service = start(engine).await;
        let body = body_of(50_000);
        let mut clients = join_all((0..20).map(async |_| {
            let mut connection = service.connect().await;
            connection.send(head_for(&body)).await;
            connection.send(&body[..1000]).await;
            connection
        }))
        .await;
        requests_have_come(&service, 20).await;
        let address = service.address;
        let server = service.stop();
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(!server.is_finished());
        for connection in &mut clients {
            connection.send(&body[1000..]).await;
        }
        for connection in clients {
            let answer = connection.read_to_end().await;
            assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("ok\n"), "{answer}");
        }
        server.await.unwrap();
    }
}
