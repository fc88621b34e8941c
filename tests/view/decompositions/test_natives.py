"""The census of kernels: what an operator counts as, by its functions."""

from dynamo_lab.model.decompositions import Census, Native, Placed, ProgramCensus
from dynamo_lab.view.decompositions.natives import CensusView, build, build_program, operator_of


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


def test_of_a_program_what_is_lacking_is_named_for_each_way_to_run_it() -> None:
    census = ProgramCensus(
        title="f", device="mps", release="2.13.0",
        called={"relu": "kernel", "heaviside": "host", "linalg_eig": "host", "x": "unlisted"},
        compiled={"linalg_eig": "host"},
    )  # fmt: skip
    found = build_program(census)
    assert [(row.called, row.compiled) for row in found.rows] == [(1, 0), (2, 1), (1, 0)]
    assert found.lacking == (
        ("Called by the program, a kernel on the CPU only", ("heaviside", "linalg_eig")),
        ("Called by the compiled program, a kernel on the CPU only", ("linalg_eig",)),
        ("Called by the program, not in PyTorch's list, so unknown", ("x",)),
    )
    assert "NotImplementedError" in found.note


def test_of_a_program_that_was_not_traced_nothing_is_claimed() -> None:
    census = ProgramCensus(title="f", device="mps", release="2.13.0", called={}, compiled={})
    assert build_program(census).note.startswith("No operator was traced")
