// What the types say: compiled, not run.
import init, { algorithms, backends, hash, Hasher, hashMany, hashManyFlat, hmacMany } from "../../../target/npm/manyhash.js";

await init();
const names: string[] = [...algorithms(), ...backends()];
const digests: Uint8Array[] = hashMany("SHA-256", [new Uint8Array(1), hash("SHA-1", new Uint8Array(2))]);
const flat: Uint8Array = hashManyFlat("SHA-256", digests, names[0]);
const tags: Uint8Array[] = hmacMany("SHA-256", flat, digests);
const hasher = new Hasher("BLAKE3");
hasher.update(tags[0]!);
const digest: Uint8Array = hasher.digest();
hasher.free();
// @ts-expect-error a message is bytes
hash("SHA-256", "text");
// @ts-expect-error messages are an array
hashMany("SHA-256", digest);
