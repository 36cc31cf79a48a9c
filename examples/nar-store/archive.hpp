// Digests of files as a Nix store has them: of the file's Nix archive (NAR), which is the file between a prefix and a suffix that
// depend on its length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace archive {

using Digest = std::array<std::uint8_t, 32>;

// What stands before and after the bytes of a file of `size` bytes.
std::string prefix(std::uint64_t size, bool executable);
std::string suffix(std::uint64_t size);

// SHA-256 of the archives of many files, in one thread. Files are read to where their archives are put together, one after the other in
// a buffer, and when it is full, all of them are hashed in one call. A file that is larger than a good part of the buffer is hashed by
// itself, in pieces.
class Many {
public:
    // `done` gets the digest of each file with its number, in any order.
    explicit Many(std::function<void(std::size_t file, const Digest &)> done);

    // Reads a file. Throws std::system_error if it can't be read, and then `done` never hears of it.
    void add_file(std::size_t file, const std::string &path);
    // The same for contents that are in memory.
    void add_contents(std::size_t file, std::string_view contents, bool executable);
    // Computes what is left.
    void finish();

private:
    void hash_buffer();
    void hash_alone(std::size_t file, int descriptor, const std::string &path, std::uint64_t size, bool executable);
    void end_archive(std::size_t file, std::uint64_t size);

    std::function<void(std::size_t, const Digest &)> done;
    std::vector<std::uint8_t> buffer;   // archives, one after the other
    std::size_t end = 0;                // of the last of them
    std::vector<std::int64_t> offsets;  // where they begin, and the end
    std::vector<std::size_t> files;     // their numbers
    std::vector<Digest> digests;
};

}  // namespace archive
