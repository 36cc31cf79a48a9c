"""Makes a cache and a folder of downloaded files by huggingface_hub's own code, from a hub of our own that serves a model on the loopback.

    hub.py CACHE LOCAL

The model has a small file, one in a folder, and two files of Git LFS, which `safetensors` writes, with their index. There are two
commits, which differ in the small file.
"""

import hashlib
import http.server
import json
import logging
import os
import sys
import threading

import numpy
import safetensors.numpy

cache, local = sys.argv[1:]
COMMITS = {"first": "1" * 40, "main": "2" * 40}
FILES = {"config.json": b'{"layers": 2}\n', "tokenizer/vocabulary.txt": b"a\nb\n" * 1000}
for number, name in enumerate("ab", 1):
    tensor = numpy.full((100, 300), number, dtype=numpy.float32)
    FILES[f"model-{number:05}-of-00002.safetensors"] = safetensors.numpy.save({name: tensor}, {"format": "pt"})
WEIGHTS = {name: f"model-{number:05}-of-00002.safetensors" for number, name in enumerate("ab", 1)}
FILES["model.safetensors.index.json"] = json.dumps({"metadata": {"total_size": 240_000}, "weight_map": WEIGHTS}).encode()


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self, has_body=True):
        _, _, _, revision, name = self.path.split("?")[0].lstrip("/").split("/", 4)
        content = FILES[name] + (b"older" if revision in ("first", COMMITS["first"]) and name == "config.json" else b"")
        is_large = name.endswith(".safetensors")
        etag = hashlib.sha256(content) if is_large else hashlib.sha1(b"blob %d\0" % len(content) + content)
        self.send_response(200)
        self.send_header("X-Repo-Commit", COMMITS.get(revision, revision))
        self.send_header("ETag", f'"{etag.hexdigest()}"')
        if is_large:
            self.send_header("X-Linked-ETag", f'"{etag.hexdigest()}"')
            self.send_header("X-Linked-Size", str(len(content)))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if has_body:
            self.wfile.write(content)

    def do_HEAD(self):
        self.do_GET(has_body=False)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ.update(
    HF_ENDPOINT=f"http://127.0.0.1:{server.server_port}", HF_HUB_DISABLE_TELEMETRY="1", HF_HUB_DISABLE_PROGRESS_BARS="1", HF_HUB_DISABLE_XET="1"
)
os.environ.update(NO_PROXY="127.0.0.1", no_proxy="127.0.0.1")

import huggingface_hub  # noqa: E402 - it reads the environment

logging.disable()
for name in FILES:
    for revision in COMMITS:
        huggingface_hub.hf_hub_download("org/model", name, revision=revision, cache_dir=cache)
    huggingface_hub.hf_hub_download("org/model", name, local_dir=local)
found = huggingface_hub.scan_cache_dir(cache)
assert not found.warnings and len(found.repos) == 1 and len(next(iter(found.repos)).revisions) == 2, found
os._exit(0)
