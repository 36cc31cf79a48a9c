// The digests of files that are in memory, beside OpenSSL's, which hashes one file after the other: every digest compared, then the
// least time of some rounds in turns.
//
// usage: beside_openssl ROUNDS FILE...
#include "archive.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

using Digests = std::vector<archive::Digest>;

static void ours(const std::vector<std::string> &files, Digests &digests) {
    archive::Many many([&](std::size_t file, const archive::Digest &digest) { digests[file] = digest; });
    for (std::size_t i = 0; i < files.size(); ++i) many.add_contents(i, files[i], false);
    many.finish();
}

static void openssl(const std::vector<std::string> &files, Digests &digests) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string prefix = archive::prefix(files[i].size(), false), suffix = archive::suffix(files[i].size());
        const bool fine = EVP_DigestInit_ex(context, EVP_sha256(), nullptr) && EVP_DigestUpdate(context, prefix.data(), prefix.size()) &&
                          EVP_DigestUpdate(context, files[i].data(), files[i].size()) &&
                          EVP_DigestUpdate(context, suffix.data(), suffix.size()) && EVP_DigestFinal_ex(context, digests[i].data(), nullptr);
        if (!fine) throw std::runtime_error("OpenSSL failed");
    }
    EVP_MD_CTX_free(context);
}

template <typename Call>
static double seconds(Call call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: beside_openssl ROUNDS FILE...\n");
        return 2;
    }
    std::vector<std::string> files;
    double bytes = 0;
    for (int i = 2; i < argc; ++i) {
        std::ifstream file(argv[i], std::ios::binary);
        files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        bytes += static_cast<double>(files.back().size());
    }
    Digests one(files.size()), other(files.size());
    double best_ours = 1e9, best_openssl = 1e9;
    for (int round = std::max(1, std::atoi(argv[1])); round > 0; --round) {
        best_ours = std::min(best_ours, seconds([&] { ours(files, one); }));
        best_openssl = std::min(best_openssl, seconds([&] { openssl(files, other); }));
        if (one != other) {
            std::fprintf(stderr, "beside_openssl: the digests differ\n");
            return 1;
        }
    }
    std::printf("%zu files, %.1f MB: ours %.2f GB/s, OpenSSL %.2f GB/s, %.2f times\n", files.size(), bytes / 1e6, bytes / best_ours / 1e9,
                bytes / best_openssl / 1e9, best_openssl / best_ours);
    return 0;
}
