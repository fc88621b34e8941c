"""Why a compiler stored a value, or called a kernel, in plain words."""

from dynamo_lab.model.lowering import Buffer, Why
from dynamo_lab.view.benchmarks.work import is_view
from dynamo_lab.view.core.words import plural


def stored(buffer: Buffer, during: str, compiler: str) -> str:
    """Why a buffer is in memory; `during` is the node that was being lowered then."""
    match buffer.kind:
        case "extern" | "fallback" | "template":
            verb = "would be" if buffer.dropped else "is"
            called = f" `{buffer.kernel}` {verb} called." if buffer.kernel else ""
            return called_for(buffer, compiler) + called
        case "part":
            return f"One of the results of `{buffer.of}`."
        case "joined":
            parts = plural(len(buffer.reads), "buffer")
            return f"It is made of {parts}, each written directly into its place here."
        case "written":
            return "A kernel changes it in place: under this name it is read afterwards."
        case _:
            if buffer.why and _is_for_a_reader(buffer, buffer.why):
                return f"An operator that reads `{during}` needs it in memory with certain strides."
            if buffer.why and buffer.why.cause == "copy" and _computes(buffer):
                return f"`{during}` needs it in memory with certain strides."
            return _loop(buffer.why, during, compiler) if buffer.why else ""


def _is_for_a_reader(buffer: Buffer, why: Why) -> bool:
    """Whether no rule asks for the strides, but the graph, while it lowers the operator itself.

    No copy is made of a loop then: it is written with these strides at once.
    """
    return why.cause in ("copy", "strides") and not why.by and buffer.during in buffer.nodes


def _computes(buffer: Buffer) -> bool:
    """Whether its loop does more than copy: what it would be a copy of is not stored then."""
    operators = {line.operator for line in buffer.body}
    return bool(operators - {"", "load", "store", "get_index", "output"})


def called_for(buffer: Buffer, compiler: str) -> str:
    """Why a kernel is called instead of generating a loop."""
    match buffer.kind:
        case "extern" if buffer.form in _WITH_BODIES:
            return "The wrapper runs this: its bodies are lowered as separate graphs."
        case "extern" if not buffer.kernel:
            return f"The wrapper does this: {compiler} generates no loop for it."
        case "extern":
            return f"A library does this: {compiler} generates no loop for it."
        case "template":
            return f"A hand-written template that {compiler} fills in does this."
        case _ if is_view(buffer.kernel):
            return f"{left(buffer.why, compiler)} It makes a view: nothing is computed."
        case _:
            return left(buffer.why, compiler)


_WITH_BODIES = frozenset({"Conditional", "InvokeSubgraph", "Switch", "WhileLoop"})


def _loop(why: Why, during: str, compiler: str) -> str:
    match why.cause:
        case "heavy reuse" | "large reuse" | "reads reuse":
            return _reused(why, compiler)
        case "many reads":
            return (
                f"Its loop reads {why.count} buffers: beyond {why.limit}, {compiler} stores the "
                "result, so that the loop does not grow further."
            )
        case "large":
            return (
                f"Its loop does {why.count} operations: beyond {why.limit}, {compiler} stores the "
                "result, so that the loop does not grow further."
            )
        case "read again":
            return (
                f"{_readers(why)} read it, among them `{why.by}`, which needs it in memory."
                if why.by
                else f"{_readers(why)} read it, and one of them needs it in memory."
            )
        case "needed":
            return f"`{during}` reads it from memory: it is not just a loop."
        case "strides":
            return f"`{during}` needs it in memory with certain strides."
        case "copy":
            return f"A copy, because `{during}` needs different strides."
        case "output":
            return "It is an output of the graph."
        case "mutated":
            return f"`{why.by}` is about to be changed in place, and this loop reads its old value."
        case "in place":
            return "It is written in place over existing memory."
        case "joined":
            return "It is part of a larger buffer, and written directly into its place there."
        case "reduction":
            return (
                f"{compiler} stores reductions: inlined into a reader, the reduction would run "
                "again for each element."
            )
        case "scan":
            return (
                f"{compiler} stores the results of scans and sorts: each element depends on others."
            )
        case "rule":
            by = f", in `{why.by}`" if why.by else ""
            return f"The lowering rule of `{during}` requires it{by}."
        case _:
            return left(why, compiler)


def _reused(why: Why, compiler: str) -> str:
    readers = f"{_readers(why)} read it"
    if why.by and why.cause != "heavy reuse":  # a rule that repeats elements
        readers = f"`{why.by}` reads each element {plural(why.users or 0, 'time')}"
    if why.cause == "heavy reuse":
        if not why.by:
            return f"{readers}, and its loop is expensive to recompute."
        return f"{readers}, and `{why.by}` is expensive to recompute on a CPU."
    of = "does {} operations" if why.cause == "large reuse" else "reads {} buffers"
    return (
        f"{readers}, and its loop {of.format(why.count)}: beyond {why.limit}, {compiler} does not "
        "recompute it for each reader."
    )


def _readers(why: Why) -> str:
    return plural(why.users, "operator") if why.users else "Several operators"


def left(why: Why | None, compiler: str) -> str:
    """Why an operator was left to PyTorch's own kernel."""
    match why.cause if why else "":
        case "refusal":
            return f"{compiler} left it to PyTorch's own kernel: {why.by if why else ''}."
        case "unsupported":
            return f"{compiler} generates no code for tensors of this type."
        case "unknown":
            return f"{compiler} has no lowering for this operator."
        case "listed":
            return f"{compiler} leaves this operator to PyTorch's own kernel."
        case "rule":
            by = why.by if why else ""
            return f"The lowering rule, in `{by}`, left this case to PyTorch's own kernel."
        case "asked":
            return f"{compiler} was configured to leave this operator to PyTorch's own kernel."
        case _:
            return f"{compiler} left this operator to PyTorch's own kernel."
