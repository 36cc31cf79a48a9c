// How fast, beside what browsers have (`crypto.subtle`) and `hash-wasm`: in Node.js (`node speed.mjs`), and in a browser by speed.py.
//
// All of them hash the same messages, which are in memory, with SHA-256, in turns; the least time of each is told. Digests are compared.

const SETS = [[10_000, 64], [10_000, 1024], [2_000, 4096], [500, 16_384], [8, 1 << 20]];
const TURNS = 9;

function random(bytes) {
  const all = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(all.subarray(at, Math.min(at + 65_536, bytes)));
  return all;
}

/** Returns rows: a set of messages, and the microseconds a message that each way takes. */
export async function measure(manyhash, hashWasm) {
  const ways = {
    "manyhash hashMany": (messages) => manyhash.hashMany("SHA-256", messages),
    "manyhash hash, one by one": (messages) => messages.map((message) => manyhash.hash("SHA-256", message)),
    "crypto.subtle, one by one": async (messages) => {
      const digests = [];
      for (const message of messages) digests.push(new Uint8Array(await crypto.subtle.digest("SHA-256", message)));
      return digests;
    },
    "crypto.subtle, all at once": async (messages) =>
      (await Promise.all(messages.map((message) => crypto.subtle.digest("SHA-256", message)))).map((digest) => new Uint8Array(digest)),
  };
  if (hashWasm) {
    const hasher = await hashWasm.createSHA256();
    ways["hash-wasm, one hasher"] = (messages) => messages.map((message) => hasher.init().update(message).digest("binary"));
  }
  const rows = [];
  for (const [count, bytes] of SETS) {
    const messages = Array.from({ length: count }, () => random(bytes));
    const least = {};
    const expected = await ways["crypto.subtle, one by one"](messages);
    for (const [name, way] of Object.entries(ways)) {
      const found = await way(messages);
      if (found.length !== count || found.some((digest, i) => digest.join() !== expected[i].join())) throw new Error(`${name} is wrong`);
    }
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [name, way] of Object.entries(ways)) {
        const begin = performance.now();
        await way(messages);
        least[name] = Math.min(least[name] ?? Infinity, performance.now() - begin);
      }
    }
    rows.push({ count, bytes, microseconds: Object.fromEntries(Object.entries(least).map(([name, ms]) => [name, (1000 * ms) / count])) });
  }
  return rows;
}

/** The rows as lines: microseconds a message, and how many times as long as `hashMany`. */
export function table(rows) {
  return rows.flatMap(({ count, bytes, microseconds }) => {
    const ours = microseconds["manyhash hashMany"];
    const line = ([name, time]) => `  ${name.padEnd(28)} ${time.toFixed(2).padStart(9)} us ${(time / ours).toFixed(2).padStart(6)}`;
    return [`${count} messages of ${bytes} bytes`, ...Object.entries(microseconds).map(line)];
  }).join("\n");
}

if (globalThis.process?.argv?.[1]?.endsWith("speed.mjs")) {
  const manyhash = await import(new URL("../../../target/npm/node.js", import.meta.url));
  // `HASH_WASM=…/node_modules/hash-wasm/dist/index.esm.js`
  const hashWasm = process.env.HASH_WASM ? await import(process.env.HASH_WASM) : null;
  console.log(table(await measure(manyhash, hashWasm)));
}
