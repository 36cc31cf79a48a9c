"""The page in a headless Chromium, beside `sha256sum`: folders that are dropped, files that are chosen, lists that are pasted.

It wants `target/page` (scripts/npm-package), Chromium, and Playwright (tests/requirements.txt).
`page_test.py --screenshot FILE` also takes a picture of the page as wide as a phone.
"""

import argparse
import functools
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "target" / "page"
CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
PHONE = {"width": 390, "height": 844}
SCREENSHOT = None

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript"}

    def log_message(self, *_):
        pass


def missing():
    if sync_playwright is None:
        return "no Playwright"
    if CHROMIUM is None:
        return "no Chromium"
    return None if (PAGE / "manyhash_bg.wasm").exists() else f"no {PAGE}: scripts/npm-package makes it"


def make_tree(folder):
    """Files of all sizes that the page tells apart, and names that lists must escape."""
    (folder / "deep" / "er").mkdir(parents=True)
    for i in range(700):
        (folder / "deep" / f"{i:03}.bin").write_bytes(os.urandom(i * 7 % 3000))
    for name in ["empty", "with space", "ü", "back\\slash", "new\nline", "deep/er/a"]:
        (folder / name).write_bytes(name.encode() if name != "empty" else b"")
    (folder / "large").write_bytes(os.urandom((9 << 20) + 1))
    (folder / "a page").write_bytes(os.urandom(1 << 20))


def sums(above, folder):
    paths = sorted(os.path.relpath(os.path.join(at, name), above) for at, _, names in os.walk(folder) for name in names)
    paths.sort(key=os.fsencode)
    return subprocess.run(["sha256sum", "--", *paths], cwd=above, check=True, capture_output=True, text=True).stdout


@unittest.skipIf(missing() and not os.environ.get("CI"), f"SKIPPED: {missing()}")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        assert missing() is None, missing()
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(PAGE)))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.temporary = tempfile.TemporaryDirectory()
        cls.above = pathlib.Path(cls.temporary.name)
        cls.folder = cls.above / "folder"
        make_tree(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.server.shutdown()
        cls.server.server_close()
        cls.temporary.cleanup()

    def setUp(self):
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        self.context = self.browser.new_context(viewport=PHONE, accept_downloads=True)
        self.addCleanup(self.context.close)
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(self.address, wait_until="networkidle")
        self.at_start = len(self.requests)

    def tearDown(self):
        self.assertEqual(self.complaints, [])
        # Its own parts are all that it ever asks for, and by then it has them. The list that is saved is no request.
        self.assertEqual([url for url in self.requests if not url.startswith((self.address, "blob:", "data:"))], [])
        self.assertEqual([url for url in self.requests[self.at_start :] if not url.startswith(("blob:", "data:"))], [])
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        self.assertLessEqual(wide, PHONE["width"], "the page is wider than a phone")

    def drop(self, path, selector="#drop"):
        box = self.page.locator(selector).bounding_box()
        session = self.context.new_cdp_session(self.page)
        for kind in ["dragEnter", "dragOver", "drop"]:
            session.send(
                "Input.dispatchDragEvent",
                {
                    "type": kind,
                    "x": box["x"] + box["width"] / 2,
                    "y": box["y"] + 10,
                    "data": {"items": [], "files": [str(path)], "dragOperationsMask": 1},
                },
            )

    def wait(self):
        self.page.wait_for_selector("body[data-state=done]", timeout=60_000)
        return self.page.locator("#summary").inner_text()

    def saved(self):
        with self.page.expect_download() as download:
            self.page.click("#save")
        return pathlib.Path(download.value.path()).read_text()

    def test_a_dropped_folder_is_what_sha256sum_says(self):
        self.drop(self.folder)
        self.assertIn("708 files", self.wait())
        self.assertEqual(self.saved(), sums(self.above, self.folder))
        self.assertEqual(self.page.locator("#lines li").count(), 708)

    def test_chosen_files(self):
        chosen = [self.folder / "large", self.folder / "empty", self.folder / "with space"]
        self.page.set_input_files("#files", chosen)
        self.assertIn("3 files", self.wait())
        expected = subprocess.run(["sha256sum", "--", *sorted(path.name for path in chosen)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(self.saved(), expected.stdout)
        self.page.click("#clear")
        self.assertEqual(self.page.locator("#summary").inner_text(), "No files yet.")
        self.page.set_input_files("#files", chosen[:1])
        self.assertIn("1 file ·", self.wait())

    def test_clear_ends_what_is_being_read(self):
        with open(self.above / "huge", "wb") as file:
            file.truncate(50 << 30)
        self.addCleanup((self.above / "huge").unlink)
        self.drop(self.above / "huge")
        self.page.wait_for_function("document.getElementById('progress').value > 0")
        self.page.click("#clear")
        self.assertEqual(self.page.locator("#summary").inner_text(), "No files yet.")
        self.page.set_input_files("#files", [self.folder / "empty"])
        self.assertIn("1 file ·", self.wait())
        # The worker that took the place of the one that was ended loads the page's parts again.
        self.at_start = len(self.requests)

    def test_a_chosen_folder(self):
        self.page.set_input_files("#folder", self.folder)
        self.wait()
        # Chromium itself takes a backslash in the path of a chosen folder's file for a separator.
        theirs = sorted(sums(self.above, self.folder).replace("\\back\\\\slash", "back/slash").splitlines())
        ours = self.saved().splitlines()
        differing = set(theirs).symmetric_difference(ours)
        self.assertEqual({line.split("  ")[1] for line in differing}, {"folder/back/slash", "folder/back\\\\slash"})

    def test_a_list_is_ticked_off(self):
        # As it is made inside of the folder; one digest is wrong, one file is missing, and one is not in the list.
        lines = sums(self.folder, self.folder).splitlines(keepends=True)
        wrong = next(i for i, line in enumerate(lines) if line.endswith("  deep/007.bin\n"))
        lines[wrong] = ("1" if lines[wrong][0] == "0" else "0") + lines[wrong][1:]
        lines = [line for line in lines if not line.endswith("  empty\n")] + [f"{'a' * 64}  gone\n", "what is this?\n"]
        self.drop(self.folder)
        self.wait()
        self.page.click("summary")
        self.page.fill("#list", "".join(lines))
        self.page.wait_for_selector("#missing li")
        summary = self.page.locator("#summary").inner_text()
        for part in ["706 OK", "1 FAILED", "1 not in the list", "1 missing"]:
            self.assertIn(part, summary)
        self.assertIn("deep/007.bin", self.page.locator("#lines li.failed").text_content())
        self.assertIn("gone", self.page.locator("#missing li").text_content())
        self.assertIn("line 709: not a line of sha256sum", self.page.locator("#list-faults").inner_text())

    def test_a_list_may_come_first_and_be_dropped(self):
        (self.above / "SHA256SUMS").write_text(sums(self.above, self.folder))
        self.page.click("summary")
        self.drop(self.above / "SHA256SUMS", "#list")
        while self.page.locator("#list").input_value() == "":
            self.page.wait_for_timeout(20)
        self.drop(self.folder)
        summary = self.wait()
        self.assertIn("708 OK", summary)
        self.assertIsNone(re.search("FAILED|missing|not in", summary))
        if SCREENSHOT:
            self.page.screenshot(path=SCREENSHOT)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--screenshot")
    known, rest = arguments.parse_known_args()
    SCREENSHOT = known.screenshot
    unittest.main(argv=[sys.argv[0], *rest])
