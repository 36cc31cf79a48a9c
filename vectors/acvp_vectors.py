#!/usr/bin/env python3
"""Writes acvp/hash.txt and acvp/hmac.txt from NIST's ACVP vectors, as SOURCES.md says.

usage: acvp_vectors.py FOLDER
  FOLDER has the files vectors/NAME.bz2 (questions) and expected/NAME.bz2 (answers).
"""

import bz2
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# ACVP's names, and those of the standards.
HASHES = {
    "SHA2-224": "SHA-224",
    "SHA2-256": "SHA-256",
    "SHA2-384": "SHA-384",
    "SHA2-512": "SHA-512",
    "SHA2-512-224": "SHA-512/224",
    "SHA2-512-256": "SHA-512/256",
    "SHA3-256": "SHA3-256",
}
# Longer keys, up to 64 KiB, would make the file forty times as long.
MOST_KEY_BYTES = 1024


def tests(folder, name):
    """Every test of an algorithm with its answer: (type, question, answer)."""

    def groups(kind):
        content = json.loads(bz2.decompress((folder / kind / f"{name}.bz2").read_bytes()))
        return (content[-1] if isinstance(content, list) else content)["testGroups"]

    answers = {test["tcId"]: test for group in groups("expected") for test in group["tests"]}
    return [(group["testType"], test, answers[test["tcId"]]) for group in groups("vectors") for test in group["tests"]]


def write(path, records):
    path.parent.mkdir(exist_ok=True)
    text = "\n\n".join("\n".join(f"{name} = {value}".rstrip() for name, value in record) for record in records)
    path.write_text(text + "\n")
    print(f"{path.name}: {len(records)} records")


def main():
    folder = Path(sys.argv[1])
    hashes, tags = [], []
    for name, standard in HASHES.items():
        for kind, question, answer in tests(folder, name):
            case = ("case", f"ACVP {name}, {kind}, test {question['tcId']}")
            message = ("message", question["msg"].lower() if question["len"] else "")
            if kind == "AFT":
                assert question["len"] == 4 * len(message[1])
                hashes.append([case, message, (standard, answer["md"].lower())])
            else:
                assert kind == "MCT"
                checkpoints = "".join(result["md"] for result in answer["resultsArray"])
                hashes.append([case, ("seed", message[1]), (standard, checkpoints.lower())])
        for kind, question, answer in tests(folder, f"HMAC-{name}"):
            assert kind == "AFT"
            if len(question["key"]) <= 2 * MOST_KEY_BYTES:
                case = ("case", f"ACVP HMAC-{name}, test {question['tcId']}")
                fields = [("key", question["key"]), ("message", question["msg"]), (standard, answer["mac"])]
                tags.append([case, *((field, value.lower()) for field, value in fields)])
    write(HERE / "acvp" / "hash.txt", hashes)
    write(HERE / "acvp" / "hmac.txt", tags)


if __name__ == "__main__":
    main()
