// Lists of digests as `sha256sum` writes and reads them.

/** The line for a file. Names with a backslash or an end of a line are written with escapes, which a backslash before the line says. */
export function line(digest, path) {
  const escaped = path.replace(/[\\\n\r]/g, (c) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r" })[c]);
  return `${escaped === path ? "" : "\\"}${digest}  ${escaped}`;
}

function unescaped(name) {
  if (!/^(?:[^\\]|\\[\\nr])*$/.test(name)) return null;
  return name.replace(/\\([\\nr])/g, (_, c) => ({ "\\": "\\", n: "\n", r: "\r" })[c]);
}

function parsed(line) {
  const [, escape, digest, name] = /^(\\?)([0-9a-fA-F]+)[ \t][ *](.+)$/s.exec(line) ?? [];
  if (digest) return { digest, path: escape ? unescaped(name) : name };
  const [, tagEscape, tagName, tagDigest] = /^(\\?)SHA256 \((.+)\) = ([0-9a-fA-F]+)$/s.exec(line) ?? [];
  return tagDigest ? { digest: tagDigest, path: tagEscape ? unescaped(tagName) : tagName } : null;
}

/**
 * Reads a list: its digests by path, and what is wrong with lines that are not understood. Lines of `sha256sum`, with or without
 * `--tag`, are understood; empty lines and those that begin with `#` are left out.
 */
export function parse(text) {
  const digests = new Map();
  const faults = [];
  text.split(/\r?\n/).forEach((line, i) => {
    if (line === "" || line.startsWith("#")) return;
    const entry = parsed(line);
    const fault = (what) => faults.push(`line ${i + 1}: ${what}`);
    if (!entry || entry.path === null) return fault("not a line of sha256sum");
    if (entry.digest.length !== 64) return fault(`a digest of ${entry.digest.length} digits, SHA-256 has 64`);
    const path = entry.path.replace(/^(\.\/)+/, "");
    const digest = entry.digest.toLowerCase();
    if (digests.has(path) && digests.get(path) !== digest) return fault(`another digest of ${path}`);
    digests.set(path, digest);
  });
  return { digests, faults };
}

/**
 * The path by which a list names a file: its path, or else its path without the folder that was dropped, because lists are often
 * made inside of it; `undefined` if it names neither.
 */
export function nameInList(digests, path) {
  if (digests.has(path)) return path;
  const inside = path.slice(path.indexOf("/") + 1);
  return digests.has(inside) ? inside : undefined;
}

/** Compares two paths by their bytes, as `sort` in the C locale does. */
export function byBytes(a, b) {
  // UTF-16 has another order only where one of two characters is beyond the first 65,536: its halves come before 0xE000.
  const place = (unit) => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (one !== other) return place(one) - place(other);
  }
  return a.length - b.length;
}
