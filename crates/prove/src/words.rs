//! Words that are numbers or expressions, the bytes of them, and operations on elements of any width.
//!
//! A proof has words of one width, that of its algorithm. Registers and memory hold such words, and
//! elements of other widths are parts of a word, or several.

use std::cell::Cell;
use terms::Term;

thread_local! {
    static BITS: Cell<u32> = const { Cell::new(32) };
    static VARIABLES: Cell<u32> = const { Cell::new(0) };
}

/// Sets the bits of this thread's words: 32 or 64.
pub fn set_bits(bits: u32) {
    BITS.set(bits);
}

/// Returns the bits of a word.
pub fn bits() -> u32 {
    BITS.get()
}

/// Returns the bytes of a word.
pub fn word_bytes() -> usize {
    bits() as usize / 8
}

/// Returns a word with all bits set.
pub fn ones() -> u64 {
    u64::MAX >> (64 - bits())
}

/// A word: a number, or an expression that is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// The same for all messages and states.
    Number(u64),
    /// Depends on them, as far as can be seen.
    Term(Term),
}

use Word::{Number, Term as Expression};

impl Word {
    /// Any word: a variable that is used nowhere else.
    pub fn any() -> Self {
        let number = VARIABLES.get();
        VARIABLES.set(number + 1);
        Expression(terms::variable(bits(), number))
    }

    /// Returns the word of an expression.
    pub fn of(term: Term) -> Self {
        terms::constant_of(bits(), term).map_or(Expression(term), Number)
    }

    /// Returns the expression.
    pub fn term(self) -> Term {
        match self {
            Number(number) => terms::constant(bits(), number),
            Expression(term) => term,
        }
    }

    /// Returns the number, if it is one.
    pub fn number(self) -> Option<u64> {
        match self {
            Number(number) => Some(number),
            Expression(_) => None,
        }
    }

    fn with(self, other: Self, numbers: fn(u64, u64) -> u64, expressions: fn(u32, Term, Term) -> Term) -> Self {
        match (self, other) {
            (Number(one), Number(other)) => Number(numbers(one, other) & ones()),
            _ => Self::of(expressions(bits(), self.term(), other.term())),
        }
    }

    /// The sum modulo the word.
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (one, Number(0)) | (Number(0), one) => one,
            // Compilers shift left by one bit that way.
            (Expression(one), Expression(other)) if one == other => self.shift_left(1),
            // Compilers count complements down: c + ~x is the complement of x - c.
            (Expression(term), Number(number)) | (Number(number), Expression(term)) => match terms::complemented(bits(), term) {
                Some(atom) => Self::of(terms::subtract(bits(), atom, Number(number).term())).complement(),
                None => self.with(other, u64::wrapping_add, terms::add),
            },
            _ => self.with(other, u64::wrapping_add, terms::add),
        }
    }

    /// The difference modulo the word.
    pub fn minus(self, other: Self) -> Self {
        match (self, other) {
            // c - x is the complement of x - c - 1, and compilers make the one of the other.
            (Number(number), Expression(_)) => other.plus(Number(!number & ones())).complement(),
            (_, Number(number)) => self.plus(Number(number.wrapping_neg() & ones())),
            _ => self.with(other, u64::wrapping_sub, terms::subtract),
        }
    }

    /// The exclusive or.
    pub fn xor(self, other: Self) -> Self {
        match (self, other) {
            (one, Number(0)) | (Number(0), one) => one,
            _ => self.with(other, |one, other| one ^ other, terms::xor),
        }
    }

    /// The bits that both have.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (one, Number(mask)) | (Number(mask), one) => one.masked(mask),
            _ => self.with(other, |one, other| one & other, terms::and),
        }
    }

    /// The bits that one of them has.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (one, Number(0)) | (Number(0), one) => one,
            _ => self.xor(other).xor(self.and(other)),
        }
    }

    /// The word as it is in products, where long expressions have a name.
    pub fn short(self) -> Self {
        match self {
            Number(_) => self,
            Expression(term) => Self::of(terms::short(bits(), term)),
        }
    }

    /// The complement.
    pub fn complement(self) -> Self {
        self.xor(Number(ones()))
    }

    /// The bits that `mask` has.
    pub fn masked(self, mask: u64) -> Self {
        match self {
            Number(number) => Number(number & mask),
            Expression(_) if mask & ones() == 0 => Number(0),
            Expression(_) if mask & ones() == ones() => self,
            Expression(term) => Self::of(terms::masked(bits(), term, mask)),
        }
    }

    /// The word rotated right by some bits, fewer than it has.
    pub fn rotate_right(self, by: u32) -> Self {
        match self {
            _ if by == 0 => self,
            Number(number) => Number((number >> by | number << (bits() - by)) & ones()),
            Expression(term) => Self::of(terms::rotate_right(bits(), term, by)),
        }
    }

    /// The word shifted right by some bits.
    pub fn shift_right(self, by: u32) -> Self {
        if by >= bits() { Number(0) } else { self.rotate_right(by).masked(ones() >> by) }
    }

    /// The word shifted left by some bits.
    pub fn shift_left(self, by: u32) -> Self {
        if by >= bits() { Number(0) } else { self.rotate_right((bits() - by) % bits()).masked(ones() << by & ones()) }
    }
}

/// A byte of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Byte {
    /// A number.
    Number(u8),
    /// The byte of an expression with this index, the lowest first.
    Of(Term, u8),
}

impl Byte {
    /// Returns the number, if it is one.
    pub fn number(self) -> Option<u8> {
        match self {
            Self::Number(number) => Some(number),
            Self::Of(..) => None,
        }
    }
}

/// Returns the bytes of words, the lowest first.
pub fn bytes_of(words: &[Word]) -> Vec<Byte> {
    let mut bytes = Vec::with_capacity(words.len() * word_bytes());
    for word in words {
        for i in 0..word_bytes() {
            bytes.push(match word {
                Number(number) => Byte::Number((number >> (8 * i)) as u8),
                Expression(term) => Byte::Of(*term, i as u8),
            });
        }
    }
    bytes
}

/// Returns the words of bytes. The last one is filled up with zeros.
pub fn words_of(bytes: &[Byte]) -> Vec<Word> {
    bytes.chunks(word_bytes()).map(word_of).collect()
}

/// Returns the word of bytes, which are no more than it has.
fn word_of(bytes: &[Byte]) -> Word {
    if let Byte::Of(term, 0) = bytes[0]
        && bytes.len() == word_bytes()
        && bytes.iter().enumerate().all(|(i, byte)| *byte == Byte::Of(term, i as u8))
    {
        return Expression(term);
    }
    let number = bytes.iter().enumerate().fold(0, |sum, (i, byte)| sum | u64::from(byte.number().unwrap_or(0)) << (8 * i));
    let mut word = Number(number);
    let mut done = 0u64;
    for (i, byte) in bytes.iter().enumerate() {
        let Byte::Of(term, index) = *byte else { continue };
        if done >> i & 1 == 1 {
            continue;
        }
        // All bytes that move equally far come together.
        let distance = |i: usize, index: u8| (usize::from(index) + word_bytes() - i) % word_bytes();
        let mut mask = 0;
        for (j, other) in bytes.iter().enumerate() {
            if matches!(other, Byte::Of(of, other) if *of == term && distance(j, *other) == distance(i, index)) {
                mask |= 0xFF << (8 * j);
                done |= 1 << j;
            }
        }
        word = word.xor(Expression(term).rotate_right(8 * distance(i, index) as u32).masked(mask));
    }
    word
}

/// Returns a number as words, as many as `bytes` bytes need.
pub fn words_of_number(number: u64, bytes: usize) -> Vec<Word> {
    match bits() {
        32 => (0..bytes.div_ceil(4)).map(|i| Number(if i < 2 { number >> (32 * i) & ones() } else { 0 })).collect(),
        _ => (0..bytes.div_ceil(8)).map(|i| Number(if i == 0 { number } else { 0 })).collect(),
    }
}

/// Returns the number of the lowest 64 bits of words, if they are numbers.
pub fn number_of(words: &[Word]) -> Option<u64> {
    match bits() {
        32 => Some(words[0].number()? | words.get(1).map_or(Some(0), |word| word.number())? << 32),
        _ => words[0].number(),
    }
}

/// Returns words with only their first `bytes` bytes, and zeros behind them.
pub fn cut(words: &[Word], bytes: usize) -> Vec<Word> {
    let kept = |i: usize| bytes.saturating_sub(i * word_bytes()).min(word_bytes());
    let mask = |kept: usize| if kept == 0 { 0 } else { u64::MAX >> (64 - 8 * kept) };
    words.iter().enumerate().map(|(i, word)| word.masked(mask(kept(i)))).collect()
}

/// Returns words with elements of `element` bits, each of them `mask`.
fn repeated(mask: u64, element: u32) -> u64 {
    (0..bits() / element).fold(0, |all, i| all | mask << (i * element))
}

/// Shifts each element of `element` bits right, or left, by as many bits as `by` says.
pub fn shifted(words: &[Word], element: u32, by: impl Fn(usize) -> u64, left: bool) -> Vec<Word> {
    if element <= bits() {
        let per_word = (bits() / element) as usize;
        words
            .iter()
            .enumerate()
            .map(|(i, word)| {
                let equal = (1..per_word).all(|j| by(i * per_word + j) == by(i * per_word));
                if equal {
                    shifted_word(*word, element, by(i * per_word), left)
                } else {
                    (0..per_word).fold(Number(0), |sum, j| {
                        let mask = u64::MAX >> (64 - element) << (j as u32 * element);
                        sum.xor(shifted_word(*word, element, by(i * per_word + j), left).masked(mask))
                    })
                }
            })
            .collect()
    } else {
        let shift = |low: Word, high: Word, by: u64| {
            let by = by.min(64) as u32;
            match (left, by) {
                (_, 0) => [low, high],
                (_, 64) => [Number(0); 2],
                (false, 32..) => [high.shift_right(by - 32), Number(0)],
                (true, 32..) => [Number(0), low.shift_left(by - 32)],
                (false, _) => [low.shift_right(by).xor(high.shift_left(32 - by)), high.shift_right(by)],
                (true, _) => [low.shift_left(by), high.shift_left(by).xor(low.shift_right(32 - by))],
            }
        };
        words.chunks(2).enumerate().flat_map(|(i, pair)| shift(pair[0], pair[1], by(i))).collect()
    }
}

/// Shifts every element of a word by as many bits.
fn shifted_word(word: Word, element: u32, by: u64, left: bool) -> Word {
    if by >= u64::from(element) {
        return Number(0);
    }
    let (by, all) = (by as u32, u64::MAX >> (64 - element));
    if by == 0 {
        word
    } else if left {
        word.rotate_right((bits() - by) % bits()).masked(repeated(all << by & all, element))
    } else {
        word.rotate_right(by).masked(repeated(all >> by, element))
    }
}

/// Rotates each element of `element` bits right by as many bits as `by` says.
pub fn rotated(words: &[Word], element: u32, by: impl Fn(usize) -> u64) -> Vec<Word> {
    let (element_bits, by) = (u64::from(element), |i: usize| by(i) % u64::from(element));
    if element == bits() {
        return words.iter().enumerate().map(|(i, word)| word.rotate_right(by(i) as u32)).collect();
    }
    let right = shifted(words, element, by, false);
    let left = shifted(words, element, |i| if by(i) == 0 { element_bits } else { element_bits - by(i) }, true);
    right.into_iter().zip(left).map(|(right, left)| right.xor(left)).collect()
}

/// Adds elements of `element` bits, or subtracts them. Where a carry cannot be told, the bits are
/// any: variables.
pub fn added(one: &[Word], other: &[Word], element: u32, subtract: bool) -> Vec<Word> {
    let word = |one: Word, other: Word| if subtract { one.minus(other) } else { one.plus(other) };
    if element == bits() {
        return one.iter().zip(other).map(|(one, other)| word(*one, *other)).collect();
    }
    if element < bits() {
        let all = u64::MAX >> (64 - element);
        let sum = |one: Word, other: Word| {
            (0..bits() / element).fold(Number(0), |sum, i| {
                let part = |word: Word| word.shift_right(i * element).masked(all);
                sum.xor(word(part(one), part(other)).masked(all).shift_left(i * element))
            })
        };
        return one.iter().zip(other).map(|(one, other)| sum(*one, *other)).collect();
    }
    let pair = |one: &[Word], other: &[Word]| match (number_of(one), number_of(other)) {
        (Some(one), Some(other)) => words_of_number(if subtract { one.wrapping_sub(other) } else { one.wrapping_add(other) }, 8),
        _ => {
            let carries = match (one[0], other[0]) {
                (_, Number(0)) => false,
                (Number(0), _) => subtract,
                _ => true,
            };
            vec![word(one[0], other[0]), if carries { Word::any() } else { word(one[1], other[1]) }]
        }
    };
    one.chunks(2).zip(other.chunks(2)).flat_map(|(one, other)| pair(one, other)).collect()
}

/// Returns the byte, as a number if it is one whatever the expression.
pub fn simplified(byte: Byte) -> Byte {
    let Byte::Of(term, index) = byte else { return byte };
    match Expression(term).masked(0xFF << (8 * index)) {
        Number(number) => Byte::Number((number >> (8 * index)) as u8),
        Expression(_) => byte,
    }
}
