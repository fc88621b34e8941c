"""A bisection in words: the verdict, the part that makes the difference, its line, each trial."""

from msgspec import Struct

from dynamo_lab.model.bisections import Bisection, BisectionVerdict, Culprit, PartKind
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.names import custom_operators
from dynamo_lab.view.core.origins import where_of
from dynamo_lab.view.core.places import Places, entity
from dynamo_lab.view.core.words import first_up, listed, plural, seconds

_TITLES: dict[BisectionVerdict, str] = {
    "same": "Compiled and eager give the same",
    "rounding": "Compiled and eager differ by rounding",
    "eager": "It is eager that is off, not the compiled program",
    "bug": "The compiled program is wrong",
    "crash": "The program fails when it is compiled",
    "unknown": "Whether the compiled program is wrong is not known",
}

_KINDS: dict[PartKind, str] = {
    "stage": "stage",
    "graph": "graph",
    "fake": "fake of",
    "decomposition": "decomposition of",
    "pass": "pass",
    "rewrite": "rewrite",
    "lowering": "code for",
    "index": "rule for indices",
    "fusion": "fusion of",
    "kernel": "kernel",
    "statement": "statement",
}


class CulpritView(Struct, frozen=True, kw_only=True):
    """One part, from the coarsest to the finest: `detail` is its function and where that is."""

    kind: str
    name: str
    detail: str = ""
    text: str = ""


class TrialView(Struct, frozen=True, kw_only=True):
    """One compilation and what came of it."""

    what: str
    backend: str
    outcome: str
    time: str
    fault: str = ""


class BisectionView(Struct, frozen=True, kw_only=True):
    """The answer to "why is it wrong". `entity` names the line or the kernel, if known."""

    verdict: str
    title: str
    sentence: str
    because: str = ""
    where: str = ""
    line: str = ""
    entity: str = ""
    culprits: tuple[CulpritView, ...] = ()
    notes: tuple[str, ...] = ()
    trials: tuple[TrialView, ...] = ()
    cost: str = ""


def build(recording: Recording, places: Places, ancestry: Ancestry) -> BisectionView | None:
    """What was found, None where nothing was searched."""
    found = recording.bisection
    if found is None:
        return None
    line = _line(found, recording, places, ancestry)
    return BisectionView(
        verdict=found.verdict,
        title=_TITLES[found.verdict],
        sentence=f"{_sentence(found, line[0])}{_taken_at_its_word(found, recording)}",
        because=found.sentence,
        where=line[0],
        line=line[1],
        entity=line[2] or (f"kernel:{found.kernel}" if found.kernel is not None else ""),
        culprits=tuple(_culprit(one) for one in found.culprits),
        notes=tuple(_notes(found)),
        trials=tuple(
            TrialView(
                what=one.what,
                backend=one.backend,
                outcome=one.outcome,
                time=seconds(one.seconds),
                fault=one.fault,
            )
            for one in found.trials
        ),
        cost=f"{plural(len(found.trials), 'compilation')} in {seconds(found.seconds)}",
    )


def _line(
    found: Bisection, recording: Recording, places: Places, ancestry: Ancestry
) -> tuple[str, str, str]:
    """Where the culprit's nodes come from: in words, the line's text, and its entity."""
    if found.graph is None:
        return "", "", ""
    keys = [(found.graph, node) for node in found.nodes]
    every = list(dict.fromkeys(ancestry.above(keys)))
    for nodes in (keys, every):
        stacks = (recording.graphs[graph].nodes.stack[node] for graph, node in nodes)
        lines = [line for at in stacks if at >= 0 and (line := places.own_line(at))]
        own = [line for line in lines if not places.is_library(line)]
        if own:
            where = where_of(nodes, recording, places)
            return where, places.text(own[0]).strip(), entity(own[0])
    return where_of(every, recording, places), "", ""


def _sentence(found: Bisection, where: str) -> str:
    """The answer in one line."""
    finest = _finest(found)
    at = f", at {where}" if where else ""
    if finest is not None and finest.kind == "fake":
        return (
            f"What the program says of its own operator `{finest.name}` in `register_fake` is "
            f"wrong{at}: the compiler makes code for that."
        )
    match found.verdict:
        case "bug" if finest:
            return f"{_made_by(finest)} makes it wrong{at}."
        case "bug":
            return "It differs from eager by more than rounding; which part makes it is not known."
        case "crash" if finest:
            return f"{_made_by(finest)} raises{at}."
        case "crash":
            return "It raises only where it is compiled; which part of the compiler is not known."
        case "unknown" if finest:
            return f"{_made_by(finest)} makes the difference{at}; whether it is a bug is not known."
        case _:
            return found.sentence


def _taken_at_its_word(found: Bisection, recording: Recording) -> str:
    """Operators of which the compiler knows only what they say of themselves."""
    names = custom_operators(recording) if found.verdict == "bug" else ()
    if not names or any(one.kind == "fake" for one in found.culprits):
        return ""
    return (
        f" The program calls {listed([f'`{name}`' for name in names], 3)}, of which the compiler "
        "knows only what was registered: if it writes to an argument or returns a view of one and "
        "does not say so, the fault is there."
    )


def _finest(found: Bisection) -> Culprit | None:
    """The smallest part with a switch: a kernel and its statement only show where it shows."""
    return next(
        (c for c in reversed(found.culprits) if c.kind not in ("kernel", "statement")), None
    )


def _made_by(culprit: Culprit) -> str:
    name = culprit.name
    if culprit.kind in ("stage", "graph"):
        return first_up(name)
    by = f" ({culprit.rule})" if culprit.rule and culprit.rule != name else ""
    if culprit.kind == "lowering":
        return f"The code generated for {name}"
    return f"The {_KINDS[culprit.kind]} {name}{by}"


def _culprit(one: Culprit) -> CulpritView:
    rule = f"lowered by {one.rule}" if one.kind == "lowering" and one.rule else one.rule
    detail = " at ".join(part for part in (rule, one.place) if part)
    return CulpritView(kind=_KINDS[one.kind], name=one.name, detail=detail, text=one.text)


def _notes(found: Bisection) -> list[str]:
    notes = [f"The search ended early: {found.unfinished}."] if found.unfinished else []
    notes += found.remarks
    if found.first_bad:
        notes.append(f"The first value that is not a number, or infinite: {found.first_bad}.")
    if not found.has_float64 and found.verdict not in ("crash", "same", "unknown"):
        notes.append("It has no results in float64: its own were compared with eager's alone.")
    return notes
