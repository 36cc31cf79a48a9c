/*
 * manyhash.h: hashes many messages at once. C99 and C++; pkg-config manyhash.
 *
 * Sizes are in bytes. All calls may run in any thread: a hasher in one at a time, a key in several at once until one
 * frees it; jobs and what belongs to them only in the thread that made them. No call reads the environment, prints (but
 * for a defect of the library: MANYHASH_BUG), or lets a panic out. What is called back must not let an exception out.
 * Where a call returns a status other than MANYHASH_OK, it did nothing, unless its comment or that of the status says what.
 *
 * A pointer may be NULL where it points to 0 bytes or 0 objects, where it is only handed back (context, handle, owner),
 * or where the comment says so. Anywhere else NULL is MANYHASH_BAD_ARGUMENT, and so is an object that was freed or
 * finished, if it is one of the last 256 that its thread freed. Digests must not lie in the messages.
 *
 * Apache-2.0 OR MIT.
 */
#ifndef MANYHASH_H
#define MANYHASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. */
typedef enum {
    MANYHASH_OK,           /* it did what it is for */
    MANYHASH_BAD_ARGUMENT, /* an argument is not allowed; nothing was done */
    MANYHASH_NO_BACKEND,   /* no backend of that name, or the forced one lacks the algorithm */
    MANYHASH_NO_MEMORY,    /* there is no memory for the object, or for 65,536 messages or more; where there is not
                              even what fewer need, a megabyte or two, the process ends */
    MANYHASH_MISMATCH,     /* a tag is not the right one */
    MANYHASH_BUG           /* a defect of this library: please report it. Its output is void, its object may only be freed. */
} manyhash_status;

/* What hashes. Numbers never change; new ones are appended. */
typedef enum {
    MANYHASH_MD5 = 1,
    MANYHASH_SHA1,
    MANYHASH_SHA224,
    MANYHASH_SHA256,
    MANYHASH_SHA384,
    MANYHASH_SHA512,
    MANYHASH_SHA512_224,
    MANYHASH_SHA512_256,
    MANYHASH_SM3,
    MANYHASH_SHA3_224,
    MANYHASH_SHA3_256,
    MANYHASH_SHA3_384,
    MANYHASH_SHA3_512,
    MANYHASH_KECCAK256,  /* as Ethereum has it */
    MANYHASH_BLAKE2B,    /* 64 bytes */
    MANYHASH_BLAKE2S,    /* 32 bytes */
    MANYHASH_BLAKE3,     /* 32 bytes */
    MANYHASH_BLAKE2B_256 /* 32 bytes */
} manyhash_algorithm;

/* A message, or a tag: laid out as struct iovec. */
typedef struct {
    const void *data;
    size_t size;
} manyhash_bytes;

typedef struct manyhash_key manyhash_key;       /* a secret key of an HMAC */
typedef struct manyhash_hasher manyhash_hasher; /* one message in pieces */
typedef struct manyhash_jobs manyhash_jobs;     /* many messages in pieces */
typedef struct manyhash_job manyhash_job;       /* one of them */

/* The version of this interface: a program that was compiled with another one may not use the library. */
#define MANYHASH_ABI 1
uint32_t manyhash_abi(void);
/* The version of the library, three numbers with points between them. It is never freed. */
const char *manyhash_version(void);
/* What a status says, in English. It is never freed. */
const char *manyhash_message(manyhash_status);

/* Bytes of a digest; 0 if there is no such algorithm. */
size_t manyhash_digest_size(manyhash_algorithm);
/* The name of the backend that hashes many messages, such as "avx512x2"; NULL if there is none for the algorithm. It is
 * never freed. */
const char *manyhash_backend(manyhash_algorithm);
/* Hashes with one backend from now on, in all threads; NULL or "" is the automatic choice again. Before the first hash. */
manyhash_status manyhash_force_backend(const char *name);

/* Writes the digest of one message. */
manyhash_status manyhash_hash(manyhash_algorithm, const void *data, size_t size, uint8_t *digest);
/* Writes the digests of `count` messages, one after the other in the order of the messages, on up to `threads` threads, of
 * which the caller's is one: 0 is one for each core. */
manyhash_status manyhash_hash_many(manyhash_algorithm, const manyhash_bytes *messages, size_t count, uint8_t *digests,
                                   unsigned threads);
/* The same for messages that lie in one buffer: message i is values[offsets[i]] to values[offsets[i + 1] - 1], so that there
 * are count + 1 offsets. They never fall, and none is negative. */
manyhash_status manyhash_hash_contiguous(manyhash_algorithm, const void *values, const int64_t *offsets, size_t count,
                                         uint8_t *digests, unsigned threads);

/* One message in pieces. Pieces are read before a call returns. */
manyhash_status manyhash_hasher_new(manyhash_algorithm, manyhash_hasher **);
manyhash_status manyhash_hasher_update(manyhash_hasher *, const void *data, size_t size);
/* Writes the digest, and begins anew. */
manyhash_status manyhash_hasher_finish(manyhash_hasher *, uint8_t *digest);
/* NULL is allowed. */
void manyhash_hasher_free(manyhash_hasher *);

/* HMAC (RFC 2104). BLAKE2 and BLAKE3 take keys by themselves, and have none: MANYHASH_BAD_ARGUMENT. The key is copied, and erased
 * when it is freed; jobs keep what they need of it. */
manyhash_status manyhash_key_new(manyhash_algorithm, const void *key, size_t size, manyhash_key **);
/* NULL is allowed. */
void manyhash_key_free(manyhash_key *);
/* Writes the tags of `count` messages, one after the other; each has the bytes of a digest. */
manyhash_status manyhash_tag_many(const manyhash_key *, const manyhash_bytes *messages, size_t count, uint8_t *tags,
                                  unsigned threads);
/* Writes 1 to ok[i] if tags[i] is the tag of messages[i], and else 0: compared in constant time. MANYHASH_MISMATCH if one of them is
 * 0; all of ok is written then too. */
manyhash_status manyhash_verify_many(const manyhash_key *, const manyhash_bytes *messages, const manyhash_bytes *tags,
                                     size_t count, uint8_t *ok);

/* Pieces of many messages from many sources, in one thread. `done` gets each digest with the handle of its job, in
 * manyhash_jobs_poll and manyhash_jobs_flush; it may open, feed, finish and free jobs, and must not free `jobs`. The digest is there
 * until it returns. */
manyhash_status manyhash_jobs_new(manyhash_algorithm, void (*done)(void *context, void *handle, const uint8_t *digest),
                                  void *context, manyhash_jobs **);
/* Begins a message; its tag under a key of the same algorithm, if that is not NULL. */
manyhash_status manyhash_job_open(manyhash_jobs *, const manyhash_key *or_null, void *handle, manyhash_job **);
/* Appends a piece. It is read until `release(owner)` is called, in this or a later call; release may be NULL, and is called even
 * if the piece is refused, but for a job that is NULL, not of this thread, or freed. It may do what `done` may. */
manyhash_status manyhash_job_feed(manyhash_job *, const void *data, size_t size, void (*release)(void *owner), void *owner);
/* Completes the message, and frees the job. */
manyhash_status manyhash_job_finish(manyhash_job *);
/* Gives a message up: `done` never hears of it. NULL is allowed. */
void manyhash_job_free(manyhash_job *);
/* Computes as long as there is work for all lanes; with less it returns at once. */
manyhash_status manyhash_jobs_poll(manyhash_jobs *);
/* Computes all that there is. */
manyhash_status manyhash_jobs_flush(manyhash_jobs *);
/* Frees the jobs that are not finished, too: do not use them later. NULL is allowed. */
void manyhash_jobs_free(manyhash_jobs *);

#ifdef __cplusplus
}
#endif

#endif
