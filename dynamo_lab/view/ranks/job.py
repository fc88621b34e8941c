"""A job of several ranks: what went wrong in it, then where its ranks diverge."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.ranks import collectives, memory, messages, plans, reducers, splits
from dynamo_lab.view.ranks.causes.causes import causes, known_of
from dynamo_lab.view.ranks.known import Known
from dynamo_lab.view.ranks.mesh import meshes, tensors
from dynamo_lab.view.ranks.messages import MessagesView
from dynamo_lab.view.ranks.ranks import RanksView, build

_ENDS = {"finished": "finished", "raised": "raised", "exited": "exited", "killed": "was killed",
         "stopped": "stood still", "cut off": "was cut off", "running": "ran"}  # fmt: skip

_UNPLANNED = ("frames", "kernels", "compiling")
"""Columns that say nothing of a plan: its ranks share a process, whose frames Dynamo skips once,
and none has kernels, nor a time of its own."""


def build_job(job: Job, recordings: Mapping[str, Recording], *, can_try: bool = False) -> RanksView:
    """What is shown of a job; `recordings` are those of its ranks by label.

    `can_try` is whether its program can be run again.
    """
    ranks = known_of(job)
    sent = messages.build(ranks)
    view = build(recordings, (*job.remarks, *_unknown(ranks, sent)))
    made = meshes.build([mesh for one in ranks for mesh in one.rank.meshes])
    held = memory.build(ranks)
    view = replace(
        view,
        collectives=None if job.plan else collectives.build(ranks),
        messages=sent,
        splits=splits.build(job.recordings[0]),
        ddp=reducers.build(ranks[0] if ranks else None, can_try=can_try),
        plan=plans.build_plan(job, ranks, made, held),
        meshes=made,
        tensors=tensors.build(ranks),
        memory=held,
    )
    told = list(causes(job))
    words = {**_ENDS, "finished": "traced"} if job.plan else _ENDS
    ends = [words[known.rank.ending.kind] for known in ranks]
    head = (view.head[0], "end", *view.head[1:])
    rows = tuple(
        (row[0], end, *(row[1:] if _is_recorded(one) else ["?"] * len(row[1:])))
        for row, end, one in zip(view.rows, ends, job.recordings, strict=True)
    )
    if view.plan is not None:
        kept = [at for at, name in enumerate(head) if name not in _UNPLANNED]
        return replace(
            view,
            sentence=view.plan.sentence,
            findings=tuple(told),
            head=tuple(head[at] for at in kept),
            rows=tuple(tuple(row[at] for at in kept) for row in rows),
            remarks=(*view.remarks, *view.plan.facts, *view.plan.remarks),
            is_whole=not (told or job.remarks),
        )
    told += view.findings
    if not told:
        return replace(view, sentence=_fine(view, ranks), head=head, rows=rows)
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


def _fine(view: RanksView, ranks: Sequence[Known]) -> str:
    left = [
        f"{one.label} {_ENDS[one.rank.ending.kind]}"
        for one in ranks
        if one.rank.ending.kind != "finished"
    ]
    if not left:
        return view.sentence
    return f"{plural(len(left), 'rank')} did not finish: {', '.join(left[:5])}."


def _unknown(ranks: Sequence[Known], sent: MessagesView | None) -> list[str]:
    """What the causes do not cover."""
    blind = [one.label for one in ranks if one.rank.calls is None]
    told = [f"The collectives that ran are not known on {', '.join(blind[:5])}."] if blind else []
    return told if sent else [*told, *messages.unseen(ranks)]
