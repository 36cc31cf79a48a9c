// What public.rs calls of Crypto++: a message's digest.
#include <cryptopp/config_ver.h>
#include <cryptopp/sha.h>

#include <cstddef>
#include <cstdint>

namespace {

template <class Hash> int hash(const uint8_t *message, std::size_t bytes, uint8_t *digest) {
    Hash().CalculateDigest(digest, message, bytes);
    return 0;
}

} // namespace

// 0, or 1 for a digest of another length.
extern "C" int study_cryptopp(int digest_bytes, const uint8_t *message, std::size_t bytes, uint8_t *digest) {
    switch (digest_bytes) {
    case 20:
        return hash<CryptoPP::SHA1>(message, bytes, digest);
    case 32:
        return hash<CryptoPP::SHA256>(message, bytes, digest);
    case 64:
        return hash<CryptoPP::SHA512>(message, bytes, digest);
    }
    return 1;
}

// 870 is 8.7.0.
extern "C" unsigned study_cryptopp_version() { return CRYPTOPP_VERSION; }
