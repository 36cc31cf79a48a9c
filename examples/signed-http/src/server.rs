//! The connections: their number, their time limits, and their end.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io::{self, ErrorKind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

/// The longest head of a request. hyper holds back answers, and so reads no further, when this many
/// bytes of them wait to be read.
const MOST_BUFFER_BYTES: usize = 16 << 10;

/// The limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// How many are open at once. Others wait to be accepted.
    pub most: usize,
    /// The time for the head of a request, also while there is none, so idle connections end.
    pub head_time: Duration,
    /// The time for the client to take more of an answer. One that never reads is given up.
    pub write_time: Duration,
    /// The time for all requests in flight when the server stops.
    pub stop_time: Duration,
}

/// Serves until `stop`, then lets every connection finish the request it has begun.
pub async fn serve(listener: TcpListener, router: Router, limits: ConnectionLimits, stop: impl Future<Output = ()>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(MOST_BUFFER_BYTES);
    let service = TowerToHyperService::new(router);
    let room = Arc::new(Semaphore::new(limits.most.min(Semaphore::MAX_PERMITS)));
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let next = async {
            let permit = Arc::clone(&room).acquire_owned().await.expect("the semaphore is never closed");
            (permit, accept(&listener).await)
        };
        let (permit, stream) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        // hyper's own timer does not run while an answer waits to be written.
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.write_time));
        let connection = graceful.watch(http.serve_connection(TokioIo::new(Box::pin(stream)), service.clone()));
        tokio::spawn(async move {
            // An error is a client that broke off, or a request that is not HTTP. It has its
            // answer, if it can have one.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = timeout(limits.stop_time, graceful.shutdown()).await;
}

/// Returns the next connection. Errors of a connection concern that connection alone. Errors of the
/// listener pass when files are closed or memory is freed.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are one small packet each. Where this can't be set, they only come later.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) if is_of_a_connection(&error) => {}
            Err(error) => {
                eprintln!("signed-http: accepting a connection: {error}");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

fn is_of_a_connection(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}
