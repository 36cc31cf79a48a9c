//! Every variant computes its function.

use manyhash::Algorithm;
use manyhash::hazmat::final_blocks;
use manyhash_scalar::word::Word;
use manyhash_scalar::{PREFETCH_DISTANCES, Sha1, Sha256, Sha512, Sha512Pairs, Variants};

fn every_variant<F: Variants>() {
    let reference = reference::by_name(F::Padding::NAME).unwrap();
    let message: Vec<u8> = (0..6 * F::BLOCK_BYTES).map(|i| (i * 7 + i / 251) as u8).collect();
    let prefetching = F::prefetching();
    assert!(prefetching.iter().map(|variant| variant.prefetch).eq(PREFETCH_DISTANCES));
    assert_eq!(F::unrolled().len(), 8);
    for variant in F::unrolled().iter().chain(&prefetching) {
        for bytes in (0..=2 * F::BLOCK_BYTES + 1).chain([5 * F::BLOCK_BYTES - 1, 6 * F::BLOCK_BYTES]) {
            let mut digest = Vec::new();
            variant.hash(&message[..bytes], &mut digest);
            assert_eq!(digest, reference(&message[..bytes]), "{} {}, {bytes} bytes", F::NAME, variant.name());
        }
    }
}

#[test]
fn every_variant_computes_its_function() {
    every_variant::<Sha1>();
    every_variant::<Sha256>();
    every_variant::<Sha512>();
    every_variant::<Sha512Pairs>();
}

#[test]
fn nothing_left_out_is_the_whole_function() {
    fn check<F: Variants>() {
        let [whole, ..] = F::parts();
        let message: Vec<u8> = (0..3 * F::BLOCK_BYTES).map(|i| (i * 7) as u8).collect();
        let mut state = F::INITIAL;
        whole(&mut state, &message);
        whole(&mut state, &final_blocks::<F::Padding>(&[], message.len() as u64));
        let mut digest = Vec::new();
        state.as_ref().iter().for_each(|word| word.append_to(&mut digest));
        assert_eq!(digest, reference::by_name(F::Padding::NAME).unwrap()(&message), "{}", F::NAME);
    }
    check::<Sha1>();
    check::<Sha256>();
    check::<Sha512>();
    check::<Sha512Pairs>();
}
