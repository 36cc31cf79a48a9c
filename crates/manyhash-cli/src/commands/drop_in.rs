//! The drop-ins `sha256sum` and its like, which do on all cores what GNU coreutils' commands of
//! these names do. CHECK.md says which release is matched and what differs.

use super::check::Check;
use super::sum::{Sum, or_stdin};
use super::{prepare_backends, print};
use crate::cache::Cache;
use crate::exit::{Failure, Outcome};
use crate::flags::gnu::{self, Options, Parsed};
use crate::output::Output;
use crate::progress::{Progress, ProgressWhen};
use crate::text::lines::Format;
use crate::text::manifest::line::Dialect;
use manyhash::{AnyAlgorithm, backend};
use manyhash_files::find::Walk;
use manyhash_files::{Settings, all_cores};
use std::ffi::{OsStr, OsString};

pub(crate) fn run(program: &OsStr, algorithm: AnyAlgorithm, arguments: impl IntoIterator<Item = OsString>, verbose: bool) -> Outcome {
    let options = match gnu::parse(arguments) {
        Parsed::Run(options) => options,
        Parsed::Help => return print(gnu::help(program, algorithm).as_bytes()),
        Parsed::Version => {
            let version = env!("CARGO_PKG_VERSION");
            let text = format!("{} (manyhash) {version}\n", algorithm.command().unwrap_or_default());
            return print(text.as_bytes());
        }
        Parsed::Wrong(message) => {
            let hint = format!("\nTry '{} --help' for more information.", program.display());
            return Err(Failure::failed([message, hint.into_bytes()].concat()));
        }
    };
    backend::from_environment().map_err(|error| Failure::failed(error.to_string()))?;
    prepare_backends(program, algorithm.into(), verbose).map_err(Failure::failed)?;
    let format = Format::new(&[algorithm], options.style(), options.zero);
    let Options { check, ignore_missing, quiet, status, strict, warn, operands, .. } = options;
    let operands = or_stdin(operands);
    let settings = Settings::new(all_cores());
    if check {
        let check = Check {
            dialect: Dialect::Gnu,
            algorithm: Some(algorithm),
            directory: None,
            strict,
            ignore_missing,
            audit: false,
            quiet,
            status,
            warn,
            json: false,
            cache: Cache::none(),
            progress: ProgressWhen::Never,
            verbose: false,
        };
        return check.run(program, operands, &settings);
    }
    let (output, output_path, progress) = (Output::raw_stdout(), None, Progress::none());
    let walk = Walk::new(operands, false);
    let (algorithms, cache) = (algorithm.into(), Cache::none());
    Sum { walk, cache, algorithms, format, output, output_path, progress, verbose: false }.print(program, &settings)
}
