/* Where memory ends, a call of many messages says so, or is done with what there is; it never ends the process. Linux. */
#include "manyhash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 300000, MOST_BYTES = 2000, DIGEST_BYTES = 32 };

static manyhash_bytes messages[COUNT];
static uint8_t digests[COUNT * DIGEST_BYTES];
static uint8_t bytes[MOST_BYTES];

enum call { HASHES, TAGS, VERIFIES };

/* What this process has of the address space, in bytes. */
static rlim_t used(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1) {
        exit(99);
    }
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* The status of a call with so much more memory; -1 if it ended the process. */
static int status_with(rlim_t more, enum call call, const manyhash_key *key) {
    int ended;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit;
        limit.rlim_cur = limit.rlim_max = used() + more;
        setrlimit(RLIMIT_AS, &limit);
        _exit(call == HASHES ? (int)manyhash_hash_many(MANYHASH_SHA256, messages, COUNT, digests, 1)
              : call == TAGS ? (int)manyhash_tag_many(key, messages, COUNT, digests, 1)
                             : (int)manyhash_verify_many(key, messages, messages, COUNT, digests));
    }
    return child < 0 || waitpid(child, &ended, 0) != child || !WIFEXITED(ended) ? -1 : WEXITSTATUS(ended);
}

int main(void) {
    manyhash_key *key = NULL;
    size_t i;
    int call, refused, status;
    rlim_t more;
    memset(bytes, 7, sizeof bytes);
    for (i = 0; i < COUNT; i++) {
        messages[i].data = bytes;
        messages[i].size = i * 7919 % MOST_BYTES;
    }
    /* The first call finds out what the CPU has. */
    if (manyhash_hash_many(MANYHASH_SHA256, messages, 100, digests, 1) != MANYHASH_OK ||
        manyhash_key_new(MANYHASH_SHA256, "abc", 3, &key) != MANYHASH_OK) {
        return 1;
    }
    for (call = HASHES; call <= TAGS; call++) {
        refused = 0;
        status = MANYHASH_NO_MEMORY;
        for (more = 0; status == MANYHASH_NO_MEMORY && more < (rlim_t)256 << 20; more += 1 << 20) {
            status = status_with(more, (enum call)call, key);
            refused += status == MANYHASH_NO_MEMORY;
        }
        if (refused == 0 || status != MANYHASH_OK) {
            printf("refused %d times, then status %d\n", refused, status);
            return 1;
        }
    }
    /* Messages are checked some at a time, in little memory however many there are. None of these is its own tag. */
    status = status_with((rlim_t)4 << 20, VERIFIES, key);
    if (status != MANYHASH_MISMATCH) {
        printf("to verify: status %d\n", status);
        return 1;
    }
    manyhash_key_free(key);
    puts("fine");
    return 0;
}
