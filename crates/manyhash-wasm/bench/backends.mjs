// What a step of each backend takes in Node.js: picoseconds for a block in each lane, as `kernel/cost/wasm32.rs` has them.
//
// 64 equal messages of 16 KiB, in turns; the least time. They are copied and ended too, which is about a hundredth.
import { randomFillSync } from "node:crypto";

const { backends, hashManyFlat } = await import(new URL("../../../target/npm/node.js", import.meta.url));

/** Algorithms, their compression functions in tables, bytes of a block, and bytes of a word. */
const ALGORITHMS = [
  ["MD5", "md5", 64, 4], ["SHA-1", "sha1", 64, 4], ["SHA-256", "sha256", 64, 4], ["SHA-512", "sha512", 128, 8], ["SHA3-256", "sha3_256", 136, 8],
  ["BLAKE2s", "blake2s", 64, 4], ["BLAKE2b", "blake2b", 128, 8], ["BLAKE3", "blake3", 64, 4], ["SM3", "sm3", 64, 4],
];
const MESSAGES = Array.from({ length: 64 }, () => randomFillSync(new Uint8Array(16_384)));
const lanes = (backend, wordBytes) =>
  backend === "portable" ? 1 : backend === "portable-x2" ? 2 : (16 / wordBytes) * (backend.endsWith("x2") ? 2 : 1);

for (const [name, table, blockBytes, wordBytes] of ALGORITHMS) {
  const least = new Map();
  for (let turn = 0; turn < 7; turn++) {
    for (const backend of backends()) {
      const begin = performance.now();
      try {
        hashManyFlat(name, MESSAGES, backend);
      } catch {
        continue; // it has no such kernel
      }
      least.set(backend, Math.min(least.get(backend) ?? Infinity, performance.now() - begin));
    }
  }
  for (const [backend, ms] of least) {
    const steps = (MESSAGES.length * MESSAGES[0].length) / blockBytes / lanes(backend, wordBytes);
    console.log(`("${table}", "${backend}", ${Math.round((ms * 1e9) / steps)}),`);
  }
}
