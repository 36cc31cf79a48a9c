//! Looks for libraries of the system and sets a `cfg` for each that is there; the study does without the others.

use std::error::Error;
use std::path::PathBuf;

/// A library that is called through a file of ours.
struct Library {
    cfg: &'static str,
    name: &'static str,
    source: &'static str,
    link: &'static str,
    package: &'static str,
}

const LIBRARIES: [Library; 2] = [
    Library { cfg: "cryptopp", name: "Crypto++", source: "cryptopp.cpp", link: "cryptopp", package: "libcrypto++-dev" },
    Library { cfg: "mbedtls", name: "mbed TLS", source: "mbedtls.c", link: "mbedcrypto", package: "libmbedtls-dev" },
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    for library in &LIBRARIES {
        let Library { cfg, name, link, package, .. } = library;
        println!("cargo::rustc-check-cfg=cfg({cfg})");
        println!("cargo::rerun-if-changed={}", library.path());
        if !library.links()? {
            println!("cargo::warning=no {name}: not compared (Debian: {package}; then cargo clean -p manyhash-study)");
            continue;
        }
        library.compiler().compile(&format!("{cfg}_calls"));
        println!("cargo::rustc-link-lib={link}");
        println!("cargo::rustc-cfg={cfg}");
    }
    Ok(())
}

impl Library {
    fn path(&self) -> String {
        format!("src/aciicmez_2004/public/{}", self.source)
    }

    fn compiler(&self) -> cc::Build {
        let mut build = cc::Build::new();
        build.file(self.path()).cpp(self.source.ends_with(".cpp"));
        build
    }

    /// Whether the calls compile and link: not every system has pkg-config files for them.
    fn links(&self) -> Result<bool, Box<dyn Error>> {
        let probe = PathBuf::from(std::env::var("OUT_DIR")?).join(format!("{}_probe.so", self.cfg));
        let mut compiler = self.compiler().try_get_compiler()?.to_command();
        compiler.args(["-shared", "-fPIC", "-o"]).arg(probe).args([self.path(), format!("-l{}", self.link)]);
        Ok(compiler.output().is_ok_and(|output| output.status.success()))
    }
}
