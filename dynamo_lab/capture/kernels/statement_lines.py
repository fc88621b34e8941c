"""The lines of a kernel's text: which of them compute, and which nodes they implement."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dynamo_lab.model.kernels import Language, Origin

Attributed = tuple[int, tuple[str, ...], Origin]
"""A statement's line, from 1, its nodes by name, and how they are known."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_ASSIGNED = re.compile(r"^[^=()]*?\b([A-Za-z_]\w*)(?:\[[^=]*\])?(?:: [\w.]+)?\s*[-+*/|&]?=(?!=)")
_LOOP = re.compile(r"^for\s*\(\s*\w+\s+(\w+)\s*=|^for (\w+) in")
_DECLARED = re.compile(r"^[\w:<>,\s]*[\w>]\s+([A-Za-z_]\w*)(?:\[[^\]]*\])?;$")
_STARTS = {"triton": r"^def ", "metal": r"^\s*kernel void ", "cpp": r'^\s*extern "C"'}
_FUNCTION = re.compile(r"^def (\w+)\(")
_PLAIN = re.compile(r"^(?:int |auto )?([A-Za-z_]\w*)(?:: [\w.]+)? = ")
_BARE = re.compile(r"^[{}();\s]*$|^(else|pass|continue|break)[:;{\s]*$|.*\binductor_cpu_\w*error")
_COMMENT = ("//", "#", "/*", "@", '"""')


def attributed(
    code: str,
    language: Language,
    emitted: Sequence[tuple[str, str]],
    stamped: Sequence[Iterable[str]] | None = None,
    template: Sequence[str] = (),
) -> list[Attributed]:
    """The statements of a kernel, each with the nodes it is there for.

    A statement is a line of the kernel's body that computes, declares or directs: not the
    signature, a brace, a comment or a directive, nor what stands in every kernel for Inductor's
    own bookkeeping, or defines a variable that nothing reads. One that was `emitted` for nodes has
    these: those `stamped` on each line of the kernel, or where its lines are not known one by one,
    those of lines with the same text. What a `template` brought belongs to the template's nodes.
    All others, such as heads of loops and indices, serve the statements in their block, those that
    read what they define while it can be read, or else those that define what they read.
    """
    lines = code.split("\n")
    numbers = [number for number in _body(lines, language) if not _is_bare(lines[number])]
    made = {text.strip() for text, _ in emitted}
    numbers = _read(numbers, lines, made)
    if stamped is None:
        own = _matched([lines[number].strip() for number in numbers], emitted)
    else:
        own = [tuple(stamped[number]) for number in numbers]
    own = [nodes or tuple(template) for nodes in own]
    by_line = dict(zip(numbers, own, strict=True))
    by_line.update(_of_callers(lines, by_line))
    served = _served(lines, by_line)
    return [
        (number + 1, more, "emitted" if nodes else "serves" if more else "unknown")
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
            continue
        if language == "triton" and line[:1].strip(" #"):  # at the margin the function is over
            is_inside = False
        if is_inside:
            yield number


def _is_bare(line: str) -> bool:
    text = line.strip()
    return not text or text.startswith(_COMMENT) or bool(_BARE.match(text))


def _read(numbers: list[int], lines: Sequence[str], emitted: set[str]) -> list[int]:
    """Without the lines that only define a variable that no other of them reads."""
    while True:
        uses: dict[str, int] = defaultdict(int)
        for number in numbers:
            text = lines[number].strip()
            words = _WORD.findall(text)
            name = _defined(text)
            for word in set(words):
                uses[word] += word != name or words.count(word) > 1
        kept = [
            number
            for number in numbers
            if (text := lines[number].strip()) in emitted
            or not (match := _PLAIN.match(text))
            or uses[match[1]]
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


def _of_callers(
    lines: Sequence[str], own: Mapping[int, tuple[str, ...]]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """For the statements of each function that others name, the nodes of those."""
    names = {at: match[1] for at, line in enumerate(lines) if (match := _FUNCTION.match(line))}
    for at, name in names.items():
        callers = [nodes for number, nodes in own.items() if name in _WORD.findall(lines[number])]
        nodes = tuple(dict.fromkeys(node for nodes in callers for node in nodes))
        if nodes:
            end = next(
                (i for i in range(at + 1, len(lines)) if _FUNCTION.match(lines[i])), len(lines)
            )
            yield from ((i, nodes) for i in range(at + 1, end) if i in own and not own[i])


def _served(lines: Sequence[str], own: Mapping[int, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """For each statement that has no node of its own, those of the statements that it serves."""
    readers: dict[str, list[int]] = defaultdict(list)
    for number in own:
        for word in set(_WORD.findall(lines[number])):
            readers[word].append(number)
    depths = [_depth(line) for line in lines]
    found = {number: dict.fromkeys(nodes) for number, nodes in own.items()}
    for number in reversed(list(own)):
        if own[number]:
            continue
        inside = _block(number, lines, depths)
        if inside:
            served: Iterable[int] = (at for at in inside if at in found)
        else:
            served = _reading(number, _defined(lines[number].strip()), readers, depths)
        for at in served:
            found[number].update(found[at])
    by_name: dict[str, dict[str, None]] = {}
    for number, nodes in found.items():
        text = lines[number].strip()
        if not nodes:
            for word in _WORD.findall(text):
                nodes.update(by_name.get(word, {}))
        if name := _defined(text):
            by_name[name] = nodes
    return [tuple(nodes) for nodes in found.values()]


def _defined(text: str) -> str:
    """The variable that a line defines or changes; '' where it defines none."""
    match = _LOOP.match(text) or _ASSIGNED.match(text) or _DECLARED.match(text)
    return "" if match is None else next((g for g in match.groups() if g), "")


def _reading(
    number: int, name: str, readers: Mapping[str, Sequence[int]], depths: Sequence[int]
) -> Iterator[int]:
    """The statements after this one that name its variable, up to the end of the block."""
    end = number + 1
    for at in readers.get(name, ()):
        if at > number:
            while end <= at:
                if depths[end] < depths[number]:
                    return
                end += 1
            yield at


def _block(number: int, lines: Sequence[str], depths: Sequence[int]) -> range:
    """The lines that this one is the head of: those deeper than it, or in the braces after it."""
    end = number + 1
    while end < len(lines) and (
        depths[end] > depths[number] or (end == number + 1 and lines[end].strip() == "{")
    ):
        end += 1
    return range(number + 1, end)


def _depth(line: str) -> int:
    """How far a line is indented; a blank one ends no block."""
    text = line.lstrip()
    return len(line) - len(text) if text else 1 << 30
