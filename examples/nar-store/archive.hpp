// Digests of files as a Nix store has them: of the file's Nix archive (NAR), which is the file between a prefix and a suffix that
// depend on its length.
#pragma once

#include <manyhash.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace archive {

using Digest = std::array<std::uint8_t, 32>;

// What stands before and after the bytes of a file of `size` bytes.
std::string prefix(std::uint64_t size, bool executable);
std::string suffix(std::uint64_t size);

// SHA-256 of the archives of many files at once, in one thread. Nothing is joined: prefix, file and suffix go to the library
// as pieces of one message, and it shares its lanes among all files that are on their way.
class Many {
public:
    // `done` gets the digest of each file with its number, in any order. It must not throw.
    explicit Many(std::function<void(std::size_t file, const Digest &)> done);
    ~Many();
    Many(const Many &) = delete;
    Many &operator=(const Many &) = delete;

    // Reads a file. Throws std::system_error if it can't be read, and then `done` never hears of it.
    void add_file(std::size_t file, const std::string &path);
    // The same for contents that are in memory, and stay there until `finish`.
    void add_contents(std::size_t file, std::string_view contents, bool executable);
    // Computes what is left.
    void finish();

private:
    struct State;
    std::unique_ptr<State> state;
};

}  // namespace archive
