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
//!   exclusive or.
//!
//! A polynomial that has grown long becomes an atom where it is rotated or multiplied. That loses
//! laws, never soundness: what cannot be shown equal fails the test.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// The most products of a polynomial that is rotated or multiplied out.
const LONG: usize = 12;

/// The number of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Term(u32);

impl Term {
    /// The number itself.
    pub(super) fn number(self) -> u32 {
        self.0
    }
}

/// The expression of a number, which must be one of [`Term::number`].
pub(super) fn from_number(number: u32) -> Term {
    Term(number)
}

/// The products of a polynomial: their atoms, in order, and the bits where they count.
type Products = BTreeMap<Vec<Term>, u64>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Node {
    Variable(u32),
    /// An atom rotated right by some bits.
    Rotated(Term, u32),
    /// A long polynomial that is an atom.
    Named(Term),
    /// Expressions with their multiplicities, and a constant.
    Sum(Vec<(Term, u64)>, u64),
    Polynomial(Vec<(Vec<Term>, u64)>),
}

/// All expressions so far, each once. Its words have `bits` bits.
struct Arena {
    bits: u32,
    nodes: Vec<Node>,
    numbers: HashMap<Node, Term>,
    /// The value of each polynomial, and 0 for others, where every atom has some value of its own.
    samples: Vec<u64>,
}

thread_local! {
    /// The expressions of words of 32 bits, and those of 64 bits.
    static ARENAS: [RefCell<Arena>; 2] = [32, 64].map(|bits| RefCell::new(Arena { bits, nodes: Vec::new(), numbers: HashMap::new(), samples: Vec::new() }));
}

/// Calls `task` with the expressions of words of `bits` bits.
fn with<T>(bits: u32, task: impl FnOnce(&mut Arena) -> T) -> T {
    ARENAS.with(|arenas| task(&mut arenas[usize::from(bits == 64)].borrow_mut()))
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
            Node::Polynomial(products) => {
                products.iter().fold(0, |sum, (atoms, mask)| sum ^ atoms.iter().fold(*mask, |product, atom| product & value(atom)))
            }
            _ => 0,
        });
        self.nodes.push(node.clone());
        self.numbers.insert(node, term);
        term
    }

    fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    fn constant(&mut self, word: u64) -> Term {
        self.intern(Node::Sum(Vec::new(), word))
    }

    /// Returns the products of an expression.
    fn products(&self, term: Term) -> Products {
        match self.node(term) {
            Node::Polynomial(products) => products.iter().cloned().collect(),
            Node::Sum(terms, 0) if terms.is_empty() => Products::new(),
            Node::Sum(terms, constant) if terms.is_empty() => Products::from([(Vec::new(), *constant)]),
            _ => Products::from([(vec![term], self.ones())]),
        }
    }

    /// Returns the expression of these products.
    fn polynomial(&mut self, products: Products) -> Term {
        let products: Vec<(Vec<Term>, u64)> = products.into_iter().filter(|(_, mask)| *mask != 0).collect();
        match &products[..] {
            [] => self.constant(0),
            [(atoms, mask)] if atoms.is_empty() => self.constant(*mask),
            [(atoms, mask)] if atoms.len() == 1 && *mask == self.ones() => atoms[0],
            _ => self.intern(Node::Polynomial(products)),
        }
    }

    /// Returns an expression, or an atom for it if it is a long polynomial.
    fn short(&mut self, term: Term) -> Term {
        match self.node(term) {
            Node::Polynomial(products) if products.len() > LONG => self.intern(Node::Named(term)),
            _ => term,
        }
    }

    fn xor(&mut self, one: Term, other: Term) -> Term {
        let mut products = self.products(one);
        for (atoms, mask) in self.products(other) {
            *products.entry(atoms).or_default() ^= mask;
        }
        self.polynomial(products)
    }

    fn and(&mut self, one: Term, other: Term) -> Term {
        let (one, other) = (self.short(one), self.short(other));
        let mut products = Products::new();
        for (left, left_mask) in self.products(one) {
            for (right, right_mask) in self.products(other) {
                let mut atoms: Vec<Term> = left.iter().chain(&right).copied().collect();
                atoms.sort_unstable();
                atoms.dedup();
                *products.entry(atoms).or_default() ^= left_mask & right_mask;
            }
        }
        self.polynomial(products)
    }

    /// Rotates right by `by` bits, fewer than a word has.
    fn rotate_right(&mut self, term: Term, by: u32) -> Term {
        if by == 0 {
            return term;
        }
        let term = self.short(term);
        match self.node(term).clone() {
            Node::Polynomial(_) => {
                let mut products = Products::new();
                for (atoms, mask) in self.products(term) {
                    let mut atoms: Vec<Term> = atoms.into_iter().map(|atom| self.rotate_right(atom, by)).collect();
                    atoms.sort_unstable();
                    products.insert(atoms, self.rotated(mask, by));
                }
                self.polynomial(products)
            }
            Node::Sum(terms, constant) if terms.is_empty() => {
                let constant = self.rotated(constant, by);
                self.constant(constant)
            }
            Node::Rotated(atom, before) if (before + by).is_multiple_of(self.bits) => atom,
            Node::Rotated(atom, before) => self.intern(Node::Rotated(atom, (before + by) % self.bits)),
            _ => self.intern(Node::Rotated(term, by)),
        }
    }

    fn rotated(&self, word: u64, by: u32) -> u64 {
        (word >> by | word << (self.bits - by)) & self.ones()
    }

    fn shift_right(&mut self, term: Term, by: u32) -> Term {
        let (rotated, mask) = (self.rotate_right(term, by), self.ones() >> by);
        let mask = self.constant(mask);
        self.and(rotated, mask)
    }

    fn add(&mut self, one: Term, other: Term) -> Term {
        let (mut terms, mut constant) = (BTreeMap::<Term, u64>::new(), 0u64);
        for term in [one, other] {
            match self.node(term) {
                Node::Sum(parts, part_constant) => {
                    constant = constant.wrapping_add(*part_constant);
                    parts.iter().for_each(|(part, times)| *terms.entry(*part).or_default() += times);
                }
                _ => *terms.entry(term).or_default() += 1,
            }
        }
        while let Some((one, other)) = self.never_meet(&terms) {
            terms.remove(&one);
            terms.remove(&other);
            *terms.entry(self.xor(one, other)).or_default() += 1;
        }
        let constant = constant & self.ones();
        match terms.iter().next() {
            Some((term, 1)) if terms.len() == 1 && constant == 0 => *term,
            _ => self.intern(Node::Sum(terms.into_iter().collect(), constant)),
        }
    }

    /// Returns two polynomials of a sum, each in it once, that have no bit in common.
    fn never_meet(&mut self, terms: &BTreeMap<Term, u64>) -> Option<(Term, Term)> {
        let is_polynomial = |term: &Term| matches!(self.node(*term), Node::Polynomial(_));
        let once: Vec<Term> = terms.iter().filter(|(term, times)| **times == 1 && is_polynomial(term)).map(|(term, _)| *term).collect();
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
        pub(super) fn $name(bits: u32, $($argument: $Type),*) -> Term {
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
}

/// Returns the variable of a number: any word.
pub(super) fn variable(bits: u32, number: u32) -> Term {
    with(bits, |arena| arena.intern(Node::Variable(number)))
}

/// Returns the value of an expression without variables.
pub(super) fn value(bits: u32, term: Term) -> Option<u64> {
    with(bits, |arena| match arena.node(term) {
        Node::Sum(terms, constant) if terms.is_empty() => Some(*constant),
        _ => None,
    })
}

/// Forgets all expressions, which nobody may have any more.
pub(super) fn forget() {
    ARENAS.with(|arenas| {
        for arena in arenas {
            let mut arena = arena.borrow_mut();
            arena.nodes.clear();
            arena.numbers.clear();
            arena.samples.clear();
        }
    });
}
