"""The contributions of layers to a training plan that was searched for, in words."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.tiny import TinyContribution, TinySearch
from dynamo_lab.view.core.words import percent, plural, size

COLUMNS = ("updated", "channels", "gain", "needs", "")
MOST = 24


class ContributionRow(Struct, frozen=True, kw_only=True):
    """A row: what is updated beside the classifier, the share of it, gain, bytes, and a mark."""

    updated: str
    channels: str
    gain: str
    bytes: str
    mark: str
    is_chosen: bool


class ContributionsView(Struct, frozen=True, kw_only=True):
    """A search in words: head, what a gain is, rows, how many are left out, how it ended."""

    head: str
    measured: str
    rows: tuple[ContributionRow, ...]
    left_out: int
    ended: str


def contributions_view(search: TinySearch, most: int = MOST) -> ContributionsView:
    """What was chosen, and the others with the largest gain."""
    ranked = sorted(search.contributions, key=_rank)
    chosen = sum(row.is_chosen for row in ranked)
    kept = ranked[: max(most, chosen)]
    return ContributionsView(
        head=_head(search, chosen),
        measured=_measured(search),
        rows=tuple(_row(row, search) for row in kept),
        left_out=len(ranked) - len(kept),
        ended=_ended(search),
    )


def _rank(row: TinyContribution) -> tuple[bool, float]:
    return not row.is_chosen, float("inf") if row.gain is None else -row.gain


def _head(search: TinySearch, chosen: int) -> str:
    if not chosen:
        return "The classifier alone: nothing else that fits was found to gain anything"
    needs = "" if search.bytes is None else f", in {size(search.bytes)} of {size(search.limit)}"
    return f"The classifier and {plural(chosen, 'choice')}{needs}"


def _measured(search: TinySearch) -> str:
    if search.measure == "gradient":
        return (
            "A gain is a proxy, as there was no data: the squared norm of the gradient on the "
            "example, which is what a small step takes from its loss. It says nothing of accuracy."
        )
    alone = "unknown" if search.baseline is None else _level(search.baseline, search.measure)
    is_accuracy = search.measure == "accuracy"
    what = "accuracy" if is_accuracy else "less loss"
    each = f" ({100 / search.checked:.2g} points each)" if is_accuracy and search.checked else ""
    return (
        f"A gain is {what} on {plural(search.checked, 'row')}{each} that a trained copy did not "
        f"see, in float32: of biases above the classifier alone ({alone}), of a weight above all "
        f"biases.{_repeated(search)}"
    )


def _finely(value: float, measure: str) -> str:
    """So that what differs by a row is not printed as the same."""
    return f"{100 * value:.1f} %" if measure == "accuracy" else _level(value, measure)


def _repeated(search: TinySearch) -> str:
    if search.repeats == 1:
        return ""
    return f" Each is the mean of {search.repeats} trainings with the samples in other orders."


def _level(value: float, measure: str) -> str:
    return percent(value) if measure == "accuracy" else f"a loss of {-value:.3g}"


def _row(row: TinyContribution, search: TinySearch) -> ContributionRow:
    return ContributionRow(
        updated=row.parameter or f"the last {plural(row.biases, 'bias', 'biases')}",
        channels=f"{row.ratio:g}" if row.parameter else "",
        gain=_gain(row.gain, search.measure),
        bytes="unknown" if row.bytes is None else size(row.bytes),
        mark="".join(_mark(row, search)),
        is_chosen=row.is_chosen,
    )


def _gain(gain: float | None, measure: str) -> str:
    if gain is None:
        return "not measured"
    if measure == "accuracy":
        return f"{100 * gain:+.1f} points"
    return f"{gain:+.3g}" if measure == "loss" else f"{gain:.3g}"


def _mark(row: TinyContribution, search: TinySearch) -> Iterator[str]:
    if row.is_chosen:
        yield "chosen"
    elif row.bytes is not None and row.bytes > search.limit:
        yield "alone over the limit"
    elif row.bytes is None and row.gain is None:
        yield "not planned"


def _ended(search: TinySearch) -> str:
    made = f"{search.generation:,} of {plural(search.generations, 'generation')}"
    how = "stopped after" if search.stopped else "searched for"
    return (
        f"{how.capitalize()} {made}, {plural(search.planned, 'scheme')} planned for their bytes; "
        f"seed {search.seed}. {_compared(search)}"
    )


def _compared(search: TinySearch) -> str:
    """How the schemes did that were trained whole, as gains need not add up."""
    chosen = next((one for one in search.finalists if one.is_chosen), None)
    if chosen is None:
        return "The sum of gains need not be the gain of all together."
    level, first = _finely(chosen.measured, search.measure), search.finalists[0]
    if len(search.finalists) == 1:
        return f"The scheme was trained itself, as gains need not add up: {level}."
    trained = f"The {len(search.finalists)} schemes with the largest sums of gains were trained"
    than = "its sum is the largest, too"
    if chosen is not first:
        than = f"the one with the largest sum has {_finely(first.measured, search.measure)}"
    return f"{trained} themselves, as gains need not add up: the best has {level}; {than}."
