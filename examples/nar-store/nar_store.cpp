// Lists the digests of files as a Nix store has them, and verifies such a list.
//
//   nar_store list FILE...            lines of SHA-256 of the file's archive (what `nix-hash --type sha256 FILE` prints) and its name
//   nar_store verify [THREADS] LIST   0 if all are right; 1, and which, if not. THREADS: 1; 0 is one for each core
#include "archive.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

struct Entry {
    std::string digest, path;
};

std::string hex(const archive::Digest &digest) {
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (std::uint8_t byte : digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

// The digest of each file, or why there is none. Each thread takes the next few files that nobody has.
std::vector<Entry> digests(const std::vector<std::string> &paths, std::vector<std::string> &errors, unsigned threads) {
    std::vector<Entry> all(paths.size());
    errors.assign(paths.size(), "");
    std::atomic<std::size_t> next{0};
    std::exception_ptr failed;
    std::atomic_flag has_failed = ATOMIC_FLAG_INIT;
    const auto work = [&] {
        try {
            archive::Many many([&](std::size_t file, const archive::Digest &digest) { all[file].digest = hex(digest); });
            constexpr std::size_t few = 64;
            for (std::size_t begin; (begin = next.fetch_add(few)) < paths.size();) {
                for (std::size_t file = begin; file < std::min(begin + few, paths.size()); ++file) {
                    try {
                        many.add_file(file, paths[file]);
                    } catch (const std::system_error &error) {
                        errors[file] = error.what();
                    }
                }
            }
            many.finish();
        } catch (...) {
            if (!has_failed.test_and_set()) failed = std::current_exception();
        }
    };
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread &other : others) other.join();
    if (failed) std::rethrow_exception(failed);
    for (std::size_t i = 0; i < paths.size(); ++i) all[i].path = paths[i];
    return all;
}

int list(const std::vector<std::string> &paths) {
    std::vector<std::string> errors;
    int code = EXIT_SUCCESS;
    const std::vector<Entry> all = digests(paths, errors, 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (errors[i].empty()) {
            std::cout << all[i].digest << "  " << all[i].path << '\n';
        } else {
            std::cerr << "nar_store: " << errors[i] << '\n';
            code = EXIT_FAILURE;
        }
    }
    return code;
}

int verify(const std::string &name, unsigned threads) {
    std::ifstream file(name);
    if (!file) {
        std::cerr << "nar_store: " << name << ": can't be read\n";
        return EXIT_FAILURE;
    }
    std::vector<std::string> paths, expected, errors;
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
        if (line.size() < 67 || line.compare(64, 2, "  ") != 0) {
            std::cerr << "nar_store: " << name << ":" << number << ": not a digest, two blanks and a name\n";
            return 2;
        }
        expected.push_back(line.substr(0, 64));
        paths.push_back(line.substr(66));
    }
    const std::vector<Entry> all = digests(paths, errors, threads);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (errors[i].empty() && all[i].digest == expected[i]) continue;
        ++wrong;
        std::cout << (errors[i].empty() ? all[i].path + ": has changed" : errors[i]) << '\n';
    }
    std::cerr << all.size() << " files, " << wrong << " wrong\n";
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int usage() {
    std::cerr << "usage: nar_store list FILE... | nar_store verify [THREADS] LIST\n";
    return 2;
}

}  // namespace

int main(int argc, char **argv) try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() >= 2 && arguments[0] == "list") return list({arguments.begin() + 1, arguments.end()});
    if (arguments.empty() || arguments[0] != "verify" || arguments.size() < 2 || arguments.size() > 3) return usage();
    if (arguments.size() == 2) return verify(arguments[1], 1);
    char *end = nullptr;
    const unsigned long threads = std::strtoul(arguments[1].c_str(), &end, 10);
    if (end == arguments[1].c_str() || *end != '\0' || threads > 1024) return usage();
    return verify(arguments[2], static_cast<unsigned>(threads));
} catch (const std::exception &error) {
    std::cerr << "nar_store: " << error.what() << '\n';
    return EXIT_FAILURE;
}
