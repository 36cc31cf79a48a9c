//! Request bodies, which are read piece by piece within limits.

use axum::body::{Body, HttpBody};
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::time::timeout;

/// How much room is made at most for a body before any of it has come. What a client announces is
/// not yet a reason to spend memory.
const FIRST_ROOM_BYTES: usize = 64 << 10;

/// The limits of a body.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    /// The length in bytes.
    pub bytes: usize,
    /// The time from the first byte to the last.
    pub time: Duration,
}

/// Why a body was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It is over the limit, or announces to be.
    TooLarge,
    /// The client stopped half-way, or is too slow.
    TooSlow,
    /// The client closed the connection, or what it sends is not HTTP.
    BrokenOff,
}

/// Appends the body to `message`.
///
/// # Errors
/// If the body exceeds `limits`, or breaks off.
pub async fn read(body: &mut Body, mut message: Vec<u8>, limits: BodyLimits) -> Result<Vec<u8>, BodyError> {
    let announced = body.size_hint().lower();
    if announced > limits.bytes as u64 {
        return Err(BodyError::TooLarge);
    }
    message.reserve_exact((announced as usize).min(FIRST_ROOM_BYTES));
    let most_bytes = limits.bytes.saturating_add(message.len());
    let to_the_end = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| BodyError::BrokenOff)?;
            let Some(piece) = frame.data_ref() else { continue };
            if piece.len() > most_bytes - message.len() {
                return Err(BodyError::TooLarge);
            }
            message.extend_from_slice(piece);
        }
        Ok(message)
    };
    timeout(limits.time, to_the_end).await.unwrap_or(Err(BodyError::TooSlow))
}

/// Reads the body within the same limits as [`read`], and keeps nothing of it. If a connection is
/// closed while its client still sends, it is reset, and the client may never see the answer.
pub async fn discard(body: &mut Body, limits: BodyLimits) {
    let mut room_bytes = limits.bytes;
    let to_the_end = async {
        while let Some(Ok(frame)) = body.frame().await {
            match room_bytes.checked_sub(frame.data_ref().map_or(0, |piece| piece.len())) {
                Some(left) => room_bytes = left,
                None => return,
            }
        }
    };
    // It does not matter whether the end was reached: the connection is closed if it was not.
    let _ = timeout(limits.time, to_the_end).await;
}
