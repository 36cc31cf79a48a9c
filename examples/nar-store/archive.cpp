#include "archive.hpp"

#include <manyhash.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>

namespace archive {
namespace {

// Archives of so many bytes are hashed together: enough to fill all lanes, and few enough to stay in a cache of some levels.
constexpr std::size_t buffer_bytes = 4 << 20;
// Larger files are hashed by themselves.
constexpr std::uint64_t most_together = 1 << 20;
// More than a prefix and a suffix have.
constexpr std::size_t framing_bytes = 256;

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

struct FreeHasher {
    void operator()(manyhash_hasher *hasher) const { manyhash_hasher_free(hasher); }
};

struct Descriptor {
    int number;
    ~Descriptor() { close(number); }
};

std::system_error failed(int error, const std::string &path) { return {error, std::generic_category(), path}; }

// Fills the room with the next bytes of a file. One that has fewer has shrunk, and its length is already part of the archive.
void read_all(int descriptor, const std::string &path, std::uint8_t *room, std::size_t size) {
    while (size > 0) {
        const ssize_t count = read(descriptor, room, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw failed(errno, path);
        if (count == 0) throw failed(EIO, path);
        room += count;
        size -= static_cast<std::size_t>(count);
    }
}

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

Many::Many(std::function<void(std::size_t, const Digest &)> what)
    : done(std::move(what)), buffer(buffer_bytes + most_together + framing_bytes), offsets{0} {}

void Many::add_file(std::size_t file, const std::string &path) {
    const Descriptor descriptor{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    struct stat known;
    if (descriptor.number < 0 || fstat(descriptor.number, &known) != 0) throw failed(errno, path);
    if (!S_ISREG(known.st_mode)) throw failed(EINVAL, path);
    const auto size = static_cast<std::uint64_t>(known.st_size);
    const bool executable = (known.st_mode & S_IXUSR) != 0;
    if (size > most_together) {
        hash_alone(file, descriptor.number, path, size, executable);
        return;
    }
    const std::string before = prefix(size, executable);
    std::uint8_t *to = std::copy(before.begin(), before.end(), buffer.data() + end);
    read_all(descriptor.number, path, to, static_cast<std::size_t>(size));
    end += before.size() + static_cast<std::size_t>(size);
    end_archive(file, size);
}

void Many::add_contents(std::size_t file, std::string_view contents, bool executable) {
    const std::string before = prefix(contents.size(), executable);
    if (end + before.size() + contents.size() + framing_bytes > buffer.size()) buffer.resize(end + contents.size() + framing_bytes);
    std::uint8_t *to = std::copy(before.begin(), before.end(), buffer.data() + end);
    std::copy(contents.begin(), contents.end(), to);
    end += before.size() + contents.size();
    end_archive(file, contents.size());
}

void Many::end_archive(std::size_t file, std::uint64_t size) {
    const std::string after = suffix(size);
    std::copy(after.begin(), after.end(), buffer.data() + end);
    end += after.size();
    offsets.push_back(static_cast<std::int64_t>(end));
    files.push_back(file);
    if (end >= buffer_bytes) hash_buffer();
}

void Many::hash_buffer() {
    digests.resize(files.size());
    auto *room = reinterpret_cast<std::uint8_t *>(digests.data());
    require(manyhash_hash_contiguous(MANYHASH_SHA256, buffer.data(), offsets.data(), files.size(), room, 1), "hash");
    for (std::size_t i = 0; i < files.size(); ++i) done(files[i], digests[i]);
    files.clear();
    offsets.resize(1);
    end = 0;
}

void Many::hash_alone(std::size_t file, int descriptor, const std::string &path, std::uint64_t size, bool executable) {
    manyhash_hasher *made = nullptr;
    require(manyhash_hasher_new(MANYHASH_SHA256, &made), "hasher");
    const std::unique_ptr<manyhash_hasher, FreeHasher> hasher(made);
    const std::string before = prefix(size, executable), after = suffix(size);
    require(manyhash_hasher_update(made, before.data(), before.size()), "update");
    std::vector<std::uint8_t> piece(static_cast<std::size_t>(most_together));
    for (std::uint64_t left = size; left > 0;) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece.size()));
        read_all(descriptor, path, piece.data(), count);
        require(manyhash_hasher_update(made, piece.data(), count), "update");
        left -= count;
    }
    require(manyhash_hasher_update(made, after.data(), after.size()), "update");
    Digest digest;
    require(manyhash_hasher_finish(made, digest.data()), "finish");
    done(file, digest);
}

void Many::finish() { hash_buffer(); }

}  // namespace archive
