// Hashes groups of files, one group at a time.
import init, { Hasher, hashManyFlat } from "./manyhash.js";

/** What is read of a large file at once. */
const PIECE_BYTES = 4 << 20;
/**
 * From so many bytes on, the browser's own SHA-256 is faster for a file that is whole in memory: it has the CPU's instructions for it
 * (`bench/speed.py`). Its calls take too long for smaller ones. Pages that do not come by HTTPS or from this machine have none.
 */
const BROWSER_BYTES = 4096;
const subtle = globalThis.crypto?.subtle;

const ready = init();
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const reason = (error) => `${error?.message ?? error}`;

/** Files that are small enough to be read whole and hashed together. */
async function together(files) {
  const read = await Promise.allSettled(files.map(({ file }) => file.arrayBuffer()));
  const isForBrowser = ({ value }) => subtle && value.byteLength >= BROWSER_BYTES;
  const byBrowser = read.map((one) => (one.status === "fulfilled" && isForBrowser(one) ? subtle.digest("SHA-256", one.value) : null));
  const ours = read.filter((one) => one.status === "fulfilled" && !isForBrowser(one)).map(({ value }) => new Uint8Array(value));
  const digests = hashManyFlat("SHA-256", ours);
  let next = 0;
  return Promise.all(
    read.map(async ({ status, reason: error }, i) => {
      const { index } = files[i];
      if (status === "rejected") return { index, error: reason(error) };
      const place = byBrowser[i] ? null : next++;
      return { index, digest: hex(byBrowser[i] ? new Uint8Array(await byBrowser[i]) : digests.subarray(32 * place, 32 * (place + 1))) };
    }),
  );
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
  } catch (error) {
    return postMessage({ fatal: reason(error) });
  }
  try {
    postMessage({ results: whole ? await together(files) : [await inPieces(files[0])] });
  } catch (error) {
    // Such as too little memory for all of them.
    postMessage({ results: files.map(({ index }) => ({ index, error: reason(error) })) });
  }
};
