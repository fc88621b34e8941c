"""The lines of a kernel's text: which of them compute, and for which nodes they are there."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from dynamo_lab.model.kernels import Language, Origin

Attributed = tuple[int, tuple[str, ...], Origin]
"""A statement's line, from 1, its nodes by name, and how they are known."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_ASSIGNED = re.compile(r"^(?:[\w:<>,\s*&]*?[\s*&])?([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*[-+*/|&]?=(?!=)")
_LOOP = re.compile(r"^for\s*\(\s*\w+\s+(\w+)\s*=|^for (\w+) in")
_DECLARED = re.compile(r"^[\w:<>,\s]*[\w>]\s+([A-Za-z_]\w*)(?:\[[^\]]*\])?;$")
_STARTS = {"triton": r"^def ", "metal": r"^\s*kernel void ", "cpp": r'^\s*extern "C"'}
_PLAIN = re.compile(r"^(?:int |auto )?([A-Za-z_]\w*)(?:: [\w.]+)? = ")
_BARE = re.compile(r"^[{}();\s]*$|^(else|pass|continue|break)[:;{\s]*$|.*\binductor_cpu_\w*error")
_COMMENT = ("//", "#", "/*", "@", '"""')


def attributed(
    code: str, language: Language, emitted: Sequence[tuple[str, str]]
) -> list[Attributed]:
    """The statements of a kernel, each with the nodes it is there for.

    A statement is a line of the kernel's body that computes, declares or directs: not the
    signature, a brace, a comment or a directive, nor what stands in every kernel for Inductor's
    own bookkeeping, or defines a variable that nothing reads. One that was `emitted` for nodes has
    these; all others, such as heads of loops and indices, serve the statements that read what they
    define, else those in their block, else those that define what they read.
    """
    lines = code.split("\n")
    numbers = [number for number in _body(lines, language) if not _is_bare(lines[number])]
    numbers = _read(numbers, lines, {text.strip() for text, _ in emitted})
    own = _matched([lines[number].strip() for number in numbers], emitted)
    served = _served([lines[number] for number in numbers], own)
    return [
        (number + 1, tuple(nodes or more), "emitted" if nodes else "serves" if more else "unknown")
        for number, nodes, more in zip(numbers, own, served, strict=True)
    ]


def _body(lines: Sequence[str], language: Language) -> Iterator[int]:
    """The indices of the lines inside functions; a signature ends with the line that opens it."""
    start = re.compile(_STARTS.get(language, r"^$"))
    opens = ":" if language == "triton" else "{"
    is_inside = is_signature = False
    for number, line in enumerate(lines):
        if start.match(line):
            is_inside = is_signature = True
        if is_signature:
            is_signature = not line.rstrip().endswith(opens)
        elif is_inside:
            yield number


def _is_bare(line: str) -> bool:
    text = line.strip()
    return not text or text.startswith(_COMMENT) or bool(_BARE.match(text))


def _read(numbers: list[int], lines: Sequence[str], emitted: set[str]) -> list[int]:
    """Without the lines that only define a variable that no other of them reads."""
    while True:
        words = [set(_WORD.findall(lines[number])) for number in numbers]
        uses: dict[str, int] = defaultdict(int)
        for line in words:
            for word in line:
                uses[word] += 1
        kept = [
            number
            for number in numbers
            if (text := lines[number].strip()) in emitted
            or not (match := _PLAIN.match(text))
            or uses[match[1]] > 1
        ]
        if len(kept) == len(numbers):
            return numbers
        numbers = kept


def _matched(texts: Sequence[str], emitted: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The nodes that each text was emitted for.

    The same text may have been emitted for several nodes, in other loops: then in order, if it
    stands there as often, else it belongs to all of them.
    """
    nodes: dict[str, list[str]] = defaultdict(list)
    for text, node in emitted:
        nodes[text.strip()].append(node)
    times: dict[str, int] = defaultdict(int)
    for text in texts:
        times[text] += 1
    seen: dict[str, int] = defaultdict(int)
    found: list[tuple[str, ...]] = []
    for text in texts:
        made = nodes.get(text, [])
        if len(made) == times[text]:
            found.append((made[seen[text]],))
        else:
            found.append(tuple(dict.fromkeys(made)))
        seen[text] += 1
    return found


def _served(lines: Sequence[str], own: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """For each line that has no node of its own, those of the lines that it serves."""
    words = [set(_WORD.findall(line)) for line in lines]
    defined = [_defined(line.strip()) for line in lines]
    found: list[dict[str, None]] = [dict.fromkeys(nodes) for nodes in own]
    for _ in range(3):  # what serves what serves a statement
        for at in reversed(range(len(lines))):
            if not own[at]:
                for other in _read_by(at, defined[at], words):
                    found[at].update(found[other])
                for other in _block(at, lines):
                    found[at].update(found[other])
    by_name: dict[str, dict[str, None]] = defaultdict(dict)
    for at in range(len(lines)):
        if not found[at]:
            for word in words[at]:
                found[at].update(by_name.get(word, {}))
        if defined[at]:
            by_name[defined[at]].update(found[at])
    return [tuple(nodes) for nodes in found]


def _defined(text: str) -> str:
    """The variable that a line defines or changes; '' where it defines none."""
    match = _LOOP.match(text) or _ASSIGNED.match(text) or _DECLARED.match(text)
    return "" if match is None else next((g for g in match.groups() if g), "")


def _read_by(at: int, name: str, words: Sequence[set[str]]) -> Iterator[int]:
    """The lines that name a variable, other than the one that defines it."""
    if name:
        yield from (i for i, line in enumerate(words) if i != at and name in line)


def _block(at: int, lines: Sequence[str]) -> Iterator[int]:
    """The lines that stand deeper than this one, right after it."""
    depth = _depth(lines[at])
    for index in range(at + 1, len(lines)):
        if _depth(lines[index]) <= depth:
            return
        yield index


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
