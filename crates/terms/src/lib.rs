//! Expressions over words in a normal form. Two expressions that get the same number are equal for
//! all inputs, because each law that is used is an identity of words:
//!
//! - A **sum** is a multiset of expressions and a constant, modulo the word: addition is associative
//!   and commutative.
//! - A **polynomial** is an exclusive or of products of atoms, each product with a mask of the bits
//!   where it counts (the algebraic normal form, for all bits at a time). Exclusive or, and, and
//!   complement are exact in it, so all forms of Ch and Maj are one polynomial. Rotations commute with
//!   all three, so they go down to the atoms and turn the masks; a shift is a rotation and a mask.
//! - Bits that never meet may be added: a sum of two polynomials whose product is zero is their
//!   exclusive or. The top bit of a polynomial that is added is added by itself, because it carries into nothing.
//!
//! A polynomial that has grown long becomes an atom where it is rotated or multiplied. That loses
//! laws, never soundness: what cannot be shown equal fails the test.
//!
//! Expressions belong to the thread that made them.
#![forbid(unsafe_code)]

use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::iter::Peekable;

/// The most products of a polynomial that is rotated or multiplied out.
const LONG: usize = 12;

/// The same for one that is rotated and has no product of two atoms. Compilers take rotations of bytes
/// apart and together again there, and the polynomials of BLAKE2s have up to 42 atoms.
const LONG_LINEAR: usize = 64;

thread_local! {
    /// What is [`LONG_LINEAR`] for expressions of this thread.
    static MOST_LINEAR: Cell<usize> = const { Cell::new(LONG_LINEAR) };
}

/// Lets polynomials without products of two atoms have up to `atoms` atoms where they are rotated, from now
/// on and in this thread. Where all that is rotated is an exclusive or of rotated variables, none is lost if
/// that is all there may be: as many as the variables have bits. It takes memory.
pub fn keep_linear(atoms: usize) {
    MOST_LINEAR.set(atoms);
}

/// The number of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(u32);

impl Term {
    /// The number itself.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The expression of a number, which must be one of [`Term::number`].
pub fn from_number(number: u32) -> Term {
    Term(number)
}

/// The number of a product of atoms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Product(u32);

/// The product of no atoms, whose number is the least.
const NONE: Product = Product(0);

/// The products of a polynomial, in the order of their numbers, and the bits where they count.
type Products = Vec<(Product, u64)>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Node {
    Variable(u32),
    /// An atom rotated right by some bits.
    Rotated(Term, u32),
    /// A long polynomial that is an atom.
    Named(Term),
    /// Expressions with their multiplicities, and a constant.
    Sum(Vec<(Term, u64)>, u64),
    Polynomial(Products),
}

/// All expressions so far, each once. Its words have `bits` bits.
struct Arena {
    bits: u32,
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, Term>,
    /// The value of each polynomial, and 0 for others, where every atom has some value of its own.
    samples: Vec<u64>,
    /// The atoms of each product, in order.
    products: Vec<Vec<Term>>,
    product_numbers: FxHashMap<Vec<Term>, Product>,
    /// The products of two products.
    products_of_two: FxHashMap<(Product, Product), Product>,
}

impl Arena {
    fn new(bits: u32) -> Self {
        Self {
            bits,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            samples: Vec::new(),
            products: vec![Vec::new()],
            product_numbers: FxHashMap::from_iter([(Vec::new(), NONE)]),
            products_of_two: FxHashMap::default(),
        }
    }
}

thread_local! {
    /// The expressions of words of 32 bits, and those of 64 bits.
    static ARENAS: [RefCell<Arena>; 2] = [32, 64].map(|bits| RefCell::new(Arena::new(bits)));
}

/// Calls `task` with the expressions of words of `bits` bits.
fn with<T>(bits: u32, task: impl FnOnce(&mut Arena) -> T) -> T {
    ARENAS.with(|arenas| task(&mut arenas[usize::from(bits == 64)].borrow_mut()))
}

/// Brings items into order, and puts those of the same key together by `join`. What is zero then is left out.
fn gathered<K: Ord + Copy>(mut items: Vec<(K, u64)>, join: impl Fn(u64, u64) -> u64) -> Vec<(K, u64)> {
    items.sort_unstable_by_key(|(key, _)| *key);
    items.dedup_by(|(key, value), (kept, sum)| {
        let is_same = key == kept;
        if is_same {
            *sum = join(*sum, *value);
        }
        is_same
    });
    items.retain(|(_, value)| *value != 0);
    items
}

/// Does the same with two lists that are in order, and have each key once.
fn merged<K: Ord + Copy>(one: &[(K, u64)], other: &[(K, u64)], join: impl Fn(u64, u64) -> u64) -> Vec<(K, u64)> {
    let mut all = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.iter().copied().peekable(), other.iter().copied().peekable());
    let key = |items: &mut Peekable<_>| items.peek().map(|(key, _): &(K, u64)| *key);
    loop {
        let item = match (key(&mut one), key(&mut other)) {
            (Some(left), Some(right)) if left == right => one.next().zip(other.next()).map(|((key, x), (_, y))| (key, join(x, y))),
            (Some(left), Some(right)) if left > right => other.next(),
            (None, _) => other.next(),
            _ => one.next(),
        };
        let Some(item) = item else { return all };
        if item.1 != 0 {
            all.push(item);
        }
    }
}

impl Arena {
    fn ones(&self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    fn intern(&mut self, node: Node) -> Term {
        if let Some(term) = self.numbers.get(&node) {
            return *term;
        }
        let term = Term(self.nodes.len() as u32);
        let value = |atom: &Term| (u64::from(atom.0) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        self.samples.push(match &node {
            Node::Polynomial(products) => products
                .iter()
                .fold(0, |sum, (product, mask)| sum ^ self.atoms(*product).iter().fold(*mask, |product, atom| product & value(atom))),
            _ => 0,
        });
        self.nodes.push(node.clone());
        self.numbers.insert(node, term);
        term
    }

    /// Returns the product of atoms, which are in order.
    fn product(&mut self, atoms: Vec<Term>) -> Product {
        if let Some(product) = self.product_numbers.get(&atoms) {
            return *product;
        }
        let product = Product(self.products.len() as u32);
        self.products.push(atoms.clone());
        self.product_numbers.insert(atoms, product);
        product
    }

    fn atoms(&self, product: Product) -> &[Term] {
        &self.products[product.0 as usize]
    }

    /// Returns the product of two products.
    fn product_of_two(&mut self, one: Product, other: Product) -> Product {
        if one == other || other == NONE {
            return one;
        }
        if let Some(product) = self.products_of_two.get(&(one, other)) {
            return *product;
        }
        let mut atoms = [self.atoms(one), self.atoms(other)].concat();
        atoms.sort_unstable();
        atoms.dedup();
        let product = self.product(atoms);
        self.products_of_two.insert((one, other), product);
        product
    }

    fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    fn constant(&mut self, word: u64) -> Term {
        self.intern(Node::Sum(Vec::new(), word))
    }

    /// Returns the products of an expression.
    fn products(&mut self, term: Term) -> Products {
        match self.node(term) {
            Node::Polynomial(products) => products.clone(),
            Node::Sum(terms, 0) if terms.is_empty() => Products::new(),
            Node::Sum(terms, constant) if terms.is_empty() => vec![(NONE, *constant)],
            _ => vec![(self.product(vec![term]), self.ones())],
        }
    }

    /// Returns the expression of these products, each of which counts for some bit.
    fn polynomial(&mut self, products: Products) -> Term {
        match products[..] {
            [] => self.constant(0),
            [(NONE, mask)] => self.constant(mask),
            [(product, mask)] if mask == self.ones() && self.atoms(product).len() == 1 => self.unnamed(self.atoms(product)[0]),
            _ => self.intern(Node::Polynomial(products)),
        }
    }

    /// Returns an expression, or an atom for it if it is a long polynomial. What is constant in it stays
    /// apart, so that a polynomial and its complement have the same atom.
    fn short(&mut self, term: Term) -> Term {
        let Node::Polynomial(products) = self.node(term) else { return term };
        let (constant, rest) = match &products[..] {
            [(NONE, constant), rest @ ..] => (*constant, rest),
            rest => (0, rest),
        };
        // A complement is as long as what it complements.
        if rest.len() <= LONG {
            return term;
        }
        let rest = rest.to_vec();
        let rest = self.polynomial(rest);
        let atom = self.intern(Node::Named(rest));
        if constant == 0 {
            return atom;
        }
        let product = self.product(vec![atom]);
        self.polynomial(vec![(NONE, constant), (product, self.ones())])
    }

    /// Returns the polynomial of an atom that stands for one, and every other expression as it is.
    fn unnamed(&self, term: Term) -> Term {
        match self.node(term) {
            Node::Named(polynomial) => *polynomial,
            _ => term,
        }
    }

    fn xor(&mut self, one: Term, other: Term) -> Term {
        let products = merged(&self.products(one), &self.products(other), |x, y| x ^ y);
        self.polynomial(products)
    }

    /// Returns the bits that an expression may have.
    fn possible_bits(&self, term: Term) -> u64 {
        match self.node(term) {
            Node::Polynomial(products) => products.iter().fold(0, |bits, (_, mask)| bits | mask),
            Node::Sum(terms, constant) if terms.is_empty() => *constant,
            _ => self.ones(),
        }
    }

    fn and(&mut self, one: Term, other: Term) -> Term {
        // Two shifts that make a rotation, however long they are.
        if self.possible_bits(one) & self.possible_bits(other) == 0 {
            return self.constant(0);
        }
        let (one, other) = (self.short(one), self.short(other));
        let (one, other) = (self.products(one), self.products(other));
        let mut products = Products::with_capacity(one.len() * other.len());
        for (left, left_mask) in &one {
            for (right, right_mask) in &other {
                let mask = left_mask & right_mask;
                if mask != 0 {
                    products.push((self.product_of_two(*left.max(right), *left.min(right)), mask));
                }
            }
        }
        self.polynomial(gathered(products, |x, y| x ^ y))
    }

    /// Rotates right by `by` bits, fewer than a word has.
    fn rotate_right(&mut self, term: Term, by: u32) -> Term {
        if by == 0 {
            return term;
        }
        let is_linear = matches!(self.node(term), Node::Polynomial(products)
            if products.len() <= MOST_LINEAR.get() && products.iter().all(|(product, _)| self.atoms(*product).len() < 2));
        let term = if is_linear { term } else { self.short(term) };
        match self.node(term).clone() {
            Node::Polynomial(mut products) => {
                for (product, mask) in &mut products {
                    let mut atoms = self.atoms(*product).to_vec();
                    atoms.iter_mut().for_each(|atom| *atom = self.rotate_right(*atom, by));
                    atoms.sort_unstable();
                    (*product, *mask) = (self.product(atoms), self.rotated(*mask, by));
                }
                self.polynomial(gathered(products, |x, y| x ^ y))
            }
            Node::Sum(terms, constant) if terms.is_empty() => {
                let constant = self.rotated(constant, by);
                self.constant(constant)
            }
            Node::Rotated(atom, before) if (before + by).is_multiple_of(self.bits) => self.unnamed(atom),
            Node::Rotated(atom, before) => self.intern(Node::Rotated(atom, (before + by) % self.bits)),
            _ => self.intern(Node::Rotated(term, by)),
        }
    }

    fn rotated(&self, word: u64, by: u32) -> u64 {
        (word >> by | word << (self.bits - by)) & self.ones()
    }

    fn shift_right(&mut self, term: Term, by: u32) -> Term {
        if by >= self.bits {
            return self.constant(0);
        }
        let rotated = self.rotate_right(term, by);
        self.masked(rotated, self.ones() >> by)
    }

    fn shift_left(&mut self, term: Term, by: u32) -> Term {
        let rotated = self.rotate_right(term, (self.bits - by) % self.bits);
        self.masked(rotated, self.ones() << by & self.ones())
    }

    /// Unlike the product with a constant, this is exact however long the polynomial is.
    fn masked(&mut self, term: Term, mask: u64) -> Term {
        let mut products = self.products(term);
        products.retain_mut(|(_, bits)| {
            *bits &= mask;
            *bits != 0
        });
        self.polynomial(products)
    }

    /// Returns what an expression is the complement of, if that is an atom.
    fn complemented(&self, term: Term) -> Option<Term> {
        let Node::Polynomial(products) = self.node(term) else { return None };
        let is_whole = products.iter().all(|(_, mask)| *mask == self.ones());
        match products[..] {
            [(NONE, _), (product, _)] if is_whole && self.atoms(product).len() == 1 => Some(self.atoms(product)[0]),
            _ => None,
        }
    }

    fn constant_of(&self, term: Term) -> Option<u64> {
        match self.node(term) {
            Node::Sum(terms, constant) if terms.is_empty() => Some(*constant),
            _ => None,
        }
    }

    fn add(&mut self, one: Term, other: Term) -> Term {
        self.sum([(one, 1), (other, 1)])
    }

    fn subtract(&mut self, one: Term, other: Term) -> Term {
        self.sum([(one, 1), (other, self.ones())])
    }

    /// Returns the sum of two expressions, each so many times.
    fn sum(&mut self, both: [(Term, u64); 2]) -> Term {
        let (mut constant, ones, top) = (0u64, self.ones(), 1 << (self.bits - 1));
        let both = both.map(|(term, factor)| match self.node(term) {
            Node::Polynomial(products) if matches!(products[0], (NONE, mask) if mask & top != 0) => {
                constant = constant.wrapping_add(top.wrapping_mul(factor));
                let top = self.constant(top);
                (self.xor(term, top), factor)
            }
            _ => (term, factor),
        });
        let [one, other] = both.map(|(term, factor)| match self.node(term) {
            Node::Sum(parts, part_constant) => {
                constant = constant.wrapping_add(part_constant.wrapping_mul(factor));
                parts.iter().map(|(part, times)| (*part, times.wrapping_mul(factor) & ones)).collect()
            }
            _ => vec![(term, factor)],
        });
        let add = |x: u64, y: u64| x.wrapping_add(y) & ones;
        let mut terms = merged(&one, &other, add);
        while let Some((one, other)) = self.never_meet(&terms) {
            terms.retain(|(term, _)| *term != one && *term != other);
            terms = merged(&terms, &[(self.xor(one, other), 1)], add);
        }
        let constant = constant & ones;
        match terms[..] {
            [(term, 1)] if constant == 0 => term,
            [(term, 1)] if constant == top => {
                let top = self.constant(top);
                self.xor(term, top)
            }
            _ => self.intern(Node::Sum(terms, constant)),
        }
    }

    /// Returns two polynomials of a sum, each in it once, that have no bit in common.
    fn never_meet(&mut self, terms: &[(Term, u64)]) -> Option<(Term, Term)> {
        let is_polynomial = |term: &Term| matches!(self.node(*term), Node::Polynomial(_));
        let once: Vec<Term> = terms.iter().filter(|(term, times)| *times == 1 && is_polynomial(term)).map(|(term, _)| *term).collect();
        let zero = self.constant(0);
        for (i, one) in once.iter().enumerate() {
            for other in &once[i + 1..] {
                let may_never_meet = self.samples[one.0 as usize] & self.samples[other.0 as usize] == 0;
                if may_never_meet && self.and(*one, *other) == zero {
                    return Some((*one, *other));
                }
            }
        }
        None
    }
}

/// An operation on expressions of words of `bits` bits.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $Type:ty),*);)*) => { $(
        $(#[$doc])*
        pub fn $name(bits: u32, $($argument: $Type),*) -> Term {
            with(bits, |arena| arena.$name($($argument),*))
        }
    )* };
}
operations! {
    /// The constant `word`.
    constant(word: u64);
    /// The sum modulo the word.
    add(one: Term, other: Term);
    /// The exclusive or.
    xor(one: Term, other: Term);
    /// The bits that both have.
    and(one: Term, other: Term);
    /// The word rotated right by `by` bits, fewer than it has.
    rotate_right(term: Term, by: u32);
    /// The word shifted right by `by` bits, fewer than it has.
    shift_right(term: Term, by: u32);
    /// The word shifted left by `by` bits, fewer than it has.
    shift_left(term: Term, by: u32);
    /// The bits that are set in `mask`, and zeros.
    masked(term: Term, mask: u64);
    /// The expression as it is in products: an atom, or a constant and an atom, for a long polynomial.
    short(term: Term);
    /// The difference modulo the word.
    subtract(one: Term, other: Term);
}

/// Returns the word that an expression is whatever the variables are, if it is a constant.
pub fn constant_of(bits: u32, term: Term) -> Option<u64> {
    with(bits, |arena| arena.constant_of(term))
}

/// Returns the variable of a number: any word.
pub fn variable(bits: u32, number: u32) -> Term {
    with(bits, |arena| arena.intern(Node::Variable(number)))
}

/// Returns the value of an expression without variables.
pub fn value(bits: u32, term: Term) -> Option<u64> {
    with(bits, |arena| match arena.node(term) {
        Node::Sum(terms, constant) if terms.is_empty() => Some(*constant),
        _ => None,
    })
}

/// Returns what an expression is the complement of, if that is no sum of products.
pub fn complemented(bits: u32, term: Term) -> Option<Term> {
    with(bits, |arena| arena.complemented(term))
}

/// Values of expressions where every variable has a value that looks random.
#[derive(Debug)]
pub struct Sample {
    bits: u32,
    seed: u64,
    values: FxHashMap<Term, u64>,
}

impl Sample {
    /// Chooses values of the variables of words of `bits` bits.
    pub fn new(bits: u32, seed: u64) -> Self {
        Self { bits, seed, values: FxHashMap::default() }
    }

    /// Returns the value of a variable.
    fn variable(&self, number: u32) -> u64 {
        let mixed = (u64::from(number) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(self.seed);
        (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(31)
    }

    /// Returns the value of an expression.
    pub fn value(&mut self, term: Term) -> u64 {
        with(self.bits, |arena| self.value_in(arena, term))
    }

    fn value_in(&mut self, arena: &Arena, term: Term) -> u64 {
        if let Some(value) = self.values.get(&term) {
            return *value;
        }
        let value = match arena.node(term) {
            Node::Variable(number) => self.variable(*number) & arena.ones(),
            Node::Rotated(atom, by) => arena.rotated(self.value_in(arena, *atom), *by),
            Node::Named(polynomial) => self.value_in(arena, *polynomial),
            Node::Sum(terms, constant) => {
                let sum = |sum: u64, (term, times): &(Term, u64)| sum.wrapping_add(times.wrapping_mul(self.value_in(arena, *term)));
                terms.iter().fold(*constant, sum) & arena.ones()
            }
            Node::Polynomial(products) => products.iter().fold(0, |sum, (product, mask)| {
                sum ^ arena.atoms(*product).iter().fold(*mask, |product, atom| product & self.value_in(arena, *atom))
            }),
        };
        self.values.insert(term, value);
        value
    }
}

/// Forgets all expressions, which nobody may have any more.
pub fn forget() {
    ARENAS.with(|arenas| {
        for arena in arenas {
            let mut arena = arena.borrow_mut();
            *arena = Arena::new(arena.bits);
        }
    });
}
