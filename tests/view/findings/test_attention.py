"""What is written in place of attention by hand, on graphs made by hand."""

from __future__ import annotations

import pytest

from dynamo_lab.model.graphs import NodeTable, Value
from dynamo_lab.view.findings import ops
from dynamo_lab.view.findings.memory.attention import is_attention, scores_of, weighted_by
from dynamo_lab.view.findings.memory.attention_remedy import code, remedy
from tests.view.samples.table import Table

FEATURES, PAIRS = (
    Value(dtype="f32", shape=("4", rows, columns), bytes=bytes_)
    for rows, columns, bytes_ in (("64", "8", 8192), ("64", "64", 65536))
)


def attention(
    *between: tuple[str, str],
    after: tuple[tuple[str, str], ...] = (),
    product: str = "operator.matmul",
    equation: str = "",
    turned: bool = False,
) -> tuple[NodeTable, int]:
    """A graph and its softmax: operators before it and after it, then the product with v."""
    table = Table()
    q, k, v = (table.input(name, FEATURES) for name in "qkv")
    last = table.node("matmul", "operator.matmul", q, k, value=PAIRS)
    for name, arguments in between:
        last = table.node(f"{name}_0", name, last, value=PAIRS, arguments=arguments)
    last = softmax = table.node("w", "softmax", last, value=PAIRS, arguments="s, -1")
    for name, arguments in after:
        last = table.node(f"{name}_1", name, last, value=PAIRS, arguments=arguments)
    operands = (v, last) if turned else (last, v)
    told = f"'{equation}', a, b" if equation else "a, b"
    table.output(table.node("out", product, *operands, value=FEATURES, arguments=told))
    return table.freeze(), softmax


def is_written_out(made: tuple[NodeTable, int]) -> bool:
    return is_attention(*made, ops.readers(made[0]))


def advised(made: tuple[NodeTable, int]) -> tuple[str, str]:
    """The remedy and the code."""
    table, softmax = made
    scores, weighted = scores_of(table, softmax), weighted_by(table, softmax, ops.readers(table))
    assert weighted is not None
    return remedy(scores, weighted.dropout), code(scores, 3, weighted.dropout)


def test_a_product_over_the_queries_is_no_attention() -> None:
    assert is_written_out(attention())
    assert not is_written_out(attention(turned=True))


@pytest.mark.parametrize(
    ("equation", "turned", "expected"),
    [
        ("bqk,bkd->bqd", False, True),
        ("bkd,bqk->bqd", True, True),
        ("...qk,...kd->...qd", False, True),
        ("bqk,bqd->bkd", False, False),
        ("bqd,bqk->bkd", True, False),
        ("bqk,bkd->bd", False, False),
        ("bqk,bkd", False, False),
    ],
)
def test_an_equation_has_to_sum_over_the_keys(equation: str, turned: bool, expected: bool) -> None:
    made = attention(product="torch.functional.einsum", equation=equation, turned=turned)
    assert is_written_out(made) == expected


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ("w, p=0.0, training=True", ""),
        ("w, 0.0", ""),
        ("w, 0.25, False", ""),
        ("w, p=1e-05, training=True", "dropout_p=1e-05"),
        ("w, 0.25, True", "dropout_p=0.25"),
        ("w, p=share, training=True", "dropout_p=p"),
        ("w", "dropout_p=0.5"),
    ],
)
def test_dropout_is_what_the_program_draws(arguments: str, given: str) -> None:
    told, written = advised(attention(after=(("torch.nn.functional.dropout", arguments),)))
    assert ("Dropout draws other random numbers" in told) == bool(given)
    assert ("dropout_p" in written) == bool(given)
    assert given in written


def test_where_the_way_has_no_dropout_it_is_said_to_be_lost() -> None:
    made = attention(
        ("torch.tanh", "matmul"), after=(("torch.nn.functional.dropout", "w, 0.1, True"),)
    )
    told, written = advised(made)
    assert "flex_attention" in written
    assert "has no dropout" in told
    assert "other random numbers" not in told


@pytest.mark.parametrize(
    ("operator", "arguments", "mask"),
    [
        ("masked_fill", "matmul, hidden, -inf", "attn_mask=~mask"),
        ("masked_fill_", "matmul, hidden, -inf", "attn_mask=~mask"),
        ("masked_fill", "matmul, mask=hidden, value=-3.4028234663852886e+38", "attn_mask=~mask"),
        ("masked_fill", "matmul, hidden, -1000000000.0", "attn_mask=~mask"),
        ("masked_fill", "matmul, hidden, 0.0", ""),
        ("masked_fill", "matmul, hidden, value", ""),
        ("torch.where", "seen, matmul, -inf", "attn_mask=mask"),
        ("torch.where", "hidden, -inf, matmul", "attn_mask=~mask"),
        ("torch.where", "seen, matmul, 0.0", ""),
        ("operator.add", "matmul, bias", "attn_mask=mask"),
        ("operator.sub", "matmul, bias", "attn_mask=-mask"),
    ],
)
def test_a_mask_is_one_only_where_what_it_fills_is_hidden(
    operator: str, arguments: str, mask: str
) -> None:
    told, written = advised(attention((operator, arguments)))
    assert ("attn_mask" in written) == bool(mask)
    assert mask in written
    assert ("does not do" in told) != bool(mask)
