//! The cells of the grid: how many messages, of which lengths, in which order, and where they lie.

use serde::{Deserialize, Serialize};

use super::lengths::Lengths;
use crate::workloads::LINE_BYTES;

/// The numbers of messages.
pub const COUNTS: [usize; 17] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100, 200, 500, 2000, 20_000];
/// The most bytes that the messages of a cell have together.
pub const MOST_BYTES: usize = 64_000_000;
/// What a message needs of the buffer beside its own bytes, at most.
const GAP_BYTES: usize = 2 * LINE_BYTES;
/// Enough for the messages of any cell.
pub const BUFFER_BYTES: usize = MOST_BYTES + COUNTS[COUNTS.len() - 1] * GAP_BYTES;
/// In the quick form every cell up to this size counts,
const QUICK_BYTES: usize = 500_000;
/// and of the larger ones, up to this size,
const QUICK_MOST_BYTES: usize = 16_000_000;
/// one in so many.
const QUICK_STEP: usize = 4;

/// The order in which messages are submitted, and lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// It makes no difference: the lengths are equal, or there is one message.
    Any,
    /// By length, the longest last: what was begun is short when the long ones come.
    LongestLast,
    /// As drawn.
    Shuffled,
}

/// Where messages lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Each begins at a multiple of 64 bytes.
    Aligned,
    /// As if aligned, but every address is 16 bytes later.
    Offset16,
    /// One behind the other, each at the next odd address.
    Odd,
}

impl Order {
    /// As the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::LongestLast => "longest last",
            Self::Shuffled => "shuffled",
        }
    }
}

impl Place {
    /// Every one, in the order of the tables.
    pub const ALL: [Self; 3] = [Self::Aligned, Self::Offset16, Self::Odd];

    /// As the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aligned => "aligned",
            Self::Offset16 => "offset 16",
            Self::Odd => "odd",
        }
    }
}

/// A set of messages.
#[derive(Clone, Debug)]
pub struct Messages {
    /// What their lengths are like.
    pub lengths: Lengths,
    /// Of lengths.
    pub order: Order,
    /// In memory.
    pub place: Place,
    /// Start and length of each, in the order they are submitted.
    spans: Vec<(usize, usize)>,
}

impl Messages {
    fn new(lengths: Lengths, drawn: &[usize], order: Order, place: Place) -> Self {
        let mut bytes = drawn.to_vec();
        if order == Order::LongestLast {
            bytes.sort_unstable();
        }
        let mut end = 0usize;
        let spans = bytes.into_iter().map(|bytes| {
            let start = match place {
                Place::Aligned => end.next_multiple_of(LINE_BYTES),
                Place::Offset16 => end.saturating_sub(16).next_multiple_of(LINE_BYTES) + 16,
                Place::Odd => end | 1,
            };
            // Equal lengths of whole pages would make all addresses equal modulo 4 KiB.
            let between = if place != Place::Odd && !lengths.are_ragged() && bytes.is_multiple_of(4096) { LINE_BYTES } else { 0 };
            end = start + bytes + between;
            (start, bytes)
        });
        Self { lengths, order, place, spans: spans.collect() }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.spans.len()
    }

    /// The sum of their lengths.
    pub fn bytes(&self) -> usize {
        self.spans.iter().map(|&(_, bytes)| bytes).sum()
    }

    /// The messages themselves: places in `buffer`, which has [`BUFFER_BYTES`] and starts on a
    /// multiple of 64.
    pub fn slices<'a>(&self, buffer: &'a [u8]) -> Vec<&'a [u8]> {
        self.spans.iter().map(|&(start, bytes)| &buffer[start..start + bytes]).collect()
    }
}

/// A number of messages with lengths of a kind.
pub struct Point {
    lengths: Lengths,
    drawn: Vec<usize>,
    /// The position among all points, by which the quick form chooses.
    position: usize,
}

impl Point {
    /// Every point whose messages fit, by number of messages and then kinds of lengths.
    pub fn all() -> Vec<Self> {
        let pairs = COUNTS.into_iter().flat_map(|count| Lengths::all().into_iter().map(move |lengths| (count, lengths)));
        let possible = pairs.filter(|&(count, lengths)| count >= lengths.least_messages());
        let points = possible.map(|(count, lengths)| Self { lengths, drawn: lengths.draw(count), position: 0 });
        let fitting = points.filter(|point| point.bytes() <= MOST_BYTES);
        fitting.enumerate().map(|(position, point)| Self { position, ..point }).collect()
    }

    /// The kind of lengths.
    pub fn lengths(&self) -> Lengths {
        self.lengths
    }

    /// The number of messages.
    pub fn count(&self) -> usize {
        self.drawn.len()
    }

    fn bytes(&self) -> usize {
        self.drawn.iter().sum()
    }

    /// Every order in every place.
    pub fn messages(&self) -> Vec<Messages> {
        let orders: &[Order] =
            if self.lengths.are_ragged() && self.count() > 1 { &[Order::LongestLast, Order::Shuffled] } else { &[Order::Any] };
        let new = |&order: &Order| Place::ALL.map(|place| Messages::new(self.lengths, &self.drawn, order, place));
        orders.iter().flat_map(new).collect()
    }

    /// Two of them, others for each point; none of most points with many bytes.
    pub fn quick_messages(&self) -> Vec<Messages> {
        if self.bytes() > QUICK_BYTES && !(self.bytes() <= QUICK_MOST_BYTES && self.position.is_multiple_of(QUICK_STEP)) {
            return Vec::new();
        }
        let all = self.messages();
        // Points with the next kind are one position apart, with the next number of messages about
        // 32: both are to differ in what is chosen.
        let first = (self.position + self.position / 5) % all.len();
        let second = (first + all.len() / 2 + 1) % all.len();
        all.into_iter().enumerate().filter(|&(i, _)| i == first || i == second).map(|(_, messages)| messages).collect()
    }
}
