"""Readable names for frames and operators."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from dynamo_lab.model.frames import Frame
from dynamo_lab.model.graphs import NodeTable
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.resumptions import told_apart

_NAMESPACES = {"aten", "prims", "higher_order", "inductor", "inductor_prims", "prim"}
_OVERLOADS = {"default", "Tensor", "Scalar", "out"}


# Usual names for the function that a decorator puts around another.
_WRAPPERS = frozenset({"inner", "inner_wrapper", "wrapped", "wrapped_fn", "wrapper"})


def frame_names(recording: Recording) -> tuple[str, ...]:
    """Each frame's name; one that resumes another is named after it: 'f after line 4'.

    Of several after one line, each says which it is: 'f after line 4: y.item()'. Where only a
    decorator's wrapper was compiled, it has the name of what it wraps.
    """
    frames = recording.frames
    root = single_root(recording)
    named = {}
    if root is not None and names_code(recording.title) and short_name(root.name) in _WRAPPERS:
        named = {root.id: recording.title}
    named = _apart(recording) | named
    begun = origins(frames)
    names = [_frame_name(frame, frames[begun[frame.id]], named) for frame in frames]
    for frame, added in told_apart(recording, names):
        names[frame] += added
    return tuple(names)


def _apart(recording: Recording) -> dict[int, str]:
    """The names of functions that share one, as in a log, which tells no classes: with their line.

    On one line, as of PyTorch's modules, which it compiles through one function of its own, with
    what they were made with, or else their number. Functions of libraries that were skipped are not
    told apart: nobody asks for them.
    """
    places = defaultdict[str, dict[tuple[int, int], list[int]]](lambda: defaultdict(list))
    for frame in recording.frames:
        if frame.resumes is None and is_own(recording, frame):
            span = recording.spans[frame.span]
            places[short_name(frame.name)][span.source, span.line].append(frame.id)
    found = dict[int, str]()
    for name, at in places.items():
        if name == "cell":
            continue
        for (_, line), ids in at.items():
            placed = f"{name} (line {line})" if len(at) > 1 else name
            found |= _numbered(recording, placed, ids) if len(ids) > 1 else {ids[0]: placed}
    return found


def _numbered(recording: Recording, name: str, ids: Sequence[int]) -> dict[int, str]:
    """The names of frames that share one and its line."""
    details = [recording.frames[frame].details for frame in ids]
    if all(details) and len(set(details)) == len(ids):
        return {frame: f"{name}({told})" for frame, told in zip(ids, details, strict=True)}
    return {frame: f"{name} ({at} of {len(ids)})" for at, frame in enumerate(ids, 1)}


def single_root(recording: Recording) -> Frame | None:
    """The only frame that matters, resumptions aside; None where there are several."""
    roots = [f for f in recording.frames if f.resumes is None and is_own(recording, f)]
    return roots[0] if len(roots) == 1 else None


def is_own(recording: Recording, frame: Frame) -> bool:
    """Whether the frame matters to the user: skipped library frames do not."""
    source = recording.sources[recording.spans[frame.span].source]
    return frame.outcome != "skipped" or source.kind != "library"


def names_code(title: str) -> bool:
    """Whether a recording's title names a function or a class, not a block or a script."""
    return title.isidentifier() and title != "recording"


def _frame_name(frame: Frame, origin: Frame, named: dict[int, str]) -> str:
    if origin is frame or frame.resumed_line is None:
        return named.get(frame.id) or short_name(frame.name)
    return f"{named.get(origin.id) or short_name(origin.name)} after line {frame.resumed_line}"


def short_name(name: str) -> str:
    """'wrapper' for "decorate.<locals>.wrapper"; a cell's own statements are 'cell'."""
    name = name.rpartition("<locals>.")[2] or name
    return "cell" if name in ("<module>", "<cell>") else name


def origins(frames: Sequence[Frame]) -> tuple[int, ...]:
    """The frame that each one is a rest of, over all resumptions; itself where it resumes none."""
    return tuple(origin for origin, _ in _resumptions(frames))


def depths(frames: Sequence[Frame]) -> tuple[int, ...]:
    """How many resumptions deep each frame is."""
    return tuple(depth for _, depth in _resumptions(frames))


def _resumptions(frames: Sequence[Frame]) -> list[tuple[int, int]]:
    """The origin and the depth of each frame; a file may name a circle, which begins somewhere.

    Each frame is looked at once: a loop that breaks makes a chain of thousands.
    """
    known = dict[int, tuple[int, int]]()
    for frame in frames:
        way, at = list[int](), frame
        while at.id not in known:
            known[at.id] = at.id, 0
            way.append(at.id)
            if at.resumes is None:
                break
            at = frames[at.resumes]
        origin, depth = known[at.id]
        for further, one in enumerate(reversed(way), 0 if way[-1:] == [at.id] else 1):
            known[one] = origin, depth + further
    return [known[frame.id] for frame in frames]


_RESUMED = re.compile(r"^torch_dynamo_resume_in_(.+)_at_(\d+)$")


def code_name(name: str) -> str:
    """The same of code by its own name: 'step after line 7' for what resumes after a break."""
    return _RESUMED.sub(r"\1 after line \2", short_name(name))


@lru_cache(4096)  # a recording asks for the same few names, for each node again
def operator_name(target: str) -> str:
    """'gelu' for 'aten.gelu.default', 'torch.nn.functional.gelu' and 'gelu' alike."""
    parts = target.removeprefix("torch.ops.").split(".")
    is_overload = len(parts) == 3 and (target.startswith("torch.ops.") or parts[2] in _OVERLOADS)
    if len(parts) > 1 and (parts[0] in _NAMESPACES or is_overload):
        return parts[1]
    return re.sub(r"^<built-in (?:function|method) (\w+).*>$", r"\1", parts[-1] or target)


_CUSTOM = re.compile(r"^(\w+)\.(\w+)\.\w+$")
_OF_PYTORCH = _NAMESPACES | {
    *("_c10d_functional", "_quantized", "c10d", "fsdp", "math", "mkldnn", "mkl", "onednn"),
    *("operator", "profiler", "quantized", "quantized_decomposed", "rngprims", "streams", "torch"),
}


def custom_operators(recording: Recording) -> tuple[str, ...]:
    """The operators in the graphs that are not PyTorch's: 'mylib::foo'."""
    found = dict[str, None]()
    for graph in recording.graphs:
        table = graph.nodes
        calls = zip(table.op, table.target, strict=True)
        called = {what for op, what in calls if table.strings[op] == "call_function"}
        for at in sorted(called):
            part = _CUSTOM.match(table.strings[at])
            if part and part[1] not in _OF_PYTORCH:
                found[f"{part[1]}::{part[2]}"] = None
    return tuple(found)


def calls_of(recording: Recording, operator: str) -> tuple[tuple[int, int], ...]:
    """The nodes that call an operator ("mylib::foo"), as pairs of a graph and an index."""
    prefix = operator.replace("::", ".") + "."
    found: list[tuple[int, int]] = []
    for graph in recording.graphs:
        table = graph.nodes
        called = {at for at, name in enumerate(table.strings) if name.startswith(prefix)}
        found += [(graph.id, node) for node, at in enumerate(table.target) if at in called]
    return tuple(found)


_LOCAL = re.compile(r"^[lg]_(?!stack\d)(.+?)_?$")  # what a break left has no name in the program
_MEMBER = re.compile(r"(?:_dict)?_(?:modules|parameters|buffers)_")


def plain_input(name: str) -> str:
    """Dynamo's name of an input as written in code: 'l_self_modules_lin_parameters_weight_'."""
    local = _LOCAL.match(name)
    return _MEMBER.sub(".", local[1]) if local else name


def input_name(table: NodeTable, node: int) -> str:
    """An input of a captured graph as written in code: "net.0.weight", "parts['head'].bias"."""
    return table.sources.get(node) or plain_input(table.name[node])


def kernel_base(name: str) -> str:
    """A kernel's name without its counter."""
    return re.sub(r"_\d+$", "", name)
