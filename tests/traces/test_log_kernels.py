"""Which nodes a kernel of a logged C++ wrapper computes: those alone that its name tells."""

from dynamo_lab.capture.traces import notes
from dynamo_lab.capture.traces.kernels import read
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.kernels import Kernel
from tests.view.samples.table import Table, graph


def _graph(*operators: str) -> Graph:
    table = Table()
    for at, name in enumerate(operators):
        table.node(f"{name}_{at}", f"aten.{name}.default")
    return graph(0, table, "post_grad")


def _kernels(made: Graph, *names: str) -> dict[str, Kernel]:
    code = "\n".join(
        f"{name} = async_compile.cpp_pybinding(['float*'], r'''\nvoid kernel() {{}}\n''')\n"
        for name in names
    )
    return {one.name: one for one in read(code, made, 0, 0).kernels}


def test_parts_of_a_composed_operator_are_not_of_a_kernel_that_happens_to_name_them() -> None:
    made = _graph("div", "mul", "mul", "mul", "erf", "add")
    found = _kernels(made, "cpp_fused_div_mul_0", "cpp_fused_gelu_backward_1")
    assert found["cpp_fused_div_mul_0"].nodes == (0,)  # which `mul` is its own is not told
    assert found["cpp_fused_gelu_backward_1"].nodes == (4, 5)  # no other kernel has them


def test_names_that_tell_all_are_believed() -> None:
    made = _graph("div", "mul", "mul", "erf", "permute")
    found = _kernels(made, "cpp_fused_div_mul_0", "cpp_fused_erf_1")
    assert found["cpp_fused_div_mul_0"].nodes == (0, 1, 2)
    assert found["cpp_fused_erf_1"].nodes == (3,)


def test_a_log_says_that_kernels_at_a_line_are_at_least_so_many() -> None:
    made = _graph("sum", "sum", "mul")
    found = _kernels(made, "cpp_fused_mul_sum_0", "cpp_fused_sum_1")
    [note] = notes.untold(list(found.values()))
    assert "at least so many: 1 of 2 are tied to no line." in note.message
    assert list(notes.untold(list(found.values())[:1])) == []


def test_a_log_that_names_nodes_is_not_asked_to_name_them() -> None:
    made = _graph("sum", "sum", "mul")
    found = list(_kernels(made, "cpp_fused_mul_sum_0", "cpp_fused_sum_1").values())
    [without] = notes.untold(found)
    assert without.message.endswith("names nodes of some more kernels.")
    [with_] = notes.untold(found, names_others=True)
    assert with_.message.endswith("Of other kernels it names the nodes.")
