"""The census of kernels: what an operator counts as, by its functions."""

from dynamo_lab.model.decompositions import Census, Native, Placed
from dynamo_lab.view.decompositions.natives import CensusView, build, operator_of


def view(*functions: tuple[str, Native, bool]) -> CensusView:
    placed = (Placed(name=name, native=native, is_lowered=so) for name, native, so in functions)
    return build(Census(device="mps", release="2.13.0", functions=tuple(placed)))


def test_an_operator_counts_by_what_its_composed_variants_call() -> None:
    found = view(
        ("mode", "host", True), ("mode.values", "composed", False),
        ("logit", "kernel", True), ("logit_", "host", True), ("relu", "kernel", True),
        ("_own", "host", False), ("cudnn_rnn", "elsewhere", False),
    )  # fmt: skip
    assert found.without == ("mode*", "_own")
    assert found.partly == ("logit_*",)
    counts = {row.place: (row.operators, row.functions) for row in found.rows}
    assert list(counts.values()) == [(2, 2), (0, 1), (2, 3), (1, 1)]


def test_the_operator_of_a_function() -> None:
    names = ("add.out", "add_.Tensor", "add", "__and__.Tensor", "_foreach_add_.List")
    assert [operator_of(name) for name in names] == [
        "add", "add", "add", "__and__", "_foreach_add",
    ]  # fmt: skip


def test_a_cpu_lacks_nothing_that_is_on_a_cpu() -> None:
    census = Census(device="cpu", release="", functions=())
    assert build(census).note == ""
