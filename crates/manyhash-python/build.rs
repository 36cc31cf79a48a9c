//! Links as an extension module also when Cargo is not called by maturin, where the system's linker must be told so.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
