// What Node.js imports: the module is read from the file beside this one, and is ready at once.
import { readFileSync } from "node:fs";
import { initSync } from "./manyhash.js";

const exports = initSync({ module: readFileSync(new URL("manyhash_bg.wasm", import.meta.url)) });

export * from "./manyhash.js";
/** Elsewhere this loads the module. Here it is loaded already. */
export default async function init() {
  return exports;
}
