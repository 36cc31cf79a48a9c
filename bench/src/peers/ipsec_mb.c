/* What ipsec_mb.rs calls of intel-ipsec-mb: its jobs are C structures whose layout changes between versions. */
#define NO_COMPAT_IMB_API_053 /* old names that collide with other libraries' */
#include <intel-ipsec-mb.h>
#include <stddef.h>

#if IMB_VERSION_NUM < IMB_VERSION(1, 3, 0)
#error "intel-ipsec-mb before 1.3 hashes no plain SHA messages at once"
#endif

struct message {
    const uint8_t *bytes;
    size_t length;
};

/* What HMAC starts from: states after the inner and the outer block of a key, in the order of words the library wants. */
struct key {
    _Alignas(16) uint8_t inner[64];
    _Alignas(16) uint8_t outer[64];
};

/* keys: NULL for digests; for tags one key, or with a key_step of 1 a key for each message. */
struct batch {
    size_t digest_bytes;
    const struct key *keys;
    size_t key_step;
    const struct message *messages;
    size_t count;
    uint8_t *digests;
};

/* NULL if this CPU, or the memory, does not do. */
IMB_MGR *ipsec_mb_manager(void)
{
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager == NULL)
        return NULL;
    init_mb_mgr_auto(manager, NULL);
    if (imb_get_errno(manager) == 0)
        return manager;
    free_mb_mgr(manager);
    return NULL;
}

const char *ipsec_mb_kernels(const IMB_MGR *manager)
{
    switch (manager->used_arch) {
    case IMB_ARCH_SSE: return "SSE";
    case IMB_ARCH_AVX: return "AVX";
    case IMB_ARCH_AVX2: return "AVX2";
    case IMB_ARCH_AVX512: return "AVX-512";
    default: return "other";
    }
}

static void one_block(IMB_MGR *manager, size_t digest_bytes, const uint8_t *block, uint8_t *state)
{
    switch (digest_bytes) {
    case 16: IMB_MD5_ONE_BLOCK(manager, block, state); break;
    case 20: IMB_SHA1_ONE_BLOCK(manager, block, state); break;
    case 32: IMB_SHA256_ONE_BLOCK(manager, block, state); break;
    default: IMB_SHA512_ONE_BLOCK(manager, block, state); break;
    }
}

/* secret: no longer than a block of the algorithm. */
void ipsec_mb_key(IMB_MGR *manager, size_t digest_bytes, const uint8_t *secret, size_t secret_bytes, struct key *key)
{
    uint8_t inner[IMB_SHA_512_BLOCK_SIZE], outer[IMB_SHA_512_BLOCK_SIZE];
    for (size_t i = 0; i < sizeof inner; i++) {
        uint8_t byte = i < secret_bytes ? secret[i] : 0;
        inner[i] = byte ^ 0x36;
        outer[i] = byte ^ 0x5c;
    }
    one_block(manager, digest_bytes, inner, key->inner);
    one_block(manager, digest_bytes, outer, key->outer);
}

static IMB_HASH_ALG algorithm(const struct batch *batch)
{
    int tags = batch->keys != NULL;
    switch (batch->digest_bytes) {
    case 16: return IMB_AUTH_MD5; /* of HMAC: plain MD5 there is none */
    case 20: return tags ? IMB_AUTH_HMAC_SHA_1 : IMB_AUTH_SHA_1;
    case 32: return tags ? IMB_AUTH_HMAC_SHA_256 : IMB_AUTH_SHA_256;
    default: return tags ? IMB_AUTH_HMAC_SHA_512 : IMB_AUTH_SHA_512;
    }
}

static void fill(IMB_JOB *job, IMB_HASH_ALG algorithm, const struct batch *batch, size_t i)
{
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = algorithm;
    job->src = batch->messages[i].bytes;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = batch->messages[i].length;
    job->auth_tag_output = batch->digests + i * batch->digest_bytes;
    job->auth_tag_output_len_in_bytes = batch->digest_bytes;
    if (batch->keys != NULL) {
        const struct key *key = &batch->keys[i * batch->key_step];
        job->u.HMAC._hashed_auth_key_xor_ipad = key->inner;
        job->u.HMAC._hashed_auth_key_xor_opad = key->outer;
    }
}

/* Both return how many messages were hashed. */
size_t ipsec_mb_jobs(IMB_MGR *manager, const struct batch *batch)
{
    IMB_HASH_ALG hash = algorithm(batch);
    size_t completed = 0;
    IMB_JOB *job;
    for (size_t i = 0; i < batch->count; i++) {
        fill(IMB_GET_NEXT_JOB(manager), hash, batch, i);
        for (job = IMB_SUBMIT_JOB_NOCHECK(manager); job != NULL; job = IMB_GET_COMPLETED_JOB(manager))
            completed += job->status == IMB_STATUS_COMPLETED;
    }
    while ((job = IMB_FLUSH_JOB(manager)) != NULL)
        completed += job->status == IMB_STATUS_COMPLETED;
    return completed;
}

/* IMB_QUEUE_SIZE and IMB_FLUSH_BURST miscount a queue that wraps around (1.3.0): the count is kept here, and jobs are flushed singly. */
size_t ipsec_mb_bursts(IMB_MGR *manager, const struct batch *batch)
{
    IMB_JOB *jobs[IMB_MAX_BURST_SIZE];
    IMB_HASH_ALG hash = algorithm(batch);
    size_t completed = 0, next = 0;
    while (next < batch->count) {
        size_t left = batch->count - next;
        uint32_t burst = left < IMB_MAX_BURST_SIZE ? (uint32_t)left : IMB_MAX_BURST_SIZE;
        while (next - completed + burst >= IMB_MAX_JOBS && IMB_FLUSH_JOB(manager) != NULL)
            completed++;
        burst = IMB_GET_NEXT_BURST(manager, burst, jobs);
        for (uint32_t i = 0; i < burst; i++, next++)
            fill(jobs[i], hash, batch, next);
        completed += IMB_SUBMIT_BURST_NOCHECK(manager, burst, jobs);
    }
    while (IMB_FLUSH_JOB(manager) != NULL)
        completed++;
    return completed;
}
