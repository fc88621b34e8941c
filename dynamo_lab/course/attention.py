"""Lesson 10: attention, its kernels, and which is chosen."""

from __future__ import annotations

from itertools import product
from typing import Any

from dynamo_lab.course.asking import (
    lowered,
    need,
    need_count,
    need_function,
    no_break,
)
from dynamo_lab.course.comparing import same_numbers, same_program
from dynamo_lab.course.exercises import Exercise, NotYet

_WINDOW = 128
_TOKENS = 512


def _heads(tokens: int = 64, heads: int = 3) -> Any:
    """Queries, keys and values: one batch, some heads, head size 16."""
    import torch

    return torch.randn(3, 1, heads, tokens, 16, generator=torch.Generator().manual_seed(0))


def _causal(q: Any, k: Any, v: Any) -> Any:
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(q, k, v, is_causal=True)


def _one_kernel(answer: Any) -> str:
    need_function(answer)
    same_numbers(answer, _causal, *_heads(96))
    compared = same_numbers(answer, _causal, *_heads())
    recording = lowered(answer, *_heads())
    no_break(recording)
    same_program(recording, compared)
    need(recording.captured_graphs(), "Nothing of it was compiled.")
    names = [kernel.name for kernel in recording.kernels]
    fused = [name for name in names if "_scaled_dot_product" in name]
    called = ", ".join(names)
    need(fused, f"No fused attention kernel is called. It calls {called}.")
    need(len(names) == 1, f"One kernel is needed. It calls {called}.")
    return f"One kernel, {fused[0]}, and no mask in memory: a flag says what it needs to know."


def _sloped(score: Any, batch: Any, head: Any, query: Any, key: Any) -> Any:
    return score - (query - key).abs() * 0.5 ** (head + 1)


def _attending(score_mod: Any) -> Any:
    """Attention with such a change of its scores."""
    from torch.nn.attention.flex_attention import flex_attention

    return lambda q, k, v: flex_attention(q, k, v, score_mod=score_mod)


def _formula(answer: Any) -> str:
    import torch
    from torch.nn.attention.flex_attention import flex_attention

    need_function(answer)
    places = ((0, 3, 3), (0, 5, 3), (0, 3, 5), (2, 9, 4))
    for score, (head, query, key) in product((1.5, -0.25), places):
        at = [torch.tensor(i) for i in (score, 0, head, query, key)]
        got = answer(*at)
        need(got is not None, "Your function returns nothing yet.")
        expected = float(_sloped(*at))
        need(
            abs(float(got) - expected) < 1e-5,
            f"A score of {score} in head {head}, query {query}, key {key} becomes "
            f"{float(got):.4f}, and should be {expected:.4f}.",
        )
    same_numbers(_attending(answer), _attending(_sloped), *_heads(128))
    try:
        recording = lowered(flex_attention, *_heads(128), score_mod=answer, target="cuda:sm_90")
    except NotYet as reason:
        raise NotYet(
            "The numbers are right, but Inductor could not write it into the attention's kernel: "
            f"write it with other operators. {reason}"
        ) from None
    written = [kernel for kernel in recording.kernels if "flex_attention" in kernel.name]
    need(written, "No flex attention kernel was generated.")
    return (
        f"It is inside {written[0].name}: the distance is computed from the positions of the "
        "loop, and no table of distances is in memory."
    )


def _windowed(query: Any, key: Any) -> Any:
    return (query >= key) & (query - key < _WINDOW)


def _mask(answer: Any) -> str:
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, create_mask

    need_function(answer)
    sizes = (None, None, _TOKENS, _TOKENS)
    got = create_mask(answer, *sizes, device="cpu")[0, 0]
    positions = torch.arange(_TOKENS)
    expected = _windowed(positions[:, None], positions[None, :])
    for query, key in (got != expected).nonzero()[:1].tolist():
        says, should = ("may", "may not") if got[query, key] else ("may not", "may")
        need(False, f"Yours says that token {query} {says} see token {key}. It {should}.")
    visited, longer = (
        _visited(create_block_mask(answer, None, None, n, n, device="cpu"))
        for n in (_TOKENS, 2 * _TOKENS)
    )
    return f"{visited} blocks are visited; for twice the tokens {longer}."


def _visited(mask: Any) -> str:
    """'7 of 16', the blocks of a mask in which something is allowed."""
    parts = (mask.kv_num_blocks, mask.full_kv_num_blocks)
    visited = sum(int(part.sum()) for part in parts if part is not None)
    return f"{visited} of {mask.kv_num_blocks.shape[-1] ** 2}"


def _sdpa_bytes() -> tuple[int, int, int]:
    """What SDPA keeps for its backward: besides inputs and output, of its output, its scores."""
    from torch.nn.functional import scaled_dot_product_attention

    heads = [t.requires_grad_() for t in _heads(256, 2)]
    [cut] = lowered(scaled_dot_product_attention, *heads, grad=True).partitions
    of = {
        role: sum(value.bytes or 0 for value in cut.saved if value.role == role)
        for role in ("activation", "output")
    }
    q = heads[0]
    return of["activation"], of["output"], q.shape[1] * q.shape[2] ** 2 * q.element_size()


def _bytes_besides(answer: Any) -> str:
    answer = need_count(answer)
    besides, output, scores = _sdpa_bytes()
    need(answer != besides + output, "That has the output in it, which lives in any case.")
    need(answer != scores, "So much the scores would take. They are what it does not keep.")
    need(
        answer * 4 != besides,
        "You found how many numbers they are. How many bytes does each of them take?",
    )
    need(answer == besides, f"It is {'more' if answer < besides else 'less'} than {answer:,}.")
    return f"{besides:,} bytes: a number for each head and token, where the scores take {scores:,}."


EXERCISES = (
    Exercise(
        "10.1",
        "One kernel",
        _one_kernel,
        (
            "Do not describe the mask: say what it means.",
            "`F.scaled_dot_product_attention` has a flag for it: section 3, the last of the three.",
        ),
    ),
    Exercise(
        "10.2",
        "A formula of yours",
        _formula,
        (
            "It gets positions as tensors of integers and returns the new score: `score - ...`.",
            "The slope of a head is 0.5 to the power of `head + 1`.",
        ),
    ),
    Exercise(
        "10.3",
        "A window",
        _mask,
        (
            "Two conditions have to hold. `query - key` is how far back the key lies.",
            "Conditions on tensors are joined by `&`, and each of them needs its parentheses.",
        ),
    ),
    Exercise(
        "10.4",
        "How much is it?",
        _bytes_besides,
        (
            "`recording.partitions[0].saved` lists what is saved, each with its role and bytes.",
            "Look for what is neither input nor output: one number for each row of the scores.",
        ),
    ),
)
