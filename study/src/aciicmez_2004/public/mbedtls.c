/* What public.rs calls of mbed TLS: a message's digest. */
#include <mbedtls/md.h>
#include <mbedtls/version.h>

#include <stddef.h>
#include <stdint.h>

/* 0, or an error of mbed TLS. */
int study_mbedtls(int digest_bytes, const uint8_t *message, size_t bytes, uint8_t *digest) {
    mbedtls_md_type_t type = digest_bytes == 20 ? MBEDTLS_MD_SHA1 : digest_bytes == 32 ? MBEDTLS_MD_SHA256 : MBEDTLS_MD_SHA512;
    return mbedtls_md(mbedtls_md_info_from_type(type), message, bytes, digest);
}

/* 0x021c0300 is 2.28.3. */
unsigned study_mbedtls_version(void) { return mbedtls_version_get_number(); }
