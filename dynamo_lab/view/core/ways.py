"""Ways from frames to what they resume, or are called by."""

from collections.abc import Callable, Sequence

from dynamo_lab.model.frames import Frame


def ends_marked(
    frames: Sequence[Frame],
    is_marked: Callable[[Frame], bool],
    above: Callable[[Frame], int | None],
) -> frozenset[int]:
    """The frames whose way upwards ends at a marked one, itself where it has none `above`.

    Each frame is looked at once: thousands follow from each other. A file may name a circle, which
    ends where it was entered.
    """
    known = dict[int, bool]()
    for frame in frames:
        way, at = list[int](), frame
        while at.id not in known:
            known[at.id] = is_marked(at)
            way.append(at.id)
            if (further := above(at)) is None:
                break
            at = frames[further]
        known |= dict.fromkeys(way, known[at.id])
    return frozenset(frame for frame, marked in known.items() if marked)
