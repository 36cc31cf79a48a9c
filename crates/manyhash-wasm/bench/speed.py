"""speed.mjs in a headless Chromium: `speed.py [--hash-wasm FILE]`, where FILE is `hash-wasm/dist/index.esm.min.js`."""

import argparse
import functools
import pathlib
import shutil
import sys
import tempfile
import threading
from http.server import ThreadingHTTPServer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
from page_test import CHROMIUM, ROOT, Quiet  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--hash-wasm")
options = arguments.parse_args()
with tempfile.TemporaryDirectory() as folder:
    at = pathlib.Path(folder)
    for name in ["manyhash.js", "manyhash_bg.wasm"]:
        shutil.copy(ROOT / "target" / "npm" / name, at)
    shutil.copy(pathlib.Path(__file__).with_name("speed.mjs"), at)
    (at / "index.html").write_text("<!doctype html><title>speed</title>")
    if options.hash_wasm:
        shutil.copy(options.hash_wasm, at / "hash-wasm.js")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        page.set_default_timeout(600_000)
        script = """async (withPeer) => {
            const manyhash = await import("./manyhash.js");
            await manyhash.default();
            const { measure, table } = await import("./speed.mjs");
            return table(await measure(manyhash, withPeer ? await import("./hash-wasm.js") : null));
        }"""
        print(browser.version, page.evaluate(script, bool(options.hash_wasm)), sep="\n")
        browser.close()
