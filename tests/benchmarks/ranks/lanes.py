"""How fast the lanes of 64 ranks answer: 500 collectives each, in Chromium.

python -m tests.benchmarks.ranks.lanes
python -m tests.benchmarks.ranks.lanes --ranks 2 --page lanes.html   # and keep the page
"""

import argparse
import random
import tempfile
from pathlib import Path
from typing import Any

from dynamo_lab.api.ranks.jobs import JobRecording
from dynamo_lab.measure.statistics import Spread, spread
from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.ranks import Call, Ending, Group, Rank, Timeline
from dynamo_lab.model.recording import Recording
from tests.benchmarks.core.chromium import Work, answers, watched_pages
from tests.benchmarks.core.ratio import Line, percentile, report
from tests.fixtures.tabs import open_tab

BUDGET = 0.1
COLLECTIVES = 500
_KINDS = ("all_gather_into_tensor", "reduce_scatter_tensor", "all_reduce", "broadcast")
_LINES = 40
_STEP = 0.004
_INPUTS = ("pointermove", "keydown")
_FIRST = "hover 0"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--page", help="where the page is kept")
    options = parser.parse_args()
    first: list[float] = []
    warm: list[float] = []
    works: list[tuple[float, str]] = []
    with tempfile.TemporaryDirectory() as folder, watched_pages(_INPUTS) as open_page:
        path = Path(options.page or f"{folder}/lanes.html")
        JobRecording(job(options.ranks)).to_html(path)
        for _ in range(options.rounds):
            page = open_page()
            work = Work(page)
            page.goto(path.as_uri())
            open_tab(page, "ranks")
            page.locator(".dl-lane-frame").wait_for()
            page.evaluate("inputs.length = 0")
            work.lap()
            works += [(work.lap(), name) for name in _act(page)]
            taken = answers(page)
            first.append(taken[0])
            warm += taken[1:]
            page.close()
    slow = percentile(warm, 95)
    first_work = [seconds for seconds, name in works if name == _FIRST]
    work = percentile([seconds for seconds, name in works if name != _FIRST], 95)
    lines = [
        Line(name="the first hover", value=spread(first), budget=BUDGET),
        Line(name=f"{len(warm)} others", value=spread(warm)),
        Line(name="others, p95", value=Spread(slow, slow, slow), budget=BUDGET),
        Line(name="work of the main thread, first", value=spread(first_work), budget=BUDGET),
        Line(name="  others, p95", value=Spread(work, work, work), budget=BUDGET),
    ]
    print(report(f"{options.ranks} ranks of {COLLECTIVES} collectives", lines, options.rounds))


def job(ranks: int) -> Job:
    """A job that ran: each rank with a clock and a pace of its own."""
    everyone = Group("0", tuple(range(ranks)), "default_pg")
    return Job(title="steps", recordings=tuple(_rank(n, ranks, everyone) for n in range(ranks)))


def _rank(number: int, ranks: int, everyone: Group) -> Recording:
    chance = random.Random(number)
    came = [at * _STEP + chance.random() * _STEP / 2 for at in range(COLLECTIVES)]
    calls = tuple(
        Call(name=_KINDS[at % 4], group="0", number=at + 1, sizes=((64, 8 + at % 60),),
             dtypes=("Float",), is_done=True, started=when, stack=at % _LINES,
             ran=(when, when + _STEP / 3))
        for at, when in enumerate(came)
    )  # fmt: skip
    computing = tuple((when + _STEP / 8, when + _STEP / 2) for when in came)
    text = "\n".join(f"y{at} = work(x, {at})" for at in range(_LINES))
    return Recording(
        title="steps",
        sources=(Source("train.py", "user", (Excerpt(1, text),)),),
        spans=tuple(Span(0, at + 1, "step") for at in range(_LINES)),
        stacks=tuple((at,) for at in range(_LINES)),
        environment=Environment(torch="2.13.0"),
        rank=Rank(
            number=number,
            size=ranks,
            groups=(everyone,),
            calls=calls,
            ending=Ending(kind="finished"),
            timeline=Timeline(
                device="cpu", start=0.0, computing=computing, communicating=computing
            ),
        ),
    )


def _act(page: Any) -> Any:
    """Point at collectives all over the lanes, one after the other, then walk by the keyboard."""
    frame = page.locator(".dl-lane-frame")
    box = frame.bounding_box()
    for at in range(60):
        x = box["x"] + box["width"] * ((at * 37) % 60 + 0.5) / 60
        y = box["y"] + box["height"] * ((at * 23) % 60 + 0.5) / 60
        page.mouse.move(x, y)
        page.wait_for_timeout(50)  # as a hand moves
        yield f"hover {at}"
    for key in ("ArrowRight",) * 10 + ("ArrowLeft",) * 10 + ("Escape",):
        frame.press(key)
        page.wait_for_timeout(30)
        yield f"key {key}"


if __name__ == "__main__":
    main()
