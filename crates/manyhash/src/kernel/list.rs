//! Which kernels a compression function has.

use super::{Kernel, per_message};
use crate::algorithm::Compression;
use crate::isa::*;
use alloc::vec::Vec;

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
        ($(
            #[$cfg:meta] [$($Lanes:ty = $name:literal)?] [$($Lean:ty = $lean_name:literal)?] [$($Waves:ty = $waves_name:literal)?]
            [$($More:ty = $more_name:literal)?];
        )*) => { $(
            #[$cfg]
            {
                $(kernels.push(Kernel::in_lanes::<$Lanes>($name));)?
                // Constant conditions: no code is made of kernels that are not there.
                $(if const { C::HAS_LEAN_ROUNDS } {
                    kernels.push(Kernel::in_lanes::<$Lean>($lean_name));
                })?
                $(if const { C::WANTS_WAVES } {
                    kernels.push(Kernel::in_lanes::<$Waves>($waves_name));
                })?
                $(if const { C::WANTS_MORE_WAVES } {
                    kernels.push(Kernel::in_lanes::<$More>($more_name));
                })?
            }
        )* };
    }
    for_each_lanes!(list);
    kernels
}

/// The names of all kernels in lanes, narrowest first.
pub(crate) fn in_lanes_names() -> Vec<&'static str> {
    let mut names = Vec::new();
    macro_rules! list {
        ($(#[$cfg:meta] $([$($Lanes:ty = $name:literal)?])*;)*) => { $(
            #[$cfg]
            names.extend_from_slice(&[$($($name,)?)*]);
        )* };
    }
    for_each_lanes!(list);
    names
}
