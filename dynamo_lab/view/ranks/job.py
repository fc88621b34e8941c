"""A job of several ranks: what went wrong in it, then where its ranks diverge."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.ranks import collectives, memory, messages, plans, reducers, splits
from dynamo_lab.view.ranks.causes.causes import causes, known_of
from dynamo_lab.view.ranks.mesh import meshes, tensors
from dynamo_lab.view.ranks.ranks import RanksView, build

_ENDS = {"finished": "finished", "raised": "raised", "exited": "exited", "killed": "was killed",
         "stopped": "stood still", "cut off": "was cut off", "running": "ran"}  # fmt: skip


def build_job(job: Job, recordings: Mapping[str, Recording], *, can_try: bool = False) -> RanksView:
    """What is shown of a job; `recordings` are those of its ranks by label.

    `can_try` is whether its program can be run again.
    """
    ranks = known_of(job)
    view = build(recordings, (*job.remarks, *_unknown(job)))
    view = replace(
        view,
        collectives=None if job.plan else collectives.build(ranks),
        messages=messages.build(ranks),
        splits=splits.build(job.recordings[0]),
        ddp=reducers.build(ranks[0] if ranks else None, can_try=can_try),
        plan=plans.build_plan(job, ranks),
        meshes=meshes.build([mesh for one in ranks for mesh in one.rank.meshes]),
        tensors=tensors.build(ranks),
        memory=memory.build(ranks),
    )
    told = list(causes(job))
    ends = [known.rank.ending.kind for known in ranks]
    head = (view.head[0], "end", *view.head[1:])
    rows = tuple(
        (row[0], _ENDS[end], *(row[1:] if _is_recorded(one) else ["?"] * len(row[1:])))
        for row, end, one in zip(view.rows, ends, job.recordings, strict=True)
    )
    if view.plan is not None:
        return replace(
            view,
            sentence=view.plan.sentence,
            findings=tuple(told),
            head=head,
            rows=rows,
            remarks=(*view.remarks, *view.plan.remarks),
            is_whole=not (told or job.remarks),
        )
    told += view.findings
    if not told:
        return replace(view, sentence=_fine(view, ends), head=head, rows=rows)
    sentence, *findings = told
    return replace(view, sentence=sentence, findings=tuple(findings), head=head, rows=rows,
                   is_whole=False)  # fmt: skip


def findings(job: Job, recordings: Mapping[str, Recording]) -> tuple[str, ...]:
    """What went wrong, then where the ranks diverge; kinds of ranks of a plan rightly do."""
    if job.plan is not None:
        return tuple(causes(job))
    return (*causes(job), *build(recordings).findings)


def _is_recorded(recording: Recording) -> bool:
    """Whether what it compiled is known: a rank may have left a dump of its collectives alone."""
    return recording.environment != Environment() or bool(recording.frames)


def _fine(view: RanksView, ends: Sequence[str]) -> str:
    if all(end == "finished" for end in ends):
        return view.sentence
    left = [f"rank {n} {_ENDS[end]}" for n, end in enumerate(ends) if end != "finished"]
    return f"{plural(len(left), 'rank')} did not finish: {', '.join(left[:5])}."


def _unknown(job: Job) -> list[str]:
    """What the causes do not cover."""
    blind = [one.label for one in known_of(job) if one.rank.calls is None]
    if not blind:
        return []
    return [f"The collectives that ran are not known on {', '.join(blind[:5])}."]
