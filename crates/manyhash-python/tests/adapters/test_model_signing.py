"""manyhash.model_signing beside the engine of model-signing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from adapter_reference import engine

model_signing = engine("model_signing")

import manyhash.model_signing  # noqa: E402 - it needs model_signing


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model of files of several sizes, with a folder, an empty file and Git's."""
    root = tmp_path / "model"
    (root / "tokenizer").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("not of the model")
    for name, size in [("a.safetensors", 1_234_567), ("b.safetensors", 1_000_000), ("tokenizer/words", 17), ("empty", 0)]:
        (root / name).write_bytes(bytes(i * 7 % 251 for i in range(size)))
    return root


def both(set_up: Any) -> tuple[Any, Any]:
    return set_up(model_signing.hashing.Config()), set_up(manyhash.model_signing.Config())


@pytest.mark.parametrize("algorithm", ["sha256", "blake2", "blake3"])
@pytest.mark.parametrize("shard_size", [None, 1, 300_000, 10**9])
def test_manifests_are_those_of_model_signing(model: Path, algorithm: str, shard_size: int | None) -> None:
    if shard_size == 1:
        (model / "a.safetensors").unlink()
        (model / "b.safetensors").write_bytes(b"four")

    def set_up(config: Any) -> Any:
        if shard_size is None:
            return config.use_file_serialization(hashing_algorithm=algorithm)
        return config.use_shard_serialization(hashing_algorithm=algorithm, shard_size=shard_size)

    theirs, ours = (config.set_ignored_paths(paths=["tokenizer/none"]) for config in both(set_up))
    for _ in range(2):
        expected, found = theirs.hash(model), ours.hash(model)
        assert expected == found and expected.serialization_type == found.serialization_type
        assert [item.digest for item in expected.resource_descriptors()] == [item.digest for item in found.resource_descriptors()]
        # What is in a file is asked anew in each call.
        (model / "tokenizer" / "words").write_text("others")
    some = [model / "tokenizer" / "words", model / "b.safetensors"]
    assert theirs.hash(model, files_to_hash=some) == ours.hash(model, files_to_hash=some)


def test_digests_are_made_by_manyhash(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    usual = manyhash.file_part_digests
    monkeypatch.setattr(manyhash, "file_part_digests", lambda *arguments, **others: asked.append(arguments) or usual(*arguments, **others))
    manyhash.model_signing.Config().use_shard_serialization(shard_size=1000).hash(model)
    ((files, shard_size, algorithm),) = asked
    assert (sorted(path.name for path in files), shard_size, algorithm) == (["a.safetensors", "b.safetensors", "empty", "words"], 1000, "sha256")


@pytest.mark.parametrize("shard_size", [None, 1000])
def test_a_file_without_a_digest_is_hashed_as_ever(model: Path, monkeypatch: pytest.MonkeyPatch, shard_size: int | None) -> None:
    name, usual = ("file_digests", manyhash.file_digests) if shard_size is None else ("file_part_digests", manyhash.file_part_digests)
    words = model / "tokenizer" / "words"

    def changed(files: list[Path], *arguments: Any, **others: Any) -> Any:
        rows = usual(files, *arguments, **others)
        missing = usual(["no such file"], *arguments, **others)
        return [missing[0] if path == words else row for path, row in zip(files, rows, strict=True)]

    def set_up(config: Any) -> Any:
        return config.use_file_serialization() if shard_size is None else config.use_shard_serialization(shard_size=shard_size)

    theirs, ours = both(set_up)
    monkeypatch.setattr(manyhash, name, changed)
    assert theirs.hash(model) == ours.hash(model)
    words.chmod(0)
    if not os.access(words, os.R_OK):
        for config in (theirs, ours):
            with pytest.raises(PermissionError, match="words"):
                config.hash(model)


@pytest.mark.parametrize("max_workers", [0, -1])
@pytest.mark.parametrize("method", ["use_file_serialization", "use_shard_serialization"])
def test_a_number_of_workers_is_one_for_both(model: Path, method: str, max_workers: int) -> None:
    for config in both(lambda config: getattr(config, method)(max_workers=max_workers)):
        with pytest.raises(ValueError, match="max_workers must be greater than 0"):
            config.hash(model)
    theirs, ours = both(lambda config: getattr(config, method)(max_workers=1))
    assert theirs.hash(model) == ours.hash(model)


def test_errors_are_those_of_model_signing(model: Path) -> None:
    (model / "link").symlink_to(model / "empty")
    for config in both(lambda config: config.use_shard_serialization(shard_size=1000)):
        with pytest.raises(ValueError, match="symlink"):
            config.hash(model)
    theirs, ours = both(lambda config: config.use_shard_serialization(shard_size=1000, allow_symlinks=True))
    for config in (theirs, ours):
        config._allow_symlinks = True
    assert theirs.hash(model) == ours.hash(model)


def test_a_signature_of_one_is_verified_by_the_other(model: Path, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    pem, none = serialization.Encoding.PEM, serialization.NoEncryption()
    (tmp_path / "key").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, none))
    (tmp_path / "key.pub").write_bytes(key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo))
    theirs, ours = both(lambda config: config.use_shard_serialization(shard_size=100_000))
    for signer, verifier in [(theirs, ours), (ours, theirs)]:
        signature = tmp_path / "signature"
        signing = model_signing.signing.Config().use_elliptic_key_signer(private_key=tmp_path / "key").set_hashing_config(signer)
        signing.sign(model, signature)
        verifying = model_signing.verifying.Config().use_elliptic_key_verifier(public_key=tmp_path / "key.pub").set_hashing_config(verifier)
        verifying.verify(model, signature)
        (model / "tokenizer" / "words").write_bytes(b"x" * 17)
        with pytest.raises(ValueError, match="match"):
            verifying.verify(model, signature)
        (model / "tokenizer" / "words").write_bytes(bytes(i * 7 % 251 for i in range(17)))
