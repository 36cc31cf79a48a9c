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

static void fill(IMB_JOB *job, size_t digest_bytes, const struct message *message, uint8_t *digest)
{
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = digest_bytes == 20 ? IMB_AUTH_SHA_1 : digest_bytes == 32 ? IMB_AUTH_SHA_256 : IMB_AUTH_SHA_512;
    job->src = message->bytes;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = message->length;
    job->auth_tag_output = digest;
    job->auth_tag_output_len_in_bytes = digest_bytes;
}

/* Both return how many messages were hashed. */
size_t ipsec_mb_jobs(IMB_MGR *manager, size_t digest_bytes, const struct message *messages, size_t count, uint8_t *digests)
{
    size_t completed = 0;
    IMB_JOB *job;
    for (size_t i = 0; i < count; i++) {
        fill(IMB_GET_NEXT_JOB(manager), digest_bytes, &messages[i], digests + i * digest_bytes);
        for (job = IMB_SUBMIT_JOB_NOCHECK(manager); job != NULL; job = IMB_GET_COMPLETED_JOB(manager))
            completed += job->status == IMB_STATUS_COMPLETED;
    }
    while ((job = IMB_FLUSH_JOB(manager)) != NULL)
        completed += job->status == IMB_STATUS_COMPLETED;
    return completed;
}

/* IMB_QUEUE_SIZE and IMB_FLUSH_BURST miscount a queue that wraps around (1.3.0): the count is kept here, and jobs are flushed singly. */
size_t ipsec_mb_bursts(IMB_MGR *manager, size_t digest_bytes, const struct message *messages, size_t count, uint8_t *digests)
{
    IMB_JOB *jobs[IMB_MAX_BURST_SIZE];
    size_t completed = 0, next = 0;
    while (next < count) {
        size_t left = count - next;
        uint32_t burst = left < IMB_MAX_BURST_SIZE ? (uint32_t)left : IMB_MAX_BURST_SIZE;
        while (next - completed + burst >= IMB_MAX_JOBS && IMB_FLUSH_JOB(manager) != NULL)
            completed++;
        burst = IMB_GET_NEXT_BURST(manager, burst, jobs);
        for (uint32_t i = 0; i < burst; i++, next++)
            fill(jobs[i], digest_bytes, &messages[next], digests + next * digest_bytes);
        completed += IMB_SUBMIT_BURST_NOCHECK(manager, burst, jobs);
    }
    while (IMB_FLUSH_JOB(manager) != NULL)
        completed++;
    return completed;
}
