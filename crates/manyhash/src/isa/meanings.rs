//! Test: each operation of each instruction set is what its name says, in every lane.
//!
//! The proof of the algorithms (`proof/`) begins where this ends: it takes for granted that `add` adds
//! and that `rotate_right` rotates. Operations on bits are tried at every bit position, additions by
//! every pair of carries, and all of them on random words; what moves bytes is tried on bytes that tell
//! where they come from.

use super::*;

/// Of the operands and lengths, each of this many is tried. Miri takes hours for all; what it looks for
/// hardly depends on them.
const OF_THESE: usize = if cfg!(miri) { 31 } else { 1 };

/// A sequence of numbers that look random (Steele, Lea & Flood 2014, SplitMix).
pub(super) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// Returns a word as a number.
fn number<W: Word>(word: W) -> u64 {
    let mut bytes = [0; 8];
    word.write_bytes(ByteOrder::Little, 0, &mut bytes);
    u64::from_le_bytes(bytes)
}

/// The words of each lane before an operation: three operands.
type Operands = [[u64; 3]; MAX_LANES];

/// Operands for every lane, of which the first lanes have what `special` gives and the others random
/// words. Lanes change their places, so that each has every operand once.
fn operands(special: &[[u64; 3]], bits: u32) -> Vec<Operands> {
    let mut state = 1;
    (0..special.len())
        .step_by(OF_THESE)
        .map(|first| {
            std::array::from_fn(|lane| match special.get((first + lane) % special.len().max(MAX_LANES)) {
                Some(operands) => *operands,
                None => std::array::from_fn(|_| random(&mut state) >> (64 - bits)),
            })
        })
        .collect()
}

/// Operands of operations on bits: one bit set in one of them, or in none; the eight combinations of
/// three bits at every place, around which are the other seven; and random words.
pub(super) fn for_bits(bits: u32) -> Vec<[u64; 3]> {
    let mut all = vec![[0; 3]];
    for bit in 0..bits {
        all.extend((0..3).map(|which| std::array::from_fn(|i| if i == which { 1 << bit } else { 0 })));
    }
    for turn in 0..8 {
        let word = |i: usize| (0..bits).fold(0, |word, bit| word | (u64::from(((bit + turn) % 8) >> i & 1) << bit));
        all.push(std::array::from_fn(word));
    }
    let mut state = 2;
    all.extend((0..100).map(|_| std::array::from_fn(|_| random(&mut state) >> (64 - bits))));
    all
}

/// Operands of an addition: every pair of single bits, all ones and a single bit, and random words.
fn for_sums(bits: u32) -> Vec<[u64; 3]> {
    let mut all = Vec::new();
    for bit in 0..bits {
        all.extend((0..bits).map(|other| [1 << bit, 1 << other, 0]));
        all.push([u64::MAX >> (64 - bits), 1 << bit, 0]);
        all.push([1 << bit, u64::MAX >> (64 - bits), 0]);
    }
    let mut state = 3;
    all.extend((0..100).map(|_| std::array::from_fn(|_| random(&mut state) >> (64 - bits))));
    all
}

/// An operation: from the words of three operands, for each lane, to those of the result.
type Operation<'a, W> = dyn Fn(&[[W; MAX_LANES]; 3], &mut [W; MAX_LANES]) + 'a;

/// The operations of the vectors `V` of the words `W`.
struct Operations<W> {
    name: &'static str,
    word: std::marker::PhantomData<W>,
}

impl<W: Word> Operations<W> {
    const BITS: u32 = 8 * size_of::<W>() as u32;

    /// Checks an operation on operands of every lane: `compute` leaves what it made of them. Only that is compiled for each
    /// instruction set.
    #[inline(never)]
    fn check(&self, lanes: usize, operation: &str, special: &[[u64; 3]], compute: &Operation<'_, W>, right: &dyn Fn([u64; 3]) -> u64) {
        for operands in operands(special, Self::BITS) {
            let words: [[W; MAX_LANES]; 3] = std::array::from_fn(|i| operands.map(|of_lane| W::low(of_lane[i])));
            let mut found = [W::default(); MAX_LANES];
            compute(&words, &mut found);
            self.compare(operation, &operands, &found[..lanes], right);
        }
    }

    /// Compares what the lanes have with what is right.
    #[inline(never)]
    fn compare(&self, operation: &str, operands: &Operands, found: &[W], right: &dyn Fn([u64; 3]) -> u64) {
        for (lane, (found, operands)) in found.iter().zip(operands).enumerate() {
            let right = right(*operands) & (u64::MAX >> (64 - Self::BITS));
            assert_eq!(number(*found), right, "{} {operation} of {operands:x?} in lane {lane}", self.name);
        }
    }

    /// Checks what computes.
    #[inline(never)]
    fn check_all<V: Words<Word = W>>(&self, isa: V::Isa) {
        let (bits, sums) = (for_bits(Self::BITS), for_sums(Self::BITS));
        macro_rules! check {
            ($operation:literal, $special:expr, |$x:tt $y:tt $z:tt| $compute:expr, $right:expr) => {
                let compute = |words: &[[W; MAX_LANES]; 3], found: &mut [W; MAX_LANES]| {
                    let [$x, $y, $z] = [V::read(isa, &words[0]), V::read(isa, &words[1]), V::read(isa, &words[2])];
                    $compute.write(found);
                };
                self.check(V::LANES, $operation, $special, &compute, &$right);
            };
        }
        check!("add", &sums, |x y _| x.add(y), |[x, y, _]| x.wrapping_add(y));
        check!("xor", &bits, |x y _| x.xor(y), |[x, y, _]| x ^ y);
        check!("and", &bits, |x y _| x.and(y), |[x, y, _]| x & y);
        check!("not", &bits, |x _ _| x.not(), |[x, ..]| !x);
        check!("pin", &bits, |x _ _| x.pin(), |[x, ..]| x);
        check!("in_order", &bits, |x _ _| x.in_order(), |[x, ..]| x);
        check!("xor3", &bits, |x y z| V::xor3(x, y, z), |[x, y, z]| x ^ y ^ z);
        // As FIPS 180-4, section 4.1.2, FIPS 202, section 3.2.4, and RFC 1321, section 3.4, write them.
        check!("choose", &bits, |x y z| V::choose(x, y, z), |[x, y, z]| (x & y) ^ (!x & z));
        check!("majority", &bits, |x y z| V::majority(x, y, z), |[x, y, z]| (x & y) ^ (x & z) ^ (y & z));
        check!("xor_and_not", &bits, |x y z| V::xor_and_not(x, y, z), |[x, y, z]| x ^ (!y & z));
        check!("xor_or_not", &bits, |x y z| V::xor_or_not(x, y, z), |[x, y, z]| y ^ (x | !z));
        let sum = |[x, y, z]: [u64; 3]| x.wrapping_add((y & z) | (!y & !z));
        check!("add_choice", &bits, |x y z| x.add_choice(y, z, z.not()), sum);
        let constant = 0x0123_4567_89AB_CDEF;
        check!("splat", &bits, |x _ _| x.xor(V::splat(isa, W::low(constant))), |[x, ..]| x ^ constant);
    }

    /// Checks rotations and shifts by all that the algorithms use. In one function: one for each would
    /// take the compiler ten minutes.
    #[inline(never)]
    fn check_shifts<V: Words<Word = W>>(&self, isa: V::Isa) {
        let bits = for_bits(Self::BITS);
        for operands in operands(&bits, Self::BITS) {
            let word = V::read(isa, &operands.map(|of_lane| W::low(of_lane[0])));
            let mut found = [W::default(); MAX_LANES];
            macro_rules! shifts { ($($by:literal)*) => { $(
                if const { $by < Self::BITS } {
                    word.rotate_right::<$by>().write(&mut found);
                    self.compare("rotate_right", &operands, &found[..V::LANES], &|[x, ..]| x >> $by | x << (Self::BITS - $by));
                    word.shift_right::<$by>().write(&mut found);
                    self.compare("shift_right", &operands, &found[..V::LANES], &|[x, ..]| x >> $by);
                }
            )* } }
            shifts!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 34 39 41 61);
        }
    }

    /// Checks what moves bytes: loads of `N` words of each lane, from every first byte.
    #[inline(never)]
    fn check_loads<V: Words<Word = W>, const N: usize>(&self, isa: V::Isa, messages: &[Vec<u8>]) {
        let block_bytes = N * size_of::<W>();
        for order in [ByteOrder::Big, ByteOrder::Little] {
            for at in [0, 1, 7, 64, 200] {
                let blocks = Blocks::new(V::LANES, at + block_bytes, |lane| &messages[lane]);
                self.check_words(&loaded::<V, N>(isa, order, &blocks, at), order, |lane, i| {
                    messages[lane][at + i * size_of::<W>()..].to_vec()
                });
            }
        }
    }

    /// Checks words that are loaded a column at a time, into memory that has those of another block.
    #[inline(never)]
    fn check_columns<V: Words<Word = W>>(&self, isa: V::Isa, messages: &[Vec<u8>]) {
        let block_bytes = 16 * size_of::<W>();
        let mut words = BlockWords::<Count<16>, V>::none();
        for order in [ByteOrder::Big, ByteOrder::Little] {
            for at in [0, 1, 7, 64, 200] {
                let blocks = Blocks::new(V::LANES, at + block_bytes, |lane| &messages[lane]);
                words.clear();
                for part in 0..4 {
                    part_of::<V>(isa, order, &blocks, at, part, &mut words);
                }
                self.check_words(words.words(), order, |lane, i| messages[lane][at + i * size_of::<W>()..].to_vec());
            }
        }
    }

    /// Checks loads of messages that end at any byte, and the padding that they get.
    #[inline(never)]
    fn check_padded<V: Words<Word = W>>(&self, isa: V::Isa, messages: &[Vec<u8>]) {
        let block_bytes = 16 * size_of::<W>();
        for bytes in (0..=3 * block_bytes).step_by(OF_THESE) {
            let its_bytes = |lane: usize| (bytes + 5 * lane) % (3 * block_bytes + 1);
            let whole = Whole::new(V::LANES, |lane| &messages[lane][..its_bytes(lane)]);
            for at in [0, block_bytes, 2 * block_bytes] {
                let right = |lane: usize, i: usize| {
                    let mut padded = messages[lane][..its_bytes(lane)].to_vec();
                    padded.push(0x80);
                    padded.resize(4 * block_bytes, 0);
                    padded[at + i * size_of::<W>()..].to_vec()
                };
                let words = padded::<V>(isa, &whole, at);
                self.check_words(&words, ByteOrder::Big, right);
            }
            self.check_lanes_that_go_on::<V>(isa, messages, bytes);
        }
    }

    /// Checks loads of lanes that went on with other messages, every third one after two blocks, and the
    /// one before it without a message.
    fn check_lanes_that_go_on<V: Words<Word = W>>(&self, isa: V::Isa, messages: &[Vec<u8>], bytes: usize) {
        let block_bytes = 16 * size_of::<W>();
        let begin = |lane: usize| if lane.is_multiple_of(3) { 2 * block_bytes } else { 0 };
        let message = |lane: usize| &messages[lane][..if lane % 3 == 2 { 0 } else { bytes + lane }];
        let mut whole = Whole::new(V::LANES, |lane| if begin(lane) > 0 { &messages[lane][..block_bytes] } else { message(lane) });
        for lane in 0..V::LANES {
            match lane % 3 {
                0 => whole.go_on(lane, begin(lane), message(lane)),
                2 => whole.leave(lane),
                _ => {}
            }
        }
        whole.find_nearest_end();
        for at in [2 * block_bytes, 3 * block_bytes] {
            let right = |lane: usize, i: usize| {
                let mut padded = message(lane).to_vec();
                padded.push(if lane % 3 == 2 { 0 } else { 0x80 });
                padded.resize(padded.len().max(5 * block_bytes), 0);
                padded[at - begin(lane) + i * size_of::<W>()..].to_vec()
            };
            let words = padded::<V>(isa, &whole, at);
            self.check_words(&words, ByteOrder::Big, right);
        }
    }

    /// Checks that word i of each lane is the one at the beginning of `bytes(lane, i)`.
    fn check_words<V: Words<Word = W>>(&self, words: &[V], order: ByteOrder, bytes: impl Fn(usize, usize) -> Vec<u8>) {
        for (i, word) in words.iter().enumerate() {
            let mut found = [W::default(); MAX_LANES];
            word.write(&mut found);
            for (lane, found) in found[..V::LANES].iter().enumerate() {
                let bytes = &bytes(lane, i)[..size_of::<W>()];
                let mut right = [0; 8];
                right[..bytes.len()].copy_from_slice(bytes);
                if matches!(order, ByteOrder::Big) {
                    right[..bytes.len()].reverse();
                }
                assert_eq!(number(*found), u64::from_le_bytes(right), "{}: word {i} of lane {lane}, {order:?}", self.name);
            }
        }
    }

    /// Checks words that become bytes, and words of one row.
    #[inline(never)]
    fn check_rows<V: Words<Word = W>>(&self, isa: V::Isa, messages: &[Vec<u8>]) {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let row = &messages[0];
            self.check_words(&[V::read_bytes(isa, order, row)], order, |lane, _| row[lane * size_of::<W>()..].to_vec());
            if V::PADS {
                let blocks = Blocks::new(V::LANES, 16 * size_of::<W>(), |lane| &messages[lane]);
                let words = loaded::<V, 16>(isa, order, &blocks, 0);
                for count in 1..=8 {
                    let mut rows = [[0xEE; 64]; MAX_LANES];
                    write_rows(&words[..count], order, &mut rows);
                    for (row, message) in rows[..V::LANES].iter().zip(messages) {
                        let bytes = count * size_of::<W>();
                        assert_eq!(row[..bytes], message[..bytes], "{}: rows of {count} words, {order:?}", self.name);
                    }
                }
            }
        }
    }
}

// Long operations are calls, or the compiler writes out the loops around them.

#[inline(never)]
fn loaded<V: Words, const N: usize>(isa: V::Isa, order: ByteOrder, blocks: &Blocks, at: usize) -> [V; N] {
    V::load::<N>(isa, order, blocks, 0, at)
}

#[inline(never)]
fn part_of<V: Words>(isa: V::Isa, order: ByteOrder, blocks: &Blocks, at: usize, part: usize, words: &mut BlockWords<Count<16>, V>) {
    words.load_part::<4>(isa, order, blocks, at, part);
}

#[inline(never)]
fn padded<V: Words>(isa: V::Isa, whole: &Whole, at: usize) -> [V; 16] {
    V::load_padded::<16>(isa, ByteOrder::Big, whole, &FirstByte::new(0x80), 0, at)
}

#[inline(never)]
fn write_rows<V: Words>(words: &[V], order: ByteOrder, rows: &mut [Row; MAX_LANES]) {
    V::write_rows(words, order, rows);
}

impl<I: Isa, W: Word> Task<I> for Operations<W> {
    type Output = ();
    // What it calls is not inlined: one function with all of it would take the compiler ten minutes.
    fn run(self, isa: I) {
        let mut state = 4;
        let messages: Vec<Vec<u8>> = (0..MAX_LANES).map(|_| (0..700).map(|_| random(&mut state) as u8).collect()).collect();
        self.check_all::<W::Vector<I>>(isa);
        self.check_shifts::<W::Vector<I>>(isa);
        self.check_loads::<W::Vector<I>, 16>(isa, &messages);
        self.check_loads::<W::Vector<I>, 17>(isa, &messages);
        self.check_loads::<W::Vector<I>, MAX_BLOCK_WORDS>(isa, &messages);
        self.check_rows::<W::Vector<I>>(isa, &messages);
        if <W::Vector<I> as Words>::LOADS_COLUMNS {
            self.check_columns::<W::Vector<I>>(isa, &messages);
        }
        if <W::Vector<I> as Words>::PADS {
            self.check_padded::<W::Vector<I>>(isa, &messages);
        }
    }
}

#[test]
fn each_operation_is_what_its_name_says() {
    fn check<I: Isa>(name: &'static str) {
        let Some(isa) = I::detect() else { return println!("SKIPPED: this CPU lacks the instructions of {name}") };
        isa.run(Operations::<u32> { name, word: std::marker::PhantomData });
        isa.run(Operations::<u64> { name, word: std::marker::PhantomData });
    }
    macro_rules! every {
        ($(#[$cfg:meta] $([$($Lanes:ty = $name:literal)?])*;)*) => { $(
            #[$cfg]
            { $($(check::<$Lanes>($name);)?)* }
        )* };
    }
    for_each_lanes!(every);
}
