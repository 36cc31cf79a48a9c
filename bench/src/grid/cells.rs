//! The cells of the grid: how many messages, of which lengths, in which order, and where they lie.

use std::fmt::{self, Display, Formatter};

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
/// one in three: not a divisor of the number of kinds, or it would be the same kinds every time.
const QUICK_STEP: usize = 3;

/// Where what runs before is varied: numbers of messages, and kinds of lengths.
const DISTURBED: ([usize; 8], [Lengths; 6]) = (
    [1, 2, 4, 8, 16, 64, 200, 500],
    [
        Lengths::Constant(64),
        Lengths::Constant(200),
        Lengths::Constant(1024),
        Lengths::Constant(4096),
        Lengths::LogNormal { mu: 6, twice_sigma: 2 },
        Lengths::LogNormal { mu: 8, twice_sigma: 2 },
    ],
);
/// Of those, the quick form's.
const QUICK_DISTURBED: ([usize; 3], [Lengths; 3]) =
    ([1, 4, 64], [Lengths::Constant(64), Lengths::Constant(1024), Lengths::LogNormal { mu: 6, twice_sigma: 2 }]);

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
    /// One behind the other, each at the next odd address; with lengths of whole pages, all at equal
    /// addresses modulo 4 KiB.
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

impl Display for Messages {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} x {}, {}, {}", self.count(), self.lengths.name(), self.order.name(), self.place.name())
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

    /// Where what runs before is varied: some of the points, aligned and as drawn.
    pub fn disturbed_messages(&self, quick: bool) -> Option<Messages> {
        let (counts, kinds) = if quick { (&QUICK_DISTURBED.0[..], &QUICK_DISTURBED.1[..]) } else { (&DISTURBED.0[..], &DISTURBED.1[..]) };
        let is_taken = counts.contains(&self.count()) && kinds.contains(&self.lengths);
        is_taken.then(|| self.messages().into_iter().rfind(|messages| messages.place == Place::Aligned)).flatten()
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

#[cfg(test)]
mod tests {
    use super::*;
    use manyhash_measure::Buffer;
    use std::collections::BTreeSet;

    fn point(count: usize, lengths: Lengths) -> Point {
        Point::all().into_iter().find(|point| point.count() == count && point.lengths() == lengths).unwrap()
    }

    #[test]
    fn every_point_that_fits_is_there_and_none_that_does_not() {
        let points = Point::all();
        for count in COUNTS {
            for lengths in Lengths::all() {
                let found = points.iter().filter(|point| point.count() == count && point.lengths() == lengths).count();
                let fits = lengths.draw(count).iter().sum::<usize>() <= 64_000_000 && count >= lengths.least_messages();
                assert_eq!(found, usize::from(fits), "{count} x {}", lengths.name());
            }
        }
        assert!(points.iter().all(|point| point.bytes() <= MOST_BYTES));
        let has = |count, lengths| points.iter().any(|point| point.count() == count && point.lengths() == lengths);
        assert!(has(2000, Lengths::Constant(16 << 10)) && !has(20_000, Lengths::Constant(4 << 10)));
        assert!(has(2, Lengths::Giant) && !has(1, Lengths::Giant) && !has(1, Lengths::Half));
    }

    #[test]
    fn orders_are_what_they_say_and_places_too() {
        let buffer = Buffer::new(BUFFER_BYTES, 1).unwrap();
        for point in Point::all().into_iter().filter(|point| point.count() <= 100 || point.count() == 20_000) {
            for messages in point.messages() {
                let slices = messages.slices(buffer.bytes());
                let lengths: Vec<usize> = slices.iter().map(|message| message.len()).collect();
                match messages.order {
                    Order::Any => assert!(lengths.iter().all(|&bytes| bytes == lengths[0]), "{messages}"),
                    Order::LongestLast => assert!(lengths.is_sorted(), "{messages}"),
                    Order::Shuffled => assert_eq!(lengths, point.drawn, "{messages}"),
                }
                for pair in slices.windows(2) {
                    assert!(pair[0].as_ptr_range().end <= pair[1].as_ptr(), "{messages} overlap");
                }
                for message in slices {
                    let address = message.as_ptr() as usize;
                    match messages.place {
                        Place::Aligned => assert_eq!(address % 64, 0, "{messages}"),
                        Place::Offset16 => assert_eq!(address % 64, 16, "{messages}"),
                        Place::Odd => assert_eq!(address % 2, 1, "{messages}"),
                    }
                }
            }
        }
    }

    #[test]
    fn the_order_matters_where_lengths_differ() {
        assert_eq!(point(1, Lengths::Zipf).messages().len(), 3);
        assert_eq!(point(100, Lengths::Constant(64)).messages().len(), 3);
        assert_eq!(point(100, Lengths::Zipf).messages().len(), 6);
    }

    #[test]
    fn whole_pages_lie_at_equal_addresses_modulo_4_kib_only_if_one_is_behind_the_other() {
        for messages in point(8, Lengths::Constant(4096)).messages() {
            let pages: BTreeSet<usize> = messages.spans.iter().map(|span| span.0 % 4096).collect();
            assert_eq!(pages.len(), if messages.place == Place::Odd { 1 } else { 8 }, "{messages}");
        }
    }

    #[test]
    fn the_quick_form_is_spread_over_everything() {
        let points = Point::all();
        let chosen: Vec<Messages> = points.iter().flat_map(Point::quick_messages).collect();
        assert!((600..1000).contains(&chosen.len()), "{}", chosen.len());
        let large: BTreeSet<String> =
            chosen.iter().filter(|messages| messages.bytes() > QUICK_BYTES).map(|messages| messages.lengths.name()).collect();
        assert!(large.len() > 20 && chosen.iter().any(|messages| messages.bytes() > 8_000_000), "{large:?}");
        let of = |key: &dyn Fn(&Messages) -> String| chosen.iter().map(key).collect::<BTreeSet<String>>().len();
        assert_eq!(of(&|messages| messages.count().to_string()), COUNTS.len());
        assert_eq!(of(&|messages| format!("{} {}", messages.lengths.name(), messages.place.name())), 32 * 3);
        assert_eq!(of(&|messages| format!("{} {}", messages.count(), messages.place.name())), COUNTS.len() * 3);
        let ragged = |messages: &&Messages| messages.lengths.are_ragged() && messages.count() > 1;
        let combined: BTreeSet<String> =
            chosen.iter().filter(ragged).map(|messages| format!("{} {}", messages.lengths.name(), messages.order.name())).collect();
        assert_eq!(combined.len(), 24 * 2);
    }

    #[test]
    fn what_runs_before_is_varied_where_it_is_said() {
        let count = |quick| Point::all().iter().filter_map(|point| point.disturbed_messages(quick)).count();
        assert_eq!((count(true), count(false)), (3 * 3, 8 * 6));
        for messages in Point::all().iter().filter_map(|point| point.disturbed_messages(false)) {
            assert!(messages.place == Place::Aligned && messages.order != Order::LongestLast, "{messages}");
        }
    }
}
