//! Chains of digests: what is around a value, what counts, and how often each chain is hashed, against the reference.

use crate::choices::Choices;
use crate::{backends, paint, reference};
use manyhash::chain::{Link, Start};
use manyhash::{Algorithm, with_algorithm};
use std::ops::Range;

/// Goes on with chains, each way that there is.
pub fn target(data: &[u8]) {
    let choices = &mut Choices::new(data);
    with_algorithm!(choices.algorithm(), A => check::<A>(choices));
}

fn check<A: Algorithm>(choices: &mut Choices) {
    // Messages of one block and of several, digests alone among them.
    let [prefix_bytes, own_bytes, suffix_bytes] =
        [0; 3].map(|none| if choices.between(0, 2) == 0 { none } else { choices.length().min(150) });
    let value_bytes = if choices.between(0, 1) == 0 { A::DIGEST_BYTES } else { choices.between(1, A::DIGEST_BYTES) };
    let end = choices.between(0, own_bytes);
    let count = end - choices.between(0, end.min(9))..end;
    let [prefix, suffix] = [paint(1, prefix_bytes), paint(2, suffix_bytes)];
    // More links than a run needs for code of its own, now and then.
    let most_links = choices.one_of(&[1, 3, 9, 60]);
    let starts: Vec<(Vec<u8>, Vec<u8>, u64)> = (0..choices.between(0, 70))
        .map(|chain| {
            let mut own = paint(chain + 3, own_bytes);
            own[count.clone()].fill(0);
            if count.len() > 1 {
                own[count.end - 1] = choices.any();
            }
            (own, paint(chain + 4, value_bytes), choices.between(0, most_links) as u64)
        })
        .collect();
    let link = Link::<A>::new().prefix(&prefix).own_bytes(own_bytes).count(count.clone()).value_bytes(value_bytes).suffix(&suffix);
    let context =
        format!("{}: {prefix_bytes} + {own_bytes} (counting {count:?}) + {value_bytes} + {suffix_bytes}, {} chains", A::NAME, starts.len());
    let right: Vec<Vec<u8>> =
        starts.iter().map(|(own, value, links)| end_of::<A>([&prefix, &suffix], own, &count, value, *links)).collect();
    let starts: Vec<Start<'_>> = starts.iter().map(|(own, value, links)| Start { own, value, links: *links }).collect();
    let threads = choices.between(1, 3);
    let ways = backends::<A>().into_iter().map(|backend| (backend.name(), link.clone().backend(backend)));
    for (way, link) in ways.chain([("automatic", link.clone().threads(threads))]) {
        let mut values = vec![0xAA; starts.len() * value_bytes];
        link.many_into(&starts, &mut values);
        assert!(values == right.concat(), "{way}, {context}");
    }
}

/// The last value of a chain, link by link.
fn end_of<A: Algorithm>([prefix, suffix]: [&[u8]; 2], own: &[u8], count: &Range<usize>, value: &[u8], links: u64) -> Vec<u8> {
    let (mut own, mut value) = (own.to_vec(), value.to_vec());
    for _ in 0..links {
        value = reference::<A>(&[prefix, &own, &value, suffix].concat())[..value.len()].to_vec();
        for byte in own[count.clone()].iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
    }
    value
}
