/* The calls for one algorithm; isa_l.c includes this file for each, with these macros:
   NAME: the algorithm in names of functions, and a prefix of ours;
   TYPE(suffix), CALL(suffix): the names of the library for types and constants, and for functions;
   STORE: writes the words of a digest as bytes;
   DIGEST_BYTES: as many as those are. */

/* A message on its way through the manager, in the one lane it can have. */
struct NAME(slot) {
    TYPE(HASH_CTX) context;
    const struct NAME(key) *key; /* NULL for a digest */
    int is_outer;                /* for a tag: what is hashed is the inner digest */
    uint8_t inner[DIGEST_BYTES];
    uint8_t *digest;
};

/* Contexts after the inner and the outer block of a key: HMAC goes on with copies of them. */
struct NAME(key) {
    TYPE(HASH_CTX) inner;
    TYPE(HASH_CTX) outer;
};

/* Slots are all unused between calls. As many as there are lanes, and the one that is submitted, are enough, and they stay in the cache. */
struct NAME(state) {
    TYPE(HASH_CTX_MGR) manager;
    struct NAME(slot) slots[TYPE(MAX_LANES) + 1];
    struct NAME(slot) *unused[TYPE(MAX_LANES) + 1];
    size_t unused_count;
    struct NAME(key) *keys; /* NULL for digests */
    size_t key_step;        /* 0: one key for all messages; 1: a key for each */
};

void NAME(free)(void *memory)
{
    struct NAME(state) *state = memory;
    free(state->keys);
    free(state);
}

void *NAME(new)(void)
{
    struct NAME(state) *state = aligned(sizeof(struct NAME(state)));
    if (state == NULL)
        return NULL;
    if (CALL(ctx_mgr_init)(&state->manager) != 0) {
        free(state);
        return NULL;
    }
    while (state->unused_count <= TYPE(MAX_LANES)) {
        struct NAME(slot) *slot = &state->slots[state->unused_count];
        isal_hash_ctx_init(&slot->context);
        state->unused[state->unused_count++] = slot;
    }
    return state;
}

/* Hashes a block of a key: the secret, which is no longer than that, and zeros, each byte changed by `change`. */
static int NAME(key_block)(struct NAME(state) *state, TYPE(HASH_CTX) *context, const uint8_t *secret, size_t secret_bytes, uint8_t change)
{
    uint8_t block[TYPE(BLOCK_SIZE)];
    TYPE(HASH_CTX) *completed;
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (i < secret_bytes ? secret[i] : 0) ^ change;
    isal_hash_ctx_init(context);
    if (CALL(ctx_mgr_submit)(&state->manager, context, &completed, block, sizeof block, ISAL_HASH_FIRST) != 0)
        return 0;
    if (completed == NULL && CALL(ctx_mgr_flush)(&state->manager, &completed) != 0)
        return 0;
    return completed == context;
}

/* Tags under these keys from here on: one for all messages, or as many as messages. Whether that is done. */
int NAME(set_keys)(void *memory, const uint8_t *secrets, size_t secret_bytes, size_t count)
{
    struct NAME(state) *state = memory;
    state->keys = aligned(count * sizeof(struct NAME(key)));
    state->key_step = count > 1;
    int is_done = state->keys != NULL;
    for (size_t i = 0; is_done && i < count; i++) {
        const uint8_t *secret = secrets + i * secret_bytes;
        is_done = NAME(key_block)(state, &state->keys[i].inner, secret, secret_bytes, 0x36) &&
                  NAME(key_block)(state, &state->keys[i].outer, secret, secret_bytes, 0x5c);
    }
    clean_upper_halves();
    return is_done;
}

/* Takes what the manager gave back, which for a tag may only be the inner digest. How many messages are done by that. */
static size_t NAME(take)(struct NAME(state) *state, TYPE(HASH_CTX) *completed)
{
    while (completed != NULL) {
        struct NAME(slot) *slot = completed->user_data;
        if (slot->key == NULL || slot->is_outer) {
            STORE(slot->digest, completed->job.result_digest);
            state->unused[state->unused_count++] = slot;
            return 1;
        }
        STORE(slot->inner, completed->job.result_digest);
        slot->is_outer = 1;
        *completed = slot->key->outer;
        completed->user_data = slot;
        if (CALL(ctx_mgr_submit)(&state->manager, completed, &completed, slot->inner, DIGEST_BYTES, ISAL_HASH_LAST) != 0)
            return 0;
    }
    return 0;
}

/* How many messages were hashed. */
size_t NAME(hash_many)(void *memory, const struct batch *batch)
{
    struct NAME(state) *state = memory;
    TYPE(HASH_CTX) *completed;
    size_t hashed = 0;
    for (size_t i = 0; i < batch->count && state->unused_count > 0; i++) {
        struct NAME(slot) *slot = state->unused[--state->unused_count];
        const struct message *message = &batch->messages[i];
        ISAL_HASH_CTX_FLAG flag = ISAL_HASH_ENTIRE;
        slot->digest = batch->digests + i * DIGEST_BYTES;
        if (state->keys != NULL) {
            slot->key = &state->keys[i * state->key_step];
            slot->is_outer = 0;
            slot->context = slot->key->inner;
            flag = ISAL_HASH_LAST;
        }
        slot->context.user_data = slot;
        if (CALL(ctx_mgr_submit)(&state->manager, &slot->context, &completed, message->bytes, (uint32_t)message->length, flag) != 0)
            return hashed;
        hashed += NAME(take)(state, completed);
    }
    while (CALL(ctx_mgr_flush)(&state->manager, &completed) == 0 && completed != NULL)
        hashed += NAME(take)(state, completed);
    clean_upper_halves();
    return hashed;
}

#undef NAME
#undef TYPE
#undef CALL
#undef STORE
#undef DIGEST_BYTES
