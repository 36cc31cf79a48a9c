//! What a program can ask of valgrind's memcheck while it runs under it: an instruction sequence that does nothing on a
//! CPU. The sequence is documented in `valgrind.h`, the numbers are those of `valgrind.h` and `memcheck.h`.

/// "MC" in the upper half, as memcheck's requests begin.
const MEMCHECK: usize = 0x4d43_0000;

/// Marks bytes as undefined, as if they were never written. A branch or an address that depends on one of them is an error
/// from now on; computing with them is none.
pub fn mark_undefined(bytes: &[u8]) {
    request(MEMCHECK + 1, bytes.as_ptr().addr(), bytes.len());
}

/// Marks a value as defined.
pub fn mark_defined<T>(value: &mut T) {
    request(MEMCHECK + 2, (&raw mut *value).addr(), size_of::<T>());
}

/// Marks the values of a slice as defined.
pub fn mark_all_defined<T>(values: &mut [T]) {
    request(MEMCHECK + 2, values.as_mut_ptr().addr(), size_of_val(values));
}

/// Returns how many errors there were, each as often as it happened.
pub fn errors() -> usize {
    request(0x1201, 0, 0)
}

/// Returns whether this process runs under valgrind.
pub fn is_running() -> bool {
    request(0x1001, 0, 0) > 0
}

/// Asks, and returns the answer: 0 if nobody listens.
fn request(number: usize, first: usize, second: usize) -> usize {
    let question = [number, first, second, 0, 0, 0];
    let mut answer = 0_usize;
    // SAFETY: rotations of rdi that add up to 128 bits, and an exchange of rbx with itself. Valgrind reads the question and
    // puts its answer into rdx; memory stays as it is.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") question.as_ptr(), inout("rdx") answer, out("rdi") _
        );
    }
    std::hint::black_box(answer)
}
