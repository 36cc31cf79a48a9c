/* Every function as it is meant, and as it is not. Compiled as C99 and as C++17, with the shared and with the static library. */
#include "manyhash.h"

#ifndef _WIN32
#include <pthread.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                           \
    do {                                                                           \
        if (!(condition)) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);        \
            failures++;                                                            \
        }                                                                          \
    } while (0)

static void hex(const uint8_t *bytes, size_t size, char *text) {
    size_t i;
    for (i = 0; i < size; i++) {
        sprintf(text + 2 * i, "%02x", bytes[i]);
    }
}

/* Of "abc". */
static const struct {
    manyhash_algorithm algorithm;
    size_t size;
    const char *digest;
} KNOWN[] = {
    {MANYHASH_MD5, 16, "900150983cd24fb0d6963f7d28e17f72"},
    {MANYHASH_SHA1, 20, "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {MANYHASH_SHA224, 28, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"},
    {MANYHASH_SHA256, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {MANYHASH_SHA384, 48, "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"},
    {MANYHASH_SHA512, 64,
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
    {MANYHASH_SHA512_224, 28, "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"},
    {MANYHASH_SHA512_256, 32, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"},
    {MANYHASH_SM3, 32, "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"},
    {MANYHASH_SHA3_224, 28, "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"},
    {MANYHASH_SHA3_256, 32, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"},
    {MANYHASH_SHA3_384, 48, "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"},
    {MANYHASH_SHA3_512, 64,
     "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"},
    {MANYHASH_KECCAK256, 32, "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"},
    {MANYHASH_BLAKE2B, 64,
     "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"},
    {MANYHASH_BLAKE2S, 32, "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"},
    {MANYHASH_BLAKE3, 32, "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"},
    {MANYHASH_BLAKE2B_256, 32, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"},
};

#define COUNT 100

/* Message i has 37 i bytes of i, in one buffer. */
static uint8_t values[37 * COUNT * COUNT];
static int64_t offsets[COUNT + 1];
static manyhash_bytes messages[COUNT];

static void make_messages(void) {
    int i;
    for (i = 0; i < COUNT; i++) {
        offsets[i + 1] = offsets[i] + 37 * i;
        memset(values + offsets[i], i, (size_t)(37 * i));
        messages[i].data = i == 0 ? NULL : values + offsets[i];
        messages[i].size = (size_t)(37 * i);
    }
}

static void all_ways(manyhash_algorithm algorithm, size_t size) {
    static uint8_t one_by_one[COUNT * 64], together[COUNT * 64];
    manyhash_hasher *hasher = NULL;
    unsigned threads;
    size_t i, at;
    for (i = 0; i < COUNT; i++) {
        CHECK(manyhash_hash(algorithm, messages[i].data, messages[i].size, one_by_one + i * size) == MANYHASH_OK);
    }
    for (threads = 0; threads < 4; threads++) {
        memset(together, 0xAA, sizeof together);
        CHECK(manyhash_hash_many(algorithm, messages, COUNT, together, threads) == MANYHASH_OK);
        CHECK(memcmp(one_by_one, together, COUNT * size) == 0);
        memset(together, 0xAA, sizeof together);
        CHECK(manyhash_hash_contiguous(algorithm, values, offsets, COUNT, together, threads) == MANYHASH_OK);
        CHECK(memcmp(one_by_one, together, COUNT * size) == 0);
        CHECK(COUNT * size == sizeof together || together[COUNT * size] == 0xAA);
    }
    CHECK(manyhash_hasher_new(algorithm, &hasher) == MANYHASH_OK);
    for (i = 0; i < COUNT; i++) {
        for (at = 0; at < messages[i].size; at += 100) {
            const uint8_t *piece = (const uint8_t *)messages[i].data + at;
            size_t left = messages[i].size - at;
            CHECK(manyhash_hasher_update(hasher, piece, left < 100 ? left : 100) == MANYHASH_OK);
        }
        CHECK(manyhash_hasher_finish(hasher, together) == MANYHASH_OK);
        CHECK(memcmp(together, one_by_one + i * size, size) == 0);
    }
    manyhash_hasher_free(hasher);
}

static void digests(void) {
    uint8_t digest[64];
    char text[129];
    size_t i;
    CHECK(sizeof KNOWN / sizeof KNOWN[0] == MANYHASH_BLAKE2B_256);
    for (i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++) {
        CHECK(KNOWN[i].algorithm == (manyhash_algorithm)(i + 1));
        CHECK(manyhash_digest_size(KNOWN[i].algorithm) == KNOWN[i].size);
        CHECK(manyhash_hash(KNOWN[i].algorithm, "abc", 3, digest) == MANYHASH_OK);
        hex(digest, KNOWN[i].size, text);
        CHECK(strcmp(text, KNOWN[i].digest) == 0);
        CHECK(manyhash_backend(KNOWN[i].algorithm) != NULL && manyhash_backend(KNOWN[i].algorithm)[0] != 0);
        all_ways(KNOWN[i].algorithm, KNOWN[i].size);
    }
}

static void tags(void) {
    static uint8_t made[COUNT * 32];
    static manyhash_bytes given[COUNT];
    static uint8_t ok[COUNT];
    /* RFC 4231, test case 2. */
    manyhash_bytes message = {"what do ya want for nothing?", 28};
    manyhash_key *key = NULL;
    char text[65];
    int i;
    CHECK(manyhash_key_new(MANYHASH_SHA256, "Jefe", 4, &key) == MANYHASH_OK);
    CHECK(manyhash_tag_many(key, &message, 1, made, 1) == MANYHASH_OK);
    hex(made, 32, text);
    CHECK(strcmp(text, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843") == 0);
    CHECK(manyhash_tag_many(key, messages, COUNT, made, 2) == MANYHASH_OK);
    for (i = 0; i < COUNT; i++) {
        given[i].data = made + 32 * i;
        given[i].size = 32;
    }
    CHECK(manyhash_verify_many(key, messages, given, COUNT, ok) == MANYHASH_OK);
    for (i = 0; i < COUNT; i++) {
        CHECK(ok[i] == 1);
    }
    made[32 * 7] ^= 1;
    given[9].size = 31;
    CHECK(manyhash_verify_many(key, messages, given, COUNT, ok) == MANYHASH_MISMATCH);
    for (i = 0; i < COUNT; i++) {
        CHECK(ok[i] == (i != 7 && i != 9));
    }
    CHECK(manyhash_verify_many(key, NULL, NULL, 0, NULL) == MANYHASH_OK);
    manyhash_key_free(key);
    key = NULL;
    CHECK(manyhash_key_new(MANYHASH_BLAKE3, "Jefe", 4, &key) == MANYHASH_BAD_ARGUMENT && key == NULL);
    CHECK(manyhash_key_new(MANYHASH_SHA512, NULL, 0, &key) == MANYHASH_OK);
    manyhash_key_free(key);
}

static int released = 0, done = 0;
static uint8_t expected[COUNT * 64];
static size_t digest_size;
static manyhash_jobs *jobs = NULL;

static void release(void *owner) {
    released++;
    free(owner);
}

static void is_done(void *context, void *handle, const uint8_t *digest) {
    size_t i = (size_t)handle;
    CHECK(context == &done);
    CHECK(memcmp(digest, expected + i * digest_size, digest_size) == 0);
    /* A job that begins here is given out by a later call. */
    if (++done == 1) {
        manyhash_job *job = NULL;
        CHECK(manyhash_job_open(jobs, NULL, (void *)i, &job) == MANYHASH_OK);
        CHECK(manyhash_job_feed(job, messages[i].data, messages[i].size, NULL, NULL) == MANYHASH_OK);
        CHECK(manyhash_job_finish(job) == MANYHASH_OK);
    }
}

static void pieces(manyhash_algorithm algorithm, manyhash_key *key) {
    manyhash_job *open[COUNT];
    manyhash_job *given_up = NULL;
    size_t i, round;
    int fed = 0;
    released = done = 0;
    digest_size = manyhash_digest_size(algorithm);
    CHECK(manyhash_hash_many(algorithm, messages, COUNT, expected, 1) == MANYHASH_OK);
    CHECK(manyhash_jobs_new(algorithm, is_done, &done, &jobs) == MANYHASH_OK);
    for (i = 0; i < COUNT; i++) {
        CHECK(manyhash_job_open(jobs, NULL, (void *)i, &open[i]) == MANYHASH_OK);
    }
    CHECK(manyhash_job_open(jobs, NULL, NULL, &given_up) == MANYHASH_OK);
    for (round = 0; round < 37; round++) {
        for (i = 1; i < COUNT; i++) {
            uint8_t *piece = (uint8_t *)malloc(i);
            memset(piece, (int)i, i);
            CHECK(manyhash_job_feed(open[i], piece, i, release, piece) == MANYHASH_OK);
            fed++;
        }
        CHECK(manyhash_jobs_poll(jobs) == MANYHASH_OK);
    }
    CHECK(manyhash_job_feed(given_up, "lost", 4, NULL, NULL) == MANYHASH_OK);
    manyhash_job_free(given_up);
    for (i = 0; i < COUNT; i++) {
        CHECK(manyhash_job_finish(open[i]) == MANYHASH_OK);
    }
    CHECK(manyhash_jobs_flush(jobs) == MANYHASH_OK);
    CHECK(manyhash_jobs_flush(jobs) == MANYHASH_OK);
    CHECK(done == COUNT + 1 && released == fed);

    /* Jobs that are not finished go with the table, and their pieces are released. */
    if (key != NULL) {
        manyhash_bytes message = {"abc", 3};
        uint8_t *piece = (uint8_t *)malloc(1000);
        memset(piece, 0, 1000);
        CHECK(manyhash_tag_many(key, &message, 1, expected, 1) == MANYHASH_OK);
        CHECK(manyhash_job_open(jobs, key, (void *)0, &open[0]) == MANYHASH_OK);
        CHECK(manyhash_job_feed(open[0], "abc", 3, NULL, NULL) == MANYHASH_OK);
        CHECK(manyhash_job_finish(open[0]) == MANYHASH_OK);
        CHECK(manyhash_jobs_flush(jobs) == MANYHASH_OK);
        CHECK(done == COUNT + 2);
        CHECK(manyhash_job_open(jobs, key, NULL, &open[0]) == MANYHASH_OK);
        CHECK(manyhash_job_open(jobs, NULL, NULL, &open[1]) == MANYHASH_OK);
        CHECK(manyhash_job_feed(open[1], piece, 1000, release, piece) == MANYHASH_OK);
    }
    manyhash_jobs_free(jobs);
    CHECK(key == NULL || released == fed + 1);
    jobs = NULL;
}

static void misuse(void) {
    uint8_t digest[64];
    int64_t falling[3] = {0, 5, 4}, negative[3] = {-1, 0, 0};
    manyhash_bytes impossible = {NULL, 1};
    manyhash_bytes huge = {"", SIZE_MAX};
    manyhash_hasher *hasher = NULL;
    manyhash_key *key = NULL, *other = NULL;
    manyhash_jobs *table = NULL;
    manyhash_job *job = NULL;
    const manyhash_algorithm unknown[3] = {(manyhash_algorithm)0, (manyhash_algorithm)19, (manyhash_algorithm)-1};
    int i;
    for (i = 0; i < 3; i++) {
        CHECK(manyhash_digest_size(unknown[i]) == 0 && manyhash_backend(unknown[i]) == NULL);
        CHECK(manyhash_hash(unknown[i], "abc", 3, digest) == MANYHASH_BAD_ARGUMENT);
        CHECK(manyhash_hasher_new(unknown[i], &hasher) == MANYHASH_BAD_ARGUMENT && hasher == NULL);
        CHECK(manyhash_key_new(unknown[i], "abc", 3, &key) == MANYHASH_BAD_ARGUMENT && key == NULL);
        CHECK(manyhash_jobs_new(unknown[i], is_done, NULL, &table) == MANYHASH_BAD_ARGUMENT && table == NULL);
    }
    CHECK(manyhash_hash(MANYHASH_SHA256, NULL, 0, digest) == MANYHASH_OK);
    CHECK(manyhash_hash(MANYHASH_SHA256, NULL, 1, digest) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash(MANYHASH_SHA256, "abc", 3, NULL) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_many(MANYHASH_SHA256, NULL, 0, NULL, 1) == MANYHASH_OK);
    CHECK(manyhash_hash_many(MANYHASH_SHA256, NULL, 1, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_many(MANYHASH_SHA256, &impossible, 1, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_many(MANYHASH_SHA256, &huge, 1, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_many(MANYHASH_SHA256, messages, COUNT, NULL, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_many(MANYHASH_SHA256, messages, SIZE_MAX / 2, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_contiguous(MANYHASH_SHA256, "abcdef", falling, 2, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_contiguous(MANYHASH_SHA256, "abcdef", negative, 2, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_contiguous(MANYHASH_SHA256, NULL, falling, 1, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_contiguous(MANYHASH_SHA256, "abcdef", NULL, 1, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_contiguous(MANYHASH_SHA256, "abcdef", falling, SIZE_MAX, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hash_contiguous(MANYHASH_SHA256, NULL, NULL, 0, NULL, 1) == MANYHASH_OK);

    CHECK(manyhash_hasher_new(MANYHASH_SHA256, NULL) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hasher_update(NULL, "abc", 3) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hasher_finish(NULL, digest) == MANYHASH_BAD_ARGUMENT);
    manyhash_hasher_free(NULL);
    CHECK(manyhash_hasher_new(MANYHASH_SHA256, &hasher) == MANYHASH_OK);
    CHECK(manyhash_hasher_update(hasher, NULL, 3) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hasher_update(hasher, NULL, 0) == MANYHASH_OK);
    CHECK(manyhash_hasher_finish(hasher, NULL) == MANYHASH_BAD_ARGUMENT);
    /* Another object, or the inside of one. */
    CHECK(manyhash_tag_many((manyhash_key *)hasher, messages, 1, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hasher_update((manyhash_hasher *)((char *)hasher + 1), "abc", 3) == MANYHASH_BAD_ARGUMENT);

    CHECK(manyhash_key_new(MANYHASH_SHA256, NULL, 5, &key) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_key_new(MANYHASH_SHA256, "abc", 3, NULL) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_tag_many(NULL, messages, 1, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_verify_many(NULL, messages, messages, 1, digest) == MANYHASH_BAD_ARGUMENT);
    manyhash_key_free(NULL);
    CHECK(manyhash_key_new(MANYHASH_SHA256, "abc", 3, &key) == MANYHASH_OK);
    CHECK(manyhash_key_new(MANYHASH_SHA512, "abc", 3, &other) == MANYHASH_OK);
    CHECK(manyhash_tag_many(key, messages, COUNT, NULL, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_verify_many(key, messages, NULL, 1, digest) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_verify_many(key, messages, messages, 1, NULL) == MANYHASH_BAD_ARGUMENT);

    CHECK(manyhash_jobs_new(MANYHASH_SHA256, NULL, NULL, &table) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_jobs_new(MANYHASH_SHA256, is_done, NULL, NULL) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_jobs_poll(NULL) == MANYHASH_BAD_ARGUMENT && manyhash_jobs_flush(NULL) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_job_finish(NULL) == MANYHASH_BAD_ARGUMENT);
    manyhash_jobs_free(NULL);
    manyhash_job_free(NULL);
    CHECK(manyhash_jobs_new(MANYHASH_SHA256, is_done, NULL, &table) == MANYHASH_OK);
    CHECK(manyhash_job_open(NULL, NULL, NULL, &job) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_job_open(table, NULL, NULL, NULL) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_job_open(table, other, NULL, &job) == MANYHASH_BAD_ARGUMENT && job == NULL);
    CHECK(manyhash_job_open(table, NULL, NULL, &job) == MANYHASH_OK);
    released = 0;
    CHECK(manyhash_job_feed(job, NULL, 3, release, malloc(1)) == MANYHASH_BAD_ARGUMENT && released == 1);
    CHECK(manyhash_job_feed(job, "abc", 3, NULL, NULL) == MANYHASH_OK);
    manyhash_jobs_free(table);
    manyhash_key_free(key);
    manyhash_key_free(other);
    manyhash_hasher_free(hasher);
}

/* What the owner of a piece does with the job when that piece is not needed any more. */
enum { FEEDS, FINISHES, FREES, FREES_ALL };

typedef struct owner {
    manyhash_jobs *jobs;
    manyhash_job *job;
    int does;
} owner;

static void release_uses(void *pointer) {
    owner *of = (owner *)pointer;
    released++;
    switch (of->does) {
    case FEEDS:
        CHECK(manyhash_job_feed(of->job, "c", 1, release, NULL) == MANYHASH_OK);
        break;
    case FINISHES:
        CHECK(manyhash_job_finish(of->job) == MANYHASH_OK);
        break;
    case FREES:
        manyhash_job_free(of->job);
        break;
    default:
        manyhash_jobs_free(of->jobs);
        break;
    }
}

static int heard = 0;

static void hears(void *context, void *handle, const uint8_t *digest) {
    (void)context;
    CHECK(handle == &heard && digest[0] == 0xBA && digest[31] == 0xAD);
    heard++;
}

static void owners(void) {
    owner of = {NULL, NULL, FEEDS};
    int does;
    for (does = FEEDS; does <= FREES_ALL; does++) {
        of.does = does;
        released = heard = 0;
        CHECK(manyhash_jobs_new(MANYHASH_SHA256, hears, NULL, &of.jobs) == MANYHASH_OK);
        CHECK(manyhash_job_open(of.jobs, NULL, &heard, &of.job) == MANYHASH_OK);
        CHECK(manyhash_job_feed(of.job, does == FINISHES ? "abc" : "ab", does == FINISHES ? 3 : 2, release_uses, &of) == MANYHASH_OK);
        CHECK(released == (does == FEEDS ? 2 : 1));
        CHECK(manyhash_job_finish(of.job) == (does == FEEDS ? MANYHASH_OK : MANYHASH_BAD_ARGUMENT));
        CHECK(manyhash_jobs_flush(of.jobs) == (does == FREES_ALL ? MANYHASH_BAD_ARGUMENT : MANYHASH_OK));
        CHECK(heard == (does <= FINISHES));
        manyhash_jobs_free(of.jobs);
    }
}

/* What was freed or finished is told from what is there. */
static void freed(void) {
    uint8_t digest[64];
    manyhash_hasher *hasher = NULL;
    manyhash_key *key = NULL;
    manyhash_jobs *table = NULL;
    manyhash_job *job = NULL, *finished = NULL, *none = NULL;
    released = 0;
    CHECK(manyhash_hasher_new(MANYHASH_SHA256, &hasher) == MANYHASH_OK);
    manyhash_hasher_free(hasher);
    CHECK(manyhash_hasher_update(hasher, "abc", 3) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_hasher_finish(hasher, digest) == MANYHASH_BAD_ARGUMENT);
    manyhash_hasher_free(hasher);

    CHECK(manyhash_jobs_new(MANYHASH_SHA256, is_done, NULL, &table) == MANYHASH_OK);
    CHECK(manyhash_key_new(MANYHASH_SHA256, "abc", 3, &key) == MANYHASH_OK);
    manyhash_key_free(key);
    CHECK(manyhash_tag_many(key, messages, COUNT, digest, 1) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_verify_many(key, messages, messages, COUNT, digest) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_job_open(table, key, NULL, &none) == MANYHASH_BAD_ARGUMENT && none == NULL);
    manyhash_key_free(key);

    CHECK(manyhash_job_open(table, NULL, NULL, &job) == MANYHASH_OK && manyhash_job_open(table, NULL, NULL, &finished) == MANYHASH_OK);
    CHECK(manyhash_job_finish(finished) == MANYHASH_OK);
    CHECK(manyhash_job_feed(finished, "x", 1, release, NULL) == MANYHASH_BAD_ARGUMENT && released == 0);
    CHECK(manyhash_job_finish(finished) == MANYHASH_BAD_ARGUMENT);
    manyhash_job_free(finished);
    manyhash_jobs_free(table);
    CHECK(manyhash_job_feed(job, "x", 1, release, NULL) == MANYHASH_BAD_ARGUMENT && released == 0);
    CHECK(manyhash_job_finish(job) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_job_open(table, NULL, NULL, &none) == MANYHASH_BAD_ARGUMENT && none == NULL);
    CHECK(manyhash_jobs_poll(table) == MANYHASH_BAD_ARGUMENT && manyhash_jobs_flush(table) == MANYHASH_BAD_ARGUMENT);
    manyhash_jobs_free(table);
}

#ifndef _WIN32
/* What a thread has that made none of it. */
typedef struct strange {
    manyhash_jobs *jobs;
    manyhash_job *job;
    const manyhash_key *key;
} strange;

static void *in_another_thread(void *argument) {
    const strange *of_others = (const strange *)argument;
    manyhash_job *job = NULL;
    manyhash_bytes message = {"abc", 3};
    uint8_t tag[64];
    /* A key is everybody's. */
    CHECK(manyhash_tag_many(of_others->key, &message, 1, tag, 1) == MANYHASH_OK);
    CHECK(manyhash_job_open(of_others->jobs, NULL, &heard, &job) == MANYHASH_BAD_ARGUMENT && job == NULL);
    CHECK(manyhash_job_feed(of_others->job, "x", 1, release, NULL) == MANYHASH_BAD_ARGUMENT && released == 0);
    CHECK(manyhash_job_finish(of_others->job) == MANYHASH_BAD_ARGUMENT);
    CHECK(manyhash_jobs_poll(of_others->jobs) == MANYHASH_BAD_ARGUMENT && manyhash_jobs_flush(of_others->jobs) == MANYHASH_BAD_ARGUMENT);
    manyhash_job_free(of_others->job);
    manyhash_jobs_free(of_others->jobs);
    return NULL;
}

/* Jobs are of one thread: others change nothing, and free nothing. */
static void threads(void) {
    pthread_t thread;
    strange ours = {NULL, NULL, NULL};
    manyhash_key *key = NULL;
    released = heard = 0;
    CHECK(manyhash_key_new(MANYHASH_SHA256, "abc", 3, &key) == MANYHASH_OK);
    CHECK(manyhash_jobs_new(MANYHASH_SHA256, hears, NULL, &ours.jobs) == MANYHASH_OK);
    CHECK(manyhash_job_open(ours.jobs, NULL, &heard, &ours.job) == MANYHASH_OK);
    CHECK(manyhash_job_feed(ours.job, "ab", 2, NULL, NULL) == MANYHASH_OK);
    ours.key = key;
    CHECK(pthread_create(&thread, NULL, in_another_thread, &ours) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(manyhash_job_feed(ours.job, "c", 1, NULL, NULL) == MANYHASH_OK);
    CHECK(manyhash_job_finish(ours.job) == MANYHASH_OK);
    CHECK(manyhash_jobs_flush(ours.jobs) == MANYHASH_OK && heard == 1);
    manyhash_jobs_free(ours.jobs);
    manyhash_key_free(key);
}
#endif

static void backends(void) {
    uint8_t digest[64];
    char name[64];
    CHECK(manyhash_force_backend("abacus") == MANYHASH_NO_BACKEND);
    CHECK(manyhash_force_backend("\xff") == MANYHASH_NO_BACKEND);
    CHECK(manyhash_force_backend("portable") == MANYHASH_OK);
    CHECK(strcmp(manyhash_backend(MANYHASH_SHA256), "portable") == 0);
    CHECK(manyhash_hash(MANYHASH_SHA256, "abc", 3, digest) == MANYHASH_OK && digest[0] == 0xBA);
    CHECK(manyhash_force_backend(NULL) == MANYHASH_OK);
    strncpy(name, manyhash_backend(MANYHASH_SHA256), sizeof name - 1);
    name[sizeof name - 1] = 0;
    CHECK(manyhash_force_backend("portable") == MANYHASH_OK && manyhash_force_backend("") == MANYHASH_OK);
    CHECK(strcmp(manyhash_backend(MANYHASH_SHA256), name) == 0);
}

int main(void) {
    manyhash_key *key = NULL;
    int status;
    CHECK(manyhash_abi() == MANYHASH_ABI);
    CHECK(strchr(manyhash_version(), '.') != NULL);
    for (status = MANYHASH_OK; status <= MANYHASH_BUG; status++) {
        CHECK(strlen(manyhash_message((manyhash_status)status)) > 3);
    }
    CHECK(manyhash_message((manyhash_status)77) != NULL);
    make_messages();
    backends();
    digests();
    tags();
    CHECK(manyhash_key_new(MANYHASH_SHA1, "a key", 5, &key) == MANYHASH_OK);
    pieces(MANYHASH_SHA1, key);
    manyhash_key_free(key);
    pieces(MANYHASH_SHA3_512, NULL);
    pieces(MANYHASH_BLAKE3, NULL);
    misuse();
    owners();
    freed();
#ifndef _WIN32
    threads();
#endif
    if (failures == 0) {
        puts("fine");
    }
    return failures != 0;
}
