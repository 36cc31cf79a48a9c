//! `tree fs-verity`: file digests of Linux's fs-verity, printed as `fsverity digest` does, and if
//! wanted the Merkle tree and the descriptor.

use super::small_files::{self, Alone, Input, Mode};
use super::{Call, changed};
use crate::exit::{Failure, Outcome};
use crate::flags::{FsVerityArguments, FsVerityHash};
use crate::output::Output;
use manyhash::tree::fs_verity::FsVerityAlgorithm;
use manyhash::tree::{FsVerity, Nodes};
use manyhash::{Sha256, Sha512};
use manyhash_files::find::{Readable, look_at};
use manyhash_files::leaves::{self, Source};
use manyhash_files::read::{is_same, patiently, positioned};
use manyhash_files::{Reading, STDIN, Totals, file_name};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bytes in front of a digest when it is signed.
const SIGNED_MAGIC: &[u8; 8] = b"FSVerity";

pub(crate) fn run(call: &Call<'_>, arguments: FsVerityArguments) -> Outcome {
    match arguments.hash_alg {
        FsVerityHash::Sha256 => run_with::<Sha256>(call, arguments, "sha256"),
        FsVerityHash::Sha512 => run_with::<Sha512>(call, arguments, "sha512"),
    }
}

fn run_with<A: FsVerityAlgorithm>(call: &Call<'_>, arguments: FsVerityArguments, name: &'static str) -> Outcome {
    let FsVerityArguments { block_size, salt, compact, for_builtin_sig, out_merkle_tree, out_descriptor, files, .. } = arguments;
    let verity = FsVerity::<A>::new(block_size, &salt.0)?;
    let measure = Measure { verity, name, compact, for_builtin_sig };
    if out_merkle_tree.is_none() && out_descriptor.is_none() {
        return small_files::run(call, Arc::new(measure), files);
    }
    let wanted = Wanted { tree: out_merkle_tree, descriptor: out_descriptor };
    let file = wanted.file(&files).map_err(Failure::usage)?;
    measure.write(call, file, &wanted)
}

struct Measure<A: FsVerityAlgorithm> {
    verity: FsVerity<A>,
    name: &'static str,
    compact: bool,
    for_builtin_sig: bool,
}

impl<A: FsVerityAlgorithm> Mode for Measure<A> {
    fn of_contents(&self, contents: &[&[u8]]) -> Vec<Vec<u8>> {
        self.verity.digests(contents).iter().map(|digest| digest.as_ref().to_vec()).collect()
    }

    fn of_input(&self, input: Input<'_>, work: &Alone) -> io::Result<(Vec<u8>, u64)> {
        let mut tree = self.verity.merkle().builder();
        let bytes = input.hash_leaves(self.verity.merkle(), work, |leaves| tree.add(leaves))?;
        Ok((self.verity.digest_of(&self.verity.descriptor(bytes, tree.root())).as_ref().to_vec(), bytes))
    }

    fn line(&self, path: &Path, _: u64, digest: &[u8]) -> io::Result<Vec<u8>> {
        Ok(self.line(path, digest))
    }
}

/// The additional outputs of a file.
struct Wanted {
    tree: Option<PathBuf>,
    descriptor: Option<PathBuf>,
}

impl Wanted {
    /// Returns the only file. Fails if there are more or less, or an output would overwrite it.
    fn file<'a>(&self, files: &'a [OsString]) -> Result<&'a Path, String> {
        let [file] = files else {
            return Err("--out-merkle-tree and --out-descriptor are for one FILE".to_string());
        };
        if file == STDIN {
            return Err("--out-merkle-tree and --out-descriptor need a file, not standard input".to_string());
        }
        let outputs: Vec<&Path> = [&self.tree, &self.descriptor].into_iter().flatten().map(PathBuf::as_path).collect();
        if outputs.iter().any(|output| is_same(output, Path::new(file)))
            || matches!(outputs[..], [tree, descriptor] if is_same(tree, descriptor))
        {
            return Err("FILE, --out-merkle-tree and --out-descriptor must be different files".to_string());
        }
        Ok(Path::new(file))
    }
}

struct FileError<'a> {
    /// The output that could not be written, or `None` if the file could not be read.
    output: Option<&'a Path>,
    error: io::Error,
}

impl From<io::Error> for FileError<'_> {
    fn from(error: io::Error) -> Self {
        Self { output: None, error }
    }
}

/// Returns a function that makes an error of writing `output` a [`FileError`].
fn of<'a>(output: &'a Path) -> impl FnOnce(io::Error) -> FileError<'a> {
    move |error| FileError { output: Some(output), error }
}

impl<A: FsVerityAlgorithm> Measure<A> {
    fn line(&self, path: &Path, digest: &[u8]) -> Vec<u8> {
        let mut line = Vec::new();
        if self.for_builtin_sig {
            let (number, digest_bytes) = (u16::from(A::NUMBER).to_le_bytes(), (digest.len() as u16).to_le_bytes());
            line.extend(const_hex::encode([SIGNED_MAGIC, &number[..], &digest_bytes, digest].concat()).as_bytes());
        } else {
            if !self.compact {
                line.extend(self.name.as_bytes());
                line.push(b':');
            }
            line.extend(const_hex::encode(digest).as_bytes());
        }
        if !self.compact {
            line.push(b' ');
            line.extend(&*file_name::bytes_of(path));
        }
        line.push(b'\n');
        line
    }

    /// Prints the digest of one file, and writes the wanted outputs.
    fn write(&self, call: &Call<'_>, path: &Path, wanted: &Wanted) -> Outcome {
        let totals = Arc::<Totals>::default();
        let mut report = call.report(&totals);
        let result = match self.write_files(path, wanted, call.work.workers, &totals) {
            Ok(digest) => report.take(path, Ok(self.line(path, digest.as_ref()))),
            Err(FileError { output, error }) => report.take(output.unwrap_or(path), Err(error)),
        };
        totals.done();
        report.finish(result)
    }

    fn write_files<'a>(&self, path: &Path, wanted: &'a Wanted, workers: usize, totals: &Arc<Totals>) -> Result<A::Digest, FileError<'a>> {
        let file = open(path)?;
        let source = Source::whole(&file)?;
        totals.found_file(source.bytes());
        totals.found_all();
        let open_output = |path: &'a Path| Output::file(path).map(|output| (path, output)).map_err(of(path));
        let tree = wanted.tree.as_deref().map(open_output).transpose()?;
        let mut descriptor = wanted.descriptor.as_deref().map(open_output).transpose()?;
        let tree_file = match &tree {
            Some((path, tree)) => Some((*path, tree.unnamed_file().map_err(of(path))?)),
            None => None,
        };

        let merkle = self.verity.merkle();
        let (level_offsets, _) = merkle.level_offsets(source.bytes().div_ceil(merkle.leaf_bytes() as u64));
        let node_bytes = merkle.node_bytes() as u64;
        let write = |Nodes { level, first, bytes }: Nodes<'_>| match tree_file {
            Some((path, file)) => {
                let level_offset = level_offsets.get(level).ok_or_else(changed)?;
                positioned::write_at(file, bytes, (level_offset + first) * node_bytes).map_err(of(path))
            }
            None => Ok(()),
        };
        let mut builder = merkle.builder();
        let reading = Reading::begin(totals, path, source.bytes());
        leaves::hash(&source, merkle, workers, &reading, |leaves| builder.push(leaves, write))?;
        let descriptor_bytes = self.verity.descriptor(source.bytes(), builder.finish(write)?);
        if let Some((path, descriptor)) = &mut descriptor {
            descriptor.write_all(&descriptor_bytes).and_then(|()| descriptor.flush()).map_err(of(path))?;
        }
        // Both outputs are written, so now they appear.
        for (path, output) in [tree, descriptor].into_iter().flatten() {
            output.finish().map_err(of(path))?;
        }
        Ok(self.verity.digest_of(&descriptor_bytes))
    }
}

/// Opens a file whose size is known.
fn open(path: &Path) -> io::Result<File> {
    match look_at(path)? {
        Readable::File { .. } => patiently(|| File::open(path)),
        Readable::Stream => Err(io::Error::other("it must be a file: of a stream the length is not known before its end")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_fsverity() {
        let line = |compact, for_builtin_sig| {
            let verity = FsVerity::<Sha256>::new(4096, &[]).unwrap();
            let digest = verity.digest(b"");
            let line = Measure { verity, name: "sha256", compact, for_builtin_sig }.line(Path::new("a\nb"), &digest);
            String::from_utf8(line).unwrap()
        };
        assert!(line(false, false).starts_with("sha256:3d248ca5"));
        assert!(line(false, false).ends_with("af95 a\nb\n"), "{}", line(false, false));
        assert!(line(true, false).starts_with("3d248ca5") && line(true, false).len() == 65);
        assert!(line(false, true).starts_with("4653566572697479010020003d248ca5") && line(false, true).ends_with(" a\nb\n"));
        assert_eq!(line(true, true).len(), 24 + 65);
    }
}
