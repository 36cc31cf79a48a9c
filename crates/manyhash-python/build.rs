//! Tells the system's linker that this is an extension module, for builds by Cargo without maturin.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
