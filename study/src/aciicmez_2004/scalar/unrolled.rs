//! Loops that are written out: an iterator would leave it to the compiler how far.

/// `$body` for `$i` from 0 to `$count - 1`, one after the other; at most 80 times. `$count` is known when it is compiled.
macro_rules! unrolled {
    ($count:expr, $i:ident => $body:expr) => {
        $crate::aciicmez_2004::scalar::unrolled::unrolled!(@tens $count, $i, $body, 0 10 20 30 40 50 60 70)
    };
    (@tens $count:expr, $i:ident, $body:expr, $($tens:literal)*) => { $(
        if $tens < $count {
            $crate::aciicmez_2004::scalar::unrolled::unrolled!(@ones $count, $i, $body, $tens, 0 1 2 3 4 5 6 7 8 9);
        }
    )* };
    (@ones $count:expr, $i:ident, $body:expr, $tens:literal, $($ones:literal)*) => { $(
        if $tens + $ones < $count {
            let $i: usize = $tens + $ones;
            $body;
        }
    )* };
}
pub(crate) use unrolled;
