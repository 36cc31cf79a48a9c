// The package in Node.js, beside Node's own crypto (OpenSSL): node --test crates/manyhash-wasm/tests
import assert from "node:assert/strict";
import { createHash, createHmac, getHashes, randomBytes } from "node:crypto";
import { test } from "node:test";

const { algorithms, backends, hash, hashMany, hashManyFlat, hmacMany, Hasher, default: init } = await import(
  new URL("../../../target/npm/node.js", import.meta.url)
);
await init();

/** The names of algorithms that Node has, too, and has under another name. */
const NAMES = {
  MD5: "md5", "SHA-1": "sha1", "SHA-224": "sha224", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512",
  "SHA-512/224": "sha512-224", "SHA-512/256": "sha512-256", SM3: "sm3", "SHA3-224": "sha3-224", "SHA3-256": "sha3-256",
  "SHA3-384": "sha3-384", "SHA3-512": "sha3-512", BLAKE2b: "blake2b512", BLAKE2s: "blake2s256",
};
const known = algorithms().filter((name) => getHashes().includes(NAMES[name]));
const right = (name, message) => createHash(NAMES[name]).update(message).digest("hex");
const hex = (digest) => Buffer.from(digest).toString("hex");

test("vectors compute", () => {
  assert.ok(backends().includes("simd128"), backends().join());
  assert.ok(known.length >= 12, `only ${known.join()} are compared`);
});

test("every length, one by one and together", () => {
  const messages = Array.from({ length: 300 }, (_, bytes) => randomBytes(bytes));
  for (const name of known) {
    const expected = messages.map((message) => right(name, message));
    assert.deepEqual(hashMany(name, messages).map(hex), expected, name);
    assert.deepEqual(messages.map((message) => hex(hash(name, message))), expected, name);
    assert.equal(hex(hashManyFlat(name, messages)), expected.join(""), name);
  }
});

test("every backend", () => {
  const messages = Array.from({ length: 101 }, (_, i) => randomBytes(i * 7 % 260));
  let compared = 0;
  for (const name of known) {
    const expected = messages.map((message) => right(name, message)).join("");
    for (const backend of backends()) {
      let digests;
      try {
        digests = hashManyFlat(name, messages, backend);
      } catch (error) {
        assert.match(error.message, /has no/);
        continue;
      }
      assert.equal(hex(digests), expected, `${name} on ${backend}`);
      compared += 1;
    }
  }
  assert.ok(compared >= 2 * known.length, `${compared}`);
  assert.throws(() => hashManyFlat("SHA-256", messages, "avx9"), /avx9/);
});

test("long messages among short ones, beyond what is hashed together", () => {
  const sizes = [3, 5 << 20, 0, 3 << 20, 3 << 20, 100, 4 << 20, (4 << 20) + 1, 7];
  const messages = sizes.map((bytes) => randomBytes(bytes));
  const expected = messages.map((message) => right("SHA-256", message));
  assert.deepEqual(hashMany("SHA-256", messages).map(hex), expected);
  const key = randomBytes(70);
  const tags = messages.map((message) => createHmac("sha256", key).update(message).digest("hex"));
  assert.deepEqual(hmacMany("SHA-256", key, messages).map(hex), tags);
});

test("no messages, and views of larger arrays", () => {
  assert.deepEqual(hashMany("SHA-256", []), []);
  assert.equal(hashManyFlat("SHA-256", []).length, 0);
  const bytes = randomBytes(1000);
  assert.equal(hex(hashMany("SHA-1", [bytes.subarray(10, 75)])[0]), right("SHA-1", bytes.subarray(10, 75)));
});

test("pieces", () => {
  const message = randomBytes(3_000_000);
  const hasher = new Hasher("SHA-512");
  for (let turn = 0; turn < 2; turn++) {
    for (let at = 0; at < message.length; at += 70_001) hasher.update(message.subarray(at, at + 70_001));
    assert.equal(hex(hasher.digest()), right("SHA-512", message));
  }
  hasher.free();
});

test("what is wrong is said", () => {
  assert.throws(() => hash("SHA-257", new Uint8Array()), /unknown algorithm "SHA-257": there are .*SHA-256/);
  assert.throws(() => new Hasher(""), /unknown algorithm/);
  assert.throws(() => hashMany("SHA-256", [new Uint8Array(1), "text"]), /message 1 is not a Uint8Array/);
  for (const wrong of ["text", 7, null, undefined, [1, 2], new Uint16Array(1), new DataView(new ArrayBuffer(1))]) {
    assert.throws(() => hash("SHA-256", wrong), /message is not a Uint8Array/);
    assert.throws(() => new Hasher("SHA-256").update(wrong), /piece is not a Uint8Array/);
    assert.throws(() => hmacMany("SHA-256", wrong, []), /key is not a Uint8Array/);
  }
  const abc = new TextEncoder().encode("abc");
  const digest = hash("SHA-256", abc);
  assert.deepEqual(hash("SHA-256", abc.slice().buffer), digest);
  assert.deepEqual(hashMany("SHA-256", [abc.slice().buffer])[0], digest);
  assert.deepEqual(hmacMany("SHA-256", abc.slice().buffer, [abc])[0], hmacMany("SHA-256", abc, [abc.slice().buffer])[0]);
  assert.throws(() => hashMany("SHA-256", [undefined]), /message 0/);
  assert.throws(() => hmacMany("BLAKE2b", new Uint8Array(1), []), /BLAKE2b has no HMAC/);
});
