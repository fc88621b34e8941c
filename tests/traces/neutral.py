"""Makes a log fit to be kept as test data: no paths of a machine, and short.

    python tests/traces/neutral.py LOG OUT.log.gz FROM=TO ...

Texts FROM become TO. Lists of what a cache key was made of and settings in metrics, which take most
of a log and mean nothing to us, are cut to a few characters; of records that come again and again
the first few are kept, and of phases the outer ones. Hashes are made anew.
"""

import gzip
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path

_KEPT = 80
_OFTEN = 3
_REPEATED = (
    "fx_graph_runnable", "torch._functorch.config", "before_pre_grad_graph", "before_joint_graph",
    "after_joint_graph", "before_post_grad_graph", "aot_forward_graph_fw_metadata",
    "runtime_wrapper_orchestration", "fx_graph_cache_miss", "aotautograd_cache_miss",
)  # fmt: skip
_PHASES = (
    "dynamo", "entire_frame_compile", "backend_compile", "inductor_compile", "code_gen",
    "entire_backward_compile", "build_guards", "bytecode_tracing", "async_compile.wait",
)  # fmt: skip
_seen = Counter[str]()


def main(source: str, out: str, *changes: str) -> None:
    """Rewrite one log."""
    swaps = [tuple(change.split("=", 1)) for change in changes]
    made: list[str] = []
    head, payload = "", list[str]()
    for line in Path(source).read_text(encoding="utf-8").split("\n"):
        if line.startswith("\t"):
            payload.append(line[1:])
            continue
        made += _record(head, payload, swaps)
        head, payload = line, []
    made += _record(head, payload, swaps)
    data = ("\n".join(made) + "\n").encode()
    Path(out).write_bytes(gzip.compress(data, 9, mtime=0))


def _record(head: str, payload: list[str], swaps: list[tuple[str, ...]]) -> list[str]:
    if not head:
        return []
    before, _, metadata = head.partition("] ")
    told = json.loads(metadata)
    if _is_too_much(told, payload):
        return []
    text = _shortened("\n".join(payload))
    for old, new in swaps:
        text = text.replace(old, new)
    told = json.loads(_swapped(json.dumps(_without_settings(told)), swaps))
    if payload:
        told["has_payload"] = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return [
        f"{before}] {json.dumps(told)}",
        *([f"\t{row}" for row in text.split("\n")] if payload else []),
    ]


def _is_too_much(told: dict, payload: list[str]) -> bool:
    if "chromium_event" in told:
        return json.loads("\n".join(payload)).get("name") not in _PHASES
    name = told.get("artifact", {}).get("name", "")
    _seen[name] += 1
    return name in _REPEATED and _seen[name] > _OFTEN


def _swapped(text: str, swaps: list[tuple[str, ...]]) -> str:
    for old, new in swaps:
        text = text.replace(old, new)
    return text


def _without_settings(told: dict) -> dict:
    return {
        key: _short_values(value) if isinstance(value, dict) else value
        for key, value in told.items()
    }


def _short_values(data: dict) -> dict:
    return {
        key: f"{value[:_KEPT]}..."
        if key.endswith(("_config", "components")) and isinstance(value, str)
        else value
        for key, value in data.items()
    }


def _shortened(text: str) -> str:
    """The payload without what is long and means nothing, else as PyTorch writes it."""
    try:
        told = json.loads(text)
    except ValueError:
        return text
    if not isinstance(told, dict):
        return text
    if "ph" in told:  # a phase, whose end repeats all metrics
        told["args"] = {k: v for k, v in told.get("args", {}).items() if k == "compile_id"}
    elif not ({"components", "key"} & set(told)):
        return text
    told = {k: ([] if k == "components" else v) for k, v in told.items()}
    return json.dumps(told, indent=0 if text.startswith("{\n") else None)


if __name__ == "__main__":
    main(*sys.argv[1:])
