//! Looks for intel-ipsec-mb (Debian: libipsec-mb-dev) and sets `cfg(ipsec_mb)` where it is;
//! elsewhere the bench does without it.

use std::error::Error;
use std::path::PathBuf;

const SOURCE: &str = "src/peers/ipsec_mb.c";
const LIBRARY: &str = "IPSec_MB";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rustc-check-cfg=cfg(ipsec_mb)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={SOURCE}");
    if !links()? {
        println!(
            "cargo::warning=no intel-ipsec-mb of 1.3 or later: not compared (Debian: libipsec-mb-dev; then cargo clean -p manyhash-bench)"
        );
        return Ok(());
    }
    cc::Build::new().file(SOURCE).compile("ipsec_mb_calls");
    println!("cargo::rustc-link-lib={LIBRARY}");
    println!("cargo::rustc-cfg=ipsec_mb");
    Ok(())
}

/// Whether the calls compile and link: it brings no pkg-config file.
fn links() -> Result<bool, Box<dyn Error>> {
    let library = PathBuf::from(std::env::var("OUT_DIR")?).join("ipsec_mb_probe.so");
    let mut compiler = cc::Build::new().try_get_compiler()?.to_command();
    compiler.args(["-shared", "-fPIC", "-o"]).arg(library).args([SOURCE, &format!("-l{LIBRARY}")]);
    Ok(compiler.output().is_ok_and(|output| output.status.success()))
}
