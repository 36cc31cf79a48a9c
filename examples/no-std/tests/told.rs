//! What the program says of the CPU is used, and is told once. In a process of its own: whoever asks first ends the telling.

use manyhash::Sha256;
use manyhash::backend::Backend;

/// The program knows, because this test has the standard library.
fn has(feature: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    macro_rules! is_detected { ($($name:tt)*) => { match feature { $($name => std::arch::is_x86_feature_detected!($name),)* _ => false } } }
    #[cfg(target_arch = "x86_64")]
    return is_detected!("sse2" "ssse3" "sse4.1" "avx" "avx2" "sha" "bmi1" "bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = feature;
        false
    }
}

#[test]
fn what_is_told_is_used() {
    // SAFETY: `has` says what the standard library found.
    assert!(unsafe { no_std::tell_features(has) });
    // SAFETY: as above; nothing is told twice.
    assert!(!unsafe { no_std::tell_features(|_| true) });
    let backends = Backend::supported();
    for (name, features) in [("avx2", ["avx2"].as_slice()), ("sha-ni", &["sha", "ssse3", "sse4.1", "avx"]), ("avx512", &["avx512f"])] {
        let expected = features.iter().all(|feature| has(feature));
        assert_eq!(backends.iter().any(|backend| backend.name() == name), expected, "{name} of {backends:?}");
    }
    let images: Vec<Vec<u8>> = (0..200).map(|bytes| vec![bytes as u8; bytes]).collect();
    let expected: Vec<_> = images.iter().map(|image| manyhash::hash::<Sha256>(image)).collect();
    for backend in backends.into_iter().filter(Backend::supports::<Sha256>) {
        assert_eq!(backend.hash_many::<Sha256>(&images).unwrap(), expected, "{backend}");
    }
}
