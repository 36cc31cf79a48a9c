//! The C library: the functions of `include/manyhash.h`, which documents them. Each checks what it was given
//! (`pointers.rs`), asks the engine, and returns a status. No panic leaves: it becomes `MANYHASH_BUG`.

mod jobs;
mod keys;
mod objects;
mod pointers;

use jobs::{Done, JobContent, JobsContent, Piece, Release, tell_owners};
use keys::KeyContent;
use manyhash::backend::{self, Backend};
use manyhash::{AnyAlgorithm, AnyHasher, Batch, hash_many_into, with_algorithm};
use objects::{Kind, Object};
use pointers::Bytes;
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `MANYHASH_ABI`.
const ABI: u32 = 1;

/// `manyhash_status`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `MANYHASH_OK`
    Ok,
    /// `MANYHASH_BAD_ARGUMENT`
    BadArgument,
    /// `MANYHASH_NO_BACKEND`
    NoBackend,
    /// `MANYHASH_NO_MEMORY`
    NoMemory,
    /// `MANYHASH_MISMATCH`
    Mismatch,
    /// `MANYHASH_BUG`
    Bug,
}

/// `manyhash_algorithm`, which may be any number.
type AlgorithmNumber = c_uint;

/// The algorithms by their numbers, from 1 on. New ones are appended.
const ALGORITHMS: [AnyAlgorithm; 18] = [
    AnyAlgorithm::Md5,
    AnyAlgorithm::Sha1,
    AnyAlgorithm::Sha224,
    AnyAlgorithm::Sha256,
    AnyAlgorithm::Sha384,
    AnyAlgorithm::Sha512,
    AnyAlgorithm::Sha512_224,
    AnyAlgorithm::Sha512_256,
    AnyAlgorithm::Sm3,
    AnyAlgorithm::Sha3_224,
    AnyAlgorithm::Sha3_256,
    AnyAlgorithm::Sha3_384,
    AnyAlgorithm::Sha3_512,
    AnyAlgorithm::Keccak256,
    AnyAlgorithm::Blake2b,
    AnyAlgorithm::Blake2s,
    AnyAlgorithm::Blake3,
    AnyAlgorithm::Blake2b256,
];

fn algorithm(number: AlgorithmNumber) -> Result<AnyAlgorithm, Status> {
    let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    place.and_then(|place| ALGORITHMS.get(place)).copied().ok_or(Status::BadArgument)
}

/// Returns an algorithm that has a backend.
fn usable(number: AlgorithmNumber) -> Result<AnyAlgorithm, Status> {
    let algorithm = algorithm(number)?;
    algorithm.backend().map_err(|_| Status::NoBackend)?;
    Ok(algorithm)
}

/// Returns the status of a call. A panic is a defect of this library.
fn status(call: impl FnOnce() -> Result<(), Status>) -> Status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(_) => Status::Bug,
    }
}

/// Returns the status of a call on jobs, after which the owners of pieces hear that these are not needed any more.
fn status_of_jobs(call: impl FnOnce() -> Result<(), Status>) -> Status {
    let status = status(call);
    tell_owners();
    status
}

/// More than the engine notes of a message (16 bytes).
const NOTED_BYTES: usize = 24;
/// More than it needs for any number of messages.
const ALWAYS_BYTES: usize = 4 << 20;
/// Fewer messages need so little memory that to ask for it first would cost more than it could tell.
const MANY: usize = 1 << 16;

/// Refuses so many messages that the memory for what the engine notes of each is not to be had. The engine itself would end the process.
fn memory_for(count: usize) -> Result<(), Status> {
    if count < MANY {
        return Ok(());
    }
    let bytes = count.checked_mul(NOTED_BYTES).and_then(|bytes| bytes.checked_add(ALWAYS_BYTES));
    Vec::<u8>::new().try_reserve_exact(bytes.ok_or(Status::NoMemory)?).map_err(|_| Status::NoMemory)
}

/// The version of the interface.
#[unsafe(no_mangle)]
pub extern "C" fn manyhash_abi() -> u32 {
    ABI
}

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn manyhash_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// What a status says. Any number may be asked for.
#[unsafe(no_mangle)]
pub extern "C" fn manyhash_message(status: c_uint) -> *const c_char {
    let message = match status {
        0 => c"fine",
        1 => c"an argument is not allowed",
        2 => c"there is no backend of that name, or the forced one lacks the algorithm",
        3 => c"there is no memory for it",
        4 => c"a tag is not the right one",
        5 => c"a defect of manyhash: please report it",
        _ => c"no status of manyhash",
    };
    message.as_ptr()
}

/// Bytes of a digest.
#[unsafe(no_mangle)]
pub extern "C" fn manyhash_digest_size(number: AlgorithmNumber) -> usize {
    algorithm(number).map_or(0, AnyAlgorithm::digest_bytes)
}

/// The name of the backend.
#[unsafe(no_mangle)]
pub extern "C" fn manyhash_backend(number: AlgorithmNumber) -> *const c_char {
    let name = catch_unwind(|| algorithm(number).ok()?.backend().ok().map(|(backend, _)| backend.name()));
    name.ok().flatten().and_then(c_name).map_or(std::ptr::null(), CStr::as_ptr)
}

/// Returns the name of a backend as C has it. It is made once, and never freed.
fn c_name(name: &'static str) -> Option<&'static CStr> {
    use std::collections::HashMap;
    use std::ffi::CString;
    use std::sync::{LazyLock, Mutex, PoisonError};
    static NAMES: LazyLock<Mutex<HashMap<&str, &CStr>>> = LazyLock::new(Mutex::default);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = names.get(name) {
        return Some(found);
    }
    let made: &'static CStr = Box::leak(CString::new(name).ok()?.into_boxed_c_str());
    names.insert(name, made);
    Some(made)
}

/// Hashes with one backend from now on.
///
/// # Safety
/// `name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_force_backend(name: *const c_char) -> Status {
    status(|| {
        let chosen = if name.is_null() {
            None
        } else {
            // SAFETY: it is a string.
            let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Status::NoBackend)?;
            (!name.is_empty()).then(|| Backend::by_name(name)).transpose().map_err(|_| Status::NoBackend)?
        };
        backend::force(chosen).map_err(|_| Status::NoBackend)
    })
}

/// Writes the digest of one message.
///
/// # Safety
/// The message has `size` bytes, and there is room for a digest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_hash(number: AlgorithmNumber, data: *const c_void, size: usize, digest: *mut u8) -> Status {
    status(|| {
        let (algorithm, message) = (usable(number)?, Bytes::new(data, size)?);
        // SAFETY: there is room for a digest.
        let room = unsafe { pointers::room(digest, 1, algorithm.digest_bytes()) }?;
        with_algorithm!(algorithm, A => room.copy_from_slice(&manyhash::hash::<A>(message.as_ref())));
        Ok(())
    })
}

/// Writes the digests of messages.
///
/// # Safety
/// There are so many messages, and room for as many digests.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_hash_many(
    number: AlgorithmNumber,
    messages: *const Bytes,
    count: usize,
    digests: *mut u8,
    threads: c_uint,
) -> Status {
    status(|| {
        let algorithm = usable(number)?;
        // SAFETY: there are so many messages.
        let messages = unsafe { pointers::messages(messages, count) }?;
        memory_for(count)?;
        // SAFETY: there is room for as many digests.
        let room = unsafe { pointers::room(digests, count, algorithm.digest_bytes()) }?;
        with_algorithm!(algorithm, A => {
            let digests = <A as manyhash::Algorithm>::digests_in(room);
            if threads == 1 {
                hash_many_into::<A>(messages, digests);
            } else {
                Batch::<A>::new().threads(threads as usize).hash_into(messages, digests);
            }
        });
        Ok(())
    })
}

/// Writes the digests of messages that lie in one buffer.
///
/// # Safety
/// There are `count` + 1 offsets, as many values as the last of them says, and room for `count` digests.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_hash_contiguous(
    number: AlgorithmNumber,
    values: *const c_void,
    offsets: *const i64,
    count: usize,
    digests: *mut u8,
    threads: c_uint,
) -> Status {
    status(|| {
        let algorithm = usable(number)?;
        if count == 0 {
            return Ok(());
        }
        // SAFETY: there are so many offsets.
        let offsets = unsafe { pointers::several(offsets, count.checked_add(1).ok_or(Status::BadArgument)?) }?;
        let (first, last) = (offsets[0], offsets[count]);
        if first < 0 || !offsets.is_sorted() {
            return Err(Status::BadArgument);
        }
        let values = Bytes::new(values, usize::try_from(last).map_err(|_| Status::BadArgument)?)?;
        memory_for(count)?;
        // SAFETY: there is room for as many digests.
        let room = unsafe { pointers::room(digests, count, algorithm.digest_bytes()) }?;
        with_algorithm!(algorithm, A => {
            let digests = <A as manyhash::Algorithm>::digests_in(room);
            Batch::<A>::new().threads(threads as usize).hash_contiguous_into(values.as_ref(), offsets, digests);
        });
        Ok(())
    })
}

/// `manyhash_hasher`.
pub struct HasherContent(AnyHasher);

impl Kind for HasherContent {
    const MARK: u64 = 0x6D68_6861_7368_C0DE;
}

/// Makes a hasher.
///
/// # Safety
/// There is room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_hasher_new(number: AlgorithmNumber, hasher: *mut *mut Object<HasherContent>) -> Status {
    // SAFETY: the caller's promise.
    status(|| unsafe { Object::give(|| Ok(HasherContent(usable(number)?.hasher())), hasher) })
}

/// Appends a piece.
///
/// # Safety
/// The hasher is one, and the piece has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_hasher_update(hasher: *mut Object<HasherContent>, data: *const c_void, size: usize) -> Status {
    status(|| {
        // SAFETY: the caller's promise.
        let hasher = unsafe { Object::open(hasher) }?;
        hasher.0.update(Bytes::new(data, size)?.as_ref());
        Ok(())
    })
}

/// Writes the digest, and begins anew.
///
/// # Safety
/// The hasher is one, and there is room for a digest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_hasher_finish(hasher: *mut Object<HasherContent>, digest: *mut u8) -> Status {
    status(|| {
        // SAFETY: the caller's promise.
        let hasher = unsafe { Object::open(hasher) }?;
        let algorithm = hasher.0.algorithm();
        // SAFETY: there is room for a digest.
        let room = unsafe { pointers::room(digest, 1, algorithm.digest_bytes()) }?;
        std::mem::replace(&mut hasher.0, algorithm.hasher()).finalize_into(room);
        Ok(())
    })
}

/// Frees a hasher.
///
/// # Safety
/// It is null or a hasher, which is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_hasher_free(hasher: *mut Object<HasherContent>) {
    // SAFETY: the caller's promise.
    drop(unsafe { Object::take(hasher) });
}

/// Makes a key.
///
/// # Safety
/// The key has `size` bytes, and there is room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_key_new(
    number: AlgorithmNumber,
    data: *const c_void,
    size: usize,
    key: *mut *mut Object<KeyContent>,
) -> Status {
    status(|| {
        let made = || KeyContent::new(usable(number)?, Bytes::new(data, size)?.as_ref());
        // SAFETY: the caller's promise.
        unsafe { Object::give(made, key) }
    })
}

/// Erases and frees a key.
///
/// # Safety
/// It is null or a key, which is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_key_free(key: *mut Object<KeyContent>) {
    // SAFETY: the caller's promise.
    drop(unsafe { Object::take(key) });
}

/// Writes tags.
///
/// # Safety
/// The key is one; there are so many messages, and room for as many tags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_tag_many(
    key: *const Object<KeyContent>,
    messages: *const Bytes,
    count: usize,
    tags: *mut u8,
    threads: c_uint,
) -> Status {
    status(|| {
        // SAFETY: the caller's promise; it is only read.
        let key = &*unsafe { Object::open(key.cast_mut()) }?.0;
        // SAFETY: there are so many messages.
        let messages = unsafe { pointers::messages(messages, count) }?;
        memory_for(count)?;
        // SAFETY: there is room for as many tags.
        let room = unsafe { pointers::room(tags, count, key.tag_bytes()) }?;
        key.tag_many(messages, room, threads as usize);
        Ok(())
    })
}

/// Checks tags.
///
/// # Safety
/// The key is one; there are so many messages and tags, and room for as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_verify_many(
    key: *const Object<KeyContent>,
    messages: *const Bytes,
    tags: *const Bytes,
    count: usize,
    ok: *mut u8,
) -> Status {
    status(|| {
        // SAFETY: the caller's promise; it is only read.
        let key = &*unsafe { Object::open(key.cast_mut()) }?.0;
        // SAFETY: there are so many messages and tags.
        let (messages, tags) = unsafe { (pointers::messages(messages, count)?, pointers::messages(tags, count)?) };
        // SAFETY: there is room for as many bytes.
        let room = unsafe { pointers::room(ok, count, 1) }?;
        key.verify_many(messages, tags, room);
        if room.iter().all(|ok| *ok == 1) { Ok(()) } else { Err(Status::Mismatch) }
    })
}

/// Makes a table of jobs.
///
/// # Safety
/// There is room for a pointer; `done` may be called with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_jobs_new(
    number: AlgorithmNumber,
    done: Option<Done>,
    context: *mut c_void,
    jobs: *mut *mut Object<JobsContent>,
) -> Status {
    // SAFETY: the caller's promise.
    status(|| unsafe { Object::give(|| JobsContent::new(usable(number)?, done, context), jobs) })
}

/// Begins a message.
///
/// # Safety
/// The jobs are some, the key is null or one, and there is room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_job_open(
    jobs: *mut Object<JobsContent>,
    key: *const Object<KeyContent>,
    handle: *mut c_void,
    job: *mut *mut Object<JobContent>,
) -> Status {
    status_of_jobs(|| {
        // SAFETY: the caller's promise.
        let jobs = &*unsafe { Object::open(jobs) }?;
        jobs.in_its_thread()?;
        // SAFETY: the caller's promise; it is only read.
        let key = if key.is_null() { None } else { Some(&*unsafe { Object::open(key.cast_mut()) }?.0) };
        // SAFETY: there is room for a pointer.
        unsafe { Object::give(|| jobs.open(key, handle), job) }?;
        // SAFETY: a pointer to a job was written there.
        let object = unsafe { job.read() };
        // SAFETY: as above.
        jobs.remember(unsafe { Object::open(object) }?, object);
        Ok(())
    })
}

/// Appends a piece.
///
/// # Safety
/// The job is one, the piece has `size` bytes until it is released, and `release` may be called with `owner`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_job_feed(
    job: *mut Object<JobContent>,
    data: *const c_void,
    size: usize,
    release: Option<Release>,
    owner: *mut c_void,
) -> Status {
    status_of_jobs(|| {
        // SAFETY: the caller's promise.
        let job = unsafe { Object::open(job) }?;
        job.in_its_thread()?;
        let bytes = Bytes::new(data, size);
        let refused = bytes.is_err();
        // From here on it is released whatever happens.
        let piece = Piece { bytes: bytes.or(Bytes::new(std::ptr::null(), 0))?, release, owner };
        if refused {
            return Err(Status::BadArgument);
        }
        job.feed(piece);
        Ok(())
    })
}

/// Completes a message.
///
/// # Safety
/// The job is one, which is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_job_finish(job: *mut Object<JobContent>) -> Status {
    status_of_jobs(|| {
        // SAFETY: the caller's promise.
        unsafe { Object::open(job) }?.in_its_thread()?;
        // SAFETY: as above.
        unsafe { Object::take(job) }.ok_or(Status::BadArgument)?.finish();
        Ok(())
    })
}

/// Gives a message up.
///
/// # Safety
/// It is null or a job, which is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_job_free(job: *mut Object<JobContent>) {
    status_of_jobs(|| {
        // SAFETY: the caller's promise.
        unsafe { Object::open(job) }?.in_its_thread()?;
        // SAFETY: as above.
        unsafe { Object::take(job) }.ok_or(Status::BadArgument)?.forget();
        Ok(())
    });
}

/// Computes what there is for full lanes.
///
/// # Safety
/// The jobs are some.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_jobs_poll(jobs: *mut Object<JobsContent>) -> Status {
    // SAFETY: the caller's promise.
    unsafe { run(jobs, false) }
}

/// Computes all that there is.
///
/// # Safety
/// The jobs are some.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_jobs_flush(jobs: *mut Object<JobsContent>) -> Status {
    // SAFETY: the caller's promise.
    unsafe { run(jobs, true) }
}

/// Computes, and gives results out.
///
/// # Safety
/// The jobs are some.
unsafe fn run(jobs: *mut Object<JobsContent>, everything: bool) -> Status {
    status_of_jobs(|| {
        let runner = {
            // SAFETY: the caller's promise.
            let jobs = &*unsafe { Object::open(jobs) }?;
            jobs.in_its_thread()?;
            jobs.runner()
        };
        // Nothing of the object is borrowed any more: the caller's function may use it.
        runner(everything);
        Ok(())
    })
}

/// Frees jobs, those that are not finished too.
///
/// # Safety
/// They are null or some, and neither they nor a job of theirs are used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manyhash_jobs_free(jobs: *mut Object<JobsContent>) {
    status_of_jobs(|| {
        // SAFETY: the caller's promise.
        unsafe { Object::open(jobs) }?.in_its_thread()?;
        // SAFETY: as above.
        let jobs = unsafe { Object::take(jobs) }.ok_or(Status::BadArgument)?;
        for job in jobs.take_open() {
            // SAFETY: it is null or was not finished.
            drop(unsafe { Object::take(job) });
        }
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_has_a_number() {
        for algorithm in AnyAlgorithm::ALL {
            assert_eq!(ALGORITHMS.iter().filter(|numbered| *numbered == algorithm).count(), 1, "{algorithm}");
        }
        assert_eq!(ALGORITHMS.len(), AnyAlgorithm::ALL.len());
    }
}
