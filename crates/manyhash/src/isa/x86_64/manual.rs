//! The SHA extensions as Intel's manual defines them: "Intel 64 and IA-32 Architectures Software
//! Developer's Manual", volume 2, under the name of each instruction.
//!
//! Words are of any kind: those of the machine, which the instructions are compared with
//! (`meanings.rs`), and the expressions of the proofs. A vector has its lowest word, bits 31 to 0,
//! first. What the manual calls `SRC1` is the first argument.

use reference::Word;

type Vector<W> = [W; 4];

/// f0 to f3 and K0 to K3 of SHA1RNDS4.
fn f<W: Word<Plain = u32>>(immediate: i32, b: W, c: W, d: W) -> (W, W) {
    match immediate {
        0 => ((b & c) ^ (!b & d), W::constant(0x5A827999)),
        1 => (b ^ c ^ d, W::constant(0x6ED9EBA1)),
        2 => ((b & c) ^ (b & d) ^ (c & d), W::constant(0x8F1BBCDC)),
        _ => (b ^ c ^ d, W::constant(0xCA62C1D6)),
    }
}

/// SHA1RNDS4: four rounds. The highest word of `words` has e added to it.
pub(crate) fn sha1rnds4<W: Word<Plain = u32>>(immediate: i32, abcd: Vector<W>, words: Vector<W>) -> Vector<W> {
    let [mut d, mut c, mut b, mut a] = abcd;
    let mut e = None;
    for word in words.into_iter().rev() {
        let (f, k) = f(immediate, b, c, d);
        let sum = f.plus(a.rotl(5)).plus(word).plus(k);
        let next = match e {
            Some(e) => sum.plus(e),
            None => sum,
        };
        (a, b, c, d, e) = (next, a, b.rotl(30), c, Some(d));
    }
    [d, c, b, a]
}

/// SHA1NEXTE: a of four rounds ago, rotated, is added to the highest word.
pub(crate) fn sha1nexte<W: Word<Plain = u32>>(abcd: Vector<W>, words: Vector<W>) -> Vector<W> {
    let [w3, w2, w1, w0] = words;
    [w3, w2, w1, w0.plus(abcd[3].rotl(30))]
}

/// SHA1MSG1.
pub(crate) fn sha1msg1<W: Word<Plain = u32>>(one: Vector<W>, other: Vector<W>) -> Vector<W> {
    let ([w3, w2, w1, w0], [_, _, w5, w4]) = (one, other);
    [w5 ^ w3, w4 ^ w2, w3 ^ w1, w2 ^ w0]
}

/// SHA1MSG2.
pub(crate) fn sha1msg2<W: Word<Plain = u32>>(one: Vector<W>, other: Vector<W>) -> Vector<W> {
    let [w15, w14, w13, _] = other;
    let w16 = (one[3] ^ w13).rotl(1);
    let w17 = (one[2] ^ w14).rotl(1);
    let w18 = (one[1] ^ w15).rotl(1);
    let w19 = (one[0] ^ w16).rotl(1);
    [w19, w18, w17, w16]
}

/// SHA256RNDS2: two rounds. The lower two words of `words` have their constants added to them.
pub(crate) fn sha256rnds2<W: Word<Plain = u32>>(cdgh: Vector<W>, abef: Vector<W>, words: Vector<W>) -> Vector<W> {
    let ([mut f, mut e, mut b, mut a], [mut h, mut g, mut d, mut c]) = (abef, cdgh);
    for word in &words[..2] {
        let chosen = (e & f) ^ (!e & g);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let sigma0 = a.rotr(2) ^ a.rotr(13) ^ a.rotr(22);
        let sigma1 = e.rotr(6) ^ e.rotr(11) ^ e.rotr(25);
        let sum = chosen.plus(sigma1).plus(*word).plus(h);
        (a, b, c, d, e, f, g, h) = (sum.plus(majority).plus(sigma0), a, b, c, sum.plus(d), e, f, g);
    }
    [f, e, b, a]
}

/// SHA256MSG1.
pub(crate) fn sha256msg1<W: Word<Plain = u32>>(one: Vector<W>, other: Vector<W>) -> Vector<W> {
    let sigma0 = |x: W| x.rotr(7) ^ x.rotr(18) ^ x.shr(3);
    let ([w0, w1, w2, w3], w4) = (one, other[0]);
    [w0.plus(sigma0(w1)), w1.plus(sigma0(w2)), w2.plus(sigma0(w3)), w3.plus(sigma0(w4))]
}

/// SHA256MSG2.
pub(crate) fn sha256msg2<W: Word<Plain = u32>>(one: Vector<W>, other: Vector<W>) -> Vector<W> {
    let sigma1 = |x: W| x.rotr(17) ^ x.rotr(19) ^ x.shr(10);
    let [_, _, w14, w15] = other;
    let w16 = one[0].plus(sigma1(w14));
    let w17 = one[1].plus(sigma1(w15));
    let w18 = one[2].plus(sigma1(w16));
    let w19 = one[3].plus(sigma1(w17));
    [w16, w17, w18, w19]
}
