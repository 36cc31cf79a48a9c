//! `cargo run --release --example server`: a server that verifies the tags of requests (HMAC-SHA-256). Its
//! threads hand what they have read to a `Batcher`, whose workers hash the messages of all connections
//! together. A request is a tag of 32 bytes, the length in 4 bytes, and the message; the answer is a byte, 1 or 0.
//!
//! Here clients of the same program send it good and bad requests, and it ends with them.

use manyhash::Sha256;
use manyhash::batcher::{Batcher, Settings};
use manyhash::hmac::Key;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

const CONNECTIONS: u32 = 16;
const REQUESTS: u32 = 200;
const MOST_BYTES: u32 = 1 << 20;

fn main() -> io::Result<()> {
    let key = Arc::new(Key::<Sha256>::new(b"a secret that clients have, too"));
    let batcher = Batcher::<Sha256>::new(Settings::default())?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    thread::scope(|scope| {
        let secret = &*key;
        let clients: Vec<_> = (0..CONNECTIONS).map(|seed| scope.spawn(move || client(address, secret, seed))).collect();
        for connection in listener.incoming().take(CONNECTIONS as usize) {
            let (connection, batcher, key) = (connection?, &batcher, &key);
            scope.spawn(move || serve(connection, batcher, key));
        }
        for client in clients {
            client.join().expect("a client panicked")?;
        }
        io::Result::Ok(())
    })?;
    println!("{} requests were answered as they should be", CONNECTIONS * REQUESTS);
    batcher.shutdown();
    Ok(())
}

/// Answers the requests of one connection until it ends.
fn serve(mut connection: TcpStream, batcher: &Batcher<Sha256>, key: &Arc<Key<Sha256>>) -> io::Result<()> {
    let mut tag = [0; 32];
    while connection.read_exact(&mut tag).is_ok() {
        let mut length = [0; 4];
        connection.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > MOST_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {length} bytes is too long")));
        }
        let mut message = vec![0; length as usize];
        connection.read_exact(&mut message)?;
        // The thread sleeps until a worker has hashed this message beside those of other connections.
        let right = batcher.tag(key, message).wait().map_err(io::Error::other)?;
        connection.write_all(&[u8::from(key.compare(&right, &tag).is_ok())])?;
    }
    Ok(())
}

/// Sends messages of many lengths, every third of them with a wrong tag.
fn client(address: SocketAddr, key: &Key<Sha256>, seed: u32) -> io::Result<()> {
    let mut connection = TcpStream::connect(address)?;
    connection.set_nodelay(true)?;
    for request in 0..REQUESTS {
        let message = vec![request as u8; (seed * 977 + request * 131) as usize % 5000];
        let is_good = request % 3 != 0;
        let mut tag = key.tag(&message);
        tag[request as usize % 32] ^= u8::from(!is_good);
        connection.write_all(&[&tag[..], &(message.len() as u32).to_le_bytes(), &message].concat())?;
        let mut answer = [0];
        connection.read_exact(&mut answer)?;
        assert_eq!(answer[0] == 1, is_good, "request {request} of client {seed}");
    }
    Ok(())
}
