"""Answers cases by libtorrent, botocore and moto's S3: a line of JSON each on stdin and stdout."""

import json
import os
import sys


def bittorrent_v2(folder, piece_bytes):
    """Returns the pieces root (if there is one) and piece layers of each file of the folder."""
    import libtorrent

    kind = libtorrent.create_torrent
    torrent = kind(libtorrent.list_files(os.path.abspath(folder)), piece_bytes, kind.v2_only)
    libtorrent.set_piece_hashes(torrent, os.path.dirname(os.path.abspath(folder)))
    torrent = torrent.generate()
    assert torrent[b"info"][b"piece length"] == piece_bytes
    roots = {name.decode(): entry[b""].get(b"pieces root") for name, entry in torrent[b"info"][b"file tree"].items()}
    layers = torrent.get(b"piece layers", {})
    return {name: [root and root.hex(), layers.get(root, b"").hex()] for name, root in roots.items()}


def glacier(paths):
    from botocore.utils import calculate_tree_hash

    def tree_hash(path):
        with open(path, "rb") as body:
            return calculate_tree_hash(body)

    return [tree_hash(path) for path in paths]


def s3(paths, part_bytes):
    """Uploads each file in parts to moto's S3.

    Returns the ETag, and the composite checksums of two algorithms without the number of parts.
    """
    os.environ.update(AWS_ACCESS_KEY_ID="none", AWS_SECRET_ACCESS_KEY="none", AWS_DEFAULT_REGION="us-east-1", S3_UPLOAD_PART_MIN_SIZE="1")
    import boto3
    import moto

    def upload(client, path, checksum):
        place = {"Bucket": "bucket", "Key": "key"}
        place["UploadId"] = client.create_multipart_upload(**place, ChecksumAlgorithm=checksum)["UploadId"]
        parts = []
        with open(path, "rb") as file:
            while (body := file.read(part_bytes)) or not parts:
                number = len(parts) + 1
                part = client.upload_part(**place, PartNumber=number, Body=body, ChecksumAlgorithm=checksum)
                parts.append({"PartNumber": number, "ETag": part["ETag"], f"Checksum{checksum}": part[f"Checksum{checksum}"]})
        client.complete_multipart_upload(**place, MultipartUpload={"Parts": parts})
        head = client.head_object(Bucket="bucket", Key="key", ChecksumMode="ENABLED")
        return head["ETag"].strip('"'), head[f"Checksum{checksum}"]

    with moto.mock_aws():
        client = boto3.client("s3")
        client.create_bucket(Bucket="bucket")
        answers = []
        for path in paths:
            (etag, sha1), (_, sha256) = (upload(client, path, checksum) for checksum in ("SHA1", "SHA256"))
            answers.append([etag, sha1, sha256])
        return answers


MODES = {"bittorrent-v2": bittorrent_v2, "glacier": glacier, "s3": s3}

for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps(MODES[case.pop("mode")](**case)))
