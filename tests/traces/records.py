"""Records as PyTorch writes them, made here, and the recording of a log of them."""

import hashlib
import json

from tests.traces.committed import one


def line(metadata, payload=None, pid=7, digest=None):
    if payload is not None:
        made = hashlib.md5(payload.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        metadata = {**metadata, "has_payload": digest or made}
    head = f"V1121 12:00:00.000000 {pid} torch/_x.py:1] {json.dumps(metadata)}\n"
    rows = [] if payload is None else [f"\t{row}\n" for row in payload.split("\n")]
    return head + "".join(rows)


def opened(tmp_path, *lines, **options):
    (tmp_path / "a.log").write_text("".join(lines), encoding="utf-8", errors="surrogatepass")
    return one(tmp_path, **options)


START = {
    "dynamo_start": {"stack": [{"line": 3, "name": "f", "filename": 0, "loc": "y = x"}]},
    "frame_id": 0,
    "frame_compile_id": 0,
    "attempt": 0,
}
TABLE = line({"str": ["/home/user/f.py", 0]})
CONTEXT = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}
