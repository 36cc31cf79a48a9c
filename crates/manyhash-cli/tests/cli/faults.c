/* Preloaded into the program under test: what disks and other processes do to a file, at a defined moment.
 *
 * FAULT=KIND:NAME:BYTES concerns files opened by a path that ends in NAME:
 *   eio       reading fails once BYTES bytes were read, and so do pages that are mapped behind so many bytes
 *   grow      BYTES bytes are appended once reading has begun, or more than a page has been mapped
 *   truncate  it is cut to BYTES bytes then
 *   shrink    it is cut to BYTES bytes once more than a page of it has been mapped
 *   ask       it is cut to BYTES bytes once its size was asked for
 *   vanish    it is removed just before it is opened
 *   replace   it is replaced by a file of BYTES bytes just before it is opened
 *   slow      a read gives at most BYTES bytes, and every other one is interrupted by a signal
 * Two concern no file:
 *   FAULT=threads:all:N  only N threads can be started
 *   FAULT=clock:all:N    the clock is N seconds ahead of that of the file systems
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FILES = 4096 };

static struct {
    int is_faulty;
    long read_bytes;
    long reads;
    char path[4096];
} files[MAX_FILES];

static char kind[16], name[256];
static long limit;

__attribute__((constructor)) static void read_fault(void) {
    const char *fault = getenv("FAULT");
    if (fault) sscanf(fault, "%15[^:]:%255[^:]:%ld", kind, name, &limit);
}

static int is(const char *text) { return strcmp(kind, text) == 0; }

static int is_faulty(const char *path) {
    size_t length = strlen(path), wanted = strlen(name);
    return wanted > 0 && length >= wanted && strcmp(path + length - wanted, name) == 0;
}

static int open_with(const char *symbol, const char *path, int flags, mode_t mode) {
    int (*open_really)(const char *, int, ...) = dlsym(RTLD_NEXT, symbol);
    int faulty = is_faulty(path);
    if (faulty && is("vanish")) unlink(path);
    if (faulty && is("replace")) {
        char other[4200];
        snprintf(other, sizeof other, "%s.other", path);
        int file = open_really(other, O_CREAT | O_WRONLY, 0666);
        ftruncate(file, limit);
        close(file);
        rename(other, path);
    }
    int file = open_really(path, flags, mode);
    if (file >= 0 && file < MAX_FILES) {
        files[file].is_faulty = faulty;
        files[file].read_bytes = files[file].reads = 0;
        snprintf(files[file].path, sizeof files[file].path, "%s", path);
    }
    return file;
}

#define OPEN(symbol) \
    int symbol(const char *path, int flags, ...) { \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = (flags & O_CREAT) ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        return open_with(#symbol, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *what) {
    int (*create_really)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    if (is("threads") && __atomic_sub_fetch(&limit, 1, __ATOMIC_SEQ_CST) < 0) return EAGAIN;
    return create_really(thread, attributes, work, what);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int (*ask_really)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int result = ask_really(clock, time);
    if (is("clock") && clock == CLOCK_REALTIME && result == 0) time->tv_sec += limit;
    return result;
}

#define SEEK(symbol) \
    off_t symbol(int file, off_t at, int whence) { \
        off_t (*seek_really)(int, off_t, int) = dlsym(RTLD_NEXT, #symbol); \
        off_t result = seek_really(file, at, whence); \
        if (is("ask") && whence == SEEK_END && file >= 0 && file < MAX_FILES && files[file].is_faulty) truncate(files[file].path, limit); \
        return result; \
    }
SEEK(lseek)
SEEK(lseek64)

/* What happens once reading has begun. */
static void change(int file) {
    if (is("grow")) {
        int (*open_really)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
        int other = open_really(files[file].path, O_WRONLY | O_APPEND);
        for (long i = 0; i < limit; i++) write(other, "+", 1);
        close(other);
    }
    if (is("truncate")) truncate(files[file].path, limit);
}

typedef ssize_t reading(int file, void *buffer, size_t bytes, off_t at);

static ssize_t read_with(reading *read_really, int file, void *buffer, size_t bytes, off_t at) {
    if (file < 0 || file >= MAX_FILES || !files[file].is_faulty) return read_really(file, buffer, bytes, at);
    if (is("eio")) {
        long left = limit - files[file].read_bytes;
        if (left <= 0) {
            errno = EIO;
            return -1;
        }
        if (bytes > (size_t)left) bytes = (size_t)left;
    }
    if (is("slow")) {
        if (files[file].reads++ % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        if (bytes > (size_t)limit) bytes = (size_t)limit;
    }
    ssize_t result = read_really(file, buffer, bytes, at);
    if (files[file].read_bytes == 0) change(file);
    if (result > 0) files[file].read_bytes += result;
    return result;
}

static ssize_t read_in_order(int file, void *buffer, size_t bytes, off_t at) {
    ssize_t (*read_really)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    return read_really(file, buffer, bytes);
}

ssize_t read(int file, void *buffer, size_t bytes) { return read_with(read_in_order, file, buffer, bytes, 0); }

#define READ_AT(symbol) \
    static ssize_t really_##symbol(int file, void *buffer, size_t bytes, off_t at) { \
        reading *read_really = (reading *)dlsym(RTLD_NEXT, #symbol); \
        return read_really(file, buffer, bytes, at); \
    } \
    ssize_t symbol(int file, void *buffer, size_t bytes, off_t at) { return read_with(really_##symbol, file, buffer, bytes, at); }
READ_AT(pread)
READ_AT(pread64)

enum { PAGE_BYTES = 4096 };

static void *map_with(const char *symbol, void *start, size_t bytes, int protection, int flags, int file, off_t at) {
    void *(*map_really)(void *, size_t, int, int, int, off_t) = dlsym(RTLD_NEXT, symbol);
    char *mapped = map_really(start, bytes, protection, flags, file, at);
    if (mapped == MAP_FAILED || file < 0 || file >= MAX_FILES || !files[file].is_faulty) return mapped;
    if (is("eio")) {
        long left = limit > files[file].read_bytes ? limit - files[file].read_bytes : 0;
        size_t good = (size_t)left / PAGE_BYTES * PAGE_BYTES;
        if (good < bytes) {
            /* There is nothing behind the end of an empty file: touching such a page is the fault of a disk that fails. */
            int empty = memfd_create("empty", 0);
            map_really(mapped + good, bytes - good, protection, MAP_PRIVATE | MAP_FIXED, empty, 0);
            close(empty);
        }
        files[file].read_bytes += (size_t)left < bytes ? left : (long)bytes;
    }
    if (bytes > PAGE_BYTES && files[file].read_bytes == 0) change(file);
    if (bytes > PAGE_BYTES && is("shrink")) truncate(files[file].path, limit);
    if (!is("eio")) files[file].read_bytes += (long)bytes;
    return mapped;
}

#define MAP(symbol) \
    void *symbol(void *start, size_t bytes, int protection, int flags, int file, off_t at) { \
        return map_with(#symbol, start, bytes, protection, flags, file, at); \
    }
MAP(mmap)
MAP(mmap64)

/* What fails is in memory until it is touched. */
int mincore(void *start, size_t bytes, unsigned char *pages) {
    int (*ask_really)(void *, size_t, unsigned char *) = dlsym(RTLD_NEXT, "mincore");
    int result = ask_really(start, bytes, pages);
    if (*kind) memset(pages, 1, (bytes + PAGE_BYTES - 1) / PAGE_BYTES);
    return result;
}
