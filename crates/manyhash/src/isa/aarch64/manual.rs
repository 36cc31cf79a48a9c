//! The instructions for SHA-1, SHA-2 and SM3 as Arm's manual defines them: "Arm Architecture Reference
//! Manual for A-profile architecture" (DDI 0487), section C7.2, under the name of each instruction, and
//! the functions of its pseudocode that they call.
//!
//! Words are of any kind: those of the machine, which the instructions are compared with
//! (`meanings.rs`), and the expressions of the proofs. A vector has its lowest element first. What the
//! manual calls `d`, `n` and `m` are the arguments in that order.

use reference::Word;

type Four<W> = [W; 4];
type Two<W> = [W; 2];

fn choose<W: Word>(x: W, y: W, z: W) -> W {
    (x & y) ^ (!x & z)
}

fn majority<W: Word>(x: W, y: W, z: W) -> W {
    (x & y) ^ (x & z) ^ (y & z)
}

fn parity<W: Word>(x: W, y: W, z: W) -> W {
    x ^ y ^ z
}

/// SHA1C, SHA1P and SHA1M: four rounds, in which `function` is SHAchoose, SHAparity or SHAmajority.
fn sha1<W: Word>(function: fn(W, W, W) -> W, mut x: Four<W>, mut y: W, words: Four<W>) -> Four<W> {
    for word in words {
        y = y.plus(x[0].rotl(5)).plus(function(x[1], x[2], x[3])).plus(word);
        x[1] = x[1].rotl(30);
        // The five words turn by one.
        (x, y) = ([y, x[0], x[1], x[2]], x[3]);
    }
    x
}

/// SHA1C.
pub(crate) fn sha1c<W: Word>(abcd: Four<W>, e: W, words: Four<W>) -> Four<W> {
    sha1(choose, abcd, e, words)
}

/// SHA1P.
pub(crate) fn sha1p<W: Word>(abcd: Four<W>, e: W, words: Four<W>) -> Four<W> {
    sha1(parity, abcd, e, words)
}

/// SHA1M.
pub(crate) fn sha1m<W: Word>(abcd: Four<W>, e: W, words: Four<W>) -> Four<W> {
    sha1(majority, abcd, e, words)
}

/// SHA1H.
pub(crate) fn sha1h<W: Word>(word: W) -> W {
    word.rotl(30)
}

/// SHA1SU0.
pub(crate) fn sha1su0<W: Word>(d: Four<W>, n: Four<W>, m: Four<W>) -> Four<W> {
    let between = [d[2], d[3], n[0], n[1]];
    std::array::from_fn(|i| between[i] ^ d[i] ^ m[i])
}

/// SHA1SU1. The manual has the last word as T3 rotated by 1, exclusive or T0 rotated by 2. Here they are
/// rotated together, because expressions of many words are not taken apart.
pub(crate) fn sha1su1<W: Word>(d: Four<W>, n: Four<W>) -> Four<W> {
    let t = [d[0] ^ n[1], d[1] ^ n[2], d[2] ^ n[3], d[3]];
    [t[0].rotl(1), t[1].rotl(1), t[2].rotl(1), (t[3] ^ t[0].rotl(1)).rotl(1)]
}

/// SHA256hash of the pseudocode: both halves of the state after four rounds.
fn sha256_hash<W: Word>(mut x: Four<W>, mut y: Four<W>, words: Four<W>) -> (Four<W>, Four<W>) {
    for word in words {
        let sigma1 = y[0].rotr(6) ^ y[0].rotr(11) ^ y[0].rotr(25);
        let sigma0 = x[0].rotr(2) ^ x[0].rotr(13) ^ x[0].rotr(22);
        let t = y[3].plus(sigma1).plus(choose(y[0], y[1], y[2])).plus(word);
        x[3] = t.plus(x[3]);
        y[3] = t.plus(sigma0).plus(majority(x[0], x[1], x[2]));
        // The eight words turn by one.
        (x, y) = ([y[3], x[0], x[1], x[2]], [x[3], y[0], y[1], y[2]]);
    }
    (x, y)
}

/// SHA256H.
pub(crate) fn sha256h<W: Word>(abcd: Four<W>, efgh: Four<W>, words: Four<W>) -> Four<W> {
    sha256_hash(abcd, efgh, words).0
}

/// SHA256H2.
pub(crate) fn sha256h2<W: Word>(efgh: Four<W>, abcd: Four<W>, words: Four<W>) -> Four<W> {
    sha256_hash(abcd, efgh, words).1
}

/// SHA256SU0.
pub(crate) fn sha256su0<W: Word>(d: Four<W>, n: Four<W>) -> Four<W> {
    let t = [d[1], d[2], d[3], n[0]];
    std::array::from_fn(|i| d[i].plus(t[i].rotr(7) ^ t[i].rotr(18) ^ t[i].shr(3)))
}

/// SHA256SU1.
pub(crate) fn sha256su1<W: Word>(d: Four<W>, n: Four<W>, m: Four<W>) -> Four<W> {
    let sigma1 = |word: W| word.rotr(17) ^ word.rotr(19) ^ word.shr(10);
    let t = [n[1], n[2], n[3], m[0]];
    let sum = |i: usize, from: W| d[i].plus(t[i]).plus(sigma1(from));
    let (first, second) = (sum(0, m[2]), sum(1, m[3]));
    [first, second, sum(2, first), sum(3, second)]
}

/// SHA512H.
pub(crate) fn sha512h<W: Word>(d: Two<W>, n: Two<W>, m: Two<W>) -> Two<W> {
    let sigma1 = |word: W| word.rotr(14) ^ word.rotr(18) ^ word.rotr(41);
    let upper = d[1].plus(sigma1(m[1])).plus(choose(m[1], n[0], n[1]));
    let e = upper.plus(m[0]);
    [d[0].plus(sigma1(e)).plus(choose(e, m[1], n[0])), upper]
}

/// SHA512H2.
pub(crate) fn sha512h2<W: Word>(d: Two<W>, n: Two<W>, m: Two<W>) -> Two<W> {
    let sigma0 = |word: W| word.rotr(28) ^ word.rotr(34) ^ word.rotr(39);
    let upper = d[1].plus(sigma0(m[0])).plus(majority(n[0], m[1], m[0]));
    [d[0].plus(sigma0(upper)).plus(majority(upper, m[0], m[1])), upper]
}

/// SHA512SU0.
pub(crate) fn sha512su0<W: Word>(d: Two<W>, n: Two<W>) -> Two<W> {
    let sigma0 = |word: W| word.rotr(1) ^ word.rotr(8) ^ word.shr(7);
    [d[0].plus(sigma0(d[1])), d[1].plus(sigma0(n[0]))]
}

/// SHA512SU1.
pub(crate) fn sha512su1<W: Word>(d: Two<W>, n: Two<W>, m: Two<W>) -> Two<W> {
    let sigma1 = |word: W| word.rotr(19) ^ word.rotr(61) ^ word.shr(6);
    std::array::from_fn(|i| d[i].plus(sigma1(n[i])).plus(m[i]))
}

/// SM3PARTW1.
pub(crate) fn sm3partw1<W: Word>(d: Four<W>, n: Four<W>, m: Four<W>) -> Four<W> {
    let p1 = |word: W| word ^ word.rotl(15) ^ word.rotl(23);
    let sum = |i: usize, late: W| p1(d[i] ^ n[i] ^ late.rotl(15));
    let first = sum(0, m[1]);
    [first, sum(1, m[2]), sum(2, m[3]), sum(3, first)]
}

/// SM3PARTW2.
pub(crate) fn sm3partw2<W: Word>(d: Four<W>, n: Four<W>, m: Four<W>) -> Four<W> {
    let p1 = |word: W| word ^ word.rotl(15) ^ word.rotl(23);
    let t: Four<W> = std::array::from_fn(|i| n[i] ^ m[i].rotl(7));
    [d[0] ^ t[0], d[1] ^ t[1], d[2] ^ t[2], d[3] ^ t[3] ^ p1(t[0].rotl(15))]
}

/// SM3SS1, whose lower three elements are zeros.
pub(crate) fn sm3ss1<W: Word<Plain = u32>>(n: Four<W>, m: Four<W>, a: Four<W>) -> Four<W> {
    let zero = W::constant(0);
    [zero, zero, zero, n[3].rotl(12).plus(m[3]).plus(a[3]).rotl(7)]
}

/// SM3TT1A if `early`, else SM3TT1B.
pub(crate) fn sm3tt1<W: Word>(early: bool, d: Four<W>, n: Four<W>, word: W) -> Four<W> {
    let ss2 = n[3] ^ d[3].rotl(12);
    let function = if early { parity } else { majority };
    let tt1 = function(d[1], d[3], d[2]).plus(d[0]).plus(ss2).plus(word);
    [d[1], d[2].rotl(9), d[3], tt1]
}

/// SM3TT2A if `early`, else SM3TT2B.
pub(crate) fn sm3tt2<W: Word>(early: bool, d: Four<W>, n: Four<W>, word: W) -> Four<W> {
    let function = if early { parity } else { choose };
    let tt2 = function(d[3], d[2], d[1]).plus(d[0]).plus(n[3]).plus(word);
    [d[1], d[2].rotl(19), d[3], tt2 ^ tt2.rotl(9) ^ tt2.rotl(17)]
}
