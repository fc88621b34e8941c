"""A message in words as the record that PyTorch's structured trace has of the same event.

So both kinds of logs become facts by the same code: what a message lacks, its record lacks too.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dynamo_lab.capture.logs.messages import Message
from dynamo_lab.capture.logs.places import Place, frame_of
from dynamo_lab.capture.traces.log import Record

_GRAPHS = {
    "graph_code": "dynamo_output_graph",
    "post_grad_graphs": "inductor_post_grad_graph",
}
_OF_AOTAUTOGRAD = {
    "Forward": "aot_forward_graph",
    "Backward": "aot_backward_graph",
    "Joint": "aot_joint_graph",
}
_TITLE = re.compile(r"^ ?===== (\w+)[^\n]* =====$", re.MULTILINE)
_CLASS = re.compile(r"^.*?class (\S+)\(torch\.nn\.Module\):$", re.MULTILINE)
_REASON = re.compile(r"^\s+- (.*)$")
_STEP = re.compile(r"^(?:User stack trace:| *File \"|  )")
_AT = r"(?: (.*?)  # (\S+):(\d{1,9}) in (\S+))?"
_SYMBOL = re.compile(r"^create_symbol (\w+) = (\S+) for (\S+) (\[[^\]]*\])" + _AT)
_UNBACKED = re.compile(r"^create_unbacked_sym(?:int|float|bool) (\w+) (\[[^\]]*\])" + _AT)
_GUARDED = re.compile(r"^eval (.+?) \[guard added\]" + _AT)
_OLD_BREAK = re.compile(r"^Graph break(?:: from user code at:|: (.*?) from user code at| from )")
_RAISED = re.compile(r"^torch\._dynamo\.exc\.\w+: (.+)$", re.MULTILINE)
_COMPILED = frozenset({"guards", "output_code", "kernel_code"})
"""What is logged only of a compilation whose graph the backend has compiled."""


class Translator:
    """Makes the records of one process, in the order of its messages."""

    def __init__(self, places: Mapping[str, Place], resolve: Callable[[str], str]) -> None:
        self._places = places
        self._resolve = resolve  # PyTorch cuts paths to a length
        self._started: set[str] = set()
        self._with_graph = set[str]()
        self._again: set[str] = set()
        self._compiled: dict[str, Message] = {}

    def records(self, message: Message) -> Iterator[Record]:
        """The records of a message; none where it says nothing that is a fact."""
        compile_id, _, _ = message.head.compile_id.partition("_")
        made = list(self._of(message))
        again = [one for one in made if one.kind == "recompile_reasons"]
        yield from again  # PyTorch writes it before the compilation starts
        if compile_id and compile_id not in self._started:
            self._started.add(compile_id)
            yield from self._start(message)
        yield from (one for one in made if one.kind != "recompile_reasons")
        if message.head.name in _COMPILED and compile_id:
            self._compiled.setdefault(compile_id, message)
        for one in again:
            for earlier in re.findall(r'"(!?[\d/]+): ', one.payload):
                self._compiled.setdefault(earlier, message)

    def ends(self) -> Iterator[Record]:
        """Of each compilation that must have ended well that it did, which no message says."""
        for compile_id, message in self._compiled.items():
            data = {"has_guarded_code": True}
            yield _record(message, "compilation_metrics", data=data, compile_id=compile_id)

    def _start(self, message: Message) -> Iterator[Record]:
        place = self._places.get(frame_of(message.head.compile_id.partition("_")[0]))
        if place is None:
            place = Place("<unknown>", 1, "?", is_told=False)
        stack = [{"filename": place.path, "line": place.line, "name": place.name or "?"}]
        yield _record(message, "dynamo_start", data={"stack": stack})

    def _of(self, message: Message) -> Iterator[Record]:
        name, text, compile_id = message.head.name, message.text, message.head.compile_id
        if name in _GRAPHS or name in ("aot_graphs", "aot_joint_graph", "pre_grad_graphs"):
            yield from self._graph(message)
        elif name == "graph_breaks" and text.startswith("Graph break"):
            yield _record(message, "dynamo_graph_break_reason", payload=_modern(text))
        elif name in ("recompiles", "recompiles_verbose") and text.startswith("Recompiling"):
            reasons = list(_reasons(text))
            if reasons and compile_id not in self._again:  # both logs may have been asked for
                self._again.add(compile_id)
                yield _record(message, "recompile_reasons", payload=json.dumps(reasons))
        elif name == "guards" and "TREE_GUARD_MANAGER:" in text:
            yield _record(message, "dynamo_cpp_guards_str", payload=text)
        elif name == "output_code" and text.startswith("Output code:"):
            code = text.partition("\n")[2]
            if code.strip():
                yield _record(message, "inductor_output_code", payload=code)
        elif name == "dynamic":
            yield from self._symbols(message)
        elif "WON'T CONVERT" in text:
            yield _record(message, "dynamo_error", payload=text)

    def _symbols(self, message: Message) -> Iterator[Record]:
        for line in message.text.split("\n"):
            if found := _SYMBOL.match(line):
                data = {"symbol": found[1], "val": found[2], "source": found[3], "vr": found[4]}
                yield self._of_symbol(message, "create_symbol", data, found.groups()[4:])
            elif found := _UNBACKED.match(line):
                data = {"symbol": found[1], "vr": found[2]}
                yield self._of_symbol(message, "create_unbacked_symbol", data, found.groups()[2:])
            elif found := _GUARDED.match(line):
                data = {"expr": found[1]}
                yield self._of_symbol(message, "guard_added", data, found.groups()[1:])

    def _of_symbol(
        self, message: Message, kind: str, data: dict[str, Any], at: tuple[Any, ...]
    ) -> Record:
        """A record with the line of the program that the message ends with, if it does."""
        code, path, line, name = at
        if path is not None:
            file = self._resolve(path)
            stack = [{"filename": file, "line": int(line), "name": name, "loc": code}]
            data = {**data, "user_stack": stack}
        return _record(message, kind, data=data)

    def _graph(self, message: Message) -> Iterator[Record]:
        name, compile_id = message.head.name, message.head.compile_id
        if not message.text.startswith("TRACED GRAPH") or not _CLASS.search(message.text):
            return
        title = _TITLE.search(message.text)
        if name == "pre_grad_graphs":  # it is the captured graph, before any pass
            if compile_id in self._with_graph:
                return
            kind = "dynamo_output_graph"
        elif name in _GRAPHS:
            kind = _GRAPHS[name]
        else:
            kind = _OF_AOTAUTOGRAD.get(title[1] if title else "", "")
        if kind == "dynamo_output_graph":
            self._with_graph.add(compile_id)
        if kind:
            yield _record(message, kind, payload=_code(message.text))


def _code(text: str) -> str:
    """The graph's class; what stands before it is a title, and the file of a class of PyTorch's."""
    found = _CLASS.search(text)
    if found is None:
        return text
    return f"class {found[1]}(torch.nn.Module):{text[found.end() :]}"


def _reasons(text: str) -> Iterator[str]:
    """Each check that did not hold, with the lines that it came from."""
    reason = ""
    for line in text.split("\n")[1:]:
        found = _REASON.match(line)
        if found is None:
            continue
        if _STEP.match(found[1]) and reason:
            reason = f"{reason}\n{found[1]}"
        else:
            if reason:
                yield reason
            reason = found[1]
    if reason:
        yield reason


def _modern(text: str) -> str:
    """A break as torch 2.6 and later write it, of one that an earlier release wrote."""
    if "Graph Break Reason:" in text:
        return re.sub(r"^Graph break \([^)\n]*\)", "Graph break", text)
    if not (found := _OLD_BREAK.match(text)):
        return text
    raised = _RAISED.search(text)
    reason = found[1] or (raised[1] if raised else text.partition("\n")[0])
    way = text[found.end() :].partition("Traceback (most recent call last):")[0]
    return f"Graph Break Reason: {reason}\n\nUser code traceback:\n{way}"


def _record(
    message: Message, kind: str, data: Any = None, payload: str = "", compile_id: str = ""
) -> Record:
    head = message.head
    told: dict[str, Any] = _context(compile_id or head.compile_id)
    if head.rank is not None:
        told["rank"] = head.rank
    return Record(kind, "", data, told, payload, pid=head.pid, at=head.at, line=message.line)


def _context(compile_id: str) -> dict[str, Any]:
    """The parts of an id: "!1/0/2_1" is of compiled autograd, frame, compilation and attempt."""
    known, _, attempt = compile_id.partition("_")
    told: dict[str, Any] = {"attempt": int(attempt) if attempt.isdecimal() else 0}
    autograd, found, rest = known.partition("/") if known.startswith("!") else ("", "", known)
    if found:
        told["compiled_autograd_id"] = autograd[1:]
    frame, found, number = rest.rpartition("/")
    if found:
        told["frame_id"], told["frame_compile_id"] = frame, number
    return told
