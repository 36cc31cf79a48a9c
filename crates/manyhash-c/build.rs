//! Tells the linker the name that programs look for. The compiler lets them see the functions of the header alone.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "freebsd" | "android") => println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmanyhash.so.1"),
        Ok("macos") => println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libmanyhash.1.dylib"),
        _ => {}
    }
}
