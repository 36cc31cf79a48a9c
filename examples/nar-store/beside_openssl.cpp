// The digests of files beside OpenSSL's, which hashes one file after the other: every digest compared, then the least time of some rounds in
// turns. First both read the files, which are in the page cache after the first round; then both have them in memory.
//
// usage: beside_openssl ROUNDS FILE...
#include "archive.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using Digests = std::vector<archive::Digest>;

struct File {
    std::string path, contents;
    bool executable = false;
};

// Reads a file as the other side of the comparison does, in pieces of up to 1 MiB.
static void read_file(File &file, const std::function<void(std::uint64_t size)> &begin, const std::function<void(std::string_view)> &piece) {
    static std::vector<char> room(1 << 20);
    const int descriptor = open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat known;
    if (descriptor < 0 || fstat(descriptor, &known) != 0) throw std::runtime_error(file.path + " can't be read");
    file.executable = (known.st_mode & S_IXUSR) != 0;
    begin(static_cast<std::uint64_t>(known.st_size));
    for (auto left = static_cast<std::size_t>(known.st_size); left > 0;) {
        const ssize_t count = read(descriptor, room.data(), std::min(left, room.size()));
        if (count <= 0) throw std::runtime_error(file.path + " can't be read");
        piece({room.data(), static_cast<std::size_t>(count)});
        left -= static_cast<std::size_t>(count);
    }
    close(descriptor);
}

class OpenSsl {
public:
    OpenSsl() : function(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context(EVP_MD_CTX_new()) {}
    ~OpenSsl() {
        EVP_MD_CTX_free(context);
        EVP_MD_free(function);
    }
    void begin() { require(EVP_DigestInit_ex2(context, function, nullptr)); }
    void update(std::string_view bytes) { require(EVP_DigestUpdate(context, bytes.data(), bytes.size())); }
    void finish(archive::Digest &digest) { require(EVP_DigestFinal_ex(context, digest.data(), nullptr)); }

private:
    static void require(int fine) {
        if (fine != 1) throw std::runtime_error("OpenSSL failed");
    }
    EVP_MD *function;
    EVP_MD_CTX *context;
};

static double seconds(const std::function<void()> &call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: beside_openssl ROUNDS FILE...\n");
        return 2;
    }
    const int rounds = std::max(1, std::atoi(argv[1]));
    std::vector<File> files(static_cast<std::size_t>(argc) - 2);
    double bytes = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
        files[i].path = argv[i + 2];
        read_file(files[i], [](std::uint64_t) {}, [&](std::string_view piece) { files[i].contents += piece; });
        bytes += static_cast<double>(files[i].contents.size());
    }
    Digests one(files.size()), other(files.size());
    archive::Many many([&](std::size_t file, const archive::Digest &digest) { one[file] = digest; });
    OpenSsl openssl;
    std::printf("%zu files, %.1f MB\n", files.size(), bytes / 1e6);
    const auto compare = [&](const char *what, const std::function<void()> &ours, const std::function<void()> &theirs) {
        double best = 1e9, best_theirs = 1e9;
        for (int round = 0; round < rounds; ++round) {
            best = std::min(best, seconds(ours));
            best_theirs = std::min(best_theirs, seconds(theirs));
            if (one != other) throw std::runtime_error("the digests differ");
        }
        std::printf("%s: ours %.2f GB/s, OpenSSL %.2f GB/s, %.2f times\n", what, bytes / best / 1e9, bytes / best_theirs / 1e9, best_theirs / best);
    };
    compare(
        "read and hashed",
        [&] {
            for (std::size_t i = 0; i < files.size(); ++i) many.add_file(i, files[i].path);
            many.finish();
        },
        [&] {
            for (std::size_t i = 0; i < files.size(); ++i) {
                std::uint64_t size = 0;
                const auto begin = [&](std::uint64_t known) {
                    size = known;
                    openssl.begin();
                    openssl.update(archive::prefix(size, files[i].executable));
                };
                read_file(files[i], begin, [&](std::string_view piece) { openssl.update(piece); });
                openssl.update(archive::suffix(size));
                openssl.finish(other[i]);
            }
        });
    compare(
        "hashed",
        [&] {
            for (std::size_t i = 0; i < files.size(); ++i) many.add_contents(i, files[i].contents, files[i].executable);
            many.finish();
        },
        [&] {
            for (std::size_t i = 0; i < files.size(); ++i) {
                openssl.begin();
                openssl.update(archive::prefix(files[i].contents.size(), files[i].executable));
                openssl.update(files[i].contents);
                openssl.update(archive::suffix(files[i].contents.size()));
                openssl.finish(other[i]);
            }
        });
    return 0;
}
