// Ragged rows beside single messages, and digests that are known.
#include "hash_functions.hpp"

#include <manyhash.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

using column_store::FixedStringColumn;
using column_store::StringColumn;

static int failures = 0;

static void check(bool holds, const std::string &what) {
    if (holds) return;
    std::fprintf(stderr, "wrong: %s\n", what.c_str());
    ++failures;
}

static std::string hex(std::string_view bytes) {
    std::string text;
    char two[3];
    for (unsigned char byte : bytes) {
        std::snprintf(two, sizeof two, "%02x", byte);
        text += two;
    }
    return text;
}

static void known_digests() {
    StringColumn column;
    column.append("abc");
    column.append("");
    const auto first = [&](const char *name) { return hex(column_store::hash_function(name, column).row(0)); };
    check(first("MD5") == "900150983cd24fb0d6963f7d28e17f72", "MD5 of abc");
    check(first("SHA1") == "a9993e364706816aba3e25717850c26c9cd0d89d", "SHA1 of abc");
    check(first("SHA256") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "SHA256 of abc");
    check(hex(column_store::hash_function("SHA1", column).row(1)) == "da39a3ee5e6b4b0d3255bfef95601890afd80709", "SHA1 of nothing");
}

// Rows of 0 to some 5,000 bytes, most of them short.
static StringColumn ragged(std::size_t rows) {
    StringColumn column;
    std::string row;
    unsigned random = 12345;
    for (std::size_t i = 0; i < rows; ++i) {
        random = random * 1103515245 + 12345;
        const std::size_t size = (random >> 16) % 50 == 0 ? (random >> 8) % 5000 : (random >> 8) % 130;
        row.assign(size, static_cast<char>(random >> 24));
        column.append(row);
    }
    return column;
}

static void every_row_is_as_alone() {
    const StringColumn column = ragged(3000);
    const manyhash_algorithm algorithms[] = {MANYHASH_MD5,    MANYHASH_SHA1,   MANYHASH_SHA224,    MANYHASH_SHA256,
                                             MANYHASH_SHA384, MANYHASH_SHA512, MANYHASH_KECCAK256, MANYHASH_BLAKE3};
    std::size_t which = 0;
    for (const std::string &name : column_store::hash_function_names()) {
        const FixedStringColumn digests = column_store::hash_function(name, column, which % 2 == 0 ? 1 : 2);
        std::uint8_t alone[64];
        for (std::size_t i = 0; i < column.rows(); ++i) {
            const auto begin = static_cast<std::size_t>(column.offsets[i]), end = static_cast<std::size_t>(column.offsets[i + 1]);
            manyhash_hash(algorithms[which], column.bytes.data() + begin, end - begin, alone);
            check(digests.row(i) == std::string_view(reinterpret_cast<char *>(alone), digests.width), name + " of row " + std::to_string(i));
        }
        ++which;
    }
}

static void what_is_wrong_is_refused() {
    StringColumn column = ragged(3);
    try {
        column_store::hash_function("CRC32", column);
        check(false, "an unknown function");
    } catch (const std::invalid_argument &) {
    }
    column.offsets[1] = column.offsets[2] + 1;
    try {
        column_store::hash_function("SHA256", column);
        check(false, "offsets that fall");
    } catch (const std::runtime_error &) {
    }
    check(column_store_hash("SHA256", nullptr, column.offsets.data(), 3, nullptr) == -1, "no memory for digests");
    const StringColumn empty;
    check(column_store::hash_function("SHA256", empty).bytes.empty(), "a column without rows");
}

int main() {
    known_digests();
    every_row_is_as_alone();
    what_is_wrong_is_refused();
    if (failures == 0) std::puts("fine");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
