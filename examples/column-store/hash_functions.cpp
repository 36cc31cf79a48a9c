#include "hash_functions.hpp"

#include <manyhash.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace column_store {
namespace {

struct Function {
    std::string_view name;
    manyhash_algorithm algorithm;
};

constexpr std::array<Function, 8> functions{{
    {"MD5", MANYHASH_MD5},
    {"SHA1", MANYHASH_SHA1},
    {"SHA224", MANYHASH_SHA224},
    {"SHA256", MANYHASH_SHA256},
    {"SHA384", MANYHASH_SHA384},
    {"SHA512", MANYHASH_SHA512},
    {"keccak256", MANYHASH_KECCAK256},
    {"BLAKE3", MANYHASH_BLAKE3},
}};

const Function &function_of(std::string_view name) {
    const auto found = std::find_if(functions.begin(), functions.end(), [&](const Function &one) { return one.name == name; });
    if (found == functions.end()) throw std::invalid_argument("no hash function is called " + std::string(name));
    return *found;
}

// All rows in one call: the library shares its lanes among them, whatever their lengths.
void hash_block(const Function &function, const std::uint8_t *bytes, const std::int64_t *offsets, std::size_t rows,
                std::uint8_t *digests, unsigned threads) {
    const manyhash_status status = manyhash_hash_contiguous(function.algorithm, bytes, offsets, rows, digests, threads);
    if (status != MANYHASH_OK) throw std::runtime_error(std::string(function.name) + ": " + manyhash_message(status));
}

}  // namespace

void StringColumn::append(std::string_view row) {
    bytes.insert(bytes.end(), row.begin(), row.end());
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
}

std::string_view FixedStringColumn::row(std::size_t i) const {
    return {reinterpret_cast<const char *>(bytes.data()) + i * width, width};
}

const std::vector<std::string> &hash_function_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Function &function : functions) all.emplace_back(function.name);
        return all;
    }();
    return names;
}

FixedStringColumn hash_function(std::string_view name, const StringColumn &column, unsigned threads) {
    const Function &function = function_of(name);
    FixedStringColumn digests;
    digests.width = manyhash_digest_size(function.algorithm);
    digests.bytes.resize(column.rows() * digests.width);
    hash_block(function, column.bytes.data(), column.offsets.data(), column.rows(), digests.bytes.data(), threads);
    return digests;
}

}  // namespace column_store

int column_store_hash(const char *name, const std::uint8_t *bytes, const std::int64_t *offsets, std::size_t rows,
                      std::uint8_t *digests) try {
    column_store::hash_block(column_store::function_of(name), bytes, offsets, rows, digests, 1);
    return 0;
} catch (...) {
    return -1;
}
