"""Parse assembly listings: each line linked to a line of the kernel, without the noise.

Every function takes a text and the name of the file that the kernel was compiled from. A line that
comes from an inlined function belongs to the line of the kernel that called it.
"""

import re
from collections.abc import Iterable, Mapping

from dynamo_lab.model.assembly import Level

_Row = tuple[str, int]  # a line of text, and the kernel's line or 0


def level(name: str, rows: Iterable[_Row]) -> Level:
    """A level of these lines; of several empty ones in a row, one stays."""
    kept: list[_Row] = []
    for text, line in rows:
        if text.strip() or (kept and kept[-1][0]):
            kept.append((text.rstrip(), line))
    while kept and not kept[-1][0]:
        kept.pop()
    pairs = tuple((i, line) for i, (_, line) in enumerate(kept, 1) if line > 0)
    return Level(name, "\n".join(text for text, _ in kept), pairs)


# MLIR: `%tmp0 = arith.muli %a, %b : i32 loc(#loc72)`, and `#loc72 = loc("file":33:41)` anywhere.

_LOCATION = re.compile(r"^(#loc\d*) = loc\((.*)\)$", re.MULTILINE)
_PLACE = re.compile(r'"([^"]*)":(\d+):\d+|(#loc\d*)')


def mlir(text: str, file: str) -> list[_Row]:
    """Rows of Triton's IR or GPU IR."""
    known = dict(_LOCATION.findall(text))
    rows: list[_Row] = []
    for row in text.split("\n"):
        if not row.startswith("#loc"):
            bare, locations = _without_locations(row)
            rows.append((bare, _mlir_line(locations[-1], known, file) if locations else 0))
    return rows


def _without_locations(row: str) -> tuple[str, list[str]]:
    bare, locations = "", []
    while (start := row.find(" loc(")) >= 0:
        end = _closing(row, start + 4)
        locations.append(row[start + 5 : end])
        bare, row = bare + row[:start], row[end + 1 :]
    return bare + row, locations


def _closing(row: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(row)):
        depth += {"(": 1, ")": -1}.get(row[at], 0)
        if depth == 0:
            return at
    return len(row)


def _mlir_line(location: str, known: Mapping[str, str], file: str, depth: int = 0) -> int:
    """The kernel's line: of a call, that of the caller, which comes last."""
    for path, line, name in reversed(_PLACE.findall(location)):
        if path and path.endswith(file):
            return int(line)
        found = _mlir_line(known.get(name, ""), known, file, depth + 1) if depth < 50 else 0
        if found:
            return found
    return 0


# LLVM: `%9 = icmp ult i32 %8, 128, !dbg !14`, and `!14 = !DILocation(line: 25, ...)`.

_DILOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+)(.*)\)$", re.MULTILINE)
_LLVM_NOISE = re.compile(
    r"(!|; ModuleID|; Function Attrs|source_filename|target |declare |attributes )"
)
_ATTACHED = re.compile(r",? !(?!\")[\w.]+ !\d+")


def llvm(text: str, file: str) -> list[_Row]:
    """Rows of LLVM IR: functions and globals, without what describes them."""
    locations: dict[str, tuple[int, str]] = {}
    for name, line, rest in _DILOCATION.findall(text):
        caller = re.search(r"inlinedAt: !(\d+)", rest)
        locations[name] = int(line), caller[1] if caller else ""
    rows: list[_Row] = []
    for row in text.split("\n"):
        if not _LLVM_NOISE.match(row):
            place = re.search(r"!dbg !(\d+)", row)
            is_head = row.startswith("define")
            line = _llvm_line(place[1], locations) if place and not is_head else 0
            rows.append((_ATTACHED.sub("", row), line))
    return rows


def _llvm_line(name: str, locations: Mapping[str, tuple[int, str]]) -> int:
    line, caller = locations.get(name, (0, ""))
    for _ in range(50):
        if not caller:
            return line
        line, caller = locations.get(caller, (0, ""))
    return 0


# PTX and AMD's assembly: `.loc 2 263 15  // standard.py:263:15 @[ kernel.py:40:24 ]`, or, from
# Triton 3.9 on, `.loc 2 263 15, function_name $L__info0, inlined_at 1 40 24`.

_LOC = re.compile(r"\s*\.loc\s+(\d+ \d+ \d+)(?:.*inlined_at (\d+ \d+ \d+))?")
_CHAIN = re.compile(r"([^\s:@\[\]/;]+):(\d+):\d+")


class _Locations:
    """The kernel's line that each `.loc` stands for, read in their order."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._own = set(re.findall(rf'\.file\s+(\d+) .*\b{re.escape(file)}"', text))
        self._callers: dict[str, int] = {}

    def line(self, loc: re.Match[str]) -> int:
        """The line in the kernel: of an inlined function, where the kernel calls it."""
        if "@[" in loc.string:
            name, line = _CHAIN.findall(loc.string)[-1]
            return int(line) if name == self._file else 0
        place, caller = loc[1], loc[2]
        if caller is None:
            return self._own_line(place)
        self._callers[place] = self._own_line(caller) or self._callers.get(caller, 0)
        return self._callers[place]

    def _own_line(self, place: str) -> int:
        number, line, _ = place.split()
        return int(line) if number in self._own else 0


def ptx_lines(text: str, file: str) -> dict[int, int]:
    """For each line of PTX as it is, from 1, the kernel's line.

    Of inline assembly the first location holds for the whole: the LLVM of Triton 3.9 counts on
    from it, a line for each instruction.
    """
    found: dict[int, int] = {}
    locations, current = _Locations(text, file), 0
    is_inline = is_known = False
    for number, row in enumerate(text.split("\n"), 1):
        if "// begin inline asm" in row or "// end inline asm" in row:
            is_inline, is_known = "begin" in row, False
        if loc := _LOC.match(row):
            line = locations.line(loc)
            current, is_known = current if is_known else line, is_inline
        elif current:
            found[number] = current
    return found


_PTX_NOISE = re.compile(r"\s*(//|\.loc\b|\.file\b|\$L__(tmp|func)|\.global .*_\$_str)")


def ptx(text: str, file: str, name: str) -> list[_Row]:
    """Rows of PTX, up to where the tables for debuggers begin."""
    lines = ptx_lines(text, file)
    rows: list[_Row] = []
    for number, row in enumerate(text.split("\n"), 1):
        if re.match(r"\s*(\.file\s|\.section\s)", row):
            break
        if not _PTX_NOISE.match(row):
            bare = re.sub(r"\s*//.*", "", row).replace(f"{name}_param", "param")
            is_code = bare.strip().endswith(";") and not bare.strip().startswith(".")
            rows.append((bare.replace("\t", "  "), lines.get(number, 0) if is_code else 0))
    return rows


def amdgcn(text: str, file: str) -> list[_Row]:
    """Rows of AMD's assembly: the instructions and labels of the kernel."""
    rows: list[_Row] = []
    locations, current = _Locations(text, file), 0
    for row in text.split("\n"):
        if "-- End function" in row:
            break
        if loc := _LOC.match(row):
            current = locations.line(loc)
        elif re.match(r"\.LBB\w+:", row) or (re.match(r"\w+:", row) and "@" in row):
            rows.append((re.sub(r"\s*;.*", "", row), 0))
        elif re.match(r"\t[a-z]\w+", row):
            rows.append((re.sub(r"\s*;.*", "", row).replace("\t", "  "), current))
    return rows


# SASS: `//## File ".nv_debug_ptx_txt", line 39`, then `/*0010*/  S2R R21, SR_TID.X ;`.

_SASS = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s*(.*?)\s*;?\s*(?:/\*.*\*/)?$")


def sass(text: str, lines_of_ptx: Mapping[int, int]) -> list[_Row]:
    """Rows of what nvdisasm prints with `-gp`; `lines_of_ptx` are those of `ptx_lines`."""
    rows: list[_Row] = []
    current = 0
    for row in text.split("\n"):
        if place := re.search(r'//## File "[^"]*", line (\d+)', row):
            current = lines_of_ptx.get(int(place[1]), 0)
        elif found := _SASS.match(row):
            rows.append((f"  {found[1]}", current))
        elif re.match(r"\.L_\w+:", row):
            rows.append((row, 0))
    return rows


# objdump -dr -l --inlines: `inlined by kernel.cpp:31 (kernel)`, then `  f0:  vaddps (%rax),...`.

_CODE = re.compile(r"\s*([0-9a-f]+):\t(.*)")
_TARGET = re.compile(r"\b([0-9a-f]+) <[^>+]+\+0x[0-9a-f]+>")
_PADDING = re.compile(r"(data16|cs|nop\w*|xchg +%ax,%ax)\b")
# The linker's notes name what an instruction calls or reads: they replace the address beside it.
_NOTE = r"\n\t\t\t[0-9a-f]+: R_\S+\t([\w.@$]+)(?:[-+]0x[0-9a-f]+)?$"
_CALL = re.compile(r"(\t\w+\s+)[0-9a-f]+ <[^\n]*" + _NOTE, re.MULTILINE)
_DATA = re.compile(r"([^\n]*?)\s+# [0-9a-f]+ <[^\n]*" + _NOTE, re.MULTILINE)


def objdump(text: str, file: str) -> list[_Row]:
    """Rows of the functions that lie in the kernel's file, with labels where a jump leads."""
    parts = re.split(r"^[0-9a-f]+ <(.+)>:$", text, flags=re.MULTILINE)
    rows: list[_Row] = []
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        places = re.findall(r"^(\S.*):\d+(?: \(discriminator \d+\))?$", body, re.MULTILINE)
        if places and places[0].endswith(file) and not name.startswith("_GLOBAL__"):
            rows += [("", 0), (f"{name}:", 0), *_function(body, file)]
    return rows


def _function(body: str, file: str) -> Iterable[_Row]:
    body = _DATA.sub(r"\1  # \2", _CALL.sub(r"\1\2", body))
    labels = {target: f".L{i}" for i, target in enumerate(dict.fromkeys(_TARGET.findall(body)), 1)}
    current = 0
    for row in body.split("\n"):
        if place := re.match(r"(?:inlined by )?(\S.*?):(\d+)(?: |$)", row):
            current = int(place[2]) if place[1].endswith(file) else 0
        elif code := _CODE.match(row):
            if code[1] in labels:
                yield f"{labels[code[1]]}:", 0
            if not _PADDING.match(code[2]):
                yield f"  {_TARGET.sub(lambda found: labels[found[1]], code[2])}", current
