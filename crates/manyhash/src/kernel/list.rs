//! Which kernels a compression function has.

use super::{Kernel, per_message};
use crate::algorithm::Compression;
use crate::isa::*;

/// The kernels of the compression function `C`, also those this CPU lacks: first those in lanes, narrowest first, then those that give each
/// message registers of its own.
pub(crate) fn kernels<C: Compression>() -> Vec<Kernel<C>> {
    let mut kernels = in_lanes();
    kernels.extend(per_message::kernels());
    kernels
}

fn in_lanes<C: Compression>() -> Vec<Kernel<C>> {
    let mut kernels = Vec::new();
    macro_rules! list {
        ($(#[$cfg:meta] [$($Lanes:ty = $name:literal),*] [$($More:ty = $more_name:literal),*];)*) => { $(
            #[$cfg]
            {
                $(kernels.push(Kernel::in_lanes::<$Lanes>($name));)*
                // A constant condition: no code is made of kernels that are not there.
                if const { C::WANTS_MORE_WAVES } {
                    $(kernels.push(Kernel::in_lanes::<$More>($more_name));)*
                }
            }
        )* };
    }
    for_each_lanes!(list);
    kernels
}
