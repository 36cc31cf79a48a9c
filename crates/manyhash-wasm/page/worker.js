// Hashes groups of files, one group at a time.
import init, { Hasher, hashManyFlat } from "./manyhash.js";

/** What is read of a large file at once. */
const PIECE_BYTES = 4 << 20;

const ready = init();
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const reason = (error) => `${error?.message ?? error}`;

/** Files that are small enough to be read whole and hashed together. */
async function together(files) {
  const read = await Promise.allSettled(files.map(({ file }) => file.arrayBuffer()));
  const messages = read.filter(({ status }) => status === "fulfilled").map(({ value }) => new Uint8Array(value));
  const digests = hashManyFlat("SHA-256", messages);
  let next = 0;
  return read.map(({ status, reason: error }, i) => {
    if (status === "rejected") return { index: files[i].index, error: reason(error) };
    const digest = hex(digests.subarray(32 * next, 32 * (next + 1)));
    next += 1;
    return { index: files[i].index, digest };
  });
}

/** One file of any size: piece by piece, the next of which is read while one is hashed. */
async function inPieces({ index, file }) {
  const hasher = new Hasher("SHA-256");
  const read = (at) => (at < file.size ? file.slice(at, at + PIECE_BYTES).arrayBuffer() : null);
  try {
    let next = read(0);
    for (let at = 0; at < file.size; at += PIECE_BYTES) {
      const piece = await next;
      next = read(at + PIECE_BYTES);
      next?.catch(() => {}); // it is awaited in the next round
      if (piece.byteLength !== Math.min(PIECE_BYTES, file.size - at)) throw new Error("the file changed while it was read");
      hasher.update(new Uint8Array(piece));
      postMessage({ progress: piece.byteLength });
    }
    return { index, digest: hex(hasher.digest()) };
  } catch (error) {
    return { index, error: reason(error) };
  } finally {
    hasher.free();
  }
}

onmessage = async ({ data: { files, whole } }) => {
  try {
    await ready;
    postMessage({ results: whole ? await together(files) : [await inPieces(files[0])] });
  } catch (error) {
    postMessage({ fatal: reason(error) });
  }
};
