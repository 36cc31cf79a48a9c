//! manyhash in JavaScript: what the package for npm exports. `wasm-bindgen` makes what calls them,
//! and `manyhash.d.ts`, which says how.
//!
//! Bytes are copied into the module's memory, as much at once as [`TOGETHER_BYTES`], so that no batch and no message takes more
//! than that.
#![cfg(target_arch = "wasm32")]
#![deny(unsafe_code)]

use js_sys::{Array, ArrayBuffer, Uint8Array};
use manyhash::backend::Backend;
use manyhash::hmac::Key;
use manyhash::{Algorithm, AnyAlgorithm, AnyHasher, Batch, ForAlgorithm, Hasher as OneHasher};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// Messages are copied and hashed together up to this many bytes. Longer ones are hashed one by one, in pieces.
const TOGETHER_BYTES: usize = 4 << 20;
/// Pieces of long messages.
const PIECE_BYTES: usize = 1 << 20;

fn algorithm(name: &str) -> Result<AnyAlgorithm, JsError> {
    AnyAlgorithm::by_name(name).ok_or_else(|| {
        let all: Vec<&str> = AnyAlgorithm::ALL.iter().map(|algorithm| algorithm.name()).collect();
        JsError::new(&format!("unknown algorithm {name:?}: there are {}", all.join(", ")))
    })
}

#[wasm_bindgen]
extern "C" {
    /// Bytes as JavaScript counts them: there may be more than a `u32` can say.
    #[wasm_bindgen(js_name = Uint8Array)]
    type Counted;
    #[wasm_bindgen(method, getter)]
    fn length(this: &Counted) -> f64;
}

/// Returns bytes whose type JavaScript does not check. `name` is what they are in an error.
fn bytes_of(value: JsValue, name: impl Fn() -> String) -> Result<Uint8Array, JsError> {
    let bytes = match value.dyn_into::<Uint8Array>() {
        Ok(bytes) => bytes,
        Err(value) if value.is_instance_of::<ArrayBuffer>() => Uint8Array::new(&value),
        Err(_) => return Err(JsError::new(&format!("{} is not a Uint8Array, nor an ArrayBuffer", name()))),
    };
    if bytes.unchecked_ref::<Counted>().length() > f64::from(u32::MAX) {
        return Err(JsError::new(&format!("{} has 4 GiB or more: give it to a Hasher in pieces", name())));
    }
    Ok(bytes)
}

/// Returns message `i`.
fn message(messages: &Array, i: u32) -> Result<Uint8Array, JsError> {
    bytes_of(messages.get(i), || format!("message {i}"))
}

/// Calls `take` with pieces of a message, one after the other.
fn in_pieces(message: &Uint8Array, mut take: impl FnMut(&[u8])) {
    let bytes = message.length() as usize;
    let mut room = vec![0; bytes.min(PIECE_BYTES)];
    let mut at = 0;
    while at < bytes {
        let piece = &mut room[..(bytes - at).min(PIECE_BYTES)];
        message.subarray(at as u32, (at + piece.len()) as u32).copy_to(piece);
        take(piece);
        at += piece.len();
    }
}

/// Messages that are hashed together.
struct Many<'a> {
    messages: &'a Array,
    /// The key of their tags, if that is what they are to get.
    key: Option<&'a [u8]>,
    /// What is to compute, if it is not left to the library.
    backend: Option<Backend>,
}

impl ForAlgorithm for Many<'_> {
    type Output = Result<Uint8Array, JsError>;

    fn run<A: Algorithm>(self) -> Self::Output {
        let key = match self.key {
            Some(_) if !A::HAS_HMAC => return Err(JsError::new(&format!("{} has no HMAC", A::NAME))),
            key => key.map(Key::<A>::new),
        };
        let mut batch = key.as_ref().map_or_else(Batch::<A>::new, |key| Batch::new().key(key));
        if let Some(backend) = self.backend {
            if !backend.supports::<A>() {
                return Err(JsError::new(&format!("the backend {backend} has no {}", A::NAME)));
            }
            batch = batch.backend(backend);
        }
        let count = self.messages.length();
        let digests = Uint8Array::new_with_length(count * A::DIGEST_BYTES as u32);
        let (mut values, mut offsets, mut first) = (Vec::new(), vec![0_usize], 0);
        let write = |values: &[u8], offsets: &[usize], first: u32| {
            let found = batch.hash_contiguous(values, offsets);
            let flat: Vec<u8> = found.iter().flat_map(|digest| digest.as_ref()).copied().collect();
            let at = first * A::DIGEST_BYTES as u32;
            digests.subarray(at, at + flat.len() as u32).copy_from(&flat);
        };
        for i in 0..count {
            let message = message(self.messages, i)?;
            let bytes = message.length() as usize;
            if values.len() + bytes > TOGETHER_BYTES {
                write(&values, &offsets, first);
                values.clear();
                offsets.truncate(1);
                first = i;
            }
            if bytes > TOGETHER_BYTES {
                let mut of_one =
                    key.as_ref().map_or_else(|| Piecewise::Hasher(OneHasher::<A>::new()), |key| Piecewise::Tagger(key.tagger()));
                in_pieces(&message, |piece| of_one.update(piece));
                let at = i * A::DIGEST_BYTES as u32;
                digests.subarray(at, at + A::DIGEST_BYTES as u32).copy_from(of_one.finalize().as_ref());
                first = i + 1;
                continue;
            }
            let at = values.len();
            values.resize(at + bytes, 0);
            message.copy_to(&mut values[at..]);
            offsets.push(values.len());
        }
        write(&values, &offsets, first);
        Ok(digests)
    }
}

/// One long message, whose digest or tag is wanted.
enum Piecewise<A: Algorithm> {
    Hasher(OneHasher<A>),
    Tagger(manyhash::hmac::Tagger<A>),
}

impl<A: Algorithm> Piecewise<A> {
    fn update(&mut self, piece: &[u8]) {
        match self {
            Self::Hasher(hasher) => hasher.update(piece),
            Self::Tagger(tagger) => tagger.update(piece),
        }
    }

    fn finalize(self) -> A::Digest {
        match self {
            Self::Hasher(hasher) => hasher.finalize(),
            Self::Tagger(tagger) => tagger.finalize(),
        }
    }
}

/// Returns the digests as arrays of their own.
fn apart(digests: &Uint8Array, digest_bytes: usize) -> Array {
    let bytes = digest_bytes as u32;
    (0..digests.length() / bytes).map(|i| digests.subarray(i * bytes, (i + 1) * bytes)).collect()
}

/// The names of all algorithms.
#[wasm_bindgen(unchecked_return_type = "string[]")]
pub fn algorithms() -> Vec<String> {
    AnyAlgorithm::ALL.iter().map(|algorithm| algorithm.name().to_string()).collect()
}

/// The names of what can compute: `simd128` is there if the module was compiled with vectors.
#[wasm_bindgen(unchecked_return_type = "string[]")]
pub fn backends() -> Vec<String> {
    Backend::supported().iter().map(ToString::to_string).collect()
}

/// The digest of one message.
///
/// Throws if there is no such algorithm, or if the message is not a `Uint8Array` or `ArrayBuffer`, or has 4 GiB or more.
#[wasm_bindgen]
pub fn hash(
    #[wasm_bindgen(js_name = algorithm)] name: &str,
    #[wasm_bindgen(unchecked_param_type = "Uint8Array | ArrayBuffer")] message: JsValue,
) -> Result<Vec<u8>, JsError> {
    let mut hasher = algorithm(name)?.hasher();
    in_pieces(&bytes_of(message, || "message".to_string())?, |piece| hasher.update(piece));
    Ok(hasher.finalize())
}

/// The digests of many messages, in their order: several times as fast as one after the other.
///
/// Throws if there is no such algorithm, or if a message is not a `Uint8Array` or `ArrayBuffer`, or has 4 GiB or more.
#[wasm_bindgen(js_name = hashMany, unchecked_return_type = "Uint8Array[]")]
pub fn hash_many(
    #[wasm_bindgen(js_name = algorithm)] name: &str,
    #[wasm_bindgen(unchecked_param_type = "(Uint8Array | ArrayBuffer)[]")] messages: &Array,
) -> Result<Array, JsError> {
    let algorithm = algorithm(name)?;
    let digests = algorithm.with(Many { messages, key: None, backend: None })?;
    Ok(apart(&digests, algorithm.digest_bytes()))
}

/// The digests of many messages, one after the other in one array. `backend` is one of `backends()`, for comparisons: left out, the
/// library chooses.
///
/// Throws if there is no such algorithm or backend, or if a message is not a `Uint8Array` or `ArrayBuffer`, or has 4 GiB or more.
#[wasm_bindgen(js_name = hashManyFlat)]
pub fn hash_many_flat(
    #[wasm_bindgen(js_name = algorithm)] name: &str,
    #[wasm_bindgen(unchecked_param_type = "(Uint8Array | ArrayBuffer)[]")] messages: &Array,
    backend: Option<String>,
) -> Result<Uint8Array, JsError> {
    let backend = match backend {
        Some(name) => Some(Backend::by_name(&name).map_err(|error| JsError::new(&error.to_string()))?),
        None => None,
    };
    algorithm(name)?.with(Many { messages, key: None, backend })
}

/// The tags (HMAC) of many messages under a key, in their order.
///
/// Throws if there is no such algorithm, if it has no HMAC, or if a message is not a `Uint8Array` or `ArrayBuffer`, or has 4 GiB or more.
#[wasm_bindgen(js_name = hmacMany, unchecked_return_type = "Uint8Array[]")]
pub fn hmac_many(
    #[wasm_bindgen(js_name = algorithm)] name: &str,
    #[wasm_bindgen(unchecked_param_type = "Uint8Array | ArrayBuffer")] key: JsValue,
    #[wasm_bindgen(unchecked_param_type = "(Uint8Array | ArrayBuffer)[]")] messages: &Array,
) -> Result<Array, JsError> {
    let algorithm = algorithm(name)?;
    let key = bytes_of(key, || "key".to_string())?.to_vec();
    let tags = algorithm.with(Many { messages, key: Some(&key), backend: None })?;
    Ok(apart(&tags, algorithm.digest_bytes()))
}

/// Hashes one message that arrives in pieces.
#[wasm_bindgen]
pub struct Hasher {
    hasher: AnyHasher,
}

#[wasm_bindgen]
impl Hasher {
    /// Begins a message. Throws if there is no such algorithm.
    #[wasm_bindgen(constructor)]
    pub fn new(#[wasm_bindgen(js_name = algorithm)] name: &str) -> Result<Hasher, JsError> {
        Ok(Self { hasher: algorithm(name)?.hasher() })
    }

    /// Adds a piece of the message. Throws if it is not bytes.
    pub fn update(&mut self, #[wasm_bindgen(unchecked_param_type = "Uint8Array | ArrayBuffer")] piece: JsValue) -> Result<(), JsError> {
        in_pieces(&bytes_of(piece, || "piece".to_string())?, |piece| self.hasher.update(piece));
        Ok(())
    }

    /// Returns the digest of the message, and begins a new one.
    pub fn digest(&mut self) -> Vec<u8> {
        let digest = self.hasher.clone().finalize();
        self.hasher.reset();
        digest
    }
}
