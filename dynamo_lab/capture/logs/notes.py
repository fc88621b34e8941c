"""Notes on a log in words: what it does not have, and what no such log has."""

from collections.abc import Collection, Iterator

from dynamo_lab.model.core.notes import Note

_FACTS = {
    "graph_breaks": "graph breaks",
    "graph_code": "captured graphs",
    "guards": "guards",
    "recompiles": "recompilations",
    "aot_graphs": "graphs of forward and backward",
    "post_grad_graphs": "graphs after Inductor's passes",
    "output_code": "generated code",
}
"""The logs that become facts, and what is shown of each."""
_ALSO = {
    "recompiles": ("recompiles_verbose",),
    "graph_code": ("pre_grad_graphs",),
    "aot_graphs": ("aot_joint_graph",),
}


def lacks(names: Collection[str]) -> Note:
    """Which logs are not in it, and which facts are missing for that."""
    missing = {
        name: what for name, what in _FACTS.items() if not {name, *_ALSO.get(name, ())} & set(names)
    }
    text = "A log in words has no times, and of most events one line of the program. "
    if missing:
        listed = ", ".join(f"{what} (`{name}`)" for name, what in missing.items())
        text += (
            f"This one has no record of: {listed}. Either nothing of it happened, or the log was "
            f'not asked for: `TORCH_LOGS="{",".join(missing)}"`. '
        )
    text += "A log of `TORCH_TRACE` has all of these, and how each compilation ended."
    return _note("info", text)


def unnamed(frames: Collection[str]) -> Iterator[Note]:
    """Frames of which the log does not say what function they are."""
    if frames:
        listed = ", ".join(sorted(frames)[:10])
        yield _note(
            "info",
            f"The log does not say which functions the frames {listed} are: they have the name of "
            "the innermost function that it names for them, which may be one that was inlined. "
            '`TORCH_LOGS="dynamo"` tells.',
        )


def without_ids(count: int) -> Iterator[Note]:
    """Messages that belong to no compilation, though they tell of one."""
    if count:
        yield _note(
            "info",
            f"{count:,} messages name no compilation (such as [0/0]): what they tell is tied to no "
            "function.",
        )


def left(lines: int, unread: int, problem: str) -> Iterator[Note]:
    """What is in the file and no message."""
    if lines:
        yield _note(
            "info",
            f"{lines:,} lines have no prefix of a log: what the program printed, or what was cut.",
        )
    if unread:
        yield _note("warning", f"{unread:,} messages beyond the limit were not read.")
    if problem:
        yield _note("warning", f"The log is damaged: {problem}.")


def limit(text: str) -> Note:
    """Dynamo compiles a function no more."""
    return Note(level="warning", about="compile", message=text.partition("\n")[0], traceback=text)


def _note(level: str, message: str) -> Note:
    return Note(level="warning" if level == "warning" else "info", about="log", message=message)
