# The command with its manual pages and completions: `nix-build packaging/nix/package.nix` in a checkout.
{ pkgs ? import <nixpkgs> { } }:
let
  root = ../..;
  workspace = (builtins.fromTOML (builtins.readFile (root + "/Cargo.toml"))).workspace;
in
pkgs.rustPlatform.buildRustPackage {
  pname = "manyhash";
  version = workspace.package.version;
  # Without what cargo has built: gigabytes.
  src = pkgs.lib.cleanSourceWith {
    src = pkgs.lib.cleanSource root;
    filter = path: type: baseNameOf path != "target";
  };
  cargoLock.lockFile = root + "/Cargo.lock";
  cargoBuildFlags = [ "--package" "manyhash-cli" ];
  # The tests compare with other tools: `make test` has them.
  doCheck = false;
  nativeBuildInputs = [ pkgs.installShellFiles ];
  postInstall = ''
    for shell in bash zsh fish; do $out/bin/manyhash completions $shell > manyhash.$shell; done
    installShellCompletion manyhash.bash --zsh manyhash.zsh manyhash.fish
    $out/bin/manyhash man > manyhash.1
    for command in sum check diff dups tree verity bench; do $out/bin/manyhash man $command > manyhash-$command.1; done
    installManPage manyhash*.1
  '';
  meta = {
    description = "Checksums of many files at once";
    homepage = workspace.package.repository;
    license = with pkgs.lib.licenses; [ asl20 mit ];
    mainProgram = "manyhash";
  };
}
