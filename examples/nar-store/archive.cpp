#include "archive.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>

namespace archive {
namespace {

// Files are read in pieces of so many bytes, and so many may be waiting for others to fill the lanes.
constexpr std::size_t piece_bytes = 1 << 20, most_waiting_bytes = 32 << 20;

void append_number(std::string &to, std::uint64_t number) {
    for (int i = 0; i < 8; ++i) to += static_cast<char>(number >> (8 * i));
}

// Bytes with their number before them, filled up to a multiple of eight.
void append_token(std::string &to, std::string_view token) {
    append_number(to, token.size());
    to += token;
    to.append((8 - token.size() % 8) % 8, '\0');
}

void require(manyhash_status status, const char *what) {
    if (status == MANYHASH_NO_MEMORY) throw std::bad_alloc();
    if (status != MANYHASH_OK) throw std::runtime_error(std::string(what) + ": " + manyhash_message(status));
}

struct FreeJob {
    void operator()(manyhash_job *job) const { manyhash_job_free(job); }
};
struct FreeJobs {
    void operator()(manyhash_jobs *jobs) const { manyhash_jobs_free(jobs); }
};

struct Descriptor {
    int number;
    ~Descriptor() { close(number); }
};

}  // namespace

std::string prefix(std::uint64_t size, bool executable) {
    std::string all;
    for (const char *token : {"nix-archive-1", "(", "type", "regular"}) append_token(all, token);
    if (executable) {
        append_token(all, "executable");
        append_token(all, "");
    }
    append_token(all, "contents");
    append_number(all, size);
    return all;
}

std::string suffix(std::uint64_t size) {
    std::string all((8 - size % 8) % 8, '\0');
    append_token(all, ")");
    return all;
}

struct Many::State {
    explicit State(std::function<void(std::size_t, const Digest &)> what) : done(std::move(what)) {
        manyhash_jobs *made = nullptr;
        require(manyhash_jobs_new(MANYHASH_SHA256, finished, this, &made), "jobs");
        jobs.reset(made);
    }

    // What the library calls. A handle is a number, not a pointer.
    static void finished(void *context, void *handle, const std::uint8_t *bytes) {
        Digest digest;
        std::memcpy(digest.data(), bytes, digest.size());
        static_cast<State *>(context)->done(reinterpret_cast<std::uintptr_t>(handle), digest);
    }

    // A piece that belongs to the library until it has read it.
    struct Piece {
        std::string bytes;
        State *state;
    };
    static void release(void *owner) {
        Piece *piece = static_cast<Piece *>(owner);
        piece->state->waiting_bytes -= piece->bytes.size();
        delete piece;
    }

    std::unique_ptr<manyhash_job, FreeJob> open(std::size_t file) {
        manyhash_job *made = nullptr;
        require(manyhash_job_open(jobs.get(), nullptr, reinterpret_cast<void *>(static_cast<std::uintptr_t>(file)), &made), "open");
        return std::unique_ptr<manyhash_job, FreeJob>(made);
    }

    void feed(manyhash_job *job, std::string bytes) {
        auto piece = std::make_unique<Piece>(Piece{std::move(bytes), this});
        waiting_bytes += piece->bytes.size();
        const std::string &all = piece->bytes;
        Piece *owner = piece.release(); // also if the piece is refused
        require(manyhash_job_feed(job, all.data(), all.size(), release, owner), "feed");
    }

    void finish(std::unique_ptr<manyhash_job, FreeJob> job) { require(manyhash_job_finish(job.release()), "finish"); }

    // Full lanes first; if that does not free enough memory, whatever there is.
    void compute_if_much_waits() {
        if (waiting_bytes < most_waiting_bytes) return;
        require(manyhash_jobs_poll(jobs.get()), "poll");
        if (waiting_bytes >= most_waiting_bytes / 2) require(manyhash_jobs_flush(jobs.get()), "flush");
    }

    std::function<void(std::size_t, const Digest &)> done;
    std::size_t waiting_bytes = 0;
    std::unique_ptr<manyhash_jobs, FreeJobs> jobs;
};

Many::Many(std::function<void(std::size_t, const Digest &)> done) : state(std::make_unique<State>(std::move(done))) {}
Many::~Many() = default;

void Many::add_file(std::size_t file, const std::string &path) {
    const auto fails = [&](int error) -> std::system_error { return {error, std::generic_category(), path}; };
    const Descriptor descriptor{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    struct stat known;
    if (descriptor.number < 0 || fstat(descriptor.number, &known) != 0) throw fails(errno);
    if (!S_ISREG(known.st_mode)) throw fails(EINVAL);
    const auto size = static_cast<std::uint64_t>(known.st_size);
    auto job = state->open(file);
    state->feed(job.get(), prefix(size, (known.st_mode & S_IXUSR) != 0));
    std::uint64_t left = size;
    while (left > 0) {
        std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(left, piece_bytes)), '\0');
        const ssize_t count = read(descriptor.number, piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw fails(errno);
        if (count == 0) throw fails(EIO); // it has shrunk: its length is already hashed
        piece.resize(static_cast<std::size_t>(count));
        left -= piece.size();
        state->feed(job.get(), std::move(piece));
        state->compute_if_much_waits();
    }
    state->feed(job.get(), suffix(size));
    state->finish(std::move(job));
}

void Many::add_contents(std::size_t file, std::string_view contents, bool executable) {
    auto job = state->open(file);
    state->feed(job.get(), prefix(contents.size(), executable));
    require(manyhash_job_feed(job.get(), contents.data(), contents.size(), nullptr, nullptr), "feed");
    state->feed(job.get(), suffix(contents.size()));
    state->finish(std::move(job));
}

void Many::finish() { require(manyhash_jobs_flush(state->jobs.get()), "flush"); }

}  // namespace archive
