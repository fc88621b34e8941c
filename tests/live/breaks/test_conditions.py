"""Conditions on tensors that no `torch.where` replaces: what is said, and what helps."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

import dynamo_lab as lab
from dynamo_lab.view import build

QUERIES, ALL = torch.randn(2, 2, 4, 8), torch.ones(2, 4)


def sometimes_masked(queries: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    mask = None
    if not torch.all(kept == 1):
        mask = kept[:, None, None, :].bool()
    return scaled_dot_product_attention(queries, queries, queries, attn_mask=mask)


def always_masked(queries: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    mask = kept[:, None, None, :].bool()
    return scaled_dot_product_attention(queries, queries, queries, attn_mask=mask)


def test_what_changes_nothing_where_a_condition_fails_is_advised_to_be_done_always() -> None:
    recording = lab.explore(sometimes_masked, QUERIES, ALL, backend="eager")
    [found] = build(recording).findings.found
    assert found.remedy.startswith("Do it always, without the `if`")
    mended = lab.explore(always_masked, QUERIES, ALL, backend="eager")
    assert not mended.breaks
    torch.testing.assert_close(sometimes_masked(QUERIES, ALL), always_masked(QUERIES, ALL))


def checked(x: torch.Tensor) -> torch.Tensor:
    if torch.isnan(x).any():
        raise ValueError("no number")
    return x * 2


def checked_in_the_graph(x: torch.Tensor) -> torch.Tensor:
    torch._assert_async(~torch.isnan(x).any())  # pyright: ignore[reportPrivateImportUsage]
    return x * 2


def test_the_opposite_of_what_raises_is_what_the_graph_has_to_check() -> None:
    [found] = build(lab.explore(checked, torch.ones(4), backend="eager")).findings.found
    assert "the opposite of this condition" in found.remedy
    assert not lab.explore(checked_in_the_graph, torch.ones(4), backend="eager").breaks
    with pytest.raises(RuntimeError):
        torch.compile(checked_in_the_graph, backend="eager")(torch.tensor([float("nan")]))


def cleaned(x: torch.Tensor) -> torch.Tensor:
    if torch.isnan(x).any():
        x = torch.nan_to_num(x)
    return x * 2


def cleaned_of_both(x: torch.Tensor) -> torch.Tensor:
    if (
        torch.isnan(x).any()  # over several lines
        or torch.isinf(x).any()
    ):
        x = torch.nan_to_num(x)
    return x * 2


def test_a_hint_about_and_and_or_stands_where_one_is() -> None:
    hint = "Note: Python `or`/`and`"
    for fn, is_told in ((cleaned, False), (cleaned_of_both, True)):
        [told, *_] = build(lab.explore(fn, torch.ones(4), backend="eager")).breaks
        assert any(hint in text for text in told.advice) == is_told
