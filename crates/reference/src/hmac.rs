//! HMAC and what is made of it: RFC 2104 section 2, HKDF of RFC 5869 section 2, PBKDF2 of RFC 8018
//! section 5.2.

use crate::{HashFunction, block_bytes, by_name};

/// A hash function with the size of its blocks.
#[derive(Clone, Copy)]
pub struct Hmac {
    hash: HashFunction,
    /// B of RFC 2104.
    block_bytes: usize,
}

impl Hmac {
    /// Over the function of a standard name; `None` if this crate has none of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(Self { hash: by_name(name)?, block_bytes: block_bytes(name)? })
    }

    /// H(K XOR opad, H(K XOR ipad, text)).
    pub fn tag(self, key: &[u8], text: &[u8]) -> Vec<u8> {
        // A key of more than B bytes is hashed first; then (1) zeros are appended up to B bytes.
        let mut k = if key.len() > self.block_bytes { (self.hash)(key) } else { key.to_vec() };
        k.resize(self.block_bytes, 0);
        let xor = |pad: u8| -> Vec<u8> { k.iter().map(|byte| byte ^ pad).collect() };
        // (2) to (4): the inner pass. (5) to (7): the outer one.
        let inner = (self.hash)(&[&xor(0x36), text].concat());
        (self.hash)(&[xor(0x5c), inner].concat())
    }

    /// HKDF-Extract (2.2). No salt is HashLen zeros, which as a key is the same as none.
    pub fn extract(self, salt: &[u8], input: &[u8]) -> Vec<u8> {
        self.tag(salt, input)
    }

    /// HKDF-Expand (2.3) to `bytes` bytes, the L of the RFC. Panics past T(255).
    pub fn expand(self, key: &[u8], info: &[u8], bytes: usize) -> Vec<u8> {
        let (mut t, mut output, mut i) = (Vec::new(), Vec::new(), 0_u8);
        while output.len() < bytes {
            i = i.checked_add(1).expect("L is at most 255 * HashLen");
            t = self.tag(key, &[&t, info, &[i]].concat());
            output.extend_from_slice(&t);
        }
        output.truncate(bytes);
        output
    }

    /// PBKDF2 to `bytes` bytes, the dkLen of the RFC: T_1, T_2 and so on, cut.
    pub fn pbkdf2(self, password: &[u8], salt: &[u8], iterations: u32, bytes: usize) -> Vec<u8> {
        let mut output = Vec::new();
        for i in 1_u32.. {
            if output.len() >= bytes {
                break;
            }
            // F: the exclusive or of U_1 = PRF(P, S || INT(i)), U_2 = PRF(P, U_1), up to U_c.
            let mut u = self.tag(password, &[salt, &i.to_be_bytes()].concat());
            let mut f = u.clone();
            for _ in 1..iterations {
                u = self.tag(password, &u);
                f.iter_mut().zip(&u).for_each(|(f, u)| *f ^= u);
            }
            output.extend_from_slice(&f);
        }
        output.truncate(bytes);
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex;

    fn of(name: &str) -> Hmac {
        Hmac::by_name(name).expect("a standard name")
    }

    /// RFC 2202, section 2, cases 2 and 6: a key shorter than a block, and one that is longer.
    #[test]
    fn rfc_2202() {
        assert_eq!(hex(&of("MD5").tag(b"Jefe", b"what do ya want for nothing?")), "750c783e6ab0b503eaa86e310a5db738");
        let text = b"Test Using Larger Than Block-Size Key - Hash Key First";
        assert_eq!(hex(&of("MD5").tag(&[0xaa; 80], text)), "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd");
    }

    /// RFC 4231, 4.3 and 4.7, with blocks of both sizes.
    #[test]
    fn rfc_4231() {
        let tag = hex(&of("SHA-256").tag(b"Jefe", b"what do ya want for nothing?"));
        assert_eq!(tag, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        let tag = hex(&of("SHA-384").tag(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"));
        assert_eq!(tag, "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952");
    }

    /// RFC 5869, A.6: neither salt nor info, three digests of SHA-1, the last one cut.
    #[test]
    fn rfc_5869() {
        let key = of("SHA-1").extract(b"", &[0x0b; 22]);
        assert_eq!(hex(&key), "da8c8a73c7fa77288ec6f5e7c297786aa0d32d01");
        let expanded = "0ac1af7002b3d761d1e55298da9d0506b9ae52057220a306e07b6b87e8df21d0ea00033de03984d34918";
        assert_eq!(hex(&of("SHA-1").expand(&key, b"", 42)), expanded);
    }

    /// RFC 6070, section 2: the second case, and the fifth, which has two blocks.
    #[test]
    fn rfc_6070() {
        let derived = of("SHA-1").pbkdf2(b"password", b"salt", 2, 20);
        assert_eq!(hex(&derived), "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957");
        let derived = of("SHA-1").pbkdf2(b"passwordPASSWORDpassword", b"saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25);
        assert_eq!(hex(&derived), "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038");
    }

    #[test]
    fn other_names_give_nothing() {
        assert!(Hmac::by_name("SHA-3").is_none());
    }
}
