"""Triton kernels in the trace format of tritonparse: a line of JSON for each compilation.

The format: `compilation.schema.json` of the package `tritonparse`. What it says about a kernel's
launches, and of the call stack that compiled it, is not in a recording.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from dynamo_lab.model import targets
from dynamo_lab.model.assembly import Assembly, Level
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.recording import Recording

_EXTENSIONS = {
    "TTIR": "ttir",
    "TTGIR": "ttgir",
    "LLVM IR": "llir",
    "PTX": "ptx",
    "AMDGCN": "amdgcn",
    "SASS": "sass",
}
_COMMENTS = {"PTX": "//", "AMDGCN": ";"}
_DEFAULT_CREATED = "1970-01-01T00:00:00+00:00"


def events(recording: Recording) -> Iterator[dict[str, Any]]:
    """A compilation for each assembled Triton kernel, ready for JSON."""
    created = recording.environment.created or _DEFAULT_CREATED
    for made in recording.assemblies:
        kernel = recording.kernels[made.kernel]
        if kernel.language == "triton":
            yield {
                "event_type": "compilation",
                "pid": 0,
                "timestamp": created,
                "stack": [],
                "payload": _payload(recording, kernel, made),
            }


def _payload(recording: Recording, kernel: Kernel, made: Assembly) -> dict[str, Any]:
    name = re.sub(r"\W", "_", kernel.name) or "kernel"
    path = f"{name}.py"
    compile_id = "" if kernel.graph is None else recording.graphs[kernel.graph].compile_id
    return {
        "metadata": _metadata(recording, kernel, made),
        "file_content": {
            f"{name}.{_EXTENSIONS[level.name]}": _with_places(level, path)
            for level in made.levels
            if level.name in _EXTENSIONS
        },
        "file_path": {},
        "python_source": {
            "file_path": path,
            "start_line": 1,
            "end_line": kernel.code.count("\n") + 1,
            "code": kernel.code,
        },
        "pt_info": _pt_info(compile_id),
    }


def _metadata(recording: Recording, kernel: Kernel, made: Assembly) -> dict[str, Any]:
    target = targets.parse(made.target)
    is_amd = target is not None and target.kind == "rocm"
    warp = target.chip.warp if target is not None and target.chip else 32
    digest = hashlib.sha256(f"{made.target}\0{made.chosen}\0{kernel.code}".encode(errors="replace"))
    known = {
        "hash": digest.hexdigest(),
        "name": kernel.name,
        "backend_name": "hip" if is_amd else "cuda",
        "arch": made.target.partition(":")[2].replace("sm_", "sm"),
        "triton_version": recording.environment.triton,
        "num_warps": made.resources.threads // warp if made.resources.threads else None,
        "shared": made.resources.shared,
    }
    return {key: value for key, value in known.items() if value is not None}


def _pt_info(compile_id: str) -> dict[str, int]:
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", compile_id)
    return {"frame_id": int(found[1]), "frame_compile_id": int(found[2])} if found else {}


def _with_places(level: Level, path: str) -> str:
    """The text with the source location of each line, in the syntax of the level.

    A recording holds the text without them, and a separate mapping of lines.
    """
    lines = dict(level.lines)
    if level.name in ("TTIR", "TTGIR"):
        return _with_locs(level.text.split("\n"), lines, path)
    if level.name in _COMMENTS:
        return _with_directives(level.text.split("\n"), lines, path, _COMMENTS[level.name])
    return level.text


def _with_locs(text: list[str], lines: dict[int, int], path: str) -> str:
    used = sorted(set(lines.values()))
    numbers = {line: number for number, line in enumerate(used, 1)}
    body = [
        f"{row} loc(#loc{numbers[lines[at]]})" if at in lines else row
        for at, row in enumerate(text, 1)
    ]
    defined = [f'#loc{number} = loc("{path}":{line}:0)' for line, number in numbers.items()]
    return "\n".join([*body, *defined])


def _with_directives(text: list[str], lines: dict[int, int], path: str, comment: str) -> str:
    body: list[str] = []
    before = None
    for at, row in enumerate(text, 1):
        line = lines.get(at)
        if line is not None and line != before:
            body.append(f"\t.loc\t1 {line} 0 {comment} {path}:{line}:0")
            before = line
        body.append(row)
    if not lines:
        return "\n".join(body)
    begin, end = f"{comment} -- Begin function", f"{comment} -- End function"  # as LLVM writes them
    return "\n".join([f'\t.file\t1 "{path}"', begin, *body, end])
