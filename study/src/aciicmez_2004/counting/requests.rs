//! What a program can ask of valgrind while it runs under it: an instruction sequence that does nothing on a CPU (the macros of
//! `callgrind.h`).

use std::ffi::CStr;

/// "CT" in the upper half, as callgrind's requests begin.
const CALLGRIND: u64 = 0x4354_0000;

/// Starts to watch.
pub fn start_instrumentation() {
    request(CALLGRIND + 4, 0);
}

/// Forgets what has been counted.
pub fn zero_counts() {
    request(CALLGRIND + 1, 0);
}

/// Writes what has been counted since then, under a name.
pub fn dump_counts(name: &CStr) {
    request(CALLGRIND + 3, name.as_ptr() as u64);
}

fn request(number: u64, argument: u64) {
    let question = [number, argument, 0, 0, 0, 0];
    #[cfg(target_arch = "x86_64")]
    // SAFETY: rotations of rdi that add up to 128 bits, and an exchange of rbx with itself; valgrind puts its answer into rdx.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") question.as_ptr(), inout("rdx") 0u64 => _, out("rdi") _
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = question;
}
