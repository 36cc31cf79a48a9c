// Lists of digests: what the page writes and reads.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { byBytes, line, nameInList, parse } from "../page/lists.js";

const DIGEST = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

test("lines are those of sha256sum, and are read again", () => {
  const folder = mkdtempSync(join(tmpdir(), "lists-"));
  try {
    for (const name of ["plain", "with spaces ", "new\nline", "back\\slash", "return\r", "both\\n\n", " (x) = y", "#", "*star", "ü"]) {
      writeFileSync(join(folder, name), "abc");
      const expected = execFileSync("sha256sum", ["--", name], { cwd: folder, encoding: "utf8" });
      // Older versions of GNU's leave the return as it is.
      if (!name.includes("\r")) assert.equal(`${line(DIGEST, name)}\n`, expected);
      for (const options of [[], ["-b"], ["--tag"]]) {
        const text = execFileSync("sha256sum", [...options, "--", name], { cwd: folder, encoding: "utf8" });
        if (!name.includes("\r")) assert.deepEqual([...parse(text).digests], [[name, DIGEST]], text);
      }
      assert.deepEqual([...parse(line(DIGEST, name)).digests], [[name, DIGEST]]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what is not understood is said, by its line", () => {
  const { digests, faults } = parse(`# comment\r\n\n${DIGEST}  a\r\nnonsense\n${DIGEST.slice(24)}  sha1\n\\${DIGEST}  bad\\x\n${"0".repeat(64)}  a\n${DIGEST}  ./b`);
  assert.deepEqual([...digests.keys()], ["a", "b"]);
  assert.deepEqual(faults, [
    "line 4: not a line of sha256sum", "line 5: a digest of 40 digits, SHA-256 has 64", "line 6: not a line of sha256sum", "line 7: another digest of a",
  ]);
});

test("a list that was made inside of the folder names its files", () => {
  const { digests } = parse(`${DIGEST}  a/b\n${DIGEST}  c`);
  assert.equal(nameInList(digests, "a/b"), "a/b");
  assert.equal(nameInList(digests, "folder/a/b"), "a/b");
  assert.equal(nameInList(digests, "folder/c"), "c");
  assert.equal(nameInList(digests, "c"), "c");
  assert.equal(nameInList(digests, "b"), undefined);
});

test("the order is that of bytes", () => {
  const names = ["b", "a", "", "a/b", "a.b", "\u{1F600}", "\uFF5E", "ü", "aa"];
  const expected = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  assert.deepEqual(names.sort(byBytes), expected);
});
