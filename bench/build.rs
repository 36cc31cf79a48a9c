//! Looks for two libraries in C that hash many messages at once, and sets a cfg for each that is
//! there; elsewhere the bench does without.
//!
//! - `cfg(ipsec_mb)`: intel-ipsec-mb, a package of the system (Debian: libipsec-mb-dev).
//! - `cfg(isa_l)`: isa-l_crypto of 2.25 or later, which few systems have as a package. It is looked
//!   for where the compiler looks, and in `include` and `lib` of the folder that the environment
//!   variable `ISA_L_CRYPTO_DIR` names.

use std::error::Error;
use std::path::PathBuf;

const ISA_L_VARIABLE: &str = "ISA_L_CRYPTO_DIR";

/// A library, and the file that calls it.
struct Library {
    name: &'static str,
    cfg: &'static str,
    source: &'static str,
    /// What that file includes.
    header: Option<&'static str>,
    /// The folder that `include` and `lib` of the library lie in, if it is not one of the system's.
    prefix: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={ISA_L_VARIABLE}");
    let ipsec_mb = Library { name: "IPSec_MB", cfg: "ipsec_mb", source: "src/peers/ipsec_mb.c", header: None, prefix: None };
    let prefix = std::env::var_os(ISA_L_VARIABLE).map(PathBuf::from);
    let isa_l = Library { name: "isal_crypto", cfg: "isa_l", source: "src/peers/isa_l.c", header: Some("src/peers/isa_l_hash.h"), prefix };
    if !ipsec_mb.link()? {
        println!(
            "cargo::warning=no intel-ipsec-mb of 1.3 or later: not compared (Debian: libipsec-mb-dev; then cargo clean -p manyhash-bench)"
        );
    }
    if !isa_l.link()? && isa_l.prefix.is_some() {
        return Err(format!("{ISA_L_VARIABLE}: no isa-l_crypto of 2.25 or later there").into());
    }
    Ok(())
}

impl Library {
    /// Compiles the calls and links the library, if it is there, and says whether it is.
    fn link(&self) -> Result<bool, Box<dyn Error>> {
        let Self { name, cfg, source, header, prefix } = self;
        println!("cargo::rustc-check-cfg=cfg({cfg})");
        for file in header.iter().chain([source]) {
            println!("cargo::rerun-if-changed={file}");
        }
        if !self.links()? {
            return Ok(false);
        }
        let mut calls = cc::Build::new();
        calls.file(source);
        if let Some(prefix) = prefix {
            calls.include(prefix.join("include"));
            println!("cargo::rustc-link-search=native={}", prefix.join("lib").display());
            println!("cargo::rustc-link-arg=-Wl,-rpath,{}", prefix.join("lib").display());
        }
        calls.compile(&format!("{cfg}_calls"));
        println!("cargo::rustc-link-lib={name}");
        println!("cargo::rustc-cfg={cfg}");
        Ok(true)
    }

    /// Whether the calls compile and link: neither library brings a pkg-config file everywhere.
    fn links(&self) -> Result<bool, Box<dyn Error>> {
        let probe = PathBuf::from(std::env::var("OUT_DIR")?).join(format!("{}_probe.so", self.cfg));
        let mut compiler = cc::Build::new().try_get_compiler()?.to_command();
        compiler.args(["-shared", "-fPIC", "-o"]).arg(probe).arg(self.source);
        if let Some(prefix) = &self.prefix {
            compiler.arg("-I").arg(prefix.join("include")).arg("-L").arg(prefix.join("lib"));
        }
        compiler.arg(format!("-l{}", self.name));
        Ok(compiler.output().is_ok_and(|output| output.status.success()))
    }
}
