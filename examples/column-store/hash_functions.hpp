// The hash functions of a column store: MD5(column), SHA1(column), SHA256(column), ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace column_store {

// Strings of any lengths, one after the other in one buffer. Row i is bytes[offsets[i]] to bytes[offsets[i + 1] - 1].
struct StringColumn {
    std::vector<std::uint8_t> bytes;
    std::vector<std::int64_t> offsets{0};

    std::size_t rows() const { return offsets.size() - 1; }
    void append(std::string_view row);
};

// Strings of `width` bytes each.
struct FixedStringColumn {
    std::size_t width = 0;
    std::vector<std::uint8_t> bytes;

    std::string_view row(std::size_t i) const;
};

// The names that SQL has for the functions.
const std::vector<std::string> &hash_function_names();

// The digest of each row, by the function of that name. Throws std::invalid_argument if there is none, and
// std::runtime_error if the library refuses. `threads` is 1 where the store itself spreads blocks of rows over threads.
FixedStringColumn hash_function(std::string_view name, const StringColumn &column, unsigned threads = 1);

}  // namespace column_store

// The same for a block of rows that lies somewhere else, for programs in other languages: 0, or -1 if there is no such
// function or it failed. `digests` has room for all of them.
extern "C" int column_store_hash(const char *name, const std::uint8_t *bytes, const std::int64_t *offsets, std::size_t rows,
                                 std::uint8_t *digests);
