# A formula for Homebrew. `url` and `sha256` are those of a release's source archive: see RELEASING.md.
class Manyhash < Formula
  desc "Checksums of many files at once: sum, check, dups, trees, dm-verity"
  homepage "https://github.com/manyhash/manyhash"
  version "0.1.0"
  url "https://github.com/manyhash/manyhash/archive/refs/tags/v#{version}.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["Apache-2.0", "MIT"]
  head "https://github.com/manyhash/manyhash.git", branch: "main"

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/manyhash-cli")
    generate_completions_from_executable(bin/"manyhash", "completions", shells: [:bash, :zsh, :fish])
    (man1/"manyhash.1").write Utils.safe_popen_read(bin/"manyhash", "man")
    %w[sum check diff dups tree verity bench].each do |command|
      (man1/"manyhash-#{command}.1").write Utils.safe_popen_read(bin/"manyhash", "man", command)
    end
  end

  test do
    (testpath/"abc").write "abc"
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert_equal "#{digest}  abc\n", shell_output("#{bin}/manyhash sum abc")
  end
end
