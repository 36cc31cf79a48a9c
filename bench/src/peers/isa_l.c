/* What isa_l.rs calls of isa-l_crypto: its managers and contexts are C structures whose layout changes between versions. */
#define NO_COMPAT_ISAL_CRYPTO_API_2_24 /* old names that collide with other libraries' */
#include <isa-l_crypto.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct message {
    const uint8_t *bytes;
    size_t length;
};

struct batch {
    const struct message *messages;
    size_t count;
    uint8_t *digests;
};

/* Zeros at a multiple of 64, which managers and contexts ask for; NULL if there is no memory. */
static void *aligned(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, bytes) != 0)
        return NULL;
    return memset(memory, 0, bytes);
}

/* The managers return with the upper halves of vector registers in use, which on some CPUs slows down whoever runs next. */
static void clean_upper_halves(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper");
#endif
}

static inline void store_little_endian(uint8_t *digest, const uint32_t *words, size_t count)
{
    memcpy(digest, words, 4 * count);
}

static inline void store_big_endian(uint8_t *digest, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word = __builtin_bswap32(words[i]);
        memcpy(digest + 4 * i, &word, 4);
    }
}

static inline void store_wide_big_endian(uint8_t *digest, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = __builtin_bswap64(words[i]);
        memcpy(digest + 8 * i, &word, 8);
    }
}

#define NAME(suffix) isa_l_md5_##suffix
#define TYPE(suffix) ISAL_MD5_##suffix
#define CALL(suffix) isal_md5_##suffix
#define STORE(digest, words) store_little_endian(digest, words, 4)
#define DIGEST_BYTES 16
#include "isa_l_hash.h"

#define NAME(suffix) isa_l_sha1_##suffix
#define TYPE(suffix) ISAL_SHA1_##suffix
#define CALL(suffix) isal_sha1_##suffix
#define STORE(digest, words) store_big_endian(digest, words, 5)
#define DIGEST_BYTES 20
#include "isa_l_hash.h"

#define NAME(suffix) isa_l_sha256_##suffix
#define TYPE(suffix) ISAL_SHA256_##suffix
#define CALL(suffix) isal_sha256_##suffix
#define STORE(digest, words) store_big_endian(digest, words, 8)
#define DIGEST_BYTES 32
#include "isa_l_hash.h"

#define NAME(suffix) isa_l_sha512_##suffix
#define TYPE(suffix) ISAL_SHA512_##suffix
#define CALL(suffix) isal_sha512_##suffix
#define STORE(digest, words) store_wide_big_endian(digest, words, 8)
#define DIGEST_BYTES 64
#include "isa_l_hash.h"

#define NAME(suffix) isa_l_sm3_##suffix
#define TYPE(suffix) ISAL_SM3_##suffix
#define CALL(suffix) isal_sm3_##suffix
/* Its words are in the order of bytes of a digest already. */
#define STORE(digest, words) store_little_endian(digest, words, 8)
#define DIGEST_BYTES 32
#include "isa_l_hash.h"
