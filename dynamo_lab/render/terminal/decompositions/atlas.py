"""The atlas in a terminal: a funnel of counts, and one operator in full."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.model.decompositions import Level, Overload, Rule, Target
from dynamo_lab.render.terminal.core.parts import grid, indented, line, listing, plain, text
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.decompositions.natives import PLACES
from dynamo_lab.view.decompositions.trees import ENDS, KINDS, SETS

_BAR = 16


def levels_text(levels: Sequence[Level], width: int = 110) -> str:
    """One level per line, with a bar proportional to its overloads."""
    most = max(level.overloads for level in levels)
    heads = ("", "operators", "overloads", "", "PyTorch 2.0 said", "")
    rows = [
        (
            text(level.title, "bold"),
            text(f"{level.operators:,}"),
            text(f"{level.overloads:,}"),
            text("█" * max(1, round(_BAR * level.overloads / most)), "cyan"),
            text(level.seed, "yellow"),
            text(level.text, "dim"),
        )
        for level in levels
    ]
    columns = ("left", "right", "right", "left", "left", "wrap")
    return plain(
        listing(columns, [tuple(text(head, "dim") for head in heads), *rows], width), width
    )


def operator_text(overloads: Sequence[Overload], width: int = 110) -> str:
    """Each overload: its schema and tags, the rule towards each set, and its lowering."""
    return plain([row for overload in overloads for row in _overload(overload)], width)


def _overload(overload: Overload) -> Iterator[RenderableType]:
    tags = f"  {', '.join(overload.tags)}" if overload.tags else ""
    yield line((overload.name, "bold"), (tags, "cyan"), wrap=True)
    yield indented(text(overload.schema, "dim"))
    rows = [(text(SETS[to]), rule_text(to, rule, overload)) for to, rule in overload.rules.items()]
    rows.append((text("lowering"), text(LOWERINGS[overload.lowering])))
    if overload.natives:
        rows.append((text("kernels"), text(natives_text(overload))))
    yield indented(grid(("left", "wrap"), rows))


LOWERINGS = {
    "code": "Inductor generates code",
    "extern": "Inductor calls an extern kernel",
    "none": "none: decomposed earlier, or an extern kernel",
}
"""What Inductor does with an operator that reaches it."""


def natives_text(overload: Overload) -> str:
    """Where its kernels are for each device: "cpu and cuda: a kernel of its own"."""
    of_place: dict[str, list[str]] = {}
    for device, native in overload.natives.items():
        of_place.setdefault(PLACES[native], []).append(device)
    return "; ".join(f"{listed(devices)}: {place}" for place, devices in of_place.items())


def rule_text(to: Target, rule: Rule | None, overload: Overload) -> Text:
    """What happens to an overload when decomposing to a set."""
    if rule is None:
        end = overload.ends[to]
        is_in = end == "set"
        return text("in the set" if is_in else f"remains: {ENDS[end]}", "" if is_in else "dim")
    where = f", {rule.file}:{rule.line}" if rule.file else ""
    return line((rule.name, "bold"), (f"  {KINDS[rule.kind]}{where}", "dim"), wrap=True)
