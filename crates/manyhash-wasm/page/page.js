// The page: takes files, gives them to workers in groups, and shows their lines.
import { byBytes, line, nameInList, parse } from "./lists.js";

/** Files up to this size are read whole, a group of at most so many files and bytes at a time; larger ones are read in pieces. */
const SMALL_BYTES = 8 << 20;
const GROUP_FILES = 256;
const GROUP_BYTES = 8 << 20; // at least `SMALL_BYTES`
/** Lines beyond this many are in the saved list only: a page of a million lines is of no use to anybody. */
const SHOWN_LINES = 5000;

const element = (id) => document.getElementById(id);
let workers = [];
/** Workers without a group. */
let idle = [];
/** Why nothing can be hashed, if that is so. */
let broken = null;
/** Files in the order they came: `{ path, file, digest, error, row }`. */
let files = [];
/** The first file that no worker has been given. */
let next = 0;
let hashed = 0;
let bytes = { hashed: 0, all: 0 };
/** Milliseconds spent while there was something to hash, and since when there is. */
let spent = 0;
let since = null;
/** Folders that are being listed. */
let listing = 0;
let list = parse("");
/** How many files have each status. */
let statuses = new Map();
/** Counts every call of "Clear": what workers and folders bring from before is dropped. */
let generation = 0;

function addFile(path, file) {
  files.push({ path, file, digest: null, error: null, row: null });
  bytes.all += file.size;
  since ??= performance.now();
}

/** The next group for a worker: one large file, or several small ones. */
function group() {
  const first = next++;
  const members = [{ index: first, file: files[first].file }];
  if (files[first].file.size > SMALL_BYTES) return { files: members, whole: false };
  let room = GROUP_BYTES - files[first].file.size;
  while (next < files.length && members.length < GROUP_FILES && files[next].file.size <= Math.min(SMALL_BYTES, room)) {
    room -= files[next].file.size;
    members.push({ index: next, file: files[next].file });
    next += 1;
  }
  return { files: members, whole: true };
}

function start() {
  while (idle.length > 0 && next < files.length) {
    const worker = idle.pop();
    const task = group();
    worker.generation = generation;
    worker.whole = task.whole;
    worker.read = 0;
    worker.postMessage(task);
  }
  if (next === files.length && workers.length === idle.length && listing === 0 && since !== null) {
    spent += performance.now() - since;
    since = null;
  }
  showSoon();
}

/** Makes as many workers as there should be. */
function makeWorkers() {
  const count = Math.max(1, Math.min(navigator.hardwareConcurrency || 2, 8));
  while (workers.length < count) {
    const worker = new Worker("worker.js", { type: "module" });
    worker.onmessage = ({ data }) => took(worker, data);
    worker.onerror = (event) => fatal(event.message || "a worker did not start");
    workers.push(worker);
    idle.push(worker);
  }
}

function fatal(message) {
  broken = `Hashing does not work here: ${message}. It needs a browser with WebAssembly and its vectors (2023 or later).`;
  showSoon();
}

function took(worker, { progress, results, fatal: message }) {
  if (!workers.includes(worker)) return; // it was ended meanwhile
  if (message) return fatal(message);
  const current = worker.generation === generation;
  if (progress) {
    if (current) bytes.hashed += progress;
    worker.read += progress;
    return showSoon();
  }
  idle.push(worker);
  for (const { index, digest, error } of current ? results : []) {
    const entry = files[index];
    [entry.digest, entry.error] = [digest ?? null, error ?? null];
    bytes.hashed += entry.file.size - (worker.whole ? 0 : worker.read);
    isHashed(entry);
  }
  start();
}

/** Counts a file that is done, or that cannot be read. */
function isHashed(entry) {
  hashed += 1;
  count(entry);
  unshown.push(entry);
}

function count(entry) {
  const [kind] = statusOf(entry);
  statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
}

// What is shown changes at most once a frame.
let isDue = false;
let unshown = [];
let shown = 0;

function showSoon() {
  if (isDue) return;
  isDue = true;
  // A page in the background has no frames.
  (document.hidden ? setTimeout : requestAnimationFrame)(show);
}

function statusOf({ path, digest, error }) {
  if (error !== null) return ["unread", "not read"];
  if (list.digests.size === 0) return ["", ""];
  const name = nameInList(list.digests, path);
  if (name === undefined) return ["unlisted", "not listed"];
  return list.digests.get(name) === digest ? ["ok", "✓ OK"] : ["failed", "✗ FAILED"];
}

function rowOf(kind, mark, path, detail) {
  const row = document.createElement("li");
  row.className = kind;
  for (const [name, text] of [["mark", mark], ["path", path], ["digest", detail]]) {
    const part = document.createElement("span");
    part.className = name;
    part.textContent = text;
    row.append(part);
  }
  return row;
}

function show() {
  isDue = false;
  const lines = element("lines");
  lines.classList.toggle("checked", list.digests.size > 0);
  const rows = document.createDocumentFragment();
  for (const entry of unshown) {
    const [kind, mark] = statusOf(entry);
    // What is wrong is always shown.
    if (shown >= SHOWN_LINES && kind !== "failed" && kind !== "unread") continue;
    entry.row = rowOf(kind, mark, entry.path, entry.error ?? entry.digest);
    rows.append(entry.row);
    shown += 1;
  }
  unshown = [];
  lines.append(rows);
  const isDone = since === null && hashed === files.length;
  element("actions").hidden = files.length === 0;
  element("progress").hidden = files.length === 0 || isDone;
  element("progress").value = bytes.all === 0 ? 1 : bytes.hashed / bytes.all;
  element("more").hidden = shown >= hashed;
  element("more").textContent = `${(hashed - shown).toLocaleString()} more lines are in the list that "Save" saves.`;
  element("summary").textContent = summary(isDone);
  showMissing(isDone);
  document.body.dataset.state = broken ? "broken" : isDone && files.length > 0 ? "done" : "";
}

function summary(isDone) {
  if (broken) return broken;
  if (files.length === 0) return "No files yet.";
  const seconds = (spent + (since === null ? 0 : performance.now() - since)) / 1000;
  const size = (value) => (value >= 1e9 ? `${(value / 1e9).toFixed(2)} GB` : `${(value / 1e6).toFixed(1)} MB`);
  const number = (n, what) => `${n.toLocaleString()} ${what}`;
  const parts = [isDone ? number(files.length, files.length === 1 ? "file" : "files") : `${hashed.toLocaleString()} of ${number(files.length, "files")}`];
  parts.push(isDone ? size(bytes.all) : `${size(bytes.hashed)} of ${size(bytes.all)}`);
  if (seconds > 0.1) parts.push(`${size(bytes.hashed / seconds)}/s`);
  for (const [kind, word] of [["ok", "OK"], ["failed", "FAILED"], ["unlisted", "not in the list"], ["unread", "could not be read"]]) {
    if (statuses.has(kind)) parts.push(number(statuses.get(kind), word));
  }
  if (isDone && missing().length > 0) parts.push(number(missing().length, "missing"));
  return parts.join(" · ");
}

let missingOf = null;
function missing() {
  if (missingOf?.list === list && missingOf.count === files.length && missingOf.generation === generation) return missingOf.paths;
  const there = new Set(files.map(({ path }) => nameInList(list.digests, path)));
  const paths = [...list.digests.keys()].filter((path) => !there.has(path));
  missingOf = { list, count: files.length, generation, paths };
  return paths;
}

function showMissing(isDone) {
  const paths = isDone && files.length > 0 ? missing() : [];
  element("missing").replaceChildren(...paths.slice(0, SHOWN_LINES).map((path) => rowOf("missing", "missing", path, list.digests.get(path))));
}

function readList() {
  list = parse(element("list").value);
  const faults = element("list-faults");
  faults.hidden = list.faults.length === 0;
  faults.textContent = list.faults.slice(0, 5).join("\n") + (list.faults.length > 5 ? `\nand ${list.faults.length - 5} more` : "");
  statuses = new Map();
  const waiting = new Set(unshown);
  for (const entry of files) {
    if (entry.digest === null && entry.error === null) continue;
    count(entry);
    const [kind, mark] = statusOf(entry);
    // Lines that are wrong by this list, and were not shown.
    if (!entry.row && kind === "failed" && !waiting.has(entry)) unshown.push(entry);
    if (!entry.row) continue;
    entry.row.className = kind;
    entry.row.firstChild.textContent = mark;
  }
  showSoon();
}

/** Adds a dropped file, or all that is in a dropped folder. */
async function addEntry(entry, of) {
  if (of !== generation) return;
  if (entry.isFile) {
    const path = entry.fullPath.replace(/^\//, "");
    try {
      const file = await new Promise((done, failed) => entry.file(done, failed));
      if (of === generation) addFile(path, file);
    } catch (error) {
      if (of === generation) notRead(path, error);
    }
    return;
  }
  try {
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (some.length === 0) break;
      for (const inside of some) await addEntry(inside, of);
      if (of !== generation) return;
      start();
    }
  } catch (error) {
    if (of === generation) notRead(entry.fullPath.replace(/^\//, ""), error);
  }
}

/** A file or folder that cannot be read, which no worker gets. It takes its place before those that none has been given yet. */
function notRead(path, error) {
  const entry = { path, file: { size: 0 }, digest: null, error: `${error?.message ?? error}`, row: null };
  files.splice(next, 0, entry);
  next += 1;
  isHashed(entry);
}

async function addEntries(entries) {
  const of = generation;
  listing += 1;
  for (const entry of entries) await addEntry(entry, of);
  if (of !== generation) return;
  listing -= 1;
  start();
}

function addFiles(chosen) {
  for (const file of chosen) addFile(file.webkitRelativePath || file.name, file);
  start();
}

function lines() {
  const done = files.filter(({ digest }) => digest !== null);
  const sorted = done.sort((a, b) => byBytes(a.path, b.path));
  return sorted.map(({ digest, path }) => `${line(digest, path)}\n`).join("");
}

function clear() {
  generation += 1;
  [files, unshown, next, hashed, shown, spent, since, listing] = [[], [], 0, 0, 0, 0, null, 0];
  bytes = { hashed: 0, all: 0 };
  statuses = new Map();
  // What others read is of no use any more.
  workers.filter((worker) => !idle.includes(worker)).forEach((worker) => worker.terminate());
  workers = [...idle];
  makeWorkers();
  element("lines").replaceChildren();
  show();
}

const drop = element("drop");
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    if (event.target === element("list")) return;
    event.preventDefault();
    drop.classList.toggle("over", name === "dragover");
  });
}
document.addEventListener("drop", (event) => {
  if (event.target === element("list")) return;
  // Entries must be taken before the event ends.
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length > 0) addEntries(entries);
  else addFiles(event.dataTransfer.files);
});
element("list").addEventListener("drop", async (event) => {
  const [file] = event.dataTransfer.files;
  if (!file) return;
  event.preventDefault();
  try {
    element("list").value = await file.text();
    readList();
  } catch (error) {
    element("list-faults").hidden = false;
    element("list-faults").textContent = `${file.name}: ${error?.message ?? error}`;
  }
});
for (const id of ["files", "folder"]) {
  element(id).addEventListener("change", ({ target }) => {
    addFiles(target.files);
    target.value = "";
  });
}
// Phones that cannot choose folders have no use for the button.
element("folder-button").hidden = !("webkitdirectory" in HTMLInputElement.prototype);
element("list").addEventListener("input", readList);
element("clear").addEventListener("click", clear);
element("copy").addEventListener("click", async ({ target }) => {
  try {
    await navigator.clipboard.writeText(lines());
    target.textContent = "Copied";
  } catch {
    // Pages that do not come by HTTPS or from this machine have no clipboard, and a user may not allow it.
    target.textContent = "The browser allows no copy: save";
  }
  setTimeout(() => (target.textContent = "Copy the lines"), 2500);
});
element("save").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines()], { type: "text/plain" }));
  link.download = "SHA256SUMS";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
});

makeWorkers();
show();
